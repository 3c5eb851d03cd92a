package embed

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"sync"

	"github.com/gomlx/gomlx/core/tensors"
	"github.com/knights-analytics/hugot"
	"github.com/knights-analytics/hugot/backends"
	"github.com/knights-analytics/hugot/options"
)

// hugotDecoder runs a decoder in pure Go. Its inputs are not those of hugot's pipelines, so the
// tensors are built here.
type hugotDecoder struct {
	dir     string
	session *hugot.Session
	model   *backends.Model
	logits  int
	mu      sync.Mutex
}

func openHugotDecoder(ctx context.Context, f *folder) (_ decoder, err error) {
	defer recovered(f.dir, &err)
	session, err := hugot.NewGoSession(ctx)
	if err != nil {
		return nil, fmt.Errorf("start hugot: %w", err)
	}
	dir, err := filepath.Abs(filepath.Join(f.dir, filepath.Dir(f.file)))
	if err != nil {
		return nil, errors.Join(fmt.Errorf("find the model: %w", err), session.Destroy())
	}
	d := &hugotDecoder{dir: f.dir, session: session, model: &backends.Model{
		Path:         dir,
		OnnxFilename: filepath.Base(f.file),
		Pipelines:    map[string]backends.Pipeline{},
	}}

	opts := options.Defaults()
	opts.Backend = "GO"
	if err := backends.CreateModelBackend(ctx, d.model, opts); err != nil {
		return nil, errors.Join(notLoaded(f.dir, err), session.Destroy())
	}
	var inputs, outputs []string
	for _, in := range d.model.InputsMeta {
		inputs = append(inputs, in.Name)
	}
	for _, o := range d.model.OutputsMeta {
		outputs = append(outputs, o.Name)
	}
	d.logits = slices.Index(outputs, "logits")
	if err := checkDecoder(f, inputs, outputs); err != nil {
		return nil, errors.Join(err, d.close())
	}
	return d, nil
}

func (d *hugotDecoder) close() error {
	d.model.GoMLXModel.Destroy()
	return d.session.Destroy()
}

func (d *hugotDecoder) step(ctx context.Context, hidden [][][]float32, start int) (_ [][]float32, err error) {
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	defer recovered(d.dir, &err)

	flat, mask, longest, width := flatStates(hidden)
	var inputs []*tensors.Tensor
	for _, in := range d.model.InputsMeta {
		switch in.Name {
		case "input_ids":
			inputs = append(inputs, tensors.FromFlatDataAndDimensions(starts(len(hidden), start), len(hidden), 1))
		case "encoder_hidden_states":
			inputs = append(inputs, tensors.FromFlatDataAndDimensions(flat, len(hidden), longest, width))
		default:
			inputs = append(inputs, tensors.FromFlatDataAndDimensions(mask, len(hidden), longest))
		}
	}

	outputs, err := d.model.GoMLXModel.Exec.Exec(inputs)
	for _, t := range inputs {
		err = errors.Join(err, t.FinalizeAll())
	}
	if err != nil {
		return nil, notComputed(d.dir, err)
	}

	out := make([][]float32, len(hidden))
	err = tensors.ConstFlatData(outputs[d.logits], func(flat []float32) {
		size := len(flat) / len(out)
		for i := range out {
			out[i] = slices.Clone(flat[i*size : (i+1)*size])
		}
	})
	for _, t := range outputs {
		err = errors.Join(err, t.FinalizeAll())
	}
	return out, err
}
