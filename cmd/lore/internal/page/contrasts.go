package page

import (
	"fmt"
	"math"
	"slices"

	"lore/cmd/lore/internal/table"
	"lore/datasets"
)

// Design of the page's tests. It is that of `lore compare` without flags.
const (
	level    = 0.05
	seed     = 1
	mostWork = 3e9 // values drawn by all tests together, above which sign flips are not worth their time

	// quickDraws stands for the draws of tests over so many pairs that the t test decides in
	// any case: sign flips would be too coarse.
	quickDraws = 100

	// pairsKept is how many pairs of a metric the page keeps; of more, those with the best
	// system.
	pairsKept = 66
)

// contrasts tests every two systems on each main metric under each judge, and says in words
// what the tests found. Systems of runs over other data are not compared, whatever their
// questions are called.
func (b *builder) contrasts() ([]Contrasts, []Answered) {
	out := []Contrasts{}
	for _, g := range b.groups {
		for _, c := range b.contrastsOver(g) {
			same := func(o Contrasts) bool { return o.Metric == c.Metric && o.Judge == c.Judge }
			if i := slices.IndexFunc(out, same); i >= 0 {
				out[i].Pairs = append(out[i].Pairs, c.Pairs...)
				out[i].Tests = max(out[i].Tests, c.Tests)
			} else {
				out = append(out, c)
			}
		}
	}

	answers := []Answered{}
	for i := range out {
		c := &out[i]
		pools := b.pools(c.Metric, c.Judge)
		answers = append(answers, b.answered(*c, pools))
		c.Standing, c.Marks = b.standings(*c, pools)
		c.keepBest(pools)
	}
	return out, answers
}

// contrastsOver tests the systems of a group, on the questions that all its runs have.
func (b *builder) contrastsOver(g group) []Contrasts {
	var systems []table.Contestant
	at := map[string]int{}
	for _, r := range b.rows {
		if slices.Contains(g.runs, r.run) {
			name := fmt.Sprint(r.system) // systems of different runs may have one name
			at[name] = r.system
			systems = append(systems, table.Contestant{Name: name, Run: r.run, Row: g.restricted(r.row)})
		}
	}
	headline := b.metrics[b.head.Headline].Name
	lead := slices.DeleteFunc(slices.Clone(b.metrics), func(m datasets.Metric) bool { return !m.Lead && m.Name != headline })

	how := table.Design{Unit: table.ByItem, Level: level, Difference: 5, Draws: table.Resamples, Seed: seed}
	pairs := float64(len(systems)*len(systems)) / 2
	if pairs*float64(len(lead)*len(b.head.Items))*2*table.Resamples > mostWork {
		how.Flips, how.Draws = quickDraws, quickDraws
	}

	var out []Contrasts
	for _, block := range table.Compare(systems, lead, how) {
		for _, m := range block.Metrics {
			c := Contrasts{Metric: b.metric(m.Name), Judge: -1, All: true, Pairs: []Pair{}}
			if block.Judge != "" {
				c.Judge = slices.Index(b.head.Judges, plain(block.Judge))
			}
			c.fill(block.Diffs, m, at)
			out = append(out, c)
		}
	}
	return out
}

// fill takes the tests of a metric.
func (c *Contrasts) fill(diffs []table.Difference, m datasets.Metric, at map[string]int) {
	for _, d := range diffs {
		if d.Metric != m.Name || d.Diff == nil {
			continue
		}
		c.Tests = d.Tests
		p := Pair{
			A:     at[d.A],
			B:     at[d.B],
			Diff:  shown(d.Diff, m),
			Low:   shown(d.Low, m),
			High:  shown(d.High, m),
			P:     d.PHolm,
			Test:  d.Test,
			Shown: d.Significant(level),
			can:   d.Can,
		}
		if d.Can && d.Least != nil {
			least := *d.Least // not rounded: it is shown with one decimal, as lore compare does
			if m.Percent {
				least *= 100
			}
			p.least = &least
		}
		c.Pairs = append(c.Pairs, p)
	}
}

// keepBest drops all pairs but those with the best system of a pool where there are very
// many.
func (c *Contrasts) keepBest(pools []pool) {
	if len(c.Pairs) <= pairsKept {
		return
	}
	c.All = false
	c.Pairs = slices.DeleteFunc(c.Pairs, func(p Pair) bool {
		return !slices.ContainsFunc(pools, func(o pool) bool {
			best, ok := o.best()
			return ok && (p.A == best || p.B == best)
		})
	})
}

// between is the test of two systems, as the first minus the second.
func (c Contrasts) between(a, b int) (Pair, bool) {
	for _, p := range c.Pairs {
		if p.A == a && p.B == b {
			return p, true
		}
		if p.A == b && p.B == a {
			minus := func(v *float64) *float64 {
				if v == nil {
					return nil
				}
				x := -*v
				return &x
			}
			p.A, p.B, p.Diff, p.Low, p.High = a, b, minus(p.Diff), minus(p.High), minus(p.Low)
			return p, true
		}
	}
	return Pair{}, false
}

func num(v *float64) float64 {
	if v == nil {
		return math.NaN()
	}
	return *v
}
