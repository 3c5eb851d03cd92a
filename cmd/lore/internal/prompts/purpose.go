package prompts

// purposes say what lore's own prompts are for, by name.
var purposes = map[string]string{
	"summhay/answer.txt":  "asks for an answer",
	"msrs/answer.txt":     "asks for an answer",
	"crux/answer.txt":     "asks for an answer",
	"long2rag/answer.txt": "asks for an answer",
	"long2rag/points.txt": "takes an answer apart into its points",

	"judge/coverage.txt":      "judges whether an answer reports a statement",
	"judge/examples.txt":      "shows a judge of coverage examples, before the question",
	"judge/entailment.txt":    "judges whether a text supports a key point",
	"judge/answerability.txt": "grades how well a text answers a question",
	"judge/relevance.txt":     "grades how much of a reference an answer has",
	"judge/consistency.txt":   "judges whether a reference supports an answer",

	"rerank/pointwise.txt":  "grades one passage",
	"rerank/listwise.txt":   "orders a list of passages",
	"rerank/letters.txt":    "names the best of some passages",
	"rerank/decompose.txt":  "splits a question into searches",
	"condense/snippet.txt":  "picks the part of a document that helps",
	"condense/summary.txt":  "summarises a document for a question",
	"crux/passages.txt":     "build: rewrites a document as passages",
	"crux/questions.txt":    "build: finds the questions that a report answers",
	"crux/request.txt":      "build: words the request for a report",
	"msrs/check.txt":        "build: checks a question",
	"msrs/merge.txt":        "build: merges related questions",
	"msrs/rewrite.txt":      "build: makes a question stand alone",
	"long2rag/merge.txt":    "build: takes repetitions out of key points",
	"long2rag/screen.txt":   "build: sorts questions",
	"long2rag/extract.txt":  "build: finds key points in a document",
	"summhay/topic.txt":     "build: names a topic",
	"summhay/facts.txt":     "build: takes notes from a document",
	"summhay/subtopics.txt": "build: divides a topic",
	"summhay/distinct.txt":  "build: checks whether subtopics overlap",
	"summhay/insights.txt":  "build: writes insights",
	"summhay/query.txt":     "build: words the query of a subtopic",
	"summhay/write.txt":     "build: writes an article",
	"summhay/edit.txt":      "build: mends a document",
	"summhay/audit.txt":     "build: audits what a document states",
	"summhay/present.txt":   "build: finds the insights in a document",
	"summhay/reverse.txt":   "build: asks the other way round whether a document says an insight",
	"summhay/reword.txt":    "build: words an insight anew that checks fail on",
	"summhay/assign.txt":    "build: sorts statements into subtopics",
	"summhay/chapter.txt":   "build: writes a part of a conversation",

	"long2rag/decompose.txt":    "build: splits a question into searches",
	"long2rag/evolve-depth.txt": "build: makes a question deeper",
	"long2rag/evolve-width.txt": "build: makes a question broader",
	"long2rag/significance.txt": "build: tells key points from asides",
	"summhay/independent.txt":   "build: looks for repetitions among insights",
	"summhay/participants.txt":  "build: invents the people of a conversation",
	"summhay/chapter-check.txt": "build: checks a part of a conversation",
}

// Purpose says what a prompt is for; empty where nobody has said it.
func Purpose(name string) string { return purposes[name] }
