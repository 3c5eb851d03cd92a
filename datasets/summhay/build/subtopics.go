package build

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"lore/datasets/stage"
	"lore/datasets/summhay"
	"lore/local/schema"
	"lore/local/text"
)

// How subtopics are named.
const (
	topicRounds  = 4   // in which subtopics that were dropped are made up for
	sameSubtopic = 0.5 // share of common words from which two subtopics are one
)

// subtopic on its way.
type subtopic struct {
	id, name, about, query string
	insights               []summhay.Insight
	spare                  []summhay.Insight // that passed all checks, beyond those asked for
	retired                map[int]bool      // insights on which checks fail, by number
}

func (s subtopic) title() string { return s.name + ": " + s.about }

func titles(subtopics []*subtopic) []string {
	out := make([]string, len(subtopics))
	for i, s := range subtopics {
		out[i] = s.title()
	}
	return out
}

// subtopics names subtopics and writes their insights, in rounds until there are
// enough: what a check drops is made up for.
func (b *Builder) subtopics(ctx context.Context) ([]*subtopic, error) {
	var kept []*subtopic
	var taken []string // names, also those that were dropped
	for round := 1; round <= topicRounds && len(kept) < b.Subtopics; round++ {
		fresh, err := b.name(ctx, kept, &taken, b.Subtopics-len(kept)+spare, round)
		if err != nil {
			return nil, err
		}
		if fresh, err = b.distinctByModel(ctx, kept, fresh); err != nil {
			return nil, err
		}
		if len(fresh) == 0 {
			continue
		}

		if err := b.insights(ctx, kept, fresh); err != nil {
			return nil, err
		}
		for _, s := range fresh {
			switch {
			case len(s.insights) < LeastInsights:
				b.quality.NotExpandable++
				b.Note("subtopics", s.name, 0, "left out: only %d insights are left", len(s.insights))
			case len(kept) < b.Subtopics:
				kept = append(kept, s)
			}
		}
	}

	b.number(kept)
	return kept, nil
}

// number gives ids to the subtopics that are kept and to as many insights of each as
// were asked for.
func (b *Builder) number(kept []*subtopic) {
	for i, s := range kept {
		s.id = fmt.Sprintf("s%d", i+1)
		s.retired = map[int]bool{}
		n := min(len(s.insights), b.Insights)
		s.insights, s.spare = slices.Clone(s.insights[:n]), s.insights[n:]
		for k := range s.insights {
			s.insights[k].InsightID = fmt.Sprintf("%s_i%d", s.id, k+1)
		}
		b.quality.InsightsKept += len(s.insights)
	}
	b.quality.SubtopicsKept = len(kept)
}

// entry is a subtopic as a model names it.
type entry struct {
	Name  string `json:"name"`
	About string `json:"about"`
}

// usable entries have a name and a sentence on what belongs to them.
func (e entry) usable() bool { return len(text.Words(e.Name)) > 0 && len(text.Words(e.About)) > 2 }

type entriesReply struct {
	Subtopics []entry `json:"subtopics"`
}

// name asks for new subtopics and leaves out those that share words with others.
func (b *Builder) name(ctx context.Context, kept []*subtopic, taken *[]string, n, round int) ([]*subtopic, error) {
	one := schema.Object(schema.Field("name", schema.String()), schema.Field("about", schema.String()))
	got, failed, err := stage.One(ctx, b.Session, stage.Question[entriesReply]{
		Stage:      "subtopics",
		Prompt:     "summhay/subtopics.txt",
		NumPredict: 80 * (n + 1),
		Schema:     schema.Object(schema.Field("subtopics", schema.Array(one).AtMost(n))).JSON(),
		Subject:    func(int) string { return fmt.Sprintf("round %d", round) },
		Data: func(_ int, problem string) any {
			return map[string]any{
				"Topic": b.Topic, "Facts": b.facts[:min(len(b.facts), factsForTopics)], "Taken": *taken, "N": n,
				"Conversation": b.Conversation, "Problem": problem,
			}
		},
		Check: func(_ int, r entriesReply) string {
			if slices.ContainsFunc(r.Subtopics, entry.usable) {
				return ""
			}
			return "no subtopic has a name and a sentence on what belongs to it"
		},
	})
	if err != nil {
		return nil, err
	}
	if failed != "" {
		b.Drop(fmt.Sprintf("subtopics of round %d", round), "%s", failed)
		return nil, nil
	}

	var out []*subtopic
	for _, e := range got.Subtopics {
		if !e.usable() {
			continue
		}
		s := &subtopic{name: strings.TrimSpace(e.Name), about: strings.TrimSpace(e.About)}
		b.quality.SubtopicsNamed++
		*taken = append(*taken, s.name)

		if same := sameWords(s, slices.Concat(kept, out)); same != "" {
			b.quality.OverlapWords++
			b.Note("subtopics", s.name, 0, "left out: shares its words with %s", same)
			continue
		}
		out = append(out, s)
	}
	return out, nil
}

