package llm

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"lore/judge"
	"lore/local"
	"lore/local/prompt"
	"lore/local/schema"
	"lore/local/text"
)

// replyForm is how verdicts of a kind are asked for and read where the prompt's header says it.
type replyForm struct {
	*prompt.Reply
	kind  judge.Kind
	means map[string]string // labels as the model writes them, folded, and lore's
}

// CheckReply reports what is wrong with a prompt's header as one of a kind of questions: labels that mean nothing
// there, or none for the lowest or the highest. name is that of the prompt. The error is a prompt.Error.
func CheckReply(name string, kind judge.Kind, r *prompt.Reply) error {
	_, err := newReplyForm(name, kind, r)
	return err
}

func newReplyForm(name string, kind judge.Kind, r *prompt.Reply) (*replyForm, error) {
	fail := func(line int, format string, args ...any) error {
		return &prompt.Error{Name: name, Line: line, Msg: "has a header that " + fmt.Sprintf(format, args...)}
	}
	labels := judge.Labels[kind]
	f := &replyForm{r, kind, map[string]string{}}
	if r.Labels == nil {
		for _, l := range labels {
			f.means[fold(l)] = l
		}
	}

	for _, said := range r.Said() {
		meant := meaning(kind, r.Labels[said])
		if meant == "" {
			return nil, fail(r.LabelLine(said), "says that %q means %q%s; labels of %s are %s", said, r.Labels[said],
				text.DidYouMean(r.Labels[said], labels), kind, strings.Join(labels, ", "))
		}
		if other, twice := f.means[fold(said)]; twice && other != meant {
			return nil, fail(r.LabelLine(said), "has two labels that are %q but for large letters and marks", said)
		}
		f.means[fold(said)] = meant
	}
	for _, needed := range []string{labels[0], labels[len(labels)-1]} {
		if !slices.Contains(slices.Collect(maps.Values(f.means)), needed) {
			return nil, fail(r.LineOf("labels"), "has no label that means %q; labels of %s are %s",
				needed, kind, strings.Join(labels, ", "))
		}
	}
	if kind != judge.Coverage && f.namesBullets() {
		return nil, fail(r.LineOf("bullet"), "asks for a bullet, which verdicts of %s have none of", kind)
	}
	return f, nil
}

// meaning is the label of a kind that a header means, by its name or its value; "" if none is.
func meaning(kind judge.Kind, said string) string {
	if slices.Contains(judge.Labels[kind], said) {
		return said
	}
	value, err := strconv.ParseFloat(said, 64)
	if err != nil {
		return ""
	}
	for _, l := range judge.Labels[kind] {
		if math.Abs(judge.Values[kind][l]-value) < 1e-9 {
			return l
		}
	}
	return ""
}

// fold is a label without what models add to it or change: large letters, quotes, marks, and "_" or "-"
// for a space.
func fold(label string) string {
	s := strings.ToLower(strings.NewReplacer("_", " ", "-", " ").Replace(label))
	return strings.Join(strings.Fields(strings.Trim(s, " \t\r\n\"'`*.:;,()[]")), " ")
}

// namesBullets reports whether the model is to say which bullet covers a statement.
func (f *replyForm) namesBullets() bool {
	return f.Bullet != "" || f.Pattern != nil && f.Pattern.SubexpIndex("bullet") >= 0
}

// none is the number that stands for no bullet.
func (f *replyForm) none() int { return f.From - 1 }

// words tell the model how to answer.
func (f *replyForm) words() string {
	quoted := make([]string, 0, len(f.means))
	for _, l := range f.said() {
		quoted = append(quoted, `"`+l+`"`)
	}
	if f.Text {
		return "Answer with one of " + strings.Join(quoted, ", ") + "."
	}

	object := fmt.Sprintf(`{%q: %s`, f.Label, strings.Join(quoted, " | "))
	bullet := ""
	if f.Bullet != "" {
		bullet = fmt.Sprintf("Bullets are counted from %d; give the number of the one that says it best, or %d if there is none. ",
			f.From, f.none())
		object += fmt.Sprintf(", %q: number", f.Bullet)
	}
	only := " and nothing else"
	if f.Free {
		only = ""
	}
	return bullet + "Answer with one JSON object" + only + ": " + object + "}"
}

// said are the labels that the model may write.
func (f *replyForm) said() []string {
	if f.Labels == nil {
		return judge.Labels[f.kind]
	}
	order := func(said string) int { return slices.Index(judge.Labels[f.kind], meaning(f.kind, f.Labels[said])) }
	out := f.Said()
	slices.SortStableFunc(out, func(a, b string) int { return order(a) - order(b) })
	return out
}

