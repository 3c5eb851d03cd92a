package build

import (
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"sync"

	"lore/datasets/stage"
	"lore/datasets/summhay"
)

// compose writes and verifies all documents. A few come first, in which each statement is
// to stand some times: what checks fail on there is worded anew, or retired, before the
// others are written. Nothing is edited before all are.
func (b *Builder) compose(ctx context.Context, subtopics []*subtopic, plan [][]spot) ([]summhay.Document, error) {
	writers := b.writers(subtopics, plan)
	out, err := b.composed(ctx, subtopics, plan, writers)
	for _, w := range writers {
		b.Join(w.s) // also where the work was stopped
	}
	return out, err
}

// composed takes all writers through their work.
func (b *Builder) composed(ctx context.Context, subtopics []*subtopic, plan [][]spot, writers []*writer) (
	[]summhay.Document, error) {
	b.rates = usual

	var first []*writer
	for _, i := range pilot(plan, pilotLooks) {
		first = append(first, writers[i])
	}
	if err := b.inSteps(ctx, "first documents", first, (*writer).begin, (*writer).look); err != nil {
		return nil, err
	}
	if err := b.lookAgain(ctx, first, secondLooks/2); err != nil {
		return nil, err
	}
	if err := b.trial(ctx, subtopics, writers, true); err != nil {
		return nil, err
	}

	if err := b.inSteps(ctx, "documents", writers, (*writer).begin, (*writer).look); err != nil {
		return nil, err
	}
	if err := b.trial(ctx, subtopics, writers, false); err != nil {
		return nil, err
	}

	var edits []step
	for edit := range b.Edits {
		mend := func(w *writer, ctx context.Context) error { return w.edit(ctx, edit) }
		edits = append(edits, mend, (*writer).look)
	}
	if err := b.inSteps(ctx, "edits", writers, append(edits, (*writer).finish)...); err != nil {
		return nil, err
	}
	if err := b.lookAgain(ctx, writers, secondLooks/2); err != nil {
		return nil, err
	}
	if err := b.trial(ctx, subtopics, writers, false); err != nil {
		return nil, err
	}
	b.quality.Errors = b.labelErrors(subtopics, writers)
	b.quality.Tried = len(spots(subtopics))
	b.quality.Misses, b.quality.Agrees = round(1-b.rates.checker[1][1]), round(b.rates.checker[1][0])
	return b.labelled(writers), nil
}

// round forgets what floating point adds to a rate.
func round(rate float64) float64 { return math.Round(1e6*rate) / 1e6 }

// writers are those of all documents, each with its plan in the log.
func (b *Builder) writers(subtopics []*subtopic, plan [][]spot) []*writer {
	b.quality.DocumentsPlanned = len(plan)
	out := make([]*writer, len(plan))
	for i, spots := range plan {
		out[i] = &writer{
			b: b, s: b.Branch(), subtopics: subtopics, plan: slices.Clone(spots), number: i,
			verdicts: map[spot]verdict{}, first: map[spot]look{}, again: map[spot]look{},
		}
		b.Note("plan", documentID(i), 0, "is to hold %s", strings.Join(out[i].ids(spots), ", "))
	}
	return out
}

// labelled are the documents with the insights that all opinions together find in them.
func (b *Builder) labelled(writers []*writer) []summhay.Document {
	var out []summhay.Document
	for _, w := range writers {
		b.quality.add(w.quality)
		if w.text != "" {
			out = append(out, summhay.Document{
				DocumentID: w.id(), DocumentText: w.text, InsightsIncluded: w.ids(w.found()),
			})
		}
	}
	return out
}

// step is a part of the work on a document.
type step func(*writer, context.Context) error

// inSteps takes each document through steps, one after the other. Where one model writes and
// another checks, all documents take a step before any takes the next, so that the models
// are not loaded in turns.
func (b *Builder) inSteps(ctx context.Context, name string, writers []*writer, steps ...step) error {
	if b.Checker == nil {
		return b.each(ctx, name, writers, func(w *writer, ctx context.Context) error {
			for _, do := range steps {
				if err := do(w, ctx); err != nil {
					return err
				}
			}
			return nil
		})
	}

	for _, do := range steps {
		if err := b.each(ctx, name, writers, do); err != nil {
			return err
		}
	}
	return nil
}

// each has workers take documents through a step, several at a time: calls about one text
// follow each other. The result does not depend on which is finished first.
func (b *Builder) each(ctx context.Context, name string, writers []*writer, do step) error {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	step := func(int) {}
	if b.Step != nil {
		step = b.Step(name, len(writers))
	}

	work := make(chan *writer)
	var wg sync.WaitGroup
	var mu sync.Mutex
	done := 0
	for range max(1, b.Workers) {
		wg.Go(func() {
			for w := range work {
				if err := do(w, ctx); err != nil {
					stop(err)
					return
				}
				mu.Lock()
				done++
				step(done)
				mu.Unlock()
			}
		})
	}

feed:
	for _, w := range writers {
		select {
		case work <- w:
		case <-ctx.Done():
			break feed
		}
	}
	close(work)
	wg.Wait()
	return context.Cause(ctx)
}

func documentID(i int) string { return fmt.Sprintf("doc%03d", i+1) }

