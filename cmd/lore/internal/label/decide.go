package label

import (
	"hash/fnv"
	"maps"
	"slices"
)

// who is an annotator's place for an item.
type who struct{ annotator, item string }

// standing are the labels that stand, by their places in Labels: the last of each annotator and
// item that was not taken back. Taking one back brings the one before it back.
func (f *Folder) standing() map[who]int {
	stacks := map[who][]int{}
	for i, l := range f.Labels {
		k := who{l.Annotator, l.Item}
		switch {
		case !l.Undo:
			stacks[k] = append(stacks[k], i)
		case len(stacks[k]) > 0:
			stacks[k] = stacks[k][:len(stacks[k])-1]
		}
	}
	out := map[who]int{}
	for k, s := range stacks {
		if len(s) > 0 {
			out[k] = s[len(s)-1]
		}
	}
	return out
}

// Given are the answers that stand, by item and annotator.
func (f *Folder) Given() map[string]map[string]Label {
	out := map[string]map[string]Label{}
	for k, i := range f.standing() {
		if out[k.item] == nil {
			out[k.item] = map[string]Label{}
		}
		out[k.item][k.annotator] = f.Labels[i]
	}
	return out
}

// Decision is what people say of an item.
type Decision struct {
	Item        string
	Answer      Answer
	By          []string // annotators who answered, in order of name
	Unsure      int      // annotators who could not tell
	Adjudicated bool     // the adjudicator decided
	Split       bool     // the annotators differ, and nobody has decided
}

// Decide makes one answer per item: that of the adjudicator, or field by field what most say. Where
// several answers have as many, one stands by lot, the same whenever it is asked, so that ties
// favour nobody; the item is split until somebody decides. Items that nobody could tell are
// not in it.
func (f *Folder) Decide() map[string]Decision {
	out := map[string]Decision{}
	for id, by := range f.Given() {
		d := Decision{Item: id}
		var answers []Answer
		for _, name := range slices.Sorted(maps.Keys(by)) {
			l := by[name]
			switch {
			case l.Adjudicated && !l.Answer.Unsure:
				d.Adjudicated, d.Answer = true, *l.Answer
			case l.Adjudicated:
			case l.Answer.Unsure:
				d.Unsure++
			default:
				d.By, answers = append(d.By, name), append(answers, *l.Answer)
			}
		}
		if len(answers) == 0 && !d.Adjudicated {
			continue
		}
		if !d.Adjudicated {
			d.Answer = f.Sheet.merge(f.items[id], answers)
			d.Split = f.Sheet.differ(answers)
		}
		out[id] = d
	}
	return out
}

// merge makes one answer of several.
func (s *Sheet) merge(item Item, answers []Answer) Answer {
	if len(answers) == 1 {
		return answers[0]
	}
	out := Answer{Fields: map[string][]string{}}
	for _, f := range s.Task.Fields {
		if !f.asked(out) {
			continue
		}
		var asked []Answer
		for _, a := range answers {
			if f.asked(a) {
				asked = append(asked, a)
			}
		}
		switch f.Kind {
		case Many:
			if v := mostOf(asked, f.Name); len(v) > 0 {
				out.Fields[f.Name] = v
			}
		case Place:
			for _, a := range asked {
				if len(a.Spans[f.Name]) > 0 && out.Spans == nil {
					out.Spans = map[string][]Span{f.Name: a.Spans[f.Name]}
				}
			}
		default:
			if v := majority(asked, f.Name, item.ID); v != "" {
				out.Fields[f.Name] = []string{v}
			}
		}
	}
	return out
}

// majority is the value that most give; of several one by lot, which the item's id draws.
func majority(answers []Answer, field, id string) string {
	count, most := map[string]int{}, 0
	for _, a := range answers {
		if v := a.One(field); v != "" {
			count[v]++
			most = max(most, count[v])
		}
	}
	var tied []string
	for _, v := range slices.Sorted(maps.Keys(count)) {
		if count[v] == most {
			tied = append(tied, v)
		}
	}
	if len(tied) == 0 {
		return ""
	}
	h := fnv.New64a()
	_, _ = h.Write([]byte(id)) // never fails
	return tied[h.Sum64()%uint64(len(tied))]
}

// mostOf are the options that more than half chose.
func mostOf(answers []Answer, field string) []string {
	count := map[string]int{}
	for _, a := range answers {
		for _, v := range a.Fields[field] {
			count[v]++
		}
	}
	var out []string
	for _, v := range slices.Sorted(maps.Keys(count)) {
		if 2*count[v] > len(answers) {
			out = append(out, v)
		}
	}
	return out
}

// differ reports whether answers say different things, marks and notes aside.
func (s *Sheet) differ(answers []Answer) bool {
	for _, f := range s.Task.Fields {
		if f.Kind == Place || f.Kind == Unit {
			continue
		}
		for _, a := range answers[1:] {
			x, y := slices.Sorted(slices.Values(a.Fields[f.Name])), slices.Sorted(slices.Values(answers[0].Fields[f.Name]))
			if !slices.Equal(x, y) {
				return true
			}
		}
	}
	return false
}

// Split are the items that wait for the adjudicator, in the order of the plan.
func (f *Folder) Split() []string {
	decided := f.Decide()
	var out []string
	for _, it := range f.Sheet.Items {
		if decided[it.ID].Split {
			out = append(out, it.ID)
		}
	}
	return out
}