// schema holds the model to the form; nil where it may write around it, or where keys lie in objects.
func (f *replyForm) schema(units int) json.RawMessage {
	if f.Text || f.Free || strings.Contains(f.Label+f.Bullet, ".") {
		return nil
	}
	fields := []schema.Property{schema.Field(f.Label, schema.OneOf(f.said()...))}
	if f.Bullet != "" {
		fields = append(fields, schema.Field(f.Bullet, schema.Each(f.none(), units-1+f.From)))
	}
	return schema.Object(fields...).Closed().JSON()
}

// Most tokens of a reply where the header does not say: of one that is held to its form, and of one that is not.
const freeTokens = 400

func (f *replyForm) tokens() int {
	switch {
	case f.Tokens > 0:
		return f.Tokens
	case f.schema(1) == nil:
		return freeTokens
	}
	return VerdictTokens
}

// read turns a reply into a verdict.
func (f *replyForm) read(q judge.Question, units int, reply local.Reply) judge.Verdict {
	if reply.Outcome != local.OK {
		return judge.Unscored(q.ID, reply.Outcome, reply.Detail)
	}
	said, bullet, problem := f.find(reply.Text)
	if problem != "" {
		return judge.Unscored(q.ID, local.BadFormat, problem)
	}
	label, known := f.means[fold(said)]
	if !known {
		return judge.Unscored(q.ID, local.BadFormat, fmt.Sprintf("the label %q is not among those of the prompt's header: %s", said,
			strings.Join(f.said(), ", ")))
	}

	v := judge.Verdict{Question: q.ID, Label: label, Value: judge.Values[q.Kind][label]}
	if q.Kind != judge.Coverage || v.Value == 0 || !f.namesBullets() {
		return v
	}
	n, ok := wholeNumber(bullet)
	if !ok || n < f.From || n > units-1+f.From {
		return judge.Unscored(q.ID, local.BadFormat,
			fmt.Sprintf("label %q with bullet %q, of %d counted from %d", said, bullet, units, f.From))
	}
	v.Unit = n + 1 - f.From
	return v
}

// find is the label that a reply gives, and the bullet as it was written.
func (f *replyForm) find(reply string) (label, bullet, problem string) {
	if !f.Text {
		return f.inJSON(reply)
	}
	all := f.Pattern.FindAllStringSubmatch(reply, -1)
	if len(all) == 0 {
		return "", "", "the pattern of the prompt's header finds no label in the reply"
	}
	last := all[len(all)-1] // models think first
	if at := f.Pattern.SubexpIndex("bullet"); at >= 0 {
		bullet = last[at]
	}
	return last[f.Pattern.SubexpIndex("label")], bullet, ""
}

// mostBraces bounds how many of a reply's braces are tried.
const mostBraces = 2000

// inJSON looks for the last JSON object of a reply that has the label.
func (f *replyForm) inJSON(reply string) (label, bullet, problem string) {
	problem = fmt.Sprintf("the reply has no JSON object with %q", f.Label)
	for at, tries := 0, 0; at < len(reply) && tries < mostBraces; tries++ {
		start := strings.IndexByte(reply[at:], '{')
		if start < 0 {
			break
		}
		at += start
		dec := json.NewDecoder(strings.NewReader(reply[at:]))
		dec.UseNumber()
		var object map[string]any
		if dec.Decode(&object) != nil {
			at++
			continue
		}
		at += int(dec.InputOffset())
		if found, ok := scalar(object, f.Label); ok {
			label, problem = found, ""
			bullet, _ = scalar(object, f.Bullet)
		}
	}
	return label, bullet, problem
}

// scalar is the word or number at a key of an object, or of an object in it.
func scalar(object map[string]any, key string) (string, bool) {
	if v, ok := object[key]; ok {
		switch v := v.(type) {
		case string:
			return v, true
		case json.Number:
			return v.String(), true
		case bool:
			return strconv.FormatBool(v), true
		case []any: // of one bullet
			if len(v) == 1 {
				return scalar(map[string]any{"": v[0]}, "")
			}
		}
		return "", false
	}
	first, rest, nested := strings.Cut(key, ".")
	if inner, ok := object[first].(map[string]any); ok && nested {
		return scalar(inner, rest)
	}
	return "", false
}

// wholeNumber reads "3", "3.0" and "[3]".
func wholeNumber(s string) (int, bool) {
	x, err := strconv.ParseFloat(strings.Trim(s, " []"), 64)
	if err != nil || x != math.Trunc(x) || math.Abs(x) > 1e6 {
		return 0, false
	}
	return int(x), true
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
	case kind == judge.Coverage && f.namesBullets():
		out += fmt.Sprintf("; bullet, counted from %d", f.From)
	case kind == judge.Coverage:
		out += "; the bullet by word overlap"
	}
	return out
}
