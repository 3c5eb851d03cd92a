package index

import (
	"context"
	"math"
	"testing"
)

func fixed(hits ...Hit) Retriever {
	return retrieverFunc(func(_ context.Context, _ Query, k int) (Ranking, error) {
		return Ranking{Hits: top(append([]Hit(nil), hits...), k)}, nil
	})
}

// By hand. One ranking: a 10, b 6, c 2, scaled 1, ½, 0. The other: c 5, a 4, scaled
// 1, 0. RRF: a 1/61 + 1/62, c 1/63 + 1/61, b 1/62. Convex: a ½, c ½, b ¼. CombMNZ: a
// 2·1, c 2·1, b 1·½.
func TestFusionByHand(t *testing.T) {
	one, two := fixed(Hit{"a", 10}, Hit{"b", 6}, Hit{"c", 2}), fixed(Hit{"c", 5}, Hit{"a", 4})
	for f, want := range map[Fusion][]Hit{
		RRF:     {{"a", 1./61 + 1./62}, {"c", 1./63 + 1./61}, {"b", 1. / 62}},
		Convex:  {{"a", 0.5}, {"c", 0.5}, {"b", 0.25}},
		CombMNZ: {{"a", 2}, {"c", 2}, {"b", 0.5}},
	} {
		got := ranking(t, Fuse(f, one, two), Query{}, 0)
		if len(got) != len(want) {
			t.Fatalf("%s: %v", f, got)
		}
		for i := range want {
			if got[i].ID != want[i].ID || math.Abs(got[i].Score-want[i].Score) > 1e-12 {
				t.Errorf("%s: place %d is %v, want %v", f, i, got[i], want[i])
			}
		}
	}
	if _, err := Fuse("nope", one).Retrieve(context.Background(), Query{}, 0); err == nil {
		t.Error("an unknown fusion is accepted")
	}
}

// By hand. Convex: a has scaled scores 1 and 0, b 0.5 and 1; weights 1 and 3 of 4 in all. RRF with k = 0: 1/rank.
func TestFusionParameters(t *testing.T) {
	one := []Hit{{"a", 4}, {"c", 3}, {"b", 2}}
	two := []Hit{{"b", 9}, {"c", 5}}
	for _, c := range []struct {
		how  Fusing
		want map[string]float64
	}{
		{Fusing{How: Convex, Weights: []float64{1, 3}}, map[string]float64{"a": 0.25, "b": 0.75, "c": 0.125}},
		{Fusing{How: Convex, Weights: []float64{1, 0}}, map[string]float64{"a": 1, "b": 0, "c": 0.5}},
		{Fusing{How: RRF}, map[string]float64{"a": 1, "b": 1.0/3 + 1, "c": 1}},
		{Fusing{How: RRF, K: 1}, map[string]float64{"a": 0.5, "b": 0.25 + 0.5, "c": 2.0 / 3}},
	} {
		hits, err := c.how.Rankings([][]Hit{one, two})
		if err != nil {
			t.Fatal(err)
		}
		for _, h := range hits {
			if math.Abs(h.Score-c.want[h.ID]) > 1e-15 {
				t.Errorf("%+v: %v, want %g", c.how, h, c.want[h.ID])
			}
		}
	}
	for _, bad := range []Fusing{
		{How: RRF, K: -1}, {How: RRF, Weights: []float64{1, 1}}, {How: Convex, Weights: []float64{1}},
		{How: Convex, Weights: []float64{0, 0}}, {How: Convex, Weights: []float64{-1, 2}}, {How: "max"},
	} {
		if _, err := bad.Rankings([][]Hit{one, two}); err == nil {
			t.Errorf("%+v is accepted", bad)
		}
	}
}
