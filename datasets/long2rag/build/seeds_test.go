package build

import (
	"strings"
	"testing"
)

func TestReadSeeds(t *testing.T) {
	got, err := ReadSeeds("f",
		[]byte("Why is it so?\n\n{\"id\":\"x\",\"question\":\"How?\",\"category\":\"causal\"}\n"))
	if err != nil || len(got) != 2 || got[0].ID != "s1" || got[1].Category != "causal" {
		t.Errorf("%+v %v", got, err)
	}
	for data, word := range map[string]string{"": "holds no questions", "{": "is not a question",
		`{"question":" "}`: "is not a question", `{"question":"a","category":"odd"}`: "unknown category",
		`{"id":"a b","question":"a"}`: "white space (U+0020)"} {
		if _, err := ReadSeeds("f", []byte(data)); err == nil || !strings.Contains(err.Error(), word) {
			t.Errorf("%q: %v", data, err)
		}
	}
}

func FuzzReadSeeds(f *testing.F) {
	f.Add([]byte("Why?\n{\"question\":\"How?\"}"))
	f.Fuzz(func(_ *testing.T, data []byte) { _, _ = ReadSeeds("x", data) })
}

// Seeds are read under the usual names of fields, with and without an id.
func TestSeedSpellings(t *testing.T) {
	seeds, err := ReadSeeds("f", []byte(`{"qid":7,"query":"Why?"}`+"\n"+`{"question":"How?"}`+"\nWhen?"))
	if err != nil || len(seeds) != 3 || seeds[0] != (Seed{ID: "7", Text: "Why?"}) || seeds[1].ID != "s2" {
		t.Errorf("%+v, %v", seeds, err)
	}
}
