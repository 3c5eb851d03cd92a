package models

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"lore/local"
	"lore/local/files"
	"lore/local/gate"
	"lore/local/ollama"
	"lore/local/openai"
	"lore/local/wire"
)

// engines opens the hosts of engines that speak OpenAI's protocol, once. One that is not there is left
// out and said, as long as another is.
func (s *Set) openEngines(ctx context.Context) error {
	if s.engines != nil {
		return nil
	}
	if s.cfg.Server.Wrong != nil {
		return s.cfg.Server.Wrong
	}
	var gone []string
	var lost error
	for _, url := range s.cfg.Server.Of(openai.BackendName) {
		c, err := openai.Open(ctx, openai.Config{Host: url, Key: s.cfg.Server.Key, Dial: s.cfg.Dial, Limits: s.cfg.Limits})
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if err != nil {
			lost = err
			gone = append(gone, err.Error())
			continue
		}
		s.engines = append(s.engines, c)
	}
	if len(s.engines) == 0 {
		return lost
	}
	for _, why := range gone {
		s.cfg.Console.Warn(fmt.Sprintf("one host of %d is left out: %s", len(gone)+len(s.engines), why))
	}
	s.server = s.engines[0].Server()
	return nil
}

// resolveEngine looks a model up on all hosts, which must serve the same weights.
func (s *Set) resolveEngine(ctx context.Context, spec, name string, options local.Options) (*Model, error) {
	if m := s.served[spec]; m != nil {
		m := *m
		m.Options = options
		return s.fitEngine(&m), nil
	}
	if err := s.openEngines(ctx); err != nil {
		return nil, err
	}

	var first openai.Model
	for i, c := range s.engines {
		info, err := c.Model(ctx, name)
		if err != nil {
			return nil, err
		}
		switch {
		case i == 0:
			first = info
		case info.Digest != first.Digest:
			return nil, differ(info.Name, s.engines[0].Host(), c.Host(), first.Digest+" and "+info.Digest)
		case info.Context != first.Context:
			first.Context = min(first.Context, info.Context)
		}
		if info.Warning != "" && i == 0 {
			s.warn(spec + ": " + info.Warning)
		}
	}
	if !first.Exact {
		if err := s.seeWeights(ctx, spec, &first); err != nil {
			return nil, err
		}
	}

	m := &Model{
		Spec:    spec,
		Backend: openai.BackendName,
		Name:    first.Name,
		Digest:  first.Digest,
		Info:    ollama.Model{Name: first.Name, Digest: first.Digest, Context: first.Context, Parameters: first.About},
		Options: options,
	}
	s.served[spec] = m
	again := *m
	return s.fitEngine(&again), nil
}

// fitEngine sets what an engine has fixed: the window that it has loaded the model with.
func (s *Set) fitEngine(m *Model) *Model {
	m.Options.NumCtx = s.cfg.NumCtx
	if m.Options.NumCtx == 0 {
		m.Options.NumCtx = m.Info.Context
	}
	m.Options.Think = s.cfg.Think
	if m.Options.Think == "" {
		m.Options.Think = "false" // templates that know no thoughts ignore it
	}
	return m
}

// warn tells people, and the manifest.
func (s *Set) warn(text string) {
	s.warnings = append(s.warnings, text)
	s.cfg.Console.Warn(text)
}

// differ is the error of hosts with other weights under one name.
func differ(model, one, other, how string) error {
	return fmt.Errorf("%w: %s on %s and on %s have different weights (%s): hosts that share the work must serve the same model",
		wire.ErrNoModel, model, one, other, how)
}

// seeWeights compares what hosts answer, as their engines tell no hash of the weights, and compares it
// with what the model answered the last time. Other weights get another digest, so that finished calls
// of the old ones are not used for them.
func (s *Set) seeWeights(ctx context.Context, spec string, m *openai.Model) error {
	unseen := func(why error) {
		s.warn(fmt.Sprintf("%s: %s tells no hash of the weights (%v): a change of weights under the same name is not seen, "+
			"and finished calls of the old ones are used; name a new --cache and --out after a change", spec, s.engines[0].Server(), why))
	}

	var first openai.Fingerprint
	for i, c := range s.engines {
		f, err := c.Fingerprint(ctx, *m)
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if err != nil {
			unseen(err)
			return nil
		}
		if i == 0 {
			first = f
			continue
		}
		if err := first.Alike(f); err != nil {
			return differ(m.Name, s.engines[0].Host(), c.Host(), err.Error())
		}
	}

	if changed := s.generation(m, first); changed != nil {
		s.warn(fmt.Sprintf("%s: the weights are not those of before (%v): finished calls of the old ones are not used", spec, changed))
	}
	return nil
}

// generation is how often the weights behind a name have been seen to change; kept in the cache.
type generation struct {
	Changes     int                `json:"changes"`
	Fingerprint openai.Fingerprint `json:"fingerprint"`
}

// generation marks the digest of a model by how often its weights have changed. changed says what is
// other than before.
func (s *Set) generation(m *openai.Model, now openai.Fingerprint) (changed error) {
	if s.cfg.Cache == "" {
		return nil
	}
	path := filepath.Join(s.cfg.Cache, "engines", strings.ReplaceAll(m.Digest, ":", "-")+".json")
	var g generation
	if data, err := files.ReadFile(path); err == nil && json.Unmarshal(data, &g) == nil && len(g.Fingerprint) > 0 {
		if changed = g.Fingerprint.Alike(now); changed != nil {
			g.Changes++
		}
	}
	g.Fingerprint = now
	if g.Changes > 0 {
		m.Digest = fmt.Sprintf("%s.%d", m.Digest, g.Changes)
	}
	if data, err := json.Marshal(g); err == nil && s.cfg.Dry == nil && files.MkdirAll(filepath.Dir(path)) == nil {
		_ = files.WriteFile(path, data) // a help: where it cannot be kept, a change is not seen
	}
	return changed
}

// engineLane is the lane of the engines.
func (s *Set) engineLane(slots int) gate.Lane {
	lane := gate.Lane{Shared: true, Prove: true, Version: s.server, Identity: s.engineStill, Alive: s.anyEngine}
	var names []string
	for _, c := range s.engines {
		names = append(names, c.Host())
		lane.Hosts = append(lane.Hosts, gate.Host{
			Name: c.Host(), Backend: c, Slots: slots, Version: c.Server() + " " + c.Host(), Alive: c.Alive,
		})
	}
	lane.Server = "the model server " + strings.Join(names, ", ")
	return lane
}

// anyEngine reports whether any host is there.
func (s *Set) anyEngine(ctx context.Context) error {
	var last error
	for _, c := range s.engines {
		if last = c.Alive(ctx); last == nil {
			return nil
		}
	}
	return fmt.Errorf("%w; the finished calls are kept: bring a server back and run the same command again", last)
}

// engineStill looks up whether a call's model is still the one it names, on all hosts that are there.
func (s *Set) engineStill(ctx context.Context, call local.Call) error {
	digest, _, _ := strings.Cut(call.Digest, ".") // a mark of changes is lore's own
	var err error
	for _, c := range s.engines {
		if err = c.Still(ctx, call.Model, digest); errors.Is(err, openai.ErrChanged) {
			return changed{err}
		}
	}
	return err
}
