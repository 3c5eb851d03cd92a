package crux

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"

	"lore/datasets"
	"lore/judge"
	"lore/local"
	"lore/local/tokens"
)

// table5 is the paper's example: three passages, ten questions.
var table5 = map[string][]int{"a": {0, 0, 5, 5, 0, 0, 0, 0, 5, 0}, "b": {5, 0, 0, 0, 5, 0, 5, 0, 0, 0}, "c": {0, 0, 0, 0, 5, 5, 0, 0, 0, 5}}

func folder(topics, passages string) fstest.MapFS {
	return fstest.MapFS{TopicsFile: {Data: []byte(topics)}, PassagesFile: {Data: []byte(passages)}}
}

func table5Item(t *testing.T) *item {
	t.Helper()
	var passages strings.Builder
	for _, id := range []string{"a", "b", "c", "d"} {
		fmt.Fprintf(&passages, `{"id":"%s","text":"%s"}`+"\n", id, strings.Repeat("word ", 10*int(id[0]-'a'+1)))
	}
	topic := `{"id":"t","query":"q","questions":["1","2","3","4","5","6","7","8","9","10"],"grades":{"a":[0,0,5,5,0,0,0,0,5,0],"b":[5,0,0,0,5,0,5,0,0,0],"c":[0,0,0,0,5,5,0,0,0,5]}}`
	ds, err := Benchmark{}.load(folder(topic, passages.String()), "x")
	if err != nil {
		t.Fatal(err)
	}
	return ds.Items[0].(*item)
}

func value(t *testing.T, scores []datasets.Score, name string) float64 {
	t.Helper()
	for _, s := range scores {
		if s.Metric == name && s.Unscored == "" {
			return s.Value
		}
	}
	t.Fatalf("no value of %s in %+v", name, scores)
	return 0
}

// The ideal order is greedy, and a ranking can be better than it. Questions 1 to 6; z answers 1, 2, 3, y
// answers 1, 2, 4, x answers 3, 5, 6. Of equal gains of 3 the greedy order takes z, then x for 0.5+1+1; the
// ranking y, x gains 3 and 3. Such a value is no mistake, and the metric must not promise otherwise.
func TestBetterThanTheGreedyOrder(t *testing.T) {
	topic := `{"id":"t","query":"q","questions":["1","2","3","4","5","6"],` +
		`"grades":{"z":[5,5,5,0,0,0],"y":[5,5,0,5,0,0],"x":[0,0,5,0,5,5]}}`
	passages := `{"id":"x","text":"one"}` + "\n" + `{"id":"y","text":"two"}` + "\n" + `{"id":"z","text":"three"}` + "\n"
	ds, err := Benchmark{}.load(folder(topic, passages), "x")
	if err != nil {
		t.Fatal(err)
	}

	scores := ds.Items[0].(*item).scoreContext([]string{"y", "x"}, 2, datasets.Verdicts{})
	want := (3 + 3/math.Log2(3)) / (3 + 2.5/math.Log2(3))
	if got := value(t, scores, at(AlphaNDCG, 3)); math.Abs(got-want) > 1e-12 || got <= 1 {
		t.Errorf("α-nDCG is %v, want %v", got, want)
	}
	for _, m := range (Benchmark{}).Metrics() {
		if strings.HasPrefix(m.Name, AlphaNDCG) && m.Bounded {
			t.Errorf("%s is said to have a largest value", m.Name)
		}
	}
}

