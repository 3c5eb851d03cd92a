package llm

import (
	"testing"

	"lore/judge"
)

// The forms and schemas of a call are part of its key in the journal: a change of one
// byte asks every model everything anew.
func TestSchemasAreUnchanged(t *testing.T) {
	const (
		head = `{"additionalProperties":false,"properties":{`
		tail = `"type":"object"}`

		grades   = `{"answer":{"enum":["1","2","3","4","5"],"type":"string"}},"required":["answer"],`
		coverage = `"coverage":{"enum":["full","partial","none"],"type":"string"}`
		required = `},"required":["coverage","bullet"],`
	)
	for _, test := range []struct {
		name, got, want string
	}{
		{"coverage", string(labelSchema(judge.Coverage, 3)),
			head + `"bullet":{"enum":[0,1,2,3],"type":"integer"},` + coverage + required + tail},
		{"coverage of nothing", string(labelSchema(judge.Coverage, 0)),
			head + `"bullet":{"enum":[0],"type":"integer"},` + coverage + required + tail},
		{"entailment", string(labelSchema(judge.Entailment, 3)),
			head + `"answer":{"enum":["no","neutral","yes"],"type":"string"}},"required":["answer"],` + tail},
		{"answerability", string(labelSchema(judge.Answerability, 3)),
			head + `"answer":{"enum":["0","1","2","3","4","5"],"type":"string"}},"required":["answer"],` + tail},
		{"relevance", string(labelSchema(judge.Relevance, 3)),
			`{"additionalProperties":false,"properties":` + grades + tail},
		{"consistency", string(labelSchema(judge.Consistency, 3)),
			`{"additionalProperties":false,"properties":` + grades + tail},
		{"batch", string(batchSchema(judge.Coverage, 3, 2)),
			head + `"verdicts":{"items":` + head + `"bullet":{"enum":[0,1,2],"type":"integer"},` + coverage +
				`,"statement":{"enum":[1,2,3],"type":"integer"}},"required":["statement","coverage","bullet"],` + tail +
				`,"maxItems":3,"type":"array"}},"required":["verdicts"],` + tail},

		{"form of coverage", labelForm(judge.Coverage),
			"Give the number of the bullet that says it best, or 0 if there is none. " +
				`Answer with one JSON object and nothing else: ` +
				`{"coverage": "full" | "partial" | "none", "bullet": number}`},
		{"form of a batch", batchForm,
			"There are several statements. For each one give its number, the coverage, and the number of the bullet " +
				"that says it best, or 0 if there is none. Answer with one JSON object and nothing else: " +
				`{"verdicts": ` +
				`[{"statement": number, "coverage": "full" | "partial" | "none", "bullet": number}, ...]}`},
	} {
		if test.got != test.want {
			t.Errorf("%s:\ngot  %s\nwant %s", test.name, test.got, test.want)
		}
	}
}
