package embed

import (
	"context"
	"os"
	"path/filepath"
	"testing"
)

// What is kept is counted without being read, and what is spoilt is found.
func TestReadKept(t *testing.T) {
	dir := t.TempDir()
	c, _ := openCache(t, dir, &counted{})
	_, err := c.Embed(context.Background(), Passage, numbered(20))
	must(t, err)
	name, size := c.Settings().Name, recordSize(c.dims)
	must(t, c.Close())
	paths, err := filepath.Glob(filepath.Join(dir, "*.bin"))
	must(t, err)
	for _, whole := range []bool{false, true} {
		if k, err := ReadKept(paths[0], whole); err != nil || k != (Kept{Model: name, Vectors: 20}) || k.Check() != nil {
			t.Errorf("%+v %v", k, err)
		}
	}

	data, err := os.ReadFile(paths[0])
	must(t, err)
	data[len(data)-3*int(size)+40] ^= 1
	must(t, os.WriteFile(paths[0], data, 0o600))
	if k, err := ReadKept(paths[0], true); err != nil || k.Damaged != 1 || k.Check() == nil {
		t.Errorf("%+v %v", k, err)
	}
	must(t, os.WriteFile(paths[0], data[:5], 0o600))
	if _, err := ReadKept(paths[0], false); err == nil {
		t.Error("a file without a head is read")
	}
}

// Sparse records have lengths of their own.
func TestReadKeptSparse(t *testing.T) {
	path := filepath.Join(t.TempDir(), "sparse-vectors-x.bin")
	data := append([]byte(sparseMagic), make([]byte, 32)...)
	for n := range 5 {
		data = appendSparse(data, [32]byte{byte(n)}, Embedding{Terms: make([]uint32, n), Vector: make([]float32, n)})
	}
	must(t, os.WriteFile(path, data, 0o600))
	for _, whole := range []bool{false, true} {
		if k, err := ReadKept(path, whole); err != nil || k != (Kept{Vectors: 5}) {
			t.Errorf("%+v %v", k, err)
		}
	}
	last := 32 + 12 + 8*4 + 4
	data[len(data)-1] ^= 1
	must(t, os.WriteFile(path, data, 0o600))
	if k, err := ReadKept(path, true); err != nil || k.Vectors != 4 || k.Lost != int64(last) || k.Check() == nil {
		t.Errorf("%+v %v", k, err)
	}
}
