package msrs

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"lore/datasets"
	"lore/local/files"
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
	oracleWords   int // of all gold documents together; 0: no limit
	fullTokens    int // of each document of the whole corpus; 0: no limit
	corpus        *datasets.Corpus
	scorer        *Scorer
	frequencies   frequencies
}

// Load reads one folder: the published layout, documents/*.txt beside
// queries_{train,dev,test}.json, or lore's own, made by `lore data import`. It may lie below the
// folder that is given, and be named by its file of queries.
func (b Benchmark) Load(paths []string) (*datasets.Dataset, error) {
	if len(paths) == 0 {
		return b.loadSample()
	}
	if len(paths) > 1 {
		return nil, &datasets.InputError{
			File:   paths[1],
			Msg:    "is a second folder",
			Remedy: "run one domain at a time: its folder holds documents/ and queries_test.json",
		}
	}
	folder, split, err := locate(paths[0], b.Domain, "lore run msrs")
	if err != nil {
		return nil, err
	}
	if split != "" && b.Split != "" && split != b.Split {
		return nil, &datasets.InputError{
			File:   paths[0],
			Msg:    fmt.Sprintf("holds the queries of the split %s, not of %s", split, b.Split),
			Remedy: "leave --split out, or give the folder",
		}
	}
	b.Split = cmp.Or(b.Split, split)
	return b.load(files.DirFS(folder), folder)
}

func (b Benchmark) load(dir fs.FS, name string) (*datasets.Dataset, error) {
	split := b.Split
	if split == "" {
		split = "test"
	}
	raw, err := read(dir, name, split)
	if err != nil {
		return nil, err
	}

	var chosen []string
	if only := raw.onlySplit(); b.Split == "" && only != "" && only != split {
		split = only
		chosen = []string{fmt.Sprintf("%s: has queries of the split %s alone, which are used", name, only)}
	}
	if b.Wording == wordingOriginal {
		if err := raw.reword(name, split); err != nil {
			return nil, err
		}
	}
	queries := raw.Queries[split]
	if len(queries) == 0 {
		return nil, &datasets.InputError{
			File:   name,
			Msg:    "has no queries of the split " + split,
			Remedy: "choose another with --split",
			Err:    ErrNoSplit,
		}
	}

	s := &set{split: split, k: b.K, scorer: NewScorer(queries)}
	if s.domain, err = chosenDomain(name, raw.Domain, b.Domain); err != nil {
		return nil, err
	}
	if s.k == 0 {
		s.k = defaultK[s.domain]
	}
	s.oracleWords, s.fullTokens = b.OracleWords, b.FullTokens
	if s.domain == "meeting" {
		s.oracleWords = cmp.Or(s.oracleWords, OracleWords)
		s.fullTokens = cmp.Or(s.fullTokens, FullTokens)
	}
	s.corpus = &datasets.Corpus{ID: s.domain, Documents: raw.Documents}

	ds := &datasets.Dataset{Corpora: []*datasets.Corpus{s.corpus}, Hash: raw.Hash(split), Files: raw.Files}
	blank, err := files.CheckTexts(name, raw.Documents)
	if err != nil {
		return nil, err
	}
	ds.Texts = map[string]string{"story": "stories", "meeting": "meetings"}[s.domain]
	ds.Items, ds.Warnings, err = s.items(name, queries)
	ds.Warnings = slices.Concat(chosen, s.doubts(name, b.Domain, queries), blank, ds.Warnings)
	return ds, err
}

// reword puts the queries of a split as they were before they were rewritten in their place.
func (r Raw) reword(name, split string) error {
	queries := slices.Clone(r.Queries[split])
	for i, q := range queries {
		if isBlank(q.Original) {
			return &datasets.InputError{
				File:   name,
				Place:  "row " + q.ID,
				Msg:    "has no original query",
				Remedy: "leave --wording original out: published stories alone have a squality_query",
			}
		}
		queries[i].Text = q.Original
	}
	r.Queries[split] = queries
	return nil
}

// onlySplit is the only split of which there are queries; empty where there are several, or none.
func (r Raw) onlySplit() string {
	only := ""
	for _, split := range splits {
		switch {
		case len(r.Queries[split]) == 0:
		case only != "":
			return ""
		default:
			only = split
		}
	}
	return only
}

// read reads a folder in lore's own layout, or in the published one.
func read(dir fs.FS, name, split string) (Raw, error) {
	if _, err := fs.Stat(dir, OwnFile); err == nil {
		return readOwn(dir, name)
	}
	return ReadPublished(dir, name, split)
}

// items are those of the queries. Gold documents that are not in the corpus are left out
// of the gold, which a warning says.
func (s *set) items(name string, queries []Query) (items []datasets.Item, warnings []string, err error) {
	lost := map[string][]string{} // rows by the gold document that they lack
	var bare []Query              // that have no gold document
	for _, q := range queries {
		if err := files.CheckID(q.ID); err != nil {
			return nil, nil, &datasets.InputError{
				File:   name,
				Place:  "row " + q.ID,
				Msg:    err.Error(),
				Remedy: "rename the row: run files are split at white space",
			}
		}

		if i := slices.IndexFunc(q.References, isBlank); i >= 0 {
			return nil, nil, &datasets.InputError{
				File:   name,
				Place:  "row " + q.ID,
				Msg:    fmt.Sprintf("has no text in reference %d of %d", i+1, len(q.References)),
				Remedy: "take it out: every answer would score 0 against it",
			}
		}

		it := &item{set: s, query: q}
		for _, g := range q.Gold {
			if s.corpus.Has(g) {
				it.gold = append(it.gold, g)
			} else {
				lost[g] = append(lost[g], q.ID)
			}
		}
		if len(it.gold) == 0 {
			bare = append(bare, q)
		}
		items = append(items, it)
	}

	for _, said := range []string{s.sayLost(lost), sayBare(bare, len(queries))} {
		if said != "" {
			warnings = append(warnings, name+": "+said)
		}
	}
	return items, warnings, nil
}

func isBlank(s string) bool { return strings.TrimSpace(s) == "" }

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

	asked := slices.Clone(r.Queries[split])
	for i := range asked {
		asked[i].Original = "" // it is asked by nobody, unless it stands in the place of the query
	}
	data, err := json.Marshal(asked)
	if err != nil {
		panic(err) // plain strings
	}
	return datasets.HashFiles(append(parts, data)...)
}
