package pipeline

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"lore/cmd/lore/internal/models"
	"lore/cmd/lore/internal/usage"
	"lore/index"
	"lore/local/ollama"
	"lore/local/text"
)

// Param is a parameter of a retriever: k1=0.9.
type Param struct{ Key, Value string }

// parameter is what a retriever can be told; canonical checks a value and spells it in the one way it has in names.
type parameter struct {
	key       string
	canonical func(value string) (string, error)
}

const (
	bm25 = "bm25"
	rm3  = "rm3"
)

// parameters of sources, in the order in which names have them.
var parameters = map[string][]parameter{
	bm25: {
		{"k1", number(0, math.Inf(1))},
		{"b", number(0, 1)},
		{"analyzer", analyzer},
		{"variant", oneOf("variant of BM25", words(index.Variants))},
		{"lengths", oneOf("way to know lengths", words(index.AllLengths))},
	},
	string(index.RRF):    {{"k", number(0, math.Inf(1))}},
	string(index.Convex): {{"weights", weights}},
	rm3: {
		{"fb_terms", count},
		{"fb_docs", count},
		{"original_query_weight", number(0, 1)},
	},
}

// paramForm is how a parameter begins, which no retriever does.
var paramForm = regexp.MustCompile(`^\s*([A-Za-z][A-Za-z0-9_-]*)\s*=`)

// beginsParam cuts the key of a parameter off a text that begins with one.
func beginsParam(text string) (key, rest string, ok bool) {
	m := paramForm.FindStringSubmatch(text)
	if m == nil {
		return "", text, false
	}
	return m[1], text[len(m[0]):], true
}

// set gives a source a parameter.
func (s *Source) set(key, value string) error {
	known := parameters[s.Kind]
	if len(known) == 0 {
		return usage.Errorf("%s has no parameters, but %s=%s was given", s.Kind, key, value)
	}
	at := slices.IndexFunc(known, func(p parameter) bool { return strings.EqualFold(p.key, key) })
	if at < 0 {
		var keys []string
		for _, p := range known {
			keys = append(keys, p.key)
		}
		hint := "; there are: " + strings.Join(keys, ", ")
		if near := text.Nearest(key, keys); near != "" {
			hint = fmt.Sprintf("; did you mean %s?%s", near, strings.Replace(hint, "; there", " There", 1))
		}
		return usage.Errorf("%s has no parameter %q%s", s.Kind, key, hint)
	}

	p := known[at]
	if _, twice := s.param(p.key); twice {
		return usage.Errorf("%s has its parameter %s twice", s.Kind, p.key)
	}
	canonical, err := p.canonical(strings.TrimSpace(value))
	if err != nil {
		return usage.Errorf("%s of %s %v", p.key, s.Kind, err)
	}

	s.Params = append(s.Params, Param{p.key, canonical})
	slices.SortFunc(s.Params, func(a, b Param) int { return place(known, a.Key) - place(known, b.Key) })
	return nil
}

func place(known []parameter, key string) int {
	return slices.IndexFunc(known, func(p parameter) bool { return p.key == key })
}

// param is the value of a parameter that was given.
func (s Source) param(key string) (string, bool) {
	for _, p := range s.Params {
		if p.Key == key {
			return p.Value, true
		}
	}
	return "", false
}

// numberParam is the value of a parameter that is a number, or else what it is without one.
func (s Source) numberParam(key string, without float64) float64 {
	text, ok := s.param(key)
	if !ok {
		return without
	}
	v, _ := strconv.ParseFloat(text, 64) // it was checked when it was set
	return v
}

// parameterized reports whether the source, or a part of it, has parameters.
func (s Source) parameterized() bool {
	return len(s.Params) > 0 || slices.ContainsFunc(s.Parts, func(p Pipeline) bool { return p.Source.parameterized() })
}

// String is the source in the short syntax: parameters are in their set order, and numbers in their shortest form.
func (s Source) String() string {
	var inside []string
	for _, p := range s.Parts {
		inside = append(inside, p.Name)
	}
	if s.Kind == decompose {
		model := s.Arg
		if !models.IsServed(model) {
			model = ollama.BackendName + ":" + model
		}
		inside = append(inside, model)
	}
	for _, p := range s.Params {
		inside = append(inside, p.Key+"="+p.Value)
	}

	switch {
	case len(inside) > 0:
		return s.Kind + "(" + strings.Join(inside, ",") + ")"
	case s.Query != "":
		return s.Kind + ":" + s.Arg + queryKey + s.Query
	case s.Arg != "":
		return s.Kind + ":" + s.Arg
	}
	return s.Kind
}

