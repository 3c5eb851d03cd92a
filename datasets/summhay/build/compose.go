package build

import (
	"context"
	"fmt"
	"maps"
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
	b.rates = usual

	var first []*writer
	for _, i := range pilot(plan, pilotLooks) {
		first = append(first, writers[i])
	}
	if err := b.each(ctx, "first documents", first, (*writer).begin); err != nil {
		return nil, err
	}
	if err := b.lookAgain(ctx, first, secondLooks/2); err != nil {
		return nil, err
	}
	if err := b.trial(ctx, subtopics, writers, true); err != nil {
		return nil, err
	}

	if err := b.each(ctx, "documents", writers, (*writer).begin); err != nil {
		return nil, err
	}
	if err := b.trial(ctx, subtopics, writers, false); err != nil {
		return nil, err
	}

	if err := b.each(ctx, "edits", writers, (*writer).finish); err != nil {
		return nil, err
	}
	if err := b.lookAgain(ctx, writers, secondLooks/2); err != nil {
		return nil, err
	}
	if err := b.trial(ctx, subtopics, writers, false); err != nil {
		return nil, err
	}
	b.quality.Errors = b.labelErrors(subtopics, writers)
	return b.labelled(writers), nil
}

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

// labelled are the documents with the insights that all opinions together find in them, and
// puts the logs one after the other.
func (b *Builder) labelled(writers []*writer) []summhay.Document {
	var out []summhay.Document
	for _, w := range writers {
		b.Join(w.s)
		b.quality.add(w.quality)
		if w.text != "" {
			out = append(out, summhay.Document{
				DocumentID: w.id(), DocumentText: w.text, InsightsIncluded: w.ids(w.found()),
			})
		}
	}
	return out
}

// each has workers take documents through a step, several at a time: calls about one text
// follow each other. The result does not depend on which is finished first.
func (b *Builder) each(ctx context.Context, name string, writers []*writer,
	do func(*writer, context.Context) error) error {
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
	chapters  []string
	edited    bool

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

// begin drafts and examines a document; a draft that cannot be used is replaced. One that is
// there already is examined for statements that came after it.
func (w *writer) begin(ctx context.Context) error {
	switch {
	case w.text != "":
		return w.examine(ctx, w.text)
	case len(w.plan) == 0 || w.quality.Lost > 0:
		return nil // fewer insights than documents, or given up
	}
	for w.fresh = 0; w.fresh <= w.b.Fresh; w.fresh++ {
		text, problem, err := w.draft(ctx)
		if err != nil {
			return err
		}
		if problem == "" {
			w.text = text
			return w.examine(ctx, "")
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

// finish edits a document until it agrees with its plan, or as often as edits are allowed.
// Then the version that agrees best is kept, with the labels that the audit gives it, as
// the paper's are after five rounds (appendix A.1.3).
func (w *writer) finish(ctx context.Context) error {
	if w.text == "" {
		return nil
	}

	best := w.version()
	for edit := 0; ; edit++ {
		missing, leaked := w.off()
		if v := w.version(); v.off < best.off {
			best = v
		}
		if len(missing)+len(leaked) == 0 {
			if edit == 0 && w.fresh == 0 {
				w.quality.AtOnce++
			}
			break
		}

		w.s.Note("audit", w.id(), edit, "missing %q, leaked %q", w.texts(missing), w.texts(leaked))
		if edit == w.b.Edits {
			w.quality.AsFound++
			w.restore(best)
			w.s.Note("documents", w.id(), edit, "disagrees with its plan in %d statements after %d edits, and is kept "+
				"with what the audit finds", best.off, edit)
			break
		}
		w.quality.Missing += len(missing)
		w.quality.Leaked += len(leaked)
		if err := w.edit(ctx, missing, leaked, edit); err != nil {
			return err
		}
	}
	w.quality.DocumentsKept++
	return nil
}

// edit mends the text and examines it. An edit that cannot be used leaves the text as it
// was, and the next one has another seed.
func (w *writer) edit(ctx context.Context, missing, leaked []spot, edit int) error {
	w.quality.Edited++
	mended, problem, err := w.mend(ctx, w.text, missing, leaked, edit)
	switch {
	case err != nil:
		return err
	case problem != "":
		w.s.Note("documents", w.id(), edit, "no edit: %s", problem)
		return nil
	}

	before := w.text
	w.text, w.edited = mended, true
	return w.examine(ctx, before)
}

// version is a document at one time.
type version struct {
	text     string
	verdicts map[spot]verdict
	off      int // statements on which it disagrees with its plan
}

func (w *writer) version() version {
	missing, leaked := w.off()
	return version{w.text, maps.Clone(w.verdicts), len(missing) + len(leaked)}
}

func (w *writer) restore(v version) { w.text, w.verdicts = v.text, v.verdicts }
