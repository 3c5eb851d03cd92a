package service

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"lore/local/files"
	"lore/local/system"
)

const everything = `# all that can be said
name: My RAG
url: https://ann:$RAG_PASS@rag.example:8443/v1/$RAG_TENANT/ask?key=$RAG_KEY&fixed=1#v2
method: put
headers:
  authorization: "Bearer ${RAG_TOKEN}"
  X-Team: blue
query: {lang: en, q: "{{query}}"}
body:
  question: "{{query}}"
  top_k: "{{k}}"
  options: {seed: 7, temperature: 0.5, big: 12345678901234567890, hex: 0x10, when: 2024-01-02, stop: null, raw: yes, "true": true}
  list: ["{{id}}", [1, ~]]
stream: ndjson
answer: {at: [a.text, b], text: t, cites: c, between: " ", pieces: last}
documents: {at: docs, id: meta.id, text: page, pattern: '([^/]+)\.txt$'}
citations: {by: place, first: 0, at: cites, mark: m, end: e, document: d, unit: bytes}
error: [error, detail]
cut: {at: why, is: [length, max]}
end: ["[DONE]", {event: end}, {at: done}]
tokens: {prompt: usage.in, answer: usage.out}
k: 7
timeout: 90
slots: 3
retries: 0
`

func environment(t *testing.T) {
	for _, name := range []string{"RAG_PASS", "RAG_TENANT", "RAG_KEY", "RAG_TOKEN"} {
		t.Setenv(name, "SeKret-"+name)
	}
	t.Setenv("RAG_HOST", "127.0.0.1:9")
}

func TestParse(t *testing.T) {
	environment(t)
	s, err := Parse("x.yaml", []byte(everything))
	if err != nil {
		t.Fatal(err)
	}
	r := s.Rules
	for what, pair := range map[string][2]any{
		"name":    {s.Name, "My RAG"},
		"url":     {s.URL, "https://ann:SeKret-RAG_PASS@rag.example:8443/v1/SeKret-RAG_TENANT/ask?key=SeKret-RAG_KEY&fixed=1#v2"},
		"address": {s.Address, "https://rag.example:8443/v1/$RAG_TENANT/ask?key=***&fixed=1#v2"},
		"method":  {s.Method, "PUT"},
		"header":  {s.Header, map[string]string{"Authorization": "Bearer SeKret-RAG_TOKEN", "X-Team": "blue"}},
		"public":  {s.Public, map[string]string{"Authorization": "Bearer ***", "X-Team": "blue"}},
		"query":   {s.Query, []system.Param{{Name: "lang", Value: "en"}, {Name: "q", Value: "{{query}}"}}},
		"answer":  {[]any{r.Answer.At[0].Text, r.Answer.At[1].Text, r.Answer.Text.Text, r.Answer.Cites.Text, *r.Answer.Between, r.Answer.Last}, []any{"a.text", "b", "t", "c", " ", true}},
		"lines":   {[]int{r.Answer.At[0].Line, r.Documents.At.Line, r.Ends[2].At.Line}, []int{15, 16, 20}},
		"docs":    {[]string{r.Documents.At.Text, r.Documents.ID.Text, r.Documents.Text.Text, r.Documents.Pattern.String()}, []string{"docs", "meta.id", "page", `([^/]+)\.txt$`}},
		"cites":   {[]any{r.Citations.By, r.Citations.First, r.Citations.At.Text, r.Citations.Mark.Text, r.Citations.End.Text, r.Citations.Document.Text, r.Citations.Unit}, []any{"place", 0, "cites", "m", "e", "d", "bytes"}},
		"cut":     {append([]string{r.Cut.At.Text}, r.Cut.Text...), []string{"why", "length", "max"}},
		"ends":    {[]string{r.Ends[0].Data, r.Ends[1].Event, r.Ends[2].At.Text, r.Errors[1].Text}, []string{"[DONE]", "end", "done", "detail"}},
		"others":  {[]any{s.K, s.Timeout, s.Slots, s.Retries, s.Stream, r.PromptTokens.Text, r.AnswerTokens.Text}, []any{7, 90 * time.Second, 3, 0, "ndjson", "usage.in", "usage.out"}},
	} {
		if !reflect.DeepEqual(pair[0], pair[1]) {
			t.Errorf("%s: %v, want %v", what, pair[0], pair[1])
		}
	}

	want := "lang=en&q=Did+it%3F\n" + `{"list":["t1",[1,null]],"options":{"big":12345678901234567890,"hex":16,"raw":"yes","seed":7,"stop":null,"temperature":0.5,"true":true,"when":"2024-01-02"},"question":"Did it?","top_k":7}`
	if got := s.Content(system.Ask{Query: "Did it?", ID: "t1", K: s.K}); got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
	data, err := json.Marshal(s.Call("q", "i"))
	if err != nil || strings.Contains(string(data), "SeKret") {
		t.Errorf("%s %v", data, err)
	}
}

