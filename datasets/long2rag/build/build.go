// Package build makes Long²RAG datasets (section 3): questions are screened and evolved,
// documents are searched for each, key points are read from them with evidence copied
// word for word, merged, and kept where they are significant; people then check them on
// sheets.
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

	"lore/datasets"
	"lore/datasets/long2rag"
	"lore/datasets/stage"
	"lore/local"
	"lore/local/prompt"
	"lore/local/text"
	"lore/local/tokens"
)

//go:embed prompts
var promptFiles embed.FS

// Prompts returns the built-in prompts of the build.
func Prompts() fs.FS { return prompt.Embedded(promptFiles) }

// Settings of the build. Those with a section are the paper's.
const (
	Threshold     = 0.7  // least significance of a key point (section 3.3)
	LeastCriteria = 4    // criteria that a question must meet of the five (section 3.1)
	mostSub       = 5    // sub-questions
	extractWindow = 6000 // tokens of a document that are read at once
	mergeAtOnce   = 40   // points that a model is asked to merge at once
	mergePasses   = 3    // rounds of merging where there are more
	deeperWords   = 25   // most words that in-depth evolution adds: the 10 to 20 asked for, and a little
	leastQuestion = 5    // words of a question
	sameQuestion  = 0.8  // share of common content words from which two questions are one

	extractTokens = 2000 // most tokens of a list of points
	mergeTokens   = 60 * mergeAtOnce
)

// Seed is a question to start from.
type Seed struct {
	ID       string `json:"id,omitempty"`
	Text     string `json:"question"`
	Category string `json:"category,omitempty"`
	Domain   string `json:"domain,omitempty"`
}

// ReadSeeds reads lines of JSON with question, or lines of text.
func ReadSeeds(name string, data []byte) ([]Seed, error) {
	var out []Seed
	seen := map[string]bool{}
	err := datasets.EachLine(data, func(place string, line []byte) error {
		s := Seed{Text: string(line)}
		var err error
		if line[0] == '{' {
			s = Seed{}
			err = json.Unmarshal(line, &s)
		}
		bad := func(msg string) error {
			return &datasets.InputError{File: name, Place: place, Msg: msg, Remedy: `a line is {"id", "question", "category", "domain"}, all but the question optional, or the question alone`, Err: err}
		}
		if s.Text = strings.TrimSpace(s.Text); err != nil || s.Text == "" {
			return bad("is no question")
		}
		if s.ID == "" {
			s.ID = fmt.Sprintf("s%d", len(out)+1)
		}
		switch {
		case seen[s.ID] || strings.ContainsAny(s.ID, " \t"):
			return bad(fmt.Sprintf("has the id %q, which is taken or has spaces", s.ID))
		case s.Category != "" && categoryOf(s.Category) == nil:
			return bad(fmt.Sprintf("has the unknown category %q", s.Category))
		}
		seen[s.ID] = true
		out = append(out, s)
		return nil
	})
	if err == nil && len(out) == 0 {
		err = &datasets.InputError{File: name, Msg: "holds no questions", Remedy: "give a question per line"}
	}
	return out, err
}

func categoryOf(name string) *long2rag.Category {
	for i := range long2rag.Categories {
		if long2rag.Categories[i].Name == name {
			return &long2rag.Categories[i]
		}
	}
	return nil
}

// Search is a question with the sub-questions to search by.
type Search struct {
	ID, Text string
	Parts    []string
}

// Builder makes questions with documents and key points.
type Builder struct {
	*stage.Session
	Domains   []string // that questions are evolved for
	Evolve    int      // new questions per category, domain and method; 0 keeps the seeds themselves
	Criteria  int      // least criteria that a question meets
	Rounds    int      // of extraction
	Threshold float64
	Seed      uint64
	// Find returns the ids of the best documents for each question, best first, at most
	// Shown of them.
	Find func(ctx context.Context, questions []Search) ([][]string, error)

	report Report
}

// Window is the longest prompt with its reply, in tokens, with a fifth on top because the
// model's tokeniser is another. The whole build has one window.
func Window(corpus map[string]string) int {
	longest := 0
	for _, text := range corpus {
		longest = max(longest, min(extractWindow, tokens.Count(text)))
	}
	const point, question, wording = 40, 120, 350
	extract := longest + mergeAtOnce*point + question + wording + extractTokens // with the points found before
	merge := mergeAtOnce*point + question + wording + mergeTokens
	need := max(extract, merge)
	return need + need/5
}

