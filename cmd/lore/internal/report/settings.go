package report

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"lore/cmd/lore/internal/store"
)

// setting is a line of how a run was made.
type setting struct{ Name, Value string }

// settings lists a manifest for people.
func settings(m store.Manifest) []setting {
	out := []setting{
		{"lore", m.Lore},
		{"data", strings.Join(m.Data, ", ")},
		{"data SHA-256", m.DataHash},
		{"items", fmt.Sprint(m.Items)},
		{"retrievers", strings.Join(m.Retrievers, ", ")},
		{"tokeniser of budgets", m.Tokenizer},
		{"seed", fmt.Sprint(m.Seed)},
	}
	if m.Server != "" {
		out = append(out, setting{"Ollama server", m.Server})
	}

	for _, g := range m.Generators {
		out = append(out, setting{"generator", describe(g)})
	}
	for _, j := range m.Judges {
		out = append(out, setting{"judge", describe(j)})
	}
	for _, k := range slices.Sorted(maps.Keys(m.Settings)) {
		out = append(out, setting{k, fmt.Sprint(m.Settings[k])})
	}
	for _, k := range slices.Sorted(maps.Keys(m.Prompts)) {
		out = append(out, setting{"prompt " + k, m.Prompts[k]})
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
