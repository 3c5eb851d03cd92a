package usage

import (
	"io"
	"os"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"
)

// bars draws a bar with the time left for every phase; nil if w is not a terminal.
func bars(w io.Writer) func(phase string, n int) func(done int) {
	f, ok := w.(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) {
		return nil
	}

	return func(phase string, n int) func(done int) {
		bar := progressbar.NewOptions(n,
			progressbar.OptionSetWriter(w),
			progressbar.OptionSetDescription(phase),
			progressbar.OptionShowCount(),
			progressbar.OptionSetPredictTime(true),
			progressbar.OptionSetElapsedTime(true),
			progressbar.OptionThrottle(100*time.Millisecond),
			progressbar.OptionFullWidth(),
			progressbar.OptionOnCompletion(func() { io.WriteString(w, "\n") }),
		)
		return func(done int) { _ = bar.Set(done) } // a bar that cannot be drawn is no reason to stop
	}
}

// Width is how many letters a line of a terminal has; 0 where w is none, or does not say.
func Width(w io.Writer) int {
	f, ok := w.(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) {
		return 0
	}
	width, _, err := term.GetSize(int(f.Fd()))
	if err != nil {
		return 0
	}
	return width
}
