package llm

import (
	"context"
	"fmt"
	"math"
	"strconv"
	"strings"

	"lore/judge"
	"lore/judge/metric"
	"lore/local"
)

// digits maps the labels of a kind to the digit the model is asked for: the grade
// itself, or the place on the scale.
func digits(kind judge.Kind) map[string]string {
	out := map[string]string{}
	for i, label := range judge.Labels[kind] {
		if _, err := strconv.Atoi(label); err == nil {
			out[label] = label
		} else {
			out[label] = strconv.Itoa(i)
		}
	}
	return out
}

// digitForm tells the model how to answer in logprob mode.
func digitForm(kind judge.Kind) string {
	var parts []string
	for _, label := range judge.Labels[kind] {
		if d := digits(kind)[label]; d != label {
			parts = append(parts, d+" for "+label)
		}
	}
	if len(parts) == 0 {
		return "Answer with the grade, one digit and nothing else."
	}
	return "Answer with one digit and nothing else: " + strings.Join(parts, ", ") + "."
}

// readDigit reads a verdict off the probabilities at the first position that is
// not white space. Probabilities are the server's raw ones: they are folded over
// spellings of a digit and renormalised over the digits of the scale. That the
// reply was cut after the digit does not matter.
func readDigit(q judge.Question, r local.Reply, minMass float64) judge.Verdict {
	if r.Outcome != local.OK && r.Outcome != local.Cut && r.Outcome != local.Empty {
		return judge.Unscored(q.ID, r.Outcome, r.Detail)
	}
	if len(r.Logprobs) == 0 {
		return judge.Unscored(q.ID, local.RefusedOption,
			"the server gave no log-probabilities; it needs to be 0.12.11 or newer")
	}

	at := 0
	for at < len(r.Logprobs)-1 && strings.TrimSpace(r.Logprobs[at].Token) == "" {
		at++
	}
	candidates := r.Logprobs[at].Top

	probabilities := map[string]float64{}
	for _, t := range candidates {
		probabilities[strings.TrimSpace(t.Token)] += math.Exp(t.Logprob)
	}

	values := map[string]float64{}
	for label, d := range digits(q.Kind) {
		values[d] = judge.Values[q.Kind][label]
	}

	mean, mass := metric.Expected(probabilities, values)
	if mass == 0 {
		return judge.Unscored(q.ID, local.BadFormat,
			fmt.Sprintf("no digit of the scale is among the %d most probable tokens", len(candidates)))
	}

	v := judge.Verdict{Question: q.ID, Value: mean, Score: mean, Mass: mass}
	best := -1.0
	for _, label := range judge.Labels[q.Kind] {
		if p := probabilities[digits(q.Kind)[label]]; p > best {
			best, v.Label = p, label
		}
	}

	if mass < minMass {
		v.Flags = append(v.Flags, fmt.Sprintf("low mass %.3f", mass))
	}
	return v
}

// resample replaces flagged verdicts by the mean of sampled ones in schema mode.
func (s *session) resample(ctx context.Context) error {
	sampler := &Judge{cfg: s.j.cfg, calls: s.j.calls, prompts: s.j.prompts}
	sampler.cfg.Mode = Schema
	sampler.cfg.Options.Temperature = 1

	var calls []local.Call
	var places [][2]int
	for i, t := range s.tasks {
		for k, q := range t.Questions {
			if v := s.out[i][k]; !v.Scored() || v.Mass == 0 || v.Mass >= s.j.cfg.MinMass {
				continue
			}

			call, err := sampler.single(s.shown[i], q)
			if err != nil {
				return err
			}

			// Each sample has a seed of its own, or a server would answer all alike.
			for n := range s.j.cfg.Samples {
				call.Sample = n + 1
				call.Options.Seed = s.j.cfg.Options.Seed + n + 1
				calls, places = append(calls, call), append(places, [2]int{i, k})
			}
		}
	}

	values := map[[2]int][]float64{}
	err := s.run(ctx, calls, func(n int, r local.Reply) {
		p := places[n]
		task := s.tasks[p[0]]
		if v := readLabel(task.Questions[p[1]], len(task.Units), r); v.Scored() {
			values[p] = append(values[p], v.Value)
		}
	})
	if err != nil {
		return err
	}

	for p, sampled := range values {
		task, question := p[0], p[1]
		q := s.tasks[task].Questions[question]
		mass, mean := s.out[task][question].Mass, metric.Mean(sampled)

		s.out[task][question] = link(s.tasks[task], question, judge.Verdict{
			Question: q.ID,
			Label:    judge.Nearest(q.Kind, mean),
			Value:    mean,
			Score:    mean,
			Mass:     mass,
			Flags:    sampledFlags(mass, len(sampled), s.shown[task].flag()),
		}, "")
	}
	return nil
}

// sampledFlags are those of a mean of samples.
func sampledFlags(mass float64, samples int, forged string) []string {
	out := []string{fmt.Sprintf("low mass %.3f: mean of %d samples instead", mass, samples)}
	if forged != "" {
		out = append(out, forged)
	}
	return out
}
