package main

import (
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"lore/cmd/lore/internal/label"
	"lore/cmd/lore/internal/pipeline"
	"lore/cmd/lore/internal/table"
	"lore/embed"
	"lore/index"
	"lore/judge/llm"
)

// nameValue is a flag of known names, perhaps several with commas between them. How they are
// written, in large letters or small, does not matter; what follows a name, such as a model or
// a folder, stays as it is.
type nameValue struct {
	text  *string
	known []string // those that need something end in ":" or "("
}

// Set takes names, as pflag.Value has it. Unknown ones are refused later, with the nearest.
func (v *nameValue) Set(s string) error {
	*v.text = cased(s, v.known)
	return nil
}

func (v *nameValue) String() string {
	if v.text == nil {
		return ""
	}
	return *v.text
}

// Type stands for the value in help.
func (v *nameValue) Type() string { return "string" }

// namesVar adds a flag of known names.
func namesVar(fl *pflag.FlagSet, into *string, name string, known []string, def, help string) {
	*into = def
	fl.Var(&nameValue{into, known}, name, help)
}

// What flags of names know.
var (
	judgeNames     = []string{"lexical", "ollama:", "openai:", "nli:", "embed:", "recorded:"}
	generatorNames = []string{"extractive", "ollama:", "openai:", "gold"}
	retrieverNames = pipeline.Kinds()
	taskNames      = label.TaskNames()
	unitNames      = []string{table.ByItem, table.ByGroup}
	cutNames       = []string{cutScored, cutUnscored}
	places         = []string{"top", "middle", "bottom", "random"} // of gold documents in a position study
	modeNames      = []string{string(llm.Schema), string(llm.Logprob)}
	variantNames   = []string{string(index.Lucene), string(index.Okapi)}
	lengthNames    = []string{string(index.ExactLengths), string(index.LuceneLengths)}
	analyzerNames  = append(slices.Clone(index.Analyzers), index.Pyserini)
	longNames      = []string{string(embed.Mean), string(embed.Max), string(embed.Cut)}
)

// cased writes the known names of a text as they are known: those at its beginning, and behind
// what parts names. A name ends where one of these, or what it needs, begins.
func cased(text string, known []string) string {
	var out strings.Builder
	for text != "" {
		end := strings.IndexAny(text, ",>+(:@) ")
		if end < 0 {
			end = len(text)
		}
		out.WriteString(asKnown(text[:end], known))
		text = text[end:]

		// Behind a colon a name of somebody else's follows, up to what parts names.
		end = len(text)
		if i := strings.IndexAny(text, ",>+("); i >= 0 {
			end = i + 1
		}
		for end < len(text) && text[end] == ' ' {
			end++
		}
		out.WriteString(text[:end])
		text = text[end:]
	}
	return out.String()
}

// asKnown is a name as it is known, or as it is.
func asKnown(name string, known []string) string {
	for _, k := range known {
		if k = strings.TrimRight(k, ":("); strings.EqualFold(k, name) {
			return k
		}
	}
	return name
}
