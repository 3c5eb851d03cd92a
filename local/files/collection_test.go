package files

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestReadCorpusAndQueries(t *testing.T) {
	docs, err := ReadCorpus(strings.NewReader("\xef\xbb\xbf{\"id\":\"a\",\"text\":\"x\"}\n\n{\"_id\":\"b\",\"title\":\"T\",\"text\":\"y\"}\n"), "f")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]Document{{"a", "x"}, {"b", "T\ny"}}, docs); diff != "" {
		t.Error(diff)
	}
	for _, in := range []string{"{\"id\":\"1\",\"query\":\"tides\"}\n{\"_id\":\"2\",\"text\":\"seals\"}\n", "1\ttides\n2\tseals\n"} {
		q, err := ReadQueries(strings.NewReader(in), "f")
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff([]Query{{ID: "1", Text: "tides"}, {ID: "2", Text: "seals"}}, q); diff != "" {
			t.Error(diff)
		}
	}
	for in, want := range map[string]string{"": "empty", "{}": `f:1: there is no "id"`, "{\"id\":\"a b\"}": "white space", "{\"id\":\"a\"}\n{\"id\":\"a\"}": "f:2: the id \"a\" is already in line 1", "{": "f:1", "{\"id\":\"\xff\"}": "not UTF-8"} {
		if _, err := ReadCorpus(strings.NewReader(in), "f"); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", in, err, want)
		}
	}
	for in, want := range map[string]string{"1 tides": "f:1: a query line is", "1\tx\n1\ty": "f:2", "{\"id\":\"1\"}": "no text"} {
		if _, err := ReadQueries(strings.NewReader(in), "f"); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", in, err, want)
		}
	}
}

func FuzzReadCorpus(f *testing.F) {
	f.Add("{\"id\":\"a\",\"text\":\"x\"}\n")
	f.Fuzz(func(t *testing.T, s string) {
		if docs, err := ReadCorpus(strings.NewReader(s), "f"); err == nil && len(docs) == 0 {
			t.Error("no documents are no error")
		}
	})
}

func FuzzReadQueries(f *testing.F) {
	f.Add("1\ttides\n")
	f.Add("{\"id\":\"1\",\"query\":\"tides\"}\n")
	f.Fuzz(func(t *testing.T, s string) {
		q, err := ReadQueries(strings.NewReader(s), "f")
		for _, x := range q {
			if err == nil && (x.ID == "" || x.Text == "") {
				t.Errorf("%+v", x)
			}
		}
	})
}
