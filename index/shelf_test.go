package index

import (
	"os"
	"path/filepath"
	"testing"
)

// Nothing of the shelf is passed over: spoilt vectors and sparse postings are found.
func TestShelfVerifiesVectors(t *testing.T) {
	dir := t.TempDir()
	var staged staging
	for range 3 {
		if err := staged.add([]TermWeight{{"sea", 1.5}}); err != nil {
			t.Fatal(err)
		}
	}
	arrays := filepath.Join(dir, "sparse-v1-x.arrays")
	if err := staged.impacts([]string{"a", "b", "c"}).write(arrays); err != nil {
		t.Fatal(err)
	}
	shelf, err := Shelf(dir)
	if err != nil || len(shelf) != 1 || shelf[0].Documents != 3 || shelf[0].Verify() != nil {
		t.Fatalf("%+v %v", shelf, err)
	}

	data, err := os.ReadFile(arrays)
	if err != nil {
		t.Fatal(err)
	}
	data[len(data)/2] ^= 1
	for name, text := range map[string][]byte{"sparse-v1-x.arrays": data, "vectors-y.bin": []byte("lorevec1")} {
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if shelf, err = Shelf(dir); err != nil || len(shelf) != 2 {
		t.Fatalf("%+v %v", shelf, err)
	}
	for _, s := range shelf {
		if s.Verify() == nil {
			t.Errorf("%s is as it was written", s.Name)
		}
	}
}
