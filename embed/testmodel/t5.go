package testmodel

import (
	"fmt"
	"math"
)

// t5Reach is the distance from which tokens share their relative positions.
const t5Reach = 8

// addT5 adds the files of a monoT5 as Optimum writes them, an encoder and a decoder apart, and
// returns nil, as there is no model.onnx.
func addT5(files map[string]any, kind Kind) []byte {
	tokenizer := t5Tokenizer()
	size := small
	size.vocab = vocabulary(tokenizer)
	files["tokenizer.json"] = tokenizer
	files["tokenizer_config.json"] = object{"model_max_length": MaxTokens}
	name := "castorini/monot5-base-msmarco"
	if kind == MonoMT5 {
		name = ""
		files["lore.json"] = object{"relevant_tokens": []string{"▁yes", "▁no"}}
	}
	files["config.json"] = object{
		"_name_or_path": name, "model_type": "t5", "architectures": []string{"T5ForConditionalGeneration"},
		"is_encoder_decoder": true, "decoder_start_token_id": 0, "pad_token_id": 0, "eos_token_id": 1, "n_positions": 512,
	}

	encoder := newBuilder(size, 14)
	files["encoder_model.onnx"] = encoder.endHidden(encoder.t5Encoder())
	decoder := newBuilder(size, 14)
	files["decoder_model.onnx"] = decoder.t5Decoder()
	return nil
}

// rmsNorm is T5's normalisation: without a mean and a bias.
func (b *builder) rmsNorm(name, x string) string {
	squares := b.op("ReduceMean", []string{b.op("Pow", []string{x, b.scalar("two", 2)})}, attr{"axes", []int{-1}})
	std := b.op("Sqrt", []string{b.op("Add", []string{squares, b.scalar("eps", 1e-6)})})
	return b.op("Mul", []string{b.floats(name+".weight", b.random(b.hidden, 0.2, 1), b.hidden), b.op("Div", []string{x, std})})
}

// plain is x·W.
func (b *builder) plain(name, x string, in, out int) string {
	w := b.random(in*out, float32(1.5/math.Sqrt(float64(in))), 0)
	return b.op("MatMul", []string{x, b.floats(name+".weight", w, in, out)})
}

// relativeBias is added to the scores of attention, by how far two tokens are apart.
func (b *builder) relativeBias() string {
	length := b.op("Gather", []string{b.op("Shape", []string{"input_ids"}), b.ints("length_axis", []int{1})}, attr{"axis", 0})
	row := b.op("Range", []string{b.ints("range_from", []int{0}), length, b.ints("range_step", []int{1})})
	query := b.op("Unsqueeze", []string{row, b.ints("query_axis", []int{1}, 1)})
	key := b.op("Unsqueeze", []string{row, b.ints("key_axis", []int{0}, 1)})
	far := b.op("Clip", []string{b.op("Sub", []string{query, key}), b.ints("nearest", []int{-t5Reach}), b.ints("farthest", []int{t5Reach})})
	place := b.op("Add", []string{far, b.ints("reach", []int{t5Reach})})
	table := b.floats("relative", b.random((2*t5Reach+1)*b.heads, 0.6, 0), 2*t5Reach+1, b.heads)
	return b.op("Transpose", []string{gather(b, table, place)}, attr{"perm", []int{2, 0, 1}})
}

// attend adds attention of x to y, by what is added to its scores.
func (b *builder) attend(name, x, y, added string) string {
	width := b.hidden / b.heads
	split := b.ints(name+"split", []int{0, 0, b.heads, width}, 4)
	heads := func(part, from string, order []int) string {
		z := b.plain(name+part, from, b.hidden, b.hidden)
		return b.op("Transpose", []string{b.op("Reshape", []string{z, split})}, attr{"perm", order})
	}
	scores := b.op("MatMul", []string{heads("q", x, []int{0, 2, 1, 3}), heads("k", y, []int{0, 2, 3, 1})})
	if added != "" {
		scores = b.op("Add", []string{scores, added})
	}
	weights := b.op("Softmax", []string{scores}, attr{"axis", -1})
	z := b.op("Transpose", []string{b.op("MatMul", []string{weights, heads("v", y, []int{0, 2, 1, 3})})}, attr{"perm", []int{0, 2, 1, 3}})
	z = b.op("Reshape", []string{z, b.ints(name+"join", []int{0, 0, b.hidden}, 3)})
	return b.plain(name+"o", z, b.hidden, b.hidden)
}

