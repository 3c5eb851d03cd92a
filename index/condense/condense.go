// Package condense shortens retrieved documents to what is shown of them: the first
// tokens, a snippet, or a summary (Long²RAG, section 5.6).
package condense

import (
	"cmp"
	"context"
	"embed"
	"fmt"
	"io/fs"
	"math"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"lore/local"
	"lore/local/extractive"
	"lore/local/guard"
	"lore/local/prompt"
	"lore/local/text"
	"lore/local/tokens"
)

//go:embed prompts
var promptFiles embed.FS

// Prompts returns the built-in prompts.
func Prompts() fs.FS { return prompt.Embedded(promptFiles) }

// Kind is a way to shorten documents.
type Kind string

// The kinds.
const (
	First   Kind = "first"   // the first tokens or characters
	Snippet Kind = "snippet" // copied sentences that fit the question
	Summary Kind = "summary"
)

// Sizes of what is made, in words. A model may write up to predict tokens.
const (
	snippetWords = 100
	summaryWords = 150
	predict      = 512
)

// Shape says what is shown of each document. The zero value shows it whole.
type Shape struct {
	Kind   Kind
	Tokens int // of First; 0: by Characters
	// Characters are Unicode code points, as the paper of Long²RAG cuts documents (its section 5.6); of First.
	Characters int
	// Model makes snippets or summaries. Without one, snippets are made by word overlap
	// and summaries by the extractive generator.
	Model string
}

// Job is a document that was retrieved for a question.
type Job struct{ Query, Document string }

// Caller runs calls through the door; gate.Gate is one.
type Caller interface {
	All(ctx context.Context, calls []local.Call, done func(i int, reply local.Reply)) error
}

// Condenser shortens documents. Calls and Call are needed for a model alone.
type Condenser struct {
	Shape
	Language string // code of that of all texts; empty: each is told
	Calls    Caller
	Call     local.Call
	Prompts  *prompt.Set
	Fit      func(calls []local.Call)
}

// Stats are what became of the documents.
type Stats struct {
	Documents int `json:"documents"`
	Before    int `json:"tokens_before"`
	After     int `json:"tokens_after"`

	// Characters of them, where they are cut by these.
	CharactersBefore int `json:"characters_before,omitempty"`
	CharactersAfter  int `json:"characters_after,omitempty"`

	// How many are shorter than before, or longer, or as long, in characters without white space.
	Shortened int `json:"shortened"`
	Longer    int `json:"longer"`
	Same      int `json:"same"`

	Failed  int    `json:"failed"` // unusable replies; their documents were shortened without the model
	Example string `json:"example,omitempty"`
	Forged  int    `json:"forged_marks,omitempty"` // documents and questions in which such marks were made neutral
}

// Run returns what is shown of each document. step, if not nil, is told how many are
// done.
func (c *Condenser) Run(ctx context.Context, jobs []Job, step func(int)) ([]string, Stats, error) {
	if step == nil {
		step = func(int) {}
	}

	stats := Stats{Documents: len(jobs)}
	out := make([]string, len(jobs))
	if c.Model != "" {
		if err := c.ask(ctx, jobs, out, &stats, step); err != nil {
			return nil, stats, err
		}
	}

	generator := extractive.New()
	for i, j := range jobs {
		if err := ctx.Err(); err != nil {
			return nil, stats, context.Cause(ctx)
		}
		if out[i] == "" {
			var err error
			if out[i], err = c.alone(ctx, generator, j); err != nil {
				return nil, stats, err
			}
			step(i + 1)
		}

		c.measure(&stats, j.Document, out[i])
	}
	return out, stats, nil
}

// measure compares a document with what is shown of it.
func (c *Condenser) measure(stats *Stats, document, shown string) {
	stats.Before += tokens.Count(document)
	stats.After += tokens.Count(shown)
	if c.Characters > 0 {
		stats.CharactersBefore += utf8.RuneCountInString(document)
		stats.CharactersAfter += utf8.RuneCountInString(shown)
	}

	switch before, after := letters(document), letters(shown); {
	case after < before:
		stats.Shortened++
	case after > before:
		stats.Longer++
	default:
		stats.Same++
	}
}

// letters counts the characters of a text that are not white space, which joining sentences changes.
func letters(s string) int {
	n := 0
	for _, r := range s {
		if !unicode.IsSpace(r) {
			n++
		}
	}
	return n
}

