package run

import (
	"context"
	"fmt"
	"strings"

	"lore/cmd/lore/internal/store"
	"lore/judge"
	"lore/judge/ensemble"
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
	resolved := make([]resolvedJudge, len(opt.Judges))
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

// Judging says how judges are to be used.
type Judging struct {
	Mode    llm.Mode // schema or logprob
	Batch   bool     // all coverage questions of an answer in one call
	MinMass float64  // logprob: mass below which a verdict is flagged
	Samples int      // logprob: sampled verdicts to average where the mass is low
	Low     float64  // A+B: scores of A between which B is asked
	High    float64
	Average bool // A+B: average both instead
}

// resolvedJudge is a judge by name, with its model if it has one; A+B has two
// parts.
type resolvedJudge struct {
	spec  string
	parts []*model // nil entry: the lexical judge
}

// splitJudge takes A+B apart.
func splitJudge(spec string) []string {
	if a, b, ok := strings.Cut(spec, "+"); ok {
		return []string{a, b}
	}
	return []string{spec}
}

// resolveJudge looks a judge up; the lexical judge has no model.
func (r *models) resolveJudge(ctx context.Context, spec string) (resolvedJudge, error) {
	out := resolvedJudge{spec: spec}
	for _, part := range splitJudge(spec) {
		if part == (lexical.Judge{}).Name() {
			out.parts = append(out.parts, nil)
			continue
		}
		m, err := r.resolve(ctx, part, local.Options{NumPredict: llm.VerdictTokens, TopP: 1, Seed: int(r.opt.Seed), RepeatPenalty: 1})
		if err != nil {
			return out, err
		}
		out.parts = append(out.parts, m)
	}
	return out, nil
}

func (r *models) openJudge(j resolvedJudge, calls llm.Caller, prompts *prompt.Set) (judge.Judge, error) {
	opened := make([]judge.Judge, len(j.parts))
	for i, m := range j.parts {
		if m == nil {
			opened[i] = lexical.Judge{}
			continue
		}
		how := r.opt.Judging
		one, err := llm.New(llm.Config{Backend: m.backend, Model: m.name, Digest: m.digest, Label: m.spec, Options: m.options,
			Mode: how.Mode, Batch: how.Batch, MinMass: how.MinMass, Samples: how.Samples,
			Fit: func(calls []local.Call) { r.fit(m, calls, "prompts of the judge") }}, calls, prompts)
		if err != nil {
			return nil, &UsageError{err.Error()}
		}
		opened[i] = one
	}
	if len(opened) == 1 {
		return opened[0], nil
	}
	return &ensemble.Judge{First: opened[0], Second: opened[1], Low: r.opt.Judging.Low, High: r.opt.Judging.High, Average: r.opt.Judging.Average}, nil
}

// manifest describes a judge with what was measured of it.
func (j resolvedJudge) manifest(how Judging) []store.Model {
	var out []store.Model
	for _, m := range j.parts {
		if m == nil {
			out = append(out, store.Model{Name: lexical.Judge{}.Name(), Digest: lexical.Current.DataHash, Agreement: Validation(lexical.Judge{}.Name())})
			continue
		}
		d := m.manifest()
		d.Agreement = Validation(m.spec)
		d.Mode = string(how.Mode)
		if how.Batch {
			d.Mode += ", batch"
		}
		out = append(out, d)
	}
	return out
}

// Validation words what is known of a judge's agreement with people.
func Validation(spec string) string {
	switch spec {
	case (lexical.Judge{}).Name():
	case RecordedVerdicts:
		return "verdicts that came with the data; on SummHay they are GPT-4o's, whose coverage the paper's Table 1 puts at Pearson 0.716 with people"
	default:
		return "not validated; measure it with `lore judge validate`"
	}
	f := lexical.Current
	return fmt.Sprintf("coverage: Pearson %.3f with people on %d labels of %s, cross-validated by subtopic; linking %.3f (n %d); relevance: Pearson %.2f with GPT-4o's G-Eval on %d answers to MSRS stories, Kendall %.2f over %d systems; entailment, answerability and consistency: not validated, measure them with `lore judge validate`",
		f.CV.Pearson, f.N, f.Data, f.CV.LinkingAccuracy, f.CV.LinkingN, lexical.RelevancePearson, lexical.RelevanceN, lexical.RelevanceTau, lexical.RelevanceSystems)
}
