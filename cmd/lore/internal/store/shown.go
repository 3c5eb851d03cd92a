package store

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"lore/datasets"
	"lore/local"
	"lore/local/files"
)

// ShownFile holds what the systems of a run were shown, each text once: lines of JSON,
// compressed. An Answer names its context there. A folder of an earlier lore has none.
const ShownFile = "shown.jsonl.gz"

// mostShown bounds what a file of some kilobytes may unpack to.
const mostShown = 4 << 30

// nameLength is how many digits of a text's SHA-256 name it.
const nameLength = 16

// Shown is what the systems of a run were shown. Texts and contexts are named by the first
// digits of the SHA-256 of their content.
type Shown struct {
	Texts    []ShownText
	Contexts []ShownContext
	Items    []ShownItem

	// Documents are those that answers from outside cite, and those that the scoring looks for
	// in their citations: nobody knows whether their systems were shown them.
	Documents []ShownDocument

	Asked []ShownAsked // of judges that are models
}

// ShownText is a document as it was shown, whole or up to where it was cut.
type ShownText struct {
	Name string `json:"name"`
	Text string `json:"text"`
}

// ShownContext is what one system was shown for one item. Systems that were shown the same
// share it.
type ShownContext struct {
	Name     string          `json:"name"`
	Passages []ShownPassage  `json:"passages"`
	Prompt   []PromptMessage `json:"prompt,omitempty"` // none where no model was asked in words
}

// ShownPassage is a document in a context.
type ShownPassage struct {
	Label    string `json:"label"`              // by which an answer cites it
	Document string `json:"document,omitempty"` // its id in the corpus
	Text     string `json:"text"`               // name of its text
	Bytes    int    `json:"bytes,omitempty"`    // only the beginning of the text, so long; 0: all of it
}

// ShownDocument is a document that is kept though no system of the run is known to have been
// shown it.
type ShownDocument struct {
	Document string `json:"document"` // its id in the corpus
	Text     string `json:"text"`     // name of its text
}

// ShownAsked are the prompts by which a model judged an answer. Each is a message's beginning,
// which all questions share, and the question's own end.
type ShownAsked struct {
	Judge string `json:"judge"` // the model that was asked, alone or with others
	datasets.System
	Item     string         `json:"item"`
	Messages []AskedMessage `json:"messages"`
}

// AskedMessage is a message of the prompts of several questions.
type AskedMessage struct {
	Role  string   `json:"role"`
	Begin string   `json:"begin"`
	Ends  []string `json:"ends"` // by question
}

// PromptMessage is a message to a model, with passages in the places of their texts.
type PromptMessage struct {
	Role  string       `json:"role"`
	Parts []PromptPart `json:"parts"`
}

// PromptPart is a piece of a message: words, or the text of a passage by its number from 1.
type PromptPart struct {
	Words   string `json:"words,omitempty"`
	Passage int    `json:"passage,omitempty"`
}

// ShownItem is what the data says of the documents of an item.
type ShownItem struct {
	Item    string              `json:"item"`
	Gold    map[string]float64  `json:"gold,omitempty"`    // graded relevance by document
	Holders map[string][]string `json:"holders,omitempty"` // documents by the question whose answer they hold
	Labels  map[string]string   `json:"labels,omitempty"`  // numbers of these, where the data numbers documents for citations
}

// shownLine is a line of the file: one of the five.
type shownLine struct {
	Text    *ShownText    `json:"text,omitempty"`
	Context *ShownContext `json:"context,omitempty"`
	Item    *ShownItem    `json:"item,omitempty"`

	Document *ShownDocument `json:"document,omitempty"`
	Asked    *ShownAsked    `json:"asked,omitempty"`
}

// ShownBuilder gathers what systems are shown.
type ShownBuilder struct {
	drafts []draft
	known  map[string]int // place of a draft by the hash of what it holds
	texts  map[string]map[string]bool
	order  []string // documents in the order of their first appearance
	kept   []local.Passage
}

// Keep keeps a document that nobody is known to have been shown, once.
func (b *ShownBuilder) Keep(id, text string) {
	for _, p := range b.kept {
		if p.Document == id {
			return
		}
	}
	b.kept = append(b.kept, local.Passage{Document: id, Text: text})
	b.note(id, text)
}

