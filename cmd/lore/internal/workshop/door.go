package workshop

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"

	"lore/cmd/lore/internal/models"
	"lore/cmd/lore/internal/usage"
	"lore/local"
	"lore/local/files"
	"lore/local/gate"
)

// door is the one that the calls of a build go through, with the models behind it.
type door struct {
	gate    *gate.Gate
	writer  *worker
	checker *worker                  // nil: the one that writes
	fit     func(calls []local.Call) // sets the window of each stage; nil once one is reserved for all
}

// worker is a model of a build.
type worker struct {
	model *models.Model
	call  local.Call
}

// open resolves the models and opens their journal. With a need above 0 it reserves a window
// for each, and tries each out.
func (w *Workshop) open(ctx context.Context, need int, calls string) (*door, error) {
	set := models.New(w.cfg.Models)
	d := &door{}
	var err error
	if d.writer, err = w.resolve(ctx, set, w.cfg.Model); err != nil {
		return nil, err
	}
	if w.cfg.Checker != "" && w.cfg.Checker != w.cfg.Model {
		if d.checker, err = w.resolve(ctx, set, w.cfg.Checker); err != nil {
			return nil, err
		}
	}
	if !w.dry() {
		if err := files.MkdirAll(filepath.Dir(calls)); err != nil {
			return nil, fmt.Errorf("make the folder for the data: %w", err)
		}
	}
	if d.gate, err = set.Open(calls); err != nil {
		return nil, err
	}
	w.opened = append(w.opened, d.gate)
	if need == 0 {
		d.fit = func(calls []local.Call) { set.Fit(d.of(calls[0]).model, calls, "prompts of the build") }
		return d, nil
	}

	if w.dry() {
		w.cfg.Phase("first call", 0)
	}
	for _, one := range []*worker{d.writer, d.checker} {
		if one == nil {
			continue
		}
		if one.call.Options.NumCtx, err = set.Reserve(one.model, need); err != nil {
			return nil, err
		}
		if err := d.probe(ctx, one); err != nil {
			return nil, err
		}
	}
	return d, nil
}

func (w *Workshop) resolve(ctx context.Context, set *models.Set, spec string) (*worker, error) {
	m, err := set.Resolve(ctx, spec, set.Greedy())
	if err != nil {
		return nil, err
	}
	return &worker{m, m.Call()}, nil
}

// of is the model of a call; all calls of a stage go to one.
func (d *door) of(call local.Call) *worker {
	if d.checker != nil && call.Model == d.checker.call.Model {
		return d.checker
	}
	return d.writer
}

// ready is the smallest reply that obeys a schema.
const ready = `{"type":"object","properties":{"ready":{"type":"string","enum":["yes"]}},"required":["ready"]}`

// probe asks the model for the smallest reply that obeys a schema. A model whose
// template or size is not up to that is refused before any work.
func (d *door) probe(ctx context.Context, one *worker) error {
	call := one.call
	call.Messages = []local.Message{
		{Role: local.System, Content: "You answer in JSON."},
		{Role: local.User, Content: `Reply with JSON: {"ready": "yes"}`},
	}
	call.Schema = json.RawMessage(ready)
	call.Options.NumPredict = 200

	reply, err := d.gate.Do(ctx, call)
	switch {
	case err != nil:
		return err
	case reply.Outcome.Sick():
		return fmt.Errorf("%s %w, from the first one on: %s: %s; see to its server and run the same command again",
			one.model.Spec, gate.ErrSick, reply.Outcome, reply.Detail)
	case reply.Outcome != local.OK:
		return usage.Errorf("%s does not keep to a schema (%s: %s): its chat template may be missing, "+
			"or it is too small; choose another model", one.model.Spec, reply.Outcome, reply.Detail)
	}
	return nil
}
