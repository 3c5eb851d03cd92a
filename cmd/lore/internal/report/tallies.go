package report

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"lore/cmd/lore/internal/store"
	"lore/cmd/lore/internal/usage"
	"lore/datasets"
	"lore/local"
	"lore/local/gate"
)

// failure is what one line of Failures counts.
type failure struct{ stage, system, outcome string }

// failedLine says at the top of a report how many answers failed; empty where none did.
func failedLine(answers []store.Answer) string {
	n := 0
	for _, a := range answers {
		if a.Failed() {
			n++
		}
	}
	if n == 0 {
		return ""
	}
	return fmt.Sprintf("%d of %s failed and have no score: see %q below.", n, usage.Counted(len(answers), "answer"), failuresTitle)
}

// failuresTitle heads the table of failures.
const failuresTitle = "What failed"

// Failures counts why answers and verdicts are missing, one line per system and
// reason, with an example.
func Failures(answers []store.Answer, verdicts []store.TaskVerdicts) datasets.Grid {
	count, example := map[failure]int{}, map[failure]string{}
	add := func(f failure, why string) {
		if count[f] == 0 {
			example[f] = why
		}
		count[f]++
	}

	for _, a := range answers {
		if a.Failed() {
			add(failure{"answer", a.System.String(), string(a.Outcome)}, a.Item+": "+a.Reason)
		}
		if a.Points != nil && a.Points.Outcome != local.OK {
			add(failure{"points", a.System.String(), string(a.Points.Outcome)}, a.Item+": "+a.Points.Reason)
		}
	}
	for _, t := range verdicts {
		for _, v := range slices.Concat(t.Verdicts, t.Points, t.Held) {
			// A failed answer is counted above, once; not once more per question.
			if !v.Scored() && !strings.HasPrefix(v.Reason, "the answer failed: ") {
				add(failure{"verdict", t.Judged.String(), string(v.Outcome)}, t.Item+" "+v.Question+": "+v.Reason)
			}
		}
	}

	order := make([]failure, 0, len(count))
	for f := range count {
		order = append(order, f)
	}
	slices.SortFunc(order, func(a, b failure) int { return strings.Compare(fmt.Sprint(a), fmt.Sprint(b)) })

	g := datasets.Grid{
		Title: failuresTitle,
		Head:  []string{"stage", "system", "outcome", "count", "example"},
	}
	for _, f := range order {
		g.Rows = append(g.Rows, []string{f.stage, f.system, f.outcome, fmt.Sprint(count[f]), example[f]})
		g.Mark(2, datasets.Failed)
	}
	return g
}

// FailedVerdicts counts why verdicts of judges are missing, a line per judge and outcome with an example.
func FailedVerdicts(all []JudgedVerdicts) datasets.Grid {
	g := datasets.Grid{Title: failuresTitle, Head: []string{"judge", "outcome", "count", "example"}}
	for _, of := range all {
		var order []local.Outcome
		count, example := map[local.Outcome]int{}, map[local.Outcome]string{}
		for _, v := range of.Verdicts {
			if v.Scored() {
				continue
			}
			if count[v.Outcome] == 0 {
				order, example[v.Outcome] = append(order, v.Outcome), v.Question+": "+v.Reason
			}
			count[v.Outcome]++
		}
		for _, outcome := range order {
			g.Rows = append(g.Rows, []string{of.Judge, string(outcome), fmt.Sprint(count[outcome]), example[outcome]})
			g.Mark(1, datasets.Failed)
		}
	}
	return g
}

// Oddities counts what is odd about answers that were scored all the same.
func Oddities(answers []store.Answer) datasets.Grid {
	type tally struct {
		all, noted int
		example    string
	}
	by := map[string]*tally{}
	var order []string
	for _, a := range answers {
		k := a.System.String()
		if by[k] == nil {
			by[k] = &tally{}
			order = append(order, k)
		}
		by[k].all++
		if len(a.Notes) == 0 {
			continue
		}
		by[k].noted++
		if by[k].example == "" {
			by[k].example = a.Item + ": " + strings.Join(a.Notes, "; ")
		}
	}

	g := datasets.Grid{
		Title: "Odd answers (scored all the same)",
		Head:  []string{"system", "answers", "with notes", "example"},
	}
	for _, k := range order {
		if t := by[k]; t.noted > 0 {
			g.Rows = append(g.Rows, []string{k, fmt.Sprint(t.all), fmt.Sprint(t.noted), t.example})
		}
	}
	return g
}

// Contexts says how much was shown to the generators, per retriever.
func Contexts(answers []store.Answer) datasets.Grid {
	type tally struct {
		n, docs, tokens, most, cut, cutTokens, dropped int
		shown                                          bool
	}
	by := map[string]*tally{}
	var order []string
	for _, a := range answers {
		t := by[a.Context()]
		if t == nil {
			t = &tally{}
			by[a.Context()] = t
			order = append(order, a.Context())
		}
		t.n++
		t.shown = t.shown || a.Shown != "" || len(a.Documents) > 0
		t.docs += len(a.Documents)
		t.tokens += a.ContextTokens
		t.most = max(t.most, a.ContextTokens)
		t.cut += a.Cut
		t.cutTokens += a.CutTokens
		t.dropped += a.Dropped
	}

	g := datasets.Grid{
		Title: "Context shown",
		Head: []string{
			"retriever", "documents, mean", "tokens, mean", "tokens, most",
			"cut to fit", "tokens cut, mean", "left out, mean",
		},
	}
	for _, r := range order {
		t := by[r]
		if !t.shown {
			continue // answers from a file: nobody was shown anything here
		}
		mean := func(v int) string { return fmt.Sprintf("%.1f", float64(v)/float64(t.n)) }
		g.Rows = append(g.Rows, []string{
			r,
			mean(t.docs),
			mean(t.tokens),
			fmt.Sprint(t.most),
			fmt.Sprintf("%d of %d", t.cut, t.docs),
			mean(t.cutTokens),
			mean(t.dropped),
		})
	}
	return g
}

// Cost says what the model calls of a run cost. Times are summed over calls that ran
// side by side.
func Cost(usage []gate.ModelUsage) datasets.Grid {
	g := datasets.Grid{
		Title: "Model calls",
		Head: []string{
			"model", "asked now", "from the journal", "from the cache",
			"prompt tokens", "of these cached", "output tokens", "time in calls",
		},
	}

	probes := 0
	for _, u := range usage {
		probes += u.Probes
		name := u.Backend
		if u.Model != u.Backend {
			name += ":" + u.Model
		}
		g.Rows = append(g.Rows, []string{
			name,
			fmt.Sprint(u.Asked),
			fmt.Sprint(u.Journaled),
			fmt.Sprint(u.Cached),
			fmt.Sprint(u.Usage.PromptTokens),
			fmt.Sprint(u.Usage.CachedTokens),
			fmt.Sprint(u.Usage.OutputTokens),
			u.Usage.Duration.Round(10 * time.Millisecond).String(),
		})
	}
	if probes > 0 {
		g.Note = fmt.Sprintf("Besides, %d short calls counted prompts, to see that they are read whole.", probes)
	}
	return g
}