// The worked example: eight answerable questions, all three passages required in the
// greedy order, and coverage, α-nDCG and density by hand.
func TestTable5(t *testing.T) {
	if got := fmt.Sprint(Required([]string{"a", "b", "c"}, table5, 3)); got != "[a b c]" {
		t.Errorf("required %s", got)
	}
	it := table5Item(t)
	n := 0
	for _, can := range it.levels[0].answerable {
		if can {
			n++
		}
	}
	if n != 8 || it.levels[0].answerable[1] || it.levels[0].answerable[7] || len(it.questions()) != 8 {
		t.Errorf("%d answerable", n)
	}
	size := func(id string) float64 { return float64(tokens.Count(it.Corpus().Text(id))) }
	// c then a: 6 of 8. Gains with α ½: c answers 5, 6 and 10; a answers 3, 4 and 9: 3 + 3/log2(3).
	// The ideal order is a, b (3 new), then c (2 new and a half for 5).
	scores := it.scoreContext([]string{"c", "a", "d"}, 3, datasets.Verdicts{judge.Document("d"): make8("0")})
	ideal := 3 + 3/math.Log2(3) + 2.5/2
	total := size("a") + size("b") + size("c")
	for name, want := range map[string]float64{
		at(CovContext, 3): 0.75, at(AlphaNDCG, 3): (3 + 3/math.Log2(3)) / ideal,
		at(DenContext, 3): math.Sqrt(0.75 / (size("c") + size("a") + size("d")) * total), RecallAtK: 2.0 / 3, Tokens: size("a") + size("c") + size("d"),
	} {
		if got := value(t, scores, name); math.Abs(got-want) > 1e-9 {
			t.Errorf("%s is %v, want %v", name, got, want)
		}
	}
	// The oracle's context covers all at density 1.
	oracle := it.scoreContext([]string{"a", "b", "c"}, 3, nil)
	for _, name := range []string{at(CovContext, 3), at(AlphaNDCG, 3), at(DenContext, 3)} {
		if got := value(t, oracle, name); math.Abs(got-1) > 1e-9 {
			t.Errorf("the oracle's %s is %v", name, got)
		}
	}
	// A report that answers four of eight in 12 tokens.
	out := datasets.Output{Text: strings.Repeat("word ", 12), Outcome: local.OK}
	verdicts := make8("0")
	for i := range 4 {
		verdicts[i] = judge.Verdict{Label: "5", Value: 1}
	}
	answer := it.scoreReport(datasets.Evidence{Output: out}, verdicts)
	if got, want := value(t, answer, at(DenAnswer, 3)), math.Sqrt(0.5/float64(tokens.Count(out.Text))*total); math.Abs(got-want) > 1e-9 || value(t, answer, at(CovAnswer, 3)) != 0.5 {
		t.Errorf("density %v, want %v; %+v", got, want, answer)
	}
}

func make8(label string) []judge.Verdict {
	out := make([]judge.Verdict, 8)
	for i := range out {
		g, _ := strconv.Atoi(label)
		out[i] = judge.Verdict{Label: label, Value: float64(g) / MaxGrade}
	}
	return out
}

// The diagnosis of the example: c then a then d, and a report that answers the first
// four of the eight.
func TestDiagnosis(t *testing.T) {
	it := table5Item(t)
	answer := make8("0")
	for i := range 4 {
		answer[i] = judge.Verdict{Label: "5", Value: 1}
	}
	evidence := datasets.Evidence{Retrieved: &datasets.Retrieved{IDs: []string{"c", "a", "d"}}, Output: datasets.Output{Text: "x", Outcome: local.OK}}
	notes := it.Notes(evidence, datasets.Verdicts{judge.Answer: answer, judge.Document("d"): make8("0")})
	want := []string{"redundant: the passage d", "incomplete: no passage answers question 1:", "lost: the report does not answer question 6, which the passage c does", "incomplete: no passage answers question 7:",
		"lost: the report does not answer question 9, which the passage a does", "lost: the report does not answer question 10, which the passage c does"}
	if len(notes) != len(want) {
		t.Fatalf("%q", notes)
	}
	for i, w := range want {
		if !strings.HasPrefix(notes[i], w) {
			t.Errorf("%q, want %q", notes[i], w)
		}
	}
}

