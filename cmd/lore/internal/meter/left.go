package meter

import (
	"cmp"
	"math"
	"slices"
	"time"
)

// Left is how long the rest will take: most likely between Low and High.
type Left struct {
	Low, High time.Duration
	Known     bool // there is something to say
	Least     bool // some of the work has an unknown pace: it takes at least Low
}

// State is how far the work is.
type State struct {
	Phase, Model string  // at hand; empty before the first and after the last
	Done, Total  int     // steps of it
	Share        float64 // of the time of the whole, from 0 to 1; it falls where more is left than was thought
	Planned      bool    // the whole is known, and the pace of its kinds of work; else Share is that of the phase at hand
	Over         bool    // all that is known of is done
	Asked, Kept  int     // calls that models have answered, and those that were there before
	Failed       int     // of both, those without a usable reply
	Left         Left
}

// State is how far the work is now.
func (m *Meter) State(now time.Time) State {
	m.mu.Lock()
	defer m.mu.Unlock()
	s := State{Asked: m.asked, Kept: m.kept, Failed: m.failed, Over: len(m.parts) > 0}
	for _, p := range m.parts {
		s.Over = s.Over && (p.over || p.Steps == 0)
	}

	if m.current != nil {
		s.Phase, s.Model = cmp.Or(m.current.round.name, m.current.Name), m.current.Model
		s.Done, s.Total = m.steps(m.current)
	}
	s.Share, s.Planned = m.shareNow(s, now)
	s.Left = m.left(now)
	return s
}

// steps are those of a part that are done, and all: of the round at hand, or of all parts of one name, such
// as the judge's of several benchmarks.
func (m *Meter) steps(of *part) (done, total int) {
	if of.Rounds {
		return of.round.done, of.round.steps
	}
	for _, p := range m.parts {
		if p.Name == of.Name {
			done, total = done+p.done, total+p.Steps
		}
	}
	return done, total
}

const (
	// almost is the highest share as long as something is left.
	almost = 0.999
	// slight is the share of the whole below which work of an unseen kind does no harm.
	slight = 0.05
	// dither is by how much an estimate falls without that the share which is shown does.
	dither = 0.02
)

// shareNow is the share of the time of all work that is behind, as far as models were asked or something
// was computed: what is read from disk takes none. It is known once the pace of every kind of work that is
// left was seen; else the share is that of the phase at hand. An estimate that was too high is put right:
// a share that only rises would stand still at the first wrong guess.
func (m *Meter) shareNow(s State, now time.Time) (share float64, known bool) {
	if m.planned && s.Over {
		m.share = 1
		return 1, true
	}
	ofPhase := float64(s.Done) / float64(max(1, s.Total))
	if !m.planned {
		return ofPhase, false
	}

	var spent, rest, unseen float64
	if m.current != nil && !m.current.over {
		spent = (m.current.carry + now.Sub(m.last)).Seconds()
	}
	for _, p := range m.parts {
		_, took := p.pace.sum()
		spent += took
		n := m.remaining(p)
		if p.over || n <= 0 {
			continue
		}
		g, ok := m.rest(p, n, now)
		switch {
		case !ok:
			return ofPhase, false
		case m.seen(p):
			rest += g.mid
		default:
			unseen += max(g.high, n*m.slowest()) // a judge may think for as long as another model writes
		}
	}

	whole := spent + rest + unseen
	if whole <= 0 || unseen > slight*whole {
		return ofPhase, false
	}
	share = min(almost, spent/whole)
	if share > m.share || share < m.share-dither {
		m.share = share
	}
	return m.share, true
}

// seen reports whether steps of a part's kind were seen often enough to weigh it against others: its own,
// or the same on other data. What is computed here is known well enough.
func (m *Meter) seen(p *part) bool {
	if p.About > 0 {
		return true
	}
	return slices.ContainsFunc(m.parts, func(other *part) bool {
		steps, _ := other.pace.sum()
		return other.Name == p.Name && steps >= math.Max(1, math.Min(leastBlocks*other.pace.size, float64(other.Steps)/4))
	})
}

// slowest is how long a step takes, in seconds, of the kind of model calls seen that takes longest.
func (m *Meter) slowest() (longest float64) {
	for _, p := range m.parts {
		if each, _, ok := p.pace.next(1); ok && p.Model != "" {
			longest = max(longest, each)
		}
	}
	return longest
}

// guess is a time in seconds.
type guess struct{ low, mid, high float64 }

