// Package pipeline reads the retrievers that a command line names, and opens them: a
// source such as bm25, perhaps stages that order what it found anew, and perhaps what is
// shown of each document.
package pipeline

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"lore/cmd/lore/internal/models"
	"lore/cmd/lore/internal/usage"
	"lore/index"
	"lore/index/condense"
	"lore/local/ollama"
	"lore/local/text"
)

// RetrieverHelp lists the retrievers for help texts and errors.
const RetrieverHelp = "bm25, bm25(k1=0.9,b=0.4,analyzer=pyserini,lengths=lucene), dense:DIR, dense:ollama:NAME, " +
	"sparse:DIR, sparse:DIR,query=DIR2, keywords, keywords-released, random, given, oracle, oracle-k, oracle1, " +
	"oracle1:ollama:NAME, full, full-top, full-middle, full-bottom, full-random, none, recorded:NAME, trec:FILE; " +
	"rrf(A,B), rrf(A,B,k=60), convex(A,B), convex(A,B,weights=0.3:0.7), combmnz(A,B), decompose(A,ollama:NAME), " +
	"rm3(bm25,fb_docs=10,fb_terms=10,original_query_weight=0.5)"

// StageHelp lists what may follow a retriever after ">".
const StageHelp = "rerank:llm:NAME, rerank:llm5:NAME, rerank:listwise:NAME, rerank:firsttoken:NAME, " +
	"rerank:setwise:NAME, rerank:cross:DIR, rerank:colbert:DIR, mmr:LAMBDA, mmr:LAMBDA:dense:DIR, mmr:LAMBDA:sparse:DIR; " +
	"@N at the end is how many documents are reranked; " +
	"and last, what is shown of each document: first:TOKENS, first:CHARACTERSc, snippet, snippet:MODEL, summary, summary:MODEL"

// Example is an example of the syntax.
const Example = "rrf(bm25,dense:models/minilm)>rerank:llm:qwen3:8b@20"

// Source is where documents come from: a retriever, or a combination of several.
type Source struct {
	Kind   string     // bm25, dense, ..., a fusion, decompose, or rm3
	Arg    string     // after the colon; of decompose the model
	Query  string     // of sparse: what encodes queries, where it is not Arg
	Parts  []Pipeline // of a combination
	Params []Param    // that were given, in the order in which names have them
}

// Stage is a step that orders the first documents anew.
type Stage struct {
	Kind   string  // crossEncoder, colbert, mmr, or a rerank.Kind
	Model  string  // folder, model name, or the vectors of MMR
	Lambda float64 // of MMR
	Depth  int     // documents ordered anew; those below keep their order
}

// Kinds of stages besides those of rerank.
const (
	crossEncoder = "cross"
	colbert      = "colbert"
	mmr          = "mmr"
)

// Depths of stages where none is given: as in MSRS for scores by a model, the first
// hundred otherwise.
const (
	pointwiseDepth = 20
	stageDepth     = 100
)

// Pipeline is a source with its stages.
type Pipeline struct {
	Name   string // in tables and file names
	Source Source
	Stages []Stage
	Shape  condense.Shape // what is shown of each document
}

// plain lists the sources without an argument.
var plain = []string{
	"bm25", "keywords", keywordsReleased, "random", "oracle", oracleK, given,
	"full", "full-top", "full-middle", "full-bottom", "full-random", "none",
}

// withArgument lists the sources that need one.
var withArgument = []string{"dense", sparse, "recorded", "trec"}

const decompose = "decompose"

// Kinds are the words that a retriever can begin with, and a stage behind ">". Those that need
// something end in ":" or "(".
func Kinds() []string {
	out := slices.Clone(plain)
	out = append(out, oracle1)
	for _, w := range withArgument {
		out = append(out, w+":")
	}
	for _, w := range combinations() {
		out = append(out, w+"(")
	}
	return append(out, "rerank:", mmr+":", "first:", "snippet", "summary")
}

// keywordsReleased is the keyword baseline by the counting of SummHay's release.
const keywordsReleased = "keywords-released"

// given is the ranking that came with the data under this name.
const given = "given"

// oracleK is the oracle's ranking with the limits that all rankings have.
const oracleK = "oracle-k"

// oracle1 is the gold document that a model finds most relevant to the query (the paper
// of MSRS: oracle, top 1); without a model the benchmark's rule chooses, or the lexical
// judge where it has none.
const oracle1 = "oracle1"

// Parse reads "source>stage>stage". Errors are usage errors.
func Parse(text string) (Pipeline, error) {
	p, rest, err := parse(strings.TrimSpace(text))
	if err == nil && rest != "" {
		err = usage.Errorf("unexpected %q in the retriever %q; the form is %s", rest, text, Example)
	}
	return p, err
}

