package summhay

import (
	"math"
	"os"
	"strconv"
	"strings"
	"testing"

	"lore/judge"
	"lore/judge/agreement"
	"lore/local/published"
)

// Bias by summariser and length of every recorded judge, to a second program (testdata/golden/figures.py).
func TestGoldenBias(t *testing.T) {
	labels, err := LoadLabels(published.Path(t, "data/summhay/human_coverage_labels_dev.json"))
	if err != nil {
		t.Fatal(err)
	}
	items := labels.Items
	data, err := os.ReadFile("testdata/golden/bias.tsv")
	if err != nil {
		t.Fatal(err)
	}

	rows := strings.Split(strings.TrimSpace(string(data)), "\n")
	measured := map[string]map[string]float64{}
	for _, row := range rows {
		cells := strings.Split(row, "\t")
		want, err := strconv.ParseFloat(cells[2], 64)
		if err != nil {
			t.Fatal(err)
		}
		if measured[cells[0]] == nil {
			measured[cells[0]] = biasFigures(items, cells[0])
		}
		if got, ok := measured[cells[0]][cells[1]]; !ok || math.Abs(got-want) > 1e-9 {
			t.Errorf("%s, %s: %v, golden %v", cells[0], cells[1], got, want)
		}
	}
	if len(measured) != 6 || len(rows) != 6*16 {
		t.Errorf("%d judges, %d figures", len(measured), len(rows))
	}
}

// biasFigures are a recorded judge's, by the names of the golden file.
func biasFigures(items []agreement.Item, key string) map[string]float64 {
	verdicts := make([][]judge.Verdict, len(items))
	for i, it := range items {
		verdicts[i] = it.Recorded[key]
	}
	m := agreement.MeasureTexts(items, verdicts)

	out := map[string]float64{"average": m.Average}
	for _, w := range m.Writers {
		out["bias of "+w.Writer] = w.Bias
	}
	for name, c := range map[string]agreement.LengthCorr{"score": m.Score, "label": m.Label, "error": m.Error} {
		out["length to "+name+", Pearson"], out["length to "+name+", Spearman"] = c.Pearson, c.Spearman
	}
	return out
}

// The names of recorded systems are taken apart as the release takes them.
func TestSummariser(t *testing.T) {
	for name, want := range map[string]string{
		"gpt-4o": "gpt-4o", "dwzhu/e5-base-4k_gpt4-turbo": "gpt4-turbo", "fl-ctxt-rev-sort_gpt-4o": "gpt-4o", "a_b_c": "a_b_c",
	} {
		if got := summariser(name); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
}
