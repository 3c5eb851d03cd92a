package openai

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"lore/local/text"
	"lore/local/wire"
)

// model is one of /v1/models, with the fields that engines add.
type model struct {
	ID          string `json:"id"`
	OwnedBy     string `json:"owned_by"`
	Root        string `json:"root"`          // vLLM and SGLang: where the weights are
	MaxModelLen int    `json:"max_model_len"` // vLLM and SGLang: window, in tokens

	Meta json.RawMessage `json:"meta"` // llama.cpp: sizes of the model
}

// Model is what lore needs to know of a model before it is used.
type Model struct {
	Name    string // as the server lists it
	Digest  string // see Exact
	Exact   bool   // the digest is of the weights: other weights under the same name have another one
	Context int    // window as the server has loaded it, in tokens; 0 where it does not tell
	Slots   int    // calls that the server runs at once; 0 where it does not tell
	About   string // size and quantisation, where the server tells
	Warning string // what the server does that people must know; may be empty
}

// recognise finds out which engine the server is. /v1/models names an owner, which behind a router
// may be anybody; each engine also has an address of its own.
func (c *Client) recognise(ctx context.Context) error {
	owner := ""
	if len(c.models) > 0 {
		owner = strings.ToLower(c.models[0].OwnedBy)
	}

	var about struct {
		Version   string `json:"version"`
		BuildInfo string `json:"build_info"`
		ModelPath string `json:"model_path"`
	}
	has := func(path string, told func() string) bool {
		about.Version, about.BuildInfo, about.ModelPath = "", "", ""
		return c.wire.Call(ctx, path, mostAbout, nil, &about) == nil && told() != ""
	}
	version := func() string { return about.Version }

	switch {
	case owner == "llamacpp" || has("/props", func() string { return about.BuildInfo }):
		c.engine = LlamaCpp
		if has("/props", func() string { return about.BuildInfo }) {
			c.version = about.BuildInfo
		}
	case owner == "sglang" || has("/get_model_info", func() string { return about.ModelPath }):
		c.engine = SGLang
		if has("/get_server_info", version) {
			c.version = about.Version
		}
	case owner == "vllm":
		c.engine = VLLM
		if has("/version", version) {
			c.version = about.Version
		}
	case has("/api/version", version):
		c.engine, c.version = Ollama, about.Version
	case has("/version", version):
		c.engine, c.version = VLLM, about.Version
	case c.lists(ctx):
		c.engine = LMStudio
	default:
		c.engine = Other
	}
	return ctx.Err()
}

// studioModel is a model as LM Studio's own address describes it.
type studioModel struct {
	ID           string `json:"id"`
	Arch         string `json:"arch"`
	Publisher    string `json:"publisher"`
	Quantization string `json:"quantization"`
	Most         int    `json:"max_context_length"`
	Loaded       int    `json:"loaded_context_length"`
}

const studioList = "/api/v0/models"

func (c *Client) studio(ctx context.Context) ([]studioModel, error) {
	var list struct {
		Data []studioModel `json:"data"`
	}
	err := c.wire.Call(ctx, studioList, mostList, nil, &list)
	return list.Data, err
}

func (c *Client) lists(ctx context.Context) bool {
	list, err := c.studio(ctx)
	return err == nil && len(list) > 0
}

// Model looks a model up. An empty name is the server's only one.
func (c *Client) Model(ctx context.Context, name string) (Model, error) {
	have := c.Names()
	if name == "" && len(have) == 1 {
		name = have[0]
	}
	i := slices.Index(have, name)
	switch {
	case len(have) == 0:
		return Model{}, fmt.Errorf("%w: %s serves no model", wire.ErrNoModel, c.Host())
	case i < 0:
		return Model{}, fmt.Errorf("%w: %s does not serve %q%s; it serves %s", wire.ErrNoModel, c.Host(), name,
			strings.TrimSuffix(text.DidYouMean(name, have), "."), strings.Join(have, ", "))
	}
	return c.describe(ctx, c.models[i])
}

