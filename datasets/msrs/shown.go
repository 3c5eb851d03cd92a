package msrs

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"lore/datasets"
	"lore/local/files"
)

// shownFolder holds, in a folder of imported data, the rankings of what the authors' systems were shown.
const shownFolder = "shown"

// docSep stands between documents in the authors' files.
const docSep = "<doc-sep>"

// Shown is what one of the authors' files says that systems were shown: a list of objects with the Query, and
// what was shown of it as Article, whole documents or beginnings of them with <doc-sep> between, or nothing.
type Shown struct {
	Name  string // of the file
	File  string
	Split string // whose queries it has

	IDs    map[string][]string // documents by query, in order
	Titles map[string]string   // of the story, by query; where nothing was shown but this

	Cut  int // documents of which only the beginning was shown
	Most int // documents of a query
}

// shownRow is what was shown of a query, as the authors write it.
type shownRow struct {
	Query   string `json:"Query"`
	Title   string `json:"Title"`
	Article string `json:"Article"`
}

// errOtherQueries says that a file has none of the queries.
var errOtherQueries = errors.New("has none of these queries")

// readShown reads one of the authors' files; its queries are found by their texts.
func readShown(path string, raw Raw, texts *documentTexts) (Shown, error) {
	name := strings.TrimSuffix(filepath.Base(path), ".json")
	out := Shown{Name: name, File: path, IDs: map[string][]string{}, Titles: map[string]string{}}
	bad := func(place string, err error, format string, args ...any) error {
		return &datasets.InputError{
			File:   path,
			Place:  place,
			Msg:    fmt.Sprintf(format, args...),
			Remedy: `it is a list of {"Query": "...", "Article": "..."}, with the documents of the same domain parted by ` + docSep,
			Err:    err,
		}
	}
	if err := files.CheckID(name); err != nil {
		return out, bad("", err, "cannot name a ranking: %v", err)
	}
	data, err := files.Read(path, "check the path")
	if err != nil {
		return out, err
	}
	var rows []shownRow
	if err := json.Unmarshal(data, &rows); err != nil {
		return out, bad("", err, "is not a list of what was shown: %v", err)
	}

	left := raw.splitOf(rows, &out)
	if left == nil {
		return out, bad("", errOtherQueries, "has none of the queries of these data")
	}
	for i, row := range rows {
		place := fmt.Sprintf("entry %d", i+1)
		ids := left[row.Query]
		if len(ids) == 0 {
			return out, bad(place, nil, "has a query that the split %s has not, or has it once more", out.Split)
		}
		id := ids[0]
		left[row.Query] = ids[1:]
		if err := out.add(id, row, texts); err != nil {
			return out, bad(place, err, "%v", err)
		}
	}
	return out, nil
}

// splitOf finds the split that has the first of the queries, and its rows by the texts of their queries; nil
// where none has.
func (r Raw) splitOf(rows []shownRow, out *Shown) map[string][]string {
	for _, split := range splits {
		left := map[string][]string{}
		for _, q := range r.Queries[split] {
			left[q.Text] = append(left[q.Text], q.ID)
		}
		if len(rows) > 0 && len(left[rows[0].Query]) > 0 {
			out.Split = split
			return left
		}
	}
	return nil
}

// add takes over what was shown of a query.
func (s *Shown) add(id string, row shownRow, texts *documentTexts) error {
	if isBlank(row.Article) {
		if !isBlank(row.Title) {
			s.Titles[id] = strings.TrimSpace(row.Title)
		}
		return nil
	}
	for n, part := range strings.Split(row.Article, docSep) {
		document, whole := texts.find(part)
		switch {
		case document == "":
			return fmt.Errorf("document %d is none of the corpus, and the beginning of none or of several", n+1)
		case slices.Contains(s.IDs[id], document):
			return fmt.Errorf("the document %s is there twice", document)
		case !whole:
			s.Cut++
		}
		s.IDs[id] = append(s.IDs[id], document)
	}
	s.Most = max(s.Most, len(s.IDs[id]))
	return nil
}

// documentTexts finds documents by their texts, whatever white space is between words.
type documentTexts struct {
	whole  map[string]string   // ids by text
	begins map[string][]string // texts by how they begin
}

// beginning is how many bytes of a text tell which documents may begin with it.
const beginning = 60

