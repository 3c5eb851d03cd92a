package openai

import (
	"context"
	"errors"
	"fmt"
	"math"

	"lore/local"
)

// Fingerprint is how a model goes on after a text that is always the same: its most likely next
// tokens. Engines that tell no hash of their weights can be compared by it: other weights give other
// log-probabilities, while the same weights on another machine differ in the last digits.
type Fingerprint []local.TokenProb

// fingerprintText is what is gone on from. Nothing in it makes one word certain.
const fingerprintText = local.Canary + "The traveller opened the old wooden box on the table, and inside it there was"

// fingerprintTop is how many tokens are compared.
const fingerprintTop = 5

// errNoLogprobs says that a server gives no log-probabilities.
var errNoLogprobs = errors.New("the server gives no log-probabilities")

// Fingerprint asks the server for one token.
func (c *Client) Fingerprint(ctx context.Context, m Model) (Fingerprint, error) {
	reply, err := c.Do(ctx, local.Call{
		Backend:     BackendName,
		Model:       m.Name,
		Messages:    []local.Message{{Role: local.User, Content: fingerprintText}},
		Options:     local.Options{NumCtx: m.Context, NumPredict: 1, TopP: 1, RepeatPenalty: 1, Think: "false"},
		TopLogprobs: fingerprintTop,
	})
	switch {
	case err != nil:
		return nil, err
	case reply.Outcome.Sick() || reply.Outcome == local.RefusedOption:
		return nil, fmt.Errorf("%s: %s", reply.Outcome, reply.Detail)
	case len(reply.Logprobs) == 0 || len(reply.Logprobs[0].Top) == 0:
		return nil, errNoLogprobs
	}
	return reply.Logprobs[0].Top, nil
}

// Tolerances between machines with the same weights. Other kernels and batches move log-probabilities
// by some hundredths, and may swap tokens that are nearly as likely.
const (
	likely    = -4.0 // natural log; rarer tokens are not compared
	tolerance = 0.25
)

// Alike compares two fingerprints; the error says what is different.
func (f Fingerprint) Alike(other Fingerprint) error {
	if err := f.within(other); err != nil {
		return err
	}
	return other.within(f)
}

// within looks for the likely tokens of one fingerprint in another.
func (f Fingerprint) within(other Fingerprint) error {
	theirs := map[string]float64{}
	least := 0.0 // of the other; what it does not have is less likely
	for _, p := range other {
		theirs[p.Token] = p.Logprob
		least = min(least, p.Logprob)
	}
	for _, p := range f {
		logprob, ok := theirs[p.Token]
		switch {
		case p.Logprob < likely:
		case !ok && p.Logprob > least+tolerance:
			return fmt.Errorf("%q has log-probability %.2f on one and is not among the likely tokens of the other", p.Token, p.Logprob)
		case ok && math.Abs(p.Logprob-logprob) > tolerance:
			return fmt.Errorf("%q has log-probability %.2f on one and %.2f on the other", p.Token, p.Logprob, logprob)
		}
	}
	return nil
}
