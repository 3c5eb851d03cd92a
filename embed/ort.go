//go:build ort

package embed

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	ort "github.com/yalue/onnxruntime_go"
)

// LibraryVariable names the environment variable with the path of libonnxruntime.
const LibraryVariable = "LORE_ONNXRUNTIME"

// ortModel runs a graph by onnxruntime, whose library is loaded at run time.
type ortModel struct {
	dir     string
	session *ort.DynamicAdvancedSession
	inputs  []string
	outputs []string
	out     int
}

var startORT sync.Mutex

// initORT loads the library once per process.
func initORT(library string) error {
	startORT.Lock()
	defer startORT.Unlock()
	if ort.IsInitialized() {
		return nil
	}

	if library == "" {
		library = os.Getenv(LibraryVariable)
	}
	if library == "" {
		return fmt.Errorf("onnxruntime needs its library: give --onnxruntime PATH "+
			"or set %s to the path of libonnxruntime", LibraryVariable)
	}

	ort.SetSharedLibraryPath(library)
	if err := ort.InitializeEnvironment(); err != nil {
		return fmt.Errorf("load onnxruntime from %s: %w; it must be of version 1.26 or newer", library, err)
	}

	// onnxruntime prints its errors besides returning them.
	if err := ort.SetEnvironmentLogLevel(ort.LoggingLevelFatal); err != nil {
		return fmt.Errorf("set onnxruntime up: %w", err)
	}
	return ort.DisableTelemetry()
}

func openONNXRuntime(e Engine, f *folder) (runtime, error) {
	if err := initORT(e.Library); err != nil {
		return nil, err
	}

	path := filepath.Join(f.dir, f.file)
	inputs, outputs, err := ort.GetInputOutputInfo(path)
	if err != nil {
		return nil, &ModelError{f.dir, "cannot be loaded: " + err.Error(), "export it again as ONNX", err}
	}

	m := &ortModel{dir: f.dir}
	known := []string{"input_ids", "attention_mask", "token_type_ids", "position_ids"}
	for _, in := range inputs {
		if !slices.Contains(known, in.Name) {
			return nil, &ModelError{
				Dir:    f.dir,
				Msg:    "wants the input " + in.Name,
				Remedy: "lore knows text encoders",
			}
		}
		m.inputs = append(m.inputs, in.Name)
	}

	var ranks []int
	for _, o := range outputs {
		m.outputs, ranks = append(m.outputs, o.Name), append(ranks, len(o.Dimensions))
	}
	if m.out, err = chooseOutput(f, m.outputs, ranks); err != nil {
		return nil, err
	}

	options, err := ort.NewSessionOptions()
	if err != nil {
		return nil, fmt.Errorf("set onnxruntime up: %w", err)
	}
	defer options.Destroy()

	m.session, err = ort.NewDynamicAdvancedSession(path, m.inputs, m.outputs[m.out:m.out+1], options)
	if err != nil {
		return nil, &ModelError{f.dir, "cannot be loaded: " + err.Error(), "export it again as ONNX", err}
	}
	return m, nil
}

func (m *ortModel) outputName() string { return m.outputs[m.out] }

func (m *ortModel) run(ctx context.Context, batch []input) (_ []output, err error) {
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}

	longest := 0
	for _, in := range batch {
		longest = max(longest, len(in.ids))
	}

	var tensors []ort.Value
	defer func() {
		for _, t := range tensors {
			if t != nil {
				err = errors.Join(err, t.Destroy())
			}
		}
	}()

	shape := ort.NewShape(int64(len(batch)), int64(longest))
	for _, name := range m.inputs {
		t, err := ort.NewTensor(shape, fillInput(name, batch, longest))
		if err != nil {
			return nil, fmt.Errorf("build the input of %s: %w", m.dir, err)
		}
		tensors = append(tensors, t)
	}

	results := []ort.Value{nil}
	if err := m.session.Run(tensors, results); err != nil {
		return nil, &ModelError{
			Dir:    m.dir,
			Msg:    "cannot be computed: " + err.Error(),
			Remedy: "check that tokenizer.json belongs to the model",
			Err:    err,
		}
	}
	tensors = append(tensors, results[0])

	t, ok := results[0].(*ort.Tensor[float32])
	if !ok {
		return nil, &ModelError{
			Dir:    m.dir,
			Msg:    fmt.Sprintf("gives %T, which are not vectors", results[0]),
			Remedy: "export it with float32 outputs",
		}
	}
	return cutOutput(t.GetData(), t.GetShape(), batch)
}

// fillInput pads an input to a rectangle with zeros.
func fillInput(name string, batch []input, longest int) []int64 {
	data := make([]int64, len(batch)*longest)
	for b, in := range batch {
		row := data[b*longest:]
		for i := range in.ids {
			switch {
			case name == "input_ids":
				row[i] = int64(in.ids[i])
			case name == "token_type_ids":
				row[i] = int64(in.types[i])
			case name == "position_ids":
				row[i] = int64(i)
			case strings.HasPrefix(name, "attention") && i < len(in.ids)-in.unseen:
				row[i] = 1
			}
		}
	}
	return data
}

// cutOutput copies the values out of the runtime's memory, padding left out.
func cutOutput(data []float32, shape []int64, batch []input) ([]output, error) {
	out := make([]output, len(batch))
	width := int(shape[len(shape)-1])
	for b := range batch {
		if len(shape) == 2 {
			out[b].vector = slices.Clone(data[b*width : (b+1)*width])
			continue
		}

		start := b * int(shape[1]) * width // padding included
		for i := range batch[b].ids {
			token := data[start+i*width : start+(i+1)*width]
			out[b].tokens = append(out[b].tokens, slices.Clone(token))
		}
	}
	return out, nil
}

func (m *ortModel) close() error { return m.session.Destroy() }
