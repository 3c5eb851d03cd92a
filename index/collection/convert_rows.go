package collection

import (
	"cmp"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"io"
	"strings"

	"github.com/parquet-go/parquet-go"

	"lore/local/files"
)

// passage is a document, or a query without title, as a file holds it.
type passage struct {
	ID    string `json:"id" parquet:"id"`
	Title string `json:"title,omitempty" parquet:"title"`
	Text  string `json:"text" parquet:"text"`
}

// eachPassage hands over documents or queries, with titles of their own, and counts what is left out of them.
func (w writing) eachPassage(do func(passage) error) error {
	paths, columns, form, read := []string{w.In}, queryColumns, queriesForm, queryPassage
	folder, err := files.IsFolder(w.In, queriesForm)
	if err != nil {
		return err
	}
	switch {
	case w.Kind == CorpusKind:
		source, err := Open(w.In)
		if err != nil {
			return err
		}
		if source.texts {
			return files.EachText(w.In, func(d files.Document) error { return do(passage{ID: d.ID, Text: d.Text}) })
		}
		paths, columns, form, read = source.Files, documentColumns, corpusForm, documentPassage
	case folder:
		path, ok := inFolder(w.In, beirAsked)
		if !ok {
			return &files.Error{File: w.In, Msg: "is a folder without " + beirAsked, Remedy: queriesForm}
		}
		paths = []string{path}
	}

	seen := places{}
	var stopped error // by the system or the user: no fault of the file
	for _, path := range paths {
		err := eachRow(path, columns, form, func(place string, rec files.Record) error {
			p, err := read(rec)
			if err == nil {
				err = seen.add(p.ID, path, place, len(paths) > 1)
			}
			if err != nil {
				return err
			}
			must := 2 // id and text
			if p.Title != "" {
				must = 3
			}
			w.field(rec, must, p.ID, p.Title, p.Text)
			err = do(p)
			if lost := (*unheld)(nil); err != nil && !errors.As(err, &lost) {
				stopped = err
			}
			return err
		})
		if err = cmp.Or(stopped, err); err != nil {
			return err
		}
	}
	return nil
}

func documentPassage(rec files.Record) (passage, error) {
	id, idErr := rec.DocumentID()
	title, titleErr := rec.Title()
	text, textErr := rec.DocumentText()
	return passage{id, title, text}, cmp.Or(idErr, titleErr, textErr)
}

func queryPassage(rec files.Record) (passage, error) {
	id, idErr := rec.QueryID()
	text, textErr := rec.QueryText()
	err := cmp.Or(idErr, textErr)
	if err == nil && strings.TrimSpace(text) == "" {
		err = errors.New("the query has no text")
	}
	return passage{ID: id, Text: text}, err
}

// sink writes passages one after the other.
type sink struct {
	put func(passage) error
	end func() error // nil: nothing is left to do
}

// writeRows writes a corpus or queries.
func (w writing) writeRows(to io.Writer) error {
	s := w.sink(to)
	err := w.eachPassage(func(p passage) error {
		if err := w.count(); err != nil {
			return err
		}
		return s.put(p)
	})
	if err == nil && s.end != nil {
		err = s.end()
	}
	return err
}

func (w writing) sink(to io.Writer) sink {
	switch w.Form {
	case MSMARCO:
		return sink{put: w.marco(to)}
	case TSV:
		return sink{put: w.tabs(to)}
	case TREC:
		return sink{put: w.topic(to)}
	case CSV:
		return w.commas(to)
	case Parquet:
		return w.columns(to)
	}

	enc := json.NewEncoder(to)
	enc.SetEscapeHTML(false)
	switch {
	case w.Form == JSON:
		return list(to)
	case w.Form == Pyserini:
		return sink{put: func(p passage) error {
			return enc.Encode(map[string]string{"id": p.ID, "contents": w.joinedText(p)})
		}}
	case w.Form == BEIR && w.Kind == CorpusKind:
		return sink{put: func(p passage) error {
			return enc.Encode(map[string]string{"_id": p.ID, "title": p.Title, "text": p.Text})
		}}
	case w.Form == BEIR:
		return sink{put: func(p passage) error { return enc.Encode(map[string]string{"_id": p.ID, "text": p.Text}) }}
	}
	return sink{put: func(p passage) error { return enc.Encode(p) }}
}

// joinedText has the title before the text, as lore reads a document.
func (w writing) joinedText(p passage) string {
	if strings.TrimSpace(p.Title) == "" {
		return p.Text
	}
	w.joined++
	return p.Title + "\n" + p.Text
}

// list writes a list of JSON, an object a line.
func list(to io.Writer) sink {
	before := "[\n"
	return sink{
		put: func(p passage) error {
			_, err := io.WriteString(to, before)
			if err == nil {
				enc := json.NewEncoder(to)
				enc.SetEscapeHTML(false)
				err = enc.Encode(p)
			}
			before = ","
			return err
		},
		end: func() error {
			_, err := io.WriteString(to, "]\n")
			return err
		},
	}
}

