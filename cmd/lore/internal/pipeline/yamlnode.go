package pipeline

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"go.yaml.in/yaml/v3"
)

// Bounds of a file of pipelines, far above what people write. Aliases count as what they
// stand for.
const (
	mostYAMLBytes = 1 << 20
	mostYAMLNodes = 20_000
	mostYAMLDepth = 50
)

// readNodes parses a file of pipelines as far as its nodes, and refuses what could not be
// decoded in bounds: an alias that holds itself, aliases of aliases, deep nesting.
func readNodes(data []byte) error {
	if len(data) > mostYAMLBytes {
		return fmt.Errorf("has %d bytes; a file of pipelines has at most %d", len(data), mostYAMLBytes)
	}
	dec := yaml.NewDecoder(bytes.NewReader(data))
	var root yaml.Node
	if err := dec.Decode(&root); err != nil {
		if errors.Is(err, io.EOF) {
			return nil
		}
		return err
	}
	if err := new(nodeWalk).visit(&root, 0); err != nil {
		return err
	}

	var second yaml.Node
	if err := dec.Decode(&second); err == nil {
		return fmt.Errorf("line %d: begins a second document; put all pipelines into one", second.Line)
	} else if !errors.Is(err, io.EOF) {
		return err
	}
	return nil
}

// nodeWalk goes through nodes as decoding will.
type nodeWalk struct {
	nodes int
	open  []*yaml.Node // anchors whose content is being looked at
}

func (w *nodeWalk) visit(n *yaml.Node, depth int) error {
	w.nodes++
	switch {
	case w.nodes > mostYAMLNodes:
		return fmt.Errorf("line %d: stands for more than %d values, its aliases written out; use fewer aliases",
			n.Line, mostYAMLNodes)
	case depth > mostYAMLDepth:
		return fmt.Errorf("line %d: is nested more than %d levels deep", n.Line, mostYAMLDepth)
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
