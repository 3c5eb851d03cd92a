package build

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"

	"lore/datasets/long2rag"
	"lore/datasets/stage"
	"lore/local/schema"
	"lore/local/text"
)

// What is taken of new questions.
const (
	deeperWords   = 25  // most words that in-depth evolution adds: the 10 to 20 asked for, and a little
	leastQuestion = 5   // words
	sameQuestion  = 0.8 // share of common content words from which two questions are one
)

// methods of evolution (section 3.1).
var methods = []string{"width", "depth"}

// evolution is one request for new questions.
type evolution struct {
	id, method string
	seed       Seed
	domain     string
}

type questionsReply struct {
	Questions []string `json:"questions"`
}

// evolve asks, for each category that has seeds and each domain, for new questions by
// both methods.
func (b *Builder) evolve(ctx context.Context, seeds []Seed) ([]Seed, error) {
	places := b.evolutions(seeds)
	var out []Seed
	for _, method := range methods {
		var open []int
		for i, p := range places {
			if p.method == method {
				open = append(open, i)
			}
		}

		got, failed, err := stage.Ask(ctx, b.Session, b.evolving(method, places), open)
		if err != nil {
			return nil, err
		}

		for _, i := range open {
			p := places[i]
			if problem, bad := failed[i]; bad {
				b.Drop(p.id, "no questions: %s", problem)
				continue
			}
			for k, q := range got[i].Questions {
				out = append(out, Seed{
					ID:       fmt.Sprintf("%s-%d", p.id, k+1),
					Text:     strings.TrimSpace(q),
					Category: p.seed.Category,
					Domain:   p.domain,
				})
			}
		}
	}
	return b.distinct(out), nil
}

// evolutions lists the requests. The seeds of a category take turns, in an order that the
// seed number fixes.
func (b *Builder) evolutions(seeds []Seed) []evolution {
	rng := rand.New(rand.NewPCG(b.Seed, 1))
	var out []evolution
	for _, c := range long2rag.Categories {
		var of []Seed
		for _, s := range seeds {
			if s.Category == c.Name {
				of = append(of, s)
			}
		}
		if len(of) == 0 {
			continue
		}
		rng.Shuffle(len(of), func(i, j int) { of[i], of[j] = of[j], of[i] })

		n := 0
		for _, d := range b.Domains {
			for _, method := range methods {
				id := fmt.Sprintf("%s-%s-%s", c.Name, strings.ToLower(strings.Join(text.Words(d), "-")), method)
				out = append(out, evolution{id, method, of[n%len(of)], d})
				n++
			}
		}
	}
	return out
}

// evolving is the question for new questions by a method.
func (b *Builder) evolving(method string, places []evolution) stage.Question[questionsReply] {
	exactly := schema.Array(schema.String()).AtLeast(b.Evolve).AtMost(b.Evolve)
	return stage.Question[questionsReply]{
		Stage:      "evolve in " + method,
		Prompt:     "long2rag/evolve-" + method + ".txt",
		NumPredict: 100 * (b.Evolve + 1),
		Schema:     schema.Object(schema.Field("questions", exactly)).JSON(),
		Subject:    func(i int) string { return places[i].id },
		Data: func(i int, problem string) any {
			return map[string]any{
				"Seed": places[i].seed.Text, "Category": categoryOf(places[i].seed.Category),
				"Domain": places[i].domain, "N": b.Evolve, "Problem": problem,
			}
		},
		Check: func(i int, r questionsReply) string { return checkEvolved(r.Questions, places[i], b.Evolve) },
	}
}

// checkEvolved says what is wrong with new questions.
func checkEvolved(questions []string, e evolution, n int) string {
	if len(questions) != n {
		return fmt.Sprintf("%d questions where %d were asked for", len(questions), n)
	}

	for i, q := range questions {
		words := len(strings.Fields(q))
		switch {
		case words < leastQuestion:
			return fmt.Sprintf("question %d has fewer than %d words", i+1, leastQuestion)
		case e.method == "depth" && words > len(strings.Fields(e.seed.Text))+deeperWords:
			return fmt.Sprintf("question %d has %d words, more than 20 over those of the given question", i+1, words)
		case text.Overlap(q, e.seed.Text) >= sameQuestion:
			return fmt.Sprintf("question %d is the given question", i+1)
		}

		if k := stage.Alike(questions[:i], q, sameQuestion); k >= 0 {
			return fmt.Sprintf("questions %d and %d are the same", k+1, i+1)
		}
	}
	return ""
}

// distinct leaves out questions that are those of another place.
func (b *Builder) distinct(seeds []Seed) []Seed {
	var out []Seed
	var texts []string
	for _, s := range seeds {
		if same := stage.Alike(texts, s.Text, sameQuestion); same >= 0 {
			b.Note("evolve", s.ID, 0, "left out: is the question %s", out[same].ID)
			continue
		}
		out, texts = append(out, s), append(texts, s.Text)
	}
	return out
}
