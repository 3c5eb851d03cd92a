package embed

import (
	"cmp"
	"fmt"
	"strings"
)

// Late are the settings of a model of late interaction (Khattab and Zaharia, ColBERT, 2020).
type Late struct {
	Query   int  `json:"query_tokens"`    // of a query, special ones included; shorter ones are filled up
	Passage int  `json:"passage_tokens"`  // of a passage, at most
	Fill    bool `json:"filled_by_masks"` // queries are filled up by mask tokens, which have vectors, too
	Attend  bool `json:"masks_attended"`  // the other tokens see those
	Skipped int  `json:"tokens_skipped"`  // how many tokens have no vector in passages: punctuation
}

// lateConfig is what a folder says of late interaction.
type lateConfig struct {
	Late
	query, passage string // marker tokens
	skip           []string
	from           string // the file
}

// punctuation is ASCII's, which has no vectors in passages.
const punctuation = "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~"

// readLate reads the settings of ColBERT's own checkpoints, or those of PyLate.
func (f *folder) readLate() (lateConfig, error) {
	signs := strings.Split(punctuation, "")
	var colbert struct {
		Query      int    `json:"query_maxlen"`
		Passage    int    `json:"doc_maxlen"`
		Attend     bool   `json:"attend_to_mask_tokens"`
		Mask       *bool  `json:"mask_punctuation"`
		Similarity string `json:"similarity"`
		QueryMark  string `json:"query_token_id"`
		PassMark   string `json:"doc_token_id"`
	}
	const metadata = "artifact.metadata"
	found, err := f.read(metadata, &colbert)
	if err != nil {
		return lateConfig{}, err
	}
	if found && colbert.Similarity != "" && colbert.Similarity != Cosine {
		return lateConfig{}, f.unclear("compares vectors by "+colbert.Similarity+", which lore does not for late interaction",
			"choose a model that compares by cosine")
	}
	if found && colbert.Query > 0 && colbert.Passage > 0 {
		c := lateConfig{
			Late:  Late{Query: colbert.Query, Passage: colbert.Passage, Fill: true, Attend: colbert.Attend},
			query: cmp.Or(colbert.QueryMark, "[unused0]"), passage: cmp.Or(colbert.PassMark, "[unused1]"), from: metadata,
		}
		if colbert.Mask == nil || *colbert.Mask {
			c.skip = signs
		}
		return c, nil
	}

	var pylate struct {
		Query    int       `json:"query_length"`
		Passage  int       `json:"document_length"`
		Expand   *bool     `json:"do_query_expansion"`
		Attend   bool      `json:"attend_to_expansion_tokens"`
		Skip     *[]string `json:"skiplist_words"`
		QueryPre string    `json:"query_prefix"`
		PassPre  string    `json:"document_prefix"`
	}
	if _, err := f.read(promptsFile, &pylate); err != nil {
		return lateConfig{}, err
	}
	if pylate.Query < 4 || pylate.Passage < 4 {
		return lateConfig{}, f.unclear("says nothing of late interaction: neither "+metadata+
			" nor the query_length of PyLate in "+promptsFile,
			"use it as rerank:cross:DIR or dense:DIR if it is no ColBERT; else copy the whole folder")
	}
	c := lateConfig{
		Late:  Late{Query: pylate.Query, Passage: pylate.Passage, Fill: pylate.Expand == nil || *pylate.Expand, Attend: pylate.Attend},
		query: cmp.Or(pylate.QueryPre, "[Q] "), passage: cmp.Or(pylate.PassPre, "[D] "), skip: signs, from: promptsFile,
	}
	if pylate.Skip != nil {
		c.skip = *pylate.Skip
	}
	return c, nil
}

// markers finds the tokens that stand after the first special token of queries and of passages.
func (f *folder) markers(tok *tokenizer, c lateConfig) (ids [2]int, err error) {
	for i, mark := range []string{c.query, c.passage} {
		id, ok := tok.id(mark)
		if !ok {
			id, ok = tok.id(strings.TrimSpace(mark))
		}
		if !ok {
			return ids, f.unclear(fmt.Sprintf("has no token %q in its vocabulary, which marks queries or passages by %s", mark, c.from),
				"check that tokenizer.json belongs to the model")
		}
		ids[i] = id
	}
	return ids, nil
}

// maskToken is what queries are filled up with.
func (f *folder) maskToken(tok *tokenizer) (int, error) {
	for _, name := range []string{"[MASK]", "<mask>"} {
		if id, ok := tok.id(name); ok {
			return id, nil
		}
	}
	return 0, f.unclear("has no mask token, by which queries are filled up", "check that tokenizer.json belongs to the model")
}

// projections reads the Dense modules that token vectors go through.
func (f *folder) projections() ([]*projection, error) {
	var modules []struct {
		Path string `json:"path"`
		Type string `json:"type"`
	}
	if _, err := f.read("modules.json", &modules); err != nil {
		return nil, err
	}

	var out []*projection
	for _, m := range modules {
		switch kind := m.Type[strings.LastIndexByte(m.Type, '.')+1:]; kind {
		case "Transformer", "Normalize", "MultiVectorMask":
		case "Dense":
			p, err := f.readProjection(m.Path)
			if err != nil {
				return nil, err
			}
			out = append(out, p)
		default:
			return nil, f.unclear("has a module "+kind+", which a model of late interaction does not have",
				"use it as dense:DIR if it is an embedder of texts")
		}
	}
	return out, nil
}
