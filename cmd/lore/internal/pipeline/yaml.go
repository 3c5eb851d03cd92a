package pipeline

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"lore/cmd/lore/internal/usage"
	"lore/cmd/lore/internal/yamlfile"
	"lore/local/files"
)

// yamlPipeline is an entry of a pipelines file: the short syntax, or its parts.
type yamlPipeline struct {
	Name  string      `yaml:"name"`
	First yamlSource  `yaml:"first"`
	Then  []yamlStage `yaml:"then"`
	Show  string      `yaml:"show"` // first:TOKENS, first:CHARACTERSc, snippet, summary, or these with a model
}

// yamlSource is the first part of an entry: the short syntax, or one of dense, sparse, bm25, fusion, decompose and rm3, the
// last three over the pipelines of Of.
type yamlSource struct {
	Short     string            `yaml:"-"`
	Dense     string            `yaml:"dense"`     // folder, or ollama:NAME
	Sparse    string            `yaml:"sparse"`    // folder of a model, or vectors
	Query     string            `yaml:"query"`     // of sparse: what encodes queries
	BM25      map[string]string `yaml:"bm25"`      // parameters
	Fusion    string            `yaml:"fusion"`    // rrf, convex or combmnz
	K         string            `yaml:"k"`         // of rrf
	Weights   []string          `yaml:"weights"`   // of convex
	Decompose string            `yaml:"decompose"` // model
	RM3       map[string]string `yaml:"rm3"`       // parameters
	Of        []yamlPipeline    `yaml:"of"`
}

// yamlStage is a reranker with its model, or MMR.
type yamlStage struct {
	Rerank  string   `yaml:"rerank"`  // kind
	Model   string   `yaml:"model"`   // name, or folder of a cross-encoder
	MMR     *float64 `yaml:"mmr"`     // λ
	Vectors string   `yaml:"vectors"` // of MMR
	Depth   int      `yaml:"depth"`   // documents; 0 is the default of the kind
}

// UnmarshalYAML takes the short syntax, too.
func (p *yamlPipeline) UnmarshalYAML(n *yaml.Node) error {
	type parts yamlPipeline
	if n.Kind == yaml.ScalarNode {
		p.First.Short = n.Value
		return nil
	}
	if hasKey(n, "first") {
		return strict(n, (*parts)(p), "name", "first", "then", "show")
	}
	return n.Decode(&p.First)
}

// UnmarshalYAML takes the short syntax, too.
func (s *yamlSource) UnmarshalYAML(n *yaml.Node) error {
	type parts yamlSource
	if n.Kind == yaml.ScalarNode {
		s.Short = n.Value
		return nil
	}
	return strict(n, (*parts)(s), "dense", "sparse", "query", "bm25", "fusion", "k", "weights", "decompose", "rm3", "of")
}

// UnmarshalYAML refuses unknown keys.
func (s *yamlStage) UnmarshalYAML(n *yaml.Node) error {
	type parts yamlStage
	return strict(n, (*parts)(s), "rerank", "model", "mmr", "vectors", "depth")
}

func hasKey(n *yaml.Node, key string) bool {
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == key {
			return true
		}
	}
	return false
}

// strict reads a map that has no other keys than these.
func strict(n *yaml.Node, into any, keys ...string) error {
	if n.Kind != yaml.MappingNode {
		return fmt.Errorf("line %d: a map with %s is wanted", n.Line, strings.Join(keys, ", "))
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		if key := n.Content[i]; !slices.Contains(keys, key.Value) {
			return fmt.Errorf("line %d: unknown key %q; there are %s", key.Line, key.Value, strings.Join(keys, ", "))
		}
	}
	return n.Decode(into)
}

func parseYAML(data []byte) ([]Pipeline, error) {
	if _, err := yamlfile.Parse(data, "a file of pipelines", "pipelines"); err != nil {
		return nil, fmt.Errorf("is not a file of pipelines: %w", err)
	}
	var file struct {
		Pipelines []yamlPipeline `yaml:"pipelines"`
	}
	dec := yaml.NewDecoder(bytes.NewReader(data))
	dec.KnownFields(true)
	if err := dec.Decode(&file); err != nil && !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("is not a file of pipelines: %s", inPlainWords(err))
	}
	if len(file.Pipelines) == 0 {
		return nil, errors.New("has no pipelines; it should begin with \"pipelines:\" and a list")
	}

	out := make([]Pipeline, len(file.Pipelines))
	for i, y := range file.Pipelines {
		var err error
		if out[i], err = y.pipeline(); err != nil {
			return nil, fmt.Errorf("pipeline %d: %w", i+1, err)
		}
		if y.Name != "" {
			out[i].Name = y.Name
		}
	}
	return out, nil
}

// goType is how the library names what a field was to be read into.
var goType = regexp.MustCompile(`( in type .*)|(into .*)$`)

