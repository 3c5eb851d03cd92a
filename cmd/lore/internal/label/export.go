package label

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"lore/judge"
	"lore/judge/agreement"
)

// Row is a label as `lore judge validate` and `calibrate` read it: a line of JSON with the
// columns of docs/judges.md, and some to group by.
type Row struct {
	Kind       judge.Kind         `json:"kind"`
	Group      string             `json:"group,omitempty"`
	System     string             `json:"system,omitempty"`
	About      string             `json:"about,omitempty"`
	Text       string             `json:"text"`
	Statement  string             `json:"statement"`
	Label      string             `json:"label,omitempty"`
	Value      *float64           `json:"value,omitempty"`
	Unit       int                `json:"unit,omitempty"`
	Annotators map[string]float64 `json:"annotators,omitempty"` // values in [0,1]
	Task       string             `json:"task"`
	Item       string             `json:"labelled_item"`
	How        string             `json:"decided"` // by one, agreed, by most or lot, adjudicated
}

// question is one thing that a judge could be asked about an item, and how an answer answers it.
type question struct {
	kind            judge.Kind
	text, statement string
	unit            string // field that names the unit
	value           func(Answer) (float64, bool)
	label           func(Answer) string // nil: by the value alone
}

// Rows are all decided items as rows, in the order of the plan.
func (f *Folder) Rows() []Row {
	decided, given := f.Decide(), f.Given()
	systems := f.systems()
	var out []Row
	for _, it := range f.Sheet.Items {
		d, ok := decided[it.ID]
		if !ok {
			continue
		}
		for _, q := range f.questions(it) {
			v, ok := q.value(d.Answer)
			if !ok {
				continue
			}
			r := Row{
				Kind: q.kind, Group: f.Plan.Keys[it.ID].Group, System: systems[it.ID], About: it.Query, Text: q.text,
				Statement: q.statement, Value: &v, Task: f.Plan.Task, Item: it.ID, How: d.how(),
			}
			if q.label != nil {
				r.Label = q.label(d.Answer)
			}
			if q.unit != "" {
				r.Unit, _ = strconv.Atoi(d.Answer.One(q.unit)) // 0 for none
			}
			r.Annotators = f.ratings(given[it.ID], q)
			out = append(out, r)
		}
	}
	return out
}

// how says how a decision came about.
func (d Decision) how() string {
	switch {
	case d.Adjudicated:
		return "adjudicated"
	case len(d.By) == 1:
		return "by one"
	case d.Split:
		return "by most or lot"
	}
	return "agreed"
}

// ratings are what each annotator says, where several do.
func (f *Folder) ratings(by map[string]Label, q question) map[string]float64 {
	out := map[string]float64{}
	for name, l := range by {
		if l.Adjudicated || l.Answer.Unsure {
			continue
		}
		if v, ok := q.value(*l.Answer); ok {
			out[name] = v
		}
	}
	if len(out) < 2 {
		return nil
	}
	return out
}

// systems name whose text an item is; several are joined.
func (f *Folder) systems() map[string]string {
	out := map[string]string{}
	for _, d := range f.Plan.Draws[:f.Plan.Labels] {
		var names []string
		for _, c := range d.Cells {
			if n := f.Plan.Targets[c.Target].Name; !slices.Contains(names, n) {
				names = append(names, n)
			}
		}
		out[d.Item] = strings.Join(names, " = ")
	}
	return out
}

// text is a text of an item, a unit a line.
func (f *Folder) text(it Item, n int) string {
	var lines []string
	for _, u := range f.Sheet.Texts[it.Texts[n].Text].Units {
		lines = append(lines, strings.Join(strings.Fields(u), " "))
	}
	return strings.Join(lines, "\n")
}

// rest are the texts of an item behind the first, in one.
func (f *Folder) rest(it Item, title string) string {
	var out []string
	for n, t := range it.Texts {
		if n > 0 && strings.HasPrefix(t.Title, title) {
			out = append(out, f.text(it, n))
		}
	}
	return judge.JoinReferences(out)
}

// questions are what a judge could be asked about an item. Where a task is none that judges
// have, it is the nearest that they have.
func (f *Folder) questions(it Item) []question {
	own := measures(f.Sheet.Task)[0]
	value := func(a Answer) (float64, bool) { return f.value(own, it.ID, a) }
	labelled := func(a Answer) string { return a.One(f.Plan.Task) }
	switch f.Plan.Task {
	case Coverage, Entailment:
		return []question{{kinds[f.Plan.Task], f.text(it, 0), it.Statement, "part", value, labelled}}
	case Relevance, Consistency:
		return []question{{kinds[f.Plan.Task], f.text(it, 0), f.rest(it, "Reference"), "", value, labelled}}
	case Answerable:
		return []question{{judge.Answerability, f.text(it, 0), it.Statement, "", value, nil}}
	case Grade:
		return []question{{judge.Answerability, f.text(it, 0), it.Statement, "", value, labelled}}
	case Errors:
		return f.errorQuestions(it)
	case Criteria:
		return []question{
			{judge.Consistency, f.text(it, 0), cmpOr(f.rest(it, "Document"), it.Query), "", graded("factual", 1, 5), nil},
			{judge.Relevance, f.text(it, 0), it.Query, "", graded("coverage", 1, 5), nil},
		}
	case Preference:
		return []question{
			{judge.Relevance, f.text(it, 0), it.Query, "", value, nil},
			{judge.Relevance, f.text(it, 1), it.Query, "", func(a Answer) (float64, bool) {
				v, ok := value(a)
				return 1 - v, ok
			}, nil},
		}
	case KeyPoint, Insight:
		return []question{{judge.Entailment, f.allTexts(it), it.Statement, "", value, nil}}
	}
	return f.subtopicQuestions(it)
}

