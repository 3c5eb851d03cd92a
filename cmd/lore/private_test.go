package main

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"lore/embed/testmodel"
	"lore/local/ollama/ollamatest"
)

// Nothing that any verb writes can be read by group or others, under the usual umask, and
// files that were readable are not so once they are written again.
func TestNobodyElseMayReadWhatLoreWrites(t *testing.T) {
	old := syscall.Umask(0)
	defer syscall.Umask(old)
	examples, err := filepath.Abs("../../docs/examples")
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	cache, err := filepath.Abs("cache")
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("XDG_CACHE_HOME", cache)
	server := &ollamatest.Server{Slots: 4, Answer: careful, Names: []string{"careful"}, Logprobs: true}
	t.Setenv("OLLAMA_HOST", server.Start(t).URL)
	if err := os.CopyFS("examples", os.DirFS(examples)); err != nil {
		t.Fatal(err)
	}
	if err := testmodel.Write("encoder", testmodel.BERT); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile("older.trec", nil, 0o666); err != nil { // a test's own, to be replaced
		t.Fatal(err)
	}

	for _, line := range []string{
		"run summhay --retriever bm25,dense:encoder --generator extractive,ollama:careful --judge lexical --limit 1 --budget-tokens 1000 --out run",
		"report run --html page.html",
		"report run --error-sheet sheet.csv",
		"retrieve examples/corpus.jsonl examples/queries.tsv --retriever bm25 --out older.trec",
		"retrieve --bench summhay --retriever bm25 --out bench.trec --qrels qrels.txt",
		"build msrs --domain meeting --docs examples/meetings --queries examples/meeting_queries.jsonl --threshold 0.1 --out meetings",
		"build summhay --docs examples/town --model ollama:careful --subtopics 6 --insights 5 --documents 40 --words 300 --repeat 5 " +
			"--export-validation 3 --slots 4 --out town",
		"build long2rag --questions examples/questions.txt --docs examples/town --model ollama:careful --out mine",
		"build long2rag sheets mine --raters 2 --shared 1 --out sheets",
		"data import long2rag examples/published.json --map question=query,documents.text=content --out imported.jsonl",
	} {
		var out bytes.Buffer
		if code := Main(strings.Fields(line), &out, &out); code != exitOK {
			t.Errorf("%s: exit code %d: %s", line, code, out.String())
		}
	}

	seen := map[string]bool{}
	err = filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && slices.Contains(given, path) {
			return filepath.SkipDir
		}
		seen[path] = true
		info, err := d.Info()
		if err == nil && path != "." && info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s has the mode %v", path, info.Mode())
		}
		return err
	})
	for _, name := range []string{"run/manifest.json", "run/calls/journal.jsonl", "run/retrieval/bm25.trec", "page.html", "sheet.csv",
		"older.trec", "bench.trec", "qrels.txt", "cache/lore/index", "mine/build-log.jsonl", "town/town.json", "imported.jsonl", "meetings/dataset.json"} {
		if !seen[name] {
			t.Errorf("%s was not written: the test proves less", name)
		}
	}
	if err != nil || len(seen) < 30 {
		t.Errorf("%d files, %v", len(seen), err)
	}
}

// given are the folders that the test made.
var given = []string{"examples", "encoder"}
