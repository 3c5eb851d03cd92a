package page

import (
	"hash/fnv"
	"slices"
	"strings"
)

// Deflate looks back 32 KiB. Of the answers of a hundred systems to one question it sees
// some twenty, so that answers which are nearly the same take little room only where they
// stand side by side.

// worthSorting is the length of all answers to a question above which their order matters.
const worthSorting = 24 << 10

// sketchSize is how many hashes stand for an answer.
const sketchSize = 48

// alikeBesides puts answers that share many runs of words next to each other, each after the
// one before that it is most like. Equal input gives an equal order.
func alikeBesides(answers []Answer) []Answer {
	size := 0
	for _, a := range answers {
		size += len(a.Text)
	}
	if size < worthSorting {
		return answers
	}

	sketches := make([][]uint64, len(answers))
	for i, a := range answers {
		sketches[i] = sketch(a.Text)
	}
	left := make([]int, len(answers))
	for i := range left {
		left[i] = i
	}

	out := make([]Answer, 0, len(answers))
	at := 0
	for len(left) > 0 {
		now := left[at]
		left = slices.Delete(left, at, at+1)
		out = append(out, answers[now])
		most := -1
		for k, i := range left {
			if n := common(sketches[now], sketches[i]); n > most {
				at, most = k, n
			}
		}
	}
	return out
}

// sketch are the smallest hashes of a text's runs of three words: texts that share many
// runs share many of these (Broder, 1997).
func sketch(text string) []uint64 {
	words := strings.Fields(text)
	var all []uint64
	for i := 0; i+3 <= len(words); i++ {
		h := fnv.New64a()
		for _, w := range words[i : i+3] {
			h.Write([]byte(w))
			h.Write([]byte{0})
		}
		all = append(all, h.Sum64())
	}
	slices.Sort(all)
	all = slices.Compact(all)
	return all[:min(sketchSize, len(all))]
}

// common counts what two sorted lists share.
func common(a, b []uint64) int {
	n := 0
	for i, j := 0, 0; i < len(a) && j < len(b); {
		switch {
		case a[i] == b[j]:
			n, i, j = n+1, i+1, j+1
		case a[i] < b[j]:
			i++
		default:
			j++
		}
	}
	return n
}
