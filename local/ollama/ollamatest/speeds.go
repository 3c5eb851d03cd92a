package ollamatest

import (
	"strings"
	"time"

	"github.com/ollama/ollama/api"
)

// Speeds are those of a server that takes time as a model does: as long as the words of prompt
// and answer say, in each of its slots. One model is in memory at a time.
type Speeds struct {
	Load   time.Duration // of a model that is not in memory
	Prompt float64       // tokens of a prompt that a slot reads in a second
	Output float64       // tokens of a reply that a slot writes in a second
	Call   time.Duration // that a call takes besides

	Cached bool  // what a prompt shares with one of the last is not read again
	Silent bool  // the server does not say how long it took
	Bytes  int64 // size of each model
}

// work takes the time of a call, and returns what the server says of it.
func (s *Server) work(req api.ChatRequest, arrived time.Time) api.Metrics {
	load := s.load(req.Model)
	begun := time.Now()
	slot, shared := s.take(req)
	defer s.free(slot)
	tokens := wordsOf(req)
	if s.Speeds.Cached {
		tokens -= shared
	}
	reading := seconds(float64(tokens) / s.Speeds.Prompt)
	writing := seconds(float64(s.length(req)) / s.Speeds.Output)
	time.Sleep(time.Until(begun.Add(reading + writing + s.Speeds.Call)))

	if s.Speeds.Silent {
		return api.Metrics{}
	}
	return api.Metrics{
		TotalDuration:      time.Since(arrived),
		LoadDuration:       load,
		PromptEvalDuration: reading,
		EvalDuration:       writing,
	}
}

func seconds(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }

// load puts a model in memory; others wait for it.
func (s *Server) load(model string) time.Duration {
	s.loading.Lock()
	defer s.loading.Unlock()
	if s.loaded == model {
		return 0
	}
	start := time.Now()
	time.Sleep(s.Speeds.Load)
	s.loaded = model
	return time.Since(start)
}

// length is that of an answer, in tokens.
func (s *Server) length(req api.ChatRequest) int {
	n := len(strings.Fields(s.text(req)))
	if most, ok := req.Options["num_predict"].(float64); ok {
		n = min(n, int(most))
	}
	return n
}

// slot is one of those that calls run in, with the prompt that it has in memory.
type slot struct {
	busy   bool
	prompt string
}

// take chooses the free slot whose prompt begins most like this one, and says for how many tokens.
func (s *Server) take(req api.ChatRequest) (*slot, int) {
	var b strings.Builder
	for _, m := range req.Messages {
		b.WriteString(m.Content + "\n")
	}
	prompt := b.String()

	s.mu.Lock()
	defer s.mu.Unlock()
	longest := -1
	var chosen *slot
	for _, have := range s.slots {
		n := 0
		for n < min(len(have.prompt), len(prompt)) && have.prompt[n] == prompt[n] {
			n++
		}
		if !have.busy && n > longest {
			longest, chosen = n, have
		}
	}
	if chosen == nil || len(s.slots) < s.Slots && 2*longest < len(prompt) {
		chosen, longest = &slot{}, 0
		s.slots = append(s.slots, chosen)
	}
	chosen.busy, chosen.prompt = true, prompt
	return chosen, len(strings.Fields(prompt[:longest]))
}

func (s *Server) free(one *slot) {
	s.mu.Lock()
	defer s.mu.Unlock()
	one.busy = false
}

// running lists the model in memory.
func (s *Server) running() api.ProcessResponse {
	var out api.ProcessResponse
	if s.Speeds == nil {
		return out
	}
	s.loading.Lock()
	defer s.loading.Unlock()
	if s.loaded != "" {
		out.Models = append(out.Models, api.ProcessModelResponse{Name: s.loaded, Model: s.loaded, Size: s.Speeds.Bytes})
	}
	return out
}
