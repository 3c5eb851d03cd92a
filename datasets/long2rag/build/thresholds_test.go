package build

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"lore/datasets/long2rag"
)

// Six points by hand, significance and whether people confirmed it:
// .2 no, .4 yes, .5 no, .7 yes, .8 yes, .9 no. At .7 three are kept, one of them wrong (a third), and one of
// three confirmed ones is lost: F1 is 2·2/(3+3) = 2/3. At .4 five are kept, two wrong, none lost: F1 is
// 2·3/(5+3) = 3/4, the largest. The first decimal that parts .4 from .2 is .4 itself.
func TestThresholdsByHand(t *testing.T) {
	by := [][]checked{{{.2, false}, {.4, true}, {.5, false}}, {{.7, true}, {.8, true}, {.9, false}}}
	a := at(by, .7)
	if a.Kept != 3 || a.Wrong != 1 || a.Lost != 1 || a.Confirmed != 3 || math.Abs(a.F1()-2./3) > 1e-12 {
		t.Errorf("%+v", a)
	}
	f, ok := Fit(by, 0)
	if !ok || f.Threshold != .4 || math.Abs(f.F1()-.75) > 1e-12 || f.Low > .4 || f.High < .4 || f.High > .7 {
		t.Errorf("%+v %v", f, ok)
	}
	if f, ok := Fit(by[:1], 0); !ok || !math.IsNaN(f.Low) {
		t.Errorf("an interval of one question: %+v %v", f, ok)
	}
	if f, _ := Fit([][]checked{{{.75, true}}}, .73); f.Threshold != .73 {
		t.Errorf("%+v where all are kept", f)
	}
	if _, ok := Fit([][]checked{{{.2, false}}}, 0); ok {
		t.Error("a threshold was fitted to no confirmed point")
	}
	for _, c := range []struct {
		low, high float64
		above     bool
		want      float64
	}{{.2, .4, true, .4}, {.61, .687, true, .68}, {.6, .687, true, .68}, {.5, .687, true, .6}, {0, .05, false, 0},
		{.73, .75, false, .75}, {.7, .72, false, .7}} {
		if x := between(c.low, c.high, c.above); math.Abs(x-c.want) > 1e-9 {
			t.Errorf("between %g and %g: %g, want %g", c.low, c.high, x, c.want)
		}
	}
}

// Where people confirm points above 0.6 in nine of ten cases, and below in one of ten, the fitted threshold is
// near it, the interval is narrow and holds it.
func TestFitFindsTheThreshold(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	var by [][]checked
	for range 60 {
		var list []checked
		for range 12 {
			s := rng.Float64()
			chance := 0.1
			if s >= 0.6 {
				chance = 0.9
			}
			list = append(list, checked{s, rng.Float64() < chance})
		}
		by = append(by, list)
	}
	f, ok := Fit(by, 0)
	if !ok || math.Abs(f.Threshold-0.6) > 0.05 || f.Low > 0.6 || f.High < 0.595 || f.High-f.Low > 0.15 {
		t.Errorf("%+v", f)
	}
	// No other threshold has a larger F1.
	for x := range 100 {
		if a := at(by, float64(x)/100); a.F1() > f.F1()+1e-12 {
			t.Errorf("%g has F1 %g, the fitted %g has %g", a.Threshold, a.F1(), f.Threshold, f.F1())
		}
	}
}

// The table marks the paper's threshold, the build's and the fitted one, and shows none below the build's.
func TestThresholdGrid(t *testing.T) {
	by := [][]checked{{{.65, false}, {.7, true}, {.8, true}, {.9, true}}, {{.66, false}, {.95, true}}}
	f, _ := Fit(by, .65)
	g := thresholdGrid(judgedPoints{by: by, unscored: 2}, .65, &f)
	got := fmt.Sprint(g.Rows, g.Note)
	for _, want := range []string{"[[0.65 6 2 (33.3 %) 0 – – 0 (0.0 %) 0.80 this build's] [0.7 4 0 (0.0 %) 2 0 (0.0 %) – 0 (0.0 %) 1.00 the paper's",
		"70B parameters; fitted: the largest F1", "left out what is below 0.65", "2 judged points have no significance"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is not in\n%s", want, got)
		}
	}
}

// The build's log says which threshold it used.
func TestThresholdOf(t *testing.T) {
	dir := t.TempDir()
	if x := thresholdOf(dir); !math.IsNaN(x) {
		t.Errorf("%g without a log", x)
	}
	log := `{"stage":"screen","detail":"9"}` + "\n" + `{"stage":"threshold","detail":"0.55"}` + "\n"
	if err := os.WriteFile(filepath.Join(dir, "build-log.jsonl"), []byte(log), 0o666); err != nil {
		t.Fatal(err)
	}
	if x := thresholdOf(dir); x != 0.55 {
		t.Errorf("%g", x)
	}
	if x := thresholdOf(filepath.Join(dir, "questions.jsonl")); x != 0.55 {
		t.Errorf("%g", x)
	}
}

