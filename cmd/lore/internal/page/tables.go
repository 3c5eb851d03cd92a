package page

import (
	"fmt"
	"html/template"
	"io"
	"strconv"

	"lore/cmd/lore/internal/report"
	"lore/datasets"
)

// Tables is the page of tables that no run stands behind.
type Tables struct {
	Title, About string
	Grids        []datasets.Grid // those without rows are left out
}

// tableView is a table as the page shows it.
type tableView struct {
	ID, Title, Note string
	Head            []cellView
	Rows            [][]cellView
}

type cellView struct {
	Text          string
	First, Number bool // the first of its row, or of a column of numbers
}

func viewOf(g datasets.Grid, id string) tableView {
	v := tableView{ID: id, Title: plain(g.Title), Note: plain(g.Note)}
	if v.Title == "" {
		v.Title = "Figures"
	}
	number := make([]bool, len(g.Head))
	for i, h := range g.Head {
		number[i] = i > 0 && report.Numeric(g, i)
		v.Head = append(v.Head, cellView{Text: plain(h), Number: number[i]})
	}
	for _, row := range g.Rows {
		cells := make([]cellView, len(row))
		for i, c := range row {
			cells[i] = cellView{Text: plain(c), First: i == 0, Number: number[i]}
		}
		v.Rows = append(v.Rows, cells)
	}
	return v
}

var tablesPage = template.Must(template.New("tables").Parse(read("src/tables.html")))

// Write writes the page, which runs no script and asks nobody. Equal tables give equal bytes.
func (t Tables) Write(w io.Writer) error {
	var views []tableView
	for _, g := range datasets.Filled(t.Grids...) {
		views = append(views, viewOf(g, "table-"+strconv.Itoa(len(views)+1)))
	}
	styles := style() + read("src/study.css") + read("src/tables.css")
	err := tablesPage.Execute(w, map[string]any{
		"Policy":   "default-src 'none'; style-src " + hashOf(styles) + "; base-uri 'none'; form-action 'none'",
		"Style":    template.CSS(styles),
		"Title":    plain(t.Title),
		"About":    plain(t.About),
		"Contents": len(views) > 1,
		"Tables":   views,
	})
	if err != nil {
		return fmt.Errorf("write the page of tables: %w", err)
	}
	return nil
}
