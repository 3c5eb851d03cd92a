package prompts

import (
	"fmt"
	"maps"
	"slices"

	"lore/local/prompt"
)

// wanted are the fields without which a model does not see what it is asked about, in the words of who
// reads of their lack.
var wanted = map[string]string{
	".Query":     "the question",
	".Question":  "the question",
	".Passages":  "the documents",
	".Documents": "the documents",
	".Passage":   "the document",
	".Document":  "the document",
	".Units":     "what is to be judged",
	".Answer":    "the answer",
}

// Lacks says which prompts of a version leave out a field by which lore's own show a model what it is
// about, a sentence each. It may be meant so, and is no error.
func (v Version) Lacks(lib Library) []string {
	var out []string
	for _, name := range slices.Sorted(maps.Keys(v.Texts)) {
		own, err := prompt.Parse(name, v.Texts[name])
		if err != nil {
			continue // that is told otherwise
		}
		lore, err := prompt.Parse(name, lib.Texts[name])
		if err != nil {
			continue // the version has it, and this benchmark does not use it
		}
		there := own.Placeholders()
		for _, field := range lore.Placeholders() {
			if field == ".Question" && slices.Contains(there, ".Statement") {
				continue // the same in other words
			}
			if what := wanted[field]; what != "" && !slices.Contains(there, field) {
				out = append(out, fmt.Sprintf("%s: does not use {{%s}}, as lore's own does: the model does not see %s",
					v.Place(name), field, what))
			}
		}
	}
	return out
}
