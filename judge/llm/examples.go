package llm

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"lore/judge"
	"lore/local"
	"lore/local/guard"
	"lore/local/prompt"
)

// Example is a statement about a text with what people say of its coverage.
type Example struct {
	Group     string   `json:"group"` // what it shares with others, such as the subtopic
	About     string   `json:"about"` // the query that the text answers
	Units     []string `json:"units"`
	Statement string   `json:"statement"`
	Label     string   `json:"label"` // of judge.Coverage
	Unit      int      `json:"unit"`  // that carries the label, from 1; 0: none
}

// Examples are shown to a model before it judges coverage: three of each label, as in the variant with nine examples
// of SummHay's paper (section 4.3). None is of the group that is judged.
type Examples struct {
	SHA256 string // of all that there are to choose from

	list   []Example
	groups map[string][]string // by statement
}

// Number of examples that are shown, and those of each label.
const (
	examplesEach = 3
	ExamplesN    = 9
)

// longExample is the most words of a text that is taken for an example.
const longExample = 400

// examplesPrompt shows the examples, before what the prompt of the question says.
const examplesPrompt = "judge/examples.txt"

//go:embed examples.json
var builtinExamples []byte

// BuiltinExamples are of our own writing, on subjects of no benchmark.
func BuiltinExamples() (*Examples, error) {
	var list []Example
	if err := json.Unmarshal(builtinExamples, &list); err != nil {
		return nil, fmt.Errorf("read the built-in examples: %w", err)
	}
	return NewExamples(list)
}

// NewExamples takes labels of coverage to choose from. Those with more than 400 words of text are left out. It is an
// error if without one of the groups there are less than three of a label.
func NewExamples(list []Example) (*Examples, error) {
	e := &Examples{groups: map[string][]string{}}
	for _, x := range list {
		statement := foldStatement(x.Statement)
		if !slices.Contains(e.groups[statement], x.Group) {
			e.groups[statement] = append(e.groups[statement], x.Group)
		}
		_, known := judge.Values[judge.Coverage][x.Label]
		linked := x.Label == judge.None || x.Unit >= 1 && x.Unit <= len(x.Units)
		if known && linked && len(strings.Fields(strings.Join(x.Units, " "))) <= longExample {
			e.list = append(e.list, x)
		}
	}

	keys := make(map[string]string, len(e.list))
	for _, x := range e.list {
		keys[x.key()] = x.Group
	}
	slices.SortFunc(e.list, func(a, b Example) int { return cmp.Compare(a.key(), b.key()) })
	e.list = slices.CompactFunc(e.list, func(a, b Example) bool { return a.key() == b.key() })
	h := sha256.New()
	for _, x := range e.list {
		fmt.Fprintln(h, x.key())
	}
	e.SHA256 = hex.EncodeToString(h.Sum(nil))
	return e, e.enough(keys)
}

