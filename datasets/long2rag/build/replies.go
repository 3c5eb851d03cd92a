package build

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"lore/datasets/stage"
	"lore/local"
)

// Replies of the build that are no JSON: small models copy text more faithfully
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
		closing := m[3] > m[2]
		if m[6] >= 0 {
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
		r.points = append(r.points, extracted{Text: clean(pointStart.ReplaceAllString(lastLine(r.last), "")), Repaired: true})
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

// leastSpan is the fewest words of a span: fewer stand in any document.
const leastSpan = 3

// verbatim finds a span in a document, and returns it as it stands there. White space,
// case, kinds of quotes and dashes, and marks around the span may differ; a word may
// not.
func verbatim(document, span string) (string, bool) {
	span = strings.TrimFunc(strings.Trim(strings.TrimSpace(span), "…"), func(r rune) bool { return strings.ContainsRune("\"'“”‘’«» ", r) })
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
	for _, s := range p.Spans {
		found, ok := verbatim(document, s)
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

// group is a point that stands for several others, by their numbers from 1.
type group struct {
	Text    string
	Members []int
}

var (
	originals = regexp.MustCompile(`\[([\d\s,;]+)\]`)
	numbers   = regexp.MustCompile(`\d+`)
)

// readGroups reads lines such as "Point 2: text [1, 4]". A line that begins no point
// goes on with the one before.
func readGroups(reply local.Reply) (groups []group, problem string) {
	body, problem := stage.Plain(reply)
	if problem != "" {
		return nil, problem
	}
	var blocks []string
	for line := range strings.Lines(body) {
		switch loc := pointStart.FindStringIndex(line); {
		case loc != nil:
			blocks = append(blocks, line[loc[1]:])
		case len(blocks) > 0:
			blocks[len(blocks)-1] += " " + line
		}
	}
	for _, b := range blocks {
		all := originals.FindAllStringSubmatchIndex(b, -1)
		if len(all) == 0 {
			continue // its originals are then in no point
		}
		last := all[len(all)-1]
		g := group{Text: clean(tagNames.ReplaceAllString(b[:last[0]], " "))}
		for _, n := range numbers.FindAllString(b[last[2]:last[3]], -1) {
			v, err := strconv.Atoi(n)
			if err == nil {
				g.Members = append(g.Members, v)
			}
		}
		groups = append(groups, g)
	}
	if len(groups) == 0 {
		return nil, fmt.Sprintf("%s: no point names its original points in brackets", local.BadFormat)
	}
	return groups, ""
}

// partition says how groups fail to hold each of n originals once; "" if they do.
func partition(groups []group, n int) string {
	times := make([]int, n+1)
	var unknown, twice, lost []string
	for _, g := range groups {
		for _, m := range g.Members {
			if m < 1 || m > n {
				unknown = append(unknown, strconv.Itoa(m))
			} else {
				times[m]++
			}
		}
	}
	for m := 1; m <= n; m++ {
		switch {
		case times[m] == 0:
			lost = append(lost, strconv.Itoa(m))
		case times[m] > 1:
			twice = append(twice, strconv.Itoa(m))
		}
	}
	var parts []string
	for _, p := range []struct {
		what string
		list []string
	}{{"in no point", lost}, {"in more than one point", twice}, {"not among the original points", unknown}} {
		if len(p.list) > 0 {
			parts = append(parts, strings.Join(p.list, ", ")+" "+p.what)
		}
	}
	return strings.Join(parts, "; ")
}

// repaired makes a partition of groups: an original stays in the first group that names
// it, and one that no group names is kept apart. A group without text takes that of its
// first original.
func repaired(groups []group, texts []string) []group {
	taken := make([]bool, len(texts)+1)
	var out []group
	for _, g := range groups {
		var members []int
		for _, m := range g.Members {
			if m >= 1 && m <= len(texts) && !taken[m] {
				taken[m] = true
				members = append(members, m)
			}
		}
		if len(members) == 0 {
			continue
		}
		if g.Text == "" {
			g.Text = texts[members[0]-1]
		}
		out = append(out, group{g.Text, members})
	}
	for m := 1; m <= len(texts); m++ {
		if !taken[m] {
			out = append(out, group{texts[m-1], []int{m}})
		}
	}
	return out
}

// scoreTokens bounds a reply that should be YES or NO.
const scoreTokens = 16

// readSignificance reads exp(YES) / (exp(YES) + exp(NO)) off the probabilities at the
// first token that begins YES or NO (the paper's equation 3): the answer may stand in a
// sentence, or after thoughts. A reply without such a token has no score.
func readSignificance(r local.Reply) (score float64, problem string) {
	if r.Outcome != local.OK && r.Outcome != local.Cut && r.Outcome != local.Empty {
		return 0, fmt.Sprintf("%s: %s", r.Outcome, r.Detail)
	}
	if len(r.Logprobs) == 0 {
		return 0, fmt.Sprintf("%s: the server gave no log-probabilities; it needs to be 0.12.11 or newer", local.RefusedOption)
	}
	thinking := false
	for _, t := range r.Logprobs {
		switch token := strings.TrimSpace(t.Token); {
		case strings.HasPrefix(token, "<think"):
			thinking = true
		case strings.HasPrefix(token, "</think"):
			thinking = false
		case thinking || yesNo(token) == "":
		default:
			p := map[string]float64{}
			for _, alternative := range t.Top {
				p[yesNo(alternative.Token)] += math.Exp(alternative.Logprob)
			}
			if p["YES"]+p["NO"] > 0 {
				return p["YES"] / (p["YES"] + p["NO"]), ""
			}
		}
	}
	return 0, fmt.Sprintf("%s: neither YES nor NO is among the first %d tokens", local.BadFormat, len(r.Logprobs))
}

// yesNo is YES or NO if a token is that word or begins it, else "".
func yesNo(token string) string {
	t := strings.ToUpper(strings.Trim(token, " \n\t*\"'`.,:!_"))
	for _, word := range []string{"YES", "NO"} {
		if t != "" && strings.HasPrefix(word, t) {
			return word
		}
	}
	return ""
}
