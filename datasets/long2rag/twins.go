package long2rag

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"lore/datasets"
	"lore/local/text"
)

// leastTwin is how long a name must be for one that differs by a letter to be taken for a slip.
const leastTwin = 4

// twinNames warn of categories, and of domains, that differ by case or by one letter: each is a column of its own.
func twinNames(items []datasets.Item) []string {
	categories, domains := map[string]bool{}, map[string]bool{}
	for _, it := range items {
		q := it.(*item).question
		categories[q.Category], domains[q.Domain] = true, true
	}
	return append(twinsOf("categories", categories), twinsOf("domains", domains)...)
}

func twinsOf(what string, names map[string]bool) []string {
	delete(names, "")
	all := slices.Sorted(maps.Keys(names))
	var pairs []string
	for i, a := range all {
		for _, b := range all[i+1:] {
			slip := min(len(a), len(b)) >= leastTwin && text.Distance(strings.ToLower(a), strings.ToLower(b)) == 1
			if slip || strings.EqualFold(a, b) {
				pairs = append(pairs, fmt.Sprintf("%q and %q", a, b))
			}
		}
	}
	if len(pairs) == 0 {
		return nil
	}
	return []string{fmt.Sprintf("%s that differ by case or one letter are counted apart: %s; are they the same?",
		what, datasets.Some(pairs))}
}
