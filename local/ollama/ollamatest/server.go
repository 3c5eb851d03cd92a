// Package ollamatest is a server that speaks enough of Ollama's API for tests:
// it has slots, takes time, can be killed, and can misbehave on demand.
package ollamatest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/ollama/ollama/api"

	"lore/local"
)

// Server is a scripted server. Set the fields before the first request.
type Server struct {
	Slots   int                                          // requests answered at once; 0 means no limit
	Delay   time.Duration                                // time each reply takes
	Answer  func(req api.ChatRequest) string             // nil echoes the last message
	Misdeed func(n int, req api.ChatRequest) Misbehavior // nil behaves; n counts chat requests from 0
	Context int                                          // trained context of the model, in words
	Busy    int                                          // so many embedding requests are refused as busy first
	Weights string                                       // end of every digest: a server with other answers has other models
	Names   []string                                     // models on offer; nil means "fake:latest"

	Vectors func(n int, texts []string) string // JSON of request n's vectors, from 0; nil hashes words

	Logprobs bool    // gives log-probabilities where they are asked for
	Speeds   *Speeds // takes time as a model does; nil: Delay alone

	loading sync.Mutex
	loaded  string  // model in memory
	slots   []*slot // with Speeds

	mu     sync.Mutex
	chats  []api.ChatRequest
	embeds []int // texts per embedding request
	sem    chan struct{}
	once   sync.Once
}

// Misbehavior names one way to go wrong.
type Misbehavior int

// The ways to go wrong that notes on local servers report.
const (
	Behave       Misbehavior = iota
	RefuseLong               // 400: the prompt does not fit
	RefuseOption             // 400: an option is unknown
	QueueFull                // 503
	RunnerDied               // 500, the model process stopped
	LoadFailed               // 500, something else
	ErrorFrame               // 200 and then an error frame
	NoDoneFrame              // 200, text, and no closing frame
	CutShort                 // done_reason "length"
	SayNothing               // done, without text
	ThinkOnly                // done, thoughts but no text
	HangUp                   // the connection breaks inside the reply
	NotJSON                  // a frame that is not JSON
)

// Start serves on a loopback port until the test ends.
func (s *Server) Start(t interface{ Cleanup(func()) }) *httptest.Server {
	h := httptest.NewServer(s)
	t.Cleanup(h.Close)
	return h
}

// Chats returns the chat requests so far.
func (s *Server) Chats() []api.ChatRequest {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]api.ChatRequest(nil), s.chats...)
}

// Count returns the number of chat requests so far.
func (s *Server) Count() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.chats)
}

func (s *Server) names() []string {
	if s.Names == nil {
		return []string{"fake:latest"}
	}
	return s.Names
}

// ServeHTTP answers version, tags, show, ps, chat and embed.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.once.Do(func() {
		if s.Slots > 0 {
			s.sem = make(chan struct{}, s.Slots)
		}
	})

	switch r.URL.Path {
	case "/api/version":
		reply(w, map[string]string{"version": "0.0.0-test"})
	case "/api/tags":
		var list api.ListResponse
		for _, n := range s.names() {
			model := api.ListModelResponse{Name: n, Model: n, Digest: "digest-of-" + n + s.Weights}
			if s.Speeds != nil {
				model.Size = s.Speeds.Bytes
			}
			list.Models = append(list.Models, model)
		}
		reply(w, list)
	case "/api/show":
		ctx := s.Context
		if ctx == 0 {
			ctx = 1 << 20
		}
		reply(w, map[string]any{
			"model_info":   map[string]any{"fake.context_length": ctx},
			"capabilities": []string{"completion"},
		})
	case "/api/ps":
		reply(w, s.running())
	case "/api/chat":
		s.chat(w, r)
	case "/api/embed":
		s.embed(w, r)
	default:
		http.NotFound(w, r)
	}
}

func (s *Server) chat(w http.ResponseWriter, r *http.Request) {
	var req api.ChatRequest
	if err := json.NewDecoder(r.Body).Decode(&req); err != nil {
		w.WriteHeader(http.StatusBadRequest)
		reply(w, map[string]string{"error": err.Error()})
		return
	}

	arrived := time.Now()
	if text := req.Messages[0].Content; strings.HasPrefix(text, local.Canary) {
		s.count(w, req) // it is no work, and no test counts it
		return
	}

	s.mu.Lock()
	n := len(s.chats)
	s.chats = append(s.chats, req)
	s.mu.Unlock()

	if s.sem != nil {
		select {
		case s.sem <- struct{}{}:
			defer func() { <-s.sem }()
		case <-r.Context().Done():
			return
		}
	}
	select {
	case <-time.After(s.Delay):
	case <-r.Context().Done():
		return
	}

	var took api.Metrics
	if s.Speeds != nil {
		took = s.work(req, arrived)
	}
	bad := Behave
	if s.Misdeed != nil {
		bad = s.Misdeed(n, req)
	}
	s.answer(w, req, bad, took)
}

