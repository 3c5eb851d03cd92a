package build

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"lore/datasets/stage"
	"lore/datasets/summhay"
	"lore/local/schema"
	"lore/local/text"
)

// How insights are written.
const (
	factsForPoints = 25  // notes that are shown
	sameInsight    = 0.6 // share of common words from which two insights are one
	leastWords     = 6
	manyTerms      = 11 // content words that make a statement particular
	mostWords      = 60
)

// specific reports whether a statement holds a number, or a name (a word that begins with a
// capital and does not begin a sentence), or says so much that it is particular without:
// a third of the published insights have neither.
func specific(s string) bool {
	if len(text.Terms(s)) >= manyTerms {
		return true
	}
	if strings.IndexFunc(s, unicode.IsDigit) >= 0 {
		return true
	}
	for _, sentence := range text.Sentences(s) {
		for i, w := range strings.Fields(sentence) {
			// "I" has a capital, and names nobody.
			if r := []rune(strings.Trim(w, `"'“‘(`)); i > 0 && len(r) > 1 && unicode.IsUpper(r[0]) {
				return true
			}
		}
	}
	return false
}

// insights writes and verifies the insights of new subtopics.
func (b *Builder) insights(ctx context.Context, kept, fresh []*subtopic) error {
	all := slices.Concat(kept, fresh)
	written, err := b.write(ctx, all, fresh)
	if err != nil {
		return err
	}

	var before []string // all statements so far
	for _, s := range kept {
		before = append(before, insightTexts(s.insights)...)
	}

	for i, s := range fresh {
		for _, t := range written[i] {
			b.quality.InsightsWritten++
			switch words := len(strings.Fields(t)); {
			case words < leastWords || words > mostWords || !specific(t):
				b.quality.Unspecific++
				b.Note("insights", s.name, 0, "left out: not particular, or not of %d to %d words: %q",
					leastWords, mostWords, t)
			case stage.Alike(before, t, sameInsight) >= 0:
				b.quality.RepeatedWords++
				b.Note("insights", s.name, 0, "left out: shares its words with another: %q", t)
			default:
				before = append(before, t)
				s.insights = append(s.insights, summhay.Insight{Insight: t})
			}
		}
	}

	if err := b.independent(ctx, fresh); err != nil {
		return err
	}
	return b.assign(ctx, all, fresh)
}

func insightTexts(insights []summhay.Insight) []string {
	out := make([]string, len(insights))
	for i, in := range insights {
		out[i] = in.Insight
	}
	return out
}

type insightsReply struct {
	Insights []string `json:"insights"`
}

// write asks for the statements of each new subtopic, more than are wanted.
func (b *Builder) write(ctx context.Context, all, fresh []*subtopic) (map[int][]string, error) {
	n := b.Insights + spare
	got, failed, err := stage.Ask(ctx, b.Session, stage.Question[insightsReply]{
		Stage:      "insights",
		Prompt:     "summhay/insights.txt",
		NumPredict: 90 * n,
		Schema:     schema.Object(schema.Field("insights", schema.Array(schema.String()).AtMost(n))).JSON(),
		Subject:    func(i int) string { return fresh[i].name },
		Data: func(i int, problem string) any {
			return map[string]any{
				"Topic": b.Topic, "Subtopic": fresh[i].title(), "Facts": b.about(fresh[i]),
				"Others": otherNames(all, fresh[i]), "N": n, "Conversation": b.Conversation, "Problem": problem,
			}
		},
		Check: func(_ int, r insightsReply) string { return checkInsights(r.Insights) },
	}, stage.Places(len(fresh)))
	if err != nil {
		return nil, err
	}

	out := map[int][]string{}
	for i, s := range fresh {
		if problem, bad := failed[i]; bad {
			b.Note("insights", s.name, 0, "none: %s", problem)
		}
		for _, t := range got[i].Insights {
			out[i] = append(out[i], strings.TrimSpace(t))
		}
	}
	return out, nil
}

func otherNames(all []*subtopic, but *subtopic) []string {
	var out []string
	for _, o := range all {
		if o != but {
			out = append(out, o.name)
		}
	}
	return out
}

// checkInsights asks for enough statements that say something particular.
func checkInsights(statements []string) string {
	good := 0
	for _, t := range statements {
		if specific(t) && len(strings.Fields(t)) >= leastWords {
			good++
		}
	}
	if good < LeastInsights {
		return fmt.Sprintf("only %d statements have a number, a date or a name and at least %d words", good, leastWords)
	}
	return ""
}

