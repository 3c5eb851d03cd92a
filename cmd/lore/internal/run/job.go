package run

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"lore/cmd/lore/internal/models"
	"lore/cmd/lore/internal/store"
	"lore/datasets"
)

// Job is one run whose models and prompts are found. Nothing of it is asked yet.
type Job struct{ *engine }

// Run does the whole job in the run folder. It is resumed by calling it again
// with the same options: finished model calls are taken from the journal. Its files are
// staged: the folder's Commit puts them in place.
func Run(ctx context.Context, bench datasets.Benchmark, ds *datasets.Dataset, opt Options, folder *store.Folder) (
	*Result, error) {
	j, err := Prepare(ctx, bench, ds, opt, folder)
	if err != nil {
		return nil, err
	}
	defer j.Close()
	if err := Together(ctx, j); err != nil {
		return nil, err
	}
	return j.Finish()
}

// Prepare looks up what a run needs, and opens the journal of its folder.
func Prepare(ctx context.Context, bench datasets.Benchmark, ds *datasets.Dataset, opt Options,
	folder *store.Folder) (*Job, error) {
	j := &Job{&engine{
		bench:    bench,
		protocol: bench.Protocol(),
		ds:       ds,
		items:    opt.Items(ds),
		opt:      opt,
		folder:   folder,
		models:   models.New(opt.Models),
	}}
	if err := j.resolve(ctx); err != nil {
		return nil, errors.Join(err, j.models.Close())
	}
	return j, nil
}

// Close frees what the job holds open.
func (j *Job) Close() error { return errors.Join(j.gate.Close(), j.models.Close()) }

// Finish scores what Together has asked, and stages the files of the run folder.
func (j *Job) Finish() (*Result, error) {
	result := j.score(j.cells)
	return result, j.save(result)
}

// step is a part of a phase that asks one model, or none.
type step struct {
	model string // of the server, or the name of what is asked; empty: none
	level int    // steps of a lower level come before, whichever job they are of
	warms bool   // it only asks early, so that models are not loaded in turns; left out of a run alone
	// foresee tells the models how long the prompts will be, without asking; nil where no other
	// job can ask the same model in this phase, or nothing is to be told.
	foresee func() error
	do      func(context.Context) error
}

// phase is a part of the loop. It begins with the steps it has, now that earlier phases are
// done, and ends when all of them are.
type phase struct {
	name  string
	begin func() ([]step, error)
	end   func() error // nil: nothing is left to do
}

// phases are those of a run in their order. All jobs have as many.
func (e *engine) phases() []phase {
	return []phase{
		{"retrieve", e.beginRetrieve, nil},
		{"shorten documents", e.beginCondense, e.endCondense},
		{"generate", e.beginGenerate, e.endGenerate},
		{"take answers apart", e.beginPoints, e.endPoints},
		{"compare with references", e.beginMeasure, nil},
		{"judge", e.beginJudge, e.endJudge},
	}
}

// Together takes jobs through the loop: phase by phase, and in each phase model by model over all
// jobs. So a server loads each model once a phase, however many jobs ask it.
func Together(ctx context.Context, jobs ...*Job) error {
	if len(jobs) == 0 {
		return nil
	}
	for _, j := range jobs {
		j.foresee()
	}
	err := together(ctx, jobs)
	for _, j := range jobs {
		err = j.opt.locate(err)
	}
	return err
}

func together(ctx context.Context, jobs []*Job) error {
	for n := range jobs[0].phases() {
		var steps []step
		for _, j := range jobs {
			if j.opt.Phase != nil {
				j.opt.Phase(j.phases()[n].name)
			}
			of, err := j.phases()[n].begin()
			if err != nil {
				return err
			}
			steps = append(steps, of...)
		}

		several := len(jobs) > 1
		if !several {
			steps = slices.DeleteFunc(steps, func(s step) bool { return s.warms })
		}
		for _, group := range byModel(steps) {
			if err := carryOut(ctx, group, several); err != nil {
				return err
			}
		}
		for _, j := range jobs {
			if end := j.phases()[n].end; end != nil {
				if err := end(); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// byModel puts steps of a level that ask the same model next to each other, in the order of first
// appearance.
func byModel(steps []step) [][]step {
	slices.SortStableFunc(steps, func(a, b step) int { return cmp.Compare(a.level, b.level) })
	same := func(a, b step) bool { return a.level == b.level && a.model == b.model }
	var out [][]step
	for _, s := range steps {
		at := slices.IndexFunc(out, func(g []step) bool { return same(g[0], s) })
		if at < 0 {
			out = append(out, []step{s})
			continue
		}
		out[at] = append(out[at], s)
	}
	return out
}

// carryOut does the steps that ask one model. Where they belong to several jobs, it first makes
// the model's window wide enough for all of them: another window is another load.
func carryOut(ctx context.Context, steps []step, several bool) error {
	for _, s := range steps {
		if several && s.foresee != nil {
			if err := s.foresee(); err != nil {
				return err
			}
		}
	}
	for _, s := range steps {
		if err := s.do(ctx); err != nil {
			return err
		}
	}
	return nil
}
