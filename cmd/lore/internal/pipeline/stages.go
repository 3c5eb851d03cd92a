package pipeline

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"lore/cmd/lore/internal/usage"
	"lore/index/condense"
	"lore/index/rerank"
	"lore/local/ollama"
)

// stageNames are the words that stages and shapes begin with.
var stageNames = []string{"rerank", mmr, string(condense.First), string(condense.Snippet), string(condense.Summary)}

// parseStage reads "rerank:KIND:MODEL@N" or "mmr:LAMBDA:VECTORS@N".
func parseStage(word string) (Stage, error) {
	body, depth := word, 0
	if at := strings.LastIndexByte(word, '@'); at >= 0 {
		n, err := strconv.Atoi(word[at+1:])
		if err != nil || n < 1 {
			return Stage{}, usage.Errorf("in the stage %q a number of documents must follow @", word)
		}
		body, depth = word[:at], n
	}

	head, rest, _ := strings.Cut(body, ":")
	kind, model, _ := strings.Cut(rest, ":")
	switch head {
	case "mmr":
		s, err := parseMMR(word, kind, model)
		return s.withDepth(depth), err
	case "rerank":
		model = strings.TrimPrefix(model, ollama.BackendName+":")
		if model != "" && (Stage{Kind: kind}.folder() || slices.Contains(rerank.Kinds, rerank.Kind(kind))) {
			return Stage{Kind: kind, Model: model}.withDepth(depth), nil
		}
	}
	return Stage{}, usage.Errorf("unknown stage %q%s There are: %s", word, cmp.Or(didYouMean(word, stageNames), "."), StageHelp)
}

// parseMMR reads what follows "mmr" in a stage.
func parseMMR(word, lambda, vectors string) (Stage, error) {
	l, err := strconv.ParseFloat(lambda, 64)
	if err != nil || !(l >= 0 && l <= 1) {
		return Stage{}, usage.Errorf("in the stage %q λ must be a number from 0 to 1: mmr:0.5", word)
	}
	kind, of, _ := strings.Cut(vectors, ":")
	if vectors != "" && (of == "" || kind != "dense" && kind != sparse) {
		return Stage{}, usage.Errorf("in the stage %q the vectors are dense:DIR, dense:ollama:NAME, sparse:DIR, "+
			"or lexical ones if none are named", word)
	}
	return Stage{Kind: mmr, Lambda: l, Model: vectors}, nil
}

// folder reports whether a stage is computed by a model in a folder.
func (s Stage) folder() bool { return s.Kind == crossEncoder || s.Kind == colbert }

// withDepth sets how many documents are ordered anew; 0 is the default of the kind.
func (s Stage) withDepth(depth int) Stage {
	s.Depth = depth
	if depth > 0 {
		return s
	}
	switch rerank.Kind(s.Kind) {
	case rerank.Pointwise, rerank.Pointwise5:
		s.Depth = pointwiseDepth
	default:
		s.Depth = stageDepth
	}
	return s
}

// parseShape reads "first:TOKENS", "first:CHARACTERSc", "snippet:MODEL" or "summary:MODEL"; is tells whether
// the word is of that kind at all.
func parseShape(word string) (shape condense.Shape, is bool, err error) {
	kind, arg, named := strings.Cut(word, ":")
	switch shape.Kind = condense.Kind(kind); shape.Kind {
	case condense.First:
		size := &shape.Tokens
		number, characters := strings.CutSuffix(arg, "c")
		if characters {
			size = &shape.Characters
		}
		if *size, err = strconv.Atoi(number); err != nil || *size < 1 {
			return shape, true, usage.Errorf("%q must name a number of tokens, first:512, or of characters, first:512c", word)
		}
		return shape, true, nil

	case condense.Snippet, condense.Summary:
		shape.Model = strings.TrimPrefix(arg, ollama.BackendName+":")
		if named && shape.Model == "" {
			return shape, true, usage.Errorf("%q does not name a model: write %s:NAME, or %s alone", word, kind, kind)
		}
		return shape, true, nil
	}
	return condense.Shape{}, false, nil
}

// String is the stage in the short syntax.
func (s Stage) String() string {
	if s.Kind == mmr {
		t := fmt.Sprintf("mmr:%g", s.Lambda)
		if s.Model != "" {
			t += ":" + s.Model
		}
		return fmt.Sprintf("%s@%d", t, s.Depth)
	}

	return fmt.Sprintf("rerank:%s:%s@%d", s.Kind, s.Model, s.Depth)
}
