package run

import (
	"context"
	"errors"

	"lore/cmd/lore/internal/models"
	"lore/cmd/lore/internal/rehearsal"
	"lore/cmd/lore/internal/usage"
)

// Rehearsal is how jobs are gone through before they are done.
type Rehearsal struct {
	Models models.Config // of all jobs
	Probe  bool          // some calls are made and timed
	Say    func(string)  // is told what is being done; may be nil
	Seed   uint64

	// Probing is told of each model before some of its calls are timed, and of how many it has left; may
	// be nil.
	Probing func(model, phase string, calls, of int)

	// Prepare prepares all jobs, with the options that change gives for theirs, and folders that
	// are only looked at. It is called for every pass, and what jobs share must be new each time.
	Prepare func(ctx context.Context, change func(Options) Options) ([]*Job, error)
}

// Estimate finds out what jobs take that would go through Together. It writes nothing to their
// folders; replies to calls that were timed are kept in the cache that runs share.
func Estimate(ctx context.Context, r Rehearsal) (rehearsal.Outcome, error) {
	cfg := rehearsal.Config{
		Slots: max(1, r.Models.Slots),
		Seed:  r.Seed,
		Go:    r.pass,
		Say:   r.Say,

		Probing: r.Probing,
	}
	if r.Probe {
		cfg.Open, cfg.Loaded = models.Trials(r.Models)
	}
	return rehearsal.Run(ctx, cfg)
}

// pass goes through all jobs once.
func (r Rehearsal) pass(ctx context.Context, rec *rehearsal.Recorder) (err error) {
	rec.Begin("look up models")
	jobs, err := r.Prepare(ctx, func(opt Options) Options {
		opt.Models.Dry, opt.Phase = rec, rec.Begin
		opt.Failed, opt.Console = nil, usage.Console{}
		opt.Models.Console, opt.Pipelines.Console = usage.Console{}, usage.Console{}
		return opt
	})
	defer func() {
		for _, j := range jobs {
			err = errors.Join(err, j.Close())
		}
	}()
	if err != nil {
		return err
	}
	if err := Together(ctx, jobs...); err != nil {
		return err
	}

	rec.Begin("score")
	for _, j := range jobs {
		if _, err := j.Finish(); err != nil {
			return err
		}
	}
	return nil
}
