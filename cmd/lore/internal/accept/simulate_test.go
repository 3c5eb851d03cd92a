package accept

import (
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"lore/cmd/lore/internal/table"
	"lore/datasets"
	"lore/judge/metric"
)

var update = flag.Bool("update", false, "write the table of the long simulation into docs/gate.md")

// covered is a metric in percent, from 0 to 100.
var covered = datasets.Metric{Name: "coverage", Title: "Coverage", Percent: true, Judged: true, Lead: true, High: 1, Bounded: true}

// world draws an item: a baseline's values and a run's, which on average over all items are so many
// points lower.
type world struct {
	name string
	unit string // what is drawn; where it is a group, an item stands for four
	draw func(rng *rand.Rand, drop float64) (was, is []float64)
}

// grade is a label as a value: none, partial or full.
func grade(rng *rand.Rand) float64 { return []float64{0, 50, 100}[rng.IntN(3)] }

// fallen is an item whose values all fall to 0 with a probability.
func fallen(rng *rand.Rand, units int, p float64) (was, is []float64) {
	falls := rng.Float64() < p
	for range units {
		v := grade(rng)
		was = append(was, v)
		if falls {
			v = 0
		}
		is = append(is, v)
	}
	return was, is
}

var worlds = []world{
	{"labels change by a step", table.ByItem, func(rng *rand.Rand, drop float64) ([]float64, []float64) {
		const noise = 0.2
		more := drop / 50 * 3 / 2 // two of three labels can fall by a step
		was, u := grade(rng), rng.Float64()
		is := was
		switch {
		case was < 100 && u < noise:
			is += 50
		case was > 0 && u >= noise && u < 2*noise+more:
			is -= 50
		}
		return []float64{was}, []float64{is}
	}},
	{"answers written anew, 2 to 8 units", table.ByItem, func(rng *rand.Rand, drop float64) (was, is []float64) {
		middle := 30 + 40*rng.Float64()
		a, b := middle+10*(2*rng.Float64()-1), middle+10*(2*rng.Float64()-1)-drop
		label := func(p float64) (v float64) {
			for range 2 {
				if 100*rng.Float64() < p {
					v += 50
				}
			}
			return v
		}
		for range 2 + rng.IntN(7) {
			was, is = append(was, label(a)), append(is, label(b))
		}
		return was, is
	}},
	{"few answers fall from full to none", table.ByItem, func(rng *rand.Rand, drop float64) ([]float64, []float64) {
		is := 100.0
		if rng.Float64() < drop/100 {
			is = 0
		}
		return []float64{100}, []float64{is}
	}},
	{"few items fall, 1 to 9 units", table.ByItem, func(rng *rand.Rand, drop float64) ([]float64, []float64) {
		return fallen(rng, 1+rng.IntN(9), drop/50)
	}},
	{"few long items fall", table.ByItem, func(rng *rand.Rand, drop float64) ([]float64, []float64) {
		units := 1 + rng.IntN(9)
		return fallen(rng, units, drop/50*float64(units)*45/285) // falls in proportion to their units
	}},
	{"nine of ten items score nothing", table.ByItem, func(rng *rand.Rand, drop float64) ([]float64, []float64) {
		if rng.IntN(10) > 0 {
			return []float64{0}, []float64{0}
		}
		is := 100.0
		if rng.Float64() < drop/10 {
			is = 0
		}
		return []float64{100}, []float64{is}
	}},
	{"many small gains, few falls", table.ByItem, func(rng *rand.Rand, drop float64) ([]float64, []float64) {
		if rng.Float64() < (drop+4)/64 {
			return []float64{60}, []float64{0}
		}
		return []float64{60}, []float64{64}
	}},
	{"haystacks of 4 items that fall together", table.ByGroup, func(rng *rand.Rand, drop float64) ([]float64, []float64) {
		return fallen(rng, 4*(1+rng.IntN(5)), drop/50)
	}},
}

// subjects are a run and its baseline of so many items, or groups of four.
func (w world) subjects(rng *rand.Rand, n int, drop float64) (run, baseline Subject) {
	for i := range n {
		was, is := w.draw(rng, drop)
		parts := 1
		if w.unit == table.ByGroup {
			parts = 4
		}
		for p := range parts {
			v, u := Values{Metric: covered.Name}, Values{Metric: covered.Name}
			for k := p; k < len(was); k += parts {
				id := fmt.Sprint(k)
				v.Units, v.Values = append(v.Units, id), append(v.Values, was[k]/100)
				u.Units, u.Values = append(u.Units, id), append(u.Values, is[k]/100)
			}
			it := Item{ID: fmt.Sprint(i, "/", p), Group: fmt.Sprint(i), Values: []Values{v}}
			baseline.Items = append(baseline.Items, it)
			it.Values = []Values{u}
			run.Items = append(run.Items, it)
		}
	}
	return run, baseline
}

