package long2rag

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"lore/datasets"
	"lore/judge"
	"lore/judge/lexical"
	"lore/local"
	"lore/local/published"
	"lore/local/text"
)

func sampleItems(t testing.TB) []*item {
	t.Helper()
	ds, err := Benchmark{}.Load(nil)
	if err != nil {
		t.Fatal(err)
	}
	var out []*item
	for _, it := range ds.Items {
		out = append(out, it.(*item))
	}
	return out
}

// The bundled data has a question of each category, five documents each, and every
// span word for word.
func TestSample(t *testing.T) {
	items := sampleItems(t)
	categories := map[string]bool{}
	for _, it := range items {
		categories[it.question.Category] = true
		if lost, all := it.question.lostSpans(); len(it.question.Documents) != 5 || lost > 0 || all < len(it.question.KeyPoints) {
			t.Errorf("%s: %d documents, %d of %d spans lost", it.ID(), len(it.question.Documents), lost, all)
		}
	}
	if len(items) < 8 || len(categories) != len(Categories) {
		t.Errorf("%d questions of %d categories", len(items), len(categories))
	}
}

func verdicts(labels ...string) []judge.Verdict {
	out := make([]judge.Verdict, len(labels))
	for i, l := range labels {
		out[i] = judge.Verdict{Question: fmt.Sprint(i + 1), Label: l, Value: judge.Values[judge.Entailment][l]}
		if l == "" {
			out[i] = judge.Unscored(fmt.Sprint(i+1), local.BadFormat, "no label")
		}
	}
	return out
}

// Two questions by hand. The first has four key points: yes, neutral, no, yes, so that
// its recall is 2/4; three own points: yes, no, no, so that its precision is 1/3 and
// the harmonic mean 2·(1/2)(1/3)/(1/2+1/3) = 2/5. The second has one key point of three
// and its own two points are both found: 1/3, 1, and 1/2. Means: KPR 5/12, KPP 2/3,
// KPF 9/20.
func TestScoresByHand(t *testing.T) {
	question := func(n int) *item {
		q := Question{ID: "q", Text: "q?", Documents: []Document{{ID: "d", Text: "x"}}}
		for i := range n {
			q.KeyPoints = append(q.KeyPoints, KeyPoint{ID: fmt.Sprint(i + 1), Text: "point"})
		}
		return (&set{corpus: &datasets.Corpus{}, texts: map[string]string{}}).add(q)
	}
	sums := map[string]float64{}
	for _, c := range []struct {
		it        *item
		key, own  []judge.Verdict
		r, p, kpf float64
	}{
		{question(4), verdicts("yes", "neutral", "no", "yes"), verdicts("yes", "no", "no"), 1. / 2, 1. / 3, 2. / 5},
		{question(3), verdicts("no", "yes", "neutral"), verdicts("yes", "yes"), 1. / 3, 1, 1. / 2},
	} {
		out := datasets.Output{Text: "Two words.", Outcome: local.OK, Points: &datasets.Points{Outcome: local.OK, List: []string{"a"}}}
		got := map[string]float64{}
		for _, s := range c.it.Score(datasets.Evidence{Output: out}, datasets.Verdicts{judge.Answer: c.key, judge.Points: c.own}) {
			if s.Unscored != "" {
				t.Errorf("%s is unscored: %s", s.Metric, s.Unscored)
			}
			got[s.Metric] = s.Value
		}
		for name, want := range map[string]float64{KPR: c.r, KPP: c.p, KPF: c.kpf, Words: 2} {
			if math.Abs(got[name]-want) > 1e-12 {
				t.Errorf("%s = %v, want %v", name, got[name], want)
			}
			sums[name] += got[name] / 2
		}
	}
	for name, want := range map[string]float64{KPR: 5. / 12, KPP: 2. / 3, KPF: 9. / 20} {
		if math.Abs(sums[name]-want) > 1e-12 {
			t.Errorf("mean %s = %v, want %v", name, sums[name], want)
		}
	}
}

