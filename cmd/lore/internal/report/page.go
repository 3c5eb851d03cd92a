package report

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"html/template"
	"io"
	"maps"
	"math"
	"slices"
	"strings"

	"lore/cmd/lore/internal/run"
	"lore/cmd/lore/internal/store"
	"lore/datasets"
	"lore/judge"
	"lore/local"
)

//go:embed page.html
var pageText string

var page = template.Must(template.New("page").Funcs(template.FuncMap{"plain": Plain, "numeric": numeric}).Parse(pageText))

// Run is what a report is made of: the content of a run folder.
type Run struct {
	Manifest store.Manifest
	Table    run.Table
	Answers  []store.Answer
	Verdicts []store.TaskVerdicts
}

// HTML writes a page that holds everything: table, charts, answers, verdicts,
// settings. It loads nothing and runs no script; all text is escaped.
func HTML(w io.Writer, r Run, bench datasets.Benchmark) error {
	if err := page.Execute(w, newView(r, bench)); err != nil {
		return fmt.Errorf("write the page: %w", err)
	}
	return nil
}

type view struct {
	Benchmark, About string
	Main             datasets.Grid
	Charts           []chart
	Grids            []datasets.Grid
	Warnings         []string
	Systems          []systemView
	Settings         []setting
	Metrics          []datasets.Metric
}

// PlotBottom is where the axis lines of a chart end.
func (view) PlotBottom(labelY float64) float64 { return labelY - 14 }

type systemView struct {
	Name    string
	Answers []answerView
}

type answerView struct {
	Title, Item, Reason, Figures string
	Outcome                      local.Outcome
	Failed                       bool
	Lines, Notes                 []string
	Verdicts                     []verdictView
	Points                       []verdictView // on the answer's own points
}

type verdictView struct {
	Text, Label, Class, Evidence string
	Unit                         int
}

type setting struct{ Name, Value string }

func newView(r Run, bench datasets.Benchmark) view {
	v := view{Benchmark: bench.Name(), About: bench.About(), Main: Main(r.Table, bench.Metrics()), Warnings: r.Manifest.Warnings,
		Grids: Grids(r, bench), Settings: settings(r.Manifest), Metrics: bench.Metrics()}
	for _, m := range bench.Metrics() {
		if m.Lead {
			v.Charts = append(v.Charts, newChart(r.Table, m))
		}
	}
	texts := map[[3]string]store.Answer{}
	for _, a := range r.Answers {
		texts[[3]string{a.Retriever, a.Generator, a.Item}] = a
	}
	figures := itemFigures(r.Table, bench.Metrics())
	at := map[string]int{}
	for _, t := range r.Verdicts {
		name := t.Retriever + ", " + t.Generator + ", judged by " + t.Judge
		i, ok := at[name]
		if !ok {
			i = len(v.Systems)
			at[name] = i
			v.Systems = append(v.Systems, systemView{Name: name})
		}
		a := newAnswer(texts[[3]string{t.Retriever, t.Generator, t.Item}], t)
		a.Figures = figures[[4]string{t.Retriever, t.Generator, t.Judge, t.Item}]
		v.Systems[i].Answers = append(v.Systems[i].Answers, a)
	}
	return v
}

// itemFigures words the mean of each judged metric of an item.
func itemFigures(t run.Table, metrics []datasets.Metric) map[[4]string]string {
	out := map[[4]string]string{}
	for _, row := range t.Rows {
		for _, it := range row.Scores {
			var parts []string
			for _, m := range metrics {
				for _, u := range it.Values {
					if u.Metric != m.Name || !m.Lead || len(u.Values) == 0 {
						continue
					}
					sum := 0.0
					for _, x := range u.Values {
						sum += x
					}
					parts = append(parts, strings.ToLower(m.Title)+" "+Number(sum/float64(len(u.Values)), m))
				}
			}
			out[[4]string{row.Retriever, row.Generator, row.Judge, it.Item}] = strings.Join(parts, ", ")
		}
	}
	return out
}

func newAnswer(a store.Answer, t store.TaskVerdicts) answerView {
	out := answerView{Title: a.Title, Item: t.Item, Reason: a.Reason, Outcome: a.Outcome, Failed: a.Outcome != local.OK, Notes: slices.Concat(a.Notes, t.Notes)}
	for line := range strings.Lines(a.Text) {
		if line = strings.TrimSpace(line); line != "" {
			out.Lines = append(out.Lines, line)
		}
	}
	for i, v := range t.Verdicts {
		out.Verdicts = append(out.Verdicts, newVerdict(questionText(t.Questions, i), v))
	}
	for i, v := range t.Points {
		if a.Points == nil || i >= len(a.Points.List) {
			break // a folder that somebody has edited
		}
		out.Points = append(out.Points, newVerdict(a.Points.List[i], v))
	}
	return out
}

