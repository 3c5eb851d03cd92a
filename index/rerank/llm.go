package rerank

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"sync"

	"lore/index"
	"lore/local"
	"lore/local/guard"
	"lore/local/prompt"
	"lore/local/tokens"
)

//go:embed prompts
var promptFiles embed.FS

// Prompts holds the rerankers' prompts.
func Prompts() fs.FS { return prompt.Embedded(promptFiles) }

// Caller runs calls through the door; gate.Gate is one.
type Caller interface {
	All(ctx context.Context, calls []local.Call, done func(i int, reply local.Reply)) error
	Do(ctx context.Context, call local.Call) (local.Reply, error)
}

// Model is a language model that reranks.
type Model struct {
	Call  local.Call // backend, model, digest and options of every call
	Calls Caller
	// Fit is given the longest calls of a reranker before it starts and sets their
	// context window, which all its calls then have.
	Fit func(calls []local.Call)
}

// Kind is a way to rerank by a language model.
type Kind string

// The kinds.
const (
	Pointwise  Kind = "llm"        // expected score from 1 to 20 by token probabilities (MSRS, section 4)
	Pointwise5 Kind = "llm5"       // the same from 0 to 5
	Listwise   Kind = "listwise"   // permutations of sliding windows (Sun et al., 2023, RankGPT)
	FirstToken Kind = "firsttoken" // windows by probabilities of the first token (Reddy et al., 2024, FIRST)
	Setwise    Kind = "setwise"    // heap sort with "which is best" of several (Zhuang et al., 2024)
)

// Kinds lists all kinds.
var Kinds = []Kind{Pointwise, Pointwise5, Listwise, FirstToken, Setwise}

// ErrUnknownKind marks a kind that does not exist.
var ErrUnknownKind = errors.New("unknown reranker")

// passageTokens is how much of a passage a model is shown where several share a
// prompt, in lore's tokens; longer ones count as cut.
const passageTokens = 300

// llm is what the kinds share.
type llm struct {
	model  Model
	prompt *prompt.Prompt

	mu    sync.Mutex
	stats Stats
	cut   map[string]bool // ids of documents that were shown in part
	seen  guard.Seen      // texts with forged marks
}

// promptNames are the prompts' files.
var promptNames = map[Kind]string{
	Pointwise:  "pointwise",
	Pointwise5: "pointwise",
	Listwise:   "listwise",
	FirstToken: "letters",
	Setwise:    "letters",
}

// What is done with replies that can be read in part or not at all.
const (
	listwiseRemedy = "repaired: repeated and unknown numbers left out, " +
		"missing ones put at the end in their old order; unparsable: the window keeps its order"
	firstTokenRemedy = "repaired: letters that are not among the most probable tokens " +
		"put at the end in their old order; unparsable: the window keeps its order"
	setwiseRemedy = "repaired: the letter was found in the text, not by its probability; " +
		"unparsable: the passage that the first stage ranked highest is taken"
)

// NewLLM builds a reranker by a language model.
func NewLLM(kind Kind, m Model, prompts *prompt.Set) (Reranker, error) {
	name, ok := promptNames[kind]
	if !ok {
		return nil, fmt.Errorf("%w %q; there are %v", ErrUnknownKind, kind, Kinds)
	}
	p, err := prompts.Load("rerank/" + name + ".txt")
	if err != nil {
		return nil, err
	}

	base := &llm{model: m, prompt: p, cut: map[string]bool{}, stats: Stats{Name: string(kind)}}
	switch kind {
	case Pointwise:
		return newPointwise(base, 1, 20), nil
	case Pointwise5:
		return newPointwise(base, 0, 5), nil
	case Listwise:
		base.stats.Remedy = listwiseRemedy
		return &windows{base, listwiseSize, listwiseStep, base.askList, readPermutation}, nil
	case FirstToken:
		base.stats.Remedy = firstTokenRemedy
		return &windows{base, letterSize, letterStep, base.askLetters, readLetters}, nil
	}

	base.stats.Remedy = setwiseRemedy
	return &setwise{base}, nil
}

func (l *llm) Stats() Stats {
	l.mu.Lock()
	defer l.mu.Unlock()
	s := l.stats
	s.Cut, s.Forged = len(l.cut), l.seen.Count()
	return s
}

// count adds a reply to the counts.
func (l *llm) count(repaired, unparsable bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.stats.Calls++
	switch {
	case unparsable:
		l.stats.Unparsable++
	case repaired:
		l.stats.Repaired++
	}
}

// shown is the beginning of a passage that shares a prompt with others, of which it cannot
// pose as one.
func (l *llm) shown(c Candidate, neutral func(string) string) string {
	text, n := tokens.Cut(c.Text, passageTokens)
	if n == passageTokens && len(text) < len(c.Text) {
		l.mu.Lock()
		l.cut[c.ID] = true
		l.mu.Unlock()
	}
	return neutral(strings.TrimSpace(text))
}

// fit lets the owner of the model set the context window.
func (l *llm) fit(calls []local.Call) {
	if l.model.Fit == nil || len(calls) == 0 {
		return
	}
	l.model.Fit(calls)
	l.model.Call.Options.NumCtx = calls[0].Options.NumCtx
}

// call builds a call from the prompt.
func (l *llm) call(data any, numPredict, logprobs int, prefix string) (local.Call, error) {
	c := l.model.Call
	c.Options.NumPredict, c.TopLogprobs, c.Prefix = numPredict, logprobs, prefix
	var err error
	c.Messages, err = l.prompt.RenderSeen(data, &l.seen)
	return c, err
}

// bad reports whether a reply cannot be used. A reply cut short by its limit can.
func bad(r local.Reply) bool { return r.Outcome != local.OK && r.Outcome != local.Cut }

// letter names the i-th passage of a prompt.
func letter(i int) string { return string(rune('A' + i)) }

type lettered struct{ Label, Text string }

func (l *llm) askLetters(q index.Query, shown []Candidate) (local.Call, error) {
	data := struct {
		Query    string
		Passages []lettered
	}{Query: q.Text}
	for i, c := range shown {
		data.Passages = append(data.Passages, lettered{letter(i), l.shown(c, l.seen.Lettered)})
	}
	return l.call(data, 2, 20, "")
}

func (l *llm) askList(q index.Query, shown []Candidate) (local.Call, error) {
	data := struct {
		Query    string
		Passages []string
	}{Query: q.Text}
	for _, c := range shown {
		data.Passages = append(data.Passages, l.shown(c, l.seen.Document))
	}
	return l.call(data, 16+6*len(shown), 0, "")
}

// longest are the n longest candidates of a job: no window of n needs more room.
func longest(j Job, n int) []Candidate {
	sorted := slices.Clone(j.Candidates)
	slices.SortStableFunc(sorted, func(a, b Candidate) int { return len(b.Text) - len(a.Text) })
	return sorted[:min(n, len(sorted))]
}
