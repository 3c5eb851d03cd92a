// Package build makes haystacks as Summary of a Haystack does (section 3 and appendix
// A.1): a model names subtopics and insights, writes documents that hold them, and
// audits what it wrote; people then check a share of it on sheets.
package build

import (
	"context"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"slices"
	"strings"
	"unicode"

	"lore/datasets"
	"lore/datasets/stage"
	"lore/datasets/summhay"
	"lore/judge"
	"lore/local"
	"lore/local/prompt"
	"lore/local/text"
	"lore/local/tokens"
)

//go:embed prompts
var promptFiles embed.FS

// Prompts returns the built-in prompts of the build.
func Prompts() fs.FS { return prompt.Embedded(promptFiles) }

// Settings of the synthesis. Those with a section are the paper's.
const (
	LeastInsights  = 3    // of a subtopic, or it cannot be expanded (section 3.1)
	factWindow     = 3000 // tokens of a seed document that are read at once
	factsPerPart   = 8
	mostParts      = 300 // parts of seed documents that are read
	factsForTopics = 80  // shown where subtopics are named
	factsForPoints = 25  // shown where insights are written
	spare          = 2   // subtopics and insights asked for over the number wanted
	topicRounds    = 4   // in which subtopics that were dropped are made up for
	sameSubtopic   = 0.5 // share of common words from which two subtopics are one
	sameInsight    = 0.6 // the same of insights
	leastWords     = 6   // of an insight
	mostWords      = 60
)

// Sizes of a haystack.
type Sizes struct {
	Subtopics int // about 10 in the paper
	Insights  int // of a subtopic
	Documents int
	Words     int // of a document
	Repeat    int // documents that each insight is planned for
}

// Check refuses sizes that make no haystack.
func (s Sizes) Check() error {
	switch {
	case s.Subtopics < 2:
		return errors.New("a haystack needs at least 2 subtopics")
	case s.Insights < LeastInsights:
		return fmt.Errorf("a subtopic needs at least %d insights", LeastInsights)
	case s.Documents < 2 || s.Repeat < 1 || s.Repeat > s.Documents:
		return errors.New("a haystack needs at least 2 documents, and an insight from 1 to as many as there are")
	case s.Words < 30:
		return errors.New("a document needs at least 30 words")
	case s.perDocument() > s.Words/12:
		return fmt.Errorf("%d insights do not fit into a document of %d words: give more documents, longer ones, or each insight to fewer", s.perDocument(), s.Words)
	}
	return nil
}

// perDocument is the most insights that a document is planned to hold.
func (s Sizes) perDocument() int {
	return (s.Subtopics*s.Insights*s.Repeat + s.Documents - 1) / s.Documents
}

// Builder synthesises a haystack (section 3 and appendix A.1): subtopics, insights, and
// documents that hold them, each verified.
type Builder struct {
	*stage.Session
	Sizes
	Topic        string
	Conversation bool     // documents are conversations, made chapter by chapter; else news articles
	Participants []string // of the conversations; invented where there are none
	Edits        int      // most edits of a document that disagrees with its plan
	Chapters     int      // most tries of a chapter
	Fresh        int      // most documents that replace one that cannot be mended
	Workers      int      // documents at work at once
	Temperature  float64  // of what is written; what is checked is greedy
	Seed         uint64
	Judge        judge.Judge // helps the audit to find suspects

	quality Quality
	facts   []string
}

// subtopic on its way.
type subtopic struct {
	id, name, about, query string
	insights               []summhay.Insight
}

func (s subtopic) title() string { return s.name + ": " + s.about }

// numbered is an entry of a list in a prompt.
type numbered struct {
	N    int
	Text string
}

func titles(subtopics []*subtopic) []string {
	out := make([]string, len(subtopics))
	for i, s := range subtopics {
		out[i] = s.title()
	}
	return out
}

func number1(list []string) []numbered {
	out := make([]numbered, len(list))
	for i, s := range list {
		out[i] = numbered{i + 1, s}
	}
	return out
}

