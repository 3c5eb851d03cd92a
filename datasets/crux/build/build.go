// Package build makes CRUX datasets from summaries that people wrote and the documents
// they wrote them from (section 3.1): a model rewrites the documents as passages and
// takes the summaries apart into questions, and a judge grades every passage by every
// question.
package build

import (
	"context"
	"embed"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"

	"lore/datasets/crux"
	"lore/datasets/stage"
	"lore/judge"
	"lore/local/prompt"
	"lore/local/text"
	"lore/local/tokens"
)

//go:embed prompts
var promptFiles embed.FS

// Prompts returns the built-in prompts of the build.
func Prompts() fs.FS { return prompt.Embedded(promptFiles) }

// Settings of the build that are the paper's (section 3.1).
const (
	chunkTokens  = 1024 // longer documents are split first
	passageWords = 200
	leastPassage = 60 // words of a passage that is taken
	mostPassage  = 400
	leastRequest = 15 // words of a request that is taken
	mostRequest  = 100
	sameQuestion = 0.8 // share of common words from which two questions are one
)

// Builder makes topics and passages from pairs.
type Builder struct {
	*stage.Session
	Judge     judge.Judge
	Questions int // per topic
	Eta       int // least grade that makes a passage relevant
	Graded    func(stage string, n int) func(done int)

	Ungraded int // grades that could not be read, and count 0
}

type chunk struct {
	pair     int
	document string
	text     string
}

// Build runs all stages. A pair that fails in one is left out, with its reason in
// the log; so is a passage that could not be made.
func (b *Builder) Build(ctx context.Context, pairs []Pair, documents map[string]string) ([]crux.Topic, []crux.Passage, error) {
	var chunks []chunk
	for i, p := range pairs {
		for _, id := range p.Documents {
			parts := tokens.Windows(documents[id], chunkTokens, 0)
			for _, part := range parts {
				chunks = append(chunks, chunk{i, id, part})
			}
			if len(parts) > 1 {
				b.Note("split", id, 0, "%d parts of at most %d tokens", len(parts), chunkTokens)
			}
		}
	}
	passages, owner, err := b.passages(ctx, pairs, chunks)
	if err != nil {
		return nil, nil, err
	}
	requests, questions, err := b.ask(ctx, pairs)
	if err != nil {
		return nil, nil, err
	}
	topics, err := b.grade(ctx, pairs, requests, questions, passages, owner)
	return topics, passages, err
}

type passagesReply struct {
	Passages []string `json:"passages"`
}

// passages rewrites every part of a document as two or three passages.
func (b *Builder) passages(ctx context.Context, pairs []Pair, chunks []chunk) ([]crux.Passage, []int, error) {
	schema := json.RawMessage(`{"type":"object","properties":{"passages":{"type":"array","items":{"type":"string"},"minItems":1,"maxItems":4}},"required":["passages"]}`)
	least := func(i int) int { // a short part makes one passage
		if len(strings.Fields(chunks[i].text)) < 3*passageWords/2 {
			return 1
		}
		return 2
	}
	got, failed, err := stage.Ask(ctx, b.Session, stage.Question[passagesReply]{Stage: "passages", Prompt: "crux/passages.txt", Schema: schema, NumPredict: 1500,
		Subject: func(i int) string { return pairs[chunks[i].pair].ID + " " + chunks[i].document },
		Data: func(i int, problem string) any {
			return map[string]any{"Text": chunks[i].text, "Least": least(i), "Most": 3, "Words": passageWords, "Problem": problem}
		},
		Check: func(i int, r passagesReply) string {
			return checkPassages(r.Passages, least(i), len(strings.Fields(chunks[i].text)))
		},
	}, stage.Places(len(chunks)))
	if err != nil {
		return nil, nil, err
	}
	var out []crux.Passage
	var owner []int
	for i, c := range chunks {
		if problem, bad := failed[i]; bad {
			b.Drop(pairs[c.pair].ID+" "+c.document, "no passages: %s", problem)
			continue
		}
		for _, p := range got[i].Passages {
			out = append(out, crux.Passage{ID: fmt.Sprintf("%s-%d", pairs[c.pair].ID, 1+count(owner, c.pair)), Text: strings.TrimSpace(p)})
			owner = append(owner, c.pair)
		}
	}
	return out, owner, nil
}

func count(values []int, v int) int {
	n := 0
	for _, x := range values {
		if x == v {
			n++
		}
	}
	return n
}

func checkPassages(passages []string, least, words int) string {
	if n := len(passages); n < least || n > 3 {
		return fmt.Sprintf("%d passages where %d to 3 were asked for", n, least)
	}
	floor := min(leastPassage, words/3)
	for i, p := range passages {
		if n := len(strings.Fields(p)); n < floor || n > mostPassage || n == 0 {
			return fmt.Sprintf("passage %d has %d words, not about %d", i+1, n, passageWords)
		}
	}
	return ""
}

type requestReply struct {
	Request string `json:"request"`
}

type questionsReply struct {
	Questions []string `json:"questions"`
}