// long asks for the simulation that takes minutes; make simulate-gate sets it.
var long = os.Getenv("LORE_SIMULATE") != ""

// tally is what became of simulated runs, in shares.
type tally struct {
	pass, broken, cannot float64
	power                float64 // mean of the power that was told
	t, bca               float64 // passes by a t test and by a BCa bootstrap, to compare with
}

// simulate draws runs that dropped by so much, and tests each with a margin.
func (w world) simulate(n, rounds int, drop, margin float64) tally {
	rng := rand.New(rand.NewPCG(uint64(n), uint64(100*drop+margin)))
	how := Design{Unit: w.unit, Level: 0.05, Draws: 400}
	var out tally
	share := 1 / float64(rounds)
	for i := range rounds {
		run, baseline := w.subjects(rng, n, drop)
		how.Seed = uint64(i)
		f := Finding{Limit: margin}
		testDrop(&f, covered, run, baseline, how)
		switch f.Outcome {
		case Pass:
			out.pass += share
		case Broken:
			out.broken += share
		case CannotTell:
			out.cannot += share
		}
		out.power += share * *f.Power / 100

		if !long {
			continue
		}
		s, _, _ := paired(run, baseline, covered, how)
		t := metric.ClusterT(s.clusters)
		if *f.Drop+metric.TBound(t.SE, t.DF, 0.95) <= margin {
			out.t += share
		}
		if metric.BootstrapMean(s.clusters, 400, 0.9, how.Seed).High <= margin {
			out.bca += share
		}
	}
	return out
}

// A run that is exactly at the margin passes in at most 5 % of cases, but for the error of the
// simulation: however discrete and skewed its values, and however few its items. A run without a drop
// is not said to be broken, passes in as many cases as the power says, and where that is low
// nobody can tell.
func TestGateSimulation(t *testing.T) {
	if testing.Short() {
		t.Skip("it only takes long under the race detector: the run without -short has it")
	}
	rounds, sizes, margins := 100, []int{5, 10, 30, 100}, []float64{2, 10}
	if long {
		rounds, margins = 1000, []float64{2, 5, 10}
	} else if testing.Short() {
		sizes, margins = []int{5, 30}, margins[1:] // the race detector takes its time
	}
	allowed := func(p float64) float64 { return p + 2.04*math.Sqrt(p*(1-p)/float64(rounds)) } // 64 of 1,000
	if !long {
		allowed = func(p float64) float64 { return p + 3*math.Sqrt(p*(1-p)/float64(rounds)) }
	}

	all := grid{}
	for _, w := range worlds {
		for _, margin := range margins {
			for _, n := range sizes {
				at, none := w.simulate(n, rounds, margin, margin), w.simulate(n, rounds, 0, margin)
				all[cell{w.name, margin, n}] = [2]tally{at, none}
				name := fmt.Sprintf("%s, margin %g, %d clusters", w.name, margin, n)
				if at.pass > allowed(0.05) {
					t.Errorf("%s: %.3f of the runs at the margin pass", name, at.pass)
				}
				if none.broken > allowed(0.05) {
					t.Errorf("%s: %.3f of the runs without a drop are broken", name, none.broken)
				}
				if none.pass < 0.8 && none.cannot < 1-none.pass-allowed(0.05) {
					t.Errorf("%s: %.3f pass, and of only %.3f it is said that nobody can tell", name, none.pass, none.cannot)
				}
				if math.Abs(none.power-none.pass) > 0.12+3*math.Sqrt(0.25/float64(rounds))*0.5 {
					t.Errorf("%s: %.3f pass without a drop, and a power of %.3f is told", name, none.pass, none.power)
				}
			}
		}
	}
	if long {
		t.Log("\n" + all.whole(margins, sizes))
	}
	if long && *update {
		writeTable(t, all.summary(margins, sizes))
	}
}

// grid is what became of all simulated runs: of those at the margin, and of those without a drop.
type (
	cell struct {
		world  string
		margin float64
		n      int
	}
	grid map[cell][2]tally
)

