package report

import (
	"strings"
	"testing"

	"lore/cmd/lore/internal/table"
	"lore/datasets"
)

// Where verdicts are missing, the table of systems counts them and shows what the value could be.
func TestLettersCountWhatIsMissing(t *testing.T) {
	at := func(v float64) *float64 { return &v }
	m := datasets.Metric{Name: "coverage", Title: "Coverage", Percent: true, Judged: true, Lead: true, High: 1, Bounded: true}
	system := func(name string, f table.Figure) table.Contestant {
		f.Metric = m.Name
		return table.Contestant{Name: name, Row: table.Row{Items: 4, Figures: []table.Figure{f}}}
	}
	// Of 4 values one is missing: (0.5 + 1 + 0.75 + 0) / 4 = 56.25 %, and with 1 in its place 81.25 %.
	lacking := system("lacking", table.Figure{Value: at(0.75), Low: at(0.5), High: at(1), N: 3, NUnscored: 1, Worst: at(0.5625), Best: at(0.8125)})
	lacking.Row.ItemsFailed = 1
	whole := system("whole", table.Figure{Value: at(0.5), N: 4})

	g := Letters(table.Block{Systems: []table.Contestant{lacking, whole}, Metrics: []datasets.Metric{m}, Note: "Not tested."}, table.Design{Level: 0.05})
	for i, want := range []string{"a|lacking|75.0 {56.2..81.2}|3|1 (1 of 4 answers failed)", "b|whole|50.0|4|0"} {
		if got := strings.Join(g.Rows[i], "|"); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
	if !strings.Contains(g.Note, "Not tested. n: values scored") || !strings.Contains(g.Note, boundsNote) {
		t.Errorf("%s", g.Note)
	}
}
