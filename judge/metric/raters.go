package metric

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"
)

// AUC is the chance that a positive case has a higher score than a negative one, equal
// scores counting half (Hanley and McNeil, 1982). It is NaN where one of them is missing.
func AUC(score []float64, positive []bool) float64 {
	if len(score) != len(positive) {
		return NaN
	}
	sum, n := 0.0, 0.0
	for i, r := range Ranks(score) {
		if positive[i] {
			sum += r
			n++
		}
	}

	rest := float64(len(score)) - n
	if n == 0 || rest == 0 {
		return NaN
	}
	return (sum - n*(n+1)/2) / (n * rest)
}

// BalancedAccuracy is the mean over the classes of people of the share that got the same
// class: ½ for a guess between two. It is NaN of nothing.
func BalancedAccuracy[T comparable](human, judge []T) float64 {
	if len(human) != len(judge) || len(human) == 0 {
		return NaN
	}
	right, all := map[T]int{}, map[T]int{}
	var classes []T // in order of appearance, so that sums are the same on every run
	for i, h := range human {
		if all[h] == 0 {
			classes = append(classes, h)
		}
		all[h]++
		if judge[i] == h {
			right[h]++
		}
	}

	sum := 0.0
	for _, c := range classes {
		sum += float64(right[c]) / float64(all[c])
	}
	return sum / float64(len(classes))
}

// Scale says how far two ratings differ for Krippendorff's alpha. values are all ratings in
// ascending order with the number of each.
type Scale func(a, b int, values []float64, counts []float64) float64

// Scales of ratings (Krippendorff, "Computing Krippendorff's alpha-reliability", 2011, section C).
var (
	// NominalScale tells equal from different.
	NominalScale Scale = func(a, b int, _, _ []float64) float64 {
		if a == b {
			return 0
		}
		return 1
	}
	// OrdinalScale counts the ratings between two.
	OrdinalScale Scale = func(a, b int, _, counts []float64) float64 {
		low, high := min(a, b), max(a, b)
		d := -(counts[low] + counts[high]) / 2
		for _, n := range counts[low : high+1] {
			d += n
		}
		if low == high {
			return 0
		}
		return d * d
	}
	// IntervalScale takes the difference.
	IntervalScale Scale = func(a, b int, values, _ []float64) float64 {
		d := values[a] - values[b]
		return d * d
	}
)

// KrippendorffAlpha is the agreement of any number of raters beyond chance, where some may
// not have rated all (Krippendorff, 2011). units[i] holds the ratings of one unit, NaN or
// nothing for missing ones; units with fewer than two are left out. It is at most 1, and
// NaN where nothing is left or the ratings do not vary.
func KrippendorffAlpha(units [][]float64, scale Scale) float64 {
	pairable := paired(units)
	var values []float64
	for _, u := range pairable {
		values = append(values, u...)
	}
	slices.Sort(values)
	values = slices.Compact(values)
	if len(values) < 2 {
		return NaN
	}

	counts := make([]float64, len(values))
	coincidences := make([][]float64, len(values))
	for i := range coincidences {
		coincidences[i] = make([]float64, len(values))
	}
	total := 0.0
	for _, u := range pairable {
		for i, a := range u {
			at, _ := slices.BinarySearch(values, a)
			counts[at]++
			total++
			for j, b := range u {
				if i != j {
					other, _ := slices.BinarySearch(values, b)
					coincidences[at][other] += 1 / float64(len(u)-1)
				}
			}
		}
	}

	var observed, expected float64
	for a := range values {
		for b := range values {
			d := scale(a, b, values, counts)
			observed += coincidences[a][b] * d
			expected += counts[a] * counts[b] * d
		}
	}
	return 1 - (total-1)*observed/expected
}

// paired keeps the units with two ratings or more, without what is missing.
func paired(units [][]float64) [][]float64 {
	var out [][]float64
	for _, u := range units {
		u = slices.DeleteFunc(slices.Clone(u), math.IsNaN)
		if len(u) > 1 {
			out = append(out, u)
		}
	}
	return out
}

// AltTest is the outcome of the alternative-annotator test: may a judge stand in for people?
type AltTest struct {
	WinningRate float64        // share of the annotators whom the judge does as well as
	Advantage   float64        // mean chance that the judge is at least as near the others as an annotator is
	Annotators  []AltAnnotator // in the order given
	Tested      int            // annotators with enough ratings
}

