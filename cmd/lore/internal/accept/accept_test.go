package accept

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"lore/cmd/lore/internal/report"
	"lore/cmd/lore/internal/table"
	"lore/cmd/lore/internal/usage"
	"lore/datasets"
	"lore/local/files"
)

var design = Design{Unit: table.ByItem, Level: 0.05, Draws: 2000, Seed: 1}

// judged is a subject of n items with one unit each, whose value is given, in points.
func judged(n int, value func(i int) float64) Subject {
	s := Subject{From: "somewhere", Lore: "1", Benchmark: "b", DataHash: "d", Measured: map[string]string{"the judge j": "digest 1"}}
	s.Retriever, s.Generator, s.Judge = "r", "g", "j"
	for i := range n {
		v := value(i) / 100
		s.Items = append(s.Items, Item{
			ID: fmt.Sprint("item", i), Group: "g", Answer: hashOf(fmt.Sprint(i, v)),
			Values: []Values{{Metric: covered.Name, Units: []string{"u"}, Values: []float64{v}}},
			Grades: &Values{Units: []string{"q"}, Values: []float64{v}},
		})
	}
	return s
}

func always(v float64) func(int) float64 { return func(int) float64 { return v } }

func TestRules(t *testing.T) {
	for text, want := range map[string]Rule{
		"joint: drop<=2":         {Kind: Drop, Name: "joint", Op: "<=", Limit: 2},
		" Joint@N : DROP <= 2.5": {Kind: Drop, Name: "Joint@N", Op: "<=", Limit: 2.5},
		"joint: drop≤0":          {Kind: Drop, Name: "joint", Op: "<=", Limit: 0},
		"coverage>=60":           {Kind: Bound, Name: "coverage", Op: ">=", Limit: 60},
		"Cov(y) η3 > 60":         {Kind: Bound, Name: "Cov(y) η3", Op: ">", Limit: 60},
		"words < 300":            {Kind: Bound, Name: "words", Op: "<", Limit: 300},
		"Failed==0":              {Kind: Count, Name: "failed", Op: "==", Limit: 0},
		"unscored<=3":            {Kind: Count, Name: "unscored", Op: "<=", Limit: 3},
		"coverage >= 0.5 points": {Kind: Bound, Name: "coverage", Op: ">=", Limit: 0.5, Points: true},
		"joint: drop<=1point":    {Kind: Drop, Name: "joint", Op: "<=", Limit: 1, Points: true},
	} {
		got, err := Parse(text)
		want.Text = strings.TrimSpace(text)
		if err != nil || got != want {
			t.Errorf("%q: %+v %v, want %+v", text, got, err, want)
		}
	}

	for text, want := range map[string]string{
		"":                  "has no <=",
		"joint":             "has no <=",
		"joint: drop":       "has no <=",
		"joint: drop>=2":    "bounded by <= alone",
		"joint: drop<=-1":   "allows a drop below 0",
		"joint: rise<=2":    `asks for the "rise"`,
		"joint: drop<=2 %":  "write 2 or 2 points",
		"coverage>=60%":     "percent metrics are in points, 0 to 100: write 60 or 60 points",
		"coverage>=points":  "is no number",
		"coverage>=60s":     "is no number",
		"failed<=1 point":   "has no points",
		"joint: drop<=NaN":  "is no number",
		"joint<=Inf":        "is no number",
		"joint<=1e300":      "is no number",
		">=60":              "names no metric",
		": drop<=2":         "names no metric",
		"coverage==60":      "== is for the counts",
		"coverage=60":       "an operator that is none of",
		"failed: drop<=1":   "is a count, which has no drop",
		"coverage>=60>=50":  "is no number",
		"coverage >= 6 0":   "is no number",
		"coverage => 60":    "an operator that is none of",
		"coverage >= sixty": "is no number",
		"kpr drop <= 5":     "did you mean 'kpr: drop<=5'?",
		"Cov(y) η3 Drop<2":  "did you mean 'Cov(y) η3: drop<=2'?",
		"drop<=2 drop":      "is no number",
	} {
		_, err := Parse(text)
		var request *usage.Error
		if !errors.As(err, &request) || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), fmt.Sprintf("%q", text)) {
			t.Errorf("%q: %v, want %q and the rule", text, err, want)
		}
	}
}

