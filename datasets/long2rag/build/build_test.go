package build

import (
	"context"
	"flag"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"lore/datasets"
	"lore/datasets/long2rag"
	"lore/datasets/long2rag/build/scripted"
	"lore/datasets/stage/stagetest"
	"lore/local"
	"lore/local/fake"
	"lore/local/files"
	"lore/local/text"
)

var update = flag.Bool("update", false, "write the golden dataset anew")

// carefulReply adds the probabilities that significance is read from.
func carefulReply(c local.Call) local.Reply {
	r := fake.Text(scripted.Careful(c.Messages))
	if c.TopLogprobs > 0 {
		p := map[string]float64{"YES": .9, "NO": .1}
		if r.Text == "NO" {
			p["YES"], p["NO"] = .2, .8
		}
		top := []local.TokenProb{{Token: "YES", Logprob: math.Log(p["YES"])}, {Token: "NO", Logprob: math.Log(p["NO"])}}
		r.Logprobs = []local.Position{{TokenProb: local.TokenProb{Token: r.Text}, Top: top}}
	}
	return r
}

// newBuilder builds over the sample's documents, found by common words.
func newBuilder(t *testing.T, script func(c local.Call) local.Reply) (*Builder, map[string]string) {
	t.Helper()
	backend := &fake.Backend{Script: func(_ int, c local.Call) local.Reply { return script(c) }}
	ds, err := long2rag.Benchmark{}.Load(nil)
	if err != nil {
		t.Fatal(err)
	}
	corpus := map[string]string{}
	for _, d := range ds.Corpora[0].Documents {
		corpus[d.ID] = d.Text
	}
	s := stagetest.Session(t, backend, 3, 2, Prompts())
	return &Builder{Session: s, Domains: []string{"history", "biology"}, Criteria: LeastCriteria, Rounds: 2,
		Threshold: Threshold, Seed: 1,
		Find: func(_ context.Context, questions []datasets.Search) ([][]string, error) {
			out := make([][]string, len(questions))
			for i, q := range questions {
				for range long2rag.Shown {
					best, at := 0.0, ""
					for _, d := range ds.Corpora[0].Documents {
						if o := text.Overlap(d.Text, q.Text+strings.Join(q.Parts, " ")); o > best &&
							!strings.Contains(strings.Join(out[i], " "), d.ID) {
							best, at = o, d.ID
						}
					}
					if at != "" {
						out[i] = append(out[i], at)
					}
				}
			}
			return out, nil
		}}, corpus
}

var seeds = []Seed{
	{ID: "s1",
		Text: "Why did the tramway of Ostwick lose its passengers, and what did the council do about its rails?"},
	{ID: "s2", Text: "How does the lichen on the cliffs take up water from fog, and how does it dry?"},
	{ID: "s3", Text: "What is cheese?"},
}

// With good replies the build gives the golden dataset.
func TestBuildGolden(t *testing.T) {
	for name, evolve := range map[string]int{"plain": 0, "evolved": 1} {
		b, corpus := newBuilder(t, carefulReply)
		b.Evolve = evolve
		questions, err := b.Build(context.Background(), seeds, corpus)
		if err != nil {
			t.Fatal(err)
		}
		r := b.Report()
		if r.Seeds != 3 || r.Screened != 2 || r.Refused != 0 || r.Rejected != 0 || r.Unscored != 0 ||
			len(questions) != r.Questions || len(questions) < 2 {
			t.Errorf("%s: %+v\n%+v", name, r, b.Log())
		}
		golden := filepath.Join("testdata", "golden-"+name+".jsonl")
		path := filepath.Join(t.TempDir(), "q.jsonl")
		if *update {
			path = golden
		}
		if err := files.WriteLines(path, questions); err != nil {
			t.Fatal(err)
		}
		got, err1 := os.ReadFile(path)
		want, err2 := os.ReadFile(golden)
		if err1 != nil || err2 != nil || string(got) != string(want) {
			t.Errorf("%s differs from the golden one (%v, %v); go test ./datasets/long2rag/build -run Golden -update writes it anew",
				name, err1, err2)
		}
		ds, err := long2rag.Benchmark{}.Load([]string{path})
		if err != nil || len(ds.Warnings) > 0 {
			t.Errorf("%s: the dataset does not load, or spans are lost: %v %q", name, err, ds.Warnings)
		}
	}
}

