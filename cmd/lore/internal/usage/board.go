package usage

import (
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"lore/cmd/lore/internal/meter"
)

// Mode is how it is shown how far a command is.
type Mode string

// The modes. Without one a terminal has a bar, and a file has lines, unless all is done at once.
const (
	Auto  Mode = ""
	Bar   Mode = "bar"
	Lines Mode = "plain"
	JSON  Mode = "json"
	None  Mode = "none"
)

// Modes are those that people can name.
var Modes = []string{string(Bar), string(Lines), string(JSON), string(None)}

const (
	tick      = 250 * time.Millisecond // between two looks at how far it is
	beforeBar = time.Second            // what takes less has no bar
	before    = 10 * time.Second       // what takes less has no lines, unless somebody asks for them
	beat      = 5 * time.Second        // between two notes for whoever looks from outside

	often, seldom = 30 * time.Second, 5 * time.Minute // between two lines: a tenth of the time so far
	jsonIdle      = 10 * time.Second                  // between two lines of JSON where nothing happens
)

// board is what the printers of a command share. It shows how far the command is below what they
// print: they take its line away first, and it is drawn again.
type board struct {
	mu    sync.Mutex
	to    io.Writer // where it is shown
	file  *os.File  // the same if it is a terminal that can be drawn on; else nil
	mode  Mode
	meter *meter.Meter

	begun time.Time     // zero: nothing has
	stop  chan struct{} // ends the ticking; nil: it does not tick
	ended bool
	drawn int  // cells of the line on the screen
	torn  bool // what was printed last does not end its line

	said     time.Time // the last line
	saidOf   string    // its phase
	saidDone int       // and its steps
	beats    []func()
	beaten   time.Time
}

// Board is how far a command is, for whoever ends it.
type Board struct{ *board }

// Printers are for the results of a command, and for all else that it says. They show control
// characters instead of obeying them. Progress is shown where the latter goes, past its printer, and no
// more once there are results.
func Printers(stdout, stderr io.Writer) (out, errs io.Writer, b Board) {
	shared := &board{to: stderr, meter: meter.New()}
	if IsTerminal(stderr) {
		shared.file = terminal(stderr)
	}
	return &printer{to: stdout, board: shared, results: true}, &printer{to: stderr, board: shared}, Board{shared}
}

// SetMode says how progress is shown where w prints.
func SetMode(w io.Writer, name string) error {
	if !slices.Contains(Modes, name) {
		return Unknown("value of --progress", name, Modes)
	}
	p, ok := w.(*printer)
	if !ok || p.board == nil {
		return nil
	}
	if Mode(name) == Bar && p.board.file == nil {
		return Errorf("--progress bar needs a terminal; write --progress plain, or leave it out")
	}
	p.board.mode = Mode(name)
	return nil
}

// shown is the mode that a board has here.
func (b *board) shown() Mode {
	if b.mode == Auto && b.file != nil {
		return Bar
	}
	return b.mode
}

// wake begins to show how far it is.
func (b *board) wake() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.ended || b.stop != nil {
		return
	}
	b.begun = time.Now()
	b.beaten = b.begun
	b.stop = make(chan struct{})
	go b.ticking(b.stop)
}

func (b *board) ticking(stop <-chan struct{}) {
	t := time.NewTicker(tick)
	defer t.Stop()
	for {
		select {
		case <-stop:
			return
		case <-t.C:
			b.look(time.Now())
		}
	}
}

// look shows what is to be shown by now.
func (b *board) look(now time.Time) {
	state := b.meter.State(now)
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.ended {
		return
	}
	switch mode := b.shown(); {
	case mode == Bar:
		b.draw(now, state)
	case b.due(now, state):
		b.say(now, state)
	}

	if now.Sub(b.beaten) >= beat {
		b.beaten = now
		for _, f := range b.beats {
			f()
		}
	}
}

// first says where a command begins that was asked for lines.
func (b *board) first() {
	now := time.Now()
	state := b.meter.State(now)
	b.mu.Lock()
	defer b.mu.Unlock()
	if mode := b.shown(); !b.ended && b.said.IsZero() && (mode == Lines || mode == JSON) {
		b.say(now, state)
	}
}

// due tells whether a line is to be printed.
func (b *board) due(now time.Time, s meter.State) bool {
	since, another := now.Sub(b.said), s.Phase != b.saidOf
	switch b.shown() {
	case JSON:
		return another || since >= time.Second && s.Done != b.saidDone || since >= jsonIdle
	case Lines:
		return another || since >= b.pause(now)
	case Auto:
		return now.Sub(b.begun) >= before && !s.Over && (another || since >= b.pause(now))
	}
	return false
}

func (b *board) pause(now time.Time) time.Duration {
	return min(seldom, max(often, now.Sub(b.begun)/10))
}

// say prints a line.
func (b *board) say(now time.Time, s meter.State) {
	if b.torn {
		return
	}
	b.said, b.saidOf, b.saidDone = now, s.Phase, s.Done
	line := plainLine(now, s)
	if b.shown() == JSON {
		line = jsonLine(now, s, running)
	}
	io.WriteString(b.to, line)
}

// draw draws the bar's line, in place of the one that is there.
func (b *board) draw(now time.Time, s meter.State) {
	if b.torn || s.Over || now.Sub(b.begun) < beforeBar {
		return
	}
	screen := ScreenOf(b.file)
	if screen.Width == 0 {
		screen.Width = 80
	}
	line := barLine(s, screen)
	io.WriteString(b.to, b.wiped(screen.Width)+line)
	b.drawn = screen.Cells(line)
}

// wiped takes the line away that is on the screen. On a terminal that was made narrower it has
// become several.
func (b *board) wiped(width int) string {
	if b.drawn == 0 {
		return ""
	}
	up := ""
	if rows := (b.drawn - 1) / max(1, width); rows > 0 {
		up = fmt.Sprintf("\x1b[%dA", rows)
	}
	b.drawn = 0
	return "\r" + up + "\x1b[J"
}

// wipe leaves the screen without a line.
func (b *board) wipe() {
	if b.drawn > 0 {
		io.WriteString(b.to, b.wiped(ScreenOf(b.file).Width))
	}
}

// around lets text be printed. Results end what is shown.
func (b *board) around(text string, results bool, print func() error) error {
	if results {
		b.end(finished)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.wipe()
	err := print()
	if text != "" {
		b.torn = !strings.HasSuffix(text, "\n")
	}
	return err
}

// end shows no more.
func (b *board) end(how string) {
	now := time.Now()
	state := b.meter.State(now)
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.ended {
		return
	}
	b.ended = true
	b.wipe()
	if b.stop != nil {
		close(b.stop)
	}

	switch mode := b.shown(); {
	case b.said.IsZero():
	case mode == JSON:
		io.WriteString(b.to, jsonLine(now, state, how))
	case how == finished:
		io.WriteString(b.to, doneLine(now, state, now.Sub(b.begun)))
	}
}

// End takes the bar away, for whoever has something to say at the end.
func (b Board) End() { b.end(stopped) }

// State is how far the command is; ok is false where it has nothing to tell.
func (b Board) State() (s meter.State, ok bool) {
	b.mu.Lock()
	begun := !b.begun.IsZero()
	b.mu.Unlock()
	return b.meter.State(time.Now()), begun
}
