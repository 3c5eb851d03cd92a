package datasets

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"sync"

	"lore/local/files"
)

// Dataset is loaded data.
type Dataset struct {
	Corpora  []*Corpus
	Items    []Item
	Hash     string   // SHA-256 of the files read
	Files    []string // what was read, for the manifest
	Warnings []string // what is odd but usable, each with its place

	// Texts is the kind of text that is judged, as judge/agreement knows it: news, conversations,
	// stories, meetings, web; or several, as in "reports,passages". Empty: not known.
	Texts string

	// Unsearchable is the error of retrieving, where there is nothing to retrieve from: answers from elsewhere can
	// still be scored. nil: there is.
	Unsearchable error
}

// Documents counts the documents of all corpora.
func (ds *Dataset) Documents() int {
	n := 0
	for _, c := range ds.Corpora {
		n += len(c.Documents)
	}
	return n
}

// Document is one text of a corpus.
type Document = files.Document

// Texts are the texts of documents by their ids.
func Texts(docs []Document) map[string]string {
	out := make(map[string]string, len(docs))
	for _, d := range docs {
		out[d.ID] = d.Text
	}
	return out
}

// Corpus is the set of documents that items retrieve from. Its documents must not change
// once Place or Text was asked.
type Corpus struct {
	ID        string
	Documents []Document

	once  sync.Once
	place map[string]int

	lengths    sync.Map // by place: tokens
	beginnings sync.Map // by cutAt: beginning
}

// Place is where a document stands among Documents.
func (c *Corpus) Place(id string) (int, bool) {
	c.once.Do(func() {
		c.place = make(map[string]int, len(c.Documents))
		for i, d := range c.Documents {
			c.place[d.ID] = i
		}
	})
	i, ok := c.place[id]
	return i, ok
}

// Has reports whether the corpus has a document.
func (c *Corpus) Has(id string) bool {
	_, ok := c.Place(id)
	return ok
}

// Text is a document's text, empty if there is no such document.
func (c *Corpus) Text(id string) string {
	i, ok := c.Place(id)
	if !ok {
		return ""
	}
	return c.Documents[i].Text
}

// Query is what an item searches for.
type Query struct {
	Text     string
	Gold     map[string]float64            // graded relevance by document id
	Recorded map[string]map[string]float64 // scores that came with the data: retriever, document id

	// BestGold scores the gold documents, by id, where the benchmark knows how the best
	// one of them is chosen; nil: it does not.
	BestGold func() map[string]float64

	// Cites reads the citations of answers, where the benchmark scores them; nil: it does not.
	Cites *Citing
}

// HashFiles returns the SHA-256 over the contents of files in order.
func HashFiles(contents ...[]byte) string {
	h := sha256.New()
	for _, c := range contents {
		fmt.Fprintf(h, "%d:", len(c))
		h.Write(c)
	}
	return hex.EncodeToString(h.Sum(nil))
}
