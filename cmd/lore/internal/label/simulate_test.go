package label

import (
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
	"time"

	"lore/judge/metric"
)

var update = flag.Bool("update", false, "write the table of the long simulation into docs/labelling.md")

// world is a simulated run with its judge.
type world struct {
	name     string
	bias     float64   // of the judge, in standard deviations of its noise-free score
	noise    float64   // standard deviation of the judge's error
	favours  []float64 // bias on top, for each system
	discrete bool      // the judge gives labels and no score
	binary   bool      // people say yes or no, not full, partial or none
}

// worlds are judges of all sorts: what they say of a statement is a noisy and biased view of how
// clearly people see it in the answer.
var worlds = []world{
	{name: "good", noise: 0.5},
	{name: "lenient", bias: 0.7, noise: 0.8},
	{name: "strict", bias: -0.7, noise: 0.8},
	{name: "noisy", noise: 2},
	{name: "favours one system", noise: 0.8, favours: []float64{0.8, 0, -0.4}},
	{name: "labels, no scores", bias: -0.5, noise: 1, discrete: true},
	{name: "yes or no", bias: 0.3, noise: 0.8, binary: true},
	{name: "knows nothing", noise: 50},
}

const (
	simSystems = 3
	simEach    = 6 // statements an item
	simLabels  = 100
)

// cell is a simulated verdict.
type cell struct {
	human, judge, score float64
	item                string
}

// draw makes a run with so many items: verdicts by system, and what people would say on average.
func (w world) draw(rng *rand.Rand, items int) (cells [][]cell, truth []float64) {
	cells, truth = make([][]cell, simSystems), make([]float64, simSystems)
	for i := range items {
		hard := 0.7 * rng.NormFloat64()
		for range simEach {
			point := rng.NormFloat64()
			for s := range simSystems {
				clear := -0.4 + 0.4*float64(s) + hard + point + 1.2*rng.NormFloat64()
				c := w.verdict(rng, s, clear)
				c.item = fmt.Sprint(i)
				cells[s] = append(cells[s], c)
				truth[s] += c.human / float64(items*simEach)
			}
		}
	}
	return cells, truth
}

func (w world) verdict(rng *rand.Rand, system int, clear float64) cell {
	var c cell
	switch {
	case clear > 0.25 || w.binary && clear > 0:
		c.human = 1
	case clear > -0.25 && !w.binary:
		c.human = 0.5
	}
	seen := clear + w.bias + w.noise*rng.NormFloat64()
	if len(w.favours) > 0 {
		seen += w.favours[system]
	}
	c.score = 1 / (1 + math.Exp(-1.5*seen))
	c.judge = math.Round(2*c.score) / 2
	if w.discrete {
		c.score = c.judge
	}
	return c
}

// correlation is what a card of the judge would say: Pearson with people, on other texts.
func (w world) correlation() float64 {
	cells, _ := w.draw(rand.New(rand.NewPCG(11, 1)), 2000)
	var x, y []float64
	for _, list := range cells {
		for _, c := range list {
			x, y = append(x, c.score), append(y, c.human)
		}
	}
	return max(0, math.Round(10*metric.Pearson(x, y))/10)
}

// byPlan corrects by the labels that a plan chose, through items, answers and all.
func byPlan(t *testing.T, cells [][]cell, correlation float64, seed uint64) ([]Estimate, []Difference) {
	t.Helper()
	frame := Frame{Judge: "simulated"}
	human := map[string]float64{}
	for s, list := range cells {
		target := Target{Name: fmt.Sprint(s)}
		target.System.Retriever, target.System.Generator = fmt.Sprint(s), "g"
		frame.Targets = append(frame.Targets, target)
		for i, c := range list {
			u := Candidate{ID: fmt.Sprintf("%d-%d", s, i)}
			u.Cells = []Cell{{Target: s, Judge: c.judge, Proxy: c.score, Item: c.item, Question: u.ID}}
			frame.Units = append(frame.Units, u)
			human[u.ID] = c.human
		}
	}
	task, _ := FindTask(Coverage)
	sheet, plan, err := Make(frame, task, "", Settings{Labels: simLabels, Correlation: correlation, Seed: seed})
	if err != nil {
		t.Fatal(err)
	}

	f := &Folder{Sheet: sheet, Plan: plan, items: map[string]Item{}}
	words := map[float64]string{0: "none", 0.5: "partial", 1: "full"}
	for _, it := range sheet.Items {
		f.items[it.ID] = it
		f.Labels = append(f.Labels, Label{Item: it.ID, Annotator: "a", Task: task.Name, At: time.Unix(1, 0),
			Answer: &Answer{Fields: map[string][]string{"coverage": {words[human[it.ID]]}}}})
	}
	return f.Estimates(), f.Differences()
}

// byChance corrects by as many labels that were drawn evenly from all verdicts. Without the
// judge it is people's mean alone.
func byChance(cells [][]cell, seed uint64, judged bool) []metric.Corrected {
	type at struct{ system, i int }
	var all []at
	for s, list := range cells {
		for i := range list {
			all = append(all, at{s, i})
		}
	}
	rng := rand.New(rand.NewPCG(seed, 3))
	rng.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })

	score := func(c cell) float64 {
		if judged {
			return c.score
		}
		return 0
	}
	labelled := make([][]metric.Sampled, len(cells))
	for _, a := range all[:simLabels] {
		c := cells[a.system][a.i]
		labelled[a.system] = append(labelled[a.system], metric.Sampled{
			ID: fmt.Sprint(a), Judge: score(c), Human: c.human, Cluster: c.item,
		})
	}
	out := make([]metric.Corrected, len(cells))
	for s, list := range cells {
		var rest []metric.Unlabelled
		for _, c := range list {
			rest = append(rest, metric.Unlabelled{Judge: score(c), Cluster: c.item})
		}
		for i := range labelled[s] {
			labelled[s][i].Probability = float64(len(labelled[s])) / float64(len(list))
		}
		out[s] = metric.StratifiedMean(labelled[s], rest, level)
	}
	return out
}

