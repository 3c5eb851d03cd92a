package build

import (
	"cmp"
	"context"
	"slices"

	"lore/datasets/stage"
	"lore/judge"
	"lore/local/schema"
	"lore/local/text"
)

// verdict is what was found of a statement in the present text of a document.
type verdict struct {
	look
	audited  bool // by a question of its own; else the statement was on a list, and was not named
	reversed bool // the question was asked the other way round, too
}

// listLength is the most statements on a list. Small models lose their place in longer ones.
const listLength = 16

// examine finds out what the text of a document says, whatever its plan. The model names
// those of the other statements that it finds, list by list, and word overlap names more;
// each of these, and all that was planned, is then audited by a question of its own. What
// an edit did not touch is not asked again.
func (w *writer) examine(ctx context.Context) error {
	changed, added := changes(w.examined, w.text)
	w.examined = w.text
	if err := w.overlap(ctx); err != nil {
		return err
	}
	suspect, err := w.listed(ctx, added)
	if err != nil {
		return err
	}

	var ask []spot
	for _, p := range w.live() {
		v, known := w.verdicts[p]
		stands := v.audited && !touches(changed, w.insight(p))
		if !stands && (v.audited || w.planned(p) || suspect[p] || w.words[p] == coveredWhole) {
			ask = append(ask, p)
			continue
		}
		if !known {
			v.checker = saysNo // as the list has it
		}
		v.planned, v.seconds = w.planned(p), w.opinions(p, v)
		w.saw(p, v)
	}
	if err := w.audited(ctx, ask, suspect); err != nil {
		return err
	}
	return w.askedOtherwise(ctx)
}

// opinions puts the present opinion of word overlap beside what the other judge said.
func (w *writer) opinions(p spot, v verdict) [mostSeconds]int8 {
	if !v.audited {
		v.seconds[1] = noAnswer
	}
	return [mostSeconds]int8{w.words[p], v.seconds[1]}
}

// audited asks of statements, one by one, whether the text says them, and has the second
// judge, where there is one, look for them. named are those that the model named on a list.
func (w *writer) audited(ctx context.Context, places []spot, named map[spot]bool) error {
	got, err := w.examiner().ask(ctx, auditQuestion, of(w.text, w.texts(places)))
	if err != nil {
		return err
	}

	seconds := make([]int8, len(places))
	for i := range seconds {
		seconds[i] = noAnswer
	}
	if w.b.Second != nil && len(places) > 0 {
		if seconds, err = w.judged(ctx, w.b.Second, places); err != nil {
			return err
		}
	}

	for n, p := range places {
		v := verdict{audited: true, look: look{
			planned: w.planned(p),
			direct:  !named[p],
			checker: got[n],
			seconds: [mostSeconds]int8{w.words[p], seconds[n]},
		}}
		w.saw(p, v)
	}
	return nil
}

// saw keeps a verdict. The first look at each statement is kept by itself: later ones are at
// texts that were edited because of what was seen.
func (w *writer) saw(p spot, v verdict) {
	w.verdicts[p] = v
	if _, seen := w.first[p]; !seen {
		w.first[p] = v.look
	}
}

// How sure it must be that the plan is right, or that it is wrong, so that the model is not
// asked once more.
const sure = 0.9

// askedOtherwise asks the model the other way round wherever it disagrees with the plan and
// other opinions do not settle it.
func (w *writer) askedOtherwise(ctx context.Context) error {
	var open []spot
	for _, p := range w.live() {
		v := w.verdicts[p]
		against := v.planned && v.checker == saysNo || !v.planned && v.checker == saysYes
		right := w.b.rates.settle(v.look)
		if !v.planned {
			right = 1 - right
		}
		if against && v.audited && !v.reversed && right < sure {
			open = append(open, p)
		}
	}

	got, err := w.examiner().ask(ctx, reverseQuestion, of(w.text, w.texts(open)))
	if err != nil {
		return err
	}
	for n, p := range open {
		v := w.verdicts[p]
		was := v.look
		v.reversed = true
		switch {
		case got[n] == noAnswer:
		case got[n] != v.checker:
			v.checker = split
			w.quality.Contradicted++
		case got[n] == saysNo:
			v.checker = noTwice
		default:
			v.checker = yesTwice
		}
		w.verdicts[p] = v
		if !w.edited && w.first[p] == was {
			w.first[p] = v.look
		}
	}
	return nil
}

