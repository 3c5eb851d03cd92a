package main

import (
	"fmt"
	"io"
	"runtime/debug"

	"github.com/spf13/cobra"

	"lore/cmd/lore/internal/run"
)

// version of this source tree.
const version = "0.1.0"

const exitHelp = `lore ends with one of these codes:

  0    all went well
  1    an error that none of the others names
  2    the command line makes no sense; nothing was done
  3    the run finished, but some items are unscored; the table counts them
  4    an input file is missing or malformed; the message names file and place
  5    the model server, or a system of --system, cannot be reached, or the server lacks the model
  130  interrupted; finished work is saved and the same command goes on from there
`

func newRoot(stdout, stderr io.Writer) *cobra.Command {
	root := &cobra.Command{
		Use:   "lore",
		Short: "Evaluate long-form retrieval-augmented generation on this machine",
		Long: "lore measures how well a retrieval-augmented system answers questions whose answer\n" +
			"is long and scattered over many documents. It runs on this machine: models are\n" +
			"served by Ollama, and without any model a built-in generator and judge do the job.",
		Example:       "  lore run summhay\n  lore run summhay topic_news1.json --generator ollama:qwen3:8b --judge lexical,ollama:qwen3:8b",
		Version:       versionText(),
		SilenceErrors: true,
		SilenceUsage:  true,
	}
	root.SetOut(stdout)
	root.SetErr(stderr)
	root.SetVersionTemplate("lore {{.Version}}\n")
	root.SetFlagErrorFunc(func(c *cobra.Command, err error) error {
		return &run.UsageError{Msg: fmt.Sprintf("%v; see `%s -h`", err, c.CommandPath())}
	})
	root.Args = needCommand
	root.RunE = func(c *cobra.Command, _ []string) error { return c.Help() }
	root.AddCommand(newRun(), newReport(), newCompare(), newScore(), newRetrieve(), newMeasure(), newJudge(), newData(), newBuild(), newDoctor(), &cobra.Command{Use: "exit-codes", Short: "What the exit codes mean", Long: exitHelp})
	return root
}

func needCommand(c *cobra.Command, args []string) error {
	if len(args) > 0 {
		return &run.UsageError{Msg: fmt.Sprintf("unknown command %q; see `lore -h`", args[0])}
	}
	return nil
}

// usageArgs makes a failed argument check a usage error.
func usageArgs(check cobra.PositionalArgs) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if err := check(c, args); err != nil {
			return &run.UsageError{Msg: fmt.Sprintf("%v; see `%s -h`", err, c.CommandPath())}
		}
		return nil
	}
}

// versionText adds the revision the binary was built from, where it is known.
func versionText() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return version
	}
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" && len(s.Value) >= 12 {
			return version + " (" + s.Value[:12] + ")"
		}
	}
	return version
}
