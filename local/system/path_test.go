package system

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
)

func value(t *testing.T, data string) any {
	t.Helper()
	v, err := decode(data)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func mustPath(t *testing.T, s string) Path {
	t.Helper()
	if s == "" {
		return Path{}
	}
	p, err := ParsePath(s)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

const sample = `{"choices":[{"message":{"content":"It held.","finish-reason":"stop"}},{"message":{}}],
	"a.b":{"it's \"x\"":1},"docs":[{"id":"d1","s":[1,2]},{"s":[3]},{"id":12345678901234567890}],"empty":[],"none":null,"n":3,"yes":true}`

func TestPaths(t *testing.T) {
	v := value(t, sample)
	for path, want := range map[string]string{
		"choices[0].message.content":            `["It held."]`,
		"$.choices[0]['message'].content":       `["It held."]`,
		"choices[-2].message.finish-reason":     `["stop"]`,
		"choices[*].message.content":            `["It held."]`, // what lacks it is passed over
		`["a.b"]["it's \"x\""]`:                 `[1]`,
		`$["a.b"]['it\'s "x"']`:                 `[1]`,
		"docs[*].id":                            `["d1",12345678901234567890]`,
		"docs[*].s[*]":                          `[1,2,3]`,
		"docs[*].s":                             `[[1,2],[3]]`,
		"docs.*.id":                             `["d1",12345678901234567890]`,
		"choices[0].message.*":                  `["It held.","stop"]`, // in the order of names
		"none":                                  `[null]`,
		"empty":                                 `[[]]`,
		" n ":                                   `[3]`,
		"choices[0].mesage.content":             "the reply has no mesage: at choices[0] is an object with message; did you mean message?",
		"choices[2].message":                    "the reply has no [2]: at choices is a list of 2",
		"choices.message.content":               "the reply has no message: at choices is a list of 2; write choices[0] for its first value, or choices[*] for all",
		"empty[*].id":                           "the reply has no [*]: at empty is an empty list",
		"n.x":                                   "the reply has no x: at n is a number",
		"none.x":                                "the reply has no x: at none is null",
		"choices[0].message.content.text":       "the reply has no text: at choices[0].message.content is a text",
		"choice":                                "the reply has no choice: at its top is an object with a.b, choices, docs, empty, n, none, yes; did you mean choices?",
		"yes[0]":                                "the reply has no [0]: at yes is true or false",
		"docs[*].nothing":                       "the reply has no nothing: at docs[*] is an object with id, s",
		"choices[1].message.content":            "the reply has no content: at choices[1].message is an empty object",
		"docs[0][0]":                            "the reply has no [0]: at docs[0] is an object with id, s",
		"choices[999999999].message['content']": "the reply has no [999999999]: at choices is a list of 2",
	} {
		found, miss := mustPath(t, path).Find(v)
		got := ""
		if miss != nil {
			got = miss.Error()
		} else if data, err := json.Marshal(found); err == nil {
			got = string(data)
		}
		if got != want {
			t.Errorf("%s: %s, want %s", path, got, want)
		}
	}
	if found, miss := mustPath(t, "$").Find("x"); miss != nil || found[0] != "x" {
		t.Errorf("$: %v %v", found, miss)
	}
	for _, bad := range []string{"", " ", "a..b", "a[", "a[1", "a[x]", ".a", "a b", "a[?@.x]", "a.1x", "$a", "a[1:2]", `["a]`, "a,b"} {
		if p, err := ParsePath(bad); err == nil {
			t.Errorf("%q is read as %+v", bad, p.steps)
		}
	}
}

func TestTemplates(t *testing.T) {
	s := &Service{
		Query: []Param{{"q", "{{ query }}"}, {"n", "{{k}}"}, {"of", "a b"}},
		Body:  map[string]any{"text": "Q: {{query}}!", "k": "{{k}}", "as text": "{{k}} documents", "list": []any{"{{id}}", json.Number("1.50"), nil, true}},
	}
	got := s.Content(Ask{Query: `He said "{{k}}" & <left>` + "\n", ID: "t/1", K: 7})
	want := "q=He+said+%22%7B%7Bk%7D%7D%22+%26+%3Cleft%3E%0A&n=7&of=a+b\n" +
		`{"as text":"7 documents","k":7,"list":["t/1",1.50,null,true],"text":"Q: He said \"{{k}}\" \u0026 \u003cleft\u003e\n!"}`
	if got != want {
		t.Errorf("%s\nwant %s", got, want)
	}

	s.URL = "http://h/x?fixed=1#v2"
	if target, body := s.parts(got); !strings.HasPrefix(target, "http://h/x?fixed=1&q=He+") || !strings.HasPrefix(body, "{") {
		t.Errorf("%s %s", target, body)
	}
	for text, want := range map[string]string{"{{query}} {{ id }}": "", "{{questoin}}": "templates hold", "{{qury}}": "did you mean {{query}}?", "{x} }}": ""} {
		if err := CheckTemplate(text); (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// Whatever changes what is asked changes the identity or the content, and no secret does.
func TestIdentity(t *testing.T) {
	one := func() *Service {
		return &Service{
			Method: "POST", URL: "http://u:secret@h/x", Address: "http://h/x", Body: map[string]any{"q": "{{query}}"},
			Header: map[string]string{"Authorization": "Bearer secret"}, Public: map[string]string{"Authorization": "Bearer ***"},
		}
	}
	base := one().Call("q", "i")
	for name, change := range map[string]func(*Service){
		"method": func(s *Service) { s.Method = "PUT" },
		"url":    func(s *Service) { s.Address += "2" },
		"header": func(s *Service) { s.Public["X"] = "1" },
		"body":   func(s *Service) { s.Body = map[string]any{"q": "{{query}}?"} },
		"query":  func(s *Service) { s.Query = []Param{{"q", "1"}} },
	} {
		s := one()
		if change(s); s.Call("q", "i").Key() == base.Key() {
			t.Errorf("another %s is the same call", name)
		}
	}
	for name, change := range map[string]func(*Service){
		"secret":   func(s *Service) { s.Header["Authorization"], s.URL = "Bearer other", "http://u:other@h/x" },
		"rules":    func(s *Service) { s.Rules.Answer.At = []Path{{Text: "x"}} },
		"name":     func(s *Service) { s.Name, s.File, s.Hash = "other", "other.yaml", "1" },
		"patience": func(s *Service) { s.Timeout, s.Slots, s.Retries, s.Stream = 1, 2, 3, SSE },
	} {
		s := one()
		if change(s); s.Call("q", "i").Key() != base.Key() {
			t.Errorf("another %s is another call", name)
		}
	}
	if base.Key() == one().Call("other", "i").Key() {
		t.Error("another question is the same call")
	}
	data, err := json.Marshal(base)
	if err != nil || strings.Contains(string(data), "secret") {
		t.Errorf("%s %v", data, err)
	}
}

func TestCheck(t *testing.T) {
	good := func() *Service {
		return &Service{URL: "http://h", Body: "{{query}}", Rules: Rules{Answer: Answering{At: []Path{{Text: "a"}}}}}
	}
	for want, change := range map[string]func(*Service){
		"":                    func(*Service) {},
		"nothing asks":        func(s *Service) { s.Body = map[string]any{"x": []any{"{{k}}"}} },
		"there is no answer:": func(s *Service) { s.Rules.Answer.At = nil },
		"url holds {{ }}":     func(s *Service) { s.URL += "/{{query}}" },
		"which is missing":    func(s *Service) { s.Rules.Citations.By = ByPlace },
	} {
		s := good()
		change(s)
		if err := s.Check(); (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", want, err)
		}
	}
	if err := New(Config{}).CheckService(&Service{URL: "http://192.0.2.1/"}); err == nil || !strings.Contains(err.Error(), "--allow-host 192.0.2.1") {
		t.Error(err)
	}
	one, two := good(), good()
	one.Header, two.Header = map[string]string{"X": "1"}, map[string]string{"X": "2"}
	one.URL, two.URL = "http://127.0.0.1/", "http://127.0.0.1/"
	b := New(Config{Services: []*Service{one, two}})
	if err := errors.Join(b.CheckService(one)); err != nil {
		t.Error(err)
	}
	if err := b.CheckService(two); err == nil || !strings.Contains(err.Error(), "#first, #second") {
		t.Error(err)
	}
}
