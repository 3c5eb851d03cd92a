package run

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"lore/cmd/lore/internal/store"
	"lore/local"
	"lore/local/extractive"
	"lore/local/gate"
	"lore/local/ollama"
	remote "lore/local/system"
	"lore/local/tokens"
)

// UsageError is a request that makes no sense; nothing was run.
type UsageError struct{ Msg string }

func (e *UsageError) Error() string { return e.Msg }

func usage(format string, args ...any) error { return &UsageError{fmt.Sprintf(format, args...)} }

// model is a language model that the run uses.
type model struct {
	spec    string // as the user named it
	backend string
	name    string
	digest  string
	info    ollama.Model
	options local.Options
}

// structured reports whether the backend takes a local.Source instead of messages.
func (m *model) structured() bool { return m.backend == extractive.BackendName }

func (m *model) manifest() store.Model {
	out := store.Model{Name: m.spec, Digest: m.digest, Context: m.info.Context, Family: m.info.Family, Size: m.info.Parameters, Quant: m.info.Quantization}
	if !m.structured() {
		o := m.options
		out.Options = &o
	}
	return out
}

// models resolves names and owns the lanes of the gate.
type models struct {
	opt    Options
	client *ollama.Client
	server string
	byName map[string]*model

	warnings []string
}

// resolve looks a generator or judge model up.
func (r *models) resolve(ctx context.Context, spec string, options local.Options) (*model, error) {
	backend, name, _ := strings.Cut(spec, ":")
	switch {
	case spec == extractive.BackendName:
		return &model{spec: spec, backend: extractive.BackendName, name: extractive.BackendName, digest: "v" + extractive.Version}, nil
	case backend == ollama.BackendName && name != "":
		return r.resolveOllama(ctx, spec, name, options)
	}
	return nil, fmt.Errorf("no model %q", spec) // CheckNames lets none through
}

// connect opens the server once.
func (r *models) connect(ctx context.Context) error {
	if r.client != nil {
		return nil
	}
	c, err := ollama.NewClient(ollama.Config{Host: r.opt.Host, Dial: r.opt.Dial})
	if err != nil {
		return &UsageError{err.Error()}
	}
	if r.server, err = c.Version(ctx); err != nil {
		return err
	}
	r.client = c
	return nil
}

func (r *models) resolveOllama(ctx context.Context, spec, name string, options local.Options) (*model, error) {
	if err := r.connect(ctx); err != nil {
		return nil, err
	}
	info, err := r.client.Model(ctx, name)
	if err != nil {
		return nil, err
	}
	options.Think = r.think(info)
	options.NumCtx = r.opt.NumCtx
	// One load profile per model and run: a model that generates and judges keeps
	// the context window it was first given.
	if known := r.byName[name]; known != nil {
		options.NumCtx = known.options.NumCtx
	}
	m := &model{spec: spec, backend: ollama.BackendName, name: info.Name, digest: info.Digest, info: info, options: options}
	if r.byName[name] == nil {
		r.byName[name] = m
	}
	return m, nil
}

// think is off unless asked for, and not sent to models that cannot.
func (r *models) think(info ollama.Model) string {
	switch {
	case !info.Thinks:
		return ""
	case r.opt.Think != "":
		return r.opt.Think
	}
	return "false"
}

// fit sets the model's context window from the longest of its calls, unless the
// user or an earlier phase has set it, and writes it into the calls. Calls that
// may not fit are warned of; they are refused by the server, never cut.
func (r *models) fit(m *model, calls []local.Call, what string) {
	if m.backend != ollama.BackendName || len(calls) == 0 {
		return
	}
	longest := 0
	needs := make([]int, len(calls))
	for i, c := range calls {
		needs[i] = estimate(c)
		longest = max(longest, needs[i])
	}
	owner := r.byName[strings.TrimPrefix(m.spec, ollama.BackendName+":")]
	if owner.options.NumCtx == 0 {
		owner.options.NumCtx = window(longest, m.info.Context)
	}
	m.options.NumCtx = owner.options.NumCtx
	tooLong := 0
	for i := range calls {
		calls[i].Options.NumCtx = m.options.NumCtx
		if needs[i] > m.options.NumCtx {
			tooLong++
		}
	}
	if tooLong > 0 {
		msg := fmt.Sprintf("%s: %d of %d %s may be refused as too long: the longest needs about %d tokens, the window is %d; they are never cut",
			m.spec, tooLong, len(calls), what, longest, m.options.NumCtx)
		r.warnings = append(r.warnings, msg)
		r.opt.Warn(msg)
	}
}

// reserve gives a model that reranks first and generates later the window that its
// answers will need: it is loaded with one window per run.
func (r *models) reserve(m *model, calls []local.Call) {
	owner := r.byName[strings.TrimPrefix(m.spec, ollama.BackendName+":")]
	if owner.options.NumCtx != 0 || !slices.Contains(r.opt.Generators, m.spec) {
		return
	}
	need := r.opt.Budget.Tokens + r.opt.Budget.Tokens/5 + r.opt.NumPredict + 1024
	for _, c := range calls {
		need = max(need, estimate(c))
	}
	owner.options.NumCtx = window(need, m.info.Context)
}

// estimate is the room a call needs, in tokens of lore's own tokeniser with a
// fifth on top, because the model's tokeniser is another.
func estimate(c local.Call) int {
	n := 0
	for _, m := range c.Messages {
		n += tokens.Count(m.Content) + 8
	}
	return n + n/5 + c.Options.NumPredict + 64
}

// window rounds a need up to whole steps, within what the model was trained for.
func window(need, trained int) int {
	const step, least = 2048, 4096
	w := max(least, (need+step-1)/step*step)
	if trained > 0 {
		w = min(w, trained)
	}
	return w
}

// lanes are the backends with their slots.
func (r *models) lanes() map[string]gate.Lane {
	lanes := map[string]gate.Lane{extractive.BackendName: {Backend: extractive.New()}}
	if len(r.opt.Systems.URLs) > 0 {
		lanes[remote.BackendName] = gate.Lane{Backend: r.opt.Systems.backend(), Slots: max(1, r.opt.Slots), Alive: r.opt.Systems.alive}
	}
	if r.client != nil {
		lanes[ollama.BackendName] = gate.Lane{Backend: r.client, Slots: max(1, r.opt.Slots), Alive: func(ctx context.Context) error {
			if _, err := r.client.Version(ctx); err != nil {
				return fmt.Errorf("%w; the finished calls are kept: bring the server back and run the same command again", err)
			}
			return nil
		}}
	}
	return lanes
}
