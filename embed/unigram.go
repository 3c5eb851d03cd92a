package embed

import (
	"math"
	"slices"
	"strings"
	"unicode/utf8"
)

// unknownPenalty is how much worse an unknown character is than the rarest token.
const unknownPenalty = 10

// unigram is the model of SentencePiece: a word is cut into the tokens of the greatest
// probability together. (go-huggingface takes the longest token at each place.)
type unigram struct {
	tokens  map[string]scored
	longest int // bytes of the longest token
	unknown int
	rare    float64 // score of an unknown character

	words  bool   // white space alone parts words
	space  string // stands for a space, as ▁
	before string // when it is put before a word: always, first or never
	split  bool   // a word begins at each
}

type scored struct {
	id    int
	score float64
}

// newUnigram reads the vocabulary, entries of token and score.
func newUnigram(vocab [][]any, unknown int) *unigram {
	u := &unigram{tokens: map[string]scored{}, unknown: unknown, before: "never"}
	least := math.Inf(1)
	for id, entry := range vocab {
		if len(entry) != 2 {
			continue
		}
		token, ok1 := entry[0].(string)
		score, ok2 := entry[1].(float64)
		if !ok1 || !ok2 || token == "" {
			continue
		}
		u.tokens[token] = scored{id, score}
		u.longest = max(u.longest, len(token))
		least = min(least, score)
	}
	u.rare = least - unknownPenalty
	return u
}

// take sets a pre-tokeniser up; false for one that is not known.
func (u *unigram) take(p part) bool {
	switch p.Type {
	case "WhitespaceSplit":
		u.words = true
	case "Metaspace":
		u.space, u.before, u.split = p.Replacement, "always", p.Split == nil || *p.Split
		if u.space == "" {
			u.space = "▁"
		}
		if p.Scheme != "" {
			u.before = p.Scheme
		} else if p.AddPrefixSpace != nil && !*p.AddPrefixSpace {
			u.before = "never"
		}
	default:
		return false
	}
	return true
}

// encode cuts a normalised text into words, and these into tokens.
func (u *unigram) encode(text string) []int {
	if text == "" {
		return nil
	}
	words := []string{text}
	if u.words {
		words = strings.Fields(text)
	}

	var ids []int
	for i, w := range words {
		for _, piece := range u.pieces(w, i == 0) {
			ids = append(ids, u.best(piece)...)
		}
	}
	return ids
}

// pieces puts the sign for spaces into a word, and parts it where one begins.
func (u *unigram) pieces(word string, first bool) []string {
	if u.space == "" {
		return []string{word}
	}
	word = strings.ReplaceAll(word, " ", u.space)
	if (u.before == "always" || u.before == "first" && first) && !strings.HasPrefix(word, u.space) {
		word = u.space + word
	}
	if !u.split {
		return []string{word}
	}

	var out []string
	for word != "" {
		end := len(word)
		if at := strings.Index(word[1:], u.space); at >= 0 {
			end = at + 1
		}
		out = append(out, word[:end])
		word = word[end:]
	}
	return out
}

// path is the best way to a place in a word: its score, and its last token.
type path struct {
	score float64
	from  int
	id    int
	known bool
}

// best finds the tokens of the greatest probability together. Neighbouring unknown
// characters are one token.
func (u *unigram) best(word string) []int {
	ways := make([]path, len(word)+1)
	for i := range ways {
		ways[i].from = -1
	}
	reach := func(from, to int, s scored, known bool) {
		score := ways[from].score + s.score
		if w := &ways[to]; w.from < 0 || score > w.score {
			*w = path{score, from, s.id, known}
		}
	}

	for at := 0; at < len(word); {
		_, size := utf8.DecodeRuneInString(word[at:])
		single := false
		for end := at + size; end <= min(len(word), at+u.longest); end++ {
			if end < len(word) && !utf8.RuneStart(word[end]) {
				continue
			}
			if s, ok := u.tokens[word[at:end]]; ok {
				reach(at, end, s, true)
				single = single || end == at+size
			}
		}
		if !single {
			reach(at, at+size, scored{u.unknown, u.rare}, false)
		}
		at += size
	}

	var ids []int
	unknown := false
	for at := len(word); at > 0; at = ways[at].from {
		if w := ways[at]; w.known || !unknown {
			ids = append(ids, w.id)
		}
		unknown = !ways[at].known
	}
	slices.Reverse(ids)
	return ids
}
