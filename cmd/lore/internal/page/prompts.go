package page

import (
	"slices"
	"strings"

	"lore/cmd/lore/internal/store"
	"lore/datasets"
)

// answerKey names an answer of a run.
type answerKey struct {
	datasets.System
	item string
}

// promptsOf are the prompts of judges by answer.
func promptsOf(s *store.Shown) map[answerKey][]store.ShownAsked {
	out := map[answerKey][]store.ShownAsked{}
	if s == nil {
		return out
	}
	for _, a := range s.Asked {
		key := answerKey{a.System, a.Item}
		out[key] = append(out[key], a)
	}
	return out
}

// takePrompts adds the prompts of the judge of t, or of those whose replies it has, with an end
// for each question of the item.
func (v *Verdicts) takePrompts(asked []store.ShownAsked, q *Question, t store.TaskVerdicts) {
	members := []string{t.Judge}
	for _, one := range t.Verdicts {
		for _, r := range one.Replies {
			members = append(members, r.Judge)
		}
	}
	own := func(a store.ShownAsked) bool { return slices.Contains(members, a.Judge) }
	if !slices.ContainsFunc(asked, own) { // a calibrated judge has more in its name
		own = func(a store.ShownAsked) bool { return strings.HasPrefix(t.Judge, a.Judge+" ") }
	}
	for _, a := range asked {
		if !own(a) {
			continue
		}
		p := JudgePrompt{Judge: plain(a.Judge)}
		for _, m := range a.Messages {
			out := JudgeMessage{Role: plain(m.Role), Begin: plain(m.Begin), Ends: make([]string, len(q.Asked))}
			for i, end := range m.Ends {
				if i < len(t.Questions) {
					out.Ends[q.place(t.Questions[i])] = plain(end)
				}
			}
			p.Messages = append(p.Messages, out)
		}
		v.Prompts = append(v.Prompts, p)
	}
}
