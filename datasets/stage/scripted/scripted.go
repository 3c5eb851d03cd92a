// Package scripted helps to play the models of builds by rule. Each build has a package
// scripted of its own, which knows its prompts by their words; what all of them need to
// read a prompt and to word an answer is here. Tests, documented examples and the tests
// that kill builds use them.
package scripted

import (
	"encoding/json"
	"hash/fnv"
	"strings"

	"lore/local"
)

// Rule answers the prompts that hold a mark.
type Rule struct {
	Mark   string
	Answer func(prompt string) string
}

// Answer answers the last message by the first rule whose mark is in it; "" if none
// knows it.
func Answer(rules []Rule, messages []local.Message) string {
	if len(messages) == 0 {
		return ""
	}

	prompt := messages[len(messages)-1].Content
	for _, r := range rules {
		if strings.Contains(prompt, r.Mark) {
			return r.Answer(prompt)
		}
	}
	return ""
}

// Always is an answer that does not depend on the prompt.
func Always(answer string) func(string) string {
	return func(string) string { return answer }
}

// Between cuts out the part of s between two marks; "" where the first is not there.
func Between(s, from, to string) string {
	_, s, ok := strings.Cut(s, from)
	if !ok {
		return ""
	}
	s, _, _ = strings.Cut(s, to)
	return strings.TrimSpace(s)
}

// Items reads the lines of a list with "- " or "1. " in front.
func Items(list string) []string {
	var out []string
	for line := range strings.Lines(list) {
		line = strings.TrimSpace(line)
		if rest, ok := strings.CutPrefix(line, "- "); ok {
			out = append(out, rest)
		} else if n, rest, ok := strings.Cut(line, ". "); ok && n != "" && strings.Trim(n, "0123456789") == "" {
			out = append(out, rest)
		}
	}
	return out
}

// JSON encodes an answer.
func JSON(v any) string {
	data, err := json.Marshal(v)
	if err != nil {
		panic(err) // answers are plain values
	}
	return string(data)
}

// Hash makes answers differ by their prompt, and the same prompt have the same answer.
func Hash(s string) uint64 {
	h := fnv.New64a()
	_, _ = h.Write([]byte(s)) // a hash takes all
	return h.Sum64()
}
