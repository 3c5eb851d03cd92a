package sources

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"lore/datasets"
	"lore/local/files"
)

const twenty = "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen twenty"

func TestText(t *testing.T) {
	for name, c := range map[string]struct{ file, content, want string }{
		"text":            {"a.txt", "One line\nand another.\r\n\r\n\r\nA second  paragraph.", "One line and another.\n\nA second paragraph."},
		"a PDF's text":    {"a.txt", "The harbour was re-\npaired in spring.\n\n  12  \n\fPage 13\nIt held.", "The harbour was repaired in spring.\n\nIt held."},
		"numbers kept":    {"a.txt", "In the year\n1953\nit held.", "In the year 1953 it held."},
		"compound kept":   {"a.txt", "the North-\nSea port", "the North- Sea port"},
		"markdown":        {"a.md", "---\ntitle: x\n---\n# The *wall*\nIt [held](http://x) **well**.\n\n- one `code`\n- two\n> said she\n```\nraw # text\n```\n| a | b |\n|---|---|", "The wall\n\nIt held well.\n\none code\n\ntwo\n\nsaid she raw # text | a | b |"},
		"html":            {"a.html", "<html><head><title>no</title></head><body><nav>menu</nav><h1>Wall</h1><p>It held &amp;\nstood.<br>Yes.<script>x()</script></p><ul><li>one<li>two</ul></body>", "Wall\n\nIt held & stood.\n\nYes.\n\none\n\ntwo"},
		"byte order mark": {"a.txt", "\ufeffHello.", "Hello."},
	} {
		got, err := textOf(c.file, c.content)
		if err != nil || got != c.want {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
}

func TestRead(t *testing.T) {
	dir := t.TempDir()
	for name, content := range map[string]string{"b.txt": twenty, "sub/a.md": "# " + twenty, "c.html": "<p>" + twenty, "short.txt": "too short", "x.pdf": "%PDF-1.4", ".hidden.txt": twenty,
		"d.jsonl": `{"id":"d1","title":"T","text":"` + twenty + `"}` + "\n"} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	docs, notes, err := Read(dir)
	var ids []string
	for _, d := range docs {
		ids = append(ids, d.ID)
	}
	if err != nil || strings.Join(ids, " ") != "b c d1 sub/a" || len(notes) != 2 || !strings.Contains(notes[0], "1 files of other kinds, such as x.pdf") || !strings.Contains(notes[1], "short.txt") {
		t.Errorf("%v %q %v", ids, notes, err)
	}
	if docs, _, err = Read(filepath.Join(dir, "d.jsonl")); err != nil || len(docs) != 1 || !strings.HasPrefix(docs[0].Text, "T\n\none") {
		t.Errorf("%v %v", docs, err)
	}
}

// What cannot be read is named, with its place and what to do.
func TestBadSources(t *testing.T) {
	for name, c := range map[string]struct{ file, content, word string }{
		"no files":      {"", "", "holds no documents"},
		"binary":        {"a.txt", twenty + "\x00\x01", "is binary"},
		"latin 1":       {"a.txt", twenty + "\ncaf\xe9 au lait", "line 2: byte 0xe9 is not UTF-8"},
		"utf-16":        {"a.txt", "\xff\xfeh\x00i\x00", "is UTF-16"},
		"a PDF as text": {"a.txt", "%PDF-1.7 " + twenty, "is PDF"},
		"50 MB":         {"a.txt", strings.Repeat("word ", 10<<20), "has 50.0 MB; a document is at most 5 MB"},
		"50 MB a line":  {"a.jsonl", `{"id":"a","text":"` + strings.Repeat("word ", 10<<20) + `"}`, "has 50.0 MB"},
		"no JSON":       {"a.jsonl", "{", "line 1: is not a document"},
		"no id":         {"a.jsonl", `{"text":"x"}`, `there is no "id"`},
		"the same id":   {"a.jsonl", `{"id":"a","text":"` + twenty + `"}` + "\n" + `{"id":"a","text":"` + twenty + `"}`, `has the id "a"`},
		"only short":    {"a.txt", "word", "holds no documents"},
		"only pictures": {"a.png", "\x89PNG", "holds no documents"},
	} {
		dir := t.TempDir()
		if c.file != "" {
			if err := os.WriteFile(filepath.Join(dir, c.file), []byte(c.content), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		_, _, err := Read(dir)
		var in *datasets.InputError
		if !errors.As(err, &in) || !strings.Contains(err.Error(), c.word) || in.Remedy == "" {
			t.Errorf("%s: %.200v", name, err)
		}
	}
	if _, _, err := Read(filepath.Join(t.TempDir(), "nowhere")); err == nil {
		t.Error("a folder that is not there is read")
	}
}

func FuzzText(f *testing.F) {
	f.Add("a.md", "# The *wall*\n- one\n```\nx\n```")
	f.Add("a.html", "<p>It <b>held</b><script>x</script>")
	f.Add("a.txt", "re-\npaired\f12\n")
	f.Fuzz(func(t *testing.T, name, content string) {
		text, err := textOf(name, content)
		if err == nil && (!utf8.ValidString(text) || strings.ContainsRune(text, '\f')) {
			t.Errorf("%q", text)
		}
	})
}

// textOf reads a file's content as Read does.
func textOf(file, content string) (string, error) {
	data, err := files.Text(file, []byte(content))
	if err != nil {
		return "", err
	}
	return running(file, data)
}
