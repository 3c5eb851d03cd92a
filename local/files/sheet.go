package files

import (
	"bytes"
	"crypto/sha256"
	"encoding/csv"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"iter"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"lore/local/text"
)

// EachRow reads a sheet that people filled in: CSV with a heading that has at least the
// given columns, its cells parted by commas, semicolons or tabs, as spreadsheets write it. What a
// heading explains behind a column's name, in brackets, is no part of the name, and neither is
// its case. get returns a cell, trimmed; cells that a row lacks are empty. An error of do is put
// into an Error with the line.
func EachRow(file string, data []byte, columns []string, remedy string,
	do func(get func(column string) string) error) error {
	text, comma, before := cells(data, columns)
	r := csv.NewReader(bytes.NewReader(text))
	r.Comma = comma
	r.FieldsPerRecord = -1
	bad := func(line int, err error) error {
		return &Error{File: file, Place: "line " + strconv.Itoa(line+before), Msg: err.Error(), Remedy: remedy, Err: err}
	}

	heading, err := r.Read()
	if err != nil {
		return bad(1, fmt.Errorf("is not CSV with a heading: %w", err))
	}
	at := map[string]int{}
	for i, h := range heading {
		at[columnOf(h)] = i
	}
	for _, c := range columns {
		if _, ok := at[columnOf(c)]; !ok {
			return bad(1, fmt.Errorf("has no column %s", c))
		}
	}

	for {
		row, err := r.Read()
		if errors.Is(err, io.EOF) {
			return nil
		}
		var broken *csv.ParseError
		if errors.As(err, &broken) {
			return bad(broken.Line, fmt.Errorf("is not CSV: %w", broken.Err))
		}
		if err != nil {
			return bad(0, err)
		}

		line, _ := r.FieldPos(0)
		get := func(column string) string {
			if i, ok := at[columnOf(column)]; ok && i < len(row) {
				return strings.TrimSpace(bare(row[i]))
			}
			return ""
		}
		if err := do(get); err != nil {
			return bad(line, err)
		}
	}
}

// HasColumn reports whether a sheet's heading has a column.
func HasColumn(data []byte, column string) bool {
	text, comma, _ := cells(data, []string{column})
	r := csv.NewReader(bytes.NewReader(text))
	r.Comma = comma
	heading, err := r.Read()
	return err == nil && slices.ContainsFunc(heading, func(h string) bool { return columnOf(h) == columnOf(column) })
}

// columnOf is a column's name without what explains it.
func columnOf(heading string) string {
	name, _, _ := strings.Cut(heading, "(")
	return strings.ToLower(strings.TrimSpace(name))
}

// cells finds out how a sheet is written: how its cells are parted, which is how its heading has
// most of the columns, and how many lines stand before that. Some programs name the separator
// there, or end lines as old Macs did.
func cells(data []byte, columns []string) (text []byte, comma rune, before int) {
	text = bytes.TrimPrefix(data, []byte(mark))
	if !bytes.Contains(text, []byte("\n")) {
		text = bytes.ReplaceAll(text, []byte("\r"), []byte("\n"))
	}
	line, rest, _ := bytes.Cut(text, []byte("\n"))
	if named := strings.ToLower(strings.TrimSpace(string(line))); len(named) == 5 && strings.HasPrefix(named, "sep=") {
		switch c := rune(named[4]); c {
		case ',', ';', '\t', '|':
			return rest, c, 1
		}
	}

	comma, most := ',', 0
	for _, c := range []rune{',', ';', '\t'} {
		r := csv.NewReader(bytes.NewReader(text))
		r.Comma = c
		heading, _ := r.Read() // what is wrong is told where the sheet is read
		known := 0
		for _, h := range heading {
			if slices.ContainsFunc(columns, func(c string) bool { return columnOf(c) == columnOf(h) }) {
				known++
			}
		}
		if known > most {
			comma, most = c, known
		}
	}
	return text, comma, 0
}

// YesNo reads a mark for yes or no as people and spreadsheets write it, in any case. ok is false for
// anything else, also for nothing.
func YesNo(cell string) (yes, ok bool) {
	switch strings.ToLower(strings.TrimSpace(cell)) {
	case "yes", "y", "x", "1", "1.0", "true", "✓", "✔":
		return true, true
	case "no", "n", "0", "0.0", "false":
		return false, true
	}
	return false, false
}

// YesNoForm says what YesNo reads, for errors.
const YesNoForm = "yes or no (also x, 1, 0, true and false, in any case)"

// Column is a column of a Form. Help stands in brackets behind the name.
type Column struct{ Name, Help string }

// longestCell is how many characters a cell of a Form holds. Spreadsheets cut off what is
// longer than 32,767, without a word.
const longestCell = 32_000

