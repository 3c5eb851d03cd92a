package report

import (
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"slices"
	"strings"

	"lore/cmd/lore/internal/store"
	"lore/cmd/lore/internal/table"
	"lore/cmd/lore/internal/usage"
	"lore/datasets"
	"lore/judge"
	"lore/judge/metric"
	"lore/local"
)

//go:embed page.html
var pageText string

var page = template.Must(template.New("page").
	Funcs(template.FuncMap{"plain": usage.Plain, "numeric": numeric}).
	Parse(pageText))

// HTML writes a page that holds everything: table, charts, answers, verdicts,
// settings. It loads nothing and runs no script; all text is escaped.
func HTML(w io.Writer, r Run, bench datasets.Benchmark) error {
	if err := page.Execute(w, newView(r, bench)); err != nil {
		return fmt.Errorf("write the page: %w", err)
	}
	return nil
}

// view is a run as page.html shows it.
type view struct {
	Benchmark, About string
	Failed           string // how many answers failed
	Main             datasets.Grid
	Charts           []chart
	Grids            []datasets.Grid
	Warnings         []string
	Systems          []systemView
	Settings         []setting
	Metrics          []datasets.Metric
}

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

func newView(r Run, bench datasets.Benchmark) view {
	v := view{
		Benchmark: bench.Name(),
		About:     bench.About(),
		Failed:    failedLine(r.Answers),
		Main:      Main(r.Table, bench.Metrics()),
		Grids:     Grids(r, bench),
		Warnings:  r.Manifest.Warnings,
		Settings:  settings(r.Manifest),
		Metrics:   bench.Metrics(),
		Systems:   systemViews(r, bench.Metrics()),
	}
	for _, m := range bench.Metrics() {
		if m.Lead {
			v.Charts = append(v.Charts, newChart(r.Table, m))
		}
	}
	return v
}

// systemViews shows every answer with the verdicts on it, by system and judge.
func systemViews(r Run, metrics []datasets.Metric) []systemView {
	texts := map[answerKey]store.Answer{}
	for _, a := range r.Answers {
		texts[answerKey{a.System, a.Item}] = a
	}
	figures := itemFigures(r.Table, metrics)

	var out []systemView
	at := map[string]int{}
	for _, t := range r.Verdicts {
		name := t.System.String() + ", judged by " + t.Judge
		i, ok := at[name]
		if !ok {
			i = len(out)
			at[name] = i
			out = append(out, systemView{Name: name})
		}

		a := newAnswer(texts[answerKey{t.System, t.Item}], t)
		a.Figures = figures[verdictKey{t.Judged, t.Item}]
		out[i].Answers = append(out[i].Answers, a)
	}
	return out
}

// itemFigures words the mean of each lead metric of an item.
func itemFigures(t table.Table, metrics []datasets.Metric) map[verdictKey]string {
	out := map[verdictKey]string{}
	for _, row := range t.Rows {
		for _, it := range row.Scores {
			out[verdictKey{row.Judged, it.Item}] = strings.Join(leadMeans(it, metrics), ", ")
		}
	}
	return out
}

func leadMeans(it table.ItemScores, metrics []datasets.Metric) []string {
	var out []string
	for _, m := range metrics {
		for _, u := range it.Values {
			if u.Metric != m.Name || !m.Lead || len(u.Values) == 0 {
				continue
			}
			out = append(out, strings.ToLower(m.Title)+" "+Number(metric.Mean(u.Values), m))
		}
	}
	return out
}

func newAnswer(a store.Answer, t store.TaskVerdicts) answerView {
	out := answerView{
		Title:   a.Title,
		Item:    t.Item,
		Reason:  a.Reason,
		Outcome: a.Outcome,
		Failed:  a.Failed(),
		Notes:   slices.Concat(a.Notes, t.Notes),
	}
	if a.CutScored {
		out.Notes = append([]string{"cut: " + a.Reason + "; scored as it stands"}, out.Notes...)
	}
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
	if !v.Scored() {
		return verdictView{Text: text, Label: "unscored", Class: "bad", Unit: v.Unit, Evidence: v.Reason}
	}

	evidence := strings.Join(v.Evidence, " ")
	if len(v.Flags) > 0 {
		evidence = strings.TrimSpace(evidence + " (" + strings.Join(v.Flags, "; ") + ")")
	}
	return verdictView{Text: text, Label: v.Label, Class: v.Label, Unit: v.Unit, Evidence: evidence}
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
