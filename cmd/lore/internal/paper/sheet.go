package paper

import (
	"fmt"
	"io"
	"strings"
)

// sheet is a table that is ready to be written. Headings, caption, note and comments are plain
// text, cells are LaTeX.
type sheet struct {
	made    []string // comments
	label   string
	caption string
	heads   []string
	align   string
	rows    [][]string
	note    []string
	noNote  bool // the note goes into the comments
}

// add adds a column.
func (s *sheet) add(head string, right bool) {
	s.heads = append(s.heads, Escape(head))
	if right {
		s.align += "r"
	} else {
		s.align += "l"
	}
}

func (s sheet) write(w io.Writer) {
	note := Escape(strings.Join(s.note, " "))
	if s.noNote {
		s.made, note = append(s.made, s.note...), ""
	}

	body := s.body(note)
	for _, line := range s.made {
		fmt.Fprintln(w, comment(line))
	}
	fmt.Fprintln(w, `% Needs \usepackage{booktabs}; the text is UTF-8.`)
	if hasForeign(body) {
		fmt.Fprintln(w, `% pdfLaTeX prints the numbers of letters in \loreunicode, XeLaTeX and LuaLaTeX the letters, if the font has them.`)
		fmt.Fprintln(w, foreignCommand)
	}
	fmt.Fprint(w, body)
}

// body is the table as LaTeX has it.
func (s sheet) body(note string) string {
	var b strings.Builder
	line := func(text string) { fmt.Fprintln(&b, text) }

	line(`\begin{table}`)
	line(`\centering`)
	line(`\caption{` + Escape(s.caption) + `}`)
	if s.label != "" {
		line(`\label{` + s.label + `}`)
	}
	line(`\begin{tabular}{` + s.align + `}`)
	line(`\toprule`)
	line(row(s.heads))
	line(`\midrule`)
	for _, cells := range s.rows {
		line(row(cells))
	}
	line(`\bottomrule`)
	line(`\end{tabular}`)

	if note != "" {
		line(`\par\smallskip`)
		line(`\parbox{\linewidth}{\footnotesize ` + note + `}`)
	}
	line(`\end{table}`)
	return b.String()
}

// row is a line of the table. What it begins with must not be an option of the rule or the line end
// before it.
func row(cells []string) string {
	line := strings.Join(cells, " & ")
	if strings.HasPrefix(line, "[") || strings.HasPrefix(line, "*") {
		line = "{}" + line
	}
	return line + ` \\`
}