// whole is a table of everything, in percent.
func (g grid) whole(margins []float64, sizes []int) string {
	var out strings.Builder
	out.WriteString("what changes | margin | n | at the margin: pass | by t | by BCa | cannot tell | broken | " +
		"without a drop: pass | cannot tell | broken | power told\n")
	for _, w := range worlds {
		for _, m := range margins {
			for _, n := range sizes {
				at, none := g[cell{w.name, m, n}][0], g[cell{w.name, m, n}][1]
				fmt.Fprintf(&out, "%s | %g | %d | %.1f | %.1f | %.1f | %.1f | %.1f | %.1f | %.1f | %.1f | %.1f\n", w.name, m, n,
					100*at.pass, 100*at.t, 100*at.bca, 100*at.cannot, 100*at.broken,
					100*none.pass, 100*none.cannot, 100*none.broken, 100*none.power)
			}
		}
	}
	return out.String()
}

// summary is what the document shows: how often runs at the margin pass, the most over all margins and
// sizes, and what becomes of runs without a drop in one world.
func (g grid) summary(margins []float64, sizes []int) string {
	var out strings.Builder
	out.WriteString("| what changes | wrong passes of the gate, % | of a t test | of a BCa bootstrap | broken without a drop |\n")
	out.WriteString("|---|---:|---:|---:|---:|\n")
	for _, w := range worlds {
		var most [4]float64
		for _, m := range margins {
			for _, n := range sizes {
				at, none := g[cell{w.name, m, n}][0], g[cell{w.name, m, n}][1]
				for i, v := range []float64{at.pass, at.t, at.bca, none.broken} {
					most[i] = max(most[i], 100*v)
				}
			}
		}
		fmt.Fprintf(&out, "| %s | %.1f | %.1f | %.1f | %.1f |\n", w.name, most[0], most[1], most[2], most[3])
	}

	out.WriteString("\n| margin | items | without a drop: pass, % | cannot tell | power told | at the margin: pass | cannot tell | broken |\n")
	out.WriteString("|---:|---:|---:|---:|---:|---:|---:|---:|\n")
	for _, m := range margins {
		for _, n := range sizes {
			at, none := g[cell{worlds[1].name, m, n}][0], g[cell{worlds[1].name, m, n}][1]
			fmt.Fprintf(&out, "| %g | %d | %.1f | %.1f | %.1f | %.1f | %.1f | %.1f |\n", m, n,
				100*none.pass, 100*none.cannot, 100*none.power, 100*at.pass, 100*at.cannot, 100*at.broken)
		}
	}
	return out.String()
}

// writeTable puts the table between its marks in docs/gate.md.
func writeTable(t *testing.T, table string) {
	t.Helper()
	const path, begin, end = "../../../../docs/gate.md", "<!-- simulation -->\n", "<!-- end of simulation -->"
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok := strings.Cut(string(data), begin)
	_, after, ok2 := strings.Cut(rest, end)
	if !ok || !ok2 {
		t.Fatal("docs/gate.md has no place for the simulation")
	}
	if err := os.WriteFile(path, []byte(before+begin+"\n"+table+"\n"+end+after), 0o666); err != nil {
		t.Fatal(err)
	}
}

// A system whose true value is exactly at a bound passes it in at most 5 % of cases, from below and
// from above.
func TestGateSimulationOfBounds(t *testing.T) {
	rounds := 300
	if long {
		rounds = 1000
	} else if testing.Short() {
		rounds = 100
	}
	metrics := []datasets.Metric{covered}
	for _, limit := range []float64{5, 50, 95} {
		for _, op := range []string{">=", "<="} {
			for _, n := range []int{5, 10, 30, 100} {
				rng := rand.New(rand.NewPCG(uint64(n), uint64(limit)))
				pass := 0
				for i := range rounds {
					run := judged(n, func(int) float64 {
						if 100*rng.Float64() < limit {
							return 100
						}
						return 0
					})
					how := Design{Unit: table.ByItem, Level: 0.05, Draws: 400, Seed: uint64(i)}
					r := Rule{Kind: Bound, Name: covered.Name, Op: op, Limit: limit}
					got, err := Judge([]Rule{r}, nil, run, nil, metrics, how)
					if err != nil {
						t.Fatal(err)
					}
					if got.Outcome == Pass {
						pass++
					}
				}
				share := float64(pass) / float64(rounds)
				t.Logf("coverage%s%g, %d items: %.1f %% pass at the bound", op, limit, n, 100*share)
				if share > 0.05+3*math.Sqrt(0.05*0.95/float64(rounds)) {
					t.Errorf("coverage%s%g, %d items: %.3f pass at the bound", op, limit, n, share)
				}
			}
		}
	}
}