// Metrics are named as the table names them, or by their keys, in any case; the nearest right name
// is told.
func TestNamesOfMetrics(t *testing.T) {
	metrics := []datasets.Metric{{Name: "joint_asked", Title: "Joint@N"}, {Name: "joint", Title: "Joint"}, {Name: "b", Title: "joint"}}
	for name, want := range map[string]string{"joint@n": "joint_asked", "JOINT": "joint", "Joint_Asked": "joint_asked"} {
		got, err := Rule{Kind: Bound, Name: name}.Resolve(metrics)
		if err != nil || got.name() != want {
			t.Errorf("%s: %q %v, want %q", name, got.name(), err, want)
		}
	}
	_, err := Rule{Kind: Bound, Name: "joynt", Text: "joynt>=1"}.Resolve(metrics)
	if err == nil || !strings.Contains(err.Error(), "did you mean joint?") || !strings.Contains(err.Error(), "failed") {
		t.Error(err)
	}
}

// A limit that a metric never reaches is a mistake, and so is a fraction: a floor of 0.6 points would
// pass for ever.
func TestLimitsThatMakeNoSense(t *testing.T) {
	metrics := []datasets.Metric{covered, {Name: "words"}, {Name: "density", Percent: true},
		{Name: "grade", Low: 1, High: 5, Bounded: true}}
	for rule, want := range map[string]string{
		"coverage>=60":          "",
		"coverage>=0":           "",
		"coverage>=100":         "",
		"coverage>=1.5":         "",
		"coverage<=1":           "",
		"coverage>=0.6 points":  "",
		"coverage>=1 point":     "",
		"coverage: drop<=0":     "",
		"coverage: drop<=1":     "",
		"coverage: drop<=100":   "",
		"words>=0.5":            "",
		"density<=160":          "",
		"grade: drop<=4":        "",
		"coverage>=0.6":         "coverage is in points, 0 to 100, and 0.6 looks like a fraction: did you mean 60?",
		"coverage>0.57":         "did you mean 57? If you do mean 0.57 of 100, write 'coverage>0.57 points'",
		"coverage>=1":           "did you mean 100?",
		"coverage<=0.5":         "did you mean 50?",
		"coverage: drop<=0.02":  "did you mean 2?",
		"density>=0.6":          "did you mean 60?",
		"coverage>=160":         "coverage is from 0 to 100 points, and 160 is outside",
		"coverage>=-5":          "coverage is from 0 to 100 points, and -5 is outside",
		"coverage: drop<=101":   "a drop of coverage is from 0 to 100 points, and 101 is outside",
		"coverage>=160 points":  "160 is outside",
		"words>=-1":             "words is never below 0, and -1 is",
		"words<=300 points":     "words is not in percent, and has no points",
		"grade>=6":              "grade is from 1 to 5, and 6 is outside",
		"grade: drop<=4.5":      "a drop of grade is from 0 to 4, and 4.5 is outside",
		"coverage>=0.99 points": "",
	} {
		r, err := Parse(rule)
		if err != nil {
			t.Fatal(err)
		}
		_, err = r.Resolve(metrics)
		var request *usage.Error
		switch {
		case want == "" && err != nil, want != "" && !errors.As(err, &request):
			t.Errorf("%q: %v, want %q", rule, err, want)
		case want != "" && (!strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), fmt.Sprintf("%q", rule))):
			t.Errorf("%q: %v, want %q and the rule", rule, err, want)
		}
	}
}

// The three outcomes of a drop rule, and what they say.
func TestDrops(t *testing.T) {
	for _, c := range []struct {
		what    string
		n       int
		was, is func(int) float64
		limit   float64
		want    Outcome
	}{
		{"nothing changed, items enough", 60, always(50), always(50), 5, Pass},
		{"nothing changed, some items too few", 55, always(50), always(50), 5, CannotTell},
		{"all rose", 20, always(20), always(60), 0, Pass},
		{"all dropped by more", 10, always(80), always(70), 5, Broken},
		{"all dropped by as much", 200, always(80), always(75), 5, CannotTell},
		{"a drop beyond, and few items", 4, always(80), always(60), 5, CannotTell},
		{"one of ten fell, and few items", 10, always(100), func(i int) float64 { return 100 * float64(min(i, 1)) }, 2, CannotTell},
		{"up and down, many items", 400, always(50), func(i int) float64 { return float64(45 + 10*(i%2)) }, 5, Pass},
	} {
		f := Finding{Limit: c.limit}
		testDrop(&f, covered, judged(c.n, c.is), judged(c.n, c.was), design)
		if f.Outcome != c.want {
			t.Errorf("%s: %s (%s), want %s", c.what, f.Outcome, f.Why, c.want)
		}
		if f.Why == "" || f.Least == nil && c.n > 1 {
			t.Errorf("%s: %q, least %v", c.what, f.Why, f.Least)
		}
	}
}