// Report counts what became of everything.
type Report struct {
	Seeds, Screened, Evolved, Questions int // given; kept of these; evolved and kept; with key points in the end
	Refused                             int // replies
	Points, Rejected, Repaired          int // read; of these not grounded, and with a missing tag
	Merged, Unpartitioned               int // points after merging; mappings that had to be repaired
	Unscored, Kept                      int // merged points without a score; those over the threshold
	Dropped                             int // questions lost on the way
	Histogram                           [10]int
}

// Report returns the counts.
func (b *Builder) Report() Report {
	r := b.report
	r.Refused, r.Dropped = b.Refused(), b.Dropped()
	return r
}

// point is a key point on its way.
type point struct {
	text      string
	spans     []string
	documents []string
}

// Build runs all stages over a corpus by id. What fails in one is left out, with its
// reason in the log.
func (b *Builder) Build(ctx context.Context, seeds []Seed, corpus map[string]string) ([]long2rag.Question, error) {
	questions, err := b.questions(ctx, seeds)
	if err != nil {
		return nil, err
	}
	if err := b.documents(ctx, questions, corpus); err != nil {
		return nil, err
	}
	questions = slices.DeleteFunc(questions, func(q *long2rag.Question) bool { return len(q.Documents) == 0 })
	points, err := b.extract(ctx, questions)
	if err != nil {
		return nil, err
	}
	if points, err = b.merge(ctx, questions, points); err != nil {
		return nil, err
	}
	if err := b.score(ctx, questions, points); err != nil {
		return nil, err
	}
	var out []long2rag.Question
	for _, q := range questions {
		if len(q.KeyPoints) == 0 {
			b.Drop(q.ID, "no key point is left")
			continue
		}
		out = append(out, *q)
	}
	b.report.Questions = len(out)
	return out, nil
}

// screened is a reply about a question.
type screened struct {
	NeedsSources     bool   `json:"needs_sources"`
	Clear            bool   `json:"clear"`
	OneReading       bool   `json:"one_reading"`
	Complex          bool   `json:"complex"`
	InvitesJudgement bool   `json:"invites_judgement"`
	Category         string `json:"category"`
	Domain           string `json:"domain"`
}

// criteria counts those that are met.
func (s screened) criteria() int {
	n := 0
	for _, met := range []bool{s.NeedsSources, s.Clear, s.OneReading, s.Complex, s.InvitesJudgement} {
		if met {
			n++
		}
	}
	return n
}

// screen keeps the questions that meet enough criteria, and gives them a category and
// a domain where they have none.
func (b *Builder) screen(ctx context.Context, seeds []Seed) ([]Seed, error) {
	var categories []string
	for _, c := range long2rag.Categories {
		categories = append(categories, c.Name)
	}
	property := func(values []string) any { return map[string]any{"type": "string", "enum": values} }
	truth := map[string]any{"type": "boolean"}
	schema, err := json.Marshal(map[string]any{"type": "object", "properties": map[string]any{"needs_sources": truth, "clear": truth, "one_reading": truth, "complex": truth,
		"invites_judgement": truth, "category": property(categories), "domain": property(long2rag.Domains)},
		"required": []string{"needs_sources", "clear", "one_reading", "complex", "invites_judgement", "category", "domain"}})
	if err != nil {
		return nil, fmt.Errorf("word the schema: %w", err)
	}
	got, failed, err := stage.Ask(ctx, b.Session, stage.Question[screened]{Stage: "screen", Prompt: "long2rag/screen.txt", Schema: schema, NumPredict: 200,
		Subject: func(i int) string { return seeds[i].ID },
		Data: func(i int, problem string) any {
			return map[string]any{"Question": seeds[i].Text, "Categories": long2rag.Categories, "Domains": long2rag.Domains, "Problem": problem}
		}}, stage.Places(len(seeds)))
	if err != nil {
		return nil, err
	}
	var out []Seed
	for i, s := range seeds {
		switch problem, bad := failed[i]; {
		case bad:
			b.Drop(s.ID, "not screened: %s", problem)
		case got[i].criteria() < b.Criteria:
			b.Note("screen", s.ID, 0, "left out: meets %d of the five criteria, not %d: %s", got[i].criteria(), b.Criteria, s.Text)
		default:
			if s.Category == "" {
				s.Category = got[i].Category
			}
			if s.Domain == "" {
				s.Domain = got[i].Domain
			}
			out = append(out, s)
		}
	}
	return out, nil
}

