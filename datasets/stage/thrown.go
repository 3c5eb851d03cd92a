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
	Reason  string // that of the first; what differs from case to case is left out as "…"
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
	figure    = regexp.MustCompile(`\b\d+(?:\.\d+)?\b`)
)

// ThrownAway sums up a log by reasons, the most frequent first.
func ThrownAway(log []Event) []Thrown {
	var out []Thrown
	at := map[[3]string]int{}
	for _, e := range log {
		fate, whole, reason := e.thrown()
		if fate == "" {
			continue
		}
		key := [3]string{e.Stage, fate, reason}
		i, known := at[key]
		if !known {
			i = len(out)
			at[key] = i
			out = append(out, Thrown{Stage: e.Stage, Fate: fate, Reason: whole, Example: e})
		}
		if out[i].Times++; out[i].Reason != whole {
			out[i].Reason = reason // the figures differ
		}
	}
	slices.SortStableFunc(out, func(a, b Thrown) int { return cmp.Compare(b.Times, a.Times) })
	return out
}

// thrown is what became of what an event is about, and why: as it stands there but for quotations, and
// without figures. An empty fate if it was kept.
func (e Event) thrown() (fate, whole, reason string) {
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
		return "", "", ""
	}

	whole = quotation.ReplaceAllString(rest, "…")
	whole = strings.Trim(strings.TrimSuffix(strings.TrimSpace(whole), ": …"), ": …")
	return fate, whole, figure.ReplaceAllString(whole, "…")
}
