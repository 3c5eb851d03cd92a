package table

import (
	"cmp"
	"math"
	"slices"

	"lore/datasets"
	"lore/judge/metric"
	"lore/local/parallel"
)

// Contestant is one system in a comparison, with the judge of its answers. Values that were not measured alike have no
// common scale, and are not tested against each other.
type Contestant struct {
	Name string // of the system; judges are not systems
	Run  int    // place of its run among those compared
	Row  Row

	Measured string // what the judge's values hang on besides the system: equal where they were measured alike
	Free     string // the same of values that need no judge
}

// Units of resampling.
const (
	ByItem  = "item"
	ByGroup = "group"
)

// Design says how systems are compared.
type Design struct {
	Unit       string  // what is drawn at random: ByItem or ByGroup
	Level      float64 // of significance after correction, in (0,1)
	Baseline   string  // a system's name: only pairs with it are tested; empty: all pairs
	Difference float64 // true difference whose power is told, in points as shown
	Flips      int     // random sign flips; 0: as many as the correction needs
	Draws      int     // bootstrap draws
	Seed       uint64

	// Decisions says that nobody looks at more than the corrected p: the sign flips are left out where
	// the t test decides, which of many systems takes most of the time. P is no figure then.
	Decisions bool
}

// Names of the tests that decide.
const (
	SignFlips = "flips" // paired randomisation test
	RobustT   = "t"     // cluster-robust t test
)

// Difference is one metric of two systems on the units both have. Values are in the
// metric's own unit; null is undefined.
type Difference struct {
	Metric  string   `json:"metric"`
	Judge   string   `json:"judge,omitempty"` // empty: no judge has a say in this metric
	A       string   `json:"a"`
	B       string   `json:"b"`
	ValueA  *float64 `json:"value_a"` // means over the shared units
	ValueB  *float64 `json:"value_b"`
	Diff    *float64 `json:"diff"` // A minus B
	Low     *float64 `json:"low"`  // 95 % interval of Diff: BCa bootstrap, or by t where that decides
	High    *float64 `json:"high"`
	P       *float64 `json:"p"`   // paired randomisation test
	PT      *float64 `json:"p_t"` // cluster-robust t test
	DF      *float64 `json:"df"`  // its degrees of freedom
	Test    string   `json:"decided_by"`
	Tests   int      `json:"tests"`            // corrected over: of this metric and judge
	PHolm   *float64 `json:"p_holm"`           // of the test that decides, corrected
	MinP    *float64 `json:"smallest_p"`       // that the sign flips can reach
	Can     bool     `json:"can_pass"`         // whether the test that decides could be significant at all
	Effect  *float64 `json:"effect"`           // Diff over the standard deviation of the differences
	Least   *float64 `json:"least_detectable"` // true difference found in 80 % of cases, corrected; null: none
	Power   *float64 `json:"power"`            // to find the design's true difference, corrected, in [0,1]
	Win     int      `json:"win"`              // units where A is better
	Tie     int      `json:"tie"`
	Loss    int      `json:"loss"`
	N       int      `json:"n"` // units
	Items   int      `json:"items"`
	Cluster string   `json:"clustered_by"` // item or group: what was resampled
	Groups  int      `json:"clusters"`     // how many of these

	se float64 // standard error of Diff
}

// Significant reports whether the corrected p-value is below the level.
func (d Difference) Significant(level float64) bool { return d.PHolm != nil && *d.PHolm < level }

// Block are the systems that one judge judged in one way, with the tests between them. Where there
// are several blocks, the metrics that need no judge have blocks of their own.
type Block struct {
	Judge   string
	Systems []Contestant
	Metrics []datasets.Metric
	Diffs   []Difference

	Which string // of several blocks of a judge, in words; empty: there is one
	Note  string // what sets it apart from the first of them
}

// Compare tests systems against each other: those of one judge on each metric. Values of
// one item, and with ByGroup of one group, are resampled together. Holm's correction is
// over the tests of one metric in one block, which are one question asked of many pairs.
func Compare(systems []Contestant, metrics []datasets.Metric, how Design) []Block {
	blocks := blocksOf(systems, metrics)
	known := map[[2]float64]power{}
	for i := range blocks {
		for _, m := range blocks[i].Metrics {
			family := blocks[i].test(m, how)
			correct(family, m, how, known)
			blocks[i].Diffs = append(blocks[i].Diffs, family...)
		}
	}
	return blocks
}

