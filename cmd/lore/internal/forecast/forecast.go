// Package forecast says how long calls to models take, from some that were timed. It asks
// nobody: everything in it is a pure function of what was counted and timed.
//
// A call takes
//
//	New·(tokens that must be read) + Shared·(tokens that the call before begins with, too) +
//	Output·(tokens of the reply) + Call
//
// seconds in its slot. The factors are those that fit the timed calls of the model best, none
// of them below zero. Calls of a round are put into slots as the door does it: each goes into
// the first slot that is free. Ranges come from drawing the timed calls anew, and the replies'
// lengths with them (the bootstrap; Efron, 1979).
package forecast

import "time"

// Call is a call that is still to be made.
type Call struct {
	Prompt int // tokens of the prompt, by lore's count
	Shared int // of these, tokens that the call before begins with, too
	Limit  int // most tokens of the reply
	Round  int // calls of one round run together; the next round waits for them
}

// Reply is what is known of the length of a reply.
type Reply struct {
	Prompt  int // tokens of its prompt, by lore's count
	Counted int // tokens of its prompt, by the model's own count; 0: it does not say
	Output  int // tokens of the reply, thoughts included
}

// Try is a call that was timed.
type Try struct {
	Reply
	Shared  int           // of Prompt, tokens that the call before begins with, too
	Took    time.Duration // from sending to the last byte, without loading
	Reading time.Duration // of the prompt, where the server tells it
	Writing time.Duration // of the reply, where the server tells it
}

// Work is what one model is asked in one phase.
type Work struct {
	Phase, Model string
	Finished     int    // calls that need not be made: their replies are there
	Tried        int    // of these, calls that were made to be timed
	Calls        []Call // to be made, in their order
	MadeUp       int    // of the calls, those about replies that are not there yet
	Compared     []Compared
	Replies      []Reply // that are there, timed or not
	Tries        []Try
	Untimed      bool // the model is never asked by an estimate
}

// Compared is how many calls a reply has led to, and how many a stand-in in its place.
type Compared struct{ Really, MadeUp int }

// alike is how many calls that came out alike are added to those compared, so that a few do not
// decide about all.
const alike = 20

// scale is how many calls will be made for one that is listed: those about replies that are not
// there yet are as many more or fewer as they were where both was seen.
func (w Work) scale(compared []Compared) float64 {
	really, madeUp := 0, 0
	for _, c := range compared {
		really, madeUp = really+c.Really, madeUp+c.MadeUp
	}
	if len(compared) == 0 || len(w.Calls) == 0 {
		return 1
	}
	share := float64(w.MadeUp) / float64(len(w.Calls))
	return 1 - share + share*float64(really+alike)/float64(madeUp+alike)
}

// Count is how many calls are to be made, rounded.
func (w Work) Count() int { return int(w.scale(w.Compared)*float64(len(w.Calls)) + 0.5) }

// Encoding are texts, or pairs of texts, for a model that runs in lore itself or gives vectors.
type Encoding struct {
	Phase, Model string
	Texts, Bytes int       // that are to be computed
	Rates        []float64 // seconds a byte, of some that were timed
}

// Here is the time of a phase that needs no model, as it was measured.
type Here struct {
	Phase string
	Took  time.Duration
}

// Range is a time with its 5th and 95th percentile.
type Range struct {
	Low, Expected, High time.Duration
}

// plus adds ranges that are not independent: they share their models.
func (r Range) plus(s Range) Range {
	return Range{r.Low + s.Low, r.Expected + s.Expected, r.High + s.High}
}

// Line is what one model takes in one phase.
type Line struct {
	Phase, Model string
	Finished     int
	Tried        int
	Calls        int
	Texts        int  // of an encoder
	Prompt       int  // tokens of the calls' prompts
	Counted      bool // by the model's own count
	Output       int  // tokens of the replies, as many as are expected
	Most         int  // tokens of the replies if all reach their limit
	Time         *Range
	Longest      time.Duration // if all replies reach their limit; 0 where nobody knows
}

// Estimate is what work takes.
type Estimate struct {
	Lines    []Line
	Total    Range
	Longest  time.Duration // if all replies reach their limit
	Loads    Range         // of the models, within Total
	Here     time.Duration // of what needs no model, within Total
	Phases   []Here        // the same by phase
	Unknown  []string      // models whose time nobody knows
	Measured map[string]Speed
}
