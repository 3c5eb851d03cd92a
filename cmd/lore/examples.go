package main

import (
	"fmt"

	"lore/cmd/lore/internal/models"
	"lore/cmd/lore/internal/usage"
	"lore/judge"
	"lore/judge/agreement"
	"lore/judge/llm"
	"lore/local/files"
)

// builtinExamples is the value of --judge-examples for those that lore has.
const builtinExamples = "builtin"

// examplesOf are the examples of --judge-examples; nil for none.
func examplesOf(flag string) (*llm.Examples, error) {
	switch flag {
	case "":
		return nil, nil
	case builtinExamples:
		return llm.BuiltinExamples()
	}
	if near := usage.Nearest(flag, []string{builtinExamples}); near != "" && !files.Exists(flag) {
		return nil, usage.Errorf("--judge-examples %s: there is no such file; did you mean %s?", usage.Plain(flag), near)
	}
	items, _, err := readLabels(flag)
	if err != nil {
		return nil, err
	}
	e, err := llm.NewExamples(exampleLabels(items))
	if err != nil {
		return nil, &files.Error{File: flag, Msg: err.Error(), Remedy: "give labels of more subtopics, or --judge-examples builtin"}
	}
	return e, nil
}

// exampleLabels are the labels of coverage, each with its text.
func exampleLabels(items []agreement.Item) []llm.Example {
	var out []llm.Example
	for _, it := range items {
		for k, h := range it.Human {
			q := it.Task.Questions[k]
			if q.Kind != judge.Coverage || !h.Scored() {
				continue
			}
			out = append(out, llm.Example{
				Group:     it.Group,
				About:     it.Task.About,
				Units:     it.Task.Units,
				Statement: q.Text,
				Label:     h.Label,
				Unit:      h.Unit,
			})
		}
	}
	return out
}

// checkExamples refuses examples that nobody would see, and says where others take the place of those that are of the
// subtopic that is judged.
func checkExamples(console usage.Console, names []string, how models.Judging, tasks []judge.Task) error {
	if err := models.CheckExamples(names, how, tasks); err != nil || how.Examples == nil {
		return err
	}
	if n := how.Examples.LeftOut(tasks); n > 0 {
		console.Note(fmt.Sprintf("before %d of %d texts the judge is shown other examples: some of the nine are of the same subtopic",
			n, len(tasks)))
	}
	return nil
}