// A grade that could not be read leaves open what hangs on it, or counts zero where
// the paper's rule is asked for.
func TestMalformedGrades(t *testing.T) {
	it := table5Item(t)
	it.set.bench.Ungraded = askJudge
	bad := make8("0")
	bad[0] = judge.Unscored("1", local.BadFormat, "no grade")
	found := datasets.Retrieved{IDs: []string{"d", "a", "c"}}
	scores := it.scoreContext(found.IDs, 3, datasets.Verdicts{judge.Document("d"): bad})
	unscored := 0
	for _, s := range scores {
		if s.Unscored != "" {
			unscored++
		}
	}
	if unscored != 6 { // coverage, density and α-nDCG at two thresholds
		t.Errorf("%d unscored: %+v", unscored, scores)
	}
	found.IDs[2] = "b" // which answers the first question itself
	if got := value(t, it.scoreContext(found.IDs, 3, datasets.Verdicts{judge.Document("d"): bad}), at(CovContext, 3)); got != 6.0/8 {
		t.Errorf("coverage %v although another passage decides", got)
	}
	it.set.bench.Malformed = "zero"
	found.IDs[2] = "c"
	if got := value(t, it.scoreContext(found.IDs, 3, datasets.Verdicts{judge.Document("d"): bad}), at(CovContext, 3)); got != 6.0/8 {
		t.Errorf("coverage %v by the paper's rule", got)
	}
}

func TestBadData(t *testing.T) {
	good := `{"id":"a","text":"x"}` + "\n"
	for name, c := range map[string]struct{ topics, passages, word string }{
		"wrong shape":     {`{"id":"t","query":"q","questions":["1","2"],"grades":{"a":[1]}}`, good, "1 grades for 2 questions"},
		"grade of 6":      {`{"id":"t","query":"q","questions":["1"],"grades":{"a":[6]}}`, good, "grades are from 0 to 5"},
		"unknown passage": {`{"id":"t","query":"q","questions":["1"],"grades":{"z":[5]}}`, good, `the passage "z"`},
		"no JSON":         {`{`, good, "line 1"},
		"no questions":    {`{"id":"t","query":"q","grades":{}}`, good, "no questions"},
		"twice":           {`{"id":"t","query":"q","questions":["1"],"grades":{"a":[5]}}` + "\n" + `{"id":"t","query":"q","questions":["1"],"grades":{"a":[5]}}`, good, "line 2: repeats"},
		"graded twice":    {`{"id":"t","query":"q","questions":["1"],"grades":{"a":[5],"a":[0]}}`, good, `grades: "a" is there twice`},
		"unseen in id":    {"{\"id\":\"t\u00a0\",\"query\":\"q\",\"questions\":[\"1\"],\"grades\":{\"a\":[5]}}", good, "white space (U+00A0)"},
		"passage id":      {`{}`, `{"id":"a\u0085","text":"x"}`, "white space (U+0085)"},
		"passage twice":   {`{}`, good + good, "line 2: repeats"},
		"nothing":         {`{"id":"t","query":"q","questions":["1"],"grades":{"a":[2]}}`, good, "no topic with an answerable question"},
	} {
		_, err := Benchmark{}.load(folder(c.topics, c.passages), "dir")
		var input *datasets.InputError
		if !errors.As(err, &input) || !strings.Contains(strings.ReplaceAll(err.Error(), ": ", ": "), c.word) {
			t.Errorf("%s: %v", name, err)
		}
	}
	ds, err := Benchmark{}.load(folder(`{"id":"t","query":"q","questions":["1"],"grades":{"a":[2]}}`+"\n"+`{"id":"u","query":"q","questions":["1"],"grades":{"a":[4]}}`, good), "dir")
	if err != nil || len(ds.Items) != 1 || len(ds.Warnings) != 1 || !strings.Contains(ds.Warnings[0], "topic t has no question") {
		t.Errorf("%v, %v", ds, err)
	}
}

// Sub-questions that are null or blank, as the paper's own data has, are nobody's to
// answer: they are counted, and the others keep their grades.
func TestBlankQuestions(t *testing.T) {
	passages := `{"docid":1,"contents":"x"}` + "\n" + `{"docid":2,"contents":"y"}`
	topic := `{"qid":7,"request":"q","questions":[null,"A?"," ","B?"],"grades":{"1":[5,5,5,0],"2":[5,0,5,0]}}`
	ds, err := Benchmark{}.load(folder(topic, passages), "dir")
	if err != nil {
		t.Fatal(err)
	}
	it := ds.Items[0].(*item)
	if q := it.questions(); len(q) != 1 || q[0].ID != "2" || q[0].Text != "A?" {
		t.Errorf("%+v", q)
	}
	if got := fmt.Sprintf("%s %s %v %g", it.ID(), it.Title(), it.required, it.levels[0].oracle); got != "7 q [1] 1" {
		t.Error(got)
	}
	if len(ds.Warnings) != 1 || !strings.Contains(ds.Warnings[0], `2 sub-questions are empty (null or "") and left out with their grades, in the topics 7;`) {
		t.Errorf("%q", ds.Warnings)
	}

	_, err = Benchmark{}.load(folder(topic, `{"id":"1","text":""}`+"\n"+`{"id":"2","text":" "}`), "dir")
	if err == nil || !strings.Contains(err.Error(), "none of which has text") {
		t.Errorf("%v", err)
	}
}

