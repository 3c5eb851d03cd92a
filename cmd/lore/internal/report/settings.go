package report

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"lore/cmd/lore/internal/store"
)

// Setting is a line of how a run was made.
type Setting struct{ Name, Value string }

// Settings lists a manifest for people.
func Settings(m store.Manifest) []Setting {
	out := []Setting{
		{"lore", m.Lore},
		{"data", strings.Join(m.Data, ", ")},
		{"data SHA-256", m.DataHash},
		{"items", fmt.Sprint(m.Items)},
		{"retrievers", strings.Join(m.Retrievers, ", ")},
		{"tokeniser of budgets", m.Tokenizer},
		{"seed", fmt.Sprint(m.Seed)},
	}
	if m.Server != "" {
		out = append(out, Setting{"Ollama server", m.Server})
	}

	for _, g := range m.Generators {
		out = append(out, Setting{"generator", describe(g)})
	}
	for _, j := range m.Judges {
		out = append(out, Setting{"judge", describe(j)})
	}
	for _, k := range slices.Sorted(maps.Keys(m.Settings)) {
		switch notes := m.Settings[k].(type) {
		case map[string]string: // of a run that has just ended
			out = append(out, named(k, notes)...)
		case map[string]any: // read from a manifest
			out = append(out, named(k, notes)...)
		default:
			out = append(out, Setting{k, fmt.Sprint(notes)})
		}
	}
	for _, k := range slices.Sorted(maps.Keys(m.Prompts)) {
		out = append(out, Setting{"prompt " + k, m.Prompts[k]})
	}
	return out
}

// named gives each part of a setting a line, such as what a benchmark says of itself.
func named[V any](name string, parts map[string]V) []Setting {
	var out []Setting
	for _, k := range slices.Sorted(maps.Keys(parts)) {
		out = append(out, Setting{name + ": " + strings.ReplaceAll(k, "_", " "), fmt.Sprint(parts[k])})
	}
	return out
}

// describe puts what is known of a model in one line.
func describe(m store.Model) string {
	parts := []string{m.Name}
	for _, p := range []string{m.Family, m.Size, m.Quant} {
		if p != "" {
			parts = append(parts, p)
		}
	}
	if m.Digest != "" {
		parts = append(parts, "digest "+m.Digest)
	}
	if m.Mode != "" {
		parts = append(parts, "mode "+m.Mode)
	}
	if m.Agreement != "" {
		parts = append(parts, m.Agreement)
	}

	if m.Options != nil {
		if data, err := json.Marshal(m.Options); err == nil {
			parts = append(parts, string(data))
		}
	}
	return strings.Join(parts, ", ")
}