// power is that of the tests with some degrees of freedom at some level, and the least
// difference they find with the usual power, in standard errors.
type power struct {
	of    metric.PowerOfT
	least float64
}

// blocksOf sorts systems by judge and by how they were measured, and metrics by whether they need a judge.
func blocksOf(systems []Contestant, metrics []datasets.Metric) []Block {
	out := gathered(systems, func(s Contestant) [2]string { return [2]string{s.Row.Judge, s.Measured} })
	if len(out) < 2 {
		for i := range out {
			out[i].Metrics = metrics
		}
		return out
	}

	judged := func(m datasets.Metric) bool { return m.Judged }
	for i := range out {
		out[i].Metrics = slices.DeleteFunc(slices.Clone(metrics), func(m datasets.Metric) bool { return !m.Judged })
	}
	var once []Contestant
	for _, s := range systems {
		if !slices.ContainsFunc(once, func(x Contestant) bool { return x.Name == s.Name }) {
			once = append(once, s)
		}
	}
	for _, free := range gathered(once, func(s Contestant) [2]string { return [2]string{"", s.Free} }) {
		free.Judge, free.Metrics = "", slices.DeleteFunc(slices.Clone(metrics), judged)
		out = append(out, free)
	}
	return slices.DeleteFunc(out, func(b Block) bool { return len(b.Metrics) == 0 })
}

// gathered puts systems with one key into one block, in the order of the first.
func gathered(systems []Contestant, key func(Contestant) [2]string) []Block {
	var out []Block
	for _, s := range systems {
		at := slices.IndexFunc(out, func(b Block) bool { return key(b.Systems[0]) == key(s) })
		if at < 0 {
			at = len(out)
			out = append(out, Block{Judge: s.Row.Judge})
		}
		out[at].Systems = append(out[at].Systems, s)
	}
	return out
}

// test makes the tests of one metric, not corrected yet.
func (b Block) test(m datasets.Metric, how Design) []Difference {
	var pairs [][2]int
	for i, s := range b.Systems {
		for k, t := range b.Systems[i+1:] {
			switch how.Baseline {
			case "", s.Name:
				pairs = append(pairs, [2]int{i, i + 1 + k})
			case t.Name:
				pairs = append(pairs, [2]int{i + 1 + k, i}) // the baseline is always A
			}
		}
	}

	if how.Flips == 0 {
		enough := steps * float64(len(pairs)) / how.Level
		how.Flips = min(max(Resamples, int(math.Ceil(enough))), mostFlips)
	}
	values := b.values(m.Name)
	tests := b.countTests(pairs, values, how.Unit)
	out := make([]Difference, len(pairs))
	parallel.Each(len(pairs), func(i int) {
		p := pairs[i]
		out[i] = difference(sharedUnits(values[p[0]], values[p[1]]), how, tests)
		out[i].Metric, out[i].A, out[i].B = m.Name, b.Systems[p[0]].Name, b.Systems[p[1]].Name
		if m.Judged || b.Judge != "" {
			out[i].Judge = b.Judge
		}
	})
	return out
}

// countTests counts the pairs that can be tested at all: those that share two clusters.
func (b Block) countTests(pairs [][2]int, values []unitValues, unit string) int {
	can := make([]bool, len(pairs))
	parallel.Each(len(pairs), func(i int) {
		s := sharedUnits(values[pairs[i][0]], values[pairs[i][1]])
		c := s.clusters(unit)
		can[i] = slices.ContainsFunc(c, func(name string) bool { return name != c[0] })
	})
	tests := 0
	for _, c := range can {
		if c {
			tests++
		}
	}
	return tests
}

const (
	// steps is how many p-values of the sign flips must lie below the level that the
	// correction asks of the smallest one, or their grid is too coarse to decide.
	steps = 5

	// mostFlips bounds the time of a comparison of very many systems.
	mostFlips = 200_000

	// leastForT is how many clusters a t test has at least: with fewer, the normality of
	// their means is all that it rests on.
	leastForT = 5

	// usualPower is the power of the least detectable difference.
	usualPower = 0.8
)

