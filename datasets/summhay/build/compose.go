package build

import (
	"context"
	"fmt"
	"strings"
	"sync"

	"lore/datasets/stage"
	"lore/datasets/summhay"
)

// composed is what became of a planned document.
type composed struct {
	text    string // empty if it was given up
	found   []spot
	quality Quality
	log     *stage.Session // nil if there was nothing to write
}

// compose writes and verifies all documents, and puts their logs one after the other.
func (b *Builder) compose(ctx context.Context, subtopics []*subtopic, plan [][]spot) ([]summhay.Document, error) {
	results, err := b.writeAll(ctx, subtopics, plan)
	if err != nil {
		return nil, err
	}

	ids := func(spots []spot) []string {
		out := []string{} // a document without insights has an empty list in the data
		for _, p := range spots {
			out = append(out, subtopics[p.subtopic].insights[p.insight].InsightID)
		}
		return out
	}

	b.quality.DocumentsPlanned = len(plan)
	for i, spots := range plan {
		b.Note("plan", documentID(i), 0, "is to hold %s", strings.Join(ids(spots), ", "))
	}

	var out []summhay.Document
	for i, r := range results {
		if r.log == nil {
			continue
		}
		b.Join(r.log)
		b.quality.add(r.quality)
		if r.text != "" {
			out = append(out, summhay.Document{
				DocumentID: documentID(i), DocumentText: r.text, InsightsIncluded: ids(r.found),
			})
		}
	}
	return out, nil
}

// writeAll writes documents several at a time: each worker takes a document through all
// its steps, so that calls about one text follow each other. The result does not depend
// on which is finished first.
func (b *Builder) writeAll(ctx context.Context, subtopics []*subtopic, plan [][]spot) ([]composed, error) {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	step := func(int) {}
	if b.Step != nil {
		step = b.Step("documents", len(plan))
	}

	results := make([]composed, len(plan))
	work := make(chan int)
	var wg sync.WaitGroup
	var mu sync.Mutex
	done := 0
	for range max(1, b.Workers) {
		wg.Go(func() {
			for i := range work {
				w := &writer{b: b, s: b.Branch(), subtopics: subtopics, plan: plan[i], number: i}
				out, err := w.document(ctx)
				if err != nil {
					stop(err)
					return
				}

				mu.Lock()
				results[i] = out
				done++
				step(done)
				mu.Unlock()
			}
		})
	}

feed:
	for i := range plan {
		if len(plan[i]) == 0 {
			continue // fewer insights than documents
		}
		select {
		case work <- i:
		case <-ctx.Done():
			break feed
		}
	}
	close(work)
	wg.Wait()
	return results, context.Cause(ctx)
}

func documentID(i int) string { return fmt.Sprintf("doc%03d", i+1) }

// writer makes one document.
type writer struct {
	b         *Builder
	s         *stage.Session
	subtopics []*subtopic
	plan      []spot
	number    int
	fresh     int // how many documents before this one could not be mended
	chapters  []string
	quality   Quality
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

// document drafts, examines and mends until the text agrees with the plan; what cannot
// be mended is replaced.
func (w *writer) document(ctx context.Context) (composed, error) {
	for w.fresh = 0; w.fresh <= w.b.Fresh; w.fresh++ {
		text, found, err := w.attempt(ctx)
		if err != nil {
			return composed{}, err
		}
		if text != "" {
			w.quality.DocumentsKept++
			return composed{text, found, w.quality, w.s}, nil
		}
		if w.fresh < w.b.Fresh {
			w.quality.Replaced++
		}
	}

	w.quality.Lost++
	w.s.Drop(w.id(), "given up after %d documents that could not be mended", 1+w.b.Fresh)
	return composed{quality: w.quality, log: w.s}, nil
}

// attempt makes one document; the text is empty if it could not be mended.
func (w *writer) attempt(ctx context.Context) (string, []spot, error) {
	text, problem, err := w.draft(ctx)
	if err != nil {
		return "", nil, err
	}
	if problem != "" {
		w.s.Note("documents", w.id(), 0, "no draft: %s", problem)
		return "", nil, nil
	}

	for edit := 0; ; edit++ {
		found, err := w.examine(ctx, text)
		if err != nil {
			return "", nil, err
		}
		missing, leaked := without(w.plan, found), without(found, w.plan)
		if len(missing)+len(leaked) == 0 {
			if edit == 0 && w.fresh == 0 {
				w.quality.AtOnce++
			}
			return text, found, nil
		}

		w.quality.Missing += len(missing)
		w.quality.Leaked += len(leaked)
		w.s.Note("audit", w.id(), edit, "missing %q, leaked %q", w.texts(missing), w.texts(leaked))
		if edit == w.b.Edits {
			w.s.Note("documents", w.id(), edit, "still disagrees with its plan after %d edits", edit)
			return "", nil, nil
		}

		w.quality.Edited++
		mended, problem, err := w.mend(ctx, text, missing, leaked, edit)
		if err != nil {
			return "", nil, err
		}
		if problem != "" {
			// The old text is examined again, and the next edit has another seed.
			w.s.Note("documents", w.id(), edit, "no edit: %s", problem)
			continue
		}
		text = mended
	}
}
