package label

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"lore/cmd/lore/internal/report"
	"lore/cmd/lore/internal/store"
	"lore/datasets"
	"lore/judge"
)

// Frame is all that could be labelled of a task: each text once, with all that it stands for.
type Frame struct {
	Source  string   // what it was made of, by hash
	Judge   string   // whose scores say where labels are worth most; empty: the data's claims
	Targets []Target // the means that labels correct
	Units   []Candidate
	LeftOut int // verdicts that the judge left unscored: nothing is known of them
}

// Target is a mean that labels correct: that of a system, or of the data.
type Target struct {
	Name   string          `json:"name"`
	System datasets.System `json:"system,omitzero"`
}

// Candidate is an item that could be labelled, with what is not shown.
type Candidate struct {
	content
	ID    string
	Cells []Cell
}

// Cell is a value of a target that a label of an item tells.
type Cell struct {
	Target   int     `json:"target"` // its number
	Judge    float64 `json:"judge"`  // the judge's verdict, or the data's claim, in [0,1]
	Proxy    float64 `json:"proxy"`  // the judge's own score where it has one, else the same
	Item     string  `json:"item"`   // of the run: what cells hang together with
	Question string  `json:"question,omitempty"`
	Turned   bool    `json:"turned,omitempty"` // of a pair: the target's first system is on the right
}

// gatherer puts candidates together, equal ones once.
type gatherer struct {
	task  string
	frame Frame
	at    map[string]int
	known map[string]int // number of a target by its name
}

func newGatherer(task string) *gatherer {
	return &gatherer{task: task, at: map[string]int{}, known: map[string]int{}}
}

// target is the number of a target.
func (g *gatherer) target(t Target) int {
	n, ok := g.known[t.Name]
	if !ok {
		n = len(g.frame.Targets)
		g.known[t.Name] = n
		g.frame.Targets = append(g.frame.Targets, t)
	}
	return n
}

func (g *gatherer) add(c content, cell Cell) {
	id := itemID(g.task, c)
	k, ok := g.at[id]
	if !ok {
		k = len(g.frame.Units)
		g.at[id] = k
		g.frame.Units = append(g.frame.Units, Candidate{content: c, ID: id})
	}
	g.frame.Units[k].Cells = append(g.frame.Units[k].Cells, cell)
}

// kinds are the kinds of question that tasks on verdicts are about.
var kinds = map[string]judge.Kind{
	Coverage: judge.Coverage, Entailment: judge.Entailment, Answerable: judge.Answerability,
	Relevance: judge.Relevance, Consistency: judge.Consistency,
}

// RunTasks are the tasks that a run's answers can serve.
func RunTasks(r report.Run, shown *store.Shown) []string {
	asked := map[judge.Kind]bool{}
	for _, t := range r.Verdicts {
		for _, q := range t.Questions {
			asked[q.Kind] = true
		}
	}

	var out []string
	for _, name := range TaskNames() {
		kind, onVerdicts := kinds[name]
		switch {
		case onVerdicts && asked[kind],
			name == Grade && asked[judge.Answerability] && shown != nil,
			name == Errors, name == Criteria,
			name == Preference && len(systemsOf(r)) > 1:
			out = append(out, name)
		}
	}
	return out
}

func systemsOf(r report.Run) []datasets.System {
	var out []datasets.System
	for _, row := range r.Table.Rows {
		if !slices.Contains(out, row.System) {
			out = append(out, row.System)
		}
	}
	return out
}

// FromRun is what a run gives to label in a task. shown may be nil where an earlier lore did
// not keep it. judgeName is one of the run's; seed draws the sides of pairs.
func FromRun(r report.Run, shown *store.Shown, task, judgeName string, seed uint64) Frame {
	g := newGatherer(task)
	g.frame.Judge = judgeName
	s := source{Run: r, judge: judgeName, answers: map[place]store.Answer{}, docs: documentsOf(shown), shown: shown}
	for _, a := range r.Answers {
		s.answers[place{a.System, a.Item}] = a
	}

	switch task {
	case Grade:
		s.grades(g)
	case Errors, Criteria:
		s.wholeAnswers(g)
	case Preference:
		s.pairs(g, seed)
	default:
		s.verdicts(g, kinds[task])
	}
	return g.frame
}

// place is an answer of a run.
type place struct {
	datasets.System
	item string
}

// source is a run with what it takes to show it.
type source struct {
	report.Run
	judge   string
	answers map[place]store.Answer
	shown   *store.Shown
	docs    map[string]string // text by id of a document, where it was shown whole
}