// correct decides which test counts for each difference of one family, corrects its
// p-values (Holm, 1979), and tells what the design could have found. The choice
// depends on the number of clusters and tests alone, never on what the tests say. Power
// is that of the first step of the correction, which a lone difference has to take.
func correct(family []Difference, m datasets.Metric, how Design, known map[[2]float64]power) {
	tests := 0
	for _, d := range family {
		if d.P != nil {
			tests++
		}
	}

	level := how.level(tests)
	ps, powers := make([]float64, len(family)), make([]power, len(family))
	for i := range family {
		d := &family[i]
		d.Tests, ps[i] = tests, math.NaN()
		if d.P == nil {
			continue
		}

		reached := metric.FlipLevel(level, *d.MinP)
		d.Test, d.Can, ps[i] = SignFlips, reached > 0, *d.P
		if decidesT(*d.MinP, d.Groups, level) {
			d.Test, d.Can, reached = RobustT, true, level
			if d.PT != nil {
				ps[i] = *d.PT
			}
			half := metric.TInterval(d.se, *d.DF, Level)
			d.Low, d.High = defined(*d.Diff-half), defined(*d.Diff+half)
		}

		key := [2]float64{*d.DF, reached}
		if _, ok := known[key]; !ok {
			t := metric.NewPowerOfT(key[0], key[1])
			known[key] = power{t, t.Least(usualPower, 1)}
		}
		powers[i] = known[key]
	}

	points := how.Difference
	if m.Percent {
		points /= 100
	}
	parallel.Each(len(family), func(i int) {
		if d := &family[i]; d.P != nil {
			d.Least = leastOf(powers[i].least, d.se)
			d.Power = defined(powers[i].of.Power(points, d.se))
		}
	})

	for i, p := range metric.Holm(ps) {
		family[i].PHolm = defined(p)
	}
}

// level is that of the first step of the correction over so many tests.
func (d Design) level(tests int) float64 { return d.Level / float64(max(1, tests)) }

// decidesT reports whether the t test decides: sign flips of so many clusters are too coarse.
func decidesT(minP float64, groups int, level float64) bool {
	return minP*steps > level && groups >= leastForT
}

// leastOf is a least difference of so many standard errors; where all clusters differ by
// the same there is no spread to tell it from.
func leastOf(least, se float64) *float64 {
	if se == 0 {
		return nil
	}
	return defined(least * se)
}

// shared are the values of two systems on the units both have, in the order of the first
// one's items, with the item and the group of each.
type shared struct {
	a, b          []float64
	items, groups []string
}

// clusters names what is resampled together.
func (s shared) clusters(unit string) []string {
	if unit == ByGroup {
		return s.groups
	}
	return s.items
}

func sharedUnits(a, b unitValues) shared {
	s := shared{
		a:      make([]float64, 0, len(a.units)),
		b:      make([]float64, 0, len(a.units)),
		items:  make([]string, 0, len(a.units)),
		groups: make([]string, 0, len(a.units)),
	}
	for _, u := range a.units {
		if !b.has[u.number] {
			continue
		}
		s.a = append(s.a, a.values[u.number])
		s.b = append(s.b, b.values[u.number])
		s.items = append(s.items, u.item)
		s.groups = append(s.groups, u.group)
	}
	return s
}

// difference is that of two systems' values, one of so many tests. The bootstrap is left
// out where the interval will be that of the t test, since it takes most of the time.
func difference(s shared, how Design, tests int) Difference {
	clusters := s.clusters(how.Unit)
	groups := distinct(clusters)
	d := Difference{Cluster: how.Unit, Items: groups}
	if how.Unit != ByItem {
		d.Items = distinct(s.items)
	}

	minP := metric.FlipFloor(groups, how.Flips)
	draws, flips := how.Draws, how.Flips
	if decidesT(minP, groups, how.level(tests)) {
		draws = 0
		if how.Decisions {
			flips = 1
		}
	}

	p := metric.ComparePaired(s.a, s.b, clusters, flips, draws, Level, how.Seed)
	d.ValueA, d.ValueB, d.Diff = defined(metric.Mean(s.a)), defined(metric.Mean(s.b)), defined(p.Diff)
	d.Low, d.High, d.P = defined(p.CI.Low), defined(p.CI.High), defined(p.P)
	d.PT, d.DF, d.se = defined(p.T.P), defined(p.T.DF), p.T.SE
	d.MinP, d.Effect = defined(minP), defined(p.Effect)
	d.Win, d.Tie, d.Loss, d.N, d.Groups = p.Win, p.Tie, p.Loss, p.N, p.Clusters
	return d
}

