package meter

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"time"
)

// work is a part of a synthetic run, with what is true of it and the meter does not know.
type work struct {
	Part
	took   func(step int, r *rand.Rand) float64 // seconds of a call
	slots  int
	ready  func(step int, r *rand.Rand) bool // answered before; nil: none is
	begins int                               // steps when it begins, where fewer or more than planned; 0: as planned
	load   float64                           // seconds until the model is there
}

// seen is the state at a time of the run.
type seen struct {
	at   time.Duration
	what State
}

// carryOut goes through a run by its own clock, and looks at the meter at some times, and at its end.
func carryOut(parts []work, seed uint64, looks ...time.Duration) (states []seen, whole time.Duration) {
	r := rand.New(rand.NewPCG(seed, 1))
	m := New()
	start := time.Unix(1e9, 0)
	now := start
	var plan []Part
	for _, p := range parts {
		plan = append(plan, p.Part)
	}
	m.Plan(plan)

	until := func(t time.Time) {
		for len(looks) > 0 && looks[0] < t.Sub(start) {
			states = append(states, seen{looks[0], m.State(start.Add(looks[0]))})
			looks = looks[1:]
		}
		now = t
	}
	for _, p := range parts {
		n := p.Steps
		if p.begins > 0 {
			n = p.begins
		}
		tell := m.Begin(now, p.Name, n)
		free := make([]time.Time, max(1, p.slots)) // when each slot is free again
		for i := range free {
			free[i] = now
		}
		until = simulate(m, p, n, free, r, tell, until)
		for _, f := range free {
			if f.After(now) {
				until(f)
			}
		}
	}
	return append(states, seen{now.Sub(start), m.State(now)}), now.Sub(start)
}

// simulate hands the steps of a part to slots, and takes their ends in the order of time.
func simulate(m *Meter, p work, n int, free []time.Time, r *rand.Rand, tell func(time.Time, int), until func(time.Time)) func(time.Time) {
	type end struct{ at time.Time }
	var open []end
	done := 0
	finish := func() {
		first := 0
		for i := range open {
			if open[i].at.Before(open[first].at) {
				first = i
			}
		}
		e := open[first]
		open = append(open[:first], open[first+1:]...)
		until(e.at)
		m.Replied()
		m.Answered(time.Time{}, true, true)
		done++
		tell(e.at, done)
	}

	clock := free[0]
	for i := range n {
		if p.ready != nil && p.ready(i, r) {
			clock = clock.Add(time.Millisecond)
			for len(open) > 0 && !earliest(open, func(e end) time.Time { return e.at }).After(clock) {
				finish()
			}
			until(clock)
			m.Answered(time.Time{}, false, true)
			done++
			tell(clock, done)
			continue
		}
		for len(open) == len(free) {
			at := earliest(open, func(e end) time.Time { return e.at })
			finish()
			clock = at
		}
		m.Asking(clock)
		took := p.took(i, r)
		if p.load > 0 {
			took, p.load = took+p.load, 0
		}
		open = append(open, end{at: clock.Add(time.Duration(took * float64(time.Second)))})
	}
	for len(open) > 0 {
		clock = earliest(open, func(e end) time.Time { return e.at })
		finish()
	}
	free[0] = clock
	return until
}

func earliest[E any](list []E, at func(E) time.Time) time.Time {
	first := at(list[0])
	for _, e := range list[1:] {
		if at(e).Before(first) {
			first = at(e)
		}
	}
	return first
}

// about is a time that scatters as those of model calls do: some are several times the usual one.
func about(seconds, scatter float64) func(int, *rand.Rand) float64 {
	return func(_ int, r *rand.Rand) float64 {
		return seconds * math.Exp(scatter*r.NormFloat64()-scatter*scatter/2)
	}
}

func generate(steps int, seconds float64) work {
	return work{Part: Part{Name: "generate", Model: "a", Steps: steps, Phase: 2, Weight: 15}, took: about(seconds, 0.5), slots: 1, load: 20}
}

func judging(model string, steps int, seconds float64) work {
	return work{Part: Part{Name: "judge by " + model, Model: model, Steps: steps, Phase: 5, Weight: 1}, took: about(seconds, 0.4), slots: 1, load: 10}
}