// JSON is read, too, and a preset needs little.
func TestPreset(t *testing.T) {
	s, err := Parse("x.json", []byte(`{"preset": "openai", "url": "http://127.0.0.1:8000/v1/chat/completions", "model": "m", "system": "Be short.",
		"stream": true, "body": {"temperature": 0, "stream_options": null}, "documents": {"at": "context", "text": "text"}}`))
	if err != nil {
		t.Fatal(err)
	}
	want := `{"messages":[{"content":"Be short.","role":"system"},{"content":"Did it?","role":"user"}],"model":"m","stream":true,"stream_options":null,"temperature":0}`
	if got := s.Content(system.Ask{Query: "Did it?"}); got != want || s.Stream != system.Auto || len(s.Rules.Ends) != 2 {
		t.Errorf("%s %+v", got, s)
	}
	r, outcome, _, err := s.Read(system.Kept{Body: "data: {\"choices\":[{\"delta\":{\"content\":\"It held.\"}}],\"context\":[{\"text\":\"One.\"}]}\n\ndata: [DONE]\n\n"})
	if err != nil || r.Answer != "It held." || outcome != "ok" || len(r.Documents) != 1 {
		t.Errorf("%+v %s %v", r, outcome, err)
	}
	short, err := Parse("x.yaml", []byte("preset: openai\nurl: http://h/v1/chat/completions\nanswer: choices[0].message.content\n"))
	if err != nil || short.Content(system.Ask{Query: "Q"}) != `{"messages":[{"content":"Q","role":"user"}],"stream":false}` || len(short.Rules.Answer.At) != 1 {
		t.Errorf("%+v %v", short, err)
	}
}