// outcome counts over runs and systems.
type outcome struct {
	n, judge, bias, squares, plan, wide, chance, diff, diffs, half, halfWide, halfChance, halfPeople float64
}

func (w world) simulate(t *testing.T, runs, items int) outcome {
	t.Helper()
	rng := rand.New(rand.NewPCG(7, 7))
	_, ofAll := w.draw(rand.New(rand.NewPCG(5, 5)), 60000) // the truth of items like these
	correlation := w.correlation()
	holds := func(ci metric.Interval, v float64) float64 { return truth(ci.Low <= v && v <= ci.High) }
	half := func(ci metric.Interval) float64 { return (ci.High - ci.Low) / 2 }

	var o outcome
	for r := range runs {
		cells, really := w.draw(rng, items)
		plan, diffs := byPlan(t, cells, correlation, uint64(r))
		chance, people := byChance(cells, uint64(r), true), byChance(cells, uint64(r), false)
		for s := range cells {
			o.n++
			o.judge += math.Abs(plan[s].Judged - really[s])
			o.bias += plan[s].Mean - really[s]
			o.squares += (plan[s].Mean - really[s]) * (plan[s].Mean - really[s])
			o.plan += holds(plan[s].Run, really[s])
			o.wide += holds(plan[s].Wide, ofAll[s])
			o.chance += holds(chance[s].Run, really[s])
			o.half += half(plan[s].Run)
			o.halfWide += half(plan[s].Wide)
			o.halfChance += half(chance[s].Run)
			o.halfPeople += half(people[s].Run)
		}
		for _, d := range diffs {
			o.diffs++
			o.diff += holds(d.Run, really[d.Best.Number]-really[d.Other.Number])
		}
	}
	return o
}

// Over simulated judges with bias and noise, the corrected interval of 100 labels that a plan
// chose covers the truth in 93 to 97 % of runs, and is narrower than that of 100 labels by
// chance. LORE_SIMULATE runs 1,000 runs of each, as `make simulate-labels` does.
func TestLabelSimulation(t *testing.T) {
	runs, slack := 60, 0.03
	switch {
	case os.Getenv("LORE_SIMULATE") != "":
		runs, slack = 1000, 0
	case testing.Short():
		runs, slack = 20, 0.07
	}

	var table strings.Builder
	table.WriteString("| judge | off by | covered | covered, items like these | ± of 100 planned | by chance | narrower by | people alone | narrower by |\n" +
		"|---|---|---|---|---|---|---|---|---|\n")
	for _, w := range worlds {
		o := w.simulate(t, runs, 60)
		covered, wide := o.plan/o.n, o.wide/o.n
		fmt.Fprintf(&table, "| %s | %.1f | %.1f %% | %.1f %% | %.1f | %.1f | %.0f %% | %.1f | %.0f %% |\n", w.name, 100*o.judge/o.n,
			100*covered, 100*wide, 100*o.half/o.n, 100*o.halfChance/o.n, 100*(1-o.half/o.halfChance), 100*o.halfPeople/o.n,
			100*(1-o.half/o.halfPeople))
		t.Logf("%s: covered %.3f (by chance %.3f, differences %.3f), like these %.3f, narrower %.1f %%, bias %.4f", w.name, covered,
			o.chance/o.n, o.diff/o.diffs, wide, 100*(1-o.half/o.halfChance), o.bias/o.n)

		if covered < 0.93-slack || covered > 0.97+slack {
			t.Errorf("%s: the interval covers the truth in %.1f %% of runs", w.name, 100*covered)
		}
		if wide < 0.93-slack || wide > 0.97+slack {
			t.Errorf("%s: the interval for items like these covers the truth in %.1f %% of runs", w.name, 100*wide)
		}
		if ratio := o.half / o.halfChance; ratio > 1+slack && w.noise < 10 || ratio > 1.02+slack {
			t.Errorf("%s: planned labels give an interval %.3f times that of labels by chance", w.name, ratio)
		}
		if bias, se := math.Abs(o.bias/o.n), math.Sqrt(o.squares)/o.n; bias > 4*se {
			t.Errorf("%s: the corrected mean is off by %.4f on average, with a standard error of %.4f", w.name, bias, se)
		}
	}
	if os.Getenv("LORE_SIMULATE") != "" {
		document(t, table.String())
	}
}

// Marks around the table in docs/labelling.md.
const (
	tableBegin = "<!-- make simulate-labels -->\n"
	tableEnd   = "<!-- end -->"
)

// document compares the table with the one of the docs, or writes it there.
func document(t *testing.T, table string) {
	t.Helper()
	const path = "../../../../docs/labelling.md"
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok := strings.Cut(string(data), tableBegin)
	_, after, ok2 := strings.Cut(rest, tableEnd)
	if !ok || !ok2 {
		t.Fatalf("%s has no place for the table", path)
	}
	now := before + tableBegin + table + tableEnd + after
	switch {
	case now == string(data):
	case *update:
		if err := os.WriteFile(path, []byte(now), 0o666); err != nil {
			t.Fatal(err)
		}
	default:
		t.Errorf("%s shows another table; -update rewrites it. It should be:\n%s", path, table)
	}
}
