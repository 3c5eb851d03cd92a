package metric

import (
	"cmp"
	"encoding/json"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"lore/local/published"
)

// Expected stems are those NLTK 3.8 prints; each pins one of its rules.
func TestNLTKStem(t *testing.T) {
	for w, want := range map[string]string{
		"caresses": "caress", "ponies": "poni", "ties": "tie", "dies": "die", "cats": "cat", "feed": "feed", "agreed": "agre", "plastered": "plaster",
		"motoring": "motor", "conflated": "conflat", "hopping": "hop", "falling": "fall", "filing": "file", "happy": "happi", "enjoy": "enjoy", "relational": "relat",
		"rationally": "ration", "hopefulness": "hope", "dying": "die", "news": "news", "tried": "tri", "died": "die", "geology": "geolog", "controlling": "control",
		"probably": "probabl", "sky": "sky", "adjustable": "adjust", "effective": "effect", "national": "nation", "operator": "oper",
	} {
		if got := nltkStem(w); got != want {
			t.Errorf("nltkStem(%q) = %q, want %q", w, got, want)
		}
	}
}

// Worked by hand. Candidate "the cat sat on the mat" against "the cat was on the
// mat": 5 of 6 words, 3 of 5 bigrams (the cat, on the, the mat), LCS 5.
func TestRougeByHand(t *testing.T) {
	s := Rouge("The cat sat on the mat.", []string{"the cat was on the mat"}, true)
	near(t, "rouge1", s.One.F, 5./6, 1e-15)
	near(t, "rouge2", s.Two.F, 3./5, 1e-15)
	near(t, "rougeL", s.L.F, 5./6, 1e-15)
	// The order of lines matters to L and not to Lsum.
	two := Rouge("w1 w2\nw3 w4", []string{"w3 w4\nw1 w2"}, true)
	near(t, "rougeL", two.L.F, 0.5, 1e-15)
	near(t, "rougeLsum", two.Lsum.F, 1, 1e-15)
}

func TestRougeEdges(t *testing.T) {
	full, part, empty := "alpha beta gamma", "alpha", ""
	for _, c := range []struct {
		candidate, reference string
		f                    float64
	}{{full, full, 1}, {part, full, 0.5}, {empty, full, 0}, {full, part, 0.5}, {part, part, 1}, {empty, part, 0}, {full, empty, 0}, {part, empty, 0}, {empty, empty, 0}} {
		s := Rouge(c.candidate, []string{c.reference}, true)
		near(t, c.candidate+"/"+c.reference, s.One.F, c.f, 1e-15)
		near(t, c.candidate+"/"+c.reference, s.L.F, c.f, 1e-15)
		near(t, c.candidate+"/"+c.reference, s.Lsum.F, c.f, 1e-15)
	}
	near(t, "no reference", Rouge("x", nil, true).One.F, NaN, 0)
}

func TestLCSLengthAgainstTheTable(t *testing.T) {
	a := strings.Fields(strings.Repeat("a b c d e f g a c ", 20))
	b := strings.Fields(strings.Repeat("c a d x f b g a ", 23))
	for n := 0; n <= len(a); n += 7 {
		for m := 0; m <= len(b); m += 11 {
			if got, want := lcsLength(a[:n], b[:m]), len(lcsPositions(a[:n], b[:m])); got != want {
				t.Fatalf("lcsLength of %d and %d tokens = %d, the table says %d", n, m, got, want)
			}
		}
	}
}

func readJSON(t testing.TB, path string, v any) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, v); err != nil {
		t.Fatal(err)
	}
}

// references reads the test queries of an MSRS domain.
func references(t testing.TB, domain string) [][]string {
	t.Helper()
	var rows map[string]struct {
		Answer json.RawMessage `json:"answer"`
	}
	readJSON(t, published.Path(t, "data", "msrs", domain, "queries_test.json"), &rows)
	keys := slices.SortedFunc(maps.Keys(rows), func(a, b string) int { return cmp.Or(len(a)-len(b), strings.Compare(a, b)) }) // numbers, in the file's order
	out := make([][]string, len(rows))
	for i, key := range keys {
		answer := rows[key].Answer
		if json.Unmarshal(answer, &out[i]) != nil {
			var one string
			if err := json.Unmarshal(answer, &one); err != nil {
				t.Fatalf("row %d: %v", i, err)
			}
			out[i] = []string{one}
		}
	}
	return out
}

// Means over the recorded outputs against an independent calculation with NLTK's
// stemmer, to 0.001 points.
func TestGoldenRouge(t *testing.T) {
	if testing.Short() {
		t.Skip("-short leaves out what only takes long")
	}
	var golden map[string]struct {
		N                      int
		Rouge1, Rouge2, RougeL struct{ Precision, Recall, F1 float64 }
	}
	readJSON(t, published.Path(t, "golden", "rouge_msrs.json"), &golden)
	if len(golden) == 0 {
		t.Fatal("no golden values")
	}
	for name, g := range golden {
		parts := strings.Split(name, "/")
		var outputs []string
		readJSON(t, published.Path(t, "data", "msrs", "outputs", parts[0], parts[1], "summary", parts[2]+"_summary.json"), &outputs)
		refs := references(t, parts[0])
		if len(outputs) != g.N || len(refs) != g.N {
			t.Fatalf("%s: %d outputs, %d references, want %d", name, len(outputs), len(refs), g.N)
		}
		var sum [3]PRF
		for i, out := range outputs {
			s := Rouge(out, refs[i], true)
			for k, v := range []PRF{s.One, s.Two, s.L} {
				sum[k] = PRF{sum[k].P + v.P, sum[k].R + v.R, sum[k].F + v.F}
			}
		}
		scale := 100 / float64(g.N)
		for k, want := range []struct{ Precision, Recall, F1 float64 }{g.Rouge1, g.Rouge2, g.RougeL} {
			what := name + [...]string{" rouge1", " rouge2", " rougeL"}[k]
			near(t, what+" P", sum[k].P*scale, want.Precision, 0.001)
			near(t, what+" R", sum[k].R*scale, want.Recall, 0.001)
			near(t, what+" F", sum[k].F*scale, want.F1, 0.001)
		}
	}
}

// One system of MSRS: 260 summaries against four references each.
func BenchmarkRouge260x4(b *testing.B) {
	refs := references(b, "story")
	var outputs []string
	readJSON(b, published.Path(b, "data/msrs/outputs/story/oracle/summary/gpt-4o_summary.json"), &outputs)
	for b.Loop() {
		for i, out := range outputs {
			Rouge(out, refs[i], true)
		}
	}
}

// The published tokeniser sees nothing of a Chinese text, and pieces of German words.
func TestRougeByOtherWords(t *testing.T) {
	letters := func(text string) []string { return strings.Split(text, "") }
	if s := Rouge("桥关闭了", []string{"桥关闭了"}, true); s.One.F != 0 {
		t.Errorf("published: %+v", s)
	}
	s := RougeBy(letters, "桥关了", []string{"路", "桥关闭了"})
	if s.One.R != 0.75 || s.One.P != 1 || s.L.R != 0.75 || s.Lsum.R != 0.75 || s.Two.P != 0.5 {
		t.Errorf("by letters: %+v", s)
	}
	english := func(text string) []string { return RougeTokens(text, true) }
	a := RougeBy(english, "The cats sat.\nIt rained.", []string{"A cat sat down."})
	if b := Rouge("The cats sat.\nIt rained.", []string{"A cat sat down."}, true); a != b {
		t.Errorf("%+v and %+v", a, b)
	}
}