// marco writes lines of id and text, of which the first must not look like a heading.
func (w writing) marco(to io.Writer) func(passage) error {
	first := true
	return func(p passage) error {
		if strings.TrimSpace(p.Title) != "" && !w.Flatten {
			return w.unheld("%s has no titles, and %s has one; --to tsv has a column for them, and --flatten puts them before the texts",
				w.Form, p.ID)
		}
		text, err := w.oneLine(w.joinedText(p), p.ID)
		if err != nil {
			return err
		}
		if first && isHeading([]string{p.ID, text}) {
			return w.unheld("the first line, %s and %s, would be read as a heading", p.ID, text)
		}
		first = false
		_, err = fmt.Fprintf(to, "%s\t%s\n", p.ID, text)
		return err
	}
}

// tabs writes a table with a heading.
func (w writing) tabs(to io.Writer) func(passage) error {
	heading := "id\ttext\n"
	if w.Kind == CorpusKind {
		heading = "id\ttitle\ttext\n"
	}
	return func(p passage) error {
		text, err := w.oneLine(p.Text, p.ID)
		if err != nil {
			return err
		}
		line := p.ID + "\t" + text + "\n"
		if w.Kind == CorpusKind {
			title, err := w.oneLine(p.Title, p.ID)
			if err != nil {
				return err
			}
			line = p.ID + "\t" + title + "\t" + text + "\n"
		}
		_, err = io.WriteString(to, heading+line)
		heading = ""
		return err
	}
}

// oneLine is a text as a table of tabs can hold it.
func (w writing) oneLine(text, id string) (string, error) {
	return w.flat(text, id, "a tab or line end", strings.NewReplacer("\r\n", " ", "\t", " ", "\n", " ", "\r", " ").Replace(text))
}

// flat is a text as the form can hold it: the same, or flat where the user wants that.
func (w writing) flat(text, id, what, flat string) (string, error) {
	if flat == text {
		return text, nil
	}
	if !w.Flatten {
		return "", w.unheld("a text of %s holds %s, which %s cannot hold; --flatten changes and counts them", id, what, w.Form)
	}
	w.flattened++
	return flat, nil
}

// topic writes topics of TREC that are read again as they are.
func (w writing) topic(to io.Writer) func(passage) error {
	return func(p passage) error {
		text, err := w.flat(p.Text, p.ID, "white space other than single spaces", strings.Join(strings.Fields(p.Text), " "))
		if err != nil {
			return err
		}
		title := escaped(text)
		if label.MatchString(title) {
			title = "Topic: " + title // which is no part of the query
		}
		_, err = fmt.Fprintf(to, "<top>\n<num> Number: %s\n<title> %s\n\n</top>\n", escaped(p.ID), title)
		return err
	}
}

// escaped is a text that stands between fields of SGML: only what would be read in another way is changed.
func escaped(text string) string {
	if !strings.Contains(text, "<") && html.UnescapeString(text) == text {
		return text
	}
	return strings.NewReplacer("&", "&amp;", "<", "&lt;").Replace(text)
}

// commas writes CSV with a heading.
func (w writing) commas(to io.Writer) sink {
	c := csv.NewWriter(to)
	heading := []string{"id", "text"}
	if w.Kind == CorpusKind {
		heading = []string{"id", "title", "text"}
	}
	put := func(p passage) error {
		cells := []string{p.ID}
		texts := []string{p.Text}
		if w.Kind == CorpusKind {
			texts = []string{p.Title, p.Text}
		}
		for _, t := range texts {
			cell, err := w.flat(t, p.ID, "line ends of Windows", strings.ReplaceAll(t, "\r\n", "\n"))
			if err != nil {
				return err
			}
			cells = append(cells, cell)
		}
		if heading != nil {
			if err := c.Write(heading); err != nil {
				return err
			}
			heading = nil
		}
		return c.Write(cells)
	}
	return sink{put, func() error { c.Flush(); return c.Error() }}
}

// rowsOfGroup bounds the memory of writing Parquet.
const rowsOfGroup = 20_000

// question is a query as a table holds it.
type question struct {
	ID   string `parquet:"id"`
	Text string `parquet:"text"`
}

// columns writes Parquet.
func (w writing) columns(to io.Writer) sink {
	if w.Kind == CorpusKind {
		put, end := groups[passage](to)
		return sink{put, end}
	}
	put, end := groups[question](to)
	return sink{func(p passage) error { return put(question{p.ID, p.Text}) }, end}
}

// groups writes rows of Parquet, some at a time.
func groups[T any](to io.Writer) (put func(T) error, end func() error) {
	p := parquet.NewGenericWriter[T](to, parquet.Compression(&parquet.Snappy), parquet.CreatedBy("lore", "1", "0"))
	n := 0
	put = func(row T) error {
		if _, err := p.Write([]T{row}); err != nil {
			return err
		}
		if n++; n%rowsOfGroup == 0 {
			return p.Flush()
		}
		return nil
	}
	return put, p.Close
}
