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
		values := jointByOrder(systems, cells[0])
		got := sensitivity(values)
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

// The middle moves nothing, and one side alone tells nothing of the larger change.
func TestSensitivity(t *testing.T) {
	nan := math.NaN()
	if s := sensitivity([]float64{0.1, 0.6, 0.9, nan, 0.5}); math.Abs(s-0.4) > 1e-12 {
		t.Errorf("%v", s)
	}
	for _, lacking := range [][]float64{{nan, 0.3, 0.1, 0.1, 0.5}, {0.3, nan, 0.1, 0.1, 0.5}, {0.1, 0.6, 0.1, 0.1, nan}} {
		if s := sensitivity(lacking); !math.IsNaN(s) {
			t.Errorf("%v: %v", lacking, s)
		}
	}
}

// A generator whose order as given is missing stays in the table, which says what sensitivity lacks.
func TestOrdersWithoutTheOrderAsGiven(t *testing.T) {
	score := func(retriever string, joint float64) datasets.Scored {
		return datasets.Scored{
			Judged: datasets.Judged{System: datasets.System{Retriever: retriever, Generator: "g"}, Judge: "j"},
			Value:  func(m string) (float64, bool) { return joint, m == Joint },
		}
	}
	top, bottom, given := score("full-top", 0.4), score("full-bottom", 0.1), score("full", 0.3)

	whole, ok := tableOrders([]datasets.Scored{top, bottom, given}, "j")
	if !ok || whole.Rows[0][6] != "20.0" || strings.Contains(whole.Note, "needs all three") {
		t.Errorf("%v", whole)
	}
	for _, some := range [][]datasets.Scored{{top, bottom}, {top, given}} {
		g, ok := tableOrders(some, "j")
		if !ok || g.Rows[0][1] != "40.0" || g.Rows[0][6] != datasets.NoValue || !strings.Contains(g.Note, "needs all three") {
			t.Errorf("%v", g)
		}
	}
	if _, ok := tableOrders([]datasets.Scored{given}, "j"); ok {
		t.Error("a table of orders where there are none")
	}
}
