package main

import (
	"math"
	"path/filepath"
	"testing"

	"lore/judge/lexical"
	"lore/local/published"
)

// What fitted.json says is what `make fit` finds, and holds what docs/judges.md promises of
// labels that took no part.
func TestPublishedFit(t *testing.T) {
	if testing.Short() {
		t.Skip("-short leaves out what only takes long")
	}
	labels := filepath.Dir(published.Path(t, "data/labels/argkp.jsonl"))
	sets, digest, err := readSets(labels, published.Path(t, "data/summhay/human_coverage_labels_dev.json"))
	if err != nil {
		t.Fatal(err)
	}
	if digest != lexical.Current.DataHash {
		t.Fatal("the labels are not those of the fit: run make fit")
	}
	got, want := fitAll(sets, digest), lexical.Current

	bias, after := 0.0, 0.0
	for i, s := range got.Sets {
		if math.Abs(s.Nested-want.Sets[i].Nested) > 1e-6 || math.Abs(s.LeftOut-want.Sets[i].LeftOut) > 1e-6 {
			t.Errorf("%s: %.4f and %.4f, fitted.json says %.4f and %.4f: run make fit",
				s.Set, s.Nested, s.LeftOut, want.Sets[i].Nested, want.Sets[i].LeftOut)
		}
		if s.Ungated-s.Nested > 0.0065 {
			t.Errorf("%s: gates cost %.4f", s.Set, s.Ungated-s.Nested)
		}
		bias, after = bias+math.Abs(s.Bias), after+s.After
	}
	n := float64(len(got.Sets))
	if bias/n > 0.11 || after/n > 0.04 {
		t.Errorf("mean size of the bias %.3f, after 100 labels %.3f", bias/n, after/n)
	}
	if s := got.Sets[0]; s.Nested < 0.75 || s.Texts["news"] < 0.77 || s.Texts["conversations"] < 0.68 || got.CV.LinkingAccuracy < 0.88 {
		t.Errorf("SummHay: %.3f, by texts %v, linking %.3f", s.Nested, s.Texts, got.CV.LinkingAccuracy)
	}

	// No pair is worse than the labels of the lexical judge alone.
	least := map[string]float64{"predictions_prompted_gemini-1.5-pro": 0.79, "predictions_prompted_gpt-4o": 0.775}
	for _, p := range got.Pairs {
		if p.Default < got.CV.Pearson || p.Calibrated < max(least[p.With], got.CV.Pearson) || p.Half < p.Calibrated-0.01 {
			t.Errorf("%+v; lexical alone %.3f", p, got.CV.Pearson)
		}
	}
}
