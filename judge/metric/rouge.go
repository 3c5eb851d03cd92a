package metric

import (
	"math/bits"
	"strings"
)

// PRF is precision, recall and F1.
type PRF struct{ P, R, F float64 }

func prf(overlap, candidate, reference int) PRF {
	p, r := share(overlap, candidate), share(overlap, reference)
	return PRF{p, r, F1(p, r)}
}

// RougeTokens cuts a text as ROUGE does: lower case, runs of a to z and 0 to 9,
// words longer than three letters stemmed by NLTK's Porter stemmer if stem is set.
// It follows google-research's rouge_score 0.1.2.
func RougeTokens(text string, stem bool) []string {
	var out []string
	start := -1
	lower := strings.ToLower(text)
	for i := 0; i <= len(lower); i++ {
		word := i < len(lower) && (lower[i] >= 'a' && lower[i] <= 'z' || lower[i] >= '0' && lower[i] <= '9')
		switch {
		case word && start < 0:
			start = i
		case !word && start >= 0:
			w := lower[start:i]
			if stem && len(w) > 3 {
				w = nltkStem(w)
			}
			out = append(out, w)
			start = -1
		}
	}
	return out
}

// RougeN is n-gram overlap of a candidate with a reference (Lin, 2004), both as
// RougeTokens. It is 0 where either has no n-gram.
func RougeN(candidate, reference []string, n int) PRF {
	a, b := ngrams(candidate, n), ngrams(reference, n)
	overlap, left, right := 0, 0, 0
	for g, c := range a {
		left += c
		overlap += min(c, b[g])
	}
	for _, c := range b {
		right += c
	}
	return prf(overlap, left, right)
}

func ngrams(tokens []string, n int) map[string]int {
	out := map[string]int{}
	for i := 0; i+n <= len(tokens); i++ {
		if n == 1 {
			out[tokens[i]]++
		} else {
			out[strings.Join(tokens[i:i+n], " ")]++
		}
	}
	return out
}

// RougeL is the longest common subsequence of a candidate and a reference (Lin,
// 2004), the texts taken as one sentence each.
func RougeL(candidate, reference []string) PRF {
	return prf(lcsLength(candidate, reference), len(candidate), len(reference))
}

// lcsLength is the length of the longest common subsequence, by the bit-parallel
// method of Hyyrö (2004): 64 positions of a at once.
func lcsLength(a, b []string) int {
	if len(a) == 0 || len(b) == 0 {
		return 0
	}
	words := (len(a) + 63) / 64
	at := map[string][]uint64{}
	for i, t := range a {
		m := at[t]
		if m == nil {
			m = make([]uint64, words)
			at[t] = m
		}
		m[i/64] |= 1 << (i % 64)
	}

	// A zero in v is a place where the subsequence grew by one.
	v := make([]uint64, words)
	for i := range v {
		v[i] = ^uint64(0)
	}

	for _, t := range b {
		m := at[t]
		if m == nil {
			continue
		}
		var carry uint64
		for i := range v {
			u := v[i] & m[i]
			sum, c := bits.Add64(v[i], u, carry)
			v[i], carry = sum|(v[i]&^m[i]), c
		}
	}

	n := 0
	for i := range v {
		free := ^v[i]
		if i == words-1 && len(a)%64 > 0 {
			free &= 1<<(len(a)%64) - 1
		}
		n += bits.OnesCount64(free)
	}
	return n
}

// asPublished is the tokeniser of rouge_score.
func asPublished(stem bool) func(string) []string {
	return func(text string) []string { return RougeTokens(text, stem) }
}

