package page

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"lore/cmd/lore/internal/store"
)

// takeReading says where the parts of an answer and its citations stand in its text, which the
// page shows letter for letter. What a folder says that somebody has edited is left out.
func (b *builder) takeReading(out *Answer, a store.Answer, data string) {
	at := newPlaces(a.Text)
	for _, p := range a.Parts {
		if !at.valid(p[0], p[1]) {
			out.Parts = nil
			break
		}
		out.Parts = append(out.Parts, [2]int{at.of(p[0]), at.of(p[1])})
	}
	if len(a.Parts) == 0 && len(a.Units) > 0 {
		for _, p := range found(a.Text, a.Units) {
			out.Parts = append(out.Parts, [2]int{at.of(p[0]), at.of(p[1])})
		}
	}
	if a.Cites == nil {
		return
	}

	out.Cites = []Cite{}
	for _, c := range a.Cites {
		if !at.valid(c.From, c.To) {
			continue
		}
		cite := Cite{From: at.of(c.From), To: at.of(c.To)}
		for _, d := range c.Cited {
			n, ok := b.docs[[2]string{data, d.Document}]
			if !ok || d.Document == "" {
				n = -1
			}
			cite.Labels, cite.Documents = append(cite.Labels, plain(d.Label)), append(cite.Documents, n)
		}
		out.Cites = append(out.Cites, cite)
	}
}

// places turns bytes of a text into places in what the page shows of it, as scripts count.
type places struct {
	text     string
	from, at int // the last place, which the next one goes on from
}

func newPlaces(text string) *places { return &places{text: text} }

func (p *places) valid(from, to int) bool {
	return 0 <= from && from <= to && to <= len(p.text) && boundary(p.text, from) && boundary(p.text, to)
}

func boundary(s string, at int) bool { return at == len(s) || utf8.RuneStart(s[at]) }

func (p *places) of(at int) int {
	if at < p.from {
		p.from, p.at = 0, 0
	}
	p.at += utf16Length(plain(p.text[p.from:at]))
	p.from = at
	return p.at
}

// addedCitations end a unit to which its citations were added in one form.
var addedCitations = regexp.MustCompile(` \[[\d, ]+\]$`)

// found are the places of units in an answer, in whose units white space and marks may be
// other ones; nil where one is not found.
func found(text string, units []string) [][2]int {
	var out [][2]int
	next := 0
	for _, unit := range units {
		from, length := lettersIn(text[next:], unit)
		if from < 0 {
			from, length = lettersIn(text[next:], addedCitations.ReplaceAllString(unit, ""))
		}
		if from < 0 {
			return nil
		}
		out = append(out, [2]int{next + from, next + from + length})
		next += from + length
	}
	return out
}

// mostBetween is how many letters may stand between two that follow each other in a unit: a
// mark that was taken out.
const mostBetween = 60

// lettersIn finds the letters of a unit in a text, in their order, and returns where they begin
// and how long they go on; -1 where they do not stand there.
func lettersIn(text, unit string) (from, length int) {
	if at := strings.Index(text, unit); at >= 0 && strings.TrimSpace(unit) != "" {
		return at, len(unit)
	}
	letters := []rune(strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) {
			return -1
		}
		return r
	}, unit))
	if len(letters) == 0 {
		return -1, 0
	}

	for start, r := range text {
		if r != letters[0] {
			continue
		}
		if end := follows(text[start:], letters); end > 0 {
			return start, end
		}
	}
	return -1, 0
}

// follows is how far into a text its letters are the given ones; 0 where they are not.
func follows(text string, letters []rune) int {
	i, since := 0, 0
	for at, r := range text {
		if r == letters[i] {
			i, since = i+1, 0
		} else if since++; since > mostBetween {
			return 0
		}
		if i == len(letters) {
			return at + utf8.RuneLen(r)
		}
	}
	return 0
}
