package msrs

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"lore/datasets"
	"lore/local/files"
)

// FuzzHubTables: no table may break the importer, whatever its format.
func FuzzHubTables(f *testing.F) {
	f.Add([]byte(`{"id":"a","text":"b"}`), ".jsonl")
	f.Add([]byte(`[{"id":1,"text":["b"]}]`), ".json")
	f.Add([]byte("PAR1\x00\x00PAR1"), ".parquet")
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, data []byte, ending string) {
		if ending != ".parquet" && ending != ".json" {
			ending = ".jsonl"
		}
		path := filepath.Join(dir, "table"+ending)
		if err := os.WriteFile(path, data, 0o666); err != nil {
			t.Fatal(err)
		}
		_, _ = ReadHub("story", path, map[string]string{"test": path})
	})
}

// FuzzShown: whatever a file says was shown, rankings hold documents of the corpus alone, each once.
func FuzzShown(f *testing.F) {
	f.Add([]byte(`[{"Query":"q","Article":"one<doc-sep>two","Title":"t"}]`))
	f.Add([]byte(`[{"Query":"q","Article":" "},{"Query":"q"}]`))
	f.Add([]byte(`{"Query":[]}`))
	raw := Raw{
		Documents: []datasets.Document{{ID: "a", Text: "one"}, {ID: "b", Text: "two"}},
		Queries:   map[string][]Query{"test": {{ID: "1", Text: "q", References: []string{"r"}}}},
	}
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, data []byte) {
		path := filepath.Join(dir, "shown.json")
		if err := files.WriteFile(path, data); err != nil {
			t.Fatal(err)
		}
		s, err := readShown(path, raw, newDocumentTexts(raw.Documents))
		if err != nil {
			return
		}
		for id, shown := range s.IDs {
			slices.Sort(shown)
			if id != "1" || len(slices.Compact(shown)) != len(s.IDs[id]) || !slices.Contains([]string{"a", "b"}, shown[0]) {
				t.Errorf("%s was shown %v", id, shown)
			}
		}
	})
}
