package build

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"lore/datasets"
	"lore/datasets/msrs/build/noisy"
	"lore/datasets/stage"
	"lore/datasets/stage/madeup"
	"lore/datasets/stage/scripted"
	"lore/datasets/stage/stagetest"
	"lore/local"
	"lore/local/fake"
)

// Sizes of the builds: stories have four queries each, and so have matters of meetings.
const (
	stories = 45
	matters = 60
)

func noisyBuilder(t testing.TB, m *noisy.Model) (*Builder, *fake.Backend) {
	backend := &fake.Backend{Script: m.Script}
	return &Builder{Session: stagetest.Session(t, backend, 4, 3, Prompts()), Context: contextTokens}, backend
}

// simulateStory rewrites queries by a noisy model. An item is a query that says what it is about.
func simulateStory(t testing.TB, m *noisy.Model) (stagetest.Built, *Builder) {
	t.Helper()
	b, backend := noisyBuilder(t, m)
	texts, queries := noisy.Stories(stories)
	var chapters []datasets.Document
	for _, id := range slices.Sorted(maps.Keys(texts)) {
		chapters = append(chapters, datasets.Document{ID: id, Text: texts[id]})
	}
	var sources []Source
	of := map[string]int{}
	for _, q := range queries {
		sources = append(sources, Source{ID: q.ID, Story: q.Story, Query: q.Text, Summary: q.Summary})
		of[q.ID] = q.Statement
	}

	made, err := b.Story(context.Background(), chapters, sources)
	out := stagetest.Built{Items: len(queries), Written: len(made), Calls: len(backend.Calls()), Err: err}
	for _, q := range made {
		if noisy.Right(q.Text, of[q.ID]) {
			out.Kept++
		} else {
			out.Wrong++
		}
	}
	return out, b
}

// simulateMeeting merges queries by a noisy model. An item is a statement of a summary.
func simulateMeeting(t testing.TB, m *noisy.Model) (stagetest.Built, *Builder) {
	t.Helper()
	b, backend := noisyBuilder(t, m)
	queries, similarity := noisy.Meetings(matters)
	var sources []Source
	for _, q := range queries {
		sources = append(sources, Source{ID: q.ID, Query: q.Text, Summary: q.Summary, Documents: []string{"m" + q.ID}})
	}

	made, err := b.Meeting(context.Background(), sources, similarity, 0.5, Nearest)
	out := stagetest.Built{Items: len(queries), Calls: len(backend.Calls()), Err: err}
	for _, q := range made {
		var cluster []int
		for _, of := range queries {
			if slices.Contains(q.Gold, "m"+of.ID) {
				cluster = append(cluster, of.Statement)
			}
		}
		right, wrong := noisy.Told(q.References[0], cluster)
		out.Kept, out.Wrong, out.Written = out.Kept+right, out.Wrong+wrong, out.Written+right+wrong
		if len(madeup.Stated(q.Text)) > 0 {
			t.Errorf("the query tells the answer: %s", q.Text)
		}
	}
	return out, b
}

func storyModels() []stagetest.Noisy {
	return stagetest.All(func(t testing.TB, n fake.Noise) stagetest.Built {
		out, _ := simulateStory(t, &noisy.Model{Noise: n})
		return out
	})
}

// meetingModels are those that fall short in what they write: meetings have nothing checked by a model.
func meetingModels() []stagetest.Noisy {
	all := stagetest.All(func(t testing.TB, n fake.Noise) stagetest.Built {
		out, _ := simulateMeeting(t, &noisy.Model{Noise: n})
		return out
	})
	checks := map[string]bool{}
	for _, named := range fake.Noises {
		n := named.Of(0)
		checks[named.Name] = n.Agree+n.Deny+n.Wrong+n.Blind+n.Gullible > 0
	}
	return slices.DeleteFunc(all, func(m stagetest.Noisy) bool { return checks[m.Name] })
}

// A model that falls short costs few queries of stories and few calls: what the check errs on is worded
// anew.
func TestNoisyStories(t *testing.T) {
	stagetest.Within(t, storyModels(), map[string]stagetest.Limit{
		"perfect":                       {Kept: 0.98, Wrong: 0, Calls: 1},
		"wrong on 5 % of statements":    {Kept: 0.93, Wrong: 0.03, Calls: 1.2},
		"5 % of answers wrong":          {Kept: 0.95, Wrong: 0.03, Calls: 1.2},
		"a quarter forgotten":           {Kept: 0.95, Wrong: 0, Calls: 1.4},
		"5 % of replies without form":   {Kept: 0.98, Wrong: 0, Calls: 1.2},
		"5 % of replies cut":            {Kept: 0.97, Wrong: 0, Calls: 1.2},
		"a third of the texts too long": {Kept: 0.9, Wrong: 0, Calls: 1.3},
	})
}

