package main

import (
	"context"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"lore/cmd/lore/internal/meter"
	"lore/cmd/lore/internal/models"
	"lore/cmd/lore/internal/store"
	"lore/cmd/lore/internal/usage"
	"lore/judge"
	"lore/judge/agreement"
	"lore/judge/ensemble"
	"lore/local/gate"
)

// recordedJudge is a judge whose verdicts stand in the labels file.
const recordedJudge = models.RecordedPrefix

// panel are judges that are asked about labelled items. Each part of A+B is opened once and
// asked each question once, whatever pairs it belongs to.
type panel struct {
	items     []agreement.Item
	tasks     []judge.Task
	questions int
	how       models.Judging
	console   usage.Console

	opened *models.Judges
	asked  []string // parts that are no recorded verdicts, in the order of opened
	parts  map[string]judge.Judge
	keys   map[string]ensemble.Part
}

// openPanel opens the parts of judges. Finished calls of a model are kept below the folder out.
func openPanel(
	c *cobra.Command, m modelFlags, j judgeFlags, out string, specs []string, items []agreement.Item,
) (*panel, error) {
	p := &panel{
		items:   items,
		console: usage.NewConsole(c.ErrOrStderr()),
		parts:   map[string]judge.Judge{},
		keys:    map[string]ensemble.Part{},
	}
	if m.dry != nil {
		p.console = usage.Console{}
	}
	for _, it := range items {
		p.tasks = append(p.tasks, it.Task)
		p.questions += len(it.Task.Questions)
	}

	var asked []string
	for _, spec := range specs {
		parts := models.SplitJudge(spec)
		if err := models.CheckParts(spec, parts); err != nil {
			return nil, err
		}
		for _, part := range parts {
			key, recorded := strings.CutPrefix(part, recordedJudge)
			if !recorded {
				if !slices.Contains(asked, part) {
					asked = append(asked, part)
				}
				continue
			}
			verdicts, err := recordedVerdicts(items, key)
			if err != nil {
				return nil, err
			}
			p.parts[part], p.keys[part] = models.NewRecordedJudge(key, items, verdicts), ensemble.Part{Name: part}
		}
	}
	return p, p.open(c, m, j, filepath.Join(out, "calls"), asked)
}

// open opens the judges that are no recorded ones.
func (p *panel) open(c *cobra.Command, m modelFlags, j judgeFlags, calls string, names []string) error {
	how, err := j.judging()
	if err != nil {
		return err
	}
	p.how = how
	if err := checkExamples(p.console, names, how, p.tasks); err != nil {
		return err
	}
	if len(names) == 0 {
		return nil
	}
	if err := models.CheckJudges(names); err != nil {
		return err
	}
	p.asked = names
	how.Calibration = nil // of each part as it is
	if p.opened, err = openJudgesAs(c, m, how, names, calls, p.console); err != nil {
		return err
	}
	for i, name := range names {
		p.parts[name], p.keys[name] = newMemory(p.opened.List[i]), p.opened.Parts[i][0]
	}
	return nil
}

// foresee tells that judges will be asked about all items.
func (p *panel) foresee(specs []string) {
	var parts []meter.Part
	for _, spec := range specs {
		parts = append(parts, models.Foreseen(judgeBy+spec, spec, p.questions))
	}
	p.console.Plan(parts)
}

// foreseeParts tells the same of the parts of a judge.
func (p *panel) foreseeParts(keys []ensemble.Part) {
	var specs []string
	for _, k := range keys {
		specs = append(specs, k.Name)
	}
	p.foresee(specs)
}

// judgeBy begins the name of a phase in which a judge is asked.
const judgeBy = "judge by "

// over is the panel on some of its items.
func (p *panel) over(items []agreement.Item) *panel {
	some := *p
	some.items, some.tasks, some.questions = items, nil, 0
	for _, it := range items {
		some.tasks = append(some.tasks, it.Task)
		some.questions += len(it.Task.Questions)
	}
	return &some
}

// reserve gives each model of a judge one window for all calls about the items.
func (p *panel) reserve(spec string) error {
	for _, part := range models.SplitJudge(spec) {
		if i := slices.Index(p.asked, part); i >= 0 {
			if _, err := p.opened.Plan(i, p.tasks); err != nil {
				return err
			}
		}
	}
	return nil
}

// Close closes the journal.
func (p *panel) Close() error {
	if p.opened == nil {
		return nil
	}
	return p.opened.Close()
}

// members are the parts of a judge.
func (p *panel) members(spec string) (judges []judge.Judge, keys []ensemble.Part) {
	for _, part := range models.SplitJudge(spec) {
		judges, keys = append(judges, p.parts[part]), append(keys, p.keys[part])
	}
	return judges, keys
}

// validated is one judge's outcome.
type validated struct {
	report    agreement.Report
	verdicts  [][]judge.Verdict
	seconds   float64
	usage     []gate.ModelUsage
	languages store.Languages // of the texts
	pair      *models.Pair    // nil: no pair
	keys      []ensemble.Part
	curve     []share
}

// verdicts are a judge's on all questions.
func (p *panel) verdicts(ctx context.Context, spec string) (judge.Judge, [][]judge.Verdict, error) {
	members, keys := p.members(spec)
	how := p.how
	how.Keep = true
	one, err := models.Join(members, keys, how)
	if err != nil {
		return nil, nil, err
	}
	verdicts, err := one.Judge(ctx, p.tasks, p.console.Start(judgeBy+spec, p.questions))
	return one, verdicts, err
}