// writer makes one document.
type writer struct {
	b         *Builder
	s         *stage.Session
	subtopics []*subtopic
	plan      []spot
	number    int
	fresh     int // how many drafts before this one could not be used
	text      string
	examined  string // the text that was examined last
	chapters  []string
	edited    bool
	agrees    bool    // with the plan: there is nothing left to edit
	best      version // of the text so far

	words    map[spot]int8    // how far words of the present text cover each statement
	verdicts map[spot]verdict // on the present text
	first    map[spot]look    // at the first text, or the first of a statement
	again    map[spot]look    // at what nothing had found, audited all the same
	quality  Quality
}

func (w *writer) id() string            { return documentID(w.number) }
func (w *writer) insight(p spot) string { return w.subtopics[p.subtopic].insights[p.insight].Insight }
func (w *writer) subject(int) string    { return w.id() }
func (w *writer) texts(spots []spot) []string {
	var out []string
	for _, p := range spots {
		out = append(out, w.insight(p))
	}
	return out
}

// ids are those of insights; a document without any has an empty list in the data.
func (w *writer) ids(spots []spot) []string {
	out := []string{}
	for _, p := range spots {
		out = append(out, w.subtopics[p.subtopic].insights[p.insight].InsightID)
	}
	return out
}

// live are the statements that are not retired.
func (w *writer) live() []spot { return live(w.subtopics) }

// planned reports whether the document is to state something that is not retired.
func (w *writer) planned(p spot) bool {
	return slices.Contains(w.plan, p) && !w.subtopics[p.subtopic].retired[p.insight]
}

// says reports whether the text states something, as all opinions together have it.
func (w *writer) says(p spot) bool {
	v, known := w.verdicts[p]
	return known && w.b.rates.settle(v.look) >= 0.5
}

// found are the statements of the text: those that were planned, in the order of the plan,
// and others.
func (w *writer) found() []spot {
	var out []spot
	for _, p := range w.plan {
		if w.planned(p) && w.says(p) {
			out = append(out, p)
		}
	}
	for _, p := range w.live() {
		if !w.planned(p) && w.says(p) {
			out = append(out, p)
		}
	}
	return out
}

// off are the statements on which text and plan disagree.
func (w *writer) off() (missing, leaked []spot) {
	for _, p := range w.live() {
		switch planned, says := w.planned(p), w.says(p); {
		case planned && !says:
			missing = append(missing, p)
		case !planned && says:
			leaked = append(leaked, p)
		}
	}
	return missing, leaked
}

// begin drafts a document; a draft that cannot be used is replaced.
func (w *writer) begin(ctx context.Context) error {
	if w.text != "" || len(w.plan) == 0 || w.quality.Lost > 0 {
		return nil // there already, fewer insights than documents, or given up
	}
	for w.fresh = 0; w.fresh <= w.b.Fresh; w.fresh++ {
		text, problem, err := w.draft(ctx)
		if err != nil {
			return err
		}
		if problem == "" {
			w.text = text
			return nil
		}
		w.s.Note("documents", w.id(), 0, "no draft: %s", problem)
		if w.fresh < w.b.Fresh {
			w.quality.Replaced++
		}
	}

	w.quality.Lost++
	w.s.Drop(w.id(), "given up after %d drafts that could not be used", 1+w.b.Fresh)
	return nil
}

// look examines a document, if there is one and its edits are not over.
func (w *writer) look(ctx context.Context) error {
	if w.text == "" || w.agrees {
		return nil
	}
	return w.examine(ctx)
}

// edit mends a document that does not agree with its plan. An edit that cannot be used leaves
// the text as it was, and the next one has another seed.
func (w *writer) edit(ctx context.Context, edit int) error {
	if w.text == "" || w.agrees {
		return nil
	}
	missing, leaked := w.off()
	w.keepBest(len(missing) + len(leaked))
	if w.agrees = len(missing)+len(leaked) == 0; w.agrees {
		if edit == 0 && w.fresh == 0 {
			w.quality.AtOnce++
		}
		return nil
	}

	w.s.Note("audit", w.id(), edit, "missing %q, leaked %q", w.texts(missing), w.texts(leaked))
	w.quality.Missing += len(missing)
	w.quality.Leaked += len(leaked)
	w.quality.Edited++
	mended, problem, err := w.mend(ctx, w.text, missing, leaked, edit)
	switch {
	case err != nil:
		return err
	case problem != "":
		w.s.Note("documents", w.id(), edit, "no edit: %s", problem)
	default:
		w.text, w.edited = mended, true
	}
	return nil
}

// finish keeps a document. One that does not agree with its plan after all edits is kept in
// the version that agrees best, with the labels that the audit gives it, as the paper's are
// after five rounds (appendix A.1.3).
func (w *writer) finish(context.Context) error {
	if w.text == "" {
		return nil
	}
	w.quality.DocumentsKept++
	if w.agrees {
		return nil
	}

	missing, leaked := w.off()
	w.keepBest(len(missing) + len(leaked))
	w.text, w.verdicts = w.best.text, w.best.verdicts
	if w.best.off > 0 {
		w.quality.AsFound++
		w.s.Note("documents", w.id(), w.b.Edits, "disagrees with its plan in %d statements after %d edits, and is kept "+
			"with what the audit finds", w.best.off, w.b.Edits)
	} else if w.b.Edits == 0 && w.fresh == 0 {
		w.quality.AtOnce++
	}
	return nil
}

// version is a document at one time.
type version struct {
	text     string
	verdicts map[spot]verdict
	off      int // statements on which it disagrees with its plan
}

// keepBest keeps the present version if none before was off in fewer statements.
func (w *writer) keepBest(off int) {
	if w.best.text == "" || off < w.best.off {
		w.best = version{w.text, maps.Clone(w.verdicts), off}
	}
}
