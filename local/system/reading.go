package system

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"lore/local"
)

// Document is what a system names: by an id, by its text, or a passage of it.
type Document struct {
	ID   string
	Text string

	// Missed says that the pattern which finds ids found none in ID.
	Missed bool
}

// Reading is what stands in a reply.
type Reading struct {
	Answer    string
	Documents []Document // in the system's order, repeats included
	Cites     []Cite     // in the order of their places
	Odd       []string   // what was expected and is not there, for people
	Cut       bool       // the answer reached its length limit
	Usage     local.Usage
	Parts     int // of a stream; 0: the reply is none
}

// Cite is a place in the answer, in bytes, with what it cites. From is To where the mark is
// to be put in, else the text between is a mark in the system's own numbers.
type Cite struct {
	From, To  int
	Documents []Document
	Unknown   int // marks that mean no document of the reply
}

// ReadError says that a rule and a reply do not go together.
type ReadError struct {
	Key  string // of the rule, as in "documents.id"
	Path Path
	Err  error
}

// Error words it, with the place of the rule in its file.
func (e *ReadError) Error() string {
	at := ""
	if e.Path.Line > 0 {
		at = fmt.Sprintf(" (line %d)", e.Path.Line)
	}
	return fmt.Sprintf("%s: %s%s: %v", e.Key, e.Path, at, e.Err)
}

// Unwrap returns what is wrong, a *Miss where the path leads nowhere.
func (e *ReadError) Unwrap() error { return e.Err }

// Read reads a reply. The outcome is OK or Cut where it holds an answer; else it says what the
// reply is instead: an error, empty, a stream that broke off, no JSON. Where err is not nil,
// the rules are at fault, or the system has changed: asking again does not help.
func (s *Service) Read(kept Kept) (r Reading, outcome local.Outcome, detail string, err error) {
	bare := len(s.Rules.Answer.At) > 0 && s.Rules.Answer.At[0].Whole()
	form := s.Stream
	other := misformed(form, kept.Body, bare)
	if other != nil {
		form = Auto // an error may be told in another form than answers are
	}
	came, broken := takeApart(kept.Type, kept.Body, form, bare)
	if what := s.Rules.failure(came); what != "" {
		return r, local.ModelError, "the system says: " + what, nil
	}

	switch {
	case other != nil:
		return r, local.OK, "", &ReadError{"stream", Path{Text: s.Stream}, other}
	case !came.stream && strings.TrimSpace(kept.Body) == "":
		return r, local.Empty, "the reply is empty", nil
	case broken != nil:
		return r, local.BadFormat, broken.Error(), nil
	case came.stream && (came.broken || !s.Rules.ended(came)):
		return r, local.NoDone, "the stream ended without its end mark", nil
	}

	if came.stream {
		r.Parts = len(came.frames)
	}
	if err := s.Rules.read(&r, came); err != nil {
		return r, local.OK, "", err
	}
	switch {
	case strings.TrimSpace(r.Answer) == "" && !r.Cut:
		return r, local.Empty, "the answer is empty", nil
	case r.Cut:
		return r, local.Cut, "the answer reached its length limit", nil
	}
	return r, local.OK, "", nil
}

// failure is what a reply with status 200 says of an error; empty where it says nothing.
func (r Rules) failure(came reply) string {
	for _, f := range came.frames {
		if f.event == "error" {
			return begin(f.data)
		}
		for _, at := range r.Errors {
			found, _ := at.Find(f.value)
			for _, v := range found {
				if what := complaint(v); what != "" && f.json {
					return what
				}
			}
		}
	}
	return ""
}

// complaint is the text of an error; empty where a reply says that there is none.
func complaint(v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case bool:
		if !v {
			return ""
		}
	case string:
		return strings.TrimSpace(v)
	case json.Number:
		if n, err := v.Float64(); err == nil && n == 0 {
			return ""
		}
	case []any:
		if len(v) == 0 {
			return ""
		}
	case map[string]any:
		if message, ok := v["message"].(string); ok && message != "" {
			return message
		}
		if len(v) == 0 {
			return ""
		}
	}
	data, err := json.Marshal(v)
	if err != nil {
		return "an error"
	}
	return begin(string(data))
}

