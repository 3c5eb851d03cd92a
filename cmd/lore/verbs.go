package main

import (
	"cmp"
	"errors"
	"flag"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"lore/cmd/lore/internal/models"
	"lore/cmd/lore/internal/pipeline"
	"lore/cmd/lore/internal/report"
	"lore/cmd/lore/internal/usage"
	"lore/cmd/lore/internal/workshop"
	"lore/datasets"
	"lore/datasets/all"
	"lore/datasets/stage"
	"lore/local/files"
	"lore/local/ollama"
	"lore/local/openai"
	"lore/local/text"
)

// verbFlags are the flags of verbs besides their own, as far as a verb needs them.
type verbFlags struct {
	modelFlags
	judgeFlags
	searchFlags
	estimateFlags
	model, writer, checker, retriever, rerank string

	writing, checking stage.Decoding
	tries             int

	out, format string
	json        bool
}

// commands makes a command of every verb of a kind: one per benchmark, with its further
// jobs below it.
func commands(kind datasets.Kind) []*cobra.Command {
	var out []*cobra.Command
	for _, e := range all.Entries {
		var main *cobra.Command
		var below []*cobra.Command
		for _, v := range e.Verbs {
			switch {
			case v.Kind != kind:
			case v.Name == "":
				main = newVerb(e, v)
			default:
				below = append(below, newVerb(e, v))
			}
		}
		if main != nil {
			main.AddCommand(below...)
			out = append(out, main)
		}
	}
	return out
}

// newVerb makes a command of a verb.
func newVerb(e all.Entry, v datasets.Verb) *cobra.Command {
	var f verbFlags
	name := v.Name
	if name == "" {
		name = e.Name()
	}

	var job datasets.Job
	c := &cobra.Command{
		Use:     strings.TrimSpace(name + " " + v.Args),
		Short:   v.Short,
		Long:    v.Long,
		Example: v.Example,
		Args:    usageArgs(arity(v)),
		RunE: func(c *cobra.Command, args []string) error {
			return carryOut(c, e, v, f, job, args)
		},
	}

	own := newFlags(name)
	job = v.New(own)
	group(c, dataFlags, func(fl *pflag.FlagSet) { fl.AddGoFlagSet(own) })
	f.add(c, v)
	return c
}

func arity(v datasets.Verb) cobra.PositionalArgs {
	if v.Most < 0 {
		return cobra.MinimumNArgs(v.Least)
	}
	return cobra.RangeArgs(v.Least, v.Most)
}

// needs reports whether a verb needs something.
func needs(v datasets.Verb, n datasets.Needs) bool { return v.Needs&n != 0 }

func (f *verbFlags) add(c *cobra.Command, v datasets.Verb) {
	writer, judge := needs(v, datasets.NeedsWriter), needs(v, datasets.NeedsJudge)
	search := needs(v, datasets.NeedsSearch)
	if search {
		group(c, systemFlags, func(fl *pflag.FlagSet) {
			namesVar(fl, &f.retriever, "retriever", retrieverNames, "bm25", "finds documents; see lore help retrievers")
			fl.StringVar(&f.rerank, "rerank", "", "stages that rerank what was found, as after \">\" in --retriever")
		})
	}
	if search || needs(v, datasets.NeedsVectors) {
		f.searchFlags.add(c)
	}
	if judge {
		def, help := lexicalJudge, "judge that grades: "+judgeHelp
		if v.Kind == datasets.Analyse {
			def, help = "", "comma-separated judges to use instead of what is recorded: "+judgeHelp
		}
		f.judgeFlags.add(c, def, help)
	}

	if writer {
		group(c, modelsFlags, func(fl *pflag.FlagSet) {
			spec := []string{ollama.BackendName + ":", openai.BackendName + ":"}
			namesVar(fl, &f.model, "model", spec, "", "model that writes and checks: ollama:NAME or openai:NAME")
			namesVar(fl, &f.writer, "writer", spec, "", "model that writes (default: --model)")
			namesVar(fl, &f.checker, "checker", spec, "", "model that checks (default: --model)")
			fl.Float64Var(&f.writing.Temperature, "temperature", v.Writing.Temperature, "sampling temperature of what is written")
			fl.Float64Var(&f.writing.TopP, "top-p", cmp.Or(v.Writing.TopP, 1), "top-p of what is written")
			fl.Float64Var(&f.checking.Temperature, "check-temperature", 0, "sampling temperature of what is checked")
			fl.IntVar(&f.tries, "tries", 3, "maximum number of tries of a reply that is refused")
		})
	}
	if writer || judge {
		f.modelFlags.add(c)
	}
	if writer && v.Kind == datasets.Build {
		f.estimateFlags.add(c)
		group(c, outputFlags, func(fl *pflag.FlagSet) {
			fl.BoolVar(&f.json, "json", false, "--estimate: print JSON")
		})
	}
	if needs(v, datasets.NeedsOut) {
		group(c, outputFlags, func(fl *pflag.FlagSet) {
			help := "output `folder`"
			if v.Kind == datasets.Analyse {
				help = "`folder` for the tables as a page, Markdown, LaTeX, CSV and JSON, and the journal of a model judge"
			}
			fl.StringVar(&f.out, "out", "", help)
		})
	}
	if v.Kind == datasets.Analyse {
		formatFlag(c, &f.format, formats)
		group(c, outputFlags, func(fl *pflag.FlagSet) {
			fl.BoolVar(&f.json, "json", false, "print JSON, percentages with full precision")
		})
	}
}

