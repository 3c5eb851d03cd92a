package agreement

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"lore/judge"
)

// shared is the folder of published data; a test that needs it is skipped where it is absent,
// and fails under CI.
func shared(t *testing.T, path ...string) string {
	t.Helper()
	dir := os.Getenv("LORE_SHARED")
	if dir == "" {
		dir = filepath.Join("..", "..", "..", "shared")
	}
	name := filepath.Join(slices.Concat([]string{dir}, path)...)
	if _, err := os.Stat(name); err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatalf("the published data is missing: %v", err)
		}
		t.Skipf("the published data is not here: %v", err)
	}
	return name
}

const several = `{"kind":"entailment","group":"g","text":"a b","statement":"x","label":"partial","value":0.5,"annotators":[0,null,1],"split":"dev","recorded":{"m":0.8,"n":"no"}}
{"kind":"answerability","group":"g","text":"a b","statement":"y","annotators":{"p":5,"q":3,"r":null},"year":1999}
{"kind":"answerability","group":"g","text":"c","statement":"z","label":"0","annotators":{"p":0,"q":1},"recorded":{"m":{"label":"5","unit":1}}}
{"text":"d","statement":"w","value":0.5,"annotators":"full; none"}
`

// read reads labels as lines of JSON.
func read(t *testing.T, text string) []Item {
	t.Helper()
	labels, err := ReadJSONL("f", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return labels.Items
}

func TestReadAllColumns(t *testing.T) {
	items := read(t, several)
	first := items[0]
	if h := first.Human[0]; h.Label != judge.Neutral || h.Value != 0.5 {
		t.Errorf("partial entailment: %+v", h)
	}
	if r := first.Ratings[0]; len(r) != 2 || r["1"] != 0 || r["3"] != 1 {
		t.Errorf("ratings %v", r)
	}
	if r := first.Recorded["m"]; r[0].Label != judge.Yes || r[0].Value != 0.8 || r[1].Scored() {
		t.Errorf("recorded %+v", r)
	}
	if h := first.Human[1]; h.Value != 0.8 || h.Label != "4" {
		t.Errorf("the mean of grades 5 and 3: %+v", h)
	}
	if r := items[1].Ratings[0]; r["q"] != 0.2 {
		t.Errorf("a grade of 1 beside one of 5: %v", r)
	}
	if v := items[1].Recorded["m"][0]; v.Value != 1 || v.Unit != 1 {
		t.Errorf("an object: %+v", v)
	}
	if h, r := items[2].Human[0], items[2].Ratings[0]; h.Label != judge.Partial || r["1"] != 1 || r["2"] != 0 {
		t.Errorf("%+v %v", h, r)
	}
	if first.Column(0, "split") != "dev" || first.Column(1, "year") != "1999" || first.Column(0, "kind") != "entailment" {
		t.Errorf("columns %v", first.Columns)
	}

	for in, want := range map[string]string{
		`{"text":"a","statement":"x","value":2}`:                                   `value "2" is not a number from 0 to 1`,
		`{"text":"a","statement":"x","label":"full","annotators":[3]}`:             "a rating of 3 is neither",
		`{"text":"a","statement":"x","label":"full","annotators":["great"]}`:       `the label "great"`,
		`{"text":"a","statement":"x","label":"full","annotators":[[1]]}`:           "neither a number nor a label",
		`{"text":"a","statment":"x","label":"full"}`:                               `did you mean it by "statment"`,
		`{"text":["a"],"statement":"x","label":"full"}`:                            "text is no text",
		`{"text":"a","statement":"x","kind":"relevance","annotators":[0.5,2]}`:     "is not from 1 to 5",
		`{"text":"a","statement":"x","label":"full","recorded":{"m":"sometimes"}}`: `the label "sometimes" of m`,
	} {
		if _, err := ReadJSONL("f", []byte(in)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", in, err, want)
		}
	}
}

// All ten published parts are read as they are, and the same as CSV, where lists and objects are JSON
// or as Python prints them.
func TestPublishedLabelFiles(t *testing.T) {
	names, err := filepath.Glob(filepath.Join(shared(t, "data", "labels"), "*.jsonl"))
	if err != nil || len(names) != 10 {
		t.Fatalf("%v %v", names, err)
	}
	for _, name := range names {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		fromJSON, err := ReadJSONL(filepath.Base(name), data)
		if err != nil {
			t.Fatal(err)
		}
		fromCSV, err := ReadCSV(filepath.Base(name), asCSV(t, data))
		if err != nil {
			t.Fatal(err)
		}
		if a, b := fingerprint(fromJSON.Items), fingerprint(fromCSV.Items); a != b {
			t.Errorf("%s: as JSON %s, as CSV %s", filepath.Base(name), a, b)
		}
	}
}

// fingerprint sums up what was read.
func fingerprint(items []Item) string {
	n, ratings, recorded, columns, sum := 0, 0, 0, 0, 0.0
	for _, it := range items {
		for k, h := range it.Human {
			n++
			sum += h.Value
			columns += len(it.Columns[k])
			ratings += len(it.Ratings[k])
			for _, v := range it.Recorded {
				if v[k].Scored() {
					recorded++
				}
			}
		}
	}
	return fmt.Sprintf("%d items, %d labels, sum %.3f, %d columns, %d ratings, %d recorded",
		len(items), n, sum, columns, ratings, recorded)
}

func asCSV(t *testing.T, data []byte) []byte {
	t.Helper()
	heading := []string{"kind", "group", "system", "about", "text", "statement", "label", "value", "annotators", "recorded", "split"}
	var out bytes.Buffer
	w := csv.NewWriter(&out)
	_ = w.Write(heading)
	for line := range bytes.Lines(data) {
		var fields map[string]json.RawMessage
		if err := json.Unmarshal(line, &fields); err != nil {
			t.Fatal(err)
		}
		var row []string
		for _, h := range heading {
			var s string
			if json.Unmarshal(fields[h], &s) != nil {
				s = strings.ReplaceAll(string(fields[h]), `"`, "'")
			}
			row = append(row, s)
		}
		_ = w.Write(row)
	}
	w.Flush()
	return out.Bytes()
}

// Three annotators, one of whom left a question out.
func TestPeopleByHand(t *testing.T) {
	in := `{"text":"a","statement":"1","annotators":[1,1,1]}
{"text":"b","statement":"2","annotators":[0,0,1]}
{"text":"c","statement":"3","annotators":[1,1,0]}
{"text":"d","statement":"4","annotators":[0,0,null]}
`
	items := read(t, in)
	verdicts := [][]judge.Verdict{{v("full", 0)}, {v("none", 0)}, {v("full", 0)}, {v("none", 0)}}
	p, ok := MeasurePeople(items, verdicts)
	if !ok || p.Questions != 4 || p.FleissN != 3 || len(p.Annotators) != 3 || p.Annotators[2].N != 3 {
		t.Fatalf("%+v", p)
	}
	near := func(what string, got, want float64) {
		t.Helper()
		if math.Abs(got-want) > 1e-9 {
			t.Errorf("%s = %v, want %v", what, got, want)
		}
	}
	near("judge with the first", p.Annotators[0].Judge, 1)
	// Others of the first: 1 ½ ½ 0 against 1 0 1 0: products ½, squares ½ and 1.
	near("first with the others", p.Annotators[0].Others, math.Sqrt(0.5))
	// Six full, three none of nine: by chance (2/3)²+(1/3)² = 5/9; agreeing pairs 1, 1/3, 1/3.
	near("Fleiss", p.Fleiss, 0)
	if !math.IsNaN(p.Alt.WinningRate) {
		t.Error("four questions are too few for the test")
	}
	if _, ok := MeasurePeople(items[:0], nil); ok {
		t.Error("agreement of nobody")
	}
}

func TestBy(t *testing.T) {
	all := items()
	all[0].Columns = []map[string]string{{"split": "dev"}, {"split": "test"}}
	verdicts := [][]judge.Verdict{{v("full", 1), v("partial", 1)}, {v("none", 0), v("full", 1)}}
	parts, err := By("split", "j", all, verdicts, 1)
	if err != nil || len(parts) != 3 || parts[1].Value != "dev" || parts[1].Report.N != 1 {
		t.Errorf("%+v %v", parts, err)
	}
	if _, err := By("splitt", "j", all, verdicts, 1); err == nil || !strings.Contains(err.Error(), `did you mean "split"`) {
		t.Error(err)
	}
}

// People put 1 and ½ on one side, 0 on the other; the judge 1 ½ 0. AUC: of the pairs (1,0), (½,0), the
// judge has 1>½ and 0<½: one of two.
func TestHalvesAndSystemsByHand(t *testing.T) {
	r := Measure("j", items(), [][]judge.Verdict{{v("full", 1), v("partial", 1)}, {v("none", 0), v("full", 1)}}, 1)
	if r.AUC != 0.5 || r.Balanced != 0.25 {
		t.Errorf("AUC %v, balanced %v", r.AUC, r.Balanced)
	}
	// Means by people s ½, r ½: they do not vary.
	if !math.IsNaN(r.PearsonSystems) || !math.IsNaN(r.KendallCI.Low) {
		t.Errorf("%v %v", r.PearsonSystems, r.KendallCI)
	}
}

// A judge that says the same of everything was measured: reports must not say that it was not. Too few
// labels say nothing.
func TestCardOfAJudgeThatSaysOneThing(t *testing.T) {
	rows := func(n int) []Known {
		var all []Item
		var verdicts [][]judge.Verdict
		for i := range n {
			human := v([]string{"full", "none"}[i%2], 0)
			q := []judge.Question{{ID: "q", Kind: judge.Coverage, Text: "x"}}
			all = append(all, Item{Task: judge.Task{ID: fmt.Sprint(i), Units: []string{"x"}, Questions: q}, Human: []judge.Verdict{human}})
			verdicts = append(verdicts, []judge.Verdict{v("none", 0)})
		}
		return Card{Judge: "j", Rows: NewRows("j", "set", all, verdicts, 1)}.Known("j")
	}
	if got := rows(leastLabels); len(got) != 1 || got[0].Value != "undefined" || got[0].Worth != Useless ||
		!strings.Contains(got[0].Set, string(DoNotUse)) {
		t.Errorf("%+v", got)
	}
	if got := rows(leastLabels - 1); len(got) != 0 {
		t.Errorf("%+v", got)
	}
}
