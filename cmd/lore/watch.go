package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"lore/cmd/lore/internal/models"
	"lore/cmd/lore/internal/pipeline"
	"lore/cmd/lore/internal/prompts"
	"lore/cmd/lore/internal/run"
	"lore/cmd/lore/internal/store"
	"lore/cmd/lore/internal/usage"
	"lore/datasets"
	"lore/local/files"
)

// watchFlags say how versions of a prompt are watched.
type watchFlags struct {
	watch          bool
	most, versions int
}

func (f *watchFlags) add(c *cobra.Command) {
	group(c, systemFlags, func(fl *pflag.FlagSet) {
		fl.BoolVar(&f.watch, "watch", false, "run again when a file of --prompts changes, against the first version (default builtin), "+
			"on more and more items until the difference is clear")
	})
	topic(c, systemFlags, generatorsTopic, func(fl *pflag.FlagSet) {
		fl.IntVar(&f.most, "watch-items", 0, "--watch: use at most N items; 0 is all")
		fl.IntVar(&f.versions, "watch-for", 0, "--watch: end after N versions have been judged; 0 goes on until Ctrl-C")
	})
}

func (f watchFlags) check(jsonToo, estimateToo bool) error {
	switch {
	case f.watch && estimateToo:
		return usage.Errorf("--estimate tells what one run takes: leave --watch out")
	case f.most < 0 || f.versions < 0:
		return usage.Errorf("--watch-items and --watch-for cannot be negative")
	case !f.watch && (f.most > 0 || f.versions > 0):
		return usage.Errorf("--watch-items and --watch-for need --watch")
	case f.watch && jsonToo:
		return usage.Errorf("--watch has no --json: its run folder does, by lore report")
	}
	return nil
}

// watch judges a version of a prompt, and again whenever it is edited.
type watch struct {
	flags  runFlags
	c      *cobra.Command
	bench  datasets.Benchmark
	ds     *datasets.Dataset
	items  []datasets.Item // in the order in which they are used
	all    int             // items, before --watch-items
	opt    run.Options
	metric datasets.Metric
	folder *store.Folder // locked for the whole watch
	w      io.Writer

	versions []prompts.Version
	edited   int // place of the version that is judged; the baseline is the first
	watcher  *prompts.Watcher
}

// runWatch watches until it is interrupted, or as many versions have been judged as were asked for.
// Between rounds an interruption is its end; within one the error of the context is returned.
func runWatch(p *prepared) (err error) {
	w := &watch{flags: p.f, c: p.c, bench: p.bench, ds: p.data, opt: p.opt, w: p.c.OutOrStdout(), versions: p.opt.Prompts}
	if err := w.prepare(); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, w.folder.Close()) }()
	ctx := p.c.Context()
	for judged := 1; ; judged++ {
		edited, err := w.judgeOrEdit(ctx)
		if ctx.Err() != nil {
			return ctx.Err()
		}

		last := judged == w.flags.watch.versions
		switch {
		case err != nil && (w.flags.watch.versions > 0 || errors.Is(err, errWritten)):
			return err
		case err != nil:
			usage.Wrap(w.w, "Not judged: "+usage.Line(err.Error()))
		}
		if edited {
			judged-- // the round was given up for the next version
		} else if last {
			return nil
		}
		if err := w.next(ctx, edited); err != nil {
			return nil //nolint:nilerr // it is the end that people choose
		}
	}
}

// prepare sees that there is one thing to compare: a version with the baseline.
func (w *watch) prepare() error {
	switch len(w.versions) {
	case 0:
		return usage.Errorf("--watch needs --prompts: the folder of the version that is edited, or BASELINE,EDITED")
	case 1:
		w.versions = append([]prompts.Version{{Name: prompts.Builtin}}, w.versions...)
	}
	w.edited = len(w.versions) - 1
	w.watcher = prompts.Watch(w.versions)

	opt := &w.opt
	if f := w.flags; f.retriever+f.retrieval+f.pipelines+f.order == "" && len(opt.Retrievers) > 1 {
		opt.Console.Note(fmt.Sprintf("--watch takes one retriever, %s; --retriever chooses another", opt.Retrievers[0].Name))
		opt.Retrievers = opt.Retrievers[:1]
	}
	opt.Generators = slices.DeleteFunc(slices.Clone(opt.Generators), func(g string) bool { return !models.IsServed(g) })
	opt.Models.Systems = models.Systems{K: opt.Models.Systems.K}
	switch {
	case len(opt.Retrievers) != 1 || len(opt.Generators) != 1 || len(opt.Judges) != 1 || len(w.bench.Protocol().Variants) > 1:
		return usage.Errorf("--watch compares two versions by one retriever, one generator that is asked by a prompt, and one judge; "+
			"there are %s; %s; %s", strings.Join(pipeline.Names(opt.Retrievers), ", "),
			orNone(opt.Generators), strings.Join(opt.Judges, ", "))
	case len(opt.Answers) > 0:
		return usage.Errorf("--watch compares versions of a prompt: leave --answers and gold out")
	}

	var err error
	if w.metric, err = headlineOf(w.bench); err != nil {
		return err
	}
	w.items = run.Shuffled(opt.Items(w.ds), opt.Seed)
	w.all = len(w.items)
	if w.flags.watch.most > 0 {
		w.items = w.items[:min(len(w.items), w.flags.watch.most)]
	}
	opt.Limit, opt.Subset, opt.OnlyItems, opt.Watch = 0, 0, nil, true
	opt.Models.Windows = models.NewSteadyWindows()
	opt.Console = opt.Console.Once()
	opt.Models.Console, opt.Pipelines.Console = opt.Console, opt.Console
	return w.chooseFolder()
}

