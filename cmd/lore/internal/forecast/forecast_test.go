package forecast

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"
)

// known are the true speeds of a model in these tests.
var known = Speed{New: 0.002, Shared: 0.0003, Output: 0.03, Call: 0.05, Tokens: 1.3, Extra: 20}

// timedCall is a call as that model would take it.
func timedCall(r *rand.Rand, told bool) Try {
	c := Call{Prompt: 200 + r.IntN(3000)}
	c.Shared = r.IntN(c.Prompt)
	output := 10 + r.IntN(300)
	t := Try{Shared: c.Shared, Took: duration(known.Seconds(c, float64(output)))}
	t.Reply = Reply{Prompt: c.Prompt, Counted: int(known.Prompt(c.Prompt)), Output: output}
	if told {
		prompt := known.Prompt(c.Prompt)
		shared := known.Tokens * float64(c.Shared)
		t.Reading = duration(known.New*(prompt-shared) + known.Shared*shared)
		t.Writing = duration(known.Output * float64(output))
	}
	return t
}

// The speeds of a model are found again from calls that were timed, whether or not the server says
// how long it read and wrote.
func TestMeasureFindsTheSpeeds(t *testing.T) {
	for _, told := range []bool{true, false} {
		r := rand.New(rand.NewPCG(1, 2))
		var tries []Try
		var replies []Reply
		for range 40 {
			one := timedCall(r, told)
			tries, replies = append(tries, one), append(replies, one.Reply)
		}
		got := Count(replies).Measure(tries)
		for name, pair := range map[string][2]float64{
			"new": {got.New, known.New}, "shared": {got.Shared, known.Shared}, "output": {got.Output, known.Output},
			"call": {got.Call, known.Call}, "tokens": {got.Tokens, known.Tokens},
		} {
			if math.Abs(pair[0]-pair[1]) > 0.05*pair[1] {
				t.Errorf("told %t: %s is %g, measured %g", told, name, pair[1], pair[0])
			}
		}
	}
}

// No factor is below zero, however odd the times are; none is invented from nothing.
func TestSolveIsNotNegative(t *testing.T) {
	x := solve([][]float64{{1, 2}, {2, 1}, {3, 3}}, []float64{1, 5, 6})
	if x[0] < 0 || x[1] < 0 {
		t.Errorf("%v", x)
	}
	if x := solve([][]float64{{1, 10}, {1, 20}}, []float64{5, 1}); x[1] != 0 || math.Abs(x[0]-3) > 1e-6 {
		t.Errorf("a cost that falls with length: %v, want [3 0]", x)
	}
	if s := (Speed{Tokens: 1}).Measure(nil); s.New != 0 || s.Call != 0 {
		t.Errorf("nothing was timed: %+v", s)
	}
}

// Calls go into the first slot that is free, in their order.
func TestMakespan(t *testing.T) {
	for _, c := range []struct {
		seconds []float64
		slots   int
		want    float64
	}{
		{nil, 2, 0},
		{[]float64{1, 2, 3}, 1, 6},
		{[]float64{1, 2, 3}, 2, 4},
		{[]float64{3, 1, 1, 1}, 2, 3},
		{[]float64{1, 1, 1, 3}, 2, 4},
		{[]float64{1, 2}, 8, 2},
		{[]float64{1, 2}, 0, 3},
	} {
		if got := Makespan(c.seconds, c.slots); got != c.want {
			t.Errorf("%v in %d slots take %g, want %g", c.seconds, c.slots, got, c.want)
		}
	}
}

// Ranges hold the true time about as often as they say, 9 times in 10: over machines and draws of
// what is timed.
func TestRangesHoldTheTruth(t *testing.T) {
	const trials = 60
	held := 0
	for n := range trials {
		r := rand.New(rand.NewPCG(uint64(n), 7))
		w := Work{Phase: "generate", Model: "m"}
		for range 10 {
			one := timedCall(r, true)
			w.Tries, w.Replies = append(w.Tries, one), append(w.Replies, one.Reply)
		}
		var took []float64
		for range 200 {
			c := Call{Prompt: 200 + r.IntN(3000), Limit: 4096}
			w.Calls = append(w.Calls, c)
			took = append(took, known.Seconds(c, float64(10+r.IntN(300))))
		}
		est := Predict([]Work{w}, nil, nil, Settings{Slots: 3, Seed: uint64(n)})
		truth := duration(Makespan(took, 3))
		if est.Total.Low <= truth && truth <= est.Total.High {
			held++
		}
		if est.Total.Low > est.Total.Expected || est.Total.Expected > est.Total.High || est.Longest < est.Total.High {
			t.Fatalf("out of order: %+v, longest %s", est.Total, est.Longest)
		}
	}
	if held < trials*8/10 {
		t.Errorf("%d of %d ranges hold the truth", held, trials)
	}
}

