package calibrate

import (
	"cmp"
	"math"
	"slices"

	"lore/judge/ensemble"
	"lore/judge/metric"
)

// deal gives every row a fold. Rows of one group stay together; where there are fewer groups than
// two, rows are dealt singly.
func deal(all []row) []func(i int) bool {
	groups := groupsOf(all)
	fold := make([]int, len(all))
	if len(groups) < 2 {
		for i := range all {
			fold[i] = i % folds
		}
	} else {
		// The largest groups first, each to the smallest fold.
		slices.SortStableFunc(groups, func(a, b []int) int { return cmp.Compare(len(b), len(a)) })
		size := make([]int, min(folds, len(groups)))
		for _, g := range groups {
			to := 0
			for k := range size {
				if size[k] < size[to] {
					to = k
				}
			}
			size[to] += len(g)
			for _, i := range g {
				fold[i] = to
			}
		}
	}

	var out []func(i int) bool
	for k := range folds {
		if slices.Contains(fold, k) {
			out = append(out, func(i int) bool { return fold[i] == k })
		}
	}
	return out
}

func split(all []row, test func(i int) bool) (train, held []row) {
	for i, r := range all {
		if test(i) {
			held = append(held, r)
		} else {
			train = append(train, r)
		}
	}
	return train, held
}

// groupsOf lists the rows of each group in order of appearance.
func groupsOf(all []row) [][]int {
	return metric.Groups(all, func(r row) string { return r.group })
}

func humans(all []row) []float64 {
	out := make([]float64, len(all))
	for i, r := range all {
		out[i] = r.human
	}
	return out
}

func column(all []row, j int, what string) []float64 {
	out := make([]float64, len(all))
	for i, r := range all {
		out[i] = r.read(j, what)
	}
	return out
}

// reads says of each judge whether it has scores, or its values are all there is.
func reads(all []row) []string {
	if len(all) == 0 {
		return nil
	}
	out := make([]string, len(all[0].values))
	for j := range out {
		out[j] = ensemble.ReadsValue
		for _, r := range all {
			if r.scores[j] != 0 {
				out[j] = ensemble.ReadsScore
			}
		}
	}
	return out
}

// constant reports whether people say the same of everything.
func constant(all []row) bool {
	return !slices.ContainsFunc(all, func(r row) bool { return r.human != all[0].human })
}

func squared(x, y []float64) float64 {
	sum := 0.0
	for i := range x {
		sum += (x[i] - y[i]) * (x[i] - y[i])
	}
	return sum / float64(len(x))
}

// round keeps what bears on a verdict, and makes files readable. What is undefined is 0.
func round(v float64) float64 {
	if math.IsNaN(v) {
		return 0
	}
	return math.Round(v*1e6) / 1e6
}

func rounded(values []float64) []float64 {
	out := make([]float64, len(values))
	for i, v := range values {
		out[i] = round(v)
	}
	return out
}

// points are knots that are still apart when they are rounded.
func points(knots []metric.Knot) []ensemble.Point {
	var out []ensemble.Point
	for _, k := range knots {
		p := ensemble.Point{round(k.X), round(min(max(k.Y, 0), 1))}
		if n := len(out); n > 0 && p[0] <= out[n-1][0] {
			continue
		}
		out = append(out, p)
	}
	return out
}
