package service

import (
	"math"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"lore/cmd/lore/internal/usage"
	"lore/local/system"
)

// key is a key of an object, and what reads its value.
type key struct {
	name string
	take func(*yaml.Node) error
}

type keys []key

func (k keys) names() []string {
	out := make([]string, len(k))
	for i := range k {
		out[i] = k[i].name
	}
	return out
}

// meant is what an alias stands for.
func meant(n *yaml.Node) *yaml.Node {
	for n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	return n
}

// valueOf is the value of a key of an object; nil where it has none.
func valueOf(n *yaml.Node, name string) *yaml.Node {
	n = meant(n)
	if n.Kind != yaml.MappingNode {
		return nil
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == name {
			return meant(n.Content[i+1])
		}
	}
	return nil
}

// each reads the keys of an object, whatever they are called.
func each(n *yaml.Node, what string, take func(key, value *yaml.Node) error) error {
	n = meant(n)
	if n.Kind != yaml.MappingNode {
		return atLine(n, "%s: a map is wanted, of names with values", what)
	}
	seen := map[string]bool{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		k := meant(n.Content[i])
		if k.Kind != yaml.ScalarNode {
			return atLine(k, "%s: a name is wanted", what)
		}
		if seen[k.Value] {
			return atLine(k, "%s has %s twice", what, k.Value)
		}
		seen[k.Value] = true
		if err := take(k, meant(n.Content[i+1])); err != nil {
			return err
		}
	}
	return nil
}

// object reads an object that has no other keys than these.
func object(n *yaml.Node, what string, known keys) error {
	if m := meant(n); m.Kind != yaml.MappingNode {
		return atLine(m, "%s: a map is wanted, with %s", what, strings.Join(known.names(), ", "))
	}
	return each(n, what, func(k, value *yaml.Node) error {
		for _, want := range known {
			if want.name == k.Value {
				return want.take(value)
			}
		}
		return atLine(k, "unknown key %q%s %s has %s",
			usage.Line(k.Value), usage.Hint(k.Value, known.names()), what, strings.Join(known.names(), ", "))
	})
}

// text reads a text; numbers are texts, too.
func text(into *string) func(*yaml.Node) error {
	return func(n *yaml.Node) error {
		if n = meant(n); n.Kind != yaml.ScalarNode || n.Tag == "!!null" {
			return atLine(n, "a text is wanted")
		}
		*into = n.Value
		return nil
	}
}

// whole reads a number from least on.
func whole(into *int, least int) func(*yaml.Node) error {
	return func(n *yaml.Node) error {
		v, err := strconv.Atoi(meant(n).Value)
		if err != nil || v < least || v > math.MaxInt32 {
			return atLine(n, "a whole number from %d on is wanted, not %q", least, usage.Line(meant(n).Value))
		}
		*into = v
		return nil
	}
}

// path reads a path.
func path(into *system.Path) func(*yaml.Node) error {
	return func(n *yaml.Node) error {
		var s string
		if err := text(&s)(n); err != nil {
			return err
		}
		p, err := system.ParsePath(s)
		if err != nil {
			return atLine(n, "%w", err)
		}
		p.Line = n.Line
		*into = p
		return nil
	}
}

// list is a list, or one value as a list.
func list(n *yaml.Node) []*yaml.Node {
	if n = meant(n); n.Kind == yaml.SequenceNode {
		return n.Content
	}
	return []*yaml.Node{n}
}

// paths reads a path, or several.
func paths(into *[]system.Path) func(*yaml.Node) error {
	return func(n *yaml.Node) error {
		*into = nil
		for _, one := range list(n) {
			var p system.Path
			if err := path(&p)(meant(one)); err != nil {
				return err
			}
			*into = append(*into, p)
		}
		if len(*into) == 0 {
			return atLine(n, "a path is wanted, or several")
		}
		return nil
	}
}

// oneOf reads one of some words.
func oneOf(into *string, words []string) func(*yaml.Node) error {
	return func(n *yaml.Node) error {
		var s string
		if err := text(&s)(n); err != nil {
			return err
		}
		for _, w := range words {
			if s == w {
				*into = s
				return nil
			}
		}
		return atLine(n, "unknown value %q%s There are: %s", usage.Line(s), usage.Hint(s, words), strings.Join(words, ", "))
	}
}
