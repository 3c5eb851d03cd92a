package table

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"lore/datasets"
)

// world is what tables are drawn from: items of a few statements, each covered, half covered
// or not, in items of their own difficulty, in haystacks with a taste of their own for
// each system.
type world struct {
	haystacks, items int // items in each haystack
	systems          int
	taste            float64 // deviation of a haystack's liking for a system
	shift            float64 // by which the first system is better than all others
}

// covered is a metric in percent that a judge decides.
var covered = datasets.Metric{Name: "coverage", Title: "Coverage", Percent: true, Judged: true, High: 1, Bounded: true}

// draw makes a table of the world's systems.
func (w world) draw(rng *rand.Rand) []Contestant {
	out := make([]Contestant, w.systems)
	for s := range out {
		out[s].Name = fmt.Sprint("system", s)
		out[s].Row.Judge = "j"
	}

	for h := range w.haystacks {
		tastes := make([]float64, w.systems)
		for s := range tastes {
			tastes[s] = w.taste * rng.NormFloat64()
		}
		for i := range w.items {
			difficulty, statements := 0.5+0.15*rng.NormFloat64(), 2+rng.IntN(7)
			for s := range out {
				liking := difficulty + tastes[s] + 0.1*rng.NormFloat64()
				if s == 0 {
					liking += w.shift
				}
				out[s].Row.Scores = append(out[s].Row.Scores, answers(rng, h, i, statements, liking))
			}
		}
	}
	return out
}

// answers are an item's values: each 0, 0.5 or 1, with the given mean.
func answers(rng *rand.Rand, haystack, item, statements int, mean float64) ItemScores {
	u := UnitScores{Metric: covered.Name}
	for k := range statements {
		u.Units = append(u.Units, fmt.Sprint(k))
		v := 0.0
		for range 2 {
			if rng.Float64() < mean {
				v += 0.5
			}
		}
		u.Values = append(u.Values, v)
	}
	return ItemScores{
		Item:   fmt.Sprint(haystack, "/", item),
		Group:  fmt.Sprint(haystack),
		Values: []UnitScores{u},
	}
}

// long asks for simulations that take minutes; make simulate sets it.
var long = os.Getenv("LORE_SIMULATE") != ""

// rounds is how often a simulation is repeated.
func rounds(short int) int {
	if long {
		return 5 * short
	}
	return short
}

// design is what the command does by default, but for fewer bootstrap draws, which no test
// of significance uses.
func design(unit string) Design {
	return Design{Unit: unit, Level: 0.05, Difference: 5, Draws: 20, Seed: 1}
}

// Where no system is better than another, any significant difference in a table is a
// false one: there must be one in at most 5 % of tables, but for the error of the simulation.
func TestFalsePositivesStayAtTheirLevel(t *testing.T) {
	for _, c := range []struct {
		world world
		unit  string
	}{
		{world{haystacks: 1, items: 5, systems: 2}, ByItem},
		{world{haystacks: 1, items: 10, systems: 2}, ByItem},
		{world{haystacks: 1, items: 20, systems: 2}, ByItem},
		{world{haystacks: 1, items: 92, systems: 2}, ByItem},
		{world{haystacks: 1, items: 5, systems: 5}, ByItem},
		{world{haystacks: 1, items: 10, systems: 5}, ByItem},
		{world{haystacks: 1, items: 20, systems: 5}, ByItem},
		{world{haystacks: 1, items: 5, systems: 10}, ByItem},
		{world{haystacks: 1, items: 10, systems: 10}, ByItem},
		{world{haystacks: 1, items: 5, systems: 20}, ByItem},
		{world{haystacks: 1, items: 10, systems: 20}, ByItem},
		{world{haystacks: 5, items: 9, systems: 2, taste: 0.1}, ByGroup},
		{world{haystacks: 10, items: 9, systems: 2, taste: 0.1}, ByGroup},
		{world{haystacks: 5, items: 9, systems: 10, taste: 0.1}, ByGroup},
		{world{haystacks: 10, items: 9, systems: 10, taste: 0.1}, ByGroup},
	} {
		t.Run(fmt.Sprintf("%d×%d items, %d systems, by %s",
			c.world.haystacks, c.world.items, c.world.systems, c.unit), func(t *testing.T) {
			t.Parallel()
			if (c.world.systems > 5 || c.world.systems == 5 && c.world.items > 5) && !long {
				t.Skip("takes long; make simulate runs it")
			}
			rng := rand.New(rand.NewPCG(7, uint64(c.world.haystacks*c.world.items)))
			n, wrong := rounds(150), 0
			for range n {
				b := Compare(c.world.draw(rng), []datasets.Metric{covered}, design(c.unit))[0]
				if slices.ContainsFunc(b.Diffs, func(d Difference) bool { return d.Significant(0.05) }) {
					wrong++
				}
			}
			share := float64(wrong) / float64(n)
			t.Logf("false positives in %.1f %% of %d tables", 100*share, n)
			if allowed := 0.05 + 3*math.Sqrt(0.05*0.95/float64(n)); share > allowed {
				t.Errorf("false positives in %.3f of tables, more than %.3f", share, allowed)
			}
		})
	}
}

