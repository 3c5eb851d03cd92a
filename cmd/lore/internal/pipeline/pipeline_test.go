package pipeline

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"lore/cmd/lore/internal/usage"
	"lore/index/condense"
)

func TestParse(t *testing.T) {
	bm25 := Pipeline{Name: "bm25", Source: Source{Kind: "bm25"}}
	for text, want := range map[string]Pipeline{
		"bm25":                     bm25,
		"trec:runs/a.trec":         {Source: Source{Kind: "trec", Arg: "runs/a.trec"}},
		"dense:ollama:nomic:v1":    {Source: Source{Kind: "dense", Arg: "ollama:nomic:v1"}},
		"bm25>rerank:llm:qwen3:8b": {Source: bm25.Source, Stages: []Stage{{Kind: "llm", Model: "qwen3:8b", Depth: 20}}},
		"bm25>rerank:listwise:ollama:q:8b@50>mmr:0.5": {Source: bm25.Source, Stages: []Stage{{Kind: "listwise", Model: "q:8b", Depth: 50}, {Kind: "mmr", Lambda: 0.5, Depth: 100}}},
		"bm25>rerank:cross:models/x@7":                {Source: bm25.Source, Stages: []Stage{{Kind: "cross", Model: "models/x", Depth: 7}}},
		"bm25>rerank:colbert:models/x@9":              {Source: bm25.Source, Stages: []Stage{{Kind: "colbert", Model: "models/x", Depth: 9}}},
		"bm25>mmr:1:dense:d":                          {Source: bm25.Source, Stages: []Stage{{Kind: "mmr", Lambda: 1, Model: "dense:d", Depth: 100}}},
		"rrf(bm25, dense:d>rerank:llm5:m@3)>mmr:0":    {Source: Source{Kind: "rrf", Parts: []Pipeline{bm25, {Name: "dense:d>rerank:llm5:m@3", Source: Source{Kind: "dense", Arg: "d"}, Stages: []Stage{{Kind: "llm5", Model: "m", Depth: 3}}}}}, Stages: []Stage{{Kind: "mmr", Depth: 100}}},
		"bm25>first:512":                              {Source: bm25.Source, Shape: condense.Shape{Kind: "first", Tokens: 512}},
		"bm25>first:10000c":                           {Source: bm25.Source, Shape: condense.Shape{Kind: "first", Characters: 10000}},
		"sparse:models/splade":                        {Source: Source{Kind: "sparse", Arg: "models/splade"}},
		"sparse:d,query=idf.json>mmr:0.5:sparse:d": {
			Source: Source{Kind: "sparse", Arg: "d", Query: "idf.json"},
			Stages: []Stage{{Kind: "mmr", Lambda: 0.5, Model: "sparse:d", Depth: 100}},
		},
		"rrf(sparse:d,query=q,bm25)": {Source: Source{Kind: "rrf", Parts: []Pipeline{
			{Name: "sparse:d,query=q", Source: Source{Kind: "sparse", Arg: "d", Query: "q"}}, bm25,
		}}},
		"oracle1":                              {Source: Source{Kind: "oracle1"}},
		"oracle1:ollama:m:8b":                  {Source: Source{Kind: "oracle1", Arg: "m:8b"}},
		"decompose(rrf(bm25,bm25),ollama:m:1)": {Source: Source{Kind: "decompose", Arg: "m:1", Parts: []Pipeline{{Name: "rrf(bm25,bm25)", Source: Source{Kind: "rrf", Parts: []Pipeline{bm25, bm25}}}}}},
	} {
		want.Name = text
		got, err := Parse(text)
		if err != nil {
			t.Errorf("%s: %v", text, err)
		} else if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%s:\n%s", text, d)
		}
	}
}

func TestBadPipelines(t *testing.T) {
	for text, word := range map[string]string{
		"":                "unknown retriever",
		"klingon":         "There are: bm25",
		"bm25:x":          "takes no name",
		"dense":           "needs a name",
		"sparse":          "needs a name",
		"sparse:d,query=": "names nothing",

		"convex(bm25,oracle,weights=0.7,0.3)": "parted by colons, not by commas: weights=0.7:0.3",
		"bm25(k1=0,9,b=0.4)":                  "decimals have a point",
		"rrf(bm25,oracle,k=0,5)":              "decimals have a point",
		"bm25>mmr:0.5:sparse:":                "sparse:DIR",
		"oracle1:m":                           "takes a model",
		"rrf(bm25)":                           "at least two",
		"rrf(bm25,keywords":                   "parenthesis",
		"max(bm25,keywords)":                  "unknown combination",
		"rrf(bm25,keywords)x":                 "unexpected",
		"bm25>":                               "unknown stage",
		"bm25>rerank:llm":                     "unknown stage",
		"bm25>rerank:best:m":                  "unknown stage",
		"bm25>mmr:2":                          "from 0 to 1",
		"bm25>mmr:0.5:words":                  "vectors",
		"bm25>first:c":                        "or of characters, first:512c",
		"bm25>first:0c":                       "or of characters, first:512c",
		"bm25>first:5cc":                      "or of characters, first:512c",
		"bm25>rerank:llm:m@0":                 "after @",
		"bm25>rerank:llm:m@x":                 "after @",
		"full>mmr:0.5":                        "nothing can follow",
		"decompose(bm25)":                     "a retriever and a model",
		"decompose(bm25,ollama:)":             "a retriever and a model",
	} {
		_, err := Parse(text)
		var u *usage.Error
		if !errors.As(err, &u) || !strings.Contains(err.Error(), strings.TrimPrefix(word, "after ")) {
			t.Errorf("%q: %v", text, err)
		}
	}
}