// Build makes a haystack from seed documents; a conversation needs none. What fails
// beyond repair is left out and counted.
func (b *Builder) Build(ctx context.Context, seeds []datasets.Document) (*summhay.File, error) {
	if err := b.readSeeds(ctx, seeds); err != nil {
		return nil, err
	}
	if err := b.settle(ctx); err != nil {
		return nil, err
	}
	subtopics, err := b.subtopics(ctx)
	if err != nil {
		return nil, err
	}
	if len(subtopics) < 2 {
		return nil, nil
	}
	if err := b.queries(ctx, subtopics); err != nil {
		return nil, err
	}
	plan := b.plan(subtopics)
	documents, err := b.compose(ctx, subtopics, plan)
	if err != nil {
		return nil, err
	}
	f := &summhay.File{Topic: b.Topic, Documents: documents}
	for _, s := range subtopics {
		f.Subtopics = append(f.Subtopics, summhay.Subtopic{SubtopicID: s.id, Subtopic: s.about, Name: s.name, Query: s.query, Insights: s.insights})
	}
	return f, nil
}

// readSeeds takes notes of the seed documents. Of more parts than mostParts some are
// drawn.
func (b *Builder) readSeeds(ctx context.Context, seeds []datasets.Document) error {
	type part struct{ label, text string }
	var parts []part
	for _, d := range seeds {
		for i, w := range tokens.Windows(d.Text, factWindow, 0) {
			parts = append(parts, part{fmt.Sprintf("%s part %d", d.ID, i+1), w})
		}
	}
	if len(parts) > mostParts {
		b.Note("facts", "", 0, "%d of %d parts of the seed documents are read, drawn with seed %d", mostParts, len(parts), b.Seed)
		rng := rand.New(rand.NewPCG(b.Seed, 3))
		rng.Shuffle(len(parts), func(i, j int) { parts[i], parts[j] = parts[j], parts[i] })
		parts = parts[:mostParts]
	}
	type reply struct {
		Facts []string `json:"facts"`
	}
	got, failed, err := stage.Ask(ctx, b.Session, stage.Question[reply]{Stage: "facts", Prompt: "summhay/facts.txt", NumPredict: 700, Schema: listSchema("facts", factsPerPart),
		Subject: func(i int) string { return parts[i].label },
		Data: func(i int, problem string) any {
			return map[string]any{"Document": parts[i].text, "Most": factsPerPart, "Problem": problem}
		},
		Check: func(_ int, r reply) string {
			if len(r.Facts) == 0 {
				return "there is no fact"
			}
			return ""
		}}, stage.Places(len(parts)))
	if err != nil {
		return err
	}
	for i, p := range parts {
		if problem, bad := failed[i]; bad {
			b.Drop(p.label, "no notes: %s", problem)
		}
		for _, f := range got[i].Facts {
			if len(strings.Fields(f)) >= leastWords {
				b.facts = append(b.facts, strings.TrimSpace(f))
			}
		}
	}
	rng := rand.New(rand.NewPCG(b.Seed, 4))
	rng.Shuffle(len(b.facts), func(i, j int) { b.facts[i], b.facts[j] = b.facts[j], b.facts[i] })
	return nil
}

// listSchema is an object with a list of texts.
func listSchema(name string, most int) json.RawMessage {
	return json.RawMessage(fmt.Sprintf(`{"type":"object","properties":{%q:{"type":"array","items":{"type":"string"},"maxItems":%d}},"required":[%q]}`, name, most, name))
}

// numbersSchema is an object with a list of whole numbers from 1 to n.
func numbersSchema(name string, n int) json.RawMessage {
	return json.RawMessage(fmt.Sprintf(`{"type":"object","properties":{%q:{"type":"array","items":{"type":"integer","minimum":1,"maximum":%d},"maxItems":%d}},"required":[%q]}`, name, n, 2*n, name))
}

// one asks a single question of the build; failed is "" if it went well.
func one[T any](ctx context.Context, s *stage.Session, q stage.Question[T]) (value T, failed string, err error) {
	got, problems, err := stage.Ask(ctx, s, q, []int{0})
	return got[0], problems[0], err
}

