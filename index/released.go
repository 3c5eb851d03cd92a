package index

import (
	"strings"
	"unicode"
)

// KeywordsReleased scores a document by the share of the query's words, function words left out, that occur in it,
// in [0,1], counted as SummHay's release counts them: every mention of a word counts, marks such as "?" are words, too, and
// words are compared in lower case without stemming. A query without such words scores 0 everywhere; the release fails there.
// Source: populate_retriever_scores.py of salesforce/summary-of-a-haystack, whose words are those of NLTK's word_tokenize.
func KeywordsReleased(docs Corpus) Retriever {
	return withWords(docs, vocabularies(docs, treebankWords), func(q Query) func(vocabulary map[string]bool) float64 {
		words := treebankWords(q.Text)
		return func(vocabulary map[string]bool) float64 {
			wanted, found := 0, 0
			for _, w := range words {
				if releasedStop[w] {
					continue
				}
				wanted++
				if vocabulary[w] {
					found++
				}
			}
			if wanted == 0 {
				return 0
			}
			return float64(found) / float64(wanted)
		}
	})
}

// treebankWords are the words of a text in lower case, and its marks, parted by the conventions of the Penn Treebank: "isn't" is
// is and n't, and a full stop at the end of a word stands alone. NLTK leaves it with the abbreviations it knows.
func treebankWords(text string) []string {
	var out []string
	for _, field := range strings.Fields(strings.ToLower(text)) {
		out = appendPieces(out, []rune(field))
	}
	return out
}

// Marks that stand alone wherever they are, and those that may follow a word's full stop.
const (
	aloneMarks   = ";@#$%&?!*[](){}<>\"`«»“”„‘’"
	closingMarks = "])}>\"'»”’"
)

// appendPieces parts what stands between two spaces.
func appendPieces(out []string, field []rune) []string {
	begin := 0
	cut := func(from, to int) { // ends a word, and takes what follows for a mark
		out = appendWord(out, string(field[begin:from]))
		out = append(out, string(field[from:to]))
		begin = to
	}

	for i := 0; i < len(field); {
		if n := markAt(field, i); n > 0 {
			cut(i, i+n)
			i += n
		} else {
			i++
		}
	}
	return appendWord(out, string(field[begin:]))
}

// markAt is how many runes the mark at a place has; 0: none stands there, or it belongs to a word.
func markAt(field []rune, i int) int {
	next := func(r rune) bool { return i+1 < len(field) && field[i+1] == r }
	switch r := field[i]; {
	case strings.ContainsRune(aloneMarks, r):
		return 1
	case r == ',' || r == ':': // not in 1,000 and 10:30
		if i+1 < len(field) && unicode.IsDigit(field[i+1]) {
			return 0
		}
		return 1
	case r == '-' && next('-'):
		return 2
	case r == '.' && next('.'):
		n := 2
		for i+n < len(field) && field[i+n] == '.' {
			n++
		}
		return n
	case r == '.' && strings.Trim(string(field[i+1:]), closingMarks) == "":
		return 1
	case r == '\'' && i+1 == len(field):
		return 1
	}
	return 0
}

// clitics are endings that are words of their own; joined words are parted behind so many bytes.
var (
	clitics = []string{"n't", "'ll", "'re", "'ve", "'s", "'m", "'d"}
	joined  = map[string]int{"cannot": 3, "gimme": 3, "gonna": 3, "gotta": 3, "lemme": 3, "wanna": 3}
)

func appendWord(out []string, word string) []string {
	if word == "" {
		return out
	}
	if n := joined[word]; n > 0 {
		return append(out, word[:n], word[n:])
	}
	for _, c := range clitics {
		if stem, is := strings.CutSuffix(word, c); is && stem != "" {
			return append(out, stem, c)
		}
	}
	return append(out, word)
}

// releasedStop are the English function words that NLTK lists, without those that have an apostrophe, as no word has one.
var releasedStop = func() map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields(`
a about above after again against ain all am an and any are aren as at be because been before being below between both
but by can couldn d did didn do does doesn doing don down during each few for from further had hadn has hasn have haven
having he her here hers herself him himself his how i if in into is isn it its itself just ll m ma me mightn more most
mustn my myself needn no nor not now o of off on once only or other our ours ourselves out over own re s same shan she
should shouldn so some such t than that the their theirs them themselves then there these they this those through to
too under until up ve very was wasn we were weren what when where which while who whom why will with won wouldn y you
your yours yourself yourselves
`) {
		m[w] = true
	}
	return m
}()