// describe finds what the engine tells of a model. The parts of the digest are what stays the same
// when the server is started again.
func (c *Client) describe(ctx context.Context, m model) (Model, error) {
	out := Model{Name: m.ID, Context: m.MaxModelLen}
	parts := []string{string(c.engine), m.ID, m.Root}
	var err error

	switch c.engine {
	case SGLang:
		var info struct {
			ModelPath     string `json:"model_path"`
			WeightVersion string `json:"weight_version"`
		}
		err = c.wire.Call(ctx, "/get_model_info", mostAbout, nil, &info)
		parts = append(parts, info.ModelPath, info.WeightVersion)
		out.Warning = c.cutsPrompts(ctx)
	case LlamaCpp:
		err = c.describeLlama(ctx, m, &out, &parts)
	case LMStudio:
		var list []studioModel
		list, err = c.studio(ctx)
		for _, s := range list {
			if s.ID == m.ID {
				out.Context = cmp.Or(s.Loaded, s.Most)
				out.About = strings.TrimSpace(s.Arch + " " + s.Quantization)
				parts = append(parts, s.Arch, s.Publisher, s.Quantization)
			}
		}
	case Ollama:
		return c.describeOllama(ctx, out)
	}
	if err != nil {
		return out, fmt.Errorf("describe %s: %w", m.ID, err)
	}
	out.Digest = fmt.Sprintf("named:%x", sha256.Sum256([]byte(strings.Join(parts, "\x00"))))
	return out, nil
}

// cutsPrompts says of SGLang whether it was started to cut prompts that are too long.
func (c *Client) cutsPrompts(ctx context.Context) string {
	var info struct {
		Truncates bool `json:"allow_auto_truncate"`
	}
	if c.wire.Call(ctx, "/get_server_info", mostAbout, nil, &info) == nil && info.Truncates {
		return "the server was started with --allow-auto-truncate: it cuts prompts that are too long; " +
			"every reply is checked, and one to a prompt that was cut is a failure"
	}
	return ""
}

// describeLlama reads the file, the window of a slot and the number of slots; sizes of the model say
// more than its name.
func (c *Client) describeLlama(ctx context.Context, m model, out *Model, parts *[]string) error {
	var props struct {
		Settings struct {
			Window int `json:"n_ctx"` // of one slot
		} `json:"default_generation_settings"`
		Slots int    `json:"total_slots"`
		Path  string `json:"model_path"`
	}
	if err := c.wire.Call(ctx, "/props", mostAbout, nil, &props); err != nil {
		return err
	}
	var meta struct {
		Parameters int64 `json:"n_params"`
		Bytes      int64 `json:"size"`
		Vocabulary int64 `json:"n_vocab"`
		Trained    int64 `json:"n_ctx_train"`
	}
	if len(m.Meta) > 0 && json.Unmarshal(m.Meta, &meta) == nil && meta.Parameters > 0 {
		out.About = fmt.Sprintf("%.1f B parameters, %.1f GB", float64(meta.Parameters)/1e9, float64(meta.Bytes)/1e9)
	}
	out.Context, out.Slots = props.Settings.Window, props.Slots
	file := props.Path[strings.LastIndexAny(props.Path, `/\`)+1:]
	*parts = append(*parts, file, fmt.Sprint(meta))
	return nil
}

// describeOllama asks the native address for the digest of the weights.
func (c *Client) describeOllama(ctx context.Context, out Model) (Model, error) {
	var list struct {
		Models []struct {
			Name, Digest string
			RemoteHost   string `json:"remote_host"`
		} `json:"models"`
	}
	if err := c.wire.Call(ctx, "/api/tags", mostList, nil, &list); err != nil {
		return out, fmt.Errorf("describe %s: %w", out.Name, err)
	}
	for _, m := range list.Models {
		if m.Name != out.Name {
			continue
		}
		if m.RemoteHost != "" {
			return out, fmt.Errorf("%w: %s runs on %s, not on this server; choose a local model", wire.ErrNoModel, out.Name, m.RemoteHost)
		}
		out.Digest, out.Exact = m.Digest, true
	}
	out.Warning = fmt.Sprintf("this address of Ollama knows neither a window nor top_k, and cuts prompts that are too long; "+
		"ollama:%s asks the same model by its own address, which does", out.Name)
	return out, nil
}

// ErrChanged marks a model whose weights are not those that were asked for.
var ErrChanged = errors.New("the model has changed")

// Still reports whether the name of a model still has its digest; the error wraps ErrChanged where it
// has not.
func (c *Client) Still(ctx context.Context, name, digest string) error {
	now, err := c.list(ctx)
	if err != nil {
		return err
	}
	i := slices.IndexFunc(now, func(m model) bool { return m.ID == name })
	if i < 0 {
		return fmt.Errorf("%w: %s does not serve %s any more", ErrChanged, c.Host(), name)
	}
	m, err := c.describe(ctx, now[i])
	if err == nil && m.Digest != digest {
		err = fmt.Errorf("%w: %s on %s had the digest %s and has %s now", ErrChanged, name, c.Host(), digest, m.Digest)
	}
	return err
}

// Names are the models on offer when the server was opened.
func (c *Client) Names() []string {
	var out []string
	for _, m := range c.models {
		out = append(out, m.ID)
	}
	return out
}
