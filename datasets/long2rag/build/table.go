package build

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"lore/datasets"
	"lore/local/files"
)

// Columns that hold questions, as people call them, the likeliest first; and those of what else a question may have.
var (
	questionColumns = []string{
		"question", "questions", "question text", "user question", "query", "queries", "query text", "user query",
		"frage", "fragen", "fragetext", "pregunta", "preguntas", "domanda", "domande", "pergunta", "perguntas",
		"vraag", "vragen", "fråga", "frågor", "spørgsmål", "spørsmål", "pytanie", "вопрос", "问题", "質問", "질문",
	}
	idColumns = []string{"id", "qid", "question id", "query id", "nr", "no"}
)

// vagueColumns hold questions where the file says by its ending that it is a table.
var vagueColumns = []string{"prompt", "request", "text"}

// table is a sheet with a heading, or lines of an id, a tab and a question.
type table struct {
	data  []byte
	comma rune

	heading  []string // as it is written
	question int      // the column of the questions; -1: none is known
	before   int      // lines before the heading
}

// separators part cells; which of them does is told by the heading.
var separators = []rune{'\t', ';', ',', '|'}

// tableOf finds out whether a file is a table: its ending says so, a column of its heading is called as one of questions
// is, or every line has a tab.
func tableOf(ending string, data []byte) (t table, ok bool) {
	named := ending == ".csv" || ending == ".tsv" || ending == ".tab"
	t = table{data: data, comma: ',', question: -1}
	first, rest, _ := bytes.Cut(data, []byte("\n"))
	if line := strings.ToLower(strings.TrimSpace(string(first))); len(line) == 5 && strings.HasPrefix(line, "sep=") {
		t.data, t.before = rest, 1 // as some spreadsheets begin a file
		named = true
	}

	known := questionColumns
	if named {
		known = slices.Concat(questionColumns, vagueColumns)
	}
	for _, comma := range separators {
		heading := headingOf(t.data, comma)
		if len(heading) > len(t.heading) && t.question < 0 {
			t.comma, t.heading = comma, heading
		}
		if at := columnAmong(heading, known); at >= 0 && (t.question < 0 || len(heading) > len(t.heading)) {
			t.comma, t.heading, t.question = comma, heading, at
		}
	}
	return t, named || t.question >= 0 || tabbed(data)
}

// tabbed reports whether all lines have a tab inside.
func tabbed(data []byte) bool {
	for line := range bytes.Lines(data) {
		if line = bytes.TrimSpace(line); len(line) > 0 && !bytes.ContainsRune(line, '\t') {
			return false
		}
	}
	return true
}

// headingOf is the first row; nil where it cannot be parsed.
func headingOf(data []byte, comma rune) []string {
	r := csv.NewReader(bytes.NewReader(data))
	r.Comma, r.FieldsPerRecord = comma, -1
	heading, err := r.Read()
	if err != nil {
		return nil
	}
	return heading
}

// columnAmong is the column whose name comes first in a list of names; -1 for none.
func columnAmong(heading, names []string) int {
	for _, name := range names {
		if at := slices.IndexFunc(heading, func(h string) bool { return plainName(h) == name }); at >= 0 {
			return at
		}
	}
	return -1
}

// plainName is a column's name without case, what explains it in brackets, and how its words are joined.
func plainName(heading string) string {
	name, _, _ := strings.Cut(heading, "(")
	return strings.Join(strings.Fields(strings.ToLower(strings.NewReplacer("_", " ", "-", " ").Replace(name))), " ")
}

// row is a row of a table with its line.
type row struct {
	place string
	cells []string
}

// rows reads all rows, the heading among them.
func (t table) rows(name string) ([]row, error) {
	r := csv.NewReader(bytes.NewReader(t.data))
	r.Comma, r.FieldsPerRecord = t.comma, -1
	var out []row
	for {
		cells, err := r.Read()
		var broken *csv.ParseError
		switch {
		case errors.Is(err, io.EOF):
			return out, nil
		case errors.As(err, &broken) && (t.comma == '\t' || len(t.heading) == 1):
			return t.lines(), nil // quotation marks are letters there
		case errors.As(err, &broken):
			return nil, &datasets.InputError{
				File:   name,
				Place:  fmt.Sprintf("line %d", broken.Line+t.before),
				Msg:    "is not CSV: " + broken.Err.Error(),
				Remedy: "save it from a spreadsheet as CSV in UTF-8, or give a question per line in a .txt file",
				Err:    err,
			}
		case err != nil:
			return nil, files.Wrap(name, err)
		}

		line, _ := r.FieldPos(0)
		out = append(out, row{fmt.Sprintf("line %d", line+t.before), cells})
	}
}

// lines reads rows without the rules of quotation marks.
func (t table) lines() []row {
	var out []row
	n := t.before
	for line := range bytes.Lines(t.data) {
		n++
		text := strings.TrimRight(string(line), "\r\n")
		if strings.TrimSpace(text) == "" {
			continue
		}
		cells := []string{text}
		if t.comma == '\t' && len(t.heading) > 1 {
			cells = strings.Split(text, "\t")
		}
		out = append(out, row{fmt.Sprintf("line %d", n), cells})
	}
	return out
}

