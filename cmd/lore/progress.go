package main

import (
	"io"
	"os"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"

	"lore/cmd/lore/internal/run"
)

// newProgress draws bars with the time left if w is a terminal, and nothing
// otherwise.
func newProgress(w io.Writer) run.Progress {
	f, ok := w.(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) {
		return silent{}
	}
	return bars{w}
}

type silent struct{}

func (silent) Start(string, int) func(int) { return func(int) {} }

type bars struct{ w io.Writer }

func (b bars) Start(phase string, n int) func(int) {
	bar := progressbar.NewOptions(n, progressbar.OptionSetWriter(b.w), progressbar.OptionSetDescription(phase), progressbar.OptionShowCount(),
		progressbar.OptionSetPredictTime(true), progressbar.OptionSetElapsedTime(true), progressbar.OptionThrottle(100*time.Millisecond),
		progressbar.OptionFullWidth(), progressbar.OptionOnCompletion(func() { io.WriteString(b.w, "\n") }))
	return func(done int) { _ = bar.Set(done) } // a bar that cannot be drawn is no reason to stop
}
