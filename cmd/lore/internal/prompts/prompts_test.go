package prompts

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"lore/local/prompt"
)

// Every prompt has a purpose, and every purpose a prompt.
func TestPurposes(t *testing.T) {
	lib, err := All()
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range lib.Names {
		if Purpose(n) == "" {
			t.Errorf("nobody says what %s is for", n)
		}
		if _, err := prompt.Parse(n, lib.Texts[n]); err != nil {
			t.Error(err)
		}
	}
	for n := range purposes {
		if !slices.Contains(lib.Names, n) {
			t.Errorf("%s has a purpose and is no prompt", n)
		}
	}
	if got := lib.Below("rerank"); len(got) != 4 || lib.Below("rerank/letters.txt")[0] != "rerank/letters.txt" || lib.Below("rer") != nil {
		t.Errorf("below rerank there are %v", got)
	}
}

func write(t *testing.T, root, path, text string) {
	t.Helper()
	file := filepath.Join(root, filepath.FromSlash(path))
	if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

// Versions are found by path, below prompts/, and below prompts/BENCHMARK/, where files need not name the
// benchmark. What editors leave beside files is no prompt.
func TestParse(t *testing.T) {
	root := t.TempDir()
	write(t, root, "a/summhay/answer.txt", "A {{.Query}}")
	write(t, root, "prompts/b/summhay/answer.txt", "B {{.Query}}")
	write(t, root, "prompts/b/summhay/answer.txt~", "older")
	write(t, root, "prompts/b/summhay/.answer.txt.swp", "x")
	write(t, root, "prompts/summhay/c d/answer.txt", "C {{.Query}}")
	write(t, root, "prompts/summhay/builtin/answer.txt", "never read")

	for _, bench := range []string{"summhay", ""} {
		got, err := Parse([]string{"a", "b", "c d", Builtin}, root, bench)
		if err != nil {
			t.Fatal(err)
		}
		for i, want := range []struct{ name, text string }{{"a", "A {{.Query}}\n"}, {"b", "B {{.Query}}\n"}, {"c_d", "C {{.Query}}\n"}, {Builtin, ""}} {
			if v := got[i]; v.Name != want.name || v.Texts["summhay/answer.txt"] != want.text || want.text != "" && len(v.Texts) != 1 {
				t.Errorf("%s: %+v", want.name, v)
			}
		}
	}
	for name, want := range map[string]string{
		"prompts/summhay/builtin":    "has the name of lore's own prompts",
		"prompts":                    "replaces no prompt; did you mean --prompts " + filepath.Join(root, "prompts", "b") + "?",
		filepath.Join(root, "a", ""): "",
		"../prompts":                 "is not a folder",
	} {
		if _, err := Parse([]string{name}, root, "summhay"); (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", name, err, want)
		}
	}
}

// A file with a wrong name is told the path where the command's benchmark would find it.
func TestWrongNames(t *testing.T) {
	root := t.TempDir()
	write(t, root, "prompts/nn/answer.txt", "{{.Query}}")
	write(t, root, "prompts/typo/sumhay/answer.txt", "{{.Query}}")
	write(t, root, "prompts/near/anser.txt", "{{.Query}}")
	write(t, root, "prompts/judging/coverage.txt", "{{.Question}}")
	write(t, root, "prompts/long2rag/own/point.txt", "{{.Query}}")
	for _, c := range []struct{ name, bench, want string }{
		{"nn", "summhay", "nn/summhay/answer.txt"},
		{"nn", "long2rag", "nn/long2rag/answer.txt"},
		{"nn", "", "nn/"},
		{"typo", "summhay", "typo/summhay/answer.txt"},
		{"near", "crux", "near/crux/answer.txt"},
		{"judging", "summhay", "judging/judge/coverage.txt"},
		{"own", "long2rag", "long2rag/own/points.txt"},
	} {
		_, err := Parse([]string{c.name}, root, c.bench)
		if err == nil || !strings.Contains(err.Error(), "replaces no prompt; did you mean "+filepath.Join(root, "prompts", c.want)) {
			t.Errorf("%s of %s: %v", c.name, c.bench, err)
		}
	}
}

// A link in a version is refused by its name: it was left out, and nobody was told.
func TestLinksAreRefused(t *testing.T) {
	root := t.TempDir()
	write(t, root, "other/answer.txt", "{{.Query}}")
	write(t, root, "v/judge/coverage.txt", "{{.Question}}")
	if err := os.Symlink(filepath.Join(root, "other"), filepath.Join(root, "v", "summhay")); err != nil {
		t.Fatal(err)
	}
	if _, err := Parse([]string{"v"}, root, "summhay"); err == nil || !strings.Contains(err.Error(), filepath.Join(root, "v", "summhay")+": is a link") {
		t.Errorf("a folder: %v", err)
	}

	if err := os.Rename(filepath.Join(root, "v", "summhay"), filepath.Join(root, "v", ".#summhay")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Join(root, "v"), filepath.Join(root, "now")); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"v", "now"} { // what an editor leaves, and a version that is a link itself
		if got, err := Parse([]string{name}, root, "summhay"); err != nil || len(got[0].Texts) != 1 {
			t.Errorf("%s: %v, %v", name, got, err)
		}
	}
}

