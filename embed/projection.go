package embed

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math"
	"path/filepath"

	"lore/local/files"
)

// projection is a Dense module of Sentence Transformers: weights times a vector, perhaps a bias,
// perhaps tanh.
type projection struct {
	in, out int
	weights []float32 // by output, then input
	bias    []float32 // nil for none
	tanh    bool
}

// Activations of Dense modules.
const (
	identityActivation = "torch.nn.modules.linear.Identity"
	tanhActivation     = "torch.nn.modules.activation.Tanh"
)

// readProjection reads the Dense module in a part of a model's folder.
func (f *folder) readProjection(path string) (*projection, error) {
	var config struct {
		In         int    `json:"in_features"`
		Out        int    `json:"out_features"`
		Bias       bool   `json:"bias"`
		Activation string `json:"activation_function"`
		Residual   bool   `json:"use_residual"`
	}
	name := filepath.Join(path, "config.json")
	ok, err := f.read(name, &config)
	if err != nil {
		return nil, err
	}
	if !ok {
		return nil, f.unclear("has no "+name, "copy the whole folder")
	}

	p := &projection{in: config.In, out: config.Out, tanh: config.Activation == tanhActivation}
	known := p.tanh || config.Activation == identityActivation || config.Activation == ""
	if !known || config.Residual {
		return nil, f.unclear("has a Dense module with the activation "+config.Activation+", or around which its input goes, "+
			"which lore does not compute", "export it with that module inside the graph and name the output in its "+OverrideFile)
	}

	weights := filepath.Join(path, "model.safetensors")
	data, err := files.ReadFile(filepath.Join(f.dir, weights))
	var tensors map[string][]float32
	if err == nil {
		tensors, err = parseSafetensors(data)
	}
	if err != nil {
		return nil, f.unclear("has a Dense module whose "+weights+" cannot be read: "+err.Error(),
			"copy the whole folder; a pytorch_model.bin must be saved as safetensors")
	}
	p.weights = tensors["linear.weight"]
	if config.Bias {
		p.bias = tensors["linear.bias"]
	}
	if p.in < 1 || p.out < 1 || len(p.weights) != p.in*p.out || config.Bias && len(p.bias) != p.out {
		return nil, f.unclear(fmt.Sprintf("has a Dense module whose weights are not %d times %d numbers", p.out, p.in), "copy it again")
	}
	sum := sha256.Sum256(data)
	f.settings.Dense = append(f.settings.Dense, hex.EncodeToString(sum[:]))
	return p, nil
}

// addDense adds a Dense module that the vectors of an encoder go through, unless an output that
// people have named holds vectors behind it.
func (f *folder) addDense(path string, pooled bool) error {
	if f.over.Output != "" {
		f.note("the output " + f.over.Output + ", by its " + OverrideFile + ", is taken to be behind the Dense module")
		return nil
	}
	if !pooled {
		return f.unclear("has a Dense module before the pooling, which lore does not compute for one vector per text",
			"use it as rerank:colbert:DIR if it is a model of late interaction")
	}
	p, err := f.readProjection(path)
	f.dense = append(f.dense, p)
	return err
}

// apply projects a vector.
func (p *projection) apply(v []float32) ([]float32, error) {
	if len(v) != p.in {
		return nil, fmt.Errorf("gives vectors of %d dimensions, and its Dense module takes %d", len(v), p.in)
	}
	out := make([]float32, p.out)
	for i := range out {
		sum := 0.0
		for k, x := range v {
			sum += float64(p.weights[i*p.in+k]) * float64(x)
		}
		if p.bias != nil {
			sum += float64(p.bias[i])
		}
		if p.tanh {
			sum = math.Tanh(sum)
		}
		out[i] = float32(sum)
	}
	return out, nil
}

// parseSafetensors reads a file of weights: the length of a JSON header, the header with the type
// and place of each tensor, and the numbers (github.com/huggingface/safetensors).
func parseSafetensors(data []byte) (map[string][]float32, error) {
	if len(data) < 8 {
		return nil, fmt.Errorf("it has %d bytes", len(data))
	}
	size := binary.LittleEndian.Uint64(data)
	data = data[8:]
	if size > uint64(len(data)) {
		return nil, fmt.Errorf("its header is cut")
	}

	var header map[string]json.RawMessage
	if err := json.Unmarshal(data[:size], &header); err != nil {
		return nil, fmt.Errorf("its header is not valid JSON: %w", err)
	}
	data = data[size:]

	out := map[string][]float32{}
	for name, raw := range header {
		if name == "__metadata__" {
			continue
		}
		var t struct {
			Type  string    `json:"dtype"`
			Place [2]uint64 `json:"data_offsets"`
		}
		if err := json.Unmarshal(raw, &t); err != nil {
			return nil, fmt.Errorf("its tensor %s is not described: %w", name, err)
		}
		if t.Place[0] > t.Place[1] || t.Place[1] > uint64(len(data)) {
			return nil, fmt.Errorf("its tensor %s is cut", name)
		}
		values, err := numbers(t.Type, data[t.Place[0]:t.Place[1]])
		if err != nil {
			return nil, fmt.Errorf("its tensor %s: %w", name, err)
		}
		out[name] = values
	}
	return out, nil
}

// numbers reads little-endian numbers of a type.
func numbers(kind string, data []byte) ([]float32, error) {
	var out []float32
	switch kind {
	case "F32":
		for ; len(data) >= 4; data = data[4:] {
			out = append(out, math.Float32frombits(binary.LittleEndian.Uint32(data)))
		}
	case "BF16":
		for ; len(data) >= 2; data = data[2:] {
			out = append(out, math.Float32frombits(uint32(binary.LittleEndian.Uint16(data))<<16))
		}
	case "F16":
		for ; len(data) >= 2; data = data[2:] {
			out = append(out, half(binary.LittleEndian.Uint16(data)))
		}
	default:
		return nil, fmt.Errorf("numbers of type %s are not read; F32, F16 and BF16 are", kind)
	}
	return out, nil
}

// half is a number of 16 bits: a sign, five bits of exponent and ten of fraction.
func half(bits uint16) float32 {
	exponent, fraction := int(bits>>10&0x1f), float64(bits&0x3ff)
	value := math.Ldexp(1+fraction/1024, exponent-15)
	switch exponent {
	case 0:
		value = math.Ldexp(fraction/1024, -14)
	case 31:
		value = math.Inf(1)
		if fraction != 0 {
			value = math.NaN()
		}
	}
	if bits>>15 == 1 {
		value = -value
	}
	return float32(value)
}
