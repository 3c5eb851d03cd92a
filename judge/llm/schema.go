package llm

import (
	"encoding/json"
	"fmt"
	"strings"

	"lore/judge"
	"lore/local"
	"lore/local/schema"
)

// labelForm tells the model how to answer in schema mode.
func labelForm(kind judge.Kind) string {
	if kind == judge.Coverage {
		return "Give the number of the bullet that says it best, or 0 if there is none. " +
			`Answer with one JSON object and nothing else: ` +
			`{"coverage": "full" | "partial" | "none", "bullet": number}`
	}

	quoted := make([]string, len(judge.Labels[kind]))
	for i, l := range judge.Labels[kind] {
		quoted[i] = `"` + l + `"`
	}

	return `Answer with one JSON object and nothing else: {"answer": ` + strings.Join(quoted, " | ") + `}`
}

// labelSchema lists every allowed label and bullet number, so that the grammar of
// the server and the check of the gate refuse what does not exist.
func labelSchema(kind judge.Kind, units int) json.RawMessage {
	if kind == judge.Coverage {
		return finish(schema.Object(coverageFields(units)...).Closed())
	}
	return finish(schema.Object(schema.Field("answer", schema.OneOf(judge.Labels[kind]...))).Closed())
}

// batchSchema is the form of the verdicts on all statements, or other questions, of a task.
func batchSchema(kind judge.Kind, statements, units int) json.RawMessage {
	fields := []schema.Property{
		schema.Field("number", schema.Each(1, statements)),
		schema.Field("answer", schema.OneOf(judge.Labels[kind]...)),
	}
	if kind == judge.Coverage {
		number := schema.Field("statement", schema.Each(1, statements))
		fields = append([]schema.Property{number}, coverageFields(units)...)
	}
	verdict := schema.Object(fields...).Closed()
	verdicts := schema.Array(verdict).AtMost(statements)

	return finish(schema.Object(schema.Field("verdicts", verdicts)).Closed())
}

func coverageFields(units int) []schema.Property {
	return []schema.Property{
		schema.Field("coverage", schema.OneOf(judge.Full, judge.Partial, judge.None)),
		schema.Field("bullet", schema.Each(0, units)),
	}
}

// finish writes a schema sorted, as the judge's schemas have always been: another
// order of bytes would be another call, and no finished verdict would be found again.
func finish(s schema.Schema) json.RawMessage { return s.Sorted().JSON() }

// labelled is a verdict as a model writes it.
type labelled struct {
	Statement int    `json:"statement"`
	Number    int    `json:"number"`
	Coverage  string `json:"coverage"`
	Answer    string `json:"answer"`
	Bullet    int    `json:"bullet"`
}

// readLabel turns a reply into a verdict. The gate has checked the schema; what a
// schema cannot say is checked here.
func readLabel(q judge.Question, units int, reply local.Reply) judge.Verdict {
	if reply.Outcome != local.OK {
		return judge.Unscored(q.ID, reply.Outcome, reply.Detail)
	}
	var got labelled
	if err := json.Unmarshal([]byte(reply.Text), &got); err != nil {
		return judge.Unscored(q.ID, local.BadFormat, fmt.Sprintf("the verdict is not JSON: %v", err))
	}
	return got.verdict(q, units)
}

func (l labelled) verdict(q judge.Question, units int) judge.Verdict {
	label := l.Answer
	if q.Kind == judge.Coverage {
		label = l.Coverage
	}

	value, known := judge.Values[q.Kind][label]
	if !known {
		return judge.Unscored(q.ID, local.BadFormat, fmt.Sprintf("the label %q is not one of %s", label,
			strings.Join(judge.Labels[q.Kind], ", ")))
	}

	v := judge.Verdict{Question: q.ID, Label: label, Value: value}
	if q.Kind != judge.Coverage || label == judge.None {
		return v
	}

	if l.Bullet < 1 || l.Bullet > units {
		return judge.Unscored(q.ID, local.BadFormat,
			fmt.Sprintf("label %q, but bullet %d does not exist: the answer has %d, counted from 1", label, l.Bullet, units))
	}
	v.Unit = l.Bullet
	return v
}
