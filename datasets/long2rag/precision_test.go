package long2rag

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	"lore/datasets"
	"lore/judge"
	"lore/local"
)

func precisionItem(precision string, documents ...Document) *item {
	q := Question{ID: "q", Text: "q?", Documents: documents}
	for i := range 4 {
		q.KeyPoints = append(q.KeyPoints, KeyPoint{ID: fmt.Sprint(i + 1), Text: fmt.Sprintf("Key point %d holds.", i+1)})
	}
	s := &set{bench: Benchmark{Precision: precision}, corpus: &datasets.Corpus{}, texts: map[string]string{}}
	return s.add(q)
}

// An answer says 2 of 4 key points, recall 1/2, and has five points of its own. The key points hold one of these:
// 1/5, and with recall 2·(1/2)(1/5)/(1/2+1/5) = 2/7. The documents hold three: 3/5, and with recall
// 2·(1/2)(3/5)/(1/2+3/5) = 6/11.
func TestBothReadingsByHand(t *testing.T) {
	v := datasets.Verdicts{
		judge.Answer: verdicts("yes", "no", "yes", "neutral"),
		judge.Points: verdicts("no", "no", "yes", "neutral", "no"),
		judge.Held:   verdicts("yes", "no", "yes", "neutral", "yes"),
	}
	points := &datasets.Points{Outcome: local.OK, List: []string{"a", "b", "c", "d", "e"}}
	e := datasets.Evidence{Output: datasets.Output{Text: "Two words.", Outcome: local.OK, Points: points}}
	key := map[string]float64{KPP: 1. / 5, KPF: 2. / 7}
	documents := map[string]float64{KPPDocuments: 3. / 5, KPFDocuments: 6. / 11}
	both := maps.Clone(key)
	maps.Copy(both, documents)

	for precision, want := range map[string]map[string]float64{"": key, ByKeyPoints: key, ByDocuments: documents, ByBoth: both} {
		got := map[string]float64{}
		for _, s := range precisionItem(precision, Document{ID: "d", Text: "A document."}).Score(e, v) {
			if strings.HasPrefix(s.Metric, KPP) || strings.HasPrefix(s.Metric, KPF) {
				got[s.Metric] = s.Value
			}
			if s.Unscored != "" {
				t.Errorf("%s: %s is unscored: %s", precision, s.Metric, s.Unscored)
			}
		}
		if len(got) != len(want) {
			t.Errorf("%s: %v, want %v", precision, got, want)
		}
		for name, value := range want {
			if math.Abs(got[name]-value) > 1e-12 {
				t.Errorf("%s: %s = %v, want %v", precision, name, got[name], value)
			}
		}
	}
}

// What is asked follows the reading. The documents are read whole, with their titles, whatever was shown of them.
func TestPlanOfReadings(t *testing.T) {
	e := datasets.Evidence{Output: datasets.Output{Outcome: local.OK, Points: &datasets.Points{Outcome: local.OK, List: []string{"a", "b"}}}}
	documents := []Document{{ID: "1", Title: "On walls", Text: "The wall held. It rained."}, {ID: "2", Text: "Nobody came."}}
	for precision, want := range map[string]string{
		"": "[points 2]", ByKeyPoints: "[points 2]", ByDocuments: "[held 2]", ByBoth: "[points 2 held 2]",
	} {
		var got []string
		for _, task := range precisionItem(precision, documents...).Plan(e)[1:] {
			got = append(got, fmt.Sprintf("%s %d", task.Subject.Part, len(task.Questions)))
			if units := strings.Join(task.Units, "|"); task.Subject == judge.Held && units != "On walls|The wall held.|It rained.|Nobody came." {
				t.Errorf("%q", units)
			}
		}
		if fmt.Sprint(got) != want {
			t.Errorf("%q: %v, want %s", precision, got, want)
		}
	}
}

// Without documents there is nothing to look in, which is no share of 0; a missing verdict is said.
func TestUnscoredReadings(t *testing.T) {
	points := &datasets.Points{Outcome: local.OK, List: []string{"a", "b"}}
	e := datasets.Evidence{Output: datasets.Output{Text: "x", Outcome: local.OK, Points: points}}
	key := verdicts("yes", "yes", "yes", "yes")
	reasons := func(it *item, v datasets.Verdicts) map[string]string {
		out := map[string]string{}
		for _, s := range it.Score(e, v) {
			out[s.Metric] = s.Unscored
		}
		return out
	}

	bare := precisionItem(ByBoth)
	if tasks := bare.Plan(e); slices.ContainsFunc(tasks, func(t judge.Task) bool { return t.Subject == judge.Held }) {
		t.Error("documents that are not there are asked about")
	}
	got := reasons(bare, datasets.Verdicts{judge.Answer: key, judge.Points: verdicts("yes", "no")})
	if got[KPP] != "" || got[KPF] != "" || !strings.Contains(got[KPPDocuments], "without documents") || got[KPFDocuments] != got[KPPDocuments] {
		t.Errorf("%v", got)
	}

	whole := precisionItem(ByBoth, Document{ID: "d", Text: "A document."})
	got = reasons(whole, datasets.Verdicts{judge.Answer: key, judge.Points: verdicts("yes", "no"), judge.Held: verdicts("yes", "")})
	if got[KPP] != "" || !strings.Contains(got[KPFDocuments], "1 of 2 verdicts are missing, such as bad_format: no label") {
		t.Errorf("%v", got)
	}
	if _, err := (Benchmark{}).Configure(map[string]string{"precision": "all"}); err == nil || !strings.Contains(err.Error(), "--precision is both, key-points, documents") {
		t.Error(err)
	}
}
