package build

import (
	"cmp"
	"math/rand/v2"
	"slices"
)

// spot is an insight by its subtopic and its number there.
type spot struct{ subtopic, insight int }

// spots lists the insights of subtopics.
func spots(subtopics []*subtopic) []spot {
	var out []spot
	for i, s := range subtopics {
		for k := range s.insights {
			out = append(out, spot{i, k})
		}
	}
	return out
}

// live lists the insights that are not retired.
func live(subtopics []*subtopic) []spot {
	return slices.DeleteFunc(spots(subtopics), func(p spot) bool { return subtopics[p.subtopic].retired[p.insight] })
}

// plan says which insights each document must hold. Every insight gets Repeat
// documents, documents differ by at most one insight where that can be, and none has
// more than half of its insights, rounded up, from one subtopic where that can be. The
// seed fixes it.
func (b *Builder) plan(subtopics []*subtopic) [][]spot {
	rng := rand.New(rand.NewPCG(b.Seed, 5))
	places := spots(subtopics)
	rng.Shuffle(len(places), func(i, j int) { places[i], places[j] = places[j], places[i] })

	documents := make([][]spot, b.Documents)
	most := (len(places)*b.Repeat + b.Documents - 1) / b.Documents
	half := (most + 1) / 2
	for _, p := range places {
		order := rng.Perm(b.Documents) // equal documents take turns by chance
		slices.SortStableFunc(order, func(x, y int) int {
			sameX, sameY := ofSubtopic(documents[x], p.subtopic), ofSubtopic(documents[y], p.subtopic)
			return cmp.Or(
				compareBool(sameX >= half, sameY >= half), // a document must not be about one subtopic alone
				cmp.Compare(len(documents[x]), len(documents[y])),
				cmp.Compare(sameX, sameY),
			)
		})

		for _, d := range order[:min(b.Repeat, len(order))] {
			documents[d] = append(documents[d], p)
		}
	}

	for _, d := range documents {
		rng.Shuffle(len(d), func(i, j int) { d[i], d[j] = d[j], d[i] })
	}
	return documents
}

// ofSubtopic counts the insights of a document that belong to a subtopic.
func ofSubtopic(document []spot, subtopic int) int {
	n := 0
	for _, p := range document {
		if p.subtopic == subtopic {
			n++
		}
	}
	return n
}

// compareBool sorts what is false first.
func compareBool(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return 1
	}
	return -1
}