// ended reports whether a stream has one of its end marks.
func (r Rules) ended(came reply) bool {
	if len(r.Ends) == 0 {
		return true
	}
	for _, f := range came.frames {
		for _, end := range r.Ends {
			switch {
			case end.Event != "" && end.Event == f.event,
				end.Data != "" && strings.TrimSpace(f.data) == end.Data:
				return true
			case end.At.Given() && f.json:
				found, _ := end.At.Find(f.value)
				if slices.ContainsFunc(found, func(v any) bool { return v != nil && v != false && v != "" }) {
					return true
				}
			}
		}
	}
	return false
}

// read reads the parts of a reply.
func (r Rules) read(into *Reading, came reply) error {
	pieces, err := r.Answer.pieces(came)
	if err != nil {
		return err
	}
	into.Cut = r.Cut.in(came)
	into.Usage.PromptTokens = number(r.PromptTokens, came)
	into.Usage.OutputTokens = number(r.AnswerTokens, came)

	if into.Documents, err = r.documents(into, came); err != nil {
		return err
	}
	return r.cite(into, came, pieces)
}

// is reports whether a frame has one of the values.
func (is Is) in(came reply) bool {
	if !is.At.Given() {
		return false
	}
	for _, f := range came.frames {
		found, _ := is.At.Find(f.value)
		for _, v := range found {
			if slices.Contains(is.Text, fmt.Sprint(v)) {
				return true
			}
		}
	}
	return false
}

// number is the last number at a path; 0 where there is none.
func number(p Path, came reply) int {
	out := 0
	if !p.Given() {
		return 0
	}
	for _, f := range came.frames {
		found, _ := p.Find(f.value)
		for _, v := range found {
			if n, ok := v.(json.Number); ok {
				if i, err := strconv.Atoi(n.String()); err == nil && i >= 0 {
					out = i
				}
			}
		}
	}
	return out
}

// at returns what stands at a path in all frames, in order. miss is how far the path went in
// the frame where it went farthest, if it led nowhere in all.
func (p Path) at(came reply) (found []any, miss *Miss) {
	any := false
	for _, f := range came.frames {
		if !f.json {
			continue
		}
		here, gone := p.Find(f.value)
		if gone == nil {
			any = true
			found = append(found, here...)
		} else if miss == nil || gone.depth > miss.depth {
			miss = gone
		}
	}

	switch {
	case any:
		return found, nil
	case miss == nil:
		return nil, &Miss{Wanted: p.Text, There: "nothing that is JSON"}
	}
	return nil, miss
}

// piece is a part of the answer, with what it cites.
type piece struct {
	text  string
	cites []any
}

// pieces reads the parts of the answer. Of several paths the first one counts that is there.
func (a Answering) pieces(came reply) ([]piece, error) {
	if a.At[0].Whole() && !(len(came.frames) == 1 && came.frames[0].json) {
		return a.whole(came)
	}

	var farthest *ReadError
	depth := -1
	for _, at := range a.At {
		found, miss := at.at(came)
		if miss == nil {
			return a.each(at, found)
		}
		if miss.depth > depth {
			farthest, depth = &ReadError{"answer", at, miss}, miss.depth
		}
	}
	return nil, farthest
}

// whole takes every frame as it is: texts need not be JSON.
func (a Answering) whole(came reply) ([]piece, error) {
	var out []piece
	for _, f := range came.frames {
		text, isText := f.value.(string)
		switch {
		case f.done(), f.json && f.value == nil:
		case isText:
			out = append(out, piece{text: text})
		default:
			out = append(out, piece{text: f.data})
		}
	}
	return out, nil
}

// each reads values as texts, or as objects that hold one.
func (a Answering) each(at Path, found []any) ([]piece, error) {
	var out []piece
	for _, v := range found {
		if list, ok := v.([]any); ok {
			more, err := a.each(at, list)
			if err != nil {
				return nil, err
			}
			out = append(out, more...)
			continue
		}

		var p piece
		if a.Cites.Given() {
			cites, _ := a.Cites.Find(v)
			p.cites = flat(cites)
		}
		if _, ok := v.(map[string]any); ok && a.Text.Given() {
			inside, miss := a.Text.Find(v)
			if miss != nil {
				return nil, &ReadError{"answer.text", a.Text, miss}
			}
			v = inside[0]
		}
		switch text := v.(type) {
		case nil: // the first event of a chat may have no text yet
			continue
		case string:
			p.text = text
		default:
			return nil, &ReadError{"answer", at, fmt.Errorf("it is %s, not a text", kindOf(v))}
		}
		out = append(out, p)
	}
	return out, nil
}

