package meter

import (
	"strings"
	"time"
)

// round is one time that a part is begun.
type round struct {
	name        string
	done, steps int
	before      int // steps of earlier rounds
}

// counted reports whether the calls of a part are counted, and not its steps: one step may take many calls,
// and another none.
func (p *part) counted() bool { return p.Rounds && len(p.Calls) > 0 && p.foreseen() > 0 }

// foreseen is how many calls a part takes if nothing goes wrong.
func (p *part) foreseen() int { return p.Calls[len(p.Calls)-1] }

// begin begins a part, or another round of it.
func (p *part) begin(name string, steps int) {
	all := p.round.before + p.round.done + steps
	p.round = round{name: name, steps: steps, before: p.round.before + p.round.done}
	switch {
	case p.counted():
		p.over = false
	case !p.Rounds || all > p.Steps:
		p.Steps = all
	}
	p.begun = true
	if !p.counted() {
		p.over = p.done >= p.Steps
	}
}

// complete reports whether all was done that was foreseen of a counted part, and the round at hand.
func (p *part) complete() bool {
	return p.round.done >= p.round.steps && p.round.before+p.round.done >= len(p.Calls)
}

// has reports whether a part is to be begun by a name.
func (p *part) has(name string) bool {
	if p.Rounds {
		return name == p.Name || strings.HasPrefix(name, p.Name+", ")
	}
	return name == p.Name && !p.begun && !p.over
}

// count notes that a call of the part at hand has its answer.
func (m *Meter) count(now time.Time) {
	p := m.current
	if p == nil || !p.counted() {
		return
	}
	m.pass(now)
	p.done++
	m.advance(p, 1)
}

// remaining is how much of a part is left: steps, or calls.
func (m *Meter) remaining(p *part) float64 {
	switch {
	case !p.counted():
		return float64(p.Steps - p.done)
	case p.over:
		return 0
	case !p.begun:
		return max(0, float64(p.foreseen()-p.Kept)) * m.growth()
	}

	done := p.round.before + p.round.done
	so := 0
	if done > 0 {
		so = p.Calls[min(done, len(p.Calls))-1]
	}
	left := max(float64(p.round.steps-p.round.done), float64(p.foreseen()-so)*grown(p.done, so, p.foreseen()))
	if p.round.before == 0 && p.round.name != p.Name { // what is refused is asked for in its next rounds
		left += max(0, m.growth()-1) * float64(p.foreseen())
	}
	return left
}

// grown is how many times the calls that were foreseen so far were made. Some of those made belong to steps
// that are not done, so that few calls say little.
func grown(made, foreseen, whole int) float64 {
	some := max(1, float64(whole)/10)
	return (float64(made) + some) / (float64(foreseen) + some)
}

// growth is how many times the calls that were foreseen were made so far: what is refused is asked for
// again, and what a check does not find is written anew.
func (m *Meter) growth() float64 {
	made, foreseen := 0, 0
	for _, p := range m.parts {
		if p.counted() && p.over {
			made, foreseen = made+p.done, foreseen+p.foreseen()
		}
	}
	return grown(made, foreseen, foreseen+10)
}
