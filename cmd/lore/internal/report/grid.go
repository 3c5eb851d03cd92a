// Package report shows results: text tables for a terminal, Markdown, LaTeX, CSV,
// and one HTML page that needs nothing else.
package report

import (
	"encoding/csv"
	"fmt"
	"html"
	"io"
	"strings"
	"unicode"
	"unicode/utf8"

	"lore/datasets"
)

// Plain makes text from outside safe to print: control characters, which could
// steer a terminal, become visible.
func Plain(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t':
			return r
		case r == 0x1b:
			return '␛'
		case unicode.IsControl(r), unicode.Is(unicode.Bidi_Control, r):
			return '�'
		}
		return r
	}, strings.ToValidUTF8(s, "�"))
}

// Text writes a table with aligned columns. All columns but the first are
// aligned right if they begin with a digit or a dash.
func Text(w io.Writer, g datasets.Grid) {
	if g.Title != "" {
		fmt.Fprintln(w, Plain(g.Title))
	}
	width := make([]int, len(g.Head))
	lines := append([][]string{g.Head}, g.Rows...)
	for _, l := range lines {
		for i, c := range l {
			width[i] = max(width[i], utf8.RuneCountInString(Plain(c)))
		}
	}
	for _, l := range lines {
		var b strings.Builder
		for i, c := range l {
			if i > 0 {
				b.WriteString("  ")
			}
			pad := strings.Repeat(" ", width[i]-utf8.RuneCountInString(Plain(c)))
			if numeric(g, i) {
				b.WriteString(pad + Plain(c))
			} else {
				b.WriteString(Plain(c) + pad)
			}
		}
		fmt.Fprintln(w, strings.TrimRight(b.String(), " "))
	}
	if g.Note != "" {
		fmt.Fprintln(w, Plain(g.Note))
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
	s = strings.Join(strings.Fields(html.EscapeString(Plain(s))), " ")
	return strings.NewReplacer("|", `\|`, "`", "\\`", "*", `\*`, "_", `\_`, "[", `\[`, "]", `\]`).Replace(s)
}

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
	fmt.Fprintf(w, "%% needs \\usepackage{booktabs}\n\\begin{table}\n\\centering\n\\begin{tabular}{%s}\n\\toprule\n%s\n\\midrule\n", align, line(g.Head))
	for _, r := range g.Rows {
		fmt.Fprintln(w, line(r))
	}
	fmt.Fprintf(w, "\\bottomrule\n\\end{tabular}\n\\caption{%s}\n\\end{table}\n", texCell(strings.TrimSpace(g.Title+". "+g.Note)))
}

func texCell(s string) string {
	return strings.NewReplacer(`\`, `\textbackslash{}`, "&", `\&`, "%", `\%`, "$", `\$`, "#", `\#`, "_", `\_`, "{", `\{`, "}", `\}`,
		"~", `\textasciitilde{}`, "^", `\textasciicircum{}`, "–", "--", "±", `$\pm$`).Replace(strings.Join(strings.Fields(Plain(s)), " "))
}

// CSV writes a table as comma-separated values.
func CSV(w io.Writer, g datasets.Grid) error {
	c := csv.NewWriter(w)
	if err := c.WriteAll(append([][]string{g.Head}, g.Rows...)); err != nil {
		return fmt.Errorf("write CSV: %w", err)
	}
	return nil
}
