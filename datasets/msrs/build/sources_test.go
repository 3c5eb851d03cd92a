package build

import (
	"strings"
	"testing"
)

func TestReadSources(t *testing.T) {
	for text, word := range map[string]string{"": "holds no queries", "{": "line 1", `{"query":"q"}`: "no summary",
		`{"summary":"s"}`: "no query",
		`{"id":"a","query":"q","summary":"s"}` + "\n" + `{"id":"a","query":"q","summary":"s"}`: "line 2"} {
		if _, err := ReadSources("q.jsonl", []byte(text)); err == nil || !strings.Contains(err.Error(), word) {
			t.Errorf("%q: %v", text, err)
		}
	}
}

func FuzzReadSources(f *testing.F) {
	f.Add([]byte(`{"id":"a","query":"q","summary":"s"}`))
	f.Fuzz(func(_ *testing.T, data []byte) { _, _ = ReadSources("x", data) })
}
