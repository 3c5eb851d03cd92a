// Package testmodel writes small ONNX encoders and cross-encoders with random
// weights of a fixed seed and a real tokeniser, in the folder layout of Hugging
// Face. Tests load them; their vectors mean nothing, but every runtime must give
// the same ones. The golden vectors in embed/testdata come from onnxruntime and
// Hugging Face's tokenizers (see golden.mjs).
package testmodel

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"

	"lore/local/files"
)

// Kind names a model.
type Kind string

// The kinds. The last four are broken on purpose.
const (
	BERT         Kind = "bert"          // WordPiece, mean pooling, normalised
	RoBERTa      Kind = "roberta"       // byte-level BPE, eos_token_id, CLS pooling, prefixes
	Last         Kind = "last"          // BERT with last-token pooling, not normalised
	CrossBERT    Kind = "cross-bert"    // pairs with token types, one logit
	CrossRoBERTa Kind = "cross-roberta" // pairs with a doubled separator, one logit
	Int8         Kind = "int8"          // BERT with dynamically quantised products
	MiniLM       Kind = "minilm"        // the size of all-MiniLM-L6: 6 layers of 384; 45 MB, for speed only
	BadOperator  Kind = "bad-operator"  // an operator that no runtime knows
	BadShape     Kind = "bad-shape"     // an output without a dimension for the batch's texts
	ThreeLogits  Kind = "three-logits"  // a classifier of three classes
	XLMR         Kind = "xlmr"          // unigram tokeniser, which is all that is tested of it
	ZeroByte     Kind = "zero-byte"     // an empty model file
)

// The models of entailment, which differ in encoder, classes and their names.
const (
	NLIBERT       Kind = "nli-bert"       // three classes in capitals
	NLIRoBERTa    Kind = "nli-roberta"    // two classes, entailment first
	NLIXLMR       Kind = "nli-xlmr"       // unigram tokeniser, three classes that label2id alone names
	NLILogit      Kind = "nli-logit"      // one logit
	NLIRegression Kind = "nli-regression" // one value
	NLIJoined     Kind = "nli-joined"     // two classes named in lore.json, both texts joined to one, as MiniCheck has it
	NLIDeBERTa    Kind = "nli-deberta"    // relative positions in attention
)

// The rerankers of other layouts.
const (
	MonoT5       Kind = "mono-t5"       // encoder and decoder in two files; unigram tokeniser with a character map
	MonoMT5      Kind = "mono-mt5"      // the same with tokens named in lore.json
	CrossXLMR    Kind = "cross-xlmr"    // BGE's: unigram tokeniser, doubled separator, a sigmoid in its config.json
	CrossModern  Kind = "cross-modern"  // ModernBERT's: byte-level BPE with [CLS] and [SEP], no token types
	CrossTwo     Kind = "cross-two"     // two logits, as monoBERT has them
	ColBERT      Kind = "colbert"       // token vectors projected by the graph, settings in artifact.metadata
	ColBERTDense Kind = "colbert-dense" // token vectors projected by a Dense module, settings of PyLate
)

// Rerankers lists the kinds that golden scores of their own exist for.
var Rerankers = []Kind{MonoT5, MonoMT5, CrossXLMR, CrossModern, CrossTwo, ColBERT, ColBERTDense}

// Small lists the kinds that golden vectors exist for.
var Small = []Kind{BERT, RoBERTa, Last, CrossBERT, CrossRoBERTa, XLMR}

// MaxTokens is the window of the small models, special tokens included.
const MaxTokens = 64

// Write makes the model's folder.
func Write(dir string, kind Kind) error {
	files := map[string]any{
		"modules.json": []object{
			{"idx": 0, "name": "0", "path": "", "type": "sentence_transformers.models.Transformer"},
			{"idx": 1, "name": "1", "path": "1_Pooling", "type": "sentence_transformers.models.Pooling"},
			{"idx": 2, "name": "2", "path": "2_Normalize", "type": "sentence_transformers.models.Normalize"},
		},
		poolingFile: pooling("mean_tokens"),
	}

	var model []byte
	switch {
	case slices.Contains(Entailment, kind):
		model = addEntailment(files, kind)
	case kind == SPLADE:
		model = addSPLADE(files)
	case slices.Contains(Rerankers, kind):
		delete(files, "modules.json")
		delete(files, poolingFile)
		model = addReranker(files, kind)
	case kind == RoBERTa || kind == CrossRoBERTa:
		model = addRoBERTa(files, kind)
	default:
		model = addBERT(files, kind)
	}

	if kind == CrossBERT || kind == CrossRoBERTa || kind == ThreeLogits || slices.Contains(Entailment, kind) {
		delete(files, "modules.json")
		delete(files, poolingFile)
	}
	return writeFiles(dir, files, model)
}

