package store

import (
	"encoding/json"
	"slices"

	"lore/datasets"
	"lore/judge"
	"lore/local"
)

// Answer is one line of answers.jsonl: what a system answered to an item, and what it was
// shown.
type Answer struct {
	datasets.System
	Item          string        `json:"item"`
	Title         string        `json:"title"`
	Group         string        `json:"group"`
	Outcome       local.Outcome `json:"outcome"`
	Reason        string        `json:"reason,omitempty"`
	CutScored     bool          `json:"cut_scored,omitempty"` // the outcome is cut, and the answer is scored as it stands
	Text          string        `json:"text"`
	Documents     []string      `json:"documents"` // labels of the passages shown, in order
	ContextTokens int           `json:"context_tokens"`
	Dropped       int           `json:"documents_dropped"` // retrieved, but over the budget
	Cut           int           `json:"documents_cut"`     // shown in part
	// CutTokens are those of the documents shown in part, and of those left out where the
	// benchmark counts them.
	CutTokens int `json:"tokens_cut"`

	// Measures are values by metric, in the metric's unit, that an encoder computed or that
	// were recorded with the answer.
	Measures map[string]float64 `json:"measures,omitempty"`
	Points   *datasets.Points   `json:"points,omitempty"` // the answer's own, where the benchmark judges these
	Notes    []string           `json:"notes,omitempty"`  // what is odd about the answer
}

// Failed reports whether there is no answer to score.
func (a Answer) Failed() bool { return a.Outcome != local.OK && !a.CutScored }

// TaskVerdicts is one line of verdicts.jsonl. In the file the text of a question is
// left out where it is that of the question before: references are long.
type TaskVerdicts struct {
	datasets.Judged
	Item      string           `json:"item"`
	Questions []judge.Question `json:"questions"`
	Verdicts  []judge.Verdict  `json:"verdicts"`
	Points    []judge.Verdict  `json:"point_verdicts,omitempty"` // on the answer's own points, in their order
	Asked     []judge.Verdict  `json:"asked_verdicts,omitempty"` // on the answer cut to the length asked for
	Notes     []string         `json:"notes,omitempty"`          // the benchmark's diagnosis of context and answer
}

// ContextVerdicts is one line of context_verdicts.jsonl: a judge's verdicts on a
// document that was shown for an item.
type ContextVerdicts struct {
	Judge    string          `json:"judge"`
	Item     string          `json:"item"`
	Document string          `json:"document"`
	Verdicts []judge.Verdict `json:"verdicts"`
}

// plainVerdicts has the fields of TaskVerdicts and not its methods.
type plainVerdicts TaskVerdicts

// MarshalJSON leaves repeated texts out.
func (t TaskVerdicts) MarshalJSON() ([]byte, error) {
	out := plainVerdicts(t)
	out.Questions = slices.Clone(t.Questions)
	for i := len(out.Questions) - 1; i > 0; i-- {
		if out.Questions[i].Text == out.Questions[i-1].Text {
			out.Questions[i].Text = ""
		}
	}
	return json.Marshal(out)
}

// UnmarshalJSON puts them back.
func (t *TaskVerdicts) UnmarshalJSON(data []byte) error {
	if err := json.Unmarshal(data, (*plainVerdicts)(t)); err != nil {
		return err
	}
	for i := 1; i < len(t.Questions); i++ {
		if t.Questions[i].Text == "" {
			t.Questions[i].Text = t.Questions[i-1].Text
		}
	}
	return nil
}
