package datasets

import "lore/local/tokens"

// beginning is the beginning of a document that was cut to a limit of tokens.
type beginning struct {
	text   string
	tokens int
}

// cutAt names such a beginning.
type cutAt struct {
	place, limit int
}

// Tokens is the length of a document by cl100k_base, 0 if there is no such document. It is counted once,
// however many items show the document.
func (c *Corpus) Tokens(id string) int {
	place, ok := c.Place(id)
	if !ok {
		return 0
	}
	if n, ok := c.lengths.Load(place); ok {
		return n.(int)
	}
	n := tokens.Count(c.Documents[place].Text)
	c.lengths.Store(place, n)
	return n
}

// Beginning is what is shown of a document where there is room for a number of tokens, and how many tokens that
// is. One limit for many items, as for a corpus shown whole, is cut once.
func (c *Corpus) Beginning(id string, limit int) (string, int) {
	place, ok := c.Place(id)
	if !ok {
		return "", 0
	}
	at := cutAt{place, limit}
	if b, ok := c.beginnings.Load(at); ok {
		return b.(beginning).text, b.(beginning).tokens
	}

	text := c.Documents[place].Text
	n := c.Tokens(id)
	if n > limit {
		text, n = tokens.Cut(text, limit)
	}
	c.beginnings.Store(at, beginning{text, n})
	return text, n
}
