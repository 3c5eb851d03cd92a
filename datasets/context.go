package datasets

import (
	"strconv"

	"lore/local"
	"lore/local/tokens"
)

// Show returns what is shown of a document: its own text, or what a pipeline made
// of it.
func (r Retrieved) Show(id, own string) string {
	if made, ok := r.Texts[id]; ok {
		return made
	}
	return own
}

// lengthOf is what is shown of a document, and its tokens.
func (r Retrieved) lengthOf(c *Corpus, id string) (string, int) {
	if made, ok := r.Texts[id]; ok {
		return made, tokens.Count(made)
	}
	return c.Text(id), c.Tokens(id)
}

// Take fills a context with the first limit documents of a ranking, all of them if
// limit is 0. They are taken whole while they fit into the budget; the next one is cut
// to fit and the rest left out. A corpus shown whole has no budget and no limit. label
// says what an answer cites a document by, from its place in the ranking and its id.
func Take(c *Corpus, found Retrieved, limit int, budget Budget, label func(place int, id string) string) Context {
	var ctx Context
	ids := found.IDs
	if limit > 0 && !found.Whole {
		ids = ids[:min(limit, len(ids))]
	}

	for i, id := range ids {
		shown, n := found.lengthOf(c, id)
		if room := budget.Tokens - ctx.Tokens; !found.Whole && n > room {
			whole := n
			if shown, n = tokens.Cut(shown, room); n == 0 {
				ctx.Dropped = len(ids) - i
				return ctx
			}
			ctx.Cut++
			ctx.CutTokens += whole - n
		}

		ctx.Tokens += n
		ctx.Passages = append(ctx.Passages, local.Passage{Label: label(i, id), Document: id, Text: shown})
	}
	return ctx
}

// Numbered labels passages by their place in the ranking, from 1.
func Numbered(place int, _ string) string { return strconv.Itoa(place + 1) }