// listed returns the statements that are not planned and that the model names. All are asked about
// when sentences were added to the text, else those alone that were not asked about before.
// A list without a reply that can be read names all that stands on it.
func (w *writer) listed(ctx context.Context, added bool) (map[spot]bool, error) {
	var others []spot
	for _, p := range w.live() {
		if _, known := w.verdicts[p]; !w.planned(p) && (added || !known) {
			others = append(others, p)
		}
	}
	var parts [][]spot
	var lists [][]string
	if len(others) > 0 {
		n := (len(others) + listLength - 1) / listLength // lists of about the same length
		for part := range slices.Chunk(others, (len(others)+n-1)/n) {
			parts = append(parts, part)
			lists = append(lists, w.texts(part))
		}
	}

	named, failed, err := w.examiner().lists(ctx, w.text, lists)
	if err != nil {
		return nil, err
	}
	suspect := map[spot]bool{}
	for i, part := range parts {
		for k, p := range part {
			if failed[i] || named[i][k+1] {
				suspect[p] = true
			}
		}
	}
	return suspect, nil
}

// overlap has word overlap look for every statement.
func (w *writer) overlap(ctx context.Context) error {
	live := w.live()
	labels, err := w.judged(ctx, w.b.Judge, live)
	if err != nil {
		return err
	}
	w.words = map[spot]int8{}
	for i, p := range live {
		w.words[p] = labels[i]
	}
	return nil
}

// judged has a judge say how far the text covers statements.
func (w *writer) judged(ctx context.Context, j judge.Judge, places []spot) ([]int8, error) {
	task := judge.Task{ID: w.id(), About: w.b.Topic, Units: text.Sentences(w.text)}
	for _, p := range places {
		in := w.subtopics[p.subtopic].insights[p.insight]
		task.Questions = append(task.Questions, judge.Question{ID: in.InsightID, Kind: judge.Coverage, Text: in.Insight})
	}

	verdicts, err := j.Judge(ctx, []judge.Task{task}, nil)
	if err != nil {
		return nil, err
	}
	out := make([]int8, len(places))
	for i, v := range verdicts[0] {
		switch v.Label {
		case judge.Full:
			out[i] = coveredWhole
		case judge.Partial:
			out[i] = coveredPartly
		case judge.None:
			out[i] = coveredNot
		default:
			out[i] = noAnswer
		}
	}
	return out, nil
}

// changes are the sentences that stand in one of two texts alone; added reports whether
// some are in the later one.
func changes(before, after string) (changed []string, added bool) {
	old, now := map[string]bool{}, map[string]bool{}
	for _, s := range text.Sentences(before) {
		old[s] = true
	}
	for _, s := range text.Sentences(after) {
		if now[s] = true; !old[s] {
			changed, added = append(changed, s), true
		}
	}
	for _, s := range text.Sentences(before) {
		if !now[s] {
			changed = append(changed, s)
		}
	}
	return changed, added
}

// touched is the share of a statement's words in a changed sentence from which a verdict on
// it is asked for again.
const touched = 0.2

// touches reports whether changed sentences bear on a statement.
func touches(changed []string, statement string) bool {
	terms := text.Terms(statement)
	for _, s := range changed {
		in := map[string]bool{}
		for _, t := range text.Terms(s) {
			in[t] = true
		}

		n := 0
		for _, t := range terms {
			if in[t] {
				n++
			}
		}
		if float64(n) >= touched*float64(len(terms)) {
			return true
		}
	}
	return false
}

