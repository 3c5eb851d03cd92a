package page

import (
	"slices"
	"strings"

	"lore/cmd/lore/internal/report"
	"lore/judge/agreement"
)

// byWorth is the order of worths, the worst first. What was not measured on such texts is
// worse than what agrees weakly there.
var byWorth = []agreement.Worth{agreement.Useless, "", agreement.Weak, agreement.Fair, agreement.Good}

// trust says what is known of each judge, as the notes do: once for runs of which the same is
// said, with the runs' names where something else is.
func (b *builder) trust() []Trust {
	type line struct {
		Trust
		runs []int
	}
	var lines []line
	for n, s := range b.sources {
		for _, k := range report.JudgesSay(s.Run) {
			t := newTrust(k)
			if i := slices.IndexFunc(lines, func(l line) bool { return l.Trust == t }); i >= 0 {
				lines[i].runs = append(lines[i].runs, n)
			} else {
				lines = append(lines, line{t, []int{n}})
			}
		}
	}

	out := []Trust{}
	for _, l := range lines {
		others := slices.ContainsFunc(lines, func(o line) bool {
			return o.Judge == l.Judge && o.Kind == l.Kind && o.Trust != l.Trust
		})
		if others {
			l.Said = b.runNames(l.runs) + ": " + l.Said
		}
		out = append(out, l.Trust)
	}
	return out
}

// newTrust takes over what a line says. The place of documentation is not known to who has
// the page alone.
func newTrust(k report.JudgeSaid) Trust {
	said := plain(k.Line)
	if at := strings.LastIndex(said, " see docs/"); at > 0 {
		said = strings.TrimRight(said[:at], ",;")
	}
	t := Trust{Judge: plain(k.Judge), Kind: string(k.Kind), Said: said + ".", Least: plain(k.Least)}
	if len(k.Worths) == 0 {
		return t
	}
	by := func(x, y agreement.Worth) int { return slices.Index(byWorth, x) - slices.Index(byWorth, y) }
	t.Worth, t.Best = string(slices.MinFunc(k.Worths, by)), string(slices.MaxFunc(k.Worths, by))
	return t
}
