package main

import (
	"os"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// The pipelines of docs/gate.md are YAML, and their lore commands have the flags that they use.
func TestPipelinesOfTheGate(t *testing.T) {
	data, err := os.ReadFile("../../docs/gate.md")
	if err != nil {
		t.Fatal(err)
	}
	blocks, commands := 0, 0
	for _, part := range strings.Split(string(data), "```yaml\n")[1:] {
		block, _, _ := strings.Cut(part, "```")
		var tree any
		if err := yaml.Unmarshal([]byte(block), &tree); err != nil {
			t.Errorf("%v\n%s", err, block)
		}
		blocks++

		for _, text := range textsOf(tree) {
			for line := range strings.Lines(text) {
				line, _, _ = strings.Cut(strings.TrimSpace(line), " ||")
				if !strings.HasPrefix(line, "lore ") {
					continue
				}
				commands++
				c, rest, err := newRoot(os.Stderr, os.Stderr).Find(shellFields(line)[1:])
				if err == nil {
					err = c.ParseFlags(rest)
				}
				if err != nil {
					t.Errorf("%s: %v", line, err)
				}
			}
		}
	}
	if blocks != 2 || commands != 4 {
		t.Errorf("%d pipelines with %d commands: the test proves nothing", blocks, commands)
	}
}

// textsOf are all texts in a tree of YAML.
func textsOf(tree any) []string {
	var out []string
	switch x := tree.(type) {
	case string:
		out = append(out, x)
	case []any:
		for _, v := range x {
			out = append(out, textsOf(v)...)
		}
	case map[string]any:
		for _, v := range x {
			out = append(out, textsOf(v)...)
		}
	}
	return out
}
