package datasets

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func tree(t *testing.T, names ...string) string {
	t.Helper()
	dir := t.TempDir()
	for _, n := range names {
		path := filepath.Join(dir, n)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte("x"), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// A folder is found as given, below what is given, or near it; of one in another the outer counts.
func TestFolders(t *testing.T) {
	dir := tree(t, "clone/data/a/mark", "clone/data/b/mark", "clone/data/b/old/mark", "clone/docs/x", "clone/.git/mark")
	marked := func(has Has) bool { return has("mark") }
	at := func(names ...string) (out []string) {
		for _, n := range names {
			out = append(out, filepath.Join(dir, n))
		}
		return out
	}
	for given, want := range map[string][]string{
		"":             at("clone/data/a", "clone/data/b"),
		"clone":        at("clone/data/a", "clone/data/b"),
		"clone/data/b": at("clone/data/b"),
		"clone/docs":   nil,
	} {
		got, err := FoldersBelow(filepath.Join(dir, given), marked)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%q: %s", given, diff)
		}
	}
	if diff := cmp.Diff(at("clone/data/a", "clone/data/b"), FoldersNear(filepath.Join(dir, "clone", "docs"), marked)); diff != "" {
		t.Error(diff)
	}
	if got := FoldersNear(filepath.Join(dir, "clone"), func(has Has) bool { return has("nothing") }); got != nil {
		t.Errorf("%q", got)
	}
}

// Errors name what was looked for, what is there, and commands that can be copied.
func TestErrorsOfFolders(t *testing.T) {
	dir := tree(t, "a", "b", "c", "d", "e", "f", "g", "h/x", ".hidden")
	for _, c := range []struct {
		err  error
		want []string
	}{
		{NoSet("x", dir, "file y", nil), []string{"no file y in it or below", "there is a, b, c, d, e, f and 2 others", "lore data list x says"}},
		{NoSet("x", filepath.Join(dir, "h"), "file y", []string{"my data"}), []string{"there is x;", "beside it: lore run x 'my data'"}},
		{SeveralSets("lore run x", "d", []string{"d/1", "d/2 b"}), []string{"2 data sets", "lore run x d/1; lore run x 'd/2 b'"}},
		{AlreadyOwn("x", "d"), []string{"nothing to import; lore run x d"}},
	} {
		for _, w := range c.want {
			if !strings.Contains(c.err.Error(), w) {
				t.Errorf("%v lacks %q", c.err, w)
			}
		}
	}
	if got := Some([]string{"a", "b"}); got != "a, b" {
		t.Error(got)
	}
}
