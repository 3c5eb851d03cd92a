package report

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"lore/cmd/lore/internal/table"
	"lore/datasets"
)

// excess is how many times what was asked for an answer may have before it is counted.
const excess = 1.5

// Warnings say, a line per system and finding, what to know before systems are compared:
// answers with more than half as much again as was asked for, and what the benchmark's
// metrics warn of. Judges of the same answers are named once.
func Warnings(t table.Table, metrics []datasets.Metric) []string {
	var out []string
	for _, r := range t.Rows {
		for _, m := range metrics {
			said := ""
			if m.Asked != "" {
				said = exceeded(r, m)
			} else if m.Warn != "" {
				if n, of := count(r, m.Name, func(v float64, _ table.ItemScores) bool { return v > 0 }); n > 0 {
					said = fmt.Sprintf("%d of %d answers %s", n, of, m.Warn)
				}
			}

			line := fmt.Sprintf("%s: %s", systemName(r), said)
			if said != "" && !slices.Contains(out, line) {
				out = append(out, line)
			}
		}
	}
	return out
}

// CutWarnings say, a line per retriever, where more than half of the documents that were shown were cut to fit the budget.
func CutWarnings(r Run) []string {
	type count struct{ cut, shown int }
	by := map[string]*count{}
	var order []string
	for _, a := range r.Answers {
		if by[a.Context()] == nil {
			by[a.Context()] = &count{}
			order = append(order, a.Context())
		}
		by[a.Context()].cut += a.Cut
		by[a.Context()].shown += len(a.Documents)
	}

	limit := "the budget"
	if tokens, known := r.Manifest.Settings["budget_tokens"]; known {
		limit = fmt.Sprintf("the budget of %s tokens", asSet(tokens))
	}
	var out []string
	for _, name := range order {
		if n := by[name]; 2*n.cut > n.shown {
			out = append(out, fmt.Sprintf("%s: %d of %d shown documents were cut to fit %s; --budget-tokens raises it",
				name, n.cut, n.shown, limit))
		}
	}
	return out
}

// asSet is a setting as it was set, or as it was read back.
func asSet(v any) string {
	if f, ok := v.(float64); ok {
		return strconv.FormatFloat(f, 'f', -1, 64)
	}
	return fmt.Sprint(v)
}

// systemName is how a warning names a row's system.
func systemName(r table.Row) string {
	if r.Recorded != "" {
		return r.Recorded
	}
	return r.Retriever + " " + r.Generator
}

// exceeded counts the answers that have more than half as much again as was asked for.
func exceeded(r table.Row, m datasets.Metric) string {
	n, of := count(r, m.Name, func(v float64, it table.ItemScores) bool {
		limit, ok := perItem(it, m.Asked)
		return ok && v > excess*limit
	})
	if n == 0 {
		return ""
	}

	given, _ := r.Figure(m.Name)
	limit, _ := r.Figure(m.Asked)
	text := fmt.Sprintf("%d of %d answers have more than %g times the %s that were asked for",
		n, of, excess, strings.ToLower(m.Title))
	if given.Value != nil && limit.Value != nil {
		text += fmt.Sprintf(" (on average %.1f of %.1f)", *given.Value, *limit.Value)
	}
	return text
}

// count counts the items of a row whose value of a metric is such, of those with a value.
func count(r table.Row, name string, such func(v float64, it table.ItemScores) bool) (n, of int) {
	for _, it := range r.Scores {
		if v, ok := perItem(it, name); ok {
			of++
			if such(v, it) {
				n++
			}
		}
	}
	return n, of
}

// perItem is an item's value of a metric that has one per item.
func perItem(it table.ItemScores, name string) (float64, bool) {
	for _, u := range it.Values {
		if u.Metric == name && len(u.Values) > 0 {
			return u.Values[0], true
		}
	}
	return 0, false
}
