package build

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"lore/datasets"
	"lore/datasets/msrs"
	"lore/datasets/stage"
	"lore/local/schema"
	"lore/local/text"
	"lore/local/tokens"
)

// Headings matches Markdown headings and lines such as "Chapter 3" or "IV.".
var Headings = regexp.MustCompile(`(?m)^(#{1,6} .*|(?i:chapter|part|act|scene)\b.{0,60}|[IVXLC]+\.?)[ \t]*$`)

// How stories are rewritten.
const (
	openingTokens = 600 // of a story's beginning are shown to the model
	revealLimit   = 0.5 // share of the answer's content words above which a question gives it away
)

// Split cuts documents at lines that match, which stay at the beginning of their
// part. Parts are numbered from 1; a document without a match stays whole.
func (b *Builder) Split(docs []datasets.Document, at *regexp.Regexp) []datasets.Document {
	var out []datasets.Document
	for _, d := range docs {
		var starts []int
		for _, m := range at.FindAllStringIndex(d.Text, -1) {
			starts = append(starts, m[0])
		}

		// What stands before the first heading is a part, too.
		if len(starts) == 0 || strings.TrimSpace(d.Text[:starts[0]]) != "" {
			starts = append([]int{0}, starts...)
		}

		parts := 0
		for i, s := range starts {
			end := len(d.Text)
			if i+1 < len(starts) {
				end = starts[i+1]
			}
			if part := strings.TrimSpace(d.Text[s:end]); part != "" {
				parts++
				out = append(out, datasets.Document{ID: fmt.Sprintf("%s-%d", d.ID, parts), Text: part})
			}
		}
		b.Note("split", "", 0, "%s: %d parts", d.ID, parts)
	}
	return out
}

// rewriting is the work on the queries of stories: all of it by the number of the source.
type rewriting struct {
	sources  []Source
	gold     [][]string
	openings []string
	problems map[int]string // why the last try was refused
	results  []string       // empty until a try passes
}

// Story rewrites context-dependent queries so that they stand alone: each is checked
// by the model and tried again with the reason, up to Tries times. A query that does
// not pass is dropped and logged.
func (b *Builder) Story(ctx context.Context, chapters []datasets.Document, sources []Source) ([]msrs.Query, error) {
	w := &rewriting{
		sources:  sources,
		gold:     make([][]string, len(sources)),
		openings: make([]string, len(sources)),
		problems: map[int]string{},
		results:  make([]string, len(sources)),
	}

	var open []int
	for i, s := range sources {
		w.gold[i], w.openings[i] = goldOf(chapters, s)
		if len(w.gold[i]) == 0 {
			b.Drop(s.ID, "no chapter of the story %q is there", s.Story)
			continue
		}
		for _, d := range s.Documents {
			if !slices.Contains(w.gold[i], d) {
				b.Note("gold", s.ID, 0, "the document %q is not there and is left out of the gold documents", d)
			}
		}
		open = append(open, i)
	}

	for try := 1; try <= b.Tries && len(open) > 0; try++ {
		queries, asked, err := b.rewrite(ctx, w, open, try)
		if err != nil {
			return nil, err
		}
		if err := b.check(ctx, w, queries, asked, try); err != nil {
			return nil, err
		}
		open = slices.DeleteFunc(open, func(i int) bool { return w.results[i] != "" })
	}

	var out []msrs.Query
	for i, s := range sources {
		switch {
		case w.results[i] != "":
			out = append(out, msrs.Query{ID: s.ID, Text: w.results[i], Gold: w.gold[i], References: s.references()})
		case len(w.gold[i]) > 0: // the others are dropped already
			b.Drop(s.ID, "after %d tries: %s", b.Tries, w.problems[i])
		}
	}
	return out, nil
}

// goldOf finds a query's chapters and how its story begins.
func goldOf(chapters []datasets.Document, s Source) (gold []string, opening string) {
	for _, c := range chapters {
		story := c.ID[:max(0, strings.LastIndexByte(c.ID, '-'))]
		named := slices.Contains(s.Documents, c.ID)
		if named || len(s.Documents) == 0 && s.Story != "" && story == s.Story {
			gold = append(gold, c.ID)
			if opening == "" {
				opening, _ = tokens.Cut(c.Text, openingTokens)
			}
		}
	}
	return gold, opening
}

