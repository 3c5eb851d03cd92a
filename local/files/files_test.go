package files

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestText(t *testing.T) {
	for content, want := range map[string]string{
		"plain":             "",
		"\ufeffmarked":      "",
		"":                  "",
		"\xff\xfea\x00":     "UTF-16",
		"%PDF-1.7":          "PDF",
		"a\x00b":            "byte 2",
		"a\x00b\x00":        "is UTF-16, or binary",
		"\x00a\x00b":        "is UTF-16, or binary",
		"one\ntwo\nth\xe9e": "line 3",
	} {
		got, err := Text("f", []byte(content))
		if want == "" {
			if err != nil || string(got) != strings.TrimPrefix(content, "\ufeff") {
				t.Errorf("%q: %q, %v", content, got, err)
			}
			continue
		}
		var bad *Error
		if !errors.As(err, &bad) || !strings.Contains(err.Error(), want) || bad.Remedy == "" {
			t.Errorf("%q: %v, want %s", content, err, want)
		}
	}
}

func write(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, content := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// One rule for ids: the path below the folder, without ending and white space.
func TestFolder(t *testing.T) {
	dir := write(t, map[string]string{"b.md": "two", "a/my file.txt": "\ufeffone", "skip.pdf": "x", ".hidden.txt": "x"})
	got, err := Folder(dir)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff([]Document{{"a/my_file", "one"}, {"b", "two"}}, got); d != "" {
		t.Error(d)
	}

	for name, c := range map[string]struct {
		files map[string]string
		word  string
	}{
		"none":     {map[string]string{"a.pdf": "x"}, "has no .txt"},
		"twice":    {map[string]string{"a.txt": "x", "a.md": "x"}, "has the id"},
		"encoding": {map[string]string{"a.txt": "\xe9"}, "not UTF-8"},
	} {
		_, err := Folder(write(t, c.files))
		var bad *Error
		if !errors.As(err, &bad) || !strings.Contains(err.Error(), c.word) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := Folder(filepath.Join(dir, "nowhere")); err == nil || !strings.Contains(err.Error(), "no such") {
		t.Errorf("%v", err)
	}
}

// An error names its file once, and what is an Error already stays as it is.
func TestWrap(t *testing.T) {
	if err := Wrap("f", nil); err != nil {
		t.Errorf("%v", err)
	}
	if err := Wrap("f", errors.New("f: line 2: is odd")); err.Error() != "f: line 2: is odd" {
		t.Errorf("%v", err)
	}
	own := &Error{File: "g", Msg: "is odd"}
	if err := Wrap("f", own); err != own {
		t.Errorf("%v", err)
	}
}

// A sheet that people filled in is read, or refused with its line.
func FuzzEachRow(f *testing.F) {
	for _, s := range []string{"a,b\n1,2\n", "\ufeffa,b\n1\n", "a\n", "", "a,b\n\"1,2\n", "a;b\n1;2\n"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		err := EachRow("f", data, []string{"a", "b"}, "mend it", func(get func(string) string) error {
			if get("nowhere") != "" {
				t.Error("a column that is not there has a cell")
			}
			return nil
		})
		var bad *Error
		if err != nil && !errors.As(err, &bad) {
			t.Errorf("%v is not an Error", err)
		}
	})
}

// A list is read value by value, and what is none is refused.
func TestEachValue(t *testing.T) {
	var got []string
	keep := func(place, s string) error { got = append(got, place+" "+s); return nil }
	if err := EachValue([]byte(` ["a", "b"] `), keep); err != nil || strings.Join(got, ",") != "row 1 a,row 2 b" {
		t.Errorf("%q %v", got, err)
	}
	for data, want := range map[string]string{
		"": "EOF", "{}": "not a JSON list", `["a"`: "bracket", `["a", 1]`: "row 2: json", `["a"] x`: "goes on", `["a"][]`: "goes on",
	} {
		if err := EachValue([]byte(data), keep); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", data, err, want)
		}
	}
}

func FuzzEachValue(f *testing.F) {
	for _, s := range []string{`["a"]`, `[]`, `[1,{}]`, `[`, `[]]`, `null`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var list []any
		n := 0
		err := EachValue(data, func(string, any) error { n++; return nil })
		if valid := json.Unmarshal(data, &list) == nil && list != nil; valid != (err == nil) || valid && n != len(list) {
			t.Errorf("%s: %d values and %v, want %d", data, n, err, len(list))
		}
	})
}