// settle names the topic and the people where they are not given.
func (b *Builder) settle(ctx context.Context) error {
	if b.Topic == "" {
		type reply struct {
			Topic string `json:"topic"`
		}
		got, failed, err := one(ctx, b.Session, stage.Question[reply]{Stage: "topic", Prompt: "summhay/topic.txt", NumPredict: 80, Subject: func(int) string { return "" },
			Schema: json.RawMessage(`{"type":"object","properties":{"topic":{"type":"string"}},"required":["topic"]}`),
			Data: func(_ int, problem string) any {
				return map[string]any{"Facts": b.facts[:min(len(b.facts), factsForTopics)], "Problem": problem}
			},
			Check: func(_ int, r reply) string {
				if n := len(strings.Fields(r.Topic)); n < 2 || n > 20 {
					return fmt.Sprintf("the topic has %d words, not 3 to 12", n)
				}
				return ""
			}})
		if err != nil {
			return err
		}
		if b.Topic = strings.TrimSpace(got.Topic); failed != "" {
			b.Topic = "what the documents report"
			b.Note("topic", "", 0, "worded by rule: %s", failed)
		}
	}
	if !b.Conversation || len(b.Participants) > 0 {
		return nil
	}
	type reply struct {
		Participants []string `json:"participants"`
	}
	got, failed, err := one(ctx, b.Session, stage.Question[reply]{Stage: "participants", Prompt: "summhay/participants.txt", NumPredict: 200, Schema: listSchema("participants", 5), Subject: func(int) string { return "" },
		Data: func(_ int, problem string) any {
			return map[string]any{"Topic": b.Topic, "N": 3, "Problem": problem}
		},
		Check: func(_ int, r reply) string {
			if len(r.Participants) < 2 {
				return "a conversation needs two people"
			}
			return ""
		}})
	if b.Participants = got.Participants; failed != "" {
		b.Participants = []string{"Ana", "Ben", "Cleo"}
		b.Note("participants", "", 0, "named by rule: %s", failed)
	}
	return err
}

// specific reports whether a statement holds a number, or a name: a word that begins
// with a capital and not a sentence.
func specific(s string) bool {
	if strings.IndexFunc(s, unicode.IsDigit) >= 0 {
		return true
	}
	for _, sentence := range text.Sentences(s) {
		for i, w := range strings.Fields(sentence) {
			if r := []rune(strings.Trim(w, `"'“‘(`)); i > 0 && len(r) > 1 && unicode.IsUpper(r[0]) {
				return true
			}
		}
	}
	return false
}

// subtopics names subtopics and writes their insights, in rounds until there are
// enough: what a check drops is made up for.
func (b *Builder) subtopics(ctx context.Context) ([]*subtopic, error) {
	var kept []*subtopic
	var taken []string // also those that were dropped
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
	for i, s := range kept {
		s.id = fmt.Sprintf("s%d", i+1)
		s.insights = s.insights[:min(len(s.insights), b.Insights)]
		for k := range s.insights {
			s.insights[k].InsightID = fmt.Sprintf("%s_i%d", s.id, k+1)
		}
		b.quality.InsightsKept += len(s.insights)
	}
	b.quality.SubtopicsKept = len(kept)
	return kept, nil
}

// entry is a subtopic as a model names it.
type entry struct {
	Name  string `json:"name"`
	About string `json:"about"`
}

// usable entries have a name and a sentence on what belongs to them.
func (e entry) usable() bool { return len(text.Words(e.Name)) > 0 && len(text.Words(e.About)) > 2 }

