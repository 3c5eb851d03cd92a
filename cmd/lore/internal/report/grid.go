package report

import (
	"fmt"
	"io"
	"strings"
	"unicode"
	"unicode/utf8"

	"lore/cmd/lore/internal/tex"
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
		"&", "&amp;",
		"<", "&lt;",
		">", "&gt;",
		"|", `\|`,
		"~", `\~`,
		"$", `\$`,
		"`", "\\`",
		"*", `\*`,
		"_", `\_`,
		"[", `\[`,
		"]", `\]`,
	)
	return escape.Replace(oneLine(usage.Plain(s)))
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
			out[i] = tex.Escape(c)
		}
		if len(out) > 0 && (strings.HasPrefix(out[0], "[") || strings.HasPrefix(out[0], "*")) {
			out[0] = "{}" + out[0] // the rule or line end before it would take it for an option
		}
		return strings.Join(out, " & ") + ` \\`
	}

	var body strings.Builder
	put := func(text string) { body.WriteString(text + "\n") }
	put(`\begin{table}`)
	put(`\centering`)
	packages, closing := []string{`\usepackage{booktabs}`}, `\end{tabular}`
	if lineOfPaper < widthOf(g) {
		packages = append(packages, `to scale the table down to the line, \usepackage{graphicx}`)
		put(`\resizebox{\linewidth}{!}{%`)
		closing += "}"
	}
	put(`\begin{tabular}{` + align + `}`)
	put(`\toprule`)
	put(line(g.Head))
	put(`\midrule`)
	for _, r := range g.Rows {
		put(line(r))
	}
	put(`\bottomrule`)
	put(closing)
	if c := caption(g); c != "" {
		put(`\caption{` + tex.Escape(c) + `}`)
	}
	put(`\end{table}`)

	fmt.Fprint(w, tex.Preamble(body.String(), packages...))
	fmt.Fprint(w, body.String())
}

// Widths in points, of Computer Modern at 10 points: the line of LaTeX's article, a letter, rather too wide than too
// narrow, and the space beside a column.
const (
	lineOfPaper = 345
	letterWide  = 5.5
	columnSpace = 12
)

// widthOf estimates the width of a table in points.
func widthOf(g datasets.Grid) float64 {
	width := 0.0
	for i, head := range g.Head {
		letters := utf8.RuneCountInString(head)
		for _, r := range g.Rows {
			if i < len(r) {
				letters = max(letters, utf8.RuneCountInString(r[i]))
			}
		}
		width += letterWide*float64(letters) + columnSpace
	}
	return width
}

// caption is the title, as a sentence of its own, and the note.
func caption(g datasets.Grid) string {
	title := strings.TrimSpace(g.Title)
	if title != "" && !strings.ContainsAny(title[len(title)-1:], ".?!:") {
		title += "."
	}
	return strings.TrimSpace(title + " " + g.Note)
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
