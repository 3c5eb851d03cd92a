package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"lore/cmd/lore/internal/table"
	"lore/datasets"
	"lore/datasets/all"
	"lore/index/trec"
	"lore/local/published"
)

// copies makes an answer of the query and of the texts that were found.
type copies struct {
	name string // as docs/gaming.md has it
	make func(query string, found []string) string
}

// inAlphabet are all words of texts, each once.
func inAlphabet(_ string, found []string) string {
	words := strings.Fields(strings.Join(found, " "))
	slices.Sort(words)
	return strings.Join(slices.Compact(words), " ")
}

func together(_ string, found []string) string { return strings.Join(found, "\n") }

// The tables of MSRS and Long²RAG in docs/gaming.md: answers that copy what was found, beside an
// extractive one. A row that is not there fails the test, which prints it.
func TestGamingByCopies(t *testing.T) {
	if testing.Short() {
		t.Skip("-short leaves out what only takes long")
	}
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	doc, err := os.ReadFile(filepath.Join("..", "..", "docs", "gaming.md"))
	if err != nil {
		t.Fatal(err)
	}

	for _, c := range []struct {
		benchmark, retrievers string
		args                  []string
		answers               []copies
		metrics               []string
	}{
		{
			"long2rag", "given", nil,
			[]copies{
				{"all five documents", together},
				{"all their words, in alphabetical order", inAlphabet},
				{"the question, twenty times", func(q string, _ []string) string { return strings.Repeat(q+" ", 20) }},
			},
			[]string{"kpr", "kpp", "kpf", "words"},
		},
		{
			"msrs", "bm25,oracle",
			[]string{published.Path(t, "data/msrs/story"), "--limit", "30"},
			[]copies{
				{"all eight chapters of BM25", together},
				{"the first of them", func(_ string, found []string) string { return found[0] }},
				{"all their words, in alphabetical order", inAlphabet},
				{"the query twelve times", func(q string, _ []string) string { return strings.Repeat(q+" ", 12) }},
			},
			[]string{"relevance", "consistency", "rouge2_f1", "lexical_recall", "words"},
		},
	} {
		dir := t.TempDir()
		var honest, gaming table.Table
		args := append([]string{c.benchmark}, c.args...)
		runInto(t, &honest, dir, append(args, "--retriever", c.retrievers)...)
		first, _, _ := strings.Cut(c.retrievers, ",")
		files := writeCopies(t, load(t, c.benchmark, c.args), filepath.Join(dir, "retrieval", first+".trec"), c.answers)
		runInto(t, &gaming, t.TempDir(), append(args, "--answers", strings.Join(files, ","))...)

		for _, r := range honest.Rows {
			wantRow(t, string(doc), r.Generator+", "+r.Retriever, r, c.metrics)
		}
		for i, r := range gaming.Rows {
			wantRow(t, string(doc), c.answers[i].name, r, c.metrics)
		}
	}
}

func runInto(t *testing.T, rows *table.Table, dir string, args ...string) {
	t.Helper()
	var out, errs bytes.Buffer
	if code := Main(append(append([]string{"run"}, args...), "--out", dir), &out, &errs); code != exitOK {
		t.Fatalf("lore run %v: exit code %d\n%s%s", args, code, out.String(), errs.String())
	}
	if err := readScores(dir, rows); err != nil {
		t.Fatal(err)
	}
}

// load reads a benchmark's data, or its sample.
func load(t *testing.T, benchmark string, args []string) *datasets.Dataset {
	t.Helper()
	entry, ok := all.Find(benchmark)
	if !ok {
		t.Fatal(benchmark)
	}
	paths := args[:min(1, len(args))]
	ds, err := entry.Load(paths)
	if err != nil {
		t.Fatal(err)
	}
	return ds
}

// writeCopies writes a file of answers for each kind of copy.
func writeCopies(t *testing.T, ds *datasets.Dataset, run string, answers []copies) (files []string) {
	t.Helper()
	found, err := trec.ReadRunFile(run)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for n, a := range answers {
		var buf bytes.Buffer
		enc := json.NewEncoder(&buf)
		for _, it := range ds.Items {
			results, ok := found.Topics[it.ID()]
			if !ok {
				continue
			}
			var texts []string
			for _, r := range results[:min(8, len(results))] {
				at, _ := it.Corpus().Place(r.Document)
				texts = append(texts, it.Corpus().Documents[at].Text)
			}
			if err := enc.Encode(map[string]string{"item": it.ID(), "answer": a.make(it.Query().Text, texts)}); err != nil {
				t.Fatal(err)
			}
		}
		path := filepath.Join(dir, fmt.Sprintf("copy%d.jsonl", n))
		if err := os.WriteFile(path, buf.Bytes(), 0o666); err != nil {
			t.Fatal(err)
		}
		files = append(files, path)
	}
	return files
}

// wantRow checks that the document has a row's figures.
func wantRow(t *testing.T, doc, name string, r table.Row, metrics []string) {
	t.Helper()
	row := "| " + name
	for _, m := range metrics {
		f, ok := r.Figure(m)
		switch {
		case !ok || f.Value == nil:
			t.Fatalf("%s has no %s", name, m)
		case m == "words":
			row += fmt.Sprintf(" | %.0f", *f.Value)
		default:
			row += fmt.Sprintf(" | %.1f", 100**f.Value)
		}
	}
	if row += " |"; !strings.Contains(doc, row+"\n") {
		t.Errorf("docs/gaming.md lacks the row\n%s", row)
	}
}