// documentsOf are the texts of the documents that were shown, the longest where they were cut.
func documentsOf(shown *store.Shown) map[string]string {
	out := map[string]string{}
	if shown == nil {
		return out
	}
	texts := map[string]string{}
	for _, t := range shown.Texts {
		texts[t.Name] = t.Text
	}
	for _, c := range shown.Contexts {
		for _, p := range c.Passages {
			text := texts[p.Text]
			if p.Bytes > 0 {
				text = text[:p.Bytes]
			}
			if p.Document != "" && len(text) > len(out[p.Document]) {
				out[p.Document] = text
			}
		}
	}
	return out
}

// unitsOf are an answer's parts, as verdicts number them.
func unitsOf(a store.Answer) []string {
	if len(a.Units) > 0 {
		return a.Units
	}
	return a.Lines()
}

func answerText(title string, a store.Answer) datasets.CheckText {
	return datasets.CheckText{Title: title, Units: unitsOf(a)}
}

// verdicts are the questions of a kind that the judge answered.
func (s source) verdicts(g *gatherer, kind judge.Kind) {
	for _, t := range s.Verdicts {
		a := s.answers[place{t.System, t.Item}]
		if t.Judge != s.judge || a.Failed() {
			continue
		}
		finer := report.Finer(s.Run, t.Judged)
		for i, q := range t.Questions {
			v := t.Verdicts[i]
			if q.Kind != kind {
				continue
			}
			if !v.Scored() {
				g.frame.LeftOut++
				continue
			}

			cell := Cell{Target: g.target(ofSystem(t.System)), Judge: v.Value, Proxy: v.Value, Item: t.Item, Question: q.ID}
			if finer {
				cell.Proxy = v.Score
			}
			c := content{Query: a.Title, Statement: q.Text, Texts: []datasets.CheckText{answerText("Answer", a)}, Group: t.Item}
			if kind == judge.Relevance || kind == judge.Consistency {
				c.Statement = ""
				c.Texts = append(c.Texts, references(q)...)
			}
			g.add(c, cell)
		}
	}
}

func ofSystem(s datasets.System) Target { return Target{Name: s.String(), System: s} }

func references(q judge.Question) []datasets.CheckText {
	var out []datasets.CheckText
	for i, text := range q.References() {
		out = append(out, datasets.CheckText{Title: "Reference " + strconv.Itoa(i+1), Units: []string{text}})
	}
	return out
}

// meanVerdict is what the judge says of an answer as a whole.
func meanVerdict(t store.TaskVerdicts) (float64, bool) {
	sum, n := 0.0, 0
	for _, v := range t.Verdicts {
		if v.Scored() {
			sum += v.Value
			n++
		}
	}
	return sum / float64(max(1, n)), n > 0
}

// wholeAnswers are answers as a whole, beside what they are compared with and the documents
// that matter, which are the same for all systems.
func (s source) wholeAnswers(g *gatherer) {
	for _, t := range s.Verdicts {
		a := s.answers[place{t.System, t.Item}]
		if t.Judge != s.judge || a.Failed() {
			continue
		}
		value, ok := meanVerdict(t)
		if !ok {
			g.frame.LeftOut++
			continue
		}

		c := content{Query: a.Title, Texts: []datasets.CheckText{answerText("Answer", a)}, Group: t.Item}
		if g.task == Errors {
			c.Texts = append(c.Texts, expectations(t.Questions)...)
		}
		c.Texts = append(c.Texts, s.relevant(a)...)
		g.add(c, Cell{Target: g.target(ofSystem(t.System)), Judge: value, Proxy: value, Item: t.Item})
	}
}

// expectations are what an answer is compared with: references, or the statements one by one.
func expectations(questions []judge.Question) []datasets.CheckText {
	var points []string
	for _, q := range questions {
		if q.Kind == judge.Relevance || q.Kind == judge.Consistency {
			return references(q)
		}
		points = append(points, q.Text)
	}
	return []datasets.CheckText{{Title: "What it should say", Units: points}}
}

// relevant are the documents that the data calls relevant, in full as far as any system was
// shown them; where it calls none so, those that the answer's system was shown.
func (s source) relevant(a store.Answer) []datasets.CheckText {
	if s.shown == nil {
		return nil
	}
	var ids []string
	for _, it := range s.shown.Items {
		if it.Item != a.Item {
			continue
		}
		for id, grade := range it.Gold {
			if grade > 0 && s.docs[id] != "" {
				ids = append(ids, id)
			}
		}
	}
	slices.Sort(ids)
	if len(ids) == 0 {
		for _, p := range s.contextOf(a) {
			ids = append(ids, p.Document)
		}
	}

	labels := s.labelsOf(a.Item)
	var out []datasets.CheckText
	for i, id := range ids {
		title := "Source " + strconv.Itoa(i+1)
		if labels[id] != "" {
			title = "Document " + labels[id]
		}
		out = append(out, datasets.CheckText{Title: title, Units: []string{s.docs[id]}})
	}
	return out
}

