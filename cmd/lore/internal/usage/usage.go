// Package usage is how the parts of lore speak to whoever runs it: requests that make
// no sense, warnings, and progress.
package usage

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"lore/cmd/lore/internal/meter"
	"lore/datasets"
	"lore/local/text"
)

// Error is a request that makes no sense; nothing was run.
type Error = datasets.UsageError

// Errorf words an Error.
func Errorf(format string, args ...any) error { return datasets.Usagef(format, args...) }

// Console is where warnings and progress go. The zero value says nothing.
type Console struct {
	out   io.Writer
	name  string                              // of the run that speaks, where there are several
	board *board                              // shows progress; nil: nobody does
	own   *meter.Meter                        // of a part of the command that is watched; nil: none is
	tell  func(phase string, done, total int) // is told of it; nil: nobody is
	said  *sync.Map                           // what is not said again; nil: everything is
}

// NewConsole speaks on w: warnings and notes a line each, and how far the command is if w is one of
// its Printers.
func NewConsole(w io.Writer) Console {
	c := Console{out: w}
	if p, ok := w.(*printer); ok {
		c.board = p.board
	}
	return c
}

// Warn prints what is odd but no reason to stop.
func (c Console) Warn(s string) { c.say("warning:", Caution, s) }

// Note prints what is good to know.
func (c Console) Note(s string) { c.say("note:", Heading, s) }

// Tell prints a line on what is being done, and reports whether it did: not where a bar says so, or
// where nobody wants to be told.
func (c Console) Tell(s string) bool {
	if c.out == nil || c.board != nil && c.board.shown() != Auto && c.board.shown() != Lines {
		return false
	}
	Paint(c.out, Piece{Text: Line(s) + "\n"})
	return true
}

// Shows reports whether somebody may be told how far the command is.
func (c Console) Shows() bool { return c.board != nil && c.board.shown() != None }

// say prints one line, however long it is: commands and paths in it are there to be copied.
func (c Console) say(prefix string, style Style, s string) {
	if c.said != nil {
		if _, before := c.said.LoadOrStore(s, true); before {
			return
		}
	}
	if c.out != nil {
		if c.name != "" {
			s = c.name + ": " + s
		}
		Paint(c.out, Piece{prefix, style}, Piece{Text: " " + Line(s) + "\n"})
	}
}

// Plan says what is to be done, before it begins. Phases that are started later are found by their
// names.
func (c Console) Plan(parts []meter.Part) {
	for i := range parts {
		parts[i].Name = Line(parts[i].Name)
	}
	if c.board != nil {
		c.board.wake()
	}
	c.each(func(m *meter.Meter) { m.Plan(parts) })
}

// Once is a console that says nothing twice, for runs that are made again and again.
func (c Console) Once() Console {
	c.said = &sync.Map{}
	return c
}

// Correct says that a phase which has not begun will have other steps than were planned.
func (c Console) Correct(phase string, was, is int) {
	c.each(func(m *meter.Meter) { m.Correct(Line(phase), was, is) })
}

// Start begins a phase of n steps and returns a function that is told how many are done.
func (c Console) Start(phase string, n int) func(done int) {
	phase = Line(phase)
	if c.board != nil {
		c.board.wake()
	}
	now := time.Now()
	var steps []func(time.Time, int)
	c.each(func(m *meter.Meter) { steps = append(steps, m.Begin(now, phase, n)) })
	if c.board != nil {
		c.board.first()
	}
	if c.tell != nil {
		c.tell(phase, 0, n)
	}

	return func(done int) {
		now := time.Now()
		for _, step := range steps {
			step(now, done)
		}
		if c.tell != nil {
			c.tell(phase, done, n)
		}
	}
}

// each does something to what counts how much is done.
func (c Console) each(do func(*meter.Meter)) {
	if c.board != nil {
		do(c.board.meter)
	}
	if c.own != nil {
		do(c.own)
	}
}

// Asking, Replied and Answered tell of calls to models, as a gate does.
func (c Console) Asking() { c.each(func(m *meter.Meter) { m.Asking(time.Now()) }) }

// Replied says that a model has ended its work on a call.
func (c Console) Replied() { c.each(func(m *meter.Meter) { m.Replied() }) }

// Answered says that a call has its answer, from a model that was asked or from disk.
func (c Console) Answered(asked, ok bool) {
	c.each(func(m *meter.Meter) { m.Answered(time.Now(), asked, ok) })
}

// Unusable says that a call was answered well by what is known of calls, and that nobody can use the answer.
func (c Console) Unusable() { c.each(func(m *meter.Meter) { m.Unusable() }) }

// Watched is the console of a part of the command, such as one of several runs. Somebody is told of
// every phase of it, and of what is done of it.
func (c Console) Watched(tell func(phase string, done, total int)) Console {
	c.own, c.tell = meter.New(), tell
	return c
}

// Named is the console of one run among several. Empty is that of a run alone. How far they are is
// shown for all of them together.
func (c Console) Named(run string) Console {
	c.name = run
	return c
}

// Beat has something done every few seconds while the command works.
func (c Console) Beat(do func()) {
	if c.board != nil {
		c.board.mu.Lock()
		defer c.board.mu.Unlock()
		c.board.beats = append(c.board.beats, do)
	}
}

// State is how far the watched part of the command is, with the time left for all of the command.
func (c Console) State() meter.State {
	s := meter.State{}
	now := time.Now()
	c.each(func(m *meter.Meter) {
		of := m.State(now)
		if m == c.own && c.board != nil {
			of.Left = s.Left
		}
		s = of
	})
	return s
}

// Plain makes text from outside safe to print; lines and tabs stay.
func Plain(s string) string { return text.Plain(s) }

// Line is Plain text in one line.
func Line(s string) string { return text.Line(s) }

// List splits a comma list. Blank parts are left out.
func List(s string) []string {
	var out []string
	for part := range strings.SplitSeq(s, ",") {
		if part = strings.TrimSpace(part); part != "" {
			out = append(out, part)
		}
	}
	return out
}

// Counted is a number with its noun.
func Counted(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
