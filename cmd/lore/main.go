// Lore evaluates long-form retrieval-augmented generation on one workstation.
package main

import (
	"context"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"lore/cmd/lore/internal/usage"
)

func main() { os.Exit(Main(os.Args[1:], os.Stdout, os.Stderr)) }

// Main runs a command line and returns its exit code.
func Main(args []string, stdout, stderr io.Writer) int {
	stdout, stderr, board := usage.Printers(stdout, stderr)
	end := &farewell{stderr: stderr, board: board, args: args}
	ctx, stop := interruptible(end.interrupted)
	defer stop()
	defer board.End()
	signal.Ignore(syscall.SIGXFSZ) // a file-size limit is then an error of write, with a message
	root := newRoot(stdout, stderr)
	root.SetArgs(args)

	err := root.ExecuteContext(ctx)
	code := exitCode(ctx, err)
	switch code {
	case exitOK:
	case exitInterrupted:
		end.interrupted()
	default:
		board.End()
		usage.Paint(stderr, usage.Piece{Text: "lore:", Style: usage.Failure},
			usage.Piece{Text: " " + strings.ReplaceAll(err.Error(), "\n", "\n      ") + "\n"})
	}
	return code
}

// grace is how long a command may take to stop by itself.
const grace = time.Second

// interruptible ends the context at the first signal to stop. A command that does not stop
// within the grace, because it is deep in a calculation, or that gets a second signal, is
// ended, with what say says: work that is worth keeping is on disk at any time.
func interruptible(say func()) (ctx context.Context, stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	signals := make(chan os.Signal, 2)
	done := make(chan struct{})
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	if !signal.Ignored(syscall.SIGHUP) { // nohup wants the command to go on without its terminal
		signal.Notify(signals, syscall.SIGHUP)
	}

	go func() {
		select {
		case <-signals:
			cancel()
		case <-done:
			return
		}

		select {
		case <-signals:
		case <-time.After(grace):
		case <-done:
			return
		}
		say()
		os.Exit(exitInterrupted)
	}()

	return ctx, func() {
		signal.Stop(signals)
		close(done)
		cancel()
	}
}