// note takes a text of a document.
func (b *ShownBuilder) note(id, text string) {
	if b.texts == nil {
		b.texts = map[string]map[string]bool{}
	}
	if b.texts[id] == nil {
		b.texts[id] = map[string]bool{}
		b.order = append(b.order, id)
	}
	b.texts[id][text] = true
}

// draft is a context before texts have names.
type draft struct {
	passages []local.Passage
	prompt   []PromptMessage
}

// Add gives the number of a context, the same for equal ones.
func (b *ShownBuilder) Add(passages []local.Passage, prompt []PromptMessage) int {
	if b.known == nil {
		b.known = map[string]int{}
	}
	h := sha256.New()
	enc := json.NewEncoder(h)
	for _, p := range passages {
		_ = enc.Encode([]string{p.Label, p.Document, p.Text}) // texts into a hash: cannot fail
	}
	_ = enc.Encode(prompt)
	key := string(h.Sum(nil))
	if n, ok := b.known[key]; ok {
		return n
	}

	for _, p := range passages {
		b.note(p.Document, p.Text)
	}
	b.drafts = append(b.drafts, draft{passages, prompt})
	b.known[key] = len(b.drafts) - 1
	return len(b.drafts) - 1
}

// place is where a text is kept: as the beginning of a text of that name.
type place struct {
	name  string
	bytes int // 0: all of it
}

// Build gives all texts and contexts their names; the names of contexts are in the order of
// the numbers that Add gave.
func (b *ShownBuilder) Build() Shown {
	var out Shown
	taken := map[string]string{} // content by name
	name := func(content string) string {
		full := hashOf([]byte(content))
		if was, ok := taken[full[:nameLength]]; ok && was != content {
			return full
		}
		taken[full[:nameLength]] = content
		return full[:nameLength]
	}

	places, written := map[[2]string]place{}, map[string]bool{}
	for _, id := range b.order {
		whole := beginnings(b.texts[id])
		for _, text := range longestFirst(b.texts[id]) {
			at := whole[text]
			places[[2]string{id, text}] = place{name(at), 0}
			if len(text) < len(at) {
				places[[2]string{id, text}] = place{name(at), len(text)}
			}
		}
		for _, text := range longestFirst(b.texts[id]) {
			at := places[[2]string{id, text}]
			if at.bytes == 0 && !written[at.name] {
				written[at.name] = true
				out.Texts = append(out.Texts, ShownText{at.name, text})
			}
		}
	}

	for _, d := range b.drafts {
		c := ShownContext{Passages: []ShownPassage{}, Prompt: d.prompt}
		for _, p := range d.passages {
			at := places[[2]string{p.Document, p.Text}]
			c.Passages = append(c.Passages, ShownPassage{p.Label, p.Document, at.name, at.bytes})
		}
		content, _ := json.Marshal(c) // texts and numbers: cannot fail
		c.Name = name(string(content))
		out.Contexts = append(out.Contexts, c)
	}
	for _, p := range b.kept {
		out.Documents = append(out.Documents, ShownDocument{p.Document, places[[2]string{p.Document, p.Text}].name})
	}
	return out
}

// longestFirst are texts by length, then by content.
func longestFirst(texts map[string]bool) []string {
	out := make([]string, 0, len(texts))
	for t := range texts {
		out = append(out, t)
	}
	slices.SortFunc(out, func(a, b string) int {
		return cmp.Or(cmp.Compare(len(b), len(a)), strings.Compare(a, b))
	})
	return out
}

// beginnings finds for each text the longest one that begins with it, perhaps itself.
// Documents that were cut at several places are kept once.
func beginnings(texts map[string]bool) map[string]string {
	out := map[string]string{}
	var kept []string
	for _, t := range longestFirst(texts) {
		i := slices.IndexFunc(kept, func(k string) bool { return t != "" && strings.HasPrefix(k, t) })
		if i >= 0 {
			out[t] = kept[i]
			continue
		}
		kept, out[t] = append(kept, t), t
	}
	return out
}

// WriteShown stages what was shown. Equal content gives equal bytes.
func (f *Folder) WriteShown(s Shown) error {
	data, err := s.pack()
	if err != nil {
		return err
	}
	return f.WriteFile(ShownFile, data)
}

