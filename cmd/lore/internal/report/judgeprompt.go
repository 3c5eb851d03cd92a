package report

import (
	"crypto/sha256"
	"encoding/hex"
	"io/fs"
	"slices"
	"strings"

	"lore/cmd/lore/internal/store"
	"lore/judge"
	"lore/judge/llm"
)

// ownPrompt names the prompt by which a judge of a run asked questions of a kind, with the beginning of its
// SHA-256, where it is not this lore's; "" where it is, or where the judge is no model that is told anything.
func ownPrompt(m store.Manifest, by string, kind judge.Kind) string {
	name := llm.PromptOf(kind)
	hash := m.Prompts[name]
	parts := strings.Split(by, "+")
	for i, part := range parts {
		parts[i] = strings.TrimSuffix(part, llm.ExamplesMark)
	}
	told := slices.ContainsFunc(m.Judges, func(j store.Model) bool {
		return j.Mode != "" && slices.Contains(parts, j.Name)
	})
	if hash == "" || !told || hash == builtinHash(name) {
		return ""
	}
	return name + " " + hash[:min(shortHash, len(hash))]
}

// shortHash is how many digits of a hash people are shown.
const shortHash = 8

// builtinHash is the SHA-256 of lore's own prompt of a judge; "" if there is none of that name.
func builtinHash(name string) string {
	data, err := fs.ReadFile(llm.Prompts(), name)
	if err != nil {
		return ""
	}
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}
