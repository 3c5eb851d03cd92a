package embed

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/dlclark/regexp2/v2"
	"github.com/gomlx/go-huggingface/tokenizers/api"
	"github.com/gomlx/go-huggingface/tokenizers/hftokenizer"
	"golang.org/x/text/unicode/norm"
)

// tokenizer is a Hugging Face tokenizer.json. The vocabulary and the splitting of
// words are go-huggingface's; what that leaves out or does in another way than
// Hugging Face's own library is done here: added tokens with their spaces, format
// characters, the word pattern of byte-level BPE, NFKC, and the special tokens of
// single texts and pairs. Golden token ids test it.
type tokenizer struct {
	lib    *hftokenizer.Tokenizer
	added  []addedToken
	clean  bool            // BERT's removal of control, format and unassigned characters
	chars  *charMap        // the precompiled character map of a SentencePiece model; nil for others
	nfc    bool            // byte-level BPE: composed before the text is parted
	nfkc   bool            // in place of such a map that is not there
	words  *regexp2.Regexp // byte-level BPE: the pattern of a word; nil for others
	prefix bool            // byte-level BPE: a space before the text
	whole  *unigram        // in place of the library's unigram model; nil for others
	vocab  map[string]int  // numbers of tokens; nil where there is a unigram model
	single template
	pair   template
	notes  []string
}

type addedToken struct {
	ID      int    `json:"id"`
	Content string `json:"content"`
	LStrip  bool   `json:"lstrip"`
	RStrip  bool   `json:"rstrip"`
}

// template is the order of special tokens and texts. A piece with text 0 is a
// special token, 1 the first and 2 the second text.
type template []templatePiece

type templatePiece struct {
	text int
	id   int
	typ  int
}

// specials counts the special tokens.
func (t template) specials() int {
	n := 0
	for _, p := range t {
		if p.text == 0 {
			n++
		}
	}
	return n
}

// gpt2Words is the word pattern that byte-level BPE uses: contractions, letters,
// numbers and other signs, each with one space before it at most, and spaces.
const gpt2Words = `'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+`

type tokenizerFile struct {
	Added      []addedToken    `json:"added_tokens"`
	Normalizer json.RawMessage `json:"normalizer"`
	Pre        json.RawMessage `json:"pre_tokenizer"`
	Post       json.RawMessage `json:"post_processor"`
	Model      struct {
		Type  string          `json:"type"`
		Unk   int             `json:"unk_id"`
		Vocab json.RawMessage `json:"vocab"`
	} `json:"model"`
}

// part is a normaliser, pre-tokeniser or post-processor, or a sequence of them.
type part struct {
	Type           string          `json:"type"`
	Normalizers    []part          `json:"normalizers"`
	PreTokenizers  []part          `json:"pretokenizers"`
	Processors     []part          `json:"processors"`
	CleanText      *bool           `json:"clean_text"`
	CharMap        string          `json:"precompiled_charsmap"`
	UseRegex       *bool           `json:"use_regex"`
	Replacement    string          `json:"replacement"`
	Scheme         string          `json:"prepend_scheme"`
	Split          *bool           `json:"split"`
	AddPrefixSpace *bool           `json:"add_prefix_space"`
	Sep            json.RawMessage `json:"sep"`
	Cls            json.RawMessage `json:"cls"`
	Single         []templateEntry `json:"single"`
	Pair           []templateEntry `json:"pair"`
	Special        map[string]struct {
		IDs []int `json:"ids"`
	} `json:"special_tokens"`
}

type templateEntry struct {
	Special *struct {
		ID   string `json:"id"`
		Type int    `json:"type_id"`
	} `json:"SpecialToken"`
	Sequence *struct {
		ID   string `json:"id"`
		Type int    `json:"type_id"`
	} `json:"Sequence"`
}

