package embed

import (
	"context"
	"errors"
	"strings"
	"testing"

	"lore/embed/testmodel"
	"lore/local/ollama"
	"lore/local/ollama/ollamatest"
)

func TestKnownPrefixes(t *testing.T) {
	for model, want := range map[string][2]string{
		"nomic-embed-text:latest":                {"search_query: ", "search_document: "},
		"nomic-embed-text-v2-moe":                {"search_query: ", "search_document: "},
		"e5-base-v2":                             {"query: ", "passage: "},
		"jeffh/intfloat-multilingual-e5-large":   {"query: ", "passage: "},
		"multilingual-e5-large-instruct":         {answersQuery + " ", ""},
		"bge-large-en-v1.5":                      {representSentence, ""},
		"bge-large:335m":                         {representSentence, ""},
		"bge-small-zh-v1.5":                      {representChinese, ""},
		"bge-m3":                                 {"", ""},
		"qwen3-embedding:0.6b":                   {answersQuery, ""},
		"Qwen3-Embedding-8B":                     {answersQuery, ""},
		"gte-base-en-v1.5":                       {"", ""},
		"gte-Qwen2-1.5B-instruct":                {answersQuery + " ", ""},
		"snowflake-arctic-embed:m-long":          {representSentence, ""},
		"snowflake-arctic-embed2":                {"query: ", ""},
		"mxbai-embed-large":                      {representSentence, ""},
		"embeddinggemma:300m":                    {"task: search result | query: ", "title: none | text: "},
		"jina-embeddings-v5-text-small":          {"Query: ", "Document: "},
		"jina-embeddings-v3":                     {"Represent the query for retrieving evidence documents: ", "Represent the document for retrieval: "},
		"jina/jina-embeddings-v2-base-en":        {"", ""},
		"NV-Embed-v2":                            {answersQuestion, ""},
		"stella_en_1.5B_v5":                      {stellaQuery, ""},
		"e5-mistral-7b-instruct":                 {answersQuery + " ", ""},
		"modernbert-embed-base":                  {"search_query: ", "search_document: "},
		"contriever-msmarco":                     {"", ""},
		"all-minilm":                             {"", ""},
		"snowflake-arctic-embed-l-v2.0":          {"query: ", ""},
		"hf.co/CompendiumLabs/bge-base-en-v1.5-": {representSentence, ""},
	} {
		f, ok := lookUp(model)
		if !ok || f.query != want[0] || f.passage != want[1] {
			t.Errorf("%s: %q and %q, %v", model, f.query, f.passage, ok)
		}
	}
	for _, model := range []string{"fake", "e5-base-unsupervised", "bge-en-icl", "mistral:7b", "bge-reranker-base", "nomic"} {
		if f, ok := lookUp(model); ok {
			t.Errorf("%s is taken for %s", model, f.name)
		}
	}
}

// A server's model gets the prefix of the role, by its name or as it was given, and every
// window of a long text has it.
func TestOllamaPrefixes(t *testing.T) {
	client, err := ollama.NewClient(ollama.Config{Host: (&ollamatest.Server{}).Start(t).URL})
	must(t, err)
	ctx := context.Background()
	open := func(model string, w Windows, p ...Prefixes) Embedder {
		e, err := OpenOllama(ctx, client, model, w, p...)
		must(t, err)
		return e
	}

	q, p := "ask now", "tell then"
	e := open("fake", Windows{Long: Mean, Tokens: 2}, Prefixes{Query: &q, Passage: &p})
	query, err := e.Embed(ctx, Query, []string{" sea"})
	must(t, err)
	if d := distance(query[0].Vector, ollamatest.HashedWords("ask now sea")); d > 1e-6 {
		t.Errorf("the query lacks its prefix: off by %g", d)
	}
	long := embedAll(t, e, " sea wall sand door")[0]
	want := poolWindows(Mean, [][]float32{
		ollamatest.HashedWords("tell then sea wall"), ollamatest.HashedWords("tell then sand door"),
	}, []int{2, 2})
	normalize(want)
	if d := distance(long.Vector, want); long.Windows != 2 || d > 1e-6 {
		t.Errorf("%d windows, off by %g: the prefix is not in each", long.Windows, d)
	}
	if s := e.Settings(); s.QueryPrefix != q || s.PassagePrefix != p || !s.EachWindow || strings.Contains(strings.Join(s.Notes, " "), "known") {
		t.Errorf("%+v", s)
	}
	if s := open("fake", Windows{Long: Mean}).Settings(); s.QueryPrefix != "" || !strings.Contains(strings.Join(s.Notes, " "), "no prefixes are known") {
		t.Errorf("%+v", s)
	}
}

