package system

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"lore/local"
)

// openAI are the rules of chat endpoints, as the preset has them.
func openAI(t *testing.T) Rules {
	at := func(s string) Path { return mustPath(t, s) }
	return Rules{
		Answer:       Answering{At: []Path{at("choices[0].delta.content"), at("choices[0].message.content")}, Text: at("text")},
		Errors:       []Path{at("error")},
		Cut:          Is{at("choices[0].finish_reason"), []string{"length"}},
		Ends:         []End{{Data: "[DONE]"}, {At: at("choices[0].finish_reason")}},
		PromptTokens: at("usage.prompt_tokens"),
		AnswerTokens: at("usage.completion_tokens"),
	}
}

func sse(events ...string) string { return "data: " + strings.Join(events, "\n\ndata: ") + "\n\n" }

func delta(text string) string {
	return fmt.Sprintf(`{"object":"chat.completion.chunk","choices":[{"index":0,"delta":{"content":%q},"finish_reason":null}]}`, text)
}

const (
	roleOnly = `{"choices":[{"index":0,"delta":{"role":"assistant","content":null}}]}`
	stopped  = `{"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}`
	tooMany  = `{"choices":[{"index":0,"delta":{},"finish_reason":"length"}]}`
	spent    = `{"choices":[],"usage":{"prompt_tokens":11,"completion_tokens":3}}`
)

