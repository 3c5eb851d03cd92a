package msrs

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"lore/datasets"
	"lore/local"
	"lore/local/prompt"
	"lore/local/text"
	"lore/local/tokens"
)

// Caller runs calls through the door; gate.Gate is one.
type Caller interface {
	All(ctx context.Context, calls []local.Call, done func(i int, reply local.Reply)) error
}

// Builder makes a dataset from documents and queries with a model.
type Builder struct {
	Calls   Caller
	Call    local.Call // backend, model, digest and options of every call
	Prompts *prompt.Set
	Tries   int                                      // of a rewriting, at least 1
	Fit     func(calls []local.Call)                 // sets the context window of calls; may be nil
	Step    func(stage string, n int) func(done int) // progress; may be nil

	log []Event
}

// Event is a line of the build's log.
type Event struct {
	Stage  string `json:"stage"` // split, rewrite, check, cluster, merge, drop
	Query  string `json:"query,omitempty"`
	Try    int    `json:"try,omitempty"`
	Detail string `json:"detail"`
}

// Log lists all that was done and dropped, in a fixed order.
func (b *Builder) Log() []Event { return b.log }

func (b *Builder) note(stage, query string, try int, format string, args ...any) {
	b.log = append(b.log, Event{stage, query, try, fmt.Sprintf(format, args...)})
}

// Source is a query to build from.
type Source struct {
	ID         string   `json:"id"`
	Story      string   `json:"story,omitempty"` // of a story: the file, without its ending
	Query      string   `json:"query"`
	Documents  []string `json:"documents,omitempty"` // gold documents; of a story all its chapters if none are named
	Summary    string   `json:"summary,omitempty"`
	References []string `json:"references,omitempty"`
}

func (s Source) references() []string {
	if s.Summary != "" {
		return append([]string{s.Summary}, s.References...)
	}
	return s.References
}

// ReadSources reads lines of JSON with id, query, and a summary or references.
func ReadSources(name string, data []byte) ([]Source, error) {
	var out []Source
	seen := map[string]int{}
	n := 0
	for line := range bytes.Lines(data) {
		if n++; len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		var s Source
		err := json.Unmarshal(line, &s)
		bad := func(msg string) error {
			return &datasets.InputError{File: name, Place: fmt.Sprintf("line %d", n), Msg: msg, Remedy: `a line is {"id", "query", "summary", "documents": [...]}, and "story" where documents are split`, Err: err}
		}
		switch {
		case err != nil:
			return nil, bad("is no JSON: " + err.Error())
		case strings.TrimSpace(s.Query) == "":
			return nil, bad("has no query")
		case len(s.references()) == 0:
			return nil, bad("has no summary")
		}
		if s.ID == "" {
			s.ID = fmt.Sprint(len(out))
		}
		if other, twice := seen[s.ID]; twice {
			return nil, bad(fmt.Sprintf("repeats the id %q of line %d", s.ID, other))
		}
		seen[s.ID] = n
		out = append(out, s)
	}
	if len(out) == 0 {
		return nil, &datasets.InputError{File: name, Msg: "holds no queries", Remedy: "give lines of JSON with query and summary"}
	}
	return out, nil
}

// ReadTexts reads the .txt and .md files of a folder, by name without ending.
func ReadTexts(dir fs.FS, name string) ([]datasets.Document, error) {
	var out []datasets.Document
	err := fs.WalkDir(dir, ".", func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !slices.Contains([]string{".txt", ".md"}, strings.ToLower(path.Ext(p))) {
			return err
		}
		data, err := fs.ReadFile(dir, p)
		if err != nil {
			return err
		}
		if !utf8.Valid(data) {
			return notUTF8(filepath.Join(name, p))
		}
		out = append(out, datasets.Document{ID: strings.ReplaceAll(strings.TrimSuffix(p, path.Ext(p)), "/", "_"), Text: string(data)})
		return nil
	})
	if err != nil {
		if _, ours := err.(*datasets.InputError); ours {
			return nil, err
		}
		return nil, &datasets.InputError{File: name, Msg: "cannot be read: " + cause(err), Remedy: "give a folder of .txt and .md files", Err: err}
	}
	if len(out) == 0 {
		return nil, &datasets.InputError{File: name, Msg: "holds no .txt or .md files", Remedy: "give a folder of texts"}
	}
	return out, nil
}

