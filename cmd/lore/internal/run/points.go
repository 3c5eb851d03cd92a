package run

import (
	"context"
	"encoding/json"
	"strings"

	"lore/datasets"
	"lore/local"
)

// pointTokens bounds the list of an answer's points.
const pointTokens = 2048

// makePoints takes every answer apart into its own points, for benchmarks that judge
// these.
func (e *engine) makePoints(ctx context.Context, cells []cell) error {
	maker, ok := e.bench.(datasets.PointMaker)
	if !ok {
		return nil
	}
	var places []int
	for i := range cells {
		if cells[i].output.Outcome == local.OK {
			places = append(places, i)
		}
	}
	if e.pointModel == nil {
		for _, i := range places {
			cells[i].setPoints(datasets.Points{Outcome: local.OK, List: maker.PlainPoints(cells[i].output.Text)})
		}
		return nil
	}
	name, schema := maker.PointPrompt()
	p, err := e.prompts.Load(name)
	if err != nil {
		return err
	}
	calls := make([]local.Call, len(places))
	for n, i := range places {
		m := e.pointModel
		calls[n] = local.Call{Backend: m.backend, Model: m.name, Digest: m.digest, Options: m.options, Schema: schema}
		calls[n].Options.NumPredict = pointTokens
		if calls[n].Messages, err = p.Render(map[string]any{"Query": cells[i].item.Title(), "Answer": cells[i].output.Text}); err != nil {
			return err
		}
	}
	e.models.fit(e.pointModel, calls, "prompts that take answers apart")
	step := e.opt.Progress.Start("take answers apart", len(calls))
	done := 0
	return e.gate.All(ctx, calls, func(n int, r local.Reply) {
		cells[places[n]].setPoints(readPoints(r))
		done++
		step(done)
	})
}

// readPoints reads a reply; blank points are dropped, and none at all is a failure.
func readPoints(r local.Reply) datasets.Points {
	if r.Outcome != local.OK {
		return datasets.Points{Outcome: r.Outcome, Reason: "the answer could not be taken apart: " + r.Detail}
	}
	var got struct {
		Points []string `json:"points"`
	}
	if err := json.Unmarshal([]byte(r.Text), &got); err != nil {
		return datasets.Points{Outcome: local.BadFormat, Reason: "the answer could not be taken apart: " + err.Error()}
	}
	p := datasets.Points{Outcome: local.OK}
	for _, s := range got.Points {
		if s = strings.TrimSpace(s); s != "" {
			p.List = append(p.List, s)
		}
	}
	if len(p.List) == 0 {
		return datasets.Points{Outcome: local.Empty, Reason: "the model found no point in the answer"}
	}
	return p
}

func (c *cell) setPoints(p datasets.Points) {
	c.output.Points = &p
	if j, ok := c.item.(datasets.PointJudged); ok {
		c.points = j.PlanPoints(c.output)
		c.points.ID = c.task.ID + " points"
	}
}
