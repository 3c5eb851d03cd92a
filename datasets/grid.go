package datasets

// Grid is a table to print: a heading, columns and cells. Cells are plain text;
// the renderer escapes them.
type Grid struct {
	Title string
	Note  string
	Head  []string
	Rows  [][]string
	Later bool // for the report alone: too much for what a run prints
}

// System is a scored system as a benchmark's own tables see it.
type System struct {
	Retriever string
	Generator string
	Judge     string
	Value     func(metric string) (float64, bool) // in the metric's unit; false: undefined
	Items     []ItemFigures
}

// ItemFigures are an item's values by metric and unit, with its facets.
type ItemFigures struct {
	Item   string
	Facets map[string]string
	Values map[string]map[string]float64
}

// Tabulator is a benchmark that has tables of its own, such as those of its paper.
type Tabulator interface {
	Tables(systems []System) []Grid
}
