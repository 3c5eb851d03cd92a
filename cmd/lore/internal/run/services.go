package run

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"lore/cmd/lore/internal/models"
	"lore/cmd/lore/internal/usage"
	"lore/datasets"
	"lore/local"
	remote "lore/local/system"
	"lore/local/text"
)

// readCounts are what was odd about the replies of a system that a file describes.
type readCounts struct {
	replies, odd, unreadable      int
	texts, unmatched, ambiguous   int
	cited, unknown                int
	ids, missed                   int // of documents, and those in which the pattern found nothing
	oddExample, unreadableExample string
	unmatchedExample              string
	missedExample                 string
}

// example keeps the first one in the order of texts: replies come in any order.
func example(kept *string, one string) {
	if *kept == "" || one < *kept {
		*kept = one
	}
}

// takeService reads the reply of a system that a file describes, by the rules as they are now.
func (e *engine) takeService(c *cell, m *models.Model, reply local.Reply) {
	counts := e.countsOf(m)
	counts.replies++
	kept, ok := remote.Unpack(reply.Text)
	if !ok { // there is no reply, or none that could be kept
		c.evidence.Output = datasets.Output{Outcome: reply.Outcome, Reason: reply.Detail}
		return
	}

	read, outcome, detail, err := m.Service.Read(kept)
	if err != nil {
		c.evidence.Output = datasets.Output{Outcome: local.BadFormat, Reason: m.Service.File + ": " + err.Error()}
		counts.unreadable++
		example(&counts.unreadableExample, c.evidence.Output.Reason)
		return
	}
	out := datasets.Output{Text: read.Answer, Outcome: outcome, Reason: detail}
	if outcome == local.Cut && !e.opt.StrictCut && begun(local.Reply{Text: read.Answer}) {
		out.Outcome, out.Cut = local.OK, true
	}
	c.evidence.Output = out
	if out.Outcome != local.OK {
		return
	}

	if len(read.Odd) > 0 {
		counts.odd++
		example(&counts.oddExample, read.Odd[0])
		c.notes = append(c.notes, read.Odd...)
	}
	e.takeDocuments(c, m, read, counts)
}

// countsOf are the counts of a system.
func (e *engine) countsOf(m *models.Model) *readCounts {
	if e.reads == nil {
		e.reads, e.matchers = map[string]*readCounts{}, map[*datasets.Corpus]*Matcher{}
	}
	if e.reads[m.Spec] == nil {
		e.reads[m.Spec] = &readCounts{}
	}
	return e.reads[m.Spec]
}

// takeDocuments finds in the corpus what the system named. An id that the corpus does not have
// is a failure: the system answers from other data. A text may have been changed on its way,
// and is counted.
func (e *engine) takeDocuments(c *cell, m *models.Model, read remote.Reading, counts *readCounts) {
	corpus := c.item.Corpus()
	if e.matchers[corpus] == nil {
		e.matchers[corpus] = NewMatcher(corpus)
	}
	matcher := e.matchers[corpus]

	found := datasets.Retrieved{}
	lost := 0
	for _, d := range read.Documents {
		named := matcher.Name(d.ID, d.Text)
		counts.count(d, named)
		counts.pattern(d)
		switch {
		case named.ID == "" && named.Fate == "":
			c.evidence.Output = datasets.Output{
				Outcome: local.BadFormat,
				Reason:  m.Service.Rules.Documents.Unknown(d),
			}
			return
		case named.ID == "":
			lost++
		case !slices.Contains(found.IDs, named.ID):
			found.IDs = append(found.IDs, named.ID)
		}
	}
	if lost > 0 {
		c.notes = append(c.notes, fmt.Sprintf("%d of %d documents that the system gives match none of the data, or several",
			lost, len(read.Documents)))
	}

	if len(found.IDs) > 0 {
		c.evidence.Retrieved = &found
		c.evidence.Context = c.item.Context(found, e.opt.Budget)
	}
	e.takeCites(c, matcher, read, counts)
}

// pattern counts an id that a system gave, and whether the pattern found one in it.
func (n *readCounts) pattern(d remote.Document) {
	if d.ID != "" {
		n.ids++
	}
	if d.Missed {
		n.missed++
		example(&n.missedExample, d.ID)
	}
}

// count counts a document that a system gave by its text.
func (n *readCounts) count(d remote.Document, named Named) {
	if named.Fate == "" {
		return
	}
	n.texts++
	switch named.Fate {
	case unmatched:
		n.unmatched++
		example(&n.unmatchedExample, d.Text)
	case ambiguous:
		n.ambiguous++
	}
}

// Marks of what a system cites that is no document of the data: one that is none counts as a
// wrong citation, and where nobody can tell it counts as no citation.
const (
	noSuchMark = "0"
	unsureMark = "[?]"
)

