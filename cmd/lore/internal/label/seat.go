package label

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// Seat is what an annotator's page gets besides the items: nothing that tells a system, a
// score, or what others said, unless the annotator decides where these differ.
type Seat struct {
	Labels []Label             `json:"labels"`           // the annotator's own, in the order in which they were saved
	Others map[string][]Answer `json:"others,omitempty"` // by item, where they differ: for who adjudicates
	Course []Outlook           `json:"course,omitempty"` // how the intervals narrowed so far
}

// Seat is that of an annotator, who need not have labelled anything.
func (f *Folder) Seat(name string) (Seat, error) {
	if err := checkName(name); err != nil {
		return Seat{}, err
	}
	if _, ok := f.Sheet.OrderOf(name); !ok {
		names := annotators(f.Sheet)
		return Seat{}, fmt.Errorf("the plan names %s, not %q", strings.Join(names, ", "), name)
	}

	out := Seat{Labels: []Label{}, Course: f.Course()}
	for _, l := range f.Labels {
		if l.Annotator == name {
			l.Stratum, l.Probability = "", 0 // a stratum's name tells the system
			out.Labels = append(out.Labels, l)
		}
	}
	if name == f.Plan.Adjudicator {
		out.Others = f.differences()
	}
	return out, nil
}

// differences are the answers to items on which annotators differ, in an order that tells
// nobody's.
func (f *Folder) differences() map[string][]Answer {
	out := map[string][]Answer{}
	for id, by := range f.Given() {
		var answers []Answer
		for _, l := range by {
			if !l.Adjudicated && !l.Answer.Unsure {
				answers = append(answers, *l.Answer)
			}
		}
		if len(answers) > 1 && f.Sheet.differ(answers) {
			slices.SortFunc(answers, func(a, b Answer) int { return cmp.Compare(inWords(a), inWords(b)) })
			out[id] = answers
		}
	}
	return out
}

func inWords(a Answer) string {
	data, _ := json.Marshal(a) // plain values
	return strings.ToLower(string(data))
}