// Each question is on one rater's sheet; what raters add counts once, not where a key point says it, and an
// open row is not a complete question.
func TestMissingSheets(t *testing.T) {
	var questions []long2rag.Question
	confirmed := map[[2]string]bool{}
	for i := range 4 {
		q := long2rag.Question{ID: fmt.Sprintf("q%d", i), Text: "Why did the wall hold?", KeyPoints: []long2rag.KeyPoint{
			{ID: "a", Text: "The wall was repaired with granite."}, {ID: "b", Text: "It was old."}}}
		questions = append(questions, q)
		confirmed[[2]string{q.ID, "a"}], confirmed[[2]string{q.ID, "b"}] = true, false
	}
	sheets, err := MissingSheets(questions, 2, 1, false)
	if err != nil {
		t.Fatal(err)
	}

	fill := []string{"none", "- The board paid in March.\nthe board paid in march | Six masons came by ship.",
		"The wall was repaired with granite", ""}
	o, open, rows := Overlooked{}, 0, 0
	for _, s := range sheets {
		table, err := csv.NewReader(bytes.NewReader(bytes.TrimPrefix(s, []byte("\ufeff")))).ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range table[1:] {
			r[len(r)-1] = fill[rows]
			rows++
		}
		var buf bytes.Buffer
		if err := csv.NewWriter(&buf).WriteAll(table); err != nil {
			t.Fatal(err)
		}
		if !isMissingSheet(buf.Bytes()) {
			t.Error("the sheet is not known")
		}
		n, err := o.Read("sheet", buf.Bytes(), questions)
		if err != nil {
			t.Fatal(err)
		}
		open += n
	}
	if r := o.Of(questions, confirmed); rows != 4 || open != 1 || r != (Recall{Questions: 3, Confirmed: 3, Missing: 2}) {
		t.Errorf("%d rows, %d open, %+v, %q", rows, open, r, o)
	}
	for sheet, word := range map[string]string{"row,missing_points\nx,none\n": `"x", which is none`, "row,missing_points\n\"x": "not CSV"} {
		if _, err := o.Read("s", []byte(sheet), questions); err == nil || !strings.Contains(err.Error(), word) {
			t.Errorf("%q: %v", sheet, err)
		}
	}
}

func FuzzReadMissing(f *testing.F) {
	f.Add([]byte("row,missing_points\n" + questionRow("q") + ",a | b\n"))
	q := []long2rag.Question{{ID: "q", Text: "q?", KeyPoints: []long2rag.KeyPoint{{ID: "a", Text: "a"}}}}
	f.Fuzz(func(_ *testing.T, data []byte) { _, _ = Overlooked{}.Read("x", data, q) })
}

// A program that shares no code with lore made up points with significance and what three raters say of them, and
// computed what each threshold does: testdata/golden/thresholds.py.
func TestThresholdsGolden(t *testing.T) {
	var questions []long2rag.Question
	sheets := make([][]HumanVerdict, 3)
	for _, f := range golden(t, "points.tsv") {
		q, p, verdicts := f[0], f[1], f[3:]
		score := number(t, f[2])
		if len(questions) == 0 || questions[len(questions)-1].ID != q {
			questions = append(questions, long2rag.Question{ID: q})
		}
		last := &questions[len(questions)-1]
		last.KeyPoints = append(last.KeyPoints, long2rag.KeyPoint{ID: p, Score: &score})
		for r, v := range verdicts {
			switch v {
			case "open":
			case "no":
				sheets[r] = append(sheets[r], HumanVerdict{Question: q, Point: p})
			default:
				sheets[r] = append(sheets[r], HumanVerdict{Question: q, Point: p, Found: true, Key: v})
			}
		}
	}

	judged := judgedOf(questions, Verify(questions, sheets).Confirmed, sheets)
	for _, f := range golden(t, "thresholds.tsv")[1:] {
		a := judged.at(number(t, f[0]))
		got := []float64{float64(a.Kept), ratio(a.Wrong, a.Kept), float64(a.Dropped), ratio(a.Lost, a.Dropped), a.Raters}
		for i, x := range got {
			if want := number(t, f[i+1]); math.IsNaN(want) != math.IsNaN(x) || math.Abs(x-want) > 1e-9 {
				t.Errorf("threshold %s, column %d: %v, want %s", f[0], i+1, x, f[i+1])
			}
		}
	}
}

func golden(t *testing.T, name string) (rows [][]string) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", "golden", name))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(data)) {
		rows = append(rows, strings.Split(strings.TrimSuffix(line, "\n"), "\t"))
	}
	return rows
}

func number(t *testing.T, cell string) float64 {
	t.Helper()
	if cell == "-" {
		return math.NaN()
	}
	x, err := strconv.ParseFloat(cell, 64)
	if err != nil {
		t.Fatal(err)
	}
	return x
}

func ratio(n, of int) float64 { return float64(n) / float64(of) }
