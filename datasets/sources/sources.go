// Package sources reads the documents that people have: text, Markdown, HTML, and text
// that was extracted from PDF, from a folder or from lines of JSON. What comes out is
// plain running text.
package sources

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"lore/datasets"
)

// Limits of what is read.
const (
	MostBytes = 5 << 20 // of a document: longer ones are books or dumps, and must be split
	LeastWord = 20      // words of a document; shorter ones are left out
)

// readers turn a file's content into running text, by its ending.
var readers = map[string]func(string) (string, error){
	".txt": extracted, ".text": extracted, ".md": markdown, ".markdown": markdown, ".html": web, ".htm": web,
}

// Endings lists the endings of files that are read.
var Endings = []string{".txt", ".text", ".md", ".markdown", ".html", ".htm", ".jsonl"}

// Read reads a folder with all below it, or a file. Files of other kinds are left out,
// and named in notes; so are documents that are too short.
func Read(name string) (docs []datasets.Document, notes []string, err error) {
	info, err := os.Stat(name)
	if err != nil {
		return nil, nil, &datasets.InputError{File: name, Msg: "cannot be read: no such file or folder", Remedy: "give a folder of " + strings.Join(Endings, ", ") + " files, or one .jsonl file with id and text", Err: err}
	}
	if !info.IsDir() {
		return readAll(os.DirFS(filepath.Dir(name)), filepath.Dir(name), []string{filepath.Base(name)})
	}
	var files []string
	err = fs.WalkDir(os.DirFS(name), ".", func(p string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() && !strings.HasPrefix(d.Name(), ".") {
			files = append(files, p)
		}
		return err
	})
	if err != nil {
		return nil, nil, &datasets.InputError{File: name, Msg: "cannot be read: " + err.Error(), Remedy: "check its permissions", Err: err}
	}
	return readAll(os.DirFS(name), name, files)
}

func readAll(dir fs.FS, name string, files []string) (docs []datasets.Document, notes []string, err error) {
	slices.Sort(files)
	var other, short []string
	seen := map[string]string{}
	add := func(place, id, text string) error {
		if len(strings.Fields(text)) < LeastWord {
			short = append(short, place)
			return nil
		}
		if before, twice := seen[id]; twice {
			return &datasets.InputError{File: place, Msg: fmt.Sprintf("has the id %q of %s", id, before), Remedy: "give each document an id of its own"}
		}
		seen[id] = place
		docs = append(docs, datasets.Document{ID: id, Text: text})
		return nil
	}
	for _, f := range files {
		ending := strings.ToLower(path.Ext(f))
		read := readers[ending]
		if read == nil && ending != ".jsonl" {
			other = append(other, f)
			continue
		}
		full := filepath.Join(name, filepath.FromSlash(f))
		content, err := readFile(dir, f, full)
		if err != nil {
			return nil, nil, err
		}
		if ending == ".jsonl" {
			if err := eachRecord(full, content, add); err != nil {
				return nil, nil, err
			}
			continue
		}
		text, err := Text(full, content)
		if err != nil {
			return nil, nil, err
		}
		if err := add(full, strings.TrimSuffix(f, path.Ext(f)), text); err != nil {
			return nil, nil, err
		}
	}
	if len(other) > 0 {
		notes = append(notes, fmt.Sprintf("%s: left out %d files of other kinds, such as %s; what is read: %s; extract the text of PDF files first, for example with pdftotext", name, len(other), other[0], strings.Join(Endings, ", ")))
	}
	if len(short) > 0 {
		notes = append(notes, fmt.Sprintf("%s: left out %d documents of fewer than %d words, such as %s", name, len(short), LeastWord, short[0]))
	}
	if len(docs) == 0 {
		return nil, notes, &datasets.InputError{File: name, Msg: "holds no documents", Remedy: "give files with these endings: " + strings.Join(Endings, ", ")}
	}
	return docs, notes, nil
}

// readFile refuses what is too large before it is read. Lines of JSON hold many
// documents and have no limit of their own.
func readFile(dir fs.FS, f, full string) (string, error) {
	info, err := fs.Stat(dir, f)
	if err == nil && info.Size() > MostBytes && !strings.HasSuffix(strings.ToLower(f), ".jsonl") {
		return "", tooLarge(full, "", int(info.Size()))
	}
	var data []byte
	if err == nil {
		data, err = fs.ReadFile(dir, f)
	}
	if err != nil {
		return "", &datasets.InputError{File: full, Msg: "cannot be read: " + err.Error(), Remedy: "check its permissions", Err: err}
	}
	return string(data), nil
}

func tooLarge(file, place string, size int) error {
	return &datasets.InputError{File: file, Place: place, Msg: fmt.Sprintf("has %.1f MB; a document is at most %d MB", float64(size)/(1<<20), MostBytes>>20), Remedy: "split it into its chapters or articles"}
}

