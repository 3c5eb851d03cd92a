package llm

import (
	"encoding/json"
	"fmt"
	"regexp/syntax"
	"strings"

	"lore/judge"
	"lore/local/prompt"
	"lore/local/schema"
)

// none is the number that stands for no bullet.
func (f *replyForm) none() int { return f.From - 1 }

// words tell the model how to answer.
func (f *replyForm) words() string {
	if f.Text {
		return f.textWords()
	}

	label := strings.Join(f.quoted(), " | ")
	object, bullet := tree{}.with(f.Label, label), ""
	if f.Bullet != "" {
		bullet = fmt.Sprintf("Bullets are counted from %d; give the number of the one that says it best, or %d if there is none. ",
			f.From, f.none())
		object = object.with(f.Bullet, "number")
	}
	only := " and nothing else"
	if f.Free {
		only = ""
	}
	return bullet + "Answer with one JSON object" + only + ": " + object.String()
}

// textWords tell the model what the pattern finds: a line that it was tried on, where one can be made of it.
func (f *replyForm) textWords() string {
	out := "Answer with one of " + strings.Join(f.quoted(), ", ") + "."
	if line := f.example(); line != "" {
		out = "Answer with one line such as: " + line + "\nThe label is one of " + strings.Join(f.quoted(), ", ") + "."
	}
	if f.NamesBullets() {
		out += fmt.Sprintf(" Bullets are counted from %d; give the number of the one that says it best, if there is one.", f.From)
	}
	return out
}

// quoted are the labels that the model may write, in quotes.
func (f *replyForm) quoted() []string {
	var out []string
	for _, l := range f.said() {
		out = append(out, `"`+l+`"`)
	}
	return out
}

// example is a line in which the pattern finds the best label, and the first bullet where it has a group for
// it; "" where none can be made, as of a pattern that looks at what is around the line.
func (f *replyForm) example() string {
	parsed, err := syntax.Parse(f.Pattern.String(), syntax.Perl)
	if err != nil {
		return ""
	}
	said := f.said()
	best, first := said[len(said)-1], fmt.Sprint(f.From)

	line := spelled(parsed, map[string]string{"label": best, "bullet": first})
	if label, bullet, problem := f.find(line); problem != "" || label != best || f.NamesBullets() && bullet != first {
		return ""
	}
	return line
}

// spelled is a text that an expression may match, with its named groups as given: as short as it may be, with
// what is optional around a group.
func spelled(re *syntax.Regexp, groups map[string]string) string {
	var b strings.Builder
	switch re.Op {
	case syntax.OpLiteral:
		b.WriteString(string(re.Rune))
	case syntax.OpCharClass:
		b.WriteString(readable(re.Rune))
	case syntax.OpCapture:
		if text, named := groups[re.Name]; named {
			return text
		}
		return spelled(re.Sub[0], groups)
	case syntax.OpConcat:
		for _, sub := range re.Sub {
			b.WriteString(spelled(sub, groups))
		}
	case syntax.OpAlternate, syntax.OpPlus:
		return spelled(re.Sub[0], groups)
	case syntax.OpRepeat:
		for range re.Min {
			b.WriteString(spelled(re.Sub[0], groups))
		}
	case syntax.OpQuest, syntax.OpStar:
		if strings.Contains(re.Sub[0].String(), "(?P<") {
			return spelled(re.Sub[0], groups)
		}
		if space := re.Sub[0]; space.Op == syntax.OpLiteral && string(space.Rune) == " " ||
			space.Op == syntax.OpCharClass && readable(space.Rune) == " " {
			return " "
		}
	}
	return b.String()
}

// readable is a letter of a class, given by its ranges: a space where it has one.
func readable(ranges []rune) string {
	if len(ranges) == 0 {
		return ""
	}
	for i := 0; i+1 < len(ranges); i += 2 {
		if ranges[i] <= ' ' && ' ' <= ranges[i+1] {
			return " "
		}
	}
	return string(ranges[0])
}

// tree is a JSON object as a model is shown it: keys in their order, each with words or an object.
type tree struct {
	keys   []string
	inside map[string]tree
	leaf   string
}

// with puts words at a key, whose dots lead into objects.
func (t tree) with(key, leaf string) tree {
	if key == "" {
		return tree{leaf: leaf}
	}
	first, rest, _ := strings.Cut(key, ".")
	if _, there := t.inside[first]; !there {
		t.keys = append(t.keys, first)
	}
	if t.inside == nil {
		t.inside = map[string]tree{}
	}
	t.inside[first] = t.inside[first].with(rest, leaf)
	return t
}

// String writes the object out.
func (t tree) String() string {
	if t.leaf != "" {
		return t.leaf
	}
	parts := make([]string, len(t.keys))
	for i, k := range t.keys {
		parts[i] = fmt.Sprintf("%q: %s", k, t.inside[k])
	}
	return "{" + strings.Join(parts, ", ") + "}"
}

// schema is the form of the object, with the schema of each key whose words are given.
func (t tree) schema(of map[string]schema.Schema) schema.Schema {
	if s, ok := of[t.leaf]; ok && t.leaf != "" {
		return s
	}
	fields := make([]schema.Property, len(t.keys))
	for i, k := range t.keys {
		fields[i] = schema.Field(k, t.inside[k].schema(of))
	}
	return schema.Object(fields...).Closed()
}

// schema holds the model to the form; nil where it may write around it.
func (f *replyForm) schema(units int) json.RawMessage {
	if f.Text || f.Free {
		return nil
	}
	const label, bullet = "label", "bullet"
	object := tree{}.with(f.Label, label)
	if f.Bullet != "" {
		object = object.with(f.Bullet, bullet)
	}
	return object.schema(map[string]schema.Schema{
		label:  schema.OneOf(f.said()...),
		bullet: schema.Each(f.none(), units-1+f.From),
	}).JSON()
}

// FormOf says in words in what form a reply to a prompt is read.
func FormOf(kind judge.Kind, p *prompt.Prompt) string {
	if p.Reply() == nil {
		return "as lore asks by {{.Form}}"
	}
	f, err := newReplyForm("", kind, p.Reply())
	if err != nil {
		return err.Error()
	}

	var labels []string
	for _, said := range f.said() {
		if meant := f.means[fold(said)]; meant != said {
			said += " (" + meant + ")"
		}
		labels = append(labels, said)
	}
	what := "JSON, " + f.Label
	switch {
	case f.Text:
		what = "text, " + f.Pattern.String()
	case f.schema(1) == nil:
		what = "JSON with text around it, " + f.Label
	}
	out := what + ": " + strings.Join(labels, ", ")
	switch {
	case kind == judge.Coverage && f.NamesBullets():
		out += fmt.Sprintf("; bullet, counted from %d", f.From)
	case kind == judge.Coverage:
		out += "; the bullet by word overlap"
	}
	return out
}
