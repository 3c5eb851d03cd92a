package text

import (
	"strings"
	"unicode"
)

// Plain makes text from outside safe to print: control characters, which could steer a
// terminal, marks that turn the direction of text, and letters without width become visible.
// Lines and tabs stay.
func Plain(s string) string {
	if !needsPlain(s) {
		return s
	}
	s = strings.ReplaceAll(s, "\r\n", "\n")
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t':
			return r
		case r == 0x1b:
			return '␛'
		case unicode.IsControl(r), unicode.Is(unicode.Bidi_Control, r), widthless(r):
			return '�'
		}
		return r
	}, s)
}

// widthless are letters that nobody sees and no script needs. Joiners (U+200C, U+200D) are left
// alone: emoji, and scripts such as Persian, need them.
func widthless(r rune) bool {
	return r == 0x200b || 0x2060 <= r && r <= 0x2064 || r == 0xfeff || 0xfff9 <= r && r <= 0xfffb
}

// needsPlain reports whether a text holds anything but printable ASCII, lines and tabs: most
// do not, and are not copied.
func needsPlain(s string) bool {
	for i := range len(s) {
		if c := s[i]; (c < ' ' || c > '~') && c != '\n' && c != '\t' {
			return true
		}
	}
	return false
}

// Line is Plain text in one line: it forges no further line of a table, of warnings, or of
// a message. Line ends are shown; other white space becomes a space.
func Line(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n':
			return '␊'
		case r == '\t', r == '\u2028', r == '\u2029':
			return ' '
		}
		return r
	}, Plain(s))
}
