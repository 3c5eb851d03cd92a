// Package openaitest is a server that behaves as engines which speak OpenAI's protocol are documented
// to behave: vLLM, SGLang, llama.cpp's server, LM Studio and Ollama's /v1. It is made from their
// documentation and from what their users report, not from their code: where a real engine differs, the
// engine is right.
//
// Words stand for tokens, and the chat template adds none.
package openaitest

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"time"

	"lore/local"
)

// Engines that the server can be.
const (
	VLLM     = "vllm"
	SGLang   = "sglang"
	LlamaCpp = "llama.cpp"
	LMStudio = "lmstudio"
	Ollama   = "ollama"
	Other    = "other"
)

// Request is what a chat asks.
type Request struct {
	Model       string          `json:"model"`
	Messages    []local.Message `json:"messages"`
	MaxTokens   int             `json:"max_tokens"`
	Stream      bool            `json:"stream"`
	TopLogprobs int             `json:"top_logprobs"`

	StreamOptions struct {
		IncludeUsage bool `json:"include_usage"`
	} `json:"stream_options"`
	ResponseFormat struct {
		Type       string `json:"type"`
		JSONSchema struct {
			Schema json.RawMessage `json:"schema"`
		} `json:"json_schema"`
	} `json:"response_format"`
	GuidedJSON json.RawMessage `json:"guided_json"`

	Body map[string]json.RawMessage `json:"-"` // all that was sent
	Key  string                     `json:"-"` // the bearer's token
}

// Schema is the form that the reply must have; nil: any.
func (r Request) Schema() json.RawMessage {
	if len(r.GuidedJSON) > 0 {
		return r.GuidedJSON
	}
	return r.ResponseFormat.JSONSchema.Schema
}

// Misbehavior names one way to go wrong.
type Misbehavior int

// The ways to go wrong.
const (
	Behave       Misbehavior = iota
	RefuseLong               // the prompt does not fit, as the engine words it
	RefuseOption             // 400: an option is unknown
	QueueFull                // 503
	Denied                   // 401
	Crashed                  // 500
	ErrorEvent               // 200, and then an error
	NoDone                   // 200, text, and no end
	CutShort                 // finish_reason "length"
	SayNothing               // an end without text
	ThinkOnly                // thoughts, and no text
	Think                    // thoughts in the answer, before it
	HangUp                   // the connection breaks inside the reply
	NotJSON                  // an event that is not JSON
	NoUsage                  // an end without counts
	Filtered                 // finish_reason "content_filter"
	OtherModel               // another model answers
	IgnoresLimit             // more tokens than were asked for
	NotAnObject              // another kind of answer altogether
)

// Server is a scripted server. Set the fields before the first request.
type Server struct {
	Engine  string
	Version string        // as the engine tells it; empty: one that is recent
	Names   []string      // models on offer; nil means "fake"
	Weights string        // what the weights are: two servers with other answers have others
	Window  int           // in words; 0 means much
	Slots   int           // requests answered at once; 0 means no limit
	Delay   time.Duration // time each reply takes
	Key     string        // that must be shown; empty: none
	Cuts    bool          // a prompt that is too long is cut, and nothing is said
	Routed  bool          // a router stands before it, which hands on /v1 alone

	Answer  func(Request) string               // nil echoes the last message
	Misdeed func(n int, r Request) Misbehavior // nil behaves; n counts chats from 0

	mu    sync.Mutex
	chats []Request
	sem   chan struct{}
	once  sync.Once
}

// Start serves on a loopback port until the test ends.
func (s *Server) Start(t interface{ Cleanup(func()) }) *httptest.Server {
	h := httptest.NewServer(s)
	t.Cleanup(h.Close)
	return h
}

// Chats returns the chats so far.
func (s *Server) Chats() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Request(nil), s.chats...)
}

func (s *Server) names() []string {
	if s.Names == nil {
		return []string{"fake"}
	}
	return s.Names
}

func (s *Server) window() int {
	if s.Window == 0 {
		return 1 << 20
	}
	return s.Window
}

// ServeHTTP answers what the engine has addresses for.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.once.Do(func() {
		if s.Slots > 0 {
			s.sem = make(chan struct{}, s.Slots)
		}
	})
	key := strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
	if s.Key != "" && key != s.Key {
		refuse(w, http.StatusUnauthorized, map[string]any{"error": "Unauthorized"})
		return
	}

	switch about := s.about(r.URL.Path); {
	case r.URL.Path == "/v1/models":
		reply(w, map[string]any{"object": "list", "data": s.models()})
	case r.URL.Path == "/v1/chat/completions":
		s.chat(w, r, key)
	case s.Routed || about == nil:
		refuse(w, http.StatusNotFound, map[string]any{"detail": "Not Found"})
	default:
		var body struct {
			Messages []local.Message `json:"messages"`
			Content  string          `json:"content"`
		}
		_ = json.NewDecoder(r.Body).Decode(&body) // a GET has none
		reply(w, about(join(body.Messages), body.Content))
	}
}

func join(messages []local.Message) string {
	var parts []string
	for _, m := range messages {
		parts = append(parts, m.Content)
	}
	return strings.Join(parts, " ")
}