// Headings matches Markdown headings and lines such as "Chapter 3" or "IV.".
var Headings = regexp.MustCompile(`(?m)^(#{1,6} .*|(?i:chapter|part|act|scene)\b.{0,60}|[IVXLC]+\.?)[ \t]*$`)

// Split cuts documents at lines that match, which stay at the beginning of their
// part. Parts are numbered from 1; a document without a match stays whole.
func (b *Builder) Split(docs []datasets.Document, at *regexp.Regexp) []datasets.Document {
	var out []datasets.Document
	for _, d := range docs {
		var starts []int
		for _, m := range at.FindAllStringIndex(d.Text, -1) {
			starts = append(starts, m[0])
		}
		if len(starts) == 0 || strings.TrimSpace(d.Text[:starts[0]]) != "" {
			starts = append([]int{0}, starts...)
		}
		parts := 0
		for i, s := range starts {
			end := len(d.Text)
			if i+1 < len(starts) {
				end = starts[i+1]
			}
			if part := strings.TrimSpace(d.Text[s:end]); part != "" {
				parts++
				out = append(out, datasets.Document{ID: fmt.Sprintf("%s-%d", d.ID, parts), Text: part})
			}
		}
		b.note("split", "", 0, "%s: %d parts", d.ID, parts)
	}
	return out
}

// openingTokens is how much of a story's beginning the model is shown.
const openingTokens = 600

var (
	rewriteSchema = json.RawMessage(`{"type":"object","properties":{"query":{"type":"string"}},"required":["query"]}`)
	checkSchema   = json.RawMessage(`{"type":"object","properties":{"stands_alone":{"type":"boolean"},"same_question":{"type":"boolean"},"reveals_answer":{"type":"boolean"}},"required":["stands_alone","same_question","reveals_answer"]}`)
	mergeSchema   = json.RawMessage(`{"type":"object","properties":{"query":{"type":"string"},"summary":{"type":"string"}},"required":["query","summary"]}`)
)

// Story rewrites context-dependent queries so that they stand alone: each is checked
// by the model and tried again with the reason, up to Tries times. A query that does
// not pass is dropped and logged.
func (b *Builder) Story(ctx context.Context, chapters []datasets.Document, sources []Source) ([]Query, error) {
	rewrite, err := b.Prompts.Load("msrs/rewrite.txt")
	if err != nil {
		return nil, err
	}
	check, err := b.Prompts.Load("msrs/check.txt")
	if err != nil {
		return nil, err
	}
	gold := make([][]string, len(sources))
	openings := make([]string, len(sources))
	var open []int
	for i, s := range sources {
		gold[i], openings[i] = goldOf(chapters, s)
		if len(gold[i]) == 0 {
			b.note("drop", s.ID, 0, "no chapter of the story %q is there", s.Story)
			continue
		}
		open = append(open, i)
	}
	problems := make([]string, len(sources))
	results := make([]string, len(sources))
	for try := 1; try <= b.Tries && len(open) > 0; try++ {
		queries, err := b.ask(ctx, fmt.Sprintf("rewrite, try %d", try), open, rewrite, rewriteSchema, 200, func(i int) any {
			return map[string]any{"Query": sources[i].Query, "Opening": openings[i], "Answer": sources[i].references()[0], "Problem": problems[i]}
		})
		if err != nil {
			return nil, err
		}
		var asked []int
		for _, i := range open {
			problems[i] = queryProblem(queries[i], sources[i])
			if problems[i] == "" {
				asked = append(asked, i)
			} else {
				b.note("rewrite", sources[i].ID, try, "refused: %s", problems[i])
			}
		}
		checks, err := b.ask(ctx, fmt.Sprintf("check, try %d", try), asked, check, checkSchema, 60, func(i int) any {
			return map[string]any{"Original": sources[i].Query, "Query": queries[i].Query, "Answer": sources[i].references()[0]}
		})
		if err != nil {
			return nil, err
		}
		for _, i := range asked {
			problems[i] = checkProblem(checks[i])
			if problems[i] == "" {
				results[i] = strings.TrimSpace(queries[i].Query)
				b.note("rewrite", sources[i].ID, try, "%q became %q", sources[i].Query, results[i])
			} else {
				b.note("check", sources[i].ID, try, "refused %q: %s", queries[i].Query, problems[i])
			}
		}
		open = slices.DeleteFunc(open, func(i int) bool { return results[i] != "" })
	}
	var out []Query
	for i, s := range sources {
		if results[i] != "" {
			out = append(out, Query{ID: s.ID, Text: results[i], Gold: gold[i], References: s.references()})
		} else if len(gold[i]) > 0 {
			b.note("drop", s.ID, 0, "after %d tries: %s", b.Tries, problems[i])
		}
	}
	return out, nil
}