// What is finished takes no time, rounds wait for each other, and what nobody has timed is not in
// the total but named.
func TestPredictCountsWhatIsLeft(t *testing.T) {
	try := Try{Took: time.Second, Reply: Reply{Prompt: 100, Counted: 100, Output: 10}}
	call := Call{Prompt: 100, Limit: 10}
	later := call
	later.Round = 1
	works := []Work{
		{Phase: "a", Model: "done", Finished: 9, Tries: []Try{try, try}},
		{Phase: "b", Model: "m", Calls: []Call{call, later}, Tries: []Try{try, try}, Replies: []Reply{try.Reply}},
		{Phase: "c", Model: "asked by nobody", Calls: []Call{call}, Untimed: true},
	}
	est := Predict(works, nil, []Here{{"a", time.Second}}, Settings{Slots: 4})
	if got := est.Total.Expected.Seconds(); math.Abs(got-3) > 0.2 {
		t.Errorf("two rounds of a second, and one here: %.2f s", got)
	}
	if len(est.Unknown) != 1 || est.Unknown[0] != "asked by nobody" {
		t.Errorf("unknown: %v", est.Unknown)
	}
	if l := est.Lines[0]; l.Finished != 9 || l.Calls != 0 || l.Time != nil {
		t.Errorf("%+v", l)
	}
}

// Calls about replies that are not there are corrected by those that are; a few change little.
func TestScaleComparesWithWhatCame(t *testing.T) {
	w := Work{Calls: make([]Call, 100), MadeUp: 50}
	if got := w.scale(nil); got != 1 {
		t.Errorf("nothing to compare with: %g", got)
	}
	many := []Compared{{Really: 2000, MadeUp: 1000}}
	if got := w.scale(many); got < 1.48 || got > 1.5 {
		t.Errorf("twice as many for half of the calls: %g", got)
	}
	if got := w.scale([]Compared{{Really: 0, MadeUp: 5}}); got < 0.85 {
		t.Errorf("five calls decide: %g", got)
	}
}

// Models are loaded once where the server keeps them, and at every change where it does not.
func TestLoads(t *testing.T) {
	call := []Call{{Prompt: 1, Limit: 1}}
	works := []Work{{Model: "a", Calls: call}, {Model: "b", Calls: call}, {Model: "a", Calls: call}}
	loads := map[string]time.Duration{"a": time.Second, "b": 10 * time.Second}
	for _, c := range []struct {
		loaded []string
		want   Range
	}{
		{nil, Range{11 * time.Second, 12 * time.Second, 12 * time.Second}},
		{[]string{"a"}, Range{10 * time.Second, 11 * time.Second, 12 * time.Second}},
		{[]string{"a", "b"}, Range{0, 0, 12 * time.Second}},
	} {
		if got := Predict(works, nil, nil, Settings{Slots: 1, Loads: loads, Loaded: c.loaded}).Loads; got != c.want {
			t.Errorf("loaded %v: %+v, want %+v", c.loaded, got, c.want)
		}
	}
}

// Encoders are extrapolated by the bytes of their texts.
func TestEncodings(t *testing.T) {
	e := Encoding{Phase: "retrieve", Model: "e", Texts: 10, Bytes: 1000, Rates: []float64{0.001, 0.003}}
	est := Predict(nil, []Encoding{e}, nil, Settings{Slots: 1})
	if r := est.Lines[0].Time; r == nil || r.Low < 900*time.Millisecond || r.High > 3100*time.Millisecond {
		t.Errorf("%+v", r)
	}
}
