package ensemble

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"lore/judge"
	"lore/local"
)

// scripted answers by question id and records what it was asked.
type scripted struct {
	name  string
	by    map[string]judge.Verdict
	asked []string
}

func (s *scripted) Name() string { return s.name }

func (s *scripted) Judge(_ context.Context, tasks []judge.Task, done func(int)) ([][]judge.Verdict, error) {
	var out [][]judge.Verdict
	for _, t := range tasks {
		var v []judge.Verdict
		for _, q := range t.Questions {
			s.asked = append(s.asked, q.ID)
			v = append(v, s.by[q.ID])
		}
		out = append(out, v)
	}
	if done != nil {
		done(len(s.asked))
	}
	return out, nil
}

func verdict(label string, score float64, unit int) judge.Verdict {
	return judge.Verdict{Label: label, Value: judge.Values[judge.Coverage][label], Score: score, Unit: unit}
}

func tasks() []judge.Task {
	q := func(id string) judge.Question { return judge.Question{ID: id, Kind: judge.Coverage} }
	return []judge.Task{{ID: "t", Units: []string{"u"}, Questions: []judge.Question{q("a"), q("b"), q("c")}}, {ID: "s", Units: []string{"u"}, Questions: []judge.Question{q("d")}}}
}

func pair(rule Rule) (*Judge, *scripted, *scripted) {
	first := &scripted{name: "lexical", by: map[string]judge.Verdict{
		"a": verdict("none", 0.1, 0), "b": verdict("partial", 0.4, 1), "c": verdict("full", 0.9, 1), "d": verdict("none", 0.2, 0),
	}}
	second := &scripted{name: "model", by: map[string]judge.Verdict{
		"a": verdict("full", 0, 1), "b": verdict("full", 0, 2), "c": verdict("none", 0, 0), "d": judge.Unscored("d", local.BadFormat, "x"),
	}}
	return &Judge{Parts: []judge.Judge{first, second}, Rule: rule}, first, second
}

