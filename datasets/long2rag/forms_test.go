package long2rag

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// forms are the same three questions in every form that people keep them in.
func forms(t *testing.T) (want []Question, inForm map[string]string) {
	t.Helper()
	var lines, pretty, list []string
	for i, word := range []string{"wall", "mill", "quay"} {
		q := Question{
			ID: fmt.Sprintf("q%d", 3-i), Text: "Why the " + word + "?",
			Documents: []Document{{ID: "d" + word, Text: "The " + word + " held, \u2028{\"no\": \"end\"}."}},
			KeyPoints: []KeyPoint{{ID: "p1", Text: "The " + word + " held."}},
		}
		want = append(want, q)
		one, err := json.Marshal(q)
		if err != nil {
			t.Fatal(err)
		}
		wide, err := json.MarshalIndent(q, "", "  ")
		if err != nil {
			t.Fatal(err)
		}
		lines, pretty, list = append(lines, string(one)), append(pretty, string(wide)), append(list, string(one))
	}

	var keyed []string
	for i, q := range want {
		without := strings.Replace(list[i], fmt.Sprintf(`"id":%q,`, q.ID), "", 1)
		keyed = append(keyed, fmt.Sprintf("%q: %s", q.ID, without))
	}
	object := "{\n" + strings.Join(keyed, ",\n") + "\n}"
	return want, map[string]string{
		"lines":                  strings.Join(lines, "\n"),
		"lines, mark, CRLF":      "\ufeff" + strings.Join(lines, "\r\n") + "\r\n\r\n",
		"no line between":        strings.Join(lines, ""),
		"indented":               strings.Join(pretty, "\n"),
		"indented, mark, CRLF":   "\ufeff" + strings.ReplaceAll(strings.Join(pretty, "\n\n"), "\n", "\r\n"),
		"list":                   "[" + strings.Join(list, ",") + "]",
		"list, indented, mark":   "\ufeff[\n" + strings.Join(pretty, ",\n") + "\n]\n",
		"object by id":           object,
		"object by id, one line": strings.ReplaceAll(object, "\n", " "),
		"object of a list":       `{"questions": [` + strings.Join(list, ",") + "]}",
		"object of an object":    `{"data": ` + object + "}",
	}
}

// Every form gives the same questions in the same order, in lore's own names and in others, as a file and in a folder.
func TestEveryForm(t *testing.T) {
	want, inForm := forms(t)
	for name, text := range inForm {
		own, err := ReadQuestions("f", []byte(text))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if d := cmp.Diff(want, own); d != "" {
			t.Errorf("%s:\n%s", name, d)
		}
		other := strings.NewReplacer(`"question":`, `"ask":`, `"key_points":`, `"points":`).Replace(text)
		mapped, err := ReadMapped("f", []byte(other), Mapping{"question": "ask"})
		if d := cmp.Diff(want, mapped); err != nil || d != "" {
			t.Errorf("%s, mapped: %v\n%s", name, err, d)
		}

		dir := t.TempDir()
		file := filepath.Join(dir, "questions.json")
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		for _, path := range []string{file, dir} {
			ds, err := Benchmark{}.Load([]string{path})
			if err != nil || len(ds.Items) != 3 || ds.Items[0].ID() != "q3" {
				t.Errorf("%s from %s: %v", name, path, err)
			}
		}
	}
}

// One question alone is one in every form, and what has an id of its own keeps it.
func TestOneQuestion(t *testing.T) {
	const q = `"question":"Why?","documents":[{"id":"d","text":"x"}],"key_points":[{"text":"k"}]}`
	for text, id := range map[string]string{
		`{"id":"a",` + q: "a", `[{"id":"a",` + q + "]": "a", `{"b":{` + q + "}": "b", `{"b":{"id":"a",` + q + "}": "a",
	} {
		got, err := ReadQuestions("f", []byte(text))
		if err != nil || len(got) != 1 || got[0].ID != id {
			t.Errorf("%s: %+v %v", text, got, err)
		}
	}
}

// Documents and key points may be objects by their ids in files to import.
func TestPartsByID(t *testing.T) {
	got, err := ReadMapped("f", []byte(`{"q": {"question": "Why?", "docs": {"b": "One.", "a": {"content": "Two."}},
		"points": {"k2": "First.", "k1": {"id": "own", "point": "Second."}}}}`), nil)
	if err != nil {
		t.Fatal(err)
	}
	want := []Question{{ID: "q", Text: "Why?", Documents: []Document{{ID: "b", Text: "One."}, {ID: "a", Text: "Two."}},
		KeyPoints: []KeyPoint{{ID: "k2", Text: "First."}, {ID: "own", Text: "Second."}}}}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

func TestBrokenForms(t *testing.T) {
	const good = `{"id":"a","question":"q","documents":[{"id":"d","text":"x"}],"key_points":[{"text":"k"}]}`
	for text, word := range map[string]string{
		good + "\n{\"id\":\n \"b\"":           "f: line 2: unexpected end of the JSON that begins here",
		good + "\n{\"id\":\n ]":               "f: line 2: the JSON that begins here breaks on line 3",
		"[" + good + ", 7]":                   "f: entry 2: ",
		`{"a":` + good + `,"a":` + good + `}`: `f: line 1: "a" is there twice`,
		`{"a":` + good + `,"n":3}`:            "f: line 1: ",
		"\"text\"":                            "f: line 1: ",
		"7":                                   "f: line 1: ",
		"{}":                                  "f: line 1: ",
		"{\"questions\": []}":                 "holds no questions",
	} {
		if _, err := ReadQuestions("f", []byte(text)); err == nil || !strings.Contains(err.Error(), word) {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// A corpus may have these forms, too.
func TestCorpusForms(t *testing.T) {
	for _, text := range []string{
		`{"id":"2","text":"y"}` + "\n" + `{"id":"9","text":"w"}`,
		`[{"id":"2","text":"y"}, {"id":"9","text":"w"}]`,
		"{\n\"2\": {\"text\":\"y\"},\n\"9\": {\"contents\":\"w\"}}",
		"\ufeff{\"id\":\"2\",\n\"text\":\"y\"}\r\n{\"id\":\"9\",\n\"text\":\"w\"}",
	} {
		file := filepath.Join(t.TempDir(), "corpus.json")
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		ds, err := Benchmark{CorpusFile: file}.Load(nil)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		docs := ds.Corpora[0].Documents
		if last := docs[len(docs)-2:]; last[0].ID != "2" || last[0].Text != "y" || last[1].ID != "9" || last[1].Text != "w" {
			t.Errorf("%s: %+v", text, last)
		}
	}
}

func FuzzForms(f *testing.F) {
	f.Add([]byte(`{"a":{"question":"q"},"b":{}}`))
	f.Add([]byte("[{}]\n{"))
	f.Fuzz(func(t *testing.T, data []byte) {
		n := 0
		_ = eachEntry(data, isQuestion, func(e entry) error {
			n++
			if e.place == "" || !json.Valid(e.raw) || !json.Valid(e.withID(false)) && e.raw[0] == '{' {
				t.Errorf("%+v", e)
			}
			return nil
		})
		if _, err := ReadQuestions("x", data); err == nil && n == 0 {
			t.Error("no questions and no error")
		}
	})
}