// name asks for new subtopics and leaves out those that share words with others.
func (b *Builder) name(ctx context.Context, kept []*subtopic, taken *[]string, n, round int) ([]*subtopic, error) {
	type reply struct {
		Subtopics []entry `json:"subtopics"`
	}
	schema := json.RawMessage(fmt.Sprintf(`{"type":"object","properties":{"subtopics":{"type":"array","items":{"type":"object","properties":{"name":{"type":"string"},"about":{"type":"string"}},"required":["name","about"]},"maxItems":%d}},"required":["subtopics"]}`, n))
	got, failed, err := one(ctx, b.Session, stage.Question[reply]{Stage: "subtopics", Prompt: "summhay/subtopics.txt", NumPredict: 80 * (n + 1), Schema: schema, Subject: func(int) string { return fmt.Sprintf("round %d", round) },
		Data: func(_ int, problem string) any {
			return map[string]any{"Topic": b.Topic, "Facts": b.facts[:min(len(b.facts), factsForTopics)], "Taken": *taken, "N": n, "Conversation": b.Conversation, "Problem": problem}
		},
		Check: func(_ int, r reply) string {
			if slices.ContainsFunc(r.Subtopics, entry.usable) {
				return ""
			}
			return "no subtopic has a name and a sentence on what belongs to it"
		}})
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
		same := ""
		for _, o := range slices.Concat(kept, out) {
			if text.Overlap(s.title(), o.title()) >= sameSubtopic || strings.EqualFold(s.name, o.name) {
				same = o.name
			}
		}
		*taken = append(*taken, s.name)
		if same != "" {
			b.quality.OverlapWords++
			b.Note("subtopics", s.name, 0, "left out: shares its words with %s", same)
			continue
		}
		out = append(out, s)
	}
	return out, nil
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
	schema := json.RawMessage(fmt.Sprintf(`{"type":"object","properties":{"pairs":{"type":"array","items":{"type":"array","items":{"type":"integer","minimum":1,"maximum":%d},"minItems":2,"maxItems":2},"maxItems":%d}},"required":["pairs"]}`, len(all), len(all)))
	got, failed, err := one(ctx, b.Session, stage.Question[reply]{Stage: "distinct", Prompt: "summhay/distinct.txt", NumPredict: 300, Schema: schema, Subject: func(int) string { return "subtopics" },
		Data: func(_ int, problem string) any {
			return map[string]any{"Topic": b.Topic, "Subtopics": number1(titles(all)), "Problem": problem}
		}})
	if err != nil {
		return nil, err
	}
	if failed != "" {
		b.Note("distinct", "subtopics", 0, "not checked by the model: %s", failed)
	}
	gone := map[*subtopic]bool{}
	for _, p := range got.Pairs {
		first, later := min(p[0], p[1])-1, max(p[0], p[1])-1
		if first == later || gone[all[first]] || gone[all[later]] || later < len(kept) {
			continue
		}
		gone[all[later]] = true
		b.quality.OverlapModel++
		b.Note("distinct", all[later].name, 0, "left out: overlaps with %s", all[first].name)
	}
	var out []*subtopic
	for _, s := range fresh {
		if !gone[s] {
			out = append(out, s)
		}
	}
	return out, nil
}

