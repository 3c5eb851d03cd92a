package build

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"lore/datasets/stage"
	"lore/local/schema"
	"lore/local/text"
)

// What is taken of requests and questions.
const (
	leastRequest = 15 // words
	mostRequest  = 100
	sameQuestion = 0.8 // share of common words from which two questions are one
)

type requestReply struct {
	Request string `json:"request"`
}

type questionsReply struct {
	Questions []string `json:"questions"`
}

// ask makes a request and the sub-questions of every summary. A pair that lacks one of
// them is not among the results.
func (b *Builder) ask(ctx context.Context, pairs []Pair) (map[int]asked, error) {
	subject := func(i int) string { return pairs[i].ID }
	last := map[int]string{} // request of each pair, whether it passed or not
	requests, failed, err := stage.Ask(ctx, b.Session, stage.Question[requestReply]{
		Stage:      "request",
		Prompt:     "crux/request.txt",
		NumPredict: 300,
		Subject:    subject,
		Schema:     schema.Object(schema.Field("request", schema.String())).JSON(),
		Data: func(i int, problem string) any {
			return map[string]any{"Summary": pairs[i].Summary, "Examples": b.Examples, "Problem": problem}
		},
		Check: func(i int, r requestReply) string {
			last[i] = r.Request
			if n := len(strings.Fields(r.Request)); n < leastRequest || n > mostRequest {
				return fmt.Sprintf("the request has %d words, not about 50", n)
			}
			if slices.ContainsFunc(b.Examples, func(e Example) bool { return text.Overlap(r.Request, e.Request) >= sameQuestion }) {
				return "the request repeats that of an example"
			}
			return ""
		},
	}, stage.Places(len(pairs)))
	if err != nil {
		return nil, err
	}

	for _, i := range stage.Places(len(pairs)) {
		if short := shortened(last[i]); failed[i] != "" && short != "" {
			b.Note("request", subject(i), 0, "cut at a sentence, from %d words to %d: %q",
				len(strings.Fields(last[i])), len(strings.Fields(short)), short)
			requests[i] = requestReply{short}
			delete(failed, i)
		}
	}
	open := b.passed(pairs, stage.Places(len(pairs)), failed, "no request: %s")

	exactly := schema.Array(schema.String()).AtLeast(b.Questions).AtMost(b.Questions)
	questions, failed, err := stage.Ask(ctx, b.Session, stage.Question[questionsReply]{
		Stage:      "questions",
		Prompt:     "crux/questions.txt",
		NumPredict: 60 * b.Questions,
		Subject:    subject,
		Schema:     schema.Object(schema.Field("questions", exactly)).JSON(),
		Data: func(i int, problem string) any {
			return map[string]any{"Summary": pairs[i].Summary, "N": b.Questions, "Problem": problem}
		},
		Check: func(_ int, r questionsReply) string { return checkQuestions(r.Questions, b.Questions) },
	}, open)
	if err != nil {
		return nil, err
	}

	out := map[int]asked{}
	for _, i := range b.passed(pairs, open, failed, "no questions: %s") {
		out[i] = asked{requests[i].Request, questions[i].Questions}
	}
	return out, nil
}

// shortened is the beginning of a request that is too long, as far as its sentences fit; empty where it is
// not too long, or where no sentence fits.
func shortened(request string) string {
	if len(strings.Fields(request)) <= mostRequest {
		return ""
	}
	out, n := "", 0
	for _, s := range text.Sentences(request) {
		if n += len(strings.Fields(s)); n > mostRequest {
			break
		}
		out = strings.TrimSpace(out + " " + s)
	}
	if len(strings.Fields(out)) < leastRequest {
		return ""
	}
	return out
}

// passed lists the places that did not fail, and drops the pairs of the others.
func (b *Builder) passed(pairs []Pair, places []int, failed map[int]string, format string) []int {
	var out []int
	for _, i := range places {
		if problem, bad := failed[i]; bad {
			b.Drop(pairs[i].ID, format, problem)
			continue
		}
		out = append(out, i)
	}
	return out
}

// checkQuestions says what is wrong with the questions of a summary.
func checkQuestions(questions []string, n int) string {
	if len(questions) != n {
		return fmt.Sprintf("%d questions where %d were asked for", len(questions), n)
	}
	for i, q := range questions {
		if len(strings.Fields(q)) < 3 {
			return fmt.Sprintf("question %d has fewer than 3 words", i+1)
		}
		if j := stage.Alike(questions[:i], q, sameQuestion); j >= 0 {
			return fmt.Sprintf("questions %d and %d are the same", j+1, i+1)
		}
	}
	return ""
}
