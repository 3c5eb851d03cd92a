package build

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"

	"lore/datasets/stage"
	"lore/datasets/summhay"
	"lore/judge"
	"lore/local"
	"lore/local/text"
)

// styles vary news articles.
var styles = []string{"a local newspaper", "a weekly magazine", "a news agency", "the letter of a trade association", "a radio programme that is read out", "a column by a correspondent", "the paper of a neighbouring town"}

// composed is what became of a planned document.
type composed struct {
	text    string
	found   []spot
	quality Quality
	log     *stage.Session
}

// compose writes and verifies all documents, several at a time: each worker takes a
// document through all its steps, so that calls about one text follow each other. The
// result does not hang on which is finished first.
func (b *Builder) compose(ctx context.Context, subtopics []*subtopic, plan [][]spot) ([]summhay.Document, error) {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	results := make([]composed, len(plan))
	work := make(chan int)
	var wg sync.WaitGroup
	var mu sync.Mutex
	done := 0
	step := func(int) {}
	if b.Step != nil {
		step = b.Step("documents", len(plan))
	}
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
	if err := context.Cause(ctx); err != nil {
		return nil, err
	}
	b.quality.DocumentsPlanned = len(plan)
	for i, spots := range plan {
		var ids []string
		for _, p := range spots {
			ids = append(ids, subtopics[p.subtopic].insights[p.insight].InsightID)
		}
		b.Note("plan", documentID(i), 0, "is to hold %s", strings.Join(ids, ", "))
	}
	var out []summhay.Document
	for i, r := range results {
		if r.log == nil {
			continue
		}
		b.Join(r.log)
		b.quality.add(r.quality)
		if r.text == "" {
			continue
		}
		d := summhay.Document{DocumentID: documentID(i), DocumentText: r.text, InsightsIncluded: []string{}}
		for _, p := range r.found {
			d.InsightsIncluded = append(d.InsightsIncluded, subtopics[p.subtopic].insights[p.insight].InsightID)
		}
		out = append(out, d)
	}
	return out, nil
}

func documentID(i int) string { return fmt.Sprintf("doc%03d", i+1) }

func (q *Quality) add(o Quality) {
	q.AtOnce += o.AtOnce
	q.Missing += o.Missing
	q.Leaked += o.Leaked
	q.Edited += o.Edited
	q.ChapterTries += o.ChapterTries
	q.Replaced += o.Replaced
	q.Lost += o.Lost
	q.DocumentsKept += o.DocumentsKept
	q.Audited += o.Audited
	q.AuditOpen += o.AuditOpen
}

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

// options make what is written vary, and a new start differ from the one before.
func (w *writer) options(salt int) func(_, try int, o *local.Options) {
	return func(_, try int, o *local.Options) {
		o.Temperature = w.b.Temperature
		o.Seed += 10_000*w.fresh + 100*salt + try - 1
	}
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
	if err != nil || problem != "" {
		w.s.Note("documents", w.id(), 0, "no draft: %s", problem)
		return "", nil, err
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
			w.s.Note("documents", w.id(), edit, "no edit: %s", problem)
			continue
		}
		text = mended
	}
}

// without lists what is in a and not in b.
func without(a, b []spot) []spot {
	in := map[spot]bool{}
	for _, p := range b {
		in[p] = true
	}
	var out []spot
	for _, p := range a {
		if !in[p] {
			out = append(out, p)
		}
	}
	return out
}

// prose asks for running text of about so many words.
func (w *writer) prose(ctx context.Context, stageName, prompt string, words, salt int, data func(problem string) any) (string, string, error) {
	return one(ctx, w.s, stage.Question[string]{Stage: stageName, Prompt: prompt, NumPredict: 3*words + 200, Subject: w.subject, Options: w.options(salt),
		Data: func(_ int, problem string) any { return data(problem) },
		Read: func(_ int, r local.Reply) (string, string) {
			s, problem := stage.Plain(r)
			if n := len(strings.Fields(s)); problem == "" && n < words/4 {
				problem = fmt.Sprintf("the text has %d words, not about %d", n, words)
			}
			return s, problem
		}})
}