func newTokenizer(data []byte) (*tokenizer, error) {
	var file tokenizerFile
	if err := json.Unmarshal(data, &file); err != nil {
		return nil, fmt.Errorf("read tokenizer.json: %w", err)
	}

	lib, err := hftokenizer.NewFromContent(nil, data)
	if err != nil {
		return nil, fmt.Errorf("read tokenizer.json: %w", err)
	}
	if err := lib.With(api.EncodeOptions{}); err != nil {
		return nil, fmt.Errorf("set the tokeniser up: %w", err)
	}

	t := &tokenizer{lib: lib, added: file.Added}
	slices.SortStableFunc(t.added, func(a, b addedToken) int { return len(b.Content) - len(a.Content) })

	if !slices.Contains([]string{"WordPiece", "BPE", "Unigram"}, file.Model.Type) {
		return nil, fmt.Errorf("tokeniser model %q is not known: WordPiece, BPE and Unigram are",
			file.Model.Type)
	}
	if file.Model.Type == "Unigram" {
		var vocab [][]any
		if err := json.Unmarshal(file.Model.Vocab, &vocab); err != nil {
			return nil, fmt.Errorf("read the vocabulary of tokenizer.json: %w", err)
		}
		t.whole = newUnigram(vocab, file.Model.Unk)
	} else if err := json.Unmarshal(file.Model.Vocab, &t.vocab); err != nil {
		return nil, fmt.Errorf("read the vocabulary of tokenizer.json: %w", err)
	}

	for _, p := range flatten(file.Normalizer, func(p part) []part { return p.Normalizers }) {
		if err := t.normalizer(p); err != nil {
			return nil, err
		}
	}
	for _, p := range flatten(file.Pre, func(p part) []part { return p.PreTokenizers }) {
		if err := t.preTokenizer(p); err != nil {
			return nil, err
		}
	}
	for _, p := range flatten(file.Post, func(p part) []part { return p.Processors }) {
		if err := t.postProcessor(p); err != nil {
			return nil, err
		}
	}

	if t.single == nil {
		t.single, t.pair = template{{text: 1}}, template{{text: 1}, {text: 2, typ: 1}}
		t.notes = append(t.notes, "the tokeniser adds no special tokens")
	}
	return t, nil
}

// flatten lists the parts of nested sequences in order.
func flatten(raw json.RawMessage, children func(part) []part) []part {
	var root part
	if len(raw) == 0 || json.Unmarshal(raw, &root) != nil || root.Type == "" {
		return nil
	}

	var walk func(p part) []part
	walk = func(p part) []part {
		if p.Type != "Sequence" {
			return []part{p}
		}
		var out []part
		for _, c := range children(p) {
			out = append(out, walk(c)...)
		}
		return out
	}
	return walk(root)
}

func (t *tokenizer) normalizer(p part) error {
	switch p.Type {
	case "BertNormalizer":
		t.clean = p.CleanText == nil || *p.CleanText
	case "Precompiled":
		if p.CharMap != "" {
			var err error
			t.chars, err = newCharMap(p.CharMap)
			return err
		}
		t.nfkc = true
		t.notes = append(t.notes, "the tokeniser's precompiled character map is empty: Unicode NFKC is in its place")
	case "NFC":
		t.nfc = true
	case "Lowercase", "NFD", "NFKC", "NFKD", "StripAccents", "Replace", "Prepend", "Strip":
	default:
		t.notes = append(t.notes,
			"the tokeniser's normaliser "+p.Type+" was not compared with Hugging Face's")
	}
	return nil
}

func (t *tokenizer) preTokenizer(p part) error {
	if t.whole != nil && t.whole.take(p) {
		return nil
	}
	switch p.Type {
	case "ByteLevel":
		if p.UseRegex == nil || *p.UseRegex {
			words, err := regexp2.Compile(gpt2Words, regexp2.None)
			if err != nil {
				return fmt.Errorf("compile the word pattern: %w", err)
			}
			t.words = words
		}
		t.prefix = p.AddPrefixSpace != nil && *p.AddPrefixSpace
	case "BertPreTokenizer", "Metaspace", "WhitespaceSplit", "Whitespace":
	default:
		t.notes = append(t.notes,
			"the tokeniser's pre-tokeniser "+p.Type+" was not compared with Hugging Face's")
	}
	return nil
}

func (t *tokenizer) postProcessor(p part) error {
	switch p.Type {
	case "ByteLevel":
		return nil
	case "TemplateProcessing":
		var err error
		if t.single, err = fillTemplate(p, p.Single); err == nil {
			t.pair, err = fillTemplate(p, p.Pair)
		}
		return err
	case "BertProcessing", "RobertaProcessing":
		cls, err1 := tokenOf(p.Cls)
		sep, err2 := tokenOf(p.Sep)
		if err1 != nil || err2 != nil {
			return fmt.Errorf("read tokenizer.json: %s names no special tokens", p.Type)
		}

		t.single = template{{id: cls}, {text: 1}, {id: sep}}
		if p.Type == "BertProcessing" {
			t.pair = template{{id: cls}, {text: 1}, {id: sep}, {text: 2, typ: 1}, {id: sep, typ: 1}}
		} else {
			t.pair = template{{id: cls}, {text: 1}, {id: sep}, {id: sep}, {text: 2}, {id: sep}}
		}
		return nil
	}
	return fmt.Errorf("the tokeniser's post-processor %q is not known", p.Type)
}