// What is missing is unscored with its reason, never 0.
func TestUnscored(t *testing.T) {
	it := sampleItems(t)[0]
	missing := verdicts(slices.Repeat([]string{"yes"}, len(it.questions))...)
	missing[2] = judge.Unscored("p3", local.BadFormat, "no label")
	reasons := func(out datasets.Output, key, own []judge.Verdict) map[string]string {
		m := map[string]string{}
		for _, s := range it.Score(datasets.Evidence{Output: out}, datasets.Verdicts{judge.Answer: key, judge.Points: own}) {
			if s.Unscored != "" {
				m[s.Metric] += s.Unscored
			}
		}
		return m
	}
	ok := datasets.Output{Text: "x", Outcome: local.OK, Points: &datasets.Points{Outcome: local.OK, List: []string{"a"}}}
	if got := reasons(ok, missing, verdicts("yes")); !strings.Contains(got[KPR], "1 of 8 verdicts are missing, such as bad_format: no label") || got[KPF] == "" || got[KPP] != "" || got[Point] != "bad_format: no label" {
		t.Errorf("%v", got)
	}
	apart := ok
	apart.Points = &datasets.Points{Outcome: local.Cut, Reason: "the answer could not be taken apart: too long"}
	if got := reasons(apart, verdicts(slices.Repeat([]string{"yes"}, 8)...), nil); got[KPR] != "" || !strings.Contains(got[KPP], "cut: the answer could not") {
		t.Errorf("%v", got)
	}
	failed := datasets.Output{Outcome: local.TooLong, Reason: "window"}
	if got := reasons(failed, verdicts(slices.Repeat([]string{""}, 8)...), nil); got[KPR] == "" || !strings.Contains(got[KPF], "too_long") {
		t.Errorf("%v", got)
	}
}

func judged(t testing.TB, it *item, answer string) float64 {
	t.Helper()
	task := it.planAnswer(datasets.Evidence{Output: datasets.Output{Text: answer, Outcome: local.OK}})
	v, err := lexical.Judge{}.Judge(context.Background(), []judge.Task{task}, nil)
	if err != nil {
		t.Fatal(err)
	}
	share, reason := entailed(v[0])
	if reason != "" {
		t.Fatal(reason)
	}
	return share
}

func joined(it *item) string {
	var parts []string
	for _, p := range it.question.KeyPoints {
		parts = append(parts, p.Text)
	}
	return strings.Join(parts, " ")
}

// Saying all key points gives 100 with the lexical judge, and an unrelated answer at
// most 10: on the sample, and on 50 cases of published insights, some of them joined
// to key points of two and three sentences.
func TestBoundsWithLexicalJudge(t *testing.T) {
	items := sampleItems(t)
	for i, it := range items {
		if got := judged(t, it, joined(it)); got != 1 {
			t.Errorf("%s: all key points give %v", it.ID(), got)
		}
		other := items[(i+1)%len(items)]
		if got := judged(t, it, joined(other)); got > 0.1 {
			t.Errorf("%s: the key points of %s give %v", it.ID(), other.ID(), got)
		}
	}
	insights := [2][][]string{}
	for n, file := range []string{"topic_news1.json", "topic_news2.json"} {
		data, err := os.ReadFile(published.Path(t, "data", "summhay", file))
		if err != nil {
			t.Fatal(err)
		}
		var hay struct {
			Subtopics []struct {
				Insights []struct{ Insight string } `json:"insights"`
			} `json:"subtopics"`
		}
		if err := json.Unmarshal(data, &hay); err != nil {
			t.Fatal(err)
		}
		for _, s := range hay.Subtopics {
			var texts []string
			for _, in := range s.Insights {
				texts = append(texts, in.Insight)
			}
			insights[n] = append(insights[n], texts)
		}
	}
	rng := rand.New(rand.NewPCG(280, 5))
	for c := range 50 {
		it := generated(rng, insights[c%2])
		if got := judged(t, it, joined(it)); got != 1 {
			t.Errorf("case %d: all key points give %v", c, got)
		}
		if got := judged(t, it, joined(generated(rng, insights[1-c%2]))); got > 0.1 {
			t.Errorf("case %d: an unrelated answer gives %v", c, got)
		}
	}
}

// generated is a question with 5 to 12 key points of one to three insights.
func generated(rng *rand.Rand, insights [][]string) *item {
	q := Question{ID: "q", Text: "q?"}
	var pool []string
	for _, s := range insights {
		pool = append(pool, s...)
	}
	rng.Shuffle(len(pool), func(i, j int) { pool[i], pool[j] = pool[j], pool[i] })
	for range 5 + rng.IntN(8) {
		n := 1 + rng.IntN(3)
		if n > len(pool) {
			break
		}
		q.KeyPoints = append(q.KeyPoints, KeyPoint{ID: fmt.Sprint(len(q.KeyPoints)), Text: strings.Join(pool[:n], " ")})
		pool = pool[n:]
	}
	return (&set{corpus: &datasets.Corpus{}, texts: map[string]string{}}).add(q)
}

