// Package sources reads the documents that people have: text, Markdown, HTML, office files and PDF,
// from a folder, and lines of JSON. What comes out is plain running text, and a list of what was left
// out and why.
package sources

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"lore/datasets"
	"lore/local/files"
)

// MostBytes is the most of a document's text: longer ones are books or dumps, and must be split.
const MostBytes = 5 << 20

// Options say how documents are read.
type Options struct {
	LeastWords int  // of a document; shorter ones are left out. Below 1 is 1.
	Lines      bool // keeps the lines of text and Markdown as they are, for those who look for headings
	Headings   bool // marks headings of HTML as Markdown does

	Out   string            // the folder that is written to, which holds no documents
	Named map[string]string // files that other flags name, by the flag: they are no documents

	// Referred says that others refer to documents by their ids: a copy of another stays, and is named.
	Referred bool
}

// Reading is what a folder or a file gave.
type Reading struct {
	Documents []datasets.Document
	Files     int       // how many were looked at, those that are left out among them
	LeftOut   []LeftOut // every file and record that is not among the documents, and every folder that was not entered
	Ours      []string  // what the command line names for something else: the folder of --out, the file of --questions
	Hidden    []string  // files and folders whose names begin with a dot
	Copies    []string  // documents that say what another says and stay all the same, with its name
}

// LeftOut is a file, a record or a folder that was not taken.
type LeftOut struct {
	Place  string // path below the folder, and the line of a record
	Reason string
	Folder bool
}

// reader turns a file into running text.
type reader func(ctx context.Context, file string, o Options) (string, error)

// readers are those of files that are one document each, by ending.
var readers = map[string]reader{
	".txt":      readText(extracted),
	".text":     readText(extracted),
	".md":       readText(markdown),
	".markdown": readText(markdown),
	".html":     readPage,
	".htm":      readPage,
	".xhtml":    readPage,
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

// Apart refuses to write into the very folder that documents are read from: the data would be among
// the documents of the next build. A folder inside it is left out by Read.
func Apart(docs, out string) error {
	if !files.Same(docs, out) {
		return nil
	}
	return datasets.Usagef("--out is the folder of --docs: what is written would be read as documents; "+
		"give another, such as --out %s", files.Quoted(filepath.Join(out, "mine")))
}

// Read reads a folder with all below it, or a file. What a folder holds besides documents is left out
// and listed; a file that is named by itself must be one that can be read.
func Read(ctx context.Context, name string, o Options) (*Reading, error) {
	info, err := os.Stat(name)
	if err != nil {
		return nil, files.Unreadable(name, err, "give a folder with "+Endings+", or such a file")
	}
	r := &reading{options: o, dir: name, seen: map[string]string{}, texts: map[[sha256.Size]byte]string{}}
	if info.IsDir() {
		err = r.folder(ctx, files.DirFS(name))
	} else {
		r.dir, r.alone = filepath.Dir(name), true
		err = r.file(ctx, filepath.Base(name))
	}
	if err != nil {
		return nil, err
	}

	if len(r.Documents) == 0 {
		why := "give files that end in " + Endings
		if notes := append(r.Notes(), r.asides()...); len(notes) > 0 {
			why = notes[0] + "; " + why
		}
		return nil, &datasets.InputError{File: name, Msg: "holds no documents", Remedy: why}
	}
	return &r.Reading, nil
}

// reading is a folder on its way to documents.
type reading struct {
	Reading
	options Options
	dir     string
	names   []string                     // files below the folder, by their paths
	alone   bool                         // one file was named by itself
	seen    map[string]string            // places by id
	texts   map[[sha256.Size]byte]string // places by what is said there, however it is spaced
}

// file takes in a file, or leaves it out with the reason.
func (r *reading) file(ctx context.Context, name string) error {
	full := filepath.Join(r.dir, filepath.FromSlash(name))
	if flag := r.namedBy(full); flag != "" {
		r.Ours = append(r.Ours, fmt.Sprintf("%s, the file of %s", name, flag))
		return nil
	}
	r.Files++
	ending := strings.ToLower(path.Ext(name))
	if ending == records {
		return r.records(name, full)
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

// namedBy is the flag that names a file for something else; empty where none does.
func (r *reading) namedBy(full string) string {
	for _, flag := range slices.Sorted(maps.Keys(r.options.Named)) {
		if files.Same(full, r.options.Named[flag]) {
			return flag
		}
	}
	return ""
}

// records takes in the documents of a file of records: all of them, or none where a line is no document. Half
// of a file would look like the whole.
func (r *reading) records(name, full string) error {
	content, err := files.Read(full, "check its permissions")
	var list []record
	if err == nil {
		list, err = readRecords(full, content)
	}

	var bad *files.Error
	switch {
	case errors.As(err, &bad) && !r.alone:
		others := countLines(content) - 1
		r.leaveOut(name, wrongIn(bad)+otherLines(others))
		return nil
	case err != nil:
		return err
	}

	for _, one := range list {
		if err := r.add(name+": "+one.place, one.id, one.text); err != nil {
			return err
		}
	}
	return nil
}

// countLines counts the lines that are not blank.
func countLines(content []byte) int {
	n := 0
	for line := range bytes.Lines(content) {
		if len(bytes.TrimSpace(line)) > 0 {
			n++
		}
	}
	return n
}

// otherLines says what else is left out with a line.
func otherLines(n int) string {
	if n < 1 {
		return ""
	}
	return fmt.Sprintf(" (left out with it: its %d other lines)", n)
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

func (r *reading) leaveOut(place, why string) {
	r.LeftOut = append(r.LeftOut, LeftOut{Place: place, Reason: why})
}

// add takes a document in. One that is too short is left out, and so is another with its id, or with its
// text: people keep the same report as .docx and .pdf, and copies of it.
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

	said := sha256.Sum256([]byte(strings.Join(strings.Fields(text), " ")))
	if before, twice := r.texts[said]; twice {
		copied := fmt.Sprintf("%s (like %s)", place, before)
		if !r.options.Referred {
			r.leaveOut(copied, "says word for word what another says")
			return nil
		}
		r.Copies = append(r.Copies, copied)
	} else {
		r.texts[said] = place
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
		content, err := plain(file)
		if err != nil {
			return "", err
		}
		if o.Lines {
			return strings.ReplaceAll(content, "\r\n", "\n"), nil
		}
		return running(content)
	}
}

// readPage reads HTML.
func readPage(_ context.Context, file string, o Options) (string, error) {
	content, err := plain(file)
	if err != nil {
		return "", err
	}
	return page(content, o.Headings)
}

// plain is the content of a file of text.
func plain(file string) (string, error) {
	if info, err := os.Stat(file); err == nil && info.Size() > 4*MostBytes { // a page may be mostly marks
		return "", &files.Error{File: file, Msg: tooLong(int(info.Size())), Remedy: "split it"}
	}
	content, err := files.Read(file, "check its permissions")
	return string(content), err
}
