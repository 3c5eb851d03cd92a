package embed

import (
	"context"
	"fmt"
	"slices"
	"strings"
)

// Runtimes compute the graph of an ONNX model.
const (
	Hugot       = "hugot-go"    // pure Go, in every build
	ONNXRuntime = "onnxruntime" // in builds with the tag ort
)

// runtime runs a batch of inputs of any lengths. A batch is never empty.
type runtime interface {
	// run returns per text its token vectors, or one vector where the model pools by
	// itself or classifies.
	run(ctx context.Context, batch []input) ([]output, error)
	outputName() string
	close() error
}

// input is one text as the model sees it.
type input struct {
	ids, types []int
	unseen     int // tokens at the end that the others do not attend to
}

// output is what a model gave for one text: one of the two is nil.
type output struct {
	tokens [][]float32
	vector []float32
}

// Engine chooses and configures a runtime.
type Engine struct {
	Runtime string // Hugot or ONNXRuntime; empty is Hugot
	Library string // path of libonnxruntime
}

func (e Engine) open(ctx context.Context, f *folder) (runtime, error) {
	switch e.Runtime {
	case "", Hugot:
		f.settings.Backend = Hugot
		return openHugot(ctx, f)
	case ONNXRuntime:
		f.settings.Backend = ONNXRuntime
		return openONNXRuntime(e, f)
	}
	return nil, fmt.Errorf("unknown runtime %q; there are %s and %s", e.Runtime, Hugot, ONNXRuntime)
}

// chooseOutput picks the output that holds vectors, and complains where none can.
func chooseOutput(f *folder, names []string, ranks []int) (int, error) {
	prefer := []string{"last_hidden_state", "token_embeddings", "hidden_states", "sentence_embedding"}
	if !f.pooled {
		prefer = []string{"logits"}
	}
	if f.output != "" {
		prefer = []string{f.output}
	}

	at := -1
	for _, p := range prefer {
		if at < 0 {
			at = slices.Index(names, p)
		}
	}

	if at < 0 && f.output != "" {
		return 0, &ModelError{
			Dir:    f.dir,
			Msg:    fmt.Sprintf("has no output %s; it has %s", f.output, strings.Join(names, ", ")),
			Remedy: "correct output in its " + OverrideFile,
		}
	}
	if f.pooled && at < 0 && slices.Equal(names, []string{"logits"}) {
		if len(ranks) == 1 && ranks[0] == 3 {
			return 0, &ModelError{
				Dir:    f.dir,
				Msg:    "is a masked language model, which weighs tokens of its vocabulary and gives no vectors of texts",
				Remedy: "use it as a sparse one: sparse:DIR",
			}
		}
		return 0, &ModelError{
			Dir:    f.dir,
			Msg:    "is a classifier and gives no vectors",
			Remedy: "use it as a reranker: rerank:cross:DIR",
		}
	}

	at = max(at, 0)
	if len(ranks) == 0 || (ranks[at] != 2 && ranks[at] != 3) {
		return 0, &ModelError{
			Dir: f.dir,
			Msg: fmt.Sprintf("has an output %s of %d dimensions; vectors need 2 or 3",
				strings.Join(names, ", "), slices.Max(append(ranks, 0))),
			Remedy: "export it with token vectors or one vector per text",
		}
	}
	return at, nil
}
