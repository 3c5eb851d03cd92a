package summhay

import (
	"math"
	"strings"
	"testing"

	"lore/datasets"
	"lore/judge"
	"lore/local"
)

func TestMinutesOfAnswers(t *testing.T) {
	got, err := minutesOf("f", []byte(`{"item":"a","answer":"- x","minutes":81.5}
{"item":"b","answer":"- y"}
{"item":"c","answer":"- y","minutes":null}
`))
	if err != nil || len(got) != 1 || got["a"][Minutes] != 81.5 {
		t.Errorf("%v, %v", got, err)
	}
	for _, bad := range []string{`"an hour"`, "-1", "1e12", "true", "[2]"} {
		if _, err := minutesOf("f", []byte(`{"item":"a","answer":"","minutes":`+bad+`}`)); err == nil || !strings.Contains(err.Error(), "line 1: its minutes are") {
			t.Errorf("%s: %v", bad, err)
		}
	}
}

// Minutes are a figure of those answers that have them, and of no others.
func TestMinutesAreScored(t *testing.T) {
	it := figure2(t)
	minutes := func(m map[string]float64) (out []float64) {
		e := datasets.Evidence{Output: datasets.Output{Text: "- a [1]", Outcome: local.OK, Measures: m}}
		for _, s := range it.Score(e, datasets.Verdicts{judge.Answer: make([]judge.Verdict, 3)}) {
			if s.Metric == Minutes {
				out = append(out, s.Value)
			}
		}
		return out
	}
	if got := minutes(map[string]float64{Minutes: 90}); len(got) != 1 || got[0] != 90 {
		t.Errorf("%v", got)
	}
	if got := minutes(nil); got != nil {
		t.Errorf("%v", got)
	}
}

func FuzzMinutes(f *testing.F) {
	f.Add([]byte(`{"item":"a","answer":"- x","minutes":81.5}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		got, err := minutesOf("f", data)
		if err != nil {
			return
		}
		for item, m := range got {
			if v := m[Minutes]; !(v >= 0 && v <= mostMinutes) || math.IsNaN(v) {
				t.Errorf("%s took %v minutes", item, v)
			}
		}
	})
}
