package metric

import (
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the table of the long simulation into docs/prompts.md")

// looks are the ten sizes of a sample after which the simulation looks.
var looks = []int{8, 12, 16, 24, 32, 48, 64, 96, 128, 192}

// source draws paired differences in [-1,1].
type source struct {
	name string
	mean float64
	draw func(rng *rand.Rand) float64

	// costly says that the true difference is so small that all items hardly show it, or that an item
	// never changes for the worse, which is not known: then a fixed sample needs fewer items.
	costly bool
}

// levels are what a share of so many parts can be.
func levels(v float64, parts float64) float64 { return math.Round(v*parts) / parts }

// clipped is a normal difference of shares, cut to what shares can differ by, in both directions alike.
func clipped(rng *rand.Rand, sd float64) float64 {
	for {
		if v := sd * rng.NormFloat64(); v >= -1 && v <= 1 {
			return v
		}
	}
}

// nulls have a true mean of 0.
var nulls = []source{
	{name: "like a normal one, sd 0.2", mean: 0, draw: func(rng *rand.Rand) float64 { return clipped(rng, 0.2) }},
	{name: "of five steps, sd 0.4", mean: 0, draw: func(rng *rand.Rand) float64 { return levels(clipped(rng, 0.4), 5) }},
	{name: "yes or no: -1, 0, 1", mean: 0, draw: func(rng *rand.Rand) float64 { return float64(rng.IntN(3) - 1) }},
	{name: "90 % zeros, else ±1", mean: 0, draw: func(rng *rand.Rand) float64 {
		if rng.IntN(10) > 0 {
			return 0
		}
		return float64(2*rng.IntN(2) - 1)
	}},
	{name: "skewed: 0.05, one in twenty -0.95", mean: 0, draw: func(rng *rand.Rand) float64 {
		if rng.IntN(20) == 0 {
			return -0.95
		}
		return 0.05
	}},
	{name: "skewed and with zeros: 0, 0.1, rarely -0.9", mean: 0, draw: func(rng *rand.Rand) float64 {
		switch u := rng.IntN(20); {
		case u == 0:
			return -0.9
		case u < 10:
			return 0.1
		}
		return 0
	}},
	{name: "two kinds of items: +0.3 and -0.3", mean: 0, draw: func(rng *rand.Rand) float64 {
		return levels(clipped(rng, 0.1), 10)*0.5 + 0.3*float64(2*rng.IntN(2)-1)
	}},
}

// truths have a true mean above 0.
var truths = []source{
	{name: "+10 points, sd 20", mean: 0.1, draw: func(rng *rand.Rand) float64 { return math.Min(1, 0.1+clipped(rng, 0.2)) }},
	{name: "+15 points, sd 30", mean: 0.15, draw: func(rng *rand.Rand) float64 { return math.Max(-0.85, math.Min(1, 0.15+clipped(rng, 0.3))) }},
	{name: "+20 points, sd 30", mean: 0.2, draw: func(rng *rand.Rand) float64 { return math.Max(-0.8, math.Min(1, 0.2+clipped(rng, 0.3))) }},
	{name: "+30 points: -1, 0, 1", mean: 0.3, draw: func(rng *rand.Rand) float64 {
		switch u := rng.Float64(); {
		case u < 0.45:
			return 1
		case u < 0.60:
			return -1
		}
		return 0
	}},
	{name: "+4 points, sd 20", mean: 0.04, costly: true, draw: func(rng *rand.Rand) float64 { return math.Min(1, 0.04+clipped(rng, 0.2)) }},
	{name: "+9 points, 70 % zeros, else +30", mean: 0.09, costly: true, draw: func(rng *rand.Rand) float64 {
		if rng.IntN(10) < 7 {
			return 0
		}
		return 0.3
	}},
}

// watched looks as lore does, and returns at which size it stopped, and whether the difference was clear.
func watched(s source, rng *rand.Rand) (n int, clear bool) {
	values := make([]float64, 0, looks[len(looks)-1])
	for _, n = range looks {
		for len(values) < n {
			values = append(values, s.draw(rng))
		}
		if wealth(values, 0) >= 20 {
			return n, true
		}
	}
	return n, false
}

// peeking looks as often with a t test at 5 %, which is no test for that.
func peeking(s source, rng *rand.Rand) bool {
	values := make([]float64, 0, looks[len(looks)-1])
	for _, n := range looks {
		for len(values) < n {
			values = append(values, s.draw(rng))
		}
		if tFinds(values) {
			return true
		}
	}
	return false
}

// tFinds is the t test of one sample at 5 %.
func tFinds(values []float64) bool {
	mean, n := Mean(values), float64(len(values))
	ss := 0.0
	for _, v := range values {
		ss += (v - mean) * (v - mean)
	}
	if ss == 0 {
		return mean != 0
	}
	se := math.Sqrt(ss / (n - 1) / n)
	return math.Abs(mean) > TInterval(se, n-1, 0.95)
}

// fixedFor is the fewest items by which a t test, on a sample whose size is chosen beforehand, finds the
// difference as often.
func fixedFor(s source, power float64, runs int) int {
	least, most := 2, 1000
	for least < most {
		n := (least + most) / 2
		found := 0
		rng := rand.New(rand.NewPCG(7, uint64(n)))
		values := make([]float64, n)
		for range runs {
			for i := range values {
				values[i] = s.draw(rng)
			}
			if tFinds(values) {
				found++
			}
		}
		if float64(found) >= power*float64(runs) {
			most = n
		} else {
			least = n + 1
		}
	}
	return least
}

// Under any null the test finds a difference at any of ten looks in at most 5 % of runs; where there is
// one it needs fewer items on average than a fixed sample that finds it as often. LORE_SIMULATE=1 draws
// 20,000 runs of each, and -update writes the table of docs/prompts.md.
func TestWatchSimulation(t *testing.T) {
	runs, long := 2000, os.Getenv("LORE_SIMULATE") != ""
	switch {
	case long:
		runs = 20_000
	case testing.Short():
		runs = 300
	}
	var table strings.Builder
	fmt.Fprintf(&table, "| differences of items with a true mean of 0 | said to be clear | by a t test that looks as often |\n|---|---:|---:|\n")
	for i, s := range nulls {
		rng := rand.New(rand.NewPCG(1, uint64(i)))
		wrong, peeked := 0, 0
		for range runs {
			if _, clear := watched(s, rng); clear {
				wrong++
			}
			if peeking(s, rng) {
				peeked++
			}
		}
		share := float64(wrong) / float64(runs)
		if bound := 0.05 + 3*math.Sqrt(0.05*0.95/float64(runs)); share > bound {
			t.Errorf("%s: %.3f of runs find a difference, more than %.3f", s.name, share, bound)
		}
		fmt.Fprintf(&table, "| %s | %.1f %% | %.1f %% |\n", s.name, 100*share, 100*float64(peeked)/float64(runs))
	}

	fmt.Fprintf(&table, "\n| true difference | found | items on average | fixed sample that finds it as often |\n|---|---:|---:|---:|\n")
	for i, s := range truths {
		rng := rand.New(rand.NewPCG(2, uint64(i)))
		found, items := 0, 0
		for range runs {
			n, clear := watched(s, rng)
			items += n
			if clear {
				found++
			}
		}
		power, mean := float64(found)/float64(runs), float64(items)/float64(runs)
		fixed := fixedFor(s, power, min(runs, 2000))
		if mean >= float64(fixed) && !s.costly || mean >= float64(looks[len(looks)-1]) {
			t.Errorf("%s: %.1f items on average, and %d in a fixed sample", s.name, mean, fixed)
		}
		fmt.Fprintf(&table, "| %s | %.1f %% | %.0f | %d |\n", s.name, 100*power, mean, fixed)
	}
	t.Log("\n" + table.String())
	if long && *update {
		writeTable(t, table.String())
	}
}

// writeTable puts the table between its marks in docs/prompts.md.
func writeTable(t *testing.T, table string) {
	t.Helper()
	const path, begin, end = "../../docs/prompts.md", "<!-- simulation -->\n", "<!-- end of simulation -->"
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok := strings.Cut(string(data), begin)
	_, after, ok2 := strings.Cut(rest, end)
	if !ok || !ok2 {
		t.Fatal("docs/prompts.md has no place for the simulation")
	}
	if err := os.WriteFile(path, []byte(before+begin+"\n"+table+"\n"+end+after), 0o666); err != nil {
		t.Fatal(err)
	}
}

// The interval holds the mean, is the same for any order, and tells of 0 what the wealth does.
func TestBetMean(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	for range 200 {
		s := truths[rng.IntN(len(truths))]
		values := make([]float64, 2+rng.IntN(60))
		for i := range values {
			values[i] = s.draw(rng)
		}
		a := BetMean(values, 0.95)
		rng.Shuffle(len(values), func(i, k int) { values[i], values[k] = values[k], values[i] })
		b := BetMean(values, 0.95)
		if math.Abs(a.Low-b.Low) > 1e-9 || math.Abs(a.High-b.High) > 1e-9 {
			t.Fatalf("another order changes %+v to %+v", a, b)
		}
		if !(a.Low <= a.Mean && a.Mean <= a.High && a.Low >= -1 && a.High <= 1) {
			t.Errorf("%+v", a)
		}
		if a.Clear() != (a.Wealth >= 20) {
			t.Errorf("%+v: the interval and the test disagree", a)
		}
	}

	// Nothing is known of no values; of values that are all 0, more with each.
	if a := BetMean(nil, 0.95); a.Low != -1 || a.High != 1 || a.Wealth != 1 || a.Clear() {
		t.Errorf("%+v", a)
	}
	few, many := BetMean(make([]float64, 10), 0.95), BetMean(make([]float64, 100), 0.95)
	if few.Clear() || many.Clear() || !(many.High < few.High && many.High < 0.08 && many.Low == -many.High) {
		t.Errorf("%+v and %+v", few, many)
	}
	if a := BetMean([]float64{0, 1.5}, 0.95); !math.IsNaN(a.Low) || !math.IsNaN(a.Mean) {
		t.Errorf("a value out of bounds gives %+v", a)
	}
}

// Eight values of 1 in a row: the universal portfolio's wealth is known, the mean of w^8 under
// Dirichlet(1/2,1/2) times 2^8, which is the middle binomial coefficient of 16 over 2^8.
func TestWealthOfOnes(t *testing.T) {
	got := wealth([]float64{1, 1, 1, 1, 1, 1, 1, 1}, 0)
	if want := 12870.0 / 256; math.Abs(got-want) > 1e-9*want {
		t.Errorf("%g, want %g", got, want)
	}
}
