package msrs

import (
	"fmt"
	"strings"
	"testing"
	"testing/fstest"
)

// What is said of gold documents: those that are not there in one line, with what their names are without an ending,
// and the queries that no mean of retrieval counts, with the field that may be misspelt.
func TestWhatIsSaidOfGold(t *testing.T) {
	load := func(rows string) []string {
		t.Helper()
		dir := fstest.MapFS{
			"documents/a.txt":   {Data: []byte("One text.")},
			"documents/b.txt":   {Data: []byte("Another text.")},
			"queries_test.json": {Data: []byte(rows)},
		}
		ds, err := Benchmark{Domain: "story"}.load(dir, "d")
		if err != nil {
			t.Fatal(err)
		}
		return ds.Warnings
	}
	row := func(id, gold string) string {
		return fmt.Sprintf(`%q: {"query": "Who?", "answer": "A.", %s}`, id, gold)
	}

	for _, c := range []struct {
		rows []string
		want []string // of each warning
	}{
		{[]string{row("1", `"gold_documents": ["a", "b"]`)}, nil},
		{[]string{row("1", `"gold_documents": ["a", "gone"]`)}, []string{
			"the gold document gone of 1 queries (rows 1) is not in the corpus and is left out of their gold"}},
		{[]string{row("1", `"gold_documents": ["a.txt", "b.txt"]`), row("2", `"gold_documents": ["b"]`)}, []string{
			"2 gold documents of 1 queries are not in the corpus and are left out of their gold, first a.txt (rows 1); " +
				"a without .txt is there",
			"1 of 2 queries have no gold document in the corpus (rows 1): no mean of retrieval counts them"}},
		{[]string{row("1", `"gold_docs": ["a"]`), row("2", `"gold_documents": ["b"]`)}, []string{
			"1 of 2 queries have no gold document in the corpus (rows 1): no mean of retrieval counts them, and they are not " +
				"in qrels; row 1 has the field gold_docs: is it gold_documents?"}},
		{[]string{row("1", `"gold_documents": []`), row("2", `"gold_documents": ["b"]`)}, []string{"and they are not in qrels"}},
	} {
		got := load("{" + strings.Join(c.rows, ",") + "}")
		if len(got) != len(c.want) {
			t.Errorf("%q: %q", c.rows, got)
			continue
		}
		for i, want := range c.want {
			if !strings.Contains(got[i], want) {
				t.Errorf("%q: %q, want %q", c.rows, got[i], want)
			}
		}
	}
}