// What cannot be meant is refused, with the line, and what was meant where that is near.
func TestRefused(t *testing.T) {
	environment(t)
	base := "url: http://127.0.0.1:9/ask\nbody: {q: \"{{query}}\"}\nanswer: a\n"
	for text, want := range map[string]string{
		"":                            "is empty; it needs url",
		"- a":                         "line 1: the file: a map is wanted, with name, preset, url",
		base + "anwser: b":            `line 4: unknown key "anwser"; did you mean answer?`,
		base + "zzz: b":               `line 4: unknown key "zzz". the file has name,`,
		base + "answer: b":            "line 4: the file has answer twice",
		base + "documents: {path: x}": `line 4: unknown key "path". documents has at, id, text, pattern`,
		base + "documents: {id: x}":   "line 4: documents: there is no at:",
		base + "documents: {at: x, pattern: '('}":                   "line 4: pattern: a regular expression is wanted",
		base + "documents: {at: x, pattern: 'x'}":                   "with the id in brackets",
		base + "documents: 'a['":                                    `line 4: the path "a[" cannot be read from "[" on`,
		base + "documents: [a, b]":                                  "line 4: a text is wanted",
		base + "citations: places":                                  `line 4: unknown value "places"; did you mean place? There are: place, id, text`,
		base + "citations: place":                                   "citations by place are places among documents:",
		base + "citations: {at: c}":                                 "there is no by:",
		base + "citations: {by: id, end: e}":                        "there is no at:",
		base + "cut: {at: x}":                                       "at: and is: are wanted",
		base + "end: {even: x}":                                     `unknown key "even"; did you mean event?`,
		base + "end: {}":                                            "data:, event: or at: is wanted",
		base + "stream: sss":                                        `unknown value "sss"; did you mean sse?`,
		base + "k: 0":                                               `line 4: a whole number from 1 on is wanted, not "0"`,
		base + "slots: many":                                        `not "many"`,
		base + "retries: -1":                                        "a whole number from 0 on",
		base + "timeout: soon":                                      "a time such as 90s or 2m is wanted",
		base + "timeout: -3":                                        "a time such as 90s",
		base + "method: PATCH":                                      `unknown method "PATCH"`,
		base + "method: GET":                                        "line 2: a GET sends no body",
		base + "model: m":                                           "line 4: model: and system: are for preset: openai",
		base + "preset: opnai":                                      "did you mean openai?",
		base + "name: [x]":                                          "line 4: a text is wanted",
		base + "headers: {A: $NOT_SET_HERE}":                        "line 4: the header A: the environment has no NOT_SET_HERE; set it with export NOT_SET_HERE=…",
		base + "headers: {Authorization: abc}":                      "line 4: the header Authorization holds a secret; write $VARIABLE",
		base + "headers:\n  X-API-Key: abc":                         "line 5: the header X-Api-Key holds a secret",
		base + "headers: {Cookie: a=b}":                             "holds a secret",
		base + "headers: {X-Pass: abc}":                             "holds a secret",
		base + "headers: {X-Pwd: abc}":                              "holds a secret",
		base + "headers: {X-Client: sk-abcdef12345}":                "line 4: the header X-Client holds a secret",
		base + "query: {pwd: x}":                                    "line 4: query: pwd looks like a secret",
		base + "query: {pass: x}":                                   "line 4: query: pass looks like a secret",
		base + "query: {who: ghp_0123456789}":                       "line 4: query: who: what stands there looks like a key",
		"url: http://h\nbody:\n  a: {b: [eyJhbGci.eyJzdWIi.c2ln]}":  "line 3: body: what stands there looks like a key",
		"url: http://h\nbody: {pwd: x}":                             "body: pwd looks like a secret",
		"url: http://h\nbody: {db_pass: x}":                         "body: db_pass looks like a secret",
		"url: http://h/v1/AIzaSyA1234567/ask\nbody: x":              "line 1: url: what stands there looks like a key",
		base + "headers: {X: Bearer abc}":                           "holds a secret",
		base + "headers: {Content-Length: 3}":                       "is set by lore itself",
		base + "headers: {'a b': c}":                                "is not the name of a header",
		base + "headers: {x: a, X: b}":                              "there twice",
		base + "headers: {X: \"a\\nb\"}":                            "a line end or another control character",
		base + "query: {api_key: x}":                                "line 4: query: api_key looks like a secret",
		base + "query: {q: '{{questoin}}'}":                         "line 4: there is no {{questoin}}",
		"url: http://h\nbody:\n  a: 1\n  api_key: x":                "line 4: body: api_key looks like a secret",
		"url: http://h\nbody:\n  - '{{qury}}'":                      "line 3: there is no {{qury}}: templates hold {{query}}, {{k}} and {{id}}; did you mean {{query}}?",
		"url: http://h\nbody: {q: x}\nanswer: a":                    "line 1: nothing asks the question",
		"url: http://h\nbody: '{{query}}'":                          "there is no answer:",
		"url: http://h/{{query}}\nbody: x\nanswer: a":               "url holds {{ }}",
		"body: '{{query}}'\nanswer: a":                              "there is no url:",
		"url: http://ann:hunter2@h\nbody: x":                        "line 1: url holds a password or a key; write $VARIABLE",
		"url: http://h?api_key=hunter2\nbody: x":                    "url holds a password or a key",
		"url: $NOT_SET_HERE/x\nbody: x":                             "line 1: url: the environment has no NOT_SET_HERE",
		"url: http://h\nbody: {a: .inf, q: '{{query}}'}\nanswer: a": "is not a number that JSON has",
		"url: x\n\tbody: y":                                         "line 2: found a tab character",
		"a: &a [*a]":                                                "line 1: the alias *a stands for what it is in",
		base + "---\nname: x":                                       "line 4: begins a second document",
		base + "? [a]\n: b":                                         "line 4: the file: a name is wanted",
		"preset: openai\nurl: http://h\nbody: [x]":                  "line 3: body: a map is wanted",
	} {
		path := filepath.Join(t.TempDir(), "rag.yaml")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := ReadFile(path)
		var bad *files.Error
		if !errors.As(err, &bad) || bad.File != path || bad.Remedy == "" {
			t.Errorf("%q: %v", text, err)
			continue
		}
		got := bad.Msg
		if bad.Place != "" {
			got = bad.Place + ": " + got
		}
		if !strings.Contains(got, want) || strings.Contains(got, "hunter2") {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
}

func TestReadFile(t *testing.T) {
	environment(t)
	dir := t.TempDir()
	path := filepath.Join(dir, "my rag.yaml")
	if err := os.WriteFile(path, []byte("url: http://$RAG_HOST/ask\nbody: '{{query}}'\nanswer: $\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	s, err := ReadFile(path)
	if err != nil || s.Name != "my rag" || s.File != "my rag.yaml" || len(s.Hash) != 64 || s.URL != "http://127.0.0.1:9/ask" || s.Address != s.URL {
		t.Errorf("%+v %v", s, err)
	}
	if _, err := ReadFile(filepath.Join(dir, "none.yaml")); err == nil || !strings.Contains(err.Error(), "none.yaml") {
		t.Error(err)
	}
	for entry, want := range map[string]bool{"a.yaml": true, "b/c.YML": true, "x.json": true, "http://h/a.yaml": false, "127.0.0.1:8000/x": false, "http://h": false} {
		if IsFile(entry) != want {
			t.Error(entry)
		}
	}
}

// The descriptions that the documentation shows can be read, and its table has all keys.
func TestDocumented(t *testing.T) {
	environment(t)
	data, err := os.ReadFile("../../../../docs/systems.md")
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for i, block := range strings.Split(string(data), "```") {
		text, ok := strings.CutPrefix(block, "yaml\n")
		if i%2 == 0 || !ok {
			continue
		}
		if n++; !strings.Contains(text, "url:") {
			text += "url: http://127.0.0.1:8000/x\nbody: {q: '{{query}}'}\n"
		}
		if _, err := Parse("x.yaml", []byte(text)); err != nil {
			t.Errorf("%v in\n%s", err, text)
		}
	}
	if n < 8 {
		t.Errorf("%d descriptions: the test proves little", n)
	}

	_, err = Parse("x.yaml", []byte("no-such-key: 1"))
	_, names, found := strings.Cut(fmt.Sprint(err), "the file has ")
	for name := range strings.SplitSeq(names, ", ") {
		if !strings.Contains(string(data), "`"+name+"`") {
			t.Errorf("the key %s is not documented", name)
		}
	}
	if !found || strings.Count(names, ",") < 15 {
		t.Errorf("%v", err)
	}
}

// Whatever a file holds, it is refused or it can be asked, and nothing of the environment
// gets into what is kept.
func FuzzParse(f *testing.F) {
	f.Add(everything)
	f.Add("preset: openai\nurl: http://h\nsystem: {a: [x]}\nstream: true\n")
	f.Add("url: http://${RAG_TOKEN}@h/$RAG_TOKEN?x=$RAG_TOKEN#$RAG_TOKEN\nheaders: {X: a$RAG_TOKEN}\nbody: '{{query}} $RAG_TOKEN'\nanswer: [a, b]\n")
	f.Fuzz(func(t *testing.T, text string) {
		environment(t)
		s, err := Parse("x.yaml", []byte(text))
		if err != nil {
			if strings.Contains(err.Error(), "SeKret") {
				t.Errorf("%v", err)
			}
			return
		}
		call := s.Call("q", "i")
		call.Model = "" // a host may come from the environment, and is public
		data, err := json.Marshal(call)
		if err != nil || strings.Contains(string(data), "SeKret") {
			t.Errorf("%s %v", data, err)
		}
		if at := strings.Index(s.Address, "SeKret"); at >= pathAt(s.Address) {
			t.Errorf("address %s", s.Address)
		}
		_, _, _, _ = s.Read(system.Kept{Body: `{"a":"x"}`})
	})
}
