package page

import (
	"cmp"
	"slices"
	"strings"

	"lore/cmd/lore/internal/store"
)

// A document is the same by its id, whatever run cut it: the page keeps the longest text that
// anybody was shown, and of each run how much of it. A text that is no beginning of that one,
// such as a summary, stands behind the documents as a text of its own.

// wording is a text of a document, in a run.
type wording struct {
	run        int
	name, text string
}

// takeDocuments lists the documents whose text is known, then other texts of them, and last
// the documents that the data names and nobody was shown.
func (b *builder) takeDocuments() {
	var order [][2]string
	wordings := map[[2]string][]wording{}
	add := func(run int, id, name, text string) {
		key := [2]string{b.sources[run].Run.Manifest.DataHash, id}
		if _, ok := wordings[key]; !ok {
			order = append(order, key)
		}
		if w := (wording{run, name, text}); !slices.Contains(wordings[key], w) {
			wordings[key] = append(wordings[key], w)
		}
	}
	for run, s := range b.sources {
		eachText(s.Shown, func(id, name, text string) { add(run, id, name, text) })
	}

	for _, key := range order {
		slices.SortStableFunc(wordings[key], func(x, y wording) int { return cmp.Compare(len(y.text), len(x.text)) })
		b.docs[key] = b.addText(key[1], wordings[key][0].text)
	}
	for _, key := range order {
		b.takeWordings(key[1], b.docs[key], wordings[key])
	}
	b.head.Shown = len(b.texts)
	b.takeUnseen()
}

// eachText hands over the documents of a run whose texts it has.
func eachText(s *store.Shown, do func(id, name, text string)) {
	if s == nil {
		return
	}
	texts := map[string]string{}
	for _, t := range s.Texts {
		texts[t.Name] = t.Text
	}
	for _, c := range s.Contexts {
		for _, p := range c.Passages {
			do(p.Document, p.Text, texts[p.Text])
		}
	}
	for _, d := range s.Documents {
		do(d.Document, d.Text, texts[d.Text])
	}
}

func (b *builder) addText(id, text string) int {
	b.texts = append(b.texts, text)
	b.head.Documents = append(b.head.Documents, plain(id))
	return len(b.texts) - 1
}

// takeWordings finds each text of a document in the longest one that begins with it. The list
// has the longest first, which is the document's own.
func (b *builder) takeWordings(id string, document int, list []wording) {
	kept := []int{document}
	for _, w := range list {
		begins := func(n int) bool {
			return b.texts[n] == w.text || w.text != "" && strings.HasPrefix(b.texts[n], w.text)
		}
		at := slices.IndexFunc(kept, begins)
		if at < 0 {
			at = len(kept)
			kept = append(kept, b.addText(id, w.text))
		}
		b.forms[formKey{w.run, id, w.name}] = form{kept[at], len(w.text)}
	}
}

// takeUnseen lists the documents that the data names and whose texts are not kept.
func (b *builder) takeUnseen() {
	for _, s := range b.sources {
		if s.Shown == nil {
			continue
		}
		for _, it := range s.Shown.Items {
			for _, id := range wanted(it) {
				key := [2]string{s.Run.Manifest.DataHash, id}
				if _, ok := b.docs[key]; !ok {
					b.docs[key] = len(b.head.Documents)
					b.head.Documents = append(b.head.Documents, plain(id))
				}
			}
		}
	}
}

// shownAs is a passage of a run as the page shows it.
func (b *builder) shownAs(run int, p store.ShownPassage) Passage {
	document := b.docs[[2]string{b.sources[run].Run.Manifest.DataHash, p.Document}]
	f := b.forms[formKey{run, p.Document, p.Text}]
	out := Passage{Label: plain(p.Label), Document: document, Chars: -1}
	if f.text != document {
		out.Text = f.text
	}

	bytes := f.bytes
	if p.Bytes > 0 {
		bytes = p.Bytes
	}
	if bytes < len(b.texts[f.text]) {
		out.Chars = b.charsOf(f.text, bytes)
	}
	return out
}
