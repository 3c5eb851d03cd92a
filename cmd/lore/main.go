// Lore evaluates long-form retrieval-augmented generation on one workstation.
package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"lore/cmd/lore/internal/usage"
)

func main() { os.Exit(Main(os.Args[1:], os.Stdout, os.Stderr)) }

// interruptedText tells what is not lost: every finished model call is on disk, and files are put in
// place whole. What the built-in judge or a model in this process computes is made again.
const interruptedText = "lore: interrupted; finished calls to models and whole files are kept; " +
	"run the same command again to resume from them"

// Main runs a command line and returns its exit code.
func Main(args []string, stdout, stderr io.Writer) int {
	stdout, stderr = usage.Printer(stdout), usage.Printer(stderr)
	ctx, stop := interruptible(stderr)
	defer stop()
	signal.Ignore(syscall.SIGXFSZ) // a file-size limit is then an error of write, with a message
	root := newRoot(stdout, stderr)
	root.SetArgs(args)

	err := root.ExecuteContext(ctx)
	code := exitCode(ctx, err)
	switch code {
	case exitOK:
	case exitInterrupted:
		fmt.Fprintln(stderr, interruptedText)
	default:
		usage.Paint(stderr, usage.Piece{Text: "lore:", Style: usage.Failure},
			usage.Piece{Text: " " + strings.ReplaceAll(err.Error(), "\n", "\n      ") + "\n"})
	}
	return code
}

// grace is how long a command may take to stop by itself.
const grace = time.Second

// interruptible ends the context at the first signal to stop. A command that does not stop
// within the grace, because it is deep in a calculation, or that gets a second signal, is
// ended: work that is worth keeping is on disk at any time.
func interruptible(stderr io.Writer) (ctx context.Context, stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	signals := make(chan os.Signal, 2)
	done := make(chan struct{})
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)

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
		fmt.Fprintln(stderr, interruptedText)
		os.Exit(exitInterrupted)
	}()

	return ctx, func() {
		signal.Stop(signals)
		close(done)
		cancel()
	}
}
