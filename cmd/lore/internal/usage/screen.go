package usage

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"strings"
	"unicode/utf8"

	"github.com/rivo/uniseg"
	"golang.org/x/term"
)

// Screen is what is known of where text goes. The zero value is a file or a pipe: lines there are
// as long as they are, and have no styles.
type Screen struct {
	Width  int  // cells of a line; 0: no terminal, or one that does not say
	Height int  // lines; 0: the same
	Colour bool // styles are obeyed
}

// ScreenOf is where a writer prints.
func ScreenOf(w io.Writer) Screen {
	p, ok := w.(*printer)
	switch {
	case !ok:
		p = &printer{to: w}
	case p.screen != nil:
		return *p.screen
	}

	file, ok := p.to.(*os.File)
	if !ok {
		return Screen{}
	}
	fd := int(file.Fd())
	if !term.IsTerminal(fd) {
		return Screen{Colour: coloured(false, os.Getenv)}
	}
	width, height, err := term.GetSize(fd)
	if err != nil {
		width, height = 0, 0
	}
	return Screen{Width: width, Height: height, Colour: coloured(true, os.Getenv)}
}

// coloured reports whether styles may be used: on a terminal that knows them, if its user has not
// said otherwise. NO_COLOR wins (no-color.org); CLICOLOR and its like are those of bixense.com.
func coloured(terminal bool, env func(string) string) bool {
	forced := func(name string) bool { return env(name) != "" && env(name) != "0" && env(name) != "false" }
	switch {
	case env("NO_COLOR") != "":
		return false
	case forced("CLICOLOR_FORCE"), forced("FORCE_COLOR"):
		return true
	case env("TERM") == "dumb", env("TERM") == "", env("CLICOLOR") == "0":
		return false
	}
	return terminal
}

// Cells is how wide a text is: on a screen in cells, of which letters of Chinese and pictures take two
// and accents none; elsewhere in characters, as nobody knows the letters that it will be shown in.
func (s Screen) Cells(text string) int {
	if s.Width == 0 {
		return utf8.RuneCountInString(text)
	}
	for i := range len(text) {
		if text[i] < ' ' || text[i] > '~' {
			return uniseg.StringWidth(text)
		}
	}
	return len(text) // ASCII, as most cells are: tables of thousands of rows are measured many times
}

// First cuts off what fits into so many cells, but one letter at least: with an accent, or as a
// picture of several characters, a letter stays whole.
func (s Screen) First(text string, cells int) (first, rest string) {
	end, used, state := 0, 0, -1
	for rest = text; rest != ""; {
		var letter string
		if s.Width == 0 {
			_, n := utf8.DecodeRuneInString(rest)
			letter, rest = rest[:n], rest[n:]
		} else {
			letter, rest, _, state = uniseg.FirstGraphemeClusterInString(rest, state)
		}
		used += s.Cells(letter)
		if used > cells && end > 0 {
			break
		}
		end += len(letter)
	}
	return text[:end], text[end:]
}

// Fold breaks a line between words into lines of at most so many cells, all as far in as it is. A word that is wider stays
// whole, so that it can be copied. 0 is no limit.
func (s Screen) Fold(line string, cells int) []string {
	if cells <= 0 || s.Cells(line) <= cells {
		return []string{line}
	}
	in := line[:len(line)-len(strings.TrimLeft(line, " "))]
	if len(in) > cells/2 {
		in = ""
	}
	var out []string
	now, used := "", 0
	for _, word := range strings.Fields(line) {
		n := s.Cells(word)
		first := in + word
		if len(in)+n > cells {
			first = word
		}
		switch {
		case now == "":
			now, used = first, s.Cells(first)
		case used+1+n > cells:
			out = append(out, now)
			now, used = first, s.Cells(first)
		default:
			now, used = now+" "+word, used+1+n
		}
	}
	return append(out, now)
}

// FoldAll is Fold, which cuts words that are wider: no line is wider than the cells, unless a letter is.
func (s Screen) FoldAll(line string, cells int) []string {
	var out []string
	for _, part := range s.Fold(line, cells) {
		for left := s.Cells(part); cells > 0 && left > cells; {
			var first string
			first, part = s.First(part, cells)
			out, left = append(out, first), left-s.Cells(first)
		}
		out = append(out, part)
	}
	return out
}

// IsTerminal reports whether text goes to a terminal that can be drawn on.
func IsTerminal(w io.Writer) bool {
	return terminal(w) != nil && os.Getenv("TERM") != "dumb" && os.Getenv("TERM") != ""
}

// Redraw draws a picture on a terminal in place of the last one, which had so many rows, and returns
// how many this one has.
func Redraw(w io.Writer, rows int, draw func(io.Writer)) int {
	var picture bytes.Buffer
	draw(PrinterOn(&picture, ScreenOf(w)))
	p, ok := w.(*printer)
	if !ok {
		return 0
	}

	up := ""
	if rows > 0 {
		up = fmt.Sprintf("\r\x1b[%dA\x1b[J", rows)
	}
	if _, height, err := term.GetSize(int(terminal(w).Fd())); err == nil && rows >= height {
		up = "\x1b[H\x1b[2J" // what has left the screen cannot be drawn over
	}
	_ = p.print(up + picture.String())
	return strings.Count(picture.String(), "\n")
}
