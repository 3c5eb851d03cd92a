package msrs

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"lore/datasets"
)

// ErrNoSplit says that data has no queries of a split.
var ErrNoSplit = errors.New("no queries of the split")

var splits = []string{"test", "dev", "train"}

// defaultK are the paper's numbers of documents (section 4).
var defaultK = map[string]int{"story": 8, "meeting": 3}

// set is what the items of a dataset share.
type set struct {
	domain, split string
	k             int
	corpus        *datasets.Corpus
	place         map[string]int // of a document in the corpus
	scorer        *Scorer
}

// Load reads one folder: the published layout, documents/*.txt beside
// queries_{train,dev,test}.json, or lore's own, made by `lore data import`.
func (b Benchmark) Load(paths []string) (*datasets.Dataset, error) {
	if len(paths) == 0 {
		return b.loadSample()
	}
	if len(paths) > 1 {
		return nil, &datasets.InputError{File: paths[1], Msg: "is a second folder", Remedy: "run one domain at a time: its folder holds documents/ and queries_test.json"}
	}
	return b.load(os.DirFS(paths[0]), paths[0])
}

func (b Benchmark) load(dir fs.FS, name string) (*datasets.Dataset, error) {
	split := b.Split
	if split == "" {
		split = "test"
	}
	var raw Raw
	var err error
	if _, statErr := fs.Stat(dir, OwnFile); statErr == nil {
		raw, err = readOwn(dir, name)
	} else {
		raw, err = ReadPublished(dir, name, split)
	}
	if err != nil {
		return nil, err
	}
	queries := raw.Queries[split]
	if len(queries) == 0 {
		return nil, &datasets.InputError{File: name, Msg: "has no queries of the split " + split, Remedy: "choose another with --split", Err: ErrNoSplit}
	}
	domain := b.Domain
	if domain == "" {
		domain = raw.Domain
	}
	if domain == "" {
		return nil, &datasets.InputError{File: name, Msg: "does not say which domain it is", Remedy: "give --domain story or --domain meeting"}
	}
	s := &set{domain: domain, split: split, k: b.K, corpus: &datasets.Corpus{ID: domain, Documents: raw.Documents}, place: map[string]int{}, scorer: NewScorer(queries)}
	if s.k == 0 {
		s.k = defaultK[domain]
	}
	for i, d := range raw.Documents {
		s.place[d.ID] = i
	}
	ds := &datasets.Dataset{Corpora: []*datasets.Corpus{s.corpus}, Hash: raw.Hash(split), Files: raw.Files}
	lost := map[string][]string{}
	for i := range queries {
		it := &item{set: s, query: queries[i]}
		if strings.ContainsAny(it.query.ID, " \t\n") {
			return nil, &datasets.InputError{File: name, Place: "row " + it.query.ID, Msg: "has white space in its name", Remedy: "rename the row: run files are split at white space"}
		}
		for _, g := range it.query.Gold {
			if _, ok := s.place[g]; ok {
				it.gold = append(it.gold, g)
			} else {
				lost[g] = append(lost[g], it.query.ID)
			}
		}
		ds.Items = append(ds.Items, it)
	}
	for _, g := range sortedKeys(lost) {
		ds.Warnings = append(ds.Warnings, fmt.Sprintf("%s: the gold document %s of %d queries (rows %s) is not in the corpus and is left out of their gold", name, g, len(lost[g]), strings.Join(lost[g], ", ")))
	}
	return ds, nil
}

func sortedKeys[V any](m map[string]V) []string {
	var out []string
	for k := range m {
		out = append(out, k)
	}
	slices.Sort(out)
	return out
}

// Raw is a domain's data as read.
type Raw struct {
	Domain    string
	Documents []datasets.Document
	Queries   map[string][]Query // by split
	Files     []string
}

// Hash identifies documents and the queries of a split.
func (r Raw) Hash(split string) string {
	var parts [][]byte
	for _, d := range r.Documents {
		parts = append(parts, []byte(d.ID), []byte(d.Text))
	}
	data, err := json.Marshal(r.Queries[split])
	if err != nil {
		panic(err) // plain strings
	}
	return datasets.HashFiles(append(parts, data)...)
}