// sameWords names the last of the others that shares its words with a subtopic, "" if
// none does.
func sameWords(s *subtopic, others []*subtopic) string {
	same := ""
	for _, o := range others {
		if text.Overlap(s.title(), o.title()) >= sameSubtopic || strings.EqualFold(s.name, o.name) {
			same = o.name
		}
	}
	return same
}

// distinctByModel has the model name pairs that overlap; the later one of each goes.
func (b *Builder) distinctByModel(ctx context.Context, kept, fresh []*subtopic) ([]*subtopic, error) {
	all := slices.Concat(kept, fresh)
	if len(all) < 2 || len(fresh) == 0 {
		return fresh, nil
	}

	type reply struct {
		Pairs [][]int `json:"pairs"`
	}

	pair := schema.Array(schema.Integer().Between(1, len(all))).AtLeast(2).AtMost(2)
	got, failed, err := stage.One(ctx, b.Session, stage.Question[reply]{
		Stage:      "distinct",
		Role:       stage.Checks,
		Complete:   true, // what half a list leaves out would count as distinct
		Prompt:     "summhay/distinct.txt",
		NumPredict: 300,
		Schema:     schema.Object(schema.Field("pairs", schema.Array(pair).AtMost(len(all)))).JSON(),
		Subject:    func(int) string { return "subtopics" },
		Data: func(_ int, problem string) any {
			return map[string]any{"Topic": b.Topic, "Subtopics": stage.Numbered(titles(all)), "Problem": problem}
		},
	})
	if err != nil {
		return nil, err
	}
	if failed != "" {
		b.Note("distinct", "subtopics", 0, "not checked by the model: %s", failed)
	}

	gone := map[*subtopic]bool{}
	for _, p := range got.Pairs {
		first, later := min(p[0], p[1])-1, max(p[0], p[1])-1
		// Of two that were kept before neither goes, and a pair with one that is gone
		// already is settled.
		if first == later || gone[all[first]] || gone[all[later]] || later < len(kept) {
			continue
		}
		gone[all[later]] = true
		b.quality.OverlapModel++
		b.Note("distinct", all[later].name, 0, "left out: overlaps with %s", all[first].name)
	}
	return slices.DeleteFunc(slices.Clone(fresh), func(s *subtopic) bool { return gone[s] }), nil
}

// queries words the question of each subtopic.
func (b *Builder) queries(ctx context.Context, subtopics []*subtopic) error {
	type reply struct {
		Query string `json:"query"`
	}

	got, failed, err := stage.Ask(ctx, b.Session, stage.Question[reply]{
		Stage:      "query",
		Prompt:     "summhay/query.txt",
		NumPredict: 100,
		Schema:     schema.Object(schema.Field("query", schema.String())).JSON(),
		Subject:    func(i int) string { return subtopics[i].name },
		Data: func(i int, problem string) any {
			return map[string]any{
				"Topic": b.Topic, "Subtopic": subtopics[i].title(), "Conversation": b.Conversation, "Problem": problem,
			}
		},
		Check: func(_ int, r reply) string {
			n := len(strings.Fields(r.Query))
			if n < 4 || n > 40 || !strings.HasSuffix(strings.TrimSpace(r.Query), "?") {
				return "it is no question of 4 to 40 words"
			}
			return ""
		},
	}, stage.Places(len(subtopics)))
	if err != nil {
		return err
	}

	for i, s := range subtopics {
		s.query = strings.TrimSpace(got[i].Query)
		if problem, bad := failed[i]; bad {
			s.query = fmt.Sprintf("What is said about %s?", s.name)
			b.Note("query", s.name, 0, "worded by rule: %s", problem)
		}
	}
	return nil
}

// kept are the insights that are not retired.
func (s *subtopic) kept() []summhay.Insight {
	var out []summhay.Insight
	for k, in := range s.insights {
		if !s.retired[k] {
			out = append(out, in)
		}
	}
	return out
}
