package paper

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"lore/cmd/lore/internal/report"
	"lore/cmd/lore/internal/tex"
	"lore/datasets"
)

// overfull is what pdflatex says of a line that is too wide.
var overfull = regexp.MustCompile(`Overfull \\hbox \(([0-9.]+)pt too wide\)`)

// compile sets a document, and compileWithin one whose lines may not be too wide.
func compile(t *testing.T, preamble, body string) {
	t.Helper()
	typeset(t, preamble, body, false)
}

func compileWithin(t *testing.T, body string) {
	t.Helper()
	typeset(t, "", body, true)
}

// typeset runs pdflatex. It may be missing on a machine of somebody, never in CI.
func typeset(t *testing.T, preamble, body string, wide bool) {
	t.Helper()
	if _, err := exec.LookPath("pdflatex"); err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal("there is no pdflatex")
		}
		t.Skip("there is no pdflatex; Debian has it in texlive-latex-recommended")
	}

	dir := t.TempDir()
	doc := "\\documentclass{article}\n" + preamble + "\\usepackage{booktabs,graphicx}\n\\begin{document}\n\\listoftables\n" + body + "\n\\end{document}\n"
	if err := os.WriteFile(filepath.Join(dir, "paper.tex"), []byte(doc), 0o600); err != nil {
		t.Fatal(err)
	}
	// The second time it reads what captions and labels wrote the first time.
	for range 2 {
		cmd := exec.Command("pdflatex", "-no-shell-escape", "-interaction=nonstopmode", "-halt-on-error", "paper.tex")
		cmd.Dir = dir
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%v\n%s\n%s", err, doc, out[max(0, len(out)-2000):])
		}
	}

	log, err := os.ReadFile(filepath.Join(dir, "paper.log"))
	if err != nil {
		t.Fatal(err)
	}
	for _, over := range overfull.FindAllSubmatch(log, -1) {
		if pt, err := strconv.ParseFloat(string(over[1]), 64); err != nil || wide && pt > 3 {
			t.Errorf("a line is %s pt too wide\n%s", over[1], body)
		}
	}
	if i := bytes.Index(log, []byte("Missing character")); i >= 0 {
		t.Errorf("a character is missing: %s", log[i:min(len(log), i+200)])
	}
	if _, err := os.Stat(filepath.Join(dir, "paper.pdf")); err != nil {
		t.Error(err)
	}
}

// hostile are names that people, file systems and servers may come up with.
var hostile = []string{
	`a_b % c & d # e $ f ~ g ^ h \ i { j }`, `\input{/etc/passwd}`, `\write18{id}`, `^^5cinput x`, "[1pt] x", "* x", "a\n\\end{table}", "%",
	"--", "---", "a--b", "''", "``", "?`", "!`", ",,", `"a`, "<<x>>", "|", "ollama:qwen3:8b-q4_K_M", "trec:run/x_1.trec", "→ ≤ ± × – — − …",
	"北京 bm25", "Ωmega η3", "🙂", "e\u0301", "\u202egnp.exe", "\x1b]8;;http://evil/\x07x", "\xff\xfe", "Łódź ß é ñ ő ș", "x²", "", " ", "-–-", "\u00ad", "$\\eta$",
	`\end{tabular}\end{table}\end{document}`, "}{", "&&", `\\`, "#1", "@", "\\loreunicode{a}{b}",
}

// fontencs are the encodings that papers are set in.
var fontencs = []string{"", "\\usepackage[T1]{fontenc}\n"}

// Every letter that is said to need no package needs none, and every command works in cells, captions
// and notes.
func TestLettersCompile(t *testing.T) {
	s := sheet{label: "tab:letters", caption: "Every letter", heads: [][]string{{"a"}}, align: "l"}
	for _, r := range tex.Known() {
		s.rows = append(s.rows, []string{tex.Escape(string(r))})
		s.note = append(s.note, string(r))
		if r <= 'ω' {
			s.caption += string(r)
		}
	}
	for _, encoding := range fontencs {
		compile(t, encoding, text(s))
	}
}

// Hostile names compile as cells, headings, caption, note and comments.
func TestHostileNamesCompile(t *testing.T) {
	s := sheet{label: "tab:hostile", caption: strings.Join(hostile, " "), note: hostile, made: hostile}
	for _, name := range hostile {
		s.add(false, name)
	}
	for _, name := range hostile {
		cells := make([]string, len(hostile))
		cells[0], cells[1] = tex.Escape(name), marked(tex.Escape(name), near)
		s.rows = append(s.rows, cells)
	}
	for _, encoding := range fontencs {
		compile(t, encoding, text(s))
	}
}

// Random names compile, too: half of their characters are those that TeX knows.
func TestRandomNamesCompile(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 7))
	special := []rune("\\{}$&#%_^~<>|\"'`-,?![]*@:;=/\x00\x7f\u00a0\u200b\u0301日Ωé–²")
	s := sheet{label: "tab:random", caption: "Random", heads: [][]string{{"a"}, {"b"}}, align: "lr"}
	for i := range 200 {
		name := make([]rune, 1+rng.IntN(30))
		for k := range name {
			if name[k] = special[rng.IntN(len(special))]; rng.IntN(2) == 0 {
				name[k] = rune(rng.IntN(0x3000))
			}
		}
		s.rows = append(s.rows, []string{tex.Escape(string(name)), fmt.Sprint(i)})
	}
	// More than a page of rows cannot float.
	for len(s.rows) > 0 {
		page := s
		page.rows = s.rows[:min(40, len(s.rows))]
		s.rows = s.rows[len(page.rows):]
		compile(t, "", text(page))
	}
}

func text(s sheet) string {
	var b bytes.Buffer
	s.write(&b)
	return b.String()
}

// The plain tables of a run, with every letter that figures and notes have, compile too, and a wide one fits the line.
func TestPlainTablesCompile(t *testing.T) {
	wide := make([]string, 14)
	for i := range wide {
		wide[i] = fmt.Sprintf("Cov(Z) η%d > 50 %%", i)
	}
	var all strings.Builder
	report.LaTeX(&all, datasets.Grid{Title: "Kendall's τ-b", Head: wide, Rows: [][]string{wide}, Note: "η ≥ 3, κ, ρ, α-nDCG, A − B, 5 ± 1, <, >, |"})
	report.LaTeX(&all, datasets.Grid{Title: "α to ω", Head: []string{"η"}, Rows: [][]string{{"北 1"}}})
	compileWithin(t, all.String())
	if n := strings.Count(all.String(), `\resizebox{\linewidth}`); n != 1 {
		t.Errorf("%d tables are scaled down, not the wide one alone", n)
	}
}
