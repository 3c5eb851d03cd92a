package page

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"lore/cmd/lore/internal/table"
	"lore/cmd/lore/internal/usage"
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

// contrasts tests every two systems on each main metric under each judge. Systems of runs
// over other data share no questions, whatever these are called.
func (b *builder) contrasts() []Contrasts {
	var data []string
	for _, s := range b.sources {
		if !slices.Contains(data, s.Run.Manifest.DataHash) {
			data = append(data, s.Run.Manifest.DataHash)
		}
	}

	out := []Contrasts{}
	for _, hash := range data {
		for _, c := range b.contrastsOver(hash) {
			same := func(o Contrasts) bool { return o.Metric == c.Metric && o.Judge == c.Judge }
			if i := slices.IndexFunc(out, same); i >= 0 {
				out[i].Pairs = append(out[i].Pairs, c.Pairs...)
				out[i].Tests = max(out[i].Tests, c.Tests)
			} else {
				out = append(out, c)
			}
		}
	}
	for i := range out {
		out[i].Least = out[i].least(b.ranked(out[i].Metric, out[i].Judge))
		b.keepBest(&out[i])
	}
	return out
}

// contrastsOver tests the systems of the runs over some data.
func (b *builder) contrastsOver(data string) []Contrasts {
	var systems []table.Contestant
	at := map[string]int{}
	for _, r := range b.rows {
		if b.sources[r.run].Run.Manifest.DataHash == data {
			name := fmt.Sprint(r.system) // systems of different runs may have one name
			at[name] = r.system
			systems = append(systems, table.Contestant{Name: name, Run: r.run, Row: r.row})
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
		}
		if d.Can {
			p.Least = shown(d.Least, m)
		}
		c.Pairs = append(c.Pairs, p)
	}
}

// least is what the tests of neighbours in rank find: the median, since each pair has a
// spread of its own.
func (c *Contrasts) least(order []int) *float64 {
	var all []float64
	for i := range max(0, len(order)-1) {
		if p, ok := c.between(order[i], order[i+1]); ok && p.Least != nil {
			all = append(all, *p.Least)
		}
	}
	if len(all) == 0 {
		return nil
	}
	slices.Sort(all)
	return &all[len(all)/2]
}

// keepBest drops all pairs but those with the best system where there are very many.
func (b *builder) keepBest(c *Contrasts) {
	if len(c.Pairs) <= pairsKept {
		return
	}
	order := b.ranked(c.Metric, c.Judge)
	c.All = false
	c.Pairs = slices.DeleteFunc(c.Pairs, func(p Pair) bool { return p.A != order[0] && p.B != order[0] })
}

// ranked are the systems with a value of a metric under a judge (-1: any), best first.
func (b *builder) ranked(metric, judge int) []int {
	values := map[int]float64{}
	var out []int
	for _, r := range b.head.Rows {
		f := r.Figures[metric]
		if judge >= 0 && r.Judge != judge || f == nil || f.Value == nil {
			continue
		}
		if _, ok := values[r.System]; !ok {
			out, values[r.System] = append(out, r.System), *f.Value
		}
	}
	slices.SortStableFunc(out, func(x, y int) int { return cmp.Compare(values[y], values[x]) })
	return out
}

// answers says for each judge which system is better on the headline.
func (b *builder) answers() []Answered {
	out := []Answered{}
	for _, c := range b.head.Contrasts {
		if c.Metric == b.head.Headline {
			out = append(out, Answered{c.Judge, b.sentences(c)})
		}
	}
	return out
}

