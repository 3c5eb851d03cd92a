// Package sources reads the documents that people have: text, Markdown, HTML, and text
// that was extracted from PDF, from a folder or from lines of JSON. What comes out is
// plain running text.
package sources

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"lore/datasets"
	"lore/local/files"
)

// Limits of what is read.
const (
	MostBytes = 5 << 20 // of a document: longer ones are books or dumps, and must be split
	LeastWord = 20      // words of a document; shorter ones are left out
)

// readers turn a file's content into running text, by its ending.
var readers = map[string]func(string) (string, error){
	".txt":      extracted,
	".text":     extracted,
	".md":       markdown,
	".markdown": markdown,
	".html":     web,
	".htm":      web,
}

// Endings lists the endings of files that are read.
var Endings = []string{".txt", ".text", ".md", ".markdown", ".html", ".htm", ".jsonl"}

// Read reads a folder with all below it, or a file. Files of other kinds are left out,
// and named in notes; so are documents that are too short.
func Read(name string) (docs []datasets.Document, notes []string, err error) {
	info, err := os.Stat(name)
	if err != nil {
		remedy := "give a folder of " + strings.Join(Endings, ", ") + " files, or one .jsonl file with id and text"
		return nil, nil, files.Unreadable(name, err, remedy)
	}
	if !info.IsDir() {
		return readAll(files.DirFS(filepath.Dir(name)), filepath.Dir(name), []string{filepath.Base(name)})
	}

	list, err := files.List(name)
	if err != nil {
		return nil, nil, err
	}
	return readAll(files.DirFS(name), name, list)
}

// reading is a folder on its way to documents.
type reading struct {
	docs         []datasets.Document
	seen         map[string]string // places by id
	other, short []string          // files of other kinds, and places of short documents
}

// add takes a document in. One that is too short is left out.
func (r *reading) add(place, id, text string) error {
	if len(strings.Fields(text)) < LeastWord {
		r.short = append(r.short, place)
		return nil
	}
	if before, twice := r.seen[id]; twice {
		return &datasets.InputError{
			File:   place,
			Msg:    fmt.Sprintf("has the id %q of %s", id, before),
			Remedy: "give each document an id of its own",
		}
	}
	r.seen[id] = place
	r.docs = append(r.docs, datasets.Document{ID: id, Text: text})
	return nil
}

// notes say what was left out.
func (r *reading) notes(name string) []string {
	var out []string
	if n := len(r.other); n > 0 {
		out = append(out, fmt.Sprintf("%s: left out %d files of other kinds, such as %s; what is read: %s; "+
			"extract the text of PDF files first, for example with pdftotext",
			name, n, r.other[0], strings.Join(Endings, ", ")))
	}
	if n := len(r.short); n > 0 {
		out = append(out, fmt.Sprintf("%s: left out %d documents of fewer than %d words, such as %s",
			name, n, LeastWord, r.short[0]))
	}
	return out
}

func readAll(dir fs.FS, name string, list []string) (docs []datasets.Document, notes []string, err error) {
	slices.Sort(list)
	r := &reading{seen: map[string]string{}}
	for _, f := range list {
		ending := strings.ToLower(path.Ext(f))
		if !slices.Contains(Endings, ending) {
			r.other = append(r.other, f)
			continue
		}

		full := filepath.Join(name, filepath.FromSlash(f))
		content, err := readFile(dir, f, full)
		if err != nil {
			return nil, nil, err
		}
		if ending == ".jsonl" {
			err = eachRecord(full, content, r.add)
		} else {
			err = r.addFile(full, files.ID(f), content)
		}
		if err != nil {
			return nil, nil, err
		}
	}

	notes = r.notes(name)
	if len(r.docs) == 0 {
		return nil, notes, &datasets.InputError{
			File:   name,
			Msg:    "holds no documents",
			Remedy: "give files with these endings: " + strings.Join(Endings, ", "),
		}
	}
	return r.docs, notes, nil
}

