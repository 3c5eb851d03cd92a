package page

import (
	"bytes"
	"fmt"
	"html"
	"regexp"
	"strings"
	"testing"

	"lore/cmd/lore/internal/report"
	"lore/cmd/lore/internal/store"
	"lore/cmd/lore/internal/table"
	"lore/datasets"
	"lore/judge"
	"lore/local"
)

// hostile is text that tries to be markup, to end an element, to steer a terminal or to turn
// the direction of a line.
const hostile = "</script><img src=x onerror=alert(1)><!-- \x1b]0;x\a\u202e & 'q' \"q\" \xff"

// bench is a benchmark of the tests.
type bench struct{ datasets.Benchmark }

func (bench) Name() string                { return "tide" }
func (bench) About() string               { return "about tides" }
func (bench) Protocol() datasets.Protocol { return datasets.Protocol{Headline: "joint"} }
func (bench) Metrics() []datasets.Metric {
	lead := func(name, title string) datasets.Metric {
		return datasets.Metric{Name: name, Title: title, Percent: true, High: 1, Bounded: true, Judged: true, Lead: true, Explain: "explained"}
	}
	coverage := lead("coverage", "Coverage")
	coverage.Verdict = true
	bound := datasets.Metric{Name: "bound_joint", Title: "Joint bound", Percent: true, Aside: true}
	return []datasets.Metric{lead("joint@3", "Joint"), coverage, {Name: "joint", Title: "Joint"}, bound}
}

// run is a run of systems, whose values of each item are given: every item has one
// statement, covered as far as the value says.
func run(values map[string][]float64, names ...string) report.Run {
	r := report.Run{Manifest: store.Manifest{Benchmark: "tide", Data: []string{"tides.json"}, DataHash: "0123456789"}}
	r.Table = table.New("tide", 1)
	for _, name := range names {
		judged := datasets.Judged{System: datasets.System{Retriever: name, Generator: "g"}, Judge: "j"}
		row := table.Row{Judged: judged, Items: len(values[name])}
		for i, v := range values[name] {
			item := fmt.Sprintf("i%02d", i)
			label := judge.Nearest(judge.Coverage, v)
			row.Scores = append(row.Scores, table.ItemScores{Item: item, Group: "g", Values: []table.UnitScores{
				{Metric: "joint@3", Units: []string{"s"}, Values: []float64{v}},
				{Metric: "coverage", Units: []string{"s"}, Values: []float64{judge.Values[judge.Coverage][label]}},
			}})
			r.Answers = append(r.Answers, store.Answer{System: judged.System, Item: item, Title: "Title " + item, Group: "g", Outcome: local.OK, Text: "- The tide [1].", Shown: "c"})
			r.Verdicts = append(r.Verdicts, store.TaskVerdicts{Judged: judged, Item: item,
				Questions: []judge.Question{{ID: "s", Kind: judge.Coverage, Text: "The tide turns."}},
				Verdicts:  []judge.Verdict{{Question: "s", Label: label, Value: judge.Values[judge.Coverage][label], Unit: 1, Evidence: []string{"tide"}}}})
		}
		row.Pool(bench{}.Metrics(), 1)
		r.Table.Rows = append(r.Table.Rows, row)
	}
	return r
}

func shownTides() *store.Shown {
	return &store.Shown{
		Texts: []store.ShownText{{Name: "t", Text: "The tide turns \x1b at noon. The rest was cut."}},
		Contexts: []store.ShownContext{{Name: "c", Passages: []store.ShownPassage{{Label: "1", Document: "d1", Text: "t", Bytes: 26}},
			Prompt: []store.PromptMessage{{Role: "user", Parts: []store.PromptPart{{Words: "Read: "}, {Passage: 1}}}}}},
		Items: []store.ShownItem{{Item: "i00", Gold: map[string]float64{"d1": 1, "d9": 1, "d0": 0}, Holders: map[string][]string{"s": {"d1", "d9"}}}},
	}
}

func spread(mean float64, n int) []float64 {
	out := make([]float64, n)
	for i := range out {
		out[i] = mean + 0.04*float64(i%5-2)
	}
	return out
}

func TestTheAnswerInSentences(t *testing.T) {
	for name, c := range map[string]struct {
		values map[string][]float64
		want   []string
	}{
		"one is ahead, two cannot be told apart": {
			map[string][]float64{"a": spread(0.8, 20), "b": spread(0.5, 20), "c": append(spread(0.5, 19), 0.47)},
			[]string{"a is better than the next best, b, on Joint by 30.", " p < 0.001", "and better than c.",
				"Between b and c no difference can be shown.", "This design shows differences of about"},
		},
		"nobody is ahead": {
			map[string][]float64{"a": {0.9, 0.1, 0.5, 0.7, 0.2, 0.4}, "b": {0.1, 0.9, 0.6, 0.2, 0.5, 0.4}},
			[]string{"Between a and b no difference on Joint can be shown."},
		},
		"two are ahead": {
			map[string][]float64{"a": spread(0.8, 20), "b": append(spread(0.8, 19), 0.85), "c": spread(0.3, 20)},
			[]string{"a has the highest Joint, but between it and b no difference can be shown. It is better than c on Joint by 50."},
		},
		"too few questions": {
			map[string][]float64{"a": {0.9, 0.8}, "b": {0.1, 0.2}},
			[]string{"Between a and b no difference on Joint can be shown.", "With 2 questions this design could show no difference at all."},
		},
		"alone": {map[string][]float64{"a": spread(0.5, 5)}, []string{"a reaches Joint 50.0 [", "no other system"}},
	} {
		t.Run(name, func(t *testing.T) {
			names := []string{"c", "b", "a"}[3-len(c.values):]
			p := New([]Source{{Run: run(c.values, names...)}}, bench{}, Words{})
			said := strings.Join(p.Head.Answers[0].Sentences, " ")
			for _, want := range c.want {
				if !strings.Contains(said, want) {
					t.Errorf("%q is not in %q", want, said)
				}
			}
		})
	}
}

