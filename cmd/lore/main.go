// Lore evaluates long-form retrieval-augmented generation on one workstation.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"lore/cmd/lore/internal/report"
	"lore/cmd/lore/internal/run"
	"lore/datasets"
	"lore/embed"
	"lore/index/trec"
	"lore/local/ollama"
	"lore/local/system"
)

// Exit codes, as documented in the README and in `lore help exit-codes`.
const (
	exitOK          = 0
	exitError       = 1
	exitUsage       = 2
	exitPartial     = 3
	exitInput       = 4
	exitServer      = 5
	exitInterrupted = 130
)

// errPartial says that a run finished, but some items are unscored.
var errPartial = errors.New("some items are unscored")

func main() { os.Exit(Main(os.Args[1:], os.Stdout, os.Stderr)) }

// Main runs a command line and returns its exit code.
func Main(args []string, stdout, stderr io.Writer) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	signal.Ignore(syscall.SIGXFSZ) // a file-size limit is then an error of write, with a message
	root := newRoot(stdout, stderr)
	root.SetArgs(args)
	err := root.ExecuteContext(ctx)
	code := exitCode(ctx, err)
	switch code {
	case exitOK:
	case exitInterrupted:
		fmt.Fprintln(stderr, "lore: interrupted; finished work is saved, and the same command goes on from there")
	default:
		fmt.Fprintln(stderr, "lore: "+report.Plain(err.Error()))
	}
	return code
}

func exitCode(ctx context.Context, err error) int {
	var usage *run.UsageError
	var input *datasets.InputError
	var syntax *trec.SyntaxError
	var badModel *embed.ModelError
	switch {
	case err == nil:
		return exitOK
	case ctx.Err() != nil:
		return exitInterrupted
	case errors.Is(err, errPartial):
		return exitPartial
	case errors.As(err, &usage):
		return exitUsage
	case errors.As(err, &input), errors.As(err, &syntax), errors.As(err, &badModel):
		return exitInput
	case errors.Is(err, ollama.ErrUnreachable), errors.Is(err, ollama.ErrNoModel), errors.Is(err, system.ErrUnreachable):
		return exitServer
	}
	return exitError
}