// draft writes an article at once, or a conversation chapter by chapter.
func (w *writer) draft(ctx context.Context) (string, string, error) {
	b := w.b
	if !b.Conversation {
		return w.prose(ctx, "write", "summhay/write.txt", b.Words, 0, func(problem string) any {
			return map[string]any{"Topic": b.Topic, "Words": b.Words, "Style": styles[(w.number+w.fresh)%len(styles)], "Insights": w.texts(w.plan), "Problem": problem}
		})
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
// audit of the document decides.
func (w *writer) chapter(ctx context.Context, k int, avoid []string, salt int) (string, error) {
	b, p := w.b, w.plan[k]
	before := ""
	if k > 0 {
		words := strings.Fields(w.chapters[k-1])
		before = strings.Join(words[max(0, len(words)-60):], " ")
	}
	type reply struct {
		Subtopic int  `json:"subtopic"`
		States   bool `json:"states"`
	}
	schema := json.RawMessage(fmt.Sprintf(`{"type":"object","properties":{"subtopic":{"type":"integer","minimum":1,"maximum":%d},"states":{"type":"boolean"}},"required":["subtopic","states"]}`, len(w.subtopics)))
	refused := ""
	for try := range max(1, b.Chapters) {
		text, failed, err := w.prose(ctx, "chapter", "summhay/chapter.txt", b.Words/len(w.plan), 10*salt+try, func(problem string) any {
			if problem == "" {
				problem = refused
			}
			return map[string]any{"Topic": b.Topic, "Participants": b.Participants, "Before": before, "Words": b.Words / len(w.plan), "Insight": w.insight(p), "Avoid": avoid, "Problem": problem}
		})
		if err != nil {
			return "", err
		}
		if failed != "" {
			refused = failed
			continue
		}
		w.chapters[k] = text
		got, failed, err := one(ctx, w.s, stage.Question[reply]{Stage: "chapter check", Prompt: "summhay/chapter-check.txt", NumPredict: 60, Schema: schema, Subject: w.subject,
			Data: func(_ int, problem string) any {
				return map[string]any{"Chapter": text, "Subtopics": number1(titles(w.subtopics)), "Insight": w.insight(p), "Problem": problem}
			}})
		if err != nil {
			return "", err
		}
		switch {
		case failed != "":
			refused = "it could not be checked"
		case !got.States:
			refused = "it does not state what it should with all particulars"
		case got.Subtopic != p.subtopic+1:
			refused = "it is mostly about " + w.subtopics[got.Subtopic-1].name
		default:
			return "", nil
		}
		w.quality.ChapterTries++
		w.s.Note("chapter", w.id(), try+1, "chapter %d is written again: %s", k+1, refused)
	}
	if w.chapters[k] == "" {
		return fmt.Sprintf("chapter %d: %s", k+1, refused), nil
	}
	return "", nil
}

// mend edits an article, or writes the chapters again that lack an insight or leak one.
func (w *writer) mend(ctx context.Context, old string, missing, leaked []spot, edit int) (string, string, error) {
	if !w.b.Conversation {
		return w.prose(ctx, "edit", "summhay/edit.txt", w.b.Words, 1+edit, func(problem string) any {
			return map[string]any{"Document": old, "Missing": w.texts(missing), "Leaked": w.texts(leaked), "Problem": problem}
		})
	}
	again := map[int][]string{} // what a chapter must not say
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

// examine finds out what a text says, whatever its plan: the model lists the statements
// of each subtopic that it finds, word overlap adds others, and every suspect, with all
// that was planned, is then audited by a question of its own. Only the audit counts.
func (w *writer) examine(ctx context.Context, document string) ([]spot, error) {
	suspect := map[spot]bool{}
	for _, p := range w.plan {
		suspect[p] = true
	}
	if err := w.listed(ctx, document, suspect); err != nil {
		return nil, err
	}
	if err := w.similar(ctx, document, suspect); err != nil {
		return nil, err
	}
	var places []spot
	for i, s := range w.subtopics {
		for k := range s.insights {
			if suspect[spot{i, k}] {
				places = append(places, spot{i, k})
			}
		}
	}
	type reply struct {
		Answer string `json:"answer"`
	}
	got, failed, err := stage.Ask(ctx, w.s, stage.Question[reply]{Stage: "audit", Prompt: "summhay/audit.txt", NumPredict: 30, Subject: w.subject,
		Schema: json.RawMessage(`{"type":"object","properties":{"answer":{"type":"string","enum":["yes","no"]}},"required":["answer"]}`),
		Data: func(n int, problem string) any {
			return map[string]any{"Document": document, "Insight": w.insight(places[n]), "Problem": problem}
		}}, stage.Places(len(places)))
	if err != nil {
		return nil, err
	}
	w.quality.Audited += len(places)
	w.quality.AuditOpen += len(failed)
	var found []spot
	for n, p := range places {
		if got[n].Answer == "yes" {
			found = append(found, p)
		}
	}
	return found, nil
}

// listed adds what the model finds among the statements of each subtopic.
func (w *writer) listed(ctx context.Context, document string, suspect map[spot]bool) error {
	type reply struct {
		Present []int `json:"present"`
	}
	most := 0
	for _, s := range w.subtopics {
		most = max(most, len(s.insights))
	}
	got, _, err := stage.Ask(ctx, w.s, stage.Question[reply]{Stage: "present", Prompt: "summhay/present.txt", NumPredict: 100, Schema: numbersSchema("present", most), Subject: w.subject,
		Data: func(i int, problem string) any {
			return map[string]any{"Document": document, "Insights": number1(insightTexts(w.subtopics[i].insights)), "Problem": problem}
		}}, stage.Places(len(w.subtopics)))
	for i := range w.subtopics {
		for _, n := range got[i].Present {
			if n >= 1 && n <= len(w.subtopics[i].insights) {
				suspect[spot{i, n - 1}] = true
			}
		}
	}
	return err
}

// similar adds what the judge takes for covered by the text.
func (w *writer) similar(ctx context.Context, document string, suspect map[spot]bool) error {
	task := judge.Task{ID: w.id(), About: w.b.Topic, Units: text.Sentences(document)}
	var places []spot
	for i, s := range w.subtopics {
		for k, in := range s.insights {
			task.Questions = append(task.Questions, judge.Question{ID: in.InsightID, Kind: judge.Coverage, Text: in.Insight})
			places = append(places, spot{i, k})
		}
	}
	verdicts, err := w.b.Judge.Judge(ctx, []judge.Task{task}, nil)
	if err != nil {
		return err
	}
	for n, v := range verdicts[0] {
		if v.Label == judge.Full {
			suspect[places[n]] = true
		}
	}
	return nil
}