// questions screens the seeds, evolves new questions from them, and screens these.
func (b *Builder) questions(ctx context.Context, seeds []Seed) ([]*long2rag.Question, error) {
	b.report.Seeds = len(seeds)
	kept, err := b.screen(ctx, seeds)
	if err != nil {
		return nil, err
	}
	b.report.Screened = len(kept)
	if b.Evolve > 0 {
		if kept, err = b.evolve(ctx, kept); err != nil {
			return nil, err
		}
		if kept, err = b.screen(ctx, kept); err != nil {
			return nil, err
		}
		b.report.Evolved = len(kept)
	}
	out := make([]*long2rag.Question, len(kept))
	for i, s := range kept {
		out[i] = &long2rag.Question{ID: s.ID, Text: s.Text, Category: s.Category, Domain: s.Domain}
	}
	return out, nil
}

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
// both methods (section 3.1). Seeds take turns, in an order that the seed number fixes.
func (b *Builder) evolve(ctx context.Context, seeds []Seed) ([]Seed, error) {
	rng := rand.New(rand.NewPCG(b.Seed, 1))
	var places []evolution
	for _, c := range long2rag.Categories {
		var of []Seed
		for _, s := range seeds {
			if s.Category == c.Name {
				of = append(of, s)
			}
		}
		rng.Shuffle(len(of), func(i, j int) { of[i], of[j] = of[j], of[i] })
		n := 0
		for _, d := range b.Domains {
			for _, method := range []string{"width", "depth"} {
				if len(of) > 0 {
					places = append(places, evolution{fmt.Sprintf("%s-%s-%s", c.Name, strings.ToLower(strings.Join(text.Words(d), "-")), method), method, of[n%len(of)], d})
					n++
				}
			}
		}
	}
	schema := json.RawMessage(fmt.Sprintf(`{"type":"object","properties":{"questions":{"type":"array","items":{"type":"string"},"minItems":%d,"maxItems":%d}},"required":["questions"]}`, b.Evolve, b.Evolve))
	var out []Seed
	for _, method := range []string{"width", "depth"} {
		var open []int
		for i, p := range places {
			if p.method == method {
				open = append(open, i)
			}
		}
		got, failed, err := stage.Ask(ctx, b.Session, stage.Question[questionsReply]{Stage: "evolve in " + method, Prompt: "long2rag/evolve-" + method + ".txt", Schema: schema, NumPredict: 100 * (b.Evolve + 1),
			Subject: func(i int) string { return places[i].id },
			Data: func(i int, problem string) any {
				return map[string]any{"Seed": places[i].seed.Text, "Category": categoryOf(places[i].seed.Category), "Domain": places[i].domain, "N": b.Evolve, "Problem": problem}
			},
			Check: func(i int, r questionsReply) string { return checkEvolved(r.Questions, places[i], b.Evolve) }}, open)
		if err != nil {
			return nil, err
		}
		for _, i := range open {
			if problem, bad := failed[i]; bad {
				b.Drop(places[i].id, "no questions: %s", problem)
				continue
			}
			for k, q := range got[i].Questions {
				out = append(out, Seed{ID: fmt.Sprintf("%s-%d", places[i].id, k+1), Text: strings.TrimSpace(q), Category: places[i].seed.Category, Domain: places[i].domain})
			}
		}
	}
	return b.distinct(out), nil
}

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
		for k := range i {
			if text.Overlap(q, questions[k]) >= sameQuestion {
				return fmt.Sprintf("questions %d and %d are the same", k+1, i+1)
			}
		}
	}
	return ""
}

// distinct leaves out questions that are those of another place.
func (b *Builder) distinct(seeds []Seed) []Seed {
	var out []Seed
	for _, s := range seeds {
		same := slices.IndexFunc(out, func(o Seed) bool { return text.Overlap(s.Text, o.Text) >= sameQuestion })
		if same >= 0 {
			b.Note("evolve", s.ID, 0, "left out: is the question %s", out[same].ID)
			continue
		}
		out = append(out, s)
	}
	return out
}

type decomposed struct {
	Type      string   `json:"type"`
	Questions []string `json:"questions"`
}

