package ollamatest

import (
	"encoding/json"
	"fmt"
	"hash/fnv"
	"math"
	"net/http"
	"strings"

	"github.com/ollama/ollama/api"

	"lore/local"
	"lore/local/text"
)

// Dimensions of the vectors that the server gives.
const Dimensions = 64

// Embeds returns how many texts each embedding request had so far.
func (s *Server) Embeds() []int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]int(nil), s.embeds...)
}

// embed answers with vectors of hashed words: texts that share words are near. Like
// the real server, it refuses a text over the context when it must not cut.
func (s *Server) embed(w http.ResponseWriter, r *http.Request) {
	var req struct {
		Input    []string `json:"input"`
		Truncate *bool    `json:"truncate"`
	}
	if err := json.NewDecoder(r.Body).Decode(&req); err != nil {
		w.WriteHeader(http.StatusBadRequest)
		reply(w, map[string]string{"error": err.Error()})
		return
	}

	s.mu.Lock()
	if !strings.HasPrefix(req.Input[0], local.Canary) {
		s.embeds = append(s.embeds, len(req.Input))
	}
	busy := len(s.embeds) <= s.Busy
	n := len(s.embeds) - 1
	s.mu.Unlock()

	if busy {
		w.WriteHeader(http.StatusServiceUnavailable)
		reply(w, map[string]string{"error": "server busy"})
		return
	}

	if s.Vectors != nil {
		_, _ = fmt.Fprintf(w, `{"embeddings":%s}`, s.Vectors(n, req.Input)) // which need not be JSON
		return
	}
	var resp api.EmbedResponse
	for _, t := range req.Input {
		if s.Context > 0 && len(strings.Fields(t)) > s.Context && req.Truncate != nil && !*req.Truncate {
			w.WriteHeader(http.StatusBadRequest)
			reply(w, map[string]string{"error": "the input length exceeds the context length"})
			return
		}
		resp.Embeddings = append(resp.Embeddings, HashedWords(t))
	}
	reply(w, resp)
}

// HashedWords is the server's vector of a text, of length 1.
func HashedWords(t string) []float32 {
	v := make([]float32, Dimensions)
	v[0] = 0.1
	for _, word := range text.Words(t) {
		h := fnv.New32a()
		_, _ = h.Write([]byte(word)) // a hash takes all
		v[h.Sum32()%Dimensions]++
	}

	sum := 0.0
	for _, x := range v {
		sum += float64(x) * float64(x)
	}
	for i := range v {
		v[i] = float32(float64(v[i]) / math.Sqrt(sum))
	}
	return v
}
