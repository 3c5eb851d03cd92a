package report

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"lore/cmd/lore/internal/run"
	"lore/cmd/lore/internal/store"
	"lore/datasets"
	"lore/local"
	"lore/local/gate"
)

// Main is the table of a run: a line per system, each figure with its interval.
func Main(t run.Table, metrics []datasets.Metric) datasets.Grid {
	g := datasets.Grid{Head: []string{"retriever", "generator", "judge"}, Note: "[low, high]: " + t.Interval + ". n: values scored; unscored: values missing, never counted as 0."}
	shown := slices.DeleteFunc(slices.Clone(metrics), func(m datasets.Metric) bool { return m.Aside || !hasValues(t, m.Name) })
	for _, m := range shown {
		g.Head = append(g.Head, m.Title)
	}
	g.Head = append(g.Head, "n", "unscored")
	bounds := false
	for _, r := range t.Rows {
		row := []string{r.Retriever, r.Generator, r.Judge}
		for _, m := range shown {
			f, _ := r.Figure(m.Name)
			row = append(row, figure(f, m))
			bounds = bounds || (m.Lead && f.Worst != nil)
		}
		n, unscored := r.N(metrics)
		missing := fmt.Sprint(unscored)
		if r.ItemsFailed > 0 {
			missing += fmt.Sprintf(" (%d of %d answers failed)", r.ItemsFailed, r.Items)
		}
		g.Rows = append(g.Rows, append(row, fmt.Sprint(n), missing))
	}
	if bounds {
		g.Note += " {worst..best}: the value if all missing ones were the worst or the best possible."
	}
	return g
}

// hasValues reports whether any row has a value of a metric, or misses one.
func hasValues(t run.Table, name string) bool {
	return slices.ContainsFunc(t.Rows, func(r run.Row) bool {
		f, _ := r.Figure(name)
		return f.N+f.NUnscored > 0
	})
}

// Own are a benchmark's tables that a run prints at once.
func Own(t run.Table, bench datasets.Benchmark) []datasets.Grid {
	b, ok := bench.(datasets.Tabulator)
	if !ok {
		return nil
	}
	return slices.DeleteFunc(b.Tables(Systems(t)), func(g datasets.Grid) bool { return g.Later })
}

// figure shows a value with its interval, and its bounds if values are missing.
func figure(f run.Figure, m datasets.Metric) string {
	if f.Value == nil {
		return "–"
	}
	s := Number(*f.Value, m)
	if m.Lead && f.Low != nil {
		s += fmt.Sprintf(" [%s, %s]", Number(*f.Low, m), Number(*f.High, m))
	}
	if m.Lead && f.Worst != nil {
		s += fmt.Sprintf(" {%s..%s}", Number(*f.Worst, m), Number(*f.Best, m))
	}
	return s
}

// Number shows a value in the metric's unit with one decimal.
func Number(v float64, m datasets.Metric) string {
	if m.Percent {
		v *= 100
	}
	return fmt.Sprintf("%.1f", v)
}

// Systems adapts rows for a benchmark's own tables.
func Systems(t run.Table) []datasets.System {
	out := make([]datasets.System, len(t.Rows))
	for i, r := range t.Rows {
		out[i] = datasets.System{Retriever: r.Retriever, Generator: r.Generator, Judge: r.Judge, Value: func(metric string) (float64, bool) {
			f, ok := r.Figure(metric)
			if !ok || f.Value == nil {
				return 0, false
			}
			return *f.Value, true
		}}
		for _, it := range r.Scores {
			item := datasets.ItemFigures{Item: it.Item, Facets: it.Facets, Values: map[string]map[string]float64{}}
			for _, u := range it.Values {
				item.Values[u.Metric] = make(map[string]float64, len(u.Values))
				for k, v := range u.Values {
					item.Values[u.Metric][u.Units[k]] = v
				}
			}
			out[i].Items = append(out[i].Items, item)
		}
	}
	return out
}

