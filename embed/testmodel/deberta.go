package testmodel

import (
	"fmt"
	"math"
)

// Relative positions of a DeBERTa: near ones have a vector each, far ones share those of
// logarithmic buckets.
const (
	debertaBuckets = 16
	debertaMost    = MaxTokens
)

// deberta adds a whole DeBERTa-v2 encoder, whose attention adds products of content with
// relative positions, both ways, and returns its last hidden state.
func (b *builder) deberta() string {
	b.input("input_ids", "attention_mask")
	x := gather(b, b.table("word", b.vocab), "input_ids")
	x = b.layerNorm("embeddings.norm", x)

	relative := b.layerNorm("relative.norm", b.table("relative", 2*debertaBuckets))
	mask, buckets := b.mask(), b.buckets()
	for i := range b.layers {
		x = b.debertaLayer(i, x, relative, mask, buckets)
	}
	return x
}

// buckets are the places in the table of relative positions, by query and key.
func (b *builder) buckets() string {
	length := b.op("Gather", []string{b.op("Shape", []string{"input_ids"}), b.ints("one_index", []int{1})}, attr{"axis", 0})
	row := b.op("Range", []string{b.ints("range_from", []int{0}), length, b.ints("range_step", []int{1})})
	query := b.op("Unsqueeze", []string{row, b.ints("query_axis", []int{1}, 1)})
	key := b.op("Unsqueeze", []string{row, b.ints("key_axis", []int{0}, 1)})
	distance := b.op("Sub", []string{query, key})

	middle := debertaBuckets / 2
	sign := b.op("Sign", []string{distance})
	far := b.op("Abs", []string{distance})
	near := b.op("LessOrEqual", []string{far, b.ints("middle", []int{middle})})
	far = b.op("Where", []string{near, b.ints("inside", []int{middle - 1}), far})

	ratio := b.op("Div", []string{b.op("Cast", []string{far}, attr{"to", elemFloat}), b.scalar("middle", float32(middle))})
	scale := float32(float64(middle-1) / math.Log(float64(debertaMost-1)/float64(middle)))
	logs := b.op("Ceil", []string{b.op("Mul", []string{b.op("Log", []string{ratio}), b.scalar("scale", scale)})})
	bucket := b.op("Add", []string{b.op("Cast", []string{logs}, attr{"to", elemInt64}), b.ints("middle_add", []int{middle})})
	bucket = b.op("Where", []string{near, distance, b.op("Mul", []string{bucket, sign})})

	place := b.op("Add", []string{bucket, b.ints("span", []int{debertaBuckets})})
	return b.op("Clip", []string{place, b.ints("least_place", []int{0}), b.ints("most_place", []int{2*debertaBuckets - 1})})
}

func (b *builder) debertaLayer(i int, x, relative, mask, buckets string) string {
	name := fmt.Sprintf("layer.%d.", i)
	width := b.hidden / b.heads
	split := b.ints(name+"split", []int{0, 0, b.heads, width}, 4)
	table := b.ints(name+"table", []int{1, -1, b.heads, width}, 4)

	heads := func(y, shape string, order ...int) string {
		return b.op("Transpose", []string{b.op("Reshape", []string{y, shape})}, attr{"perm", order})
	}
	q, k := b.dense(name+"query", x, b.hidden, b.hidden), b.dense(name+"key", x, b.hidden, b.hidden)
	v := heads(b.dense(name+"value", x, b.hidden, b.hidden), split, 0, 2, 1, 3)
	posKey := b.dense(name+"pos_key", relative, b.hidden, b.hidden)
	posQuery := b.dense(name+"pos_query", relative, b.hidden, b.hidden)

	query, key := heads(q, split, 0, 2, 1, 3), heads(k, split, 0, 2, 3, 1)
	scores := b.op("MatMul", []string{query, key})
	shape := b.op("Shape", []string{scores})
	index := b.op("Expand", []string{buckets, shape})

	toPlace := b.op("MatMul", []string{query, heads(posKey, table, 0, 2, 3, 1)})
	toPlace = b.op("GatherElements", []string{toPlace, index}, attr{"axis", 3})
	fromPlace := b.op("MatMul", []string{heads(k, split, 0, 2, 1, 3), heads(posQuery, table, 0, 2, 3, 1)})
	fromPlace = b.op("GatherElements", []string{fromPlace, index}, attr{"axis", 3})
	fromPlace = b.op("Transpose", []string{fromPlace}, attr{"perm", []int{0, 1, 3, 2}})

	scores = b.op("Add", []string{b.op("Add", []string{scores, toPlace}), fromPlace})
	scores = b.op("Div", []string{scores, b.scalar("width", float32(math.Sqrt(float64(3*width))))})
	weights := b.op("Softmax", []string{b.op("Add", []string{scores, mask})}, attr{"axis", -1})

	y := b.op("Transpose", []string{b.op("MatMul", []string{weights, v})}, attr{"perm", []int{0, 2, 1, 3}})
	y = b.op("Reshape", []string{y, b.ints(name+"join", []int{0, 0, b.hidden}, 3)})
	x = b.layerNorm(name+"attention_norm", b.op("Add", []string{b.dense(name+"output", y, b.hidden, b.hidden), x}))

	y = b.dense(name+"outer", b.activation(b.dense(name+"inner", x, b.hidden, b.inner)), b.inner, b.hidden)
	return b.layerNorm(name+"norm", b.op("Add", []string{y, x}))
}