// insights writes and verifies the insights of new subtopics.
func (b *Builder) insights(ctx context.Context, kept, fresh []*subtopic) error {
	all := slices.Concat(kept, fresh)
	written, err := b.write(ctx, all, fresh)
	if err != nil {
		return err
	}
	var before []string // statements of the subtopics so far
	for _, s := range kept {
		for _, in := range s.insights {
			before = append(before, in.Insight)
		}
	}
	for i, s := range fresh {
		for _, t := range written[i] {
			b.quality.InsightsWritten++
			words := len(strings.Fields(t))
			same := func(o string) bool { return text.Overlap(t, o) >= sameInsight }
			switch {
			case words < leastWords || words > mostWords || !specific(t):
				b.quality.Unspecific++
				b.Note("insights", s.name, 0, "left out: not particular, or not of %d to %d words: %q", leastWords, mostWords, t)
			case slices.ContainsFunc(before, same):
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

type insightsReply struct {
	Insights []string `json:"insights"`
}

func (b *Builder) write(ctx context.Context, all, fresh []*subtopic) (map[int][]string, error) {
	n := b.Insights + spare
	others := func(s *subtopic) []string {
		var out []string
		for _, o := range all {
			if o != s {
				out = append(out, o.name)
			}
		}
		return out
	}
	got, failed, err := stage.Ask(ctx, b.Session, stage.Question[insightsReply]{Stage: "insights", Prompt: "summhay/insights.txt", NumPredict: 90 * n, Schema: listSchema("insights", n),
		Subject: func(i int) string { return fresh[i].name },
		Data: func(i int, problem string) any {
			return map[string]any{"Topic": b.Topic, "Subtopic": fresh[i].title(), "Facts": b.about(fresh[i]), "Others": others(fresh[i]), "N": n, "Conversation": b.Conversation, "Problem": problem}
		},
		Options: func(_, _ int, o *local.Options) { o.Temperature = b.Temperature },
		Check: func(_ int, r insightsReply) string {
			good := 0
			for _, t := range r.Insights {
				if specific(t) && len(strings.Fields(t)) >= leastWords {
					good++
				}
			}
			if good < LeastInsights {
				return fmt.Sprintf("only %d statements have a number, a date or a name and at least %d words", good, leastWords)
			}
			return ""
		}}, stage.Places(len(fresh)))
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

// about picks the notes that share most words with a subtopic.
func (b *Builder) about(s *subtopic) []string {
	scores := make([]float64, len(b.facts))
	for i, f := range b.facts {
		scores[i] = text.Overlap(f, s.title())
	}
	order := stage.Places(len(b.facts))
	sortByScore(order, scores)
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
	got, failed, err := stage.Ask(ctx, b.Session, stage.Question[reply]{Stage: "independent", Prompt: "summhay/independent.txt", NumPredict: 100, Schema: numbersSchema("repeated", b.Insights+spare),
		Subject: func(i int) string { return fresh[i].name },
		Data: func(i int, problem string) any {
			return map[string]any{"Subtopic": fresh[i].name, "Insights": number1(insightTexts(fresh[i].insights)), "Problem": problem}
		}}, open)
	if err != nil {
		return err
	}
	for _, i := range open {
		s := fresh[i]
		if problem, bad := failed[i]; bad {
			b.Note("independent", s.name, 0, "not checked by the model: %s", problem)
		}
		gone := map[int]bool{}
		for _, n := range got[i].Repeated {
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
	return nil
}

func insightTexts(insights []summhay.Insight) []string {
	out := make([]string, len(insights))
	for i, in := range insights {
		out[i] = in.Insight
	}
	return out
}

// assign has the model sort every new insight into a subtopic; those that it puts
// elsewhere go (appendix A.1.2).
func (b *Builder) assign(ctx context.Context, all, fresh []*subtopic) error {
	var places []spot
	for i, s := range fresh {
		for k := range s.insights {
			places = append(places, spot{i, k})
		}
	}
	list := number1(titles(all))
	offset := len(all) - len(fresh)
	type reply struct {
		Subtopic int `json:"subtopic"`
	}
	got, failed, err := stage.Ask(ctx, b.Session, stage.Question[reply]{Stage: "assign", Prompt: "summhay/assign.txt", NumPredict: 30,
		Schema:  json.RawMessage(fmt.Sprintf(`{"type":"object","properties":{"subtopic":{"type":"integer","minimum":1,"maximum":%d}},"required":["subtopic"]}`, len(all))),
		Subject: func(n int) string { return fresh[places[n].subtopic].insights[places[n].insight].Insight },
		Data: func(n int, problem string) any {
			return map[string]any{"Topic": b.Topic, "Subtopics": list, "Insight": fresh[places[n].subtopic].insights[places[n].insight].Insight, "Problem": problem}
		}}, stage.Places(len(places)))
	if err != nil {
		return err
	}
	left := make([][]summhay.Insight, len(fresh))
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

// queries words the question of each subtopic.
func (b *Builder) queries(ctx context.Context, subtopics []*subtopic) error {
	type reply struct {
		Query string `json:"query"`
	}
	got, failed, err := stage.Ask(ctx, b.Session, stage.Question[reply]{Stage: "query", Prompt: "summhay/query.txt", NumPredict: 100,
		Schema:  json.RawMessage(`{"type":"object","properties":{"query":{"type":"string"}},"required":["query"]}`),
		Subject: func(i int) string { return subtopics[i].name },
		Data: func(i int, problem string) any {
			return map[string]any{"Topic": b.Topic, "Subtopic": subtopics[i].title(), "Conversation": b.Conversation, "Problem": problem}
		},
		Check: func(_ int, r reply) string {
			n := len(strings.Fields(r.Query))
			if n < 4 || n > 40 || !strings.HasSuffix(strings.TrimSpace(r.Query), "?") {
				return "it is no question of 4 to 40 words"
			}
			return ""
		}}, stage.Places(len(subtopics)))
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