// AltAnnotator is the test against one annotator.
type AltAnnotator struct {
	N         int     // units that this annotator and another one have rated
	Judge     float64 // share of these where the judge is at least as near the others
	Annotator float64 // the same of the annotator
	P         float64 // of the annotator being better by more than epsilon; NaN if N is too small
	Won       bool    // the judge does as well
}

// AltTestLeast is the number of units that an annotator needs for the test's t statistic
// (Calderon et al., 2025, section 3).
const AltTestLeast = 30

// AlternativeAnnotators is the alternative-annotator test of Calderon, Reichart and Dror,
// "The alternative annotator test for LLM-as-a-judge", 2025, section 3. people[j][i] is the rating
// of unit i by annotator j, NaN where there is none; judge[i] is the judge's. Each annotator
// in turn is left out, and compared with the judge by the distance (root mean square) to the
// others. epsilon is the price of people: 0.2 for experts, 0.15 for skilled annotators,
// 0.1 for crowds. The false discovery rate is q, by Benjamini and Yekutieli.
func AlternativeAnnotators(people [][]float64, judge []float64, epsilon, q float64) AltTest {
	out := AltTest{WinningRate: NaN, Advantage: NaN}
	var p, shares []float64
	var tested []int
	for j := range people {
		a := leaveOut(people, judge, j, epsilon)
		if a.N > 0 {
			shares = append(shares, a.Judge)
		}
		if !math.IsNaN(a.P) {
			tested, p = append(tested, j), append(p, a.P)
		}
		out.Annotators = append(out.Annotators, a)
	}
	out.Advantage, out.Tested = Mean(shares), len(tested)
	if len(tested) == 0 {
		return out
	}

	wins := 0.0
	for k, rejected := range BenjaminiYekutieli(p, q) {
		if rejected {
			out.Annotators[tested[k]].Won = true
			wins++
		}
	}
	out.WinningRate = wins / float64(len(tested))
	return out
}

// leaveOut compares the judge with annotator j on the ratings of the others.
func leaveOut(people [][]float64, judge []float64, j int, epsilon float64) AltAnnotator {
	var differences []float64
	var a AltAnnotator
	for i, own := range people[j] {
		if math.IsNaN(own) || math.IsNaN(judge[i]) {
			continue
		}
		var ofJudge, ofOwn, others float64
		for k := range people {
			if r := people[k][i]; k != j && !math.IsNaN(r) {
				ofJudge += (judge[i] - r) * (judge[i] - r)
				ofOwn += (own - r) * (own - r)
				others++
			}
		}
		if others == 0 {
			continue
		}

		a.N++
		const equal = 1e-12
		judgeWins, ownWins := 0.0, 0.0
		if ofJudge <= ofOwn+equal {
			judgeWins = 1
		}
		if ofOwn <= ofJudge+equal {
			ownWins = 1
		}
		a.Judge += judgeWins
		a.Annotator += ownWins
		differences = append(differences, ownWins-judgeWins)
	}

	a.P = belowByT(differences, epsilon)
	if a.N > 0 {
		a.Judge /= float64(a.N)
		a.Annotator /= float64(a.N)
	}
	return a
}

// belowByT is the one-sided p of a mean that is below a limit, by Student's t.
func belowByT(values []float64, limit float64) float64 {
	n := float64(len(values))
	if len(values) < AltTestLeast {
		return NaN
	}
	mean, squares := Mean(values), 0.0
	for _, v := range values {
		squares += (v - mean) * (v - mean)
	}
	se := math.Sqrt(squares / (n - 1) / n)
	switch {
	case se > 0:
		return distuv.StudentsT{Mu: 0, Sigma: 1, Nu: n - 1}.CDF((mean - limit) / se)
	case mean < limit:
		return 0
	}
	return 1
}

// BenjaminiYekutieli tells which hypotheses are rejected at a false discovery rate of q,
// whatever their dependence (Benjamini and Yekutieli, 2001, theorem 1.3).
func BenjaminiYekutieli(p []float64, q float64) []bool {
	order := make([]int, len(p))
	harmonic := 0.0
	for i := range order {
		order[i] = i
		harmonic += 1 / float64(i+1)
	}
	slices.SortStableFunc(order, func(a, b int) int { return int(sign(p[a] - p[b])) })

	last := -1
	for rank, k := range order {
		if p[k] <= q*float64(rank+1)/(float64(len(p))*harmonic) {
			last = rank
		}
	}
	out := make([]bool, len(p))
	for _, k := range order[:last+1] {
		out[k] = true
	}
	return out
}
