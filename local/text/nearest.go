package text

import "strings"

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

// Distance counts the insertions, deletions and replacements of letters between two
// words: 0 is the same word, the longer word's length is the most.
func Distance(a, b string) int {
	x, y := []rune(a), []rune(b)
	row := make([]int, len(y)+1)
	for j := range row {
		row[j] = j
	}

	for i := range x {
		diagonal := row[0]
		row[0] = i + 1
		for j := range y {
			cost := 1
			if x[i] == y[j] {
				cost = 0
			}
			diagonal, row[j+1] = row[j+1], min(row[j+1]+1, row[j]+1, diagonal+cost)
		}
	}
	return row[len(y)]
}
