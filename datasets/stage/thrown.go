package stage

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
)

// Thrown is what was thrown away for one reason.
type Thrown struct {
	Stage   string
	Fate    string // FateDropped, FateLeftOut or FateAgain
	Reason  string // without names, numbers and quotations, which are the example's
	Times   int
	Example Event // the first of them
}

// What becomes of what is thrown away.
const (
	FateDropped = "dropped"     // with all that hangs on it
	FateLeftOut = "left out"    // the rest goes on
	FateAgain   = "asked again" // a reply
)

var (
	quotation = regexp.MustCompile(`"(?:[^"\\]|\\.)*"`)
	figure    = regexp.MustCompile(`\d+(?:\.\d+)?`)
)

// ThrownAway sums up a log by reasons, the most frequent first.
func ThrownAway(log []Event) []Thrown {
	var out []Thrown
	at := map[[3]string]int{}
	for _, e := range log {
		fate, reason := e.thrown()
		if fate == "" {
			continue
		}
		key := [3]string{e.Stage, fate, reason}
		i, known := at[key]
		if !known {
			i = len(out)
			at[key] = i
			out = append(out, Thrown{Stage: e.Stage, Fate: fate, Reason: reason, Example: e})
		}
		out[i].Times++
	}
	slices.SortStableFunc(out, func(a, b Thrown) int { return cmp.Compare(b.Times, a.Times) })
	return out
}

// thrown is what became of what an event is about, and why; an empty fate if it was kept.
func (e Event) thrown() (fate, reason string) {
	rest := e.Detail
	cut := func(words string) bool {
		after, ok := strings.CutPrefix(rest, words)
		if ok {
			rest = strings.TrimLeft(after, ": ")
		}
		return ok
	}
	switch {
	case e.Refused:
		cut("refused")
		fate = FateAgain
	case e.Stage == dropStage:
		fate = FateDropped
	case cut("left out"), cut("rejected"):
		fate = FateLeftOut
	default:
		return "", ""
	}

	rest = quotation.ReplaceAllString(rest, "…")
	rest = figure.ReplaceAllString(rest, "N")
	return fate, strings.Trim(strings.TrimSuffix(strings.TrimSpace(rest), ": …"), ": …")
}
