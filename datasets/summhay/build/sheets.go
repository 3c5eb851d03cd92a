package build

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"lore/datasets"
	"lore/datasets/summhay"
	"lore/judge/metric"
	"lore/local/files"
)

// statementsPerDocument are shown for a document on a sheet: those that it holds, and
// others up to this number (the paper's Table 5 has 155 for ten documents).
const statementsPerDocument = 15

// Columns of the sheets; the last of each is for people to fill in. Rows are named so that
// nobody can tell from the name what the data says.
var (
	insightHead = []files.Column{
		{Name: rowColumn, Help: "leave as it is"},
		{Name: "insight"},
		{Name: "subtopics"},
		{Name: "subtopic",
			Help: "number of the subtopic that the insight belongs to; several, with commas, only if it belongs to each as much"},
	}
	documentHead = []files.Column{
		{Name: rowColumn, Help: "leave as it is"},
		{Name: "document"},
		{Name: "insight"},
		{Name: "present", Help: "does the document say all of this, in whatever words? yes or no"},
	}
)

// rowColumn names rows.
const rowColumn = "row"

func insightRow(insight string) string { return files.RowID("insight", insight) }

func documentRow(document, insight string) string { return files.RowID("document", document, insight) }

// InsightSheet asks of every insight to which subtopic, or subtopics, it belongs
// (appendix A.1.2). The order is drawn.
func InsightSheet(f *summhay.File, seed uint64, semicolons bool) ([]byte, error) {
	var list []string
	for i, s := range f.Subtopics {
		list = append(list, fmt.Sprintf("%d. %s: %s", i+1, s.Name, s.Subtopic))
	}

	var rows [][]string
	for _, s := range f.Subtopics {
		for _, in := range s.Insights {
			rows = append(rows, []string{insightRow(in.InsightID), in.Insight, strings.Join(list, "\n"), ""})
		}
	}

	rng := rand.New(rand.NewPCG(seed, 6))
	rng.Shuffle(len(rows), func(i, j int) { rows[i], rows[j] = rows[j], rows[i] })
	return files.Form(insightHead, rows, semicolons)
}

// DocumentSheet draws n documents and asks of statements whether each says them
// (appendix A.1.3). The text stands in full beside each statement, so that rows may be sorted.
func DocumentSheet(f *summhay.File, n int, seed uint64, semicolons bool) ([]byte, error) {
	rng := rand.New(rand.NewPCG(seed, 7))
	text := map[string]string{}
	var all []string
	for _, s := range f.Subtopics {
		for _, in := range s.Insights {
			text[in.InsightID] = in.Insight
			all = append(all, in.InsightID)
		}
	}

	var rows [][]string
	for _, d := range rng.Perm(len(f.Documents))[:min(n, len(f.Documents))] {
		doc := f.Documents[d]
		for _, id := range shownStatements(doc, all, rng) {
			rows = append(rows, []string{documentRow(doc.DocumentID, id), doc.DocumentText, text[id], ""})
		}
	}
	return files.Form(documentHead, rows, semicolons)
}

// shownStatements are all that a document is said to hold, with others drawn beside
// them, in an order that does not tell which is which.
func shownStatements(doc summhay.Document, all []string, rng *rand.Rand) []string {
	shown := slices.Clone(doc.InsightsIncluded)
	for _, i := range rng.Perm(len(all)) {
		if len(shown) < statementsPerDocument && !slices.Contains(shown, all[i]) {
			shown = append(shown, all[i])
		}
	}
	rng.Shuffle(len(shown), func(i, j int) { shown[i], shown[j] = shown[j], shown[i] })
	return shown
}

// Validation is how far people agree with a haystack. Rows left open are counted.
type Validation struct {
	Insights   int // annotated
	Several    int // of these put into two or more subtopics
	Right      int // of these put into the expected one, perhaps among others
	Statements int

	// Of statements: said by the data and by people, by people alone, by the data alone,
	// by neither.
	TP, FP, FN, TN int

	Open int // rows without an answer
	Gone int // rows that the sheets had when they were made, and have no more

	labels map[string]*reading // by row of a document: what all people said of it
}

// reading is what people said of one label.
type reading struct {
	said    bool // by the data
	yes, no int  // people
}