// about picks the notes that share most words with a subtopic.
func (b *Builder) about(s *subtopic) []string {
	scores := make([]float64, len(b.facts))
	for i, f := range b.facts {
		scores[i] = text.Overlap(f, s.title())
	}
	order := stage.Places(len(b.facts))
	slices.SortStableFunc(order, func(i, k int) int { return cmp.Compare(scores[k], scores[i]) })

	var out []string
	for _, i := range order[:min(len(order), factsForPoints)] {
		out = append(out, b.facts[i])
	}
	return out
}

// independent has the model name insights that repeat others of their subtopic.
func (b *Builder) independent(ctx context.Context, fresh []*subtopic) error {
	var open []int
	for i, s := range fresh {
		if len(s.insights) > 1 {
			open = append(open, i)
		}
	}

	type reply struct {
		Repeated []int `json:"repeated"`
	}

	got, failed, err := stage.Ask(ctx, b.Session, stage.Question[reply]{
		Stage:      "independent",
		Role:       stage.Checks,
		Complete:   true, // what half a list leaves out would count as new
		Prompt:     "summhay/independent.txt",
		NumPredict: 100,
		Schema:     schema.Object(schema.Field("repeated", numbers(b.Insights+spare))).JSON(),
		Subject:    func(i int) string { return fresh[i].name },
		Data: func(i int, problem string) any {
			list := stage.Numbered(insightTexts(fresh[i].insights))
			return map[string]any{"Subtopic": fresh[i].name, "Insights": list, "Problem": problem}
		},
	}, open)
	if err != nil {
		return err
	}

	for _, i := range open {
		s := fresh[i]
		if problem, bad := failed[i]; bad {
			b.Note("independent", s.name, 0, "not checked by the model: %s", problem)
		}
		b.leaveOut(s, got[i].Repeated)
	}
	return nil
}

// numbers is the schema of a list of whole numbers from 1 to n. It has room for more
// than there are: a model may name one twice.
func numbers(n int) schema.Schema { return schema.Array(schema.Integer().Between(1, n)).AtMost(2 * n) }

// leaveOut drops the insights of these numbers. The first one repeats nothing.
func (b *Builder) leaveOut(s *subtopic, repeated []int) {
	gone := map[int]bool{}
	for _, n := range repeated {
		if n > 1 && n <= len(s.insights) && !gone[n-1] {
			gone[n-1] = true
			b.quality.RepeatedModel++
			b.Note("independent", s.name, 0, "left out: repeats another: %q", s.insights[n-1].Insight)
		}
	}

	var left []summhay.Insight
	for k, in := range s.insights {
		if !gone[k] {
			left = append(left, in)
		}
	}
	s.insights = left
}

// assign has the model sort every new insight into a subtopic; those that it puts
// elsewhere go (appendix A.1.2).
func (b *Builder) assign(ctx context.Context, all, fresh []*subtopic) error {
	places := spots(fresh)
	statement := func(n int) string { return fresh[places[n].subtopic].insights[places[n].insight].Insight }
	type reply struct {
		Subtopic int `json:"subtopic"`
	}

	list := stage.Numbered(titles(all))
	got, failed, err := stage.Ask(ctx, b.Session, stage.Question[reply]{
		Stage:      "assign",
		Role:       stage.Checks,
		Prompt:     "summhay/assign.txt",
		NumPredict: 30,
		Schema:     schema.Object(schema.Field("subtopic", schema.Integer().Between(1, len(all)))).JSON(),
		Subject:    statement,
		Data: func(n int, problem string) any {
			return map[string]any{"Topic": b.Topic, "Subtopics": list, "Insight": statement(n), "Problem": problem}
		},
	}, stage.Places(len(places)))
	if err != nil {
		return err
	}

	left := make([][]summhay.Insight, len(fresh))
	offset := len(all) - len(fresh) // the list has the kept subtopics first
	for n, at := range places {
		s := fresh[at.subtopic]
		in := s.insights[at.insight]
		switch problem, bad := failed[n]; {
		case bad:
			b.quality.Misassigned++
			b.Note("assign", s.name, 0, "left out: could not be sorted: %s: %q", problem, in.Insight)
		case got[n].Subtopic != offset+at.subtopic+1:
			b.quality.Misassigned++
			b.Note("assign", s.name, 0, "left out: was sorted into %s: %q", all[got[n].Subtopic-1].name, in.Insight)
		default:
			left[at.subtopic] = append(left[at.subtopic], in)
		}
	}
	for i := range fresh {
		fresh[i].insights = left[i]
	}
	return nil
}
