// Package yamlfile parses the YAML files that people write, within bounds. JSON is YAML, too.
package yamlfile

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"go.yaml.in/yaml/v3"
)

// Bounds of a file, far above what people write. Aliases count as what they stand for.
const (
	mostBytes = 1 << 20
	mostNodes = 20_000
	mostDepth = 50
)

// Parse parses a file as far as its nodes, and refuses what could not be decoded in bounds:
// an alias that holds itself, aliases of aliases, deep nesting. what words such a file, and
// parts what a second document would have more of. An empty file is nil.
func Parse(data []byte, what, parts string) (*yaml.Node, error) {
	if len(data) > mostBytes {
		return nil, fmt.Errorf("has %d bytes; %s has at most %d", len(data), what, mostBytes)
	}
	dec := yaml.NewDecoder(bytes.NewReader(data))
	var root yaml.Node
	if err := dec.Decode(&root); err != nil {
		if errors.Is(err, io.EOF) {
			return nil, nil
		}
		return nil, err
	}
	if err := new(nodeWalk).visit(&root, 0); err != nil {
		return nil, err
	}

	var second yaml.Node
	if err := dec.Decode(&second); err == nil {
		return nil, fmt.Errorf("line %d: begins a second document; put all %s into one", second.Line, parts)
	} else if !errors.Is(err, io.EOF) {
		return nil, err
	}
	if len(root.Content) == 0 {
		return nil, nil
	}
	return root.Content[0], nil
}

// nodeWalk goes through nodes as decoding will.
type nodeWalk struct {
	nodes int
	open  []*yaml.Node // anchors whose content is being looked at
}

func (w *nodeWalk) visit(n *yaml.Node, depth int) error {
	w.nodes++
	switch {
	case w.nodes > mostNodes:
		return fmt.Errorf("line %d: stands for more than %d values, its aliases written out; use fewer aliases",
			n.Line, mostNodes)
	case depth > mostDepth:
		return fmt.Errorf("line %d: is nested more than %d levels deep", n.Line, mostDepth)
	}

	if n.Kind == yaml.AliasNode {
		for _, anchor := range w.open {
			if anchor == n.Alias {
				return fmt.Errorf("line %d: the alias *%s stands for what it is in; write that out", n.Line, n.Value)
			}
		}
		return w.visit(n.Alias, depth)
	}

	if n.Anchor != "" {
		w.open = append(w.open, n)
		defer func() { w.open = w.open[:len(w.open)-1] }()
	}
	for _, c := range n.Content {
		if err := w.visit(c, depth+1); err != nil {
			return err
		}
	}
	return nil
}
