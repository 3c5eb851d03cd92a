package page

import "slices"

// takeContexts adds what judges said of the documents that a run's systems were shown, and
// which of these answer each question: a benchmark of contexts asks where an answer was lost.
func (b *builder) takeContexts(run int, out []Question) {
	if b.answering == nil {
		return
	}
	judged := b.takeJudged(run, out)
	for i := range out {
		b.compareContexts(run, &out[i], judged)
	}
}

// judgedKey names what a judge said of a document for an item.
type judgedKey struct{ item, judge, document int }

// takeJudged adds the verdicts on documents.
func (b *builder) takeJudged(run int, out []Question) map[judgedKey][]Verdict {
	judged := map[judgedKey][]Verdict{}
	data := b.sources[run].Run.Manifest.DataHash
	for _, c := range b.sources[run].Contexts {
		item, ok := b.items[itemKey{data, c.Item}]
		by := slices.Index(b.head.Judges, plain(c.Judge))
		document, known := b.docs[[2]string{data, c.Document}]
		if !ok || by < 0 || !known {
			continue // a folder that somebody has edited, or of an earlier lore
		}

		q := &out[item]
		d := Judged{Run: run, Judge: by, Document: document, List: make([]Verdict, len(q.Asked))}
		for k := range d.List {
			d.List[k].Reason = "not asked"
		}
		for _, v := range c.Verdicts {
			id := plain(v.Question)
			if k := slices.IndexFunc(q.Asked, func(a Asked) bool { return a.ID == id }); k >= 0 {
				d.List[k] = b.newVerdict(v)
			}
		}
		q.Documents = append(q.Documents, d)
		judged[judgedKey{item, by, document}] = d.List
	}
	return judged
}

// compareContexts says for each answer of a run which of its documents answer each question.
func (b *builder) compareContexts(run int, q *Question, judged map[judgedKey][]Verdict) {
	contexts := map[int]int{}
	for _, a := range q.Answers {
		contexts[a.System] = a.Context
	}

	for i := range q.Verdicts {
		v := &q.Verdicts[i]
		row := b.head.Rows[v.Row]
		at, ok := contexts[row.System]
		if !ok || at < 0 || b.head.Systems[row.System].Run != run {
			continue
		}
		for k, asked := range q.Asked {
			if len(asked.Holders) == 0 {
				v.Context = append(v.Context, nil)
				continue
			}
			said := &InContext{}
			for _, p := range q.Contexts[at].Passages {
				list := judged[judgedKey{q.Item, row.Judge, p.Document}]
				switch {
				case slices.Contains(asked.Holders, p.Document) || list != nil && list[k].Answers:
					said.By = append(said.By, p.Document)
				case list != nil && list[k].Label == "":
					said.Open++
				}
			}
			v.Context = append(v.Context, said)
		}
	}
}
