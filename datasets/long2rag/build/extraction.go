package build

import (
	"fmt"
	"regexp"
	"strings"

	"lore/datasets/stage"
	"lore/local"
)

// Replies of the build that are not JSON: small models copy text more faithfully
// between tags than into a JSON string. Each reader says what it repaired and refuses
// the rest with a reason.

// extracted is a point as a model gave it.
type extracted struct {
	Text     string
	Spans    []string
	Repaired bool // a tag was missing
}

var (
	tagNames   = regexp.MustCompile(`(?i)<\s*(/?)\s*(point|span)(?:_(start|end))?\s*>`)
	noneAtAll  = regexp.MustCompile(`(?i)^\W*(none|no key points?)\b\W*$`)
	pointStart = regexp.MustCompile(`(?i)^[\s*#-]*(?:point\s*)?\d+\s*[*]*\s*[:.)]\s*`)
)

// readExtraction reads points between <point> and </point>, each with spans between
// <span> and </span>; the paper's <point_start> and the like are read, too. Numbers in
// front do not matter. A tag that is not closed ends at the next tag or line end, and
// one that is not opened begins after the tag before. A reply of NONE has no points.
func readExtraction(reply local.Reply) (points []extracted, problem string) {
	body, problem := stage.Plain(reply)
	if problem != "" || noneAtAll.MatchString(body) {
		return nil, problem
	}

	var r tagReader
	at := 0
	for _, m := range tagNames.FindAllStringSubmatchIndex(body, -1) {
		r.text(body[at:m[0]])
		at = m[1]
		closing := m[3] > m[2] // has a slash
		if m[6] >= 0 {         // or ends in _start or _end
			closing = strings.EqualFold(body[m[6]:m[7]], "end")
		}
		r.tag(strings.ToLower(body[m[4]:m[5]]), closing)
	}
	r.text(body[at:])
	r.finish()

	if len(r.points) == 0 {
		return nil, fmt.Sprintf("%s: no point stands between <point> and </point>", local.BadFormat)
	}
	return r.points, ""
}

// closedPoints is an extraction that was cut up to its last closed span, with the number
// of its points. Where no span is closed, the last line is left out.
func closedPoints(text string) (whole string, points int) {
	end := strings.LastIndexByte(text, '\n') + 1
	for _, m := range tagNames.FindAllStringSubmatchIndex(text, -1) {
		name := strings.ToLower(text[m[4]:m[5]])
		closing := m[3] > m[2] || m[6] >= 0 && strings.EqualFold(text[m[6]:m[7]], "end")
		if name == "span" && closing {
			end = m[1]
		}
	}

	whole = text[:end]
	list, _ := readExtraction(local.Reply{Outcome: local.OK, Text: whole})
	return whole, len(list)
}

// tagReader reads tags and the text between them.
type tagReader struct {
	points []extracted
	open   string // point or span; empty between tags
	last   string // text since the last tag
}

func (r *tagReader) text(s string) { r.last = s }

func (r *tagReader) current() *extracted {
	if len(r.points) == 0 {
		return nil
	}
	return &r.points[len(r.points)-1]
}

func (r *tagReader) tag(name string, closing bool) {
	switch {
	case closing && name == r.open:
		r.take(r.last, false)
	case closing && name == "point": // it was never opened
		r.finish()
		text := clean(pointStart.ReplaceAllString(lastLine(r.last), ""))
		r.points = append(r.points, extracted{Text: text, Repaired: true})
	case closing: // a span that was never opened
		if p := r.current(); p != nil && r.open == "" && clean(r.last) != "" {
			p.Spans, p.Repaired = append(p.Spans, clean(r.last)), true
		} else {
			r.finish()
		}
	default:
		r.finish()
		if name == "point" {
			r.points = append(r.points, extracted{})
		}
		r.open = name
		return
	}
	r.open = ""
}

// finish closes a tag that was left open: at the line's end.
func (r *tagReader) finish() {
	if r.open != "" {
		line, _, _ := strings.Cut(strings.TrimLeft(r.last, "\n"), "\n")
		r.take(line, true)
	}
	r.open = ""
}

func (r *tagReader) take(s string, repaired bool) {
	p := r.current()
	if p == nil {
		return // a span before any point
	}
	if r.open == "point" {
		p.Text = clean(s)
	} else if s = clean(s); s != "" {
		p.Spans = append(p.Spans, s)
	}
	p.Repaired = p.Repaired || repaired
}

func clean(s string) string { return strings.Join(strings.Fields(s), " ") }

func lastLine(s string) string {
	s = strings.TrimSpace(s)
	return s[strings.LastIndexByte(s, '\n')+1:]
}