// add counts an answer.
func (v *Validation) add(row string, said, yes bool) {
	switch {
	case yes && said:
		v.TP++
	case yes:
		v.FP++
	case said:
		v.FN++
	default:
		v.TN++
	}
	v.Statements++

	if v.labels == nil {
		v.labels = map[string]*reading{}
	}
	if v.labels[row] == nil {
		v.labels[row] = &reading{said: said}
	}
	if yes {
		v.labels[row].yes++
	} else {
		v.labels[row].no++
	}
}

// wrong counts the labels of a kind that people have read, and those that more of them call wrong than right. What
// several people read is one label; of those on which they are divided nobody knows.
func (v *Validation) wrong(said bool) (read, wrong, divided int) {
	for _, l := range v.labels {
		switch {
		case l.said != said:
		case l.yes == l.no:
			divided++
		default:
			read++
			if (l.yes > l.no) != said {
				wrong++
			}
		}
	}
	return read, wrong, divided
}

// Read adds a sheet of either kind.
func (v *Validation) Read(f *summhay.File, name string, data []byte) error {
	switch {
	case files.HasColumn(data, "present"), files.HasColumn(data, "document_id"):
		return v.ReadDocuments(f, name, data)
	case files.HasColumn(data, "subtopic"), files.HasColumn(data, "insight_id"):
		return v.ReadInsights(f, name, data)
	}
	return &datasets.InputError{
		File:   name,
		Place:  "line 1",
		Msg:    "is not a sheet written by lore build summhay",
		Remedy: "make sheets with lore build summhay --export-validation N",
		Err:    errors.New("no heading"),
	}
}

// ReadInsights adds a filled-in sheet of insights.
func (v *Validation) ReadInsights(f *summhay.File, name string, data []byte) error {
	idColumn, home := rowColumn, map[string]int{}
	if files.HasColumn(data, "insight_id") { // a sheet of an earlier lore
		idColumn = "insight_id"
	}
	for i, s := range f.Subtopics {
		for _, in := range s.Insights {
			home[in.InsightID], home[insightRow(in.InsightID)] = i+1, i+1
		}
	}

	columns := []string{idColumn, "subtopic"}
	remedy := "subtopic is a number of the list, or several with commas"
	v.Gone += len(home) / 2 // each insight stands there by its id and by its row
	return files.EachRow(name, data, columns, remedy, func(get func(string) string) error {
		id := get(idColumn)
		if idColumn == rowColumn {
			id = files.RowName(id)
		}
		want, known := home[id]
		if !known {
			return fmt.Errorf("names the insight %q, which the haystack does not have", get(idColumn))
		}
		v.Gone--

		cell := get("subtopic")
		if cell == "" {
			v.Open++
			return nil
		}
		chosen, err := subtopicNumbers(cell, len(f.Subtopics))
		if err != nil {
			return err
		}

		v.Insights++
		if len(chosen) > 1 {
			v.Several++
		}
		if slices.Contains(chosen, want) {
			v.Right++
		}
		return nil
	})
}

// subtopicNumbers reads different numbers from 1 to most.
func subtopicNumbers(cell string, most int) ([]int, error) {
	var chosen []int
	for part := range strings.FieldsFuncSeq(cell, func(r rune) bool { return strings.ContainsRune(",; ", r) }) {
		n, err := strconv.Atoi(part)
		if err != nil || n < 1 || n > most {
			return nil, fmt.Errorf("has %q under subtopic; there are 1 to %d", cell, most)
		}
		if !slices.Contains(chosen, n) {
			chosen = append(chosen, n)
		}
	}
	return chosen, nil
}

// checked is a statement that a sheet may ask of a document.
type checked struct {
	document string
	said     bool // by the data
}

// statements are all that a sheet of documents may ask, by the names of rows, and by document and
// insight as sheets of an earlier lore have them; and how many a sheet asks of each document.
func statements(f *summhay.File) (known map[string]checked, rows map[string]int) {
	known, rows = map[string]checked{}, map[string]int{}
	all := 0
	for _, s := range f.Subtopics {
		all += len(s.Insights)
	}
	for _, d := range f.Documents {
		rows[d.DocumentID] = max(len(d.InsightsIncluded), min(statementsPerDocument, all))
		for _, s := range f.Subtopics {
			for _, in := range s.Insights {
				one := checked{d.DocumentID, slices.Contains(d.InsightsIncluded, in.InsightID)}
				known[documentRow(d.DocumentID, in.InsightID)] = one
				known[d.DocumentID+"\x00"+in.InsightID] = one
			}
		}
	}
	return known, rows
}

