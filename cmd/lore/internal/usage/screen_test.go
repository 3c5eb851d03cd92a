package usage

import (
	"bytes"
	"os"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/rivo/uniseg"
)

// on is a writer for a screen, with what it wrote.
func on(s Screen) (*bytes.Buffer, *printer) {
	var buf bytes.Buffer
	return &buf, PrinterOn(&buf, s).(*printer)
}

func TestFold(t *testing.T) {
	wide := Screen{Width: 80}
	for width, want := range map[int][]string{
		0:  {"ab cd éfgh i"},
		12: {"ab cd éfgh i"},
		6:  {"ab cd", "éfgh i"},
		3:  {"ab", "cd", "éfgh", "i"},
	} {
		for _, s := range []Screen{{}, wide} {
			if got := s.Fold("ab cd éfgh i", width); !slices.Equal(got, want) {
				t.Errorf("%d: %q, want %q", width, got, want)
			}
		}
	}
	if got, want := wide.FoldAll("検索 システム abcdefg", 5), []string{"検索", "シス", "テム", "abcde", "fg"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if first, rest := wide.First("👩‍🔬e\u0301x", 1); first != "👩‍🔬" || rest != "e\u0301x" {
		t.Errorf("%q %q", first, rest)
	}
	if n := (Screen{}).Cells("検索"); n != 2 {
		t.Errorf("%d characters in a file", n)
	}
}

// FuzzFoldAll folds without losing a letter, and no line is wider than it may be.
func FuzzFoldAll(f *testing.F) {
	f.Add("ab cd éfgh i", 3)
	f.Add("検索 システム👩‍🔬\u200b", 2)
	f.Fuzz(func(t *testing.T, text string, cells int) {
		if !utf8.ValidString(text) || cells < 2 || cells > 300 || len(text) > 2000 {
			return
		}
		text = Line(text)
		lines := Screen{Width: 80}.FoldAll(text, cells)
		bare := func(s string) string { return strings.Join(strings.Fields(s), "") }
		if bare(strings.Join(lines, "")) != bare(text) {
			t.Errorf("%q became %q", text, lines)
		}
		for _, l := range lines {
			if uniseg.StringWidth(l) > cells {
				t.Errorf("%q has more than %d cells", l, cells)
			}
		}
	})
}

// NO_COLOR wins, then what forces colours, then what the terminal is.
// What stands further in stays there, and so does the rest of its words.
func TestFoldKeepsTheIndent(t *testing.T) {
	got := Screen{}.Fold("  without a number, date or name", 16)
	want := []string{"  without a", "  number, date", "  or name"}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestColoured(t *testing.T) {
	for _, c := range []struct {
		terminal bool
		env      string
		want     bool
	}{
		{true, "TERM=xterm", true},
		{false, "TERM=xterm", false},
		{true, "TERM=xterm NO_COLOR=1", false},
		{true, "TERM=xterm NO_COLOR=0", false}, // any value that is not empty
		{true, "TERM=xterm NO_COLOR=", true},
		{true, "TERM=dumb", false},
		{true, "", false},
		{true, "TERM=xterm CLICOLOR=0", false},
		{false, "CLICOLOR_FORCE=1", true},
		{false, "FORCE_COLOR=1", true},
		{false, "FORCE_COLOR=0 TERM=xterm", false},
		{false, "FORCE_COLOR=1 NO_COLOR=1", false},
	} {
		env := map[string]string{}
		for pair := range strings.FieldsSeq(c.env) {
			name, value, _ := strings.Cut(pair, "=")
			env[name] = value
		}
		if got := coloured(c.terminal, func(name string) string { return env[name] }); got != c.want {
			t.Errorf("%+v: %v", c, got)
		}
	}
}

// A file and a pipe are no screens, whatever prints there.
func TestNoScreen(t *testing.T) {
	read, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer read.Close()
	defer write.Close()
	for _, name := range []string{"NO_COLOR", "CLICOLOR_FORCE", "FORCE_COLOR"} {
		t.Setenv(name, "")
	}
	t.Setenv("TERM", "xterm")
	for _, s := range []Screen{ScreenOf(write), ScreenOf(Printer(write)), ScreenOf(&bytes.Buffer{}), ScreenOf(Printer(&bytes.Buffer{}))} {
		if s != (Screen{}) {
			t.Errorf("%+v", s)
		}
	}
	t.Setenv("FORCE_COLOR", "1")
	if got := ScreenOf(Printer(write)); got != (Screen{Colour: true}) {
		t.Errorf("%+v", got)
	}
}

// Styles are obeyed, and what is in the texts is not.
func TestPaint(t *testing.T) {
	pieces := []Piece{{"a\x1b[31m ", Heading}, {Text: "b\x07"}, {"", Failure}, {"\n", Aside}}
	buf, w := on(Screen{Colour: true})
	w.Write([]byte("\xe6\x97")) // half a character
	Paint(w, pieces...)
	if got, want := buf.String(), "��\x1b[1ma␛[31m \x1b[0mb�\x1b[2m\n\x1b[0m"; got != want {
		t.Errorf("%q, want %q", got, want)
	}

	buf, w = on(Screen{Width: 80})
	Paint(w, pieces...)
	if got, want := buf.String(), "a␛[31m b�\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestWrap(t *testing.T) {
	const text = "one line  as it is\n\nand another"
	var file bytes.Buffer
	Wrap(&file, text)
	if got, want := file.String(), text+"\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}

	buf, w := on(Screen{Width: 11, Colour: true})
	Wrap(w, "x. Warning: one two")
	if got, want := buf.String(), "x. \x1b[33mWarning:\x1b[0m\none two\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}

	buf, w = on(Screen{Width: 300})
	Wrap(w, strings.Repeat("word ", 60)) // wide lines are hard to read
	for line := range strings.Lines(buf.String()) {
		if len(line) > widest+1 {
			t.Errorf("%q has %d letters", line, len(line)-1)
		}
	}
}

func TestBeside(t *testing.T) {
	label := []Piece{{"ok ", Fine}, {Text: "disk "}}
	const text = "enough room for everything that is to be written there"
	var file bytes.Buffer
	Beside(&file, text, label...)
	if got, want := file.String(), "ok disk "+text+"\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	buf, w := on(Screen{Width: 40, Colour: true})
	Beside(w, text, label...)
	want := "\x1b[32mok \x1b[0mdisk enough room for everything that\n        is to be written there\n"
	if got := buf.String(); got != want {
		t.Errorf("%q, want %q", got, want)
	}
	buf, w = on(Screen{Width: 20}) // too narrow for two columns
	Beside(w, text, label...)
	if got, want := buf.String(), "ok disk "+text+"\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