// A version that hides from the model what lore's own shows it is told of, field by field.
func TestLacks(t *testing.T) {
	lib, err := All()
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string][]string{
		"{{.Query}}{{range .Passages}}{{.Text}}{{end}}":                               nil,
		"{{$.Query}}{{range $p := .Passages}}{{$p.Text}}{{end}}":                      nil,
		`{{define "q"}}{{.Query}}{{end}}{{template "q" .}}{{len .Passages}}`:          nil,
		"Say something.{{range .Passages}}{{.Text}}{{end}}":                           {"{{.Query}}"},
		"--- system\nBe brief.\n--- user\nAnswer this.{{if .Bullets}} Please.{{end}}": {"{{.Passages}}", "{{.Query}}"},
	} {
		got := Version{Name: "v", Texts: map[string]string{"summhay/answer.txt": text}}.Lacks(lib)
		if len(got) != len(want) {
			t.Errorf("%s: %q", text, got)
			continue
		}
		for i, field := range want {
			if !strings.HasPrefix(got[i], "summhay/answer.txt of v: does not use "+field) {
				t.Errorf("%s: %q", text, got)
			}
		}
	}
	for name, text := range lib.Texts {
		if got := (Version{Name: "v", Texts: map[string]string{name: text}}).Lacks(lib); got != nil {
			t.Errorf("%s as it is: %q", name, got)
		}
	}
}

// What nobody sees makes no other version: line ends of Windows, a mark in front, lines at the end.
func TestInvisibleDifferences(t *testing.T) {
	root := t.TempDir()
	for name, text := range map[string]string{"a": "One\n{{.Query}}\n", "b": "\ufeffOne\r\n{{.Query}}\r\n\r\n", "c": "One\n{{.Query}}"} {
		write(t, root, name+"/summhay/answer.txt", text)
	}
	got, err := Parse([]string{"a", "b", "c"}, root, "summhay")
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range got {
		if v.Texts["summhay/answer.txt"] != "One\n{{.Query}}\n" {
			t.Errorf("%s: %q", v.Name, v.Texts["summhay/answer.txt"])
		}
	}
}

// Whatever is written for a name, it is found or refused in words.
func FuzzParse(f *testing.F) {
	for _, s := range []string{"a", "builtin", "../x", "/", "", "a,b", "prompts/b", ".", "a\x00b"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, name string) {
		root := t.TempDir()
		write(t, root, "prompts/b/summhay/answer.txt", "B {{.Query}}")
		if !filepath.IsLocal(name) {
			return // it may be any folder of this machine
		}
		got, err := Parse([]string{name}, root, "summhay")
		if err != nil && err.Error() == "" || err == nil && (len(got) != 1 || got[0].Name == "") {
			t.Errorf("%q: %v, %v", name, got, err)
		}
	})
}

// A version that is read tells which prompts changed.
func TestChanged(t *testing.T) {
	a := Version{Texts: map[string]string{"x": "1", "y": "1"}}
	b := Version{Texts: map[string]string{"x": "2", "z": "1"}}
	if got := Changed(a, b); !slices.Equal(got, []string{"x", "y", "z"}) {
		t.Error(got)
	}
	if got := Changed(a, a); len(got) != 0 {
		t.Error(got)
	}
}
