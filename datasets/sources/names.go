package sources

import (
	"fmt"
	"slices"
	"strings"

	"lore/datasets"
	"lore/local/files"
	"lore/local/text"
)

// ids are those of the documents.
func (r *Reading) ids() []string {
	var out []string
	for _, d := range r.Documents {
		out = append(out, d.ID)
	}
	return out
}

// IDOf is the id of the document that people mean by a name: an id, or the name of a file with or without
// its ending, of which ids are made. ok is false where there is no such document.
func (r *Reading) IDOf(name string) (id string, ok bool) {
	for _, id := range []string{name, files.OneWord(name), files.ID(name)} {
		if slices.ContainsFunc(r.Documents, func(d datasets.Document) bool { return d.ID == id }) {
			return id, true
		}
	}
	return "", false
}

// Meant says what may be meant by the name of a document that is not there: a file that was left out, or the
// document of the nearest name; and how ids are made of the names of files.
func (r *Reading) Meant(name string) string {
	const rule = "an id is a file's path below --docs without its ending, with underscores for spaces, such as %q"
	for _, l := range r.LeftOut {
		if file, _, _ := strings.Cut(l.Place, " (like "); file == name || files.ID(file) == files.OneWord(name) {
			return fmt.Sprintf("the file %s was left out: it %s", l.Place, l.Reason)
		}
	}

	ids := r.ids()
	rest := fmt.Sprintf(rule, ids[0])
	if near := text.Nearest(files.OneWord(name), ids); near != "" {
		return fmt.Sprintf("did you mean %q? %s", near, rest)
	}

	// People leave out the folder.
	for _, id := range ids {
		if strings.HasSuffix(id, "/"+files.OneWord(name)) || strings.HasSuffix(id, "/"+files.ID(name)) {
			return fmt.Sprintf("did you mean %q? %s", id, rest)
		}
	}
	return rest
}