func (b *builder) forward(name, x string) string {
	inner := b.op("Relu", []string{b.plain(name+"wi", b.rmsNorm(name+"norm", x), b.hidden, b.inner)})
	return b.op("Add", []string{x, b.plain(name+"wo", inner, b.inner, b.hidden)})
}

// t5Encoder returns the last hidden state of an encoder.
func (b *builder) t5Encoder() string {
	b.input("input_ids", "attention_mask")
	x := gather(b, b.table("shared", b.vocab), "input_ids")
	added := b.op("Add", []string{b.mask(), b.relativeBias()})
	for i := range b.layers {
		name := fmt.Sprintf("block.%d.", i)
		y := b.rmsNorm(name+"attention_norm", x)
		x = b.op("Add", []string{x, b.attend(name+"self.", y, y, added)})
		x = b.forward(name, x)
	}
	return b.rmsNorm("final_norm", x)
}

// t5Decoder is a whole decoder that is given its own tokens and the encoder's states. Like
// Optimum's it returns keys besides the logits.
func (b *builder) t5Decoder() []byte {
	b.inputs = append(b.inputs,
		value("encoder_attention_mask", elemInt64, "batch_size", "encoder_sequence_length"),
		value("input_ids", elemInt64, "batch_size", "decoder_sequence_length"),
		value("encoder_hidden_states", elemFloat, "batch_size", "encoder_sequence_length", b.hidden))
	mask := b.op("Unsqueeze", []string{"encoder_attention_mask", b.ints("mask_axes", []int{1, 2}, 2)})
	padding := b.op("Sub", []string{b.scalar("one", 1), b.op("Cast", []string{mask}, attr{"to", elemFloat})})
	added := b.op("Mul", []string{padding, b.scalar("least", -math.MaxFloat32)})

	x := gather(b, b.table("shared", b.vocab), "input_ids")
	for i := range b.layers {
		name := fmt.Sprintf("block.%d.", i)
		y := b.rmsNorm(name+"self_norm", x)
		x = b.op("Add", []string{x, b.attend(name+"self.", y, y, "")})
		x = b.op("Add", []string{x, b.attend(name+"cross.", b.rmsNorm(name+"cross_norm", x), "encoder_hidden_states", added)})
		x = b.forward(name, x)
	}
	x = b.rmsNorm("final_norm", x)
	logits := b.plain("lm_head", x, b.hidden, b.vocab)
	b.named("Identity", []string{logits}, []string{"logits"})
	b.named("Identity", []string{x}, []string{"present.0.decoder.key"})
	b.outputs = append(b.outputs,
		value("logits", elemFloat, "batch_size", "decoder_sequence_length", b.vocab),
		value("present.0.decoder.key", elemFloat, "batch_size", "decoder_sequence_length", b.hidden))
	return b.encode()
}

// t5Tokenizer is the tokenizer.json of a T5: the unigram model behind a character map.
func t5Tokenizer() object {
	out := unigram()
	model := out["model"].(object)
	specials := [][]any{{"<pad>", 0.0}, {"</s>", 0.0}, {"<unk>", 0.0}}
	old := model["vocab"].([][]any)
	vocab := append(specials, old[4:]...) // without its own special tokens
	for i, w := range []string{"▁true", "▁false", "▁yes", "▁no", "▁Query", "▁Document", "▁Relevant"} {
		vocab = append(vocab, []any{w, -5 - float64(i)/100})
	}
	model["vocab"], model["unk_id"] = vocab, 2

	var added []object
	for i, t := range []string{"<pad>", "</s>", "<unk>"} {
		added = append(added, special(i, t))
	}
	out["added_tokens"] = added
	out["normalizer"] = object{"type": "Precompiled", "precompiled_charsmap": charMap(characters)}
	sequence := object{"Sequence": object{"id": "A", "type_id": 0}}
	end := object{"SpecialToken": object{"id": "</s>", "type_id": 0}}
	out["post_processor"] = object{
		"type": "TemplateProcessing", "single": []object{sequence, end},
		"pair":           []object{sequence, end, {"Sequence": object{"id": "B", "type_id": 0}}, end},
		"special_tokens": object{"</s>": object{"id": "</s>", "ids": []int{1}, "tokens": []string{"</s>"}}},
	}
	return out
}
