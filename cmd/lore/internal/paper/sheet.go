package paper

import (
	"fmt"
	"io"
	"strings"

	"lore/cmd/lore/internal/tex"
)

// sheet is a table that is ready to be written. Headings, caption, note and comments are plain
// text, cells are LaTeX.
type sheet struct {
	made    []string // comments
	label   string
	caption string
	heads   [][]string // the lines of each
	align   string
	rows    [][]string
	note    []string
	noNote  bool // the note goes into the comments
}

// add adds a column. A heading of several lines is set in one where there is room.
func (s *sheet) add(right bool, head ...string) {
	for i := range head {
		head[i] = tex.Escape(head[i])
	}
	s.heads = append(s.heads, head)
	if right {
		s.align += "r"
	} else {
		s.align += "l"
	}
}

func (s sheet) write(w io.Writer) {
	note := tex.Escape(strings.Join(s.note, " "))
	if s.noNote {
		s.made, note = append(s.made, s.note...), ""
	}

	look, scaled := s.look()
	body := s.body(note, look, scaled)
	for _, line := range s.made {
		fmt.Fprintln(w, tex.Comment(line))
	}
	packages := []string{`\usepackage{booktabs}`}
	if scaled {
		packages = append(packages, `to scale the table down to the line, \usepackage{graphicx}`)
	}
	fmt.Fprint(w, tex.Preamble(body, packages...))
	fmt.Fprint(w, body)
}

// look is the largest size in which the table fits a line, with headings in one line or in several.
// scaled: in none.
func (s sheet) look() (l look, scaled bool) {
	for _, stacked := range []bool{false, true} {
		l = look{stacked: stacked}
		widths := make([]float64, len(s.heads))
		for i := range widths {
			for _, head := range l.headings(s.heads[i]) {
				widths[i] = max(widths[i], widthOf(head))
			}
			for _, r := range s.rows {
				widths[i] = max(widths[i], widthOf(r[i]))
			}
		}
		fits := false
		if l.size, fits = fit(widths); fits && (l.size.command == "" || stacked) {
			return l, false
		}
		scaled = !fits
	}
	return l, scaled
}

// look is how a table is set.
type look struct {
	size
	stacked bool // headings may have several lines
}

func (l look) headings(lines []string) []string {
	if l.stacked {
		return lines
	}
	return []string{strings.Join(lines, " ")}
}

// head is a heading as LaTeX has it.
func (l look) head(lines []string, align byte) string {
	lines = l.headings(lines)
	if len(lines) == 1 {
		return lines[0]
	}
	return fmt.Sprintf(`\begin{tabular}[b]{@{}%c@{}}%s\end{tabular}`, align, strings.Join(lines, ` \\ `))
}

// body is the table as LaTeX has it.
func (s sheet) body(note string, l look, scaled bool) string {
	var b strings.Builder
	line := func(text string) { fmt.Fprintln(&b, text) }

	line(`\begin{table}`)
	line(`\centering`)
	line(`\caption{` + tex.Escape(s.caption) + `}`)
	if s.label != "" {
		line(`\label{` + s.label + `}`)
	}
	if l.command != "" {
		line(l.command)
	}
	if scaled {
		line(`\resizebox{\linewidth}{!}{%`)
	}
	line(`\begin{tabular}{` + s.align + `}`)
	line(`\toprule`)
	heads := make([]string, len(s.heads))
	for i, h := range s.heads {
		heads[i] = l.head(h, s.align[i])
	}
	line(row(heads))
	line(`\midrule`)
	for _, cells := range s.rows {
		line(row(cells))
	}
	line(`\bottomrule`)
	if scaled {
		line(`\end{tabular}}`)
	} else {
		line(`\end{tabular}`)
	}

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
