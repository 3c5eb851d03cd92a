package prompt

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"lore/local/text"
)

// Reply says in what form a model replies to a prompt that has a form of its own: the header of
// the file, YAML between two lines of "---" at its very top, under the key reply. A prompt without one is
// replied to as whoever uses it asks.
type Reply struct {
	Line int // of the file, where the header says it

	Text    bool           // the reply is running text, read by Pattern; else it holds a JSON object
	Pattern *regexp.Regexp // with a group "label", and perhaps one "bullet"; the last match counts

	Label  string            // key of the label in the JSON object; dots lead into objects
	Bullet string            // key of a bullet's number in it; empty: the model names none
	From   int               // number of the first bullet, 0 or 1
	Labels map[string]string // what the model writes, and what that means; nil: what it means
	Free   bool              // text may stand around the JSON object: the server does not hold the model to it
	Tokens int               // most tokens of a reply; 0: as many as usual

	lines map[string]int // of the keys, and of the labels
}

// LineOf is the line of a key of the header, or of one of its labels.
func (r *Reply) LineOf(key string) int {
	if n, ok := r.lines[key]; ok {
		return n
	}
	return r.Line
}

// fence begins and ends a header.
const fence = "---"

// Bounds of a header.
const (
	mostHeader = 16 << 10 // bytes
	mostTokens = 8192
)

// headerOf parts a file into its header and the rest, whose lines keep their numbers. ok is
// false where there is none.
func headerOf(name, source string) (header, rest string, ok bool, err error) {
	first, after, _ := strings.Cut(source, "\n")
	if strings.TrimRight(first, " \t\r") != fence {
		return "", source, false, nil
	}

	var b strings.Builder
	near := 0 // a line that is nearly the end
	for line := range strings.Lines(after) {
		if strings.TrimSpace(line) == fence {
			header = b.String()
			above := strings.Count(header, "\n") + 2
			rest = strings.Repeat("\n", above) + after[len(header)+len(line):]
			return header, rest, true, nil
		}
		if near == 0 && dashed(line) {
			near = strings.Count(b.String(), "\n") + 2
		}
		b.WriteString(line)
		if b.Len() > mostHeader {
			break
		}
	}
	bad := &Error{Name: name, Line: 1, Msg: "begins a header with a line of ---, and no such line ends it"}
	if near > 0 {
		bad.Msg += fmt.Sprintf("; line %d has more dashes", near)
	}
	return "", "", false, bad
}

// keys are those of a reply form.
var keys = []string{"format", "pattern", "label", "bullet", "bullets_from", "labels", "free", "tokens"}

// readHeader reads a header. What is wrong with it is an Error that names its line.
func readHeader(name, header string) (*Reply, error) {
	fail := func(line int, format string, args ...any) error {
		return &Error{Name: name, Line: line, Msg: "in the header: " + fmt.Sprintf(format, args...)}
	}

	var root yaml.Node
	if err := yaml.NewDecoder(strings.NewReader(header)).Decode(&root); err != nil {
		if errors.Is(err, io.EOF) {
			return nil, fail(1, "it says nothing; it is to say reply:")
		}
		line, what := lineOf(err)
		return nil, fail(line+1, "this is not valid YAML: %s%s", what, quoteHint(what))
	}
	moveLines(&root)
	top := root.Content[0]
	if top.Kind != yaml.MappingNode {
		return nil, fail(top.Line, "it is a list or a word; it is to say reply:")
	}

	var form *yaml.Node
	for i := 0; i+1 < len(top.Content); i += 2 {
		key := top.Content[i]
		if key.Value != "reply" {
			near := text.DidYouMean(key.Value, []string{"reply"})
			return nil, fail(key.Line, "there is no key %q%s; the only one is reply", key.Value, near)
		}
		form = top.Content[i+1]
	}
	if form == nil || form.Kind != yaml.MappingNode {
		return nil, fail(top.Line, "it does not say in what form a model replies; keys below reply are %s", strings.Join(keys, ", "))
	}
	return readReply(form, fail)
}

