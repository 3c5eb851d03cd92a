package build

import (
	"cmp"
	"math/rand/v2"
	"slices"
)

func sortByScore(order []int, scores []float64) {
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(scores[b], scores[a]) })
}

// spot is an insight by its subtopic and its number there.
type spot struct{ subtopic, insight int }

// plan says which insights each document must hold. Every insight gets Repeat
// documents, documents differ by at most one insight where that can be, and none has
// more than half of its insights, rounded up, from one subtopic where that can be. The
// seed fixes it.
func (b *Builder) plan(subtopics []*subtopic) [][]spot {
	rng := rand.New(rand.NewPCG(b.Seed, 5))
	var places []spot
	for i, s := range subtopics {
		for k := range s.insights {
			places = append(places, spot{i, k})
		}
	}
	rng.Shuffle(len(places), func(i, j int) { places[i], places[j] = places[j], places[i] })
	documents := make([][]spot, b.Documents)
	most := (len(places)*b.Repeat + b.Documents - 1) / b.Documents
	half := (most + 1) / 2
	for _, p := range places {
		order := rng.Perm(b.Documents)
		same := func(d int) int {
			n := 0
			for _, o := range documents[d] {
				if o.subtopic == p.subtopic {
					n++
				}
			}
			return n
		}
		crowded := func(d int) int {
			if same(d) >= half {
				return 1
			}
			return 0
		}
		slices.SortStableFunc(order, func(x, y int) int {
			return cmp.Or(cmp.Compare(crowded(x), crowded(y)), cmp.Compare(len(documents[x]), len(documents[y])), cmp.Compare(same(x), same(y)))
		})
		for _, d := range order[:min(b.Repeat, len(order))] {
			documents[d] = append(documents[d], p)
		}
	}
	for d := range documents {
		rng.Shuffle(len(documents[d]), func(i, j int) { documents[d][i], documents[d][j] = documents[d][j], documents[d][i] })
	}
	return documents
}
