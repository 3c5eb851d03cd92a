package index

import "sync"

// Corpus is the documents that are searched, numbered from 0 in their given order. It is safe for concurrent use. Texts
// are asked for one by one, so a corpus need not be in memory.
type Corpus interface {
	// Len is the number of documents.
	Len() int
	// ID is the id of document i, unique in the corpus.
	ID(i int) string
	// Find is the number of the document with an id.
	Find(id string) (i int, ok bool)
	// Text is the text of document i. It fails where a file cannot be read or is damaged.
	Text(i int) (string, error)
}

// InMemory is a corpus of documents that are in memory. They must not change afterwards.
func InMemory(docs []Document) Corpus {
	m := &inMemory{docs: docs}
	m.numbers = sync.OnceValue(func() map[string]int {
		out := make(map[string]int, len(docs))
		for i, d := range docs {
			out[d.ID] = i
		}
		return out
	})
	return m
}

type inMemory struct {
	docs    []Document
	numbers func() map[string]int // by id
}

func (m *inMemory) Len() int                   { return len(m.docs) }
func (m *inMemory) ID(i int) string            { return m.docs[i].ID }
func (m *inMemory) Text(i int) (string, error) { return m.docs[i].Text, nil }

func (m *inMemory) Find(id string) (int, bool) {
	i, ok := m.numbers()[id]
	return i, ok
}

// All reads a whole corpus into memory.
func All(c Corpus) ([]Document, error) {
	if m, ok := c.(*inMemory); ok {
		return m.docs, nil
	}
	out := make([]Document, c.Len())
	for i := range out {
		text, err := c.Text(i)
		if err != nil {
			return nil, err
		}
		out[i] = Document{ID: c.ID(i), Text: text}
	}
	return out, nil
}
