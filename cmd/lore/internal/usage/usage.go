// Package usage is how the parts of lore speak to whoever runs it: requests that make
// no sense, warnings, and progress.
package usage

import (
	"fmt"
	"io"
	"strings"
	"sync"

	"lore/datasets"
	"lore/local/text"
)

// Error is a request that makes no sense; nothing was run.
type Error = datasets.UsageError

// Errorf words an Error.
func Errorf(format string, args ...any) error { return datasets.Usagef(format, args...) }

// Console is where warnings and progress go. The zero value says nothing.
type Console struct {
	out  io.Writer
	bar  func(phase string, n int) func(done int)
	name string    // of the run that speaks, where there are several
	said *sync.Map // what is not said again; nil: everything is
}

// NewConsole speaks on w: warnings and notes a line each, and bars if w is a terminal.
func NewConsole(w io.Writer) Console { return Console{out: w, bar: bars(w)} }

// Warn prints what is odd but no reason to stop.
func (c Console) Warn(s string) { c.say("warning:", Caution, s) }

// Note prints what is good to know.
func (c Console) Note(s string) { c.say("note:", Heading, s) }

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

// Start begins a phase of n steps and returns a function that is told how many are done.
func (c Console) Start(phase string, n int) func(done int) {
	if c.bar == nil {
		return func(int) {}
	}
	return c.bar(Line(phase), n)
}

// Once is a console that says nothing twice, for runs that are made again and again.
func (c Console) Once() Console {
	c.said = &sync.Map{}
	return c
}

// Watched is the console with somebody who is told of every phase, and of what is done of it.
func (c Console) Watched(tell func(phase string, done, total int)) Console {
	drawn := c
	c.bar = func(phase string, n int) func(done int) {
		tell(phase, 0, n)
		step := drawn.Start(phase, n)
		return func(done int) {
			tell(phase, done, n)
			step(done)
		}
	}
	return c
}

// Named is the console of one run among several. Empty is that of a run alone.
func (c Console) Named(run string) Console {
	named := c
	named.name = run
	if run != "" && c.bar != nil {
		named.bar = func(phase string, n int) func(done int) { return c.bar(run+": "+phase, n) }
	}
	return named
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
