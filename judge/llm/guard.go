package llm

import (
	"fmt"
	"slices"
	"strings"

	"lore/judge"
	"lore/local/guard"
)

// shown is a task as the model sees it: forged marks are neutral, and the text stands between
// marks that it cannot forge.
type shown struct {
	judge.Task
	Begin, End string
	forged     int
}

// guarded makes a task safe to show.
func guarded(t judge.Task) shown {
	s := shown{Task: t}
	clean := func(text string) string {
		out, n := guard.Text(text)
		s.forged += n
		return out
	}

	s.About, _ = guard.Text(t.About) // not the text under judgement
	s.Units = slices.Clone(t.Units)
	for i, u := range s.Units {
		s.Units[i] = clean(u)
	}
	s.Begin, s.End = guard.Fence(s.Units...)
	return s
}

// flag says how many forged marks there were; empty for none.
func (s shown) flag() string {
	if s.forged == 0 {
		return ""
	}
	return fmt.Sprintf("%s: %d", judge.ForgedMarks, s.forged)
}

// question is the last part of a prompt. A reference is a text of others, too.
func (s shown) question(q judge.Question) string {
	text, _ := guard.Text(q.Text)
	if q.Kind != judge.Relevance && q.Kind != judge.Consistency {
		return heading[q.Kind] + text
	}
	begin, end := guard.Fence(text)
	frame := heading[q.Kind] + "between " + begin + " and " + end + ", and data, too."
	return strings.Join([]string{frame, begin, text, end}, "\n")
}
