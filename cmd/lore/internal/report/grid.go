package report

import (
	"encoding/csv"
	"fmt"
	"html"
	"io"
	"strings"
	"unicode"
	"unicode/utf8"

	"lore/cmd/lore/internal/usage"
	"lore/datasets"
)

// Text writes a table with aligned columns. A column whose cells all begin with a digit
// or are a dash is aligned right.
func Text(w io.Writer, g datasets.Grid) {
	if g.Title != "" {
		fmt.Fprintln(w, usage.Plain(g.Title))
	}

	width := make([]int, len(g.Head))
	lines := append([][]string{g.Head}, g.Rows...)
	for _, l := range lines {
		for i, c := range l {
			width[i] = max(width[i], utf8.RuneCountInString(usage.Plain(c)))
		}
	}

	for _, l := range lines {
		var b strings.Builder
		for i, c := range l {
			if i > 0 {
				b.WriteString("  ")
			}
			pad := strings.Repeat(" ", width[i]-utf8.RuneCountInString(usage.Plain(c)))
			if numeric(g, i) {
				b.WriteString(pad + usage.Plain(c))
			} else {
				b.WriteString(usage.Plain(c) + pad)
			}
		}
		fmt.Fprintln(w, strings.TrimRight(b.String(), " "))
	}

	if g.Note != "" {
		fmt.Fprintln(w, usage.Plain(g.Note))
	}
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
		"|", `\|`,
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
	fmt.Fprintf(w, "\\caption{%s}\n", texCell(strings.TrimSpace(g.Title+". "+g.Note)))
	fmt.Fprintln(w, `\end{table}`)
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
	c := csv.NewWriter(w)
	if err := c.WriteAll(append([][]string{g.Head}, g.Rows...)); err != nil {
		return fmt.Errorf("write CSV: %w", err)
	}
	return nil
}
