package gate

import (
	"fmt"
	"regexp"
	"strings"

	"lore/local"
	"lore/local/text"
)

// AlikeAfter is how many first replies must fail for one reason before that is told.
const AlikeAfter = 5

// Alike looks for what fails from its first reply on, always for one reason: then it is not the
// questions that are at fault. It is for one goroutine at a time.
type Alike struct {
	seen   int
	reason string
	over   bool // told, or one was good, or failed otherwise
}

// varying is what differs between failures of one kind: what they quote, and numbers.
var varying = regexp.MustCompile(`"(?:[^"\\]|\\.)*"|\d+`)

// See takes a reply in. It reports whether now is the time to tell that all have failed alike.
func (a *Alike) See(outcome local.Outcome, reason string) bool {
	if a.over {
		return false
	}
	reason = string(outcome) + varying.ReplaceAllString(reason, "")
	good := Answered(local.Reply{Outcome: outcome})
	if a.over = good || a.seen > 0 && reason != a.reason; a.over {
		return false
	}
	a.seen, a.reason = a.seen+1, reason
	a.over = a.seen == AlikeAfter
	return a.over
}

// AlikeText words that all replies so far have failed alike, the last with a reason. remedy may be empty.
func AlikeText(who string, outcome local.Outcome, reason, remedy string) string {
	said := fmt.Sprintf("the first %d replies of %s all failed alike: %s: %s", AlikeAfter, who, outcome, brief(reason))
	if remedy != "" {
		said += "; " + remedy
	}
	return said + "; what is finished is kept if you stop this"
}

// mostReason is how much of a reason a warning shows, in bytes.
const mostReason = 200

// brief is the beginning of a reason.
func brief(s string) string { return text.Clipped(strings.TrimSpace(s), mostReason) }