// ReadPublished reads the published layout; no splits means those that are there.
// A document's id is its file's name before the first dot.
func ReadPublished(dir fs.FS, name string, wanted ...string) (Raw, error) {
	raw := Raw{Queries: map[string][]Query{}}
	if base := filepath.Base(filepath.Clean(name)); slices.Contains(Domains, base) {
		raw.Domain = base
	}
	entries, err := fs.ReadDir(dir, "documents")
	if err != nil {
		return raw, &datasets.InputError{File: filepath.Join(name, "documents"), Msg: "cannot be read: " + datasets.Cause(err), Remedy: "give the folder of a domain: it holds documents/*.txt and queries_test.json", Err: err}
	}
	files := map[string]string{}
	for _, e := range entries {
		if e.IsDir() || !strings.HasSuffix(e.Name(), ".txt") {
			continue
		}
		data, err := fs.ReadFile(dir, "documents/"+e.Name())
		file := filepath.Join(name, "documents", e.Name())
		if err != nil {
			return raw, &datasets.InputError{File: file, Msg: "cannot be read: " + datasets.Cause(err), Remedy: "check its permissions", Err: err}
		}
		id, _, _ := strings.Cut(e.Name(), ".")
		if other, ok := files[id]; ok {
			return raw, &datasets.InputError{File: file, Msg: fmt.Sprintf("has the id %q, as %s has", id, other), Remedy: "rename one: a document's id is its file's name before the first dot"}
		}
		files[id] = e.Name()
		if data = bytes.TrimPrefix(data, []byte("\xef\xbb\xbf")); !utf8.Valid(data) {
			return raw, datasets.NotUTF8(file)
		}
		raw.Documents = append(raw.Documents, datasets.Document{ID: id, Text: string(data)})
	}
	if len(raw.Documents) == 0 {
		return raw, &datasets.InputError{File: filepath.Join(name, "documents"), Msg: "holds no .txt files", Remedy: "give the folder of a domain: it holds documents/*.txt and queries_test.json"}
	}
	raw.Files = []string{filepath.Join(name, "documents")}
	if len(wanted) == 0 {
		wanted = splits
	}
	for _, split := range wanted {
		file := "queries_" + split + ".json"
		data, err := fs.ReadFile(dir, file)
		if errors.Is(err, fs.ErrNotExist) && len(wanted) > 1 {
			continue
		}
		path := filepath.Join(name, file)
		if err != nil {
			return raw, &datasets.InputError{File: path, Msg: "cannot be read: " + datasets.Cause(err), Remedy: "choose a split that is there with --split", Err: err}
		}
		if raw.Queries[split], err = ParseQueries(path, bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))); err != nil {
			return raw, err
		}
		raw.Files = append(raw.Files, path)
	}
	return raw, nil
}

// OwnFile marks a folder in lore's own layout, with documents.jsonl and
// queries.jsonl beside it.
const OwnFile = "msrs.json"

// own is the content of OwnFile.
type own struct {
	Format    int            `json:"format"`
	Domain    string         `json:"domain"`
	Documents int            `json:"documents"`
	Queries   map[string]int `json:"queries"` // by split
	Source    string         `json:"source"`
	SHA256    string         `json:"sha256"` // of documents and queries
}

type ownDocument struct {
	ID   string `json:"id"`
	Text string `json:"text"`
}

type ownQuery struct {
	ID         string   `json:"id"`
	Split      string   `json:"split"`
	Query      string   `json:"query"`
	Gold       []string `json:"gold_documents"`
	References []string `json:"references"`
}

// readOwn reads lore's layout and checks it against its counts and hash.
func readOwn(dir fs.FS, name string) (Raw, error) {
	raw := Raw{Queries: map[string][]Query{}, Files: []string{filepath.Join(name, OwnFile)}}
	var head own
	data, err := fs.ReadFile(dir, OwnFile)
	if err == nil {
		err = json.Unmarshal(data, &head)
	}
	if err != nil || head.Format != 1 {
		return raw, &datasets.InputError{File: filepath.Join(name, OwnFile), Msg: "is no description of imported data", Remedy: "import the data again: lore data import msrs DIR", Err: err}
	}
	raw.Domain = head.Domain
	seen := map[string]bool{}
	err = eachLine(dir, name, "documents.jsonl", func(where string, line []byte) error {
		var d ownDocument
		if err := json.Unmarshal(line, &d); err != nil || d.ID == "" {
			return &datasets.InputError{File: filepath.Join(name, "documents.jsonl"), Place: where, Msg: "is no document with id and text", Remedy: "import the data again", Err: err}
		}
		if seen[d.ID] {
			return &datasets.InputError{File: filepath.Join(name, "documents.jsonl"), Place: where, Msg: fmt.Sprintf("repeats the id %q", d.ID), Remedy: "ids are unique"}
		}
		seen[d.ID] = true
		raw.Documents = append(raw.Documents, datasets.Document{ID: d.ID, Text: d.Text})
		return nil
	})
	if err != nil {
		return raw, err
	}
	err = eachLine(dir, name, "queries.jsonl", func(where string, line []byte) error {
		var q ownQuery
		file := filepath.Join(name, "queries.jsonl")
		if err := json.Unmarshal(line, &q); err != nil || q.ID == "" || q.Query == "" || len(q.References) == 0 {
			return &datasets.InputError{File: file, Place: where, Msg: "is no query with id, split, query, gold_documents and references", Remedy: "see docs/msrs.md for the format", Err: err}
		}
		if seen[q.Split+"\x00"+q.ID] {
			return &datasets.InputError{File: file, Place: where, Msg: fmt.Sprintf("repeats the query %q", q.ID), Remedy: "ids are unique in a split"}
		}
		seen[q.Split+"\x00"+q.ID] = true
		raw.Queries[q.Split] = append(raw.Queries[q.Split], Query{ID: q.ID, Text: q.Query, Gold: q.Gold, References: q.References})
		return nil
	})
	if err != nil {
		return raw, err
	}
	if sum := raw.fullHash(); sum != head.SHA256 || len(raw.Documents) != head.Documents {
		return raw, &datasets.InputError{File: filepath.Join(name, OwnFile), Msg: fmt.Sprintf("describes %d documents with the hash %.12s…, the folder holds %d with %.12s…", head.Documents, head.SHA256, len(raw.Documents), sum),
			Remedy: "the files were changed after the import: import the data again"}
	}
	return raw, nil
}

