// Package build makes MSRS datasets (section 3): queries about a part of a story are
// rewritten to stand alone, and queries of meetings are clustered and merged, so that
// their answer has to be put together from several documents.
package build

import (
	"context"
	"embed"
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
	"lore/datasets/msrs"
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

// Builder makes a dataset from documents and queries with a model.
type Builder struct {
	*stage.Session
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
	seen := map[string]string{}
	err := datasets.EachLine(data, func(place string, line []byte) error {
		var s Source
		err := json.Unmarshal(line, &s)
		bad := func(msg string) error {
			return &datasets.InputError{File: name, Place: place, Msg: msg, Remedy: `a line is {"id", "query", "summary", "documents": [...]}, and "story" where documents are split`, Err: err}
		}
		switch {
		case err != nil:
			return bad("is no JSON: " + err.Error())
		case strings.TrimSpace(s.Query) == "":
			return bad("has no query")
		case len(s.references()) == 0:
			return bad("has no summary")
		}
		if s.ID == "" {
			s.ID = fmt.Sprint(len(out))
		}
		if other, twice := seen[s.ID]; twice {
			return bad(fmt.Sprintf("repeats the id %q of %s", s.ID, other))
		}
		seen[s.ID] = place
		out = append(out, s)
		return nil
	})
	if err != nil {
		return nil, err
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
			return datasets.NotUTF8(filepath.Join(name, p))
		}
		out = append(out, datasets.Document{ID: strings.ReplaceAll(strings.TrimSuffix(p, path.Ext(p)), "/", "_"), Text: string(data)})
		return nil
	})
	if err != nil {
		if _, ours := err.(*datasets.InputError); ours {
			return nil, err
		}
		return nil, &datasets.InputError{File: name, Msg: "cannot be read: " + datasets.Cause(err), Remedy: "give a folder of .txt and .md files", Err: err}
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
		b.Note("split", "", 0, "%s: %d parts", d.ID, parts)
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
func (b *Builder) Story(ctx context.Context, chapters []datasets.Document, sources []Source) ([]msrs.Query, error) {
	gold := make([][]string, len(sources))
	openings := make([]string, len(sources))
	var open []int
	for i, s := range sources {
		gold[i], openings[i] = goldOf(chapters, s)
		if len(gold[i]) == 0 {
			b.Drop(s.ID, "no chapter of the story %q is there", s.Story)
			continue
		}
		open = append(open, i)
	}
	problems := map[int]string{}
	results := make([]string, len(sources))
	for try := 1; try <= b.Tries && len(open) > 0; try++ {
		queries, failed, err := stage.Round(ctx, b.Session, stage.Question[queryReply]{Stage: "rewrite", Prompt: "msrs/rewrite.txt", Schema: rewriteSchema, NumPredict: 200,
			Data: func(i int, problem string) any {
				return map[string]any{"Query": sources[i].Query, "Opening": openings[i], "Answer": sources[i].references()[0], "Problem": problem}
			}}, open, problems, try)
		if err != nil {
			return nil, err
		}
		var asked []int
		for _, i := range open {
			problems[i] = failed[i]
			if problems[i] == "" {
				problems[i] = queryProblem(queries[i].Query, sources[i])
			}
			if problems[i] == "" {
				asked = append(asked, i)
			} else {
				b.Refuse("rewrite", sources[i].ID, try, "refused: %s", problems[i])
			}
		}
		checks, failed, err := stage.Round(ctx, b.Session, stage.Question[checkReply]{Stage: "check", Prompt: "msrs/check.txt", Schema: checkSchema, NumPredict: 60,
			Data: func(i int, _ string) any {
				return map[string]any{"Original": sources[i].Query, "Query": queries[i].Query, "Answer": sources[i].references()[0]}
			}}, asked, nil, try)
		if err != nil {
			return nil, err
		}
		for _, i := range asked {
			problems[i] = checkProblem(checks[i], failed[i])
			if problems[i] == "" {
				results[i] = strings.TrimSpace(queries[i].Query)
				b.Note("rewrite", sources[i].ID, try, "%q became %q", sources[i].Query, results[i])
			} else {
				b.Refuse("check", sources[i].ID, try, "refused %q: %s", queries[i].Query, problems[i])
			}
		}
		open = slices.DeleteFunc(open, func(i int) bool { return results[i] != "" })
	}
	var out []msrs.Query
	for i, s := range sources {
		if results[i] != "" {
			out = append(out, msrs.Query{ID: s.ID, Text: results[i], Gold: gold[i], References: s.references()})
		} else if len(gold[i]) > 0 {
			b.Drop(s.ID, "after %d tries: %s", b.Tries, problems[i])
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

type queryReply struct {
	Query   string `json:"query"`
	Summary string `json:"summary"` // of merged queries
}

type checkReply struct {
	Alone   bool `json:"stands_alone"`
	Same    bool `json:"same_question"`
	Reveals bool `json:"reveals_answer"`
}

func queryProblem(query string, s Source) string {
	n := len(strings.Fields(query))
	switch {
	case n < 3 || n > 80:
		return fmt.Sprintf("the question has %d words", n)
	case revealed(query, s) > revealLimit:
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

func checkProblem(a checkReply, failed string) string {
	switch {
	case failed != "":
		return "the check failed: " + failed
	case !a.Alone:
		return "it does not stand alone"
	case !a.Same:
		return "it asks something else"
	case a.Reveals:
		return "it reveals the answer"
	}
	return ""
}

// Meeting clusters queries by similarity and merges each cluster's queries and
// summaries into one, by a model, or by joining them where there is none.
func (b *Builder) Meeting(ctx context.Context, sources []Source, similarity func(i, j int) float64, threshold float64) ([]msrs.Query, error) {
	clusters := Cluster(len(sources), similarity, threshold)
	b.Note("cluster", "", 0, "%d queries: %d clusters at a similarity of %g, %d splits of too large ones, %d queries alone merged into the nearest, %d dropped",
		len(sources), len(clusters.Clusters), threshold, clusters.Splits, clusters.Merged, len(clusters.Dropped))
	for _, i := range clusters.Dropped {
		b.Drop(sources[i].ID, "alone, and no cluster has room")
	}
	places := make([]int, len(clusters.Clusters))
	for i := range places {
		places[i] = i
		b.Note("cluster", mergedID(i), 0, "%s", strings.Join(idsOf(sources, clusters.Clusters[i]), ", "))
	}
	merged, failed, err := b.merge(ctx, places, clusters.Clusters, sources)
	if err != nil {
		return nil, err
	}
	var out []msrs.Query
	for _, i := range places {
		a, problem := merged[i], failed[i]
		if problem == "" && (strings.TrimSpace(a.Query) == "" || strings.TrimSpace(a.Summary) == "") {
			problem = string(local.Empty) + ": no query or no summary"
		}
		if problem != "" {
			b.Drop(mergedID(i), "%s", problem)
			continue
		}
		q := msrs.Query{ID: mergedID(i), Text: strings.TrimSpace(a.Query), References: []string{strings.TrimSpace(a.Summary)}}
		for _, m := range clusters.Clusters[i] {
			for _, d := range sources[m].Documents {
				if !slices.Contains(q.Gold, d) {
					q.Gold = append(q.Gold, d)
				}
			}
		}
		b.Note("merge", q.ID, 0, "%q over %d documents", q.Text, len(q.Gold))
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

// merge asks for one query and one summary per cluster, or joins them without a
// model.
func (b *Builder) merge(ctx context.Context, places []int, clusters [][]int, sources []Source) (map[int]queryReply, map[int]string, error) {
	type member struct{ Query, Summary string }
	members := func(i int) []member {
		var out []member
		for _, m := range clusters[i] {
			out = append(out, member{sources[m].Query, sources[m].references()[0]})
		}
		return out
	}
	if b.Calls == nil {
		out := map[int]queryReply{}
		for _, i := range places {
			var queries, summaries []string
			for _, m := range members(i) {
				queries, summaries = append(queries, m.Query), append(summaries, m.Summary)
			}
			out[i] = queryReply{strings.Join(queries, " "), strings.Join(summaries, "\n")}
		}
		return out, nil, nil
	}
	return stage.Round(ctx, b.Session, stage.Question[queryReply]{Stage: "merge", Prompt: "msrs/merge.txt", Schema: mergeSchema, NumPredict: 1200,
		Data: func(i int, _ string) any { return map[string]any{"Members": members(i)} }}, places, nil, 1)
}