// unitValues are one metric's values of a system, by the number of an item's unit.
type unitValues struct {
	units  []unit // in the order of the table
	values []float64
	has    []bool
}

type unit struct {
	number      int
	item, group string
}

// values are those of all systems, with one number for each unit of each item.
func (b Block) values(name string) []unitValues {
	numbers := map[[2]string]int{}
	out := make([]unitValues, len(b.Systems))
	for n, s := range b.Systems {
		for _, it := range s.Row.Scores {
			out[n].take(it, name, numbers)
		}
	}

	for n := range out {
		more := len(numbers) - len(out[n].values)
		out[n].values = append(out[n].values, make([]float64, more)...)
		out[n].has = append(out[n].has, make([]bool, more)...)
	}
	return out
}

// take adds an item's values of a metric.
func (v *unitValues) take(it ItemScores, name string, numbers map[[2]string]int) {
	for _, u := range it.Values {
		if u.Metric != name {
			continue
		}
		for i, id := range u.Units {
			key := [2]string{it.Item, id}
			n, ok := numbers[key]
			if !ok {
				n = len(numbers)
				numbers[key] = n
			}

			more := max(0, n+1-len(v.values))
			v.values = append(v.values, make([]float64, more)...)
			v.has = append(v.has, make([]bool, more)...)
			v.values[n], v.has[n] = u.Values[i], true
			v.units = append(v.units, unit{n, it.Item, it.Group})
		}
	}
}

func distinct(names []string) int {
	seen := map[string]bool{}
	for _, n := range names {
		seen[n] = true
	}
	return len(seen)
}

// Change is an item whose mean of a metric, in the metric's unit, differs between two
// systems.
type Change struct {
	Item string
	A, B float64
}

// MostChanged lists the n items with the largest difference of a metric's mean.
func MostChanged(a, b Row, name string, n int) []Change {
	right := map[string]float64{}
	for _, it := range b.Scores {
		right[it.Item] = meanOf(it, name)
	}
	var out []Change
	for _, it := range a.Scores {
		x := meanOf(it, name)
		if y, ok := right[it.Item]; ok && !math.IsNaN(x) && !math.IsNaN(y) && x != y {
			out = append(out, Change{it.Item, x, y})
		}
	}

	slices.SortStableFunc(out, func(p, q Change) int {
		return cmp.Compare(math.Abs(q.A-q.B), math.Abs(p.A-p.B))
	})
	return out[:min(n, len(out))]
}

// Paired lists the items for which both systems have all values of a metric, with the items' means, in
// the order of the first. missing counts the items of which one lacks a value.
func Paired(a, b Row, name string) (pairs []Change, missing int) {
	right := map[string]float64{}
	for _, it := range b.Scores {
		right[it.Item] = wholeMean(it, name)
	}
	for _, it := range a.Scores {
		x, y := wholeMean(it, name), right[it.Item]
		if math.IsNaN(x) || math.IsNaN(y) {
			missing++
			continue
		}
		pairs = append(pairs, Change{it.Item, x, y})
	}
	return pairs, missing
}

// wholeMean is meanOf, NaN where a value is missing.
func wholeMean(it ItemScores, name string) float64 {
	for _, u := range it.Values {
		if u.Metric == name && len(u.Unscored) > 0 {
			return math.NaN()
		}
	}
	return meanOf(it, name)
}

// meanOf is the mean of an item's values of a metric, NaN of none.
func meanOf(it ItemScores, name string) float64 {
	var values []float64
	for _, u := range it.Values {
		if u.Metric == name {
			values = append(values, u.Values...)
		}
	}
	return metric.Mean(values)
}

// Contestants lists the rows of several runs under names that tell their systems apart.
// Rows of one system by several judges have one name.
func Contestants(folders []string, tables []Table) []Contestant {
	var out []Contestant
	for i, t := range tables {
		for _, r := range t.Rows {
			name := r.System.String()
			if len(folders) > 1 {
				name = folders[i] + ": " + name
			}
			out = append(out, Contestant{Name: name, Run: i, Row: r})
		}
	}
	return out
}
