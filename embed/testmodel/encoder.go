package testmodel

import (
	"fmt"
	"math"
	"math/rand/v2"
)

// shape is the size of a transformer.
type shape struct {
	vocab, positions, hidden, heads, inner, layers int
}

// builder adds the parts of a transformer encoder to a graph.
type builder struct {
	*graph
	shape
	rng  *rand.Rand
	int8 bool // products as dynamically quantised ones
	odd  bool // an operator that no runtime knows
	norm bool // layer normalisation as one operator of opset 17
}

func newBuilder(s shape, opset int) *builder {
	return &builder{graph: &graph{opset: opset}, shape: s, rng: rand.New(rand.NewPCG(20261121, 5))}
}

func (b *builder) random(n int, scale, mean float32) []float32 {
	out := make([]float32, n)
	for i := range out {
		out[i] = mean + scale*float32(2*b.rng.Float64()-1)
	}
	return out
}

func (b *builder) scalar(name string, v float32) string {
	return b.floats(fmt.Sprintf("%s_%d", name, b.count), []float32{v})
}

// dense is x·W + bias. Quantised, W is of int8 with one scale, and x is quantised when
// the graph runs.
func (b *builder) dense(name, x string, in, out int) string {
	w := b.random(in*out, float32(1.5/math.Sqrt(float64(in))), 0)
	bias := b.floats(name+".bias", b.random(out, 0.1, 0), out)
	if !b.int8 {
		return b.op("Add", []string{bias, b.op("MatMul", []string{x, b.floats(name+".weight", w, in, out)})})
	}

	var most float32
	for _, v := range w {
		most = max(most, max(v, -v))
	}
	step := most / 127
	raw := make([]byte, len(w))
	for i, v := range w {
		raw[i] = byte(int8(math.Round(float64(v / step))))
	}

	weight := b.tensor(name+".weight_quantized", elemInt8, raw, []int{in, out})
	zero := b.tensor(name+".weight_zero_point", elemInt8, []byte{0}, nil)

	q := b.ops("DynamicQuantizeLinear", []string{x}, 3)
	product := b.op("MatMulInteger", []string{q[0], weight, q[2], zero})
	product = b.op("Cast", []string{product}, attr{"to", elemFloat})
	scale := b.op("Mul", []string{q[1], b.floats(name+".weight_scale", []float32{step})})
	return b.op("Add", []string{bias, b.op("Mul", []string{product, scale})})
}

func (b *builder) layerNorm(name, x string) string {
	gamma := b.floats(name+".weight", b.random(b.hidden, 0.2, 1), b.hidden)
	beta := b.floats(name+".bias", b.random(b.hidden, 0.1, 0), b.hidden)
	if b.norm {
		return b.op("LayerNormalization", []string{x, gamma, beta},
			attr{"axis", -1}, attr{"epsilon", float32(1e-5)})
	}

	mean := b.op("ReduceMean", []string{x}, attr{"axes", []int{-1}})
	d := b.op("Sub", []string{x, mean})
	squares := b.op("Pow", []string{d, b.scalar("two", 2)})
	variance := b.op("ReduceMean", []string{squares}, attr{"axes", []int{-1}})
	std := b.op("Sqrt", []string{b.op("Add", []string{variance, b.scalar("eps", 1e-12)})})
	return b.op("Add", []string{b.op("Mul", []string{b.op("Div", []string{d, std}), gamma}), beta})
}

// activation is GELU: x·(1+erf(x/√2))/2.
func (b *builder) activation(x string) string {
	if b.odd {
		return b.op("LoreUnknown", []string{x})
	}

	erf := b.op("Erf", []string{b.op("Div", []string{x, b.scalar("sqrt2", math.Sqrt2)})})
	double := b.op("Mul", []string{x, b.op("Add", []string{erf, b.scalar("one", 1)})})
	return b.op("Mul", []string{double, b.scalar("half", 0.5)})
}

// mask turns attention_mask into what is added to the attention scores.
func (b *builder) mask() string {
	m := b.op("Unsqueeze", []string{"attention_mask", b.ints("mask_axes", []int{1, 2}, 2)})
	m = b.op("Cast", []string{m}, attr{"to", elemFloat})
	padding := b.op("Sub", []string{b.scalar("one", 1), m})
	return b.op("Mul", []string{padding, b.scalar("least", -math.MaxFloat32)})
}