// Each kind of bad reply is refused or repaired with its reason, and costs only what
// hangs on it.
func TestBuildBadReplies(t *testing.T) {
	for name, c := range map[string]struct {
		mark   string // part of the prompts whose replies are spoilt
		reply  local.Reply
		once   bool // at the first try alone
		check  func(r Report) bool
		reason string
	}{
		"screening fails": {`"needs_sources"`, fake.Text("Yes."), false,
			func(r Report) bool { return r.Screened == 0 && r.Dropped == 3 }, "not screened: bad_format"},
		"screening fails once": {`"needs_sources"`, fake.Text("Yes."), true,
			func(r Report) bool { return r.Screened == 2 && r.Refused == 3 }, "refused: bad_format"},
		"no sub-questions": {`"simple": it asks`, fake.Text(`{"type":"complex","questions":[]}`), false,
			func(r Report) bool { return r.Questions == 2 }, "which is searched by itself alone"},
		"no tags": {"<point>the statement", fake.Text("Point 1: The tram closed."), false,
			func(r Report) bool { return r.Questions == 0 && r.Dropped == 2 && r.Points == 0 },
			"no points in round 1: bad_format: no point stands"},
		"span altered": {"<point>the statement",
			fake.Text("<point>It closed.</point><span>the tramway of Ostwich closed</span>"), false,
			func(r Report) bool { return r.Questions == 0 && r.Rejected == r.Points && r.Points > 0 },
			"does not stand in the document"},
		"a cut list": {"<point>the statement", local.Fail(local.Cut, "output limit"), false,
			func(r Report) bool { return r.Points == 0 }, "cut: output limit"},
		"a mapping with holes": {"Put points that say", fake.Text("Point 1: all of it [1, 2]"), false,
			func(r Report) bool { return r.Questions == 2 && r.Unpartitioned == 2 && r.Merged > 2 }, "in no point"},
		"a mapping with overlaps": {"Put points that say", fake.Text("1. a [1, 2]\n2. b [2, 3]"), false,
			func(r Report) bool { return r.Questions == 2 && r.Unpartitioned == 2 }, "2 in more than one point"},
		"no mapping": {"Put points that say", fake.Text("There are none."), false,
			func(r Report) bool { return r.Questions == 2 && r.Unpartitioned == 2 && r.Refused == 4 },
			"no point names its original"},
		"a mapping repaired by try": {"Put points that say", fake.Text("There are none."), true,
			func(r Report) bool { return r.Unpartitioned == 0 && r.Refused == 2 },
			"refused: bad_format: no point names"},
		"no YES and no NO": {"Does this information",
			local.Reply{Outcome: local.OK, Text: "Maybe", Logprobs: []local.Position{token("Maybe", "Maybe", 1.)}},
			false, func(r Report) bool { return r.Unscored == r.Merged && r.Kept == 0 },
			"left out without a score: bad_format"},
		"insignificant": {"Does this information",
			local.Reply{Outcome: local.OK, Text: "NO",
				Logprobs: []local.Position{token("NO", "YES", .69, "NO", .31)}}, false,
			func(r Report) bool { return r.Kept == 0 && r.Histogram[6] == r.Merged }, "0.690 is below 0.7"},
		"a server without them": {"Does this information", fake.Text("YES"), false,
			func(r Report) bool { return r.Unscored == r.Merged && r.Refused == 2*r.Merged }, "refused_option"},
	} {
		t.Run(name, func(t *testing.T) {
			b, corpus := newBuilder(t, func(call local.Call) local.Reply {
				p := call.Messages[len(call.Messages)-1].Content
				for _, m := range call.Messages {
					p += m.Content
				}
				if strings.Contains(p, c.mark) &&
					(!c.once || call.Sample == 0 && !strings.Contains(p, "An earlier") && len(call.Messages) == 2) {
					return c.reply
				}
				return carefulReply(call)
			})
			if _, err := b.Build(context.Background(), seeds, corpus); err != nil {
				t.Fatal(err)
			}
			log := ""
			for _, e := range b.Log() {
				log += e.Detail + "\n"
			}
			if r := b.Report(); !c.check(r) || !strings.Contains(log, c.reason) {
				t.Errorf("%+v\n%s", r, log)
			}
		})
	}
}