// Form writes a sheet for people to fill in: with a byte order mark, so that spreadsheets read it
// as UTF-8. Texts that are too long for a cell go on in further columns behind their own. Cells
// are parted by commas, or by semicolons, as spreadsheets of many countries have it.
func Form(columns []Column, rows [][]string, semicolons bool) ([]byte, error) {
	width := make([]int, len(columns))
	parts := make([][][]string, len(rows))
	for i, row := range rows {
		for k, cell := range row {
			p := cutCell(text.Plain(cell))
			parts[i] = append(parts[i], p)
			width[k] = max(width[k], len(p))
		}
	}

	var heading []string
	for k, c := range columns {
		name := c.Name
		if c.Help != "" {
			name = fmt.Sprintf("%s (%s)", c.Name, c.Help)
		}
		heading = append(heading, name)
		for n := 2; n <= width[k]; n++ {
			heading = append(heading, fmt.Sprintf("%s, part %d", c.Name, n))
		}
	}
	out := [][]string{heading}
	for _, row := range parts {
		var line []string
		for k, p := range row {
			for n := range max(1, width[k]) {
				cell := ""
				if n < len(p) {
					cell = p[n]
				}
				line = append(line, guarded(cell))
			}
		}
		out = append(out, line)
	}

	var buf bytes.Buffer
	buf.WriteString(mark)
	w := csv.NewWriter(&buf)
	if semicolons {
		w.Comma = ';'
	}
	if err := w.WriteAll(out); err != nil {
		return nil, fmt.Errorf("write a sheet: %w", err)
	}
	return buf.Bytes(), nil
}

// cutCell parts a text that is longer than a cell, at a space where there is one.
func cutCell(cell string) []string {
	var out []string
	rest := []rune(cell)
	for len(rest) > longestCell {
		at := longestCell
		for at > longestCell/2 && rest[at-1] != ' ' && rest[at-1] != '\n' {
			at--
		}
		if at == longestCell/2 {
			at = longestCell
		}
		out, rest = append(out, string(rest[:at])), rest[at:]
	}
	return append(out, string(rest))
}

// RowID names a row of a sheet by what it is about, so that the name tells nobody what that is. It begins
// with a letter that is no digit of it: spreadsheets write names of digits as they do numbers.
func RowID(about ...string) string {
	h := sha256.New()
	for _, a := range about {
		fmt.Fprintf(h, "%d:%s", len(a), a)
	}
	return rowMark + hex.EncodeToString(h.Sum(nil))[:12]
}

// rowMark begins the names of rows. Those of an earlier lore lack it.
const rowMark = "r"

// RowName is the name of a row as it stands in a cell.
func RowName(cell string) string {
	if cell == "" || strings.HasPrefix(cell, rowMark) {
		return cell
	}
	return rowMark + cell
}

// Sheet writes CSV with a heading, for people to read and fill in. What a spreadsheet would
// run begins with an apostrophe, which EachRow takes off; control characters become visible.
func Sheet(heading []string, rows [][]string) ([]byte, error) {
	var buf bytes.Buffer
	if err := WriteSheet(&buf, heading, slices.Values(rows)); err != nil {
		return nil, err
	}
	return buf.Bytes(), nil
}

// WriteSheet is Sheet for rows that come one after the other.
func WriteSheet(to io.Writer, heading []string, rows iter.Seq[[]string]) error {
	w := csv.NewWriter(to)
	write := func(row []string) error {
		cells := make([]string, len(row))
		for i, c := range row {
			cells[i] = guarded(text.Plain(c))
		}
		if err := w.Write(cells); err != nil {
			return fmt.Errorf("write a sheet: %w", err)
		}
		return nil
	}

	if err := write(heading); err != nil {
		return err
	}
	for row := range rows {
		if err := write(row); err != nil {
			return err
		}
	}
	w.Flush()
	if err := w.Error(); err != nil {
		return fmt.Errorf("write a sheet: %w", err)
	}
	return nil
}

// apostrophe before a cell tells a spreadsheet that it is text.
const apostrophe = "'"

// figures are numbers, alone or with an interval: they begin like formulas and hold nothing
// that could be run.
var figures = regexp.MustCompile(`^[-+][-+0-9.,%±()\[\] –]*([eE][-+]?[0-9]+)?$`)

// runs reports whether a spreadsheet may take a cell for a formula.
func runs(cell string) bool {
	return cell != "" && strings.ContainsAny(cell[:1], "=+-@\t\r") && !figures.MatchString(cell) ||
		strings.HasPrefix(cell, "＝") || strings.HasPrefix(cell, "＋") ||
		strings.HasPrefix(cell, "－") || strings.HasPrefix(cell, "＠")
}

// guarded is a cell that no spreadsheet runs, and bare takes the guard off again. A cell
// that looks guarded by itself gets a second apostrophe.
func guarded(cell string) string {
	if runs(strings.TrimLeft(cell, apostrophe)) {
		return apostrophe + cell
	}
	return cell
}

func bare(cell string) string {
	if strings.HasPrefix(cell, apostrophe) && runs(strings.TrimLeft(cell, apostrophe)) {
		return cell[1:]
	}
	return cell
}
