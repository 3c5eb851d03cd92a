package run

import (
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"

	"lore/index"
	"lore/index/condense"
	"lore/index/rerank"
	"lore/local/ollama"
)

// RetrieverHelp lists the retrievers for help texts and errors.
const RetrieverHelp = "bm25, dense:DIR, dense:ollama:NAME, keywords, random, given, oracle, oracle1, oracle1:ollama:NAME, full, full-top, full-middle, full-bottom, full-random, none, recorded:NAME, trec:FILE; " +
	"rrf(A,B), convex(A,B), combmnz(A,B), decompose(A,ollama:NAME)"

// StageHelp lists what may follow a retriever after ">".
const StageHelp = "rerank:llm:NAME, rerank:llm5:NAME, rerank:listwise:NAME, rerank:firsttoken:NAME, rerank:setwise:NAME, rerank:cross:DIR, mmr:LAMBDA, mmr:LAMBDA:dense:DIR; " +
	"@N at the end is how many documents are ordered anew; " +
	"last of all what is shown of each document: first:TOKENS, snippet, snippet:MODEL, summary, summary:MODEL"

// PipelineHelp is an example of the syntax.
const PipelineHelp = "rrf(bm25,dense:models/minilm)>rerank:llm:qwen3:8b@20"

// Source is where documents come from: a retriever, or a combination of some.
type Source struct {
	Kind  string     // bm25, dense, ..., a fusion, or decompose
	Arg   string     // after the colon; of decompose the model
	Parts []Pipeline // of a combination
}

// StageSpec is a step that orders the first documents anew.
type StageSpec struct {
	Kind   string  // crossStage, mmrStage, or a rerank.Kind
	Model  string  // folder, model name, or the vectors of MMR
	Lambda float64 // of MMR
	Depth  int
}

// Kinds of stages besides those of rerank.
const (
	crossStage = "cross"
	mmrStage   = "mmr"
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
	Stages []StageSpec
	Shape  condense.Shape // what is shown of each document
}

// plain lists the sources without an argument.
var plain = []string{"bm25", "keywords", "random", "oracle", given, "full", "full-top", "full-middle", "full-bottom", "full-random", "none"}

// withArgument lists the sources that need one.
var withArgument = []string{"dense", "recorded", "trec"}

const decompose = "decompose"

// given is the ranking that came with the data under this name.
const given = "given"

// oracle1 is the gold document that a model, or the lexical judge, finds most
// relevant to the query (the paper of MSRS: oracle, top 1).
const oracle1 = "oracle1"

// ParsePipeline reads "source>stage>stage". Errors are usage errors.
func ParsePipeline(text string) (Pipeline, error) {
	p, rest, err := parsePipeline(strings.TrimSpace(text))
	if err == nil && rest != "" {
		err = usage("unexpected %q in the retriever %q; the form is %s", rest, text, PipelineHelp)
	}
	return p, err
}

// parsePipeline reads up to a comma or a closing parenthesis of its own level.
func parsePipeline(text string) (p Pipeline, rest string, err error) {
	source, rest, err := parseSource(text)
	if err != nil {
		return p, "", err
	}
	p.Source = source
	for strings.HasPrefix(rest, ">") {
		word := ""
		word, rest = untilAny(rest[1:], ",>)")
		if p.Shape.Kind != "" {
			return p, "", usage("nothing can follow %s in the retriever %q", p.Shape.Kind, text)
		}
		shape, is, err := parseShape(strings.TrimSpace(word))
		if err != nil {
			return p, "", err
		}
		if is {
			p.Shape = shape
			continue
		}
		stage, err := parseStage(strings.TrimSpace(word))
		if err != nil {
			return p, "", err
		}
		p.Stages = append(p.Stages, stage)
	}
	if len(p.Stages) > 0 && (strings.HasPrefix(source.Kind, "full") || source.Kind == "none") {
		return p, "", usage("nothing can follow the retriever %s", source.Kind)
	}
	p.Name = strings.TrimSpace(strings.TrimSuffix(text, rest))
	return p, rest, nil
}

// parseShape reads "first:TOKENS", "snippet:MODEL" or "summary:MODEL".
func parseShape(word string) (shape condense.Shape, is bool, err error) {
	kind, arg, named := strings.Cut(word, ":")
	switch shape.Kind = condense.Kind(kind); shape.Kind {
	case condense.First:
		if shape.Tokens, err = strconv.Atoi(arg); err != nil || shape.Tokens < 1 {
			return shape, true, usage("%q must name a number of tokens: first:512", word)
		}
		return shape, true, nil
	case condense.Snippet, condense.Summary:
		if shape.Model = strings.TrimPrefix(arg, ollama.BackendName+":"); named && shape.Model == "" {
			return shape, true, usage("%q names no model: %s:NAME, or %s alone", word, kind, kind)
		}
		return shape, true, nil
	}
	return condense.Shape{}, false, nil
}

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
		return parseCombination(word, rest[1:])
	}
	kind, arg, named := strings.Cut(word, ":")
	switch {
	case slices.Contains(plain, kind) && named:
		return Source{}, "", usage("the retriever %s takes no name after a colon", kind)
	case slices.Contains(withArgument, kind) && arg == "":
		return Source{}, "", usage("the retriever %s needs a name: %s:NAME", kind, kind)
	case kind == oracle1:
		model, ok := strings.CutPrefix(arg, ollama.BackendName+":")
		if named && (!ok || model == "") {
			return Source{}, "", usage("%s takes a model, %s:ollama:NAME, or none", oracle1, oracle1)
		}
		return Source{Kind: kind, Arg: model}, rest, nil
	case slices.Contains(plain, kind), slices.Contains(withArgument, kind):
		return Source{Kind: kind, Arg: arg}, rest, nil
	}
	return Source{}, "", usage("unknown retriever %q; there are: %s", word, RetrieverHelp)
}

