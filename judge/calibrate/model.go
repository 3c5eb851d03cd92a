package calibrate

import (
	"fmt"
	"math"
	"slices"

	"lore/judge"
	"lore/judge/ensemble"
	"lore/judge/metric"
)

// model is a weighted sum of judges with a map to people's mean value. Without a map it is
// one judge as it is.
type model struct {
	uses    []string
	weights []float64
	knots   []metric.Knot
}

// asIs is judge j unchanged.
func asIs(j int, uses []string) model {
	uses = slices.Clone(uses)
	uses[j] = ensemble.ReadsValue
	return model{uses: uses, weights: unit(j, len(uses))}
}

func unit(j, n int) []float64 {
	w := make([]float64, n)
	w[j] = 1
	return w
}

// sum is the weighted sum of what is read of each judge.
func (m model) sum(r row) float64 {
	total := 0.0
	for j, w := range m.weights {
		if w > 0 {
			total += w * r.read(j, m.uses[j])
		}
	}
	return total
}

func (m model) value(r row) float64 { return min(max(metric.Interpolate(m.knots, m.sum(r)), 0), 1) }

func (m model) values(all []row) []float64 {
	out := make([]float64, len(all))
	for i, r := range all {
		out[i] = m.value(r)
	}
	return out
}

func (r row) read(j int, what string) float64 {
	if what == ensemble.ReadsScore {
		return r.scores[j]
	}
	return r.values[j]
}

// fitter makes a model of labels.
type fitter struct {
	fit  func(train []row) model
	line bool // of one judge: whatever it is fitted on, it keeps the judge's Pearson
}

// candidates are the models to choose from: all judges together, and each by itself, with a monotone
// map, a line, or as it is.
func candidates(uses []string) []fitter {
	var out []fitter
	if len(uses) > 1 {
		together := func(train []row) []float64 { return weigh(train, uses) }
		out = append(out, mapped(uses, together, isotonic), mapped(uses, together, line))
	}
	for j := range uses {
		for _, reading := range readings(j, uses) {
			out = append(out, mapped(reading, alone(j, uses), isotonic))
		}
	}
	return append(out, lines(uses)...)
}

// readings are the ways to read judge j: by its score, where it has one, and by its value.
func readings(j int, uses []string) [][]string {
	out := [][]string{uses}
	if uses[j] != ensemble.ReadsValue {
		byValue := slices.Clone(uses)
		byValue[j] = ensemble.ReadsValue
		out = append(out, byValue)
	}
	return out
}

// lines are the judges by themselves with a line each.
func lines(uses []string) []fitter {
	var out []fitter
	for j := range uses {
		for _, reading := range readings(j, uses) {
			one := mapped(reading, alone(j, uses), line)
			one.line = true
			out = append(out, one)
		}
	}
	return out
}

// alone gives judge j all the weight.
func alone(j int, uses []string) func([]row) []float64 {
	return func([]row) []float64 { return unit(j, len(uses)) }
}

func mapped(uses []string, weights func([]row) []float64, fit func(x, y []float64) []metric.Knot) fitter {
	return fitter{fit: func(train []row) model {
		m := model{uses: uses, weights: weights(train)}
		m.knots = fit(m.values(train), humans(train))
		return m
	}}
}

// weigh finds the weights with the highest correlation; equal ones where none helps.
func weigh(train []row, uses []string) []float64 {
	columns := make([][]float64, len(uses))
	for j, what := range uses {
		columns[j] = column(train, j, what)
	}
	w := metric.NonNegative(columns, humans(train))
	if !slices.ContainsFunc(w, func(v float64) bool { return v > 0 }) {
		for j := range w {
			w[j] = 1 / float64(len(w))
		}
	}
	return w
}

func isotonic(x, y []float64) []metric.Knot { return metric.Isotonic(x, y) }

// line is the least-squares line, flattened where it would leave 0 to 1: Pearson is that of x, and the
// mean is people's. It is level where x speaks against y.
func line(x, y []float64) []metric.Knot {
	mx, my := metric.Mean(x), metric.Mean(y)
	var xy, xx float64
	for i := range x {
		xy += (x[i] - mx) * (y[i] - my)
		xx += (x[i] - mx) * (x[i] - mx)
	}
	low, high := slices.Min(x), slices.Max(x)
	if xx == 0 || xy <= 0 {
		return []metric.Knot{{X: mx, Y: my}}
	}
	slope := min(xy/xx, my/(mx-low), (1-my)/(high-mx))
	return []metric.Knot{{X: low, Y: my - slope*(mx-low)}, {X: high, Y: my + slope*(high-mx)}}
}

// margin is how much a model may fall behind in cross-validation by the folds' chance alone.
const margin = 0.002