func (s *Server) models() []map[string]any {
	owner := map[string]string{VLLM: "vllm", SGLang: "sglang", LlamaCpp: "llamacpp", LMStudio: "organization_owner", Ollama: "library"}
	var out []map[string]any
	for _, name := range s.names() {
		m := map[string]any{"id": name, "object": "model", "created": time.Now().Unix(), "owned_by": owner[s.Engine]}
		switch s.Engine {
		case VLLM, SGLang:
			m["root"], m["max_model_len"] = "/models/"+name+s.Weights, s.window()
		case LlamaCpp:
			m["meta"] = map[string]any{"n_params": 1e9, "size": 4e9 + float64(len(s.Weights)), "n_vocab": 32000, "n_ctx_train": 1 << 20}
		}
		out = append(out, m)
	}
	return out
}

// about is what the engine answers at an address of its own; nil: it has none of that name.
func (s *Server) about(path string) func(prompt, content string) any {
	constant := func(v any) func(string, string) any { return func(string, string) any { return v } }
	numbers := func(text string) []int {
		out := make([]int, len(strings.Fields(text)))
		for i := range out {
			out[i] = i
		}
		return out
	}

	switch s.Engine + " " + path {
	case VLLM + " /version":
		return constant(map[string]string{"version": or(s.Version, "0.11.0")})
	case VLLM + " /tokenize":
		return func(prompt, _ string) any {
			tokens := numbers(prompt)
			return map[string]any{"count": len(tokens), "max_model_len": s.window(), "tokens": tokens}
		}
	case SGLang + " /get_model_info":
		return constant(map[string]any{"model_path": "/models/" + s.Weights, "weight_version": "default", "is_generation": true})
	case SGLang + " /get_server_info":
		return constant(map[string]any{"version": or(s.Version, "0.5.4"), "allow_auto_truncate": s.Cuts})
	case LlamaCpp + " /props":
		return constant(map[string]any{
			"default_generation_settings": map[string]any{"n_ctx": s.window()}, "total_slots": max(1, s.Slots),
			"model_path": "/models/fake" + s.Weights + ".gguf", "build_info": or(s.Version, "b7000-abcdef"),
		})
	case LlamaCpp + " /apply-template":
		return func(prompt, _ string) any { return map[string]string{"prompt": prompt} }
	case LlamaCpp + " /tokenize":
		return func(_, content string) any { return map[string]any{"tokens": numbers(content)} }
	case LMStudio + " /api/v0/models":
		return constant(map[string]any{"data": []map[string]any{{
			"id": s.names()[0], "arch": "llama", "publisher": "someone", "quantization": "Q4_K_M" + s.Weights,
			"max_context_length": 1 << 20, "loaded_context_length": s.window(),
		}}})
	case Ollama + " /api/version":
		return constant(map[string]string{"version": or(s.Version, "0.17.4")})
	case Ollama + " /api/tags":
		var list []map[string]string
		for _, name := range s.names() {
			list = append(list, map[string]string{"name": name, "digest": "digest-of-" + name + s.Weights})
		}
		return constant(map[string]any{"models": list})
	}
	return nil
}

func or(a, b string) string {
	if a == "" {
		return b
	}
	return a
}

func (s *Server) chat(w http.ResponseWriter, r *http.Request, key string) {
	data, _ := io.ReadAll(r.Body) // what is missing does not parse
	var req Request
	if err := json.Unmarshal(data, &req); err != nil || json.Unmarshal(data, &req.Body) != nil || len(req.Messages) == 0 {
		refuse(w, http.StatusBadRequest, map[string]any{"error": map[string]any{"message": "the request cannot be read", "code": 400}})
		return
	}
	req.Key = key

	canary := strings.HasPrefix(req.Messages[0].Content, local.Canary)
	n, bad := 0, Behave
	if !canary { // it is no work, and no test counts it
		s.mu.Lock()
		n = len(s.chats)
		s.chats = append(s.chats, req)
		s.mu.Unlock()
		if !s.wait(r) {
			return
		}
		if s.Misdeed != nil {
			bad = s.Misdeed(n, req)
		}
	}
	s.answer(w, req, bad)
}

// wait takes a slot for as long as a reply takes; false where the client is gone.
func (s *Server) wait(r *http.Request) bool {
	if s.sem != nil {
		select {
		case s.sem <- struct{}{}:
			defer func() { <-s.sem }()
		case <-r.Context().Done():
			return false
		}
	}
	select {
	case <-time.After(s.Delay):
		return true
	case <-r.Context().Done():
		return false
	}
}

// tooLong is the error of a prompt that does not fit, as the engines word it.
func (s *Server) tooLong(words, reply int) (code int, body any) {
	window := s.window()
	failure := func(more map[string]any, format string, args ...any) (int, any) {
		more["message"], more["code"] = fmt.Sprintf(format, args...), 400
		return 400, map[string]any{"error": more}
	}
	switch s.Engine {
	case VLLM:
		return failure(map[string]any{"type": "BadRequestError"},
			"This model's maximum context length is %d tokens. However, your request has %d input tokens.", window, words)
	case SGLang:
		return 400, map[string]any{"object": "error", "code": 400, "message": fmt.Sprintf(
			"Requested token count exceeds the model's maximum context length of %d tokens. "+
				"You requested a total of %d tokens.", window, words+reply)}
	case LlamaCpp:
		return failure(map[string]any{"type": "exceed_context_size_error", "n_prompt_tokens": words, "n_ctx": window},
			"request (%d tokens) exceeds the available context size (%d tokens), try increasing it", words, window)
	}
	return 400, map[string]any{"error": fmt.Sprintf("the number of tokens to keep from the initial prompt, %d, "+
		"is greater than the context length", words)}
}

func refuse(w http.ResponseWriter, code int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(code)
	reply(w, body)
}

func reply(w http.ResponseWriter, body any) {
	_ = json.NewEncoder(w).Encode(body) // a client that is gone reads nothing
}
