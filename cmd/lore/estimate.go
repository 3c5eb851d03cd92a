package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"lore/cmd/lore/internal/models"
	"lore/cmd/lore/internal/usage"
	"lore/judge"
	"lore/local"
)

// trials is how often an estimate measures: a round of calls, as many as there are slots, or the
// questions on a text. What was asked is kept: the audit does not ask it again.
const trials = 3

// estimate says what an audit would take.
func estimate(c *cobra.Command, f auditFlags, names []string, all []labelFile) error {
	var said []string
	for _, name := range names {
		parts := models.SplitJudge(name)
		for i, part := range parts {
			if slices.Contains(said, part) {
				continue
			}
			said = append(said, part)
			if err := estimatePart(c, f, part, i > 0 && !f.average, all); err != nil {
				return err
			}
		}
	}
	return nil
}

// estimatePart measures a judge that is asked by itself. As a later part of a pair it is asked no
// more than that.
func estimatePart(c *cobra.Command, f auditFlags, part string, most bool, all []labelFile) (err error) {
	w := c.OutOrStdout()
	if !models.IsOllama(part) && !models.IsEncoder(part) {
		fmt.Fprintf(w, "%s: no calls\n", usage.Line(part))
		return nil
	}

	own := f.judgeFlags
	own.judge, own.calibration, own.fresh = part, "", true
	p, err := openPanel(c, f.modelFlags, own, f.out, []string{part}, itemsOf(all))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, p.Close()) }()
	if models.IsEncoder(part) {
		return p.estimateEncoder(c.Context(), w, part)
	}
	return p.estimateCalls(c.Context(), w, part, most, f)
}

// spread is the least and the greatest of some times.
type spread struct{ low, high time.Duration }

func (s *spread) add(d time.Duration) {
	if s.high == 0 || d < s.low {
		s.low = d
	}
	s.high = max(s.high, d)
}

// times is the spread of so many.
func (s spread) times(n float64) spread {
	return spread{time.Duration(float64(s.low) * n), time.Duration(float64(s.high) * n)}
}

// String rounds to what matters.
func (s spread) String() string { return brief(s.low) + " to " + brief(s.high) }

func brief(d time.Duration) string {
	switch {
	case d >= 10*time.Minute:
		return d.Round(time.Minute).String()
	case d >= 10*time.Second:
		return d.Round(time.Second).String()
	case d >= 10*time.Millisecond:
		return d.Round(time.Millisecond).String()
	}
	return d.Round(time.Microsecond).String()
}

// estimateCalls counts the calls to a model of a server, and times some that are not made yet.
func (p *panel) estimateCalls(ctx context.Context, w io.Writer, part string, most bool, f auditFlags) error {
	calls, err := p.plan(part)
	if err != nil {
		return err
	}
	left := p.opened.Unfinished(calls)
	atMost := ""
	if most {
		atMost = "at most "
	}
	fmt.Fprintf(w, "%s: %s%s", usage.Line(part), atMost, plural(len(calls), "call"))
	if done := len(calls) - len(left); done > 0 {
		fmt.Fprintf(w, ", %d of them finished before", done)
	}
	if len(left) == 0 {
		fmt.Fprintln(w, "; nothing is left to ask")
		return nil
	}

	rounds := trialRounds(left, max(1, f.slots))
	var each spread
	tried, failed := 0, 0
	for i, round := range rounds {
		start := time.Now()
		bad, err := p.opened.Try(ctx, round)
		if err != nil {
			fmt.Fprintln(w)
			return err
		}
		tried, failed = tried+len(round), failed+bad
		if i > 0 || len(rounds) == 1 { // the first one loads the model
			each.add(time.Since(start) / time.Duration(len(round)))
		}
	}

	rest := len(left) - tried
	fmt.Fprintf(w, "; %d were tried and are kept, %s a call; the other %d take %s, with --slots %d\n",
		tried, each, rest, each.times(float64(rest)), f.slots)
	p.remarks(w, failed, tried, f)
	return nil
}

// remarks say what else bears on an estimate.
func (p *panel) remarks(w io.Writer, failed, tried int, f auditFlags) {
	if failed > 0 {
		fmt.Fprintf(w, "  %d of the %d that were tried failed, and their times say little\n", failed, tried)
	}
	if f.batch {
		fmt.Fprintln(w, "  more where a batch leaves a question out: it is asked by itself")
	}
	if p.how.Samples > 0 && p.how.Mode != "schema" {
		fmt.Fprintf(w, "  up to %d more for each answer of low probability\n", p.how.Samples)
	}
}

// trialRounds are the calls to try: one that loads the model, and rounds of as many as run at once,
// from all over the calls, short ones and long ones. There is one round where there are few calls.
func trialRounds(left []local.Call, slots int) [][]local.Call {
	if len(left) == 1 {
		return [][]local.Call{left}
	}
	out := [][]local.Call{left[:1]}
	rest := slices.Clone(left[1:])
	slices.SortStableFunc(rest, func(a, b local.Call) int { return cmp.Compare(length(a), length(b)) })
	n := min(trials, max(1, len(rest)/slots))
	for i := range n {
		from := i * len(rest) / n
		out = append(out, rest[from:min(from+slots, len(rest))])
	}
	return out
}

func length(c local.Call) int {
	n := 0
	for _, m := range c.Messages {
		n += len(m.Content)
	}
	return n
}

// estimateEncoder times a judge that is no server's model on some texts, and counts the questions on
// all by the units that each is compared with.
func (p *panel) estimateEncoder(ctx context.Context, w io.Writer, part string) error {
	pairs := func(t judge.Task) float64 { return float64(len(t.Units) * len(t.Questions)) }
	tasks := slices.DeleteFunc(slices.Clone(p.tasks), func(t judge.Task) bool { return pairs(t) == 0 })
	all := 0.0
	for _, t := range tasks {
		all += pairs(t)
	}

	var each spread
	n := min(trials, len(tasks))
	for i := range n {
		t := tasks[i*len(tasks)/n]
		start := time.Now()
		if _, err := p.parts[part].Judge(ctx, []judge.Task{t}, nil); err != nil {
			return err
		}
		each.add(time.Duration(float64(time.Since(start)) / pairs(t)))
	}
	fmt.Fprintf(w, "%s: no calls; %s of %d questions took %s for a question and unit: %s in all\n", usage.Line(part),
		plural(n, "text"), p.questions, each, each.times(all))
	return nil
}

// plural words a count.
func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
