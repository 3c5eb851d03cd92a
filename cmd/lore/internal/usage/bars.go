package usage

import (
	"io"
	"time"

	"github.com/schollz/progressbar/v3"
)

// bars draws a bar with the time left for every phase; nil if w is not a terminal.
func bars(w io.Writer) func(phase string, n int) func(done int) {
	f := terminal(w)
	if f == nil {
		return nil
	}

	return func(phase string, n int) func(done int) {
		bar := progressbar.NewOptions(n,
			progressbar.OptionSetWriter(f),
			progressbar.OptionSetDescription(phase),
			progressbar.OptionShowCount(),
			progressbar.OptionSetPredictTime(true),
			progressbar.OptionSetElapsedTime(true),
			progressbar.OptionThrottle(100*time.Millisecond),
			progressbar.OptionFullWidth(),
			progressbar.OptionOnCompletion(func() { io.WriteString(f, "\n") }),
		)
		return func(done int) { _ = bar.Set(done) } // a bar that cannot be drawn is no reason to stop
	}
}
