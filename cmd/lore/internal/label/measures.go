package label

import (
	"math"
	"slices"
	"strconv"

	"lore/cmd/lore/internal/report"
	"lore/judge"
)

// measure is a number that an answer gives, and what the judge says to the same.
type measure struct {
	name  string
	value func(Answer) (v float64, ok bool) // in [0,1]
	judge func(float64) float64             // what a cell's judge stands for; nil: as it is
}

// measures are what a task's answers give. The first one is the task's own.
func measures(t Task) []measure {
	switch t.Name {
	case Errors:
		var out []measure
		for _, kind := range report.ErrorKinds {
			out = append(out, measure{kind, chose("errors", kind), opposite})
		}
		return append(out, measure{"any error", func(a Answer) (float64, bool) {
			return truth(len(a.Fields["errors"]) > 0), true
		}, opposite})
	case Criteria:
		var out []measure
		for _, f := range t.Fields {
			out = append(out, measure{f.Name, graded(f.Name, 1, 5), nil})
		}
		for _, f := range t.Fields {
			out = append(out, measure{f.Name + " is 5", func(a Answer) (float64, bool) {
				g, ok := graded(f.Name, 1, 5)(a)
				return truth(g == 1), ok
			}, nil}) // what MSRS's Table 3 prints
		}
		return out
	case Grade:
		return []measure{{"grade", graded("grade", 0, 5), nil}, {"grade 3 or more", func(a Answer) (float64, bool) {
			g, ok := graded("grade", 0, 5)(a)
			return truth(g >= 0.6), ok
		}, nil}}
	case Relevance, Consistency:
		return []measure{{t.Name, graded(t.Name, 1, 5), nil}}
	case Preference:
		return []measure{{"preferred", oneOf("better", map[string]float64{"a": 1, "equal": 0.5, "b": 0}), nil}}
	case KeyPoint:
		return []measure{
			{"found", oneOf("found", truths), nil},
			{"kept", func(a Answer) (float64, bool) {
				return truth(a.One("found") == "yes" && a.One("correct") == "yes" && a.One("importance") == "agree"), true
			}, nil},
		}
	case Insight:
		return []measure{{"present", oneOf("present", truths), nil}}
	case Answerable:
		return []measure{{"answerable", oneOf("answerable", truths), nil}}
	case Subtopic:
		return []measure{{"expected", nil, nil}} // depends on the item's key: see Folder.value
	}
	return []measure{{t.Name, oneOf(t.Name, judge.Values[kinds[t.Name]]), nil}}
}

var truths = map[string]float64{"yes": 1, "no": 0}

func truth(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

func opposite(v float64) float64 { return 1 - v }

func oneOf(field string, values map[string]float64) func(Answer) (float64, bool) {
	return func(a Answer) (float64, bool) {
		v, ok := values[a.One(field)]
		return v, ok
	}
}

func chose(field, option string) func(Answer) (float64, bool) {
	return func(a Answer) (float64, bool) { return truth(slices.Contains(a.Fields[field], option)), true }
}

func graded(field string, low, high float64) func(Answer) (float64, bool) {
	return func(a Answer) (float64, bool) {
		v, err := strconv.ParseFloat(a.One(field), 64)
		return (v - low) / (high - low), err == nil
	}
}

// value is what an answer to an item gives by a measure.
func (f *Folder) value(m measure, item string, a Answer) (float64, bool) {
	if a.Unsure {
		return 0, false
	}
	if m.value == nil { // the subtopic that the data has for an insight
		return truth(slices.Contains(a.Fields["subtopics"], f.Plan.Keys[item].Data["subtopic"])), true
	}
	return m.value(a)
}

// median of values, NaN of none.
func median(values []float64) float64 {
	if len(values) == 0 {
		return math.NaN()
	}
	sorted := slices.Sorted(slices.Values(values))
	n := len(sorted)
	return (sorted[(n-1)/2] + sorted[n/2]) / 2
}
