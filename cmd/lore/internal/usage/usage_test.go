package usage

import (
	"bytes"
	"testing"
)

func TestNearest(t *testing.T) {
	known := []string{"summhay", "msrs", "crux", "long2rag"}
	for name, want := range map[string]string{
		"sumhay": "summhay", "SummHay": "summhay", "longrag": "long2rag", "cruz": "crux", "msr": "msrs",
		"klingon": "", "": "", "x": "", "pdf": "",
	} {
		if got := Nearest(name, known); got != want {
			t.Errorf("%q: %q, want %q", name, got, want)
		}
	}
}

func TestUnknown(t *testing.T) {
	for name, want := range map[string]string{
		"cruz": `unknown benchmark "cruz"; did you mean crux? There are: crux, msrs`,
		"nope": `unknown benchmark "nope". There are: crux, msrs`,
	} {
		if got := Unknown("benchmark", name, []string{"crux", "msrs"}).Error(); got != want {
			t.Errorf("%s", got)
		}
	}
}

// What comes from outside cannot steer a terminal, and the zero console is silent.
func TestConsole(t *testing.T) {
	var buf bytes.Buffer
	c := NewConsole(&buf)
	c.Warn("a \x1b[31mred\x07 name")
	c.Note("two")
	c.Start("phase", 3)(2)
	if got, want := buf.String(), "warning: a ␛[31mred� name\nnote: two\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}

	var silent Console
	silent.Warn("x")
	silent.Start("phase", 1)(1)
}

// A warning is told by its word; the colour of the word is all that colours change.
func TestConsoleInColour(t *testing.T) {
	buf, w := on(Screen{Width: 80, Colour: true})
	NewConsole(w).Warn("a \x1b[31mred name")
	if got, want := buf.String(), "\x1b[33mwarning:\x1b[0m a ␛[31mred name\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
