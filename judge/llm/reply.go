package llm

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"lore/judge"
	"lore/local"
	"lore/local/prompt"
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
	means, err := meanings(name, kind, r)
	if err != nil {
		return nil, err
	}
	f := &replyForm{r, kind, means}
	if kind != judge.Coverage && f.NamesBullets() {
		return nil, failing(name)(r.LineOf("bullet"), "verdicts of %s have no bullet", kind)
	}
	return f, f.checkPattern(name)
}

// fold is a label without what models add to it or change: large letters, quotes, marks, and "_" or "-"
// for a space.
func fold(label string) string {
	s := strings.ToLower(strings.NewReplacer("_", " ", "-", " ").Replace(label))
	return strings.Join(strings.Fields(strings.Trim(s, " \t\r\n\"'`*.:;,()[]")), " ")
}

// said are the labels that the model may write.
func (f *replyForm) said() []string {
	if f.Labels == nil {
		return judge.Labels[f.kind]
	}
	order := func(said string) int { return slices.Index(judge.Labels[f.kind], f.means[fold(said)]) }
	out := f.Said()
	slices.SortStableFunc(out, func(a, b string) int { return order(a) - order(b) })
	return out
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

// read turns a reply into a verdict. One without a bullet is linked by whoever asked; why says in what the reply
// named none that there is, and is empty where the prompt does not ask for one.
func (f *replyForm) read(q judge.Question, units int, reply local.Reply) (v judge.Verdict, why string) {
	if reply.Outcome != local.OK {
		return judge.Unscored(q.ID, reply.Outcome, reply.Detail), ""
	}
	said, bullet, problem := f.find(reply.Text)
	if problem != "" {
		return judge.Unscored(q.ID, local.BadFormat, problem), ""
	}
	label, known := f.means[fold(said)]
	if !known {
		return judge.Unscored(q.ID, local.BadFormat, fmt.Sprintf("the label %q is not among those of the prompt's header: %s", said,
			strings.Join(f.said(), ", "))), ""
	}

	v = judge.Verdict{Question: q.ID, Label: label, Value: judge.Values[q.Kind][label]}
	if q.Kind != judge.Coverage || v.Value == 0 || !f.NamesBullets() {
		return v, ""
	}
	n, several, ok := firstNumber(bullet)
	if !ok || n < f.From || n > units-1+f.From {
		return v, f.noBullet(bullet, units)
	}
	v.Unit = n + 1 - f.From
	if several {
		v.Flags = append(v.Flags, fmt.Sprintf("%s %.60s", judge.FirstOfBullets, bullet))
	}
	return v, ""
}

// noBullet says why what a reply gives for the bullet is none of the answer's.
func (f *replyForm) noBullet(bullet string, units int) string {
	n, _, ok := firstNumber(bullet)
	switch {
	case bullet == "":
		return "the reply names no bullet"
	case !ok:
		return fmt.Sprintf("the reply's bullet %.60s is not a whole number", bullet)
	case n < f.From:
		return fmt.Sprintf("the reply's bullet %.60s does not exist: they are counted from %d", bullet, f.From)
	}
	return fmt.Sprintf("the reply's bullet %.60s does not exist: the answer has %d, counted from %d", bullet, units, f.From)
}

// find is the label that a reply gives, and the bullet as it was written; "" where there is none.
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
			bullet = written(object, f.Bullet)
		} else if label == "" {
			problem = cmp.Or(notLabel(object, f.Label), problem)
		}
	}
	return label, bullet, problem
}

// notLabel says what an object has in place of a label: another kind of value, or a key in other letters. It is
// empty where there is nothing like it.
func notLabel(object map[string]any, key string) string {
	if v, ok := object[key]; ok {
		if v == nil {
			return fmt.Sprintf("%q of the reply is null, which is not a label", key)
		}
		return fmt.Sprintf("%q of the reply is a list or an object, not a label", key)
	}
	for other := range object {
		if strings.EqualFold(other, key) {
			return fmt.Sprintf("the reply has %q, and the prompt's header %q: small and capital letters must be the same", other, key)
		}
	}
	return ""
}

// scalar is the word or number at a key of an object, or of an object in it.
func scalar(object map[string]any, key string) (string, bool) {
	switch v := at(object, key).(type) {
	case string:
		return v, true
	case json.Number:
		return v.String(), true
	case bool:
		return strconv.FormatBool(v), true
	case []any: // of one label
		if len(v) == 1 {
			return scalar(map[string]any{key: v[0]}, key)
		}
	}
	return "", false
}

// at is what stands at a key of an object, or of an object in it; nil where there is nothing.
func at(object map[string]any, key string) any {
	if v, ok := object[key]; ok {
		return v
	}
	first, rest, nested := strings.Cut(key, ".")
	if inner, ok := object[first].(map[string]any); ok && nested {
		return at(inner, rest)
	}
	return nil
}

// written is what stands at a key as JSON; "" where there is nothing.
func written(object map[string]any, key string) string {
	v := at(object, key)
	if v == nil {
		return ""
	}
	data, err := json.Marshal(v)
	if err != nil {
		return fmt.Sprint(v)
	}
	return string(data)
}

// firstNumber reads "3", "3.0", and the first of "[3]" and "[3, 5]".
func firstNumber(s string) (n int, several, ok bool) {
	first, more, several := strings.Cut(strings.Trim(s, ` "[]`), ",")
	x, err := strconv.ParseFloat(strings.Trim(first, ` "`), 64)
	if err != nil || x != math.Trunc(x) || math.Abs(x) > 1e6 {
		return 0, false, false
	}
	return int(x), several && strings.Trim(more, " ") != "", true
}
