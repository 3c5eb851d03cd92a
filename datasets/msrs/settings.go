package msrs

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"lore/datasets"
	"lore/judge/metric"
)

// settingGrids are recorded models against settings, as the paper's Tables 6 to 9, 13 and 14 have them. Settings
// that the same models were run with share a table, with the settings of reference that all of these have. There
// are none where answers do not lie in folders of settings, or two systems have the same name.
func settingGrids(domain string, scores []SystemScores, bound string) []datasets.Grid {
	by := map[string]map[string]SystemScores{} // by setting and model
	var names, models []string
	for _, s := range scores {
		if _, twice := by[s.Setting][s.Model]; s.Setting == "" || twice {
			return nil
		}
		if by[s.Setting] == nil {
			by[s.Setting] = map[string]SystemScores{}
			names = append(names, s.Setting)
		}
		by[s.Setting][s.Model] = s
		if !slices.Contains(models, s.Model) {
			models = append(models, s.Model)
		}
	}
	slices.SortStableFunc(names, func(a, b string) int { return order(a) - order(b) })

	var out []datasets.Grid
	for len(names) > 0 {
		t := settingTable{domain: domain, bound: bound, by: by}
		t.models = slices.DeleteFunc(slices.Clone(models), func(m string) bool { _, ok := by[names[0]][m]; return !ok })
		whole := func(s string) bool { return t.has(s) }
		var rest []string
		for _, s := range names {
			same := whole(s) && len(by[s]) == len(t.models)
			if same || whole(s) && isReference(s) && !isReference(names[0]) {
				t.settings = append(t.settings, s)
			}
			if !same {
				rest = append(rest, s)
			}
		}
		names = rest
		out = append(out, t.grid(measuresOf(scores)))
	}
	return out
}

// order puts settings that retrieve before those of reference.
func order(setting string) int {
	if isReference(setting) {
		return 1
	}
	return 0
}

// isReference reports whether a setting retrieves nothing: the oracle's, no documents, the whole corpus. Averages
// over settings leave it out, as the paper's do.
func isReference(setting string) bool {
	name := strings.ToLower(setting)
	return slices.ContainsFunc([]string{"oracle", "no-", "no_", "none", "contamination", "long", "full", "random"},
		func(prefix string) bool { return strings.HasPrefix(name, prefix) })
}

// settingTable is models against settings.
type settingTable struct {
	domain, bound    string
	settings, models []string
	by               map[string]map[string]SystemScores
}

// has reports whether every model has the setting.
func (t settingTable) has(setting string) bool {
	return !slices.ContainsFunc(t.models, func(m string) bool { _, ok := t.by[setting][m]; return !ok })
}

// measure is a figure of a system.
type measure struct {
	title string
	own   bool // lore's ROUGE, of which a bound may be shown
	of    func(s SystemScores) *Figure
}

// measuresOf are those of the paper's tables, and the grades of judges.
func measuresOf(scores []SystemScores) []measure {
	rouge := func(title, name string) measure {
		return measure{title, true, func(s SystemScores) *Figure {
			if f, ok := s.Figures[name]; ok {
				return &f
			}
			return nil
		}}
	}
	recorded := func(title string, of func(a Authors) *Figure) measure {
		return measure{title, false, func(s SystemScores) *Figure {
			if s.Authors == nil {
				return nil
			}
			return of(*s.Authors)
		}}
	}

	out := []measure{
		rouge("R-1", Rouge1),
		rouge("R-2", Rouge2),
		recorded("BScr", func(a Authors) *Figure { return a.BERTScore }),
		recorded("G-Eval", func(a Authors) *Figure { return a.GEval }),
	}
	for i, g := range scores[0].Grades {
		out = append(out, measure{"Rel. by " + g.Judge, false, func(s SystemScores) *Figure { return s.Grades[i].Figure }})
	}
	return out
}

// grid is the table: a row per model, and their average.
func (t settingTable) grid(measures []measure) datasets.Grid {
	g := datasets.Grid{Title: t.title(), Head: []string{"model"}, Note: t.note()}
	average := 0 // settings that an average is over
	for _, s := range t.settings {
		if !isReference(s) {
			average++
		}
	}
	columns := slices.Clone(t.settings)
	if average > 1 {
		columns = slices.Insert(columns, average, "")
	}
	for _, s := range columns {
		for _, m := range measures {
			g.Head = append(g.Head, strings.TrimSpace(headOf(s)+" "+m.title))
		}
	}

	below := make([][]float64, len(g.Head)-1) // values of each column
	for _, model := range t.models {
		row := []string{model}
		for _, s := range columns {
			for _, m := range measures {
				text, value := t.cell(s, model, m, t.settings[:average])
				if i := len(row) - 1; !math.IsNaN(value) {
					below[i] = append(below[i], value)
				}
				row = append(row, text)
			}
		}
		g.Rows = append(g.Rows, row)
	}

	if len(t.models) > 1 {
		row := []string{averageName}
		for _, values := range below {
			row = append(row, averageCell(values, len(t.models)))
		}
		g.Rows = append(g.Rows, row)
	}
	return g
}