// carryOut does a verb's job: it checks the common flags, lets the verb work, and then
// writes, checks and prints what it has made.
func carryOut(c *cobra.Command, e all.Entry, v datasets.Verb, f verbFlags, job datasets.Job, args []string) error {
	if err := f.estimateFlags.check(); err != nil {
		return err
	}
	if f.json && !f.on && v.Kind == datasets.Build {
		return usage.Errorf("--json is for --estimate: a build prints tables")
	}
	if f.on {
		return estimateVerb(c, v, f, job, args)
	}
	cfg, err := f.config(c, v)
	if err != nil {
		return err
	}
	f.plan(c, v, job, args, cfg)
	w := workshop.New(cfg)
	defer w.Close()

	out, err := job(c.Context(), w, args)
	if err != nil {
		return f.stopped(c, out.Log, err)
	}
	return f.finish(c, e, v, w, out)
}

// stopped keeps the log of a build that is stopped because its model is of no use: it shows what the
// model replied. Any other error is for the same command to go on from, which writes the whole log.
func (f verbFlags) stopped(c *cobra.Command, log []stage.Event, err error) error {
	var useless *stage.Useless
	if !errors.As(err, &useless) {
		return err
	}
	log = append(log, stage.Event{Stage: "stopped", Detail: err.Error()})
	file := filepath.Join(f.out, datasets.BuildLog)
	if failed := workshop.WriteLog(file, log); failed != nil {
		return errors.Join(err, failed)
	}
	fmt.Fprintf(c.ErrOrStderr(), "What was done until then: %s\n", file)
	return err
}

// config checks the flags that a verb has not declared itself.
func (f verbFlags) config(c *cobra.Command, v datasets.Verb) (workshop.Config, error) {
	console := usage.NewConsole(c.ErrOrStderr())
	cfg := workshop.Config{
		Out:     f.out,
		Calls:   f.out,
		Model:   cmp.Or(f.writer, f.model),
		Checker: cmp.Or(f.checker, f.model, f.writer),

		Writing:  f.writing,
		Checking: f.checking,

		Tries:   f.tries,
		Journal: "calls-judge",
		Console: console,
	}
	var err error

	if v.Kind == datasets.Build && needs(v, datasets.NeedsOut) && f.out == "" {
		return cfg, usage.Errorf("%s needs --out, the folder to write", c.CommandPath())
	}
	if v.Kind == datasets.Analyse {
		cfg.Journal = "calls"
		if err := checkJSON(c, f.format, f.json); err != nil {
			return cfg, err
		}
		if err := checkTables(f.out); err != nil {
			return cfg, err
		}
		if f.out == "" {
			cfg.Calls = filepath.Join("lore-runs", "score")
		}
	}
	cfg.Models.Console = console

	if needs(v, datasets.NeedsWriter) {
		if err := f.checkWriter(); err != nil {
			return cfg, err
		}
	}
	if needs(v, datasets.NeedsWriter|datasets.NeedsJudge) {
		if cfg.Models, err = f.modelFlags.config(console); err != nil {
			return cfg, err
		}
	}
	if needs(v, datasets.NeedsJudge) {
		if cfg.Judges, err = f.names(); err != nil {
			return cfg, err
		}
		if cfg.Judging, err = f.judging(); err != nil {
			return cfg, err
		}
		if cfg.Models.Encoders, err = encoders(c, cfg.Calls); err != nil {
			return cfg, err
		}
	}
	if needs(v, datasets.NeedsSearch|datasets.NeedsVectors) {
		if cfg.Pipelines, err = f.searchFlags.config(f.modelFlags, f.out, console); err != nil {
			return cfg, err
		}
	}
	if needs(v, datasets.NeedsSearch) {
		if cfg.Retriever, err = f.searchFlags.one(f.retriever); err != nil {
			return cfg, err
		}
		if cfg.Rerank, err = pipeline.ParseStages(f.rerank); err != nil {
			return cfg, err
		}
	}
	cfg.Prompts, err = f.replaced()
	return cfg, err
}

