package embed

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"sync"

	"github.com/knights-analytics/hugot"
	"github.com/knights-analytics/hugot/backends"
	"github.com/knights-analytics/hugot/options"
)

// hugotModel runs a graph in pure Go. Of hugot it uses the parts that build
// tensors from token ids and run the graph; its pipelines are not used, because
// they cut and pool without saying so.
type hugotModel struct {
	dir     string
	session *hugot.Session
	model   *backends.Model
	base    *backends.BasePipeline
	out     int
	alone   bool
	mu      sync.Mutex // one batch takes all processors in the Go backend; two at once only cost memory
}

func openHugot(ctx context.Context, f *folder) (_ *hugotModel, err error) {
	defer recovered(f.dir, &err)
	session, err := hugot.NewGoSession(ctx)
	if err != nil {
		return nil, fmt.Errorf("start hugot: %w", err)
	}

	dir, err := filepath.Abs(filepath.Join(f.dir, filepath.Dir(f.file)))
	if err != nil {
		return nil, fmt.Errorf("find the model: %w", err)
	}
	m := &hugotModel{
		dir:     f.dir,
		session: session,
		alone:   f.alone,
		model: &backends.Model{
			Path:         dir,
			OnnxFilename: filepath.Base(f.file),
			Pipelines:    map[string]backends.Pipeline{},
		},
	}

	opts := options.Defaults()
	opts.Backend = "GO"
	if err := backends.CreateModelBackend(ctx, m.model, opts); err != nil {
		return nil, errors.Join(notLoaded(f.dir, err), session.Destroy())
	}
	m.base = &backends.BasePipeline{Model: m.model, Runtime: "GO", SessionContext: context.WithoutCancel(ctx)}

	for _, in := range m.model.InputsMeta {
		if in.Name == "position_ids" {
			// hugot numbers them from 1, as decoders do.
			unusable := &ModelError{
				Dir:    f.dir,
				Msg:    "wants position_ids, which the Go runtime would number wrongly",
				Remedy: "export it without that input, or use a build with onnxruntime (make build-ort)",
			}
			return nil, errors.Join(unusable, m.close())
		}
	}

	var names []string
	var ranks []int
	for _, o := range m.model.OutputsMeta {
		names, ranks = append(names, o.Name), append(ranks, len(o.Dimensions))
	}
	if m.out, err = chooseOutput(f, names, ranks); err != nil {
		return nil, errors.Join(err, m.close())
	}

	return m, nil
}

func (m *hugotModel) outputName() string { return m.model.OutputsMeta[m.out].Name }

func (m *hugotModel) run(ctx context.Context, batch []input) ([]output, error) {
	if err := ctx.Err(); err != nil {
		return nil, context.Cause(ctx)
	}

	// A computation cannot be ended: one that nobody waits for any more keeps the model until it is through.
	type result struct {
		out []output
		err error
	}
	through := make(chan result, 1)
	m.mu.Lock()
	go func() {
		out, err := m.compute(context.WithoutCancel(ctx), batch)
		m.mu.Unlock()
		through <- result{out, err}
	}()

	select {
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	case r := <-through:
		return r.out, r.err
	}
}

func (m *hugotModel) compute(ctx context.Context, batch []input) (_ []output, err error) {
	defer recovered(m.dir, &err)

	b := m.batch(batch)
	if err := backends.CreateInputTensors(b, m.model, "GO"); err != nil {
		return nil, m.failed(err)
	}

	runErr := backends.RunSessionOnBatch(ctx, b, m.base)
	if err := errors.Join(runErr, b.Destroy()); err != nil {
		return nil, m.failed(err)
	}

	return m.outputs(b, batch)
}

// batch hands token ids over to hugot, padded to a common length.
func (m *hugotModel) batch(batch []input) *backends.PipelineBatch {
	b := backends.NewBatch(len(batch))
	longest := 0
	for _, in := range batch {
		n := len(in.ids)
		longest = max(longest, n)
		t := backends.TokenizedInput{
			TokenIDs:          make([]uint32, n),
			TypeIDs:           make([]uint32, n),
			AttentionMask:     make([]uint32, n),
			MaxAttentionIndex: n - 1,
		}
		for i := range n {
			t.TokenIDs[i], t.TypeIDs[i], t.AttentionMask[i] = uint32(in.ids[i]), uint32(in.types[i]), 1
			if i >= n-in.unseen {
				t.AttentionMask[i] = 0
			}
		}
		b.Input = append(b.Input, t)
	}

	// A model that takes its texts alone must not see padding: it would enter the scale of
	// its quantised products.
	b.MaxSequenceLength = longest
	if len(batch) > 1 || !m.alone {
		b.MaxSequenceLength = bucket(longest)
	}

	return b
}

// outputs takes the vectors of a batch, padding left out.
func (m *hugotModel) outputs(b *backends.PipelineBatch, batch []input) ([]output, error) {
	out := make([]output, len(batch))
	switch v := b.OutputValues[m.out].(type) {
	case [][]float32:
		for i := range out {
			out[i].vector = v[i]
		}
	case [][][]float32:
		for i := range out {
			out[i].tokens = v[i][:len(batch[i].ids)]
		}
	default:
		return nil, &ModelError{
			Dir:    m.dir,
			Msg:    fmt.Sprintf("gives %T, which are not vectors", v),
			Remedy: "export it with token vectors or one vector per text",
		}
	}

	return out, nil
}

func (m *hugotModel) failed(err error) error { return notComputed(m.dir, err) }

func notComputed(dir string, err error) error {
	return &ModelError{
		Dir:    dir,
		Msg:    "cannot be computed: " + firstLine(err),
		Remedy: "an operator that the Go runtime does not know needs a build with onnxruntime (make build-ort)",
		Err:    err,
	}
}

func notLoaded(dir string, err error) error {
	return &ModelError{
		Dir:    dir,
		Msg:    "cannot be loaded: " + firstLine(err),
		Remedy: "export it again as ONNX with float32 weights, or use a build with onnxruntime (make build-ort)",
		Err:    err,
	}
}

// close frees the model; while it still computes what was cancelled, once it is through.
func (m *hugotModel) close() error {
	if !m.mu.TryLock() {
		go func() {
			m.mu.Lock()
			defer m.mu.Unlock()
			_ = m.free() // nobody is left to be told
		}()
		return nil
	}
	defer m.mu.Unlock()
	return m.free()
}

func (m *hugotModel) free() error {
	if m.model.GoMLXModel != nil {
		m.model.GoMLXModel.Destroy()
	}
	return m.session.Destroy()
}

// bucket rounds a length up. The Go backend compiles every shape anew and keeps
// it, so there should be few.
func bucket(n int) int {
	step := 8
	for step*8 < n {
		step *= 2
	}
	return (n + step - 1) / step * step
}

// recovered turns a panic of the model library into an error.
func recovered(dir string, err *error) {
	if r := recover(); r != nil {
		*err = &ModelError{
			Dir:    dir,
			Msg:    fmt.Sprintf("cannot be computed: %v", r),
			Remedy: "check that the file is a whole ONNX encoder, or use a build with onnxruntime (make build-ort)",
		}
	}
}

func firstLine(err error) string {
	line, _, _ := strings.Cut(strings.TrimSpace(err.Error()), "\n")
	return line
}
