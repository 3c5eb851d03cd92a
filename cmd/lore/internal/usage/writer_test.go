package usage

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"testing"
)

// Nothing that steers a terminal gets through, and characters may come in pieces.
func TestPrinter(t *testing.T) {
	var buf bytes.Buffer
	w := Printer(&buf)
	for _, s := range []string{"a\x1b[31m ", "\xe6\x97", "\xa5", "\r", "\nb\tc", "\xf0\x9f\x98", "\x80", "\u202e", "\xff", "\n"} {
		if n, err := fmt.Fprint(w, s); n != len(s) || err != nil {
			t.Errorf("%q: %d %v", s, n, err)
		}
	}
	if got, want := buf.String(), "a␛[31m 日\nb\tc😀��\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if ScreenOf(w) != (Screen{}) || terminal(w) != nil {
		t.Error("a buffer is a terminal")
	}
	if _, err := Printer(broken{}).Write([]byte("x")); err == nil {
		t.Error("an error of writing is lost")
	}
}

// Printer is one without a screen.
func Printer(to io.Writer) io.Writer { return &printer{to: to} }

type broken struct{}

func (broken) Write([]byte) (int, error) { return 0, errors.New("full") }

func FuzzPrinter(f *testing.F) {
	f.Add([]byte("a\x1bé\r\n"), 3)
	f.Fuzz(func(t *testing.T, data []byte, cut int) {
		cut = max(0, min(cut, len(data)))
		var one, two bytes.Buffer
		_, _ = Printer(&one).Write(data)
		w := Printer(&two)
		_, _ = w.Write(data[:cut])
		_, _ = w.Write(data[cut:])
		if one.String() != two.String() {
			t.Errorf("%q cut at %d: %q and %q", data, cut, one.String(), two.String())
		}
	})
}
