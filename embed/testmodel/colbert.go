package testmodel

import (
	"encoding/binary"
	"encoding/json"
	"math"
)

// lateWidth is the width of projected token vectors.
const lateWidth = 16

// addColBERT adds the files of a BERT with a projection in its graph, and of ColBERT's settings.
func addColBERT(files map[string]any) []byte {
	size := small
	tokenizer, vocab := wordPiece()
	words := tokenizer["model"].(object)["vocab"].(object)
	words["[unused0]"], words["[unused1]"] = vocab, vocab+1
	size.vocab = vocab + 2
	files["tokenizer.json"] = tokenizer
	files["config.json"] = object{"model_type": "bert", "max_position_embeddings": MaxTokens, "pad_token_id": 0}
	files["artifact.metadata"] = object{
		"query_token_id": "[unused0]", "doc_token_id": "[unused1]", "query_maxlen": 16, "doc_maxlen": 24, "dim": lateWidth,
		"mask_punctuation": true, "similarity": "cosine", "attend_to_mask_tokens": false,
	}

	b := newBuilder(size, 14)
	b.named("Identity", []string{b.plain("linear", b.bert(), b.hidden, lateWidth)}, []string{"contextual"})
	b.outputs = append(b.outputs, value("contextual", elemFloat, "batch_size", "sequence_length", lateWidth))
	return b.encode()
}

// addPyLate adds the files of a ModernBERT whose token vectors go through a Dense module, and of
// PyLate's settings.
func addPyLate(files map[string]any) []byte {
	addModern(files)
	tokenizer := files["tokenizer.json"].(object)
	model := tokenizer["model"].(object)["vocab"].(object)
	added := tokenizer["added_tokens"].([]object)
	vocab := len(model)
	model["[MASK]"] = model["<mask>"]
	delete(model, "<mask>")
	added = append(added, special(model["[MASK]"].(int), "[MASK]"))
	for i, mark := range []string{"[Q] ", "[D] "} {
		model[mark] = vocab + i
		added = append(added, special(vocab+i, mark))
	}
	tokenizer["added_tokens"] = added

	files["modules.json"] = []object{
		{"idx": 0, "name": "0", "path": "", "type": "sentence_transformers.models.Transformer"},
		{"idx": 1, "name": "1", "path": "1_Dense", "type": "pylate.models.Dense.Dense"},
	}
	files["1_Dense/config.json"] = object{
		"in_features": small.hidden, "out_features": lateWidth, "bias": false,
		"activation_function": "torch.nn.modules.linear.Identity",
	}
	files["config_sentence_transformers.json"] = object{
		"query_prefix": "[Q] ", "document_prefix": "[D] ", "query_length": 20, "document_length": 24,
		"attend_to_expansion_tokens": true, "do_query_expansion": true, "skiplist_words": []string{".", ",", "?", "nowhere"},
	}

	size := small
	size.vocab, size.positions = vocab+2, MaxTokens+2
	b := newBuilder(size, 17)
	b.norm = true
	data := b.endHidden(b.roberta(1))
	files["1_Dense/model.safetensors"] = Safetensors("linear.weight", b.random(small.hidden*lateWidth, 0.3, 0), lateWidth, small.hidden)
	return data
}

// Safetensors is a file of weights with one tensor of 32 bits.
func Safetensors(name string, values []float32, shape ...int) []byte {
	header, err := json.Marshal(object{name: object{"dtype": "F32", "shape": shape, "data_offsets": []int{0, 4 * len(values)}}})
	if err != nil {
		panic(err) // plain numbers
	}
	data := append(binary.LittleEndian.AppendUint64(nil, uint64(len(header))), header...)
	for _, v := range values {
		data = binary.LittleEndian.AppendUint32(data, math.Float32bits(v))
	}
	return data
}
