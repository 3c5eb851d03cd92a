package all

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"lore/datasets"
	"lore/datasets/all/testdata/trivia"
	"lore/judge"
	"lore/local"
	"lore/local/prompt"
)

// Every registered benchmark keeps the contract of package datasets.
func TestConformance(t *testing.T) {
	if len(Benchmarks()) == 0 {
		t.Fatal("no benchmark is registered")
	}
	before := Entries
	t.Cleanup(func() { Entries = before })
	Entries = append(slices.Clone(before), Entry{trivia.Benchmark{}, trivia.Verbs()})
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
	if _, ok := Find("nope"); ok {
		t.Error("an unknown benchmark was found")
	}
}

// The report of a run says, for every published benchmark, what is not as in its paper, and
// names the page of the docs that has it at length.
func TestReportsSayWhatDiffersFromThePaper(t *testing.T) {
	for _, b := range Benchmarks() {
		ds, err := b.Load(nil)
		if err != nil {
			t.Fatal(err)
		}
		d, ok := b.(datasets.Describer)
		if !ok {
			t.Errorf("%s says nothing of itself", b.Name())
			continue
		}
		said := d.Describe(ds, b.Protocol().Budget, "")["differs_from_paper"]
		if !strings.Contains(said, "lore's own prompt") || !strings.Contains(said, "docs/"+b.Name()+".md") {
			t.Errorf("%s: %q", b.Name(), said)
		}
	}
}

// Every published benchmark says where its data is, and what is read of each file, and imports it.
func TestDataIsDescribed(t *testing.T) {
	for _, e := range Entries {
		t.Run(e.Name(), func(t *testing.T) {
			p := e.Protocol().Published
			if p.Reads == "" || p.Licence.Source == "" || len(p.Parts) == 0 {
				t.Errorf("%+v", p)
			}
			for _, place := range p.Places {
				if place.Name == "" || place.Kind == "" || place.Source == "" {
					t.Errorf("place %+v", place)
				}
			}
			for _, n := range p.Notes {
				if n.Text == "" || n.Source == "" {
					t.Errorf("note %+v", n)
				}
			}
			for _, part := range p.Parts {
				if part.Path == "" || part.Layout == "" || part.Read+part.Import+part.Unread == "" {
					t.Errorf("part %+v", part)
				}
			}

			imports := func(v datasets.Verb) bool { return v.Kind == datasets.Import && v.Name == "" }
			i := slices.IndexFunc(e.Verbs, imports)
			if i < 0 || e.Verbs[i].Short == "" || e.Verbs[i].Long == "" || e.Verbs[i].Example == "" || e.Verbs[i].New == nil {
				t.Error("no import, or none that is described")
			}
		})
	}
}

func checkMetrics(t *testing.T, b datasets.Benchmark) {
	t.Helper()
	names, headline := map[string]bool{}, false
	for _, m := range b.Metrics() {
		if m.Name == "" || m.Title == "" || m.Explain == "" || names[m.Name] {
			t.Errorf("metric %+v is incomplete or named twice", m)
		}
		names[m.Name] = true
		short, _, _ := strings.Cut(m.Name, "@")
		headline = headline || short == b.Protocol().Headline
	}
	if !headline {
		t.Errorf("the headline %q is none of the metrics", b.Protocol().Headline)
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
	p, err := prompt.NewSet(nil, b.Prompts()).Load(b.Protocol().AnswerPrompt)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []datasets.Context{ctx, {}} {
		messages, source, err := it.Request(datasets.Ask{Context: c, Prompt: p})
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
	found := datasets.Retrieved{}
	for _, d := range it.Corpus().Documents {
		found.IDs = append(found.IDs, d.ID)
	}
	if rule := b.Protocol().Points; rule != nil {
		out.Points = &datasets.Points{List: rule.Plain("The first point is one. The second point is two."), Outcome: local.OK}
	}
	e := datasets.Evidence{Retrieved: &found, Context: it.Context(found, b.Protocol().Budget), Output: out}

	plan := it.Plan(e)
	if diff := cmp.Diff(plan, it.Plan(e)); diff != "" {
		t.Errorf("%s: Plan is not pure: %s", it.ID(), diff)
	}
	if len(plan) == 0 || plan[0].Subject != judge.Answer {
		t.Fatalf("%s: the first task is not about the answer", it.ID())
	}
	subjects := map[judge.Subject]bool{}
	for _, task := range plan {
		if len(task.Questions) == 0 || subjects[task.Subject] {
			t.Errorf("%s: %v has no questions, or is planned twice", it.ID(), task.Subject)
		}
		subjects[task.Subject] = true
	}
	metrics := map[string]datasets.Metric{}
	for _, m := range b.Metrics() {
		metrics[m.Name] = m
	}
	for _, label := range []string{"", "low", "high"} {
		verdicts := datasets.Verdicts{}
		for _, task := range plan {
			for _, q := range task.Questions {
				verdicts[task.Subject] = append(verdicts[task.Subject], verdict(q, label))
			}
		}
		scores := it.Score(e, verdicts)
		if diff := cmp.Diff(scores, it.Score(e, verdicts)); diff != "" {
			t.Errorf("%s: Score is not pure: %s", it.ID(), diff)
		}
		for _, n := range it.Notes(e, verdicts) {
			if kind, rest, ok := strings.Cut(n, ":"); !ok || kind == "" || rest == "" {
				t.Errorf("%s: the note %q does not begin with its kind", it.ID(), n)
			}
		}

		// Only the answer is known of systems from outside, and no grade of a document
		// stands in for a missing verdict.
		onlyAnswer := datasets.Evidence{Output: out}
		for _, s := range it.Score(onlyAnswer, verdicts) {
			if metrics[s.Metric].Judged && (label == "") != (s.Unscored != "") {
				t.Errorf("%s: %s of an answer with label %q: unscored %q", it.ID(), s.Metric, label, s.Unscored)
			}
		}
		for _, s := range scores {
			m, ok := metrics[s.Metric]
			switch {
			case !ok:
				t.Errorf("%s: metric %q is not listed", it.ID(), s.Metric)
			case m.Judged && label != "" && s.Unscored != "":
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
