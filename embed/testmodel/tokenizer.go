package testmodel

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"unicode"
)

// corpus is what the tokenisers' vocabularies are made from.
const corpus = `
The harbour board met on Tuesday to hear how much the new sea wall would cost and who should pay
for it.
An engineer said that the old wall had lost a third of its stone in two winters, and that the
next storm could open it.
Members asked what a temporary bank of sand would do for the fishing boats. She answered that
sand holds for a season, not for a year.
The council has set aside four million for repairs; the region may add two more if the plan is
ready before spring.
Residents of the lower town want the road closed to heavy lorries while the work goes on.
Shopkeepers fear that a closed road means closed shops.
In the end the board chose to repair the wall in parts, to begin with the weakest part, and to
report again in March.`

type object = map[string]any

func special(id int, content string) object {
	return object{
		"id":          id,
		"content":     content,
		"single_word": false,
		"lstrip":      content == "<mask>",
		"rstrip":      false,
		"normalized":  false,
		"special":     true,
	}
}

// wordPiece is the tokenizer.json of an uncased BERT and its number of tokens.
// Like the models it stands for, it leaves strip_accents open, which means yes.
func wordPiece() (object, int) {
	specials := []string{"[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"}
	vocab := wordPieces(specials)
	var added []object
	for i, t := range specials {
		added = append(added, special(i, t))
	}

	piece := func(name string, typ int) object {
		return object{"SpecialToken": object{"id": name, "type_id": typ}}
	}
	sequence := func(name string, typ int) object {
		return object{"Sequence": object{"id": name, "type_id": typ}}
	}
	token := func(name string, id int) object {
		return object{"id": name, "ids": []int{id}, "tokens": []string{name}}
	}
	single := []object{piece("[CLS]", 0), sequence("A", 0), piece("[SEP]", 0)}

	return object{
		"version": "1.0", "truncation": nil, "padding": nil, "added_tokens": added,
		"normalizer": object{
			"type":                 "BertNormalizer",
			"clean_text":           true,
			"handle_chinese_chars": true,
			"strip_accents":        nil,
			"lowercase":            true,
		},
		"pre_tokenizer": object{"type": "BertPreTokenizer"},
		"post_processor": object{
			"type":           "TemplateProcessing",
			"single":         single,
			"pair":           slices.Concat(single, []object{sequence("B", 1), piece("[SEP]", 1)}),
			"special_tokens": object{"[CLS]": token("[CLS]", 2), "[SEP]": token("[SEP]", 3)},
		},
		"decoder": object{"type": "WordPiece", "prefix": "##", "cleanup": true},
		"model": object{
			"type":                      "WordPiece",
			"unk_token":                 "[UNK]",
			"continuing_subword_prefix": "##",
			"max_input_chars_per_word":  100,
			"vocab":                     vocab,
		},
	}, len(vocab)
}

// wordPieces numbers the special tokens, single characters, the corpus's words, and their
// ends.
func wordPieces(specials []string) object {
	vocab := object{}
	add := func(t string) {
		if _, ok := vocab[t]; !ok {
			vocab[t] = len(vocab)
		}
	}

	for _, t := range specials {
		add(t)
	}

	const letters = "abcdefghijklmnopqrstuvwxyz0123456789"
	for _, c := range letters + ".,;:!?'\"()-[]ßøπ中" {
		add(string(c))
	}
	for _, c := range letters + "ßø" {
		add("##" + string(c))
	}

	notLetter := func(r rune) bool { return !unicode.IsLetter(r) }
	for _, w := range strings.FieldsFunc(strings.ToLower(corpus), notLetter) {
		add(w)
		if len(w) > 4 {
			add("##" + w[len(w)-3:])
		}
	}

	return vocab
}

// byteLevel is the tokenizer.json of a RoBERTa and its number of tokens.
func byteLevel(merges int) (object, int) {
	vocab := object{}
	specials := []string{"<s>", "<pad>", "</s>", "<unk>"}
	for i, t := range specials {
		vocab[t] = i
	}

	alphabet := byteAlphabet()
	for b := range 256 {
		vocab[string(alphabet[b])] = len(vocab)
	}

	pairs := learnMerges(alphabet, merges)
	for _, p := range pairs {
		vocab[p[0]+p[1]] = len(vocab)
	}
	vocab["<mask>"] = len(vocab)

	var added []object
	for i, t := range specials {
		added = append(added, special(i, t))
	}
	added = append(added, special(len(vocab)-1, "<mask>"))

	level := func(prefixSpace bool) object {
		return object{
			"type":             "ByteLevel",
			"add_prefix_space": prefixSpace,
			"trim_offsets":     true,
			"use_regex":        true,
		}
	}
	return object{
		"version": "1.0", "truncation": nil, "padding": nil, "added_tokens": added, "normalizer": nil,
		"pre_tokenizer":  level(false),
		"post_processor": robertaProcessing(),
		"decoder":        level(true),
		"model": object{
			"type":                      "BPE",
			"dropout":                   nil,
			"unk_token":                 nil,
			"continuing_subword_prefix": "",
			"end_of_word_suffix":        "",
			"fuse_unk":                  false,
			"byte_fallback":             false,
			"ignore_merges":             false,
			"vocab":                     vocab,
			"merges":                    pairs,
		},
	}, len(vocab)
}