// key is the same for the same example: their order is that of chance, and does not change.
func (x Example) key() string {
	data, err := json.Marshal(x)
	if err != nil {
		panic(err) // strings and numbers alone
	}
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// enough checks that there are examples whatever group is judged.
func (e *Examples) enough(keys map[string]string) error {
	tested := map[string]bool{"": true}
	for _, group := range keys {
		tested[group] = true
	}
	for group := range tested {
		for _, label := range judge.Labels[judge.Coverage] {
			n := 0
			for _, x := range e.list {
				if x.Label == label && (group == "" || x.Group != group) {
					n++
				}
			}
			if n < examplesEach {
				return fmt.Errorf("%d labels %q of coverage, with the bullet that says it, are left without one subtopic, and %d are "+
					"needed: no example is of the subtopic that is judged", n, label, examplesEach)
			}
		}
	}
	return nil
}

func foldStatement(s string) string { return strings.ToLower(strings.Join(strings.Fields(s), " ")) }

// For chooses the examples for a task: three of each label in turns, of different groups as far as there are, and none of
// a group that has a statement of the task. leftOut is how many would be there but for that.
func (e *Examples) For(t judge.Task) (shown []Example, leftOut int) {
	tested := map[string]bool{}
	for _, q := range t.Questions {
		for _, group := range e.groups[foldStatement(q.Text)] {
			tested[group] = true
		}
	}
	if len(tested) == 0 {
		return e.choose(nil), 0
	}
	for _, x := range e.choose(nil) {
		if tested[x.Group] {
			leftOut++
		}
	}
	return e.choose(tested), leftOut
}

func (e *Examples) choose(not map[string]bool) []Example {
	var out []Example
	used := map[string]int{}
	taken := map[int]bool{}
	for range examplesEach {
		for _, label := range []string{judge.Full, judge.Partial, judge.None} {
			best := -1
			for i, x := range e.list {
				if x.Label == label && !taken[i] && !not[x.Group] && (best < 0 || used[x.Group] < used[e.list[best].Group]) {
					best = i
				}
			}
			if best >= 0 {
				taken[best] = true
				used[e.list[best].Group]++
				out = append(out, e.list[best])
			}
		}
	}
	return out
}

// LeftOut counts the tasks before which other examples are shown, as theirs would be of the same group.
func (e *Examples) LeftOut(tasks []judge.Task) int {
	n := 0
	for _, t := range tasks {
		if _, left := e.For(t); left > 0 {
			n++
		}
	}
	return n
}

// shownExample is an example as the prompt sees it.
type shownExample struct {
	About, Statement, Answer string
	Units                    []string
}

// before puts the examples before a prompt on coverage. They stand in the user's first message.
func (j *Judge) before(t judge.Task, messages []local.Message) ([]local.Message, error) {
	var list []shownExample
	examples, _ := j.cfg.Examples.For(t)
	clean := func(s string) string { out, _ := guard.Text(s); return out }
	for _, x := range examples {
		one := shownExample{About: clean(x.About), Statement: clean(x.Statement)}
		for _, u := range x.Units {
			one.Units = append(one.Units, clean(u))
		}
		var err error
		if one.Answer, err = j.answer(x); err != nil {
			return nil, err
		}
		list = append(list, one)
	}

	rendered, err := j.examples.Render(map[string]any{"Examples": list})
	if err != nil {
		return nil, err
	}
	var text []string
	for _, m := range rendered {
		text = append(text, m.Content)
	}
	out := slices.Clone(messages)
	at := slices.IndexFunc(out, func(m local.Message) bool { return m.Role == "user" })
	if at < 0 {
		return nil, &prompt.Error{
			Name: PromptOf(judge.Coverage),
			Line: 1,
			Msg:  "has no message of the user, before which examples could stand",
		}
	}
	out[at].Content = strings.Join(append(text, out[at].Content), "\n\n")
	return out, nil
}

// answer is what the model should say of an example, in the form that it is asked for.
func (j *Judge) answer(x Example) (string, error) {
	form := j.forms[judge.Coverage]
	switch {
	case j.cfg.Mode == Logprob:
		return digits(judge.Coverage)[x.Label], nil
	case form != nil:
		return form.write(x)
	}
	return fmt.Sprintf(`{"coverage": %q, "bullet": %d}`, x.Label, x.Unit), nil
}

// write is a label as the header of a prompt has it. Text has a form that only reads.
func (f *replyForm) write(x Example) (string, error) {
	if f.Text || strings.Contains(f.Label+f.Bullet, ".") {
		return "", &prompt.Error{Name: PromptOf(f.kind), Line: f.Line, Msg: "is replied to in a form that examples cannot be written in; " +
			"use a flat JSON object, or leave --judge-examples out"}
	}
	said := x.Label
	for _, s := range f.said() {
		if f.means[fold(s)] == x.Label {
			said = s
		}
	}

	var b bytes.Buffer
	fmt.Fprintf(&b, "{%s: %s", strconv.Quote(f.Label), strconv.Quote(said))
	if f.NamesBullets() && x.Unit > 0 {
		fmt.Fprintf(&b, ", %s: %d", strconv.Quote(f.Bullet), x.Unit-1+f.From)
	}
	b.WriteString("}")
	return b.String(), nil
}

// ExamplesMark stands behind the name of a judge that is shown examples.
var ExamplesMark = fmt.Sprintf(" (%d examples)", ExamplesN)

// Mark is what stands behind the name of a judge that is shown these; nothing where there are none.
func (e *Examples) Mark() string {
	if e == nil {
		return ""
	}
	return ExamplesMark
}
