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

// door is the model that writes, with the door its calls go through.
type door struct {
	gate *gate.Gate
	call local.Call
	fit  func(calls []local.Call) // sets the window of each stage; nil once one is reserved for all
	spec string
}

// open resolves the model and opens its journal. With a need above 0 it reserves a window
// for it, and tries the model out.
func (w *Workshop) open(ctx context.Context, need int, calls string) (*door, error) {
	set := models.New(w.cfg.Models)
	m, err := set.Resolve(ctx, w.cfg.Model, set.Greedy())
	if err != nil {
		return nil, err
	}
	if !w.dry() {
		if err := files.MkdirAll(filepath.Dir(calls)); err != nil {
			return nil, fmt.Errorf("make the folder for the data: %w", err)
		}
	}
	g, err := set.Open(calls)
	if err != nil {
		return nil, err
	}
	w.opened = append(w.opened, g)

	d := &door{gate: g, call: m.Call(), spec: m.Spec}
	if need == 0 {
		d.fit = func(calls []local.Call) { set.Fit(m, calls, "prompts of the build") }
		return d, nil
	}
	if d.call.Options.NumCtx, err = set.Reserve(m, need); err != nil {
		return nil, err
	}
	if w.dry() {
		w.cfg.Phase("first call")
	}
	return d, d.probe(ctx)
}

// ready is the smallest reply that obeys a schema.
const ready = `{"type":"object","properties":{"ready":{"type":"string","enum":["yes"]}},"required":["ready"]}`

// probe asks the model for the smallest reply that obeys a schema. A model whose
// template or size is not up to that is refused before any work.
func (d *door) probe(ctx context.Context) error {
	call := d.call
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
			d.spec, gate.ErrSick, reply.Outcome, reply.Detail)
	case reply.Outcome != local.OK:
		return usage.Errorf("%s does not keep to a schema (%s: %s): its chat template may be missing, "+
			"or it is too small; choose another model", d.spec, reply.Outcome, reply.Detail)
	}
	return nil
}