// addFile takes a file in that is one document.
func (r *reading) addFile(file, id string, content []byte) error {
	text, err := running(file, content)
	if err != nil {
		return err
	}
	return r.add(file, id, text)
}

// readFile refuses what is too large before it is read. Lines of JSON hold many
// documents and have no limit of their own.
func readFile(dir fs.FS, f, full string) ([]byte, error) {
	info, err := fs.Stat(dir, f)
	if err == nil && info.Size() > MostBytes && !strings.HasSuffix(strings.ToLower(f), ".jsonl") {
		return nil, tooLarge(full, "", int(info.Size()))
	}
	return files.ReadFS(dir, f, full, "check its permissions")
}

func tooLarge(file, place string, size int) error {
	const mega = 1 << 20
	return &datasets.InputError{
		File:   file,
		Place:  place,
		Msg:    fmt.Sprintf("has %.1f MB; a document is at most %d MB", float64(size)/mega, MostBytes/mega),
		Remedy: "split it into its chapters or articles",
	}
}

// running turns text in UTF-8 into running text, by the ending of its file.
func running(file string, content []byte) (string, error) {
	read := readers[strings.ToLower(filepath.Ext(file))]
	if read == nil {
		read = extracted
	}
	text, err := read(string(content))
	if err != nil {
		return "", files.Unreadable(file, err, "check that the file is complete")
	}
	return text, nil
}

// eachRecord reads lines of JSON with id and text, and perhaps title.
func eachRecord(file string, content []byte, add func(place, id, text string) error) error {
	return files.EachLine(content, func(place string, line []byte) error {
		id, title, body, err := readRecord(line)
		switch {
		case err == nil && len(body) > MostBytes:
			return tooLarge(file, place, len(body))
		case err == nil && files.CheckID(id) != nil:
			err = fmt.Errorf("it has no id of one word: %w", files.CheckID(id))
		}
		if err != nil {
			return &datasets.InputError{
				File:   file,
				Place:  place,
				Msg:    "is not a document: " + err.Error(),
				Remedy: `a document is {"id": "...", "text": "..."}`,
				Err:    err,
			}
		}

		text, err := extracted(strings.TrimSpace(title + "\n\n" + body))
		if err != nil {
			return err
		}
		return add(file+": "+place, id, text)
	})
}

// readRecord reads a line under any of the usual names of fields.
func readRecord(line []byte) (id, title, body string, err error) {
	var r files.Record
	if err := json.Unmarshal(line, &r); err != nil {
		return "", "", "", err
	}
	id, idErr := r.DocumentID()
	title, titleErr := r.Title()
	body, bodyErr := r.DocumentText()
	return id, title, body, cmp.Or(idErr, titleErr, bodyErr)
}

var (
	hyphenated = regexp.MustCompile(`(\p{L})-\n(\p{Ll})`)
	pageNumber = regexp.MustCompile(`(?mi)^[ \t]*(?:page[ \t]*)?[-–]?[ \t]*\d{1,4}[ \t]*[-–]?[ \t]*$`)
	blankLines = regexp.MustCompile(`\n[ \t]*\n\s*`)
	spaces     = regexp.MustCompile(`[^\S\n]+`)
)

// Marks of Markdown. A mark at the beginning of a line is a heading's, a quotation's, an
// item's of either kind of list, a rule, or the line below the head of a table.
var (
	mdImage = regexp.MustCompile(`!\[([^\]]*)\]\([^)]*\)`)
	mdLink  = regexp.MustCompile(`\[([^\]]*)\]\([^)]*\)`)
	mdMark  = regexp.MustCompile(`(?m)^[ \t]*(?:` +
		`#{1,6}[ \t]+|>[ \t]?|[-*+][ \t]+|\d+\.[ \t]+|[-=*_]{3,}[ \t]*$|\|[-:| \t]+\|?[ \t]*$)`)
	mdEmphasis  = regexp.MustCompile("[*_]{1,3}([^*_\n]+)[*_]{1,3}|`([^`\n]+)`")
	frontMatter = regexp.MustCompile(`\A---\n(?s:.*?)\n---\n`)
)

