// Package models resolves the names that a command line gives: language models, judges
// and systems of people's own. It owns the lanes of the door, and the context window that
// each model is loaded with.
package models

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"strings"
	"time"

	"lore/cmd/lore/internal/store"
	"lore/cmd/lore/internal/usage"
	"lore/local"
	"lore/local/extractive"
	"lore/local/gate"
	"lore/local/ollama"
	"lore/local/openai"
	remote "lore/local/system"
	"lore/local/wire"
)

// Config says where models are and how they are loaded.
type Config struct {
	Server  Server
	Dial    wire.Dialer
	Slots   int      // calls at once to the server
	NumCtx  int      // context window in tokens; 0: from the longest prompt
	Windows *Windows // that runs share; nil: the set has its own
	Think   string   // thoughts of models that can think; empty: none
	Seed    uint64
	Cache   string  // folder of model calls that runs share; empty: none
	Systems Systems // systems of people's own that are asked over HTTP
	Console usage.Console

	Encoders Encoders // models of judges that are no language models

	Limits   wire.Limits   // of a reply's time; what is zero is found from what the model shows
	Patience gate.Patience // with a server that fails
	Again    gate.Again    // which failures of earlier runs are asked again

	Dry gate.StandIn // answers in place of models what is not finished, and nothing is written; may be nil
}

// Set resolves names. It is not safe for concurrent use.
type Set struct {
	cfg      Config
	client   *ollama.Client
	others   []*ollama.Client // that share its work
	engines  []*openai.Client
	served   map[string]*Model // on engines, by spec
	server   string
	recalled bool // the server cannot be reached, and what is known of its models is older
	windows  *Windows
	encoders map[string]*Model // of judges, by spec

	warnings []string
}

// New returns a set that has asked nobody yet.
func New(cfg Config) *Set {
	s := &Set{cfg: cfg, windows: cfg.Windows, encoders: map[string]*Model{}, served: map[string]*Model{}}
	if s.windows == nil {
		s.windows = NewWindows()
	}
	return s
}

// Server is the version of the model server, empty if none was asked.
func (s *Set) Server() string { return s.server }

// Warnings lists what the manifest must say of the models.
func (s *Set) Warnings() []string { return s.warnings }

// Model is a language model that the run uses.
type Model struct {
	Spec    string // as the user named it
	Backend string
	Name    string
	Digest  string
	Info    ollama.Model
	Options local.Options
	encoder *encoder // of a judge that is no language model; nil for others

	Service *remote.Service // of a system that a file describes; nil for others
}

// Structured reports whether the backend takes a local.Source instead of messages.
func (m *Model) Structured() bool { return m.Backend == extractive.BackendName }

// Call is a call to the model without words.
func (m *Model) Call() local.Call {
	return local.Call{Backend: m.Backend, Model: m.Name, Digest: m.Digest, Options: m.Options}
}

// Manifest is what a run folder keeps of the model.
func (m *Model) Manifest() store.Model {
	out := store.Model{
		Name:    m.Spec,
		Digest:  m.Digest,
		Context: m.Info.Context,
		Family:  m.Info.Family,
		Size:    m.Info.Parameters,
		Quant:   m.Info.Quantization,
	}
	if !m.Structured() {
		o := m.Options
		out.Options = &o
	}
	return out
}

// IsServed reports whether a name is one of a model on a server: ollama:NAME or openai:NAME.
func IsServed(spec string) bool {
	backend, model, _ := strings.Cut(spec, ":")
	return isServed(backend) && model != ""
}

// CheckGenerators refuses unknown names before anything is read or written.
func CheckGenerators(specs []string) error {
	for _, spec := range specs {
		if spec != extractive.BackendName && !IsServed(spec) {
			return usage.Errorf("unknown generator %q; write %s, %s:NAME, %s:NAME or gold",
				spec, extractive.BackendName, ollama.BackendName, openai.BackendName)
		}
	}
	return nil
}

// Greedy are the options of a model that ranks, checks or takes apart.
func (s *Set) Greedy() local.Options {
	return local.Options{TopP: 1, Seed: int(s.cfg.Seed), RepeatPenalty: 1}
}

// Resolve looks a model up.
func (s *Set) Resolve(ctx context.Context, spec string, options local.Options) (*Model, error) {
	backend, name, _ := strings.Cut(spec, ":")
	switch {
	case spec == extractive.BackendName:
		return &Model{Spec: spec, Backend: spec, Name: spec, Digest: "v" + extractive.Version}, nil
	case backend == ollama.BackendName && name != "":
		return s.resolveOllama(ctx, spec, name, options)
	case backend == openai.BackendName && name != "":
		return s.resolveEngine(ctx, spec, name, options)
	}
	return nil, fmt.Errorf("there is no model %q", spec) // the checks of names let none through
}

// ollama says how a server of Ollama is reached.
func (s *Set) ollama(host string) ollama.Config {
	return ollama.Config{Host: host, Dial: s.cfg.Dial, Limits: s.cfg.Limits}
}

// Client opens the servers of Ollama once, and returns the first that is there. One that is not is left
// out and said, as long as another is.
func (s *Set) Client(ctx context.Context) (*ollama.Client, error) {
	if s.client != nil {
		return s.client, nil
	}
	if s.cfg.Server.Refused != nil {
		return nil, s.cfg.Server.Refused
	}
	if s.cfg.Server.Elsewhere != "" {
		s.cfg.Console.Note(s.cfg.Server.Notice())
	}

	hosts := s.cfg.Server.Of(ollama.BackendName)
	var gone []error
	for _, host := range hosts {
		c, err := ollama.NewClient(s.ollama(host))
		if err != nil {
			return nil, usage.Errorf("%v", err)
		}
		version, err := c.Version(ctx)
		switch {
		case err != nil && (ctx.Err() != nil || len(hosts) == 1):
			return nil, err
		case err != nil:
			gone = append(gone, err)
		case s.client == nil:
			s.client, s.server = c, version
		default:
			s.others = append(s.others, c)
		}
	}
	if s.client == nil {
		return nil, gone[0]
	}
	for _, err := range gone {
		s.cfg.Console.Warn(fmt.Sprintf("one host of %d is left out: %v", len(hosts), err))
	}
	return s.client, nil
}

