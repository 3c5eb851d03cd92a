// Package llm judges with a language model that runs on this machine.
package llm

import (
	"context"
	"embed"
	"encoding/json"
	"fmt"
	"io/fs"

	"lore/judge"
	"lore/local"
	"lore/local/prompt"
)

//go:embed prompts
var promptFiles embed.FS

// Prompts returns the built-in prompts.
func Prompts() fs.FS {
	sub, err := fs.Sub(promptFiles, "prompts")
	if err != nil {
		panic(err) // the folder is compiled in
	}
	return sub
}

// Caller runs calls through the door; gate.Gate is one.
type Caller interface {
	All(ctx context.Context, calls []local.Call, done func(i int, reply local.Reply)) error
}

// Config says which model judges and how it is called.
type Config struct {
	Backend string // Call.Backend
	Model   string
	Digest  string
	Options local.Options // NumPredict is set by the judge
	// Fit, if not nil, is given all calls of a Judge before they run and may set
	// load options such as num_ctx, the same for all.
	Fit func(calls []local.Call)
}

// VerdictTokens is the cap on a verdict's length: a small JSON object.
const VerdictTokens = 64

// Judge is a model as a judge, one question per call.
type Judge struct {
	cfg      Config
	calls    Caller
	coverage *prompt.Prompt
}

// New loads the prompts and builds the judge.
func New(cfg Config, calls Caller, prompts *prompt.Set) (*Judge, error) {
	p, err := prompts.Load("judge/coverage.txt")
	if err != nil {
		return nil, err
	}
	return &Judge{cfg, calls, p}, nil
}

// Name is backend and model.
func (j *Judge) Name() string { return j.cfg.Backend + ":" + j.cfg.Model }

// Judge asks every question in a call of its own. Calls of one task share their
// beginning and run side by side.
func (j *Judge) Judge(ctx context.Context, tasks []judge.Task, done func(int)) ([][]judge.Verdict, error) {
	out := make([][]judge.Verdict, len(tasks))
	var calls []local.Call
	var places [][2]int
	for i, t := range tasks {
		out[i] = make([]judge.Verdict, len(t.Questions))
		for k, q := range t.Questions {
			if len(t.Units) == 0 {
				out[i][k] = judge.Verdict{Question: q.ID, Label: judge.None} // nothing is said, so nothing is covered
				continue
			}
			call, err := j.call(t, q)
			if err != nil {
				return nil, err
			}
			calls = append(calls, call)
			places = append(places, [2]int{i, k})
		}
	}
	if j.cfg.Fit != nil {
		j.cfg.Fit(calls)
	}
	answered := 0
	err := j.calls.All(ctx, calls, func(n int, reply local.Reply) {
		t, q := places[n][0], places[n][1]
		out[t][q] = readCoverage(tasks[t].Questions[q].ID, len(tasks[t].Units), reply)
		answered++
		if done != nil {
			done(answered)
		}
	})
	return out, err
}

func (j *Judge) call(t judge.Task, q judge.Question) (local.Call, error) {
	if q.Kind != judge.Coverage {
		return local.Call{}, fmt.Errorf("the model judge does not know questions of kind %q", q.Kind)
	}
	messages, err := j.coverage.Render(struct {
		judge.Task
		Question string
	}{t, q.Text})
	if err != nil {
		return local.Call{}, err
	}
	options := j.cfg.Options
	options.NumPredict = VerdictTokens
	return local.Call{Backend: j.cfg.Backend, Model: j.cfg.Model, Digest: j.cfg.Digest, Messages: messages,
		Schema: coverageSchema(len(t.Units)), Options: options, Prefix: t.ID}, nil
}

// coverageSchema lists every allowed bullet number, so that the grammar of the
// server and the check of the gate refuse a number that does not exist.
func coverageSchema(units int) json.RawMessage {
	numbers := make([]int, units+1)
	for i := range numbers {
		numbers[i] = i
	}
	schema, err := json.Marshal(map[string]any{
		"type": "object",
		"properties": map[string]any{
			"coverage": map[string]any{"type": "string", "enum": []string{judge.Full, judge.Partial, judge.None}},
			"bullet":   map[string]any{"type": "integer", "enum": numbers},
		},
		"required":             []string{"coverage", "bullet"},
		"additionalProperties": false,
	})
	if err != nil {
		panic(err) // plain maps always encode
	}
	return schema
}

// readCoverage turns a reply into a verdict. The gate has checked the schema;
// what a schema cannot say is checked here.
func readCoverage(id string, units int, reply local.Reply) judge.Verdict {
	if reply.Outcome != local.OK {
		return judge.Unscored(id, reply.Outcome, reply.Detail)
	}
	var got struct {
		Coverage string `json:"coverage"`
		Bullet   int    `json:"bullet"`
	}
	if err := json.Unmarshal([]byte(reply.Text), &got); err != nil {
		return judge.Unscored(id, local.BadFormat, fmt.Sprintf("the verdict is not JSON: %v", err))
	}
	value, known := judge.Values[judge.Coverage][got.Coverage]
	switch {
	case !known:
		return judge.Unscored(id, local.BadFormat, fmt.Sprintf("the label %q is not on the menu", got.Coverage))
	case got.Coverage == judge.None:
		return judge.Verdict{Question: id, Label: judge.None}
	case got.Bullet < 1 || got.Bullet > units:
		return judge.Unscored(id, local.BadFormat, fmt.Sprintf("label %q with bullet %d of %d", got.Coverage, got.Bullet, units))
	}
	return judge.Verdict{Question: id, Label: got.Coverage, Value: value, Unit: got.Bullet}
}
