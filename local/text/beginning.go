package text

import "strings"

// Clipped is a text as it stands, cut to a number of bytes where it is longer, with "…" behind it.
func Clipped(s string, most int) string {
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most], "") + "…"
}

// Beginning is a text in one line, cut to a number of letters where it is longer: at the end of a word
// if one is near, and with "…" behind it.
func Beginning(s string, most int) string {
	s = strings.Join(strings.Fields(s), " ")
	r := []rune(s)
	if len(r) <= most {
		return s
	}
	cut := string(r[:most])
	if at := strings.LastIndexByte(cut, ' '); at > len(cut)/2 {
		cut = cut[:at]
	}
	return cut + "…"
}