func newVerdict(text string, v judge.Verdict) verdictView {
	one := verdictView{Text: text, Label: v.Label, Class: v.Label, Unit: v.Unit, Evidence: strings.Join(v.Evidence, " ")}
	if len(v.Flags) > 0 {
		one.Evidence = strings.TrimSpace(one.Evidence + " (" + strings.Join(v.Flags, "; ") + ")")
	}
	if !v.Scored() {
		one.Label, one.Class, one.Evidence = "unscored", "bad", v.Reason
	}
	return one
}

// settings lists a manifest for people.
func settings(m store.Manifest) []setting {
	out := []setting{{"lore", m.Lore}, {"data", strings.Join(m.Data, ", ")}, {"data SHA-256", m.DataHash}, {"items", fmt.Sprint(m.Items)},
		{"retrievers", strings.Join(m.Retrievers, ", ")}, {"tokeniser of budgets", m.Tokenizer}, {"seed", fmt.Sprint(m.Seed)}}
	if m.Server != "" {
		out = append(out, setting{"Ollama server", m.Server})
	}
	for _, g := range m.Generators {
		out = append(out, setting{"generator", describe(g)})
	}
	for _, j := range m.Judges {
		out = append(out, setting{"judge", describe(j)})
	}
	for _, k := range slices.Sorted(maps.Keys(m.Settings)) {
		out = append(out, setting{k, fmt.Sprint(m.Settings[k])})
	}
	for _, k := range slices.Sorted(maps.Keys(m.Prompts)) {
		out = append(out, setting{"prompt " + k, m.Prompts[k]})
	}
	return out
}

func describe(m store.Model) string {
	parts := []string{m.Name}
	for _, p := range []string{m.Family, m.Size, m.Quant} {
		if p != "" {
			parts = append(parts, p)
		}
	}
	if m.Digest != "" {
		parts = append(parts, "digest "+m.Digest)
	}
	if m.Mode != "" {
		parts = append(parts, "mode "+m.Mode)
	}
	if m.Agreement != "" {
		parts = append(parts, m.Agreement)
	}
	if m.Options != nil {
		if data, err := json.Marshal(m.Options); err == nil {
			parts = append(parts, string(data))
		}
	}
	return strings.Join(parts, ", ")
}

// chart is one metric drawn as a dot with its interval per system.
type chart struct {
	Title         string
	Width, Height float64
	Bars          []bar
	Ticks         []tick
}

type bar struct {
	Label                  string
	X, Low, High, Y, TextY float64
	Has, CI                bool
}

type tick struct {
	X, Y  float64
	Label string
}

func newChart(t run.Table, m datasets.Metric) chart {
	const left, plot, step = 190.0, 240.0, 22.0
	c := chart{Title: m.Title, Width: left + plot + 20}
	top := 0.0
	for _, r := range t.Rows {
		if f, ok := r.Figure(m.Name); ok && f.Value != nil {
			top = max(top, *f.Value)
			if f.High != nil {
				top = max(top, *f.High)
			}
		}
	}
	unit := math.Max(0.1, math.Ceil(top*10)/10) // whole steps of ten points
	x := func(v float64) float64 { return math.Round((left+plot*v/unit)*10) / 10 }
	for i, r := range t.Rows {
		y := 14 + step*float64(i)
		b := bar{Label: clip(label(t, r), 28), Y: y, TextY: y + 4, X: left}
		if f, ok := r.Figure(m.Name); ok && f.Value != nil {
			b.X, b.Has = x(*f.Value), true
			if f.Low != nil {
				b.Low, b.High, b.CI = x(*f.Low), x(*f.High), true
			}
		}
		c.Bars = append(c.Bars, b)
	}
	bottom := 14 + step*float64(len(t.Rows)) + 14
	for i := range 6 {
		v := unit * float64(i) / 5
		c.Ticks = append(c.Ticks, tick{x(v), bottom, strings.TrimSuffix(fmt.Sprintf("%.1f", 100*v), ".0")})
	}
	c.Height = bottom + 6
	return c
}

// label names a row by what differs between rows.
func label(t run.Table, r run.Row) string {
	parts := []string{}
	for _, f := range []func(run.Row) string{
		func(r run.Row) string { return r.Retriever }, func(r run.Row) string { return r.Generator }, func(r run.Row) string { return r.Judge }} {
		if slices.ContainsFunc(t.Rows, func(o run.Row) bool { return f(o) != f(t.Rows[0]) }) {
			parts = append(parts, f(r))
		}
	}
	if len(parts) == 0 {
		return r.Retriever
	}
	return strings.Join(parts, " · ")
}

func clip(s string, n int) string {
	r := []rune(Plain(s))
	if len(r) <= n {
		return string(r)
	}
	return string(r[:n-1]) + "…"
}

// questionText words a question for the page; the reference that two grades share is
// shown once.
func questionText(questions []judge.Question, i int) string {
	q := questions[i]
	if q.Kind != judge.Relevance && q.Kind != judge.Consistency {
		return q.Text
	}
	if i > 0 && q.Text == questions[i-1].Text {
		return string(q.Kind) + ", compared with the same"
	}
	return string(q.Kind) + ", compared with: " + q.Text
}
