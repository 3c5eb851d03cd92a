package build

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"lore/datasets"
	"lore/datasets/msrs"
	"lore/datasets/stage"
	"lore/local"
	"lore/local/schema"
	"lore/local/text"
	"lore/local/tokens"
)

// How stories are rewritten.
const (
	openingTokens = 600   // of a story's beginning are shown to the model where no more can be
	contextTokens = 12000 // most tokens of a story that are shown, where nobody says otherwise
	revealLimit   = 0.5   // share of the answer's content words above which a question gives it away
)

// rewriting is the work on the queries of stories: all of it by the number of the source.
type rewriting struct {
	sources  []Source
	gold     [][]string
	shown    [][]excerpt    // of the story, the longest first; the first of them is shown
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
		shown:    make([][]excerpt, len(sources)),
		problems: map[int]string{},
		results:  make([]string, len(sources)),
	}

	if err := b.tryCheck(ctx, len(sources)); err != nil {
		return nil, err
	}
	var open []int
	for i, s := range sources {
		w.gold[i], w.shown[i] = goldOf(chapters, s, b.Context)
		if len(w.gold[i]) == 0 {
			b.Drop(s.ID, "no chapter of the story %q is there%s", s.Story, nearStory(s.Story, chapters))
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

// storyOf is the story that a chapter is of.
func storyOf(d datasets.Document) string { return d.ID[:max(0, strings.LastIndexByte(d.ID, '-'))] }

// nearStory names the story that is called nearly so; empty where none is.
func nearStory(name string, chapters []datasets.Document) string {
	var known []string
	for _, c := range chapters {
		known = append(known, storyOf(c))
	}
	if near := text.Nearest(name, known); near != "" {
		return fmt.Sprintf("; did you mean %q?", near)
	}
	return ""
}

// excerpt is what the model is shown of a story.
type excerpt struct{ What, Text string }

// goldOf finds a query's chapters, and what can be shown of its story in so many tokens: all of it, the
// chapters, and always how they begin.
func goldOf(chapters []datasets.Document, s Source, room int) (gold []string, shown []excerpt) {
	var texts, whole []string
	stories := map[string]bool{}
	for _, c := range chapters {
		named := slices.Contains(s.Documents, c.ID)
		if named || len(s.Documents) == 0 && s.Story != "" && storyOf(c) == s.Story {
			gold, texts = append(gold, c.ID), append(texts, c.Text)
			stories[storyOf(c)] = true
		}
	}
	if len(gold) == 0 {
		return nil, nil
	}
	for _, c := range chapters {
		if stories[storyOf(c)] {
			whole = append(whole, c.Text)
		}
	}

	offer := func(what string, parts []string) {
		whole := strings.Join(parts, "\n\n")
		if tokens.Count(whole) <= room {
			shown = append(shown, excerpt{what, whole})
		}
	}
	offer("The story", whole)
	if len(texts) < len(whole) {
		offer("The chapters of the story that the question is about", texts)
	}
	opening, _ := tokens.Cut(texts[0], openingTokens)
	return gold, append(shown, excerpt{"How the story begins", opening})
}

// rewrite asks for the open queries once. passed are those that the model's check is
// worth asking for.
func (b *Builder) rewrite(ctx context.Context, w *rewriting, open []int, try int) (
	queries map[int]queryReply, passed []int, err error) {
	queries, failed := map[int]queryReply{}, map[int]string{}
	for ask := open; len(ask) > 0; {
		got, problems, err := b.rewriteOnce(ctx, w, ask, try)
		if err != nil {
			return nil, nil, err
		}
		maps.Copy(queries, got)
		maps.Copy(failed, problems)

		// What is too long for the model's window is asked again with less of the story.
		ask = slices.DeleteFunc(slices.Clone(ask), func(i int) bool {
			return !strings.HasPrefix(problems[i], string(local.TooLong)) || len(w.shown[i]) < 2
		})
		for _, i := range ask {
			b.Note("rewrite", w.sources[i].ID, try, "%q is too long for the model and is not shown", w.shown[i][0].What)
			w.shown[i] = w.shown[i][1:]
			delete(failed, i)
		}
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

// rewriteOnce asks for queries with what is shown of their stories now.
func (b *Builder) rewriteOnce(ctx context.Context, w *rewriting, ask []int, try int) (
	queries map[int]queryReply, failed map[int]string, err error) {
	return stage.Round(ctx, b.Session, stage.Question[queryReply]{
		Stage:      "rewrite",
		Subject:    func(i int) string { return w.sources[i].ID },
		Prompt:     "msrs/rewrite.txt",
		NumPredict: 200,
		Schema:     schema.Object(schema.Field("query", schema.String())).JSON(),
		Data: func(i int, problem string) any {
			return map[string]any{
				"Query": w.sources[i].Query, "Shown": w.shown[i][0], "Opening": w.shown[i][len(w.shown[i])-1].Text,
				"Answer": w.sources[i].references()[0], "Problem": problem,
			}
		},
	}, ask, w.problems, try)
}

type checkReply struct {
	Alone   bool `json:"stands_alone"`
	Same    bool `json:"same_question"`
	Reveals bool `json:"reveals_answer"`
}

// check has the model judge rewritten queries; those that pass are results.
func (b *Builder) check(ctx context.Context, w *rewriting, queries map[int]queryReply, asked []int, try int) error {
	subject := func(i int) string { return w.sources[i].ID }
	checks, failed, err := stage.Round(ctx, b.Session, checking(subject, func(i int) rewritten {
		return rewritten{w.sources[i].Query, queries[i].Query, w.sources[i].references()[0]}
	}), asked, nil, try)
	if err != nil {
		return err
	}

	for _, i := range asked {
		w.problems[i] = checkProblem(checks[i], failed[i])
		if twin := w.twin(i, queries[i].Query); w.problems[i] == "" && twin != "" {
			w.problems[i] = "it became the same question as that of " + twin
		}
		if w.problems[i] != "" {
			b.Refuse("check", w.sources[i].ID, try, "refused %q: %s", queries[i].Query, w.problems[i])
			continue
		}
		w.results[i] = strings.TrimSpace(queries[i].Query)
		b.Note("rewrite", w.sources[i].ID, try, "%q became %q", w.sources[i].Query, w.results[i])
	}
	return nil
}

// twin is another query that became the same question; "" if none did.
func (w *rewriting) twin(i int, query string) string {
	words := strings.Fields(query)
	for k, other := range w.results {
		if k != i && slices.EqualFunc(strings.Fields(other), words, strings.EqualFold) && w.sources[k].Query != w.sources[i].Query {
			return w.sources[k].ID
		}
	}
	return ""
}

// checking asks what is wrong with rewritten queries.
func checking(subject func(int) string, of func(i int) rewritten) stage.Question[checkReply] {
	return stage.Question[checkReply]{
		Stage:      "check",
		Subject:    subject,
		Role:       stage.Checks,
		Prompt:     "msrs/check.txt",
		NumPredict: 60,
		Schema: schema.Object(
			schema.Field("stands_alone", schema.Boolean()),
			schema.Field("same_question", schema.Boolean()),
			schema.Field("reveals_answer", schema.Boolean()),
		).JSON(),
		Data: func(i int, _ string) any {
			r := of(i)
			return map[string]any{"Original": r.original, "Query": r.query, "Answer": r.answer}
		},
	}
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
