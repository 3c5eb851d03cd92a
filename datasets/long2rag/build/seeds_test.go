package build

import (
	"strings"
	"testing"
)

func TestReadSeeds(t *testing.T) {
	got, _, err := ReadSeeds("f",
		[]byte("Why is it so?\n\n{\"id\":\"x\",\"question\":\"How?\",\"category\":\"causal\"}\n"))
	if err != nil || len(got) != 2 || got[0].ID != "s1" || got[1].Category != "causal" {
		t.Errorf("%+v %v", got, err)
	}
	for data, word := range map[string]string{"": "holds no questions", "{": "is not a question",
		`{"question":" "}`: "is not a question", `{"question":"a","category":"odd"}`: "unknown category",
		`{"id":"a b","question":"a"}`: "white space (U+0020)"} {
		if _, _, err := ReadSeeds("f", []byte(data)); err == nil || !strings.Contains(err.Error(), word) {
			t.Errorf("%q: %v", data, err)
		}
	}
}

func FuzzReadSeeds(f *testing.F) {
	for _, name := range []string{"x.txt", "x.csv", "x.jsonl"} {
		f.Add(name, []byte("Why?\n{\"question\":\"How?\"}"))
		f.Add(name, []byte("# list\n- Why?\n1) How?\n"))
		f.Add(name, []byte("id;question\n1;\"Why; then?\"\n"))
		f.Add(name, []byte("q1\tWhy?\n"))
		f.Add(name, []byte(`["Why?",{"question":"How?"}]`))
		f.Add(name, []byte(`{"list":["Why?"]}`))
	}
	f.Fuzz(func(t *testing.T, name string, data []byte) {
		seeds, _, err := ReadSeeds(name, data)
		if err == nil && len(seeds) == 0 {
			t.Error("no questions, and no error")
		}
	})
}

// Seeds are read under the usual names of fields, with and without an id.
func TestSeedSpellings(t *testing.T) {
	seeds, _, err := ReadSeeds("f", []byte(`{"qid":7,"query":"Why?"}`+"\n"+`{"question":"How?"}`+"\nWhen?"))
	if err != nil || len(seeds) != 3 || seeds[0] != (Seed{ID: "7", Text: "Why?"}) || seeds[1].ID != "s2" {
		t.Errorf("%+v, %v", seeds, err)
	}
}

// Questions are read in the forms that people have them in, and notes say what was done.
func TestFormsOfQuestions(t *testing.T) {
	for title, c := range map[string]struct{ file, data, ids, texts, note string }{
		"CSV":             {"q.csv", "Nr,Question,Answer\n1,\"Why, then?\",x\n2,How?,y\n", "1 2", "Why, then?|How?", `2 questions in the column "Question"; not read: "Answer"`},
		"of Excel":        {"q.csv", "\ufeffsep=;\r\nFrage;Datum\r\nWarum, bitte?;1.2.\r\n;\r\nWie?;\r\n", "s1 s2", "Warum, bitte?|Wie?", `rows without one, left out: 1; not read: "Datum"`},
		"TSV":             {"q.tsv", "id\tquestion_text (as asked)\na\t\"Why\" is it so?\nb\tHow?\n", "a b", `"Why" is it so?|How?`, "2 questions in the column"},
		"without ending":  {"q", "query;user\nWhy?;7\nHow?;7\n", "s1 s2", "Why?|How?", `in the column "query"; not read: "user"`},
		"ids of users":    {"q.csv", "id,question\n7,Why?\n7,How?\n", "s1 s2", "Why?|How?", `not read: "id"`},
		"own categories":  {"q.csv", "question,category\nWhy?,billing\nHow?,causal\n", "s1 s2", "Why?|How?", `not read: "category"`},
		"one column":      {"q.csv", "question\nWhy, then?\nHow?\n", "s1 s2", "Why, then?|How?", `2 questions in the column "question"`},
		"no heading":      {"q.csv", "Why?\nHow?\n", "s1 s2", "Why?|How?", "only column, which has no heading"},
		"ids and tabs":    {"q.txt", "q7\tWhy?\nq8\tHow?\n", "q7 q8", "Why?|How?", "an id, a tab and the question"},
		"list of texts":   {"q.json", "[\"Why?\",\n\"How?\"]", "s1 s2", "Why?|How?", "2 questions of a JSON list"},
		"list of objects": {"q.txt", `[ {"qid":4,"query":"Why?"}, {"question":"How?"}]`, "4 s2", "Why?|How?", "2 questions of a JSON list"},
		"packed":          {"q.json", "{\"made\": 3,\n \"items\": [\"Why?\", \"How?\"]}", "s1 s2", "Why?|How?", `q.json, field "items": 2 questions`},
		"lines of texts":  {"q.jsonl", "\"Why?\"\n{\"question\":\"How?\"}", "s1 s2", "Why?|How?", ""},
		"plain":           {"q.txt", "[draft] Why?\n#5 is late: how?", "s1 s2", "[draft] Why?|#5 is late: how?", ""},
		"a list":          {"q.md", "# Questions\n\n- Why?\n* How?\n1. When?\n2) Who?\n", "s1 s2 s3 s4", "Why?|How?|When?|Who?", "4 questions, a line each; marks of a list taken off: 4, lines that begin with # left out: 1"},
		"repeated":        {"q.txt", "Why?\nHow?\n- why? \n", "s1 s2", "Why?|How?", `1 of 3 questions are there already, and each is asked once: "why?" (line 3, like line 1)`},
	} {
		seeds, notes, err := ReadSeeds(c.file, []byte(c.data))
		var ids, texts []string
		for _, s := range seeds {
			ids, texts = append(ids, s.ID), append(texts, s.Text)
		}
		if err != nil || strings.Join(ids, " ") != c.ids || strings.Join(texts, "|") != c.texts {
			t.Errorf("%s: %q, %v", title, seeds, err)
		}
		if got := strings.Join(notes, "\n"); !strings.Contains(got, c.note) || (c.note == "") != (got == "") {
			t.Errorf("%s: %s", title, got)
		}
	}
}

// What looks like a table or JSON and cannot be read so is refused, with its place and what to do.
func TestBadForms(t *testing.T) {
	for data, c := range map[string]struct{ file, msg string }{
		"Datum,Text der Frage\n1.2.,Why?\n":   {"q.csv", `line 1: has no column of questions; its columns are "Datum", "Text der Frage"; call the column "question"`},
		"question,user\nWhy, then?,7\n":       {"q.csv", "line 2: has 3 cells, and the heading 2; put cells"},
		"question,user\nWhy,\"x\ny":           {"q.csv", "is not CSV"},
		"a b\tWhy?\nc\tHow?\n":                {"q.txt", "has no column of questions"},
		"[\"Why?\",":                          {"q.json", "begins as a JSON list, and is none"},
		"[7]":                                 {"q.json", "row 1: is not a question"},
		"{\n\"a\": [\"Why?\"], \"b\": [1]}":   {"q.json", "one JSON object with 2 lists"},
		"Why?\n":                              {"q.jsonl", "line 1: is not a question"},
		"# only\n\n":                          {"q.txt", "holds no questions"},
		"-----\n":                             {"q.txt", "line 1: is not a question"},
		"question\n\n":                        {"q.csv", "holds no questions"},
		"{\"question\":\"Why?\"}\n{\"query\"": {"q.txt", "line 2: is not a question"},
	} {
		if _, _, err := ReadSeeds(c.file, []byte(data)); err == nil || !strings.Contains(err.Error(), c.msg) {
			t.Errorf("%q: %v", data, err)
		}
	}
}
