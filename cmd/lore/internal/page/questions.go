package page

import (
	"slices"
	"unicode/utf16"

	"lore/cmd/lore/internal/store"
	"lore/datasets"
	"lore/judge"
	"lore/local"
)

// questions are the blocks of all items.
func (b *builder) questions() []Question {
	out := make([]Question, len(b.head.Items))
	for i := range out {
		out[i] = Question{Item: i, Asked: []Asked{}, Answers: []Answer{}, Verdicts: []Verdicts{}, Contexts: []Context{}}
	}
	for run := range b.sources {
		b.takeAnswers(run, out)
		b.takeVerdicts(run, out)
		b.takeHolders(run, out)
		b.takeContexts(run, out)
	}
	for i := range out {
		out[i].closeRanks()
	}
	return out
}

// takeAnswers adds a run's answers, with what their systems were shown.
func (b *builder) takeAnswers(run int, out []Question) {
	s := b.sources[run]
	contexts := map[string]*store.ShownContext{}
	if s.Shown != nil {
		for i := range s.Shown.Contexts {
			contexts[s.Shown.Contexts[i].Name] = &s.Shown.Contexts[i]
		}
	}

	placed := map[[2]string]int{} // place of a context in an item's list
	for _, a := range s.Run.Answers {
		q := &out[b.items[itemKey{s.Run.Manifest.DataHash, a.Item}]]
		system, ok := b.systems[systemKey{run, a.System}]
		if !ok {
			continue // a folder that somebody has edited
		}

		answer := b.newAnswer(a, system, s.Run.Manifest.DataHash)
		if c := contexts[a.Shown]; c != nil {
			at, known := placed[[2]string{a.Item, a.Shown}]
			if !known {
				at = len(q.Contexts)
				placed[[2]string{a.Item, a.Shown}] = at
				q.Contexts = append(q.Contexts, b.newContext(run, c))
			}
			answer.Context = at
		}
		q.Answers = append(q.Answers, answer)
	}
}

func (b *builder) newAnswer(a store.Answer, system int, data string) Answer {
	out := Answer{
		System:  system,
		Reason:  plain(a.Reason),
		Failed:  a.Failed(),
		Text:    plain(a.Text),
		Units:   plainAll(a.Units),
		Context: -1,
		Tokens:  [3]int{a.ContextTokens, a.PromptTokens, a.OutputTokens},
		Cut:     a.Cut,
		Dropped: a.Dropped,
		Notes:   plainAll(a.Notes),
	}
	b.takeReading(&out, a, data)
	if a.Outcome != local.OK {
		out.Outcome = string(a.Outcome)
	}
	if a.Points != nil {
		out.Points = plainAll(a.Points.List)
	}
	return out
}

// newContext names the documents of a context by number.
func (b *builder) newContext(run int, c *store.ShownContext) Context {
	out := Context{Passages: []Passage{}}
	for _, p := range c.Passages {
		out.Passages = append(out.Passages, b.shownAs(run, p))
	}

	for _, m := range c.Prompt {
		msg := Message{Role: plain(m.Role), Parts: []any{}}
		for _, part := range m.Parts {
			if part.Passage > 0 {
				msg.Parts = append(msg.Parts, part.Passage)
			} else {
				msg.Parts = append(msg.Parts, plain(part.Words))
			}
		}
		out.Prompt = append(out.Prompt, msg)
	}
	return out
}

// charsOf is the length of the beginning of a document on the page, as scripts count it.
func (b *builder) charsOf(document, bytes int) int {
	return utf16Length(plain(b.texts[document][:bytes]))
}

func utf16Length(s string) int {
	n := 0
	for _, r := range s {
		n += utf16.RuneLen(r)
	}
	return n
}

// takeVerdicts adds a run's verdicts by the questions' ids.
func (b *builder) takeVerdicts(run int, out []Question) {
	data := b.sources[run].Run.Manifest.DataHash
	rows := map[datasets.Judged]int{}
	for i, r := range b.rows {
		if r.run == run {
			rows[r.row.Judged] = i
		}
	}

	prompts := promptsOf(b.sources[run].Shown)
	for _, t := range b.sources[run].Run.Verdicts {
		row, ok := rows[t.Judged]
		if !ok {
			continue
		}
		q := &out[b.items[itemKey{data, t.Item}]]
		v := Verdicts{Row: row, List: make([]Verdict, len(q.Asked)), Notes: plainAll(t.Notes)}
		asked := prompts[answerKey{t.System, t.Item}]
		for i, one := range t.Questions {
			at := q.place(one)
			for len(v.List) <= at {
				v.List = append(v.List, Verdict{Reason: "not asked"})
			}
			v.List[at] = b.newVerdict(t.Verdicts[i])
		}
		v.takePrompts(asked, q, t)
		for _, p := range t.Points {
			v.Points = append(v.Points, b.newVerdict(p))
		}
		for _, p := range t.Held {
			v.Held = append(v.Held, b.newVerdict(p))
		}
		q.Verdicts = append(q.Verdicts, v)
	}
}

