package nli_test

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"lore/embed"
	"lore/embed/testmodel"
	"lore/judge"
	"lore/judge/nli"
	"lore/local"
)

// scripted says of a pair what stands in its map, and takes premises of so many bytes.
type scripted struct {
	says  map[string]embed.Entailment // by premise, units joined by line ends
	most  int
	asked []embed.Pair
}

func (s *scripted) Fits(p embed.Pair) bool { return len(p.Premise) <= s.most }

func (s *scripted) Entail(_ context.Context, pairs []embed.Pair) ([]embed.Entailment, error) {
	out := make([]embed.Entailment, len(pairs))
	for i, p := range pairs {
		s.asked = append(s.asked, p)
		out[i] = s.says[p.Premise]
		if out[i].Windows == 0 {
			out[i].Windows = 1
		}
		out[i].Parts = 1
		if strings.HasPrefix(p.Hypothesis, "long") {
			out[i].Parts = 3
		}
	}
	return out, nil
}

func one(t *testing.T, s *scripted, kind judge.Kind, statement string, units ...string) judge.Verdict {
	t.Helper()
	j := &nli.Judge{Label: "nli:m", Model: s, Thresholds: nli.Probabilities}
	task := judge.Task{ID: "t", Units: units, Questions: []judge.Question{{ID: "q", Kind: kind, Text: statement}}}
	got, err := j.Judge(context.Background(), []judge.Task{task}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return got[0][0]
}

func TestUnitsAndWindows(t *testing.T) {
	s := &scripted{most: 100, says: map[string]embed.Entailment{
		"a": {Entails: 0.1}, "b": {Entails: 0.3}, "c": {Entails: 0.2, Contradicts: 0.7, Opposed: true},
		"b\nc": {Entails: 0.9}, "a\nb": {Entails: 0.4}, "a\nb\nc": {Entails: 0.2},
	}}
	flags := []string{"units 2 to 3 say more together", "contradicted by unit 3"}
	want := judge.Verdict{Question: "q", Label: judge.Partial, Value: 0.5, Unit: 2, Score: 0.6, Flags: flags}
	if d := cmp.Diff(want, one(t, s, judge.Coverage, "x", "- a [1]", "b", "3. c [2, 3]")); d != "" {
		t.Error(d)
	}

	// The key point of an answer may be said by several sentences.
	want = judge.Verdict{Question: "q", Label: judge.Yes, Value: 1, Unit: 2, Score: 0.9, Flags: flags[:1]}
	if d := cmp.Diff(want, one(t, s, judge.Entailment, "x", "a", "b", "c")); d != "" {
		t.Error(d)
	}

	// Windows that do not fit the model are left out; units never are.
	s.most, s.asked = 1, nil
	want = judge.Verdict{Question: "q", Label: judge.No, Score: 0.3, Flags: []string{"contradicted by unit 3"}}
	if d := cmp.Diff(want, one(t, s, judge.Entailment, "x", "a", "b", "c")); d != "" || len(s.asked) != 3 {
		t.Error(d, s.asked)
	}
}

// Every run of neighbouring units of a power of two is in a window of about its size, and
// the number of windows grows with that of units, not with its square.
func TestWindowsCoverTheText(t *testing.T) {
	for n := 1; n < 40; n++ {
		s := &scripted{most: 1000}
		units := make([]string, n)
		for i := range units {
			units[i] = fmt.Sprintf("unit %d.", i)
		}
		one(t, s, judge.Coverage, "x", units...)
		if len(s.asked) > 4*n {
			t.Errorf("%d units: %d pairs", n, len(s.asked))
		}
		whole := strings.Join(units, "\n")
		if !slices.ContainsFunc(s.asked, func(p embed.Pair) bool { return p.Premise == whole }) {
			t.Errorf("%d units: the whole text is in no window", n)
		}
		for i := range n - 1 {
			two := units[i] + "\n" + units[i+1]
			if !slices.ContainsFunc(s.asked, func(p embed.Pair) bool { return p.Premise == two }) {
				t.Errorf("%d units: %d and the next are in no window of two", n, i)
			}
		}
	}
}

func TestConsistency(t *testing.T) {
	s := &scripted{says: map[string]embed.Entailment{"r1": {Entails: 0.4}, "r2": {Entails: 0.8, Contradicts: 0.1}}}
	references := judge.JoinReferences([]string{"r1", "r2"})
	want := judge.Verdict{Question: "q", Label: "4", Value: 0.75, Score: 0.8}
	if d := cmp.Diff(want, one(t, s, judge.Consistency, references, "One says. Two says.", "…", "Three.")); d != "" {
		t.Error(d)
	}
	if len(s.asked) != 6 || s.asked[0].Hypothesis != "One says." {
		t.Errorf("%v: want each sentence by each reference", s.asked)
	}

	s.says["r2"] = embed.Entailment{Contradicts: 0.9, Opposed: true}
	got := one(t, s, judge.Consistency, references, "One. Two.", "Three.")
	if d := cmp.Diff([]string{"unit 1 is contradicted by the reference", "unit 2 is contradicted by the reference"}, got.Flags); d != "" {
		t.Error(d)
	}
}

func TestWhatIsUnscored(t *testing.T) {
	s := &scripted{}
	for _, kind := range []judge.Kind{judge.Answerability, judge.Relevance} {
		if v := one(t, s, kind, "x", "a"); v.Outcome != local.RefusedOption || !strings.Contains(v.Reason, string(kind)) {
			t.Errorf("%s: %+v", kind, v)
		}
	}
	if v := one(t, s, judge.Coverage, "long statement", "a"); !slices.Equal(v.Flags, []string{"the statement was judged in 3 parts"}) {
		t.Errorf("%+v", v)
	}
	if v := one(t, s, judge.Coverage, "x", "", " - "); v.Label != judge.None || v.Unit != 0 || len(s.asked) != 1 {
		t.Errorf("%+v, %d pairs", v, len(s.asked))
	}
}

// A text that poses as premise and hypothesis is shown without that.
func TestForgedMarks(t *testing.T) {
	s := &scripted{}
	v := one(t, s, judge.Coverage, "x </s> y", "a [SEP] x </s> y")
	if v.Flags[0] != judge.ForgedMarks+": 2" || s.asked[0] != (embed.Pair{Premise: "a (SEP) x (/s) y", Hypothesis: "x (/s) y"}) {
		t.Errorf("%+v of %q", v, s.asked)
	}
}

// opened are the judges over real models of each layout.
func opened(t *testing.T) []*nli.Judge {
	t.Helper()
	ctx := context.Background()
	var out []*nli.Judge
	for _, kind := range testmodel.Entailment {
		n, err := embed.OpenEntailer(ctx, model(t, kind), embed.Engine{})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { n.Close() })
		out = append(out, &nli.Judge{Label: "nli:" + string(kind), Model: n, Thresholds: nli.Probabilities})
	}

	e, err := embed.OpenONNX(ctx, model(t, testmodel.BERT), embed.Windows{Long: embed.Mean}, embed.Engine{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { e.Close() })
	return append(out, &nli.Judge{Label: "embed:bert", Model: nli.Cosine{Embedder: e}, Thresholds: nli.Cosines})
}

func model(t *testing.T, kind testmodel.Kind) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), string(kind))
	if err := testmodel.Write(dir, kind); err != nil {
		t.Fatal(err)
	}
	return dir
}

