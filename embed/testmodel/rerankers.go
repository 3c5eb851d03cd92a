package testmodel

// addReranker adds the files of a reranker and returns its graph, if that is one.
func addReranker(files map[string]any, kind Kind) []byte {
	switch kind {
	case MonoT5, MonoMT5:
		return addT5(files, kind)
	case CrossTwo:
		size := small
		files["tokenizer.json"], size.vocab = wordPiece()
		config := object{"model_type": "bert", "max_position_embeddings": MaxTokens, "pad_token_id": 0}
		setLabels(config, "LABEL_0", "LABEL_1")
		files["config.json"] = config
		b := newBuilder(size, 14)
		return b.endLogits(b.bert(), 2)
	case CrossModern:
		return addModern(files)
	case ColBERT:
		return addColBERT(files)
	case ColBERTDense:
		return addPyLate(files)
	}

	b := robertaOf(files, NLIXLMR)
	config := files["config.json"].(object)
	setLabels(config, "LABEL_0")
	config["sentence_transformers"] = object{"activation_fn": "torch.nn.modules.activation.Sigmoid", "version": "4.1.0"}
	return b.endLogits(b.roberta(1), 1)
}

// addModern adds the files of a ModernBERT: NFC, byte-level BPE, and BERT's special tokens, in
// a template whose token types nobody reads.
func addModern(files map[string]any) []byte {
	size := small
	size.positions = MaxTokens + 2
	tokenizer, vocab := byteLevel(200)
	size.vocab = vocab
	tokenizer["normalizer"] = object{"type": "NFC"}
	model := tokenizer["model"].(object)["vocab"].(object)
	var added []object
	for id, names := range [][2]string{{"<s>", "[CLS]"}, {"<pad>", "[PAD]"}, {"</s>", "[SEP]"}, {"<unk>", "[UNK]"}} {
		delete(model, names[0])
		model[names[1]] = id
		added = append(added, special(id, names[1]))
	}
	tokenizer["added_tokens"] = added

	bert, _ := wordPiece()
	template := bert["post_processor"].(object)
	template["special_tokens"] = object{
		"[CLS]": object{"id": "[CLS]", "ids": []int{0}, "tokens": []string{"[CLS]"}},
		"[SEP]": object{"id": "[SEP]", "ids": []int{2}, "tokens": []string{"[SEP]"}},
	}
	tokenizer["post_processor"] = template
	files["tokenizer.json"] = tokenizer
	files["config.json"] = object{
		"model_type": "modernbert", "architectures": []string{"ModernBertForSequenceClassification"},
		"max_position_embeddings": MaxTokens, "pad_token_id": 1, "id2label": object{"0": "LABEL_0"},
	}

	b := newBuilder(size, 17)
	b.norm = true
	return b.endLogits(b.roberta(1), 1)
}
