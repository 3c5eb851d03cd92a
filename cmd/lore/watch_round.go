package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"lore/cmd/lore/internal/prompts"
	"lore/cmd/lore/internal/report"
	"lore/cmd/lore/internal/run"
	"lore/cmd/lore/internal/store"
	"lore/cmd/lore/internal/table"
	"lore/cmd/lore/internal/usage"
	"lore/judge/metric"
)

// watchLevel is what the confidence sequence of a watch covers.
const watchLevel = 0.95

// movedShown is how many of the items that changed most are shown.
const movedShown = 3

// errWritten says that a run folder could not be written, of which no edit is the remedy.
var errWritten = errors.New("the run folder cannot be written")

// judge compares the edited version with the baseline on more and more items, until the difference
// is clear or there are no more, and leaves a run folder after each look. At last it says what it found.
func (w *watch) judge(ctx context.Context) error {
	begun := time.Now()
	base, edited := w.versions[0], w.versions[w.edited]
	fmt.Fprintf(w.w, "%s against %s: %s, %s, judge %s\n", usage.Line(edited.Name), usage.Line(base.Name),
		usage.Line(w.opt.Retrievers[0].Name), usage.Line(w.opt.Generators[0]), usage.Line(w.opt.Judges[0]))

	for _, n := range sizes(len(w.items)) {
		look, result, err := w.look(ctx, n)
		if err != nil {
			w.folder.Drop()
			return err
		}
		// What is printed is on disk, however this ends.
		if err := w.keep(result); err != nil {
			return err
		}
		look.Line(w.w)
		if !look.Known.Clear() && n < len(w.items) {
			continue
		}

		look.Verdict(w.w, len(w.items) < look.Of)
		w.writeMoved(look, result)
		fmt.Fprintf(w.w, "Judged in %.1f s. Run folder: %s\n", time.Since(begun).Seconds(), w.folder.Dir())
		return nil
	}
	return nil
}

// look runs both versions on the first n items.
func (w *watch) look(ctx context.Context, n int) (report.Look, *run.Result, error) {
	opt := w.opt
	opt.Prompts = []prompts.Version{w.versions[0], w.versions[w.edited]}
	if n < len(w.ds.Items) {
		for _, it := range w.items[:n] {
			opt.OnlyItems = append(opt.OnlyItems, it.ID())
		}
	}
	if _, err := run.Configure(w.bench, w.ds, opt); err != nil {
		return report.Look{}, nil, err // two versions that are the same, for one
	}
	result, err := run.Run(ctx, w.bench, w.ds, opt, w.folder)
	if err != nil {
		return report.Look{}, nil, err
	}

	look := report.Look{
		Edited:   w.versions[w.edited].Name,
		Baseline: w.versions[0].Name,
		Metric:   w.metric,
		Of:       w.all,
	}
	for _, u := range result.Usage {
		look.Asked += u.Asked
		look.Recalled += u.Journaled + u.Cached
	}

	// The test is on shares of the largest difference that there can be.
	base, edited := w.rows(result)
	pairs, missing := table.Paired(base, edited, w.metric.Name)
	differences := make([]float64, len(pairs))
	for i, p := range pairs {
		differences[i] = (p.B - p.A) / (w.metric.High - w.metric.Low)
	}
	look.Known, look.Missing = metric.BetMean(differences, watchLevel), missing
	return look, result, nil
}

// rows are those of the baseline and the edited version, which stand in this order.
func (w *watch) rows(r *run.Result) (base, edited table.Row) { return r.Table.Rows[0], r.Table.Rows[1] }

// keep writes the run folder of the last look, so that it can be read, and compared, as any other.
func (w *watch) keep(result *run.Result) error {
	p := &prepared{c: w.c, f: w.flags, bench: w.bench, folder: w.folder}
	if err := p.write(result); err != nil {
		w.folder.Drop()
		return fmt.Errorf("%w: %w", errWritten, err)
	}
	return nil
}

// writeMoved shows the items that changed most.
func (w *watch) writeMoved(look report.Look, r *run.Result) {
	base, edited := w.rows(r)
	changes := table.MostChanged(base, edited, w.metric.Name, movedShown)
	if len(changes) == 0 {
		usage.Wrap(w.w, "No item has another value.")
		return
	}
	answer := func(of table.Row, item string) store.Answer {
		at := slices.IndexFunc(r.Answers, func(a store.Answer) bool { return a.System == of.System && a.Item == item })
		if at < 0 {
			return store.Answer{}
		}
		return r.Answers[at]
	}

	fmt.Fprintln(w.w, "Changed most:")
	for _, ch := range changes {
		was, is := answer(base, ch.Item), answer(edited, ch.Item)
		look.WriteMoved(w.w, report.Moved{
			Item:         ch.Item,
			Query:        is.Title,
			Baseline:     ch.A,
			Edited:       ch.B,
			BaselineText: was.Text,
			Text:         is.Text,
		})
	}
}
