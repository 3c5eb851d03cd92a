// Package extractive is a generator that needs no model: it copies sentences.
//
// It ranks sentences by LexRank with a question bias (Otterbacher, Erkan and
// Radev, 2005): a random walk over sentences that prefers those which share words
// with the query and those which resemble many others, since what recurs is what
// long-form answers should report. Sentences are then taken one by one by maximal
// marginal relevance (Carbonell and Goldstein, 1998), so that no two say the
// same. A bullet cites every passage that holds a sentence like it.
//
// The answer is honest in that every sentence stands in a passage, and dull for
// the same reason. A judge by word overlap favours it: see the reports.
package extractive

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"lore/local"
	"lore/local/text"
)

// BackendName is the value of Call.Backend for this package.
const BackendName = "extractive"

// Version is part of every call's identity: raise it when the method changes, so
// that old journals do not answer for it. 1: first version.
const Version = "1"

// Settings of the method, chosen on the haystacks news1 and news2 of SummHay with
// the lexical judge.
const (
	candidates  = 400  // sentences that enter the random walk
	queryBias   = 0.6  // weight of the query in the walk
	edgeFrom    = 0.10 // similarity below which two sentences are not linked
	relevance   = 0.8  // weight of rank against redundancy in the selection
	sameFrom    = 0.30 // similarity from which two sentences say the same
	citeFrom    = 0.40 // similarity from which a passage supports a sentence
	walkSteps   = 30   // steps of the walk; it settles much earlier
	shortest    = 6    // terms; shorter sentences are headings and asides
	defaultSize = 250  // words of prose when no limit is given
)

// Backend implements local.Backend.
type Backend struct{ parsed cache }

// New returns the generator.
func New() *Backend { return &Backend{} }

// Do answers a structured request. Without passages there is nothing to copy and
// the outcome is Empty.
func (b *Backend) Do(ctx context.Context, call local.Call) (local.Reply, error) {
	if err := ctx.Err(); err != nil {
		return local.Reply{}, context.Cause(ctx)
	}
	if call.Source == nil {
		return local.Fail(local.RefusedOption,
			"the extractive generator takes documents and a query, not a conversation"), nil
	}

	answer := b.answer(*call.Source)
	if answer == "" {
		return local.Fail(local.Empty,
			"the extractive generator can only copy, and no passage was given"), nil
	}
	return local.Reply{Outcome: local.OK, Text: answer}, nil
}

func (b *Backend) answer(src local.Source) string {
	pool := b.pool(src)
	if len(pool.sentences) == 0 {
		return ""
	}

	pool.weigh()
	order := pool.rank(languageOf(src.Language, src.Query, src.Passages[0].Text).Terms(src.Query))
	if src.Bullets > 0 {
		return bullets(pool, pool.choose(order, src.Bullets), src.Passages)
	}
	return prose(pool, order, src.Words)
}

// Language says how the texts of a request are to be read, for its Source: as the code says; or
// each by its own language, if one of them is not in English. Empty stands for English: requests
// in it are what they were before there were other languages, and their finished calls hold.
func Language(code string, passages []local.Passage) string {
	if _, ok := text.Lookup(code); ok {
		if code == text.English.Code {
			return ""
		}
		return code
	}

	for _, p := range passages {
		if l := text.Of(text.Auto, p.Text); l != text.English && l != text.Unknown {
			return text.Auto
		}
	}
	return ""
}

// languageOf is the language that a Source gives a text, the first that tells it of several.
func languageOf(given string, texts ...string) *text.Language {
	if given == "" {
		return text.English
	}
	return text.Of(given, texts...)
}

// bullets writes the chosen sentences in order of rank, each with its sources.
func bullets(p *pool, chosen []int, passages []local.Passage) string {
	var b strings.Builder
	for _, s := range chosen {
		b.WriteString("- ")
		b.WriteString(oneLine(p.sentences[s].text))
		b.WriteString(" [")
		b.WriteString(strings.Join(labels(p.supporters(s), passages), ", "))
		b.WriteString("]\n")
	}
	return b.String()
}

// oneLine makes a sentence fit a bullet: no list mark in front and no brackets
// that could be read as a citation.
func oneLine(s string) string {
	s = strings.TrimLeft(s, "-*•# \t")
	return strings.NewReplacer("[", "(", "]", ")").Replace(strings.Join(strings.Fields(s), " "))
}

func labels(supporters []int, passages []local.Passage) []string {
	out := make([]string, len(supporters))
	for i, p := range supporters {
		out[i] = passages[p].Label
	}

	slices.SortFunc(out, func(a, b string) int {
		x, errX := strconv.Atoi(a)
		y, errY := strconv.Atoi(b)
		if errX == nil && errY == nil {
			return x - y
		}
		return strings.Compare(a, b)
	})
	return out
}

// prose writes sentences up to a number of words, in the order of the passages.
func prose(p *pool, order []int, words int) string {
	if words <= 0 {
		words = defaultSize
	}

	var taken []int
	for _, s := range p.choose(order, len(order)) {
		n := text.Count(p.sentences[s].text)
		if n > words {
			continue
		}
		words -= n
		taken = append(taken, s)
	}

	slices.Sort(taken)
	parts := make([]string, len(taken))
	for i, s := range taken {
		parts[i] = p.sentences[s].text
	}
	return strings.Join(parts, " ")
}
