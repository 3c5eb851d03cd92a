package usage

import (
	"fmt"
	"io"
	"strings"
)

// Style is how a piece of text looks where styles are obeyed. It says nothing that the text does not.
type Style string

// The styles there are, as numbers of the escape sequence ESC [ … m.
const (
	Ordinary Style = ""
	Heading  Style = "1"    // bold
	Aside    Style = "2"    // dim: notes
	Best     Style = "1;32" // bold green
	Fine     Style = "32"   // green
	Caution  Style = "33"   // yellow: warnings
	Failure  Style = "31"   // red
)

// Piece is a text in one style.
type Piece struct {
	Text  string
	Style Style
}

// Paint writes pieces of text, with their styles where w is a screen that obeys them. Nothing in the
// texts themselves is obeyed.
func Paint(w io.Writer, pieces ...Piece) {
	if p, ok := w.(*printer); ok && ScreenOf(w).Colour {
		p.paint(pieces)
		return
	}
	var b strings.Builder
	for _, piece := range pieces {
		b.WriteString(piece.Text)
	}
	io.WriteString(w, b.String())
}

// widest is how many cells a line of running text has at most: longer ones are hard to read.
const widest = 100

// Wrap prints lines. On a screen they are broken between words, and "Warning:" stands out; elsewhere,
// as in a file, a line stays one.
func Wrap(w io.Writer, lines string) { WrapIn(w, Ordinary, lines) }

// WrapIn is Wrap in a style.
func WrapIn(w io.Writer, style Style, lines string) {
	s := ScreenOf(w)
	for line := range strings.SplitSeq(lines, "\n") {
		for _, part := range s.Fold(line, min(s.Width, widest)) {
			before, after, warns := strings.Cut(part, warning)
			if !warns {
				Paint(w, Piece{part, style}, Piece{Text: "\n"})
				continue
			}
			Paint(w, Piece{before, style}, Piece{warning, Caution}, Piece{after, style}, Piece{Text: "\n"})
		}
	}
}

// warning begins what is odd in running text.
const warning = "Warning:"

// leastBeside is how narrow text beside a label may become before it is left to the terminal.
const leastBeside = 24

// Beside prints a label and a text behind it. On a screen the text is broken between words, and
// goes on below itself.
func Beside(w io.Writer, text string, label ...Piece) {
	s := ScreenOf(w)
	indent := 0
	for _, l := range label {
		indent += s.Cells(l.Text)
	}
	room := min(s.Width, indent+widest) - indent
	if room < leastBeside {
		room = 0
	}

	for i, part := range s.Fold(text, room) {
		if i > 0 {
			label = []Piece{{Text: fmt.Sprintf("%*s", indent, "")}}
		}
		Paint(w, append(label[:len(label):len(label)], Piece{Text: part + "\n"})...)
	}
}
