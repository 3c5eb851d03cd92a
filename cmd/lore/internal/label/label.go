// Package label has people look at what a judge decided, or at what a model built, and saves
// what they say. It draws nothing: a page does, in the browser of whoever labels.
//
// # A labelling folder
//
// One folder holds one task on one run, or on one set of data:
//
//	items.json    a Sheet: what annotators see. It names no system, judge or score
//	plan.json     a Plan, the key: which verdicts an item stands for, how it was drawn. It stays here
//	labels.jsonl  a Label a line, in the order in which they were saved; only grown
//
// # The contract of the page
//
// A page gets items.json whole, and nothing else of the folder. For an annotator it goes through
// Sheet.OrderOf (the list under "annotators" with that name, else "order"), shows for each Item
// its query, statement and texts, and asks for the fields of Sheet.Task. What is answered is a
// Label: item, annotator, answer, seconds, at. A text is a list of units, as Sheet.Texts has it
// by name; a unit is chosen by its number from 1, and a span by the number of its text in the
// item, from 0, and the places of its first letter and the one behind its last in the units
// joined by line ends, counted in Unicode code points.
//
// In `lore view` the server has a Desk: Save answers only when the label is on disk, Undo takes
// back the annotator's last one, Progress and Status say how far everybody is. In the single
// file the page keeps Labels as lines of JSON that a person saves and loads, and
// `lore label add FOLDER FILE` takes them in. Labels that are there already are left out, so the
// same file may be added again as it grows.
//
// # What becomes of labels
//
// Decide makes one answer per item of all annotators'. Rows are the labels as `lore judge
// validate` and `calibrate` read them, Verdicts as `lore report --human` and `lore judge validate
// RUN --human` do, with probability and stratum.
package label

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"lore/datasets"
)

// format is the version of items.json and plan.json. 1: first version.
const format = 1

// Sheet is items.json: all that annotators, and the page, may know.
type Sheet struct {
	Format int    `json:"format"`
	Plan   string `json:"plan"` // names the plan; the same when more items are added to it
	Task   Task   `json:"task"`

	Items []Item          `json:"items"` // by id: the order of the plan would tell strata
	Texts map[string]Text `json:"texts"` // each once, by the name that items use

	// Annotators that were named beforehand, each with the items for them in their own order.
	// Where there are none, anybody labels everything, in the order of Order.
	Annotators []Annotator `json:"annotators,omitempty"`
	Order      []string    `json:"order,omitempty"`

	Outlook []Outlook `json:"outlook,omitempty"` // what so many labels are expected to give
}

// Outlook is how wide the 95 % intervals are expected to be with so many labels, over all
// scores: it tells nothing of any of them.
type Outlook struct {
	Labels int     `json:"labels"`
	Half   float64 `json:"half_width"` // mean, times 100
}

// Annotator is one who was named when the plan was made.
type Annotator struct {
	Name        string   `json:"name"`
	Items       []string `json:"items"`                 // ids, in the order in which to label
	Adjudicates bool     `json:"adjudicates,omitempty"` // decides where the others differ; Items are all
}

// Item is one thing to label.
type Item struct {
	ID        string   `json:"id"` // from the content alone, in hexadecimal
	Query     string   `json:"query,omitempty"`
	Statement string   `json:"statement,omitempty"` // the insight, sub-question or key point it is about
	Texts     []Shown  `json:"texts"`
	Options   []Option `json:"options,omitempty"` // of this item alone, for fields with OwnOptions
}

// Shown is a text of an item.
type Shown struct {
	Title string   `json:"title"`           // "Answer", "Document 2"
	Text  string   `json:"text"`            // name in Sheet.Texts
	Marks []string `json:"marks,omitempty"` // pieces of it to point out, as they stand in it
}

// Text is a text in its units: the lines of an answer, or a document as one.
type Text struct {
	Units []string `json:"units"`
}

// whole is the text as spans count in it.
func (t Text) whole() string { return strings.Join(t.Units, "\n") }

