package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"lore/cmd/lore/internal/models"
	"lore/cmd/lore/internal/rehearsal"
	"lore/cmd/lore/internal/usage"
	"lore/cmd/lore/internal/workshop"
	"lore/datasets"
)

// estimateJob says what work takes. see has what is known of it besides, but whether models are timed.
func estimateJob(c *cobra.Command, f estimateFlags, cfg rehearsal.Config, see foresight) error {
	cfg.Slots, cfg.Seed, cfg.Say, cfg.Probing = max(1, see.models.Slots), see.models.Seed, sayStep(c), sayProbe(c)
	if !f.noProbe {
		cfg.Open, cfg.Loaded = models.Trials(see.models)
	}
	outcome, err := rehearsal.Run(c.Context(), cfg)
	if err != nil {
		return err
	}
	see.probe = !f.noProbe
	return see.tell(c, outcome)
}

// estimateVerb says what a build takes: it is gone through with stand-ins for its models, and nothing
// is written.
func estimateVerb(c *cobra.Command, v datasets.Verb, f verbFlags, job datasets.Job, args []string) error {
	if f.model == "" && f.writer == "" {
		return usage.Errorf("--estimate needs --model ollama:NAME")
	}
	real, err := f.config(c, v)
	if err != nil {
		return err
	}
	return estimateJob(c, f.estimateFlags, f.rehearse(v, job, args, real), foresight{
		models:  real.Models,
		dir:     f.out,
		json:    f.json,
		shorter: "cut the longest documents",
		erring:  erringOf(v),
	})
}

// rehearse is how a build is gone through before it is done. What is odd about the documents is said
// once.
func (f verbFlags) rehearse(v datasets.Verb, job datasets.Job, args []string, real workshop.Config) rehearsal.Config {
	console := real.Console
	pass := func(ctx context.Context, rec *rehearsal.Recorder) (err error) {
		rec.Begin("look up models")
		cfg := real
		cfg.Phase, cfg.Models.Dry = rec.Start, rec
		cfg.Console, console = console, usage.Console{}
		cfg.Models.Console, cfg.Pipelines.Console = usage.Console{}, usage.Console{}
		if f.indexDir == "" {
			cfg.Pipelines.IndexDir = elsewhere(f.out, cfg.Pipelines.IndexDir)
		}

		w := workshop.New(cfg)
		defer func() { err = errors.Join(err, w.Close()) }()
		_, err = job(ctx, w, args)
		return err
	}
	return rehearsal.Config{Go: pass, Answer: v.StandIn, Pooled: true, Chained: true}
}

// longestLook is how long a build may take to say what is before it.
const longestLook = 10 * time.Second

// plan tells the console what a build will take, so that it can say how much is left. A build that cannot be
// foreseen begins all the same: what is wrong with it is said once, by the build.
func (f verbFlags) plan(c *cobra.Command, v datasets.Verb, job datasets.Job, args []string, cfg workshop.Config) {
	if v.Kind != datasets.Build || cfg.Model == "" || !cfg.Console.Shows() {
		return
	}
	ctx, stop := context.WithTimeout(c.Context(), longestLook)
	defer stop()
	silent := cfg
	silent.Console = usage.Console{}

	how := f.rehearse(v, job, args, silent)
	how.Slots, how.Seed = max(1, cfg.Models.Slots), cfg.Models.Seed
	if parts, err := rehearsal.Foresee(ctx, how); err == nil {
		cfg.Console.Plan(parts)
	}
}

// erringOf is what errors of a model cost a build, in calls.
func erringOf(v datasets.Verb) func(share float64) float64 {
	if v.Erring != nil {
		return v.Erring
	}
	return func(share float64) float64 { return 1 / (1 - share) } // what is refused is asked for again
}

// estimateAudit says what an audit takes of the judges by names, each on the files that it can be
// measured on.
func estimateAudit(c *cobra.Command, f auditFlags, names []string, fit map[string][]labelFile, all []labelFile) error {
	console := usage.NewConsole(c.ErrOrStderr())
	cfg, err := f.modelFlags.config(console)
	if err != nil {
		return err
	}

	pass := func(ctx context.Context, rec *rehearsal.Recorder) (err error) {
		rec.Begin("look up models")
		dry := f.modelFlags
		dry.dry = rec
		p, err := openPanel(c, dry, f.judgeFlags, f.out, names, itemsOf(all))
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, p.Close()) }()

		for _, name := range names {
			if err := p.over(itemsOf(fit[name])).reserve(name); err != nil {
				return err
			}
			rec.Begin(judgeBy + name)
			for _, file := range fit[name] {
				if _, _, err := p.over(file.items).verdicts(ctx, name); err != nil {
					return fmt.Errorf("%s: %w", file.name, err)
				}
			}
		}
		return nil
	}
	return estimateJob(c, f.estimateFlags, rehearsal.Config{Go: pass}, foresight{
		models:  cfg,
		dir:     f.out,
		json:    f.json,
		shorter: "leave out the longest texts",
	})
}
