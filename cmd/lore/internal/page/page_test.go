package page

import (
	"bytes"
	"cmp"
	"fmt"
	"html"
	"maps"
	"regexp"
	"slices"
	"strconv"
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

// The sentences are about systems that compete; ends of the scale are named as such.
func TestTheAnswerInSentences(t *testing.T) {
	for name, c := range map[string]struct {
		values map[string][]float64
		want   []string
		marks  string // of the systems in their order
	}{
		"one is ahead, two cannot be told apart": {
			map[string][]float64{"a": spread(0.8, 20), "b": spread(0.5, 20), "c": append(spread(0.5, 19), 0.47)},
			[]string{"a is better than the next best, b, on Joint by 30.0 points [", "corrected p < 0.001, and better than c.",
				"No difference can be shown between b and c.", "by the pair, in four of five cases."},
			"bww",
		},
		"nobody is ahead": {
			map[string][]float64{"a": {0.9, 0.1, 0.5, 0.7, 0.2, 0.4}, "b": {0.1, 0.9, 0.6, 0.2, 0.5, 0.4}},
			[]string{"No difference on Joint can be shown between a and b."}, "bo",
		},
		"two are ahead": {
			map[string][]float64{"a": spread(0.8, 20), "b": append(spread(0.8, 19), 0.85), "c": spread(0.3, 20)},
			[]string{"a has the highest Joint, but no difference can be shown between it and b. It is better than c on Joint by 50."},
			"bow",
		},
		"too few questions": {
			map[string][]float64{"a": {0.9, 0.8}, "b": {0.1, 0.2}},
			[]string{"No difference on Joint can be shown between a and b.", "With 2 questions no test could show any difference."}, "--",
		},
		"alone": {map[string][]float64{"a": spread(0.5, 5)}, []string{"a reaches Joint 50.0 [", "no other system to compare it with."}, "-"},
		"the oracle is highest": {
			map[string][]float64{"oracle": spread(0.9, 20), "a": spread(0.6, 20), "b": spread(0.4, 20), "random": spread(0.1, 20)},
			[]string{"a is better than b on Joint by 20.0 points", "For the scale: oracle, which is given the right documents, reaches 90.0; " +
				"random, which is given documents by chance, 10.0."}, "bw--",
		},
		"one competes, and is no better than chance": {
			map[string][]float64{"oracle": spread(0.9, 20), "a": spread(0.3, 20), "random": append(spread(0.3, 19), 0.25)},
			[]string{"a reaches Joint 30.", "no other system to compare it with, besides ends of the scale.", "a is not shown to be better than random."}, "---",
		},
		"below chance, and too few questions for a test": {
			map[string][]float64{"a": {0.2, 0.3}, "random": {0.3, 0.4}, "b": {0.1, 0.1}},
			[]string{"random, which is given documents by chance, reaches 35.0. a is below random. With 2 questions no test could"}, "---",
		},
		"as high as chance": {
			map[string][]float64{"a": {0.2, 0.3}, "random": {0.3, 0.2}}, []string{"reaches 25.0. a is no higher than random."}, "--",
		},
		"several ends of a kind": {
			map[string][]float64{"oracle": spread(0.9, 20), "oracle>rerank": spread(0.8, 20), "a": spread(0.3, 20)},
			[]string{"For the scale: oracle, which is given the right documents, reaches 90.0, the highest of 2 such."}, "---",
		},
		"none competes": {
			map[string][]float64{"oracle": spread(0.9, 20), "random": spread(0.3, 20)},
			[]string{"oracle reaches Joint 90.0 [", "All systems are ends of the scale: oracle, which is given the right documents, is one itself. For the scale: random,"}, "--",
		},
	} {
		t.Run(name, func(t *testing.T) {
			p := New([]Source{{Run: run(c.values, slices.Sorted(maps.Keys(c.values))...)}}, bench{}, Words{})
			said := strings.Join(p.Head.Answers[0].Sentences, " ")
			for _, want := range c.want {
				if !strings.Contains(said, want) {
					t.Errorf("%q is not in %q", want, said)
				}
			}
			got := p.Head.Contrasts[0]
			if got.Standing != c.marks || strings.Contains(c.marks, "b") == strings.HasPrefix(got.Marks, "No system is marked") {
				t.Errorf("marked %s, want %s: %s", got.Standing, c.marks, got.Marks)
			}
		})
	}
}

// A system that competes with none has no test, but against chance, which the sentence says.
func TestNoTestNoDifferenceItFinds(t *testing.T) {
	said := func(values map[string][]float64) string {
		p := New([]Source{{Run: run(values, slices.Sorted(maps.Keys(values))...)}}, bench{}, Words{})
		return strings.Join(p.Head.Answers[0].Sentences, " ")
	}
	ahead := said(map[string][]float64{"a": spread(0.8, 20), "oracle": spread(0.9, 20), "random": append(spread(0.1, 19), 0.3)})
	if strings.Contains(ahead, "true difference") {
		t.Error(ahead)
	}
	near := said(map[string][]float64{"a": spread(0.3, 20), "random": append(spread(0.3, 19), 0.25)})
	if !strings.Contains(near, "A test against chance finds a true difference of") || strings.Contains(near, "Such a test") {
		t.Error(near)
	}
}

// The smallest difference that a test finds is that of lore compare, of the pairs that the
// sentences name: the best against each other system that competes.
func TestTheLeastDifferenceIsThatOfCompare(t *testing.T) {
	values := map[string][]float64{"a": spread(0.7, 12), "oracle": spread(0.9, 12)}
	for i, v := range spread(0.4, 12) {
		values["b"] = append(values["b"], v+0.03*float64(i%3))
		values["c"] = append(values["c"], 0.9*float64(i%2))
	}
	r := run(values, "a", "b", "c", "oracle")
	blocks := table.Compare(table.Contestants([]string{""}, []table.Table{r.Table}), bench{}.Metrics()[:1],
		table.Design{Unit: table.ByItem, Level: 0.05, Difference: 5, Draws: table.Resamples, Seed: 1})

	var least []string
	grid := report.Differences(blocks[0], table.Design{}, true)
	column := slices.Index(grid.Head, "least")
	for _, pair := range grid.Rows {
		switch pair[1] + pair[2] {
		case "a, gb, g", "a, gc, g":
			least = append(least, pair[column])
		}
	}
	number := func(s string) float64 { v, _ := strconv.ParseFloat(s, 64); return v }
	slices.SortFunc(least, func(x, y string) int { return cmp.Compare(number(x), number(y)) })
	want := fmt.Sprintf("These tests find true differences of %s to %s points, by the pair, in four of five cases.", least[0], least[len(least)-1])

	p := New([]Source{{Run: r}}, bench{}, Words{})
	if said := strings.Join(p.Head.Answers[0].Sentences, " "); len(least) != 2 || !strings.Contains(said, want) {
		t.Errorf("%q is not in %q", want, said)
	}
}

// Runs that lack questions of each other are compared on those that all have; runs over other
// data are not compared; and what differs between them is said.
func TestRunsThatShareLittle(t *testing.T) {
	long, short := run(map[string][]float64{"a": spread(0.5, 20)}, "a"), run(map[string][]float64{"a": spread(0.8, 8)}, "a")
	short.Manifest.ItemsOf = 30
	sources := []Source{{Name: "may", Run: long, Settings: map[string]string{"budget tokens": "2000", "retrievers": "x"}},
		{Name: "june", Run: short, Settings: map[string]string{"budget tokens": "4000"}}}
	p := New(sources, bench{}, Words{})
	said := strings.Join(p.Head.Answers[0].Sentences, " ")
	if !strings.HasPrefix(said, "june: a is better than may: a on Joint by 30.") || !strings.Contains(said, "This is about the 8 questions that all runs have, of 20.") {
		t.Errorf("partly shared: %s", said)
	}
	if got := strings.Join(p.Head.Differ, "|"); got != "budget tokens: 2000 (may), 4000 (june)" {
		t.Errorf("the runs differ in %s", got)
	}
	if !strings.Contains(p.Head.Compared, "20 of 30 questions") {
		t.Errorf("compared: %s", p.Head.Compared)
	}

	for i := range short.Answers {
		short.Answers[i].Item = "x" + short.Answers[i].Item
		short.Verdicts[i].Item, short.Table.Rows[0].Scores[i].Item = short.Answers[i].Item, short.Answers[i].Item
	}
	p = New([]Source{{Name: "may", Run: long}, {Name: "june", Run: short}}, bench{}, Words{})
	if said := p.Head.Answers[0].Sentences; said[0] != "The runs may and june share no question: nothing can be compared." {
		t.Errorf("no question shared: %s", said)
	}
	short.Manifest.DataHash = "other"
	p = New([]Source{{Name: "may", Run: long}, {Name: "june", Run: short}}, bench{}, Words{})
	said = strings.Join(p.Head.Answers[0].Sentences, " ")
	if !strings.Contains(said, "different data") || !strings.Contains(said, "june: a reaches Joint 78.5") || strings.Contains(p.Head.Contrasts[0].Standing, "b") {
		t.Errorf("other data: %s, marked %s", said, p.Head.Contrasts[0].Standing)
	}
}

// What is missing is told of how much, and answers from a file are called by it.
func TestWhatIsMissingAndNames(t *testing.T) {
	r := run(map[string][]float64{"a": spread(0.5, 5), datasets.Outside: spread(0.5, 5)}, "a", datasets.Outside)
	for i := range r.Answers {
		if r.Answers[i].Retriever == datasets.Outside {
			r.Answers[i].Generator, r.Verdicts[i].Generator = "evil", "evil"
		}
	}
	r.Table.Rows[1].Generator = "evil"
	r.Answers[0].Outcome, r.Answers[5].Outcome, r.Answers[6].Outcome = local.Empty, local.Empty, local.Empty
	r.Verdicts[1].Verdicts[0] = judge.Unscored("s", "bad_format", "no JSON")
	p := New([]Source{{Run: r}}, bench{}, Words{})
	want := []string{"3 of 10 answers are missing: 2 of 5 of evil and 1 of 5 of a · g.", "1 of 10 verdicts are missing: 1 of 5 of a · g."}
	if !slices.Equal(p.Head.Lost, want) {
		t.Errorf("%q", p.Head.Lost)
	}
}

// A title names data by what tells it from others.
func TestTitles(t *testing.T) {
	for want, files := range map[string][]string{
		"tide: topic_news1.json, topic_news2.json": {"data/topic_news1.json", "data/topic_news2.json"},
		"tide: story, test":                        {"msrs/story/documents", "msrs/story/queries_test.json"},
		"tide: duc04":                              {"crux/duc04/passages.jsonl", "crux/duc04/topics.jsonl"},
		"tide: the sample skellan_bay":             {"sample:skellan_bay.json"},
		"tide":                                     nil,
	} {
		r := run(map[string][]float64{"a": {1}}, "a")
		r.Manifest.Data = files
		if got := New([]Source{{Run: r}}, bench{}, Words{}).Head.Title; got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}

// The card of a judge says what the notes say, and the worst of it counts.
func TestTheWorstOfAJudgeCounts(t *testing.T) {
	r := run(map[string][]float64{"a": {1}}, "a")
	r.Manifest.Judges = []store.Model{{Name: "lexical"}}
	other := r
	other.Manifest.Texts = "web"
	var lines strings.Builder
	report.JudgeLines(&lines, r)

	for name, c := range map[string]struct {
		sources []Source
		want    []Trust
	}{
		"several kinds of text": {[]Source{{Run: r}}, []Trust{{Judge: "lexical", Kind: "coverage", Worth: "weak", Best: "good"}}},
		"the same in two runs":  {[]Source{{Name: "x", Run: r}, {Name: "y", Run: r}}, []Trust{{Judge: "lexical", Kind: "coverage", Worth: "weak", Best: "good"}}},
		"not measured in one": {[]Source{{Name: "x", Run: r}, {Name: "y", Run: other}}, []Trust{
			{Judge: "lexical", Kind: "coverage", Worth: "weak", Best: "good"}, {Judge: "lexical", Kind: "coverage"}}},
	} {
		got := New(c.sources, bench{}, Words{}).Head.Trust
		for i := range got {
			prefix := ""
			if len(got) > 1 {
				prefix = c.sources[i].Name + ": "
			}
			said, ok := strings.CutPrefix(strings.TrimSuffix(got[i].Said, "."), prefix)
			if !ok || i == 0 && !strings.HasPrefix(lines.String(), said+"; see") {
				t.Errorf("%s: %q is not what the screen says: %s", name, got[i].Said, lines.String())
			}
			got[i].Said = ""
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %+v", name, got)
		}
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
