package pipeline

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"lore/cmd/lore/internal/usage"
	"lore/index"
)

// A name is the same however its parameters were written; names without parameters stay as they were written.
func TestCanonicalNames(t *testing.T) {
	for text, want := range map[string]string{
		"bm25(k1=0.9,b=0.4)":                      "bm25(k1=0.9,b=0.4)",
		"bm25( b = .40 , K1 = 9e-1 )":             "bm25(k1=0.9,b=0.4)",
		"bm25(analyzer=pyserini,k1=1)":            "bm25(k1=1,analyzer=lucene-en)",
		"bm25(lengths=lucene)>mmr:0.5 ":           "bm25(lengths=lucene)>mmr:0.5",
		"rrf(bm25, keywords)":                     "rrf(bm25, keywords)",
		"rrf(bm25, keywords , k=60.0)>mmr:1":      "rrf(bm25,keywords,k=60)>mmr:1",
		"rrf( bm25 , bm25(k1=1.20) )":             "rrf(bm25,bm25(k1=1.2))",
		"convex(bm25,dense:d,weights=.3:0.70)":    "convex(bm25,dense:d,weights=0.3:0.7)",
		"convex(weights=1:0,bm25,dense:d=e)":      "convex(bm25,dense:d=e,weights=1:0)",
		"rm3(bm25)":                               "rm3(bm25)",
		"rm3(bm25(b=0.4),fb_terms=5)>mmr:1":       "rm3(bm25(b=0.4),fb_terms=5)>mmr:1",
		"decompose(bm25( k1=-0 ), ollama:m)":      "decompose(bm25(k1=0),ollama:m)",
		"rrf(rm3(bm25,fb_docs= 3),bm25(b=1),k=0)": "rrf(rm3(bm25,fb_docs=3),bm25(b=1),k=0)",
	} {
		p, err := Parse(text)
		if err != nil || p.Name != want {
			t.Errorf("%q: %q, want %q, %v", text, p.Name, want, err)
		}
		again, err := Parse(p.Name)
		if d := cmp.Diff(p, again); err != nil || d != "" {
			t.Errorf("%q: %v %s", p.Name, err, d)
		}
	}
}

func TestBadParameters(t *testing.T) {
	for text, word := range map[string]string{
		"bm25()":                               "must be followed by a parameter",
		"bm25(0.9)":                            "must be followed by a parameter",
		"bm25(k1=0.9":                          "no closing parenthesis",
		"bm25(k1=0.9,0.4)":                     "not a parameter of bm25",
		"bm25(k1=-1)":                          `k1 of bm25 is a number from 0 on, not "-1"`,
		"bm25(k1=Inf)":                         "from 0 on",
		"bm25(b=2)":                            `b of bm25 is a number from 0 to 1, not "2"`,
		"bm25(b=NaN)":                          "from 0 to 1",
		"bm25(analyser=en)":                    "did you mean analyzer?",
		"bm25(stemmer=x)":                      "there are: k1, b, analyzer, variant, lengths",
		"bm25(k1=1,k1=2)":                      "k1 twice",
		"bm25(analyzer=piserini)":              "pyserini",
		"bm25(lengths=long)":                   "lengths",
		"keywords(k1=1)":                       "keywords has no parameters",
		"rrf(bm25,keywords,k=-1)":              "from 0 on",
		"rrf(bm25,keywords,weights=1:1)":       "no parameter",
		"convex(bm25,keywords,weights=1)":      "of 2 retrievers has 1 weights",
		"convex(bm25,keywords,weights=0:0)":    "sum above 0",
		"convex(bm25,keywords,weights=1,1)":    "parted by colons",
		"convex(bm25,keywords,weights=1:-1)":   "parted by colons",
		"combmnz(bm25,keywords,k=1)":           "no parameters",
		"rm3(keywords)":                        "takes bm25 alone",
		"rm3(bm25,bm25)":                       "takes bm25 alone",
		"rm3(bm25>mmr:1)":                      "takes bm25 alone",
		"rm3(bm25,fb_terms=0)":                 "whole number from 1",
		"rm3(bm25,original_query_weight=1.01)": "from 0 to 1",
		"bm25+rm3":                             "unknown retriever",
	} {
		_, err := Parse(text)
		var u *usage.Error
		if !errors.As(err, &u) || !strings.Contains(err.Error(), word) {
			t.Errorf("%q: %v, want %s", text, err, word)
		}
	}
}

