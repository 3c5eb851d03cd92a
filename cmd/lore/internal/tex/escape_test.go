package tex

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"lore/cmd/lore/internal/usage"
)

// hostile are names that people, file systems and servers may come up with.
var hostile = []string{
	`a_b % c & d # e $ f ~ g ^ h \ i { j }`, `\input{/etc/passwd}`, `\write18{id}`, `^^5cinput x`, "[1pt] x", "* x", "a\n\\end{table}", "%",
	"--", "---", "a--b", "''", "``", "?`", "!`", ",,", `"a`, "<<x>>", "|", "ollama:qwen3:8b-q4_K_M", "trec:run/x_1.trec", "→ ≤ ± × – — − …",
	"北京 bm25", "Ωmega η3", "🙂", "e\u0301", "\u202egnp.exe", "\x1b]8;;http://evil/\x07x", "\xff\xfe", "Łódź ß é ñ ő ș", "x²", "", " ", "-–-", "\u00ad", "$\\eta$",
	`\end{tabular}\end{table}\end{document}`, "}{", "&&", `\\`, "#1", "@", "\\loreunicode{a}{b}",
}

func TestEscapeGoesBack(t *testing.T) {
	for _, name := range hostile {
		if err := goesBack(name); err != nil {
			t.Error(err)
		}
	}
}

func FuzzEscape(f *testing.F) {
	for _, name := range hostile {
		f.Add(name)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if err := goesBack(s); err != nil {
			t.Error(err)
		}
	})
}

// goesBack reads escaped text as TeX would, and compares it with what went in. Whatever is
// not one of our commands must be a character that means nothing to TeX.
func goesBack(s string) error {
	want := strings.Join(strings.Fields(usage.Plain(s)), " ")
	tex := Escape(s)
	got, err := unescape(tex)
	if err == nil && got != strings.ToValidUTF8(want, "\uFFFD") && got != want {
		err = fmt.Errorf("is %q", got)
	}
	if err == nil {
		err = melted(tex)
	}
	if err != nil {
		return fmt.Errorf("%q became %q: %w", s, tex, err)
	}
	return nil
}

// pieces are all commands that text may become, the longest first.
func pieces() ([]string, map[string]rune) {
	means := map[string]rune{}
	for r, piece := range written {
		if strings.ContainsAny(piece, `\$`) {
			means[piece] = r
		}
	}
	for r := 'α'; r <= 'ω'; r++ {
		if piece, ok := command(r); ok {
			means[piece] = r
		}
	}
	var out []string
	for p := range means {
		out = append(out, p)
	}
	slices.SortFunc(out, func(a, b string) int { return len(b) - len(a) })
	return out, means
}

func unescape(tex string) (string, error) {
	known, means := pieces()
	var out strings.Builder
next:
	for tex != "" {
		for _, p := range known {
			if rest, ok := strings.CutPrefix(tex, p); ok {
				out.WriteRune(means[p])
				tex = rest
				continue next
			}
		}
		if rest, ok := strings.CutPrefix(tex, `\loreunicode{`); ok {
			numbers, rest, _ := strings.Cut(rest, "}{")
			text := ""
			for _, n := range strings.Fields(numbers) {
				r, err := strconv.ParseInt(strings.TrimPrefix(n, "U+"), 16, 32)
				if err != nil || r < 0x80 {
					return "", fmt.Errorf("%q is no letter outside ASCII", n)
				}
				text += string(rune(r))
			}
			if tex, ok = strings.CutPrefix(rest, text+"}"); !ok {
				return "", fmt.Errorf("%q does not hold %q", rest, text)
			}
			out.WriteString(text)
			continue
		}

		r := []rune(tex)[0]
		switch {
		case strings.HasPrefix(tex, "{}"):
			tex = tex[2:]
			continue
		case strings.HasPrefix(tex, "---"):
			out.WriteRune('—')
			tex = tex[3:]
			continue
		case strings.HasPrefix(tex, "--"):
			out.WriteRune('–')
			tex = tex[2:]
			continue
		case strings.ContainsRune(`\{}$&#%_^~<>|"`, r):
			return "", fmt.Errorf("a bare %q", r)
		case r < ' ' || r > '~' && !strings.ContainsRune(letters, r):
			return "", fmt.Errorf("a bare %q, which pdfLaTeX cannot set", r)
		}
		out.WriteRune(r)
		tex = tex[len(string(r)):]
	}
	return out.String(), nil
}

// melted looks for characters that TeX makes one of.
func melted(tex string) error {
	for _, pair := range []string{"''", "``", ",,", "?`", "!`", "----"} {
		if strings.Contains(tex, pair) {
			return fmt.Errorf("%q melts", pair)
		}
	}
	return nil
}
