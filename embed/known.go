package embed

import (
	"fmt"
	"slices"
	"strings"
)

// Prefixes of models, as their cards ask for them. A retrieval instruction is the one that
// the card gives for web search.
const (
	representSentence = "Represent this sentence for searching relevant passages: "
	representChinese  = "为这个句子生成表示以用于检索相关文章："
	answersQuery      = "Instruct: Given a web search query, retrieve relevant passages that answer the query\nQuery:"
	stellaQuery       = "Instruct: Given a web search query, retrieve relevant passages that answer the query.\nQuery: "
	answersQuestion   = "Instruct: Given a question, retrieve passages that answer the question\nQuery: "
)

// family is what the cards of some models say and their files often leave out.
type family struct {
	name           string
	parts          []string // of a model's name; all must be there
	query, passage string
	card           string // where it is said, a repository of Hugging Face

	pooling string // by the card, for folders without modules.json; empty is not said
	dot     bool   // vectors are compared by dot product, and not normalised
	graph   string // the output that holds the vector; what comes after the encoder is in the graph alone
}

// families are the models that are known by parts of their names, in order: an
// arctic-embed-m-long is built on nomic's and wants arctic's.
var families = []family{
	{name: "arctic-embed v2", parts: []string{"arctic-embed", "v2"}, query: "query: ",
		card: "Snowflake/snowflake-arctic-embed-l-v2.0", pooling: poolCLS},
	{name: "arctic-embed v2", parts: []string{"arctic-embed2"}, query: "query: ",
		card: "Snowflake/snowflake-arctic-embed-l-v2.0", pooling: poolCLS},
	{name: "arctic-embed", parts: []string{"arctic-embed"}, query: representSentence,
		card: "Snowflake/snowflake-arctic-embed-l", pooling: poolCLS},

	{name: "nomic-embed-code", parts: []string{"nomic-embed-code"}, query: "Represent this query for searching relevant code: ",
		card: "nomic-ai/nomic-embed-code", pooling: poolLast},
	{name: "nomic-embed-text", parts: []string{"nomic-embed-text"}, query: "search_query: ", passage: "search_document: ",
		card: "nomic-ai/nomic-embed-text-v1.5", pooling: poolMean},
	{name: "modernbert-embed", parts: []string{"modernbert-embed"}, query: "search_query: ", passage: "search_document: ",
		card: "nomic-ai/modernbert-embed-base", pooling: poolMean},

	{name: "qwen3-embedding", parts: []string{"qwen3-embedding"}, query: answersQuery,
		card: "Qwen/Qwen3-Embedding-0.6B", pooling: poolLast},
	{name: "gte-Qwen instruct", parts: []string{"gte-qwen", "instruct"}, query: answersQuery + " ",
		card: "Alibaba-NLP/gte-Qwen2-1.5B-instruct", pooling: poolLast},
	{name: "inf-retriever", parts: []string{"inf-retriever"}, query: answersQuery + " ",
		card: "infly/inf-retriever-v1", pooling: poolLast},
	{name: "gte multilingual", parts: []string{"gte-multilingual"}, card: "Alibaba-NLP/gte-multilingual-base", pooling: poolCLS},
	{name: "gte v1.5", parts: []string{"gte-", "-v1.5"}, card: "Alibaba-NLP/gte-base-en-v1.5", pooling: poolCLS},
	{name: "gte-modernbert", parts: []string{"gte-modernbert"}, card: "Alibaba-NLP/gte-modernbert-base", pooling: poolCLS},
	{name: "gte", parts: []string{"gte-"}, card: "thenlper/gte-base", pooling: poolMean},

	{name: "bge-m3", parts: []string{"bge-m3"}, card: "BAAI/bge-m3", pooling: poolCLS},
	{name: "bge zh", parts: []string{"bge-", "-zh"}, query: representChinese, card: "BAAI/bge-base-zh-v1.5", pooling: poolCLS},
	{name: "bge en", parts: []string{"bge-", "-en"}, query: representSentence, card: "BAAI/bge-base-en-v1.5", pooling: poolCLS},
	// As a server names the English ones.
	{name: "bge", parts: []string{"bge-small"}, query: representSentence, card: "BAAI/bge-small-en-v1.5", pooling: poolCLS},
	{name: "bge", parts: []string{"bge-base"}, query: representSentence, card: "BAAI/bge-base-en-v1.5", pooling: poolCLS},
	{name: "bge", parts: []string{"bge-large"}, query: representSentence, card: "BAAI/bge-large-en-v1.5", pooling: poolCLS},
	{name: "mxbai-embed", parts: []string{"mxbai-embed-large"}, query: representSentence,
		card: "mixedbread-ai/mxbai-embed-large-v1", pooling: poolCLS},
	{name: "UAE", parts: []string{"uae-large"}, query: representSentence, card: "WhereIsAI/UAE-Large-V1", pooling: poolCLS},

	{name: "e5 mistral", parts: []string{"e5-mistral"}, query: answersQuery + " ",
		card: "intfloat/e5-mistral-7b-instruct", pooling: poolLast},
	{name: "e5 instruct", parts: []string{"e5-", "instruct"}, query: answersQuery + " ",
		card: "intfloat/multilingual-e5-large-instruct", pooling: poolMean},
	{name: "e5", parts: []string{"e5-small"}, query: "query: ", passage: "passage: ", card: "intfloat/e5-small-v2", pooling: poolMean},
	{name: "e5", parts: []string{"e5-base"}, query: "query: ", passage: "passage: ", card: "intfloat/e5-base-v2", pooling: poolMean},
	{name: "e5", parts: []string{"e5-large"}, query: "query: ", passage: "passage: ", card: "intfloat/e5-large-v2", pooling: poolMean},
	{name: "SFR-Embedding mistral", parts: []string{"sfr-embedding-mistral"}, query: answersQuery + " ",
		card: "Salesforce/SFR-Embedding-Mistral", pooling: poolLast},
	{name: "NV-Embed", parts: []string{"nv-embed-v"}, query: answersQuestion,
		card: "nvidia/NV-Embed-v2", graph: "sentence_embedding"},

	{name: "embeddinggemma", parts: []string{"embeddinggemma"}, query: "task: search result | query: ",
		passage: "title: none | text: ", card: "google/embeddinggemma-300m", graph: "sentence_embedding"},
	{name: "jina v5", parts: []string{"jina-embeddings-v5-text"}, query: "Query: ", passage: "Document: ",
		card: "jinaai/jina-embeddings-v5-text-small-retrieval", pooling: poolLast},
	{name: "jina v3", parts: []string{"jina-embeddings-v3"}, query: "Represent the query for retrieving evidence documents: ",
		passage: "Represent the document for retrieval: ", card: "jinaai/jina-embeddings-v3", pooling: poolMean},
	{name: "jina v2", parts: []string{"jina-embeddings-v2"}, card: "jinaai/jina-embeddings-v2-base-en", pooling: poolMean},
	{name: "stella v5", parts: []string{"stella-en", "v5"}, query: stellaQuery, card: "NovaSearch/stella_en_1.5B_v5",
		graph: "sentence_embedding"},
	{name: "granite-embedding", parts: []string{"granite-embedding"}, card: "ibm-granite/granite-embedding-125m-english", pooling: poolCLS},

	{name: "contriever", parts: []string{"contriever"}, card: "facebook/contriever-msmarco", pooling: poolMean, dot: true},
	{name: "msmarco tas-b", parts: []string{"tas-b"}, card: "sentence-transformers/msmarco-distilbert-base-tas-b",
		pooling: poolCLS, dot: true},
	{name: "msmarco dot", parts: []string{"msmarco-", "-dot-"}, card: "sentence-transformers/msmarco-distilbert-dot-v5",
		pooling: poolMean, dot: true},
	{name: "multi-qa dot", parts: []string{"multi-qa-", "-dot-"}, card: "sentence-transformers/multi-qa-mpnet-base-dot-v1",
		pooling: poolCLS, dot: true},
	{name: "multi-qa", parts: []string{"multi-qa-", "-cos-"}, card: "sentence-transformers/multi-qa-MiniLM-L6-cos-v1",
		pooling: poolMean},
	{name: "all-MiniLM", parts: []string{"all-minilm"}, card: "sentence-transformers/all-MiniLM-L6-v2", pooling: poolMean},
	{name: "all-mpnet", parts: []string{"all-mpnet-base"}, card: "sentence-transformers/all-mpnet-base-v2", pooling: poolMean},
}

