package models

import (
	"fmt"
	"strings"

	"lore/cmd/lore/internal/usage"
	"lore/local"
	"lore/local/ollama"
	"lore/local/openai"
	"lore/local/tokens"
)

// Windows are the context windows of models, by the name on the server. A model has one for all
// that it is asked, also by runs that share this: another one is another load.
type Windows struct {
	size     map[string]int // in tokens; 0: not found yet
	foreseen map[string]int // tokens that calls of this phase need
	promised map[string]int // tokens that a later phase will need
	steady   bool           // they are wide from the beginning, and grow where they must
}

// NewWindows returns windows that are all still to be found.
func NewWindows() *Windows {
	return &Windows{size: map[string]int{}, foreseen: map[string]int{}, promised: map[string]int{}}
}

// NewSteadyWindows returns windows for runs one after the other whose items and prompts grow. Calls
// with another window are other calls, so they are wide from the beginning, and wider ones the last
// resort.
func NewSteadyWindows() *Windows {
	w := NewWindows()
	w.steady = true
	return w
}

// Steady reports whether the windows are meant to last for runs of more items than the first one.
func (w *Windows) Steady() bool { return w != nil && w.steady }

// headroom is what steady windows have room for besides what is known: longer prompts.
const headroom = 2048

// served is the name of a model on the server.
func served(spec string) string { return strings.TrimPrefix(spec, ollama.BackendName+":") }

// Foresee tells how long calls are that will be made before the model is asked anything by others
// of this phase.
func (s *Set) Foresee(m *Model, calls []local.Call) {
	if !isServed(m.Backend) {
		return
	}
	name := served(m.Spec)
	for _, c := range calls {
		s.windows.foreseen[name] = max(s.windows.foreseen[name], estimate(c))
	}
}

// Fit sets the model's context window from the longest of its calls, unless the user or
// an earlier phase has set it, and writes it into the calls. Calls that may not fit are
// warned of; they are refused by the server, and fail where it cuts them.
func (s *Set) Fit(m *Model, calls []local.Call, what string) {
	if !isServed(m.Backend) || len(calls) == 0 {
		return
	}

	longest := 0
	needs := make([]int, len(calls))
	for i, c := range calls {
		needs[i] = estimate(c)
		longest = max(longest, needs[i])
	}

	s.widen(m, max(longest, s.windows.foreseen[served(m.Spec)]))
	tooLong := 0
	for i := range calls {
		calls[i].Options.NumCtx = m.Options.NumCtx
		if needs[i] > m.Options.NumCtx {
			tooLong++
		}
	}
	if tooLong > 0 {
		msg := fmt.Sprintf("%s: %d of %d %s may be refused as too long: "+
			"the longest needs about %d tokens, the window is %d; no reply counts to a prompt that was cut",
			m.Spec, tooLong, len(calls), what, longest, m.Options.NumCtx)
		s.warnings = append(s.warnings, msg)
		s.cfg.Console.Warn(msg)
	}
}

// widen sets the model's window for a need, unless it is set.
func (s *Set) widen(m *Model, need int) {
	if m.Backend == openai.BackendName && m.Options.NumCtx > 0 {
		return // it was loaded before, with the window that it has
	}
	name := served(m.Spec)
	w := s.windows
	switch {
	case s.cfg.NumCtx == 0 && w.steady && need > w.size[name]:
		w.size[name] = window(max(need, w.promised[name])+headroom, m.Info.Context)
	case w.size[name] == 0:
		w.size[name] = window(need, m.Info.Context)
	}
	m.Options.NumCtx = w.size[name]
}

// Promise says how many tokens a later phase will need of a model that an earlier one
// may ask first: it is loaded with one window per run.
func (s *Set) Promise(spec string, tokens int) {
	s.windows.promised[served(spec)] = max(s.windows.promised[served(spec)], tokens)
}

// Keep gives the model the window that was promised, before calls that may need less.
func (s *Set) Keep(m *Model, calls []local.Call) {
	name := served(m.Spec)
	need := s.windows.promised[name]
	if s.windows.steady || s.windows.size[name] != 0 || need == 0 {
		return
	}
	for _, c := range calls {
		need = max(need, estimate(c))
	}
	s.windows.size[name] = window(need, m.Info.Context)
}

// Reserve returns the context window for prompts of at most need tokens with their
// replies. A model that was not trained for so many is refused.
func (s *Set) Reserve(m *Model, need int) (int, error) {
	have, trained := s.cfg.NumCtx, m.Info.Context
	if have == 0 {
		have = window(need, trained)
	}
	if have < need || trained > 0 && have > trained {
		return 0, usage.Errorf("the build needs a context window of about %d tokens; %s has %d (it was trained for %d): "+
			"choose another model, shorter documents, or another --num-ctx", need, m.Spec, have, trained)
	}
	return have, nil
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
