// Tinymodel writes a language model of under a megabyte with random weights, for
// tests against a real server: it talks nonsense, but it loads, obeys grammars,
// and returns log-probabilities and embeddings like any other.
//
// It is a llama model with a vocabulary of single bytes. The same seed writes the
// same bytes.
//
//	go run ./local/ollama/testserver/tinymodel -seed 1 -out tiny.gguf
package main

import (
	"encoding/binary"
	"flag"
	"fmt"
	"io"
	"log"
	"math"
	"math/rand/v2"
	"os"

	"lore/local/files"

	"github.com/ollama/ollama/fs/ggml"
)

// Shape of the model.
const (
	width   = 64
	hidden  = 128
	heads   = 4
	blocks  = 2
	context = 8192
)

func main() {
	seed := flag.Uint64("seed", 1, "seed of the weights")
	out := flag.String("out", "tiny.gguf", "file to write")
	flag.Parse()

	f, err := files.Create(*out)
	if err != nil {
		log.Fatal(err)
	}
	if err := Write(f, *seed); err != nil {
		log.Fatal(err)
	}
	if err := f.Close(); err != nil {
		log.Fatal(err)
	}
}

// Token types of the format.
const (
	normal  = 1
	unknown = 2
	control = 3
	byteOf  = 6
)

// vocabulary is unknown, begin, end, the printable ASCII characters (the space as
// "▁"), and all 256 bytes for everything else.
func vocabulary() (tokens []string, scores []float32, types []int32) {
	add := func(token string, score float32, kind int32) {
		tokens, scores, types = append(tokens, token), append(scores, score), append(types, kind)
	}

	add("<unk>", 0, unknown)
	add("<s>", 0, control)
	add("</s>", 0, control)
	for b := range 256 {
		add(fmt.Sprintf("<0x%02X>", b), 0, byteOf)
	}
	add("▁", -1, normal)
	for c := '!'; c <= '~'; c++ {
		add(string(c), -1, normal)
	}
	return tokens, scores, types
}

// Write writes the model to f.
func Write(f *os.File, seed uint64) error {
	tokens, scores, types := vocabulary()
	kv := ggml.KV{
		"general.architecture":                   "llama",
		"general.name":                           fmt.Sprintf("lore tiny %d", seed),
		"general.file_type":                      uint32(0),
		"general.parameter_count":                parameters(len(tokens)),
		"llama.block_count":                      uint32(blocks),
		"llama.context_length":                   uint32(context),
		"llama.embedding_length":                 uint32(width),
		"llama.feed_forward_length":              uint32(hidden),
		"llama.attention.head_count":             uint32(heads),
		"llama.attention.head_count_kv":          uint32(heads),
		"llama.attention.layer_norm_rms_epsilon": float32(1e-5),
		"llama.rope.dimension_count":             uint32(width / heads),
		"llama.vocab_size":                       uint32(len(tokens)),
		"tokenizer.ggml.model":                   "llama",
		"tokenizer.ggml.tokens":                  tokens,
		"tokenizer.ggml.scores":                  scores,
		"tokenizer.ggml.token_type":              types,
		"tokenizer.ggml.unknown_token_id":        uint32(0),
		"tokenizer.ggml.bos_token_id":            uint32(1),
		"tokenizer.ggml.eos_token_id":            uint32(2),
		"tokenizer.ggml.add_bos_token":           true,
		"tokenizer.ggml.add_space_prefix":        false,
	}

	vocab := uint64(len(tokens))
	var ts []*ggml.Tensor
	matrix := func(name string, shape ...uint64) {
		ts = append(ts, &ggml.Tensor{Name: name, Kind: 0, Shape: shape, WriterTo: weights{name, seed, shape}})
	}
	matrix("token_embd.weight", width, vocab)
	matrix("output.weight", width, vocab)
	matrix("output_norm.weight", width)
	for b := range blocks {
		at := func(name string) string { return fmt.Sprintf("blk.%d.%s.weight", b, name) }
		matrix(at("attn_norm"), width)
		matrix(at("ffn_norm"), width)
		for _, name := range []string{"attn_q", "attn_k", "attn_v", "attn_output"} {
			matrix(at(name), width, width)
		}
		matrix(at("ffn_gate"), width, hidden)
		matrix(at("ffn_up"), width, hidden)
		matrix(at("ffn_down"), hidden, width)
	}

	if err := ggml.WriteGGUF(f, kv, ts); err != nil {
		return fmt.Errorf("write the model: %w", err)
	}
	return nil
}

func parameters(vocab int) uint64 {
	return uint64(2*vocab*width + width + blocks*(2*width+4*width*width+3*width*hidden))
}

// weights are drawn from a normal distribution scaled by the input width; norms
// are all ones. Each tensor has a generator of its own, so that the order of
// writing does not matter.
type weights struct {
	name  string
	seed  uint64
	shape []uint64
}

func (w weights) WriteTo(out io.Writer) (int64, error) {
	n := uint64(1)
	for _, s := range w.shape {
		n *= s
	}

	var hash uint64 = 14695981039346656037 // FNV-1a
	for _, c := range []byte(w.name) {
		hash = (hash ^ uint64(c)) * 1099511628211
	}

	rng := rand.New(rand.NewPCG(w.seed, hash))
	scale := 1.5 / math.Sqrt(float64(w.shape[0]))
	data := make([]float32, n)
	for i := range data {
		data[i] = 1
		if len(w.shape) > 1 {
			data[i] = float32(rng.NormFloat64() * scale)
		}
	}
	return int64(4 * n), binary.Write(out, binary.LittleEndian, data)
}