// Documents come by number, cut where they were cut; those that nobody was shown have no
// text, and nothing is relevant that the data grades 0.
func TestDocumentsAndStatements(t *testing.T) {
	p := New([]Source{{Run: run(map[string][]float64{"a": {1, 0}, "b": {0, 0.5}}, "a", "b"), Shown: shownTides()}}, bench{}, Words{Title: "T", Date: "May"})
	if got := strings.TrimSpace(fmt.Sprint(p.Head.Documents, p.Head.Shown, p.Head.Lacking)); got != "[d1 d9] 1" {
		t.Errorf("documents %s", got)
	}
	q := p.Questions[0]
	if fmt.Sprint(q.Gold, q.Asked[0].Holders) != "[0 1] [0 1]" || len(q.Contexts) != 1 || q.Answers[1].Context != 0 {
		t.Errorf("%+v", q)
	}
	passage := q.Contexts[0].Passages[0]
	if cut := len([]rune("The tide turns ␛ at noon. ")); cut != 26 || passage.Chars != cut || !strings.HasPrefix(p.Documents[0].Text, "The tide turns ␛ at noon. The") {
		t.Errorf("the document is cut at %d: %q", passage.Chars, p.Documents[0].Text)
	}
	if got := fmt.Sprint(q.Contexts[0].Prompt[0].Parts); got != "[Read:  1]" {
		t.Errorf("prompt %s", got)
	}
	if held := p.Head.Figures.Held; len(held) != 2 || *held[0].Means[0] != 100 || held[0].Bins[0] != "2" {
		t.Errorf("by documents that hold it: %+v", held)
	}

	old := New([]Source{{Run: run(map[string][]float64{"a": {1}}, "a")}}, bench{}, Words{})
	if !strings.Contains(old.Head.Lacking, "earlier lore") {
		t.Errorf("a folder without documents says %q", old.Head.Lacking)
	}
}

// Two runs stand side by side: over the same data they share their questions, over other
// data they do not.
func TestSeveralRuns(t *testing.T) {
	first, second := run(map[string][]float64{"a": {1, 0}}, "a"), run(map[string][]float64{"a": {0, 0}}, "a")
	p := New([]Source{{Name: "may", Run: first}, {Name: "june", Run: second}}, bench{}, Words{})
	if len(p.Head.Items) != 2 || len(p.Questions[0].Answers) != 2 || p.Head.Systems[1].Name != "june: a" || p.Head.Systems[1].Base != "a" {
		t.Errorf("%+v", p.Head.Systems)
	}

	second.Manifest.DataHash = "other"
	p = New([]Source{{Name: "may", Run: first}, {Name: "june", Run: second}}, bench{}, Words{})
	if len(p.Head.Items) != 4 || p.Head.Items[2].ID != "i00~2" || len(p.Questions[2].Answers) != 1 {
		t.Errorf("%+v", p.Head.Items)
	}
	if n := len(p.Head.Contrasts[0].Pairs); n != 0 {
		t.Errorf("%d tests of systems over other data", n)
	}
}

// Whatever texts say, the page's markup is the page's own, and the same run gives the same
// bytes.
func TestHostileTextIsData(t *testing.T) {
	r := run(map[string][]float64{hostile: {1, 0}, "b": {0, 0}}, hostile, "b")
	r.Manifest.Warnings = []string{hostile}
	for i := range r.Answers {
		r.Answers[i].Title, r.Answers[i].Text, r.Answers[i].Reason = hostile, hostile, hostile
	}
	write := func() string {
		var b bytes.Buffer
		if err := HTML(&b, []Source{{Name: hostile, Run: r, Shown: shownTides()}}, bench{}, Words{Title: hostile, Date: hostile}); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}

	page := write()
	if page != write() {
		t.Error("two pages of one run differ")
	}
	if strings.ContainsAny(page, "\x1b\a\u202e") || strings.Contains(page, "<img") {
		t.Error("the page holds markup or control characters from outside")
	}
	if !strings.Contains(page, html.EscapeString("</script><img")) {
		t.Error("the table for who runs no scripts lost the text")
	}
	if n := len(regexp.MustCompile(`<script>`).FindAllString(page, -1)); n != 1 {
		t.Errorf("there are %d scripts", n)
	}
	if !strings.Contains(html.UnescapeString(page), hashOf(script())) {
		t.Error("the policy does not have the script's hash")
	}
}

// Answers that are nearly the same stand side by side, and none is lost.
func TestAlikeBesides(t *testing.T) {
	text := func(theme string) string {
		var b strings.Builder
		for i := range 400 {
			fmt.Fprintf(&b, "%s%d walks along %s by the sea at %d. ", theme, i, theme, i*i)
		}
		return b.String()
	}
	var answers []Answer
	for i, theme := range []string{"a", "b", "c", "a", "b", "c"} {
		answers = append(answers, Answer{System: i, Text: text(theme) + fmt.Sprint("the end of ", i)})
	}
	var order []int
	for _, a := range alikeBesides(answers) {
		order = append(order, a.System%3)
	}
	if got := fmt.Sprint(order); got != "[0 0 1 1 2 2]" && got != "[0 0 2 2 1 1]" {
		t.Errorf("order %s", got)
	}
}
