package run

import (
	"context"

	"lore/judge"
	"lore/judge/lexical"
	"lore/judge/llm"
	"lore/local"
	"lore/local/gate"
	"lore/local/prompt"
)

// Judges are opened judges with the door their calls go through.
type Judges struct {
	List []judge.Judge
	gate *gate.Gate
}

// OpenJudges resolves the judges of the options outside a run. dir is the folder
// of the journal; it is made only if a judge needs a model.
func OpenJudges(ctx context.Context, opt Options, dir string) (*Judges, error) {
	r := &models{opt: opt, byName: map[string]*model{}}
	resolved := make([]*model, len(opt.Judges))
	for i, spec := range opt.Judges {
		m, err := r.resolveJudge(ctx, spec)
		if err != nil {
			return nil, err
		}
		resolved[i] = m
	}
	if r.client == nil {
		dir = ""
	}
	g, err := gate.Open(gate.Config{Dir: dir, Lanes: r.lanes(), Warn: opt.Warn})
	if err != nil {
		return nil, err
	}
	out := &Judges{gate: g}
	prompts := prompt.NewSet(opt.Prompts, llm.Prompts())
	for _, m := range resolved {
		j, err := r.openJudge(m, g, prompts)
		if err != nil {
			return nil, err
		}
		out.List = append(out.List, j)
	}
	return out, nil
}

// Usage is what the judges' calls cost.
func (j *Judges) Usage() []gate.ModelUsage { return j.gate.Usage() }

// Close closes the journal.
func (j *Judges) Close() error { return j.gate.Close() }

// resolveJudge looks a judge up; the lexical judge has no model.
func (r *models) resolveJudge(ctx context.Context, spec string) (*model, error) {
	if spec == (lexical.Judge{}).Name() {
		return nil, nil
	}
	return r.resolve(ctx, spec, local.Options{NumPredict: llm.VerdictTokens, TopP: 1, Seed: int(r.opt.Seed), RepeatPenalty: 1})
}

func (r *models) openJudge(m *model, calls llm.Caller, prompts *prompt.Set) (judge.Judge, error) {
	if m == nil {
		return lexical.Judge{}, nil
	}
	return llm.New(llm.Config{Backend: m.backend, Model: m.name, Digest: m.digest, Options: m.options,
		Fit: func(calls []local.Call) { r.fit(m, calls, "prompts of the judge") }}, calls, prompts)
}