// orNone lists names, or says that there is none.
func orNone(names []string) string {
	if len(names) == 0 {
		return "no such generator"
	}
	return strings.Join(names, ", ")
}

// headlineOf is the metric that sums a run of the benchmark up, whose bounds the test needs.
func headlineOf(bench datasets.Benchmark) (datasets.Metric, error) {
	want := bench.Protocol().Headline
	for _, m := range bench.Metrics() {
		if short, _, _ := strings.Cut(m.Name, "@"); short == want {
			if !m.Bounded || m.High <= m.Low {
				return m, usage.Errorf("--watch needs a metric with bounds, which %s has none of", m.Title)
			}
			return m, nil
		}
	}
	return datasets.Metric{}, fmt.Errorf("the benchmark %s has no metric %s", bench.Name(), want)
}

// chooseFolder names the folder by all that a watch has in common and by its versions: the same command
// goes on in it, whatever the prompts have become, and another version has another. It stays locked
// until the watch ends.
func (w *watch) chooseFolder() error {
	opt := w.opt
	opt.Prompts = nil
	common, err := run.Configure(w.bench, w.ds, opt)
	if err != nil {
		return err
	}
	dir := w.flags.out
	if dir == "" {
		dir = filepath.Join(runsFolder, fmt.Sprintf("%s-watch-%s-%s", w.bench.Name(), namesInFolder(w.versions), common.Hash()[:8]))
	}
	if w.folder, err = store.Open(dir); errors.Is(err, store.ErrBusy) {
		return usage.Errorf("%s: another lore works in this folder, such as a watch of the same version: end that one, "+
			"or choose another folder with --out", dir)
	} else if err != nil {
		return err
	}
	if err := run.Retake(dir, common); err != nil {
		return errors.Join(err, w.folder.Discard(), w.folder.Close())
	}
	if w.flags.indexDir == "" {
		w.opt.Pipelines.IndexDir = indexDir(dir)
		w.opt.Models.Encoders.Dir = w.opt.Pipelines.IndexDir
	}
	return nil
}

// mostInName is how many letters of the versions' names stand in the name of a folder.
const mostInName = 60

// namesInFolder words the versions of a watch for the name of its folder. Lore's own is always meant
// where one stands alone.
func namesInFolder(versions []prompts.Version) string {
	var names []string
	for i, v := range versions {
		if i > 0 || v.Name != prompts.Builtin {
			names = append(names, v.Name)
		}
	}
	letters := []rune(strings.Join(names, "-"))
	return string(letters[:min(len(letters), mostInName)])
}

// judgeOrEdit judges the version as it is. An edit ends that at once, and edited says so.
func (w *watch) judgeOrEdit(ctx context.Context) (edited bool, err error) {
	round, stop := context.WithCancel(ctx)
	seen := make(chan bool, 1)
	go func() {
		changed := w.watcher.Wait(round) == nil
		seen <- changed
		stop()
	}()

	err = w.judge(round)
	stop()
	edited = <-seen
	if edited {
		return true, nil // what was going on does not matter any more
	}
	return false, err
}

// next waits for an edit, unless there was one already, until the files can be used. What an edit has
// interrupted is judged, also where the edit was taken back. The error is that of the context.
func (w *watch) next(ctx context.Context, edited bool) error {
	for interrupted := edited; ; {
		if !edited {
			fmt.Fprintln(w.w, "\nWatching; Ctrl-C ends it.")
			if err := w.watcher.Wait(ctx); err != nil {
				return err
			}
		}
		edited = false

		gone := w.gone()
		for _, file := range gone {
			fmt.Fprintf(w.w, "\n%s is gone; waiting for it.", usage.Line(file))
		}
		if len(gone) > 0 {
			continue // nobody has said that lore's own is meant instead
		}
		changed, err := w.reload()
		switch {
		case err != nil:
			usage.Wrap(w.w, "\nEdited, but it cannot be used: "+usage.Line(err.Error()))
		case len(changed) > 0 || interrupted:
			usage.Wrap(w.w, fmt.Sprintf("\nEdited at %s: %s", time.Now().Format(time.TimeOnly), strings.Join(changed, ", ")))
			return nil
		}
	}
}

// gone are the files of the versions that are no longer there, or their folders.
func (w *watch) gone() []string {
	var out []string
	for _, v := range w.versions {
		if v.Dir != "" && !files.Exists(v.Dir) {
			out = append(out, v.Dir)
			continue
		}
		for _, name := range slices.Sorted(maps.Keys(v.Texts)) {
			if file := v.Place(name); !files.Exists(file) {
				out = append(out, file)
			}
		}
	}
	return out
}

// reload reads the versions anew, and chooses the one that was edited. It names the files that changed.
func (w *watch) reload() ([]string, error) {
	now := slices.Clone(w.versions)
	edited := w.edited
	var changed []string
	for i, v := range w.versions {
		if v.Name == prompts.Builtin {
			continue
		}
		var err error
		if now[i], err = v.Reload(); err != nil {
			return nil, err
		}
		for _, name := range prompts.Changed(v, now[i]) {
			changed = append(changed, now[i].Place(name))
			if i > 0 {
				edited = i
			}
		}
	}
	w.versions, w.edited = now, edited
	return changed, nil
}

// sizes are the numbers of items after which a watch looks: 8, 12, 16, 24, 32 and so on up to all.
func sizes(all int) []int {
	var out []int
	for n := 8; n < all; n *= 2 {
		out = append(out, n)
		if half := n + n/2; half < all {
			out = append(out, half)
		}
	}
	return append(out, all)
}
