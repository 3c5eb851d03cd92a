package label

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"lore/judge/metric"
)

// unit is what one label tells: the verdicts, of one system or of several with the same text,
// that a person would give it for.
type unit struct {
	score float64         // how far the judge says yes, 0 to 1
	share map[int]float64 // what it counts in each mean or difference asked for, by number
	class string          // the target that has it, or that several have
	first string          // the first target that has it
}

// unitsOfFrame are the units of a frame for its targets' means, or for all differences between
// two of them.
func unitsOfFrame(f Frame, differences bool) (units []unit, wanted int) {
	size := make([]float64, len(f.Targets))
	for _, c := range f.Units {
		for _, cell := range c.Cells {
			size[cell.Target]++
		}
	}

	for _, c := range f.Units {
		u := unit{share: map[int]float64{}}
		for i, cell := range c.Cells {
			u.share[cell.Target] += 1 / size[cell.Target]
			u.score += cell.Proxy / float64(len(c.Cells))
			switch name := fmt.Sprintf("%06d", cell.Target); {
			case i == 0:
				u.class, u.first = name, name
			case u.class != name:
				u.class = several
			}
		}
		units = append(units, u)
	}
	if !differences || len(size) < 2 {
		return units, len(size)
	}
	for i, u := range units {
		units[i].share = map[int]float64{}
		n := 0
		for a := range size {
			for b := range a {
				units[i].share[n] = u.share[a] - u.share[b]
				n++
			}
		}
		wanted = n
	}
	return units, wanted
}

// several is the class of texts that several systems gave.
const several = "several"

// Settings of strata.
const (
	perStratum = 4 // labels that a stratum should get of those planned for
	mostBins   = 5 // strata by score within a system: more gain little (Cochran, 1977, section 5A.8)
	leastBins  = 2
	floor      = 2 // labels of each stratum before others get more: a spread needs two

	// leastSpread is the least variance that is expected of labels: where all scores are 0 or 1,
	// nothing else would be.
	leastSpread = 0.02
)

// shapes are the variances that are expected of labels, up to a factor: of a judge that is
// right on average where it says yes so far, those of a coin that falls as it says; of one that
// knows nothing, the same everywhere. A judge of some correlation with people lies between.
func shapes(units []unit, correlation float64) []float64 {
	out := make([]float64, len(units))
	mean := 0.0
	for i, u := range units {
		out[i] = u.score * (1 - u.score)
		mean += out[i] / float64(len(units))
	}
	blind := 1 - correlation*correlation
	for i := range out {
		out[i] = max(leastSpread, (1-blind)*out[i]+blind*mean)
	}
	return out
}

// design is a sampling plan: units in strata, and the order in which they are labelled. Any
// beginning of the order is a sample whose units were drawn at random within each stratum.
type design struct {
	strata []stratum
	order  []int // unit by place
	of     []int // stratum by unit
	layers []metric.Layer
}

// stratum is a part of the units: of one system, between two scores.
type stratum struct {
	name  string
	units []int // in the order in which they are drawn
}

// newDesign cuts units into strata for about so many labels, and draws their order. Variances
// are scaled so that a judge of that correlation with people leaves them.
func newDesign(units []unit, targets int, s Settings) design {
	shapes := shapes(units, s.Correlation)
	rng := rand.New(rand.NewPCG(s.Seed, 0x1abe1))
	d := design{of: make([]int, len(units))}
	if s.Evenly {
		d.strata = bySystem(units, rng)
	} else {
		d.strata = byScore(units, shapes, s.CutFor, rng)
	}

	scale := residual(units, shapes, s.Correlation)
	for h, s := range d.strata {
		l := metric.Layer{Size: len(s.units)}
		for _, u := range s.units {
			d.of[u] = h
			l.Spread += scale * shapes[u] / float64(len(s.units))
			for t := range targets {
				l.Weight += units[u].share[t] * units[u].share[t]
			}
		}
		l.Spread = math.Sqrt(l.Spread)
		d.layers = append(d.layers, l)
	}

	least := floor // labels of each stratum before they go where they narrow most
	if s.Evenly {
		least = len(units)
	}
	taken := make([]int, len(d.strata))
	for _, h := range metric.DrawOrder(d.layers, least) {
		d.order = append(d.order, d.strata[h].units[taken[h]])
		taken[h]++
	}
	return d
}

