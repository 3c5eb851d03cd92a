// Package tex writes any text so that LaTeX shows it as it stands, with every engine.
package tex

import (
	"fmt"
	"slices"
	"strings"

	"lore/cmd/lore/internal/usage"
)

// letters are those outside ASCII that pdfLaTeX sets without a package, in the encodings OT1 and
// T1. A test sets each of them in both.
const letters = "ÀÁÂÃÄÅÆÇÈÉÊËÌÍÎÏÑÒÓÔÕÖØÙÚÛÜÝßàáâãäåæçèéêëìíîïñòóôõöøùúûüýÿ" +
	"ĀāĂăĆćĈĉĊċČčĎďĒēĔĕĖėĚěĜĝĞğĠġĢģĤĥĨĩĪīĬĭİıĴĵĶķĹĺĻļĽľŁłŃńŅņŇňŌōŎŏŐőŒœŔŕŖŗŘřŚśŜŝŞşŠšŢţŤť" +
	"ŨũŪūŬŭŮůŰűŴŵŶŷŸŹźŻżŽžȘșȚțẞ¡¿§¶©®°·‘’“”†‡•€™"

// written are the characters that LaTeX would take for something else, or for nothing, and what
// stands for them.
var written = map[rune]string{
	'\\': `\textbackslash{}`,
	'{':  `\{`,
	'}':  `\}`,
	'&':  `\&`,
	'%':  `\%`,
	'$':  `\$`,
	'#':  `\#`,
	'_':  `\_`,
	'~':  `\textasciitilde{}`,
	'^':  `\textasciicircum{}`,
	'<':  `\textless{}`,
	'>':  `\textgreater{}`,
	'|':  `\textbar{}`,
	'"':  `{\char34}`, // a letter of its own for babel in some languages

	'–': "--",
	'—': "---",
	'…': `\ldots{}`,
	'−': `$-$`,
	'±': `$\pm$`,
	'×': `$\times$`,
	'≤': `$\le$`,
	'≥': `$\ge$`,
	'→': `$\to$`,
	'¹': `\textsuperscript{1}`,
	'²': `\textsuperscript{2}`,
	'³': `\textsuperscript{3}`,
}

// greek are letters that mathematics has commands for, in the order of their numbers from α on. An
// omicron has none.
var greek = strings.Fields("alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi - pi rho - sigma " +
	"tau upsilon phi chi psi omega")

// command is what stands for a character; false: it stands for itself.
func command(r rune) (string, bool) {
	if piece, ok := written[r]; ok {
		return piece, true
	}
	if i := int(r - 'α'); i >= 0 && i < len(greek) && greek[i] != "-" {
		return `$\` + greek[i] + "$", true
	}
	return "", false
}

// ForeignCommand sets letters that pdfLaTeX cannot: their numbers there, and themselves where the
// engine reads Unicode. It is expandable, so that it may stand in a caption.
const ForeignCommand = `\providecommand{\loreunicode}[2]{\ifdefined\Umathchar #2\else #1\fi}`

// Escape makes one line of any text that LaTeX shows as it stands: nothing in it is a command, and
// no two characters melt into another one. It compiles with every engine. Letters that pdfLaTeX
// cannot set go to \loreunicode, which ForeignCommand defines.
func Escape(s string) string {
	var b strings.Builder
	var foreign []rune
	end := byte(0) // what the text so far ends with
	put := func(piece string) {
		if melts(end, piece[0]) {
			b.WriteString("{}")
		}
		b.WriteString(piece)
		end = piece[len(piece)-1]
	}

	for _, r := range strings.Join(strings.Fields(usage.Plain(s)), " ") {
		piece, special := command(r)
		if !special && r > '~' && !strings.ContainsRune(letters, r) {
			foreign = append(foreign, r)
			continue
		}
		if len(foreign) > 0 {
			put(unicodeLetters(foreign))
			foreign = nil
		}
		if !special {
			piece = string(r)
		}
		put(piece)
	}
	if len(foreign) > 0 {
		put(unicodeLetters(foreign))
	}
	return b.String()
}

// melts reports whether TeX would make one character of two: dashes, quotes, and in some encodings
// commas.
func melts(a, b byte) bool {
	switch b {
	case '-', '\'', ',':
		return a == b
	case '`':
		return a == '`' || a == '?' || a == '!'
	}
	return false
}

func unicodeLetters(rs []rune) string {
	numbers := make([]string, len(rs))
	for i, r := range rs {
		numbers[i] = fmt.Sprintf("U+%04X", r)
	}
	return `\loreunicode{` + strings.Join(numbers, " ") + "}{" + string(rs) + "}"
}

// HasForeign reports whether escaped text needs ForeignCommand.
func HasForeign(tex string) bool { return strings.Contains(tex, `\loreunicode{`) }

// Comment is a line that TeX skips.
func Comment(s string) string {
	return "% " + strings.Join(strings.Fields(usage.Line(s)), " ")
}

// Preamble says of a table what it needs: packages, and the command of letters that pdfLaTeX cannot set.
func Preamble(body string, packages ...string) string {
	out := "% Needs " + strings.Join(packages, " and, ") + "; the text is UTF-8.\n"
	if HasForeign(body) {
		out += `% pdfLaTeX prints the numbers of letters in \loreunicode, XeLaTeX and LuaLaTeX the letters, if the font has them.` + "\n" +
			ForeignCommand + "\n"
	}
	return out
}

// Known are all characters outside ASCII, and those of it, that Escape writes without ForeignCommand and that are more
// than themselves, for tests that set them.
func Known() []rune {
	out := []rune(letters)
	for r := range written {
		out = append(out, r)
	}
	for r := 'α'; r <= 'ω'; r++ {
		out = append(out, r)
	}
	slices.Sort(out)
	return out
}
