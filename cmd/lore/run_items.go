package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"lore/cmd/lore/internal/report"
	"lore/cmd/lore/internal/run"
	"lore/cmd/lore/internal/store"
	"lore/cmd/lore/internal/usage"
	"lore/datasets"
	"lore/judge"
	"lore/local/files"
)

// itemFlags say which items are run.
type itemFlags struct {
	limit, subset int
	item, failed  string
}

// lastRun is the value of --failed without one: the folder that the same command has by default.
const lastRun = "default"

func (f *itemFlags) add(c *cobra.Command) {
	group(c, dataFlags, func(fl *pflag.FlagSet) {
		fl.IntVar(&f.limit, "limit", 0, "use only the first N items; 0 is all")
		fl.IntVar(&f.subset, "subset", 0, "use only N items, drawn from all groups by the seed; a smaller subset lies within a larger one")
		fl.StringVar(&f.item, "item", "", "use only these items: comma-separated `ids`")
		fl.StringVar(&f.failed, "failed", "",
			"use only the items that failed in a `RUN` (default: in the folder of the same command without --failed)")
		fl.Lookup("failed").NoOptDefVal = lastRun
	})
}

// check refuses what makes no sense, and what does not go together.
func (f itemFlags) check() error {
	var given []string
	for name, some := range map[string]bool{
		"--limit":  f.limit != 0,
		"--subset": f.subset != 0,
		"--item":   f.item != "",
		"--failed": f.failed != "",
	} {
		if some {
			given = append(given, name)
		}
	}
	slices.Sort(given)

	switch {
	case f.limit < 0:
		return usage.Errorf("--limit cannot be negative")
	case f.subset < 0:
		return usage.Errorf("--subset cannot be negative")
	case len(given) > 1:
		return usage.Errorf("%s and %s both choose the items; leave one of them out", given[0], given[1])
	}
	return nil
}

// takeRun takes the run folder of --failed RUN out of the arguments, which a flag whose value may
// be left out leaves there. A run folder is never data.
func (f *itemFlags) takeRun(data []string) []string {
	at := slices.IndexFunc(data, isFinished)
	if f.failed != lastRun || at < 0 {
		return data
	}
	f.failed = data[at]
	return slices.Delete(slices.Clone(data), at, at+1)
}

// isFinished reports whether a folder holds a finished run.
func isFinished(dir string) bool {
	for _, name := range []string{store.ManifestFile, store.AnswersFile} {
		if _, err := os.Stat(filepath.Join(dir, name)); err != nil {
			return false
		}
	}
	return true
}

// choose sets the items of a run over the data. out is the folder that the command names, or empty. none
// says that nothing is left to run.
func (f itemFlags) choose(opt *run.Options, bench datasets.Benchmark, ds *datasets.Dataset, out string) (none bool, err error) {
	opt.Limit, opt.Subset = f.limit, f.subset
	if f.subset > len(ds.Items) {
		return false, usage.Errorf("--subset %d is more than the %s of the data", f.subset, usage.Counted(len(ds.Items), "item"))
	}
	if f.item != "" {
		opt.OnlyItems, err = namedItems(f.item, ds)
		return false, err
	}
	if f.failed == "" {
		return false, nil
	}

	dir := f.failed
	if dir == lastRun {
		asked, err := run.Configure(bench, ds, *opt)
		if err != nil {
			return false, err
		}
		if dir = defaultFolder(asked); isFinished(out) && run.Holds(out, asked) {
			dir = out // where the same command without --failed has written
		}
	}
	if opt.OnlyItems, err = failedItems(dir, ds); err != nil {
		return false, err
	}
	switch failed := opt.OnlyItems; {
	case len(failed) == 0:
		opt.Console.Note(fmt.Sprintf("no item failed in %s: there is nothing to run", dir))
		return true, nil
	case out != "" && filepath.Clean(out) == filepath.Clean(dir):
		return false, usage.Errorf("--failed asks %s of %s again, and would overwrite that run with theirs alone: write them elsewhere, "+
			"--failed %s --out %s; or leave --failed out: the same command asks anew in %s what may pass",
			usage.Counted(len(failed), "item"), dir, files.Quoted(dir), files.Quoted(filepath.Clean(dir)+"-failed"), dir)
	}
	opt.Console.Note(fmt.Sprintf("asked again: what failed in %s: %s", dir, someOf(opt.OnlyItems)))
	return false, nil
}

// someOf lists ids, but not thousands.
func someOf(ids []string) string {
	if len(ids) <= itemsTold {
		return strings.Join(ids, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(ids[:itemsTold], ", "), len(ids)-itemsTold)
}

// defaultFolder is where a run is kept that says nothing else.
func defaultFolder(c run.Configuration) string {
	return filepath.Join(runsFolder, c.Benchmark+"-"+c.Hash()[:8])
}

// namedItems are ids of the data. An id with a comma stands for itself.
func namedItems(list string, ds *datasets.Dataset) ([]string, error) {
	known := make([]string, len(ds.Items))
	for i, it := range ds.Items {
		known[i] = it.ID()
	}
	names := usage.List(list)
	if slices.Contains(known, list) {
		names = []string{list}
	}
	if len(names) == 0 {
		return nil, usage.Errorf("--item needs at least one id")
	}

	for _, n := range names {
		if !slices.Contains(known, n) {
			return nil, unknownItem(n, known)
		}
	}
	return inOrder(ds, func(id string) bool { return slices.Contains(names, id) }), nil
}

// itemsTold is how many ids an error lists.
const itemsTold = 12

// unknownItem words the refusal of an id. Data may have thousands.
func unknownItem(name string, known []string) error {
	if len(known) <= itemsTold {
		return usage.Unknown("item", name, known)
	}
	return usage.Errorf("unknown item %q%s The data has %d items, such as %s; answers.jsonl of any run of it names them all",
		name, usage.Hint(name, known), len(known), known[0])
}

// inOrder are the ids of items that are wanted, in the order of the data, so that the same items
// are the same configuration.
func inOrder(ds *datasets.Dataset, wanted func(id string) bool) []string {
	var out []string
	for _, it := range ds.Items {
		if wanted(it.ID()) {
			out = append(out, it.ID())
		}
	}
	return out
}

// failedItems are those of which a run lacks an answer or a verdict.
func failedItems(dir string, ds *datasets.Dataset) ([]string, error) {
	r, err := report.Load(dir)
	if err != nil {
		if !isFinished(dir) {
			const remedy = "--failed RUN takes the folder that `lore run` names at its end"
			return nil, &files.Error{File: dir, Msg: "holds no finished run", Remedy: remedy, Err: err}
		}
		return nil, files.Wrap(dir, err)
	}
	if r.Manifest.DataHash != ds.Hash {
		return nil, usage.Errorf("--failed: %s is a run over other data", dir)
	}

	failed := map[string]bool{}
	for _, a := range r.Answers {
		failed[a.Item] = failed[a.Item] || a.Failed()
	}
	unscored := func(v judge.Verdict) bool { return !v.Scored() }
	for _, line := range r.Verdicts {
		for _, of := range [][]judge.Verdict{line.Verdicts, line.Points, line.Held, line.Asked} {
			failed[line.Item] = failed[line.Item] || slices.ContainsFunc(of, unscored)
		}
	}
	return inOrder(ds, func(id string) bool { return failed[id] }), nil
}
