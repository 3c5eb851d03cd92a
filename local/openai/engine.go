package openai

import (
	"encoding/json"
	"strconv"
	"strings"

	"lore/local"
)

// Engine is the kind of a server. They all speak one protocol, but differ in what they call
// options, how they count a prompt and what they tell of a model.
type Engine string

// The engines that are told apart. Other is any server that speaks the protocol.
const (
	VLLM     Engine = "vllm" // also behind Ray Serve
	SGLang   Engine = "sglang"
	LlamaCpp Engine = "llama.cpp"
	LMStudio Engine = "lmstudio"
	Ollama   Engine = "ollama"
	Other    Engine = "other"
)

// Engines lists all engines.
var Engines = []Engine{VLLM, SGLang, LlamaCpp, LMStudio, Ollama, Other}

// options are the sampling options of a call as an engine calls them. Every option that an engine
// knows is sent: what is left out follows the server's settings, or the generation_config of the
// model.
func (e Engine) options(o local.Options) map[string]any {
	out := map[string]any{
		"temperature":       o.Temperature,
		"top_p":             o.TopP,
		"seed":              o.Seed,
		"presence_penalty":  0.0,
		"frequency_penalty": 0.0,
	}
	switch e {
	case VLLM, SGLang:
		out["top_k"] = o.TopK
		if o.TopK == 0 { // no limit
			out["top_k"] = -1
		}
		out["min_p"] = 0.0
		out["repetition_penalty"] = o.RepeatPenalty
	case LlamaCpp, LMStudio:
		out["top_k"] = o.TopK
		out["min_p"] = 0.0
		out["repeat_penalty"] = o.RepeatPenalty
	}
	if e == LlamaCpp {
		out["typical_p"] = 1.0
		out["repeat_last_n"] = 64
		out["cache_prompt"] = true
	}
	return out
}

// thoughts asks for thoughts, or for none. Templates that know no thoughts ignore it.
func (e Engine) thoughts(think string) map[string]any {
	switch e {
	case VLLM, SGLang, LlamaCpp:
	default:
		return nil // they take the name of a model for it, or their own settings
	}
	switch think {
	case "":
		return nil
	case "true", "false":
		return map[string]any{"chat_template_kwargs": map[string]any{"enable_thinking": think == "true"}}
	}
	return map[string]any{"reasoning_effort": think}
}

// schemaName is what a reply's form is called; the protocol wants a name.
const schemaName = "reply"

// schema asks for a reply that obeys a schema. Versions of vLLM before 0.6.3 know another field.
func (e Engine) schema(version string, schema json.RawMessage) map[string]any {
	if len(schema) == 0 {
		return nil
	}
	if e == VLLM && before(version, 0, 6, 3) {
		return map[string]any{"guided_json": schema}
	}
	return map[string]any{"response_format": map[string]any{
		"type":        "json_schema",
		"json_schema": map[string]any{"name": schemaName, "schema": schema, "strict": true},
	}}
}

// before reports whether a version is known and lower than another.
func before(version string, than ...int) bool {
	fields := strings.FieldsFunc(version, func(r rune) bool { return r == '.' || r == '+' || r == '-' })
	for i, want := range than {
		if i >= len(fields) {
			return false
		}
		n, err := strconv.Atoi(fields[i])
		if err != nil || n > want {
			return false
		}
		if n < want {
			return true
		}
	}
	return false
}

// namesModel reports whether replies name the model that was asked for. llama.cpp names the file or
// whatever it was asked for.
func (e Engine) namesModel() bool { return e == VLLM || e == SGLang || e == Ollama }