const poolingFile = "1_Pooling/config.json"

// pooling is the file that names one way to pool and denies the others.
func pooling(mode string) object {
	out := object{"word_embedding_dimension": 32}
	for _, m := range []string{"cls_token", "mean_tokens", "lasttoken"} {
		out["pooling_mode_"+m] = m == mode
	}
	return out
}

// small is the size of all models but MiniLM; each tokeniser brings its vocabulary.
var small = shape{positions: MaxTokens, hidden: 32, heads: 4, inner: 64, layers: 2}

// addRoBERTa adds the files of a RoBERTa and returns its graph.
func addRoBERTa(files map[string]any, kind Kind) []byte {
	size := small
	files["tokenizer.json"], size.vocab = byteLevel(200)
	size.positions = MaxTokens + 2 // RoBERTa numbers positions from the padding's id plus one
	files["config.json"] = object{
		"model_type":              "roberta",
		"max_position_embeddings": size.positions,
		"pad_token_id":            1,
		"eos_token_id":            2,
		"bos_token_id":            0,
		"hidden_size":             size.hidden,
	}

	b := newBuilder(size, 17)
	b.norm = true
	x := b.roberta(1)
	if kind == CrossRoBERTa {
		return b.endLogits(x, 1)
	}

	files[poolingFile] = pooling("cls_token")
	files["config_sentence_transformers.json"] = object{
		"prompts": object{"query": "query: ", "passage": "passage: "},
	}
	return b.endHidden(x)
}

// addBERT adds the files of a BERT, or of a kind that differs from one in a detail, and
// returns its graph.
func addBERT(files map[string]any, kind Kind) []byte {
	size := small
	files["tokenizer.json"], size.vocab = wordPiece()
	config := object{"model_type": "bert", "max_position_embeddings": MaxTokens, "pad_token_id": 0, "hidden_size": 32}
	sentence := object{"max_seq_length": MaxTokens, "do_lower_case": false}
	if kind == MiniLM {
		size = shape{vocab: size.vocab, positions: 512, hidden: 384, heads: 12, inner: 1536, layers: 6}
		config = object{"model_type": "bert", "max_position_embeddings": 512, "pad_token_id": 0}
		sentence = object{"max_seq_length": 512}
	}
	files["config.json"], files["sentence_bert_config.json"] = config, sentence

	b := newBuilder(size, 14)
	b.int8, b.odd = kind == Int8, kind == BadOperator
	x := b.bert()

	switch kind {
	case XLMR:
		files["tokenizer.json"] = unigram()
	case CrossBERT:
		return b.endLogits(x, 1)
	case ThreeLogits:
		return b.endLogits(x, 3)
	case BadShape:
		return b.endFlat(x)
	case ZeroByte:
		return []byte{}
	case Last:
		files[poolingFile] = pooling("lasttoken")
		files["modules.json"] = files["modules.json"].([]object)[:2] // without Normalize
	}
	return b.endHidden(x)
}

// endFlat ends the graph with all hidden values in one row.
func (b *builder) endFlat(x string) []byte {
	b.named("Reshape", []string{x, b.ints("flat", []int{-1}, 1)}, []string{"last_hidden_state"})
	b.outputs = append(b.outputs, value("last_hidden_state", elemFloat, "values"))
	return b.encode()
}

func writeFiles(dir string, texts map[string]any, model []byte) error {
	if model != nil {
		texts["model.onnx"] = model
	}
	for name, content := range texts {
		data, isModel := content.([]byte)
		if !isModel {
			var err error
			if data, err = json.MarshalIndent(content, "", " "); err != nil {
				return fmt.Errorf("encode %s: %w", name, err)
			}
		}

		path := filepath.Join(dir, name)
		if err := files.MkdirAll(filepath.Dir(path)); err != nil {
			return fmt.Errorf("write the test model: %w", err)
		}
		if err := files.WriteFile(path, data); err != nil {
			return fmt.Errorf("write the test model: %w", err)
		}
	}

	return nil
}
