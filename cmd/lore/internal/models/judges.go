package models

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"lore/cmd/lore/internal/store"
	"lore/cmd/lore/internal/usage"
	"lore/datasets"
	"lore/judge"
	"lore/judge/agreement"
	"lore/judge/ensemble"
	"lore/judge/lexical"
	"lore/judge/llm"
	"lore/local"
	"lore/local/gate"
	"lore/local/ollama"
	"lore/local/openai"
	"lore/local/prompt"
	"lore/local/text"
)

// Judging says how judges are to be used.
type Judging struct {
	Mode    llm.Mode // schema or logprob
	Batch   bool     // all questions on a text in one call
	MinMass float64  // logprob: mass below which a verdict is flagged
	Samples int      // logprob: sampled verdicts to average where the mass is low
	Low     float64  // A+B: scores of A between which B is asked
	High    float64
	Average bool    // A+B: ask B everything
	Share   float64 // A+B: ask B about this share of the questions; 0: as the scores of A say
	Pair    string  // the rule for A+B and calibrated judges in words; empty where there are none

	Zoned           bool                  // the user said Low and High
	Calibration     *ensemble.Calibration // nil: none
	CalibrationFile string
	Keep            bool // keep what each part of A+B said
	Fresh           bool // an encoder computes what is kept on disk once more, to be timed

	Language string // code of that of all texts; empty: each is told

	Examples *llm.Examples // shown to models before questions of coverage; nil: none
}

// Judge is a judge by name, with its models if it has some; A+B has two parts.
type Judge struct {
	Spec  string
	parts []*Model // nil entry: the lexical judge
}

// CheckJudges refuses unknown names before anything is read or written.
func CheckJudges(specs []string) error {
	builtIn := lexical.Judge{}.Name()
	for _, spec := range specs {
		parts := SplitJudge(spec)
		for _, part := range parts {
			if part != builtIn && !IsServed(part) && !IsEncoder(part) {
				return unknownJudge(spec, part)
			}
		}
		if err := CheckParts(spec, parts); err != nil {
			return err
		}
	}
	return nil
}

// unknownJudge says what judges there are, and which one is meant.
func unknownJudge(spec, part string) error {
	name, _, _ := strings.Cut(part, ":")
	kinds := append([]string{lexical.Judge{}.Name(), entailmentJudge, cosineJudge}, Kinds...)
	return usage.Errorf("unknown judge %q; write %s, %s:NAME, %s:NAME, %s:DIR, %s:DIR, or several of them as A+B%s", spec,
		lexical.Judge{}.Name(), ollama.BackendName, openai.BackendName, entailmentJudge, cosineJudge, text.DidYouMean(name, kinds))
}

// ResolveJudge looks a judge up; the lexical judge has no model.
func (s *Set) ResolveJudge(ctx context.Context, spec string) (Judge, error) {
	out := Judge{Spec: spec}
	options := s.Greedy()
	options.NumPredict = llm.VerdictTokens

	for _, part := range SplitJudge(spec) {
		if part == (lexical.Judge{}).Name() {
			out.parts = append(out.parts, nil)
			continue
		}
		resolve := func() (*Model, error) { return s.Resolve(ctx, part, options) }
		if IsEncoder(part) {
			resolve = func() (*Model, error) { return s.resolveEncoder(ctx, part) }
		}
		m, err := resolve()
		if err != nil {
			return out, err
		}
		out.parts = append(out.parts, m)
	}
	return out, nil
}

// Turn is a part of a judge that asks a model of the server.
type Turn struct {
	Model string // as it was named
	Part  int    // its place among those that are asked one after the other
}

// Turns are the models of the server that a judge asks, in their order.
func (j Judge) Turns() []Turn {
	var out []Turn
	for i, m := range j.parts {
		if m != nil && isServed(m.Backend) {
			out = append(out, Turn{m.Spec, i})
		}
	}
	return out
}