func (g guess) times(n float64) guess { return guess{g.low * n, g.mid * n, g.high * n} }

// around is a guess that may be wrong by a share.
func around(seconds, uncertain float64) guess {
	return guess{seconds * max(0, 1-uncertain), seconds, seconds * (1 + uncertain)}
}

// left adds up what is left of all parts. Their errors have little to do with each other, so
// that they add up as squares do.
func (m *Meter) left(now time.Time) Left {
	out := Left{Least: !m.planned}
	var mid, below, above float64
	for _, p := range m.parts {
		n := m.remaining(p)
		if p.over || n <= 0 {
			continue
		}
		g, ok := m.rest(p, n, now)
		if !ok {
			out.Least = true
			continue
		}
		out.Known = true
		mid += g.mid
		below += (g.mid - g.low) * (g.mid - g.low)
		above += (g.high - g.mid) * (g.high - g.mid)
	}
	out.Low, out.High = seconds(mid-math.Sqrt(below)), seconds(mid+math.Sqrt(above))
	return out
}

func seconds(s float64) time.Duration { return time.Duration(max(0, s) * float64(time.Second)) }

// rest is how long n steps of a part will take; ok is false where nobody can tell.
func (m *Meter) rest(p *part, n float64, now time.Time) (g guess, ok bool) {
	each, uncertain, seen := p.pace.next(n)
	if !seen {
		g, ok = m.before(p)
		return g.times(n), ok
	}
	if p.lately < fewest {
		return guess{}, false // it reads what is finished; how much of that is left, nobody knows
	}

	// Of what is left, some may be finished already.
	g = around(each, uncertain).times(n)
	open := p.open()
	g = guess{g.low * open.low, g.mid * open.mid, g.high * open.high}
	if p.counted() {
		g.low, g.high = 0.85*g.low, 1.15*g.high // nobody knows what will be refused
	}
	if p == m.current {
		return g.waited((p.carry + now.Sub(m.last)).Seconds(), each), true
	}
	return g, true
}

const (
	fewest = 0.05 // share of the last steps that were asked, below which no time is told
	mostly = 0.9  // the same, above which all the others are taken to be asked, too
	mixed  = 0.2  // how far shares of the last steps and of all lie from each other where it changes
)

// open is the share of what is left that a model will have to be asked for. Where answers from disk
// come among others all along, it stays as it is; else all that is left may have to be asked.
func (p *part) open() guess {
	all := p.new / max(1, p.since)
	switch {
	case p.lately >= mostly:
		return guess{1, 1, 1}
	case p.since > 2*recent && math.Abs(all-p.lately) < mixed:
		return guess{0.85 * all, all, min(1, 1.15*all)}
	}
	return guess{p.lately, (1 + p.lately) / 2, 1}
}

// waited is a guess after the next step has been awaited for so long: it has come nearer by that,
// unless it takes much longer than others did.
func (g guess) waited(since, each float64) guess {
	near := min(since, each)
	late := max(0, since-patience*each)
	least := each / 4 // something is left until it is done
	return guess{max(least, g.low-near), max(least, g.mid-near) + late/2, max(least, g.high-near) + late}
}

// patience is how many times the usual time a step may take before more is expected of the rest.
const patience = 4

// How far a time may be from one that was not seen: of the same work on other data, and of other
// work of the same model.
var (
	likeSteps = guess{0.5, 1, 2}
	sameModel = guess{0.4, 1, 2.5}
)

// builtIn is how far what is computed here may be from what is known of it.
var builtIn = guess{0, 1, 4}

// before is how long a step of a part takes that has not begun.
func (m *Meter) before(p *part) (guess, bool) {
	var like, model []float64
	for _, other := range m.parts {
		steps, took := other.pace.sum()
		if steps == 0 || other == p {
			continue
		}
		each, _, _ := other.pace.next(steps)
		switch {
		case other.Name == p.Name:
			like = append(like, each)
		case p.Model != "" && other.Model == p.Model && p.Weight > 0 && other.Weight > 0 && took > 0:
			model = append(model, each/other.Weight*p.Weight)
		}
	}

	switch {
	case len(like) > 0:
		return likeSteps.times(middle(like)), true
	case len(model) > 0:
		return sameModel.times(middle(model)), true
	case p.About > 0:
		return builtIn.times(p.About.Seconds()), true
	}
	return guess{}, false
}

func middle(list []float64) float64 {
	slices.Sort(list)
	return list[len(list)/2]
}