// The fewest items with which a drop rule passes where nothing changed, as the help and docs/gate.md have
// them: less than 5 % of draws of so many items would miss all of the few that fell.
func TestFewestItems(t *testing.T) {
	if testing.Short() {
		t.Skip("it only takes long under the race detector: the run without -short has it")
	}
	how := design
	how.Draws = Draws
	for limit, n := range map[float64]int{1: 299, 2: 149, 3: 99, 5: 59, 10: 29, 20: 14} {
		for _, c := range []struct {
			n    int
			want Outcome
		}{{n, Pass}, {n * 19 / 20, CannotTell}} {
			f := Finding{Limit: limit}
			s := judged(c.n, always(70))
			if testDrop(&f, covered, s, s, how); f.Outcome != c.want {
				t.Errorf("drop<=%g, %d items: %s (%s), want %s", limit, c.n, f.Outcome, f.Why, c.want)
			}
		}
	}
}

// A value that the run misses is no zero, and no way to pass either: with few missing ones the rule is
// tested with these at their worst.
func TestMissingValuesDoNotPass(t *testing.T) {
	miss := func(n, lost int) Subject {
		s := judged(n, always(90))
		for i := range lost {
			s.Items[i].Values[0] = Values{Metric: covered.Name, Missing: []string{"u"}}
		}
		return s
	}
	for _, c := range []struct {
		lost int
		want Outcome
	}{{0, Pass}, {1, Pass}, {40, CannotTell}, {400, CannotTell}} {
		f := Finding{Limit: 5}
		testDrop(&f, covered, miss(400, c.lost), judged(400, always(90)), design)
		if f.Outcome != c.want || f.Missing != c.lost {
			t.Errorf("%d lost: %s, %d missing (%s)", c.lost, f.Outcome, f.Missing, f.Why)
		}

		f = Finding{}
		testBound(&f, Rule{Op: ">=", Limit: 83}, covered, miss(400, c.lost), design)
		if f.Outcome != c.want {
			t.Errorf("bound, %d lost: %s (%s)", c.lost, f.Outcome, f.Why)
		}
	}
}

func TestBounds(t *testing.T) {
	half := func(i int) float64 { return 100 * float64(i%2) }
	for _, c := range []struct {
		n    int
		rule Rule
		want Outcome
	}{
		{100, Rule{Op: ">=", Limit: 40}, Pass},
		{100, Rule{Op: ">=", Limit: 48}, CannotTell},
		{100, Rule{Op: ">=", Limit: 60}, Broken},
		{100, Rule{Op: "<=", Limit: 60}, Pass},
		{100, Rule{Op: "<", Limit: 52}, CannotTell},
		{100, Rule{Op: "<=", Limit: 40}, Broken},
		{4, Rule{Op: ">=", Limit: 40}, CannotTell},
		{1, Rule{Op: ">", Limit: 40}, CannotTell},
	} {
		f := Finding{}
		testBound(&f, c.rule, covered, judged(c.n, half), design)
		if f.Outcome != c.want {
			t.Errorf("%d items, %s %g: %s (%s), want %s", c.n, c.rule.Op, c.rule.Limit, f.Outcome, f.Why, c.want)
		}
	}

	// What cannot be told says how far the value would have to be on the right side of the limit.
	for op, side := range map[string]string{">=": "above", "<=": "below"} {
		f := Finding{}
		testBound(&f, Rule{Op: op, Limit: 50}, covered, judged(8, half), design)
		want := regexp.MustCompile(`; with 8 items such a rule passes in 80 % of cases where the value is \d+\.\d ` + side + ` the limit$`)
		if f.Outcome != CannotTell || !want.MatchString(f.Why) {
			t.Errorf("%s: %s", op, f.Why)
		}
	}

	// Nobody knows how many words an answer may have: the bound is that of a t test at least.
	words := datasets.Metric{Name: covered.Name}
	f := Finding{}
	testBound(&f, Rule{Op: "<=", Limit: 1}, words, judged(50, half), design)
	if f.Outcome != Pass || *f.High < 0.5+0.118 {
		t.Errorf("%s: %v", f.Outcome, *f.High)
	}
}