// pack is the content of the file.
func (s *Shown) pack() ([]byte, error) {
	var buf bytes.Buffer
	z, err := gzip.NewWriterLevel(&buf, gzip.BestCompression)
	if err != nil {
		return nil, fmt.Errorf("compress %s: %w", ShownFile, err)
	}

	enc := json.NewEncoder(z)
	enc.SetEscapeHTML(false)
	for _, line := range s.lines() {
		if err := enc.Encode(line); err != nil {
			return nil, fmt.Errorf("encode %s: %w", ShownFile, err)
		}
	}
	if err := z.Close(); err != nil {
		return nil, fmt.Errorf("compress %s: %w", ShownFile, err)
	}
	return buf.Bytes(), nil
}

func (s *Shown) lines() []shownLine {
	var out []shownLine
	for i := range s.Texts {
		out = append(out, shownLine{Text: &s.Texts[i]})
	}
	for i := range s.Contexts {
		out = append(out, shownLine{Context: &s.Contexts[i]})
	}
	for i := range s.Items {
		out = append(out, shownLine{Item: &s.Items[i]})
	}
	for i := range s.Documents {
		out = append(out, shownLine{Document: &s.Documents[i]})
	}
	for i := range s.Asked {
		out = append(out, shownLine{Asked: &s.Asked[i]})
	}
	return out
}

// ReadShown reads what the systems of a run were shown; nil where an earlier lore did not
// keep it. Every text must have its name, and every context name texts that are there.
func ReadShown(dir string) (*Shown, error) {
	path := filepath.Join(dir, ShownFile)
	packed, err := read(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}

	return unpackShown(path, packed)
}

// unpackShown reads the content of the file at path.
func unpackShown(path string, packed []byte) (*Shown, error) {
	z, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return nil, damaged(path, "", "is damaged: "+err.Error())
	}
	data, err := io.ReadAll(io.LimitReader(z, mostShown+1))
	switch {
	case err != nil:
		return nil, damaged(path, "", "is damaged: "+err.Error())
	case len(data) > mostShown:
		return nil, damaged(path, "", fmt.Sprintf("unpacks to more than %d bytes", mostShown))
	}

	out := &Shown{}
	sizes := map[string]int{}
	err = files.EachLine(data, func(place string, raw []byte) error {
		var line shownLine
		err := json.Unmarshal(raw, &line)
		if err == nil {
			err = out.take(line, sizes)
		}
		if err != nil {
			return damaged(path, place, "is damaged: "+err.Error())
		}
		return nil
	})
	return out, err
}

// take checks a line and keeps it. sizes are the lengths of the texts before it, by name.
func (s *Shown) take(line shownLine, sizes map[string]int) error {
	switch {
	case line.Text != nil:
		t := *line.Text
		if len(t.Name) < nameLength || !strings.HasPrefix(hashOf([]byte(t.Text)), t.Name) {
			return fmt.Errorf("the text %.20q does not have its hash", t.Name)
		}
		sizes[t.Name] = len(t.Text)
		s.Texts = append(s.Texts, t)

	case line.Context != nil:
		if err := line.Context.valid(sizes); err != nil {
			return err
		}
		s.Contexts = append(s.Contexts, *line.Context)

	case line.Item != nil:
		if err := Names(line.Item.Item); err != nil {
			return err
		}
		s.Items = append(s.Items, *line.Item)

	case line.Document != nil:
		d := *line.Document
		if _, ok := sizes[d.Text]; !ok {
			return fmt.Errorf("it names the text %.20q, which is not there", d.Text)
		}
		if err := Names(d.Document); err != nil {
			return err
		}
		s.Documents = append(s.Documents, d)

	case line.Asked != nil:
		if err := Names(line.Asked.Judge, line.Asked.Item); err != nil {
			return err
		}
		s.Asked = append(s.Asked, *line.Asked)

	default:
		return errors.New("it is no text, no context, no item, no document and no prompt")
	}
	return nil
}

// valid refuses what no run can have written.
func (c ShownContext) valid(sizes map[string]int) error {
	for _, p := range c.Passages {
		size, ok := sizes[p.Text]
		switch {
		case !ok:
			return fmt.Errorf("it names the text %.20q, which is not there", p.Text)
		case p.Bytes < 0 || p.Bytes > size:
			return fmt.Errorf("it shows %d bytes of a text of %d", p.Bytes, size)
		}
		if err := Names(p.Label, p.Document); err != nil {
			return err
		}
	}

	for _, m := range c.Prompt {
		for _, part := range m.Parts {
			if part.Passage < 0 || part.Passage > len(c.Passages) {
				return fmt.Errorf("its prompt names passage %d of %d", part.Passage, len(c.Passages))
			}
		}
	}
	return nil
}