// Cases shaped like the three of the paper's Figure 8, in other words: the subject alone
// is mentioned, a part of a list is said, and related words say something else.
func TestMissesLikeFigure8(t *testing.T) {
	for _, c := range []struct{ kind, point, answer string }{
		{General, "A harbour budget should be judged against other ports, over ten years, berth by berth, and without one-off grants.",
			"Read the harbour budget to see what the town earns and spends. It shows at a glance whether things go well."},
		{Incomplete, "Owners of old boats must know the papers of the trade: survey report, mooring licence, towing permit, wreck insurance and harbour pass.",
			"To bring an old boat in, two papers of the trade matter most:\n- Mooring licence: for the berth.\n- Towing permit: for the way there."},
		{Missing, "Writing software for courts needs clerks and engineers at one table.",
			"In the end a screen is designed that lets judges talk to the software. It should open files quickly, offer exercises and show how far one has come. The aim is a place where studying is a pleasure."},
		{Missing, "The wall was built of granite.", "Nobody came."},
	} {
		it := (&set{corpus: &datasets.Corpus{}, texts: map[string]string{}}).add(Question{ID: "q", Text: "q?", KeyPoints: []KeyPoint{{ID: "p1", Text: c.point}}})
		notes := it.Notes(datasets.Evidence{Output: datasets.Output{Text: c.answer, Outcome: local.OK}}, datasets.Verdicts{judge.Answer: verdicts("no")})
		if len(notes) != 1 || !strings.HasPrefix(notes[0], c.kind+": 1: "+c.point) {
			t.Errorf("want %s: %q", c.kind, notes)
		}
	}
	it := sampleItems(t)[0]
	if notes := it.Notes(datasets.Evidence{Output: datasets.Output{Text: "x", Outcome: local.OK}}, datasets.Verdicts{judge.Answer: verdicts(slices.Repeat([]string{"yes"}, 8)...)}); notes != nil {
		t.Errorf("nothing was missed: %q", notes)
	}
}

func TestFacets(t *testing.T) {
	it := sampleItems(t)[0]
	got := it.Facets(datasets.Evidence{
		Context: datasets.Context{Tokens: 8000, Passages: make([]local.Passage, 1)},
		Output:  datasets.Output{Outcome: local.OK, Text: strings.Repeat("word ", 300)},
	})
	if got[byCategory] != "factual" || got[byDomain] != "history" || got[byInput] != "8–16k" || got[byAnswer] != "250–500" {
		t.Errorf("%v", got)
	}
	for n, want := range map[int]string{7999: "<8k", 16_000: "16–25k", 25_000: "25–32k", 32_000: ">32k", 900_000: ">32k"} {
		if got := bandOf(n, inputBands); got != want {
			t.Errorf("%d: %s", n, got)
		}
	}
	if got := it.Facets(datasets.Evidence{Output: datasets.Output{Outcome: local.Empty}}); len(got) != 2 {
		t.Errorf("a failed answer from outside: %v", got)
	}
}

// Three judges of two systems: means by category, rank agreement and agreement point
// by point, by hand.
func TestTables(t *testing.T) {
	sys := func(name, by string, kpr float64, points ...float64) datasets.Scored {
		values := map[string]map[string]float64{KPR: {"": kpr}, Point: {}}
		for i, v := range points {
			values[Point][fmt.Sprint(i)] = v
		}
		return datasets.Scored{
			Judged: datasets.Judged{System: datasets.System{Retriever: name, Generator: "g"}, Judge: by},
			Value:  func(string) (float64, bool) { return kpr, true },
			Items:  []datasets.ItemFigures{{Item: "q", Facets: map[string]string{byCategory: "causal", byDomain: "law"}, Values: values}}}
	}
	grids := Benchmark{}.Tables([]datasets.Scored{sys("a", "x", .5, 1, 0), sys("b", "x", 1, 1, 1), sys("c", "x", 0, 0, 0), sys("a", "y", .5, 0, 1), sys("b", "y", 1, 1, 1), sys("c", "y", .5, 1, 0)})
	byTitle := map[string]datasets.Grid{}
	for _, g := range grids {
		byTitle[g.Title] = g
	}
	if got := fmt.Sprint(byTitle["KPR by category"].Head, byTitle["KPR by category"].Rows[1]); got != "[retriever generator judge causal] [b g x 100.0 (1)]" {
		t.Error(got)
	}
	// Systems (.5,.5), (1,1), (0,.5): two pairs agree, one is tied by y: τ-b = 2/√(3·2) = 0.82.
	// Points: x 1,0,1,1,0,0 and y 0,1,1,1,1,0: 3 of 6 the same; κ = (1/2 − (1/2·2/3 + 1/2·1/3))/(1/2) = 0; mean 3/6 − 4/6.
	if got := fmt.Sprint(byTitle["Evaluator against evaluator"].Rows); got != "[[x / y 0.82 (n 3) 50.0 0.00 6 -16.7]]" {
		t.Error(got)
	}
	if byTitle["KPR by tokens of documents shown"].Rows != nil || len(byTitle["KPR by evaluator"].Rows) != 3 {
		t.Errorf("%+v", grids)
	}
}