// ForeseeJudge tells how long the prompts are that a judge's model has at a turn, without asking
// it: those about all questions, of which it may be asked fewer.
func (s *Set) ForeseeJudge(j Judge, at Turn, how Judging, tasks []judge.Task, prompts *prompt.Set) error {
	m := j.parts[at.Part]
	opened, err := llm.New(s.asking(m, how), nil, prompts)
	if err != nil {
		return usage.Errorf("%v", err)
	}
	calls, err := opened.Plan(tasks)
	if err != nil {
		return err
	}
	s.Foresee(m, calls)
	return nil
}

// asking says how a model is asked as a judge.
func (s *Set) asking(m *Model, how Judging) llm.Config {
	return llm.Config{
		Backend: m.Backend,
		Model:   m.Name,
		Digest:  m.Digest,
		Label:   m.Spec,
		Options: m.Options,
		Mode:    how.Mode,
		Batch:   how.Batch,
		MinMass: how.MinMass,
		Samples: how.Samples,

		Examples: how.Examples,
		Fit:      func(calls []local.Call) { s.Fit(m, calls, "prompts of the judge") },
	}
}

// OpenJudge makes a judge whose calls go through the door.
func (s *Set) OpenJudge(j Judge, how Judging, calls llm.Caller, prompts *prompt.Set) (judge.Judge, error) {
	opened := make([]judge.Judge, len(j.parts))
	for i, m := range j.parts {
		if m == nil {
			opened[i] = lexical.Judge{Language: how.Language}
			continue
		}
		if m.encoder != nil {
			var err error
			if opened[i], err = s.openEncoder(m, how.Fresh); err != nil {
				return nil, err
			}
			continue
		}

		one, err := llm.New(s.asking(m, how), calls, prompts)
		if err != nil {
			return nil, usage.Errorf("%v", err)
		}
		opened[i] = one
	}

	return Join(opened, j.describe(how, prompts), how)
}

// Judges are opened judges with the door their calls go through.
type Judges struct {
	List  []judge.Judge
	Parts [][]ensemble.Part // of each
	gate  *gate.Gate
	set   *Set

	resolved []Judge
}

// OpenJudges resolves and opens judges outside a run. replace holds prompts of the user's
// own, or is nil; dir is the folder of the journal, made only if a judge needs a model. The
// prompts of special go before the built-in ones, and after the user's.
func (s *Set) OpenJudges(ctx context.Context, specs []string, how Judging, replace fs.FS, dir string,
	special ...fs.FS) (*Judges, error) {
	resolved := make([]Judge, len(specs))
	for i, spec := range specs {
		var err error
		if resolved[i], err = s.ResolveJudge(ctx, spec); err != nil {
			return nil, err
		}
	}

	if s.client == nil && len(s.engines) == 0 {
		dir = ""
	}
	g, err := s.Open(dir)
	if err != nil {
		return nil, err
	}

	out := &Judges{gate: g, set: s, resolved: resolved}
	prompts := prompt.NewSet(replace, append(special, llm.Prompts())...)
	for _, r := range resolved {
		j, err := s.OpenJudge(r, how, g, prompts)
		if err != nil {
			return nil, err
		}
		out.List, out.Parts = append(out.List, j), append(out.Parts, r.describe(how, prompts))
	}
	return out, nil
}

// Plan lists the different calls that judge i, which is one model of a server, makes of tasks at
// first. The model gets a window that holds them all, and all that it is asked later has it, too.
func (j *Judges) Plan(i int, tasks []judge.Task) ([]local.Call, error) {
	one, ok := j.List[i].(*llm.Judge)
	if !ok {
		return nil, nil
	}
	calls, err := one.Plan(tasks)
	if err != nil {
		return nil, err
	}

	m, longest := j.resolved[i].parts[0], 0
	for _, c := range calls {
		longest = max(longest, estimate(c))
	}
	j.set.widen(m, longest)

	seen := map[string]bool{}
	var out []local.Call
	for _, c := range calls {
		c.Options.NumCtx = m.Options.NumCtx
		if key := c.Key(); !seen[key] {
			seen[key] = true
			out = append(out, c)
		}
	}
	return out, nil
}

