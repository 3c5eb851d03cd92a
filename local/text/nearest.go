package text

import (
	"fmt"
	"strings"
)

// Nearest is the known name that a misspelt one most likely means: at most a third of
// its letters differ. It is empty where none is that near.
func Nearest(name string, known []string) string {
	best, least := "", len([]rune(name))/3
	for _, k := range known {
		d := Distance(strings.ToLower(name), strings.ToLower(k))
		if d < least || d == least && best == "" && name != "" {
			best, least = k, d
		}
	}
	return best
}

// DidYouMean ends a message about a name that is not known with the question for the nearest one:
// "; did you mean X?", or nothing where none is near.
func DidYouMean(name string, known []string) string {
	near := Nearest(name, known)
	if near == "" || near == name {
		return ""
	}
	return fmt.Sprintf("; did you mean %s?", near)
}

// Distance counts the insertions, deletions and replacements of letters, and neighbours that
// have changed places, between two words: 0 is the same word, the longer word's length is the
// most.
func Distance(a, b string) int {
	x, y := []rune(a), []rune(b)
	var before, last, row []int // those of the letters of a before this one, and its own
	for i := range len(x) + 1 {
		before, last, row = last, row, make([]int, len(y)+1)
		for j := range row {
			if i == 0 || j == 0 {
				row[j] = i + j
				continue
			}

			cost := 1
			if x[i-1] == y[j-1] {
				cost = 0
			}
			row[j] = min(last[j]+1, row[j-1]+1, last[j-1]+cost)
			if i > 1 && j > 1 && x[i-1] == y[j-2] && x[i-2] == y[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
	}
	return row[len(y)]
}
