package metric_test

import (
	"fmt"

	"lore/judge/metric"
)

func ExampleRouge() {
	s := metric.Rouge("The cat sat on the mat.", []string{"the cat was on the mat"}, true)
	fmt.Printf("ROUGE-1 %.3f  ROUGE-2 %.3f  ROUGE-L %.3f\n", s.One.F, s.Two.F, s.L.F)
	// Output:
	// ROUGE-1 0.833  ROUGE-2 0.600  ROUGE-L 0.833
}

// A ranking is joined with its judgements once; every measure reads the topic.
func ExampleNDCG() {
	ranking := metric.Ranked([]string{"d3", "d1", "d7"})
	topic := metric.NewTopic(ranking, map[string]int{"d1": 2, "d2": 1, "d3": 0})

	fmt.Printf("nDCG@10 %.3f\n", metric.NDCG(topic, 10, metric.LinearGain))
	fmt.Printf("recall  %.3f\n", metric.Recall(topic, 1, 0))
	fmt.Printf("judged  %.3f\n", metric.JudgedAt(topic, 3))
	// Output:
	// nDCG@10 0.480
	// recall  0.500
	// judged  0.667
}

// A measure's full name shows all parameters, also those left at their default.
func ExampleParseMeasure() {
	ranking := metric.Ranked([]string{"d3", "d1", "d7"})
	topic := metric.NewTopic(ranking, map[string]int{"d1": 2, "d2": 1, "d3": 0})

	for _, name := range []string{"map", "RBP(p=0.5)", "ndcg_cut.10"} {
		m, err := metric.ParseMeasure(name)
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Printf("%s = %.3f\n", m, m.Calc(topic))
	}
	// Output:
	// AP(rel=1) = 0.250
	// RBP(rel=1,p=0.5) = 0.250
	// nDCG(dcg='log2')@10 = 0.480
}

// Two systems on the same eight items, two items to a topic.
func ExampleComparePaired() {
	a := []float64{0.9, 0.8, 0.7, 0.9, 0.6, 0.8, 0.7, 0.9}
	b := []float64{0.7, 0.8, 0.5, 0.6, 0.6, 0.5, 0.6, 0.7}
	topics := []string{"tea", "tea", "rice", "rice", "salt", "salt", "oil", "oil"}

	c := metric.ComparePaired(a, b, topics, 1000, 1000, 0.95, 1)
	fmt.Printf("%d items in %d topics: A is better by %.3f (p = %.3f)\n", c.N, c.Clusters, c.Diff, c.P)
	fmt.Printf("better %d, equal %d, worse %d\n", c.Win, c.Tie, c.Loss)
	// Output:
	// 8 items in 4 topics: A is better by 0.163 (p = 0.125)
	// better 6, equal 2, worse 0
}