// parse reads up to a comma or a closing parenthesis of its own level.
func parse(text string) (p Pipeline, rest string, err error) {
	p.Source, rest, err = parseSource(text)
	if err != nil {
		return p, "", err
	}

	stages := rest
	for strings.HasPrefix(rest, ">") {
		word := ""
		word, rest = untilAny(rest[1:], ",>)")
		if p.Shape.Kind != "" {
			return p, "", usage.Errorf("nothing can follow %s in the retriever %q", p.Shape.Kind, text)
		}
		if err := p.add(strings.TrimSpace(word)); err != nil {
			return p, "", err
		}
	}

	// These show all documents in a set order, or none: there is nothing to order anew.
	if len(p.Stages) > 0 && (strings.HasPrefix(p.Source.Kind, "full") || p.Source.Kind == "none") {
		return p, "", usage.Errorf("nothing can follow the retriever %s", p.Source.Kind)
	}
	p.Name = strings.TrimSpace(strings.TrimSuffix(text, rest))
	if p.Source.parameterized() {
		p.Name = p.Source.String() + strings.TrimSpace(strings.TrimSuffix(stages, rest))
	}
	return p, rest, nil
}

// add puts a stage, or what is shown of each document, after a pipeline.
func (p *Pipeline) add(word string) error {
	shape, is, err := parseShape(word)
	if err != nil {
		return err
	}
	if is {
		p.Shape = shape
		return nil
	}

	stage, err := parseStage(word)
	if err != nil {
		return err
	}
	p.Stages = append(p.Stages, stage)
	return nil
}

// untilAny cuts a text before the first of the characters of stop.
func untilAny(text, stop string) (word, rest string) {
	if i := strings.IndexAny(text, stop); i >= 0 {
		return text[:i], text[i:]
	}
	return text, ""
}

func parseSource(text string) (Source, string, error) {
	word, rest := untilAny(text, "(,>)")
	word = strings.TrimSpace(word)
	if strings.HasPrefix(rest, "(") {
		return parseInside(word, rest[1:])
	}

	kind, arg, named := strings.Cut(word, ":")
	switch {
	case slices.Contains(plain, kind) && named:
		return Source{}, "", usage.Errorf("the retriever %s takes no name after a colon", kind)
	case slices.Contains(withArgument, kind) && arg == "":
		return Source{}, "", usage.Errorf("the retriever %s needs a name: %s:NAME", kind, kind)
	case kind == oracle1:
		if named && !models.IsServed(arg) {
			return Source{}, "", usage.Errorf("%s takes a model, %s:ollama:NAME or %s:openai:NAME, or none", oracle1, oracle1, oracle1)
		}
		return Source{Kind: kind, Arg: strings.TrimPrefix(arg, ollama.BackendName+":")}, rest, nil
	case slices.Contains(plain, kind), slices.Contains(withArgument, kind):
		s := Source{Kind: kind, Arg: arg}
		rest, err := s.parseQuery(rest)
		return s, rest, err
	}
	known := slices.Concat(plain, withArgument, combinations(), []string{oracle1})
	return Source{}, "", usage.Errorf("unknown retriever %q%s There are: %s", word, cmp.Or(didYouMean(word, known), "."), RetrieverHelp)
}

// didYouMean asks for the name that one without its argument is near, and puts the argument behind it again. Without
// hyphens oracle-1 is oracle1, which counts as nearer than any other name.
func didYouMean(word string, known []string) string {
	kind, arg, named := strings.Cut(word, ":")
	near := text.Nearest(kind, known)
	for _, k := range known {
		if strings.EqualFold(strings.ReplaceAll(kind, "-", ""), strings.ReplaceAll(k, "-", "")) {
			near = k
		}
	}
	switch {
	case near == "" || near == kind:
		return ""
	case named:
		near += ":" + arg
	}
	return fmt.Sprintf("; did you mean %s?", near)
}

// parseInside reads "a,b,k=60)" after the name of a combination, or "k1=0.9)" after that of a retriever.
func parseInside(name, text string) (Source, string, error) {
	s := Source{Kind: name}
	if !slices.Contains(plain, name) {
		if err := knownCombination(name); err != nil {
			return s, "", err
		}
	} else if _, _, is := beginsParam(text); !is {
		return s, "", usage.Errorf("%s( must be followed by a parameter, such as k1=0.9 of bm25", name)
	}

	for {
		var err error
		if text, err = s.parsePart(strings.TrimSpace(text)); err != nil {
			return s, "", err
		}

		switch {
		case strings.HasPrefix(text, ","):
			text = text[1:]
		case strings.HasPrefix(text, ")"):
			return s, strings.TrimSpace(text[1:]), checkCombination(s)
		default:
			return s, "", usage.Errorf("%s(… has no closing parenthesis", name)
		}
	}
}

// parsePart reads one of the parts of a combination, and returns what follows it. The
// second part of decompose is a model.
func (s *Source) parsePart(text string) (rest string, err error) {
	if key, value, is := beginsParam(text); is {
		value, rest = untilAny(value, ",)")
		return rest, s.set(key, value)
	}
	if err := s.afterComma(text); err != nil {
		return "", err
	}
	if slices.Contains(plain, s.Kind) {
		return "", usage.Errorf("%q is not a parameter of %s, such as k1=0.9 of bm25", text, s.Kind)
	}

	if s.Kind == decompose && len(s.Parts) == 1 && models.IsServed(text) {
		s.Arg, rest = untilAny(strings.TrimPrefix(text, ollama.BackendName+":"), ",)")
		return rest, nil
	}

	p, rest, err := parse(text)
	if err != nil {
		return "", err
	}
	if p.Shape.Kind != "" {
		return "", usage.Errorf("%s is for what is shown in the end: "+
			"write it after the closing parenthesis", p.Shape.Kind)
	}
	s.Parts = append(s.Parts, p)
	return rest, nil
}

