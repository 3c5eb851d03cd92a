package label

import (
	"math"
	"slices"

	"lore/judge/agreement"
	"lore/judge/metric"
)

// Summary is the JSON form of a labelling folder's state, for whoever runs the evaluation: it
// names systems. Percentages are 0 to 100, what is undefined is null.
type Summary struct {
	Folder     string             `json:"folder"`
	Task       string             `json:"task"`
	Judge      string             `json:"judge,omitempty"`
	Planned    int                `json:"planned"`
	Decided    int                `json:"decided"`
	Split      int                `json:"split"`
	Annotators []AnnotatorSummary `json:"annotators"`
	Agreement  []AgreementSummary `json:"agreement"`
	Corrected  []CorrectedSummary `json:"corrected"`
	Difference []CorrectedSummary `json:"differences"`
}

// AnnotatorSummary is how far an annotator is.
type AnnotatorSummary struct {
	Name        string   `json:"name"`
	Adjudicates bool     `json:"adjudicates,omitempty"`
	Done        int      `json:"done"`
	Of          int      `json:"of"`
	Unsure      int      `json:"cannot_tell"`
	Undone      int      `json:"undone"`
	Seconds     *float64 `json:"seconds_median"`
}

// AgreementSummary is how far annotators agree on a question.
type AgreementSummary struct {
	Question string   `json:"question"`
	Items    int      `json:"items"`
	Alpha    *float64 `json:"alpha"`
	Kappa    *float64 `json:"kappa"`
	Fleiss   *float64 `json:"fleiss"`
	Pearson  *float64 `json:"pearson"`
}

// CorrectedSummary is a score, or a difference, as labels correct it.
type CorrectedSummary struct {
	Of        string      `json:"of"`
	Over      string      `json:"over,omitempty"` // of a difference: the other one
	Question  string      `json:"question,omitempty"`
	Judge     *float64    `json:"judge,omitempty"`
	Corrected *float64    `json:"corrected"`
	Interval  [2]*float64 `json:"interval"`
	Wide      [2]*float64 `json:"interval_for_items_like_these"`
	Labelled  int         `json:"labelled"`
	All       int         `json:"of_all,omitempty"`
}

func times100(v float64) *float64 { return agreement.Finite(100 * v) }

func ends(ci metric.Interval) [2]*float64 { return [2]*float64{times100(ci.Low), times100(ci.High)} }

// Summary is the folder's state.
func (f *Folder) Summary() Summary {
	out := Summary{
		Folder: f.Dir, Task: f.Plan.Task, Judge: f.Plan.Judge, Planned: f.Plan.Labels, Decided: len(f.Decide()),
		Split: len(f.Split()), Annotators: []AnnotatorSummary{}, Agreement: []AgreementSummary{},
		Corrected: []CorrectedSummary{}, Difference: []CorrectedSummary{},
	}
	for _, p := range f.Progresses() {
		out.Annotators = append(out.Annotators,
			AnnotatorSummary{p.Annotator, p.Adjudicates, p.Done, p.Of, p.Unsure, p.Undone, agreement.Finite(p.Seconds)})
	}
	for _, a := range f.Agreements() {
		out.Agreement = append(out.Agreement, AgreementSummary{
			a.Measure, a.Questions, agreement.Finite(a.Alpha), agreement.Finite(a.Cohen), agreement.Finite(a.Fleiss),
			agreement.Finite(a.Pairs),
		})
	}

	for _, e := range f.Estimates() {
		out.Corrected = append(out.Corrected, CorrectedSummary{
			Of: e.Target.Name, Question: e.Measure, Judge: times100(e.Judged), Corrected: times100(e.Mean),
			Interval: ends(e.Run), Wide: ends(e.Wide), Labelled: e.Labels, All: e.Of,
		})
	}
	for _, d := range f.Differences() {
		out.Difference = append(out.Difference, CorrectedSummary{
			Of: d.Best.Target.Name, Over: d.Other.Target.Name, Corrected: times100(d.Mean),
			Interval: ends(d.Run), Wide: ends(d.Wide), Labelled: d.Labels,
		})
	}
	return out
}

// Half is half the width of the 95 % intervals of the task's own measure, the mean over all
// scores, times 100; NaN while one of them has none.
func (f *Folder) Half() float64 {
	own := measures(f.Sheet.Task)[0]
	decided := f.Decide()
	sum := 0.0
	for t := range f.Plan.Targets {
		e := f.estimate(t, own, decided)
		sum += 100 * (e.Run.High - e.Run.Low) / 2
	}
	return sum / float64(max(1, len(f.Plan.Targets)))
}

// mostPoints is how many points a course has at most.
const mostPoints = 24

// Course is how the half width went as labels came in: of evenly spaced beginnings of the
// labels, the last of which is all. It tells nothing of any score.
func (f *Folder) Course() []Outlook {
	var out []Outlook
	step := max(1, (len(f.Labels)+mostPoints-1)/mostPoints)
	for n := len(f.Labels); n > 0; n -= step {
		part := *f
		part.Labels = f.Labels[:n]
		if half := part.Half(); !math.IsNaN(half) {
			out = append(out, Outlook{len(part.Decide()), math.Round(10*half) / 10})
		}
	}
	slices.Reverse(out)
	return out
}
