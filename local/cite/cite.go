// Package cite reads the marks by which an answer names its sources, in the forms that
// models and people use: [3], [3; 17], [3-17], [Document 3], [doc003], [title](doc003),
// (3, 17), (sources: doc003), superscripts, and footnotes with their definitions.
//
// A number in round brackets, in a superscript or inside a range may be anything. It is
// taken for a citation at the end of a line or sentence alone, and only of a document that
// exists; where it is not, it is counted as ignored.
package cite

import (
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Sources are the documents that an answer may cite.
type Sources struct {
	Count int // documents are numbered from 1 to Count

	// Named is the number of the document with an id or a title, whatever their case; nil:
	// documents have numbers only.
	Named func(name string) (int, bool)
}

// Line is a line of an answer with what it cites.
type Line struct {
	Text    string // without the marks; as it was where it has none
	Cited   []int  // numbers in ascending order; 0 stands for a number too long to be one
	Ignored int    // numbers in brackets, superscripts or ranges that were not taken for citations

	// From and To are where the line stands in the answer, in bytes, with its marks.
	From, To int
	Marks    []Mark
}

// Mark is a place in an answer that cites, in bytes, with the numbers it cites.
type Mark struct {
	From, To int
	Cited    []int
}

// With is the line with its citations in one form, at its end: text [3, 17].
func (l Line) With(text string) string {
	if len(l.Cited) == 0 {
		return text
	}
	list := make([]string, len(l.Cited))
	for i, n := range l.Cited {
		list[i] = strconv.Itoa(n)
	}
	return text + " [" + strings.Join(list, ", ") + "]"
}

// Lines reads an answer: its lines trimmed, without empty ones and definitions of
// footnotes. A line that holds nothing but citations belongs to the line before it.
func (s Sources) Lines(answer string) []Line {
	notes := s.footnotes(answer)
	var out []Line
	next := 0
	for whole := range strings.Lines(answer) {
		from := next + len(whole) - len(strings.TrimLeftFunc(whole, unicode.IsSpace))
		next += len(whole)
		raw := strings.TrimSpace(whole)
		if raw == "" || definition.MatchString(raw) {
			continue
		}

		l := s.line(raw, notes)
		l.move(from, len(raw))
		if last := len(out) - 1; last >= 0 && len(l.Cited) > 0 && !hasWord(l.Text) {
			out[last].join(l)
			continue
		}
		out = append(out, l)
	}
	return out
}

// move says where in the answer a line stands that is so long.
func (l *Line) move(from, length int) {
	l.From, l.To = from, from+length
	for i := range l.Marks {
		l.Marks[i].From += from
		l.Marks[i].To += from
	}
}

// join takes over what the line behind it cites, which says nothing else.
func (l *Line) join(behind Line) {
	l.Cited = union(l.Cited, behind.Cited)
	l.Ignored += behind.Ignored
	l.Marks = append(l.Marks, behind.Marks...)
	l.To = behind.To
}

// Strip is an answer without its marks. An answer without any is returned as it is.
func (s Sources) Strip(answer string) string {
	if !strings.ContainsAny(answer, mayMark) {
		return answer
	}

	notes := s.footnotes(answer)
	var b strings.Builder
	for raw := range strings.Lines(answer) {
		line := strings.TrimRight(raw, "\r\n")
		end := raw[len(line):]
		if definition.MatchString(strings.TrimSpace(line)) {
			continue
		}
		l := s.line(line, notes)
		if len(l.Cited) > 0 && !hasWord(l.Text) {
			continue
		}
		b.WriteString(l.Text + end)
	}
	return b.String()
}

// definition is the line that says what a footnote stands for.
var definition = regexp.MustCompile(`^\[\^([^\]\s]+)\]:\s*(.*)$`)

// footnotes are the documents of the footnotes that are defined, by label; none where the
// definition names no document that is known.
func (s Sources) footnotes(answer string) map[string][]int {
	notes := map[string][]int{}
	if !strings.Contains(answer, "[^") {
		return notes
	}

	for line := range strings.Lines(answer) {
		m := definition.FindStringSubmatch(strings.TrimSpace(line))
		if m == nil {
			continue
		}
		l := s.list(m[2])
		if len(l.cited) == 0 {
			l.cited = s.line(m[2], nil).Cited
		}
		notes[m[1]] = union(notes[m[1]], l.cited)
	}
	return notes
}

// mark finds what may be a citation: a link, a footnote, square, thick or round brackets,
// a superscript.
var mark = starting("![(<【⁰¹²³⁴⁵⁶⁷⁸⁹", `!?\[([^\[\]]*)\]\(([^()\s]*)(?:\s+"[^"]*")?\)`+
	`|\[\^([^\]\s]+)\]`+
	`|\[{1,2}([^\[\]]*)\]{1,2}`+
	`|【([^【】]*)】`+
	`|\(([^()]*)\)`+
	`|(?i:<sup>)(.*?)(?i:</sup>)`+
	`|([⁰¹²³⁴⁵⁶⁷⁸⁹]+(?:(?:\s?[,;‚˒]\s?|[⁻–-])[⁰¹²³⁴⁵⁶⁷⁸⁹]+)*)`)

// mayMark are characters of which every mark has one.
const mayMark = "[(<【:⁰¹²³⁴⁵⁶⁷⁸⁹"

// Groups of mark.
const (
	linkText = iota + 1
	linkTarget
	footnote
	square
	thick
	round
	sup
	superscript
)

// candidate is a place that may be a citation.
type candidate struct {
	start, end int
	cited      []int
	numbers    int    // bare ones, for the count of those ignored
	atEnd      bool   // it counts only at the end of a line or sentence
	keep       string // what stays of it in the text
	label      string // of a link, which stays unless the link stands at an end
}

// line reads one line.
func (s Sources) line(raw string, notes map[string][]int) Line {
	l := Line{Text: raw}
	if !strings.ContainsAny(raw, mayMark) {
		return l
	}
	var found []candidate
	for _, at := range mark.all(raw) {
		c := s.candidate(raw, at, notes)
		if len(c.cited) > 0 {
			found = append(found, c)
		} else {
			l.Ignored += c.numbers
		}
	}
	if c, ok := s.trailing(raw); ok && (len(found) == 0 || found[len(found)-1].end <= c.start) {
		found = append(found, c)
	}

	var taken []candidate
	for i, c := range found {
		end := ends(raw, found, i)
		if c.atEnd && !end {
			l.Ignored += max(1, c.numbers)
			continue
		}
		if c.label != "" && !end {
			c.keep = c.label
		}
		taken = append(taken, c)
		l.Cited = union(l.Cited, c.cited)
		l.Marks = append(l.Marks, Mark{c.start, c.end, c.cited})
	}
	if len(taken) > 0 {
		l.Text = without(raw, taken)
	}
	return l
}

// candidate reads one place that mark found.
func (s Sources) candidate(raw string, at []int, notes map[string][]int) candidate {
	c := candidate{start: at[0], end: at[1]}
	group := func(n int) (string, bool) {
		if at[2*n] < 0 {
			return "", false
		}
		return raw[at[2*n]:at[2*n+1]], true
	}

	if target, ok := group(linkTarget); ok {
		text, _ := group(linkText)
		s.link(&c, text, target)
	} else if label, ok := group(footnote); ok {
		c.cited = notes[label]
		if n, err := strconv.Atoi(label); err == nil {
			c.numbers = 1
			if _, defined := notes[label]; !defined && s.has(n) {
				c.cited = []int{n}
			}
		}
	} else if text, ok := group(square); ok {
		s.square(&c, text)
	} else if text, ok := group(thick); ok {
		s.square(&c, text)
	} else if text, ok := group(round); ok {
		s.round(&c, text)
	} else if text, ok := group(sup); ok {
		s.round(&c, strings.Trim(text, "[]() "))
	} else if text, ok := group(superscript); ok && !power(raw[:c.start]) {
		s.round(&c, plainDigits.Replace(text))
	}
	return c
}

// link reads [text](target): the target names a document, or else the text does.
func (s Sources) link(c *candidate, text, target string) {
	name := strings.TrimLeft(target, "#./<")
	if slash := strings.LastIndexByte(name, '/'); slash >= 0 && !s.knows(name) {
		name = name[slash+1:]
	}
	if dot := strings.LastIndexByte(name, '.'); dot > 0 && !s.knows(name) {
		name = name[:dot]
	}

	l := s.list(strings.TrimRight(name, ">"))
	if l.whole && s.exist(l.cited) && len(l.cited) > 0 {
		c.cited = l.cited
		if in := s.list(text); !in.whole || len(in.cited) == 0 {
			c.label = text
		}
		return
	}
	s.square(c, text)
}

// square reads what stands in square brackets. A list of numbers is a citation anywhere,
// as in the published rule, also of documents that do not exist.
func (s Sources) square(c *candidate, text string) {
	l := s.list(text)
	c.numbers = l.bare
	switch {
	case l.whole && l.ranged:
		c.atEnd = !l.explicit
		if s.exist(l.cited) {
			c.cited = l.cited
		}
	case l.whole:
		c.cited = l.cited
	case len(l.named) > 0: // something else stands beside the documents named
		c.cited = l.named
	}
}

// round reads what stands in round brackets or in a superscript.
func (s Sources) round(c *candidate, text string) {
	l := s.list(text)
	switch {
	case l.whole && s.exist(l.cited):
		c.cited, c.numbers = l.cited, l.bare
		c.atEnd = !l.explicit
	case l.whole:
		c.numbers = l.bare
	case len(l.named) > 0 && s.exist(l.named):
		c.cited, c.keep = l.named, "("+text+")"
	}
}

// listing is a text read as a list of documents.
type listing struct {
	cited    []int
	named    []int // those that were named by a word, an id or a title
	bare     int   // numbers without a word
	ranged   bool  // it has a range
	explicit bool  // nothing in it is a bare number
	whole    bool  // nothing else stands in it
}

var (
	leading = regexp.MustCompile(`(?i)^(?:see(?: also)?|cf\.?|from|in|e\.g\.,?)\s+`)
	noun    = `(?:sources?|documents?|docs?|references?|refs?|citations?|passages?|articles?|texts?)`
	heading = regexp.MustCompile(`(?i)^` + noun + `\b\.?\s*(?:nos?\.|numbers?)?\s*[:#]?\s*`)
	item    = regexp.MustCompile(`(?i)^` + noun + `[.\s_#:-]*(?:no\.?\s*)?(\d+)$`)
	span    = regexp.MustCompile(`(?i)^(?:` + noun + `\s*)?(\d+)\s*[-–—‑−]\s*(?:` + noun + `\s*)?(\d+)$`)
	comma   = regexp.MustCompile(`(?i)\s*[,;&|]\s*(?:and\s+)?|\s+and\s+`)
)

// list reads a text as a list of documents.
func (s Sources) list(text string) listing {
	text = strings.TrimSpace(text)
	if l, ok := numbers(text); ok {
		return l
	}
	if n, ok := s.named(text); ok {
		return listing{cited: []int{n}, named: []int{n}, explicit: true, whole: true}
	}

	text = leading.ReplaceAllString(text, "")
	worded := false
	if _, one := s.named(text); !one && !item.MatchString(text) {
		if at := heading.FindStringIndex(text); at != nil && at[1] < len(text) {
			worded, text = true, text[at[1]:]
		}
	}

	l := listing{whole: true, explicit: true}
	for _, part := range comma.Split(text, -1) {
		s.part(&l, part, worded)
	}
	l.whole = l.whole && len(l.cited) > 0
	slices.Sort(l.cited)
	l.cited = slices.Compact(l.cited)
	return l
}

// numbers reads the commonest list: numbers alone.
func numbers(text string) (listing, bool) {
	isSeparator := func(r rune) bool { return r == ',' || r == ';' || r == ' ' }
	var l listing
	for field := range strings.FieldsFuncSeq(text, isSeparator) {
		if !digits(field) {
			return l, false
		}
		l.cited = append(l.cited, number(field))
	}

	l.bare = len(l.cited)
	l.whole = l.bare > 0
	slices.Sort(l.cited)
	l.cited = slices.Compact(l.cited)
	return l, l.whole
}

// digits reports whether a text is digits and blanks alone.
func digits(text string) bool {
	return strings.TrimLeft(text, "0123456789 \t") == ""
}

// part reads one part of a list; worded says that a word such as "sources" stands before it.
func (s Sources) part(l *listing, part string, worded bool) {
	part, _, _ = strings.Cut(strings.Trim(part, "[]{} \t\"'“”"), "†") // 3†source
	part = strings.TrimSpace(part)
	if part == "" {
		return
	}
	if n, ok := s.named(part); ok {
		l.cited, l.named = append(l.cited, n), append(l.named, n)
		return
	}

	if m := item.FindStringSubmatch(part); m != nil {
		n := number(m[1])
		l.cited, l.named = append(l.cited, n), append(l.named, n)
		return
	}
	if m := span.FindStringSubmatch(part); m != nil {
		l.ranged = true
		from, to := number(m[1]), number(m[2])
		l.bare += 2
		if from > to || !s.has(from) || !s.has(to) {
			l.whole = false
			return
		}
		for n := from; n <= to; n++ {
			l.cited = append(l.cited, n)
		}
		l.explicit = l.explicit && worded
		return
	}

	if !digits(part) {
		l.whole = false
		return
	}
	for field := range strings.FieldsSeq(part) {
		l.bare++
		l.cited = append(l.cited, number(field))
		if worded {
			l.named = append(l.named, number(field))
		}
	}
	l.explicit = l.explicit && worded
}

// number is a document's number; 0, which none has, where it is too long.
func number(digits string) int {
	n, err := strconv.Atoi(digits)
	if err != nil {
		return 0
	}
	return n
}

func (s Sources) has(n int) bool { return n >= 1 && n <= s.Count }

func (s Sources) exist(numbers []int) bool {
	return !slices.ContainsFunc(numbers, func(n int) bool { return !s.has(n) })
}

func (s Sources) knows(name string) bool {
	_, ok := s.named(name)
	return ok
}

// named finds a document by id or title. A number alone is a document's place, never an id.
func (s Sources) named(name string) (int, bool) {
	if s.Named == nil || name == "" || digits(name) {
		return 0, false
	}
	return s.Named(name)
}

// closing words the end of a line: Sources: doc003, doc017.
var closing = regexp.MustCompile(`(?i)(?:^|[\s.!?—–-])(` + noun + `\s*:\s*[^()\[\]]+?)\.?\s*$`)

// trailing reads sources that stand at the end of a line without brackets.
func (s Sources) trailing(raw string) (candidate, bool) {
	if !strings.Contains(raw, ":") { // most lines, and the pattern is slow
		return candidate{}, false
	}
	at := closing.FindStringSubmatchIndex(raw)
	if at == nil {
		return candidate{}, false
	}
	l := s.list(raw[at[2]:at[3]])
	return candidate{start: at[2], end: len(raw), cited: l.cited}, l.whole && s.exist(l.cited)
}

// plainDigits writes superscripts on the line.
var plainDigits = strings.NewReplacer("⁰", "0", "¹", "1", "²", "2", "³", "3", "⁴", "4", "⁵", "5", "⁶", "6",
	"⁷", "7", "⁸", "8", "⁹", "9", "⁻", "-", "‚", ",", "˒", ",")

// powered ends a text whose next superscript is a power: a unit of length, or ten.
var powered = regexp.MustCompile(`(?:^|[\s\d/(·])(?:[kcdmnµμ]?m|ft|in|yd|mi|s)$|(?:^|\D)10$`)

func power(before string) bool { return powered.MatchString(before) }

// between is what may stand between two marks that belong together.
var between = regexp.MustCompile(`^[\s,;&]*(?:and\s+)?$`)

// stop ends a sentence after a mark, with what may close a quotation or emphasis.
var stop = regexp.MustCompile(`^[*_"'”’»)]*(?:[.!?…]+[*_"'”’»)]*(?:\s|$)|$)`)

// ends reports whether a candidate stands at the end of the line or of a sentence, alone or
// in a row of others.
func ends(raw string, found []candidate, i int) bool {
	last := i
	for last+1 < len(found) && between.MatchString(raw[found[last].end:found[last+1].start]) {
		last++
	}
	rest := raw[found[last].end:]
	if stop.MatchString(strings.TrimSpace(rest)) || stop.MatchString(rest) {
		return true
	}

	first := i
	for first > 0 && between.MatchString(raw[found[first-1].end:found[first].start]) {
		first--
	}
	before := strings.TrimRight(raw[:found[first].start], " \t*_\"'”’»)")
	mark, _ := utf8.DecodeLastRuneInString(before)
	next, _ := utf8.DecodeRuneInString(strings.TrimLeft(rest, " \t"))
	return strings.ContainsRune(".!?…", mark) && !unicode.IsLower(next)
}

var (
	hollow = starting("([", `\(\s*[,;]?\s*\)|\[\s*[,;]?\s*\]`)
	loose  = starting(" \t\n\f\r", `\s+([.,;:!?…])`)
	doubly = starting(".!?…", `([.!?…])\s*\.(\s|$)`)
	wide   = starting(" \t", `[ \t]{2,}`)
)

// without cuts marks out of a line, and what joined or held them.
func without(raw string, marks []candidate) string {
	var b strings.Builder
	at := 0
	for i, c := range marks {
		gap := raw[at:c.start]
		if i > 0 && marks[i-1].keep == "" && between.MatchString(gap) {
			gap = " "
		}
		b.WriteString(gap + c.keep)
		at = c.end
	}
	b.WriteString(raw[at:])

	indent := raw[:len(raw)-len(strings.TrimLeft(raw, " \t"))]
	text := hollow.replace(strings.TrimSpace(b.String()), "")
	text = wide.replace(text, " ")
	text = loose.replace(text, "$1")
	text = doubly.replace(text, "$1$2")
	return indent + strings.TrimRight(text, " \t,;—–")
}

// hasWord reports whether a text says anything besides a list mark.
func hasWord(s string) bool { return strings.IndexFunc(s, unicode.IsLetter) >= 0 }

// union is the numbers of both, in ascending order.
func union(a, b []int) []int {
	if len(a) == 0 && slices.IsSorted(b) {
		return slices.Clone(b)
	}
	set := map[int]bool{}
	for _, n := range slices.Concat(a, b) {
		set[n] = true
	}
	if len(set) == 0 {
		return nil
	}
	return slices.Sorted(maps.Keys(set))
}
