package schema_test

import (
	"fmt"
	"testing"

	"lore/local/schema"
)

func Example() {
	answer := schema.Field("answer", schema.OneOf("yes", "no"))
	fmt.Println(string(schema.Object(answer).JSON()))
	// Output:
	// {"type":"object","properties":{"answer":{"type":"string","enum":["yes","no"]}},"required":["answer"]}
}

// Every form of schema in lore, byte for byte: the bytes are part of the keys under
// which finished calls lie in people's journals.
func TestBytes(t *testing.T) {
	var (
		object  = schema.Object
		field   = schema.Field
		array   = schema.Array
		text    = schema.String
		boolean = schema.Boolean
	)
	for _, test := range []struct {
		want string
		got  schema.Schema
	}{
		// MSRS.
		{`{"type":"object","properties":{"query":{"type":"string"}},"required":["query"]}`,
			object(field("query", text()))},
		{`{"type":"object","properties":{"stands_alone":{"type":"boolean"},"same_question":{"type":"boolean"},` +
			`"reveals_answer":{"type":"boolean"}},"required":["stands_alone","same_question","reveals_answer"]}`,
			object(field("stands_alone", boolean()),
				field("same_question", boolean()),
				field("reveals_answer", boolean()))},
		{`{"type":"object","properties":{"query":{"type":"string"},"summary":{"type":"string"}},` +
			`"required":["query","summary"]}`,
			object(field("query", text()), field("summary", text()))},

		// SummHay.
		{`{"type":"object","properties":{"subtopic":{"type":"integer","minimum":1,"maximum":7},` +
			`"states":{"type":"boolean"}},"required":["subtopic","states"]}`,
			object(field("subtopic", schema.Integer().Between(1, 7)), field("states", boolean()))},
		{`{"type":"object","properties":{"answer":{"type":"string","enum":["yes","no"]}},"required":["answer"]}`,
			object(field("answer", schema.OneOf("yes", "no")))},
		{`{"type":"object","properties":{"numbers":{"type":"array","items":{"type":"integer","minimum":1,` +
			`"maximum":4},"maxItems":8}},"required":["numbers"]}`,
			object(field("numbers", array(schema.Integer().Between(1, 4)).AtMost(8)))},
		{`{"type":"object","properties":{"subtopics":{"type":"array","items":{"type":"object",` +
			`"properties":{"name":{"type":"string"},"about":{"type":"string"}},"required":["name","about"]},` +
			`"maxItems":5}},"required":["subtopics"]}`,
			object(field("subtopics", array(object(field("name", text()), field("about", text()))).AtMost(5)))},
		{`{"type":"object","properties":{"pairs":{"type":"array","items":{"type":"array",` +
			`"items":{"type":"integer","minimum":1,"maximum":9},"minItems":2,"maxItems":2},"maxItems":9}},` +
			`"required":["pairs"]}`,
			object(field("pairs", array(array(schema.Integer().Between(1, 9)).AtLeast(2).AtMost(2)).AtMost(9)))},
		{`{"type":"object","properties":{"subtopic":{"type":"integer","minimum":1,"maximum":3}},` +
			`"required":["subtopic"]}`,
			object(field("subtopic", schema.Integer().Between(1, 3)))},

		// Long²RAG.
		{`{"type":"object","properties":{"points":{"type":"array","items":{"type":"string"}}},"required":["points"]}`,
			object(field("points", array(text())))},
		{`{"type":"object","properties":{"type":{"type":"string","enum":["simple","complex","vague"]},` +
			`"questions":{"type":"array","items":{"type":"string"},"maxItems":6}},"required":["type",` +
			`"questions"]}`,
			object(field("type", schema.OneOf("simple", "complex", "vague")),
				field("questions", array(text()).AtMost(6)))},

		// CRUX; questions of Long²RAG and the rerankers' sub-queries have the same form.
		{`{"type":"object","properties":{"passages":{"type":"array","items":{"type":"string"},"minItems":1,` +
			`"maxItems":4}},"required":["passages"]}`,
			object(field("passages", array(text()).AtLeast(1).AtMost(4)))},

		// The judge: closed, and sorted but for the list of what is required.
		{`{"additionalProperties":false,"properties":{"bullet":{"enum":[0,1,2],"type":"integer"},` +
			`"coverage":{"enum":["full","none"],"type":"string"}},"required":["coverage","bullet"],` +
			`"type":"object"}`,
			object(field("coverage", schema.OneOf("full", "none")),
				field("bullet", schema.Each(0, 2))).Closed().Sorted()},

		// Forms that nothing uses yet.
		{`{"type":"object","properties":{},"required":[]}`, object()},
		{`{"type":"object","properties":{"share":{"type":"integer","minimum":0,"maximum":1},` +
			`"none":{"type":"integer","enum":[]}},"required":["share","none"]}`,
			object(field("share", schema.Integer().Between(0, 1)), field("none", schema.Each(1, 0)))},
	} {
		if got := string(test.got.JSON()); got != test.want {
			t.Errorf("got  %s\nwant %s", got, test.want)
		}
	}
}

// Two schemas made from one must not write into each other.
func TestSharedBeginning(t *testing.T) {
	list := schema.Array(schema.String()).AtLeast(1)
	few, many := list.AtMost(2), list.AtMost(20)

	for want, s := range map[string]schema.Schema{
		`{"type":"array","items":{"type":"string"},"minItems":1}`:               list,
		`{"type":"array","items":{"type":"string"},"minItems":1,"maxItems":2}`:  few,
		`{"type":"array","items":{"type":"string"},"minItems":1,"maxItems":20}`: many,
	} {
		if got := string(s.JSON()); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
}