func TestBadData(t *testing.T) {
	doc := `"documents":[{"id":"d","text":"x"}]`
	for line, word := range map[string]string{
		"":  "holds no questions",
		"{": "line 1: unexpected end",
		`{"id":"a b","question":"q","key_points":[{"text":"k"}]}`:                                                                       "white space (U+0020)",
		"{\"id\":\"a\u00a0b\",\"question\":\"q\",\"key_points\":[{\"text\":\"k\"}]}":                                                    "white space (U+00A0)",
		`{"id":"a","question":"q","key_points":[{"id":"\u001b[2J","text":"k"}]}`:                                                        "cannot be seen (U+001B)",
		`{"id":"a","question":"q","key_points":[{"text":"k"}],"documents":[{"id":"x\u0085y","text":"x"}]}`:                              "white space (U+0085)",
		`{"id":"a","key_points":[{"text":"k"}]}`:                                                                                        "there is no text: the record has the fields id, key_points",
		`{"id":"a","question":" ","key_points":[{"text":"k"}]}`:                                                                         "question a has no text",
		`{"id":"a","question":"q",` + doc + `}`:                                                                                         "has no key points",
		`{"id":"a","question":"q","key_points":[{"text":" "}]}`:                                                                         "key point p1 has no text",
		`{"id":"a","question":"q","key_points":[{"id":"x","text":"k"},{"id":"x","text":"l"}]}`:                                          `two key points "x"`,
		`{"id":"a","question":"q","key_points":[{"text":"k","documents":["e"]}],` + doc + `}`:                                           `names the document "e"`,
		`{"id":"a","question":"q","key_points":[{"text":"k"}],"documents":[{"id":"","text":"x"}]}`:                                      "document 1 has no id",
		`{"id":"a","question":"q","key_points":[{"text":"k"}],"documents":[{"id":"d","text":"x"},{"id":"d","text":"x"}]}`:               `two documents "d"`,
		`{"id":"a","question":"q","key_points":[{"text":"k"}]}`:                                                                         "without documents",
		`{"id":"a","question":"q","key_points":[{"text":"k"}],` + doc + "}\n" + `{"id":"a","question":"q","key_points":[{"text":"k"}]}`: `"a" is repeated`,
	} {
		path := filepath.Join(t.TempDir(), "q.jsonl")
		if err := os.WriteFile(path, []byte(line), 0o666); err != nil {
			t.Fatal(err)
		}
		ds, err := Benchmark{}.Load([]string{path})
		if err == nil {
			err = ds.Unsearchable
		}
		var in *datasets.InputError
		if !errors.As(err, &in) || !strings.Contains(err.Error(), word) || in.Remedy == "" {
			t.Errorf("%s: %v", line, err)
		}
	}
}

