package build

import (
	"math/rand/v2"
	"slices"
)

// LabelErrors is how many labels of the haystack are wrong, by estimate: of the pairs of a
// document and an insight which the document says, or is said to say. Nobody has read the
// documents; people do by the sheets of --export-validation.
type LabelErrors struct {
	Labels        int     // pairs that the data has
	Wrong, Missed float64 // expected: that the document does not say, and that it says and the data does not have
	Rate          float64 // of both together, 0 to 1
	Low, High     float64 // 95 % interval of the rate
}

// How the interval is made.
const (
	labelDraws = 500
	labelLevel = 0.95
)

// labelErrors adds up how probable it is of each pair that its label is wrong. The interval
// draws statements anew, since errors go by statements, learns the rates from the first
// looks at them again, and lets as many labels be wrong as chance has it.
func (b *Builder) labelErrors(subtopics []*subtopic, writers []*writer) LabelErrors {
	first, _ := firstLooks(subtopics, writers)
	places := live(subtopics)
	last := map[spot]counts{}
	for _, p := range places {
		var c counts
		for _, w := range writers {
			if v, known := w.verdicts[p]; known && w.text != "" {
				c[v.kind()]++
			}
		}
		last[p] = c
	}

	labelled := [kindsOfLook]bool{}
	for kind := range labelled {
		labelled[kind] = b.rates.settle(lookOf(kind)) >= 0.5
	}
	out := expected(&b.rates, places, last, labelled)

	rng := rand.New(rand.NewPCG(b.Seed, 9))
	rates := make([]float64, labelDraws)
	for i := range rates {
		drawn := make([]spot, len(places))
		var seen counts
		for k := range drawn {
			drawn[k] = places[rng.IntN(len(places))]
			seen.add(first[drawn[k]])
		}

		r := learn(seen)
		e := expected(&r, drawn, last, labelled)
		rates[i] = min(1, happened(rng, e.Wrong+e.Missed)/max(1, float64(e.Labels)+e.Missed))
	}
	if len(places) == 0 {
		return out
	}
	slices.Sort(rates)
	tail := (1 - labelLevel) / 2
	out.Low = min(out.Rate, rates[int(tail*labelDraws)])
	out.High = max(out.Rate, rates[int((1-tail)*labelDraws)])
	return out
}

// expected is how many labels of these statements are wrong by the rates.
func expected(r *rates, places []spot, last map[spot]counts, labelled [kindsOfLook]bool) LabelErrors {
	var all counts
	for _, p := range places {
		all.add(last[p])
	}

	var out LabelErrors
	for kind, n := range all {
		if n == 0 {
			continue
		}
		p := r.settle(lookOf(kind))
		if labelled[kind] {
			out.Labels += int(n)
			out.Wrong += n * (1 - p)
		} else {
			out.Missed += n * p
		}
	}
	if n := float64(out.Labels) + out.Missed; n > 0 {
		out.Rate = (out.Wrong + out.Missed) / n
	}
	return out
}

// happened draws how many labels are wrong where so many are expected, of which nobody can be
// sure either: a Poisson number around a Gamma one, whose shape is half a label over what is
// expected.
func happened(rng *rand.Rand, expected float64) float64 {
	z := rng.NormFloat64()
	around := z * z / 2 // Gamma of shape one half
	for left := expected; left > 0 && (left >= 1 || rng.Float64() < left); left-- {
		around += rng.ExpFloat64()
	}

	n := 0.0
	for at := rng.ExpFloat64(); at < around; at += rng.ExpFloat64() {
		n++
	}
	return n
}
