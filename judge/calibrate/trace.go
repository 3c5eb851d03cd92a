package calibrate

import (
	"lore/judge"
	"lore/judge/agreement"
	"lore/judge/ensemble"
)

// TraceOf is what judges said of labelled items, so that a calibration can be tried on verdicts that
// are known; verdicts[j] are those of judge j, by item and question.
func TraceOf(items []agreement.Item, verdicts ...[][]judge.Verdict) *ensemble.Trace {
	t := &ensemble.Trace{}
	for i, it := range items {
		t.Tasks = append(t.Tasks, it.Task)
		said := make([][]*judge.Verdict, len(it.Task.Questions))
		for k := range said {
			for _, of := range verdicts {
				said[k] = append(said[k], &of[i][k])
			}
		}
		t.Parts = append(t.Parts, said)
	}
	return t
}
