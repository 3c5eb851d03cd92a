package datasets

import (
	"strings"
	"sync"
	"testing"

	"lore/local/tokens"
)

// A corpus counts and cuts as the tokeniser does, for many at a time, and has nothing of documents that are not there.
func TestLengthsOfACorpus(t *testing.T) {
	c := &Corpus{Documents: []Document{{ID: "a", Text: strings.Repeat("The tide came in. ", 50)}, {ID: "b", Text: "short"}, {ID: "c"}}}
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for _, d := range c.Documents {
				if n := c.Tokens(d.ID); n != tokens.Count(d.Text) {
					t.Errorf("%s has %d tokens, counted %d", d.ID, n, tokens.Count(d.Text))
				}
				for _, limit := range []int{0, 1, 7, 1000} {
					text, n := c.Beginning(d.ID, limit)
					want, m := tokens.Cut(d.Text, limit)
					if text != want || n != m {
						t.Errorf("%s cut at %d: %q (%d), want %q (%d)", d.ID, limit, text, n, want, m)
					}
				}
			}
		})
	}
	wg.Wait()
	if text, n := c.Beginning("nowhere", 5); c.Tokens("nowhere") != 0 || text != "" || n != 0 {
		t.Errorf("a document that is not there: %q, %d", text, n)
	}
}