// moveLines counts the lines of nodes from the top of the file, not from that of the header.
func moveLines(n *yaml.Node) {
	n.Line++
	for _, c := range n.Content {
		moveLines(c)
	}
}

// yamlLine is how errors of YAML begin.
var yamlLine = regexp.MustCompile(`^yaml: line (\d+): (.*)$`)

func lineOf(err error) (line int, what string) {
	m := yamlLine.FindStringSubmatch(err.Error())
	if m == nil {
		return 1, strings.TrimPrefix(err.Error(), "yaml: ")
	}
	line, _ = strconv.Atoi(m[1]) // the expression takes digits alone
	return line, m[2]
}

// quoteHint says what helps against an escape in double quotes that YAML does not know.
func quoteHint(what string) string {
	if !strings.Contains(what, "escape") {
		return ""
	}
	return `; write the value between single quotes, where \ stands for itself`
}

// failure words an error about a line of a header.
type failure func(line int, format string, args ...any) error

// readReply reads the keys of a form.
func readReply(form *yaml.Node, fail failure) (*Reply, error) {
	r := &Reply{Line: form.Line, From: 1, lines: map[string]int{}}
	for i := 0; i+1 < len(form.Content); i += 2 {
		key, value := form.Content[i], form.Content[i+1]
		if _, twice := r.lines[key.Value]; twice {
			return nil, fail(key.Line, "%s is said twice", key.Value)
		}
		r.lines[key.Value] = key.Line
		if err := r.set(key, value, fail); err != nil {
			return nil, err
		}
	}

	return r, r.contradicts(fail)
}

// contradicts refuses keys that cannot stand together.
func (r *Reply) contradicts(fail failure) error {
	inside := func(outer, key string) bool { return key == outer || strings.HasPrefix(key, outer+".") }
	switch {
	case r.Text && r.Pattern == nil:
		return fail(r.Line, "format: text needs a pattern, which finds the label, such as 'Answer: (?P<label>\\w+)'")
	case r.Text && (r.Label != "" || r.Bullet != "" || r.Free):
		return fail(r.Line, "label, bullet and free are for format: json; with format: text the pattern has groups")
	case !r.Text && r.Pattern != nil:
		return fail(r.LineOf("pattern"), "a pattern is for format: text")
	case !r.Text && r.Label == "":
		return fail(r.Line, "it does not say label, the key of the label in the JSON object")
	case !leads(r.Label):
		return fail(r.LineOf("label"), "the key %q has a dot with nothing before or behind it; dots lead into objects", r.Label)
	case !leads(r.Bullet):
		return fail(r.LineOf("bullet"), "the key %q has a dot with nothing before or behind it; dots lead into objects", r.Bullet)
	case r.Bullet != "" && (inside(r.Label, r.Bullet) || inside(r.Bullet, r.Label)):
		return fail(r.LineOf("bullet"), "label and bullet are keys of their own, and %s cannot be both", r.Bullet)
	case r.lines["bullets_from"] > 0 && !r.NamesBullets():
		return fail(r.LineOf("bullets_from"), "bullets are counted from %d, and nothing says where the number of one is: "+
			"add %s, or leave bullets_from out", r.From,
			map[bool]string{true: "a group (?P<bullet>…) to the pattern", false: "the key bullet"}[r.Text])
	}
	return nil
}

// leads reports whether there is a name on both sides of each dot of a key.
func leads(key string) bool {
	return key == "" || !slices.Contains(strings.Split(key, "."), "")
}

// NamesBullets reports whether replies may say which bullet is meant.
func (r *Reply) NamesBullets() bool {
	return r.Bullet != "" || r.Pattern != nil && r.Pattern.SubexpIndex(bulletGroup) >= 0
}

// The groups of a pattern.
const (
	labelGroup  = "label"
	bulletGroup = "bullet"
)

// groups are those that a pattern may name.
var groups = []string{labelGroup, bulletGroup}

