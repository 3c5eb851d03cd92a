package files

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// What clones and archives hold besides is left out, and so is what lies too deep; a folder of too
// many files is refused.
func TestBelow(t *testing.T) {
	dir := write(t, map[string]string{
		"b.json": "1", "a/c.json": "2", ".git/objects/d.json": "3", ".DS_Store": "4", "__MACOSX/._b.json": "5",
		"a/__MACOSX.txt": "6", "1/2/3/deep": "7",
	})
	if err := os.Symlink(filepath.Join(dir, "b.json"), filepath.Join(dir, "link.json")); err != nil {
		t.Fatal(err)
	}

	got, err := below(dir, 2, 100)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"a/__MACOSX.txt", "a/c.json", "b.json"}, got); diff != "" {
		t.Error(diff)
	}
	if _, err := below(dir, 5, 3); err == nil || !strings.Contains(err.Error(), "more than 3 files") {
		t.Errorf("%v", err)
	}
	if _, err := Below(filepath.Join(dir, "nowhere")); err == nil || !strings.Contains(err.Error(), "no such file") {
		t.Errorf("%v", err)
	}
}

// Folders above one are named as it is: by a whole path, or from here.
func TestNear(t *testing.T) {
	dir := t.TempDir()
	if got := Near(filepath.Join(dir, "a", "b")); len(got) != 2 || got[0] != filepath.Join(dir, "a") || got[1] != dir {
		t.Errorf("%q", got)
	}
	deep := filepath.Join(dir, "x", "y", "z")
	if err := os.MkdirAll(deep, 0o777); err != nil {
		t.Fatal(err)
	}
	t.Chdir(deep)
	for given, want := range map[string][]string{
		"a/b/": {"a", "."},
		"a":    {".", ".."},
		".":    {"..", "../.."},
		"..":   {"../..", "../../.."},
		"/":    nil,
		"/x":   nil,
	} {
		if diff := cmp.Diff(want, Near(given)); diff != "" {
			t.Errorf("%s: %s", given, diff)
		}
	}
}

// A path in a command can be copied.
func TestQuoted(t *testing.T) {
	for path, want := range map[string]string{
		"data/topic_news1.json": "data/topic_news1.json",
		"My Data/it's":          `'My Data/it'\''s'`,
		`C:\data`:               `'C:\data'`,
		"":                      "''",
		"größe":                 "größe",
		"a;rm":                  "'a;rm'",
	} {
		if got := Quoted(path); got != want {
			t.Errorf("%q becomes %s", path, got)
		}
	}
}

// What is not there is named with what nearly has its name, as far as that helps.
func TestNearestPath(t *testing.T) {
	dir := write(t, map[string]string{"story/queries_test.json": "1", "meeting/x": "2"})
	for given, want := range map[string]string{
		"stroy/queries_test.json": "story/queries_test.json",
		"stroy/queries_dev.json":  "story",
		"story/queries_tset.json": "story/queries_test.json",
		"STORY":                   "story",
		`story\queries_test.json`: "story/queries_test.json",
		"nonsense":                "",
		"far/away":                "",
	} {
		got := nearest(filepath.Join(dir, given))
		if want != "" {
			want = filepath.Join(dir, want)
		}
		if got != want && got != filepath.Join(dir, given) { // where case does not matter it is there
			t.Errorf("%s: %q, want %q", given, got, want)
		}
	}

	_, err := Read(filepath.Join(dir, "stroy"), "give a file")
	if err == nil || !strings.HasSuffix(err.Error(), "did you mean "+filepath.Join(dir, "story")+"? give a file") {
		t.Errorf("%v", err)
	}
}

// Packed files say what they are.
func TestPacked(t *testing.T) {
	for data, want := range map[string]string{
		"\x1f\x8b\x08": "gunzip", "PK\x03\x04": "unzip", "PAR1\x15": "lore data import",
		"version https://git-lfs.github.com/spec/v1\n": "git lfs pull", "BZh91AY&SY": "bunzip2",
	} {
		if _, err := Text("f", []byte(data)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", data, err)
		}
	}
	for _, data := range []string{"PARIS", "BZh is a word", "version 2", "PK"} {
		if _, err := Text("f", []byte(data)); err != nil {
			t.Errorf("%q: %v", data, err)
		}
	}
}
