package pipeline

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"lore/local/files"
)

// bomb is a list of aliases of lists of aliases.
func bomb() string {
	var b strings.Builder
	b.WriteString("a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n")
	names := "abcdefghij"
	for i := 1; i < len(names); i++ {
		b.WriteString(string(names[i]) + ": &" + string(names[i]) + " [")
		before := "*a0"
		if i > 1 {
			before = "*" + string(names[i-1])
		}
		b.WriteString(strings.TrimSuffix(strings.Repeat(before+", ", 10), ", ") + "]\n")
	}
	return b.String()
}

// What cannot be decoded in bounds is refused with file and line before it is decoded.
func TestHostileYAML(t *testing.T) {
	for name, c := range map[string]struct{ data, want string }{
		"itself":  {"pipelines:\n  - &x {name: r, first: {fusion: rrf, of: [*x, bm25]}}\n", "line 2: the alias *x stands for what it is in"},
		"by two":  {"a: &a\n  b: &b [*a]\nc: *b\n", "line 2: the alias *a"},
		"merged":  {"a: &a\n  <<: *a\n", "line 2: the alias *a"},
		"bomb":    {bomb(), "aliases written out"},
		"deep":    {"pipelines: " + strings.Repeat("[", 9000) + strings.Repeat("]", 9000), "is nested more than 50 levels"},
		"deeper":  {strings.Repeat("[", 20000), "exceeded max depth"},
		"large":   {"pipelines: # " + strings.Repeat("x", 1<<20), "has at most 1048576"},
		"second":  {"pipelines: [bm25]\n---\npipelines: [random]\n", "line 2: begins a second document"},
		"unknown": {"pipelines: [bm25]\nx: 1\n", "field x not found"},
		"no YAML": {"pipelines: [bm25\n\tx", "line 2"},
	} {
		path := filepath.Join(t.TempDir(), "p.yaml")
		if err := os.WriteFile(path, []byte(c.data), 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := ReadFile(path)
		var bad *files.Error
		if !errors.As(err, &bad) || bad.File != path || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %.200v, want %s", name, err, c.want)
		}
	}
}

// Anchors that people write to say a thing once are fine.
func TestYAMLAliases(t *testing.T) {
	got, err := parseYAML([]byte("pipelines:\n" +
		"  - name: one\n    first: &both {fusion: rrf, of: [bm25, keywords]}\n" +
		"  - name: two\n    first: *both\n    then: [{mmr: 0.5}]\n"))
	if err != nil || len(got) != 2 || len(got[0].Source.Parts) != 2 || len(got[1].Source.Parts) != 2 {
		t.Errorf("%+v %v", got, err)
	}
}

// A file of pipelines is read or refused, and what is read can be told.
func FuzzParseYAML(f *testing.F) {
	for _, s := range []string{
		"pipelines:\n  - &x {name: r, first: {fusion: rrf, of: [*x, bm25]}}\n",
		"pipelines:\n  - bm25\n  - name: p\n    first: {dense: ollama:m}\n    then: [{rerank: pointwise, model: ollama:m, depth: 5}]\n",
		"pipelines: [{first: bm25, then: [{mmr: 0.5}], show: snippet}]\n",
		"a: &a [*a]\n", "<<: *x\n", "pipelines: !!binary x\n", "? [a]\n: b\n", "%TAG ! x\n---\n", "pipelines: [{first: {decompose: m, of: [bm25]}}]",
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		got, err := parseYAML(data)
		if err == nil && len(got) == 0 {
			t.Error("no pipelines are no error")
		}
		for _, p := range got {
			if err == nil && p.Name == "" {
				t.Errorf("%+v has no name", p)
			}
		}
	})
}

// A list of pipelines on the command line is read or refused.
func FuzzParse(f *testing.F) {
	for _, s := range []string{"bm25", "rrf(bm25,dense:x)>rerank:cross:y@3>mmr:0.5", "rrf(((", "bm25>snippet", "decompose(bm25,ollama:m)", "run:x.trec"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if p, err := Parse(s); err == nil && p.Name == "" {
			t.Errorf("%q has no name", s)
		}
	})
}