func (r Raw) fullHash() string {
	var all []byte
	for _, s := range splits {
		all = append(all, r.Hash(s)...)
	}
	return datasets.HashFiles(all)
}

// eachLine reads a file of imported data line by line.
func eachLine(dir fs.FS, name, file string, do func(where string, line []byte) error) error {
	data, err := fs.ReadFile(dir, file)
	if err != nil {
		return &datasets.InputError{File: filepath.Join(name, file), Msg: "cannot be read: " + datasets.Cause(err), Remedy: "import the data again: lore data import msrs DIR", Err: err}
	}
	return datasets.EachLine(data, do)
}

// Write writes raw data in lore's own layout: the description last, so that a
// folder with it is whole.
func Write(dir string, raw Raw, source string) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return fmt.Errorf("make the folder for the data: %w", err)
	}
	var docs, queries bytes.Buffer
	head := own{Format: 1, Domain: raw.Domain, Documents: len(raw.Documents), Queries: map[string]int{}, Source: source, SHA256: raw.fullHash()}
	for _, d := range raw.Documents {
		if err := encodeLine(&docs, ownDocument{d.ID, d.Text}); err != nil {
			return err
		}
	}
	for _, split := range splits {
		if n := len(raw.Queries[split]); n > 0 {
			head.Queries[split] = n
		}
		for _, q := range raw.Queries[split] {
			if err := encodeLine(&queries, ownQuery{q.ID, split, q.Text, q.Gold, q.References}); err != nil {
				return err
			}
		}
	}
	data, err := json.MarshalIndent(head, "", " ")
	if err != nil {
		return fmt.Errorf("describe the data: %w", err)
	}
	for _, f := range []struct {
		name string
		data []byte
	}{{"documents.jsonl", docs.Bytes()}, {"queries.jsonl", queries.Bytes()}, {OwnFile, append(data, '\n')}} {
		if err := os.WriteFile(filepath.Join(dir, f.name), f.data, 0o666); err != nil {
			return fmt.Errorf("write the data: %w", err)
		}
	}
	return nil
}

func encodeLine(b *bytes.Buffer, v any) error {
	enc := json.NewEncoder(b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return fmt.Errorf("encode a line: %w", err)
	}
	return nil
}

// released are the sizes of the released data.
var released = map[string]struct {
	documents int
	queries   map[string]int
}{
	"story":   {1138, map[string]int{"test": 260, "dev": 125, "train": 250}},
	"meeting": {231, map[string]int{"test": 131, "dev": 44, "train": 261}},
}

// CheckCounts says where data differs from the released sizes.
func CheckCounts(ds *datasets.Dataset, split string) []string {
	s := ds.Items[0].(*item).set
	want := released[s.domain]
	var out []string
	if n := len(s.corpus.Documents); n != want.documents {
		out = append(out, fmt.Sprintf("the published %s data has %d documents, this has %d", s.domain, want.documents, n))
	}
	if n, known := want.queries[split]; known && n != len(ds.Items) {
		out = append(out, fmt.Sprintf("the published %s data has %d %s queries, this has %d", s.domain, n, split, len(ds.Items)))
	}
	return out
}