// labelsOf are the labels by which answers to an item cite documents. A document that has another
// label in another context has none: an answer's [3] may then be any, and labels would tell
// whose it is.
func (s source) labelsOf(item string) map[string]string {
	of := map[string]bool{}
	for _, a := range s.answers {
		if a.Item == item {
			of[a.Shown] = true
		}
	}
	labels, taken := map[string]string{}, map[string]bool{}
	for _, c := range s.shown.Contexts {
		if !of[c.Name] {
			continue
		}
		for _, p := range c.Passages {
			if before, ok := labels[p.Document]; ok && before != p.Label {
				taken[p.Document] = true
			}
			labels[p.Document] = p.Label
		}
	}
	for id := range taken {
		delete(labels, id)
	}
	return labels
}

func (s source) contextOf(a store.Answer) []store.ShownPassage {
	for _, c := range s.shown.Contexts {
		if c.Name == a.Shown {
			return c.Passages
		}
	}
	return nil
}

// grades are the shown documents with the sub-questions of the items they were shown for. The
// claim is what the data says: does the document hold the answer?
func (s source) grades(g *gatherer) {
	target := g.target(Target{Name: "passages"})
	g.frame.Judge = ""
	if s.shown == nil {
		return
	}
	holders := map[string]map[string][]string{}
	for _, it := range s.shown.Items {
		holders[it.Item] = it.Holders
	}

	seen := map[[3]string]bool{}
	for _, t := range s.Verdicts {
		a := s.answers[place{t.System, t.Item}]
		for _, p := range s.contextOf(a) {
			for _, q := range t.Questions {
				key := [3]string{t.Item, p.Document, q.ID}
				if q.Kind != judge.Answerability || seen[key] || s.docs[p.Document] == "" {
					continue
				}
				seen[key] = true
				claim := 0.0
				if slices.Contains(holders[t.Item][q.ID], p.Document) {
					claim = 1
				}
				g.add(content{
					Query:     a.Title,
					Statement: q.Text,
					Texts:     []datasets.CheckText{{Title: "Passage", Units: []string{s.docs[p.Document]}}},
					Group:     t.Item,
					Key:       map[string]string{"document": p.Document, "question": q.ID, "item": t.Item},
				}, Cell{Target: target, Judge: claim, Proxy: claim, Item: t.Item, Question: q.ID})
			}
		}
	}
}

// pairs are answers of two systems to the same item, side by side. A target is one pair of
// systems: how often the first is preferred.
func (s source) pairs(g *gatherer, seed uint64) {
	systems := systemsOf(s.Run)
	value := map[place]float64{}
	var items []string
	for _, t := range s.Verdicts {
		v, ok := meanVerdict(t)
		if t.Judge != s.judge || s.answers[place{t.System, t.Item}].Failed() {
			continue
		}
		if !ok {
			g.frame.LeftOut++
			continue
		}
		value[place{t.System, t.Item}] = v
		if !slices.Contains(items, t.Item) {
			items = append(items, t.Item)
		}
	}

	rng := rand.New(rand.NewPCG(seed, 0x51de))
	for i, one := range systems {
		for _, two := range systems[i+1:] {
			for _, item := range items {
				v, okV := value[place{one, item}]
				w, okW := value[place{two, item}]
				if !okV || !okW {
					continue
				}
				g.pair(s.answers[place{one, item}], s.answers[place{two, item}], 0.5+(v-w)/2, rng.IntN(2) == 1)
			}
		}
	}
}

// pair adds two answers. first is how far the judge prefers the first one; turned puts it on
// the right.
func (g *gatherer) pair(one, two store.Answer, first float64, turned bool) {
	target := g.target(Target{Name: fmt.Sprintf("%s over %s", one.System, two.System)})
	if strings.Join(unitsOf(one), "\n") == strings.Join(unitsOf(two), "\n") {
		return // nobody has to be asked
	}
	a, b := one, two
	if turned {
		a, b = two, one
	}
	g.add(content{
		Query: one.Title,
		Texts: []datasets.CheckText{answerText("A", a), answerText("B", b)},
		Group: one.Item,
	}, Cell{Target: target, Judge: first, Proxy: first, Item: one.Item, Turned: turned})
}

// FromData is what data gives to label in a task, as its benchmark lists it.
func FromData(checks []datasets.Check, task, hash string) Frame {
	g := newGatherer(task)
	target := g.target(Target{Name: "the data"})
	g.frame.Source = hash
	for _, c := range checks {
		g.add(c, Cell{Target: target, Judge: c.Claim, Proxy: c.Claim, Item: c.Group})
	}
	return g.frame
}