func (b *builder) layer(i int, x, mask string) string {
	name := fmt.Sprintf("layer.%d.", i)
	width := b.hidden / b.heads
	split := b.ints(name+"split", []int{0, 0, b.heads, width}, 4)
	join := b.ints(name+"join", []int{0, 0, b.hidden}, 3)

	heads := func(part string, order []int) string {
		y := b.dense(name+part, x, b.hidden, b.hidden)
		return b.op("Transpose", []string{b.op("Reshape", []string{y, split})}, attr{"perm", order})
	}
	q := heads("query", []int{0, 2, 1, 3})
	k := heads("key", []int{0, 2, 3, 1})
	v := heads("value", []int{0, 2, 1, 3})

	scores := b.op("MatMul", []string{q, k})
	scores = b.op("Div", []string{scores, b.scalar("width", float32(math.Sqrt(float64(width))))})
	weights := b.op("Softmax", []string{b.op("Add", []string{scores, mask})}, attr{"axis", -1})

	y := b.op("Transpose", []string{b.op("MatMul", []string{weights, v})}, attr{"perm", []int{0, 2, 1, 3}})
	y = b.dense(name+"output", b.op("Reshape", []string{y, join}), b.hidden, b.hidden)
	x = b.layerNorm(name+"attention_norm", b.op("Add", []string{y, x}))

	y = b.dense(name+"outer", b.activation(b.dense(name+"inner", x, b.hidden, b.inner)), b.inner, b.hidden)
	return b.layerNorm(name+"norm", b.op("Add", []string{y, x}))
}

func (b *builder) table(name string, rows int) string {
	return b.floats(name, b.random(rows*b.hidden, 0.6, 0), rows, b.hidden)
}

// bertPositions are 0, 1, 2, … cut out of a stored row, as PyTorch exports them.
func (b *builder) bertPositions() string {
	row := make([]int, b.positions)
	for i := range row {
		row[i] = i
	}

	inputShape := b.op("Shape", []string{"input_ids"})
	length := b.op("Gather", []string{inputShape, b.ints("one_index", []int{1})}, attr{"axis", 0})
	end := b.op("Unsqueeze", []string{length, b.ints("axis0", []int{0}, 1)})
	return b.op("Slice", []string{
		b.ints("position_ids", row, 1, b.positions),
		b.ints("start", []int{0}, 1),
		end,
		b.ints("axis1", []int{1}, 1),
		b.ints("step", []int{1}, 1),
	})
}

// robertaPositions count the tokens that are not padding, from the padding's id on.
func (b *builder) robertaPositions(pad int) string {
	padding := b.op("Equal", []string{"input_ids", b.ints("pad", []int{pad})})
	real := b.op("Cast", []string{b.op("Not", []string{padding})}, attr{"to", elemInt64})
	count := b.op("Mul", []string{b.op("CumSum", []string{real, b.ints("axis", []int{1})}), real})
	return b.op("Add", []string{count, b.ints("pad_offset", []int{pad})})
}

// input declares some of the usual inputs.
func (b *builder) input(names ...string) {
	for _, n := range names {
		b.inputs = append(b.inputs, value(n, elemInt64, "batch_size", "sequence_length"))
	}
}

func gather(b *builder, table, ids string) string {
	return b.op("Gather", []string{table, ids}, attr{"axis", 0})
}

// bert adds a whole BERT encoder and returns its last hidden state.
func (b *builder) bert() string {
	b.input("input_ids", "attention_mask", "token_type_ids")
	word := gather(b, b.table("word", b.vocab), "input_ids")
	typ := gather(b, b.table("type", 2), "token_type_ids")
	x := b.op("Add", []string{word, typ})
	position := gather(b, b.table("position", b.positions), b.bertPositions())
	return b.stack(b.op("Add", []string{x, position}))
}

// roberta adds a whole RoBERTa encoder and returns its last hidden state.
func (b *builder) roberta(pad int) string {
	b.input("input_ids", "attention_mask")
	word := gather(b, b.table("word", b.vocab), "input_ids")
	position := gather(b, b.table("position", b.positions), b.robertaPositions(pad))
	return b.stack(b.op("Add", []string{word, position}))
}

func (b *builder) stack(x string) string {
	x = b.layerNorm("embeddings.norm", x)
	mask := b.mask()
	for i := range b.layers {
		x = b.layer(i, x, mask)
	}
	return x
}

// endHidden ends the graph with the hidden state.
func (b *builder) endHidden(x string) []byte {
	b.named("Identity", []string{x}, []string{"last_hidden_state"})
	hidden := value("last_hidden_state", elemFloat, "batch_size", "sequence_length", b.hidden)
	b.outputs = append(b.outputs, hidden)
	return b.encode()
}

// endLogits ends the graph with a pooler and a classifier of n classes.
func (b *builder) endLogits(x string, n int) []byte {
	first := b.op("Gather", []string{x, b.ints("first", []int{0})}, attr{"axis", 1})
	gemm := func(name, x string, in, out int) string {
		w := b.floats(name+".weight", b.random(in*out, float32(1.5/math.Sqrt(float64(in))), 0), out, in)
		bias := b.floats(name+".bias", b.random(out, 0.1, 0), out)
		return b.op("Gemm", []string{x, w, bias}, attr{"transB", 1})
	}

	pooled := b.op("Tanh", []string{gemm("pooler", first, b.hidden, b.hidden)})
	b.named("Identity", []string{gemm("classifier", pooled, b.hidden, n)}, []string{"logits"})
	b.outputs = append(b.outputs, value("logits", elemFloat, "batch_size", n))
	return b.encode()
}
