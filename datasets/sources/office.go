package sources

import (
	"archive/zip"
	"cmp"
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"lore/local/files"
)

// Office files are zip archives of XML (ECMA-376, ISO/IEC 26300). Only running text is taken: the
// libraries that also read styles and pictures are under licences that a binary like this cannot carry,
// or are not kept any more.

// part says which files of an archive hold text, in the order of reading, and how they are marked up.
type part struct {
	files *regexp.Regexp // with the number of a slide in its name, if it is one
	notes string         // ends the type of a relation to a speaker's notes; empty: there are none

	text       map[string]bool   // elements whose characters are text; nil: those of all elements
	paragraphs map[string]bool   // elements that end a paragraph
	signs      map[string]string // elements that stand for a sign, such as a space
	skipped    map[string]bool   // elements whose content is not read

	row, cell string // elements of tables
	marked    bool   // headings get the marks of Markdown
}

var (
	word = part{
		files:      regexp.MustCompile(`^word/(?:document|endnotes|footnotes)\.xml$`),
		text:       set("t"),
		paragraphs: set("p"),
		signs:      map[string]string{"tab": " ", "br": " ", "cr": " ", "noBreakHyphen": "-"},
		// What was deleted, where something was before it was moved, and what stands there twice.
		skipped: set("del", "moveFrom", "Fallback"),
		row:     "tr",
		cell:    "tc",
	}
	slides = part{
		files:      regexp.MustCompile(`^ppt/slides/slide(\d+)\.xml$`),
		notes:      "/notesSlide",
		text:       set("t"),
		paragraphs: set("p"),
		signs:      map[string]string{"tab": " ", "br": " "},
		skipped:    set("Fallback"),
		row:        "tr",
		cell:       "tc",
	}
	openDocument = part{
		files:      regexp.MustCompile(`^content\.xml$`),
		paragraphs: set("p", "h"),
		signs:      map[string]string{"s": " ", "tab": " ", "line-break": " "},
		skipped: set("tracked-changes", "annotation", "scripts", "ruby-text",
			"number-style", "currency-style", "percentage-style", "date-style", "time-style", "boolean-style", "text-style"),
		row:  "table-row",
		cell: "table-cell",
	}
)

// mostUnpacked is the most of an archive that is read: a small file can hold very much.
const mostUnpacked = 4 * MostBytes

// readOffice reads an office file.
func readOffice(p part) reader {
	return func(ctx context.Context, file string, o Options) (string, error) {
		p := p
		p.marked = o.Headings
		broken := func(msg string, err error) error {
			return &files.Error{File: file, Msg: msg, Remedy: "open it in its program and save it again, or save it as text", Err: err}
		}
		f, err := files.Open(file)
		if err != nil {
			return "", files.Unreadable(file, err, "check its permissions")
		}
		defer f.Close()
		info, err := f.Stat()
		if err != nil {
			return "", files.Unreadable(file, err, "check its permissions")
		}

		archive, err := zip.NewReader(f, info.Size())
		if err != nil {
			return "", broken("is not an office file, or is locked by a password", err)
		}
		list := p.of(archive)
		if len(list) == 0 {
			return "", broken("is not an office file of the kind its name says", nil)
		}

		var text flow
		left := int64(mostUnpacked)
		for _, member := range list {
			if ctx.Err() != nil {
				return "", context.Cause(ctx)
			}
			if err := p.read(member, &text, &left); err != nil {
				return "", broken(fmt.Sprintf("has a part %s that cannot be read: %v", member.Name, err), err)
			}
		}
		return extracted(text.text())
	}
}

// of lists the files of an archive that hold text: slides in the order of their numbers, each with its notes.
func (p part) of(archive *zip.Reader) []*zip.File {
	number := func(f *zip.File) int {
		n, _ := strconv.Atoi(strings.Trim(path.Base(f.Name), "abcdefghijklmnopqrstuvwxyz.")) // 0 without a number
		return n
	}
	list := slices.DeleteFunc(slices.Clone(archive.File), func(f *zip.File) bool { return !p.files.MatchString(f.Name) })
	slices.SortFunc(list, func(a, b *zip.File) int {
		return cmp.Or(cmp.Compare(number(a), number(b)), cmp.Compare(a.Name, b.Name))
	})
	if p.notes == "" {
		return list
	}

	var out []*zip.File
	for _, f := range list {
		out = append(out, f)
		if notes := related(archive, f.Name, p.notes); notes != nil {
			out = append(out, notes)
		}
	}
	return out
}

// mostRelations is the most of a list of relations that is read.
const mostRelations = 1 << 20

// related is the file that another has a relation to, by how the relation's type ends; nil for none.
func related(archive *zip.Reader, name, kind string) *zip.File {
	r, err := archive.Open(path.Join(path.Dir(name), "_rels", path.Base(name)+".rels"))
	if err != nil {
		return nil
	}
	defer r.Close()

	var list struct {
		Relations []struct {
			Type   string `xml:"Type,attr"`
			Target string `xml:"Target,attr"`
		} `xml:"Relationship"`
	}
	if err := xml.NewDecoder(io.LimitReader(r, mostRelations)).Decode(&list); err != nil {
		return nil
	}
	for _, one := range list.Relations {
		if !strings.HasSuffix(one.Type, kind) {
			continue
		}
		target := strings.TrimPrefix(one.Target, "/")
		if target == one.Target {
			target = path.Join(path.Dir(name), one.Target)
		}
		if i := slices.IndexFunc(archive.File, func(f *zip.File) bool { return f.Name == target }); i >= 0 {
			return archive.File[i]
		}
	}
	return nil
}

var errUnpacked = errors.New("it is too large when it is unpacked")

// read takes in the text of a member. left is how much may still be unpacked.
func (p part) read(member *zip.File, to *flow, left *int64) error {
	r, err := member.Open()
	if err != nil {
		return err
	}
	defer r.Close()
	limited := &io.LimitedReader{R: r, N: *left}
	defer func() { *left = limited.N }()

	dec := xml.NewDecoder(limited)
	w := &walk{part: p, to: to, styles: map[string]bool{}}
	for {
		token, err := dec.Token()
		switch {
		case limited.N <= 0:
			return errUnpacked
		case err == io.EOF:
			to.paragraph()
			return nil
		case err != nil:
			return err
		}

		switch t := token.(type) {
		case xml.StartElement:
			w.begin(t)
		case xml.EndElement:
			w.end(t.Name.Local)
		case xml.CharData:
			w.characters(string(t))
		}
	}
}
