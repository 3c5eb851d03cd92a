package build

import (
	"context"
	"fmt"
	"math"
	"strings"

	"lore/datasets/long2rag"
	"lore/datasets/stage"
	"lore/local"
)

// Threshold is the least significance of a key point (section 3.3).
const Threshold = 0.7

// scoreTokens bounds a reply that should be YES or NO.
const scoreTokens = 16

// score asks for the significance of each point, and keeps those over the threshold
// (appendix A.2). A point without a score is left out and counted.
func (b *Builder) score(ctx context.Context, questions []*long2rag.Question, points [][]point) error {
	b.Note(thresholdStage, "", 0, "%g", b.Threshold)

	type place struct{ question, point int }
	var places []place
	for i := range questions {
		for k := range points[i] {
			places = append(places, place{i, k})
		}
	}

	at := func(n int) (*long2rag.Question, point) {
		return questions[places[n].question], points[places[n].question][places[n].point]
	}
	subject := func(n int) string {
		return fmt.Sprintf("%s point %d", questions[places[n].question].ID, places[n].point+1)
	}

	scores, failed, err := stage.Ask(ctx, b.Session, b.significance(subject, func(n int) (string, string) {
		q, p := at(n)
		return q.Text, p.text
	}), stage.Places(len(places)))
	if err != nil {
		return err
	}

	for n := range places {
		q, p := at(n)
		if problem, bad := failed[n]; bad {
			b.report.Unscored++
			b.Note("significance", subject(n), 0, "left out without a score: %s: %q", problem, p.text)
			continue
		}

		score := scores[n]
		b.report.Histogram[min(9, int(10*score))]++
		if score < b.Threshold {
			b.Note("significance", subject(n), 0, "left out: %.3f is below %g: %q", score, b.Threshold, p.text)
			continue
		}

		b.report.Kept++
		q.KeyPoints = append(q.KeyPoints, long2rag.KeyPoint{
			ID:        fmt.Sprintf("p%d", len(q.KeyPoints)+1),
			Text:      p.text,
			Spans:     p.spans,
			Documents: p.documents,
			Score:     &score,
		})
	}
	return nil
}

// significance asks whether points answer their questions; at returns both.
func (b *Builder) significance(subject func(int) string, at func(int) (question, point string)) stage.Question[float64] {
	return stage.Question[float64]{
		Stage:       "significance",
		Role:        stage.Checks,
		Prompt:      "long2rag/significance.txt",
		NumPredict:  scoreTokens,
		TopLogprobs: 20,
		Once:        b.Rehearsed, // stand-ins have no log-probabilities
		Subject:     subject,
		Data: func(n int, problem string) any {
			q, p := at(n)
			return map[string]any{"Question": q, "Point": p, "Problem": problem}
		},
		Read: func(_ int, r local.Reply) (float64, string) { return readSignificance(r) },
	}
}

// readSignificance reads exp(YES) / (exp(YES) + exp(NO)) off the probabilities at the
// first token that begins YES or NO (the paper's equation 3): the answer may stand in a
// sentence, or after thoughts. A reply without such a token has no score.
func readSignificance(r local.Reply) (score float64, problem string) {
	if r.Outcome != local.OK && r.Outcome != local.Cut && r.Outcome != local.Empty {
		return 0, fmt.Sprintf("%s: %s", r.Outcome, r.Detail)
	}
	if len(r.Logprobs) == 0 {
		return 0, fmt.Sprintf("%s: the server gave no log-probabilities; it needs to be 0.12.11 or newer",
			local.RefusedOption)
	}

	thinking := false
	for _, t := range r.Logprobs {
		switch token := strings.TrimSpace(t.Token); {
		case strings.HasPrefix(token, "<think"):
			thinking = true
		case strings.HasPrefix(token, "</think"):
			thinking = false
		case thinking || yesNo(token) == "":
		default:
			p := map[string]float64{} // spellings of one word add up
			for _, alternative := range t.Top {
				p[yesNo(alternative.Token)] += math.Exp(alternative.Logprob)
			}
			if p["YES"]+p["NO"] > 0 {
				return p["YES"] / (p["YES"] + p["NO"]), ""
			}
		}
	}
	return 0, fmt.Sprintf("%s: neither YES nor NO is among the first %d tokens", local.BadFormat, len(r.Logprobs))
}

// yesNo is YES or NO if a token is that word or begins it, else "".
func yesNo(token string) string {
	t := strings.ToUpper(strings.Trim(token, " \n\t*\"'`.,:!_"))
	for _, word := range []string{"YES", "NO"} {
		if t != "" && strings.HasPrefix(word, t) {
			return word
		}
	}
	return ""
}
