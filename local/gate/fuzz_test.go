package gate

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"lore/local"
	"lore/local/fake"
)

// Whatever a journal file holds, it opens, keeps every whole good line, and takes
// new entries after it.
func FuzzJournal(f *testing.F) {
	dir := f.TempDir()
	g, err := Open(Config{Dir: dir, Lanes: map[string]Lane{"fake": {Backend: &fake.Backend{}}}})
	if err != nil {
		f.Fatal(err)
	}
	if _, err := g.Do(context.Background(), ask("m", "seed")); err != nil {
		f.Fatal(err)
	}
	g.Close()
	real, err := os.ReadFile(filepath.Join(dir, journalName))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(real)
	f.Add(real[:len(real)/2])
	f.Add([]byte("\n\n{}\n{\"key\":\"a\",\"reply\":{\"outcome\":\"ok\"}}\n\xff"))
	f.Fuzz(func(t *testing.T, data []byte) {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, journalName), data, 0o666); err != nil {
			t.Fatal(err)
		}
		for range 2 { // the second time reads what the first has written
			g, err := Open(Config{Dir: dir, Lanes: map[string]Lane{"fake": {Backend: &fake.Backend{}}}})
			if err != nil {
				t.Fatal(err)
			}
			r, err := g.Do(context.Background(), ask("m", "new"))
			if err != nil || (r.Outcome != local.OK && !strings.Contains(string(data), ask("m", "new").Key())) {
				t.Fatalf("%+v %v", r, err)
			}
			if err := g.Close(); err != nil {
				t.Fatal(err)
			}
		}
	})
}
