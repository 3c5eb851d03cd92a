package meter

import (
	"testing"
	"time"
)

func TestWords(t *testing.T) {
	for d, want := range map[time.Duration]string{
		0:                                     "1 s",
		7400 * time.Millisecond:               "7 s",
		43 * time.Second:                      "45 s",
		59 * time.Second:                      "1 min",
		89 * time.Second:                      "1 min",
		13*time.Minute + 31*time.Second:       "14 min",
		43 * time.Minute:                      "45 min",
		59*time.Minute + 40*time.Second:       "1 h",
		2*time.Hour + 8*time.Minute:           "2 h 10 min",
		2*time.Hour + 56*time.Minute:          "3 h",
		53*time.Hour + 10*time.Minute:         "2 d 5 h",
		47*time.Hour + 45*time.Minute:         "2 d",
		24*9*time.Hour + 20*time.Minute:       "9 d",
		19*time.Minute + 59*time.Second:       "20 min",
		57*time.Second + 600*time.Microsecond: "55 s",
	} {
		if got := Words(d); got != want {
			t.Errorf("%s: %q, want %q", d, got, want)
		}
	}
}

func TestLeftWords(t *testing.T) {
	const s, m, h = time.Second, time.Minute, time.Hour
	for _, c := range []struct {
		left Left
		want string
	}{
		{Left{}, ""},
		{Left{Least: true}, ""},
		{Left{Known: true, Least: true, Low: 5 * m, High: 9 * m}, "at least 5 min left"},
		{Left{Known: true, Low: 2 * s, High: 8 * s}, "a few seconds left"},
		{Left{Known: true, Low: 0, High: 30 * s}, "up to 30 s left"},
		{Left{Known: true, Low: 125 * m, High: 135 * m}, "about 2 h 10 min left"},
		{Left{Known: true, Low: 40 * m, High: 80 * m}, "40 min to 1 h 20 min left"},
		{Left{Known: true, Low: 2 * h, High: 3 * h}, "2 to 3 h left"},
		{Left{Known: true, Low: 62 * m, High: 150 * m}, "1 to 2.5 h left"},
	} {
		if got := c.left.String(); got != c.want {
			t.Errorf("%+v: %q, want %q", c.left, got, c.want)
		}
	}
}

// clock makes times of seconds.
func clock(seconds float64) time.Time {
	return time.Unix(1e9, 0).Add(time.Duration(seconds * float64(time.Second)))
}

// What nobody has planned has a share of its phase, and at least the time of that.
func TestUnplanned(t *testing.T) {
	m := New()
	if s := m.State(clock(0)); s != (State{Left: Left{Least: true}}) {
		t.Errorf("%+v before anything", s)
	}
	step := m.Begin(clock(0), "claims", 20)
	for i := range 10 {
		step(clock(float64(i+1)*6), i+1)
	}
	s := m.State(clock(60))
	if s.Planned || s.Share != 0.5 || s.Done != 10 || s.Total != 20 || s.Left.String() != "at least 55 s left" {
		t.Errorf("%+v, %s", s, s.Left)
	}
}

// What is read from disk counts as done, and says nothing of the time.
func TestOnlyRead(t *testing.T) {
	m := New()
	m.Plan([]Part{{Name: "generate", Model: "a", Steps: 1000, Weight: 10}})
	step := m.Begin(clock(0), "generate", 1000)
	for i := range 600 {
		m.Answered(time.Time{}, false, true)
		step(clock(float64(i)/1000), i+1)
	}
	if s := m.State(clock(0.6)); s.Share != 0.6 || s.Left.String() != "" || s.Kept != 600 {
		t.Errorf("%+v, %s", s, s.Left)
	}
}

// Parts of a name are those of several runs, and are shown as one; what was planned of an earlier
// phase and never came is left out, and numbers of steps are corrected.
func TestSeveralRuns(t *testing.T) {
	m := New()
	m.Plan([]Part{{Name: "embed", Steps: 50}, {Name: "judge", Model: "a", Steps: 5, Phase: 5, Weight: 1}})
	m.Plan([]Part{{Name: "judge", Model: "a", Steps: 5, Phase: 5, Weight: 1}})
	m.Correct("judge", 5, 10)
	one := m.Begin(clock(0), "judge", 10)
	one(clock(10), 10)
	if s := m.State(clock(10)); s.Done != 10 || s.Total != 15 || s.Over {
		t.Errorf("%+v", s)
	}
	m.Correct("judge", 5, 30)
	two := m.Begin(clock(10), "judge", 30)
	for i := range 15 {
		two(clock(float64(11+i)), i+1)
	}
	if s := m.State(clock(25)); s.Done != 25 || s.Total != 40 || s.Left.String() != "about 15 s left" || s.Over {
		t.Errorf("%+v, %s", s, s.Left)
	}
}

// A time goes down while a step is awaited, and up when it takes far too long.
func TestWaiting(t *testing.T) {
	m := New()
	m.Plan([]Part{{Name: "generate", Model: "a", Steps: 10, Weight: 1}})
	step := m.Begin(clock(0), "generate", 10)
	for i := range 6 {
		step(clock(float64(i+1)*60), i+1)
	}
	at, later, late := m.State(clock(360)).Left, m.State(clock(400)).Left, m.State(clock(1500)).Left
	if later.High >= at.High || late.High <= at.High || late.Low > at.Low {
		t.Errorf("%+v, then %+v, then %+v", at, later, late)
	}
}
