package label

import (
	"slices"
	"strings"

	"lore/judge/metric"
)

// drawnCell is a cell of a target with the stratum that it counts to, and its label.
type drawnCell struct {
	Cell
	item        string // of the sheet
	stratum     int
	joined      string // the stratum's name, or those of several that were joined
	probability float64
	decided     bool
}

// cellsOf are the cells of a target with the probabilities that their labels had, by what has
// been labelled so far: in each stratum, labels over cells. A stratum without any label is
// joined with its neighbour by score.
func (f *Folder) cellsOf(target int, decided map[string]Decision) []drawnCell {
	var out []drawnCell
	size, labels := make([]int, len(f.Plan.Strata)), make([]int, len(f.Plan.Strata))
	for _, d := range f.Plan.Draws {
		for _, c := range d.Cells {
			if c.Target != target {
				continue
			}
			_, ok := decided[d.Item]
			out = append(out, drawnCell{Cell: c, item: d.Item, stratum: d.Stratum, decided: ok})
			size[d.Stratum]++
			if ok {
				labels[d.Stratum]++
			}
		}
	}

	groups := f.join(size, labels)
	for i := range out {
		g := groups[out[i].stratum]
		out[i].joined = g.name
		out[i].probability = float64(g.labels) / float64(max(1, g.size))
	}
	return out
}

// joint is a stratum, or several that were joined.
type joint struct {
	name         string
	size, labels int
}

// join joins each stratum that has cells and no labels with the next before it that has some,
// or else the next behind.
func (f *Folder) join(size, labels []int) []*joint {
	out := make([]*joint, len(size))
	var open, last *joint
	for h := range size {
		name := f.Plan.Strata[h].Name
		switch {
		case last != nil && labels[h] == 0 && size[h] > 0:
			out[h] = last
		case open != nil:
			out[h] = open
		default:
			out[h] = &joint{}
		}
		g := out[h]
		if size[h] > 0 {
			g.name = strings.TrimPrefix(g.name+" + "+name, " + ")
		}
		g.size, g.labels = g.size+size[h], g.labels+labels[h]

		open = nil
		if g.labels == 0 && g.size > 0 {
			open = g // whatever comes next joins it
		} else if g.size > 0 {
			last = g
		}
	}
	return out
}

// Estimate is a target's mean by a measure, as people would have it.
type Estimate struct {
	Target  Target
	Number  int // of the target
	Measure string
	Judged  float64 // the judge's mean, in [0,1]
	Of      int     // cells
	metric.Corrected
}

// Estimates are all targets' means by all measures of the task, from what has been labelled so
// far. Those without two labels are undefined.
func (f *Folder) Estimates() []Estimate {
	decided := f.Decide()
	var out []Estimate
	for t, target := range f.Plan.Targets {
		for _, m := range measures(f.Sheet.Task) {
			e := f.estimate(t, m, decided)
			e.Target, e.Number = target, t
			out = append(out, e)
		}
	}
	return out
}

func (f *Folder) estimate(target int, m measure, decided map[string]Decision) Estimate {
	// Of labels that do not bear on a measure the item counts as not labelled.
	bearing := map[string]Decision{}
	for id, d := range decided {
		if _, ok := f.value(m, id, d.Answer); ok {
			bearing[id] = d
		}
	}

	out := Estimate{Measure: m.name}
	var all []metric.Unlabelled
	var labelled []metric.Sampled
	for _, c := range f.cellsOf(target, bearing) {
		judged, proxy := c.Judge, c.Proxy
		if m.judge != nil {
			judged, proxy = m.judge(judged), m.judge(proxy)
		}
		out.Judged += judged
		all = append(all, metric.Unlabelled{Judge: proxy, Cluster: c.Cell.Item})
		if !c.decided {
			continue
		}

		v, _ := f.value(m, c.item, bearing[c.item].Answer)
		if c.Turned {
			v = 1 - v
		}
		labelled = append(labelled, metric.Sampled{
			ID: c.item, Judge: proxy, Human: v, Cluster: c.Cell.Item, Stratum: c.joined, Probability: c.probability,
		})
	}
	out.Of = len(all)
	out.Judged /= float64(max(1, len(all)))
	out.Corrected = metric.StratifiedMean(labelled, all, level)
	return out
}

// Difference is how far one target is from the best.
type Difference struct {
	Best, Other Estimate
	metric.Corrected
}

// Differences are those of systems from the best one, by the task's own measure.
func (f *Folder) Differences() []Difference {
	all := f.Estimates()
	own := measures(f.Sheet.Task)[0].name
	all = slices.DeleteFunc(all, func(e Estimate) bool {
		return e.Measure != own || e.Target.System.Generator == "" || e.Mean != e.Mean
	})
	if len(all) < 2 {
		return nil
	}
	best := slices.MaxFunc(all, func(a, b Estimate) int {
		switch {
		case a.Mean < b.Mean:
			return -1
		case a.Mean > b.Mean:
			return 1
		}
		return 0
	})

	var out []Difference
	for _, e := range all {
		if e.Number != best.Number {
			out = append(out, Difference{best, e, best.Minus(e.Corrected, level)})
		}
	}
	return out
}