func (f verbFlags) checkWriter() error {
	for _, flag := range []struct{ name, model string }{
		{"--model", f.model}, {"--writer", f.writer}, {"--checker", f.checker},
	} {
		if flag.model != "" && !models.IsServed(flag.model) {
			return usage.Errorf("%s is ollama:NAME or openai:NAME, not %q", flag.name, flag.model)
		}
	}

	hot := func(t float64) bool { return !(t >= 0 && t <= 2) }
	switch {
	case f.checker != "" && f.writer == "" && f.model == "":
		return usage.Errorf("--checker names the model that checks; name the one that writes with --writer, or with --model")
	case hot(f.writing.Temperature):
		return usage.Errorf("--temperature is from 0 to 2")
	case hot(f.checking.Temperature):
		return usage.Errorf("--check-temperature is from 0 to 2")
	case !(f.writing.TopP > 0 && f.writing.TopP <= 1):
		return usage.Errorf("--top-p is above 0, and 1 at most")
	case f.tries < 1:
		return usage.Errorf("--tries is at least 1")
	}
	return nil
}

// finish writes, checks and prints what a verb has made. A dataset is written after its
// log, loaded again to see that it is whole, and described by a manifest last.
func (f verbFlags) finish(c *cobra.Command, e all.Entry, v datasets.Verb, w *workshop.Workshop,
	out datasets.Outcome) error {
	logFile := filepath.Join(f.out, datasets.BuildLog)
	noteForged(c, w.Forged(), &out)
	if g := thrownGrid(out.Log); len(g.Rows) > 0 {
		out.Tables = append(out.Tables, g)
	}
	if out.Log != nil {
		if err := workshop.WriteLog(logFile, out.Log); err != nil {
			return err
		}
	}

	if out.Folder != "" {
		if err := files.MkdirAll(out.Folder); err != nil {
			return fmt.Errorf("make the folder for the data: %w", err)
		}
		if err := files.Sweep(out.Folder, files.Stale); err != nil {
			return err
		}
	}
	if out.Write != nil {
		if err := out.Write(); err != nil {
			return err
		}
	}
	if out.Folder != "" && v.Kind == datasets.Build && out.Log != nil {
		if err := writeMade(c, w, out.Folder, out.Tables); err != nil {
			return err
		}
	}
	if err := describe(c, e, v, out); err != nil {
		return err
	}

	if err := f.print(c, out); err != nil {
		return err
	}
	if v.Kind == datasets.Analyse {
		err := saveTables(c, e, f.out, out.Tables, func(w io.Writer) error { return writeOutcome(w, out) })
		if err != nil {
			return err
		}
	}
	stderr := c.ErrOrStderr()
	if out.Log != nil {
		printCost(stderr, w.Usage())
	}
	if out.Log != nil {
		fmt.Fprintf(stderr, "What was done and why: %s\n", logFile)
	}
	for i, next := range out.Next {
		prefix := "Next: "
		if i > 0 {
			prefix = "      "
		}
		fmt.Fprintln(stderr, prefix+next)
	}

	switch {
	case out.Missing != "" && out.Log != nil:
		return partialf("incomplete: %s; %s says why", out.Missing, logFile)
	case out.Missing != "":
		return partialf("incomplete: %s", out.Missing)
	}
	return nil
}

