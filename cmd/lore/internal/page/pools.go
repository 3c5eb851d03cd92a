package page

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"lore/cmd/lore/internal/table"
	"lore/cmd/lore/internal/usage"
	"lore/judge/metric"
)

// group are the runs over the same data, with the questions that they have.
type group struct {
	runs   []int
	shared map[string]bool // questions that all have
	all    int             // questions that any has
}

// partial reports whether some run lacks questions that another has.
func (g group) partial() bool { return len(g.shared) < g.all }

// groupRuns sorts the runs by their data.
func (b *builder) groupRuns() []group {
	var out []group
	at := map[string]int{}
	for n, s := range b.sources {
		hash := s.Run.Manifest.DataHash
		i, ok := at[hash]
		if !ok {
			i, at[hash] = len(out), len(out)
			out = append(out, group{})
		}
		out[i].runs = append(out[i].runs, n)
	}

	for i := range out {
		g := &out[i]
		g.shared = map[string]bool{}
		count := map[string]int{}
		for _, n := range g.runs {
			own := map[string]bool{}
			for _, a := range b.sources[n].Run.Answers {
				own[a.Item] = true
			}
			for item := range own {
				count[item]++
			}
		}
		g.all = len(count)
		for item, n := range count {
			if n == len(g.runs) {
				g.shared[item] = true
			}
		}
	}
	return out
}

// restricted is a row with the questions alone that all runs of its group have.
func (g group) restricted(r table.Row) table.Row {
	if !g.partial() {
		return r
	}
	r.Scores = slices.DeleteFunc(slices.Clone(r.Scores), func(it table.ItemScores) bool { return !g.shared[it.Item] })
	return r
}

// pool are the systems of a group with a value of a metric under a judge. Values are in the
// unit that is shown, over the questions that all runs of the group have.
type pool struct {
	group
	ranked []int // systems that compete, best first
	ends   []int // ends of the scale, highest first
	value  map[int]float64
	none   bool // none competes: ranked are ends that know what is right, such as generators with the oracle
}

// best is the best system that competes.
func (p pool) best() (int, bool) {
	if len(p.ranked) == 0 {
		return -1, false
	}
	return p.ranked[0], true
}

// pools are the systems with a value of a metric under a judge (-1: any), by what can be
// compared. Ends of the scale do not compete: the oracle is given the right documents.
func (b *builder) pools(at, judge int) []pool {
	var out []pool
	for _, g := range b.groups {
		p := pool{group: g, value: map[int]float64{}}
		for i, r := range b.rows {
			if !slices.Contains(g.runs, r.run) || judge >= 0 && r.judge != judge {
				continue
			}
			v := b.head.Rows[i].Figures[at].value()
			if g.partial() {
				v = sharedMean(g.restricted(r.row), b.metrics[at].Name)
				v = shown(v, b.metrics[at])
			}
			if _, known := p.value[r.system]; v == nil || known {
				continue
			}

			p.value[r.system] = *v
			if b.head.Systems[r.system].Reference {
				p.ends = append(p.ends, r.system)
			} else {
				p.ranked = append(p.ranked, r.system)
			}
		}

		byValue := func(x, y int) int { return cmp.Compare(p.value[y], p.value[x]) }
		slices.SortStableFunc(p.ranked, byValue)
		slices.SortStableFunc(p.ends, byValue)
		out = append(out, p.filled(b.head.Systems))
	}
	return out
}

// filled lets ends of the scale compete where there is nothing else: with the oracle,
// generators can be compared.
func (p pool) filled(systems []System) pool {
	if len(p.ranked) > 0 || len(p.ends) == 0 {
		return p
	}
	chance := func(s int) bool { return systems[s].chance }
	p.none = true
	p.ranked, p.ends = slices.DeleteFunc(slices.Clone(p.ends), chance), slices.DeleteFunc(p.ends, func(s int) bool { return !chance(s) })
	if len(p.ranked) == 0 {
		p.ranked, p.ends = p.ends, nil
	}
	return p
}

// value is a figure's; nil where there is none.
func (f *Figure) value() *float64 {
	if f == nil {
		return nil
	}
	return f.Value
}

// sharedMean is the mean of a row's values of a metric.
func sharedMean(r table.Row, name string) *float64 {
	var all []float64
	for _, it := range r.Scores {
		for _, u := range it.Values {
			if u.Metric == name {
				all = append(all, u.Values...)
			}
		}
	}
	if len(all) == 0 {
		return nil
	}
	mean := metric.Mean(all)
	return &mean
}

// standings marks each system, and says what the marks mean, or why there are none.
func (b *builder) standings(c Contrasts, pools []pool) (letters, says string) {
	marks := []byte(strings.Repeat("-", len(b.head.Systems)))
	most, questions, partial := 0, 0, 0
	for _, p := range pools {
		most, questions = max(most, len(p.ranked)), max(questions, len(p.shared))
		if p.partial() {
			partial = len(p.shared)
		}
		best, ok := p.best()
		if !ok || !c.couldShow(p.ranked) {
			continue
		}

		for _, s := range p.ranked {
			pair, tested := c.between(best, s)
			switch {
			case p.value[s] == p.value[best]:
				marks[s] = 'b'
			case tested && pair.Shown:
				marks[s] = 'w'
			case tested && pair.can:
				marks[s] = 'o'
			}
		}
	}

	title := b.metrics[c.Metric].Title
	switch {
	case most <= 1:
		return string(marks), "No system is marked: there is no other to compare it with, besides ends of the scale."
	case !strings.Contains(string(marks), "b"):
		return string(marks), fmt.Sprintf("No system is marked: with %s no test could show a difference on %s.",
			usage.Counted(questions, "question"), title)
	}
	says = fmt.Sprintf("Marked on %s: the best system, and those not told apart from it. That no difference is shown does not "+
		"mean that they are as good. Ends of the scale are not marked.", title)
	if partial > 0 {
		says += fmt.Sprintf(" The marks are by the %s that all runs have.", usage.Counted(partial, "question"))
	}
	return string(marks), says
}

// couldShow reports whether the tests between any two of some systems could show a difference.
func (c Contrasts) couldShow(systems []int) bool {
	return slices.ContainsFunc(c.Pairs, func(p Pair) bool {
		return p.can && slices.Contains(systems, p.A) && slices.Contains(systems, p.B)
	})
}
