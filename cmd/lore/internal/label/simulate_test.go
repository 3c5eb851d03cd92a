package label

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"testing"

	"lore/judge/metric"
)

// world is a simulated run: what people would say of every verdict, and what a judge says.
type world struct {
	name                 string
	systems, items, each int
	bias, noise          float64   // of the judge's score
	bySystem             []float64 // bias on top for one system
	discrete             bool      // the judge gives labels and no score
	grades               int       // steps of people's labels
}

type cell struct {
	human, judge, score float64
	item                string
}

func (w world) draw(rng *rand.Rand) (cells [][]cell, truth []float64) {
	cells, truth = make([][]cell, w.systems), make([]float64, w.systems)
	for i := range w.items {
		hard := 0.7 * rng.NormFloat64()
		for q := range w.each {
			_ = q
			point := rng.NormFloat64()
			for s := range w.systems {
				z := -0.4 + 0.4*float64(s) + hard + point + 1.2*rng.NormFloat64()
				y := 0.0
				switch {
				case z > 0.25 || w.grades == 2 && z > 0:
					y = 1
				case z > -0.25 && w.grades == 3:
					y = 0.5
				}
				b := w.bias
				if len(w.bySystem) > 0 {
					b += w.bySystem[s]
				}
				x := 1 / (1 + math.Exp(-1.5*(z+b+w.noise*rng.NormFloat64())))
				c := cell{human: y, score: x, judge: step(x, 3), item: fmt.Sprint(i)}
				if w.discrete {
					c.score = c.judge
				}
				cells[s] = append(cells[s], c)
				truth[s] += y / float64(w.items*w.each)
			}
		}
	}
	return cells, truth
}

func step(p float64, grades int) float64 {
	k := float64(grades - 1)
	return math.Round(min(1, max(0, p))*k) / k
}

var worlds = []world{
	{name: "good", noise: 0.5, grades: 3},
	{name: "biased", bias: 0.7, noise: 0.8, grades: 3},
	{name: "noisy", noise: 2, grades: 3},
	{name: "favours one system", noise: 0.8, bySystem: []float64{0.8, 0, -0.4}, grades: 3},
	{name: "labels alone", bias: -0.5, noise: 1, discrete: true, grades: 3},
	{name: "yes or no", bias: 0.3, noise: 0.8, grades: 2},
	{name: "knows nothing", noise: 50, grades: 3},
}

func TestSimulation(t *testing.T) {
	const runs = 300
	for _, w := range worlds {
		w.systems, w.items, w.each = 3, 60, 6
		rng := rand.New(rand.NewPCG(7, 7))
		// The truth of items like these.
		wide := make([]float64, w.systems)
		big := w
		big.items = 20000
		_, wide = big.draw(rng)
		var cover, wcover, rcover, width, rwidth, wwidth, rwwidth, dcover, dwidth, rdwidth, bias, n float64
		for r := range runs {
			cells, truth := w.draw(rng)
			a := estimate(cells, true, uint64(r))
			b := estimate(cells, false, uint64(r))
			for s := range cells {
				n++
				cover += in(a[s].Run, truth[s])
				wcover += in(a[s].Wide, wide[s])
				rcover += in(b[s].Run, truth[s])
				width += a[s].Run.High - a[s].Run.Low
				rwidth += b[s].Run.High - b[s].Run.Low
				wwidth += a[s].Wide.High - a[s].Wide.Low
				rwwidth += b[s].Wide.High - b[s].Wide.Low
				bias += a[s].Mean - truth[s]
			}
			d := a[1].Minus(a[0], 0.95)
			dcover += in(d.Run, truth[1]-truth[0])
			dwidth += d.Run.High - d.Run.Low
			d = b[1].Minus(b[0], 0.95)
			rdwidth += d.Run.High - d.Run.Low
		}
		t.Logf("%-20s cover %.3f random %.3f wide %.3f | width %.4f random %.4f (%.0f%%) wide %.4f %.4f (%.0f%%) | diff cover %.3f width %.4f %.4f  bias %.5f", w.name, cover/n, rcover/n, wcover/n,
			width/n, rwidth/n, 100*width/rwidth, wwidth/n, rwwidth/n, 100*wwidth/rwwidth, dcover/runs, dwidth/runs, rdwidth/runs, bias/n)
	}
}

func in(ci metric.Interval, v float64) float64 {
	if ci.Low <= v && v <= ci.High {
		return 1
	}
	return 0
}

func estimate(cells [][]cell, planned bool, seed uint64) []metric.Corrected {
	var units []unit
	var at [][2]int
	for s, list := range cells {
		for i, c := range list {
			units = append(units, unit{score: c.score, share: map[int]float64{s: 1 / float64(len(list))}, class: fmt.Sprint(s)})
			at = append(at, [2]int{s, i})
		}
	}
	const labels = 100
	var order []int
	name := func(u int) string { return "" }
	size := map[[2]string]float64{}
	if planned {
		d := newDesign(units, len(cells), labels, 0.7, seed)
		order = d.order[:labels]
		name = func(u int) string { return d.strata[d.of[u]].name }
	} else {
		order = rand.New(rand.NewPCG(seed, 3)).Perm(len(units))[:labels]
	}
	got := map[[2]string]float64{}
	for u := range units {
		size[[2]string{fmt.Sprint(at[u][0]), name(u)}]++
	}
	for _, u := range order {
		got[[2]string{fmt.Sprint(at[u][0]), name(u)}]++
	}
	out := make([]metric.Corrected, len(cells))
	for s, list := range cells {
		var labelled []metric.Sampled
		var all []metric.Unlabelled
		for _, c := range list {
			all = append(all, metric.Unlabelled{Judge: c.cov(), Cluster: c.item})
		}
		for _, u := range order {
			if at[u][0] != s {
				continue
			}
			c := list[at[u][1]]
			k := [2]string{fmt.Sprint(s), name(u)}
			labelled = append(labelled, metric.Sampled{ID: fmt.Sprint(at[u]), Judge: c.cov(), Human: c.human, Cluster: c.item, Stratum: name(u), Probability: got[k] / size[k]})
		}
		out[s] = metric.StratifiedMean(labelled, all, 0.95)
	}
	return out
}

var useScore = os.Getenv("SC") != ""

func (c cell) cov() float64 {
	if useScore {
		return c.score
	}
	return c.judge
}
