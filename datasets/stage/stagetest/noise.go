package stagetest

import (
	"errors"
	"strings"
	"testing"

	"lore/datasets/stage"
	"lore/local/fake"
)

// Built is what a build by a model that falls short comes to. Items are what a build without any error
// would hold.
type Built struct {
	Items, Kept    int // that are right
	Written, Wrong int // items of the data, right or not
	Calls          int
	Err            error
}

// Share is how many items are kept, from 0 to 1.
func (b Built) Share() float64 { return float64(b.Kept) / float64(max(1, b.Items)) }

// Errors is the share of wrong items among those written.
func (b Built) Errors() float64 { return float64(b.Wrong) / float64(max(1, b.Written)) }

// Noisy is a model that falls short in its own way, by a name.
type Noisy struct {
	Name  string
	Build func(t testing.TB, seed uint64) Built
}

// All are the models of fake.Noises, by what builds with them.
func All(build func(t testing.TB, n fake.Noise) Built) []Noisy {
	var out []Noisy
	for _, n := range fake.Noises {
		out = append(out, Noisy{n.Name, func(t testing.TB, seed uint64) Built { return build(t, n.Of(seed)) }})
	}
	return out
}

// BuildNoise is a benchmark over models, of which the first checks without an error: it prints the
// shares of items kept and of wrong ones in percent, calls as a multiple of the first model's, and how
// many builds were stopped, means of some seeds.
func BuildNoise(b *testing.B, name string, models []Noisy) {
	const seeds = 3
	var perfect [seeds]float64
	for seed := range perfect {
		perfect[seed] = float64(models[0].Build(b, uint64(seed)).Calls)
	}

	for _, m := range models {
		b.Run(name+"/"+m.Name, func(b *testing.B) {
			var kept, wrong, calls, stopped float64
			for b.Loop() {
				for seed := range perfect {
					s := m.Build(b, uint64(seed))
					kept += 100 * s.Share()
					wrong += 100 * s.Errors()
					calls += float64(s.Calls) / perfect[seed]
					if s.Err != nil {
						stopped++
					}
				}
			}

			each := float64(b.N * seeds)
			for unit, x := range map[string]float64{"%kept": kept, "%wrong": wrong, "×calls": calls, "stopped": stopped * seeds} {
				b.ReportMetric(x/each, unit)
			}
		})
	}
}

// Limit is what a model may cost a build at most.
type Limit struct {
	Kept  float64 // least share of items
	Wrong float64 // largest share of wrong ones
	Calls float64 // most calls, as a multiple of the first model's
}

// Within builds once with each model that has a limit, and holds what it comes to against it. The first
// model is the one that checks without an error.
func Within(t *testing.T, models []Noisy, limits map[string]Limit) {
	t.Helper()
	perfect := models[0].Build(t, 0).Calls
	for i, m := range models {
		limit, there := limits[m.Name]
		if !there || testing.Short() && i > 1 {
			continue // two of them are enough where time is short
		}
		s := m.Build(t, 0)
		more := float64(s.Calls) / float64(perfect)
		t.Logf("%s: %.1f %% of %d kept, %.1f %% of %d wrong, %d calls (%.2f)",
			m.Name, 100*s.Share(), s.Items, 100*s.Errors(), s.Written, s.Calls, more)
		if s.Err != nil || s.Share() < limit.Kept || s.Errors() > limit.Wrong || more > limit.Calls {
			t.Errorf("%s: %v, %+v, %.2f times the calls; the limit is %+v", m.Name, s.Err, s, more, limit)
		}
	}
}

// Stopped builds with models of no use, and holds the message of each against words that it must have.
// None may take a tenth of the calls of the first model, if that takes 300.
func Stopped(t *testing.T, models []Noisy, words map[string][]string) {
	t.Helper()
	whole := models[0].Build(t, 0).Calls
	if whole < 300 {
		t.Errorf("a build of %d calls is too small for this", whole)
	}
	for _, m := range models {
		want, there := words[m.Name]
		if !there {
			continue
		}
		s := m.Build(t, 0)
		var useless *stage.Useless
		if !errors.As(s.Err, &useless) || s.Calls > whole/10 {
			t.Errorf("%s: %d calls of %d: %v", m.Name, s.Calls, whole, s.Err)
			continue
		}
		for _, w := range want {
			if !strings.Contains(s.Err.Error(), w) {
				t.Errorf("%s: the message lacks %q: %v", m.Name, w, s.Err)
			}
		}
	}
}
