package embed

import (
	"fmt"
	"strings"
)

// Prefixes are what is put before queries and passages. One that is nil is not said: it is
// looked up.
type Prefixes struct {
	Query, Passage *string
}

// Prefixes of models, as their cards ask for them. A retrieval instruction is the one that
// the card gives for web search.
const (
	representSentence = "Represent this sentence for searching relevant passages: "
	representChinese  = "为这个句子生成表示以用于检索相关文章："
	answersQuery      = "Instruct: Given a web search query, retrieve relevant passages that answer the query\nQuery:"
)

// families are the models whose prefixes are known, by parts of their names, in order: an
// arctic-embed-m-long is built on nomic's and wants arctic's. All parts must be there.
var families = []struct {
	name           string
	parts          []string
	query, passage string
}{
	{"arctic-embed v2", []string{"arctic-embed", "v2"}, "query: ", ""},
	{"arctic-embed v2", []string{"arctic-embed2"}, "query: ", ""},
	{"arctic-embed", []string{"arctic-embed"}, representSentence, ""},
	{"nomic-embed-text", []string{"nomic-embed-text"}, "search_query: ", "search_document: "},
	{"qwen3-embedding", []string{"qwen3-embedding"}, answersQuery, ""},
	{"gte-Qwen instruct", []string{"gte-qwen", "instruct"}, answersQuery + " ", ""},
	{"gte", []string{"gte-"}, "", ""},
	{"bge-m3", []string{"bge-m3"}, "", ""},
	{"bge zh", []string{"bge-", "-zh"}, representChinese, ""},
	{"bge en", []string{"bge-", "-en"}, representSentence, ""},
	{"bge", []string{"bge-small"}, representSentence, ""}, // as Ollama names the English ones
	{"bge", []string{"bge-base"}, representSentence, ""},
	{"bge", []string{"bge-large"}, representSentence, ""},
	{"e5 instruct", []string{"e5-", "instruct"}, answersQuery + " ", ""},
	{"e5", []string{"e5-small"}, "query: ", "passage: "},
	{"e5", []string{"e5-base"}, "query: ", "passage: "},
	{"e5", []string{"e5-large"}, "query: ", "passage: "},
}

// strangers have a part of a family's name and other habits: their cards ask for examples
// or for a form that is no plain prefix.
var strangers = []string{"bge-en-icl", "bge-multilingual", "unsupervised", "arctic-e5"}

// lookUp finds the prefixes of a model by its name: a folder's, or a server's with tag.
func lookUp(model string) (query, passage, family string, ok bool) {
	name := strings.ReplaceAll(strings.ToLower(model), "_", "-")
	for _, s := range strangers {
		if strings.Contains(name, s) {
			return "", "", "", false
		}
	}

	for _, f := range families {
		all := true
		for _, part := range f.parts {
			all = all && strings.Contains(name, part)
		}
		if all {
			return f.query, f.passage, f.name, true
		}
	}
	return "", "", "", false
}

// known puts the prefixes of a family into settings that have none, and says so.
func (s *Settings) known(model string) (family string) {
	query, passage, family, ok := lookUp(model)
	if !ok {
		return ""
	}
	s.QueryPrefix, s.PassagePrefix = query, passage
	return family
}

// set puts prefixes that were given before all others.
func (p Prefixes) set(s *Settings) {
	if p.Query != nil {
		s.QueryPrefix = *p.Query
	}
	if p.Passage != nil {
		s.PassagePrefix = *p.Passage
	}
}

// settle is the last step for settings: prefixes that were given, then what is to be noted.
// from says where the others are from.
func (s *Settings) settle(given []Prefixes, from string) {
	for _, p := range given {
		p.set(s)
		if p.Query != nil && p.Passage != nil {
			from = "" // nothing is left of the others
		}
	}
	s.EachWindow = s.QueryPrefix != "" || s.PassagePrefix != ""
	if from != "" {
		s.Notes = append(s.Notes, from)
	}
}

// byName words where prefixes come from.
func byName(family string) string {
	return fmt.Sprintf("prefixes of %s models, by the model's name", family)
}

// prefix is the one of a role.
func (s Settings) prefix(role Role) string {
	if role == Query {
		return s.QueryPrefix
	}
	return s.PassagePrefix
}
