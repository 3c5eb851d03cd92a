package main

import (
	"errors"
	"io"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"lore/cmd/lore/internal/usage"
)

// version of this source tree.
const version = "0.1.0"

func newRoot(stdout, stderr io.Writer) *cobra.Command {
	root := &cobra.Command{
		Use:   "lore",
		Short: "Evaluate long-form retrieval-augmented generation on this machine",
		Long: "lore measures how well a retrieval-augmented system answers questions whose answer\n" +
			"is long and scattered over many documents. It runs on this machine: models are\n" +
			"served by Ollama, and without any model a built-in generator and judge do the job.",
		Example: "  lore run summhay\n" +
			"  lore run summhay topic_news1.json --generator ollama:qwen3:8b --judge lexical,ollama:qwen3:8b",
		Version:       versionText(),
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          needCommand,
		RunE:          func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	root.SetOut(stdout)
	root.SetErr(stderr)
	root.SetVersionTemplate("lore {{.Version}}\n")
	root.SetHelpFunc(printHelp)
	root.SetFlagErrorFunc(flagError)

	ofRun := newRun()
	root.AddCommand(ofRun, newStudy(), newRuns(), newView(), newReport(), newCompare(), newGate(), newScore(), newRetrieve(),
		newIndex(), newMeasure(),
		newJudge(), newLabel(), newData(), newBuild(), newPrompts(), newDoctor())
	root.AddCommand(pages(ofRun)...)
	root.SetHelpCommand(newHelp(root))
	completed(root)
	return root
}

// parent is a command that only holds others.
func parent(use, short, long, example string, below ...*cobra.Command) *cobra.Command {
	c := &cobra.Command{
		Use:     use + " COMMAND",
		Short:   short,
		Long:    long,
		Example: example,
		Args:    needCommand,
		RunE:    func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(below...)
	return c
}

// flagError words a flag that is not there with the nearest one that is, and a value that is none
// with what would be one.
func flagError(c *cobra.Command, err error) error {
	bad, ok := errors.AsType[*pflag.InvalidValueError](err)
	if ok && takes(bad.GetFlag().Value.Type()) != "" {
		return usage.Errorf("--%s takes %s, not %q; see `%s -h`", bad.GetFlag().Name, takes(bad.GetFlag().Value.Type()),
			bad.GetValue(), c.CommandPath())
	}
	hint := ""
	if name, unknown := strings.CutPrefix(err.Error(), "unknown flag: --"); unknown {
		var names []string
		c.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
		near := usage.Nearest(name, names)
		switch format := c.Flags().Lookup("format"); {
		case format != nil && slices.Contains(strings.Split(format.Usage, ", "), name):
			hint = "; did you mean --format " + name + "?"
		case near != "":
			hint = "; did you mean --" + near + "?"
		}
	}
	return usage.Errorf("%v%s; see `%s -h`", err, hint, c.CommandPath())
}

// takes words the values of a kind of flag; empty for kinds of our own.
func takes(kind string) string {
	switch kind {
	case "int", "int64", "uint", "uint64":
		return "a whole number"
	case "float64":
		return "a number"
	case "bool":
		return "true or false"
	case "duration":
		return "a time such as 30s or 5m"
	}
	return "" // its own error says it
}

// usageArgs makes a failed argument check a usage error, which says what the command takes.
func usageArgs(check cobra.PositionalArgs) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if check(c, args) == nil {
			return nil
		}
		_, takes, _ := strings.Cut(c.Use, " ")
		if takes == "" {
			return usage.Errorf("%s takes no arguments; see `%[1]s -h`", c.CommandPath())
		}
		return usage.Errorf("%s takes %s; see `%[1]s -h`", c.CommandPath(), takes)
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
