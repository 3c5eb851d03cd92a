package metric

import (
	"math"
	"slices"
)

// Knot is a point of a monotone map.
type Knot struct{ X, Y float64 }

// Isotonic fits a map that never falls to pairs of values by least squares (pool adjacent
// violators; Barlow et al., 1972), and centres its steps: every step becomes one knot at
// the mean of its x, and between knots the map is a line (centred isotonic regression, Oron and
// Flournoy, 2017), so that it keeps the order within a step. It is nil for no pairs.
func Isotonic(x, y []float64) []Knot {
	order := make([]int, len(x))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return int(sign(x[a] - x[b])) })

	type block struct{ x, y, n float64 }
	var blocks []block
	for i := 0; i < len(order); {
		b := block{}
		for first := x[order[i]]; i < len(order) && x[order[i]] == first; i++ {
			b.x, b.y, b.n = b.x+x[order[i]], b.y+y[order[i]], b.n+1
		}
		blocks = append(blocks, b)
		for len(blocks) > 1 {
			last, before := blocks[len(blocks)-1], &blocks[len(blocks)-2]
			if before.y/before.n < last.y/last.n {
				break
			}
			before.x, before.y, before.n = before.x+last.x, before.y+last.y, before.n+last.n
			blocks = blocks[:len(blocks)-1]
		}
	}

	knots := make([]Knot, len(blocks))
	for i, b := range blocks {
		knots[i] = Knot{b.x / b.n, b.y / b.n}
	}
	return knots
}

// Interpolate reads a monotone map at x: a line between knots, level beyond the ends. The
// map without knots is the identity.
func Interpolate(knots []Knot, x float64) float64 {
	if len(knots) == 0 {
		return x
	}
	at, _ := slices.BinarySearchFunc(knots, x, func(k Knot, x float64) int { return int(sign(k.X - x)) })
	switch {
	case at == 0:
		return knots[0].Y
	case at == len(knots):
		return knots[at-1].Y
	}
	low, high := knots[at-1], knots[at]
	share := (x - low.X) / (high.X - low.X)
	return low.Y + share*(high.Y-low.Y)
}

// NonNegative are the weights, none below 0, with which columns come nearest y by least
// squares with a constant (Lawson and Hanson, 1974, chapter 23, by coordinate descent). Among
// such sums theirs has the highest Pearson correlation with y. They add up to 1; all are 0
// where no column helps.
func NonNegative(columns [][]float64, y []float64) []float64 {
	k := len(columns)
	gram, right := make([][]float64, k), make([]float64, k)
	for i := range columns {
		gram[i] = make([]float64, k)
		right[i] = products(columns[i], y)
		for j := range columns {
			gram[i][j] = products(columns[i], columns[j])
		}
	}

	w := make([]float64, k)
	for range 10000 {
		moved := 0.0
		for i := range w {
			if gram[i][i] == 0 {
				continue
			}
			rest := right[i]
			for j := range w {
				if j != i {
					rest -= gram[i][j] * w[j]
				}
			}
			next := max(0, rest/gram[i][i])
			moved = max(moved, math.Abs(next-w[i]))
			w[i] = next
		}
		if moved < 1e-12 {
			break
		}
	}

	sum := 0.0
	for _, v := range w {
		sum += v
	}
	if sum > 0 {
		for i := range w {
			w[i] /= sum
		}
	}
	return w
}

// products is the sum of products of deviations from the means.
func products(x, y []float64) float64 {
	mx, my := Mean(x), Mean(y)
	sum := 0.0
	for i := range x {
		sum += (x[i] - mx) * (y[i] - my)
	}
	return sum
}

// Cuts are the places between ordered classes 0 to k-1 on x that cost least, where cost is
// what it costs to give pair i a class. They ascend; class c is from cut c-1 to cut c.
func Cuts(x []float64, k int, cost func(i, class int) float64) []float64 {
	order := make([]int, len(x))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return int(sign(x[a] - x[b])) })

	// best[c] is the least cost of all pairs so far with the last in class c; from[i][c] is
	// the class before it. Equal values have one class.
	best, from := make([]float64, k), make([][]int, 0, len(x))
	for i, at := range order {
		lowest, class := math.Inf(1), 0
		step, next := make([]int, k), make([]float64, k)
		for c := range k {
			if best[c] < lowest {
				lowest, class = best[c], c
			}
			tied := i > 0 && x[order[i-1]] == x[at]
			if tied {
				lowest, class = best[c], c
			}
			step[c], next[c] = class, lowest+cost(at, c)
			if i == 0 {
				step[c], next[c] = c, cost(at, c)
			}
		}
		best, from = next, append(from, step)
	}
	return cutsOf(x, order, from, best)
}

// cutsOf walks back from the cheapest end.
func cutsOf(x []float64, order []int, from [][]int, best []float64) []float64 {
	k := len(best)
	cuts := make([]float64, k-1)
	for c := range cuts {
		cuts[c] = math.Inf(1)
	}
	if len(order) == 0 {
		return cuts
	}

	class := 0
	for c := range best {
		if best[c] < best[class] {
			class = c
		}
	}
	for i := len(order) - 1; i >= 0; i-- {
		before := -1
		if i > 0 {
			before = from[i][class]
		}
		for c := max(before, 0); c < class; c++ {
			cuts[c] = x[order[i]]
			if i > 0 {
				cuts[c] = (x[order[i]] + x[order[i-1]]) / 2
			}
		}
		if before >= 0 {
			class = before
		}
	}
	return cuts
}
