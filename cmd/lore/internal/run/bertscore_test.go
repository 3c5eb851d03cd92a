package run

import (
	"context"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"lore/embed"
	"lore/embed/testmodel"
)

func tokenEncoder(t *testing.T, kind testmodel.Kind) embed.TokenEncoder {
	t.Helper()
	dir := filepath.Join(t.TempDir(), string(kind))
	if err := testmodel.Write(dir, kind); err != nil {
		t.Fatal(err)
	}
	enc, err := embed.OpenTokenEncoder(context.Background(), dir, embed.Engine{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { enc.Close() })
	return enc
}

func pairScore(t *testing.T, b *bertPairs, a, r string) []float32 {
	t.Helper()
	got, err := b.Embed(context.Background(), embed.Query, []string{a + "\x00" + r})
	if err != nil {
		t.Fatal(err)
	}
	return got[0].Vector
}

// BERTScore over tiny encoders equals an independent calculation by onnxruntime and
// plain JavaScript (embed/testmodel/golden.mjs).
func TestGoldenBERTScore(t *testing.T) {
	var golden struct {
		BERTScore []struct {
			Kind                 testmodel.Kind
			Candidate, Reference string
			P, R, F              float64
		} `json:"bertscore"`
	}
	data, err := os.ReadFile("../../../../embed/testdata/golden.json")
	if err == nil {
		err = json.Unmarshal(data, &golden)
	}
	if err != nil || len(golden.BERTScore) != 4 {
		t.Fatalf("%d cases, %v", len(golden.BERTScore), err)
	}
	for _, c := range golden.BERTScore {
		got := pairScore(t, &bertPairs{enc: tokenEncoder(t, c.Kind)}, c.Candidate, c.Reference)
		for i, want := range []float64{c.P, c.R, c.F, c.F} {
			if math.Abs(float64(got[i])-want) > 1e-5 {
				t.Errorf("%s %q: figure %d is %v, want %v", c.Kind, c.Candidate, i, got[i], want)
			}
		}
	}
}

// Properties: equal texts score 1, swapping the texts swaps P and R, and idf leaves
// both true.
func TestBERTScoreProperties(t *testing.T) {
	enc := tokenEncoder(t, testmodel.BERT)
	for name, idf := range map[string]map[int]float64{"plain": nil, "idf": {5: 2, 41: 0.5}} {
		b := &bertPairs{enc: enc, idf: idf, unseen: 1.5}
		texts := []string{"sand holds for a season", "Café on the wall", "the council", strings.Repeat("stone and sand ", 40)}
		for i, x := range texts {
			if same := pairScore(t, b, x, x); math.Abs(float64(same[bertF])-1) > 1e-6 {
				t.Errorf("%s: %q with itself scores %v", name, x, same[bertF])
			}
			for _, y := range texts[i+1:] {
				one, two := pairScore(t, b, x, y), pairScore(t, b, y, x)
				if math.Abs(float64(one[bertP]-two[bertR])) > 1e-6 || math.Abs(float64(one[bertR]-two[bertP])) > 1e-6 || one[bertF] >= 1 {
					t.Errorf("%s: %q and %q: %v, swapped %v", name, x, y, one, two)
				}
			}
		}
	}
}

// A text over the window is cut for the published figure and whole for the windowed
// one.
func TestBERTScoreWindows(t *testing.T) {
	b := &bertPairs{enc: tokenEncoder(t, testmodel.BERT)}
	short := strings.Repeat("stone and sand ", 10)
	long := strings.Repeat("stone and sand ", 30) + "a closed road means closed shops"
	got, err := b.Embed(context.Background(), embed.Query, []string{short + "\x00" + long, short + "\x00" + short})
	if err != nil {
		t.Fatal(err)
	}
	if !got[0].Cut || got[0].Vector[bertF] == got[0].Vector[bertAll] || got[1].Cut {
		t.Errorf("%+v", got)
	}
}

func TestBaseline(t *testing.T) {
	write := func(s string) string {
		path := filepath.Join(t.TempDir(), "baseline.csv")
		if err := os.WriteFile(path, []byte(s), 0o666); err != nil {
			t.Fatal(err)
		}
		return path
	}
	got, err := readBaseline(write("LAYER,P,R,F\n0,0.1,0.2,0.3\n6,0.5,0.6,0.7\n"))
	if err != nil || got != [3]float64{0.5, 0.6, 0.7} {
		t.Errorf("%v, %v", got, err)
	}
	for _, bad := range []string{"", "1,2,3\n", "1,0.5,x,0.5\n", "1,0.5,1,0.5\n"} {
		if _, err := readBaseline(write(bad)); err == nil {
			t.Errorf("%q was accepted", bad)
		}
	}
}