func robertaProcessing() object {
	return object{
		"type":             "RobertaProcessing",
		"sep":              []any{"</s>", 2},
		"cls":              []any{"<s>", 0},
		"trim_offsets":     true,
		"add_prefix_space": false,
	}
}

// byteAlphabet gives every byte a printable rune, as byte-level BPE does: printable
// Latin-1 stands for itself, the rest is moved up past U+0100.
func byteAlphabet() [256]rune {
	var out [256]rune
	next := rune(256)
	for b := range 256 {
		if b >= '!' && b <= '~' || b >= 0xa1 && b <= 0xac || b >= 0xae {
			out[b] = rune(b)
			continue
		}
		out[b] = next
		next++
	}
	return out
}

// learnMerges finds the n most frequent merges of the corpus, one after the other.
func learnMerges(alphabet [256]rune, n int) [][2]string {
	var words [][]string
	for _, w := range strings.Fields(corpus) {
		var parts []string
		for _, b := range []byte(" " + w) {
			parts = append(parts, string(alphabet[b]))
		}
		words = append(words, parts)
	}

	var out [][2]string
	for range n {
		counts := map[[2]string]int{}
		for _, w := range words {
			for i := range len(w) - 1 {
				counts[[2]string{w[i], w[i+1]}]++
			}
		}

		best := slices.MinFunc(slices.Collect(maps.Keys(counts)), func(a, b [2]string) int {
			return cmp.Or(cmp.Compare(counts[b], counts[a]), cmp.Compare(a[0], b[0]), cmp.Compare(a[1], b[1]))
		})

		out = append(out, best)
		for k, w := range words {
			words[k] = merge(w, best)
		}
	}
	return out
}

func merge(w []string, pair [2]string) []string {
	var out []string
	for i := 0; i < len(w); i++ {
		if i+1 < len(w) && w[i] == pair[0] && w[i+1] == pair[1] {
			out = append(out, w[i]+w[i+1])
			i++
			continue
		}
		out = append(out, w[i])
	}
	return out
}

// unigram is the tokenizer.json of an XLM-R, with plain NFKC in place of its
// precompiled character map.
func unigram() object {
	var vocab [][]any
	seen := map[string]bool{}
	add := func(token string, score float64) {
		if !seen[token] {
			seen[token] = true
			vocab = append(vocab, []any{token, score - float64(len(vocab))/1000})
		}
	}

	specials := []string{"<s>", "<pad>", "</s>", "<unk>"}
	for _, t := range specials {
		add(t, 0)
	}

	for _, c := range "▁abcdefghijklmnopqrstuvwxyz0123456789.,;:!?'\"()-éüñßøABCDEFGH中文字かЖω€—" {
		add(string(c), -8)
	}
	for _, w := range strings.Fields(strings.ToLower(corpus)) {
		add("▁"+w, -4)
		if len(w) > 3 {
			add(w[:3], -6)
			add("▁"+w[:2], -5.5)
			add(w[len(w)-2:], -6)
		}
	}

	var added []object
	for i, t := range specials {
		added = append(added, special(i, t))
	}

	meta := object{"type": "Metaspace", "replacement": "▁", "prepend_scheme": "always", "split": true}
	return object{
		"version": "1.0", "truncation": nil, "padding": nil, "added_tokens": added,
		"normalizer": object{"type": "Sequence", "normalizers": []object{
			{"type": "NFKC"},
			{"type": "Replace", "pattern": object{"Regex": " {2,}"}, "content": " "},
		}},
		"pre_tokenizer":  object{"type": "Sequence", "pretokenizers": []object{{"type": "WhitespaceSplit"}, meta}},
		"post_processor": robertaProcessing(),
		"decoder":        meta,
		"model":          object{"type": "Unigram", "unk_id": 3, "vocab": vocab, "byte_fallback": false},
	}
}
