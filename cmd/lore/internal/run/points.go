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

// beginPoints takes every answer apart into its own points, for benchmarks that judge
// these. It has a step where a model does that.
func (e *engine) beginPoints() ([]step, error) {
	rule := e.protocol.Points
	if rule == nil {
		return nil, nil
	}

	var answered []*cell
	for i := range e.cells {
		if !e.cells[i].failed() {
			answered = append(answered, &e.cells[i])
		}
	}
	if e.points == nil {
		for _, c := range answered {
			list := rule.Plain(datasets.Uncited(c.item, c.evidence))
			c.evidence.Output.Points = &datasets.Points{Outcome: local.OK, List: list}
		}
		return nil, nil
	}

	calls, err := e.pointCalls(rule, answered)
	return []step{{
		model:   e.points.Spec,
		foresee: func() error { e.models.Foresee(e.points, calls); return nil },
		do:      func(ctx context.Context) error { return e.askPoints(ctx, calls, answered) },
	}}, err
}

// endPoints counts the judges' questions, some of which are about points.
func (e *engine) endPoints() error {
	e.correct()
	return nil
}

// pointCalls words what a model is asked that takes answers apart.
func (e *engine) pointCalls(rule *datasets.PointRule, cells []*cell) ([]local.Call, error) {
	p, err := e.prompts.Load(rule.Prompt)
	if err != nil {
		return nil, err
	}
	calls := make([]local.Call, len(cells))
	for n, c := range cells {
		calls[n] = e.points.Call()
		calls[n].Schema = rule.Schema
		calls[n].About = e.systems[c.system].name(c.item)
		calls[n].Options.NumPredict = pointTokens
		data := map[string]any{"Query": c.item.Title(), "Answer": datasets.Uncited(c.item, c.evidence)}
		if calls[n].Messages, err = p.RenderSeen(data, &e.forged.points); err != nil {
			return nil, err
		}
	}
	return calls, nil
}

// askPoints has a model take the answers apart.
func (e *engine) askPoints(ctx context.Context, calls []local.Call, cells []*cell) error {
	e.models.Fit(e.points, calls, "prompts that take answers apart")
	step := e.opt.Console.Start(takeApart, len(calls))
	done := 0
	return e.gate.All(ctx, calls, func(n int, r local.Reply) {
		points := readPoints(r)
		cells[n].evidence.Output.Points = &points
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
