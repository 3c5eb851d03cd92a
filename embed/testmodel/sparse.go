package testmodel

// SPLADE is a BERT with the head of a masked language model, whose bias keeps most logits below zero, as training for
// sparse retrieval does.
const SPLADE Kind = "splade"

// addSPLADE adds the files of a SPLADE and returns its graph.
func addSPLADE(files map[string]any) []byte {
	size := small
	files["tokenizer.json"], size.vocab = wordPiece()
	files["config.json"] = object{
		"model_type": "bert", "architectures": []string{"BertForMaskedLM"},
		"max_position_embeddings": MaxTokens, "pad_token_id": 0, "hidden_size": 32,
	}
	delete(files, "modules.json")
	delete(files, poolingFile)

	b := newBuilder(size, 14)
	x := b.bert()
	x = b.layerNorm("transform.norm", b.activation(b.dense("transform", x, b.hidden, b.hidden)))
	w := b.floats("decoder.weight", b.random(b.hidden*b.vocab, 0.3, 0), b.hidden, b.vocab)
	bias := b.floats("decoder.bias", b.random(b.vocab, 0.5, -1.5), b.vocab)
	b.named("Add", []string{b.op("MatMul", []string{x, w}), bias}, []string{"logits"})
	b.outputs = append(b.outputs, value("logits", elemFloat, "batch_size", "sequence_length", b.vocab))
	return b.encode()
}