// Bounds of labels of two kinds are those of Clopper and Pearson: for 3 of 20 the upper one at 95 % is
// 0.3437 and the lower one 0.0422.
func TestBoundsOfTwoLabels(t *testing.T) {
	s := judged(20, func(i int) float64 { return 100 * float64(max(0, i-16)) / float64(max(1, i-16)) })
	e := alone(s, covered, true, design)
	how := design
	how.Draws = 200_000
	got := estimateOf(e, e.clusters, how).sure
	if math.Abs(got.Low-4.217) > 0.1 || math.Abs(got.High-34.37) > 0.2 {
		t.Errorf("%+v", got)
	}
}

func TestCriticalItems(t *testing.T) {
	was, is := judged(3, always(100)), judged(3, always(100))
	for _, c := range []struct {
		change func(*Item)
		want   Outcome
	}{
		{func(*Item) {}, Pass},
		{func(it *Item) { it.Grades.Values[0] = 0.5 }, Pass},
		{func(it *Item) { it.Grades.Values[0] = 0 }, Broken},
		{func(it *Item) { it.Grades = &Values{Missing: []string{"q"}} }, CannotTell},
		{func(it *Item) { it.Grades = nil }, CannotTell},
	} {
		is.Items[1].Grades = &Values{Units: []string{"q"}, Values: []float64{1}}
		c.change(&is.Items[1])
		if f := guard([]string{"item0", "item1"}, is, was); f.Outcome != c.want || (len(f.Falls) > 0) != (c.want == Broken) {
			t.Errorf("%s: %s, want %s", f.Outcome, f.Why, c.want)
		}
		if f := guard([]string{"item2"}, is, was); f.Outcome != Pass {
			t.Errorf("another item: %s", f.Why)
		}
	}
}

// What fell is named as the benchmark names it, with the beginning of its text and the title of its item.
func TestFallsAreNamed(t *testing.T) {
	was, is := judged(2, always(100)), judged(2, always(0))
	f := guard([]string{"item0", "item1"}, is, was)
	if want := "2 of 2 units that the baseline has in full on 2 critical items fell to none: unit q of item item0, and 1 more"; f.Why != want {
		t.Errorf("%q, want %q", f.Why, want)
	}

	is.Asks = "insight"
	is.Items[0].Title = "What will the\nturbines yield?"
	is.Items[0].Texts = map[string]string{"q": strings.Repeat("many words ", 20)}
	f = guard([]string{"item0"}, is, was)
	want := "1 of 1 insight that the baseline has in full on 1 critical item fell to none: insight q " +
		"(many words many words many words many words many words many…) of item item0 (What will the turbines yield?)"
	if f.Why != want {
		t.Errorf("%q, want %q", f.Why, want)
	}

	r := Report{Outcome: Broken, Findings: []Finding{f}}
	var md, shown, junit bytes.Buffer
	Markdown(&md, r)
	Text(&shown, r)
	if err := JUnit(&junit, r); err != nil {
		t.Fatal(err)
	}
	for _, c := range [][2]string{
		{md.String(), "| item | title | insight | text |\n"},
		{md.String(), "| item0 | What will the turbines yield? | q | many words many"},
		{shown.String(), "  insight q (many words many"},
		{junit.String(), "of item item0 (What will the turbines yield?)</failure>"},
	} {
		if !strings.Contains(c[0], c[1]) {
			t.Errorf("no %q in\n%s", c[1], c[0])
		}
	}
}

