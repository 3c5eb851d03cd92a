package report

import (
	"fmt"
	"slices"
	"strings"

	"lore/cmd/lore/internal/store"
	"lore/datasets"
	"lore/judge"
)

// JudgedVerdicts are verdicts under the name of who gave them.
type JudgedVerdicts struct {
	Judge    string
	Verdicts []judge.Verdict
}

// Bullets counts the verdicts whose bullet a judge did not name as it was asked to: those linked by word overlap, those
// linked to the first of several, and those that no word links. It is empty where every bullet was named.
func Bullets(all []JudgedVerdicts) datasets.Grid {
	g := datasets.Grid{
		Title: "Bullets not named as asked",
		Head:  []string{"judge", "covered", "linked by words", "first of several", "linked to none", "example"},
		Note:  "The label stands. What is covered and linked to no bullet has no score of its citations.",
	}
	for _, of := range all {
		covered, byWords, first, toNone, example := 0, 0, 0, 0, ""
		for _, v := range of.Verdicts {
			if !v.Scored() || v.Value == 0 {
				continue
			}
			covered++
			for _, flag := range v.Flags {
				switch {
				case strings.HasPrefix(flag, judge.LinkedByWords+judge.NamedNone):
					byWords++
				case strings.HasPrefix(flag, judge.LinkedToNone+judge.NamedNone):
					toNone++
				case strings.HasPrefix(flag, judge.FirstOfBullets):
					first++
				default:
					continue
				}
				if example == "" {
					example = v.Question + ": " + flag
				}
			}
		}
		if example != "" {
			g.Rows = append(g.Rows, []string{
				of.Judge, fmt.Sprint(covered), fmt.Sprint(byWords), fmt.Sprint(first), fmt.Sprint(toNone), example,
			})
		}
	}
	return g
}

// byJudge are the verdicts on a run's answers, by judge in the order of the first.
func byJudge(tasks []store.TaskVerdicts) []JudgedVerdicts {
	var out []JudgedVerdicts
	for _, t := range tasks {
		at := slices.IndexFunc(out, func(of JudgedVerdicts) bool { return of.Judge == t.Judge })
		if at < 0 {
			at = len(out)
			out = append(out, JudgedVerdicts{Judge: t.Judge})
		}
		out[at].Verdicts = append(out[at].Verdicts, t.Verdicts...)
	}
	return out
}