// bySystem parts units by the first system that has them, in an order by lot.
func bySystem(units []unit, rng *rand.Rand) []stratum {
	var names []string
	by := map[string][]int{}
	for i, u := range units {
		if _, known := by[u.first]; !known {
			names = append(names, u.first)
		}
		by[u.first] = append(by[u.first], i)
	}
	slices.Sort(names)

	var out []stratum
	for n, name := range names {
		members := by[name]
		rng.Shuffle(len(members), func(i, j int) { members[i], members[j] = members[j], members[i] })
		out = append(out, stratum{fmt.Sprint(n + 1), members})
	}
	return out
}

// byScore parts units by system and by the judge's score, for about so many labels.
func byScore(units []unit, shapes []float64, labels int, rng *rand.Rand) []stratum {
	var out []stratum
	for _, class := range classes(units, labels) {
		bins := min(mostBins, max(leastBins, labels*len(class.units)/len(units)/perStratum))
		for k, bin := range cut(units, shapes, class.units, bins) {
			rng.Shuffle(len(bin), func(i, j int) { bin[i], bin[j] = bin[j], bin[i] })
			out = append(out, stratum{fmt.Sprintf("%s, score %d", class.name, k+1), bin})
		}
	}
	return out
}

// residual is by what the shape is multiplied, so that the variance left in labels is what a
// judge of that correlation leaves.
func residual(units []unit, shapes []float64, correlation float64) float64 {
	mean, all := 0.0, 0.0
	for i, u := range units {
		mean += u.score / float64(len(units))
		all += shapes[i] / float64(len(units))
	}
	return (1 - correlation*correlation) * max(leastSpread, mean*(1-mean)) / all
}

// class is the units of one system, or of all.
type class struct {
	name  string
	units []int
}

// classes parts units by system, where there are labels enough for each system to have two
// strata; else all are one.
func classes(units []unit, labels int) []class {
	at := map[string]int{}
	var out []class
	for i, u := range units {
		k, ok := at[u.class]
		if !ok {
			k = len(out)
			at[u.class] = k
			out = append(out, class{name: u.class})
		}
		out[k].units = append(out[k].units, i)
	}
	slices.SortFunc(out, func(a, b class) int { return strings.Compare(a.name, b.name) })
	if len(out)*leastBins*floor > labels {
		all := class{name: "all"}
		for i := range units {
			all.units = append(all.units, i)
		}
		return []class{all}
	}
	for i := range out {
		out[i].name = fmt.Sprint(i + 1) // a name that tells nobody which system it is
	}
	return out
}

// cut parts units by score into bins whose standard deviations add up to about the same, so
// that labels are spread evenly over the bins (Särndal, Swensson and Wretman, 1992, section
// 12.4). Units of equal score stay together.
func cut(units []unit, shapes []float64, members []int, bins int) [][]int {
	sorted := slices.Clone(members)
	slices.SortStableFunc(sorted, func(a, b int) int { return cmp.Compare(units[a].score, units[b].score) })
	all := 0.0
	for _, u := range sorted {
		all += math.Sqrt(shapes[u])
	}

	var out [][]int
	sum := 0.0
	for i, u := range sorted {
		full := sum >= all*float64(len(out))/float64(bins)
		if i == 0 || full && units[u].score > units[sorted[i-1]].score {
			out = append(out, nil)
		}
		out[len(out)-1] = append(out[len(out)-1], u)
		sum += math.Sqrt(shapes[u])
	}
	return small(out)
}

// small joins bins that are too small to be drawn from with the bin before.
func small(bins [][]int) [][]int {
	var out [][]int
	for _, b := range bins {
		if len(out) > 0 && (len(b) < floor || len(out[len(out)-1]) < floor) {
			out[len(out)-1] = append(out[len(out)-1], b...)
			continue
		}
		out = append(out, b)
	}
	return out
}