// In its zone the pair averages, and never takes the second alone; where the second fails the first's
// verdict stands, flagged and counted.
func TestZoneAverages(t *testing.T) {
	j, _, second := pair(Rule{Zone: &Zone{0.2, 0.6}})
	got, err := j.Judge(context.Background(), tasks(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if s := strings.Join(second.asked, ""); s != "bd" {
		t.Errorf("the second was asked %q", s)
	}
	if v := got[0][1]; v.Value != 0.75 || v.Unit != 2 || got[0][0].Value != 0 || got[0][2].Value != 1 {
		t.Errorf("%+v", got)
	}
	if v := got[1][0]; v.Label != "none" || len(v.Flags) != 1 || !strings.Contains(v.Flags[0], "without model: ") {
		t.Errorf("where the second fails: %+v", v)
	}
	if n := j.Count(); n != (Count{Questions: 4, Asked: 2, Lacking: 1}) {
		t.Errorf("%+v", n)
	}
	if j.Name() != "lexical+model (average in 0.2..0.6)" {
		t.Error(j.Name())
	}
}

func TestAverageEverywhere(t *testing.T) {
	j, first, _ := pair(Rule{})
	first.by["d"] = judge.Unscored("d", local.Cut, "y")
	got, err := j.Judge(context.Background(), tasks(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if a := got[0][0]; a.Value != 0.5 || a.Label != "partial" || a.Unit != 1 {
		t.Errorf("0 and 1: %+v", a)
	}
	if got[1][0].Scored() || j.Count().Failed != 1 || j.Name() != "lexical+model (average)" {
		t.Errorf("both fail: %+v", got[1][0])
	}
}

// The second is asked where the first's score is nearest to where its label changes: 0.3 and 0.65
// here, so first b at .4, then d at .2.
func TestShareAsksWhereItPays(t *testing.T) {
	j, _, second := pair(Rule{Share: 0.5})
	if _, err := j.Judge(context.Background(), tasks(), nil); err != nil {
		t.Fatal(err)
	}
	if s := strings.Join(second.asked, ""); s != "bd" {
		t.Errorf("the second was asked %q", s)
	}
}

// What each model said is kept under its name, also where it could not be read, and stands for
// none of the others.
func TestRepliesAreKept(t *testing.T) {
	j, _, second := pair(Rule{})
	said := func(id, text string) {
		v := second.by[id]
		v.Reply = text
		second.by[id] = v
	}
	said("a", "all of it")
	said("d", "no JSON")
	third := &scripted{name: "other", by: map[string]judge.Verdict{"a": {Label: "none", Reply: "nothing"}}}
	j.Parts = append(j.Parts, third)
	got, err := j.Judge(context.Background(), tasks(), nil)
	if err != nil {
		t.Fatal(err)
	}
	for at, want := range map[[2]int][]judge.Reply{
		{0, 0}: {{Judge: "model", Text: "all of it"}, {Judge: "other", Text: "nothing"}},
		{0, 1}: nil,
		{1, 0}: {{Judge: "model", Text: "no JSON"}},
	} {
		if v := got[at[0]][at[1]]; v.Reply != "" || !slices.Equal(v.Replies, want) {
			t.Errorf("%v: %q, %+v", at, v.Reply, v.Replies)
		}
	}
}

// A model that is first, and where all fail, loses no reply either.
func TestRepliesOfTheFirstAreKept(t *testing.T) {
	j, first, _ := pair(Rule{Zone: &Zone{0.2, 0.6}})
	first.by["c"] = judge.Verdict{Label: "full", Value: 1, Score: 0.9, Reply: "yes"}
	failed := judge.Unscored("d", local.BadFormat, "y")
	failed.Reply = "what?"
	first.by["d"] = failed
	got, err := j.Judge(context.Background(), tasks(), nil)
	if err != nil {
		t.Fatal(err)
	}
	for at, want := range map[[2]int]string{{0, 2}: "yes", {1, 0}: "what?"} {
		v := got[at[0]][at[1]]
		if v.Reply != "" || !slices.Equal(v.Replies, []judge.Reply{{Judge: "lexical", Text: want}}) {
			t.Errorf("%v: %q, %+v", at, v.Reply, v.Replies)
		}
	}
}

func TestThreeJudges(t *testing.T) {
	j, first, second := pair(Rule{})
	third := &scripted{name: "other", by: map[string]judge.Verdict{"a": verdict("none", 0, 0), "b": verdict("none", 0, 0), "c": verdict("full", 0, 0), "d": verdict("full", 0, 0)}}
	j.Parts = []judge.Judge{first, second, third}
	last := 0
	got, err := j.Judge(context.Background(), tasks(), func(n int) { last = n })
	if err != nil {
		t.Fatal(err)
	}
	if got[0][0].Value != 1./3 || got[1][0].Value != 0.5 || got[1][0].Label != "partial" || last != 4 {
		t.Errorf("%+v, %d done", got, last)
	}
}

// calibration weighs the first twice, and maps by a line to half.
func calibration() *Calibration {
	f := &Fit{
		Uses: []string{ReadsScore, ReadsValue}, Weights: []float64{2, 1}, Map: []Point{{0, 0}, {1, 0.5}}, Cuts: []float64{0.1, 0.25},
		Alone: []Single{{Map: []Point{{0, 0.1}, {1, 0.2}}}, {Map: []Point{{0, 0.3}, {1, 0.4}}}}, Gain: []Point{{0, 0}, {0.3, 1}, {1, 0}},
	}
	return &Calibration{Format: 1, Judges: []Part{{Name: "lexical"}, {Name: "model"}}, N: 9, Kinds: map[judge.Kind]*Fit{judge.Coverage: f}}
}

// a: (2·.1 + 1)/3 = .4, mapped to .2: partial. c: (2·.9 + 0)/3 = .6, .3: full. d: the first alone, .2 on its own
// map: .12.
func TestCalibratedByHand(t *testing.T) {
	j, _, _ := pair(Rule{Calibration: calibration()})
	got, err := j.Judge(context.Background(), tasks(), nil)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []float64{0.2, 0.3, 0.3} {
		if v := got[0][i]; math.Abs(v.Value-want) > 1e-12 {
			t.Errorf("%d: %+v, want %v", i, v, want)
		}
	}
	if got[0][0].Label != "partial" || got[0][2].Label != "full" || math.Abs(got[1][0].Value-0.12) > 1e-12 {
		t.Errorf("%+v", got)
	}

	_, err = j.Judge(context.Background(), []judge.Task{{Questions: []judge.Question{{ID: "a", Kind: judge.Relevance}}}}, nil)
	var kind *KindError
	if !errors.As(err, &kind) || !strings.Contains(err.Error(), "not of relevance") {
		t.Error(err)
	}

	alone := calibration()
	alone.Kinds[judge.Coverage].Weights = []float64{1, 0}
	j, _, second := pair(Rule{Calibration: alone})
	if _, err := j.Judge(context.Background(), tasks(), nil); err != nil || len(second.asked) > 0 {
		t.Errorf("a judge without weight was asked %v, %v", second.asked, err)
	}

	asked, _, other := pair(Rule{Calibration: calibration(), Share: 0.25})
	if _, err := asked.Judge(context.Background(), tasks(), nil); err != nil || strings.Join(other.asked, "") != "b" {
		t.Errorf("the gain is highest at .3: asked %v, %v", other.asked, err)
	}
}

func TestParseRefuses(t *testing.T) {
	whole := calibration()
	again, err := Parse(whole.Encode())
	if err != nil || again.Short() != whole.Short() || again.Spec() != "lexical+model" {
		t.Fatalf("%v", err)
	}
	for want, spoil := range map[string]func(*Calibration, *Fit){
		"format 2":      func(c *Calibration, _ *Fit) { c.Format = 2 },
		"no judges":     func(c *Calibration, _ *Fit) { c.Judges = nil },
		"no kind":       func(c *Calibration, f *Fit) { c.Kinds["smell"] = f },
		"weights are 0": func(_ *Calibration, f *Fit) { f.Weights = []float64{0, 0} },
		"below 0":       func(_ *Calibration, f *Fit) { f.Weights[0] = -1 },
		"not say":       func(_ *Calibration, f *Fit) { f.Alone = nil },
		"a map falls":   func(_ *Calibration, f *Fit) { f.Map = []Point{{0, 1}, {1, 0}} },
		"leaves 0 to 1": func(_ *Calibration, f *Fit) { f.Map = []Point{{0, 7}} },
		"cuts do not":   func(_ *Calibration, f *Fit) { f.Cuts = []float64{1} },
	} {
		c := calibration()
		spoil(c, c.Kinds[judge.Coverage])
		if _, err := Parse(c.Encode()); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add(calibration().Encode())
	f.Fuzz(func(t *testing.T, data []byte) {
		c, err := Parse(data)
		if err != nil || c.Kinds[judge.Coverage] == nil || len(c.Judges) != 2 {
			return
		}
		j, _, _ := pair(Rule{Calibration: c})
		got, err := j.Judge(context.Background(), tasks(), nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, v := range append(got[0], got[1]...) {
			if v.Scored() && (!(v.Value >= 0 && v.Value <= 1) || v.Label == "") {
				t.Errorf("%+v", v)
			}
		}
	})
}

// Names say what was done, also those of earlier versions, in which the second replaced the first.
func TestExplain(t *testing.T) {
	for name, want := range map[string]string{
		"lexical":                                     "",
		"lexical+ollama:x (unsure 0.2..0.6)":          "stands alone where the score of the first lies in 0.2..0.6",
		"lexical+ollama:x (average)":                  "the mean of the judges' values",
		"lexical+ollama:x (average in 0.1..0.9)":      "lies in 0.1..0.9; the first alone elsewhere",
		"lexical+ollama:x (average 2:1 in 0.3..0.75)": "of which the first counts 2 times, where the score of the first lies in 0.3..0.75",
		"lexical+ollama:x (logprob) (average)":        "the mean",
		"lexical+ollama:x (average, ask 0.3)":         "nearest to another label",
		"lexical+ollama:x (calibrated 01, ask 0.3)":   "weights and maps",
		"ollama:x (logprob)":                          "",
		"ollama:x (batch)":                            "",
	} {
		if got := Explain(name); !strings.Contains(got, want) || want == "" && got != "" {
			t.Errorf("%s: %q", name, got)
		}
	}
}