// Usage is what the judges' calls cost.
func (j *Judges) Usage() []gate.ModelUsage { return j.gate.Usage() }

// Close closes the journal, and the models that were opened.
func (j *Judges) Close() error { return errors.Join(j.gate.Close(), j.set.Close()) }

// Manifest describes a judge with what was measured of it.
func (j Judge) Manifest(how Judging) []store.Model {
	var out []store.Model
	for _, m := range j.parts {
		if m == nil {
			name := lexical.Judge{}.Name()
			out = append(out, store.Model{Name: name, Digest: lexical.Digest, Agreement: Agreement(name)})
			continue
		}
		if m.encoder != nil {
			out = append(out, m.encoder.manifest(m))
			continue
		}

		d := m.Manifest()
		d.Agreement = Agreement(m.Spec + how.Examples.Mark())
		d.Mode = how.mode()
		out = append(out, d)
	}
	return out
}

// RecordedVerdicts names the verdicts that came with the data where a judge is named.
const RecordedVerdicts = "recorded"

// Agreement words what is known of a judge's agreement with people, by kind of question and
// of text.
func Agreement(spec string) string {
	if text := baseline(spec); text != "" {
		return text
	}
	var said []string
	for _, kind := range judge.Kinds {
		var figures []string
		for _, k := range agreement.Look(spec, kind, "", "").Elsewhere {
			figures = append(figures, fmt.Sprintf("%s %s", k.Texts, k))
		}
		if len(figures) > 0 {
			said = append(said, string(kind)+": "+strings.Join(figures, ", "))
		}
	}
	if len(said) == 0 {
		return "not measured here; measure it with `lore judge audit`"
	}
	return strings.Join(said, "; ")
}

// CheckBatch refuses a batch where there would be none: no judge is a model, or no text is
// asked several questions of a kind that can be asked at once.
func CheckBatch(names []string, how Judging, items []datasets.Item) error {
	if err := checkMode(names, how); err != nil {
		return err
	}
	if !how.Batch {
		return nil
	}
	if !slices.ContainsFunc(names, func(n string) bool { return slices.ContainsFunc(SplitJudge(n), IsServed) }) {
		return usage.Errorf("--batch is for a model as judge; there is none among: %s", strings.Join(names, ", "))
	}

	for _, it := range items {
		for _, t := range it.Plan(datasets.Evidence{}) {
			if llm.Batchable(t) {
				return nil
			}
		}
	}
	return usage.Errorf("--batch has nothing to put together: each answer is asked one question, or is compared with " +
		"whole references, and each of these calls stands alone; leave --batch out")
}

// checkMode refuses a way of reading verdicts where no judge is a model.
func checkMode(names []string, how Judging) error {
	model := func(n string) bool { return slices.ContainsFunc(SplitJudge(n), IsServed) }
	if how.Mode != llm.Logprob || slices.ContainsFunc(names, model) {
		return nil
	}
	return usage.Errorf("--judge-mode %s is for a model as judge; there is none among: %s", how.Mode, strings.Join(names, ", "))
}

// CheckExamples refuses examples where they would not be shown: no judge is a model, or nothing is asked about coverage.
func CheckExamples(names []string, how Judging, tasks []judge.Task) error {
	if err := checkMode(names, how); err != nil {
		return err
	}
	if how.Examples == nil {
		return nil
	}
	if !slices.ContainsFunc(names, func(n string) bool { return slices.ContainsFunc(SplitJudge(n), IsServed) }) {
		return usage.Errorf("--judge-examples is for a model as judge; there is none among: %s", strings.Join(names, ", "))
	}
	for _, t := range tasks {
		if slices.ContainsFunc(t.Questions, func(q judge.Question) bool { return q.Kind == judge.Coverage }) {
			return nil
		}
	}
	return usage.Errorf("--judge-examples is for questions of coverage, and none is asked here; leave it out")
}

// Planned are the questions of items that are there before any answer is.
func Planned(items []datasets.Item) []judge.Task {
	var out []judge.Task
	for _, it := range items {
		out = append(out, it.Plan(datasets.Evidence{})...)
	}
	return out
}