// ask has one judge answer all questions, and measures it.
func (p *panel) ask(ctx context.Context, spec string, seed uint64) (validated, error) {
	start := time.Now()
	v := validated{}
	members, keys := p.members(spec)
	v.keys = keys
	one, verdicts, err := p.verdicts(ctx, spec)
	if err != nil {
		return v, err
	}
	v.verdicts = verdicts

	name := spec
	if pair, ok := one.(*models.Pair); ok {
		v.pair, name = pair, one.Name()
		p.console.Note(models.Saved(one))
	}
	if p.how.Examples != nil && models.IsServed(spec) {
		name = one.Name()
	}
	v.seconds = time.Since(start).Seconds()
	v.report = agreement.Measure(name, p.items, v.verdicts, seed)
	v.usage = p.usageOf(spec)
	v.languages = p.languages(v.verdicts)
	if v.pair != nil {
		v.curve, err = p.curve(ctx, v.pair, members)
	}
	return v, err
}

// languages counts those of the texts, and what a judge said of them.
func (p *panel) languages(verdicts [][]judge.Verdict) store.Languages {
	return models.Languages(p.how.Language, p.tasks, verdicts)
}

// usageOf is what the models of a judge cost so far.
func (p *panel) usageOf(spec string) []gate.ModelUsage {
	if p.opened == nil {
		return nil
	}
	parts := models.SplitJudge(spec)
	return slices.DeleteFunc(p.opened.Usage(), func(u gate.ModelUsage) bool {
		return !slices.Contains(parts, u.Backend+":"+u.Model)
	})
}

// share is a point of the curve of calls against agreement.
type share struct {
	Share   float64  `json:"share"`
	Asked   int      `json:"asked"`
	Pearson *float64 `json:"pearson"` // null: undefined
}

// curve is the agreement of a pair for each share of the questions that the judges after the first are
// asked, as far as their verdicts are known: recorded ones all are.
func (p *panel) curve(ctx context.Context, pair *models.Pair, members []judge.Judge) ([]share, error) {
	if len(members) < 2 {
		return nil, nil
	}
	trace, most := pair.Trace(), pair.Rule.Share
	names := make([]string, len(members))
	free := true
	for i, m := range members {
		names[i] = m.Name()
		_, recorded := m.(*models.RecordedJudge)
		free = free && (i == 0 || recorded)
	}
	if free {
		whole := &ensemble.Judge{Parts: members, Keep: true}
		if _, err := whole.Judge(ctx, p.tasks, nil); err != nil {
			return nil, err
		}
		trace, most = whole.Trace(), 1
	}
	if pair.Rule.Zone == nil && pair.Rule.Share == 0 {
		most = 1
	}

	if most == 0 {
		return nil, nil // nobody knows what more calls would bring
	}
	var out []share
	for tenth := range 11 {
		s := float64(tenth) / 10
		if s > most+1e-9 {
			break
		}
		rule := ensemble.Rule{Share: max(s, 1e-9), Calibration: pair.Rule.Calibration, First: pair.Rule.First}
		verdicts, asked := trace.Rejoin(names, rule)
		out = append(out, share{s, asked, agreement.Finite(agreement.Pearson(p.items, verdicts))})
	}
	return out, nil
}

// memory asks a judge each question once. Its first call has all questions of a task, so that
// siblings are judged beside each other.
type memory struct {
	inner judge.Judge
	known map[[2]string]judge.Verdict
}

func newMemory(j judge.Judge) *memory { return &memory{j, map[[2]string]judge.Verdict{}} }

// Name is that of the judge.
func (m *memory) Name() string { return m.inner.Name() }

// Judge asks what is not known.
func (m *memory) Judge(ctx context.Context, tasks []judge.Task, done func(int)) ([][]judge.Verdict, error) {
	var missing []judge.Task
	for _, t := range tasks {
		part := t
		part.Questions = slices.DeleteFunc(slices.Clone(t.Questions), func(q judge.Question) bool {
			_, ok := m.known[[2]string{t.ID, q.ID}]
			return ok
		})
		if len(part.Questions) > 0 {
			missing = append(missing, part)
		}
	}

	if len(missing) > 0 {
		verdicts, err := m.inner.Judge(ctx, missing, done)
		if err != nil {
			return nil, err
		}
		for i, t := range missing {
			for k, q := range t.Questions {
				m.known[[2]string{t.ID, q.ID}] = verdicts[i][k]
			}
		}
	}

	out := make([][]judge.Verdict, len(tasks))
	for i, t := range tasks {
		for _, q := range t.Questions {
			v := m.known[[2]string{t.ID, q.ID}]
			v.Flags = slices.Clone(v.Flags)
			out[i] = append(out[i], v)
		}
	}
	return out, nil
}

// recordedVerdicts are those of a judge in the labels file, unscored where it has none.
func recordedVerdicts(items []agreement.Item, key string) ([][]judge.Verdict, error) {
	out := make([][]judge.Verdict, len(items))
	have := map[string]bool{}
	for i, it := range items {
		for k := range it.Recorded {
			have[k] = true
		}
		if out[i] = it.Recorded[key]; out[i] != nil {
			continue
		}
		for _, q := range it.Task.Questions {
			out[i] = append(out[i], agreement.Unlabelled(q.ID))
		}
	}

	switch {
	case len(have) == 0:
		return nil, usage.Errorf("%s%s cannot be measured: the labels hold no recorded verdicts", recordedJudge, key)
	case !have[key]:
		return nil, usage.Unknown("judge recorded in the labels", key, slices.Sorted(maps.Keys(have)))
	}
	return out, nil
}
