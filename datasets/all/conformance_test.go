package all

import (
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"lore/datasets"
	"lore/judge"
	"lore/local"
	"lore/local/prompt"
)

// Every registered benchmark keeps the contract of package datasets.
func TestConformance(t *testing.T) {
	if len(Benchmarks()) == 0 {
		t.Fatal("no benchmark is registered")
	}
	seen := map[string]bool{}
	for _, b := range Benchmarks() {
		t.Run(b.Name(), func(t *testing.T) {
			if seen[b.Name()] || b.About() == "" {
				t.Errorf("name %q is taken, or about is empty", b.Name())
			}
			seen[b.Name()] = true
			ds, err := b.Load(nil)
			if err != nil {
				t.Fatalf("the bundled sample: %v", err)
			}
			if len(ds.Items) == 0 || ds.Hash == "" || len(ds.Files) == 0 {
				t.Fatalf("%d items, hash %q, files %v", len(ds.Items), ds.Hash, ds.Files)
			}
			checkMetrics(t, b)
			ids := map[string]bool{}
			for _, it := range ds.Items {
				if ids[it.ID()] || strings.ContainsAny(it.ID(), " \t\n") || it.ID() == "" {
					t.Errorf("item id %q is taken, empty or has white space", it.ID())
				}
				ids[it.ID()] = true
				checkItem(t, b, it)
			}
		})
	}
	if _, err := Find("nope"); err == nil || !strings.Contains(err.Error(), Names()[0]) {
		t.Errorf("an unknown benchmark gives %v", err)
	}
}

func checkMetrics(t *testing.T, b datasets.Benchmark) {
	t.Helper()
	names := map[string]bool{}
	for _, m := range b.Metrics() {
		if m.Name == "" || m.Title == "" || m.Explain == "" || names[m.Name] {
			t.Errorf("metric %+v is incomplete or named twice", m)
		}
		names[m.Name] = true
	}
}

func checkItem(t *testing.T, b datasets.Benchmark, it datasets.Item) {
	t.Helper()
	known := map[string]bool{}
	for _, d := range it.Corpus().Documents {
		known[d.ID] = true
	}
	q := it.Query()
	if q.Text == "" || it.Title() == "" || it.Group() == "" {
		t.Errorf("%s: query %q, title %q, group %q", it.ID(), q.Text, it.Title(), it.Group())
	}
	for id := range q.Gold {
		if !known[id] {
			t.Errorf("%s: gold document %s is not in the corpus", it.ID(), id)
		}
	}
	found := datasets.Retrieved{}
	for _, d := range it.Corpus().Documents {
		found.IDs = append(found.IDs, d.ID)
	}
	ctx := it.Context(found, datasets.Budget{Tokens: 1000})
	// A benchmark may show the first few alone; of these none may be lost uncounted.
	if ctx.Tokens > 1000 || ctx.Tokens <= 0 || len(ctx.Passages)+ctx.Dropped > len(found.IDs) || len(ctx.Passages) == 0 {
		t.Errorf("%s: %d tokens, %d passages and %d dropped of %d", it.ID(), ctx.Tokens, len(ctx.Passages), ctx.Dropped, len(found.IDs))
	}
	found.Whole = true
	if whole := it.Context(found, datasets.Budget{Tokens: 1000}); len(whole.Passages)+whole.Dropped != len(found.IDs) || (whole.Cut > 0) != (whole.CutTokens > 0) {
		t.Errorf("%s: a whole corpus lost documents", it.ID())
	}
	p, err := prompt.NewSet(nil, b.Prompts()).Load(b.AnswerPrompt())
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []datasets.Context{ctx, {}} {
		messages, source, err := it.Request(c, p)
		if err != nil || len(messages) == 0 || source == nil || len(source.Passages) != len(c.Passages) {
			t.Errorf("%s: request: %v, %d messages", it.ID(), err, len(messages))
		}
	}
	checkScores(t, b, it)
}

// checkScores runs Plan and Score with nothing scored, all at the bottom and all
// at the top: both are pure, unscored is never a number, and numbers keep to
// their range.
func checkScores(t *testing.T, b datasets.Benchmark, it datasets.Item) {
	t.Helper()
	out := datasets.Output{Text: "- one [1]\n- two [2, 3]\n", Outcome: local.OK}
	plan := it.Plan(out)
	if diff := cmp.Diff(plan, it.Plan(out)); diff != "" {
		t.Errorf("%s: Plan is not pure: %s", it.ID(), diff)
	}
	if len(plan.Questions) == 0 {
		t.Errorf("%s: no questions", it.ID())
	}
	metrics := map[string]datasets.Metric{}
	for _, m := range b.Metrics() {
		metrics[m.Name] = m
	}
	for _, label := range []string{"", "low", "high"} {
		verdicts := make([]judge.Verdict, len(plan.Questions))
		for i, q := range plan.Questions {
			verdicts[i] = verdict(q, label)
		}
		scores := it.Score(out, verdicts)
		if diff := cmp.Diff(scores, it.Score(out, verdicts)); diff != "" {
			t.Errorf("%s: Score is not pure: %s", it.ID(), diff)
		}
		for _, s := range scores {
			m, ok := metrics[s.Metric]
			switch {
			case !ok:
				t.Errorf("%s: metric %q is not listed", it.ID(), s.Metric)
			case m.Judged && (label == "") != (s.Unscored != ""):
				t.Errorf("%s: %s with label %q: unscored %q", it.ID(), s.Metric, label, s.Unscored)
			case s.Unscored == "" && (math.IsNaN(s.Value) || (m.Bounded && (s.Value < m.Low || s.Value > m.High))):
				t.Errorf("%s: %s is %v", it.ID(), s.Metric, s.Value)
			}
		}
	}
}

func verdict(q judge.Question, label string) judge.Verdict {
	if label == "" {
		return judge.Unscored(q.ID, local.BadFormat, "test")
	}
	v := judge.Verdict{Question: q.ID}
	for name, value := range judge.Values[q.Kind] {
		if (label == "high") == (value == 1) && (value == 0 || value == 1) {
			v.Label, v.Value = name, value
		}
	}
	if label == "high" {
		v.Unit = 1
	}
	return v
}
