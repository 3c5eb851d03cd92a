package summhay

import (
	"encoding/json"
	"errors"
	"math"
	"os"
	"strings"
	"testing"

	"lore/datasets"
	"lore/judge"
	"lore/judge/agreement"
	"lore/local/published"
)

// The six recorded judges against people, to an independent calculation.
func TestGoldenRecordedJudges(t *testing.T) {
	labels, err := LoadLabels(published.Path(t, "data/summhay/human_coverage_labels_dev.json"))
	if err != nil || len(labels.Notes) > 0 {
		t.Fatalf("%v, notes %q", err, labels.Notes)
	}
	items := labels.Items
	data, err := os.ReadFile(published.Path(t, "golden/human_labels_dev.json"))
	if err != nil {
		t.Fatal(err)
	}
	var golden map[string]json.RawMessage
	if err := json.Unmarshal(data, &golden); err != nil {
		t.Fatal(err)
	}
	compared := 0
	for key, raw := range golden {
		if key == "summaries" {
			continue
		}
		var want struct {
			N               int
			Pearson, Bias   float64
			LinkingAccuracy float64 `json:"linking_accuracy"`
			LinkingN        int     `json:"linking_n"`
		}
		if err := json.Unmarshal(raw, &want); err != nil {
			t.Fatal(err)
		}
		verdicts := make([][]judge.Verdict, len(items))
		for i, it := range items {
			verdicts[i] = it.Recorded[key]
		}
		r := agreement.Measure(key, items, verdicts, 1)
		if r.N != want.N || r.LinkingN != want.LinkingN || math.Abs(r.Pearson-want.Pearson) > 1e-9 || math.Abs(r.LinkingAccuracy-want.LinkingAccuracy) > 1e-9 || math.Abs(r.Bias-want.Bias) > 1e-9 {
			t.Errorf("%s: %+v, golden %+v", key, r, want)
		}
		compared++
	}
	if compared != 6 {
		t.Errorf("%d judges compared", compared)
	}
}

func TestParseLabelsErrors(t *testing.T) {
	good := `{"subtopic_id":"s","summkey":"k","summary":["a","b"],"reference_insights":[{"insight_id":"i","insight":"x"}],"annotation":[{"insight_id":"i","coverage":"fully_covered","candidate_id":"1"}],"predictions_p":[{"insight_id":"i","coverage":"FULL_COVERAGE","bullet_id":2}]}`
	labels, err := ParseLabels("f", []byte("["+good+"]"))
	items := labels.Items
	if err != nil || items[0].Human[0].Unit != 2 || items[0].Recorded["predictions_p"][0].Unit != 2 {
		t.Fatalf("%+v %v", items, err)
	}
	for in, want := range map[string]string{
		``: "is not valid JSON", `[]`: "has no labels", `[{"id":"x"}]`: "summary 1: it has no reference_insights", `{}`: "is an object",
		"[" + strings.Replace(good, "fully_covered", "maybe", 1) + "]":                   `summary 1: annotation of insight "i" with coverage "maybe"`,
		"[" + strings.Replace(good, `"candidate_id":"1"`, `"candidate_id":"7"`, 1) + "]": "selects line 7 of 2",
	} {
		_, err := ParseLabels("f", []byte(in))
		var input *datasets.InputError
		if !errors.As(err, &input) || !strings.Contains(err.Error(), want) {
			t.Errorf("%.40s: %v, want %q", in, err, want)
		}
	}
}

// What is labelled twice, and what is not labelled, is counted.
func TestLabelsTwiceAndMissing(t *testing.T) {
	labels, err := ParseLabels("f", []byte(`[{"subtopic_id":"s","summkey":"k","summary":["a","b"],
		"reference_insights":[{"insight_id":"i","insight":"x"},{"insight_id":"j","insight":"y"},{"insight_id":"k","insight":"z"}],
		"annotation":[{"insight_id":"i","coverage":"fully_covered","candidate_id":"1"},
			{"insight_id":"i","coverage":"not_covered","candidate_id":"no_selection"},
			{"insight_id":"i","coverage":"not_covered"}, {"insight_id":"j","coverage":"not_covered"}],
		"predictions_p":[{"insight_id":"i","coverage":"FULL_COVERAGE","bullet_id":2},{"insight_id":"i","coverage":"FULL","bullet_id":2},
			{"insight_id":"other","coverage":"FULL_COVERAGE","bullet_id":1}]}]`))
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"1 of 3 insights have no annotation, and are left out",
		"2 annotations are of an insight that has one already, 1 with another label; the last one counts",
		"1 verdicts of predictions_p are on an insight that has one already",
		"1 verdicts of predictions_p are on an insight that their summary does not have",
	}
	for i, w := range want {
		if len(labels.Notes) != len(want) || !strings.HasPrefix(labels.Notes[i], w) {
			t.Fatalf("%q", labels.Notes)
		}
	}
	if v := labels.Items[0].Human[0]; v.Label != judge.None || v.Unit != 0 {
		t.Errorf("%+v", v)
	}
	if v := labels.Items[0].Recorded["predictions_p"][0]; v.Scored() || v.Reason != `the recorded label "FULL" is not on the menu` {
		t.Errorf("%+v", v)
	}
}

func FuzzParseLabels(f *testing.F) {
	f.Add([]byte(`[{"summary":["a"],"reference_insights":[{"insight_id":"i"}],"annotation":[{"insight_id":"i","coverage":"not_covered","candidate_id":"no_selection"}],"predictions_x":[{"bullet_id":[1]}]}]`))
	f.Fuzz(func(t *testing.T, data []byte) {
		labels, err := ParseLabels("f", data)
		if err != nil {
			return
		}
		for _, it := range labels.Items {
			if len(it.Human) != len(it.Task.Questions) {
				t.Errorf("%d labels for %d questions", len(it.Human), len(it.Task.Questions))
			}
		}
	})
}
