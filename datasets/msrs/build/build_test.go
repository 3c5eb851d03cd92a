package build

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"lore/datasets"
	"lore/datasets/msrs"
	"lore/datasets/stage"
	"lore/datasets/stage/stagetest"
	"lore/local"
	"lore/local/fake"
)

func builder(t *testing.T, script func(n int, c local.Call) local.Reply) *Builder {
	t.Helper()
	return &Builder{Session: stagetest.Session(t, &fake.Backend{Script: script}, 2, 2, Prompts()), Context: contextTokens}
}

var books = []datasets.Document{{ID: "lamp", Text: "# One\nInes came to the rock.\n# Two\nThe lamp lit itself."},
	{ID: "seed", Text: "Chapter 1\nThe garden died.\n"}}

// A story build with scripted replies: one query passes at once, one at the second
// try, one never, one has no story.
func TestBuildStory(t *testing.T) {
	b := builder(t, func(_ int, c local.Call) local.Reply {
		text := c.Messages[len(c.Messages)-1].Content
		switch {
		case strings.Contains(text, "stands_alone"):
			return fake.Text(fmt.Sprintf(`{"stands_alone":%t,"same_question":true,"reveals_answer":false}`,
				!strings.Contains(text, "vague")))
		case strings.Contains(text, "What is the plot?"):
			return fake.Text(`{"query":"What happens to Ines at the lighthouse?"}`)
		case strings.Contains(text, "Who lit it?") && strings.Contains(text, "does not stand alone"):
			return fake.Text(`{"query":"Who lit the lamp at Hollow Point?"}`)
		case strings.Contains(text, "Who lit it?"):
			return fake.Text(`{"query":"Who lit it, the vague thing?"}`)
		}
		return fake.Text(`{"query":"Why did mould from potatoes kill the garden of the ship?"}`)
	})
	chapters := b.Split(books, Headings)
	if len(chapters) != 3 || chapters[1].ID != "lamp-2" || !strings.HasPrefix(chapters[1].Text, "# Two") {
		t.Fatalf("%+v", chapters)
	}
	got, err := b.Story(context.Background(), chapters, []Source{
		{ID: "1", Story: "lamp", Query: "What is the plot?", Summary: "She looks for her father."},
		{ID: "2", Story: "lamp", Query: "Who lit it?", Summary: "Nobody.", Documents: []string{"lamp-2"}},
		{ID: "3", Story: "seed", Query: "Why?", Summary: "Mould from potatoes."},
		{ID: "4", Story: "gone", Query: "What now?", Summary: "Nothing."},
	})
	if err != nil {
		t.Fatal(err)
	}
	want := []msrs.Query{
		{ID: "1", Text: "What happens to Ines at the lighthouse?", Gold: []string{"lamp-1", "lamp-2"},
			References: []string{"She looks for her father."}},
		{ID: "2", Text: "Who lit the lamp at Hollow Point?", Gold: []string{"lamp-2"}, References: []string{"Nobody."}},
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	log, err := json.Marshal(b.Log())
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{`no chapter of the story \"gone\"`, "does not stand alone",
		"the question repeats the answer", `"stage":"drop","subject":"3","detail":"after 2 tries`, "lamp: 2 parts"} {
		if !strings.Contains(string(log), part) {
			t.Errorf("the log lacks %s:\n%s", part, log)
		}
	}
}

// A chapter that a query names and that is not there is said in the log; the others stay
// its gold documents. Where all are there, nothing is said.
func TestStoryNamesMissingChapters(t *testing.T) {
	for name, c := range map[string]struct {
		documents []string
		want      []stage.Event
	}{
		"all there": {[]string{"lamp-1", "lamp-2"}, nil},
		"one missing": {[]string{"lamp-2", "lamp-9"}, []stage.Event{{
			Stage:   "gold",
			Subject: "1",
			Detail:  `the document "lamp-9" is not there and is left out of the gold documents`,
		}}},
	} {
		b := builder(t, func(_ int, call local.Call) local.Reply {
			if strings.Contains(call.Messages[len(call.Messages)-1].Content, "stands_alone") {
				return fake.Text(`{"stands_alone":true,"same_question":true,"reveals_answer":false}`)
			}
			return fake.Text(`{"query":"Who lit the lamp at Hollow Point?"}`)
		})
		got, err := b.Story(context.Background(), b.Split(books, Headings), []Source{
			{ID: "1", Story: "lamp", Query: "Who lit it?", Summary: "Nobody.", Documents: c.documents},
		})
		if err != nil || len(got) != 1 || !slices.Contains(got[0].Gold, "lamp-2") {
			t.Fatalf("%s: %+v, %v", name, got, err)
		}

		said := slices.DeleteFunc(b.Log(), func(e stage.Event) bool { return e.Stage != "gold" })
		if d := cmp.Diff(c.want, said, cmpopts.EquateEmpty()); d != "" {
			t.Errorf("%s: %s", name, d)
		}
	}
}

// Every kind of bad reply drops a cluster with its reason, and no other.
func TestBuildMeeting(t *testing.T) {
	sources := []Source{
		{ID: "a", Query: "budget?", Summary: "It grew.", Documents: []string{"m1"}},
		{ID: "b", Query: "money?", Summary: "It is spent.", Documents: []string{"m2", "m1"}},
		{ID: "c", Query: "remote?", Summary: "It is yellow.", Documents: []string{"m3"}},
		{ID: "d", Query: "button?", Summary: "It is red.", Documents: []string{"m4"}},
	}
	similarity := func(i, j int) float64 {
		if i/2 == j/2 {
			return 1
		}
		return 0
	}
	good := `{"query":"What of the budget and the money?","summary":"It grew and is spent."}`
	for name, c := range map[string]struct {
		reply local.Reply
		built int
		log   string
	}{
		"good":    {fake.Text(`{"query":"What of the remote and its button?","summary":"It is yellow and red."}`), 2, "over 2 documents"},
		"strange": {fake.Text(good), 1, "the query asks for what none of the queries asks for"},
		"empty":   {fake.Text(`{"query":" ","summary":"x"}`), 1, "empty: no query"},
		"no JSON": {fake.Text("sure!"), 1, "bad_format"}, "cut": {local.Fail(local.Cut, "limit"), 1, "cut: limit"},
		"too long": {local.Fail(local.TooLong, "window"), 1, "too_long"},
	} {
		b := builder(t, func(_ int, call local.Call) local.Reply {
			if strings.Contains(call.Messages[1].Content, "budget") {
				return fake.Text(good)
			}
			return c.reply
		})
		got, err := b.Meeting(context.Background(), sources, similarity, 0.5, Nearest)
		if err != nil {
			t.Fatal(err)
		}
		log, _ := json.Marshal(b.Log())
		if len(got) != c.built || fmt.Sprint(got[0].Gold) != "[m1 m2]" {
			t.Errorf("%s: %+v", name, got)
		}
		if name != "good" && !strings.Contains(string(log), c.log) {
			t.Errorf("%s: %s", name, log)
		}
	}
	plain := &Builder{Session: &stage.Session{}}
	got, err := plain.Meeting(context.Background(), sources, similarity, 0.5, Nearest)
	if err != nil || len(got) != 2 || got[0].Text != "budget? money?" ||
		got[0].References[0] != "It grew.\nIt is spent." {
		t.Errorf("without a model: %+v, %v", got, err)
	}
}

// What answers are held against must have to do with what people wrote, and different queries stay different.
func TestStrangeMergers(t *testing.T) {
	members := []member{
		{"What did the harbour meeting decide about the crane?", "The harbour board ordered a second crane for 4 million in May."},
		{"Who pays for the new crane?", "The county pays two thirds of the crane, and the harbour the rest."},
	}
	for _, c := range []struct{ query, summary, want string }{
		{"What was decided about the crane of the harbour, and who pays?",
			"In May the harbour board ordered a second crane for 4 million; the county pays two thirds.", ""},
		{"What is the weather?", "In May the harbour board ordered a second crane; the county pays two thirds.", "asks for what none"},
		{"Who pays for the crane?", "Nothing can be known about walls.", "says what none"},
		{"Who pays for the crane?", "The county pays two thirds, the rest is paid by others.", "is left out"},
	} {
		if got := strange(members, queryReply{c.query, c.summary}); c.want == "" && got != "" || !strings.Contains(got, c.want) {
			t.Errorf("%q: %q, want %q", c.summary, got, c.want)
		}
	}

	w := &rewriting{sources: []Source{{ID: "a", Query: "Why?"}, {ID: "b", Query: "Who?"}, {ID: "c", Query: "Why?"}},
		results: []string{"What is said about  it?", "", ""}}
	if w.twin(1, "what is said about it?") != "a" || w.twin(2, "What is said about it?") != "" || w.twin(1, "Who is it?") != "" {
		t.Error("twins are not told")
	}
}