func cmpOr(a, b string) string {
	if strings.TrimSpace(a) == "" {
		return b
	}
	return a
}

func (f *Folder) allTexts(it Item) string {
	var out []string
	for n := range it.Texts {
		out = append(out, f.text(it, n))
	}
	return strings.Join(out, "\n")
}

// errorQuestions take hallucination for a lack of consistency, and what is missing, misunderstood
// or vague for a lack of relevance: major faults wholly, minor ones half.
func (f *Folder) errorQuestions(it Item) []question {
	expected := cmpOr(cmpOr(f.rest(it, "Reference"), f.rest(it, "What")), it.Query)
	has := func(a Answer, kinds ...string) bool {
		return slices.ContainsFunc(a.Fields["errors"], func(k string) bool { return slices.Contains(kinds, k) })
	}
	return []question{
		{judge.Consistency, f.text(it, 0), expected, "", func(a Answer) (float64, bool) {
			return truth(!has(a, "hallucination")), true
		}, nil},
		{judge.Relevance, f.text(it, 0), expected, "", func(a Answer) (float64, bool) {
			switch {
			case has(a, "missing_major", "misunderstanding_major"):
				return 0, true
			case has(a, "missing_minor", "misunderstanding_minor", "vague"):
				return 0.5, true
			}
			return 1, true
		}, nil},
	}
}

// subtopicQuestions are one per subtopic: does the insight belong to it?
func (f *Folder) subtopicQuestions(it Item) []question {
	var out []question
	for _, o := range it.Options {
		out = append(out, question{judge.Entailment, it.Statement, o.Title, "", func(a Answer) (float64, bool) {
			return truth(slices.Contains(a.Fields["subtopics"], o.Value)), true
		}, nil})
	}
	return out
}

// Verdicts are the decided items as `lore report --human` and `lore judge validate RUN --human`
// read them: one line per verdict of the run that an item stands for, with stratum and
// probability as far as has been labelled. Only tasks on verdicts have any.
func (f *Folder) Verdicts() ([]agreement.HumanVerdict, error) {
	kind, ok := kinds[f.Plan.Task]
	if !ok {
		return nil, fmt.Errorf("labels of the task %s are on no verdicts of a run", f.Plan.Task)
	}
	decided := f.Decide()
	own := measures(f.Sheet.Task)[0]
	var out []agreement.HumanVerdict
	for t, target := range f.Plan.Targets {
		for _, c := range f.cellsOf(t, decided) {
			if !c.decided {
				continue
			}
			d := decided[c.item]
			v, _ := f.value(own, c.item, d.Answer)
			h := agreement.HumanVerdict{
				Retriever: target.System.Retriever, Generator: target.System.Generator,
				Item: c.Cell.Item, Question: c.Question, Label: d.Answer.One(f.Plan.Task),
				ID: c.item, Stratum: c.joined, Probability: c.probability,
			}
			if f.Plan.Task == Answerable {
				h.Label = judge.Nearest(kind, v)
			}
			h.Unit, _ = strconv.Atoi(d.Answer.One("part")) // 0 for none
			out = append(out, h)
		}
	}
	return out, nil
}

// Agreement is how the annotators agree with each other by each measure of the task.
type Agreement struct {
	Measure string
	agreement.People
}

// Agreements are all measures on which two annotators or more have answered the same items.
func (f *Folder) Agreements() []Agreement {
	given := f.Given()
	var out []Agreement
	for _, m := range measures(f.Sheet.Task) {
		var items []agreement.Item
		for _, id := range slices.Sorted(maps.Keys(given)) {
			ratings := f.ratings(given[id], question{value: func(a Answer) (float64, bool) { return f.value(m, id, a) }})
			if ratings == nil {
				continue
			}
			items = append(items, agreement.Item{
				Task:    judge.Task{Questions: []judge.Question{{ID: id}}},
				Human:   []judge.Verdict{{Question: id}},
				Ratings: []map[string]float64{ratings},
			})
		}
		if p, ok := agreement.MeasurePeople(items, nil); ok {
			out = append(out, Agreement{m.name, p})
		}
	}
	return out
}

// Progress is how far an annotator is.
type Progress struct {
	Annotator   string
	Done, Of    int
	Unsure      int
	Undone      int
	Seconds     float64 // median of an item, NaN where none was timed
	Adjudicates bool
}

// Progresses are all annotators', those of the plan first.
func (f *Folder) Progresses() []Progress {
	given := f.Given()
	names := annotators(f.Sheet)
	for _, by := range given {
		for _, n := range slices.Sorted(maps.Keys(by)) {
			if !slices.Contains(names, n) {
				names = append(names, n)
			}
		}
	}
	if len(f.Sheet.Annotators) == 0 {
		slices.Sort(names)
	}

	var out []Progress
	for _, n := range names {
		p := Progress{Annotator: n, Adjudicates: n == f.Plan.Adjudicator && n != ""}
		order, _ := f.Sheet.OrderOf(n)
		p.Of = len(order)
		var times []float64
		for _, by := range given {
			l, ok := by[n]
			if !ok {
				continue
			}
			p.Done++
			p.Unsure += int(truth(l.Answer.Unsure))
			if l.Seconds > 0 {
				times = append(times, l.Seconds)
			}
		}
		for _, l := range f.Labels {
			if l.Undo && l.Annotator == n {
				p.Undone++
			}
		}
		if p.Adjudicates {
			p.Of = p.Done + len(f.Split())
		}
		p.Seconds = median(times)
		out = append(out, p)
	}
	return out
}