func tokenOf(raw json.RawMessage) (int, error) {
	var pair []json.RawMessage
	var id int
	if err := json.Unmarshal(raw, &pair); err != nil || len(pair) != 2 {
		return 0, fmt.Errorf("not a pair of token and id: %s", raw)
	}
	return id, json.Unmarshal(pair[1], &id)
}

func fillTemplate(p part, entries []templateEntry) (template, error) {
	var out template
	for _, e := range entries {
		switch {
		case e.Special != nil:
			ids := p.Special[e.Special.ID].IDs
			if len(ids) == 0 {
				return nil, fmt.Errorf("read tokenizer.json: the special token %q has no id", e.Special.ID)
			}
			for _, id := range ids {
				out = append(out, templatePiece{id: id, typ: e.Special.Type})
			}
		case e.Sequence != nil && e.Sequence.ID == "A":
			out = append(out, templatePiece{text: 1, typ: e.Sequence.Type})
		case e.Sequence != nil:
			out = append(out, templatePiece{text: 2, typ: e.Sequence.Type})
		}
	}
	return out, nil
}

// encode returns the token ids of a text without the template's special tokens.
// Like Hugging Face's, it reads the name of an added token in the text as that
// token.
func (t *tokenizer) encode(text string) []int {
	var ids []int
	strip := false
	for text != "" {
		at, tok := t.nextAdded(text)
		before := text[:at]

		if strip {
			before = strings.TrimLeftFunc(before, unicode.IsSpace)
		}
		if tok.LStrip {
			before = strings.TrimRightFunc(before, unicode.IsSpace)
		}

		ids = append(ids, t.plain(before)...)
		if tok.Content == "" {
			break
		}

		ids = append(ids, tok.ID)
		strip = tok.RStrip
		text = text[at+len(tok.Content):]
	}
	return ids
}

// nextAdded finds the first added token, the longest of those at the same place.
func (t *tokenizer) nextAdded(text string) (int, addedToken) {
	best, found := len(text), addedToken{}
	for _, a := range t.added { // longest first
		if a.Content == "" {
			continue
		}
		near := text[:min(len(text), best+len(a.Content))] // a later one would not be the first
		if i := strings.Index(near, a.Content); i >= 0 && i < best {
			best, found = i, a
		}
	}
	return best, found
}

// plain encodes a text without added tokens.
func (t *tokenizer) plain(text string) []int {
	if t.clean {
		text = strings.Map(cleanRune, text)
	}
	if t.chars != nil {
		text = t.chars.apply(text)
	}
	if t.nfkc {
		text = strings.Join(strings.Fields(norm.NFKC.String(text)), " ")
	}

	if t.whole != nil {
		return t.whole.encode(t.lib.Normalize(text))
	}
	if t.words == nil {
		return t.lib.Encode(text)
	}
	if t.nfc {
		text = norm.NFC.String(text)
	}
	if t.prefix && text != "" && !strings.HasPrefix(text, " ") {
		text = " " + text
	}

	var ids []int
	m, err := t.words.FindStringMatch(text)
	for ; m != nil && err == nil; m, err = t.words.FindNextMatch(m) {
		ids = append(ids, t.lib.Encode(m.String())...)
	}
	return ids
}

// id is the number of a token of the vocabulary.
func (t *tokenizer) id(token string) (int, bool) {
	for _, a := range t.added {
		if a.Content == token {
			return a.ID, true
		}
	}
	if t.whole != nil {
		s, ok := t.whole.tokens[token]
		return s.id, ok
	}
	id, ok := t.vocab[token]
	return id, ok
}

// cleanRune drops what Hugging Face counts as control: all of the category C but
// tab and line ends, and the replacement character.
func cleanRune(r rune) rune {
	switch {
	case r == '\t' || r == '\n' || r == '\r':
		return ' '
	case r == unicode.ReplacementChar, unicode.Is(unicode.C, r):
		return -1
	case !unicode.In(r, unicode.L, unicode.M, unicode.N, unicode.P, unicode.S, unicode.Z): // unassigned
		return -1
	}
	return r
}

// fill builds the input of the model from a template and token ids.
func (t template) fill(first, second []int) (ids, types []int) {
	for _, p := range t {
		part := []int{p.id}
		switch p.text {
		case 1:
			part = first
		case 2:
			part = second
		}

		ids = append(ids, part...)
		for range part {
			types = append(types, p.typ)
		}
	}
	return ids, types
}
