package usage

import (
	"io"
	"os"
	"strings"
	"sync"
	"unicode/utf8"

	"golang.org/x/term"
)

// printer lets nothing through that could steer a terminal, whatever prints there: names of
// files, answers of models, words of a server.
type printer struct {
	to     io.Writer
	screen *Screen // of tests; nil: what the writer is
	mu     sync.Mutex
	rest   []byte // the beginning of a character whose end is not written yet
}

// Printer makes a writer show control characters instead of obeying them. Bars, which steer
// the terminal on purpose, are drawn past it, and styles are written by Paint alone.
func Printer(to io.Writer) io.Writer { return &printer{to: to} }

// PrinterOn is Printer for a screen that is told, as tests do.
func PrinterOn(to io.Writer, s Screen) io.Writer { return &printer{to: to, screen: &s} }

// Write is io.Writer's: it takes all of p or gives an error.
func (w *printer) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	data := append(w.rest, p...)
	end := len(data) - partial(data)
	w.rest = append([]byte(nil), data[end:]...)
	if _, err := io.WriteString(w.to, Plain(string(data[:end]))); err != nil {
		return 0, err
	}
	return len(p), nil
}

// partial is how many bytes at the end begin a character that goes on, or a line end.
func partial(data []byte) int {
	if n := len(data); n > 0 && data[n-1] == '\r' {
		return 1
	}
	for n := 1; n < utf8.UTFMax && n <= len(data); n++ {
		tail := data[len(data)-n:]
		if utf8.RuneStart(tail[0]) {
			if utf8.FullRune(tail) {
				return 0
			}
			return n
		}
	}
	return 0
}

// paint writes pieces with their styles.
func (w *printer) paint(pieces []Piece) {
	w.mu.Lock()
	defer w.mu.Unlock()
	var b strings.Builder
	b.WriteString(Plain(string(w.rest)))
	w.rest = nil
	for _, piece := range pieces {
		if piece.Style == Ordinary || piece.Text == "" {
			b.WriteString(Plain(piece.Text))
			continue
		}
		b.WriteString("\x1b[" + string(piece.Style) + "m" + Plain(piece.Text) + "\x1b[0m")
	}
	io.WriteString(w.to, b.String())
}

// terminal is the terminal that a writer prints on; nil where it is none.
func terminal(w io.Writer) *os.File {
	if p, ok := w.(*printer); ok {
		w = p.to
	}
	f, ok := w.(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) {
		return nil
	}
	return f
}