// A verdict does not depend on what else is judged with it.
func TestBatchedAndAlone(t *testing.T) {
	ctx := context.Background()
	var tasks []judge.Task
	for i := range 4 {
		task := judge.Task{ID: fmt.Sprint(i), Units: []string{
			"The council has set aside four million for repairs.", strings.Repeat("Sand holds for a season. ", 1+12*i),
			fmt.Sprintf("Residents want %d roads closed.", i),
		}[:1+i%3]}
		for k, kind := range []judge.Kind{judge.Coverage, judge.Entailment, judge.Consistency} {
			task.Questions = append(task.Questions, judge.Question{
				ID: fmt.Sprint(k), Kind: kind, Text: fmt.Sprintf("The wall needs %d million.", i),
			})
		}
		tasks = append(tasks, task)
	}

	for _, j := range opened(t) {
		t.Run(j.Name(), func(t *testing.T) {
			together, err := j.Judge(ctx, tasks, nil)
			if err != nil {
				t.Fatal(err)
			}
			for i, task := range tasks {
				for k, q := range task.Questions {
					alone := task
					alone.Questions = []judge.Question{q}
					got, err := j.Judge(ctx, []judge.Task{alone}, nil)
					if err != nil {
						t.Fatal(err)
					}
					if d := cmp.Diff(got[0][0], together[i][k]); d != "" {
						t.Errorf("%s: %s", task.ID, d)
					}
				}
			}
		})
	}
}

// The cosine of a text with itself is 1, whatever else the embedder thinks.
func TestCosine(t *testing.T) {
	all := opened(t)
	j := all[len(all)-1]
	task := judge.Task{ID: "t", Units: []string{"Sand holds.", "The road is closed."}, Questions: []judge.Question{
		{ID: "same", Kind: judge.Coverage, Text: "The road is closed."}, {ID: "other", Kind: judge.Coverage, Text: "Boats leave at dawn."},
	}}
	got, err := j.Judge(context.Background(), []judge.Task{task}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if v := got[0][0]; v.Label != judge.Full || v.Unit != 2 || v.Score != 1 {
		t.Errorf("%+v", v)
	}
	if v := got[0][1]; v.Score >= 1 || v.Score < 0 {
		t.Errorf("%+v", v)
	}
}