// rougeLsum is summary-level ROUGE-L: for each reference sentence the union of its longest
// common subsequences with the candidate's sentences, each token counted at most as often as
// it occurs on both sides. Sentences are lines, as lineTokens gives them.
func rougeLsum(cand, ref [][]string) PRF {
	candCount, refCount := map[string]int{}, map[string]int{}
	m, n := 0, 0

	for _, s := range ref {
		m += len(s)
		for _, t := range s {
			refCount[t]++
		}
	}
	for _, s := range cand {
		n += len(s)
		for _, t := range s {
			candCount[t]++
		}
	}

	hits := 0
	for _, r := range ref {
		union := make([]bool, len(r))
		for _, c := range cand {
			for _, i := range lcsPositions(r, c) {
				union[i] = true
			}
		}
		// A token counts at most as often as it occurs on both sides.
		for i, in := range union {
			if t := r[i]; in && candCount[t] > 0 && refCount[t] > 0 {
				hits++
				candCount[t]--
				refCount[t]--
			}
		}
	}
	return prf(hits, n, m)
}

func lineTokens(text string, tokens func(string) []string) [][]string {
	var out [][]string
	for line := range strings.SplitSeq(text, "\n") {
		if t := tokens(line); len(t) > 0 {
			out = append(out, t)
		}
	}
	return out
}

// lcsPositions returns the places in a of one longest common subsequence with b,
// found from the end as in rouge_score.
func lcsPositions(a, b []string) []int {
	x, y := numbered(a, b)
	width := len(b) + 1
	table := make([]int32, (len(a)+1)*width)
	for i := 1; i <= len(a); i++ {
		above, row := table[(i-1)*width:i*width], table[i*width:(i+1)*width]
		for j := 1; j <= len(b); j++ {
			if x[i-1] == y[j-1] {
				row[j] = above[j-1] + 1
			} else {
				row[j] = max(above[j], row[j-1])
			}
		}
	}

	// Where both ways are as long this goes back in a, as rouge_score does.
	var out []int
	for i, j := len(a), len(b); i > 0 && j > 0; {
		switch {
		case x[i-1] == y[j-1]:
			out = append(out, i-1)
			i--
			j--
		case table[i*width+j-1] > table[(i-1)*width+j]:
			j--
		default:
			i--
		}
	}
	return out
}

// numbered puts the same number for the same token: numbers are compared at once.
func numbered(a, b []string) (x, y []int32) {
	number := make(map[string]int32, len(a))
	of := func(tokens []string) []int32 {
		out := make([]int32, len(tokens))
		for i, t := range tokens {
			n, ok := number[t]
			if !ok {
				n = int32(len(number))
				number[t] = n
			}
			out[i] = n
		}
		return out
	}
	return of(a), of(b)
}

// RougeScores are the ROUGE values of a candidate against one or more references.
type RougeScores struct{ One, Two, L, Lsum PRF }

// Rouge scores a candidate against references; for each measure the reference
// with the best F1 counts. Without references all values are NaN.
func Rouge(candidate string, references []string, stem bool) RougeScores {
	return RougeBy(asPublished(stem), candidate, references)
}

// RougeBy is Rouge with words of one's own: the published tokeniser drops every letter but a to z.
// tokens cuts a text into words; it is asked for whole texts and for their lines.
func RougeBy(tokens func(text string) []string, candidate string, references []string) RougeScores {
	if len(references) == 0 {
		undefined := PRF{NaN, NaN, NaN}
		return RougeScores{undefined, undefined, undefined, undefined}
	}

	c, lines := tokens(candidate), lineTokens(candidate, tokens)
	var best RougeScores
	for i, text := range references {
		r := tokens(text)
		s := RougeScores{RougeN(c, r, 1), RougeN(c, r, 2), RougeL(c, r), rougeLsum(lines, lineTokens(text, tokens))}
		if i == 0 {
			best = s
			continue
		}

		best.One = better(best.One, s.One)
		best.Two = better(best.Two, s.Two)
		best.L = better(best.L, s.L)
		best.Lsum = better(best.Lsum, s.Lsum)
	}
	return best
}

func better(a, b PRF) PRF {
	if b.F > a.F {
		return b
	}
	return a
}
