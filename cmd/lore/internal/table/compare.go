package table

import (
	"cmp"
	"math"
	"slices"

	"lore/datasets"
	"lore/judge/metric"
)

// Contestant is one system in a comparison.
type Contestant struct {
	Name string
	Run  int // place of its run among those compared
	Row  Row
}

// Difference is one metric of two systems on the units both have. Values are in the
// metric's own unit; null is undefined.
type Difference struct {
	Metric  string   `json:"metric"`
	A       string   `json:"a"`
	B       string   `json:"b"`
	ValueA  *float64 `json:"value_a"` // means over the shared units
	ValueB  *float64 `json:"value_b"`
	Diff    *float64 `json:"diff"` // A minus B
	Low     *float64 `json:"low"`  // 95 % interval of Diff
	High    *float64 `json:"high"`
	P       *float64 `json:"p"`
	PHolm   *float64 `json:"p_holm"`           // corrected over all tests of the comparison
	Effect  *float64 `json:"effect"`           // Diff over the standard deviation of the differences
	Least   *float64 `json:"least_detectable"` // the smallest difference that so many clusters can show
	Win     int      `json:"win"`              // units where A is better
	Tie     int      `json:"tie"`
	Loss    int      `json:"loss"`
	N       int      `json:"n"` // units
	Items   int      `json:"items"`
	Cluster string   `json:"clustered_by"` // item or group: what was resampled
	Groups  int      `json:"clusters"`     // how many of these
}

// Significant reports whether the corrected p-value is below the level.
func (d Difference) Significant(level float64) bool { return d.PHolm != nil && *d.PHolm < level }

// fewGroups is the number of groups below which items are the unit of resampling:
// a handful of haystacks gives no test.
const fewGroups = 8

// Compare tests every pair of systems on every metric, and corrects over all of these
// tests. Units of one item, and items of one group where there are enough groups, are
// resampled together. resamples is the number of random sign flips and of bootstrap draws.
func Compare(systems []Contestant, metrics []datasets.Metric, resamples int, seed uint64) []Difference {
	var out []Difference
	for _, m := range metrics {
		for i := range systems {
			for k := i + 1; k < len(systems); k++ {
				out = append(out, difference(systems[i], systems[k], m.Name, resamples, seed))
			}
		}
	}

	ps := make([]float64, len(out))
	for i, d := range out {
		ps[i] = math.NaN()
		if d.P != nil {
			ps[i] = *d.P
		}
	}
	for i, p := range metric.Holm(ps) {
		out[i].PHolm = defined(p)
	}
	return out
}

// shared are the values of two systems on the units both have, in the order of the first
// one's items, with the item and the group of each.
type shared struct {
	a, b          []float64
	items, groups []string
}

func sharedUnits(a, b Row, name string) shared {
	left, right := unitValues(a, name), unitValues(b, name)
	var s shared
	for _, it := range a.Scores {
		for _, unit := range left[it.Item].units {
			v, ok := right[it.Item].values[unit]
			if !ok {
				continue
			}
			s.a = append(s.a, left[it.Item].values[unit])
			s.b = append(s.b, v)
			s.items = append(s.items, it.Item)
			s.groups = append(s.groups, it.Group)
		}
	}
	return s
}

func difference(a, b Contestant, name string, resamples int, seed uint64) Difference {
	s := sharedUnits(a.Row, b.Row, name)
	items, groups := distinct(s.items), distinct(s.groups)
	d := Difference{Metric: name, A: a.Name, B: b.Name, Cluster: "item", Items: items}
	clusters := s.items
	if groups >= fewGroups && groups < items {
		d.Cluster, clusters = "group", s.groups
	}

	p := metric.ComparePaired(s.a, s.b, clusters, resamples, Level, seed)
	d.ValueA, d.ValueB, d.Diff = defined(metric.Mean(s.a)), defined(metric.Mean(s.b)), defined(p.Diff)
	d.Low, d.High, d.P = defined(p.CI.Low), defined(p.CI.High), defined(p.P)
	d.Effect, d.Least = defined(p.Effect), defined(p.Least)
	d.Win, d.Tie, d.Loss, d.N, d.Groups = p.Win, p.Tie, p.Loss, p.N, p.Clusters
	return d
}

// itemValues are one metric's values of an item by unit.
type itemValues struct {
	units  []string
	values map[string]float64
}

// unitValues are one metric's values by item.
func unitValues(r Row, name string) map[string]itemValues {
	out := map[string]itemValues{}
	for _, it := range r.Scores {
		v := itemValues{values: map[string]float64{}}
		for _, u := range it.Values {
			if u.Metric != name {
				continue
			}
			for i, unit := range u.Units {
				v.units = append(v.units, unit)
				v.values[unit] = u.Values[i]
			}
		}
		out[it.Item] = v
	}
	return out
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
	left, right := unitValues(a, name), unitValues(b, name)
	var out []Change
	for _, it := range a.Scores {
		x, y := meanOf(left[it.Item]), meanOf(right[it.Item])
		if !math.IsNaN(x) && !math.IsNaN(y) && x != y {
			out = append(out, Change{it.Item, x, y})
		}
	}

	slices.SortStableFunc(out, func(p, q Change) int {
		return cmp.Compare(math.Abs(q.A-q.B), math.Abs(p.A-p.B))
	})
	return out[:min(n, len(out))]
}

func meanOf(v itemValues) float64 {
	values := make([]float64, len(v.units))
	for i, u := range v.units {
		values[i] = v.values[u]
	}
	return metric.Mean(values)
}

// Contestants lists the rows of several runs under names that tell them apart.
func Contestants(folders []string, tables []Table) []Contestant {
	var out []Contestant
	for i, t := range tables {
		for _, r := range t.Rows {
			name := r.Judged.String()
			if len(folders) > 1 {
				name = folders[i] + ": " + name
			}
			out = append(out, Contestant{name, i, r})
		}
	}
	return out
}