func (s *Set) resolveOllama(ctx context.Context, spec, name string, options local.Options) (*Model, error) {
	info, err := s.lookup(ctx, name)
	if err != nil {
		return nil, err
	}

	options.Think = s.think(info)
	options.NumCtx = s.cfg.NumCtx

	// One load profile per model and run: a model that generates and judges keeps
	// the context window it was first given.
	if options.NumCtx == 0 {
		options.NumCtx = s.windows.size[name]
	}
	s.windows.size[name] = options.NumCtx
	return &Model{
		Spec:    spec,
		Backend: ollama.BackendName,
		Name:    info.Name,
		Digest:  info.Digest,
		Info:    info,
		Options: options,
	}, nil
}

// think is off unless asked for, and not sent to models that cannot.
func (s *Set) think(info ollama.Model) string {
	switch {
	case !info.Thinks:
		return ""
	case s.cfg.Think != "":
		return s.cfg.Think
	}
	return "false"
}

// Lanes are the backends with their slots.
func (s *Set) Lanes() map[string]gate.Lane {
	lanes := map[string]gate.Lane{extractive.BackendName: {Backend: extractive.New(), Here: true}}
	slots := max(1, s.cfg.Slots)

	maps.Copy(lanes, s.cfg.Systems.lanes(slots))
	if s.client != nil {
		lanes[ollama.BackendName] = gate.Lane{
			Backend:  s.client,
			Slots:    slots,
			Hosts:    s.hosts(slots),
			Shared:   true,
			Alive:    s.alive,
			Prove:    true,
			Version:  s.server,
			Identity: s.still,
			Server:   "the model server " + s.client.Host(),
		}
	}
	if len(s.engines) > 0 {
		lanes[openai.BackendName] = s.engineLane(slots)
	}
	return lanes
}

// clients are the servers of Ollama.
func (s *Set) clients() []*ollama.Client { return append([]*ollama.Client{s.client}, s.others...) }

// hosts are the servers of Ollama where several share the work.
func (s *Set) hosts(slots int) []gate.Host {
	if len(s.others) == 0 {
		return nil
	}
	var out []gate.Host
	for _, c := range s.clients() {
		there := func(ctx context.Context) error {
			_, err := c.Version(ctx)
			return err
		}
		out = append(out, gate.Host{Name: c.Host(), Backend: c, Slots: slots, Version: s.server + " " + c.Host(), Alive: there})
	}
	return out
}

// sameWeights refuses a model that has other weights on another host, or is not there.
func (s *Set) sameWeights(ctx context.Context, info ollama.Model) error {
	for _, c := range s.others {
		other, err := c.Model(ctx, info.Name)
		if err != nil {
			return err
		}
		if other.Digest != info.Digest {
			return differ(info.Name, s.client.Host(), c.Host(), fmt.Sprintf("digests %.12s and %.12s", info.Digest, other.Digest))
		}
	}
	return nil
}

// alive reports whether any server is there.
func (s *Set) alive(ctx context.Context) error {
	var gone error
	for _, c := range s.clients() {
		if _, gone = c.Version(ctx); gone == nil {
			return nil
		}
	}
	return fmt.Errorf("%w; the finished calls are kept: bring the server back and run the same command again", gone)
}

// still looks up whether a call's model is still the one it names, on all servers that are there.
func (s *Set) still(ctx context.Context, call local.Call) error {
	var last error
	for _, c := range s.clients() {
		if last = c.Still(ctx, call.Model, call.Digest); errors.Is(last, ollama.ErrChanged) {
			return changed{last}
		}
	}
	return last
}

// changed says to the door what the server's error means.
type changed struct{ error }

// Is tells the door that the weights are others.
func (changed) Is(target error) bool { return target == gate.ErrChanged }

// Open opens the door to all that was resolved. Finished calls are kept in the folder
// dir, or nowhere if it is empty, and in the cache that runs share.
func (s *Set) Open(dir string) (*gate.Gate, error) { return gate.Open(s.door(dir)) }

// OpenTrial opens a door without a journal, to time some calls. With keep they are kept in the
// cache that runs share, and not asked again; without they are kept nowhere.
func (s *Set) OpenTrial(keep bool) (*gate.Gate, error) {
	cfg := s.door("")
	cfg.Dry, cfg.Alone = nil, keep
	return gate.Open(cfg)
}

func (s *Set) door(dir string) gate.Config {
	cfg := gate.Config{
		Dir:      dir,
		Cache:    s.cfg.Cache,
		Lanes:    s.Lanes(),
		Warn:     s.cfg.Console.Warn,
		Patience: s.cfg.Patience,
		Again:    s.cfg.Again,
		Dry:      s.cfg.Dry,
		Witness:  s.cfg.Console,
	}
	if s.cfg.Cache != "" {
		cfg.Known = filepath.Join(s.cfg.Cache, "canaries")
	}
	if s.recalled && !s.cfg.Patience.Keep { // nobody is there who could come back in a moment
		cfg.Retry = gate.Retry{Attempts: 1, First: time.Millisecond, Most: time.Millisecond}
	}
	return cfg
}
