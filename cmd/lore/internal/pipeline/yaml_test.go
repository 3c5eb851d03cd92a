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
