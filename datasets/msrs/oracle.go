package msrs

import (
	"math"
	"strings"
	"sync"
	"unicode"

	"lore/datasets"
	"lore/local"
	"lore/local/text"
	"lore/local/tokens"
)

// OracleWords are how many words of all gold documents together the authors show of
// meetings. Of stories they show all.
const OracleWords = 20_000

// FullTokens are how many tokens of each meeting the authors show where they show the whole corpus (B.2). Stories
// are shown whole.
const FullTokens = 4_800

// goldGrades are the relevance of gold documents. It is binary: what stands behind the
// point stays below one half and keeps the published order.
func goldGrades(gold []string) map[string]float64 {
	out := map[string]float64{}
	for i, id := range gold {
		if _, twice := out[id]; !twice {
			out[id] = 1 + 0.4*float64(len(gold)-i)/float64(len(gold))
		}
	}
	return out
}

// everyGold shows all gold documents, each cut to an equal share of the words that the
// oracle has. Where these are more than the budget, each is cut to an equal share of that,
// so that none is left out.
func (it *item) everyGold(found datasets.Retrieved, budget datasets.Budget) datasets.Context {
	shown, whole := make([]string, len(found.IDs)), make([]int, len(found.IDs))
	total := 0
	for i, id := range found.IDs {
		shown[i] = found.Show(id, it.Corpus().Text(id))
		whole[i] = tokens.Count(shown[i])
		if words := it.set.oracleWords; words > 0 {
			shown[i] = firstWords(shown[i], words/len(found.IDs))
		}
		total += tokens.Count(shown[i])
	}

	var ctx datasets.Context
	for i, id := range found.IDs {
		n := tokens.Count(shown[i])
		if each := budget.Tokens / len(found.IDs); total > budget.Tokens && n > each {
			shown[i], n = tokens.Cut(shown[i], each)
		}
		if n < whole[i] {
			ctx.Cut++
			ctx.CutTokens += whole[i] - n
		}
		ctx.Tokens += n
		ctx.Passages = append(ctx.Passages, local.Passage{Label: datasets.Numbered(i, id), Document: id, Text: shown[i]})
	}
	return ctx
}

// firstWords is the beginning of a text that has n words, which white space parts.
func firstWords(s string, n int) string {
	inWord := false
	for i, r := range s {
		space := unicode.IsSpace(r)
		if !space && !inWord {
			if n == 0 {
				return strings.TrimRightFunc(s[:i], unicode.IsSpace)
			}
			n--
		}
		inWord = !space
	}
	return s
}

// frequencies count, once, in how many documents of a corpus each term stands.
type frequencies struct {
	once      sync.Once
	documents map[string]int
	meanTerms float64
}

func (f *frequencies) count(docs []datasets.Document) {
	f.once.Do(func() {
		f.documents = map[string]int{}
		stemmer, all := text.NewStemmer(), 0
		for _, d := range docs {
			seen := map[string]bool{}
			stemmer.Terms(d.Text, func(term string) {
				seen[term] = true
				all++
			})
			for term := range seen {
				f.documents[term]++
			}
		}
		f.meanTerms = float64(all) / float64(max(1, len(docs)))
	})
}

// BM25 of bestGold: the usual parameters, and Lucene's idf.
const (
	bestK1 = 1.2
	bestB  = 0.75
)

// bestGold scores the gold documents by BM25 with the reference answers as the query. In
// stories the place of a chapter counts as much, both in standard scores over the gold
// documents: what a story comes to is told late.
func (it *item) bestGold() map[string]float64 {
	f := &it.set.frequencies
	f.count(it.Corpus().Documents)

	var wanted []string
	for _, r := range it.query.References {
		wanted = append(wanted, text.Terms(r)...)
	}
	lexical, place := make([]float64, len(it.gold)), make([]float64, len(it.gold))
	for i, id := range it.gold {
		lexical[i] = it.set.bm25(wanted, text.Terms(it.Corpus().Text(id)))
		place[i] = float64(i)
	}

	scores := standard(lexical)
	if it.set.domain == "story" {
		for i, p := range standard(place) {
			scores[i] += p
		}
	}
	out := map[string]float64{}
	for i, id := range it.gold {
		out[id] = scores[i]
	}
	return out
}

// bm25 scores a document's terms by those of a query, which may repeat.
func (s *set) bm25(query, document []string) float64 {
	counts := map[string]float64{}
	for _, term := range document {
		counts[term]++
	}
	length := bestK1 * (1 - bestB + bestB*float64(len(document))/s.frequencies.meanTerms)
	n := float64(len(s.corpus.Documents))

	sum := 0.0
	for _, term := range query {
		if tf := counts[term]; tf > 0 {
			df := float64(s.frequencies.documents[term])
			sum += math.Log(1+(n-df+0.5)/(df+0.5)) * tf / (tf + length)
		}
	}
	return sum
}

// standard are values less their mean, over their standard deviation; zeros where all are
// the same.
func standard(values []float64) []float64 {
	mean, square := 0.0, 0.0
	for _, v := range values {
		mean += v / float64(len(values))
	}
	for _, v := range values {
		square += (v - mean) * (v - mean) / float64(len(values))
	}

	out := make([]float64, len(values))
	if square > 0 {
		for i, v := range values {
			out[i] = (v - mean) / math.Sqrt(square)
		}
	}
	return out
}