func newDocumentTexts(docs []datasets.Document) *documentTexts {
	t := &documentTexts{whole: map[string]string{}, begins: map[string][]string{}}
	for _, d := range docs {
		text := oneSpaced(d.Text)
		if _, twice := t.whole[text]; twice {
			continue // the first of equal documents
		}
		t.whole[text] = d.ID
		if len(text) >= beginning {
			t.begins[text[:beginning]] = append(t.begins[text[:beginning]], text)
		}
	}
	return t
}

// find is the document with a text, or the only one that begins with it; empty for none.
func (t *documentTexts) find(part string) (id string, whole bool) {
	part = oneSpaced(part)
	if id, ok := t.whole[part]; ok {
		return id, true
	}
	if len(part) < beginning {
		return "", false
	}
	for _, text := range t.begins[part[:beginning]] {
		if strings.HasPrefix(text, part) {
			if id != "" {
				return "", false
			}
			id = t.whole[text]
		}
	}
	return id, false
}

func oneSpaced(s string) string { return strings.Join(strings.Fields(s), " ") }

// shownFiles are the files of --shown: files, and those of folders, which may be of either domain.
func shownFiles(given []string) (paths []string, inFolder map[string]bool, err error) {
	inFolder = map[string]bool{}
	for _, p := range given {
		isFolder, err := files.IsFolder(p, "give the authors' files of what was shown, or their folder")
		if err != nil {
			return nil, nil, err
		}
		if !isFolder {
			paths = append(paths, p)
			continue
		}
		names, err := files.Below(p)
		if err != nil {
			return nil, nil, err
		}
		for _, name := range names {
			if strings.HasSuffix(name, ".json") {
				path := filepath.Join(p, filepath.FromSlash(name))
				paths, inFolder[path] = append(paths, path), true
			}
		}
	}
	return paths, inFolder, nil
}

// readAllShown reads the files of --shown, and puts the titles that they name with the queries.
func readAllShown(given []string, raw Raw, w datasets.Workshop) ([]Shown, error) {
	paths, inFolder, err := shownFiles(given)
	if err != nil {
		return nil, err
	}
	texts := newDocumentTexts(raw.Documents)
	var out []Shown
	names := map[string]string{}
	for _, path := range paths {
		s, err := readShown(path, raw, texts)
		if errors.Is(err, errOtherQueries) && inFolder[path] {
			w.Note(path + " has none of these queries and is left out")
			continue
		}
		if err != nil {
			return nil, err
		}
		if other, twice := names[s.Name]; twice {
			return nil, &datasets.InputError{
				File:   path,
				Msg:    "has the name of " + other,
				Remedy: "rename one: rankings are named for their files",
			}
		}
		names[s.Name] = path
		raw.title(s)
		out = append(out, s)
	}
	return out, nil
}

// title puts titles with their queries.
func (r Raw) title(s Shown) {
	for i, q := range r.Queries[s.Split] {
		if t := s.Titles[q.ID]; t != "" {
			r.Queries[s.Split][i].Title = t
		}
	}
}

// writeShown writes the ranking of a file for runs, as TREC has it: topic, Q0, document, rank, score, name.
func writeShown(dir string, s Shown) (path string, err error) {
	if len(s.IDs) == 0 {
		return "", nil
	}
	var text bytes.Buffer
	for _, id := range slices.Sorted(maps.Keys(s.IDs)) {
		for n, document := range s.IDs[id] {
			fmt.Fprintf(&text, "%s Q0 %s %d %d %s\n", id, document, n+1, len(s.IDs[id])-n, s.Name)
		}
	}

	folder := filepath.Join(dir, shownFolder)
	if err := files.MkdirAll(folder); err != nil {
		return "", fmt.Errorf("make the folder for rankings: %w", err)
	}
	path = filepath.Join(folder, s.Name+".trec")
	return path, files.WriteFile(path, text.Bytes())
}

// shownGrid says what was read of each file.
func shownGrid(all []Shown) datasets.Grid {
	g := datasets.Grid{
		Title: "What was shown",
		Head:  []string{"file", "split", "queries with documents", "most documents", "cut", "queries with a title"},
		Note:  "cut: documents of which the authors showed the beginning; a run shows them whole, as far as --budget-tokens goes.",
	}
	for _, s := range all {
		g.Rows = append(g.Rows, []string{
			s.Name, s.Split, fmt.Sprint(len(s.IDs)), fmt.Sprint(s.Most), fmt.Sprint(s.Cut), fmt.Sprint(len(s.Titles)),
		})
	}
	return g
}
