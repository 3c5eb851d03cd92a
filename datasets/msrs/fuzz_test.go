package msrs

import (
	"os"
	"path/filepath"
	"testing"
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