// setPattern takes a pattern over.
func (r *Reply) setPattern(key, value *yaml.Node, fail failure) (err error) {
	if r.Pattern, err = regexp.Compile(value.Value); err != nil {
		what := strings.TrimPrefix(err.Error(), "error parsing regexp: ")
		return fail(key.Line, "the pattern is not a regular expression of Go: %s", what)
	}
	for _, group := range r.Pattern.SubexpNames() {
		if group != "" && !slices.Contains(groups, group) {
			return fail(key.Line, "the pattern has a group %q%s; groups are (?P<label>…) and (?P<bullet>…)",
				group, text.DidYouMean(group, groups))
		}
	}
	if r.Pattern.SubexpIndex(labelGroup) < 0 {
		return fail(key.Line, "the pattern %s has no group (?P<label>…), which finds the label", value.Value)
	}
	return nil
}

// set takes the value of a key over.
func (r *Reply) set(key, value *yaml.Node, fail failure) (err error) {
	bad := func(what string) error { return fail(key.Line, "%s: %s is not %s", key.Value, value.Value, what) }
	if key.Value == "labels" {
		return r.setLabels(key, value, fail)
	}
	if slices.Contains(keys, key.Value) && value.Kind != yaml.ScalarNode {
		return fail(key.Line, "%s is one value, not a list or a mapping", key.Value)
	}

	switch key.Value {
	case "format":
		if r.Text = value.Value == "text"; !r.Text && value.Value != "json" {
			return bad("json or text")
		}
	case "pattern":
		return r.setPattern(key, value, fail)
	case "label":
		r.Label = value.Value
	case "bullet":
		r.Bullet = value.Value
	case "bullets_from":
		if r.From, err = strconv.Atoi(value.Value); err != nil || r.From != 0 && r.From != 1 {
			return bad("0 or 1")
		}
	case "free":
		if r.Free, err = strconv.ParseBool(value.Value); err != nil {
			return bad("true or false")
		}
	case "tokens":
		if r.Tokens, err = strconv.Atoi(value.Value); err != nil || r.Tokens < 1 || r.Tokens > mostTokens {
			return bad(fmt.Sprintf("a number from 1 to %d", mostTokens))
		}
	default:
		return fail(key.Line, "there is no key %q%s; keys below reply are %s", key.Value,
			text.DidYouMean(key.Value, keys), strings.Join(keys, ", "))
	}
	return nil
}

// setLabels takes over what the labels mean: a mapping, or a list of those that mean what they say.
func (r *Reply) setLabels(key, value *yaml.Node, fail failure) error {
	r.Labels = map[string]string{}
	add := func(said, means *yaml.Node) error {
		if said.Kind != yaml.ScalarNode || means.Kind != yaml.ScalarNode {
			return fail(said.Line, "labels are words, not lists or mappings")
		}
		if _, twice := r.Labels[said.Value]; twice {
			return fail(said.Line, "the label %q is there twice", said.Value)
		}
		r.Labels[said.Value], r.lines["labels "+said.Value] = means.Value, said.Line
		return nil
	}

	switch value.Kind {
	case yaml.MappingNode:
		for i := 0; i+1 < len(value.Content); i += 2 {
			if err := add(value.Content[i], value.Content[i+1]); err != nil {
				return err
			}
		}
	case yaml.SequenceNode:
		for _, v := range value.Content {
			if err := add(v, v); err != nil {
				return err
			}
		}
	default:
		return fail(key.Line, "labels: %s is not a mapping of what the model writes to what that means, such as YES: yes", value.Value)
	}
	if len(r.Labels) == 0 {
		return fail(key.Line, "there are no labels below labels")
	}
	return nil
}

// LabelLine is the line of a label of the header.
func (r *Reply) LabelLine(said string) int { return r.LineOf("labels " + said) }

// Said are the labels that the model may write, sorted; nil where they are those that are meant.
func (r *Reply) Said() []string {
	if r.Labels == nil {
		return nil
	}
	return slices.Sorted(maps.Keys(r.Labels))
}