// ask makes a request and the sub-questions of every summary.
func (b *Builder) ask(ctx context.Context, pairs []Pair) (map[int]requestReply, map[int]questionsReply, error) {
	subject := func(i int) string { return pairs[i].ID }
	requests, failed, err := stage.Ask(ctx, b.Session, stage.Question[requestReply]{Stage: "request", Prompt: "crux/request.txt", NumPredict: 300, Subject: subject,
		Schema: json.RawMessage(`{"type":"object","properties":{"request":{"type":"string"}},"required":["request"]}`),
		Data: func(i int, problem string) any {
			return map[string]any{"Summary": pairs[i].Summary, "Problem": problem}
		},
		Check: func(_ int, r requestReply) string {
			if n := len(strings.Fields(r.Request)); n < leastRequest || n > mostRequest {
				return fmt.Sprintf("the request has %d words, not about 50", n)
			}
			return ""
		}}, stage.Places(len(pairs)))
	if err != nil {
		return nil, nil, err
	}
	var open []int
	for i := range pairs {
		if problem, bad := failed[i]; bad {
			b.Drop(pairs[i].ID, "no request: %s", problem)
		} else {
			open = append(open, i)
		}
	}
	questions, failed, err := stage.Ask(ctx, b.Session, stage.Question[questionsReply]{Stage: "questions", Prompt: "crux/questions.txt", NumPredict: 60 * b.Questions, Subject: subject,
		Schema: json.RawMessage(fmt.Sprintf(`{"type":"object","properties":{"questions":{"type":"array","items":{"type":"string"},"minItems":%d,"maxItems":%d}},"required":["questions"]}`, b.Questions, b.Questions)),
		Data: func(i int, problem string) any {
			return map[string]any{"Summary": pairs[i].Summary, "N": b.Questions, "Problem": problem}
		},
		Check: func(_ int, r questionsReply) string { return checkQuestions(r.Questions, b.Questions) }}, open)
	for _, i := range open {
		if problem, bad := failed[i]; bad {
			b.Drop(pairs[i].ID, "no questions: %s", problem)
		}
	}
	return requests, questions, err
}

func checkQuestions(questions []string, n int) string {
	if len(questions) != n {
		return fmt.Sprintf("%d questions where %d were asked for", len(questions), n)
	}
	for i, q := range questions {
		if len(strings.Fields(q)) < 3 {
			return fmt.Sprintf("question %d has fewer than 3 words", i+1)
		}
		for j := range i {
			if text.Overlap(q, questions[j]) >= sameQuestion {
				return fmt.Sprintf("questions %d and %d are the same", j+1, i+1)
			}
		}
	}
	return ""
}

// grade has the judge grade every passage of a topic by its questions. Passages that
// answer nothing stay in the corpus without grades; a topic of which nothing is
// answerable, or with a grade that could not be read, says so in the log.
func (b *Builder) grade(ctx context.Context, pairs []Pair, requests map[int]requestReply, questions map[int]questionsReply, passages []crux.Passage, owner []int) ([]crux.Topic, error) {
	var tasks []judge.Task
	var places []int
	n := 0
	for p, i := range owner {
		qs, ok := questions[i]
		if !ok {
			continue
		}
		task := judge.Task{ID: "grade " + passages[p].ID, About: requests[i].Request, Units: []string{passages[p].Text}}
		for q, text := range qs.Questions {
			task.Questions = append(task.Questions, judge.Question{ID: fmt.Sprint(q + 1), Kind: judge.Answerability, Text: text})
		}
		tasks, places = append(tasks, task), append(places, p)
		n += len(task.Questions)
	}
	var step func(int)
	if b.Graded != nil {
		step = b.Graded("grade", n)
	}
	verdicts, err := b.Judge.Judge(ctx, tasks, step)
	if err != nil {
		return nil, err
	}
	grades := map[int]map[string][]int{}
	for t, p := range places {
		row := make([]int, len(verdicts[t]))
		most := 0
		for q, v := range verdicts[t] {
			if !v.Scored() {
				b.Ungraded++
				b.Note("grade", passages[p].ID, 0, "question %d counts 0: %s: %s", q+1, v.Outcome, v.Reason)
				continue
			}
			row[q] = int(v.Value*crux.MaxGrade + 0.5)
			most = max(most, row[q])
		}
		if most < b.Eta {
			b.Note("grade", passages[p].ID, 0, "answers no question and becomes a distractor")
			continue
		}
		if grades[owner[p]] == nil {
			grades[owner[p]] = map[string][]int{}
		}
		grades[owner[p]][passages[p].ID] = row
	}
	var topics []crux.Topic
	for i, pair := range pairs {
		qs, ok := questions[i]
		switch {
		case !ok:
		case grades[i] == nil:
			b.Drop(pair.ID, "no passage answers a question with a grade of %d or more", b.Eta)
		default:
			t := crux.Topic{ID: pair.ID, Query: strings.TrimSpace(requests[i].Request), Questions: qs.Questions, Summary: pair.Summary, Grades: grades[i]}
			ids := slices.Sorted(maps.Keys(t.Grades))
			b.Note("topic", pair.ID, 0, "%d of %d passages relevant, %d required", len(ids), count(owner, i), len(crux.Required(ids, t.Grades, b.Eta)))
			topics = append(topics, t)
		}
	}
	return topics, nil
}