// flat is a list without lists in it.
func flat(values []any) []any {
	var out []any
	for _, v := range values {
		if list, ok := v.([]any); ok {
			out = append(out, flat(list)...)
		} else {
			out = append(out, v)
		}
	}
	return out
}

// join makes the answer of its pieces. ends are where each piece ends, before blanks.
func (a Answering) join(pieces []piece, stream bool) (answer string, ends []int) {
	between := "\n"
	if stream {
		between = ""
	}
	if a.Between != nil {
		between = *a.Between
	}
	if a.Last && len(pieces) > 0 {
		pieces = pieces[len(pieces)-1:]
	}

	var b strings.Builder
	for i, p := range pieces {
		if i > 0 {
			b.WriteString(between)
		}
		b.WriteString(p.text)
		ends = append(ends, b.Len()-len(p.text)+len(strings.TrimRight(p.text, " \t\r\n")))
	}
	return b.String(), ends
}

// documents reads those that the system used. A reply without the place is odd: it may be that
// nothing was found.
func (r Rules) documents(into *Reading, came reply) ([]Document, error) {
	d := r.Documents
	if !d.At.Given() {
		return nil, nil
	}
	found, miss := d.At.at(came)
	if miss != nil {
		into.Odd = append(into.Odd, "no documents: "+miss.Error())
		return nil, nil
	}

	var out []Document
	for _, v := range flat(found) {
		if v == nil {
			continue
		}
		doc, err := d.document(v)
		if err != nil {
			return nil, err
		}
		out = append(out, doc)
	}
	return out, nil
}

// document reads one. With both an id and a text, one of them may be missing.
func (d Documents) document(v any) (Document, error) {
	var out Document
	if !d.ID.Given() && !d.Text.Given() {
		name, ok := scalar(v)
		if !ok {
			return out, &ReadError{"documents", d.At, fmt.Errorf("each is %s, neither an id nor a text; "+
				"say with id: or text: what names it", kindOf(v))}
		}
		out.ID, out.Missed = d.id(name)
		return out, nil
	}

	id, missID := within(d.ID, "documents.id", v)
	text, missText := within(d.Text, "documents.text", v)
	switch {
	case d.ID.Given() && missID != nil && (!d.Text.Given() || missText != nil):
		return out, missID
	case !d.ID.Given() && missText != nil:
		return out, missText
	}
	if id != "" {
		out.ID, out.Missed = d.id(id)
	}
	out.Text = text
	return out, nil
}

// id is the document's id in what a system calls it. Where the pattern finds none, that is all of it.
func (d Documents) id(name string) (id string, missed bool) {
	if d.Pattern == nil {
		return name, false
	}
	if m := d.Pattern.FindStringSubmatch(name); m != nil {
		return m[1], false
	}
	return name, true
}

// Unknown words that the data has no such document, and what the pattern has to do with it.
func (d Documents) Unknown(doc Document) string {
	if !doc.Missed {
		return fmt.Sprintf("names the document %s, which the data does not have", begin(doc.ID))
	}
	return fmt.Sprintf("documents.pattern %s matches nothing in %s, and the data has no document of that id; "+
		"correct the pattern, so that its first brackets hold the id", d.Pattern, begin(doc.ID))
}

// within reads a text or number inside a value; empty where no path is given.
func within(p Path, key string, v any) (string, error) {
	if !p.Given() {
		return "", nil
	}
	found, miss := p.Find(v)
	if miss != nil {
		return "", &ReadError{key, p, miss}
	}
	text, ok := scalar(found[0])
	if !ok {
		return "", &ReadError{key, p, fmt.Errorf("it is %s, neither a text nor a number", kindOf(found[0]))}
	}
	return text, nil
}

// scalar is a text or a number as text.
func scalar(v any) (string, bool) {
	switch v := v.(type) {
	case string:
		return v, true
	case json.Number:
		return v.String(), true
	}
	return "", false
}
