package metric

import (
	"math"
	"slices"
)

// Pearson is the product-moment correlation of two lists of equal length, in
// [-1,1]. It is NaN for fewer than two pairs or where a list does not vary.
func Pearson(x, y []float64) float64 {
	if len(x) != len(y) || len(x) < 2 {
		return NaN
	}

	mx, my := Mean(x), Mean(y)
	var xy, xx, yy float64
	for i := range x {
		dx, dy := x[i]-mx, y[i]-my
		xy += dx * dy
		xx += dx * dx
		yy += dy * dy
	}

	if xx == 0 || yy == 0 {
		return NaN
	}
	return xy / math.Sqrt(xx) / math.Sqrt(yy)
}

// Spearman is the Pearson correlation of ranks; equal values share their mean
// rank.
func Spearman(x, y []float64) float64 { return Pearson(Ranks(x), Ranks(y)) }

// Ranks gives each value its rank from 1, equal values their mean rank.
func Ranks(x []float64) []float64 {
	order := make([]int, len(x))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int {
		switch {
		case x[a] < x[b]:
			return -1
		case x[a] > x[b]:
			return 1
		}
		return 0
	})

	out := make([]float64, len(x))
	for i := 0; i < len(order); {
		j := i
		for j < len(order) && x[order[j]] == x[order[i]] {
			j++
		}
		for _, k := range order[i:j] {
			out[k] = float64(i+j+1) / 2
		}
		i = j
	}
	return out
}

// KendallTauB is Kendall's rank correlation corrected for ties (Kendall, 1945), in
// [-1,1]. It is NaN for fewer than two pairs or where a list does not vary.
func KendallTauB(x, y []float64) float64 {
	if len(x) != len(y) {
		return NaN
	}

	var agree, tiedX, tiedY, pairs float64
	for i := range x {
		for j := range i {
			dx, dy := sign(x[i]-x[j]), sign(y[i]-y[j])
			agree += dx * dy
			pairs++
			if dx == 0 {
				tiedX++
			}
			if dy == 0 {
				tiedY++
			}
		}
	}

	if pairs == tiedX || pairs == tiedY {
		return NaN
	}
	return agree / math.Sqrt(pairs-tiedX) / math.Sqrt(pairs-tiedY)
}

func sign(v float64) float64 {
	switch {
	case v > 0:
		return 1
	case v < 0:
		return -1
	}
	return 0
}

// Weight is the disagreement between two of k ordered categories, 0 if equal.
type Weight func(a, b, k int) float64

// Weights of disagreement for Cohen: all or nothing, linear, quadratic.
var (
	Nominal   Weight = func(a, b, _ int) float64 { return math.Abs(sign(float64(a - b))) }
	Linear    Weight = func(a, b, k int) float64 { return math.Abs(float64(a-b)) / float64(k-1) }
	Quadratic Weight = func(a, b, k int) float64 { d := float64(a-b) / float64(k-1); return d * d }
)

// CohenKappa is the agreement of two raters beyond chance over k categories
// numbered from 0, with weighted disagreement (Cohen, 1968). It is at most 1, and
// NaN for no ratings or where chance alone would agree.
func CohenKappa(a, b []int, k int, w Weight) float64 {
	if len(a) != len(b) || len(a) == 0 {
		return NaN
	}

	left, right := make([]float64, k), make([]float64, k)
	observed := 0.0
	for i := range a {
		left[a[i]]++
		right[b[i]]++
		observed += w(a[i], b[i], k)
	}

	expected := 0.0
	for i := range left {
		for j := range right {
			expected += left[i] * right[j] * w(i, j, k)
		}
	}

	if expected == 0 {
		return NaN
	}
	return 1 - observed*float64(len(a))/expected
}

// FleissKappa is the agreement of several raters beyond chance (Fleiss, 1971).
// counts[i][c] is the number of raters who gave item i the category c; every item
// needs the same number of raters, at least two. It is NaN otherwise, or where
// only one category was used.
func FleissKappa(counts [][]int) float64 {
	observed, shares, ok := raterAgreement(counts)
	chance := 0.0
	for _, p := range shares {
		chance += p * p
	}
	if !ok || chance == 1 {
		return NaN
	}
	return (observed - chance) / (1 - chance)
}

// FreeMarginalKappa is the same with equal chances of all categories (Randolph,
// 2005), for raters who are not told how many of each to give.
func FreeMarginalKappa(counts [][]int) float64 {
	observed, shares, ok := raterAgreement(counts)
	if !ok || len(shares) < 2 {
		return NaN
	}
	chance := 1 / float64(len(shares))
	return (observed - chance) / (1 - chance)
}

// raterAgreement is the mean share of agreeing pairs of raters per item, and the
// share of each category.
func raterAgreement(counts [][]int) (observed float64, shares []float64, ok bool) {
	if len(counts) == 0 {
		return 0, nil, false
	}

	raters := 0
	for _, n := range counts[0] {
		raters += n
	}

	shares = make([]float64, len(counts[0]))
	for _, item := range counts {
		if len(item) != len(shares) {
			return 0, nil, false
		}

		sum, pairs := 0, 0
		for c, n := range item {
			sum += n
			pairs += n * (n - 1)
			shares[c] += float64(n)
		}

		if sum != raters || raters < 2 {
			return 0, nil, false
		}
		observed += float64(pairs) / float64(raters*(raters-1))
	}

	for c := range shares {
		shares[c] /= float64(raters * len(counts))
	}
	return observed / float64(len(counts)), shares, true
}

// Accuracy is the share of equal pairs, NaN of none.
func Accuracy[T comparable](a, b []T) float64 {
	if len(a) != len(b) || len(a) == 0 {
		return NaN
	}
	n := 0
	for i := range a {
		if a[i] == b[i] {
			n++
		}
	}
	return float64(n) / float64(len(a))
}