// strangers have a part of a family's name and other habits: their cards ask for examples
// or for a form that is no plain prefix, or none says what they want.
var strangers = []string{"bge-en-icl", "bge-multilingual", "bge-code", "bge-reranker", "unsupervised", "arctic-e5"}

// lookUp finds the family of a model by its name: a folder's, a repository's, or a server's
// with tag. The nearest name is not taken: a model that is not there is not known.
func lookUp(model string) (family, bool) {
	name := strings.ReplaceAll(strings.ToLower(model), "_", "-")
	if slices.ContainsFunc(strangers, func(s string) bool { return strings.Contains(name, s) }) {
		return family{}, false
	}

	for _, f := range families {
		if !slices.ContainsFunc(f.parts, func(part string) bool { return !strings.Contains(name, part) }) {
			return f, true
		}
	}
	return family{}, false
}

// prefixes words what a family has before its texts, and how it was known.
func (f family) prefixes(how string) string {
	if f.query == "" && f.passage == "" {
		return fmt.Sprintf("no prefixes, as %s models have none, by %s", f.name, how)
	}
	return fmt.Sprintf("prefixes of %s models, by %s", f.name, how)
}

// byModelName is how a server's model is known.
const byModelName = "the model's name"

// noPrefixes is said of a model that is not in the table.
const noPrefixes = "no prefixes are known for a model of this name"
