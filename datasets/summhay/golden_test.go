package summhay

import (
	"encoding/json"
	"math"
	"os"
	"strings"
	"testing"

	"lore/datasets"
	"lore/judge/metric"
	"lore/local/published"
)

// All recorded systems of two published haystacks, pooled over insights, against
// an independent calculation.
func TestGoldenRecordedSystems(t *testing.T) {
	ds, err := Benchmark{}.Load([]string{published.Path(t, "data/summhay/topic_news1.json"), published.Path(t, "data/summhay/topic_news2.json")})
	if err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(published.Path(t, "golden/summhay_news1_news2.json"))
	if err != nil {
		t.Fatal(err)
	}
	var golden map[string]map[string]float64
	if err := json.Unmarshal(data, &golden); err != nil {
		t.Fatal(err)
	}
	systems := Recorded(ds)
	if len(systems) != 78 || len(golden) != 78 {
		t.Fatalf("%d systems, %d golden", len(systems), len(golden))
	}
	for _, s := range systems {
		values := map[string][]float64{}
		for i, it := range ds.Items {
			for _, x := range it.Score(datasets.Evidence{Output: s.Outputs[i]}, s.Verdicts[i]) {
				if x.Unscored != "" {
					t.Errorf("%s: %s unscored: %s", s.Name, x.Metric, x.Unscored)
				}
				values[x.Metric] = append(values[x.Metric], x.Value)
			}
		}
		for _, m := range []string{Coverage, Citation, Joint, CitationPrecision, CitationRecall} {
			if got := 100 * metric.Mean(values[m]); math.Abs(got-golden[s.Name][m]) > 1e-9 {
				t.Errorf("%s: %s = %v, golden %v", s.Name, m, got, golden[s.Name][m])
			}
		}
	}
}

// What the released script's indexing makes of odd bullet numbers.
func TestReleasedLink(t *testing.T) {
	for _, c := range []struct {
		id          string
		lines, want int
	}{{`3`, 5, 3}, {`"3"`, 5, 3}, {`"NA"`, 5, 4}, {`null`, 5, 4}, {`[2,3]`, 5, 4}, {`0`, 5, 5}, {`-1`, 5, 4}, {`9`, 5, 9}, {`"NA"`, 1, 0}, {`2.5`, 5, 4}} {
		var id BulletID
		if err := json.Unmarshal([]byte(c.id), &id); err != nil {
			t.Fatal(err)
		}
		if got := releasedLink(id, c.lines); got != c.want {
			t.Errorf("bullet_id %s of %d lines is line %d, want %d", c.id, c.lines, got, c.want)
		}
	}
}

func TestSplitName(t *testing.T) {
	ds, err := load([]string{"f.json"}, [][]byte{[]byte(`{"documents":[{"document_id":"d","document_text":"x","insights_included":["i"]}],"subtopics":[{"subtopic_id":"s","query":"q",
		"insights":[{"insight_id":"i","insight":"x"}],"retriever":{"dwzhu/e5-base-4k":{},"oracle":{}}}]}`)})
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string][2]string{"oracle_gpt-4o": {"oracle", "gpt-4o"}, "dwzhu/e5-base-4k_m": {"dwzhu/e5-base-4k", "m"}, "gpt-4o": {"full", "gpt-4o"}, "fl-ctxt-sort_x": {"fl-ctxt-sort", "x"}} {
		if s := splitName(ds, name); s.Retriever != want[0] || s.Generator != want[1] {
			t.Errorf("splitName(%q) = %q, %q", name, s.Retriever, s.Generator)
		}
	}
}

// Covered by a line that does not exist: the coverage counts, the citation is
// unscored.
func TestLinkBeyondTheAnswer(t *testing.T) {
	it := figure2(t)
	ds := &datasets.Dataset{Items: []datasets.Item{it}}
	it.subtopic.Summaries = map[string][]string{"summary_subtopic_x": {"- a [1]", "- b"}}
	it.subtopic.EvalSummaries = map[string][]RecordedVerdict{"summary_subtopic_x": {{InsightID: "x", Coverage: "FULL_COVERAGE", BulletID: BulletID{7, true, "7"}}, {InsightID: "y", Coverage: "SOME"}, {InsightID: "stranger", Coverage: "FULL_COVERAGE"}}}
	s := Recorded(ds)[0]
	if len(s.Notes) != 1 || !strings.Contains(s.Notes[0], "1 recorded verdicts name an insight") {
		t.Errorf("notes %v", s.Notes)
	}
	byMetric := map[string]map[string]bool{}
	for _, x := range it.Score(datasets.Evidence{Output: s.Outputs[0]}, s.Verdicts[0]) {
		if byMetric[x.Metric] == nil {
			byMetric[x.Metric] = map[string]bool{}
		}
		byMetric[x.Metric][x.Unit] = x.Unscored == ""
	}
	if c, j := byMetric[Coverage], byMetric[Joint]; !c["x"] || c["y"] || c["z"] || j["x"] || j["y"] || j["z"] {
		t.Errorf("scored: coverage %v, joint %v", c, j)
	}
}
