package msrs

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"lore/datasets"
	"lore/local/published"
)

func TestParseQueries(t *testing.T) {
	got, err := ParseQueries("f", []byte(`{"12":{"query":"a","gold_documents":["x"],"answer":["r1","r2"]},
		"3":{"query":"b","squality_query":"z","gold_documents":[],"answer":"r"}}`))
	if err != nil {
		t.Fatal(err)
	}
	want := []Query{
		{ID: "12", Text: "a", Gold: []string{"x"}, References: []string{"r1", "r2"}},
		{ID: "3", Text: "b", Original: "z", Gold: []string{}, References: []string{"r"}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	for in, want := range map[string]string{
		``: "not a JSON object", `[]`: "not a JSON object", `{}`: "has no rows", `{"1":{"query":"a","answer":5}}`: "row 1: has no answer",
		`{"1":{"query":" ","answer":"x"}}`: "row 1: has no query", `{"1":{"query":"a","answer":[]}}`: "no reference",
		"{\"1\":{\"query\":\"a\",\"answer\":\"x\"},\n\"1\":{\"query\":\"a\",\"answer\":\"x\"}}": "line 2, row 1: the row is there twice", `{"1":{"query":"a","answer":"x"}`: "ends before",
		`{"1":{"query":7}}`: "row 1",
	} {
		_, err := ParseQueries("f", []byte(in))
		var input *datasets.InputError
		if !errors.As(err, &input) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", in, err, want)
		}
	}
}

func TestSystemName(t *testing.T) {
	for in, want := range map[string]string{"out/story/bm25/summary/gpt-4o_summary.json": "bm25/gpt-4o", "mine.json": "mine", "summary/x_summary.json": "x"} {
		if got := systemName(in); got != want {
			t.Errorf("systemName(%q) = %q, want %q", in, got, want)
		}
	}
}

// For every recorded output with a ROUGE file of the authors', our mean must be
// near their mid and our bootstrap bound near their high, for precision, recall and
// F1. Theirs come from an unseeded bootstrap, so the distances are in standard
// errors: a quarter for mid, half for high. Their files leave empty outputs out (five
// of story/oracle/llama2-7), as lore does.
func TestPublishedRougeFiles(t *testing.T) {
	compared := 0
	for name, ours := range publishedScores(t) {
		if ours.Authors == nil {
			continue
		}
		file := published.Path(t, "data/msrs/outputs", ours.Domain, ours.Setting, "evaluation", ours.Model+"_squality_rouge.json")
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var theirs map[string]map[string]map[string]float64
		if err := json.Unmarshal(data, &theirs); err != nil {
			t.Fatal(err)
		}
		for _, rouge := range []string{"rouge1", "rouge2", "rougeL"} {
			for kind, key := range map[string]string{"precision": "precision", "recall": "recall", "f1": "f1-measure"} {
				f := ours.Figures[rouge+"_"+kind]
				se := standardError(ours, rouge+"_"+kind)
				if d := math.Abs(f.Mean-100*theirs[rouge]["mid"][key]) / se; d > 0.25 {
					t.Errorf("%s %s %s: mean %.3f, mid %.3f: %.2f standard errors", name, rouge, kind, f.Mean, 100*theirs[rouge]["mid"][key], d)
				}
				if d := math.Abs(f.High-100*theirs[rouge]["high"][key]) / se; d > 0.5 {
					t.Errorf("%s %s %s: high %.3f, theirs %.3f: %.2f standard errors", name, rouge, kind, f.High, 100*theirs[rouge]["high"][key], d)
				}
				compared++
			}
		}
	}
	if compared < 9*10 {
		t.Errorf("only %d figures were compared", compared)
	}
	t.Logf("%d figures compared", compared)
}

// standardError of a mean, in percentage points.
func standardError(s SystemScores, name string) float64 {
	k := 0
	for i, m := range Metrics {
		if m == name {
			k = i
		}
	}
	var sum, squares float64
	for _, row := range s.PerItem {
		sum += row[k]
		squares += row[k] * row[k]
	}
	n := float64(len(s.PerItem))
	return 100 * math.Sqrt((squares/n-sum/n*sum/n)/n)
}

func TestMissingAndEmptyOutputsAreToldApart(t *testing.T) {
	queries := []Query{{ID: "1", Text: "q", References: []string{"alpha beta"}}, {ID: "2", Text: "q", References: []string{"gamma"}}, {ID: "3", Text: "q", References: []string{"delta"}}}
	s := NewScorer(queries).Score(Outputs{Texts: []string{"alpha beta", ""}}, 1)
	if s.N != 1 || s.NEmpty != 1 || s.NUnscored != 2 || s.MissingFirst != 2 || s.Figures["rouge1_f1"].Mean != 100 {
		t.Errorf("%+v", s)
	}
	if err := CheckOutputs(queries, Outputs{Texts: make([]string, 4)}); err == nil {
		t.Error("more outputs than queries are accepted")
	}
}

func FuzzParseQueries(f *testing.F) {
	f.Add([]byte(`{"12":{"query":"a","gold_documents":["x"],"answer":["r1","r2"]}}`))
	f.Add(published.Seed(8000, "data/msrs/meeting/queries_dev.json"))
	f.Add([]byte(fmt.Sprintf(`{"1":{"query":"a","answer":%q}}`, "x")))
	f.Fuzz(func(t *testing.T, data []byte) {
		q, err := ParseQueries("f", data)
		if err == nil && len(q) == 0 {
			t.Error("no rows are no error")
		}
	})
}
