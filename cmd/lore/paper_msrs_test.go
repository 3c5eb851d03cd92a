package main

import (
	"bytes"
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ollama/ollama/api"

	"lore/embed/testmodel"
	"lore/local/ollama/ollamatest"
	"lore/local/published"
)

// TestPaperMSRS carries out the table of docs/msrs.md on the first queries of the released data, with their documents
// and what was recorded of them.
func TestPaperMSRS(t *testing.T) {
	if testing.Short() {
		t.Skip("-short leaves out what only takes long; scripts run the same commands")
	}
	carryOutPaper(t, "msrs", msrsPlaces, nil)
}

// grading answers with a grade where nothing else is asked for.
func grading(req api.ChatRequest) string {
	asked := req.Messages[len(req.Messages)-1].Content
	for words, grade := range map[string]string{"one digit and nothing else": "4", "a whole number from": "7"} {
		if strings.Contains(asked, words) {
			return grade
		}
	}
	return careful(req)
}

// msrsCut is how many queries are left of a domain.
const msrsCut = 3

// msrsPlaces are what the table's placeholders stand for.
func msrsPlaces(t *testing.T) map[string][]string {
	t.Helper()
	docs, err := filepath.Abs("../../docs/examples")
	if err != nil {
		t.Fatal(err)
	}
	clone := filepath.Join(t.TempDir(), "MSRS")
	for _, domain := range []string{"story", "meeting"} {
		cutDomain(t, published.Path(t, "data/msrs", domain), filepath.Join(clone, domain))
	}
	cutLists(t, published.Path(t, "data/msrs/outputs"), filepath.Join(clone, "outputs"))
	cutLists(t, published.Path(t, "data/msrs/retrieval"), filepath.Join(clone, "retrieval"))
	stories, queries := storiesWithHeadings(t), storyQueries(t)

	t.Chdir(t.TempDir())
	if err := testmodel.Write("models/encoder", testmodel.BERT); err != nil {
		t.Fatal(err)
	}
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	server := &ollamatest.Server{Slots: 4, Answer: grading, Names: []string{"careful"}, Logprobs: true}
	t.Setenv("OLLAMA_HOST", server.Start(t).URL)

	return map[string][]string{
		"MSRS":         {clone},
		"BOOKS":        {stories},
		"QUERIES":      {queries},
		"MEETINGS":     {docs + "/meetings"},
		"PAIRS":        {docs + "/meeting_queries.jsonl", "--threshold", "0.1"},
		"MODEL":        {"careful"},
		"ollama:MODEL": {"ollama:careful"},
		"dense:DIR":    {"dense:models/encoder"},
		"DIR":          {"models/encoder"},
	}
}

// cutDomain copies the first queries of each split of a domain, with their gold documents.
func cutDomain(t *testing.T, from, to string) {
	t.Helper()
	wanted := map[string]bool{}
	for _, split := range []string{"train", "dev", "test"} {
		rows := firstMembers(t, filepath.Join(from, "queries_"+split+".json"))
		write(t, filepath.Join(to, "queries_"+split+".json"), rows)
		var read map[string]struct {
			Gold []string `json:"gold_documents"`
		}
		if err := json.Unmarshal(rows, &read); err != nil {
			t.Fatal(err)
		}
		for _, row := range read {
			for _, g := range row.Gold {
				wanted[g] = true
			}
		}
	}

	files, err := filepath.Glob(filepath.Join(from, "documents", "*.txt"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		if id, _, _ := strings.Cut(filepath.Base(file), "."); wanted[id] {
			write(t, filepath.Join(to, "documents", filepath.Base(file)), readAll(t, file))
		}
	}
}

// firstMembers is an object with the first members of that of a file, in their order.
func firstMembers(t *testing.T, file string) []byte {
	t.Helper()
	dec := json.NewDecoder(bytes.NewReader(readAll(t, file)))
	if _, err := dec.Token(); err != nil {
		t.Fatal(err)
	}
	out := []byte("{")
	for n := 0; n < msrsCut && dec.More(); n++ {
		key, err := dec.Token()
		if err != nil {
			t.Fatal(err)
		}
		var value json.RawMessage
		if err := dec.Decode(&value); err != nil {
			t.Fatal(err)
		}
		name, err := json.Marshal(key)
		if err != nil {
			t.Fatal(err)
		}
		if n > 0 {
			out = append(out, ',')
		}
		out = append(append(append(out, name...), ':'), value...)
	}
	return append(out, '}')
}

// cutLists copies a folder whose files hold lists, or objects of lists, with the first entries of each.
func cutLists(t *testing.T, from, to string) {
	t.Helper()
	err := filepath.WalkDir(from, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		var all any
		if err := json.Unmarshal(readAll(t, path), &all); err != nil {
			return err
		}
		data, err := json.Marshal(cutAny(all))
		if err != nil {
			return err
		}
		write(t, to+strings.TrimPrefix(path, from), data)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func cutAny(v any) any {
	switch v := v.(type) {
	case []any:
		return v[:min(msrsCut, len(v))]
	case map[string]any:
		for key, inner := range v {
			v[key] = cutAny(inner)
		}
	}
	return v
}

func readAll(t *testing.T, file string) []byte {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// write writes a file with the folders above it.
func write(t *testing.T, file string, data []byte) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, data, 0o600); err != nil {
		t.Fatal(err)
	}
}