// Synthetic runs: the time left at a quarter, a half and three quarters of the time, against what
// was left in truth. -v prints the figures.
func TestTimeLeft(t *testing.T) {
	slots := func(w work, n int) work { w.slots = n; return w }
	ready := func(w work, f func(int, *rand.Rand) bool) work { w.ready = f; return w }
	first := func(n int) func(int, *rand.Rand) bool { return func(i int, _ *rand.Rand) bool { return i < n } }
	quick := func(w work, n int) work { // its first replies come ten times as fast
		took := w.took
		w.took = func(i int, r *rand.Rand) float64 {
			if i < n {
				return took(i, r) / 10
			}
			return took(i, r)
		}
		return w
	}
	slower := func(w work) work { // twice as slow at the end as at the beginning
		took := w.took
		w.took = func(i int, r *rand.Rand) float64 { return took(i, r) * (1 + float64(i)/float64(w.Steps)) }
		return w
	}
	away := func(w work, at int) work { // the server is away for ten minutes
		took := w.took
		w.took = func(i int, r *rand.Rand) float64 {
			if i == at {
				return 600
			}
			return took(i, r)
		}
		return w
	}
	more := func(w work, n int) work { w.begins = n; return w }

	for _, c := range []struct {
		name   string
		parts  []work
		most   [3]float64 // median error of the middle of the range, as a share of what is left
		drifts bool       // nobody could know: the range need not hold
	}{
		{"one model", []work{generate(90, 12), judging("a", 3000, 0.8)}, [3]float64{0.55, 0.2, 0.2}, false},
		{"one phase", []work{generate(400, 9)}, [3]float64{0.15, 0.15, 0.15}, false},
		{"four slots", []work{slots(generate(200, 12), 4), slots(judging("a", 6000, 0.8), 4)}, [3]float64{0.45, 0.2, 0.2}, false},
		{"fast first replies", []work{quick(generate(400, 9), 20)}, [3]float64{0.2, 0.15, 0.15}, false},
		{"slower and slower", []work{slower(generate(400, 9))}, [3]float64{0.35, 0.3, 0.25}, true},
		{"the server was away", []work{away(generate(400, 9), 90)}, [3]float64{0.6, 0.3, 0.2}, false},
		{"goes on at 60 %", []work{ready(generate(400, 9), first(240))}, [3]float64{0.25, 0.2, 0.2}, false},
		{"goes on in the judge's phase", []work{ready(generate(90, 12), first(90)), ready(judging("a", 3000, 0.8), first(1000))},
			[3]float64{0.2, 0.15, 0.15}, false},
		{"half is in the cache", []work{ready(generate(600, 9), func(_ int, r *rand.Rand) bool { return r.IntN(2) == 0 })},
			[3]float64{0.4, 0.4, 0.4}, false},
		{"a third fewer questions", []work{generate(90, 12), more(judging("a", 3000, 0.8), 2000)}, [3]float64{1, 0.2, 0.15}, false},
		{"a slow last model", []work{generate(90, 12), judging("a", 1000, 0.8), judging("b", 1000, 4)}, [3]float64{2, 2, 0.2}, false},
	} {
		t.Run(c.name, func(t *testing.T) { errorsOf(t, c.parts, c.most, c.drifts) })
	}
}

// errorsOf takes a run through many seeds, and compares what was said with what was true.
func errorsOf(t *testing.T, parts []work, most [3]float64, drifts bool) {
	seeds := 40
	if testing.Short() {
		seeds = 10
	}
	quarters := [3]float64{0.25, 0.5, 0.75}
	runs := make([][]seen, seeds)
	for seed := range runs {
		_, whole := carryOut(parts, uint64(seed))
		var looks []time.Duration
		for _, q := range quarters {
			looks = append(looks, time.Duration(q*float64(whole)))
		}
		runs[seed], _ = carryOut(parts, uint64(seed), looks...)
	}

	for q, at := range quarters {
		var wrong []float64
		held, told, least := 0, 0, 0
		for _, states := range runs {
			s, end := states[q], states[len(states)-1].at
			left, l := (end - s.at).Seconds(), s.what.Left
			switch {
			case l.Least:
				least++
				if l.Low.Seconds() <= left {
					held++
				}
				continue
			case l.Known:
				told++
			}
			if l.Low.Seconds() <= left && left <= l.High.Seconds() {
				held++
			}
			wrong = append(wrong, math.Abs((l.Low+l.High).Seconds()/2-left)/left)
		}

		median := math.NaN()
		if len(wrong) > 0 {
			median = middle(wrong)
		}
		first := runs[0][q]
		t.Logf("at %2.0f %%: median error %3.0f %%, in its range %d of %d (%d only \"at least\"); such as %.0f %%, %q, in truth %s",
			100*at, 100*median, held, seeds, least, 100*first.what.Share, first.what.Left, Words(runs[0][3].at-first.at))
		if median > most[q] {
			t.Errorf("at %.0f %%: the median error is %.0f %%, more than %.0f %%", 100*at, 100*median, 100*most[q])
		}
		if held < seeds*8/10 && !drifts {
			t.Errorf("at %.0f %%: only %d of %d times were in their range", 100*at, held, seeds)
		}
		if told+least < seeds*8/10 {
			t.Errorf("at %.0f %%: %d times of %d were told", 100*at, told+least, seeds)
		}
	}
}

