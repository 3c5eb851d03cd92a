package ensemble

import (
	"cmp"
	"hash/fnv"
	"math"
	"slices"

	"lore/judge"
	"lore/judge/metric"
)

// choose says which questions the judges after the first are asked.
func (r Rule) choose(t *Trace) [][]bool {
	out := make([][]bool, len(t.Tasks))
	for i, task := range t.Tasks {
		out[i] = make([]bool, len(task.Questions))
		for k, q := range task.Questions {
			out[i][k] = r.needs(q.Kind, t.Parts[i][k][0])
		}
	}
	if r.Share > 0 {
		r.ration(t, out)
	}
	return out
}

// needs reports whether the others may say something that counts. A first verdict that failed
// always needs them.
func (r Rule) needs(kind judge.Kind, first *judge.Verdict) bool {
	if r.Calibration != nil && !first.Scored() {
		return true
	}
	if r.Calibration != nil && r.Calibration.Kinds[kind].firstAlone() {
		return false
	}
	return r.Zone == nil || !first.Scored() || first.Score >= r.Zone.Low && first.Score <= r.Zone.High
}

// candidate is a question that may be asked, with what asking is expected to bring.
type candidate struct {
	task, question int
	gain           float64
	draw           uint32 // of equal gains, any: by the names of task and question
}

// ration keeps the share of the questions where asking pays most.
func (r Rule) ration(t *Trace, ask [][]bool) {
	gain := r.gains(t)
	var all []candidate
	total := 0
	for i, task := range t.Tasks {
		for k, q := range task.Questions {
			total++
			if !ask[i][k] {
				continue
			}
			ask[i][k] = false
			h := fnv.New32a()
			_, _ = h.Write([]byte(task.ID + "\x00" + q.ID))
			all = append(all, candidate{i, k, gain(q.Kind, t.Parts[i][k][0]), h.Sum32()})
		}
	}

	slices.SortStableFunc(all, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(b.gain, a.gain), cmp.Compare(a.draw, b.draw))
	})
	budget := int(math.Round(r.Share * float64(total)))
	for _, c := range all[:min(budget, len(all))] {
		ask[c.task][c.question] = true
	}
}

// gains says what asking about a question is expected to change: by the calibration, or by
// how near the first's score is to the place where its label changes. Where the first failed
// it is all that there is.
func (r Rule) gains(t *Trace) func(kind judge.Kind, first *judge.Verdict) float64 {
	cuts := map[judge.Kind][]float64{}
	if r.Calibration == nil {
		for _, kind := range judge.Kinds {
			cuts[kind] = labelCuts(t, kind)
		}
	}
	return func(kind judge.Kind, first *judge.Verdict) float64 {
		switch {
		case !first.Scored():
			return math.Inf(1)
		case r.Calibration != nil:
			return r.Calibration.Kinds[kind].gain(first)
		}
		nearest := math.Inf(1)
		for _, c := range cuts[kind] {
			nearest = min(nearest, math.Abs(first.Score-c))
		}
		return -nearest
	}
}

// labelCuts are the scores at which the first judge's label changes, as its verdicts show them.
// There are none where it has no scores.
func labelCuts(t *Trace, kind judge.Kind) []float64 {
	labels := judge.Labels[kind]
	var scores []float64
	var at []int
	vary := false
	for i, task := range t.Tasks {
		for k, q := range task.Questions {
			first := t.Parts[i][k][0]
			if q.Kind == kind && first.Scored() {
				scores, at = append(scores, first.Score), append(at, slices.Index(labels, first.Label))
				vary = vary || first.Score != scores[0]
			}
		}
	}
	if !vary {
		return nil
	}
	wrong := func(i, class int) float64 { return math.Abs(float64(at[i] - class)) }
	return slices.DeleteFunc(metric.Cuts(scores, len(labels), wrong), func(c float64) bool { return math.IsInf(c, 0) })
}