func TestReadCritical(t *testing.T) {
	was, is := judged(3, always(100)), judged(2, always(100))
	for text, want := range map[string]string{
		"# ours\nitem0\n\nitem1\r\n": "",
		"item0\nitm1\n":              "line 2: the run somewhere has no item \"itm1\"; did you mean item1?",
		"item2\n":                    "has no item \"item2\"",
		"item0\nitem0\n":             "line 2: the item \"item0\" is there twice",
		"# nothing\n":                "lists no items",
	} {
		path := filepath.Join(t.TempDir(), "critical.txt")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		got, err := ReadCritical(path, is, was)
		if want == "" && (err != nil || !slices.Equal(got, []string{"item0", "item1"})) {
			t.Errorf("%q: %v %v", text, got, err)
		}
		if want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}

// What was measured otherwise is no baseline.
func TestComparable(t *testing.T) {
	run := judged(3, always(1))
	for want, change := range map[string]func(*Subject){
		"":                                     func(*Subject) {},
		"of the benchmark c":                   func(s *Subject) { s.Benchmark = "c" },
		"over other data":                      func(s *Subject) { s.DataHash = "e" },
		"judged by k, the run by j":            func(s *Subject) { s.Judge = "k" },
		"the judge j is digest 2 there and di": func(s *Subject) { s.Measured = map[string]string{"the judge j": "digest 2"} },
		"the setting --eta is 4 there and not": func(s *Subject) {
			s.Measured = map[string]string{"the judge j": "digest 1", "the setting --eta": "4"}
		},
		`measured otherwise: citations were read by different rules: there "loosely: all", here nobody knows how; make`: func(s *Subject) {
			s.Measured = map[string]string{"the judge j": "digest 1", report.ReadingPart: "Citations are read loosely: all."}
		},
		"they share no items": func(s *Subject) {
			for i := range s.Items {
				s.Items[i].ID += "x"
			}
		},
	} {
		was := judged(3, always(1))
		change(&was)
		_, err := Comparable(run, was)
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%v, want %q", err, want)
		}
	}

	was := judged(3, always(1))
	was.Lore = "0"
	if warnings, err := Comparable(run, was); err != nil || len(warnings) != 1 || !strings.Contains(warnings[0], "lore 0 made the baseline") {
		t.Errorf("%v %v", warnings, err)
	}
}