// Failures counts why answers and verdicts are missing, one line per system and
// reason, with an example.
func Failures(answers []store.Answer, verdicts []store.TaskVerdicts) datasets.Grid {
	g := datasets.Grid{Title: "What failed", Head: []string{"stage", "system", "outcome", "count", "example"}}
	type key struct{ stage, system, outcome string }
	count, example := map[key]int{}, map[key]string{}
	add := func(k key, why string) {
		if count[k] == 0 {
			example[k] = why
		}
		count[k]++
	}
	for _, a := range answers {
		if a.Outcome != local.OK {
			add(key{"answer", a.Retriever + ", " + a.Generator, string(a.Outcome)}, a.Item+": "+a.Reason)
		}
		if a.Points != nil && a.Points.Outcome != local.OK {
			add(key{"points", a.Retriever + ", " + a.Generator, string(a.Points.Outcome)}, a.Item+": "+a.Points.Reason)
		}
	}
	for _, t := range verdicts {
		for _, v := range slices.Concat(t.Verdicts, t.Points) {
			if !v.Scored() && !strings.HasPrefix(v.Reason, "the answer failed: ") {
				add(key{"verdict", t.Retriever + ", " + t.Generator + ", " + t.Judge, string(v.Outcome)}, t.Item+" "+v.Question+": "+v.Reason)
			}
		}
	}
	keys := make([]key, 0, len(count))
	for k := range count {
		keys = append(keys, k)
	}
	slices.SortFunc(keys, func(a, b key) int { return strings.Compare(fmt.Sprint(a), fmt.Sprint(b)) })
	for _, k := range keys {
		g.Rows = append(g.Rows, []string{k.stage, k.system, k.outcome, fmt.Sprint(count[k]), example[k]})
	}
	return g
}

// Oddities counts what is odd about answers that were scored all the same.
func Oddities(answers []store.Answer) datasets.Grid {
	g := datasets.Grid{Title: "Odd answers (scored all the same)", Head: []string{"system", "answers", "with notes", "example"}}
	type tally struct {
		all, noted int
		example    string
	}
	by := map[string]*tally{}
	var order []string
	for _, a := range answers {
		k := a.Retriever + ", " + a.Generator
		if by[k] == nil {
			by[k] = &tally{}
			order = append(order, k)
		}
		by[k].all++
		if len(a.Notes) > 0 {
			by[k].noted++
			if by[k].example == "" {
				by[k].example = a.Item + ": " + strings.Join(a.Notes, "; ")
			}
		}
	}
	for _, k := range order {
		if t := by[k]; t.noted > 0 {
			g.Rows = append(g.Rows, []string{k, fmt.Sprint(t.all), fmt.Sprint(t.noted), t.example})
		}
	}
	return g
}

// Contexts says how much was shown to the generators.
func Contexts(answers []store.Answer) datasets.Grid {
	g := datasets.Grid{Title: "Context shown", Head: []string{"retriever", "documents, mean", "tokens, mean", "tokens, most", "cut to fit", "tokens cut, mean", "left out, mean"}}
	type tally struct{ n, docs, tokens, most, cut, cutTokens, dropped int }
	by := map[string]*tally{}
	var order []string
	for _, a := range answers {
		t := by[a.Retriever]
		if t == nil {
			t = &tally{}
			by[a.Retriever] = t
			order = append(order, a.Retriever)
		}
		t.n++
		t.docs += len(a.Documents)
		t.tokens += a.ContextTokens
		t.most = max(t.most, a.ContextTokens)
		t.cut += a.Cut
		t.cutTokens += a.CutTokens
		t.dropped += a.Dropped
	}
	for _, r := range order {
		t := by[r]
		mean := func(v int) string { return fmt.Sprintf("%.1f", float64(v)/float64(t.n)) }
		g.Rows = append(g.Rows, []string{r, mean(t.docs), mean(t.tokens), fmt.Sprint(t.most), fmt.Sprintf("%d of %d", t.cut, t.docs), mean(t.cutTokens), mean(t.dropped)})
	}
	return g
}

// Cost says what the model calls of a run cost. Times are summed over calls that
// ran side by side.
func Cost(usage []gate.ModelUsage) datasets.Grid {
	g := datasets.Grid{Title: "Model calls", Head: []string{"model", "asked now", "from the journal", "prompt tokens", "of these cached", "output tokens", "time in calls"}}
	for _, u := range usage {
		name := u.Backend
		if u.Model != u.Backend {
			name += ":" + u.Model
		}
		g.Rows = append(g.Rows, []string{name, fmt.Sprint(u.Asked), fmt.Sprint(u.Journaled), fmt.Sprint(u.Usage.PromptTokens), fmt.Sprint(u.Usage.CachedTokens),
			fmt.Sprint(u.Usage.OutputTokens), u.Usage.Duration.Round(10 * time.Millisecond).String()})
	}
	return g
}
