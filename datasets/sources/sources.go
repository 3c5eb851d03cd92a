// Package sources reads the documents that people have: text, Markdown, HTML, office files and PDF,
// from a folder, and lines of JSON. What comes out is plain running text, and a list of what was left
// out and why.
package sources

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"lore/datasets"
	"lore/datasets/stage"
	"lore/local/files"
)

// MostBytes is the most of a document's text: longer ones are books or dumps, and must be split.
const MostBytes = 5 << 20

// Options say how documents are read.
type Options struct {
	LeastWords int  // of a document; shorter ones are left out. Below 1 is 1.
	Lines      bool // keeps the lines of text and Markdown as they are, for those who look for headings
}

// Reading is what a folder or a file gave.
type Reading struct {
	Documents []datasets.Document
	LeftOut   []LeftOut // every file and record that is not among them
}

// LeftOut is a file or a record that was not taken.
type LeftOut struct {
	Place  string // path below the folder, and the line of a record
	Reason string
}

// reader turns a file into running text.
type reader func(ctx context.Context, file string, o Options) (string, error)

// readers are those of files that are one document each, by ending.
var readers = map[string]reader{
	".txt":      readText(extracted),
	".text":     readText(extracted),
	".md":       readText(markdown),
	".markdown": readText(markdown),
	".html":     readText(web),
	".htm":      readText(web),
	".xhtml":    readText(web),
	".pdf":      readPDF,
	".docx":     readOffice(word),
	".odt":      readOffice(openDocument),
	".pptx":     readOffice(slides),
}

// Endings lists the endings of files that are read.
const Endings = ".txt, .md, .html, .docx, .odt, .pptx, .pdf, and .jsonl with id and text"

// records is the ending of files that hold many documents.
const records = ".jsonl"

// others are kinds of files that people have beside these, with what to do about them.
var others = map[string]string{
	".doc":  "is of an old office format: save it as .docx",
	".ppt":  "is of an old office format: save it as .pptx",
	".rtf":  "is RTF: save it as .docx",
	".epub": "is an e-book: convert it to .html, for example with pandoc",
	".xlsx": "is a table: save what matters of it as text",
	".xls":  "is a table: save what matters of it as text",
	".csv":  "is a table: write lines of JSON with id and text, in a file that ends in .jsonl",
	".tsv":  "is a table: write lines of JSON with id and text, in a file that ends in .jsonl",
	".json": "is JSON as a whole: write a document a line, in a file that ends in .jsonl",
	".eml":  "is a mail: save its text",
	".msg":  "is a mail: save its text",
	".zip":  "is packed: unpack it first",
	".gz":   "is packed: unpack it first",
}

// Read reads a folder with all below it, or a file. What a folder holds besides documents is left out
// and listed; a file that is named by itself must be one that can be read.
func Read(ctx context.Context, name string, o Options) (*Reading, error) {
	info, err := os.Stat(name)
	if err != nil {
		return nil, files.Unreadable(name, err, "give a folder with "+Endings+", or such a file")
	}
	r := &reading{options: o, dir: name, seen: map[string]string{}}
	if info.IsDir() {
		err = r.folder(ctx)
	} else {
		r.dir, r.alone = filepath.Dir(name), true
		err = r.file(ctx, filepath.Base(name))
	}
	if err != nil {
		return nil, err
	}

	if len(r.Documents) == 0 {
		why := "give files that end in " + Endings
		if len(r.LeftOut) > 0 {
			why = r.Notes()[0] + "; " + why
		}
		return nil, &datasets.InputError{File: name, Msg: "holds no documents", Remedy: why}
	}
	return &r.Reading, nil
}

// Log notes in a build's log what was left out, and says it to its user.
func (r *Reading) Log(s *stage.Session, warn func(string)) {
	for _, l := range r.LeftOut {
		s.Note("read", l.Place, 0, "left out: it %s", l.Reason)
	}
	for _, note := range r.Notes() {
		warn(note)
	}
}

// mostNamed is how many files a note names for one reason.
const mostNamed = 10

// Notes say what was left out: a sentence a reason, the most frequent first.
func (r *Reading) Notes() []string {
	var reasons []string
	places := map[string][]string{}
	for _, l := range r.LeftOut {
		if places[l.Reason] == nil {
			reasons = append(reasons, l.Reason)
		}
		places[l.Reason] = append(places[l.Reason], l.Place)
	}
	slices.SortStableFunc(reasons, func(a, b string) int { return len(places[b]) - len(places[a]) })

	var out []string
	for _, reason := range reasons {
		list := places[reason]
		if len(list) == 1 {
			out = append(out, fmt.Sprintf("left out %s, which %s", list[0], reason))
			continue
		}
		more := ""
		if n := len(list) - mostNamed; n > 0 {
			more = fmt.Sprintf(" and %d more", n)
		}
		out = append(out, fmt.Sprintf("left out %d files, each of which %s: %s%s",
			len(list), reason, strings.Join(list[:min(len(list), mostNamed)], ", "), more))
	}
	return out
}