// averageName heads averages over settings and over models.
const averageName = "Average"

func headOf(setting string) string {
	if setting == "" {
		return averageName
	}
	return setting
}

// cell is a model's figure in a setting, or, with no setting, its average over those that retrieve; NaN is none.
func (t settingTable) cell(setting, model string, m measure, retrieved []string) (text string, value float64) {
	if setting == "" {
		var values []float64
		for _, s := range retrieved {
			if f := m.of(t.by[s][model]); f != nil {
				values = append(values, t.value(*f, m))
			}
		}
		return averageCell(values, len(retrieved)), metric.Mean(values)
	}

	s := t.by[setting][model]
	f := m.of(s)
	if f == nil {
		return datasets.NoValue, math.NaN()
	}
	value = t.value(*f, m)
	text = fmt.Sprintf("%.2f", value)
	if t.bound == boundMean {
		text += fmt.Sprintf(" [%.1f, %.1f]", f.Low, f.High)
	}
	if m.own && s.NUnscored > 0 {
		text += fmt.Sprintf(" (%d unscored)", s.NUnscored)
	}
	return text, value
}

// value is what the table prints of a figure: of the authors' BERTScore and G-Eval the paper prints the mean.
func (t settingTable) value(f Figure, m measure) float64 {
	if m.own {
		return boundOf(f, t.bound)
	}
	return f.Mean
}

// boundOf is the mean or the upper end of its interval.
func boundOf(f Figure, bound string) float64 {
	if bound == boundHigh {
		return f.High
	}
	return f.Mean
}

// averageCell is a mean, and over how many of n values it is where some are missing.
func averageCell(values []float64, n int) string {
	switch len(values) {
	case 0:
		return datasets.NoValue
	case n:
		return fmt.Sprintf("%.2f", metric.Mean(values))
	default:
		return fmt.Sprintf("%.2f (n %d)", metric.Mean(values), len(values))
	}
}

// paperTables are the paper's tables of a domain: of models against retrievers, and in the oracle setting.
var paperTables = map[string][2]string{
	"story":   {"the paper's Tables 6 and 13", "the paper's Tables 8 and 9"},
	"meeting": {"the paper's Tables 7 and 14", "the paper's Tables 8 and 9"},
}

func domainTitle(domain string) string {
	if title, ok := map[string]string{"story": "MSRS-Story", "meeting": "MSRS-Meet"}[domain]; ok {
		return title
	}
	return "recorded answers"
}

// title says which tables of the paper it is like.
func (t settingTable) title() string {
	like, ok := paperTables[t.domain]
	if !ok {
		return "Models and settings"
	}
	which := like[0]
	if isReference(t.settings[0]) {
		which = like[1]
	}
	return domainTitle(t.domain) + ", as " + which
}

func (t settingTable) note() string {
	shown := "mean [95 % bootstrap percentiles]; the paper prints the upper end, which --bound high shows"
	if t.bound == boundHigh {
		shown = "R-1 and R-2 are the upper end of the bootstrap interval, as the paper prints them, not means"
	}
	return "In percent; " + shown + ". R-1, R-2: ROUGE F1 by lore. BScr (BERTScore F1) and G-Eval: the authors', from the files " +
		"beside the answers; – where there is none. The average of a row is over its settings that retrieve; the last row is " +
		"the average over models; n says over how many where some have no figure. Missing and empty answers are unscored, and " +
		"counted beside the figure."
}

// besideAuthors sets lore's ROUGE beside the authors' where they recorded theirs.
func besideAuthors(scores []SystemScores, bound string) datasets.Grid {
	shown := map[string]string{boundMean: "mean, and the authors' mid", boundHigh: "upper ends"}[bound]
	g := datasets.Grid{
		Title: "lore's ROUGE beside the authors'",
		Head:  []string{"system"},
	}
	names := []string{Rouge1, Rouge2, RougeL}
	for _, title := range []string{"R-1", "R-2", "R-L"} {
		g.Head = append(g.Head, title, "authors'", "apart")
	}

	most := 0.0
	for _, s := range scores {
		if s.Authors == nil || s.Authors.Rouge == nil || len(s.Figures) == 0 {
			continue
		}
		row := []string{strings.TrimPrefix(s.Domain+"/"+s.Name, "/")}
		for _, name := range names {
			own, theirs := boundOf(s.Figures[name], bound), boundOf(s.Authors.Rouge[name], bound)
			most = max(most, math.Abs(own-theirs))
			row = append(row, fmt.Sprintf("%.2f", own), fmt.Sprintf("%.2f", theirs), fmt.Sprintf("%+.2f", own-theirs))
		}
		g.Rows = append(g.Rows, row)
	}
	g.Note = fmt.Sprintf("F1 in percent: %s; at most %.2f apart. Their bootstrap has no seed, so its ends differ a little from any other.",
		shown, most)
	return g
}