// documents searches by the sub-questions of each question. A question that could not
// be split is searched by itself.
func (b *Builder) documents(ctx context.Context, questions []*long2rag.Question, corpus map[string]string) error {
	got, failed, err := stage.Ask(ctx, b.Session, stage.Question[decomposed]{Stage: "decompose", Prompt: "long2rag/decompose.txt", NumPredict: 400,
		Schema:  json.RawMessage(fmt.Sprintf(`{"type":"object","properties":{"type":{"type":"string","enum":["simple","complex","vague"]},"questions":{"type":"array","items":{"type":"string"},"maxItems":%d}},"required":["type","questions"]}`, mostSub)),
		Subject: func(i int) string { return questions[i].ID },
		Data: func(i int, problem string) any {
			return map[string]any{"Question": questions[i].Text, "Most": mostSub, "Problem": problem}
		},
		Check: func(_ int, r decomposed) string {
			if r.Type != "simple" && len(r.Questions) == 0 {
				return "a question that is not simple needs sub-questions"
			}
			return ""
		}}, stage.Places(len(questions)))
	if err != nil {
		return err
	}
	searches := make([]Search, len(questions))
	for i, q := range questions {
		searches[i] = Search{ID: q.ID, Text: q.Text}
		if problem, bad := failed[i]; bad {
			b.Note("decompose", q.ID, 0, "searched by the question alone: %s", problem)
		} else if got[i].Type != "simple" {
			searches[i].Parts = got[i].Questions
		}
	}
	if len(searches) == 0 {
		return nil
	}
	found, err := b.Find(ctx, searches)
	if err != nil {
		return err
	}
	for i, q := range questions {
		for _, id := range found[i] {
			q.Documents = append(q.Documents, long2rag.Document{ID: id, Text: corpus[id]})
		}
		if len(q.Documents) == 0 {
			b.Drop(q.ID, "no document was found")
		} else {
			b.Note("documents", q.ID, 0, "%s, by %d searches", strings.Join(found[i], ", "), 1+len(searches[i].Parts))
		}
	}
	return nil
}

// reading is a part of a document that is read for a question.
type reading struct {
	question int
	document string
	text     string
	label    string
}

// extract reads every document several times, each time for what was overlooked.
func (b *Builder) extract(ctx context.Context, questions []*long2rag.Question) ([][]point, error) {
	var places []reading
	for i, q := range questions {
		for _, d := range q.Documents {
			parts := tokens.Windows(d.Text, extractWindow, 0)
			for k, part := range parts {
				label := q.ID + " " + d.ID
				if len(parts) > 1 {
					label += fmt.Sprintf(" part %d", k+1)
				}
				places = append(places, reading{i, d.ID, part, label})
			}
		}
	}
	out := make([][]point, len(questions))
	found := make([][]string, len(places))
	for round := 1; round <= b.Rounds; round++ {
		got, failed, err := stage.Ask(ctx, b.Session, stage.Question[[]extracted]{Stage: fmt.Sprintf("extract, round %d", round), Prompt: "long2rag/extract.txt", NumPredict: extractTokens,
			Subject: func(i int) string { return places[i].label },
			Data: func(i int, problem string) any {
				return map[string]any{"Document": places[i].text, "Question": questions[places[i].question].Text, "Found": found[i], "Problem": problem}
			},
			Read: func(_ int, r local.Reply) ([]extracted, string) { return readExtraction(r) }}, stage.Places(len(places)))
		if err != nil {
			return nil, err
		}
		for i, p := range places {
			if problem, bad := failed[i]; bad {
				b.Note("extract", p.label, 0, "no points in round %d: %s", round, problem)
			}
			for _, e := range got[i] {
				b.report.Points++
				grounded, reason := e.ground(p.text)
				if reason != "" {
					b.report.Rejected++
					b.Note("extract", p.label, 0, "rejected %q: %s", e.Text, reason)
					continue
				}
				if e.Repaired {
					b.report.Repaired++
				}
				found[i] = append(found[i], e.Text)
				out[p.question] = append(out[p.question], point{e.Text, grounded.Spans, []string{p.document}})
			}
		}
	}
	return out, nil
}

// batch is a run of a question's points that are merged at once.
type batch struct {
	question, from, to int
}