func TestSplitList(t *testing.T) {
	got := SplitList(" bm25, rrf(a,b(c,d))>mmr:1 ,,x,")
	if d := cmp.Diff([]string{"bm25", "rrf(a,b(c,d))>mmr:1", "x"}, got); d != "" {
		t.Error(d)
	}
}

func TestYAML(t *testing.T) {
	const file = `
pipelines:
  - bm25>mmr:0.5
  - name: strong
    first:
      fusion: rrf
      of: [bm25, {dense: "models, all"}]
    then:
      - {rerank: cross, model: "models/a@b", depth: 30}
      - {mmr: 0.7, vectors: "dense:x"}
  - first: {decompose: "ollama:m:1", of: [bm25]}
    then: [{rerank: llm, model: m:1}]
`
	got, err := parseYAML([]byte(file))
	if err != nil {
		t.Fatal(err)
	}
	bm25 := Pipeline{Name: "bm25", Source: Source{Kind: "bm25"}}
	want := []Pipeline{
		{Name: "bm25>mmr:0.5", Source: bm25.Source, Stages: []Stage{{Kind: "mmr", Lambda: 0.5, Depth: 100}}},
		{Name: "strong", Source: Source{Kind: "rrf", Parts: []Pipeline{bm25, {Name: "dense:models, all", Source: Source{Kind: "dense", Arg: "models, all"}}}},
			Stages: []Stage{{Kind: "cross", Model: "models/a@b", Depth: 30}, {Kind: "mmr", Lambda: 0.7, Model: "dense:x", Depth: 100}}},
		{Name: "decompose(bm25,ollama:m:1)>rerank:llm:m:1@20", Source: Source{Kind: "decompose", Arg: "m:1", Parts: []Pipeline{bm25}}, Stages: []Stage{{Kind: "llm", Model: "m:1", Depth: 20}}},
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	for text, word := range map[string]string{
		"":                                     "has no pipelines",
		"pipelines: []":                        "has no pipelines",
		"x: 1":                                 "x",
		"pipelines: [{first: bm25, than: []}]": "than",
		"pipelines: [{first: {fusion: max, of: [bm25, bm25]}}]":   "max",
		"pipelines: [{first: {fusion: rrf, of: [bm25]}}]":         "at least two",
		"pipelines: [{first: bm25, then: [{rerank: llm}]}]":       "unknown stage",
		"pipelines: [{first: bm25, then: [{mmr: 3}]}]":            "from 0 to 1",
		"pipelines: [{first: bm25, then: [{depth: 3}]}]":          "rerank and model",
		"pipelines: [{first: bm25, then: [{mmr: 1, depth: -1}]}]": "not negative",
		"pipelines: [[1]]": "map",
	} {
		if _, err := parseYAML([]byte(text)); err == nil || !strings.Contains(err.Error(), word) {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// A pipeline that is accepted reads back from its name.
func FuzzPipeline(f *testing.F) {
	for _, s := range []string{"bm25", "rrf(bm25,dense:d>mmr:0.5)>rerank:llm:m:8b@3", "decompose(bm25,ollama:m)", "full>mmr:1", "rrf(,)", "bm25(b=.4,k1=0.9)",
		"rrf(rm3(bm25(k1=1)),keywords,k=2)>mmr:1", "convex(bm25,random,weights=1:2)"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		p, err := Parse(text)
		var u *usage.Error
		if err != nil {
			if !errors.As(err, &u) {
				t.Errorf("%q: %v is no usage error", text, err)
			}
			return
		}
		again, err := Parse(p.Name)
		if err != nil || !cmp.Equal(p, again) {
			t.Errorf("%q: read again as %+v, %v", p.Name, again, err)
		}
	})
}

func FuzzYAML(f *testing.F) {
	for _, s := range []string{
		"pipelines: [bm25, {first: bm25, then: [{mmr: 0.5}]}]", "a: &a [*a]\n", "<<: *x\n", "a: 1\n---\nb: 2\n",
		"pipelines:\n  - &x {name: r, first: {fusion: rrf, of: [*x, bm25]}}\n", "pipelines: !!binary x\n", "? [a]\n: b\n",
		"pipelines: [{first: {decompose: m, of: [bm25]}, show: snippet}]",
	} {
		f.Add(s)
	}
	f.Fuzz(func(_ *testing.T, text string) { _, _ = parseYAML([]byte(text)) })
}

// A comma before query= belongs to the retriever before it.
func TestListOfSparse(t *testing.T) {
	got, err := ParseList("bm25,sparse:d,query=q.jsonl,rrf(bm25,sparse:d,query=tokens),sparse:e", "")
	want := []string{"bm25", "sparse:d,query=q.jsonl", "rrf(bm25,sparse:d,query=tokens)", "sparse:e"}
	if d := cmp.Diff(want, Names(got)); err != nil || d != "" {
		t.Error(err, d)
	}
	if d := cmp.Diff([]string{"d", "q.jsonl"}, got[1].Paths()); d != "" {
		t.Error(d)
	}
	file, err := parseYAML([]byte("pipelines:\n- first: {sparse: d, query: q.jsonl}\n- {sparse: e}\n"))
	if d := cmp.Diff([]string{"sparse:d,query=q.jsonl", "sparse:e"}, Names(file)); err != nil || d != "" {
		t.Error(err, d)
	}
	if _, err := parseYAML([]byte("pipelines:\n- first: {dense: d, query: q}\n")); err == nil {
		t.Error("query beside dense is taken")
	}
}