func TestBaselineFiles(t *testing.T) {
	s := judged(3, always(50))
	data, err := Encode(s)
	if err != nil {
		t.Fatal(err)
	}
	got, err := Decode("somewhere", data)
	if err != nil {
		t.Fatal(err)
	}
	again, err := Encode(got)
	if err != nil || !bytes.Equal(again, data) {
		t.Errorf("read and written again it is %s (%v)", again, err)
	}
	if _, err := Decode("f", bytes.ReplaceAll(data, []byte("\n"), []byte("\r\n"))); err != nil {
		t.Errorf("with the ends of lines of Windows: %v", err)
	}

	lines := bytes.SplitAfter(data, []byte("\n"))
	for want, bad := range map[string][]byte{
		"line 1: is no baseline of lore gate":                     []byte("{}\n"),
		"f: is no baseline of lore gate":                          nil,
		"line 5: was changed after lore wrote it: its hash is":    bytes.Replace(data, []byte("[0.5]"), []byte("[0.6]"), 1),
		"line 4: has no hash at its end: a part of it is missing": bytes.Join(lines[:4], nil),
		"line 1: has format 9":                                    bytes.Replace(data, []byte(`"format":1`), []byte(`"format":9`), 1),
	} {
		_, err := Decode("f", bad)
		var ours *files.Error
		if !errors.As(err, &ours) || !errors.Is(err, ErrDamaged) || !strings.Contains(err.Error(), want) || ours.Remedy == "" {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

// found is a report of every outcome.
func found(t testing.TB, lenient bool) Report {
	t.Helper()
	var rules []Rule
	for _, text := range []string{"coverage: drop<=5", "coverage>=60", "Coverage<=99", "failed==0"} {
		r, err := Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		rules = append(rules, r)
	}
	was := judged(20, always(50))
	is := judged(20, func(i int) float64 { return float64(50 - i%2) })
	was.Items[0].Grades.Values[0], is.Items[0].Grades.Values[0] = 1, 0
	is.Judge = "<j> & \x1b[31m\x00"
	out, err := Judge(rules, []string{"item0"}, is, &was, []datasets.Metric{covered}, design)
	if err != nil {
		t.Fatal(err)
	}
	out.Lenient, out.Warnings = lenient, []string{"mind <this> | & that"}
	return out
}

func TestOutcomes(t *testing.T) {
	r := found(t, false)
	var got []Outcome
	for _, f := range r.Findings {
		got = append(got, f.Outcome)
	}
	if !slices.Equal(got, []Outcome{CannotTell, Broken, Pass, Pass, Broken}) || r.Outcome != Broken {
		t.Errorf("%v %s", got, r.Outcome)
	}
	if r.Shared != 20 || r.SameAnswers != 10 {
		t.Errorf("%d shared, %d the same", r.Shared, r.SameAnswers)
	}
}

// The report of JUnit is read by a parser, follows the schema, and counts what it holds.
func TestJUnit(t *testing.T) {
	for _, lenient := range []bool{false, true} {
		var b bytes.Buffer
		if err := JUnit(&b, found(t, lenient)); err != nil {
			t.Fatal(err)
		}
		if problems := validate(t, b.Bytes()); len(problems) > 0 {
			t.Errorf("%v\n%s", problems, b.String())
		}
		var got junitSuites
		if err := xml.Unmarshal(b.Bytes(), &got); err != nil {
			t.Fatal(err)
		}
		s := got.Suites[0]
		failures, skipped := 3, 0
		if lenient {
			failures, skipped = 2, 1
		}
		if got.Tests != 5 || s.Tests != 5 || len(s.Cases) != 5 || s.Failures != failures || got.Failures != failures || s.Skipped != skipped {
			t.Errorf("lenient %v: %+v", lenient, got)
		}
		if s.Cases[0].Name != "coverage: drop<=5" || strings.ContainsAny(s.Name, "\x1b\x00") {
			t.Errorf("%q %q", s.Cases[0].Name, s.Name)
		}
	}
}

// Texts from outside are obeyed nowhere.
func TestMarkdownAndTextAreSafe(t *testing.T) {
	var md, text bytes.Buffer
	Markdown(&md, found(t, false))
	Text(&text, found(t, false))
	for _, s := range []string{md.String(), text.String()} {
		if strings.Contains(s, "\x1b") || strings.Contains(s, "\x00") {
			t.Errorf("%q", s)
		}
	}
	if strings.Contains(md.String(), "<j>") || !strings.Contains(md.String(), "> [!CAUTION]\n> broken: 2 of 5 rules broken, 1 that cannot be told, 2 passed\n") {
		t.Error(md.String())
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{"joint: drop<=2", "coverage>=60", "failed==0", "a:b: drop≤1e2", "<", "x<=", ":==", "unscored<0x1p-2"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		r, err := Parse(text)
		var request *usage.Error
		if err != nil {
			if !errors.As(err, &request) {
				t.Errorf("%v is no usage error", err)
			}
			return
		}
		again, err := Parse(r.Text)
		if err != nil || again != r || r.Name == "" || math.IsNaN(r.Limit) || !slices.Contains(operators, r.Op) {
			t.Errorf("%+v, read again %+v %v", r, again, err)
		}
	})
}

func FuzzDecode(f *testing.F) {
	data, err := Encode(judged(2, always(50)))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(data)
	f.Add(data[:len(data)/2])
	f.Add([]byte(`{"kind":"lore gate baseline","format":1,"items":-1}`))
	f.Add([]byte(`{"kind":"lore gate baseline","format":1,"items":9000000000,"benchmark":"b"}` + "\n" + `{"sha256":"x"}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		// Whoever forges the seal is refused by the content, or gets a subject that can be tested.
		for _, d := range [][]byte{data, resealed(data)} {
			s, err := Decode("f", d)
			if err != nil {
				if !errors.Is(err, ErrDamaged) {
					t.Errorf("%v", err)
				}
				continue
			}
			how := Design{Unit: table.ByItem, Level: 0.05, Draws: 10}
			rules := []Rule{{Kind: Drop, Name: "coverage", Limit: 2, Op: "<="}, {Kind: Count, Name: "unscored", Op: "<="}}
			if _, err := Judge(rules, []string{s.Items[0].ID}, s, &s, []datasets.Metric{covered}, how); err != nil {
				t.Error(err)
			}
		}
	})
}
