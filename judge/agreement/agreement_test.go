package agreement

import (
	"math"
	"strings"
	"testing"

	"lore/judge"
	"lore/local"
)

func v(label string, unit int) judge.Verdict {
	return judge.Verdict{Label: label, Value: judge.Values[judge.Coverage][label], Unit: unit}
}

func items() []Item {
	q := []judge.Question{{ID: "a", Kind: judge.Coverage, Text: "one two three four"}, {ID: "b", Kind: judge.Coverage, Text: "five six"}}
	return []Item{
		{Task: judge.Task{ID: "1", Units: []string{"one two three x"}, Questions: q}, Human: []judge.Verdict{v("full", 1), v("none", 0)}, System: "s", Group: "g"},
		{Task: judge.Task{ID: "2", Units: []string{"y z"}, Questions: q}, Human: []judge.Verdict{v("partial", 1), Unlabelled("b")}, System: "r", Group: "h"},
	}
}

// Worked by hand: people 1, 0, ½; the judge 1, ½, 0.
func TestMeasureByHand(t *testing.T) {
	got := Measure("j", items(), [][]judge.Verdict{{v("full", 1), v("partial", 1)}, {v("none", 0), v("full", 1)}}, 1)
	near := func(what string, got, want float64) {
		t.Helper()
		if math.Abs(got-want) > 1e-12 || math.IsNaN(got) != math.IsNaN(want) {
			t.Errorf("%s = %v, want %v", what, got, want)
		}
	}
	near("Pearson", got.Pearson, 0.5) // deviations ½ −½ 0 and ½ 0 −½: products ¼, squares ½ and ½
	near("accuracy", got.Accuracy, 1./3)
	near("bias", got.Bias, 0)
	near("bias of s", got.BiasBySystem["s"], 0.25)
	near("bias of r", got.BiasBySystem["r"], -0.5)
	near("linking", got.LinkingAccuracy, 1)
	// Places 2 0 1 and 2 1 0: quadratic disagreement ¼ + ¼ seen; by chance, with each
	// place once on both sides, (4·¼ + 2·1)/3 = 1. So 1 − ½.
	near("kappa", got.Kappa, 0.5)
	if got.N != 3 || got.LinkingN != 1 || got.Confusion["none"]["partial"] != 1 || got.Systems != 2 {
		t.Errorf("%+v", got)
	}
}

// Of the text's two trigrams (one two three; two three x), one stands in the
// statements.
func TestShape(t *testing.T) {
	length, copied := shape(items()[0])
	if length != 4 || copied != 0.5 {
		t.Errorf("length %v, copied %v", length, copied)
	}
}

func TestUnscoredIsCountedApart(t *testing.T) {
	got := Measure("j", items(), [][]judge.Verdict{{judge.Unscored("a", local.Cut, "x"), v("none", 0)}, {v("partial", 1), v("none", 0)}}, 1)
	if got.N != 2 || got.NUnscored != 1 {
		t.Errorf("n %d, unscored %d", got.N, got.NUnscored)
	}
	none := Measure("j", nil, nil, 1)
	if !math.IsNaN(none.Pearson) || !math.IsNaN(none.Accuracy) || !math.IsNaN(none.LinkingAccuracy) {
		t.Errorf("agreement on nothing: %+v", none)
	}
}

func TestCompareUsesWhatBothAnswered(t *testing.T) {
	a := [][]judge.Verdict{{v("full", 1), v("none", 0)}, {v("partial", 1), v("none", 0)}}
	b := [][]judge.Verdict{{v("full", 1), v("full", 1)}, {judge.Unscored("a", local.Cut, "x"), v("none", 0)}}
	if p := Compare("a", "b", items(), a, b, 1); p.N != 2 {
		t.Errorf("%+v", p)
	}
}

const rows = `{"group":"g","system":"s","about":"q","text":"- one\n- two","statement":"x","label":"full","unit":2}
{"group":"g","system":"s","about":"q","text":"- one\n- two","statement":"y","label":"none"}
{"text":"z","statement":"w","label":"yes","kind":"entailment"}
`

func TestReadRows(t *testing.T) {
	read, err := ReadJSONL("f", []byte(rows))
	if err != nil {
		t.Fatal(err)
	}
	fromJSON := read.Items
	if len(fromJSON) != 2 || len(fromJSON[0].Human) != 2 || fromJSON[0].Human[0].Unit != 2 || fromJSON[1].Task.Questions[0].Kind != judge.Entailment {
		t.Errorf("%+v", fromJSON)
	}
	read, err = ReadCSV("f", []byte("text,statement,label,unit,system\n\"- one\n- two\",x,full,2,s\n\"- one\n- two\",y,none,,s\n"))
	fromCSV := read.Items
	if err != nil || len(fromCSV) != 1 || len(fromCSV[0].Human) != 2 {
		t.Errorf("%+v %v", fromCSV, err)
	}
	for in, want := range map[string]string{
		`{"text":"a","statement":"x","label":"great"}`: `f: line 1: the label "great" is not one of`, `{"text":"a","label":"full"}`: `f: line 1: there is no column "statement"`, `{"text":"a","statement":" ","label":"full"}`: "f: line 1: the statement is empty", `{"txt":"a"}`: "f: line 1", "": "f: no labels",
		`{"text":"a","statement":"x","label":"full","unit":5}`: "unit 5 of a text with 1 lines", `{"text":"a","statement":"x","label":"full","kind":"smell"}`: "unknown kind",
	} {
		if _, err := ReadJSONL("f", []byte(in)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", in, err, want)
		}
	}
	for in, want := range map[string]string{"": "no heading", "text,colour\na,b\n": `there is no column "statement"`, "text,statement,label,unit\na,b,full,x\n": `f: line 2: unit "x" is not a number`, "text,statement,label\na\n": "f: line 2: has 1 cells, and the heading 3", "text,statment,label\na,b,c\n": `did you mean it by "statment"`, "text,text,statement\na,b,c\n": "there twice"} {
		if _, err := ReadCSV("f", []byte(in)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", in, err, want)
		}
	}
}

func FuzzReadJSONL(f *testing.F) {
	f.Add([]byte(rows))
	f.Fuzz(func(t *testing.T, data []byte) {
		if got, err := ReadJSONL("f", data); err == nil && len(got.Items) == 0 {
			t.Error("no rows are no error")
		}
	})
}

func FuzzReadCSV(f *testing.F) {
	f.Add([]byte("text,statement,label\na,b,full\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		if got, err := ReadCSV("f", data); err == nil && len(got.Items) == 0 {
			t.Error("no rows are no error")
		}
	})
}

func FuzzReadHuman(f *testing.F) {
	f.Add([]byte(`{"retriever":"r","generator":"g","item":"i","question":"q","label":"full"}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		if got, err := ReadHuman(strings.NewReader(string(data)), "f"); err == nil && len(got) == 0 {
			t.Error("no verdicts are no error")
		}
	})
}