// takeCites writes the answer's citations as the benchmark reads them.
func (e *engine) takeCites(c *cell, matcher *Matcher, read remote.Reading, counts *readCounts) {
	var b strings.Builder
	last, wrong, unsure := 0, 0, 0
	for _, cite := range read.Cites {
		if cite.From < last {
			continue // inside a mark that was read before
		}
		var labels []string
		for _, d := range cite.Documents {
			named := matcher.Name(d.ID, d.Text)
			switch {
			case named.ID != "":
				labels = append(labels, label(c, named.ID))
			case named.Fate != "":
				unsure++
			default:
				wrong++
				labels = append(labels, noSuchMark)
			}
		}
		for range cite.Unknown {
			wrong++
			labels = append(labels, noSuchMark)
		}

		b.WriteString(read.Answer[last:cite.From])
		b.WriteString(markOf(labels, cite.From == cite.To, c.item.Query().Cites != nil))
		last = cite.To
		counts.cited += len(cite.Documents) + cite.Unknown
	}
	b.WriteString(read.Answer[last:])
	c.evidence.Output.Text = b.String()

	counts.unknown += wrong + unsure
	if wrong > 0 {
		c.notes = append(c.notes, usage.Counted(wrong, "citation")+" of documents that the data, or the reply, does not have")
	}
	if unsure > 0 {
		c.notes = append(c.notes, usage.Counted(unsure, "citation")+" of texts that match no document, or several: left out")
	}
}

// markOf writes a citation. One that is put in stands apart from the word before it. One that
// nobody can tell is shown where citations are scored, and left out where marks are.
func markOf(labels []string, put, scored bool) string {
	slices.SortFunc(labels, func(a, b string) int {
		x, errX := strconv.Atoi(a)
		y, errY := strconv.Atoi(b)
		if errX == nil && errY == nil {
			return x - y
		}
		return strings.Compare(a, b)
	})
	labels = slices.Compact(labels)

	mark := "[" + strings.Join(labels, ", ") + "]"
	switch {
	case len(labels) == 0 && !scored:
		return ""
	case len(labels) == 0:
		mark = unsureMark
	}
	if put {
		return " " + mark
	}
	return mark
}

// label is how an answer cites a document: by the benchmark's numbers, or else by its place
// among those shown, or by its id.
func label(c *cell, id string) string {
	if cites := c.item.Query().Cites; cites != nil {
		return cites.Label(id)
	}
	for i, p := range c.evidence.Context.Passages {
		if p.Document == id {
			return strconv.Itoa(i + 1)
		}
	}
	return id
}

// readBy says by which files the replies of systems were read: that may change while what
// was answered stays.
func (e *engine) readBy() map[string]string {
	out := map[string]string{}
	for _, m := range e.asked {
		if m.Service != nil {
			out[m.Spec] = fmt.Sprintf("%s %s, read by %s with SHA-256 %s", m.Service.Method, m.Service.Address,
				m.Service.File, m.Service.Hash)
		}
	}
	return out
}

// tellReads says, once for each system, what could not be read of its replies.
func (e *engine) tellReads() {
	for _, m := range e.asked {
		n := e.reads[m.Spec]
		if n == nil {
			continue
		}
		for _, s := range n.warnings(m) {
			e.opt.Console.Warn(s)
			e.misread = append(e.misread, s)
		}
	}
}

// shownOfText is how much of a text a warning shows, in characters.
const shownOfText = 60

// warnings words the counts that are not zero.
func (n *readCounts) warnings(m *models.Model) []string {
	var out []string
	add := func(format string, args ...any) {
		out = append(out, "system "+m.Spec+": "+fmt.Sprintf(format, args...))
	}
	if n.unreadable > 0 {
		add("%d of %d replies cannot be read: %s; mend the file and run the same command again: what was answered is "+
			"kept, and not asked for again", n.unreadable, n.replies, n.unreadableExample)
	}
	if n.odd > 0 {
		add("%d of %d replies lack something that the file names, such as: %s", n.odd, n.replies, n.oddExample)
	}

	if n.missed > 0 && n.missed == n.ids {
		add("the pattern %s of documents: matches nothing in any of %s, such as %q", m.Service.Rules.Documents.Pattern,
			usage.Counted(n.ids, "id"), text.Beginning(n.missedExample, shownOfText))
	}
	if n.unmatched > 0 {
		add("%d of %d texts match no document of the data, such as %q: these are not counted as retrieved", n.unmatched,
			n.texts, text.Beginning(n.unmatchedExample, shownOfText))
	}
	if n.ambiguous > 0 {
		add("%d of %d texts match several documents of the data: these are not counted as retrieved", n.ambiguous, n.texts)
	}
	if n.unknown > 0 {
		add("%d of %d citations name no document of the data that can be told", n.unknown, n.cited)
	}
	return out
}
