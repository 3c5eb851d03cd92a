package run

import (
	"context"
	"errors"

	"lore/cmd/lore/internal/rehearsal"
	"lore/cmd/lore/internal/usage"
)

// Preparation prepares all jobs of an estimate, with the options that change gives for theirs, and folders
// that are only looked at. It is called for every pass, and what jobs share must be new each time.
type Preparation func(ctx context.Context, change func(Options) Options) ([]*Job, error)

// Rehearse goes through jobs once that would go through Together, with a recorder in place of models.
// It writes nothing to their folders.
func (prepare Preparation) Rehearse(ctx context.Context, rec *rehearsal.Recorder) (err error) {
	rec.Begin("look up models")
	jobs, err := prepare(ctx, func(opt Options) Options {
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
