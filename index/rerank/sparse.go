package rerank

import (
	"cmp"
	"math"
	"slices"
)

// term is a word's number with its weight in a text.
type term struct {
	word   int
	weight float64
}

// weigh turns word counts into vectors of length 1, sorted by word.
func weigh(counts []map[string]float64, df map[string]float64) [][]term {
	var vocabulary []string
	for w := range df {
		vocabulary = append(vocabulary, w)
	}
	slices.Sort(vocabulary) // sums run in this order, on every run

	number := make(map[string]int, len(vocabulary))
	for i, w := range vocabulary {
		number[w] = i
	}

	n := float64(len(counts))
	rows := make([][]term, len(counts))
	for i, c := range counts {
		for w, tf := range c {
			rows[i] = append(rows[i], term{number[w], (1 + math.Log(tf)) * math.Log((n+1)/(df[w]+0.5))})
		}
		slices.SortFunc(rows[i], func(a, b term) int { return cmp.Compare(a.word, b.word) })

		length := 0.0
		for _, t := range rows[i] {
			length += t.weight * t.weight
		}
		for k := range rows[i] {
			rows[i][k].weight /= math.Sqrt(length)
		}
	}
	return rows
}

func sparseDot(a, b []term) float64 {
	s := 0.0
	for i, j := 0, 0; i < len(a) && j < len(b); {
		switch c := cmp.Compare(a[i].word, b[j].word); {
		case c < 0:
			i++
		case c > 0:
			j++
		default:
			s += a[i].weight * b[j].weight
			i++
			j++
		}
	}
	return s
}
