package long2rag

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

func TestReadMapped(t *testing.T) {
	m, err := ReadMapping("question=ask, documents.text=body,key_points=facts")
	if err != nil {
		t.Fatal(err)
	}
	qs, err := ReadMapped("f", []byte(`[{"qid":7,"ask":"Why?","type":"Causal Questions","topic":"AI","docs":[{"url":"http://x y","body":"One."},"Two."],"facts":["A.",{"point":"B.","span":"One."}]},
		{"ask":"How?","docs":[],"facts":["C."]}]`), m)
	if err != nil {
		t.Fatal(err)
	}
	got, err := json.Marshal(qs)
	if err != nil {
		t.Fatal(err)
	}
	want := `[{"id":"7","question":"Why?","category":"causal","domain":"AI","documents":[{"id":"7-d1","text":"One."},{"id":"7-d2","text":"Two."}],"key_points":[{"id":"p1","text":"A."},{"id":"p2","text":"B.","spans":["One."]}]},` +
		`{"id":"q002","question":"How?","documents":null,"key_points":[{"id":"p1","text":"C."}]}]`
	if string(got) != want {
		t.Errorf("%s", got)
	}
	if notes := CheckCounts(qs); len(notes) != 3 || !strings.Contains(notes[0], "2 questions where the paper has 280") {
		t.Errorf("%q", notes)
	}
	plain, err := ReadMapped("sample", sample, nil)
	if err != nil || len(plain) != 8 || fmt.Sprint(plain[0].KeyPoints[1].Documents) != "[tramway-d2]" {
		t.Errorf("lore's own form: %v", err)
	}
}

func TestReadMappedErrors(t *testing.T) {
	for _, s := range []string{"question", "question=", "answer=x"} {
		if _, err := ReadMapping(s); err == nil {
			t.Errorf("%q is taken", s)
		}
	}
	for data, word := range map[string]string{
		"":                              "holds no questions",
		"[{]":                           "line 1: is no JSON of questions",
		`{"question":["a"]}`:            `the field "question" is not a text`,
		`{"question":"a"}`:              "has no key points",
		`{"question":"a","docs":"x"}`:   `the field "docs" is not a list`,
		`{"question":"a","points":[7]}`: "neither an object nor a text",
		`{"question":"a","points":[{"point":"b","spans":7}]}`: `the field "spans" is not a list of texts`,
	} {
		if _, err := ReadMapped("f", []byte(data), nil); err == nil || !strings.Contains(err.Error(), word) {
			t.Errorf("%s: %v", data, err)
		}
	}
}

func FuzzReadMapped(f *testing.F) {
	f.Add([]byte(`[{"qid":7,"ask":"Why?","docs":[{"url":"x","body":"One."},"Two."],"facts":["A."]}]`), "question=ask")
	f.Fuzz(func(_ *testing.T, data []byte, mapping string) {
		if m, err := ReadMapping(mapping); err == nil {
			_, _ = ReadMapped("x", data, m)
		}
	})
}