// Task says what is asked about every item, in words for people who know nothing of lore.
type Task struct {
	Name     string    `json:"name"`
	Title    string    `json:"title"`
	Steps    []string  `json:"steps"` // what to do, in order
	Examples []Example `json:"examples"`
	Fields   []Field   `json:"fields"`
	Seconds  int       `json:"seconds"` // that an item takes, as long as nobody has measured
	Source   string    `json:"source"`  // the annotation that this one follows
}

// Example is an answer with its reason.
type Example struct {
	Text      string            `json:"text"`
	Statement string            `json:"statement,omitempty"`
	Answer    map[string]string `json:"answer"` // by field
	Why       string            `json:"why"`
}

// Kinds of field.
const (
	Choice = "choice" // one of the options
	Many   = "many"   // any of the options, also none
	Unit   = "unit"   // a unit of the item's first text, by its number from 1
	Place  = "place"  // spans of the item's texts
)

// Field is one part of an answer.
type Field struct {
	Name       string     `json:"name"`
	Title      string     `json:"title"`
	Kind       string     `json:"kind"`
	Options    []Option   `json:"options,omitempty"`
	OwnOptions bool       `json:"own_options,omitempty"` // the options are the item's
	When       *Condition `json:"when,omitempty"`        // asked only then
	Optional   bool       `json:"optional,omitempty"`
}

// Option is one of several answers.
type Option struct {
	Value string `json:"value"`
	Title string `json:"title"`
	Help  string `json:"help,omitempty"`
	Key   string `json:"key,omitempty"` // on the keyboard
}

// Condition is an answer to another field.
type Condition struct {
	Field string   `json:"field"`
	Is    []string `json:"is"` // one of these
}

// Answer is what a person says of an item.
type Answer struct {
	Fields map[string][]string `json:"fields,omitempty"` // by field; units as numbers in words, "2"
	Spans  map[string][]Span   `json:"spans,omitempty"`  // by field of the kind Place
	Unsure bool                `json:"unsure,omitempty"` // "I cannot tell": no fields are needed, and none count
	Note   string              `json:"note,omitempty"`
}

// Span is a piece of a text.
type Span struct {
	Text  int    `json:"text"`  // number of the text in the item, from 0
	From  int    `json:"from"`  // code points before it
	To    int    `json:"to"`    // code points up to its end
	Quote string `json:"quote"` // what stands there
}

// One is the value of a field with one value; empty where there is none.
func (a Answer) One(field string) string {
	if v := a.Fields[field]; len(v) == 1 {
		return v[0]
	}
	return ""
}

// Label is a line of labels.jsonl, and of what the single file saves.
type Label struct {
	Plan      string    `json:"plan,omitempty"` // for which it was given
	Task      string    `json:"task"`
	Item      string    `json:"item"`
	Annotator string    `json:"annotator"`
	Answer    *Answer   `json:"answer,omitempty"` // nil only where Undo is
	Undo      bool      `json:"undo,omitempty"`   // takes back the annotator's last answer to the item
	Seconds   float64   `json:"seconds,omitempty"`
	At        time.Time `json:"at"` // when it was given, to the millisecond

	// Adjudicated: the last word, where others differ.
	Adjudicated bool `json:"adjudicated,omitempty"`

	// How the item was drawn; written by lore, and not known to the page.
	Stratum     string  `json:"stratum,omitempty"`
	Probability float64 `json:"probability,omitempty"` // planned, in (0,1]
}

// same reports whether two lines are the same label: one that was saved twice.
func (l Label) same(o Label) bool {
	return l.Item == o.Item && l.Annotator == o.Annotator && l.At.Equal(o.At) && l.Undo == o.Undo
}

// OrderOf are the items for an annotator; false where the plan names others.
func (s *Sheet) OrderOf(name string) ([]string, bool) {
	for _, a := range s.Annotators {
		if a.Name == name {
			return a.Items, true
		}
	}
	return s.Order, len(s.Annotators) == 0
}

// Check says what is wrong with an answer to an item.
func (s *Sheet) Check(item Item, a Answer) error {
	if a.Unsure {
		return nil
	}
	known := map[string]bool{}
	for _, f := range s.Task.Fields {
		known[f.Name] = true
		if err := s.checkField(item, f, a); err != nil {
			return fmt.Errorf("%s: %w", f.Name, err)
		}
	}
	for name := range a.Fields {
		if !known[name] {
			return fmt.Errorf("%s has no field %q", s.Task.Name, name)
		}
	}
	for name := range a.Spans {
		if !known[name] {
			return fmt.Errorf("%s has no field %q", s.Task.Name, name)
		}
	}
	return nil
}

