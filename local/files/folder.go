package files

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// Document is a text of a corpus.
type Document struct {
	ID   string
	Text string
}

// endings of the files that Folder reads.
var endings = []string{".txt", ".md"}

// List names the regular files below a folder in order, by their paths below it. Hidden
// files and links are left out; pipes, sockets and devices are refused.
func List(dir string) ([]string, error) {
	out, _, err := ListLinks(dir)
	return out, err
}

// ListLinks is List, and names the links that are left out.
func ListLinks(dir string) (out, links []string, err error) {
	err = fs.WalkDir(DirFS(dir), ".", func(p string, d fs.DirEntry, err error) error {
		switch {
		case err != nil || d.IsDir() || strings.HasPrefix(d.Name(), "."):
			return err
		case d.Type().IsRegular():
			out = append(out, p)
			return nil
		case d.Type()&fs.ModeSymlink != 0:
			links = append(links, p)
			return nil
		}
		return checkMode(filepath.Join(dir, p), d.Type())
	})
	if err != nil {
		return nil, nil, Unreadable(placeOf(err, dir), err, "check its permissions")
	}
	slices.Sort(out)
	slices.Sort(links)
	return out, links, nil
}

// placeOf is the path that an error of the file system names.
func placeOf(err error, otherwise string) string {
	var p *fs.PathError
	if errors.As(err, &p) && filepath.IsAbs(p.Path) == filepath.IsAbs(otherwise) {
		return p.Path
	}
	return otherwise
}

// textsRemedy is what a folder of texts is.
const textsRemedy = "give a folder of .txt and .md files"

// TextFiles names every .txt and .md file below a folder, by their paths below it and in the order of these.
func TextFiles(dir string) ([]string, error) {
	names, err := List(dir)
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(names, func(name string) bool {
		return !slices.Contains(endings, strings.ToLower(path.Ext(name)))
	}), nil
}

// Folder reads every .txt and .md file below a folder, in the order of their paths. Two
// files with one id are refused.
func Folder(dir string) ([]Document, error) {
	var docs []Document
	err := EachText(dir, func(d Document) error {
		docs = append(docs, d)
		return nil
	})
	return docs, err
}

// EachText hands over what Folder reads, one document after the other.
func EachText(dir string, do func(Document) error) error {
	names, err := TextFiles(dir)
	if err != nil {
		return err
	}
	if len(names) == 0 {
		return &Error{File: dir, Msg: "has no .txt or .md files", Remedy: textsRemedy}
	}

	seen := map[string]string{}
	for _, name := range names {
		file := filepath.Join(dir, filepath.FromSlash(name))
		data, err := Read(file, textsRemedy)
		if err != nil {
			return err
		}

		id := ID(name)
		if other, twice := seen[id]; twice {
			msg := fmt.Sprintf("has the id %q, like %s", id, other)
			return &Error{File: file, Msg: msg, Remedy: "rename one of them"}
		}
		seen[id] = file
		if err := do(Document{ID: id, Text: string(data)}); err != nil {
			return err
		}
	}
	return nil
}