// place is where a question stands among those asked.
func (q *Question) place(asked judge.Question) int {
	id := plain(asked.ID)
	if i := slices.IndexFunc(q.Asked, func(a Asked) bool { return a.ID == id }); i >= 0 {
		return i
	}
	q.Asked = append(q.Asked, Asked{ID: id, Kind: string(asked.Kind), Text: plain(asked.Text)})
	return len(q.Asked) - 1
}

// closeRanks gives every row a verdict on every question, and leaves out the text of a
// question that is that of the one before: references are long.
func (q *Question) closeRanks() {
	for i := range q.Verdicts {
		for len(q.Verdicts[i].List) < len(q.Asked) {
			q.Verdicts[i].List = append(q.Verdicts[i].List, Verdict{Reason: "not asked"})
		}
	}
	for i := len(q.Asked) - 1; i > 0; i-- {
		if q.Asked[i].Text == q.Asked[i-1].Text {
			q.Asked[i].Text = ""
		}
	}
}

func (b *builder) newVerdict(v judge.Verdict) Verdict {
	out := Verdict{Unit: v.Unit, Flags: plainAll(v.Flags), Evidence: plainAll(v.Evidence), Reply: plain(v.Reply)}
	for _, r := range v.Replies {
		out.Replies = append(out.Replies, Reply{plain(r.Judge), plain(r.Text)})
	}
	if !v.Scored() {
		out.Reason = plain(string(v.Outcome) + ": " + v.Reason)
		return out
	}
	if b.answering != nil {
		out.Answers = b.answering.Answers(v)
	}
	out.Label, out.Value = plain(v.Label), *rounded(v.Value)
	if v.Score != 0 && *rounded(v.Score) != out.Value {
		out.Score = rounded(v.Score)
	}
	return out
}

// takeHolders adds which documents are relevant, and which hold what a question asks for.
func (b *builder) takeHolders(run int, out []Question) {
	s := b.sources[run]
	if s.Shown == nil {
		return
	}
	data := s.Run.Manifest.DataHash
	numbers := func(ids []string) []int {
		var list []int
		for _, id := range ids {
			if n, ok := b.docs[[2]string{data, id}]; ok {
				list = append(list, n)
			}
		}
		slices.Sort(list)
		return slices.Compact(list)
	}

	for _, it := range s.Shown.Items {
		at, ok := b.items[itemKey{data, it.Item}]
		if !ok {
			continue
		}
		q := &out[at]
		q.Gold = numbers(goldOf(it))
		for id, label := range it.Labels {
			if n, ok := b.docs[[2]string{data, id}]; ok {
				q.takeLabel(n, plain(label))
			}
		}
		for i := range q.Asked {
			q.Asked[i].Holders = numbers(it.Holders[q.Asked[i].ID])
		}
	}
}

func (q *Question) takeLabel(document int, label string) {
	if q.Labels == nil {
		q.Labels = map[int]string{}
	}
	q.Labels[document] = label
}

// goldOf are the relevant documents of an item.
func goldOf(it store.ShownItem) []string {
	var out []string
	for id, grade := range it.Gold {
		if grade > 0 {
			out = append(out, id)
		}
	}
	return out
}

// count counts, for the list of questions, answers that failed and statements on which
// judges disagree.
func (b *builder) count(questions []Question) {
	for i, q := range questions {
		for _, a := range q.Answers {
			if a.Failed {
				b.head.Items[i].Failed++
			}
		}
		b.head.Items[i].Split = b.split(q)
	}
}

// split counts pairs of system and question on which two judges give different labels.
func (b *builder) split(q Question) int {
	type place struct{ system, asked int }
	said := map[place]string{}
	differ := map[place]bool{}
	for _, v := range q.Verdicts {
		for k, one := range v.List {
			if one.Label == "" {
				continue
			}
			at := place{b.head.Rows[v.Row].System, k}
			if was, ok := said[at]; ok && was != one.Label {
				differ[at] = true
			}
			said[at] = one.Label
		}
	}
	return len(differ)
}