// examiner asks the model what a text says.
type examiner struct {
	s       *stage.Session
	quality *Quality
	subject func(int) string
	work    string // in log and progress; empty: by the question
}

func (w *writer) examiner() examiner { return examiner{w.s, &w.quality, w.subject, ""} }

// asking is a way to ask whether a text says a statement.
type asking struct {
	stage, prompt string
	field         string // of the reply
	says          map[string]int8
}

var (
	auditQuestion = asking{"audit", "summhay/audit.txt", "answer",
		map[string]int8{"yes": saysYes, "no": saysNo}}
	reverseQuestion = asking{"audit, asked otherwise", "summhay/reverse.txt", "left_out",
		map[string]int8{"yes": saysNo, "no": saysYes}}
)

// asked is a statement with the text that may say it.
type asked struct{ document, statement string }

// of pairs statements with one text.
func of(document string, statements []string) []asked {
	out := make([]asked, len(statements))
	for i, s := range statements {
		out[i] = asked{document, s}
	}
	return out
}

// ask asks of each statement whether its text says it.
func (x examiner) ask(ctx context.Context, a asking, pairs []asked) ([]int8, error) {
	if len(pairs) == 0 {
		return nil, nil
	}
	got, failed, err := stage.Ask(ctx, x.s, stage.Question[map[string]string]{
		Stage:      cmp.Or(x.work, a.stage),
		Role:       stage.Checks,
		Prompt:     a.prompt,
		NumPredict: 30,
		Subject:    x.subject,
		Schema:     schema.Object(schema.Field(a.field, schema.OneOf("yes", "no"))).JSON(),
		Data: func(n int, problem string) any {
			return map[string]any{"Document": pairs[n].document, "Insight": pairs[n].statement, "Problem": problem}
		},
		Check: func(_ int, r map[string]string) string {
			if _, ok := a.says[r[a.field]]; !ok {
				return "the answer is neither yes nor no"
			}
			return ""
		},
	}, stage.Places(len(pairs)))
	if err != nil {
		return nil, err
	}

	x.quality.Audited += len(pairs)
	x.quality.AuditOpen += len(failed)
	out := make([]int8, len(pairs))
	for n := range pairs {
		out[n] = noAnswer
		if _, bad := failed[n]; !bad {
			out[n] = a.says[got[n][a.field]]
		}
	}
	return out, nil
}

// lists asks which statements of each list a text makes; they are numbered from 1. failed
// are the lists without a reply that can be read.
func (x examiner) lists(ctx context.Context, document string, lists [][]string) (
	named []map[int]bool, failed map[int]bool, err error) {
	if len(lists) == 0 {
		return nil, nil, nil
	}
	type reply struct {
		Present []int `json:"present"`
	}

	most := 0
	for _, l := range lists {
		most = max(most, len(l))
	}
	got, problems, err := stage.Ask(ctx, x.s, stage.Question[reply]{
		Stage:      cmp.Or(x.work, "present"),
		Role:       stage.Checks,
		Complete:   true, // what half a list leaves out would count as absent
		Prompt:     "summhay/present.txt",
		NumPredict: 100,
		Subject:    x.subject,
		Schema:     schema.Object(schema.Field("present", numbers(most))).JSON(),
		Data: func(i int, problem string) any {
			return map[string]any{"Document": document, "Insights": stage.Numbered(lists[i]), "Problem": problem}
		},
	}, stage.Places(len(lists)))
	if err != nil {
		return nil, nil, err
	}

	x.quality.Lists += len(lists)
	x.quality.ListsOpen += len(problems)
	named, failed = make([]map[int]bool, len(lists)), map[int]bool{}
	for i := range lists {
		_, failed[i] = problems[i]
		named[i] = map[int]bool{}
		for _, n := range got[i].Present {
			named[i][n] = true
		}
	}
	return named, failed, nil
}
