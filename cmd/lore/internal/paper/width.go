package paper

import (
	"regexp"
	"strings"
	"unicode"
)

// lineWidth is the width of a line, in points, that tables are made to fit: that of LaTeX's article.
const lineWidth = 345

// size is a way to set a table: the size of letters, the space between columns on either side, and
// how wide letters are against those of 10 points.
type size struct {
	command string
	sep     float64
	scale   float64
}

// sizes are tried in turn. What the last does not fit is scaled down.
var sizes = []size{
	{"", 6, 1},
	{`\small\setlength{\tabcolsep}{4pt}`, 4, 0.93},
	{`\footnotesize\setlength{\tabcolsep}{3pt}`, 3, 0.87},
}

// fit is the first size in which columns of such widths fit a line; false: none.
func fit(widths []float64) (size, bool) {
	var all float64
	for _, w := range widths {
		all += w
	}
	for _, s := range sizes {
		if all*s.scale+2*s.sep*float64(len(widths)) <= lineWidth {
			return s, true
		}
	}
	return sizes[len(sizes)-1], false
}

// markup is what a cell has besides letters: commands that print nothing, and braces.
var (
	subscripts = regexp.MustCompile(`\$_\{(.*?)\}\$`)
	setting    = regexp.MustCompile(`\\(textbf|underline|textsuperscript)\{|[{}$]`)
	commands   = regexp.MustCompile(`\\([A-Za-z]+|.)`)
)

// widthOf estimates the width of a cell in Computer Modern of 10 points, rather too wide than too
// narrow.
func widthOf(cell string) float64 {
	const small = 0.8 // of letters below the line
	width := 0.0
	for _, below := range subscripts.FindAllStringSubmatch(cell, -1) {
		width += small * plainWidth(below[1])
	}
	return width + plainWidth(subscripts.ReplaceAllString(cell, ""))
}

func plainWidth(cell string) float64 {
	bold := 1.0
	if strings.Contains(cell, `\textbf{`) {
		bold = 1.15
	}
	text := commands.ReplaceAllStringFunc(setting.ReplaceAllString(cell, ""), func(c string) string {
		switch c {
		case `\,`:
			return "."
		case `\pm`:
			return "m"
		}
		return "0"
	})

	var width float64
	for _, r := range text {
		switch {
		case strings.ContainsRune("ijlftrI.,:;'|!()[]- ", r):
			width += 3.9
		case strings.ContainsRune("mwMW@", r):
			width += 8.4
		case unicode.IsUpper(r):
			width += 7.2
		default:
			width += 5.1
		}
	}
	return width * bold
}
