package long2rag

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// A field with nearly the name of one that is missing, and a key point that stands twice, are said.
func TestSlipsAndPointsTwice(t *testing.T) {
	file := filepath.Join(t.TempDir(), "q.jsonl")
	data := `{"id":"a","question":"Why?","categorie":"causal","domain":"film","documents":[],"key_points":[{"text":"Fog stops ferries."},{"text":"fog  stops ferries."},{"text":"Rain."}]}
{"id":"b","question":"How?","category":"causal","note":"x","documents":[],"key_points":[{"text":"Fog."}]}
`
	if err := os.WriteFile(file, []byte(data), 0o600); err != nil {
		t.Fatal(err)
	}
	ds, err := Benchmark{}.Load([]string{file})
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		`a field of 1 of 2 questions is not read, and has nearly the name of one that is: "categorie" for "category"?`,
		"key points that stand twice in their question count twice: a/p2",
	} {
		if !slices.Contains(ds.Warnings, want) {
			t.Errorf("no %q in %q", want, ds.Warnings)
		}
	}
	if len(ds.Warnings) != 2 {
		t.Errorf("%q", ds.Warnings)
	}
}

// Case and one letter make near twins (two that changed places count as one); short names and other words do not.
func TestTwins(t *testing.T) {
	names := map[string]bool{"": true, "causal": true, "Causal": true, "casual": true, "film": true, "AI": true, "IT": true}
	got := twinsOf("categories", names)
	want := `categories that differ by case or one letter are counted apart: "Causal" and "casual", "Causal" and "causal", ` +
		`"casual" and "causal"; are they the same?`
	if len(got) != 1 || got[0] != want {
		t.Errorf("%q", got)
	}
}
