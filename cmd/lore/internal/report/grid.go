package report

import (
	"fmt"
	"html"
	"io"
	"strings"
	"unicode"

	"lore/cmd/lore/internal/usage"
	"lore/datasets"
	"lore/local/files"
)

// Numeric reports whether every cell of a column is a number or a dash.
func Numeric(g datasets.Grid, column int) bool {
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
		if Numeric(g, i) {
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
		if Numeric(g, i) {
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
