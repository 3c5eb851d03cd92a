package sources

import (
	"encoding/xml"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// walk goes through the marked-up text of an office file.
type walk struct {
	part
	to *flow

	open   []string        // elements that are open
	hidden int             // how many were open where what is not read began, that element included; 0: all is read
	styles map[string]bool // styles of OpenDocument that hide what has them
	style  string          // the one that is being defined
}

// begin opens an element.
func (w *walk) begin(t xml.StartElement) {
	name := t.Name.Local
	w.open = append(w.open, name)
	w.learn(t)
	if w.hidden > 0 {
		return
	}
	if w.hidden = w.hides(t); w.hidden > 0 {
		return
	}

	switch {
	case w.signs[name] != "":
		w.to.write(w.signs[name])
	case w.marked && len(w.to.rows) == 0 && headingDepth(t) > 0:
		w.to.write(strings.Repeat("#", headingDepth(t)) + " ")
	case name == w.row:
		w.to.beginRow()
	case name == "note" && w.text == nil:
		w.to.beginNote()
		w.to.write("Note ")
	}
}

// end closes an element.
func (w *walk) end(name string) {
	w.open = w.open[:len(w.open)-1]
	if w.hidden > 0 {
		if len(w.open) < w.hidden {
			w.hidden = 0
		}
		return
	}

	switch {
	case w.paragraphs[name]:
		w.to.paragraph()
	case name == w.cell:
		w.to.endCell()
	case name == w.row:
		w.to.endRow()
	case name == "note-citation":
		w.to.write(": ")
	case name == "note" && w.text == nil:
		w.to.endNote()
	}
}

// characters takes in what stands between elements, where it is text.
func (w *walk) characters(s string) {
	if w.hidden == 0 && (w.text == nil || len(w.open) > 0 && w.text[w.open[len(w.open)-1]]) {
		w.to.write(s)
	}
}

// learn notes styles of OpenDocument that hide text.
func (w *walk) learn(t xml.StartElement) {
	switch t.Name.Local {
	case "style":
		w.style = attribute(t, "name")
	case "text-properties":
		if attribute(t, "display") == "none" && slices.Contains(w.open, "style") {
			w.styles[w.style] = true
		}
	}
}

// hides says where what an element hides begins, by the number of elements that are open there; 0: it hides nothing.
func (w *walk) hides(t xml.StartElement) int {
	name, depth := t.Name.Local, len(w.open)
	switch {
	case w.skipped[name]:
		return depth
	case w.styles[attribute(t, "style-name")] && !slices.Contains(w.open, "style"):
		return depth
	case name == "section" && attribute(t, "display") == "none", name == "hidden-text" && attribute(t, "is-hidden") == "true":
		return depth

	// A run of characters in Word is hidden by its properties; those of a paragraph hide its mark alone.
	case name == "vanish" && depth > 2 && w.open[depth-3] == "r" && w.open[depth-2] == "rPr" && !off(attribute(t, "val")):
		return depth - 2

	// On a page of notes stand the slide's picture and number besides.
	case name == "ph" && slices.Contains(w.open, "notes") && attribute(t, "type") != "body":
		if at := slices.Index(w.open, "sp"); at >= 0 {
			return at + 1
		}
	}
	return 0
}

// headingStyle is the style of a heading in Word, as its English, German and French versions call it.
var headingStyle = regexp.MustCompile(`(?i)^(?:heading|berschrift|titre) ?([1-6])$`)

// headingDepth is how deep a heading is that begins here; 0: none begins.
func headingDepth(t xml.StartElement) int {
	depth := ""
	switch t.Name.Local {
	case "h":
		depth = attribute(t, "outline-level")
	case "pStyle":
		if m := headingStyle.FindStringSubmatch(attribute(t, "val")); m != nil {
			depth = m[1]
		}
	}
	n, err := strconv.Atoi(depth)
	if err != nil || n < 1 {
		return 0
	}
	return min(n, 6)
}

// off reports whether a property of Word is switched off.
func off(value string) bool { return value == "0" || value == "false" || value == "off" }

// attribute is the value of an attribute by its name in whatever space; empty where there is none.
func attribute(t xml.StartElement, name string) string {
	for _, a := range t.Attr {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}
