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

// questionFields are the fields of a question that is read, but for the id, which has many names.
var questionFields = []string{"question", "category", "domain", "documents", "key_points", "source"}

// slipsOf are the fields that are not read and whose name is nearly that of a field that the question lacks, each
// with that one.
func slipsOf(names []string) []string {
	var lacking, out []string
	for _, f := range questionFields {
		if !slices.Contains(names, f) {
			lacking = append(lacking, f)
		}
	}
	for _, name := range names {
		if slices.Contains(questionFields, name) {
			continue
		}
		if near := text.Nearest(name, lacking); near != "" {
			out = append(out, fmt.Sprintf("%q for %q", name, near))
		}
	}
	return out
}

// slippedFields warn of fields that are not read for a slip in their name.
func slippedFields(items []datasets.Item) []string {
	count := map[string]int{}
	for _, it := range items {
		for _, slip := range it.(*item).question.Slips {
			count[slip]++
		}
	}
	var out []string
	for _, slip := range slices.Sorted(maps.Keys(count)) {
		out = append(out, fmt.Sprintf("a field of %d of %d questions is not read, and has nearly the name of one that is: %s?",
			count[slip], len(items), slip))
	}
	return out
}

// twicePoints warn of questions that have the same key point twice: it counts twice.
func twicePoints(items []datasets.Item) []string {
	var twice []string
	for _, it := range items {
		seen := map[string]bool{}
		for _, p := range it.(*item).question.KeyPoints {
			words := strings.ToLower(strings.Join(strings.Fields(p.Text), " "))
			if seen[words] {
				twice = append(twice, it.ID()+"/"+p.ID)
			}
			seen[words] = true
		}
	}
	if len(twice) == 0 {
		return nil
	}
	return []string{"key points that stand twice in their question count twice: " + datasets.Some(twice)}
}