// reading is a folder on its way to documents.
type reading struct {
	Reading
	options Options
	dir     string
	alone   bool              // one file was named by itself
	seen    map[string]string // places by id
}

// folder reads all files below the folder, in the order of their paths.
func (r *reading) folder(ctx context.Context) error {
	var names []string
	err := fs.WalkDir(files.DirFS(r.dir), ".", func(p string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case p != "." && strings.HasPrefix(d.Name(), "."):
			if d.IsDir() {
				return fs.SkipDir
			}
		case d.Type()&fs.ModeSymlink != 0:
			r.leaveOut(p, "is a link: copy what it leads to")
		case d.Type().IsRegular():
			names = append(names, p)
		case !d.IsDir():
			r.leaveOut(p, "is no file")
		}
		return nil
	})
	if err != nil {
		return files.Unreadable(r.dir, err, "check its permissions")
	}

	slices.Sort(names)
	for _, name := range names {
		if err := r.file(ctx, name); err != nil {
			return err
		}
	}
	return nil
}

// file takes in a file, or leaves it out with the reason.
func (r *reading) file(ctx context.Context, name string) error {
	full := filepath.Join(r.dir, filepath.FromSlash(name))
	ending := strings.ToLower(path.Ext(name))
	if ending == records {
		content, err := files.Read(full, "check its permissions")
		if err != nil {
			return err
		}
		return eachRecord(full, content, r.add)
	}

	read := readers[ending]
	if read == nil {
		return r.refuse(name, full, unknownKind(ending))
	}
	text, err := read(ctx, full, r.options)
	var bad *files.Error
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case errors.As(err, &bad) && r.alone:
		return bad
	case errors.As(err, &bad):
		r.leaveOut(name, wrongIn(bad))
		return nil
	case err != nil:
		return files.Unreadable(full, err, "check that the file is complete")
	case len(text) > MostBytes:
		return r.refuse(name, full, tooLong(len(text)))
	}
	return r.add(name, files.ID(name), text)
}

// wrongIn says what is wrong with a file, as the end of a sentence about it.
func wrongIn(e *files.Error) string {
	if e.Place != "" {
		return fmt.Sprintf("cannot be read (%s: %s): %s", e.Place, e.Msg, e.Remedy)
	}
	return e.Msg + ": " + e.Remedy
}

// unknownKind says why a file by its ending is no document.
func unknownKind(ending string) string {
	if why := others[ending]; why != "" {
		return why
	}
	if ending == "" {
		return "has no ending that tells its kind"
	}
	return "is of a kind that is not read (" + ending + ")"
}

// refuse leaves a file of a folder out; a file that was named by itself is an error.
func (r *reading) refuse(name, full, why string) error {
	if r.alone {
		return &datasets.InputError{File: full, Msg: why, Remedy: "give " + Endings}
	}
	r.leaveOut(name, why)
	return nil
}

func (r *reading) leaveOut(place, why string) { r.LeftOut = append(r.LeftOut, LeftOut{place, why}) }

// add takes a document in. One that is too short is left out, and so is another with its id: people
// keep the same report as .docx and .pdf.
func (r *reading) add(place, id, text string) error {
	least := max(1, r.options.LeastWords)
	if n := len(strings.Fields(text)); n < least {
		why := fmt.Sprintf("has fewer than %d words", least)
		if n == 0 {
			why = "has no text"
		}
		r.leaveOut(place, why)
		return nil
	}
	if before, twice := r.seen[id]; twice {
		r.leaveOut(place, fmt.Sprintf("has the id %q of %s: rename it if it is another document", id, before))
		return nil
	}
	r.seen[id] = place
	r.Documents = append(r.Documents, datasets.Document{ID: id, Text: text})
	return nil
}

// tooLong words the refusal of a text of so many bytes.
func tooLong(size int) string {
	const mega = 1 << 20
	return fmt.Sprintf("has %.1f MB of text; a document has at most %d MB: split it into its chapters or articles",
		float64(size)/mega, MostBytes/mega)
}

// readText reads text in UTF-8.
func readText(running func(string) (string, error)) reader {
	return func(_ context.Context, file string, o Options) (string, error) {
		if info, err := os.Stat(file); err == nil && info.Size() > 4*MostBytes { // a page may be mostly marks
			return "", &files.Error{File: file, Msg: tooLong(int(info.Size())), Remedy: "split it"}
		}
		content, err := files.Read(file, "check its permissions")
		if err != nil {
			return "", err
		}
		if ending := strings.ToLower(filepath.Ext(file)); o.Lines && !strings.Contains(ending, "htm") {
			return strings.ReplaceAll(string(content), "\r\n", "\n"), nil
		}
		return running(string(content))
	}
}
