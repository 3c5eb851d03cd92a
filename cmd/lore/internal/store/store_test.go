package store

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"lore/local/files"
)

// save writes a folder with some files, whose content is of that version.
func save(t *testing.T, dir, version string, names []string) *Folder {
	t.Helper()
	f, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		if err := f.WriteFile(name, []byte(version+" of "+name)); err != nil {
			t.Fatal(err)
		}
	}
	return f
}

var saved = []string{"configuration.json", "answers.jsonl", "scores.json", "retrieval/bm25.trec"}

func check(dir string) error {
	m, err := ReadManifest(dir)
	if err == nil {
		err = m.Check(dir)
	}
	return err
}

// A folder that is being written anew and is killed, wherever that is, is never taken for
// whole: its files are of two runs. Before the first rename it is the old one.
func TestKilledSaveIsTold(t *testing.T) {
	for done := 0; done <= len(saved); done++ {
		t.Run(fmt.Sprint(done), func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "run")
			f := save(t, dir, "first", saved)
			if err := errors.Join(f.Commit(Manifest{Format: Format, Benchmark: "b"}), f.Close()); err != nil {
				t.Fatal(err)
			}

			f = save(t, dir, "second", saved)
			for _, s := range f.staged[:done] {
				if err := s.file.Commit(); err != nil {
					t.Fatal(err)
				}
			}
			err := check(dir)
			if whole := done == 0; whole != (err == nil) || !whole && !errors.Is(err, ErrDamaged) {
				t.Fatalf("%d of %d renamed: %v", done, len(saved), err)
			}
			// The process is gone, and its lock with it.
			if err := f.lock.Unlock(); err != nil {
				t.Fatal(err)
			}

			f = save(t, dir, "second", saved)
			if err := errors.Join(f.Commit(Manifest{Format: Format, Benchmark: "b"}), f.Close(), check(dir)); err != nil {
				t.Fatal(err)
			}
			err = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
				if strings.HasPrefix(d.Name(), ".writing") {
					t.Errorf("%s was left", path)
				}
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
		})
	}
}

// A folder that was opened and not committed is as it was.
func TestNothingIsInPlaceBeforeCommit(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	f := save(t, dir, "first", saved)
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	for _, in := range []string{".", "retrieval"} {
		entries, err := os.ReadDir(filepath.Join(dir, in))
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			if e.Name() != ".lock" && e.Name() != "retrieval" {
				t.Errorf("%s is there", e.Name())
			}
		}
	}
}

// Any byte that differs is told, in each file and in the manifest.
func TestAnyChangedByteIsTold(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	f := save(t, dir, "first", saved)
	m := Manifest{Format: Format, Benchmark: "b", Seed: 1 << 63, Settings: map[string]any{"limit": 3, "p": 0.1}}
	if err := errors.Join(f.Commit(m), f.Close(), check(dir)); err != nil {
		t.Fatal(err)
	}

	rng := rand.New(rand.NewPCG(1, 2))
	for _, name := range append(saved, ManifestFile) {
		path := filepath.Join(dir, name)
		whole, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for i := range whole {
			changed := bytes.Clone(whole)
			changed[i] ^= byte(1 + rng.IntN(255))
			if name == ManifestFile && len(bytes.TrimSpace(changed[i:i+1])) == 0 && len(bytes.TrimSpace(whole[i:i+1])) == 0 {
				continue // another white space says the same
			}
			if err := os.WriteFile(path, changed, 0o600); err != nil {
				t.Fatal(err)
			}
			var named *files.Error
			if err := check(dir); !errors.As(err, &named) && (err == nil || !strings.Contains(err.Error(), "reads formats")) {
				t.Fatalf("%s, byte %d: %q became %q: %v", name, i, whole[i], changed[i], err)
			}
		}
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
		if err := check(dir); err == nil {
			t.Errorf("%s is missing, and nobody says so", name)
		}
		if err := os.WriteFile(path, whole, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := check(dir); err != nil {
		t.Fatal(err)
	}
}

// A manifest with hashes does not lose them by saying that it is older.
func TestAnOlderFormatDoesNotUnseal(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	f := save(t, dir, "first", saved)
	if err := errors.Join(f.Commit(Manifest{Format: Format, Benchmark: "b"}), f.Close()); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, ManifestFile)
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	older := bytes.Replace(data, []byte(`"format": 2`), []byte(`"format": 1`), 1)
	if err := os.WriteFile(path, older, 0o600); err != nil || bytes.Equal(older, data) {
		t.Fatal(err)
	}
	if err := check(dir); !errors.Is(err, ErrDamaged) {
		t.Error(err)
	}
}

// The seal is over what a manifest says, not over its white space.
func TestSealIsCanonical(t *testing.T) {
	a, err := seal([]byte(`{"b": [1, 2], "a": {"x": 1.50}, "sha256": "y"}`))
	b, err2 := seal([]byte("{\"a\":{\"x\":1.50},\n\"b\":[1,2]}"))
	c, err3 := seal([]byte(`{"a":{"x":1.5},"b":[1,2]}`))
	if err := errors.Join(err, err2, err3); err != nil || a != b || a == c {
		t.Errorf("%s %s %s %v", a, b, c, err)
	}
}