// ReadDocuments adds a filled-in sheet of documents.
func (v *Validation) ReadDocuments(f *summhay.File, name string, data []byte) error {
	known, rows := statements(f)
	columns := []string{rowColumn, "present"}
	old := files.HasColumn(data, "document_id")
	if old {
		columns = []string{"document_id", "insight_id", "present"}
	}

	there := map[string]int{} // rows of each document
	err := files.EachRow(name, data, columns, "present is "+files.YesNoForm, func(get func(string) string) error {
		id := files.RowName(get(rowColumn))
		if old {
			id = get("document_id") + "\x00" + get("insight_id")
		}
		row, ok := known[id]
		switch {
		case !ok && old:
			return fmt.Errorf("names the document %q with the insight %q, which the haystack does not have",
				get("document_id"), get("insight_id"))
		case !ok:
			return fmt.Errorf("has the row %q, which is none of this haystack", get(rowColumn))
		}

		there[row.document]++
		cell := get("present")
		if cell == "" {
			v.Open++
			return nil
		}
		yes, ok := files.YesNo(cell)
		if !ok {
			return fmt.Errorf("has %q under present", cell)
		}
		v.add(id, row.said, yes)
		return nil
	})
	for document, n := range there {
		v.Gone += max(0, rows[document]-n)
	}
	return err
}

// Grids are the paper's Tables 4 and 5. Precision and recall take the data for the truth
// and people for the system, as there.
func (v Validation) Grids() []datasets.Grid {
	share := func(n, of int) string {
		if of == 0 {
			return datasets.NoValue
		}
		return fmt.Sprintf("%.2f", 100*float64(n)/float64(of))
	}

	p, r := float64(v.TP)/float64(v.TP+v.FP), float64(v.TP)/float64(v.TP+v.FN)
	f1 := datasets.NoValue
	if x := 2 * p * r / (p + r); !math.IsNaN(x) {
		f1 = fmt.Sprintf("%.2f", 100*x)
	}

	return []datasets.Grid{
		{
			Title: "Subtopic of each insight (as Table 4 of the paper)",
			Head:  []string{"insights annotated", "% put into 2 or more", "% accuracy"},
			Rows:  [][]string{{fmt.Sprint(v.Insights), share(v.Several, v.Insights), share(v.Right, v.Insights)}},
		},
		{
			Title: "Insights of each document (as Table 5 of the paper)",
			Head:  []string{"samples", "accuracy", "precision", "recall", "F1"},
			Rows: [][]string{{
				fmt.Sprint(v.Statements), share(v.TP+v.TN, v.Statements),
				share(v.TP, v.TP+v.FP), share(v.TP, v.TP+v.FN), f1,
			}},
			Note: fmt.Sprintf("in percent; precision: of what people find in a document, what the data says is there; "+
				"rows left open: %d; rows that were taken out of the sheets: %d", v.Open, v.Gone),
		},
		{
			Title: "Labels that people call wrong",
			Head:  []string{"labels", "read", "wrong", "%", "95 % interval", "divided"},
			Rows: [][]string{
				v.wrongLabels("the document says it", true),
				v.wrongLabels("the document does not say it", false),
			},
			Note: "what several people read is one label; divided: as many call it wrong as right. " +
				"The build's own estimate, which nobody has read, stands in its quality table",
		},
	}
}

// wrongLabels is the row of the labels of a kind that people read.
func (v *Validation) wrongLabels(what string, said bool) []string {
	read, wrong, divided := v.wrong(said)
	if read == 0 {
		return []string{what, "0", "0", datasets.NoValue, datasets.NoValue, fmt.Sprint(divided)}
	}
	in := metric.Wilson(wrong, read, 0.95)
	return []string{
		what, fmt.Sprint(read), fmt.Sprint(wrong), fmt.Sprintf("%.1f", 100*float64(wrong)/float64(read)),
		fmt.Sprintf("%.1f to %.1f", 100*in.Low, 100*in.High), fmt.Sprint(divided),
	}
}