// Chat endpoints as servers really are: what each sends around the answer, and how each ends
// and fails.
func TestChat(t *testing.T) {
	const stream, whole = "text/event-stream; charset=utf-8", "application/json"
	for name, c := range map[string]struct {
		contentType, body string
		outcome           local.Outcome
		answer, detail    string
		tokens            int
	}{
		"stream":                   {stream, sse(roleOnly, delta("It "), delta("held."), stopped, spent, "[DONE]"), local.OK, "It held.", "", 14},
		"CRLF":                     {stream, strings.ReplaceAll(sse(roleOnly, delta("It held."), stopped, "[DONE]"), "\n", "\r\n"), local.OK, "It held.", "", 0},
		"CR":                       {stream, strings.ReplaceAll(sse(roleOnly, delta("It held."), stopped, "[DONE]"), "\n", "\r"), local.OK, "It held.", "", 0},
		"keep-alive":               {stream, ": ping\n\n" + sse(delta("It ")) + ": keep-alive\n\n:\n\n" + sse(delta("held."), "[DONE]"), local.OK, "It held.", "", 0},
		"no space":                 {stream, strings.ReplaceAll(sse(delta("It held."), "[DONE]"), "data: ", "data:"), local.OK, "It held.", "", 0},
		"no empty line at the end": {stream, strings.TrimSpace(sse(delta("It held."), "[DONE]")), local.OK, "It held.", "", 0},
		"BOM":                      {stream, "\ufeff" + sse(delta("It held."), "[DONE]"), local.OK, "It held.", "", 0},
		"no mark but a reason":     {stream, sse(delta("It held."), stopped), local.OK, "It held.", "", 0},
		"a mark and no reason":     {stream, sse(delta("It held."), "[DONE]"), local.OK, "It held.", "", 0},
		"choices null at the end":  {stream, sse(delta("It held."), stopped, `{"choices":null,"usage":{"prompt_tokens":2,"completion_tokens":1}}`, "[DONE]"), local.OK, "It held.", "", 3},
		"an event without choices": {stream, sse(`{"id":"x","prompt_filter_results":[]}`, delta("It held."), "[DONE]"), local.OK, "It held.", "", 0},
		"thoughts":                 {stream, sse(`{"choices":[{"delta":{"reasoning_content":"Hm."}}]}`, delta("It held."), "[DONE]"), local.OK, "It held.", "", 0},
		"names and ids":            {stream, "id: 1\nevent: message\nretry: 5\n" + sse(delta("It held."), "[DONE]"), local.OK, "It held.", "", 0},
		"data over two lines":      {stream, "data: {\"choices\":[{\"delta\":\ndata: {\"content\":\"It held.\"}}]}\n\ndata: [DONE]\n\n", local.OK, "It held.", "", 0},
		"stream as plain text":     {"text/plain", sse(delta("It held."), "[DONE]"), local.OK, "It held.", "", 0},
		"stream as JSON":           {whole, sse(delta("It held."), "[DONE]"), local.OK, "It held.", "", 0},
		"cut":                      {stream, sse(delta("It he"), tooMany, "[DONE]"), local.Cut, "It he", "length limit", 0},
		"broke off":                {stream, sse(delta("It he")), local.NoDone, "", "without its end mark", 0},
		"broke off in an event":    {stream, sse(delta("It he"), delta("ld.")) + "data: {\"choi", local.NoDone, "", "without its end mark", 0},
		"broke off in a name":      {stream, sse(delta("It he")) + "da", local.NoDone, "", "without its end mark", 0},
		"no event":                 {stream, ": ping\n\n", local.NoDone, "", "without its end mark", 0},
		"error in the stream":      {stream, sse(delta("It he"), `{"error":{"message":"out of memory","code":500}}`, "[DONE]"), local.ModelError, "", "the system says: out of memory", 0},
		"error of llama.cpp":       {stream, sse(delta("It he")) + "error: {\"code\":400,\"message\":\"too long\"}\n\n", local.ModelError, "", "too long", 0},
		"an event called error":    {stream, sse(delta("It he")) + "event: error\ndata: {\"type\":\"overloaded\"}\n\n", local.ModelError, "", "overloaded", 0},
		"error is null":            {stream, sse(`{"error":null,"choices":[{"delta":{"content":"It held."}}]}`, "[DONE]"), local.OK, "It held.", "", 0},
		"not JSON":                 {stream, sse(delta("It "), "held"), local.BadFormat, "", `part 2 of the stream is not JSON: "held"`, 0},
		"nothing said":             {stream, sse(roleOnly, stopped, "[DONE]"), local.Empty, "", "the answer is empty", 0},

		"whole":             {whole, `{"choices":[{"message":{"role":"assistant","content":"It held."},"finish_reason":"stop"}],"usage":{"prompt_tokens":4,"completion_tokens":3}}`, local.OK, "It held.", "", 7},
		"whole with BOM":    {whole, "\ufeff" + `{"choices":[{"message":{"content":"It held."}}]}`, local.OK, "It held.", "", 0},
		"parts":             {whole, `{"choices":[{"message":{"content":[{"type":"text","text":"It"},{"type":"text","text":"held."}]}}]}`, local.OK, "It\nheld.", "", 0},
		"whole, cut":        {whole, `{"choices":[{"message":{"content":"It he"},"finish_reason":"length"}]}`, local.Cut, "It he", "length limit", 0},
		"error with 200":    {whole, `{"error":"no such model"}`, local.ModelError, "", "no such model", 0},
		"refused":           {whole, `{"choices":[{"message":{"content":null,"refusal":"I cannot."}}]}`, local.Empty, "", "the answer is empty", 0},
		"a page":            {"text/html", "<html>Sign in</html>", local.BadFormat, "", "the reply is not JSON", 0},
		"empty":             {whole, " \n", local.Empty, "", "the reply is empty", 0},
		"no type, a stream": {"", sse(delta("It held."), "[DONE]"), local.OK, "It held.", "", 0},
	} {
		s := &Service{Stream: Auto, Rules: openAI(t)}
		r, outcome, detail, err := s.Read(Kept{c.contentType, c.body})
		if err != nil || outcome != c.outcome || !strings.Contains(detail, c.detail) || outcome == local.OK && r.Answer != c.answer ||
			r.Usage.PromptTokens+r.Usage.OutputTokens != c.tokens {
			t.Errorf("%s: %v %q %q %+v", name, outcome, detail, err, r)
		}
	}
}

// in writes an answer with what it cites as ids or texts in braces.
func in(r Reading) string {
	var b strings.Builder
	last := 0
	for _, c := range r.Cites {
		var names []string
		for _, d := range c.Documents {
			names = append(names, d.ID+d.Text)
		}
		for range c.Unknown {
			names = append(names, "?")
		}
		b.WriteString(r.Answer[last:c.From] + "{" + strings.Join(names, ",") + "}")
		last = c.To
	}
	return b.String() + r.Answer[last:]
}

func named(docs []Document) string {
	var out []string
	for _, d := range docs {
		out = append(out, strings.Trim(d.ID+"|"+d.Text, "|"))
	}
	return strings.Join(out, "; ")
}