// count answers a canary as a good server does: it refuses what does not fit.
func (s *Server) count(w http.ResponseWriter, req api.ChatRequest) {
	window, _ := req.Options["num_ctx"].(float64)
	words := len(strings.Fields(req.Messages[0].Content))
	if float64(words) > window || s.Context > 0 && words > s.Context {
		s.answer(w, req, RefuseLong, api.Metrics{})
		return
	}
	s.stream(w, req, "yes", words, Behave, api.Metrics{})
}

// refusals are the misdeeds that are an error in place of a reply, worded as servers
// word them.
var refusals = map[Misbehavior]struct {
	code int
	text string
}{
	RefuseLong:   {http.StatusBadRequest, "the input length exceeds the context length"},
	RefuseOption: {http.StatusBadRequest, "top_logprobs must be between 0 and 20"},
	QueueFull: {http.StatusServiceUnavailable,
		"server busy, please try again. maximum pending requests exceeded"},
	RunnerDied: {http.StatusInternalServerError, "llama runner process has terminated: signal: killed"},
	LoadFailed: {http.StatusInternalServerError, "unable to load model: tensor missing"},
}

func (s *Server) answer(w http.ResponseWriter, req api.ChatRequest, bad Misbehavior, took api.Metrics) {
	text := s.text(req)

	words := wordsOf(req)
	if s.Context > 0 && words > s.Context {
		bad = RefuseLong
	}

	if no, refused := refusals[bad]; refused {
		w.WriteHeader(no.code)
		reply(w, map[string]string{"error": no.text})
		return
	}
	if bad == NotJSON {
		fmt.Fprintln(w, "<html>hello</html>")
		return
	}
	s.stream(w, req, text, words, bad, took)
}

// text is the answer to a request.
func (s *Server) text(req api.ChatRequest) string {
	if s.Answer != nil {
		return s.Answer(req)
	}
	return req.Messages[len(req.Messages)-1].Content
}

// wordsOf is what the server counts as the tokens of a prompt.
func wordsOf(req api.ChatRequest) int {
	words := 0
	for _, m := range req.Messages {
		words += len(strings.Fields(m.Content))
	}
	return words
}

// stream sends the answer in two frames, so that there is a middle to break off in.
func (s *Server) stream(w http.ResponseWriter, req api.ChatRequest, text string, words int, bad Misbehavior,
	took api.Metrics) {
	half := len(text) / 2
	for half < len(text) && !utf8.RuneStart(text[half]) { // a server never breaks a character
		half++
	}
	first, second := text[:half], text[half:]
	if bad == SayNothing || bad == ThinkOnly {
		first, second = "", ""
	}

	frame := api.ChatResponse{Model: req.Model, CreatedAt: time.Unix(0, 0).UTC()}
	frame.Message.Role = "assistant"
	frame.Message.Content = first
	if bad == ThinkOnly {
		frame.Message.Thinking = "hmm"
	}
	if req.Logprobs && s.Logprobs {
		frame.Logprobs = probabilities(text)
	}
	reply(w, frame)

	switch bad {
	case ErrorFrame:
		reply(w, map[string]string{"error": "an error was encountered while running the model"})
		return
	case NoDoneFrame:
		return
	case HangUp:
		w.(http.Flusher).Flush()
		panic(http.ErrAbortHandler)
	}

	frame.Logprobs, frame.Message.Thinking = nil, ""
	frame.Message.Content = second
	frame.Done, frame.DoneReason = true, "stop"
	if bad == CutShort {
		frame.DoneReason = "length"
	}
	frame.Metrics = took
	frame.PromptEvalCount, frame.EvalCount = words, len(strings.Fields(text))
	// A script that says more than it was allowed is not a test of that.
	if most, ok := req.Options["num_predict"].(float64); ok {
		frame.EvalCount = min(frame.EvalCount, int(most))
	}
	reply(w, frame)
}

func reply(w http.ResponseWriter, v any) {
	_ = json.NewEncoder(w).Encode(v) // the client may be gone; nothing to do about it
}
