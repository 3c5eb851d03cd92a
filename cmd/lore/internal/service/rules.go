package service

import (
	"regexp"

	"go.yaml.in/yaml/v3"

	"lore/local/system"
)

// takeAnswer reads where the answer stands: a path, several of which the first counts, or a
// map.
func takeAnswer(n *yaml.Node, into *system.Answering) error {
	*into = system.Answering{Text: into.Text} // a preset's texts may be parts
	if meant(n).Kind != yaml.MappingNode {
		return paths(&into.At)(n)
	}

	var pieces, between string
	err := object(n, "answer", keys{
		{"at", paths(&into.At)},
		{"text", path(&into.Text)},
		{"cites", path(&into.Cites)},
		{"between", func(n *yaml.Node) error { into.Between = &between; return text(&between)(n) }},
		{"pieces", oneOf(&pieces, []string{"joined", "last"})},
	})
	if err == nil && len(into.At) == 0 {
		err = atLine(n, "answer: there is no at:, the path of the answer")
	}
	into.Last = pieces == "last"
	return err
}

// takeDocuments reads where the documents stand: the path of their ids, or a map.
func takeDocuments(n *yaml.Node, into *system.Documents) error {
	*into = system.Documents{}
	if meant(n).Kind != yaml.MappingNode {
		return path(&into.At)(n)
	}

	err := object(n, "documents", keys{
		{"at", path(&into.At)},
		{"id", path(&into.ID)},
		{"text", path(&into.Text)},
		{"pattern", func(n *yaml.Node) error {
			re, err := regexp.Compile(meant(n).Value)
			if err != nil || re.NumSubexp() < 1 {
				return atLine(n, `pattern: a regular expression is wanted with the id in brackets, such as '([^/]+)\.txt$'`)
			}
			into.Pattern = re
			return nil
		}},
	})
	if err == nil && !into.At.Given() {
		err = atLine(n, "documents: there is no at:, the path of their list")
	}
	return err
}

// takeCitations reads what marks mean: one of the ways, or a map.
func takeCitations(n *yaml.Node, into *system.Citations) error {
	*into = system.Citations{First: 1, Unit: system.Characters}
	if meant(n).Kind != yaml.MappingNode {
		return oneOf(&into.By, system.CitingWays)(n)
	}

	err := object(n, "citations", keys{
		{"by", oneOf(&into.By, system.CitingWays)},
		{"first", whole(&into.First, 0)},
		{"at", path(&into.At)},
		{"mark", path(&into.Mark)},
		{"end", path(&into.End)},
		{"document", path(&into.Document)},
		{"unit", oneOf(&into.Unit, system.Units)},
	})
	switch {
	case err != nil:
		return err
	case into.By == "":
		return atLine(n, "citations: there is no by:, which says whether documents are cited by id, place or text")
	case !into.At.Given() && (into.Mark.Given() || into.End.Given() || into.Document.Given()):
		return atLine(n, "citations: there is no at:, the path of their list")
	}
	return nil
}

// takeCut reads what says that an answer reached its length limit.
func takeCut(n *yaml.Node, into *system.Is) error {
	*into = system.Is{}
	err := object(n, "cut", keys{
		{"at", path(&into.At)},
		{"is", func(n *yaml.Node) error {
			for _, one := range list(n) {
				var s string
				if err := text(&s)(one); err != nil {
					return err
				}
				into.Text = append(into.Text, s)
			}
			return nil
		}},
	})
	if err == nil && (!into.At.Given() || len(into.Text) == 0) {
		err = atLine(n, "cut: at: and is: are wanted, such as {at: done_reason, is: length}")
	}
	return err
}

// takeEnds reads what ends a stream: a line of data, or maps.
func takeEnds(n *yaml.Node, into *[]system.End) error {
	*into = nil
	for _, one := range list(n) {
		var e system.End
		one = meant(one)
		if one.Kind == yaml.ScalarNode {
			if err := text(&e.Data)(one); err != nil {
				return err
			}
		} else if err := object(one, "end", keys{
			{"data", text(&e.Data)},
			{"event", text(&e.Event)},
			{"at", path(&e.At)},
		}); err != nil {
			return err
		}
		if e.Data == "" && e.Event == "" && !e.At.Given() {
			return atLine(one, "end: data:, event: or at: is wanted, such as {event: end}")
		}
		*into = append(*into, e)
	}
	return nil
}