// Of the statements of summaries few are lost where they are merged: a merged summary that lacks a number
// is asked for again with it.
func TestNoisyMeetings(t *testing.T) {
	stagetest.Within(t, meetingModels(), map[string]stagetest.Limit{
		"perfect":                     {Kept: 0.97, Wrong: 0, Calls: 1},
		"a quarter forgotten":         {Kept: 0.85, Wrong: 0, Calls: 1.7},
		"leaks in each text":          {Kept: 0.96, Wrong: 0.01, Calls: 1.3},
		"5 % of replies without form": {Kept: 0.97, Wrong: 0, Calls: 1.2},
		"5 % of replies cut":          {Kept: 0.97, Wrong: 0, Calls: 1.2},
	})
}

// A model that is of no use is found out at once, and the message says for what.
func TestUselessModels(t *testing.T) {
	stagetest.Stopped(t, storyModels(), map[string][]string{
		"always yes": {"no use for the check of rewritten questions", "3 of 3 good ones, and 3 of 3 that do not", "--checker"},
		"always no":  {"no use for the check of rewritten questions", "0 of 3 good ones, and 0 of 3 that do not"},
		"garbage":    {"no use for the check of rewritten questions", "6 of 6 replies cannot be read"},
	})
}

// A model that only writes badly is found out where it does.
func TestUselessWriting(t *testing.T) {
	for mark, build := range map[string]func(testing.TB, *noisy.Model) (stagetest.Built, *Builder){
		"rewrite": simulateStory, "merge": simulateMeeting,
	} {
		words := map[string]string{"rewrite": "The story:", "merge": "Summary 1:"}
		got, b := build(t, &noisy.Model{Noise: fake.Noises[0].Of(0), Garbage: words[mark]})
		var useless *stage.Useless
		if !errors.As(got.Err, &useless) || !strings.Contains(got.Err.Error(), `no use for the stage "`+mark+`"`) ||
			!strings.Contains(got.Err.Error(), "--writer") || b.Refused() < 12 || got.Calls > 50 {
			t.Errorf("%s: %d calls, %d refused: %v", mark, got.Calls, b.Refused(), got.Err)
		}
	}
}

// What is built does not hang on which reply comes first.
func TestNoisyBuildIsRepeatable(t *testing.T) {
	n := fake.Writing
	n.Seed, n.Forget, n.Agree, n.Deny, n.Format, n.Cut = 3, 0.2, 0.05, 0.05, 0.05, 0.05
	for name, build := range map[string]func(testing.TB, *noisy.Model) (stagetest.Built, *Builder){
		"story": simulateStory, "meeting": simulateMeeting,
	} {
		one, first := build(t, &noisy.Model{Noise: n})
		two, second := build(t, &noisy.Model{Noise: n})
		if one.Err != nil || one != two || fmt.Sprint(first.Log()) != fmt.Sprint(second.Log()) {
			t.Errorf("%s: %+v\n%+v", name, one, two)
		}
	}
}

// Of tries that all differ in numbers the best is taken, and the log says what is amiss.
func TestBestMerge(t *testing.T) {
	tries := []string{"It cost 10 crowns.", "It cost 10 crowns in 1931.", "It was dear, 77 crowns."}
	asked := 0
	b := builder(t, func(int, local.Call) local.Reply {
		asked++
		return fake.Text(scripted.JSON(queryReply{"What of it?", tries[asked-1]}))
	})
	b.Tries = len(tries)
	got, err := b.Meeting(context.Background(), []Source{
		{ID: "a", Query: "What of the wall?", Summary: "The wall cost 10 crowns in 1931.", Documents: []string{"m1"}},
		{ID: "b", Query: "What of the gate?", Summary: "The gate cost 20 crowns.", Documents: []string{"m2"}},
	}, func(int, int) float64 { return 1 }, 0.5, Nearest)
	if err != nil || len(got) != 1 || got[0].References[0] != tries[1] || asked != 3 {
		t.Errorf("%v, %+v, %d asked", err, got, asked)
	}
	if log := fmt.Sprint(b.Log()); !strings.Contains(log, "left out: ") || !strings.Contains(log, "these numbers is left out: 20") {
		t.Error(log)
	}
}

// BenchmarkBuildNoise prints what becomes of builds by models that fall short: make bench-build.
func BenchmarkBuildNoise(b *testing.B) {
	stagetest.BuildNoise(b, "msrs story", storyModels())
	stagetest.BuildNoise(b, "msrs meeting", meetingModels())
}