func TestListsOfParameters(t *testing.T) {
	got, err := ParseList("bm25(k1=0.9,b=0.4),bm25,rrf(bm25,keywords,k=10)", "")
	if d := cmp.Diff([]string{"bm25(k1=0.9,b=0.4)", "bm25", "rrf(bm25,keywords,k=10)"}, Names(got)); err != nil || d != "" {
		t.Error(err, d)
	}
	got, err = ParseList("bm25(k1=0.9,b=0.4),bm25(b=0.4,k1=0.9)", "")
	if err == nil {
		err = Check(got)
	}
	if err == nil || !strings.Contains(err.Error(), "named twice") {
		t.Error(err)
	}
}

// What a source leaves open is as the command says.
func TestParametersAndDefaults(t *testing.T) {
	cfg := Config{Analyzer: "en", BM25: index.BM25Params{K1: 1.2, B: 0.75, Variant: index.Okapi}}
	p, err := Parse("bm25(b=0.4,analyzer=pyserini)")
	if err != nil {
		t.Fatal(err)
	}
	analyzer, params := p.Source.bm25(cfg)
	if d := cmp.Diff(index.BM25Params{K1: 1.2, B: 0.4, Variant: index.Okapi}, params); d != "" || analyzer != index.LuceneEnglish {
		t.Error(analyzer, d)
	}
}

func TestParametersInYAML(t *testing.T) {
	got, err := parseYAML([]byte(`
pipelines:
  - first: {bm25: {b: 0.4, k1: .9, analyzer: pyserini}}
  - first: {bm25: {}}
  - first: {fusion: rrf, k: 10, of: [bm25, {bm25: {k1: 2}}]}
  - first: {fusion: convex, weights: [0.3, 0.7], of: [bm25, {dense: "a,b"}]}
  - first: {rm3: {fb_docs: 5}, of: [bm25(b=1)]}
    then: [{mmr: 0.5}]
`))
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"bm25(k1=0.9,b=0.4,analyzer=lucene-en)", "bm25", "rrf(bm25,bm25(k1=2),k=10)", "convex(bm25,dense:a,b,weights=0.3:0.7)",
		"rm3(bm25(b=1),fb_docs=5)>mmr:0.5@100",
	}
	if d := cmp.Diff(want, Names(got)); d != "" {
		t.Error(d)
	}

	for text, word := range map[string]string{
		"{first: {bm25: {analyser: en}}}":                             "did you mean analyzer?",
		"{first: {bm25: {k1: x}}}":                                    "from 0 on",
		"{first: {bm25: {k1: 1}, of: [bm25]}}":                        "leave of out",
		"{first: {dense: d, k: 3}}":                                   "no parameters",
		"{first: {fusion: convex, weights: [1], of: [bm25, bm25]}}":   "has 1 weights",
		"{first: {rm3: {}, of: [keywords]}}":                          "takes bm25 alone",
		"{first: {fusion: combmnz, k: 1, of: [bm25, keywords]}}":      "no parameters",
		"{first: {bm25: [k1]}}":                                       "line 1",
		"{first: {fusion: convex, weights: 1, of: [bm25, keywords]}}": "line 1",
	} {
		if _, err := parseYAML([]byte("pipelines: [" + text + "]")); err == nil || !strings.Contains(err.Error(), word) {
			t.Errorf("%q: %v, want %s", text, err, word)
		}
	}
}