// In a model with prefixes each window of a long text begins with the passage's.
func TestPrefixInEachWindow(t *testing.T) {
	enc := openEncoder(t, testmodel.RoBERTa, Windows{Long: Mean, Tokens: 20}, Engine{}).(*encoder)
	text := strings.Repeat(longText, 3)
	got := embedAll(t, enc, text)[0]
	ids := enc.tok.encode("passage: " + text)
	head := common(ids, enc.tok.encode("passage: "))
	if head < 2 || got.Windows < 3 {
		t.Fatalf("%d tokens of a prefix, %d windows", head, got.Windows)
	}

	var vectors [][]float32
	var lengths []int
	for start := head; start < len(ids); start += 20 {
		body := ids[start:min(start+20, len(ids))]
		var in input
		in.ids, in.types = enc.tok.single.fill(append(append([]int(nil), ids[:head]...), body...), nil)
		out, err := enc.rt.run(context.Background(), []input{in})
		must(t, err)
		v := pool(enc.settings.Pooling, out[0].tokens)
		normalize(v)
		vectors, lengths = append(vectors, v), append(lengths, len(body))
	}
	want := poolWindows(Mean, vectors, lengths)
	normalize(want)
	if d := distance(got.Vector, want); d > 1e-5 {
		t.Errorf("off by %g", d)
	}
}

func TestGivenPrefixes(t *testing.T) {
	dir := modelDir(t, testmodel.BERT)
	write(t, dir, OverrideFile, `{"query_prefix":"file: ","passage_prefix":"file: "}`)
	given := "flag: "
	enc, err := OpenONNX(context.Background(), dir, Windows{Long: Mean}, Engine{}, Prefixes{Query: &given})
	must(t, err)
	defer enc.Close()
	if s := enc.Settings(); s.QueryPrefix != "flag: " || s.PassagePrefix != "file: " {
		t.Errorf("%+v", s)
	}

	long := strings.Repeat("word ", 60)
	_, err = OpenONNX(context.Background(), dir, Windows{Long: Mean}, Engine{}, Prefixes{Query: &long})
	var bad *ModelError
	if !errors.As(err, &bad) || !strings.Contains(err.Error(), "takes 64 tokens, of which the prefix") {
		t.Errorf("%v", err)
	}
}

// What lore.json says and lore does not know is refused.
func TestBadOverride(t *testing.T) {
	for content, want := range map[string]string{
		`{"pooling":"sum"}`:       `asks for the pooling "sum", which lore does not compute; there are: mean, cls, last, max`,
		`{"pooling":""}`:          `the pooling ""`,
		`{"poolng":"cls"}`:        `has the unknown field "poolng"; did you mean pooling?`,
		`{"prefix":"x"}`:          `has the unknown field "prefix"; there are: file, output, max_tokens`,
		`{"max_tokens":-1}`:       "has -1 as max_tokens",
		`{"normalize":"yes"}`:     "correct the field",
		`["pooling"]`:             "write one JSON object",
		`{"pooling":"cls"`:        "cannot be read",
		`{"query_prefx":"q: "}`:   "did you mean query_prefix?",
		`{"passage_prefix": 12 }`: "correct the field",
	} {
		dir := modelDir(t, testmodel.BERT)
		write(t, dir, OverrideFile, content)
		_, err := OpenONNX(context.Background(), dir, Windows{Long: Mean}, Engine{})
		var bad *ModelError
		if !errors.As(err, &bad) || !strings.Contains(strings.ToLower(err.Error()), strings.ToLower(want)) {
			t.Errorf("%s: %v", content, err)
		}
	}
}