// Text turns a file's content into running text. Bytes that are no UTF-8, or that are
// no text at all, are an error: a text silently changed is a text lost.
func Text(file, content string) (string, error) {
	if err := check(file, content); err != nil {
		return "", err
	}
	read := readers[strings.ToLower(filepath.Ext(file))]
	if read == nil {
		read = extracted
	}
	text, err := read(strings.TrimPrefix(content, "\ufeff"))
	if err != nil {
		return "", &datasets.InputError{File: file, Msg: "cannot be read: " + err.Error(), Remedy: "check that the file is complete", Err: err}
	}
	return text, nil
}

// check refuses binary content and other encodings.
func check(file, content string) error {
	head := content[:min(len(content), 4)]
	for _, mark := range []struct{ bytes, what string }{{"\xff\xfe", "UTF-16"}, {"\xfe\xff", "UTF-16"}, {"%PDF", "PDF"}} {
		if strings.HasPrefix(head, mark.bytes) {
			return &datasets.InputError{File: file, Msg: "is " + mark.what + ", not text in UTF-8", Remedy: "convert it first, for example with iconv or pdftotext"}
		}
	}
	if i := strings.IndexByte(content, 0); i >= 0 {
		return &datasets.InputError{File: file, Place: fmt.Sprintf("byte %d", i+1), Msg: "is binary, not text", Remedy: "take it out of the folder"}
	}
	if !utf8.ValidString(content) {
		line, at := 1, 0
		for i, r := range content {
			if _, n := utf8.DecodeRuneInString(content[i:]); r == utf8.RuneError && n == 1 {
				at = i
				break
			}
			if r == '\n' {
				line++
			}
		}
		return &datasets.InputError{File: file, Place: fmt.Sprintf("line %d", line), Msg: fmt.Sprintf("byte %#x is not UTF-8", content[at]), Remedy: "convert the file to UTF-8, for example with iconv -f LATIN1 -t UTF-8"}
	}
	return nil
}

// eachRecord reads lines of JSON with id and text, and perhaps title.
func eachRecord(file, content string, add func(place, id, text string) error) error {
	if err := check(file, content); err != nil {
		return err
	}
	return datasets.EachLine([]byte(content), func(place string, line []byte) error {
		var r struct{ ID, Title, Text string }
		err := json.Unmarshal(line, &r)
		switch {
		case err == nil && len(r.Text) > MostBytes:
			return tooLarge(file, place, len(r.Text))
		case err == nil && (r.ID == "" || strings.ContainsAny(r.ID, " \t\n")):
			err = errors.New("it has no id without spaces")
		}
		if err != nil {
			return &datasets.InputError{File: file, Place: place, Msg: "is no document: " + err.Error(), Remedy: `a document is {"id": "...", "text": "..."}`, Err: err}
		}
		text, err := extracted(strings.TrimSpace(r.Title + "\n\n" + r.Text))
		if err != nil {
			return err
		}
		return add(file+": "+place, r.ID, text)
	})
}

var (
	hyphenated  = regexp.MustCompile(`(\p{L})-\n(\p{Ll})`)
	pageNumber  = regexp.MustCompile(`(?mi)^[ \t]*(?:page[ \t]*)?[-–]?[ \t]*\d{1,4}[ \t]*[-–]?[ \t]*$`)
	blankLines  = regexp.MustCompile(`\n[ \t]*\n\s*`)
	spaces      = regexp.MustCompile(`[^\S\n]+`)
	mdImage     = regexp.MustCompile(`!\[([^\]]*)\]\([^)]*\)`)
	mdLink      = regexp.MustCompile(`\[([^\]]*)\]\([^)]*\)`)
	mdMark      = regexp.MustCompile(`(?m)^[ \t]*(?:#{1,6}[ \t]+|>[ \t]?|[-*+][ \t]+|\d+\.[ \t]+|[-=*_]{3,}[ \t]*$|\|[-:| \t]+\|?[ \t]*$)`)
	mdEmphasis  = regexp.MustCompile("[*_]{1,3}([^*_\n]+)[*_]{1,3}|`([^`\n]+)`")
	frontMatter = regexp.MustCompile(`\A---\n(?s:.*?)\n---\n`)
)

// extracted joins what was broken over lines: words at hyphens, and lines of a
// paragraph; page numbers between pages go.
func extracted(s string) (string, error) {
	s = strings.ReplaceAll(strings.ReplaceAll(s, "\r\n", "\n"), "\r", "\n")
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
	blocks = map[atom.Atom]bool{atom.P: true, atom.Div: true, atom.Br: true, atom.Li: true, atom.Tr: true, atom.H1: true, atom.H2: true, atom.H3: true, atom.H4: true, atom.H5: true, atom.H6: true,
		atom.Article: true, atom.Section: true, atom.Blockquote: true, atom.Pre: true, atom.Td: true, atom.Th: true, atom.Dd: true, atom.Dt: true}
	skipped = map[atom.Atom]bool{atom.Script: true, atom.Style: true, atom.Head: true, atom.Nav: true, atom.Footer: true, atom.Noscript: true, atom.Template: true, atom.Svg: true, atom.Form: true}
)

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