// asked reports whether a field applies to an answer.
func (f Field) asked(a Answer) bool {
	if f.When == nil {
		return true
	}
	return slices.ContainsFunc(a.Fields[f.When.Field], func(v string) bool { return slices.Contains(f.When.Is, v) })
}

func (s *Sheet) checkField(item Item, f Field, a Answer) error {
	values, spans := a.Fields[f.Name], a.Spans[f.Name]
	if !f.asked(a) {
		if len(values)+len(spans) > 0 {
			return fmt.Errorf("is answered, and only asked where %s is %s", f.When.Field, strings.Join(f.When.Is, " or "))
		}
		return nil
	}

	if f.Kind == Place {
		if len(spans) == 0 && !f.Optional {
			return fmt.Errorf("mark at least one place")
		}
		for _, span := range spans {
			if err := s.checkSpan(item, span); err != nil {
				return err
			}
		}
		return nil
	}
	if len(values) != 1 && f.Kind != Many && !(f.Optional && len(values) == 0) {
		return fmt.Errorf("needs one answer, not %d", len(values))
	}
	for i, v := range values {
		if slices.Contains(values[:i], v) {
			return fmt.Errorf("%q is there twice", v)
		}
		if err := s.checkValue(item, f, v); err != nil {
			return err
		}
	}
	return nil
}

func (s *Sheet) checkValue(item Item, f Field, value string) error {
	if f.Kind == Unit {
		units := 0
		if len(item.Texts) > 0 {
			units = len(s.Texts[item.Texts[0].Text].Units)
		}
		if n, err := strconv.Atoi(value); err != nil || n < 1 || n > units {
			return fmt.Errorf("%q is no part of the text, which has %d", value, units)
		}
		return nil
	}

	options := f.Options
	if f.OwnOptions {
		options = item.Options
	}
	var known []string
	for _, o := range options {
		known = append(known, o.Value)
	}
	if !slices.Contains(known, value) {
		return fmt.Errorf("%q is none of %s", value, strings.Join(known, ", "))
	}
	return nil
}

func (s *Sheet) checkSpan(item Item, span Span) error {
	if span.Text < 0 || span.Text >= len(item.Texts) {
		return fmt.Errorf("marks text %d of %d", span.Text, len(item.Texts))
	}
	whole := []rune(s.Texts[item.Texts[span.Text].Text].whole())
	if span.From < 0 || span.To <= span.From || span.To > len(whole) {
		return fmt.Errorf("marks letters %d to %d of a text of %d", span.From, span.To, len(whole))
	}
	if at := string(whole[span.From:span.To]); at != span.Quote {
		return fmt.Errorf("marks %.40q, and there stands %.40q", span.Quote, at)
	}
	return nil
}

// itemID names an item by what is shown of it: equal items have one name, which tells nothing.
func itemID(task string, c content) string {
	h := sha256.New()
	_ = json.NewEncoder(h).Encode(struct {
		Task string
		content
	}{task, c}) // texts into a hash: cannot fail
	return hex.EncodeToString(h.Sum(nil))[:16]
}

// textName names a text by its content.
func textName(t Text) string {
	sum := sha256.Sum256([]byte(t.whole() + "\x00" + strconv.Itoa(len(t.Units))))
	return hex.EncodeToString(sum[:])[:16]
}

// content is an item before its texts have names: what is shown.
type content = datasets.Check

// checkName refuses names that are no names: they stand in lines and tables.
func checkName(name string) error {
	switch {
	case strings.TrimSpace(name) == "" || name != strings.TrimSpace(name):
		return fmt.Errorf("the annotator's name %.40q is empty, or begins or ends with a space", name)
	case len(name) > 100 || !utf8.ValidString(name) || strings.ContainsFunc(name, func(r rune) bool { return r < ' ' || r == 0x7f }):
		return fmt.Errorf("the annotator's name %.40q is too long, or holds signs that cannot be shown", name)
	}
	return nil
}
