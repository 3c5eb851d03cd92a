package build

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"lore/local/guard"
)

// leastSpan is the fewest words of a span: fewer stand in any document.
const leastSpan = 3

// verbatim finds a span in a document, and returns it as it stands there. White space,
// case, kinds of quotes and dashes, and marks around the span may differ; a word may
// not.
func verbatim(document, span string) (string, bool) {
	span = strings.Trim(strings.Trim(strings.TrimSpace(span), "…"), "\"'“”‘’«» ")
	span = strings.TrimSuffix(strings.TrimPrefix(span, "..."), "...")
	if span == "" {
		return "", false
	}
	if strings.Contains(document, span) {
		return span, true
	}

	text, at := folded(document)
	want, _ := folded(span)
	i := strings.Index(text, want)
	if i < 0 || want == "" {
		return "", false
	}
	return strings.TrimSpace(document[at[i]:at[i+len(want)]]), true
}

// folded makes texts that differ in white space, case, quotes and dashes alone equal.
// at holds, for every byte of the result and its end, the place in s.
func folded(s string) (text string, at []int) {
	var b strings.Builder
	space := true
	put := func(r rune, i int) {
		for range utf8.RuneLen(r) {
			at = append(at, i)
		}
		b.WriteRune(r)
	}

	for i, r := range s {
		if unicode.IsSpace(r) {
			if !space {
				put(' ', i)
			}
			space = true
			continue
		}
		space = false

		switch r {
		case '“', '”', '«', '»', '„':
			r = '"'
		case '‘', '’', '‚':
			r = '\''
		case '–', '—', '‑', '−':
			r = '-'
		case utf8.RuneError:
			r = '?'
		}
		put(unicode.ToLower(r), i)
	}
	return b.String(), append(at, len(s))
}

// ground returns the point with its spans as they stand in the document, or why it is
// rejected.
func (p extracted) ground(document string) (extracted, string) {
	switch {
	case p.Text == "":
		return p, "the point has no text"
	case len(p.Spans) == 0:
		return p, "the point has no span"
	}

	out := extracted{Text: p.Text, Repaired: p.Repaired}
	shown, _ := guard.Text(document) // what the model copied from
	for _, s := range p.Spans {
		found, ok := verbatim(document, s)
		if !ok {
			found, ok = verbatim(shown, s)
		}
		switch {
		case !ok:
			return p, fmt.Sprintf("the span %q does not stand in the document", s)
		case len(strings.Fields(found)) < leastSpan:
			return p, fmt.Sprintf("the span %q has fewer than %d words", s, leastSpan)
		}
		if !slices.Contains(out.Spans, found) {
			out.Spans = append(out.Spans, found)
		}
	}
	return out, ""
}