// Replies in the forms of well-known servers and of runs that people hand in.
func TestForms(t *testing.T) {
	at := func(s string) Path { return mustPath(t, s) }
	answer := func(s string) Answering { return Answering{At: []Path{at(s)}} }
	byPlace := Citations{By: ByPlace, First: 1}
	for name, c := range map[string]struct {
		body      string
		rules     Rules
		answer    string // with its citations, see in
		documents string
		odd       string
	}{
		"LangServe": {
			"event: metadata\ndata: {\"run_id\":\"1\"}\n\nevent: data\ndata: {\"docs\":[{\"page_content\":\"One held.\",\"metadata\":{\"source\":\"/data/d1.txt\"}}]}\n\n" +
				"event: data\ndata: {\"answer\":\"It \"}\n\nevent: data\ndata: {\"answer\":\"held [1].\"}\n\nevent: end\n\n",
			Rules{Answer: answer("answer"), Documents: Documents{At: at("docs"), ID: at("metadata.source"), Pattern: regexp.MustCompile(`([^/]+)\.txt$`)},
				Citations: byPlace, Ends: []End{{Event: "end"}}},
			"It held {d1}.", "d1", "",
		},
		"LangChain": {
			`{"output":{"result":"It held.","source_documents":[{"page_content":"One held.","metadata":{}},{"page_content":"Two fell.","metadata":{}}]}}`,
			Rules{Answer: answer("output.result"), Documents: Documents{At: at("output.source_documents"), Text: at("page_content")}},
			"It held.", "One held.; Two fell.", "",
		},
		"Haystack": {
			`{"answer_builder":{"answers":[{"data":"It held [2], not [1][7].","documents":[{"id":"aa","content":"One.","meta":{"file":"d1"}},{"id":"bb","content":"Two.","meta":{"file":"d2"}}]}]}}`,
			Rules{Answer: answer("answer_builder.answers[0].data"), Documents: Documents{At: at("answer_builder.answers[0].documents"), ID: at("meta.file"), Text: at("content")}, Citations: byPlace},
			"It held {d2Two.}, not {d1One.}{?}.", "d1|One.; d2|Two.", "",
		},
		"LlamaIndex": {
			`{"response":"It held [1]. It fell [2, 1].","source_nodes":[{"node":{"id_":"x","text":"One.","metadata":{"doc_id":"d1"}},"score":0.5},{"node":{"text":"Two.","metadata":{"doc_id":"d2"}}}]}`,
			Rules{Answer: answer("response"), Documents: Documents{At: at("source_nodes"), ID: at("node.metadata.doc_id")}, Citations: byPlace},
			"It held {d1}. It fell {d1,d2}.", "d1; d2", "",
		},
		"TREC RAG": {
			`{"references":["d7","d8"],"answer":[{"text":"It held. ","citations":[0]},{"text":"It fell.","citations":[1,0,5]},{"text":"So it goes.","citations":[]}]}`,
			Rules{Answer: Answering{At: []Path{at("answer")}, Text: at("text"), Cites: at("citations")}, Documents: Documents{At: at("references")}, Citations: Citations{By: ByPlace}},
			"It held.{d7} \nIt fell.{d8,d7,?}\nSo it goes.", "d7; d8", "",
		},
		"Cohere": {
			`{"message":{"content":[{"type":"text","text":"Größe held, so did two."}]},"citations":[{"start":0,"end":10,"text":"Größe held","document_ids":["d1","d3"]},{"start":19,"end":22,"document_ids":["d2"]}]}`,
			Rules{Answer: answer("message.content[*].text"), Citations: Citations{By: ByID, At: at("citations"), End: at("end"), Document: at("document_ids"), Unit: Characters}},
			"Größe held{d1,d3}, so did two{d2}.", "", "",
		},
		"Gemini": {
			`{"candidates":[{"content":{"parts":[{"text":"Größe held."}]},"groundingMetadata":{"groundingChunks":[{"retrievedContext":{"title":"d1"}},{"retrievedContext":{"title":"d2"}}],"groundingSupports":[{"segment":{"endIndex":12},"groundingChunkIndices":[1]},{"segment":{"endIndex":99},"groundingChunkIndices":[0]}]}}]}`,
			Rules{Answer: answer("candidates[0].content.parts[*].text"), Documents: Documents{At: at("candidates[0].groundingMetadata.groundingChunks"), ID: at("retrievedContext.title")},
				Citations: Citations{By: ByPlace, At: at("candidates[0].groundingMetadata.groundingSupports"), End: at("segment.endIndex"), Document: at("groundingChunkIndices"), Unit: Bytes}},
			"Größe held{d2}.{d1}", "d1; d2", "a citation ends at 99, beyond the end of the answer",
		},
		"UTF-16": {
			`{"a":"🚢 held.","c":[{"end":7,"doc":"d1"}]}`,
			Rules{Answer: answer("a"), Citations: Citations{By: ByID, At: at("c"), End: at("end"), Document: at("doc"), Unit: UTF16}},
			"🚢 held{d1}.", "", "",
		},
		"Perplexity": {
			`{"choices":[{"message":{"content":"It held[1][2]."}}],"citations":["http://h/d1","http://h/d2"]}`,
			Rules{Answer: answer("choices[0].message.content"), Documents: Documents{Pattern: regexp.MustCompile(`/(d\d+)$`)}, Citations: Citations{By: ByID, First: 1, At: at("citations")}},
			"It held{d1}{d2}.", "", "",
		},
		"Azure": {
			`{"choices":[{"message":{"content":"It held [doc2]. It fell [1] [doc9].","context":{"citations":[{"title":"a","filepath":"d1","content":"One."},{"filepath":"d2","content":"Two."}]}}}]}`,
			Rules{Answer: answer("choices[0].message.content"), Documents: Documents{At: at("choices[0].message.context.citations"), ID: at("filepath")}, Citations: byPlace},
			"It held {d2}. It fell {d1} {?}.", "d1; d2", "",
		},
		"marks with names": {
			`{"a":"It held [src-a]. It fell [src-b; src-a]. In [2] and [nothing].","refs":[{"key":"src-a","text":"One."},{"key":"src-b","text":"Two."}]}`,
			Rules{Answer: answer("a"), Citations: Citations{By: ByText, At: at("refs"), Mark: at("key"), Document: at("text")}},
			"It held {One.}. It fell {One.,Two.}. In {?} and [nothing].", "", "",
		},
		"marks in brackets": {
			`{"a":"It held [3], it fell [12].","refs":[{"n":"[3]","id":"d3"},{"n":"[12]","id":"d1"}]}`,
			Rules{Answer: answer("a"), Citations: Citations{By: ByID, At: at("refs"), Mark: at("n"), Document: at("id")}},
			"It held {d3}, it fell {d1}.", "", "",
		},
		"from zero": {
			`{"a":"It held [0], it fell [1].","d":["x","y"]}`,
			Rules{Answer: answer("a"), Documents: Documents{At: at("d")}, Citations: Citations{By: ByPlace}},
			"It held {x}, it fell {y}.", "x; y", "",
		},
		"Ollama": {
			"{\"message\":{\"content\":\"It \"},\"done\":false}\n{\"message\":{\"content\":\"held.\"},\"done\":false}\r\n{\"message\":{\"content\":\"\"},\"done\":true,\"prompt_eval_count\":9}\n",
			Rules{Answer: answer("message.content"), Ends: []End{{At: at("done")}}},
			"It held.", "", "",
		},
		"the whole so far": {
			sse(`{"text":"It"}`, `{"text":"It held"}`, `{"text":"It held."}`),
			Rules{Answer: Answering{At: []Path{at("text")}, Last: true}}, "It held.", "", "",
		},
		"lines of the answer": {
			`{"points":["One held.","Two fell."],"found":null}`,
			Rules{Answer: answer("points"), Documents: Documents{At: at("found")}}, "One held.\nTwo fell.", "", "",
		},
		"plain tokens":        {"data: It\n\ndata:  held\n\ndata: [DONE]\n\n", Rules{Answer: answer("$")}, "It held", "", ""},
		"plain text":          {"It held.", Rules{Answer: answer("$")}, "It held.", "", ""},
		"a text":              {`"It held."`, Rules{Answer: answer("$")}, "It held.", "", ""},
		"no documents at all": {`{"a":"It held."}`, Rules{Answer: answer("a"), Documents: Documents{At: at("docs[*].id")}}, "It held.", "", "no documents: the reply has no docs"},
		"numbers as ids":      {`{"a":"It held.","d":[12345678901234567890,7]}`, Rules{Answer: answer("a"), Documents: Documents{At: at("d")}}, "It held.", "12345678901234567890; 7", ""},
		"values by [*]":       {`{"a":"It held.","d":[{"i":"x"},{"j":1},{"i":"y"}]}`, Rules{Answer: answer("a"), Documents: Documents{At: at("d[*].i")}}, "It held.", "x; y", ""},
	} {
		s := &Service{Stream: Auto, Rules: c.rules}
		r, outcome, detail, err := s.Read(Kept{"", c.body})
		if err != nil || outcome != local.OK || in(r) != c.answer || named(r.Documents) != c.documents || !strings.Contains(strings.Join(r.Odd, ";"), c.odd) || c.odd == "" && r.Odd != nil {
			t.Errorf("%s: %v %s %v\n%q %q %q", name, outcome, detail, err, in(r), named(r.Documents), r.Odd)
		}
	}
}

