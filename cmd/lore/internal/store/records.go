package store

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"slices"
	"strings"

	"lore/datasets"
	"lore/judge"
	"lore/local"
)

// Files of records.
const (
	AnswersFile  = "answers.jsonl"
	VerdictsFile = "verdicts.jsonl"
	ContextsFile = "context_verdicts.jsonl"
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

	// Shown names, in ShownFile, what the system was shown. Units are the parts of the answer
	// that verdicts name by number, where there are several and these are not its Lines.
	Shown string   `json:"shown,omitempty"`
	Units []string `json:"units,omitempty"`

	// Parts are where the units stand in the text, as the system wrote them, and Cites the
	// places that cite, both in bytes. Cites is nil in a folder of an earlier lore, and where there is no answer.
	Parts [][2]int            `json:"parts,omitempty"`
	Cites []datasets.Citation `json:"cites,omitzero"`

	PromptTokens int `json:"prompt_tokens,omitempty"` // of the call, where a server counted them
	OutputTokens int `json:"output_tokens,omitempty"`
}

// Lines are the lines of the answer that are not blank, trimmed.
func (a Answer) Lines() []string {
	var out []string
	for line := range strings.Lines(a.Text) {
		if line = strings.TrimSpace(line); line != "" {
			out = append(out, line)
		}
	}
	return out
}

// Valid refuses what no run can have written.
func (a Answer) Valid() error {
	switch {
	case !slices.Contains(local.Outcomes, a.Outcome):
		return fmt.Errorf("the outcome %.60q is unknown", a.Outcome)
	case a.Points != nil && !slices.Contains(local.Outcomes, a.Points.Outcome):
		return fmt.Errorf("the outcome %.60q of the points is unknown", a.Points.Outcome)
	case min(a.ContextTokens, a.Dropped, a.Cut, a.CutTokens, a.PromptTokens, a.OutputTokens) < 0:
		return errors.New("a count is negative")
	case max(a.ContextTokens, a.Dropped, a.Cut, a.CutTokens, a.PromptTokens, a.OutputTokens) > most:
		return errors.New("a count is too large")
	}
	for name, v := range a.Measures {
		if math.Abs(v) > most {
			return fmt.Errorf("the measure %.60q is %g", name, v)
		}
	}
	return Names(a.Retriever, a.Generator, a.Item, a.Group)
}

// Bounds of what a run folder may hold. They keep a received folder from taking all memory
// or an endless time to show.
const (
	most        = 1 << 40 // of counts and values
	longestName = 1 << 16 // bytes of a name that tables show
)

// Names refuses names that are too long to be shown.
func Names(names ...string) error {
	for _, n := range names {
		if len(n) > longestName {
			return fmt.Errorf("a name has %d bytes, more than %d", len(n), longestName)
		}
	}
	return nil
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
	Held      []judge.Verdict  `json:"held_verdicts,omitempty"`  // on the same points: do documents hold them?
	Asked     []judge.Verdict  `json:"asked_verdicts,omitempty"` // on the answer cut to the length asked for
	Notes     []string         `json:"notes,omitempty"`          // the benchmark's diagnosis of context and answer
}

// Valid refuses what no run can have written.
func (t TaskVerdicts) Valid() error {
	if len(t.Verdicts) != len(t.Questions) {
		return fmt.Errorf("there are %d verdicts on %d questions", len(t.Verdicts), len(t.Questions))
	}
	if len(t.Asked) > 0 && len(t.Asked) != len(t.Questions) {
		return fmt.Errorf("there are %d verdicts at the length asked for on %d questions",
			len(t.Asked), len(t.Questions))
	}

	seen := map[string]bool{}
	for i, q := range t.Questions {
		v := t.Verdicts[i]
		switch {
		case judge.Values[q.Kind] == nil:
			return fmt.Errorf("question %d is of the unknown kind %.60q", i+1, q.Kind)
		case seen[q.ID]:
			return fmt.Errorf("the question %.60q is there twice", q.ID)
		case v.Question != q.ID:
			return fmt.Errorf("verdict %d is on the question %.60q, not on %.60q", i+1, v.Question, q.ID)
		case v.Scored() && !slices.Contains(judge.Labels[q.Kind], v.Label):
			return fmt.Errorf("verdict %d has the label %.60q; there are: %s",
				i+1, v.Label, strings.Join(judge.Labels[q.Kind], ", "))
		}
		seen[q.ID] = true
	}
	if err := validVerdicts(slices.Concat(t.Verdicts, t.Points, t.Held, t.Asked)); err != nil {
		return err
	}
	return Names(t.Retriever, t.Generator, t.Judge, t.Item)
}

// validVerdicts refuses values out of range and unknown outcomes.
func validVerdicts(verdicts []judge.Verdict) error {
	for _, v := range verdicts {
		switch {
		case v.Scored() && (v.Value < 0 || v.Value > 1):
			return fmt.Errorf("the verdict on %.60q has the value %g, not one from 0 to 1", v.Question, v.Value)
		case !v.Scored() && !slices.Contains(local.Outcomes, v.Outcome):
			return fmt.Errorf("the verdict on %.60q has the unknown outcome %.60q",
				v.Question, v.Outcome)
		case v.Unit < 0:
			return fmt.Errorf("the verdict on %.60q names part %d", v.Question, v.Unit)
		}
	}
	return nil
}

// ContextVerdicts is one line of context_verdicts.jsonl: a judge's verdicts on a
// document that was shown for an item.
type ContextVerdicts struct {
	Judge    string          `json:"judge"`
	Item     string          `json:"item"`
	Document string          `json:"document"`
	Verdicts []judge.Verdict `json:"verdicts"`
}

// Valid refuses what no run can have written.
func (c ContextVerdicts) Valid() error {
	if err := validVerdicts(c.Verdicts); err != nil {
		return err
	}
	return Names(c.Judge, c.Item, c.Document)
}

// ReadContexts reads the verdicts on shown documents; none where the benchmark judges none.
func ReadContexts(dir string) ([]ContextVerdicts, error) {
	out, err := ReadChecked(dir, ContextsFile, func(c *ContextVerdicts) error { return c.Valid() })
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return out, err
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
