package meter

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"
)

// stages are those of a build as it is foreseen: documents that take ten calls each, but for a quarter that is
// there already, and labels of one call each.
func stages(documents int) []Part {
	calls := make([]int, documents)
	for i := range calls {
		calls[i] = 10 * max(0, i+1-documents/4)
	}
	labels := make([]int, 3*documents)
	for i := range labels {
		labels[i] = i + 1
	}
	return []Part{
		{Name: "documents", Model: "a", Steps: documents, Phase: 1, Until: 1, Rounds: true, Calls: calls, Weight: 50},
		{Name: "labels", Model: "a", Steps: 3 * documents, Phase: 2, Until: 3, Rounds: true, Calls: labels, Weight: 20},
	}
}

// builder carries a build out with a model that takes a second a call, and notes when each state was seen.
type builder struct {
	m      *Meter
	now    float64
	states []State
	at     []float64
}

func (b *builder) call(r *rand.Rand) {
	b.m.Asking(clock(b.now))
	b.now += 0.5 + r.Float64()
	b.m.Replied()
	b.m.Answered(clock(b.now), true, true)
	b.states, b.at = append(b.states, b.m.State(clock(b.now))), append(b.at, b.now)
}

func (b *builder) build(documents int, again float64, r *rand.Rand) {
	step := b.m.Begin(clock(b.now), "documents", documents)
	for i := range documents {
		for n := 0; i >= documents/4 && n < 10; {
			b.call(r)
			if r.Float64() >= again {
				n++ // else it was refused
			}
		}
		step(clock(b.now), i+1)
	}

	left := 3 * documents
	for try := 1; left > 0; try++ {
		step, missed := b.m.Begin(clock(b.now), "labels, try "+string(rune('0'+try%10)), left), 0
		for i := range left {
			b.call(r)
			if r.Float64() < again {
				missed++
			}
			step(clock(b.now), i+1)
		}
		left = missed
	}
}

// What is left of a build is told from the calls that were foreseen, and from how many more there were so far.
func TestTimeLeftOfABuild(t *testing.T) {
	for _, again := range []float64{0, 0.1, 0.3} {
		b := &builder{m: New()}
		b.m.Plan(stages(80))
		b.build(80, again, rand.New(rand.NewPCG(1, 2)))

		worst, outside := 0.0, 0
		for i, s := range b.states {
			if s.Share < 0.3 || s.Share > 0.9 || !s.Planned {
				continue
			}
			left := time.Duration((b.now - b.at[i]) * float64(time.Second))
			mid := (s.Left.Low + s.Left.High) / 2
			worst = max(worst, math.Abs(float64(mid-left))/float64(left))
			if left < s.Left.Low || left > s.Left.High {
				outside++
			}
		}
		t.Logf("%.0f %% asked again: the worst guess is %.0f %% off, %d of %d outside", 100*again, 100*worst, outside, len(b.states))
		if worst > 0.4 { // calls take between half and one and a half times as long, and three of a kind are enough for a guess
			t.Errorf("%.0f %% asked again: a guess is %.0f %% off", 100*again, 100*worst)
		}
		if outside > len(b.states)/10 {
			t.Errorf("%.0f %% asked again: %d of %d ranges do not hold the truth", 100*again, outside, len(b.states))
		}
		if last := b.m.State(clock(b.now)); !last.Over || last.Share != 1 {
			t.Errorf("at its end: %+v", last)
		}
	}
}

// A round shows its own steps, and what is finished already is not counted as left.
func TestRoundsAreShown(t *testing.T) {
	m := New()
	parts := stages(8)
	parts[1].Kept = 20
	m.Plan(parts)
	step := m.Begin(clock(0), "documents", 8)
	step(clock(0), 2)
	if s := m.State(clock(0)); s.Phase != "documents" || s.Done != 2 || s.Total != 8 {
		t.Errorf("%+v", s)
	}
	labels := m.parts[1]
	if left := m.remaining(labels); math.Abs(left-4) > 0.5 {
		t.Errorf("%v calls are left, want 4", left)
	}

	m.Begin(clock(1), "labels, try 1", 24)
	step = m.Begin(clock(2), "labels, try 2", 3)
	step(clock(3), 1)
	if s := m.State(clock(3)); s.Phase != "labels, try 2" || s.Done != 1 || s.Total != 3 || len(m.parts) != 2 {
		t.Errorf("%+v", s)
	}
}