// A rule that does not go with a reply is told with what is there; the answer is not lost.
func TestRulesThatDoNotFit(t *testing.T) {
	at := func(s string) Path { return mustPath(t, s) }
	answer := Answering{At: []Path{at("a")}}
	for want, c := range map[string]struct {
		body  string
		rules Rules
	}{
		"answer: b (line 4): the reply has no b: at its top is an object with a, d": {`{"a":"x","d":1}`, Rules{Answer: Answering{At: []Path{at("$.x.y"), {Text: "b", Line: 4, steps: at("b").steps}}[1:]}}},
		"answer: a: it is a number, not a text":                                     {`{"a":3}`, Rules{Answer: answer}},
		"answer: a: it is an object with text, not a text":                          {`{"a":{"text":"x"}}`, Rules{Answer: answer}},
		"answer.text: t: the reply has no t":                                        {`{"a":[{"text":"x"}]}`, Rules{Answer: Answering{At: answer.At, Text: at("t")}}},
		"documents: d: each is an object with id, neither an id nor a text":         {`{"a":"x","d":[{"id":"y"}]}`, Rules{Answer: answer, Documents: Documents{At: at("d")}}},
		"documents.id: i: the reply has no i: at its top is an object with id":      {`{"a":"x","d":[{"id":"y"}]}`, Rules{Answer: answer, Documents: Documents{At: at("d"), ID: at("i")}}},
		"documents.id: i: it is a list of 1, neither a text nor a number":           {`{"a":"x","d":[{"i":["y"]}]}`, Rules{Answer: answer, Documents: Documents{At: at("d"), ID: at("i")}}},
		"documents.text: t: the reply has no t":                                     {`{"a":"x","d":["y"]}`, Rules{Answer: answer, Documents: Documents{At: at("d"), Text: at("t")}}},
		"citations.document: doc: the reply has no doc":                             {`{"a":"x","c":[{"id":"y"}]}`, Rules{Answer: answer, Citations: Citations{By: ByID, At: at("c"), Document: at("doc")}}},
		"citations: c: a citation names an object with id":                          {`{"a":"x","c":[{"id":"y"}]}`, Rules{Answer: answer, Citations: Citations{By: ByID, At: at("c")}}},
		`citations.end: e: it is "so", not a number`:                                {`{"a":"x","c":[{"e":"so"}]}`, Rules{Answer: answer, Citations: Citations{By: ByID, At: at("c"), End: at("e")}}},
	} {
		s := &Service{Stream: Auto, Rules: c.rules}
		_, outcome, _, err := s.Read(Kept{"", c.body})
		if err == nil || !strings.Contains(err.Error(), want) || outcome != local.OK {
			t.Errorf("%s: %v %v", want, outcome, err)
		}
	}
}

