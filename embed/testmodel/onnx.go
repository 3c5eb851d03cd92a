package testmodel

import (
	"encoding/binary"
	"fmt"
	"math"

	"google.golang.org/protobuf/encoding/protowire"
)

// The field numbers and element types below are those of onnx.proto3, the format's
// published schema (github.com/onnx/onnx).
const (
	elemFloat = 1
	elemUint8 = 2
	elemInt8  = 3
	elemInt64 = 7
)

// graph collects the nodes and weights of an ONNX graph.
type graph struct {
	opset   int
	nodes   [][]byte
	weights [][]byte
	inputs  [][]byte
	outputs [][]byte
	count   int
}

// attr is an attribute of a node: an int, []int, or float32.
type attr struct {
	name  string
	value any
}

// op adds a node with one output and returns the output's name.
func (g *graph) op(kind string, inputs []string, attrs ...attr) string {
	return g.ops(kind, inputs, 1, attrs...)[0]
}

// ops adds a node with n outputs.
func (g *graph) ops(kind string, inputs []string, n int, attrs ...attr) []string {
	var outputs []string
	for i := range n {
		outputs = append(outputs, fmt.Sprintf("/%s_%d/out%d", kind, g.count, i))
	}
	g.named(kind, inputs, outputs, attrs...)
	return outputs
}

func (g *graph) named(kind string, inputs, outputs []string, attrs ...attr) {
	var b []byte
	for _, in := range inputs {
		b = text(b, 1, in)
	}
	for _, out := range outputs {
		b = text(b, 2, out)
	}

	b = text(b, 3, fmt.Sprintf("/%s_%d", kind, g.count))
	b = text(b, 4, kind)
	for _, a := range attrs {
		b = message(b, 5, attribute(a))
	}

	g.count++
	g.nodes = append(g.nodes, b)
}

func attribute(a attr) []byte {
	b := text(nil, 1, a.name)
	switch v := a.value.(type) {
	case int:
		b = number(number(b, 3, v), 20, 2)
	case []int:
		for _, x := range v {
			b = number(b, 8, x)
		}
		b = number(b, 20, 7)
	case float32:
		b = protowire.AppendTag(b, 2, protowire.Fixed32Type)
		b = number(protowire.AppendFixed32(b, math.Float32bits(v)), 20, 1)
	default:
		panic(fmt.Sprintf("attribute %s of type %T", a.name, a.value))
	}
	return b
}

// floats adds a weight and returns its name.
func (g *graph) floats(name string, values []float32, dims ...int) string {
	raw := make([]byte, 4*len(values))
	for i, v := range values {
		binary.LittleEndian.PutUint32(raw[4*i:], math.Float32bits(v))
	}
	return g.tensor(name, elemFloat, raw, dims)
}

// ints adds a constant of 64-bit integers; no dims is a scalar.
func (g *graph) ints(name string, values []int, dims ...int) string {
	raw := make([]byte, 8*len(values))
	for i, v := range values {
		binary.LittleEndian.PutUint64(raw[8*i:], uint64(v))
	}
	return g.tensor(name, elemInt64, raw, dims)
}

func (g *graph) tensor(name string, elem int, raw []byte, dims []int) string {
	var b []byte
	for _, d := range dims {
		b = number(b, 1, d)
	}
	b = text(number(b, 2, elem), 8, name)
	g.weights = append(g.weights, message(b, 9, raw))
	return name
}

// value describes an input or output; a dim is an int or the name of a free one.
func value(name string, elem int, dims ...any) []byte {
	var shape []byte
	for _, d := range dims {
		switch v := d.(type) {
		case int:
			shape = message(shape, 1, number(nil, 1, v))
		case string:
			shape = message(shape, 1, text(nil, 2, v))
		}
	}

	tensor := message(number(nil, 1, elem), 2, shape)
	return message(text(nil, 1, name), 2, message(nil, 1, tensor))
}

// encode writes the model.
func (g *graph) encode() []byte {
	var b []byte
	for _, n := range g.nodes {
		b = message(b, 1, n)
	}
	b = text(b, 2, "lore")
	for _, w := range g.weights {
		b = message(b, 5, w)
	}
	for _, in := range g.inputs {
		b = message(b, 11, in)
	}
	for _, out := range g.outputs {
		b = message(b, 12, out)
	}

	m := text(number(nil, 1, 8), 2, "lore testmodel")
	m = message(m, 7, b)
	return message(m, 8, number(text(nil, 1, ""), 2, g.opset))
}

func text(b []byte, field protowire.Number, s string) []byte {
	return protowire.AppendString(protowire.AppendTag(b, field, protowire.BytesType), s)
}

func message(b []byte, field protowire.Number, m []byte) []byte {
	return protowire.AppendBytes(protowire.AppendTag(b, field, protowire.BytesType), m)
}

func number(b []byte, field protowire.Number, n int) []byte {
	return protowire.AppendVarint(protowire.AppendTag(b, field, protowire.VarintType), uint64(n))
}