// The share that is shown is that of the time, whatever the phases take beside each other; it is not ahead,
// such as 95 % with half of the time left, and it is there in the last phase at the latest.
func TestShareIsOfTime(t *testing.T) {
	seeds := uint64(30)
	if testing.Short() {
		seeds = 8
	}
	ready := func(w work, n int) work { w.ready = func(i int, _ *rand.Rand) bool { return i < n }; return w }
	slots := func(w work, n int) work { w.slots = n; return w }
	thinking := func(w work) work { w.took = about(10, 0.4); return w } // a judge of ten times the usual time
	here := work{Part: Part{Name: "lexical", Steps: 500, Phase: 5, About: 2 * time.Millisecond}, took: about(0.003, 0.2), slots: 1}

	for _, c := range []struct {
		name  string
		parts []work
		known float64 // share of the looks, at least, at which it is known
	}{
		{"one kind", []work{generate(300, 9)}, 0.9},
		{"answers, then a quick judge", []work{generate(90, 12), judging("a", 500, 0.2)}, 0.05},
		{"answers, then a slow judge", []work{generate(90, 12), thinking(judging("a", 100, 0.8))}, 0.4},
		{"answers, then another model that is slow", []work{generate(90, 12), judging("b", 300, 4)}, 0.4},
		{"two judges of different speeds", []work{generate(40, 12), judging("a", 800, 0.5), judging("b", 800, 4)}, 0.5},
		{"a judge as slow as the answers", []work{generate(90, 12), judging("a", 60, 12)}, 0.3},
		{"a short slow judge", []work{generate(200, 12), judging("a", 50, 12)}, 0.1},
		{"the built-in judge", []work{generate(90, 12), here}, 0.9},
		{"nearly all is kept", []work{ready(generate(400, 12), 380), judging("a", 100, 3)}, 0.4},
		{"four slots", []work{slots(generate(90, 12), 4), slots(judging("a", 3000, 0.8), 4)}, 0.4},
		{"eight slots, two judges", []work{slots(generate(90, 12), 8), slots(judging("a", 800, 0.5), 8), slots(judging("b", 800, 4), 8)}, 0.4},
		{"the answers are kept", []work{ready(generate(400, 12), 400), judging("b", 300, 3)}, 0.8},
	} {
		t.Run(c.name, func(t *testing.T) {
			known, all, ahead, behind := 0, 0, 0.0, 0.0
			for seed := range seeds {
				_, whole := carryOut(c.parts, seed)
				var looks []time.Duration
				for i := 1; i < 40; i++ {
					looks = append(looks, time.Duration(float64(i)/40*float64(whole)))
				}
				states, _ := carryOut(c.parts, seed, looks...)
				for _, s := range states[:len(states)-1] {
					all++
					if s.what.Planned {
						known++
						off := s.what.Share - float64(s.at)/float64(whole)
						ahead, behind = max(ahead, off), max(behind, -off)
					}
				}
			}
			t.Logf("known at %d of %d looks; at most %.0f points ahead, %.0f behind", known, all, 100*ahead, 100*behind)
			if ahead > 0.15 || behind > 0.2 {
				t.Errorf("the share is up to %.0f points ahead of the time, and up to %.0f behind", 100*ahead, 100*behind)
			}
			if float64(known) < c.known*float64(all) {
				t.Errorf("it is known at %d of %d looks", known, all)
			}
		})
	}
}