// sentences answer the run's question from the tests of one metric.
func (b *builder) sentences(c Contrasts) []string {
	order := b.ranked(c.Metric, c.Judge)
	title := b.metrics[c.Metric].Title
	switch {
	case len(order) == 0:
		return []string{fmt.Sprintf("No system has a value of %s.", title)}
	case len(order) == 1:
		return []string{b.alone(c, order[0])}
	case len(c.Pairs) == 0:
		return []string{"The systems share too few questions to be compared."}
	}

	best := b.head.Systems[order[0]].Name
	var worse, open []string
	nearest := Pair{}
	for _, s := range order[1:] {
		p, ok := c.between(order[0], s)
		switch {
		case !ok:
		case p.Shown && num(p.Diff) > 0:
			if len(worse) == 0 {
				nearest = p
			}
			worse = append(worse, b.head.Systems[s].Name)
		default:
			open = append(open, b.head.Systems[s].Name)
		}
	}

	var out []string
	switch {
	case len(worse) == 0:
		out = append(out, fmt.Sprintf("Between %s and %s no difference on %s can be shown.", best, listed(open), title))
	case len(open) == 0:
		out = append(out, b.better(c, best, worse, nearest))
	default:
		first := fmt.Sprintf("%s has the highest %s, but between it and %s no difference can be shown.", best, title, listed(open))
		out = append(out, first, b.better(c, "It", worse, nearest))
	}
	if said := b.second(c, order, len(worse) > 0 && len(open) == 0); said != "" {
		out = append(out, said)
	}
	return append(out, b.power(c))
}

// better words how the best system beats others.
func (b *builder) better(c Contrasts, best string, worse []string, nearest Pair) string {
	m := b.metrics[c.Metric]
	unit := ""
	if m.Percent {
		unit = " points"
	}
	than := worse[0]
	if len(worse) > 1 && best != "It" {
		than = "the next best, " + worse[0] + ","
	}
	text := fmt.Sprintf("%s is better than %s on %s by %.1f%s [%.1f, %.1f], %s",
		best, than, m.Title, num(nearest.Diff), unit, num(nearest.Low), num(nearest.High), pText(nearest.P))
	if len(worse) > 1 {
		text += fmt.Sprintf(", and better than %s", listed(worse[1:]))
	}
	return text + "."
}

// second compares the second with the third, where the first is ahead of all.
func (b *builder) second(c Contrasts, order []int, ahead bool) string {
	if !ahead || len(order) < 3 {
		return ""
	}
	p, ok := c.between(order[1], order[2])
	x, y := b.head.Systems[order[1]].Name, b.head.Systems[order[2]].Name
	switch {
	case !ok:
		return ""
	case p.Shown:
		return fmt.Sprintf("%s is better than %s by %.1f, %s.", x, y, num(p.Diff), pText(p.P))
	}
	return fmt.Sprintf("Between %s and %s no difference can be shown.", x, y)
}

// power says what the design could have shown.
func (b *builder) power(c Contrasts) string {
	unit := ""
	if b.metrics[c.Metric].Percent {
		unit = " points"
	}
	if c.Least == nil {
		return fmt.Sprintf("With %s this design could show no difference at all.",
			usage.Counted(len(b.head.Items), "question"))
	}
	return fmt.Sprintf("This design shows differences of about %.0f%s or more in four of five cases.", math.Ceil(*c.Least), unit)
}

// alone words the figure of the only system.
func (b *builder) alone(c Contrasts, system int) string {
	for _, r := range b.head.Rows {
		f := r.Figures[c.Metric]
		if r.System != system || f == nil || f.Value == nil || c.Judge >= 0 && r.Judge != c.Judge {
			continue
		}
		text := fmt.Sprintf("%s reaches %s %.1f", b.head.Systems[system].Name, b.metrics[c.Metric].Title, *f.Value)
		if f.Low != nil {
			text += fmt.Sprintf(" [%.1f, %.1f]", *f.Low, num(f.High))
		}
		return text + "; there is no other system to compare it with."
	}
	return ""
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

// pText words a p-value.
func pText(p *float64) string {
	switch {
	case p == nil:
		return "p unknown"
	case *p < 0.001:
		return "p < 0.001"
	}
	return fmt.Sprintf("p %.3f", *p)
}

// listed names a few systems, and counts the rest.
func listed(names []string) string {
	const most = 3
	if len(names) > most+1 {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), len(names)-most)
	}
	if len(names) < 2 {
		return strings.Join(names, "")
	}
	return strings.Join(names[:len(names)-1], ", ") + " and " + names[len(names)-1]
}