// alone shortens a document without a model.
func (c *Condenser) alone(ctx context.Context, generator *extractive.Backend, j Job) (string, error) {
	switch c.Kind {
	case First:
		return c.Shape.first(j.Document), nil
	case Snippet:
		return snippet(text.Of(c.Language, j.Document), j, snippetWords), nil
	case Summary:
		passages := []local.Passage{{Label: "1", Text: j.Document}}
		reply, err := generator.Do(ctx, local.Call{Source: &local.Source{
			Query:    j.Query,
			Words:    summaryWords,
			Passages: passages,
			Language: extractive.Language(c.Language, passages),
		}})
		return reply.Text, err
	}
	return j.Document, nil
}

// first is the beginning of a document.
func (s Shape) first(document string) string {
	if s.Characters == 0 {
		cut, _ := tokens.Cut(document, s.Tokens)
		return cut
	}
	n := 0
	for at := range document {
		if n == s.Characters {
			return document[:at]
		}
		n++
	}
	return document
}

// ask has the model shorten all documents.
func (c *Condenser) ask(ctx context.Context, jobs []Job, out []string, stats *Stats, step func(int)) error {
	p, err := c.Prompts.Load("condense/" + string(c.Kind) + ".txt")
	if err != nil {
		return err
	}

	words := map[Kind]int{Snippet: snippetWords, Summary: summaryWords}[c.Kind]
	calls := make([]local.Call, len(jobs))
	var seen guard.Seen
	for i, j := range jobs {
		calls[i] = c.Call
		calls[i].Options.NumPredict = predict
		data := map[string]any{"Document": j.Document, "Query": j.Query, "Words": words}
		if calls[i].Messages, err = p.RenderSeen(data, &seen); err != nil {
			return err
		}
	}
	stats.Forged = seen.Count()

	if c.Fit != nil && len(calls) > 0 {
		c.Fit(calls)
	}

	done := 0
	return c.Calls.All(ctx, calls, func(i int, r local.Reply) {
		if out[i] = strings.TrimSpace(r.Text); r.Outcome != local.OK || out[i] == "" {
			out[i] = ""
			if stats.Failed++; stats.Example == "" {
				stats.Example = fmt.Sprintf("%s: %s", r.Outcome, r.Detail)
			}
		}
		done++
		step(done)
	})
}

// snippet copies the sentences that hold most of the question's words, weighted by
// their inverse frequency over the document's sentences, up to a number of words and
// in the document's order. A gap is marked.
func snippet(l *text.Language, j Job, words int) string {
	sentences := l.Sentences(j.Document)
	scores := fit(l, sentences, j.Query)

	order := make([]int, len(sentences))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(scores[b], scores[a]) })

	var taken []int
	for _, i := range order {
		if n := text.Count(sentences[i]); n <= words {
			taken = append(taken, i)
			words -= n
		}
	}
	if len(taken) == 0 && len(order) > 0 { // each sentence is too long alone
		first, _ := text.First(sentences[order[0]], words)
		return first
	}

	slices.Sort(taken)
	var b strings.Builder
	for n, i := range taken {
		if n > 0 {
			b.WriteString(" ")
			if i > taken[n-1]+1 {
				b.WriteString("… ")
			}
		}
		b.WriteString(sentences[i])
	}
	return b.String()
}

// fit is the weight of a question's words in each sentence.
func fit(l *text.Language, sentences []string, question string) []float64 {
	asked := map[string]bool{}
	for _, t := range l.Terms(question) {
		asked[t] = true
	}

	has := make([]map[string]bool, len(sentences))
	df := map[string]float64{}
	for i, s := range sentences {
		has[i] = map[string]bool{}
		for _, t := range l.Terms(s) {
			if asked[t] && !has[i][t] {
				has[i][t] = true
				df[t]++
			}
		}
	}

	scores := make([]float64, len(sentences))
	for i, s := range sentences {
		// Words are added as they come, each once: a sum must not depend on a map's order.
		for _, t := range l.Terms(s) {
			if has[i][t] {
				scores[i] += math.Log((float64(len(sentences)) + 1) / (df[t] + 0.5))
				delete(has[i], t)
			}
		}
	}
	return scores
}
