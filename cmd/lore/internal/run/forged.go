package run

import (
	"slices"
	"strings"

	"lore/cmd/lore/internal/store"
	"lore/datasets"
	"lore/judge"
	"lore/local"
	"lore/local/guard"
)

// forged are the texts in which marks were made neutral, each once.
type forged struct {
	documents map[[2]string]bool // shown to a generator, by corpus and text
	judged    map[string]bool    // shown to a judge, by the task's id
	questions guard.Seen         // shown to a generator
	points    guard.Seen         // answers, and their questions, that a model took apart
}

func (f *forged) counts() store.Forged {
	return store.Forged{
		Documents: len(f.documents),
		Questions: f.questions.Count(),
		Judged:    len(f.judged),
		Apart:     f.points.Count(),
	}
}

// neutral is a context as a generator may see it: no document poses as another one, or as
// the frame of the conversation.
func (e *engine) neutral(corpus string, c datasets.Context) datasets.Context {
	c.Passages = slices.Clone(c.Passages)
	for i, p := range c.Passages {
		text, n := guard.Document(p.Text)
		if n == 0 {
			continue
		}
		if e.forged.documents == nil {
			e.forged.documents = map[[2]string]bool{}
		}
		e.forged.documents[[2]string{corpus, p.Text}] = true
		c.Passages[i] = local.Passage{Label: p.Label, Document: p.Document, Text: text}
	}
	return c
}

// see counts the texts that the nth judge found such marks in.
func (f *forged) see(q *questions, nth int, cells []cell) {
	flagged := func(v judge.Verdict) bool {
		return slices.ContainsFunc(v.Flags, func(flag string) bool { return strings.HasPrefix(flag, judge.ForgedMarks) })
	}
	for n, t := range q.tasks {
		of := cells[q.shared[n][0]]
		if slices.ContainsFunc(of.verdicts[nth][t.Subject], flagged) {
			if f.judged == nil {
				f.judged = map[string]bool{}
			}
			f.judged[t.ID] = true
		}
	}
}
