package run

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"lore/datasets"
	"lore/datasets/msrs"
	"lore/local"
)

// FuzzAnswers: a file of answers is read into one output per item, or refused as bad
// input.
func FuzzAnswers(f *testing.F) {
	for _, s := range []string{`{"item":"0","answer":"x"}`, `["a","b"]`, "", "[", `{"item":"0"}`, `{"item":"0","answer":"x"}` + "\n" + `{"item":"0","answer":"y"}`} {
		f.Add([]byte(s))
	}
	ds, err := msrs.Benchmark{}.Load(nil)
	if err != nil {
		f.Fatal(err)
	}
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, data []byte) {
		path := filepath.Join(dir, "answers.jsonl")
		if err := os.WriteFile(path, data, 0o666); err != nil {
			t.Fatal(err)
		}
		a, err := ReadAnswers([]string{path}, msrs.Benchmark{}, ds)
		if err != nil {
			var input *datasets.InputError
			if !errors.As(err, &input) {
				t.Errorf("%v is no error of input", err)
			}
			return
		}
		for _, it := range ds.Items {
			if out, ok := a.Outputs[it.ID()]; !ok || (out.Outcome == local.OK) != (out.Reason == "") {
				t.Errorf("item %s: %+v", it.ID(), out)
			}
		}
	})
}

// A file of another form is refused in words, with what would be one.
func TestAnswersOfAnotherForm(t *testing.T) {
	ds, err := msrs.Benchmark{}.Load(nil)
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{
		`[{"item":"0","answer":"x"}]`: "row 1 is an object, not a text; answers are lines of",
		`["a", 7]`:                    "row 2 is a number, not a text",
		`{"item":0.5,"answer":"x"}`:   "line 1: its item is a JSON number, not a text; answers are lines of",
		`"x"`:                         "line 1: is a JSON string, not an object",
	} {
		path := filepath.Join(t.TempDir(), "answers.jsonl")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := ReadAnswers([]string{path}, msrs.Benchmark{}, ds); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
}

// Files of one name are one system where they answer different items; two answers of one item are refused.
func TestAnswersInSeveralFiles(t *testing.T) {
	ds, err := msrs.Benchmark{}.Load(nil)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	file := func(name string, items ...datasets.Item) string {
		text := ""
		for _, it := range items {
			text += fmt.Sprintf("{\"item\": %q, \"answer\": %q}\n", it.ID(), "by "+name)
		}
		path := filepath.Join(dir, name+".jsonl")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	one, two := file("one", ds.Items[0]), file("two", ds.Items[1])

	a, err := ReadAnswers([]string{one, two}, msrs.Benchmark{}, ds)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{"by one", "by two", ""} {
		if out := a.Outputs[ds.Items[i].ID()]; out.Text != want || i == 2 && out.Reason != "there is no answer in one.jsonl, two.jsonl" {
			t.Errorf("item %d: %+v", i, out)
		}
	}
	_, err = ReadAnswers([]string{one, file("again", ds.Items[1], ds.Items[0])}, msrs.Benchmark{}, ds)
	if err == nil || !strings.Contains(err.Error(), "which another file of the same name answers, too") {
		t.Errorf("%v", err)
	}
}
