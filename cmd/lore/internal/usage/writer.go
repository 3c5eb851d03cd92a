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
	to      io.Writer
	screen  *Screen // of tests; nil: what the writer is
	board   *board  // shows how far the command is; nil: nobody does
	results bool    // what is printed are results
	mu      sync.Mutex
	rest    []byte // the beginning of a character whose end is not written yet
}

// PrinterOn is a printer for a screen that is told, as tests and pictures that are drawn anew have it. It
// shows control characters instead of obeying them; styles are written by Paint alone.
func PrinterOn(to io.Writer, s Screen) io.Writer { return &printer{to: to, screen: &s} }

// Write is io.Writer's: it takes all of p or gives an error.
func (w *printer) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	data := append(w.rest, p...)
	end := len(data) - partial(data)
	w.rest = append([]byte(nil), data[end:]...)
	if err := w.print(Plain(string(data[:end]))); err != nil {
		return 0, err
	}
	return len(p), nil
}

// print writes, and keeps what shows progress out of it.
func (w *printer) print(text string) error {
	write := func() error {
		_, err := io.WriteString(w.to, text)
		return err
	}
	if w.board == nil {
		return write()
	}
	return w.board.around(text, w.results, write)
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
	_ = w.print(b.String()) // as with other text on a screen, nobody could be told
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