// inPlainWords leaves Go's types out of an error of the YAML library.
func inPlainWords(err error) string {
	lines := strings.Split(err.Error(), "\n")
	for i, l := range lines {
		l = strings.TrimPrefix(strings.TrimSpace(l), "yaml: unmarshal errors:")
		lines[i] = strings.TrimSpace(goType.ReplaceAllString(l, ""))
	}
	return strings.Join(slices.DeleteFunc(lines, func(l string) bool { return l == "" }), "; ")
}

func (y yamlPipeline) pipeline() (Pipeline, error) {
	p, err := y.First.pipeline()
	if err != nil {
		return p, err
	}
	for _, s := range y.Then {
		stage, err := s.stage()
		if err != nil {
			return p, err
		}
		p.Stages = append(p.Stages, stage)
		p.Name += ">" + stage.String()
	}
	if y.Show == "" {
		return p, nil
	}

	var is bool
	if p.Shape, is, err = parseShape(y.Show); err != nil {
		return p, err
	}
	if !is {
		return p, usage.Errorf("show is first:TOKENS, first:CHARACTERSc, snippet or summary, not %q", y.Show)
	}
	p.Name += ">" + y.Show
	return p, nil
}

func (y yamlSource) pipeline() (Pipeline, error) {
	if y.Short != "" {
		return Parse(y.Short)
	}
	s, err := y.source()
	if err != nil {
		return Pipeline{}, err
	}
	for _, of := range y.Of {
		part, err := of.pipeline()
		if err != nil {
			return Pipeline{}, err
		}
		if part.Shape.Kind != "" {
			return Pipeline{}, usage.Errorf("show is for the whole pipeline, not for a part of %s", s.Kind)
		}
		s.Parts = append(s.Parts, part)
	}

	switch s.Kind {
	case "dense", sparse, bm25:
		if len(s.Parts) > 0 {
			return Pipeline{}, usage.Errorf("%s is a retriever of its own: leave of out", s.Kind)
		}
	default:
		if err = knownCombination(s.Kind); err == nil {
			err = checkCombination(s)
		}
	}
	return Pipeline{Name: s.String(), Source: s}, err
}

// source is the retriever without its parts.
func (y yamlSource) source() (Source, error) {
	var s Source
	given := map[string]string{}
	switch {
	case y.Query != "" && y.Sparse == "":
		return s, usage.Errorf("query says what encodes the queries of sparse; write sparse beside it")
	case y.Dense != "":
		s = Source{Kind: "dense", Arg: y.Dense}
	case y.Sparse != "":
		s = Source{Kind: sparse, Arg: y.Sparse, Query: y.Query}
	case y.BM25 != nil:
		s.Kind, given = bm25, y.BM25
	case y.RM3 != nil:
		s.Kind, given = rm3, y.RM3
	case y.Fusion != "":
		s.Kind = y.Fusion
	case y.Decompose != "":
		s.Kind, s.Arg = decompose, strings.TrimPrefix(y.Decompose, "ollama:")
	default:
		return s, usage.Errorf("first is a retriever in the short syntax, " +
			"or a map with dense, sparse, bm25, fusion, decompose or rm3")
	}

	if y.K != "" {
		given["k"] = y.K
	}
	if y.Weights != nil {
		given["weights"] = strings.Join(y.Weights, ":")
	}
	for _, key := range slices.Sorted(maps.Keys(given)) {
		if err := s.set(key, given[key]); err != nil {
			return s, err
		}
	}
	return s, nil
}

func (y yamlStage) stage() (Stage, error) {
	switch {
	case y.MMR != nil && y.Rerank == "":
		return parseStageDepth(fmt.Sprintf("mmr:%g", *y.MMR), y.Vectors, y.Depth)
	case y.Rerank != "" && y.MMR == nil:
		return parseStageDepth("rerank:"+y.Rerank, y.Model, y.Depth)
	}
	return Stage{}, usage.Errorf("a stage is a map with rerank and model, or with mmr")
}

// parseStageDepth checks a stage by the short syntax. Unlike there, the model may hold any
// character: "@" is left out for the check and put back.
func parseStageDepth(head, model string, depth int) (Stage, error) {
	if depth < 0 {
		return Stage{}, usage.Errorf("the depth of a stage is not negative, but %d was given", depth)
	}
	name := head
	if model != "" {
		name += ":" + strings.ReplaceAll(model, "@", "")
	}
	s, err := parseStage(name)
	if err != nil {
		return s, err
	}

	if s.Model != "" {
		s.Model = strings.TrimPrefix(model, "ollama:")
	}
	return s.withDepth(depth), nil
}

// ReadFile reads a YAML file of pipelines.
func ReadFile(path string) ([]Pipeline, error) {
	data, err := files.Read(path, "give a YAML file that begins with \"pipelines:\"")
	if err != nil {
		return nil, err
	}
	out, err := parseYAML(data)
	return out, files.Wrap(path, err)
}