// afterComma refuses a number behind a parameter and a comma: a weight, or the digits of a decimal comma.
func (s *Source) afterComma(text string) error {
	number, _ := untilAny(text, ",)")
	if _, err := strconv.ParseFloat(strings.TrimSpace(number), 64); err != nil || len(s.Params) == 0 {
		return nil
	}
	if list, ok := s.param("weights"); ok {
		return usage.Errorf("weights of %s are parted by colons, not by commas: weights=%s:%s", s.Kind, list, number)
	}
	return usage.Errorf("%q is not a parameter of %s: each has its name, and decimals have a point, such as k1=0.9", number, s.Kind)
}

func combinations() []string {
	known := make([]string, 0, len(index.Fusions)+2)
	for _, f := range index.Fusions {
		known = append(known, string(f))
	}
	return append(known, decompose, rm3)
}

func knownCombination(name string) error {
	known := combinations()
	if !slices.Contains(known, name) {
		return usage.Unknown("combination", name, known)
	}
	return nil
}

// checkCombination refuses a combination with too few parts, too many, or weights for others.
func checkCombination(s Source) error {
	switch {
	case slices.Contains(plain, s.Kind):
		return nil
	case s.Kind == rm3 && (len(s.Parts) != 1 || s.Parts[0].Source.Kind != bm25 || len(s.Parts[0].Stages) > 0):
		return usage.Errorf("%s takes bm25 alone, perhaps with parameters: %s(bm25(k1=0.9),fb_docs=10)", rm3, rm3)
	case s.Kind == rm3:
		return nil
	case s.Kind == decompose && (len(s.Parts) != 1 || s.Arg == ""):
		return usage.Errorf("%s takes a retriever and a model: %s(bm25,ollama:NAME)", decompose, decompose)
	case s.Kind != decompose && len(s.Parts) < 2:
		return usage.Errorf("%s needs at least two retrievers", s.Kind)
	case s.Kind == decompose:
		return nil
	}
	if err := s.fusing().Check(len(s.Parts)); err != nil {
		return usage.Errorf("%v", err)
	}
	return nil
}

// ShowsNothing reports whether the pipeline finds no documents, whatever is asked.
func (p Pipeline) ShowsNothing() bool {
	if len(p.Source.Parts) == 0 {
		return p.Source.Kind == "none"
	}
	return !slices.ContainsFunc(p.Source.Parts, func(part Pipeline) bool { return !part.ShowsNothing() })
}

// NeedsGold names a source in the pipeline that ranks by gold documents; empty if there is none.
func (p Pipeline) NeedsGold() string {
	switch p.Source.Kind {
	case "oracle", oracleK, oracle1, "full-top", "full-middle", "full-bottom":
		return p.Source.Kind
	}
	for _, part := range p.Source.Parts {
		if kind := part.NeedsGold(); kind != "" {
			return kind
		}
	}
	return ""
}

// models lists the names of the language models that a pipeline asks.
func (p Pipeline) models() []string {
	var out []string
	if p.Source.Arg != "" && (p.Source.Kind == decompose || p.Source.Kind == oracle1) {
		out = append(out, p.Source.Arg)
	}
	for _, part := range p.Source.Parts {
		out = append(out, part.models()...)
	}

	if p.Shape.Model != "" {
		out = append(out, p.Shape.Model)
	}
	for _, s := range p.Stages {
		if !s.folder() && s.Kind != mmr { // these take vectors or an encoder
			out = append(out, s.Model)
		}
	}
	return out
}

// Paths lists what may be files or folders among the names in a pipeline: recorded
// rankings, embedders and cross-encoders.
func (p Pipeline) Paths() []string {
	var out []string
	switch p.Source.Kind {
	case "trec", "dense", sparse:
		out = append(out, p.Source.Arg)
		if p.Source.Query != "" {
			out = append(out, p.Source.Query)
		}
	}
	for _, part := range p.Source.Parts {
		out = append(out, part.Paths()...)
	}
	for _, s := range p.Stages {
		if s.folder() || s.Kind == mmr {
			out = append(out, strings.TrimPrefix(strings.TrimPrefix(s.Model, "dense:"), sparse+":"))
		}
	}
	return out
}

// SplitList splits a comma list, but not inside parentheses. Blank parts are left out.
func SplitList(text string) []string {
	var out []string
	depth, start := 0, 0
	add := func(end int) {
		if part := strings.TrimSpace(text[start:end]); part != "" {
			out = append(out, part)
		}
		start = end + 1
	}

	for i, c := range text {
		switch {
		case c == '(':
			depth++
		case c == ')':
			depth--
		case c == ',' && depth <= 0 && !strings.HasPrefix(text[i:], queryKey):
			add(i)
		}
	}
	if start <= len(text) {
		add(len(text))
	}
	return out
}
