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
	files *regexp.Regexp // a group, if there is one, is the number of a slide

	text       map[string]bool // elements whose characters are text; nil: those of all elements
	paragraphs map[string]bool // elements that end a paragraph
	spaces     map[string]bool // elements that stand for a space or a line end
	skipped    map[string]bool // elements whose content is not read
}

var (
	word = part{
		files:      regexp.MustCompile(`^word/(?:document|endnotes|footnotes)\.xml$`),
		text:       map[string]bool{"t": true},
		paragraphs: map[string]bool{"p": true},
		spaces:     map[string]bool{"tab": true, "br": true, "cr": true},
		skipped:    map[string]bool{"del": true, "Fallback": true}, // what was deleted, and what stands there twice
	}
	slides = part{
		files:      regexp.MustCompile(`^ppt/slides/slide(\d+)\.xml$`),
		text:       map[string]bool{"t": true},
		paragraphs: map[string]bool{"p": true},
		spaces:     map[string]bool{"tab": true, "br": true},
		skipped:    map[string]bool{"Fallback": true},
	}
	openDocument = part{
		files:      regexp.MustCompile(`^content\.xml$`),
		paragraphs: map[string]bool{"p": true, "h": true},
		spaces:     map[string]bool{"s": true, "tab": true, "line-break": true},
		skipped:    map[string]bool{"tracked-changes": true, "annotation": true, "scripts": true},
	}
)

// mostUnpacked is the most of an archive that is read: a small file can hold very much.
const mostUnpacked = 4 * MostBytes

// readOffice reads an office file.
func readOffice(p part) reader {
	return func(ctx context.Context, file string, _ Options) (string, error) {
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

		var b strings.Builder
		left := int64(mostUnpacked)
		for _, member := range list {
			if ctx.Err() != nil {
				return "", context.Cause(ctx)
			}
			if err := p.read(member, &b, &left); err != nil {
				return "", broken(fmt.Sprintf("has a part %s that cannot be read: %v", member.Name, err), err)
			}
		}
		return extracted(b.String())
	}
}

// of lists the files of an archive that hold text: slides in the order of their numbers.
func (p part) of(archive *zip.Reader) []*zip.File {
	number := func(f *zip.File) int {
		n, _ := strconv.Atoi(strings.Trim(path.Base(f.Name), "abcdefghijklmnopqrstuvwxyz.")) // 0 without a number
		return n
	}
	list := slices.DeleteFunc(slices.Clone(archive.File), func(f *zip.File) bool { return !p.files.MatchString(f.Name) })
	slices.SortFunc(list, func(a, b *zip.File) int {
		return cmp.Or(cmp.Compare(number(a), number(b)), cmp.Compare(a.Name, b.Name))
	})
	return list
}

var errUnpacked = errors.New("it is too large when it is unpacked")

// read writes the text of a member. left is how much may still be unpacked.
func (p part) read(member *zip.File, b *strings.Builder, left *int64) error {
	r, err := member.Open()
	if err != nil {
		return err
	}
	defer r.Close()
	limited := &io.LimitedReader{R: r, N: *left}
	defer func() { *left = limited.N }()

	dec := xml.NewDecoder(limited)
	inside, within := 0, 0 // elements of text, and of what is skipped, that are open
	for {
		token, err := dec.Token()
		switch {
		case limited.N <= 0:
			return errUnpacked
		case err == io.EOF:
			b.WriteString("\n\n")
			return nil
		case err != nil:
			return err
		}

		switch t := token.(type) {
		case xml.StartElement:
			name := t.Name.Local
			switch {
			case p.skipped[name]:
				within++
			case p.text[name]:
				inside++
			case p.spaces[name] && within == 0:
				b.WriteByte(' ')
			}
		case xml.EndElement:
			name := t.Name.Local
			switch {
			case p.skipped[name]:
				within--
			case p.text[name]:
				inside--
			case p.paragraphs[name] && within == 0:
				b.WriteString("\n\n")
			}
		case xml.CharData:
			if within == 0 && (inside > 0 || p.text == nil) {
				b.Write(t)
			}
		}
	}
}
