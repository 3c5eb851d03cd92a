package report

import (
	"lore/cmd/lore/internal/store"
	"lore/cmd/lore/internal/table"
	"lore/datasets"
)

// Run is what a report is made of: the content of a run folder.
type Run struct {
	Manifest store.Manifest
	Table    table.Table
	Answers  []store.Answer       // one per system and item
	Verdicts []store.TaskVerdicts // one per system, judge and item
}

// answerKey names an answer of a run, verdictKey what a judge said of it.
type answerKey struct {
	datasets.System
	item string
}

type verdictKey struct {
	datasets.Judged
	item string
}

// Load reads a run folder. It needs neither the data nor a model.
func Load(dir string) (Run, error) {
	var r Run
	var err error
	if r.Manifest, err = store.ReadManifest(dir); err != nil {
		return r, err
	}
	if err = store.ReadJSON(dir, "scores.json", &r.Table); err != nil {
		return r, err
	}
	if r.Answers, err = store.ReadLines[store.Answer](dir, "answers.jsonl"); err != nil {
		return r, err
	}
	r.Verdicts, err = store.ReadLines[store.TaskVerdicts](dir, "verdicts.jsonl")
	return r, err
}