// noteForged tells of texts in which marks were made neutral: beside the figures, in the log, and
// where the figures are JSON.
func noteForged(c *cobra.Command, n int, out *datasets.Outcome) {
	if n == 0 {
		return
	}
	detail := fmt.Sprintf("marks that pose as something else were made neutral in %d texts before the model saw them", n)
	usage.NewConsole(c.ErrOrStderr()).Note(detail)
	out.Tables = append(out.Tables, report.ForgedGrid([]report.ForgedTexts{{To: "the model that writes", N: n}}))
	if out.Log != nil {
		out.Log = append(out.Log, stage.Event{Stage: "forged marks", Detail: detail})
	}
}

// filesTogether makes one of the reasons for which files were left out: each was named with its own as it
// was read.
func filesTogether(all []stage.Thrown) []stage.Thrown {
	var out []stage.Thrown
	at := -1
	for _, t := range all {
		switch {
		case t.Stage != readStage:
			out = append(out, t)
		case at < 0:
			at, out = len(out), append(out, t)
		default:
			out[at].Times += t.Times
			out[at].Reason = "several reasons: the warnings above name each file"
		}
	}
	slices.SortStableFunc(out, func(a, b stage.Thrown) int { return cmp.Compare(b.Times, a.Times) })
	return out
}

// readStage is the stage of a build in which documents are read.
const readStage = "read"

// mostReasons is how many reasons are printed; the log has all.
const mostReasons = 12

// thrownGrid shows what a build has thrown away and why, the most frequent first, with an example each.
func thrownGrid(log []stage.Event) datasets.Grid {
	g := datasets.Grid{Title: "Thrown away, and why", Head: []string{"stage", "times", "what became of it", "why", "for example"}}
	all := filesTogether(stage.ThrownAway(log))
	for _, t := range all[:min(len(all), mostReasons)] {
		example := text.Beginning(strings.TrimPrefix(t.Example.Subject+": "+t.Example.Detail, ": "), 120)
		g.Rows = append(g.Rows, []string{t.Stage, fmt.Sprint(t.Times), t.Fate, t.Reason, example})
	}
	if n := len(all) - mostReasons; n > 0 {
		g.Note = fmt.Sprintf("and %d more reasons; build-log.jsonl lists every case", n)
	}
	return g
}

// describe loads what was written, to see that it is whole, and writes its manifest.
func describe(c *cobra.Command, e all.Entry, v datasets.Verb, out datasets.Outcome) error {
	ds := out.Loaded
	if ds == nil && len(out.Data) > 0 {
		var err error
		if ds, err = e.Load(out.Data); err != nil {
			return err
		}
		if v.Kind == datasets.Build {
			for _, warning := range ds.Warnings {
				usage.NewConsole(c.ErrOrStderr()).Warn(warning)
			}
		}
	}
	if ds == nil || out.Folder == "" {
		return nil
	}
	return datasets.WriteManifest(out.Folder, e.Name(), ds)
}

// print shows tables, or JSON.
func (f verbFlags) print(c *cobra.Command, out datasets.Outcome) error {
	w := c.OutOrStdout()
	if f.json {
		if out.JSON == nil && len(out.Tables) == 0 {
			return usage.Errorf("%s has no JSON to print", c.CommandPath())
		}
		return writeOutcome(w, out)
	}
	for _, line := range out.Lines {
		fmt.Fprintln(w, usage.Plain(line))
	}
	noteOneTable(c, f.format, out.Tables, allTables)
	return printGrids(w, f.format, out.Tables)
}

// writeOutcome writes what a verb has made for programs: its own JSON, or else its tables.
func writeOutcome(w io.Writer, out datasets.Outcome) error {
	if out.JSON == nil {
		return report.WriteJSON(w, map[string]any{"tables": datasets.Plain(out.Tables)})
	}
	return report.WriteJSON(w, out.JSON)
}

// newBuild holds the builds.
func newBuild() *cobra.Command {
	return parent("build", "Make a dataset from documents of your own",
		"build uses a model to make benchmark data from documents, questions or summaries of\n"+
			"your own. Every reply is checked, and asked for again with the reason; what was refused\n"+
			"or dropped stands in build-log.jsonl. An interrupted build resumes by the same command.",
		"  lore build summhay -h", commands(datasets.Build)...)
}

// newFlags is an empty set of a verb's own flags.
func newFlags(name string) *flag.FlagSet { return flag.NewFlagSet(name, flag.ContinueOnError) }