// goldOf finds a query's chapters and how its story begins.
func goldOf(chapters []datasets.Document, s Source) (gold []string, opening string) {
	for _, c := range chapters {
		story := c.ID[:max(0, strings.LastIndexByte(c.ID, '-'))]
		if slices.Contains(s.Documents, c.ID) || (len(s.Documents) == 0 && s.Story != "" && story == s.Story) {
			gold = append(gold, c.ID)
			if opening == "" {
				opening, _ = tokens.Cut(c.Text, openingTokens)
			}
		}
	}
	return gold, opening
}

// answer is what any of the prompts is replied with.
type answer struct {
	Query   string `json:"query"`
	Summary string `json:"summary"`
	Alone   bool   `json:"stands_alone"`
	Same    bool   `json:"same_question"`
	Reveals bool   `json:"reveals_answer"`
	problem string // the call failed
}

func queryProblem(a answer, s Source) string {
	n := len(strings.Fields(a.Query))
	switch {
	case a.problem != "":
		return a.problem
	case n < 3 || n > 80:
		return fmt.Sprintf("the question has %d words", n)
	case revealed(a.Query, s) > revealLimit:
		return "the question repeats the answer"
	}
	return ""
}

// revealLimit is the share of the answer's content words above which a question
// gives it away.
const revealLimit = 0.5

// revealed is the share of the shortest reference's content words, those of the
// original query left out, that a question holds.
func revealed(query string, s Source) float64 {
	have := termSet(query)
	old := termSet(s.Query)
	most := 0.0
	for _, ref := range s.references() {
		total, found := 0.0, 0.0
		for w := range termSet(ref) {
			if old[w] {
				continue
			}
			total++
			if have[w] {
				found++
			}
		}
		if total > 0 {
			most = max(most, found/total)
		}
	}
	return most
}

func termSet(s string) map[string]bool {
	out := map[string]bool{}
	for _, w := range text.Terms(s) {
		out[w] = true
	}
	return out
}

func checkProblem(a answer) string {
	switch {
	case a.problem != "":
		return "the check failed: " + a.problem
	case !a.Alone:
		return "it does not stand alone"
	case !a.Same:
		return "it asks something else"
	case a.Reveals:
		return "it reveals the answer"
	}
	return ""
}