// bm25 are the analyser and parameters of a source of BM25, by what the command says of those that it leaves open.
func (s Source) bm25(cfg Config) (analyzer string, params index.BM25Params) {
	analyzer, params = cfg.Analyzer, cfg.BM25
	if v, ok := s.param("analyzer"); ok {
		analyzer = v
	}
	if v, ok := s.param("variant"); ok {
		params.Variant = index.Variant(v)
	}
	if v, ok := s.param("lengths"); ok {
		params.Lengths = index.Lengths(v)
	}
	params.K1 = s.numberParam("k1", params.K1)
	params.B = s.numberParam("b", params.B)
	return analyzer, params
}

// fusing is the fusion that a source names.
func (s Source) fusing() index.Fusing {
	f := index.Fusing{How: index.Fusion(s.Kind), K: s.numberParam("k", index.RRFConstant)}
	if list, ok := s.param("weights"); ok {
		for _, w := range strings.Split(list, ":") {
			v, _ := strconv.ParseFloat(w, 64) // it was checked when it was set
			f.Weights = append(f.Weights, v)
		}
	}
	return f
}

// rm3 are the parameters of RM3.
func (s Source) rm3() index.RM3Params {
	d := index.DefaultRM3
	return index.RM3Params{
		Terms:  int(s.numberParam("fb_terms", float64(d.Terms))),
		Docs:   int(s.numberParam("fb_docs", float64(d.Docs))),
		Weight: s.numberParam("original_query_weight", d.Weight),
	}
}

// number reads numbers of a range.
func number(least, most float64) func(string) (string, error) {
	return func(value string) (string, error) {
		v, err := strconv.ParseFloat(value, 64)
		if err != nil || !(v >= least && v <= most) || math.IsInf(v, 0) {
			form := fmt.Sprintf("is a number from %g to %g", least, most)
			if math.IsInf(most, 1) {
				form = fmt.Sprintf("is a number from %g on", least)
			}
			return "", fmt.Errorf("%s, not %q", form, value)
		}
		return spelled(v), nil
	}
}

// spelled is the shortest form of a number; 0 has no sign.
func spelled(v float64) string {
	if v == 0 {
		return "0"
	}
	return strconv.FormatFloat(v, 'g', -1, 64)
}

// mostFeedback bounds counts.
const mostFeedback = 1000

// count reads whole numbers above 0.
func count(value string) (string, error) {
	n, err := strconv.Atoi(value)
	if err != nil || n < 1 || n > mostFeedback {
		return "", fmt.Errorf("is a whole number from 1 to %d, not %q", mostFeedback, value)
	}
	return strconv.Itoa(n), nil
}

// weights reads numbers parted by colons.
func weights(value string) (string, error) {
	var out []string
	sum := 0.0
	for _, w := range strings.Split(value, ":") {
		v, err := strconv.ParseFloat(strings.TrimSpace(w), 64)
		if err != nil || !(v >= 0) || math.IsInf(v, 0) {
			return "", fmt.Errorf("are numbers from 0 on, one for each retriever, parted by colons, such as 0.3:0.7, not %q", value)
		}
		sum += v
		out = append(out, spelled(v))
	}
	if sum == 0 || math.IsInf(sum, 0) {
		return "", fmt.Errorf("must have a sum above 0, and %s have not", value)
	}
	return strings.Join(out, ":"), nil
}

func analyzer(value string) (string, error) {
	return oneOf("analyser", append(slices.Clone(index.Analyzers), index.Pyserini))(strings.ToLower(value))
}

// oneOf reads names.
func oneOf(what string, known []string) func(string) (string, error) {
	return func(value string) (string, error) {
		if !slices.Contains(known, value) {
			return "", fmt.Errorf("is wrong: %v", usage.Unknown(what, value, known))
		}
		return index.CanonicalAnalyzer(value), nil
	}
}

func words[T ~string](names []T) []string {
	out := make([]string, len(names))
	for i, n := range names {
		out[i] = string(n)
	}
	return out
}