// One phase of like calls: the share is near that of the steps, however many slots there are. With several, replies
// come in waves; the first may come at once, or last, such as while the model is loaded.
func TestShareOfOnePhase(t *testing.T) {
	equal := func(seconds float64) func(int, *rand.Rand) float64 {
		return func(int, *rand.Rand) float64 { return seconds }
	}
	quick := func(n int) func(int, *rand.Rand) float64 { // the first calls end at once
		return func(i int, _ *rand.Rand) float64 {
			if i < n {
				return 0.0001
			}
			return 0.05
		}
	}

	for _, c := range []struct {
		name string
		took func(int, *rand.Rand) float64
		load float64
	}{
		{"equal calls", equal(0.05), 0},
		{"calls that scatter", about(0.05, 0.4), 0},
		{"the model is loaded first", equal(0.05), 2},
		{"the first calls end at once", quick(40), 0},
	} {
		for _, slots := range []int{1, 3, 8} {
			t.Run(fmt.Sprintf("%s, %d slots", c.name, slots), func(t *testing.T) {
				w := work{Part: Part{Name: "judge", Model: "a", Steps: 4000, Weight: 1}, took: c.took, load: c.load, slots: slots}
				_, whole := carryOut([]work{w}, 1)
				var looks []time.Duration // often from the beginning, as a bar does: a first guess must not stand
				for i := range time.Duration(2000) {
					looks = append(looks, i*whole/2000)
				}

				states, _ := carryOut([]work{w}, 1, looks...)
				for _, s := range states[200 : len(states)-1] {
					if off := s.what.Share - float64(s.at)/float64(whole); !s.what.Planned || math.Abs(off) > 0.1 {
						t.Fatalf("after %s of %s, at %d/%d: %.3f (known: %t)", s.at, whole, s.what.Done, s.what.Total, s.what.Share, s.what.Planned)
					}
				}
			})
		}
	}
}

// A guess that was far too high does not stand: after a minute in which the model was loaded, some calls end at once.
func TestShareIsPutRight(t *testing.T) {
	w := work{Part: Part{Name: "judge", Model: "a", Steps: 300, Weight: 1}, slots: 1, load: 60, took: func(i int, _ *rand.Rand) float64 {
		if i < 10 {
			return 0.01
		}
		return 1
	}}
	states, whole := carryOut([]work{w}, 1, 60100*time.Millisecond, 120*time.Second, 200*time.Second)
	if first := states[0].what; first.Share < 0.9 {
		t.Fatalf("%v after the quick calls: it is no wrong guess", first.Share)
	}
	for _, s := range states[1:3] {
		if truth := float64(s.at) / float64(whole); math.Abs(s.what.Share-truth) > 0.1 {
			t.Errorf("after %s: %v, want about %v", s.at, s.what.Share, truth)
		}
	}
}

// The share falls only where the estimate of the whole has grown, never by chance, and is 1 at the end alone, where
// nothing is left.
func TestShareFallsOnlyWhereMoreIsLeft(t *testing.T) {
	for seed := range uint64(20) {
		var looks []time.Duration
		for at := time.Second; at < time.Hour; at += 7 * time.Second {
			looks = append(looks, at)
		}
		states, _ := carryOut([]work{generate(30, 12), judging("a", 500, 0.8), judging("b", 400, 3)}, seed, looks...)
		var before seen
		for i, s := range states {
			if !s.what.Planned {
				continue
			}
			grown := s.at + s.what.Left.Low + s.what.Left.High - before.at - before.what.Left.Low - before.what.Left.High
			if less := before.what.Share - s.what.Share; less > 0 && (less < dither || grown <= 0) {
				t.Fatalf("seed %d, after %s: %v, before it %v; the whole has grown by %s", seed, s.at, s.what.Share, before.what.Share, grown)
			}
			if s.what.Share >= 1 && i < len(states)-1 {
				t.Fatalf("seed %d, after %s: %v", seed, s.at, s.what.Share)
			}
			before = s
		}
		if last := states[len(states)-1].what; !last.Over || last.Share != 1 || last.Left.Known {
			t.Errorf("seed %d: %+v at the end", seed, last)
		}
	}
}
