package report

import (
	"fmt"
	"html"
	"io"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"lore/cmd/lore/internal/usage"
	"lore/datasets"
	"lore/local/files"
)

// Text writes a table with aligned columns. A column whose cells all begin with a digit
// or are a dash is aligned right. On a terminal a table that is wider is folded.
func Text(w io.Writer, g datasets.Grid) { textIn(w, g, usage.Width(w)) }

// textIn writes a table in lines of at most so many letters; 0 is no limit.
func textIn(w io.Writer, g datasets.Grid, most int) {
	if g.Title != "" {
		fmt.Fprintln(w, strings.Join(breakLine(usage.Line(g.Title), most), "\n"))
	}
	for i, part := range fold(g, most) {
		if i > 0 {
			fmt.Fprintln(w)
		}
		part.write(w)
	}
	if g.Note != "" {
		fmt.Fprintln(w, strings.Join(breakLine(usage.Line(g.Note), most), "\n"))
	}
}

// write writes heading and rows. A cell that is wider than its column goes on below.
func (f folded) write(w io.Writer) {
	for _, l := range slices.Concat([][]string{f.Head}, f.Rows) {
		cells := make([][]string, len(l))
		height := 1
		for i, c := range l {
			cells[i] = breakLine(usage.Line(c), f.widths[i])
			height = max(height, len(cells[i]))
		}
		for k := range height {
			fmt.Fprintln(w, f.line(cells, k))
		}
	}
}

// line is the k-th line of a row's cells.
func (f folded) line(cells [][]string, k int) string {
	var b strings.Builder
	for i, lines := range cells {
		if i > 0 {
			b.WriteString(strings.Repeat(" ", gap))
		}
		c := ""
		if k < len(lines) {
			c = lines[k]
		}
		pad := strings.Repeat(" ", max(0, f.widths[i]-utf8.RuneCountInString(c)))
		if numeric(f.Grid, i) {
			b.WriteString(pad + c)
		} else {
			b.WriteString(c + pad)
		}
	}
	return strings.TrimRight(b.String(), " ")
}

// numeric reports whether every cell of a column is a number or a dash.
func numeric(g datasets.Grid, column int) bool {
	for _, r := range g.Rows {
		c := strings.TrimLeft(r[column], "-+±")
		if c == "" || (c != "–" && !unicode.IsDigit([]rune(c)[0])) {
			return false
		}
	}
	return len(g.Rows) > 0
}

// Markdown writes a pipe table.
func Markdown(w io.Writer, g datasets.Grid) {
	if g.Title != "" {
		fmt.Fprintf(w, "### %s\n\n", mdCell(g.Title))
	}

	line := func(cells []string) {
		out := make([]string, len(cells))
		for i, c := range cells {
			out[i] = mdCell(c)
		}
		fmt.Fprintf(w, "| %s |\n", strings.Join(out, " | "))
	}

	line(g.Head)
	rule := make([]string, len(g.Head))
	for i := range rule {
		rule[i] = "---"
		if numeric(g, i) {
			rule[i] = "---:"
		}
	}
	fmt.Fprintf(w, "|%s|\n", strings.Join(rule, "|"))
	for _, r := range g.Rows {
		line(r)
	}

	if g.Note != "" {
		fmt.Fprintf(w, "\n%s\n", mdCell(g.Note))
	}
	fmt.Fprintln(w)
}

// mdCell escapes what Markdown or HTML would take for markup.
func mdCell(s string) string {
	escape := strings.NewReplacer(
		`\`, `\\`,
		"|", `\|`,
		"~", `\~`,
		"$", `\$`,
		"`", "\\`",
		"*", `\*`,
		"_", `\_`,
		"[", `\[`,
		"]", `\]`,
	)
	return escape.Replace(oneLine(html.EscapeString(usage.Plain(s))))
}

// oneLine puts one space where there is any white space: a cell is one line.
func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// LaTeX writes a booktabs table.
func LaTeX(w io.Writer, g datasets.Grid) {
	align := ""
	for i := range g.Head {
		if numeric(g, i) {
			align += "r"
		} else {
			align += "l"
		}
	}
	line := func(cells []string) string {
		out := make([]string, len(cells))
		for i, c := range cells {
			out[i] = texCell(c)
		}
		if len(out) > 0 && (strings.HasPrefix(out[0], "[") || strings.HasPrefix(out[0], "*")) {
			out[0] = "{}" + out[0] // the rule or line end before it would take it for an option
		}
		return strings.Join(out, " & ") + ` \\`
	}

	fmt.Fprintln(w, `% needs \usepackage{booktabs}`)
	fmt.Fprintln(w, `\begin{table}`)
	fmt.Fprintln(w, `\centering`)
	fmt.Fprintf(w, "\\begin{tabular}{%s}\n", align)
	fmt.Fprintln(w, `\toprule`)
	fmt.Fprintln(w, line(g.Head))
	fmt.Fprintln(w, `\midrule`)
	for _, r := range g.Rows {
		fmt.Fprintln(w, line(r))
	}
	fmt.Fprintln(w, `\bottomrule`)
	fmt.Fprintln(w, `\end{tabular}`)
	if c := caption(g); c != "" {
		fmt.Fprintf(w, "\\caption{%s}\n", texCell(c))
	}
	fmt.Fprintln(w, `\end{table}`)
}

// caption is the title, as a sentence of its own, and the note.
func caption(g datasets.Grid) string {
	title := strings.TrimSpace(g.Title)
	if title != "" && !strings.ContainsAny(title[len(title)-1:], ".?!:") {
		title += "."
	}
	return strings.TrimSpace(title + " " + g.Note)
}

// texCell escapes what LaTeX would take for a command.
func texCell(s string) string {
	escape := strings.NewReplacer(
		`\`, `\textbackslash{}`,
		"&", `\&`,
		"%", `\%`,
		"$", `\$`,
		"#", `\#`,
		"_", `\_`,
		"{", `\{`,
		"}", `\}`,
		"~", `\textasciitilde{}`,
		"^", `\textasciicircum{}`,
		"–", "--",
		"±", `$\pm$`,
	)
	return escape.Replace(oneLine(usage.Plain(s)))
}

// CSV writes a table as comma-separated values: heading and rows, without title and note.
func CSV(w io.Writer, g datasets.Grid) error {
	data, err := files.Sheet(g.Head, g.Rows)
	if err == nil {
		_, err = w.Write(data)
	}
	if err != nil {
		return fmt.Errorf("write CSV: %w", err)
	}
	return nil
}
