//go:build ort

package embed

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	ort "github.com/yalue/onnxruntime_go"
)

// ortDecoder runs a decoder by onnxruntime, which the encoder has started.
type ortDecoder struct {
	dir     string
	session *ort.DynamicAdvancedSession
	inputs  []string
}

func openORTDecoder(f *folder) (decoder, error) {
	path := filepath.Join(f.dir, f.file)
	inputs, outputs, err := ort.GetInputOutputInfo(path)
	if err != nil {
		return nil, &ModelError{f.dir, "cannot be loaded: " + err.Error(), "export it again as ONNX", err}
	}

	d := &ortDecoder{dir: f.dir}
	var names []string
	for _, in := range inputs {
		d.inputs = append(d.inputs, in.Name)
	}
	for _, o := range outputs {
		names = append(names, o.Name)
	}
	if err := checkDecoder(f, d.inputs, names); err != nil {
		return nil, err
	}

	options, err := ort.NewSessionOptions()
	if err != nil {
		return nil, fmt.Errorf("set onnxruntime up: %w", err)
	}
	defer options.Destroy()
	if d.session, err = ort.NewDynamicAdvancedSession(path, d.inputs, []string{"logits"}, options); err != nil {
		return nil, &ModelError{f.dir, "cannot be loaded: " + err.Error(), "export it again as ONNX", err}
	}
	return d, nil
}

func (d *ortDecoder) close() error { return d.session.Destroy() }

func (d *ortDecoder) step(ctx context.Context, hidden [][][]float32, start int) (_ [][]float32, err error) {
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}

	var tensors []ort.Value
	defer func() {
		for _, t := range tensors {
			if t != nil {
				err = errors.Join(err, t.Destroy())
			}
		}
	}()
	flat, mask, longest, width := flatStates(hidden)
	n, length := int64(len(hidden)), int64(longest)
	for _, name := range d.inputs {
		var t ort.Value
		switch name {
		case "input_ids":
			t, err = ort.NewTensor(ort.NewShape(n, 1), starts(len(hidden), start))
		case "encoder_hidden_states":
			t, err = ort.NewTensor(ort.NewShape(n, length, int64(width)), flat)
		default:
			t, err = ort.NewTensor(ort.NewShape(n, length), mask)
		}
		if err != nil {
			return nil, fmt.Errorf("build the input %s of %s: %w", name, d.dir, err)
		}
		tensors = append(tensors, t)
	}

	results := []ort.Value{nil}
	if err := d.session.Run(tensors, results); err != nil {
		return nil, &ModelError{d.dir, "cannot be computed: " + err.Error(), "export it again as ONNX", err}
	}
	tensors = append(tensors, results[0])
	logits, ok := results[0].(*ort.Tensor[float32])
	if !ok {
		return nil, &ModelError{d.dir, fmt.Sprintf("gives %T, which are not logits", results[0]), "export it with float32 outputs", nil}
	}

	out := make([][]float32, len(hidden))
	data := logits.GetData()
	size := len(data) / len(out)
	for i := range out {
		out[i] = slices.Clone(data[i*size : (i+1)*size])
	}
	return out, nil
}