// merge puts points that say the same into one, in batches; where a question had
// several batches, what they left is merged again.
func (b *Builder) merge(ctx context.Context, questions []*long2rag.Question, points [][]point) ([][]point, error) {
	again := make([]bool, len(questions))
	for i := range again {
		again[i] = len(points[i]) > 1
	}
	for pass := 1; pass <= mergePasses; pass++ {
		var batches []batch
		for i := range questions {
			for from := 0; again[i] && from < len(points[i]); from += mergeAtOnce {
				batches = append(batches, batch{i, from, min(from+mergeAtOnce, len(points[i]))})
			}
		}
		if len(batches) == 0 {
			break
		}
		merged, err := b.mergeOnce(ctx, questions, points, batches, pass)
		if err != nil {
			return nil, err
		}
		for i := range questions {
			if again[i] {
				again[i] = len(points[i]) > mergeAtOnce && len(merged[i]) < len(points[i]) // several batches, and it helped
				points[i] = merged[i]
			}
		}
	}
	for i := range points {
		b.report.Merged += len(points[i])
	}
	return points, nil
}

func (b *Builder) mergeOnce(ctx context.Context, questions []*long2rag.Question, points [][]point, batches []batch, pass int) (map[int][]point, error) {
	subject := func(k int) string {
		return fmt.Sprintf("%s points %d to %d", questions[batches[k].question].ID, batches[k].from+1, batches[k].to)
	}
	last := map[int][]group{} // also of replies that are no partition
	type numbered struct {
		N    int
		Text string
	}
	_, failed, err := stage.Ask(ctx, b.Session, stage.Question[[]group]{Stage: fmt.Sprintf("merge, pass %d", pass), Prompt: "long2rag/merge.txt", NumPredict: mergeTokens, Subject: subject,
		Data: func(k int, problem string) any {
			var list []numbered
			for n, p := range points[batches[k].question][batches[k].from:batches[k].to] {
				list = append(list, numbered{n + 1, p.text})
			}
			return map[string]any{"Question": questions[batches[k].question].Text, "Points": list, "Problem": problem}
		},
		Read: func(k int, r local.Reply) ([]group, string) {
			groups, problem := readGroups(r)
			if problem == "" {
				last[k] = groups
				problem = partition(groups, batches[k].to-batches[k].from)
			}
			return groups, problem
		}}, stage.Places(len(batches)))
	if err != nil {
		return nil, err
	}
	out := map[int][]point{}
	for k, at := range batches {
		originals := points[at.question][at.from:at.to]
		texts := make([]string, len(originals))
		for n, p := range originals {
			texts[n] = p.text
		}
		if problem, bad := failed[k]; bad {
			b.report.Unpartitioned++
			b.Note("merge", subject(k), 0, "the mapping was repaired: %s", problem)
		}
		for _, g := range repaired(last[k], texts) {
			var p point
			p.text = g.Text
			for _, m := range g.Members {
				p.spans = appendNew(p.spans, originals[m-1].spans)
				p.documents = appendNew(p.documents, originals[m-1].documents)
			}
			if len(g.Members) > 1 {
				b.Note("merge", subject(k), 0, "%v became %q", g.Members, g.Text)
			}
			out[at.question] = append(out[at.question], p)
		}
	}
	return out, nil
}

func appendNew(list, more []string) []string {
	for _, s := range more {
		if !slices.Contains(list, s) {
			list = append(list, s)
		}
	}
	return list
}

// score asks for the significance of each point, and keeps those over the threshold
// (appendix A.2). A point without a score is left out and counted.
func (b *Builder) score(ctx context.Context, questions []*long2rag.Question, points [][]point) error {
	type place struct{ question, point int }
	var places []place
	for i := range questions {
		for k := range points[i] {
			places = append(places, place{i, k})
		}
	}
	subject := func(n int) string {
		return fmt.Sprintf("%s point %d", questions[places[n].question].ID, places[n].point+1)
	}
	scores, failed, err := stage.Ask(ctx, b.Session, stage.Question[float64]{Stage: "significance", Prompt: "long2rag/significance.txt", NumPredict: scoreTokens, TopLogprobs: 20, Once: true, Subject: subject,
		Data: func(n int, _ string) any {
			return map[string]any{"Question": questions[places[n].question].Text, "Point": points[places[n].question][places[n].point].text}
		},
		Read: func(_ int, r local.Reply) (float64, string) { return readSignificance(r) }}, stage.Places(len(places)))
	if err != nil {
		return err
	}
	for n, at := range places {
		q, p := questions[at.question], points[at.question][at.point]
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
		q.KeyPoints = append(q.KeyPoints, long2rag.KeyPoint{ID: fmt.Sprintf("p%d", len(q.KeyPoints)+1), Text: p.text, Spans: p.spans, Documents: p.documents, Score: &score})
	}
	return nil
}

// ErrNothing says that a build ended without a question.
var ErrNothing = errors.New("no question was built")