func FuzzLoad(f *testing.F) {
	f.Add(`{"id":"t","query":"q","questions":["1"],"grades":{"a":[5]}}`, `{"id":"a","text":"x"}`)
	f.Fuzz(func(t *testing.T, topics, passages string) {
		ds, err := Benchmark{}.load(folder(topics, passages), "x")
		if err != nil {
			return
		}
		for _, it := range ds.Items {
			if len(it.(*item).required) == 0 {
				t.Error("a topic without an answerable question was loaded")
			}
		}
	})
}

// The analysis on the bundled topics: a diagonal of ones, coverage that grows with the
// context, a greedy order no worse than a random one, and the same for the same seed.
func TestAnalysis(t *testing.T) {
	ds, err := Benchmark{}.Load(nil)
	if err != nil {
		t.Fatal(err)
	}
	grids := Benchmark{}.Analysis(ds, Contexts, 1)
	for i, row := range grids[0].Rows {
		if row[i+1] != "1.00" {
			t.Errorf("ρ of %s with itself is %s", row[0], row[i+1])
		}
	}
	if fmt.Sprint(grids) != fmt.Sprint(Benchmark{}.Analysis(ds, Contexts, 1)) {
		t.Error("the same seed gives other figures")
	}
	before := map[string]float64{}
	for _, row := range grids[1].Rows {
		cov, err := strconv.ParseFloat(row[2], 64)
		if err != nil || cov < before[row[1]] {
			t.Errorf("coverage %v after %v: %v", row, before, err)
		}
		before[row[1]] = cov
		if row[1] == "random" && cov > before["greedy"] {
			t.Errorf("a random order covers more than the greedy one: %v", row)
		}
	}
}

func TestHuman(t *testing.T) {
	it := table5Item(t)
	ds := &datasets.Dataset{Items: []datasets.Item{it}}
	labels := `{"topic":"t","passage":"a","question":3,"grades":[5,4]}
{"topic":"t","passage":"a","question":1,"grades":[0,1]}
{"topic":"t","passage":"b","question":1,"grades":[5,5]}
{"topic":"t","passage":"b","question":2,"grades":[3,0]}
`
	g, err := Benchmark{}.Human(ds, "h.jsonl", []byte(labels))
	if err != nil {
		t.Fatal(err)
	}
	// Grades 5 0 5 0 against means 4.5 0.5 5 1.5: ranks 3.5 1.5 3.5 1.5 and 3 1 4 2, ρ = 4/√20.
	// Raters agree on 3 of 4: observed 0.75; shares 3/8 no, 5/8 yes: expected 34/64; κ = 7/15.
	if row := strings.Join(g.Rows[0], " "); row != "4 2 0.89 100.0 0.47" {
		t.Errorf("%s", row)
	}
	for _, bad := range []string{"", "{", `{"topic":"x","passage":"a","question":1,"grades":[1]}`, `{"topic":"t","passage":"a","question":11,"grades":[1]}`, `{"topic":"t","passage":"a","question":1,"grades":[9]}`, `{"topic":"t","passage":"a","question":1,"grades":[]}`} {
		if _, err := (Benchmark{}).Human(ds, "h", []byte(bad)); err == nil {
			t.Errorf("%q was accepted", bad)
		}
	}
}

func FuzzHuman(f *testing.F) {
	ds, err := Benchmark{}.Load(nil)
	if err != nil {
		f.Fatal(err)
	}
	f.Add([]byte(`{"topic":"marigold","passage":"seed1","question":1,"grades":[5,5]}`))
	f.Fuzz(func(_ *testing.T, data []byte) { _, _ = Benchmark{}.Human(ds, "x", data) })
}
