package files

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestReadCorpusAndQueries(t *testing.T) {
	docs, err := ReadCorpus(strings.NewReader("\xef\xbb\xbf{\"id\":\"a\",\"text\":\"x\"}\n\n{\"_id\":\"b\",\"title\":\"T\",\"text\":\"y\"}\n"), "f")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]Document{{"a", "x"}, {"b", "T\ny"}}, docs); diff != "" {
		t.Error(diff)
	}
	for _, in := range []string{"{\"id\":\"1\",\"query\":\"tides\"}\n{\"_id\":\"2\",\"text\":\"seals\"}\n", "1\ttides\n2\tseals\n"} {
		q, err := ReadQueries(strings.NewReader(in), "f")
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff([]Query{{ID: "1", Text: "tides"}, {ID: "2", Text: "seals"}}, q); diff != "" {
			t.Error(diff)
		}
	}
	for in, want := range map[string]string{"": "empty", "{}": `f:1: there is no "id"`, "{\"id\":\"a b\",\"text\":\"x\"}": "white space", "{\"id\":\"a\",\"text\":\"x\"}\n{\"id\":\"a\",\"text\":\"x\"}": "f:2: the id \"a\" is already in line 1", "{": "f:1", "{\"id\":\"\xff\"}": "not UTF-8"} {
		if _, err := ReadCorpus(strings.NewReader(in), "f"); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", in, err, want)
		}
	}
	for in, want := range map[string]string{"1 tides": "f:1: a query line is", "1\tx\n1\ty": "f:2", "{\"id\":\"1\"}": "no text", "{\"id\":\"1\",\"query\":\" \"}": "no text"} {
		if _, err := ReadQueries(strings.NewReader(in), "f"); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", in, err, want)
		}
	}
}

func FuzzReadCorpus(f *testing.F) {
	f.Add("{\"id\":\"a\",\"text\":\"x\"}\n")
	f.Fuzz(func(t *testing.T, s string) {
		if docs, err := ReadCorpus(strings.NewReader(s), "f"); err == nil && len(docs) == 0 {
			t.Error("no documents are no error")
		}
	})
}

func FuzzReadQueries(f *testing.F) {
	f.Add("1\ttides\n")
	f.Add("{\"id\":\"1\",\"query\":\"tides\"}\n")
	f.Fuzz(func(t *testing.T, s string) {
		q, err := ReadQueries(strings.NewReader(s), "f")
		for _, x := range q {
			if err == nil && (x.ID == "" || x.Text == "") {
				t.Errorf("%+v", x)
			}
		}
	})
}

// Collections of the field call ids and texts by names of their own.
func TestSpellings(t *testing.T) {
	for _, line := range []string{
		`{"id": "1", "contents": "x"}`, `{"_id": "1", "text": "x"}`, `{"docid": 1, "body": "x"}`,
		`{"doc_id": 1, "passage": "x"}`, `{"document_id": "1", "segment": "x"}`, `{"query_id": 1, "text": "x"}`,
		`{"id": "1", "text": "", "contents": "x"}`, `{"ID": "1", "Text": "x"}`,
	} {
		docs, err := ReadCorpus(strings.NewReader(line), "f")
		if diff := cmp.Diff([]Document{{"1", "x"}}, docs); err != nil || diff != "" {
			t.Errorf("%s: %v %s", line, err, diff)
		}
	}
	docs, err := ReadCorpus(strings.NewReader(`{"docid": 12345678901234567890, "title": "T", "body": "x"}`), "f")
	if diff := cmp.Diff([]Document{{"12345678901234567890", "T\nx"}}, docs); err != nil || diff != "" {
		t.Errorf("%v %s", err, diff)
	}

	for _, line := range []string{
		`{"qid": 7, "query": "x"}`, `{"query_id": "7", "text": "x"}`, `{"id": 7, "request": "x"}`,
		`{"qid": "7", "title": "x"}`, `{"qid": "7", "docid": "d", "question": "x"}`,
	} {
		q, err := ReadQueries(strings.NewReader(line), "f")
		if diff := cmp.Diff([]Query{{"7", "x"}}, q); err != nil || diff != "" {
			t.Errorf("%s: %v %s", line, err, diff)
		}
	}

	for line, want := range map[string]string{
		`{"id": "1", "txt": "x"}`:        `f:1: there is no text: rename "txt" to "text"; the record has the fields id, txt`,
		`{"id": "1", "words": "x"}`:      `the record has the fields id, words; these names are read: text, contents`,
		`{"ids": "1", "text": "x"}`:      `there is no "id": rename "ids" to "id"`,
		`{"id": 1.5, "text": "x"}`:       "id is 1.5, which is neither text nor an integer",
		`{"id": "1", "text": ["x"]}`:     "text is a list, not text",
		`{"id": "1", "contents": {}}`:    "contents is an object, not text",
		`{"id": null, "text": "x"}`:      `there is no "id"`,
		`{"id": [1], "text": "x"}`:       "id is a list, not text",
		`{"id": true, "text": "x"}`:      "id is true or false, not text",
		`null`:                           "the record has no fields",
		`{"id": "1", "title": "a name"}`: "there is no text",
	} {
		if _, err := ReadCorpus(strings.NewReader(line), "f"); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", line, err, want)
		}
	}
}

// Documents without text are counted, and a corpus of nothing else is refused.
func TestBlankDocuments(t *testing.T) {
	dir := write(t, map[string]string{
		"one.jsonl": `{"id": "a", "text": "x"}` + "\n" + `{"id": "b", "text": " "}`,
		"all.jsonl": `{"id": "a", "text": null}` + "\n" + `{"id": "b", "contents": ""}`,
		"f/a.txt":   "  \n",
	})
	_, warnings, err := Corpus(dir + "/one.jsonl")
	if err != nil || len(warnings) != 1 || !strings.Contains(warnings[0], "1 of 2 documents have no text") {
		t.Errorf("%v %v", warnings, err)
	}
	for _, name := range []string{"/all.jsonl", "/f"} {
		if _, _, err := Corpus(dir + name); err == nil || !strings.Contains(err.Error(), "none of which has text") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Whatever a record holds, it is read or refused, and what is read has an id that was there.
func FuzzRecord(f *testing.F) {
	for _, s := range []string{
		`{"id": 1, "contents": "x"}`, `{"_id": "a", "title": "T", "text": null}`, `{"qid": 1e3}`, `null`, `[]`,
		`{"ID":"", "docid":{}, "text":[]}`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var r Record
		if json.Unmarshal(data, &r) != nil {
			return
		}
		doc, err := r.Document()
		if err == nil && !bytes.Contains(data, []byte(doc.ID)) && !bytes.ContainsAny(data, `\`) {
			t.Errorf("%s has the id %q", data, doc.ID)
		}
		if _, err := r.QueryText(); err != nil && err.Error() == "" {
			t.Error("an error without words")
		}
		var ids IDs
		if json.Unmarshal(data, &ids) == nil && string(data) != "null" && len(ids) > len(data) {
			t.Error("more ids than bytes")
		}
	})
}

// A record of a million fields would take gigabytes; a long list inside one does not count.
func TestFieldsAreBounded(t *testing.T) {
	many := strings.Repeat(`"k":1,`, mostFields)
	for line, want := range map[string]string{
		`{"id":"a",` + many + `"text":"x"}`:                "f:1: the record has more than 10000 fields",
		`{"id":"a","text":"x","more":{` + many + `"z":0}}`: "",
	} {
		_, err := ReadCorpus(strings.NewReader(line), "f")
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%.40s: %v, want %s", line, err, want)
		}
	}
}