// ask sends a prompt for each of the places and decodes the replies. A failed call
// is an answer with a problem.
func (b *Builder) ask(ctx context.Context, stage string, places []int, p *prompt.Prompt, schema json.RawMessage, numPredict int, data func(i int) any) (map[int]answer, error) {
	calls := make([]local.Call, len(places))
	for k, i := range places {
		calls[k] = b.Call
		calls[k].Schema, calls[k].Options.NumPredict = schema, numPredict
		var err error
		if calls[k].Messages, err = p.Render(data(i)); err != nil {
			return nil, err
		}
	}
	if b.Fit != nil && len(calls) > 0 {
		b.Fit(calls)
	}
	step := func(int) {}
	if b.Step != nil {
		step = b.Step(stage, len(calls))
	}
	out := make(map[int]answer, len(places))
	done := 0
	err := b.Calls.All(ctx, calls, func(k int, r local.Reply) {
		var a answer
		if r.Outcome != local.OK {
			a.problem = fmt.Sprintf("%s: %s", r.Outcome, r.Detail)
		} else if err := json.Unmarshal([]byte(r.Text), &a); err != nil {
			a.problem = fmt.Sprintf("%s: %v", local.BadFormat, err)
		}
		out[places[k]] = a
		done++
		step(done)
	})
	return out, err
}

// Meeting clusters queries by similarity and merges each cluster's queries and
// summaries into one, by a model, or by joining them where there is none.
func (b *Builder) Meeting(ctx context.Context, sources []Source, similarity func(i, j int) float64, threshold float64) ([]Query, error) {
	clusters := Cluster(len(sources), similarity, threshold)
	b.note("cluster", "", 0, "%d queries: %d clusters at a similarity of %g, %d splits of too large ones, %d queries alone merged into the nearest, %d dropped",
		len(sources), len(clusters.Clusters), threshold, clusters.Splits, clusters.Merged, len(clusters.Dropped))
	for _, i := range clusters.Dropped {
		b.note("drop", sources[i].ID, 0, "alone, and no cluster has room")
	}
	places := make([]int, len(clusters.Clusters))
	for i := range places {
		places[i] = i
		b.note("cluster", mergedID(i), 0, "%s", strings.Join(idsOf(sources, clusters.Clusters[i]), ", "))
	}
	merged, err := b.merge(ctx, places, clusters.Clusters, sources)
	if err != nil {
		return nil, err
	}
	var out []Query
	for _, i := range places {
		a := merged[i]
		if a.problem == "" && (strings.TrimSpace(a.Query) == "" || strings.TrimSpace(a.Summary) == "") {
			a.problem = string(local.Empty) + ": no query or no summary"
		}
		if a.problem != "" {
			b.note("drop", mergedID(i), 0, "%s", a.problem)
			continue
		}
		q := Query{ID: mergedID(i), Text: strings.TrimSpace(a.Query), References: []string{strings.TrimSpace(a.Summary)}}
		for _, m := range clusters.Clusters[i] {
			for _, d := range sources[m].Documents {
				if !slices.Contains(q.Gold, d) {
					q.Gold = append(q.Gold, d)
				}
			}
		}
		b.note("merge", q.ID, 0, "%q over %d documents", q.Text, len(q.Gold))
		out = append(out, q)
	}
	return out, nil
}

func mergedID(i int) string { return fmt.Sprintf("m%03d", i+1) }

func idsOf(sources []Source, members []int) []string {
	var out []string
	for _, m := range members {
		out = append(out, sources[m].ID)
	}
	return out
}

func (b *Builder) merge(ctx context.Context, places []int, clusters [][]int, sources []Source) (map[int]answer, error) {
	type member struct{ Query, Summary string }
	members := func(i int) []member {
		var out []member
		for _, m := range clusters[i] {
			out = append(out, member{sources[m].Query, sources[m].references()[0]})
		}
		return out
	}
	if b.Calls == nil {
		out := map[int]answer{}
		for _, i := range places {
			var a answer
			for k, m := range members(i) {
				if k > 0 {
					a.Query, a.Summary = a.Query+" ", a.Summary+"\n"
				}
				a.Query, a.Summary = a.Query+m.Query, a.Summary+m.Summary
			}
			out[i] = a
		}
		return out, nil
	}
	p, err := b.Prompts.Load("msrs/merge.txt")
	if err != nil {
		return nil, err
	}
	return b.ask(ctx, "merge", places, p, mergeSchema, 1200, func(i int) any { return map[string]any{"Members": members(i)} })
}