// The power that is told for a true difference of 5 points is the share of tables in which it is
// found, and the least difference is found in 80 % of them. One table has only an
// estimate of the spread: the median over tables is compared.
func TestPowerIsRight(t *testing.T) {
	for _, c := range []struct {
		world world
		unit  string
	}{
		{world{haystacks: 1, items: 5, systems: 2}, ByItem},
		{world{haystacks: 1, items: 10, systems: 2}, ByItem},
		{world{haystacks: 1, items: 20, systems: 2}, ByItem},
		{world{haystacks: 1, items: 92, systems: 2}, ByItem},
		{world{haystacks: 1, items: 20, systems: 5}, ByItem},
		{world{haystacks: 1, items: 92, systems: 5}, ByItem},
		{world{haystacks: 5, items: 9, systems: 2, taste: 0.05}, ByGroup},
		{world{haystacks: 10, items: 9, systems: 5, taste: 0.05}, ByGroup},
	} {
		name := fmt.Sprintf("%d×%d items, %d systems, by %s", c.world.haystacks, c.world.items, c.world.systems, c.unit)
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if c.world.systems > 2 && !long {
				t.Skip("takes long; make simulate runs it")
			}
			c.world.shift = 0.05
			told, found, least := c.world.power(c.unit, rounds(200), 11)
			t.Logf("5 points: power told %.1f %%, found in %.1f %%; least difference told %.1f", 100*told, 100*found, 100*least)
			if math.Abs(told-found) > 0.05+3*math.Sqrt(found*(1-found)/float64(rounds(200))) {
				t.Errorf("power told %.3f, found in %.3f", told, found)
			}

			if least > 0.25 {
				return // the world ends at 0 and 1
			}
			c.world.shift = least
			_, found, _ = c.world.power(c.unit, rounds(200), 12)
			t.Logf("least difference found in %.1f %%", 100*found)
			if math.Abs(found-0.8) > 0.05+3*math.Sqrt(0.8*0.2/float64(rounds(200))) {
				t.Errorf("the least difference %.3f is found in %.3f, not 0.8", least, found)
			}
		})
	}
}

// power draws tables: the medians of the power told and of the least difference, and the share of
// the tables in which the first system is told from the second at the first step of Holm's
// correction, which a lone difference has to take.
func (w world) power(unit string, n int, seed uint64) (told, found, least float64) {
	rng := rand.New(rand.NewPCG(seed, uint64(w.haystacks*w.items)))
	var powers, leasts []float64
	for range n {
		b := Compare(w.draw(rng), []datasets.Metric{covered}, design(unit))[0]
		d := b.Diffs[0]
		powers = append(powers, *d.Power)
		if d.Least != nil {
			leasts = append(leasts, *d.Least)
		}
		p := d.P
		if d.Test == RobustT && d.PT != nil {
			p = d.PT
		}
		if *p*float64(d.Tests) < 0.05 && *d.Diff > 0 {
			found++
		}
	}
	slices.Sort(powers)
	slices.Sort(leasts)
	return powers[n/2], found / float64(n), leasts[len(leasts)/2]
}

// A difference as large as that of oracle and random on SummHay (41 points of coverage, 46 of Joint)
// is found after correction even where the unit is one of five or ten haystacks. Over five, all pairs of ten
// and twenty systems are too many (77 and 39 % of tables): there it takes a baseline.
func TestLargeDifferenceIsFound(t *testing.T) {
	for _, haystacks := range []int{5, 10} {
		for _, systems := range []int{5, 10, 20} {
			if systems > 5 && !long {
				continue
			}
			w := world{haystacks: haystacks, items: 9, systems: systems, taste: 0.03, shift: 0.42}
			rng := rand.New(rand.NewPCG(5, uint64(haystacks*systems)))
			how := design(ByGroup)
			if haystacks == 5 && systems > 5 {
				how.Baseline = "system0"
			}
			n, found := rounds(20), 0
			for range n {
				b := Compare(w.draw(rng), []datasets.Metric{covered}, how)[0]
				if b.Diffs[0].Significant(0.05) {
					found++
				}
			}
			t.Logf("%d haystacks, %d systems: found in %d of %d tables", haystacks, systems, found, n)
			if 10*found < 8*n {
				t.Errorf("%d haystacks, %d systems: found in %d of %d tables", haystacks, systems, found, n)
			}
		}
	}
}