// A shared corpus, and documents of two questions with one id and different texts.
func TestCorpus(t *testing.T) {
	dir := t.TempDir()
	write := func(name, content string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(content), 0o666); err != nil {
			t.Fatal(err)
		}
		return path
	}
	questions := write("q.jsonl", `{"id":"a","question":"q","key_points":[{"text":"k","documents":["1"],"spans":["gone"]}],"documents":[{"id":"1","title":"T","text":"x"},{"id":"2","text":"y"}]}`+"\n"+
		`{"id":"b","question":"q","key_points":[{"text":"k"}],"documents":[{"id":"1","text":"z"},{"id":"2","text":"y"}]}`)
	bench, err := Benchmark{}.Configure(map[string]string{"corpus": write("c.jsonl", `{"id":"2","text":"y"}`+"\n"+`{"id":"9","text":"w"}`), "k": "1"})
	if err != nil {
		t.Fatal(err)
	}
	ds, err := bench.Load([]string{questions})
	if err != nil {
		t.Fatal(err)
	}
	var ids []string
	for _, d := range ds.Corpora[0].Documents {
		ids = append(ids, d.ID)
	}
	if fmt.Sprint(ids) != "[1 2 b/1 9]" || len(ds.Warnings) != 1 || !strings.Contains(ds.Warnings[0], "1 of 1 spans") {
		t.Errorf("%v %q", ids, ds.Warnings)
	}
	q := ds.Items[0].Query()
	if fmt.Sprint(q.Gold, q.Recorded["given"]) != "map[1:2 2:1] map[1:2 2:1]" {
		t.Errorf("%v", q)
	}
	ctx := ds.Items[0].Context(datasets.Retrieved{IDs: []string{"1", "2"}, Texts: map[string]string{"1": "short"}}, datasets.Budget{Tokens: 100})
	if len(ctx.Passages) != 1 || ctx.Passages[0].Text != "short" {
		t.Errorf("%+v", ctx)
	}
	for content, word := range map[string]string{`{"id":"1","text":"other"}`: "has another text", `{"text":"w"}`: "not a document", `{"id":"7","text":"w"}` + "\n" + `{"id":"7","text":"w"}`: "repeats"} {
		if _, err := (Benchmark{CorpusFile: write("bad.jsonl", content)}).Load([]string{questions}); err == nil || !strings.Contains(err.Error(), word) {
			t.Errorf("%s: %v", content, err)
		}
	}
}

func TestSettings(t *testing.T) {
	for name, v := range map[string]string{"k": "0", "points": "extractive"} {
		if _, err := (Benchmark{}).Configure(map[string]string{name: v}); err == nil || !strings.Contains(err.Error(), "--"+name) {
			t.Errorf("%s %s: %v", name, v, err)
		}
	}
	b, err := Benchmark{}.Configure(map[string]string{"points": "ollama:m"})
	if err != nil || b.Protocol().Points.Model != "ollama:m" {
		t.Errorf("%v %v", b, err)
	}
	if got := sentences("## Heading\nThe wall held. It did."); fmt.Sprint(got) != "[The wall held.]" {
		t.Errorf("%q", got)
	}
}

func FuzzReadQuestions(f *testing.F) {
	f.Add(sample[:2000])
	f.Add([]byte(`{"id":"a","question":"q","key_points":[{"text":"k","documents":["d"]}],"documents":[{"id":"d","text":"x"}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		qs, err := ReadQuestions("x", data)
		if err == nil && len(qs) == 0 {
			t.Error("no questions and no error")
		}
		for _, q := range qs {
			(&set{corpus: &datasets.Corpus{}, texts: map[string]string{}}).add(q)
		}
	})
}

// BenchmarkPaperSize judges the paper's 2,055 key points of 280 questions in nine
// answers each of some 900 tokens.
func BenchmarkPaperSize(b *testing.B) {
	items := sampleItems(b)
	rng := rand.New(rand.NewPCG(1, 2))
	var sentences []string
	var points []judge.Question
	for _, it := range items {
		points = append(points, it.questions...)
		for _, d := range it.question.Documents {
			sentences = append(sentences, text.Sentences(d.Text)...)
		}
	}
	var tasks []judge.Task
	n := 0
	for q := range 280 {
		var questions []judge.Question
		for i := range 2055*(q+1)/280 - 2055*q/280 {
			p := points[rng.IntN(len(points))]
			p.ID = fmt.Sprint(i)
			questions = append(questions, p)
		}
		for range 9 {
			var units []string
			for words := 0; words < 700; {
				s := sentences[rng.IntN(len(sentences))]
				units = append(units, s)
				words += len(strings.Fields(s))
			}
			tasks = append(tasks, judge.Task{Units: units, Questions: questions})
			n += len(questions)
		}
	}
	for b.Loop() {
		if _, err := (lexical.Judge{}).Judge(context.Background(), tasks, nil); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(n), "verdicts/op")
}