// A reply in another form than the file says names what to change there, and an error in it is one.
func TestRepliesOfAnotherForm(t *testing.T) {
	const events, lines, one = "data: {\"a\":\"x\"}\n\ndata: [DONE]\n\n", "{\"a\":\"x\"}\n{\"a\":\"y\"}\n", "{\n\"a\":\"x\"}"
	at := Answering{At: []Path{mustPath(t, "a")}}
	for _, c := range []struct{ form, body, want string }{
		{Plain, events, "stream: false: the reply is a stream of events; write stream: sse, or leave stream: out"},
		{Plain, lines, "stream: false: the reply is a stream of JSON lines; write stream: ndjson"},
		{SSE, one, "stream: sse: the reply is one JSON value, no stream; write stream: false"},
		{SSE, lines, "stream: sse: the reply is a stream of JSON lines; write stream: ndjson"},
		{NDJSON, events, "stream: ndjson: the reply is a stream of events; write stream: sse"},
		{NDJSON, one, "stream: ndjson: the reply is one JSON value over several lines, no stream; write stream: false"},
		{Plain, one, ""}, {SSE, events, ""}, {NDJSON, lines, ""}, {NDJSON, `{"a":"x"}`, ""},
		{Auto, one, ""}, {Auto, events, ""}, {Auto, lines, ""},
	} {
		s := &Service{Stream: c.form, Rules: Rules{Answer: at}}
		_, outcome, detail, err := s.Read(Kept{"", c.body})
		if (err != nil) != (c.want != "") || err != nil && !strings.HasPrefix(err.Error(), c.want) || outcome != local.OK {
			t.Errorf("%s of %q: %s %s %v", c.form, c.body, outcome, detail, err)
		}
	}

	s := &Service{Stream: SSE, Rules: Rules{Answer: at, Errors: []Path{mustPath(t, "error")}}}
	if _, outcome, detail, err := s.Read(Kept{"", `{"error":"no index"}`}); outcome != local.ModelError || err != nil {
		t.Errorf("%s %s %v", outcome, detail, err)
	}
}

