package files

import (
	"fmt"
	"io/fs"
	"os"
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

// ID is the id of a file by its path below the folder that was given: without its ending,
// with slashes between folders, and with white space as underscores, so that it can stand
// in a run file.
func ID(file string) string {
	return strings.Join(strings.Fields(strings.TrimSuffix(file, path.Ext(file))), "_")
}

// List names the regular files below a folder in order, by their paths below it. Hidden
// files are left out.
func List(dir string) ([]string, error) {
	var out []string
	err := fs.WalkDir(os.DirFS(dir), ".", func(p string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() && !strings.HasPrefix(d.Name(), ".") {
			out = append(out, p)
		}
		return err
	})
	if err != nil {
		return nil, Unreadable(dir, err, "check its permissions")
	}
	slices.Sort(out)
	return out, nil
}

// Folder reads every .txt and .md file below a folder, in the order of their paths. Two
// files with one id are refused.
func Folder(dir string) ([]Document, error) {
	const remedy = "give a folder of .txt and .md files"
	names, err := List(dir)
	if err != nil {
		return nil, err
	}

	var docs []Document
	seen := map[string]string{}
	for _, name := range names {
		if !slices.Contains(endings, strings.ToLower(path.Ext(name))) {
			continue
		}
		file := filepath.Join(dir, filepath.FromSlash(name))
		data, err := Read(file, remedy)
		if err != nil {
			return nil, err
		}

		id := ID(name)
		if other, twice := seen[id]; twice {
			msg := fmt.Sprintf("has the id %q, like %s", id, other)
			return nil, &Error{File: file, Msg: msg, Remedy: "rename one of them"}
		}
		seen[id] = file
		docs = append(docs, Document{ID: id, Text: string(data)})
	}
	if len(docs) == 0 {
		return nil, &Error{File: dir, Msg: "has no .txt or .md files", Remedy: remedy}
	}
	return docs, nil
}
