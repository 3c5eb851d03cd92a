package build

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"lore/datasets/stage"
	"lore/judge"
	"lore/local"
	"lore/local/schema"
	"lore/local/text"
)

// styles vary news articles.
var styles = []string{
	"a local newspaper", "a weekly magazine", "a news agency", "the letter of a trade association",
	"a radio programme that is read out", "a column by a correspondent", "the paper of a neighbouring town",
}

// beforeWords is how much of a chapter the next one is shown.
const beforeWords = 60

// options make a new start differ from the one before.
func (w *writer) options(salt int) func(_, try int, o *local.Options) {
	return func(_, try int, o *local.Options) {
		o.Seed += 10_000*w.fresh + 100*salt + try - 1
	}
}

// order is a request for running text.
type order struct {
	stage, prompt string
	words         int // about
	before        int // words of the text that is edited; 0: there is none
	salt          int // sets it apart from other requests for the same document
	data          func(problem string) any
}

// How short a text may be, as a share of the words that were asked for.
const (
	shortText = 0.7  // below this it is asked for again
	leastText = 0.25 // below this it is refused in the last try, too
)

// prose asks for running text; a text that is too short is asked for again.
func (w *writer) prose(ctx context.Context, a order) (text, problem string, err error) {
	share, want := shortText, cmp.Or(a.before, a.words)
	options := w.options(a.salt)
	return stage.One(ctx, w.s, stage.Question[string]{
		Stage:      a.stage,
		Prompt:     a.prompt,
		NumPredict: 3*a.words + 200,
		Subject:    w.subject,
		Options: func(place, try int, o *local.Options) {
			options(place, try, o)
			if try >= w.s.Tries {
				share = leastText
			}
		},
		Data: func(_ int, problem string) any { return a.data(problem) },
		Read: func(_ int, r local.Reply) (string, string) {
			s, problem := stage.Plain(r)
			if n := len(strings.Fields(s)); problem == "" && float64(n) < share*float64(want) {
				problem = fmt.Sprintf("the text has %d words, not about %d", n, want)
			}
			return s, problem
		},
	})
}

// draft writes an article at once, or a conversation chapter by chapter.
func (w *writer) draft(ctx context.Context) (text, problem string, err error) {
	b := w.b
	if !b.Conversation {
		return w.prose(ctx, order{"write", "summhay/write.txt", b.Words, 0, 0, func(problem string) any {
			return map[string]any{
				"Topic": b.Topic, "Words": b.Words, "Style": styles[(w.number+w.fresh)%len(styles)],
				"Insights": w.texts(w.plan), "Problem": problem,
			}
		}})
	}

	w.chapters = make([]string, len(w.plan))
	for k := range w.plan {
		problem, err := w.chapter(ctx, k, nil, 0)
		if err != nil || problem != "" {
			return "", problem, err
		}
	}
	return strings.Join(w.chapters, "\n\n"), "", nil
}

// chapter writes a part of a conversation around one insight, again until a check says
// that it states this and belongs to its subtopic, or the tries are used up: then the
// audit of the document decides. The problem is that of a chapter that is empty.
func (w *writer) chapter(ctx context.Context, k int, avoid []string, salt int) (problem string, err error) {
	refused := ""
	for try := range max(1, w.b.Chapters) {
		text, failed, err := w.writeChapter(ctx, k, avoid, 10*salt+try, refused)
		if err != nil {
			return "", err
		}
		if failed != "" {
			refused = failed
			continue
		}

		w.chapters[k] = text
		if refused, err = w.checkChapter(ctx, k); err != nil || refused == "" {
			return "", err
		}
		w.quality.ChapterTries++
		w.s.Note("chapter", w.id(), try+1, "chapter %d is written again: %s", k+1, refused)
	}

	if w.chapters[k] == "" {
		return fmt.Sprintf("chapter %d: %s", k+1, refused), nil
	}
	return "", nil
}

