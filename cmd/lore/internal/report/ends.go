package report

import (
	"strings"

	"lore/datasets"
)

// End is an end of the scale: a system that knows what is right, or nothing. It does not
// compete with the others.
type End struct {
	Words  string // what it is given, behind its name
	Chance bool   // it knows nothing: whoever is not better does not, either
}

// gold is the generator that gives the reference answers.
const gold = "gold"

// EndOf says which end of the scale a system is; false for those that compete.
func EndOf(s datasets.System) (End, bool) {
	source, _, _ := strings.Cut(s.Retriever, ">")
	switch {
	case s.Generator == gold:
		return End{Words: "the reference answers of the data"}, true
	case source == "oracle1":
		return End{Words: "which is given one right document"}, true
	case strings.HasPrefix(source, "oracle"):
		return End{Words: "which is given the right documents"}, true
	case source == "random":
		return End{Words: "which is given documents by chance", Chance: true}, true
	case source == "none":
		return End{Words: "which is given no documents", Chance: true}, true
	}
	return End{Words: "an end of the scale"}, s.Reference()
}
