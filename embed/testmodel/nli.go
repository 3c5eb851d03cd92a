package testmodel

// Entailment lists the models of entailment, one of each layout that lore reads.
var Entailment = []Kind{NLIBERT, NLIRoBERTa, NLIXLMR, NLILogit, NLIRegression, NLIJoined, NLIDeBERTa}

// addEntailment adds the files of a model of entailment and returns its graph.
func addEntailment(files map[string]any, kind Kind) []byte {
	classes := 3
	var model func() string // builds the encoder
	var b *builder

	switch kind {
	case NLIRoBERTa, NLIJoined, NLIXLMR:
		b = robertaOf(files, kind)
		model = func() string { return b.roberta(1) }
	default:
		size := small
		files["tokenizer.json"], size.vocab = wordPiece()
		files["config.json"] = object{"model_type": "bert", "max_position_embeddings": MaxTokens, "pad_token_id": 0}
		b = newBuilder(size, 14)
		model = b.bert
	}

	config := files["config.json"].(object)
	switch kind {
	case NLIRoBERTa:
		classes = 2
		setLabels(config, "entailment", "not_entailment")
	case NLIJoined:
		classes = 2
		setLabels(config, "0", "1")
		files["lore.json"] = object{"labels": []string{"unsupported", "supported"}, "joined_by": "</s>"}
	case NLIXLMR:
		setLabels(config, "LABEL_0", "LABEL_1", "LABEL_2")
		config["label2id"] = object{"neutral": 0, "entails": 1, "contradicts": 2}
	case NLILogit:
		classes = 1
		setLabels(config, "LABEL_0")
	case NLIRegression:
		classes = 1
		setLabels(config, "LABEL_0")
		config["problem_type"] = "regression"
	case NLIDeBERTa:
		config["model_type"] = "deberta-v2"
		files["tokenizer.json"], b.vocab = sentencePiece()
		setLabels(config, "contradiction", "entailment", "neutral")
		model = b.deberta
	default:
		setLabels(config, "CONTRADICTION", "ENTAILMENT", "NEUTRAL")
	}
	return b.endLogits(model(), classes)
}

// robertaOf adds the files of a RoBERTa, or of an XLM-R, which has another tokeniser.
func robertaOf(files map[string]any, kind Kind) *builder {
	size := small
	size.positions = MaxTokens + 2
	files["tokenizer.json"], size.vocab = byteLevel(200)
	name := "roberta"
	if kind == NLIXLMR {
		files["tokenizer.json"], name = unigram(), "xlm-roberta"
		size.vocab = vocabulary(files["tokenizer.json"].(object))
	}
	files["config.json"] = object{"model_type": name, "max_position_embeddings": size.positions, "pad_token_id": 1}

	b := newBuilder(size, 17)
	b.norm = true
	return b
}

// setLabels names the classes in both directions, as Hugging Face does.
func setLabels(config object, names ...string) {
	byID, byName := object{}, object{}
	for i, n := range names {
		byID[string(rune('0'+i))], byName[n] = n, i
	}
	config["id2label"], config["label2id"] = byID, byName
}

// sentencePiece is the tokenizer.json of a DeBERTa-v3 and its number of tokens: the unigram
// model over whole texts, whose spaces belong to the words after them, with BERT's template.
func sentencePiece() (object, int) {
	out, _ := wordPiece()
	plain := unigram()
	template := out["post_processor"].(object)
	template["special_tokens"] = object{
		"[CLS]": object{"id": "[CLS]", "ids": []int{0}, "tokens": []string{"<s>"}},
		"[SEP]": object{"id": "[SEP]", "ids": []int{2}, "tokens": []string{"</s>"}},
	}
	plain["post_processor"] = template
	plain["pre_tokenizer"] = object{"type": "Metaspace", "replacement": "▁", "prepend_scheme": "always", "split": true}
	return plain, vocabulary(plain)
}

// vocabulary is the number of tokens of a unigram model.
func vocabulary(tokenizer object) int { return len(tokenizer["model"].(object)["vocab"].([][]any)) }
