package page

import (
	"slices"

	"lore/cmd/lore/internal/report"
)

// trust says what is known of each judge, once for runs that share it.
func trust(sources []Source) []Trust {
	out := []Trust{}
	for _, s := range sources {
		for _, k := range report.JudgesKnown(s.Run) {
			t := Trust{
				Judge:    plain(k.Judge),
				Kind:     string(k.Kind),
				Texts:    plain(k.Texts),
				Worth:    string(k.Worth),
				Measured: plain(k.Measured),
				Here:     k.Here,
				Least:    plain(k.Least),
			}
			if !slices.Contains(out, t) {
				out = append(out, t)
			}
		}
	}
	return out
}
