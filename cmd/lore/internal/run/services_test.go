package run

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"lore/cmd/lore/internal/models"
	"lore/datasets"
	"lore/local"
	remote "lore/local/system"
)

// shelf is an item whose data is a corpus, and whose citations are scored or not.
type shelf struct {
	datasets.Item
	corpus *datasets.Corpus
	cites  *datasets.Citing
}

func (s shelf) ID() string               { return "i" }
func (s shelf) Corpus() *datasets.Corpus { return s.corpus }
func (s shelf) Query() datasets.Query    { return datasets.Query{Cites: s.cites} }

func (s shelf) Context(found datasets.Retrieved, b datasets.Budget) datasets.Context {
	return datasets.Take(s.corpus, found, 0, b, datasets.Numbered)
}

// What a system cites in its own numbers is written as the benchmark reads it, and what cannot
// be told is neither taken for another document nor passed over.
func TestTakeService(t *testing.T) {
	corpus := &datasets.Corpus{Documents: []datasets.Document{
		{ID: "d1", Text: "One held."}, {ID: "d2", Text: "Two fell."}, {ID: "d3", Text: "Three rose. It was late."}, {ID: "d4", Text: "Four sank. It was late."},
	}}
	label := func(id string) string {
		return map[string]string{"d1": "1", "d2": "2", "d3": "3", "d4": "4"}[id]
	}
	at := func(s string) remote.Path {
		p, err := remote.ParsePath(s)
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	rules := remote.Rules{
		Answer: remote.Answering{At: []remote.Path{at("a")}}, Documents: remote.Documents{At: at("d"), ID: at("id"), Text: at("t")},
		Citations: remote.Citations{By: remote.ByPlace, First: 1}, Cut: remote.Is{At: at("why"), Text: []string{"length"}},
	}
	for name, c := range map[string]struct {
		body                string
		text, found, notes  string
		unscored, unmatched string // text where citations are not scored; a warning
		outcome             local.Outcome
	}{
		"texts": {body: `{"a":"Up [1], down [2].","d":[{"t":"Three  rose."},{"t":"Two fell."}]}`,
			text: "Up [3], down [2].", found: "d3 d2", unscored: "Up [1], down [2]."},
		"ids": {body: `{"a":"Up [2, 1][1].","d":[{"id":"d4","t":"anything"},{"id":"d1","t":""}]}`,
			text: "Up [1, 4][4].", found: "d4 d1", unscored: "Up [1, 2][1]."},
		"chunks": {body: `{"a":"Up [1] and [3].","d":[{"t":"Three rose."},{"t":"One held."},{"id":"d3","t":"rose"}]}`,
			text: "Up [3] and [3].", found: "d3 d1", unscored: "Up [1] and [1]."},
		"unmatched": {body: `{"a":"Up [1], down [2].","d":[{"t":"Nothing."},{"t":"Two fell."}]}`,
			text: "Up [?], down [2].", found: "d2", unscored: "Up , down [1].", notes: "1 of 2 documents that the system gives match none of the data, or several; 1 citation of texts",
			unmatched: `1 of 2 texts match no document of the data, such as "Nothing."`},
		"ambiguous": {body: `{"a":"Up [1].","d":[{"t":"It was late."}]}`, text: "Up [?].", unscored: "Up .", notes: "1 of 1 documents that", unmatched: "1 of 1 texts match several documents"},
		"no such place": {body: `{"a":"Up [7].","d":[{"id":"d2"}]}`, text: "Up [0].", found: "d2", unscored: "Up [0].", notes: "1 citation of documents that the data, or the reply, does not have",
			unmatched: "1 of 1 citations name no document"},
		"unknown id":   {body: `{"a":"Up [1].","d":[{"id":"d9"}]}`, outcome: local.BadFormat, notes: `names the document "d9", which the data does not have`},
		"no documents": {body: `{"a":"Up [1]."}`, text: "Up [0].", unscored: "Up [0].", notes: "no documents: the reply has no d", unmatched: "1 of 1 replies lack something that the file names"},
		"wrong path":   {body: `{"b":"Up."}`, outcome: local.BadFormat, notes: "rag.yaml: answer: a: the reply has no a", unmatched: "1 of 1 replies cannot be read: rag.yaml"},
		"cut":          {body: `{"a":"Up","why":"length"}`, text: "Up", unscored: "Up", notes: "no documents"},
		"nothing":      {body: `{"a":" "}`, outcome: local.Empty, notes: "the answer is empty"},
	} {
		for _, scored := range []bool{true, false} {
			m := &models.Model{Spec: "rag", Service: &remote.Service{File: "rag.yaml", Stream: remote.Auto, Rules: rules}}
			e := &engine{opt: Options{Budget: datasets.Budget{Tokens: 1000}}}
			item := shelf{corpus: corpus}
			want := c.unscored
			if scored {
				item.cites, want = &datasets.Citing{Label: label}, c.text
			}
			cell := &cell{item: item}
			e.takeService(cell, m, local.Reply{Outcome: local.OK, Text: `{"body":` + string(mustJSON(c.body)) + `}`})

			out := cell.evidence.Output
			found := ""
			if r := cell.evidence.Retrieved; r != nil {
				found = strings.Join(r.IDs, " ")
			}
			notes := strings.Join(append(cell.notes, out.Reason), "; ")
			warnings := strings.Join(e.reads["rag"].warnings(m), "; ")
			if c.outcome == "" {
				c.outcome = local.OK
			}
			if out.Outcome != c.outcome || c.outcome == local.OK && (out.Text != want || found != c.found) || !strings.Contains(notes, c.notes) || !strings.Contains(warnings, c.unmatched) {
				t.Errorf("%s: %+v\nfound %q, notes %q, warnings %q", name, out, found, notes, warnings)
			}
			if name == "cut" && !out.Cut {
				t.Error("a cut answer is not marked")
			}
		}
	}

	// What failed before it could be kept stays what it was.
	e, c := &engine{}, &cell{item: shelf{corpus: corpus}}
	e.takeService(c, &models.Model{Spec: "rag", Service: &remote.Service{}}, local.Fail(local.Timeout, "late"))
	if out := c.evidence.Output; out.Outcome != local.Timeout || out.Reason != "late" {
		t.Errorf("%+v", out)
	}
}

// A pattern that finds nothing in any id of any reply is told once, also where texts make up for it.
func TestPatternThatFindsNothing(t *testing.T) {
	at := func(s string) remote.Path {
		p, err := remote.ParsePath(s)
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	corpus := &datasets.Corpus{ID: "c", Documents: []datasets.Document{{ID: "d1", Text: "One rose."}, {ID: "d2", Text: "Two fell."}}}
	for second, want := range map[string]string{
		`x/b.md`:   `system rag: the pattern ([^/]+)\.txt$ of documents: matches nothing in any of 2 ids, such as "x/a.md"`,
		`x/d2.txt`: "",
	} {
		e := &engine{opt: Options{Budget: datasets.Budget{Tokens: 1000}}}
		m := &models.Model{Spec: "rag", Service: &remote.Service{File: "rag.yaml", Stream: remote.Auto, Rules: remote.Rules{
			Answer:    remote.Answering{At: []remote.Path{at("a")}},
			Documents: remote.Documents{At: at("d"), ID: at("id"), Text: at("t"), Pattern: regexp.MustCompile(`([^/]+)\.txt$`)},
		}}}
		for _, id := range []string{"x/a.md", second} {
			body := fmt.Sprintf(`{"a":"Up.","d":[{"id":%q,"t":"Two fell."}]}`, id)
			e.takeService(&cell{item: shelf{corpus: corpus}}, m, local.Reply{Outcome: local.OK, Text: `{"body":` + string(mustJSON(body)) + `}`})
		}
		if got := strings.Join(e.reads["rag"].warnings(m), "; "); got != want {
			t.Errorf("%s: %q, want %q", second, got, want)
		}
	}
}