// choose takes the model with the least squared error in cross-validation, of those that correlate
// with people no worse than the best judge's values do, in cross-validation and on all the labels; a
// map that bends must there be no worse than its scores, too. That judge as it is stands where none
// lessens the error.
func choose(all []row, uses []string, from []fitter) model {
	chosen, values, reads := best(all, uses)
	human := humans(all)
	least := squared(chosen.values(all), human)
	for _, f := range from {
		m := f.fit(all)
		r := metric.Pearson(m.values(all), human)
		if !(r >= values-1e-9) || !f.line && !(r >= reads-1e-9) {
			continue
		}
		outside := held(all, f.fit)
		if !f.line {
			r = metric.Pearson(outside, human)
		}
		if e := squared(outside, human); r >= values-margin && e < least {
			chosen, least = m, e
		}
	}
	return chosen
}

// best is the judge whose values as they are correlate best with people, with that correlation and
// the highest of what is read of any.
func best(all []row, uses []string) (m model, values, reads float64) {
	at := 0
	values, reads = math.Inf(-1), math.Inf(-1)
	for j := range uses {
		if r := metric.Pearson(column(all, j, ensemble.ReadsValue), humans(all)); r > values {
			at, values = j, r
		}
		if r := metric.Pearson(column(all, j, uses[j]), humans(all)); r > reads {
			reads = r
		}
	}
	return asIs(at, uses), values, reads
}

// put enters a model into a fit, with what holds where only one judge was asked.
func (m model) put(f *ensemble.Fit, kind judge.Kind, judges []ensemble.Part, all []row) {
	f.Uses, f.Weights = m.uses, rounded(m.weights)
	f.Map, f.Cuts = points(m.knots), cuts(kind, m, all)
	f.Use = ensemble.Together
	for j, w := range m.weights {
		if w == 1 {
			f.Use = judges[j].Name
		}
	}
	if len(m.knots) == 0 {
		f.Cuts = nil // labels, too, as they are
	}

	for j := range judges {
		single := mapped(m.uses, alone(j, m.uses), isotonic).fit(all)
		f.Alone = append(f.Alone, ensemble.Single{Map: points(single.knots), Cuts: cuts(kind, single, all)})
		if j == 0 {
			f.Gain = gain(m, single, all)
		}
	}
}

// steps of the curve of gains.
const steps = 10

// gain is how much the value changes on average when the others are asked, by the first judge's
// score, in steps of as many questions.
func gain(m, alone model, all []row) []ensemble.Point {
	if len(m.weights) == 1 {
		return nil
	}
	order := slices.Clone(all)
	read := func(r row) float64 { return r.read(0, m.uses[0]) }
	slices.SortStableFunc(order, func(a, b row) int {
		switch d := read(a) - read(b); {
		case d < 0:
			return -1
		case d > 0:
			return 1
		}
		return 0
	})

	var out []ensemble.Point
	for s := range steps {
		part := order[s*len(order)/steps : (s+1)*len(order)/steps]
		if len(part) == 0 {
			continue
		}
		x, change := 0.0, 0.0
		for _, r := range part {
			x += read(r) / float64(len(part))
			change += math.Abs(m.value(r)-alone.value(r)) / float64(len(part))
		}
		if n := len(out); n > 0 && round(x) <= out[n-1][0] { // a score that many have
			out[n-1][1] = round((out[n-1][1] + change) / 2)
			continue
		}
		out = append(out, ensemble.Point{round(x), round(change)})
	}
	return out
}

// cuts between the labels are where the squared distance to people's labels on their scale is least. A
// label that nobody uses has no room.
func cuts(kind judge.Kind, m model, all []row) []float64 {
	known := slices.DeleteFunc(slices.Clone(all), func(r row) bool { return r.class < 0 })
	out := metric.Cuts(m.values(known), len(judge.Labels[kind]), func(i, class int) float64 {
		d := float64(known[i].class - class)
		return d * d
	})
	for i := range out {
		out[i] = round(min(out[i], 2)) // 2: never
	}
	return out
}

// plain is a fit of nothing: equal weights and no maps.
func plain(f *ensemble.Fit, note string) *ensemble.Fit {
	f.Use, f.Note = ensemble.Together, note
	for j := range f.Uses {
		f.Uses[j] = ensemble.ReadsValue
		f.Weights = append(f.Weights, round(1/float64(len(f.Uses))))
		f.Alone = append(f.Alone, ensemble.Single{})
		f.Pearson.Judges = append(f.Pearson.Judges, 0)
		f.Error.Judges = append(f.Error.Judges, 0)
	}
	return f
}

// note says in words what a reader must know.
func note(f *ensemble.Fit) string {
	text := ""
	if f.Use != ensemble.Together && len(f.Weights) > 1 {
		text = fmt.Sprintf("together they were no better than %s, which stands alone", f.Use)
	}
	if f.N < Enough {
		if text != "" {
			text += "; "
		}
		text += fmt.Sprintf("%d labels are few: %d help", f.N, Enough)
	}
	return text
}