// rewrite asks for the open queries once. passed are those that the model's check is
// worth asking for.
func (b *Builder) rewrite(ctx context.Context, w *rewriting, open []int, try int) (
	queries map[int]queryReply, passed []int, err error) {
	queries, failed, err := stage.Round(ctx, b.Session, stage.Question[queryReply]{
		Stage:      "rewrite",
		Prompt:     "msrs/rewrite.txt",
		NumPredict: 200,
		Schema:     schema.Object(schema.Field("query", schema.String())).JSON(),
		Data: func(i int, problem string) any {
			return map[string]any{
				"Query": w.sources[i].Query, "Opening": w.openings[i], "Answer": w.sources[i].references()[0],
				"Problem": problem,
			}
		},
	}, open, w.problems, try)
	if err != nil {
		return nil, nil, err
	}

	for _, i := range open {
		w.problems[i] = failed[i]
		if w.problems[i] == "" {
			w.problems[i] = queryProblem(queries[i].Query, w.sources[i])
		}
		if w.problems[i] == "" {
			passed = append(passed, i)
		} else {
			b.Refuse("rewrite", w.sources[i].ID, try, "refused: %s", w.problems[i])
		}
	}
	return queries, passed, nil
}

type checkReply struct {
	Alone   bool `json:"stands_alone"`
	Same    bool `json:"same_question"`
	Reveals bool `json:"reveals_answer"`
}

// check has the model judge rewritten queries; those that pass are results.
func (b *Builder) check(ctx context.Context, w *rewriting, queries map[int]queryReply, asked []int, try int) error {
	checks, failed, err := stage.Round(ctx, b.Session, stage.Question[checkReply]{
		Stage:      "check",
		Role:       stage.Checks,
		Prompt:     "msrs/check.txt",
		NumPredict: 60,
		Schema: schema.Object(
			schema.Field("stands_alone", schema.Boolean()),
			schema.Field("same_question", schema.Boolean()),
			schema.Field("reveals_answer", schema.Boolean()),
		).JSON(),
		Data: func(i int, _ string) any {
			return map[string]any{
				"Original": w.sources[i].Query, "Query": queries[i].Query, "Answer": w.sources[i].references()[0],
			}
		},
	}, asked, nil, try)
	if err != nil {
		return err
	}

	for _, i := range asked {
		w.problems[i] = checkProblem(checks[i], failed[i])
		if w.problems[i] != "" {
			b.Refuse("check", w.sources[i].ID, try, "refused %q: %s", queries[i].Query, w.problems[i])
			continue
		}
		w.results[i] = strings.TrimSpace(queries[i].Query)
		b.Note("rewrite", w.sources[i].ID, try, "%q became %q", w.sources[i].Query, w.results[i])
	}
	return nil
}

// queryProblem says what is wrong with a query, as far as a rule can tell.
func queryProblem(query string, s Source) string {
	n := len(strings.Fields(query))
	switch {
	case n < 3 || n > 80:
		return fmt.Sprintf("the question has %d words", n)
	case revealed(query, s) > revealLimit:
		return "the question repeats the answer"
	}
	return ""
}

// checkProblem says what is wrong with a query by the model's check of it, which may
// have failed itself.
func checkProblem(a checkReply, failed string) string {
	switch {
	case failed != "":
		return "the check failed: " + failed
	case !a.Alone:
		return "it does not stand alone"
	case !a.Same:
		return "it asks something else"
	case a.Reveals:
		return "it reveals the answer"
	}
	return ""
}

// revealed is the share of a reference's content words that a question holds, those of
// the original query left out, by the reference that it reveals most of.
func revealed(query string, s Source) float64 {
	have := termSet(query)
	old := termSet(s.Query)

	most := 0.0
	for _, ref := range s.references() {
		total, found := 0.0, 0.0
		for w := range termSet(ref) {
			if old[w] {
				continue
			}
			total++
			if have[w] {
				found++
			}
		}

		if total > 0 {
			most = max(most, found/total)
		}
	}
	return most
}

func termSet(s string) map[string]bool {
	out := map[string]bool{}
	for _, w := range text.Terms(s) {
		out[w] = true
	}
	return out
}
