package usage

import (
	"fmt"
	"strings"
)

// Unknown words the refusal of a name: the nearest right one where one is near, and all
// that there are.
func Unknown(what, name string, known []string) error {
	hint := ""
	if near := Nearest(name, known); near != "" {
		hint = fmt.Sprintf("; did you mean %s?", near)
	}
	return Errorf("unknown %s %q%s There are: %s", what, name, end(hint), strings.Join(known, ", "))
}

// end closes a sentence that has no question mark.
func end(hint string) string {
	if hint == "" {
		return "."
	}
	return hint
}

// Nearest is the known name that a misspelt one most likely means: at most a third of
// its letters differ. It is empty where none is that near.
func Nearest(name string, known []string) string {
	best, least := "", len([]rune(name))/3
	for _, k := range known {
		d := distance(strings.ToLower(name), strings.ToLower(k))
		if d < least || d == least && best == "" && name != "" {
			best, least = k, d
		}
	}
	return best
}

// distance counts the insertions, deletions and replacements between two words.
func distance(a, b string) int {
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