// questions reads the questions of a table.
func (t table) questions(name string) ([]given, []string, error) {
	rows, err := t.rows(name)
	if err != nil || len(rows) == 0 {
		return nil, nil, err
	}

	// In a table of one column commas are letters.
	wide := func(r row) bool { return len(r.cells) > len(t.heading) }
	if len(t.heading) == 1 && slices.ContainsFunc(rows, wide) {
		rows = t.lines()
	}
	switch {
	case t.question >= 0:
		return t.named(name, rows)
	case len(t.heading) == 1:
		return oneColumn(name, rows)
	case t.comma == '\t' && !slices.ContainsFunc(rows, func(r row) bool { return len(r.cells) != 2 || files.CheckID(r.cells[0]) != nil }):
		return idAndQuestion(name, rows)
	}
	return nil, nil, &datasets.InputError{
		File:   name,
		Place:  rows[0].place,
		Msg:    "has no column of questions; its columns are " + quotedList(t.heading),
		Remedy: `call the column "question" in the first line`,
	}
}

func quotedList(list []string) string {
	var out []string
	for _, s := range list {
		out = append(out, fmt.Sprintf("%q", s))
	}
	return strings.Join(out, ", ")
}

// oneColumn reads rows of a question alone.
func oneColumn(name string, rows []row) ([]given, []string, error) {
	var out []given
	for _, r := range rows {
		out = append(out, given{r.place, Seed{Text: r.cells[0]}})
	}
	return out, []string{fmt.Sprintf("%s: %d questions in its only column, which has no heading", name, len(out))}, nil
}

// idAndQuestion reads rows as files of queries have them.
func idAndQuestion(name string, rows []row) ([]given, []string, error) {
	var out []given
	for _, r := range rows {
		out = append(out, given{r.place, Seed{ID: r.cells[0], Text: r.cells[1]}})
	}
	return out, []string{fmt.Sprintf("%s: %d questions, on lines of an id, a tab and the question", name, len(out))}, nil
}

// named reads the column of the questions, and those of ids, categories and domains beside it. Other people's
// ids and categories are no mistake where they do not fit: they are about something else, and are not read.
func (t table) named(name string, rows []row) ([]given, []string, error) {
	rows = rows[1:]
	domain := columnAmong(t.heading, []string{"domain"})
	id := fitting(rows, columnAmong(t.heading, idColumns), freshIDs())
	category := fitting(rows, columnAmong(t.heading, []string{"category"}), func(c string) bool {
		return c == "" || categoryOf(c) != nil
	})

	var out []given
	blank := 0
	for _, r := range rows {
		if len(r.cells) > len(t.heading) && strings.TrimSpace(strings.Join(r.cells[len(t.heading):], "")) != "" {
			return nil, nil, &datasets.InputError{
				File:   name,
				Place:  r.place,
				Msg:    fmt.Sprintf("has %d cells, and the heading %d", len(r.cells), len(t.heading)),
				Remedy: "put cells that hold a separator between quotation marks, as spreadsheets do",
			}
		}
		if r.at(t.question) == "" {
			blank++
			continue
		}
		out = append(out, given{r.place, Seed{
			ID: r.at(id), Text: r.at(t.question), Category: r.at(category), Domain: r.at(domain),
		}})
	}

	note := fmt.Sprintf("%s: %d questions in the column %q", name, len(out), strings.TrimSpace(t.heading[t.question]))
	if blank > 0 {
		note += fmt.Sprintf("; rows without one, left out: %d", blank)
	}
	if others := t.others(t.question, id, category, domain); len(others) > 0 {
		note += "; not read: " + quotedList(others)
	}
	return out, []string{note}, nil
}

// fitting is a column of which all cells fit; -1 where some do not, or there is none.
func fitting(rows []row, column int, fits func(cell string) bool) int {
	if column >= 0 && slices.ContainsFunc(rows, func(r row) bool { return !fits(r.at(column)) }) {
		return -1
	}
	return column
}

// freshIDs is the rule for a column of ids: each is one, and another's is none.
func freshIDs() func(string) bool {
	seen := map[string]bool{}
	return func(id string) bool {
		fresh := files.CheckID(id) == nil && !seen[id]
		seen[id] = true
		return fresh
	}
}

// others are the columns besides those that are read.
func (t table) others(read ...int) []string {
	var out []string
	for i, h := range t.heading {
		if h = strings.TrimSpace(h); h != "" && !slices.Contains(read, i) {
			out = append(out, h)
		}
	}
	return out
}

// at is a cell, empty where there is none.
func (r row) at(column int) string {
	if column < 0 || column >= len(r.cells) {
		return ""
	}
	return strings.TrimSpace(r.cells[column])
}
