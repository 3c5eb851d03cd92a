package build

import (
	"context"
	"slices"
	"strings"
	"testing"

	"lore/datasets/summhay"
	"lore/datasets/summhay/build/noisy"
	"lore/local/fake"
)

// simulated is what a build by a noisy model comes to.
type simulated struct {
	kept, calls   int
	labels        int // pairs of a document and an insight that it says, or is said to say
	wrong, missed int // of these: that it does not say, and that have no label
	q             Quality
	file          *summhay.File
	err           error
}

// errors is the share of wrong labels.
func (s simulated) errors() float64 { return float64(s.wrong+s.missed) / float64(max(1, s.labels)) }

// simulate builds a haystack by a noisy model, and compares its labels with the truth.
func simulate(t testing.TB, noise fake.Noise, sizes Sizes, conversation bool, slots int) simulated {
	t.Helper()
	m := &noisy.Model{Noise: noise}
	backend := &fake.Backend{Script: m.Script}
	b := newBuilder(t, sizes, backend, slots)
	b.Topic, b.Conversation, b.Seed = "Life in a town", conversation, noise.Seed+1
	f, err := b.Build(context.Background(), nil)
	out := simulated{calls: len(backend.Calls()), q: b.Quality(), file: f, err: err}
	if err != nil || f == nil {
		return out
	}

	out.kept = len(f.Documents)
	for _, d := range f.Documents {
		for _, s := range f.Subtopics {
			for _, in := range s.Insights {
				says, labelled := m.States(d.DocumentText, in.Insight), slices.Contains(d.InsightsIncluded, in.InsightID)
				switch {
				case labelled && !says:
					out.wrong++
				case says && !labelled:
					out.missed++
				}
				if says || labelled {
					out.labels++
				}
			}
		}
	}
	return out
}

// noise is one of fake.Noises.
func noise(t testing.TB, name string, seed uint64) fake.Noise {
	t.Helper()
	for _, n := range fake.Noises {
		if n.Name == name {
			return n.Of(seed)
		}
	}
	t.Fatalf("there is no noise %q", name)
	return fake.Noise{}
}

// A model that checks and always errs on some statements, or errs by chance, neither costs
// documents nor many calls, and the labels are right in the end; how many are wrong is
// foretold.
func TestNoisyCheckers(t *testing.T) {
	seeds := 2
	if testing.Short() {
		seeds = 1
	}
	for seed := range uint64(seeds) {
		perfect := simulate(t, noise(t, "perfect", seed), Published, false, 4)
		for _, c := range []struct {
			noise string
			kept  int
			calls float64 // of those of the perfect model
			wrong float64 // of the labels
		}{
			{"perfect", 100, 1, 0.01},
			{"wrong on 5 % of statements", 97, 1.6, 0.02},
			{"blind to 5 % of statements", 97, 1.6, 0.02},
			{"gullible on 5 % of statements", 97, 1.6, 0.02},
			{"wrong on 15 % of statements", 90, 2.5, 0.04},
			{"5 % of answers wrong", 97, 1.4, 0.04},
		} {
			if testing.Short() && !strings.HasPrefix(c.noise, "wrong") {
				continue // two of them are enough
			}
			s := simulate(t, noise(t, c.noise, seed), Published, false, 4)
			e := s.q.Errors
			more := float64(s.calls) / float64(perfect.calls)
			t.Logf("%s, seed %d: %d kept, %d calls (%.2f), %.2f %% of %d labels wrong, estimate %.2f [%.2f, %.2f], %d statements retired",
				c.noise, seed, s.kept, s.calls, more, 100*s.errors(), s.labels, 100*e.Rate, 100*e.Low, 100*e.High, s.q.Retired)
			if s.err != nil || s.kept < c.kept || more > c.calls || s.errors() > c.wrong ||
				s.errors() < e.Low || s.errors() > e.High {
				t.Errorf("%s: %v\n%+v", c.noise, s.err, s.q)
			}
		}
	}
}

// The same holds of conversations.
func TestNoisyConversations(t *testing.T) {
	if testing.Short() {
		t.Skip("-short leaves out what only takes long")
	}
	perfect := simulate(t, noise(t, "perfect", 1), Published, true, 4)
	s := simulate(t, noise(t, "wrong on 5 % of statements", 1), Published, true, 4)
	more := float64(s.calls) / float64(perfect.calls)
	t.Logf("%d kept, %d calls (%.2f), %.2f %% of labels wrong, estimate %+v", s.kept, s.calls, more, 100*s.errors(), s.q.Errors)
	if s.err != nil || s.kept < 97 || more > 1.6 || s.errors() > 0.02 || s.errors() > s.q.Errors.High {
		t.Errorf("%v\n%+v", s.err, s.q)
	}
}

// A checker that is of no use is found out at once, and the message says which check is.
func TestUselessCheckers(t *testing.T) {
	if testing.Short() {
		t.Skip("it only takes long under the race detector: the run without -short has it")
	}
	whole := simulate(t, noise(t, "perfect", 0), Published, false, 4).calls
	for name, habit := range map[string]string{
		"always yes": "agrees to almost everything",
		"always no":  "finds almost nothing",
		"garbage":    "cannot be read",
	} {
		s := simulate(t, noise(t, name, 0), Published, false, 4)
		if s.err == nil || !strings.Contains(s.err.Error(), habit) || !strings.Contains(s.err.Error(), "no use for the audit") ||
			s.calls > whole/10 {
			t.Errorf("%s: %d calls of %d: %v", name, s.calls, whole, s.err)
		}
	}
}

// A haystack does not hang on how many calls run at once, however noisy the model is.
func TestNoisySlots(t *testing.T) {
	sizes := Sizes{Subtopics: 4, Insights: 5, Documents: 30, Words: 200, Repeat: 6}
	n := noise(t, "wrong on 15 % of statements", 3)
	n.Agree, n.Deny, n.Format, n.Cut = 0.05, 0.05, 0.03, 0.03
	one, many := simulate(t, n, sizes, false, 1), simulate(t, n, sizes, false, 5)
	if one.err != nil || many.err != nil || one.q != many.q || one.calls != many.calls {
		t.Errorf("%v %v\n%+v\n%+v", one.err, many.err, one.q, many.q)
	}
}

// BenchmarkBuildNoise prints what models that fall short come to: documents kept, calls, wrong
// labels in percent, and what the build says of them. Other builders join by a benchmark of
// this name over fake.Noises.
func BenchmarkBuildNoise(b *testing.B) {
	for _, n := range fake.Noises {
		b.Run("summhay/"+n.Name, func(b *testing.B) {
			const seeds = 5
			var kept, calls, wrong, low, high, stopped float64
			for b.Loop() {
				for seed := range uint64(seeds) {
					s := simulate(b, n.Of(seed), Published, false, 4)
					kept += float64(s.kept)
					calls += float64(s.calls)
					wrong += 100 * s.errors()
					low += 100 * s.q.Errors.Low
					high += 100 * s.q.Errors.High
					if s.err != nil {
						stopped++
					}
				}
			}

			each := float64(b.N * seeds)
			for unit, x := range map[string]float64{
				"kept": kept, "calls": calls, "%wrong": wrong, "%low": low, "%high": high, "stopped": stopped,
			} {
				b.ReportMetric(x/each, unit)
			}
		})
	}
}