// Two judges of the same answers make two blocks, never two systems, and a metric that no judge
// decides is tested once.
func TestJudgesAreNotSystems(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	systems := world{haystacks: 1, items: 10, systems: 3}.draw(rng)
	for _, s := range systems[:3] {
		s.Row.Judge = "k"
		systems = append(systems, s)
	}
	free := covered
	free.Name, free.Judged = "words", false

	blocks := Compare(systems, []datasets.Metric{covered, free}, design(ByItem))
	if len(blocks) != 3 || blocks[0].Judge != "j" || blocks[1].Judge != "k" || blocks[2].Judge != "" {
		t.Fatalf("%d blocks", len(blocks))
	}
	for _, b := range blocks {
		if len(b.Systems) != 3 || len(b.Diffs) != 3 || b.Diffs[0].Tests > 3 {
			t.Errorf("judge %q: %d systems, %d differences over %d tests", b.Judge, len(b.Systems), len(b.Diffs), b.Diffs[0].Tests)
		}
	}

	how := design(ByItem)
	how.Baseline = "system1"
	for _, d := range Compare(systems[:3], []datasets.Metric{covered}, how)[0].Diffs {
		if d.A != "system1" || d.Tests != 2 {
			t.Errorf("%s against %s over %d tests, want system1 and 2", d.A, d.B, d.Tests)
		}
	}
}

// Where no test can pass, no least difference is claimed: two clusters have p-values of 0.5 and 1.
func TestNothingCanPassOverTwoClusters(t *testing.T) {
	w := world{haystacks: 2, items: 9, systems: 2, shift: 0.4}
	d := Compare(w.draw(rand.New(rand.NewPCG(1, 1))), []datasets.Metric{covered}, design(ByGroup))[0].Diffs[0]
	if d.Can || d.Least != nil || d.Power == nil || *d.Power != 0 || *d.MinP != 0.5 {
		t.Errorf("%+v", d)
	}
}

// A comparison of which the decisions alone are wanted decides the same, where the t test does and where
// the sign flips do.
func TestDecisionsAreTheSame(t *testing.T) {
	byT, byFlips := 0, 0
	for _, items := range []int{6, 10, 40} {
		rng := rand.New(rand.NewPCG(4, uint64(items)))
		systems := world{haystacks: items, items: 1, systems: 5, shift: 0.3}.draw(rng)
		how := Design{Unit: ByItem, Level: 0.05, Difference: 5, Draws: 100, Seed: 1}
		lean := how
		lean.Decisions, lean.Draws = true, 0

		metrics := []datasets.Metric{covered}
		want := Compare(systems, metrics, how)[0].Diffs
		for i, got := range Compare(systems, metrics, lean)[0].Diffs {
			if got.PHolm == nil || *got.PHolm != *want[i].PHolm || got.Test != want[i].Test || got.Can != want[i].Can {
				t.Errorf("%d items, %s and %s: %v by %s, want %v by %s", items, got.A, got.B, got.PHolm, got.Test, want[i].PHolm, want[i].Test)
			}
			if got.Test == RobustT {
				byT++
			} else {
				byFlips++
			}
		}
	}
	if byT == 0 || byFlips == 0 {
		t.Errorf("%d by t, %d by flips: the test proves nothing", byT, byFlips)
	}
}

// Systems that were measured otherwise are in blocks of their own: of what a judge says, and of what needs none.
func TestMeasuredOtherwise(t *testing.T) {
	free := datasets.Metric{Name: "words", Title: "Words"}
	system := func(name, measured, other string) Contestant {
		c := Contestant{Name: name, Measured: measured, Free: other}
		c.Row.Judge = "j"
		return c
	}
	names := func(b Block) (out []string) {
		for _, s := range b.Systems {
			out = append(out, s.Name)
		}
		return out
	}

	all := []Contestant{system("a", "1", "x"), system("b", "2", "x"), system("c", "1", "x")}
	blocks := blocksOf(all, []datasets.Metric{covered, free})
	want := [][]string{{"a", "c"}, {"b"}, {"a", "b", "c"}}
	for i, w := range want {
		if len(blocks) != len(want) || !slices.Equal(names(blocks[i]), w) {
			t.Fatalf("%v, want %v", blocks, want)
		}
	}
	if b := blocks[2]; b.Judge != "" || len(b.Metrics) != 1 || b.Metrics[0].Name != "words" {
		t.Errorf("%+v", b)
	}

	all[1].Free = "y"
	if blocks = blocksOf(all, []datasets.Metric{free}); len(blocks) != 2 || !slices.Equal(names(blocks[1]), []string{"b"}) {
		t.Errorf("%v", blocks)
	}
	if blocks = blocksOf(all[:1], []datasets.Metric{covered, free}); len(blocks) != 1 || len(blocks[0].Metrics) != 2 {
		t.Errorf("%v", blocks)
	}
}
