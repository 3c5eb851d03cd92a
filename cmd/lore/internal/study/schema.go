package study

import (
	"encoding/json"
	"fmt"
	"strings"
)

// Schema is the JSON Schema (draft 2020-12) of study files, for editors.
func (r Reader) Schema() ([]byte, error) {
	whole := object{
		keyTitle: described("string", "words at the top of the report"),
		keyDate:  described("string", "date to stand in the report, as words"),
		keyOut:   described("string", "folder of the study (default: lore-runs/NAME-HASH)"),
		keySeeds: object{
			"description": "every benchmark is run once with each",
			"type":        "array", "minItems": 1, "uniqueItems": true,
			"items": object{"type": "integer", "minimum": 0},
		},
		keyRepetitions: object{
			"description": "every benchmark is run with the seeds 1, 2, and so on",
			"type":        "integer", "minimum": 1, "maximum": mostRepetitions,
		},
	}
	for _, s := range r.Settings {
		s.into(whole)
	}

	named := object{}
	for _, b := range r.Benchmarks {
		named[b] = object{"anyOf": []any{object{"type": "null"}, r.run(b)}}
	}
	whole[keyBenchmarks] = object{
		"description": "benchmarks, with data and settings of their own where they have some",
		"anyOf": []any{
			object{"type": "array", "minItems": 1, "uniqueItems": true, "items": object{"enum": r.Benchmarks}},
			object{"type": "object", "minProperties": 1, "properties": named, "additionalProperties": r.run("")},
			object{"enum": r.Benchmarks},
		},
	}
	return json.MarshalIndent(object{
		"$schema":              "https://json-schema.org/draft/2020-12/schema",
		"title":                "A study of lore",
		"type":                 "object",
		"properties":           whole,
		"required":             []string{keyBenchmarks},
		"additionalProperties": false,
	}, "", "  ")
}

type object map[string]any

func described(kind, text string) object { return object{"type": kind, "description": text} }

// run is the schema of one benchmark's entry; empty is that of a name of the user's own.
func (r Reader) run(bench string) object {
	properties := object{
		keyData: object{"description": "files or folders (default: the sample that comes with lore)", "anyOf": []any{
			object{"type": "string"}, object{"type": "array", "minItems": 1, "items": object{"type": "string"}}}},
		keyBenchmark: object{"description": "which benchmark it is, where the name is one of your own", "enum": r.Benchmarks},
	}
	for _, s := range r.Settings {
		of := strings.Join(s.Of, " ")
		if !s.Whole && (len(s.Of) == 0 || bench == "" || strings.Contains(" "+of+" ", " "+bench+" ")) {
			s.into(properties)
		}
	}
	out := object{"type": "object", "properties": properties, "additionalProperties": false}
	if bench == "" {
		out["required"] = []string{keyBenchmark}
	}
	return out
}

// into puts a setting into the properties of a schema, under each of its names.
func (s Setting) into(properties object) {
	one := object{"type": []string{"string", "number", "boolean"}} // YAML reads 3 and false as no texts, and lore as what they say
	switch s.Kind {
	case Whole:
		one = object{"type": []string{"integer", "string"}, "pattern": "^[0-9]+$"}
	case Number:
		one = object{"type": []string{"number", "string"}, "pattern": "^-?[0-9.]+$"}
	case Flag:
		one = object{"type": "boolean"}
	}
	out := one
	if s.List || s.Kind == Lines {
		out = object{"anyOf": []any{one, object{"type": "array", "minItems": 1, "items": one}}}
	}

	out["description"] = s.Help
	if len(s.Of) > 0 {
		out["description"] = fmt.Sprintf("%s (%s)", s.Help, strings.Join(s.Of, ", "))
	}
	for _, name := range s.names() {
		properties[name] = out
	}
}

// names are the spellings of a setting: in the plural where it is a list, and with "_" for "-".
func (s Setting) names() []string {
	out := []string{s.Plural()}
	if s.Name != s.Plural() {
		out = append(out, s.Name)
	}
	if under := strings.ReplaceAll(s.Plural(), "-", "_"); under != s.Plural() {
		out = append(out, under)
	}
	return out
}
