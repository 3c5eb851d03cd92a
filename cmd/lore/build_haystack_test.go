package main

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"testing"

	"lore/local/ollama/ollamatest"
)

// A haystack of the paper's size, built with a good model, ranks retrievers as it must:
// the oracle before BM25 before chance.
func TestBuiltHaystackRanksRetrievers(t *testing.T) {
	if testing.Short() {
		t.Skip("-short leaves out what only takes long")
	}
	server := &ollamatest.Server{Slots: 4, Answer: careful}
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	dir := filepath.Join(t.TempDir(), "town")
	run := func(args ...string) []byte {
		var out, errs bytes.Buffer
		if code := Main(args, &out, &errs); code != exitOK {
			t.Fatalf("exit code %d\n%s%s", code, out.String(), errs.String())
		}
		return out.Bytes()
	}
	run("build", "summhay", "--docs", "../../docs/examples/town", "--model", "ollama:fake", "--host", server.Start(t).URL, "--slots", "4", "--out", dir)
	var table struct {
		Rows []struct {
			Retriever string  `json:"retriever"`
			Joint     float64 `json:"joint"`
			N         int     `json:"n"`
		} `json:"rows"`
	}
	if err := json.Unmarshal(run("run", "summhay", filepath.Join(dir, "town.json"), "--retriever", "oracle,bm25,random", "--out", filepath.Join(t.TempDir(), "run"), "--json"), &table); err != nil {
		t.Fatal(err)
	}
	r := table.Rows
	if len(r) != 3 || r[0].N != 63 || !(r[0].Joint > r[1].Joint && r[1].Joint > r[2].Joint+10) {
		t.Errorf("%+v", r)
	}
	t.Logf("%+v", r)
}