// parseCombination reads "a,b)" after the name of a combination.
func parseCombination(name, text string) (Source, string, error) {
	s := Source{Kind: name}
	if name != decompose && !slices.Contains(index.Fusions, index.Fusion(name)) {
		return s, "", usage("unknown combination %q; there are: %v and %s", name, index.Fusions, decompose)
	}
	for {
		text = strings.TrimSpace(text)
		if model, ok := strings.CutPrefix(text, ollama.BackendName+":"); ok && name == decompose && len(s.Parts) == 1 {
			s.Arg, text = untilAny(model, ",)")
		} else {
			p, rest, err := parsePipeline(text)
			if err != nil {
				return s, "", err
			}
			if p.Shape.Kind != "" {
				return s, "", usage("%s is for what is shown in the end: write it after the closing parenthesis", p.Shape.Kind)
			}
			s.Parts, text = append(s.Parts, p), rest
		}
		switch {
		case strings.HasPrefix(text, ","):
			text = text[1:]
		case strings.HasPrefix(text, ")"):
			return s, strings.TrimSpace(text[1:]), checkCombination(s)
		default:
			return s, "", usage("%s(… has no closing parenthesis", name)
		}
	}
}

func checkCombination(s Source) error {
	switch {
	case s.Kind == decompose && (len(s.Parts) != 1 || s.Arg == ""):
		return usage("%s takes a retriever and a model: %s(bm25,ollama:NAME)", decompose, decompose)
	case s.Kind != decompose && len(s.Parts) < 2:
		return usage("%s needs at least two retrievers", s.Kind)
	}
	return nil
}

// parseStage reads "rerank:KIND:MODEL@N" or "mmr:LAMBDA:VECTORS@N".
func parseStage(word string) (StageSpec, error) {
	bad := func() (StageSpec, error) {
		return StageSpec{}, usage("unknown stage %q; there are: %s", word, StageHelp)
	}
	body, depth := word, 0
	if at := strings.LastIndexByte(word, '@'); at >= 0 {
		n, err := strconv.Atoi(word[at+1:])
		if err != nil || n < 1 {
			return StageSpec{}, usage("in the stage %q a number of documents must follow @", word)
		}
		body, depth = word[:at], n
	}
	head, rest, _ := strings.Cut(body, ":")
	kind, model, _ := strings.Cut(rest, ":")
	var s StageSpec
	switch head {
	case "mmr":
		lambda, err := strconv.ParseFloat(kind, 64)
		if err != nil || !(lambda >= 0 && lambda <= 1) {
			return StageSpec{}, usage("in the stage %q λ must be a number from 0 to 1: mmr:0.5", word)
		}
		s = StageSpec{Kind: mmrStage, Lambda: lambda, Model: model}
		if model != "" && (!strings.HasPrefix(model, "dense:") || model == "dense:") {
			return StageSpec{}, usage("in the stage %q the vectors are dense:DIR, dense:ollama:NAME, or lexical ones if none are named", word)
		}
	case "rerank":
		model = strings.TrimPrefix(model, ollama.BackendName+":")
		if model == "" || (kind != crossStage && !slices.Contains(rerank.Kinds, rerank.Kind(kind))) {
			return bad()
		}
		s = StageSpec{Kind: kind, Model: model}
	default:
		return bad()
	}
	return s.withDepth(depth), nil
}

func (s StageSpec) withDepth(depth int) StageSpec {
	if s.Depth = depth; depth == 0 {
		s.Depth = stageDepth
		if s.Kind == string(rerank.Pointwise) || s.Kind == string(rerank.Pointwise5) {
			s.Depth = pointwiseDepth
		}
	}
	return s
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
		if s.Kind != crossStage && s.Kind != mmrStage {
			out = append(out, s.Model)
		}
	}
	return out
}

// SplitList splits a comma list, but not inside parentheses.
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
		case c == ',' && depth <= 0:
			add(i)
		}
	}
	if start <= len(text) {
		add(len(text))
	}
	return out
}

// ReadPipelines reads a YAML file of pipelines.
func ReadPipelines(path string) ([]Pipeline, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, inputError(path, fmt.Errorf("cannot be read: %w", err))
	}
	out, err := parseYAML(data)
	if err != nil {
		return nil, inputError(path, err)
	}
	return out, nil
}
