// Package build makes Long²RAG datasets (section 3): questions are screened and evolved,
// documents are searched for each, key points are read from them with evidence copied
// word for word, merged, and kept where they are significant; people then check them on
// sheets.
package build

import (
	"context"
	"embed"
	"errors"
	"io/fs"
	"slices"

	"lore/datasets"
	"lore/datasets/long2rag"
	"lore/datasets/stage"
	"lore/local/prompt"
	"lore/local/tokens"
)

//go:embed prompts
var promptFiles embed.FS

// Prompts returns the built-in prompts of the build.
func Prompts() fs.FS { return prompt.Embedded(promptFiles) }

// ErrNothing says that a build ended without a question.
var ErrNothing = errors.New("no question was built")

// Builder makes questions with documents and key points.
type Builder struct {
	*stage.Session
	Domains   []string // that questions are evolved for
	Evolve    int      // new questions per category, domain and method; 0 keeps the seeds themselves
	Criteria  int      // least criteria that a question meets
	Rounds    int      // of extraction
	Threshold float64  // least significance of a key point
	Seed      uint64
	// Find returns the ids of the best documents for each question, best first, at most
	// long2rag.Shown of them.
	Find func(ctx context.Context, questions []datasets.Search) ([][]string, error)
	Warn func(string) // tells what is odd; may be nil

	report Report
}

// Report counts what became of everything.
type Report struct {
	Seeds     int // given
	Screened  int // kept of these
	Evolved   int // and kept
	Questions int // with key points in the end

	Refused       int // replies
	Unread        int // documents, or parts of them, of which no reply could be read
	Points        int // read
	Rejected      int // of these not grounded
	Repaired      int // of these with a missing tag
	Merged        int // points after merging
	Unpartitioned int // mappings that had to be repaired
	Unscored      int // merged points without a score
	Kept          int // of these over the threshold
	Dropped       int // questions lost on the way
	Histogram     [10]int
}

// Report returns the counts.
func (b *Builder) Report() Report {
	r := b.report
	r.Refused, r.Dropped = b.Refused(), b.Dropped()
	return r
}

// Build runs all stages over a corpus by id. What fails in one is left out, with its
// reason in the log.
func (b *Builder) Build(ctx context.Context, seeds []Seed, corpus map[string]string) ([]long2rag.Question, error) {
	if err := b.tryChecks(ctx, len(seeds)); err != nil {
		return nil, err
	}
	questions, err := b.questions(ctx, seeds)
	if err != nil {
		return nil, err
	}

	if err := b.documents(ctx, questions, corpus); err != nil {
		return nil, err
	}
	questions = slices.DeleteFunc(questions, func(q *long2rag.Question) bool { return len(q.Documents) == 0 })

	points, err := b.extract(ctx, questions)
	if err != nil {
		return nil, err
	}
	if points, err = b.merge(ctx, questions, points); err != nil {
		return nil, err
	}
	if err := b.score(ctx, questions, points); err != nil {
		return nil, err
	}

	var out []long2rag.Question
	for _, q := range questions {
		if len(q.KeyPoints) == 0 {
			b.Drop(q.ID, "no key point is left")
			continue
		}
		out = append(out, *q)
	}
	b.report.Questions = len(out)
	return out, nil
}

// Window is the room that the longest prompt takes with its reply, in tokens. The whole
// build has one window.
func Window(corpus map[string]string) int {
	longest := 0
	for _, text := range corpus {
		longest = max(longest, min(extractWindow, tokens.Count(text)))
	}

	const point, question, wording = 40, 120, 350
	extract := longest + mergeAtOnce*point + question + wording + extractTokens // with the points found before
	merge := mergeAtOnce*point + question + wording + mergeTokens
	return stage.Window(extract, merge)
}
