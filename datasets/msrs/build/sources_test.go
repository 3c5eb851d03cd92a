package build

import (
	"strings"
	"testing"
)

func TestReadSources(t *testing.T) {
	for text, word := range map[string]string{"": "holds no queries", "{": "line 1", `{"query":"q"}`: "no summary",
		`{"summary":"s"}`: "no query",
		`{"id":"a","query":"q","summary":"s"}` + "\n" + `{"id":"a","query":"p","summary":"s"}`: "line 2",
		"id,query,summary": "line 1: is not valid JSON", `[{"query":"q","summary":"s"},`: "EOF", `[{"query":"q"}]`: "row 1: has no summary"} {
		if _, _, err := ReadSources("q.jsonl", []byte(text)); err == nil || !strings.Contains(err.Error(), word) {
			t.Errorf("%q: %v", text, err)
		}
	}
}

func FuzzReadSources(f *testing.F) {
	f.Add([]byte(`{"id":"a","query":"q","summary":"s"}`))
	f.Add([]byte(`[{"query":"q","summary":"s"},{"query":"q","summary":"s"}]`))
	f.Fuzz(func(_ *testing.T, data []byte) { _, _, _ = ReadSources("x", data) })
}

// A query that is there twice with its answer would make a cluster of itself: one is kept, the other named. What
// differs in anything stays.
func TestRepeatedSources(t *testing.T) {
	const lines = `{"id":"a","query":"q","summary":"s"}` + "\n" + `{"id":"b","query":"q","references":["s"]}` + "\n" +
		`{"query":"q","summary":"s","documents":["d"]}` + "\n" + `{"id":"a","query":"q","summary":"s"}`
	got, notes, err := ReadSources("q.jsonl", []byte(lines))
	if err != nil || len(got) != 2 || got[1].ID != "1" || len(notes) != 1 ||
		!strings.HasSuffix(notes[0], "with the same answer: line 2 (like line 1), line 4 (like line 1)") {
		t.Errorf("%+v, %q, %v", got, notes, err)
	}
	got, notes, err = ReadSources("q.json", []byte("[\n"+strings.ReplaceAll(lines, "\n", ",\n")+"\n]"))
	if err != nil || len(got) != 2 || len(notes) != 1 || !strings.Contains(notes[0], "row 4 (like row 1)") {
		t.Errorf("%+v, %q, %v", got, notes, err)
	}
}