// writeChapter asks for a chapter once, with the reason why the one before was refused.
func (w *writer) writeChapter(ctx context.Context, k int, avoid []string, salt int, refused string) (
	text, problem string, err error) {
	before := ""
	if k > 0 {
		words := strings.Fields(w.chapters[k-1])
		before = strings.Join(words[max(0, len(words)-beforeWords):], " ")
	}

	b := w.b
	words := b.Words / len(w.plan)
	return w.prose(ctx, order{"chapter", "summhay/chapter.txt", words, 0, salt, func(problem string) any {
		if problem == "" {
			problem = refused
		}
		return map[string]any{
			"Topic": b.Topic, "Participants": b.Participants, "Before": before, "Words": words,
			"Insight": w.insight(w.plan[k]), "Avoid": avoid, "Problem": problem,
		}
	}})
}

// checkChapter says what is wrong with a chapter, "" if nothing is.
func (w *writer) checkChapter(ctx context.Context, k int) (problem string, err error) {
	p := w.plan[k]
	type reply struct {
		Subtopic int  `json:"subtopic"`
		States   bool `json:"states"`
	}

	got, failed, err := stage.One(ctx, w.s, stage.Question[reply]{
		Stage:      "chapter check",
		Role:       stage.Checks,
		Prompt:     "summhay/chapter-check.txt",
		NumPredict: 60,
		Subject:    w.subject,
		Schema: schema.Object(
			schema.Field("subtopic", schema.Integer().Between(1, len(w.subtopics))),
			schema.Field("states", schema.Boolean()),
		).JSON(),
		Data: func(_ int, problem string) any {
			return map[string]any{
				"Chapter": w.chapters[k], "Subtopics": stage.Numbered(titles(w.subtopics)), "Insight": w.insight(p),
				"Problem": problem,
			}
		},
	})

	switch {
	case err != nil:
		return "", err
	case failed != "":
		return "it could not be checked", nil
	case !got.States && w.covered(ctx, k):
		return "", nil // opinions differ: the audit of the document settles it
	case !got.States:
		return "it does not state what it should with all particulars", nil
	case got.Subtopic != p.subtopic+1:
		return "it is mostly about " + w.subtopics[got.Subtopic-1].name, nil
	}
	return "", nil
}

// covered reports whether a chapter has the words of what it is to state.
func (w *writer) covered(ctx context.Context, k int) bool {
	in := w.subtopics[w.plan[k].subtopic].insights[w.plan[k].insight]
	verdicts, err := w.b.Judge.Judge(ctx, []judge.Task{{
		ID:        w.id(),
		About:     w.b.Topic,
		Units:     text.Sentences(w.chapters[k]),
		Questions: []judge.Question{{ID: in.InsightID, Kind: judge.Coverage, Text: in.Insight}},
	}}, nil)
	return err == nil && verdicts[0][0].Label == judge.Full
}

// mend edits an article, or writes the chapters again that lack an insight or leak one.
func (w *writer) mend(ctx context.Context, old string, missing, leaked []spot, edit int) (
	text, problem string, err error) {
	if !w.b.Conversation {
		before := len(strings.Fields(old))
		return w.prose(ctx, order{"edit", "summhay/edit.txt", w.b.Words, before, 1 + edit, func(problem string) any {
			return map[string]any{
				"Document": old, "Missing": w.texts(missing), "Leaked": w.texts(leaked), "Problem": problem,
			}
		}})
	}

	again := w.faulty(missing, leaked)
	for k := range w.plan {
		avoid, ok := again[k]
		if !ok {
			continue
		}
		if problem, err := w.chapter(ctx, k, avoid, 1+edit); err != nil || problem != "" {
			return "", problem, err
		}
	}
	return strings.Join(w.chapters, "\n\n"), "", nil
}

// faulty says which chapters are to be written again, and what each must not say. A
// leaked insight is taken out of the chapter that shares most words with it.
func (w *writer) faulty(missing, leaked []spot) map[int][]string {
	again := map[int][]string{}
	for k, p := range w.plan {
		for _, m := range missing {
			if m == p {
				again[k] = nil
			}
		}
	}

	for _, l := range leaked {
		best, at := -1.0, 0
		for k, c := range w.chapters {
			if o := text.Overlap(c, w.insight(l)); o > best {
				best, at = o, k
			}
		}
		again[at] = append(again[at], w.insight(l))
	}
	return again
}
