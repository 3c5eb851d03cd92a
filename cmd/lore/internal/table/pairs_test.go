package table

import (
	"encoding/json"
	"math/rand/v2"
	"slices"
	"testing"

	"lore/datasets"
	"lore/judge/metric"
)

// oneByOne is what Compare gives for one judge and one metric, made plainly: one pair after
// the other, with the bootstrap also where its interval is thrown away.
func oneByOne(systems []Contestant, how Design) []Difference {
	var pairs [][2]Contestant
	for i, a := range systems {
		for _, b := range systems[i+1:] {
			pairs = append(pairs, [2]Contestant{a, b})
		}
	}
	if how.Flips == 0 {
		how.Flips = min(max(Resamples, int(steps*float64(len(pairs))/how.Level)), mostFlips)
	}

	var out []Difference
	for _, p := range pairs {
		out = append(out, plainDifference(p[0], p[1], how))
	}
	correct(out, covered, how, map[[2]float64]power{})
	return out
}

func plainDifference(a, b Contestant, how Design) Difference {
	right := plainValues(b.Row)
	var x, y []float64
	var items, clusters []string
	for _, it := range a.Row.Scores {
		for i, unit := range it.Values[0].Units {
			v, ok := right[[2]string{it.Item, unit}]
			if !ok {
				continue
			}
			x, y = append(x, it.Values[0].Values[i]), append(y, v)
			items, clusters = append(items, it.Item), append(clusters, it.Item)
			if how.Unit == ByGroup {
				clusters[len(clusters)-1] = it.Group
			}
		}
	}

	p := metric.ComparePaired(x, y, clusters, how.Flips, how.Draws, Level, how.Seed)
	return Difference{
		Metric: covered.Name, Judge: a.Row.Judge, A: a.Name, B: b.Name, Cluster: how.Unit, Items: distinct(items),
		ValueA: defined(metric.Mean(x)), ValueB: defined(metric.Mean(y)), Diff: defined(p.Diff),
		Low: defined(p.CI.Low), High: defined(p.CI.High), P: defined(p.P), PT: defined(p.T.P), DF: defined(p.T.DF), se: p.T.SE,
		MinP: defined(metric.FlipFloor(p.Clusters, how.Flips)), Effect: defined(p.Effect),
		Win: p.Win, Tie: p.Tie, Loss: p.Loss, N: p.N, Groups: p.Clusters,
	}
}

func plainValues(r Row) map[[2]string]float64 {
	out := map[[2]string]float64{}
	for _, it := range r.Scores {
		for i, unit := range it.Values[0].Units {
			out[[2]string{it.Item, unit}] = it.Values[0].Values[i]
		}
	}
	return out
}

// Compare is quick by what it leaves out and by doing pairs side by side: not a digit may
// hang on that. Systems lack items and statements here and there, and stand in another order.
func TestCompareIsWhatPairsGiveOneByOne(t *testing.T) {
	if testing.Short() {
		t.Skip("it only takes long under the race detector: the run without -short has it")
	}
	rng := rand.New(rand.NewPCG(5, 5))
	decided := map[string]int{}
	for _, w := range []world{
		{haystacks: 1, items: 1, systems: 3}, {haystacks: 2, items: 3, systems: 2}, {haystacks: 4, items: 5, systems: 4, shift: 0.2},
		{haystacks: 6, items: 4, systems: 12, taste: 0.1}, {haystacks: 20, items: 2, systems: 9, shift: 0.1},
	} {
		systems := w.draw(rng)
		for n := range systems {
			scores := systems[n].Row.Scores
			rng.Shuffle(len(scores), func(i, k int) { scores[i], scores[k] = scores[k], scores[i] })
			if n > 0 && len(scores) > 3 {
				systems[n].Row.Scores = slices.Delete(scores, n%3, n%3+1)
				last := &scores[0].Values[0]
				last.Units, last.Values = last.Units[1:], last.Values[1:]
			}
		}

		for _, unit := range []string{ByItem, ByGroup} {
			for _, flips := range []int{0, 100} {
				how := design(unit)
				how.Flips = flips
				got := Compare(systems, []datasets.Metric{covered}, how)[0].Diffs
				want := oneByOne(systems, how)
				if x, y := encoded(t, got), encoded(t, want); x != y {
					t.Fatalf("%+v by %s:\n%s\none by one:\n%s", w, unit, x, y)
				}
				for _, d := range got {
					decided[d.Test]++
				}
			}
		}
	}
	if decided[SignFlips] < 10 || decided[RobustT] < 10 || decided[""] < 3 {
		t.Errorf("not all tests were met: %v", decided)
	}
}

func encoded(t *testing.T, list []Difference) string {
	t.Helper()
	data, err := json.MarshalIndent(list, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// BenchmarkManySystems compares 40 systems on 260 questions as the page does, and one pair
// after the other.
func BenchmarkManySystems(b *testing.B) {
	systems := world{haystacks: 1, items: 260, systems: 40}.draw(rand.New(rand.NewPCG(6, 6)))
	how := Design{Unit: ByItem, Level: 0.05, Difference: 5, Flips: 100, Draws: 100, Seed: 1}
	b.Run("side by side", func(b *testing.B) {
		for b.Loop() {
			Compare(systems, []datasets.Metric{covered}, how)
		}
	})
	b.Run("one by one", func(b *testing.B) {
		for b.Loop() {
			oneByOne(systems, how)
		}
	})
}
