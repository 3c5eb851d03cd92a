// Lore evaluates long-form retrieval-augmented generation on one workstation.
package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"lore/cmd/lore/internal/usage"
)

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
		fmt.Fprintln(stderr, "lore: interrupted; finished work is saved; run the same command again to resume")
	default:
		fmt.Fprintln(stderr, "lore: "+usage.Plain(err.Error()))
	}
	return code
}