// extracted joins what was broken over lines: words at hyphens, and lines of a
// paragraph; page numbers between pages go.
func extracted(s string) (string, error) {
	s = strings.ReplaceAll(strings.ReplaceAll(s, "\r\n", "\n"), "\r", "\n")

	// Page numbers can only be told from other numbers where pages end by form feeds.
	if strings.ContainsRune(s, '\f') {
		s = pageNumber.ReplaceAllString(strings.ReplaceAll(s, "\f", "\n"), "")
	}

	s = hyphenated.ReplaceAllString(s, "$1$2")
	s = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && r != '\n' && r != '\t' {
			return -1
		}
		return r
	}, s)

	paragraphs := blankLines.Split(strings.TrimSpace(s), -1)
	for i, p := range paragraphs {
		paragraphs[i] = strings.TrimSpace(spaces.ReplaceAllString(strings.ReplaceAll(p, "\n", " "), " "))
	}
	return strings.Join(slices.DeleteFunc(paragraphs, func(p string) bool { return p == "" }), "\n\n"), nil
}

// markdown drops marks and keeps words.
func markdown(s string) (string, error) {
	s = strings.ReplaceAll(s, "\r\n", "\n")
	s = frontMatter.ReplaceAllString(s, "")

	var kept []string
	fenced := false
	for line := range strings.Lines(s) {
		if strings.HasPrefix(strings.TrimSpace(line), "```") {
			fenced = !fenced
			continue
		}

		// A heading or an item of a list is a paragraph of its own.
		if mark := mdMark.FindString(line); !fenced && mark != "" && strings.TrimSpace(mark) != ">" {
			line = "\n" + mdMark.ReplaceAllString(line, "") + "\n"
		} else if !fenced {
			line = mdMark.ReplaceAllString(line, "")
		}
		kept = append(kept, line)
	}

	s = strings.Join(kept, "")
	s = mdImage.ReplaceAllString(s, "$1")
	s = mdLink.ReplaceAllString(s, "$1")
	s = mdEmphasis.ReplaceAllString(s, "$1$2")
	return extracted(s)
}

// blocks are the elements that end a paragraph; skipped ones hold no text of the page.
var (
	blocks = set(
		atom.Article, atom.Blockquote, atom.Br, atom.Dd, atom.Div, atom.Dt,
		atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6,
		atom.Li, atom.P, atom.Pre, atom.Section, atom.Td, atom.Th, atom.Tr,
	)
	skipped = set(
		atom.Footer, atom.Form, atom.Head, atom.Nav, atom.Noscript,
		atom.Script, atom.Style, atom.Svg, atom.Template,
	)
)

func set(elements ...atom.Atom) map[atom.Atom]bool {
	out := map[atom.Atom]bool{}
	for _, a := range elements {
		out[a] = true
	}
	return out
}

// web takes the text out of a page, without menus, scripts and styles.
func web(s string) (string, error) {
	root, err := html.Parse(bytes.NewReader([]byte(s)))
	if err != nil {
		return "", err
	}

	var b strings.Builder
	var walk func(n *html.Node)
	walk = func(n *html.Node) {
		switch {
		case n.Type == html.TextNode:
			b.WriteString(strings.ReplaceAll(n.Data, "\n", " "))
		case n.Type == html.ElementNode && skipped[n.DataAtom]:
			return
		}

		for c := n.FirstChild; c != nil; c = c.NextSibling {
			walk(c)
		}
		if n.Type == html.ElementNode && blocks[n.DataAtom] {
			b.WriteString("\n\n")
		}
	}

	walk(root)
	return extracted(b.String())
}
