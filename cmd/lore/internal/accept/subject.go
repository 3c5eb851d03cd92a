package accept

import (
	"crypto/sha256"
	"encoding/hex"

	"lore/cmd/lore/internal/report"
	"lore/cmd/lore/internal/store"
	"lore/cmd/lore/internal/table"
	"lore/datasets"
	"lore/judge"
)

// Subject is one judged system as rules see it: its values by item, and what they were
// measured by. Texts are there for messages alone: a baseline file holds none.
type Subject struct {
	From      string // the folder or file it was read from
	Lore      string // version that made it
	Benchmark string
	DataHash  string // SHA-256 of the data
	datasets.Judged
	Measured map[string]string // by what: see measured
	Items    []Item
	Asks     string // what a judge's question is of, such as insight; empty where that is not known
}

// Item are the values of one item.
type Item struct {
	ID     string   `json:"item"`
	Group  string   `json:"group,omitempty"`
	Answer string   `json:"answer"` // hash of its text
	Failed bool     `json:"failed,omitempty"`
	Cut    bool     `json:"cut,omitempty"`
	Values []Values `json:"values"`
	Grades *Values  `json:"verdicts,omitempty"` // the judge's labels as numbers, by question

	Title string            `json:"-"`
	Texts map[string]string `json:"-"` // of the questions, by id
}

// Values are those of one metric in one item, in its own unit. Values belong to Units by
// place; Missing are units that could not be scored.
type Values struct {
	Metric  string    `json:"metric,omitempty"`
	Units   []string  `json:"units,omitempty"`
	Values  []float64 `json:"values,omitempty"`
	Missing []string  `json:"unscored,omitempty"`
}

// byID are the items by their ids.
func (s Subject) byID() map[string]Item {
	out := make(map[string]Item, len(s.Items))
	for _, it := range s.Items {
		out[it.ID] = it
	}
	return out
}

// of are the values of a metric; none where it has none.
func (it Item) of(metric string) Values {
	for _, v := range it.Values {
		if v.Metric == metric {
			return v
		}
	}
	return Values{}
}

// FromRun takes one row of a run, as a subject.
func FromRun(from string, r report.Run, row table.Row, bench datasets.Benchmark) Subject {
	out := Subject{
		From:      from,
		Lore:      r.Manifest.Lore,
		Benchmark: r.Manifest.Benchmark,
		DataHash:  r.Manifest.DataHash,
		Judged:    row.Judged,
		Measured:  report.Measured(r, row.Judge, bench),
		Asks:      bench.Protocol().Asks,
	}
	answers := map[string]store.Answer{}
	for _, a := range r.Answers {
		if a.System == row.System {
			answers[a.Item] = a
		}
	}
	verdicts := map[string]store.TaskVerdicts{}
	for _, v := range r.Verdicts {
		if v.Judged == row.Judged {
			verdicts[v.Item] = v
		}
	}

	for _, s := range row.Scores {
		a := answers[s.Item]
		it := Item{ID: s.Item, Group: s.Group, Title: a.Title, Answer: hashOf(a.Text), Failed: a.Failed(), Cut: a.CutScored}
		for _, u := range s.Values {
			it.Values = append(it.Values, valuesOf(u))
		}
		it.Grades, it.Texts = grades(verdicts[s.Item]), textsOf(verdicts[s.Item])
		out.Items = append(out.Items, it)
	}
	return out
}

func valuesOf(u table.UnitScores) Values {
	v := Values{Metric: u.Metric, Units: u.Units, Values: u.Values}
	for _, m := range u.Unscored {
		v.Missing = append(v.Missing, m.Unit)
	}
	return v
}

// grades are the labels of verdicts as the numbers they stand for: 1 is the best label of
// its kind, 0 the worst. nil where nothing was asked.
func grades(of store.TaskVerdicts) *Values {
	if len(of.Questions) == 0 {
		return nil
	}
	out := &Values{}
	for i, q := range of.Questions {
		if v := of.Verdicts[i]; v.Scored() {
			out.Units = append(out.Units, q.ID)
			out.Values = append(out.Values, judge.Values[q.Kind][v.Label])
		} else {
			out.Missing = append(out.Missing, q.ID)
		}
	}
	return out
}

// textsOf are what the questions of verdicts ask for, by their ids. Relevance and consistency ask for
// all of a reference at once, whose text says nothing of them.
func textsOf(of store.TaskVerdicts) map[string]string {
	out := map[string]string{}
	for _, q := range of.Questions {
		if q.Kind != judge.Relevance && q.Kind != judge.Consistency {
			out[q.ID] = q.Text
		}
	}
	return out
}

// shortHash is how many hexadecimal digits name a text: enough that two answers never share them.
const shortHash = 16

func hashOf(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])[:shortHash]
}
