package summhay

import (
	"math"
	"os"
	"strconv"
	"strings"
	"testing"

	"lore/datasets"
	"lore/judge/metric"
	"lore/local/published"
)

// Joint scores by the order of the documents, and sensitivity, to a second program (testdata/golden/figures.py).
func TestGoldenOrders(t *testing.T) {
	ds, err := Benchmark{}.Load([]string{published.Path(t, "data/summhay/topic_news1.json"), published.Path(t, "data/summhay/topic_news2.json")})
	if err != nil {
		t.Fatal(err)
	}
	var systems []datasets.Scored
	for _, s := range Recorded(ds) {
		systems = append(systems, scoredJoint(ds, s))
	}

	data, err := os.ReadFile("testdata/golden/orders.tsv")
	if err != nil {
		t.Fatal(err)
	}
	rows := strings.Split(strings.TrimSpace(string(data)), "\n")
	for _, row := range rows {
		cells := strings.Split(row, "\t")
		want, err := strconv.ParseFloat(cells[2], 64)
		if err != nil {
			t.Fatal(err)
		}
		values, _ := jointByOrder(systems, cells[0])
		got := sensitivity(values[:sensitiveOrders], values[len(orders)-1])
		for i, o := range orders {
			if o.heading == cells[1] {
				got = values[i]
			}
		}
		if math.IsNaN(got) || math.Abs(100*got-want) > 1e-9 {
			t.Errorf("%s, %s: %v, golden %v", cells[0], cells[1], 100*got, want)
		}
	}
	if len(rows) != 3*5 {
		t.Errorf("%d figures compared", len(rows))
	}
}

// scoredJoint is a recorded system with its Joint score, pooled over insights.
func scoredJoint(ds *datasets.Dataset, s datasets.Recorded) datasets.Scored {
	var values []float64
	for i, it := range ds.Items {
		for _, x := range it.Score(datasets.Evidence{Output: s.Outputs[i]}, s.Verdicts[i]) {
			if x.Metric == Joint {
				values = append(values, x.Value)
			}
		}
	}
	mean := metric.Mean(values)
	return datasets.Scored{
		Judged: datasets.Judged{System: s.System},
		Value:  func(m string) (float64, bool) { return mean, m == Joint },
	}
}

// The middle moves nothing, and what is not known is not 0.
func TestSensitivity(t *testing.T) {
	nan := math.NaN()
	if s := sensitivity([]float64{nan, 0.3}, 0.5); math.Abs(s-0.2) > 1e-12 {
		t.Errorf("%v", s)
	}
	if s := sensitivity([]float64{0.1, 0.6}, 0.5); math.Abs(s-0.4) > 1e-12 {
		t.Errorf("%v", s)
	}
	if s := sensitivity([]float64{nan, nan}, 0.5); !math.IsNaN(s) {
		t.Errorf("%v", s)
	}
}