// A pattern that finds no id is named, with what it was tried on.
func TestPatternThatFindsNothing(t *testing.T) {
	d := Documents{Pattern: regexp.MustCompile(`([^/]+)\.txt$`)}
	doc := Document{}
	doc.ID, doc.Missed = d.id(strings.Repeat("/a", 50) + ".md")
	want := `documents.pattern ([^/]+)\.txt$ matches nothing in "` + strings.Repeat("/a", 40) + `"…`
	if got := d.Unknown(doc); !doc.Missed || !strings.HasPrefix(got, want) {
		t.Error(got)
	}
	doc.ID, doc.Missed = d.id("/x/letter.txt")
	if got := d.Unknown(doc); got != `names the document "letter", which the data does not have` {
		t.Error(got)
	}
}

// Whatever a server sends, reading it ends, and citations lie in the answer, in order.
func FuzzRead(f *testing.F) {
	f.Add("text/event-stream", sse(roleOnly, delta("It held [1]."), spent, "[DONE]"), byte(0))
	f.Add("application/json", `{"choices":[{"message":{"content":"It held [1, 2]."}}],"d":["a","b"],"c":[{"e":3,"m":"1","i":["a"]}]}`, byte(1))
	f.Add("", "event: end\r\n\r\nerror: {\"x\":1}\r", byte(2))
	f.Add("application/x-ndjson", "{\"a\":\"x\"}\n{\"a\":", byte(3))
	f.Fuzz(func(t *testing.T, contentType, body string, way byte) {
		at := func(s string) Path { return mustPath(t, s) }
		rules := openAI(t)
		rules.Answer.At = append(rules.Answer.At, at("a"))
		rules.Documents = Documents{At: at("d")}
		rules.Citations = Citations{By: CitingWays[way%3], First: int(way / 3 % 2), Unit: Units[way%3]}
		if way&8 > 0 {
			rules.Citations.At, rules.Citations.Document = at("c"), at("i")
		}
		if way&16 > 0 {
			rules.Citations.End = at("e")
		} else if way&8 > 0 {
			rules.Citations.Mark = at("m")
		}
		s := &Service{Stream: Forms[way%4], Rules: rules}
		r, outcome, _, err := s.Read(Kept{contentType, body})
		if err != nil {
			return
		}
		if !slices.Contains(local.Outcomes, outcome) {
			t.Errorf("outcome %q", outcome)
		}
		last := 0
		for _, c := range r.Cites {
			if c.From < last || c.To < c.From || c.To > len(r.Answer) {
				t.Fatalf("%+v in an answer of %d bytes", r.Cites, len(r.Answer))
			}
			last = c.From
		}
	})
}

func FuzzPath(f *testing.F) {
	for _, s := range []string{"choices[0].message.content", `["a b"][*].x[-1]`, "$", "a.*"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		p, err := ParsePath(s)
		if err != nil {
			return
		}
		v, err := decode(sample)
		if err != nil {
			t.Fatal(err)
		}
		if found, miss := p.Find(v); (miss == nil) != (len(found) > 0) {
			t.Errorf("%q: %v %v", s, found, miss)
		}
	})
}
