package msrs

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/parquet-go/parquet-go"

	"lore/datasets"
)

type hubDocument struct {
	ID   string `parquet:"story_id"`
	Text string `parquet:"story"`
}

type hubRow struct {
	Query  string   `parquet:"query"`
	Gold   []string `parquet:"gold_documents,list"`
	Answer []string `parquet:"answer,list"`
}

// The same tables as Parquet, as JSON lines and as a JSON list give the same data,
// and survive lore's own layout.
func TestHubLayouts(t *testing.T) {
	dir := t.TempDir()
	write := func(name, content string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(content), 0o666); err != nil {
			t.Fatal(err)
		}
		return path
	}
	var docs, queries bytes.Buffer
	if err := parquet.Write(&docs, []hubDocument{{"a", "One."}, {"b", "Two."}}); err != nil {
		t.Fatal(err)
	}
	if err := parquet.Write(&queries, []hubRow{{"Who?", []string{"a.txt", "b"}, []string{"A.", "B."}}}); err != nil {
		t.Fatal(err)
	}
	want := Raw{Domain: "story", Documents: []datasets.Document{{ID: "a", Text: "One."}, {ID: "b", Text: "Two."}},
		Queries: map[string][]Query{"test": {{ID: "0", Text: "Who?", Gold: []string{"a", "b"}, References: []string{"A.", "B."}}}}}
	for name, files := range map[string][2]string{
		"parquet": {write("d.parquet", docs.String()), write("q.parquet", queries.String())},
		"lines":   {write("d.jsonl", `{"story_id":"a","story":"One."}`+"\n"+`{"story_id":"b","story":"Two."}`), write("q.jsonl", `{"query":"Who?","gold_documents":["a","b"],"answer":["A.","B."]}`)},
		"list":    {write("d.json", `[{"id":"a","text":"One."},{"id":"b","text":"Two."}]`), write("q.json", `[{"query":"Who?","gold_documents":["a","b"],"answer":["A.","B."]}]`)},
	} {
		got, err := ReadHub("story", files[0], map[string]string{"test": files[1]})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		got.Files = nil
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%s: %s", name, d)
		}
		out := filepath.Join(dir, name)
		if err := Write(out, got, "test"); err != nil {
			t.Fatal(err)
		}
		back, err := readOwn(os.DirFS(out), out)
		if err != nil {
			t.Fatal(err)
		}
		back.Files = nil
		if d := cmp.Diff(want, back); d != "" {
			t.Errorf("%s, lore's layout: %s", name, d)
		}
	}
	for name, bad := range map[string]string{"x.parquet": "PAR1 nonsense PAR1", "x.jsonl": "{", "x.json": "[1]", "empty.jsonl": "", "noid.jsonl": `{"text":"a"}`} {
		var input *datasets.InputError
		if _, err := ReadHub("story", write(name, bad), nil); !errors.As(err, &input) {
			t.Errorf("%s: %v", name, err)
		}
	}
	// A change after the import is noticed.
	out := filepath.Join(dir, "lines")
	data, err := os.ReadFile(filepath.Join(out, "documents.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	write("lines/documents.jsonl", strings.Replace(string(data), "One.", "Won.", 1))
	if _, err := (Benchmark{}).Load([]string{out}); err == nil || !strings.Contains(err.Error(), "changed after the import") {
		t.Errorf("got %v", err)
	}
}
