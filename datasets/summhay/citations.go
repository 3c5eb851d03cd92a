package summhay

import (
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"lore/datasets"
	"lore/local/cite"
	"lore/local/text"
)

// Rules by which citations are read, the values of --citations.
const (
	usual  = "usual"  // the usual forms, of package cite
	strict = "strict" // the published rule: Citations
)

// bullet is a line of an answer as it is judged and scored.
type bullet struct {
	unit    string // what a judge is shown
	text    string // without marks
	cited   map[int]bool
	ignored int // numbers that were not taken for citations

	// Where it stands in the answer as it came, with its citations, in bytes.
	at    [2]int
	marks []cite.Mark
}

// rule is how an output is read: as the user says, else recorded summaries by the
// published rule and others in the usual forms.
func (it *item) rule(out datasets.Output) string {
	switch {
	case it.haystack.citations != "":
		return it.haystack.citations
	case out.Recorded:
		return strict
	}
	return usual
}

// read cuts an answer into the lines that count as bullets, with what each cites. In the
// usual forms bullets that were wrapped are one again, and a judge is shown all citations
// in one form, so that the same answer is judged the same in every style.
//
// An answer is read for its questions, its figures, its notes and the page. It is kept between
// these, so nobody may change what is returned.
func (it *item) read(out datasets.Output) []bullet {
	key := answerRead{out.Text, it.rule(out) == strict}
	return it.haystack.answers.get(key, func() []bullet { return it.readAfresh(key) })
}

func (it *item) readAfresh(out answerRead) []bullet {
	var lines []bullet
	if out.strict {
		next := 0
		for _, text := range Lines(out.text) {
			at := next + strings.Index(out.text[next:], text)
			next = at + len(text)
			plain := strings.Join(strings.Fields(citation.ReplaceAllLiteralString(text, " ")), " ")
			lines = append(lines, bullet{
				unit:  text,
				text:  plain,
				cited: Citations(text),
				at:    [2]int{at, next},
				marks: strictMarks(text, at),
			})
		}
		return lines
	}

	whole := unwrapped(out.text)
	for _, l := range it.haystack.sources().Lines(whole.text) {
		cited := map[int]bool{}
		for _, n := range l.Cited {
			cited[n] = true
		}
		b := bullet{unit: l.With(l.Text), text: l.Text, cited: cited, ignored: l.Ignored}
		b.at = [2]int{whole.place(l.From), whole.place(l.To)}
		for _, m := range l.Marks {
			b.marks = append(b.marks, cite.Mark{From: whole.place(m.From), To: whole.place(m.To), Cited: m.Cited})
		}
		lines = append(lines, b)
	}
	return lines
}

// reading says where the lines of an answer stand that are judged, and what cites there.
func (it *item) reading(e datasets.Evidence) datasets.Reading {
	out := datasets.Reading{Marks: []datasets.Citation{}}
	for _, l := range it.read(e.Output) {
		out.Parts = append(out.Parts, l.at)
		for _, m := range l.marks {
			mark := datasets.Citation{From: m.From, To: m.To}
			for _, n := range m.Cited {
				s := datasets.Cited{Label: strconv.Itoa(n)}
				if n >= 1 && n <= len(it.haystack.corpus.Documents) {
					s.Document = it.haystack.corpus.Documents[n-1].ID
				}
				mark.Cited = append(mark.Cited, s)
			}
			out.Marks = append(out.Marks, mark)
		}
	}
	return out
}

func units(lines []bullet) []string {
	var out []string
	for _, l := range lines {
		out = append(out, l.unit)
	}
	return out
}

// sources are the haystack's documents by place, id and title.
func (h *haystack) sources() cite.Sources {
	return cite.Sources{Count: len(h.corpus.Documents), Named: func(name string) (int, bool) {
		n := h.names[foldName(name)]
		return n, n > 0
	}}
}

// foldName is a document's id or title as it is compared: in lower case, single spaces.
func foldName(name string) string { return strings.ToLower(strings.Join(strings.Fields(name), " ")) }

// Lines cuts an answer into the lines that count as bullets in the published scoring:
// split at line ends, trimmed, empty ones dropped. Headings stay.
func Lines(answer string) []string {
	var out []string
	for line := range strings.Lines(answer) {
		if line = strings.TrimSpace(line); line != "" {
			out = append(out, line)
		}
	}
	return out
}

// citation matches square brackets that hold only digits, commas and spaces.
var citation = regexp.MustCompile(`\[([\d, ]+)\]`)

// Citations returns the set of document numbers a line cites by the published rule. A
// number too long to be a document still counts as cited, as document 0, which does not
// exist.
func Citations(line string) map[int]bool {
	cited := map[int]bool{}
	for _, m := range citation.FindAllStringSubmatch(line, -1) {
		for _, field := range strings.FieldsFunc(m[1], func(r rune) bool { return r == ',' || r == ' ' }) {
			n, err := strconv.Atoi(field)
			if err != nil {
				n = 0
			}
			cited[n] = true
		}
	}
	return cited
}

// label is the place of a document in the haystack, by which it is cited.
func (it *item) label(document string) string {
	place, _ := it.haystack.corpus.Place(document)
	return strconv.Itoa(place + 1)
}

// strictMarks are the places of a line that cite by the published rule; at is that of the line.
func strictMarks(line string, at int) []cite.Mark {
	var out []cite.Mark
	for _, m := range citation.FindAllStringIndex(line, -1) {
		cited := slices.Sorted(maps.Keys(Citations(line[m[0]:m[1]])))
		out = append(out, cite.Mark{From: at + m[0], To: at + m[1], Cited: cited})
	}
	return out
}

// listMark begins a bullet.
var listMark = regexp.MustCompile(`^(?:[-*+•–—◦▪‣·]|\d{1,3}[.)])\s+`)

// asAsked is the answer cut to the length that was asked for: its first bullets in its own
// order, as many as insights were asked for, and of these the first 300 words. Marks and citations
// are no words, and a bullet that is cut keeps its citations. Where an answer marks its bullets,
// lines without a mark are none.
func (it *item) asAsked(lines []bullet) (cut []bullet, differs bool) {
	marked := 0
	for _, l := range lines {
		if listMark.MatchString(l.text) {
			marked++
		}
	}

	left := answerWords
	for _, l := range lines {
		if len(cut) == len(it.insights) || left == 0 {
			break
		}
		mark := listMark.FindString(l.text)
		if marked > 0 && mark == "" {
			continue
		}
		first, shortened := text.First(l.text[len(mark):], left)
		if shortened {
			l.text = mark + first
			l.unit = cite.Line{Cited: slices.Sorted(maps.Keys(l.cited))}.With(l.text)
			differs = true
		}
		left -= text.Count(first)
		cut = append(cut, l)
	}
	return cut, differs || len(cut) != len(lines)
}
