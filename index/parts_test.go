package index

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// A large file is not read when it is opened. Damage in it is found before it is read, and nothing else is lost.
func TestDamageIsFoundAtFirstTouch(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	w, err := createParts(path, "A MAGIC\x01")
	if err != nil {
		t.Fatal(err)
	}
	const size = wholeBelow + 5*pageSize + 12
	w.part(raw([]uint64{1, 2, 3}))
	w.part(make([]byte, size))
	if err := w.finish(); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	data[len(data)/2] ^= 1
	if err := os.WriteFile(path, data, 0o666); err != nil {
		t.Fatal(err)
	}

	p, err := openParts(path, "A MAGIC\x01", 2)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	all, err := arrayOf[byte](p, 1, size)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := all.cut(0, size/4); err != nil {
		t.Error("a sound page:", err)
	}
	var damaged *DamagedError
	if _, err := all.whole(); !errors.As(err, &damaged) {
		t.Errorf("a damaged page: %v", err)
	}
	if _, err := os.Stat(path); err == nil {
		t.Error("the damaged file is kept, and would be used again")
	}
	if _, err := all.at(size); !errors.As(err, &damaged) {
		t.Errorf("a place that is not there: %v", err)
	}
}

// Whatever a file of an index holds, it is refused or read without a panic.
func FuzzIndexFiles(f *testing.F) {
	dir := f.TempDir()
	s := stored(f, dir, five, 0)
	if b, err := OpenBM25(context.Background(), "", s, "en", DefaultBM25); err != nil {
		f.Fatal(err)
	} else {
		b.Close()
	}
	for _, path := range []string{documentsFile(s.folder, "s000001"), postingsName(s.folder, "s000001", "en")} {
		data, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		path := filepath.Join(t.TempDir(), "x")
		if err := os.WriteFile(path, data, 0o666); err != nil {
			t.Fatal(err)
		}
		if seg, err := openSegment(path); err == nil {
			for i := range seg.len() {
				_, _ = seg.text(i) // damage is an error, not a panic
			}
			seg.Close()
		}
		if p, err := openPostings(path, len(five)); err == nil {
			_, _, _ = p.find("cat")
			p.Close()
		}
	})
}
