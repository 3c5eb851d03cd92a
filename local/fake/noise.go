package fake

import (
	"fmt"
	"hash/fnv"
	"strings"

	"lore/local"
)

// Noise is how a model that answers by rule is made to fall short, as real ones do. All are
// shares from 0 to 1. What happens depends on the seed and on what is asked alone, so that
// a build comes out the same in whatever order it asks.
type Noise struct {
	Seed uint64

	// Of what it writes.
	Forget  float64 // statements that it was to write and leaves out
	Leak    float64 // statements that it was not to write and writes
	Near    float64 // of what it leaves out: statements of which it says something without the particulars
	Reword  float64 // statements that it puts into words of its own
	Verbose float64 // texts that are twice as long as asked for
	Format  float64 // replies that do not keep to their schema
	Cut     float64 // replies that end at half their length

	// Of what it says about statements, each time anew.
	Agree float64 // yes, where the truth is no
	Deny  float64 // no, where the truth is yes

	// Of statements, on which it errs in every text, however it is asked.
	Wrong    float64 // it says the opposite of the truth
	Blind    float64 // it always says no
	Gullible float64 // it always says yes
}

// Chance is a number in [0,1) that a key always has.
func (n Noise) Chance(key ...any) float64 {
	h := fnv.New64a()
	_, _ = fmt.Fprintf(h, "%d", n.Seed) // a hash takes all
	for _, k := range key {
		_, _ = fmt.Fprintf(h, "\x00%v", k)
	}
	x := h.Sum64() // whose high bits vary little with the last letters
	x = (x ^ x>>33) * 0xff51afd7ed558ccd
	x = (x ^ x>>33) * 0xc4ceb9fe1a85ec53
	return float64((x^x>>33)>>11) / (1 << 53)
}

// Happens reports whether something that happens at this rate happens.
func (n Noise) Happens(rate float64, key ...any) bool { return rate > 0 && n.Chance(key...) < rate }

// Says is what the model says of a statement: truth is whether it is so, and key is what was
// asked, for errors that are made anew each time.
func (n Noise) Says(truth bool, statement string, key ...any) bool {
	switch x := n.Chance("statement", statement); {
	case x < n.Wrong:
		return !truth
	case x < n.Wrong+n.Blind:
		return false
	case x < n.Wrong+n.Blind+n.Gullible:
		return true
	}

	rate := n.Agree
	if truth {
		rate = n.Deny
	}
	return truth != n.Happens(rate, append([]any{"says", statement}, key...)...)
}

// Errs reports whether the model errs on a statement in every text.
func (n Noise) Errs(statement string) bool {
	return n.Happens(n.Wrong+n.Blind+n.Gullible, "statement", statement)
}

// Reply is a reply with the faults of its form.
func (n Noise) Reply(text string, call local.Call) local.Reply {
	key := Key(call)
	switch {
	case n.Happens(n.Cut, "cut", key):
		r := local.Fail(local.Cut, "fake: output limit")
		r.Text = text[:len(text)/2]
		return r
	case len(call.Schema) > 0 && n.Happens(n.Format, "format", key):
		return Text("Here is what you asked for: " + strings.NewReplacer("{", "", "}", "").Replace(text))
	}
	return Text(text)
}

// Key tells calls apart by what is asked, and by what a sampling model draws anew.
func Key(call local.Call) string {
	var b strings.Builder
	for _, m := range call.Messages {
		b.WriteString(m.Content)
		b.WriteByte(0)
	}
	fmt.Fprint(&b, call.Options.Seed, call.Sample)
	return b.String()
}

// Writing is how a fair model writes, and Noises are models that write so and check in other
// ways, by name: those with which builds are tried.
var (
	Writing = Noise{Forget: 0.08, Leak: 0.002, Near: 0.5, Reword: 0.5}

	Noises = []Named{
		{"perfect", func(*Noise) {}},
		{"wrong on 5 % of statements", func(n *Noise) { n.Wrong = 0.05 }},
		{"wrong on 15 % of statements", func(n *Noise) { n.Wrong = 0.15 }},
		{"blind to 5 % of statements", func(n *Noise) { n.Blind = 0.05 }},
		{"gullible on 5 % of statements", func(n *Noise) { n.Gullible = 0.05 }},
		{"5 % of answers wrong", func(n *Noise) { n.Agree, n.Deny = 0.05, 0.05 }},
		{"15 % of answers wrong", func(n *Noise) { n.Agree, n.Deny = 0.15, 0.15 }},
		{"a quarter forgotten", func(n *Noise) { n.Forget = 0.25 }},
		{"leaks in each text", func(n *Noise) { n.Leak = 0.015 }},
		{"5 % of replies without form", func(n *Noise) { n.Format = 0.05 }},
		{"5 % of replies cut", func(n *Noise) { n.Cut = 0.05 }},
		{"a third of the texts too long", func(n *Noise) { n.Verbose = 0.33 }},
		{"always yes", func(n *Noise) { n.Agree = 1 }},
		{"always no", func(n *Noise) { n.Deny = 1 }},
		{"garbage", func(n *Noise) { n.Format = 1 }},
	}
)

// Named is a change of a noise.
type Named struct {
	Name   string
	Change func(*Noise)
}

// Of is the noise of a model that writes fairly.
func (n Named) Of(seed uint64) Noise {
	out := Writing
	out.Seed = seed
	n.Change(&out)
	return out
}
