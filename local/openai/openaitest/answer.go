package openaitest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"

	"lore/local"
)

// refusals are the misdeeds that are an error in place of a reply.
var refusals = map[Misbehavior]struct {
	code int
	text string
}{
	RefuseOption: {http.StatusBadRequest, "top_logprobs must be between 0 and 20"},
	QueueFull:    {http.StatusServiceUnavailable, "no available server"},
	Denied:       {http.StatusUnauthorized, "Invalid API Key"},
	Crashed:      {http.StatusInternalServerError, "CUDA error: an illegal memory access was encountered"},
}

func (s *Server) answer(w http.ResponseWriter, req Request, bad Misbehavior) {
	if r, ok := refusals[bad]; ok {
		refuse(w, r.code, map[string]any{"error": map[string]any{"message": r.text, "code": r.code}})
		return
	}
	words := len(strings.Fields(join(req.Messages)))
	if s.window() < words && s.cuts() {
		words = s.window()
	}
	if bad == RefuseLong || words > s.window() {
		code, body := s.tooLong(words, req.MaxTokens)
		if s.Engine != LMStudio {
			refuse(w, code, body)
			return
		}
		w.Header().Set("Content-Type", "text/event-stream") // it has begun before it looks
		data, _ := json.Marshal(body)
		fmt.Fprintf(w, "event: error\ndata: %s\n\n", data)
		return
	}
	if bad == NotAnObject {
		reply(w, []int{1, 2, 3})
		return
	}

	text := req.Messages[len(req.Messages)-1].Content
	switch {
	case strings.HasPrefix(req.Messages[0].Content, local.Canary):
		text = "yes"
	case s.Answer != nil:
		text = s.Answer(req)
	}
	s.stream(w, req, text, words, bad)
}

// cuts reports whether prompts that are too long are cut: Ollama's /v1 always does.
func (s *Server) cuts() bool { return s.Cuts || s.Engine == Ollama }

// stream sends a reply in events.
func (s *Server) stream(w http.ResponseWriter, req Request, text string, words int, bad Misbehavior) {
	w.Header().Set("Content-Type", "text/event-stream")
	model := req.Model
	if bad == OtherModel {
		model = "other"
	}
	send := func(choice map[string]any, usage any) {
		e := map[string]any{"id": "chatcmpl-1", "object": "chat.completion.chunk", "model": model, "choices": []any{}}
		if choice != nil {
			choice["index"] = 0
			e["choices"] = []any{choice}
		}
		if usage != nil {
			e["usage"] = usage
		}
		data, _ := json.Marshal(e)
		fmt.Fprintf(w, "data: %s\n\n", data)
	}
	delta := func(field, text string) map[string]any {
		return map[string]any{"delta": map[string]any{field: text}, "finish_reason": nil}
	}

	fmt.Fprint(w, ": keep-alive\n\n")
	send(map[string]any{"delta": map[string]any{"role": "assistant", "content": ""}, "finish_reason": nil}, nil)
	switch bad {
	case ErrorEvent:
		fmt.Fprint(w, `data: {"error": {"message": "the engine died", "type": "InternalServerError", "code": 500}}`+"\n\n")
		return
	case NotJSON:
		fmt.Fprint(w, "data: {half\n\n")
		return
	case HangUp:
		send(delta("content", "half of"), nil)
		panic(http.ErrAbortHandler)
	case SayNothing:
		text = ""
	case ThinkOnly:
		send(delta("reasoning_content", "hm"), nil)
		text = ""
	case Think:
		text = "<think>hm, a long thought</think>\n\n" + text
	}

	pieces := strings.SplitAfter(text, " ")
	end := map[string]any{"delta": map[string]any{}, "finish_reason": "stop"}
	switch {
	case bad == IgnoresLimit:
		pieces = strings.SplitAfter(strings.Repeat("and so on ", 3000), " ")
	case len(pieces) > req.MaxTokens:
		pieces = pieces[:req.MaxTokens]
		end["finish_reason"] = "length"
	}
	for _, piece := range pieces {
		choice := delta("content", piece)
		if req.TopLogprobs > 0 {
			// Other weights have other log-probabilities.
			top := []map[string]any{{"token": piece, "logprob": -0.1}, {"token": "other", "logprob": -2.5 - float64(len(s.Weights))/4}}
			choice["logprobs"] = map[string]any{"content": []any{map[string]any{"token": piece, "logprob": -0.1, "top_logprobs": top}}}
		}
		send(choice, nil)
	}
	if bad == NoDone {
		return
	}

	switch bad {
	case CutShort:
		end["finish_reason"] = "length"
	case Filtered:
		end["finish_reason"] = "content_filter"
	}
	send(end, nil)
	if req.StreamOptions.IncludeUsage && bad != NoUsage {
		send(nil, map[string]any{"prompt_tokens": words, "completion_tokens": len(pieces), "total_tokens": words + len(pieces),
			"prompt_tokens_details": map[string]any{"cached_tokens": words / 2}})
	}
	fmt.Fprint(w, "data: [DONE]\n\n")
}
