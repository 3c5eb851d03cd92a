package datasets

import (
	"slices"
	"strings"
)

// System is what is evaluated: a retriever with a generator.
type System struct {
	Retriever string `json:"retriever"`
	Generator string `json:"generator"`
}

// String names the system in tables and notes.
func (s System) String() string { return s.Retriever + ", " + s.Generator }

// Outside is the retriever of systems that answer by means of their own.
const Outside = "outside"

// ofPrompts stands between a generator and the version of the prompt that it is asked by.
const ofPrompts = "+prompts:"

// WithPrompts is the system, asked by a version of people's own of the prompt for answers.
func (s System) WithPrompts(version string) System {
	s.Generator += ofPrompts + version
	return s
}

// Prompts are the version of the prompt for answers in a system's name, empty for the benchmark's
// own, and the system without it. The way of asking stays behind the generator's name, as in
// "ollama:NAME (free)".
func (s System) Prompts() (base System, version string) {
	before, rest, ok := strings.Cut(s.Generator, ofPrompts)
	if !ok {
		return s, ""
	}
	version, variant, asked := strings.Cut(rest, " (")
	if asked {
		before += " (" + variant
	}
	return System{s.Retriever, before}, version
}

// Context names where the documents that a system was shown came from: its retriever, or
// the system itself where it is from outside.
func (s System) Context() string {
	if s.Retriever == Outside {
		return s.String()
	}
	return s.Retriever
}

// references are sources of documents that mark the ends of a scale: all that is wanted,
// chance, nothing.
var references = []string{"oracle", "oracle1", "random", "none"}

// Reference reports whether a system's retriever is oracle, random or none, with or without
// further stages. Any sensible figure ranks these right, so that a rank correlation over
// a few systems with them says nothing of those that compete.
func (s System) Reference() bool {
	source, _, _ := strings.Cut(s.Retriever, ">")
	return slices.Contains(references, source)
}

// Judged is a system with the judge of its answers: a row of a table. It is comparable,
// and so its own key.
type Judged struct {
	System
	Judge string `json:"judge"`
}

// String names the row.
func (j Judged) String() string { return j.System.String() + ", " + j.Judge }

// Scored is a judged system as a benchmark's own tables see it.
type Scored struct {
	Judged
	Value func(metric string) (float64, bool) // in the metric's unit; false: undefined
	Items []ItemFigures
}

// ItemFigures are an item's values by metric and unit, with its facets.
type ItemFigures struct {
	Item   string
	Facets map[string]string
	Values map[string]map[string]float64
}
