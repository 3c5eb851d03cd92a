package hostile

import (
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/ollama/ollama/api"
)

// neverAccepts is a port that is open and silent.
const neverAccepts Mode = "never-accepts"

// misdeeds are the modes.
var misdeeds = map[Mode]misdeed{
	// A prompt that was read in part, and counts that hide it or cannot be told from it.
	"cuts-prompt":      {chatPath, cutsPrompt},
	"full-window":      {chatPath, spoil(func(r *request, f *api.ChatResponse) { f.PromptEvalCount = window(r) })},
	"uncounted-cached": {chatPath, uncountedCached},
	"uncached-only":    {chatPath, spoil(func(r *request, f *api.ChatResponse) { f.PromptEvalCount = last(r) })},
	"embed-cut":        {embedPath, embedCut(true)},
	"embed-tail":       {embedPath, embedCut(false)},

	"reads-half": {chatPath, readsHalf},

	// Another model, or another machine.
	"other-model":    {chatPath, spoilAll(func(_ *request, f *api.ChatResponse) { f.Model = "other:13b" })},
	"remote-chat":    {chatPath, spoilAll(func(_ *request, f *api.ChatResponse) { f.RemoteHost = elsewhere })},
	"remote-tags":    {tagsPath, overlay(`{"models":[{"name":"fake:latest","remote_host":"` + elsewhere + `"}]}`)},
	"remote-show":    {showPath, overlay(`{"remote_host":"` + elsewhere + `","capabilities":["completion"]}`)},
	"digest-changes": {tagsPath, digestChanges},

	// Refusals.
	"retry-after-2":    {chatPath, refuse(http.StatusTooManyRequests, "2")},
	"retry-after-3600": {chatPath, refuse(http.StatusServiceUnavailable, "3600")},
	"busy":             {chatPath, refuse(http.StatusServiceUnavailable, "")},
	"huge-error":       {chatPath, hugeError},

	// What has no end.
	"gzip-bomb":       {chatPath, gzipBomb},
	"endless-headers": {chatPath, endlessHeaders("X-More: " + strings.Repeat("h", 1000) + "\r\n")},
	"endless-1xx":     {chatPath, endless1xx},
	"endless-tags":    {tagsPath, endless(`{"models":[{"name":"fake:latest"}`, `,{"name":"m"}`)},
	"endless-show":    {showPath, endless(`{"license":"`, "l")},
	"endless-version": {versionPath, endless(`{"version":"`, "1")},
	"endless-ps":      {psPath, endless(`{"models":[{"name":"m"}`, `,{"name":"m"}`)},
	"ignores-limit":   {chatPath, ignoresLimit},

	// Silence.
	neverAccepts:    {anyPath, nil},
	"hang-chat":     {chatPath, hang},
	"hang-tags":     {tagsPath, hang},
	"hang-show":     {showPath, hang},
	"hang-embed":    {embedPath, hang},
	"headers-only":  {chatPath, headersOnly},
	"tls-garbage":   {chatPath, tlsGarbage},
	"no-http":       {anyPath, tlsGarbage},
	"hangup":        {chatPath, func(_ *Server, w http.ResponseWriter, _ *request) { raw(w, func(net.Conn) {}) }},
	"hangup-embed":  {embedPath, func(_ *Server, w http.ResponseWriter, _ *request) { raw(w, func(net.Conn) {}) }},
	"drip":          {chatPath, drip(16, time.Millisecond)},
	"drip-for-ever": {chatPath, drip(1, time.Second)},

	// Forms of a reply.
	"empty":            {chatPath, spoilAll(func(_ *request, f *api.ChatResponse) { f.Message.Content = "" })},
	"garbage":          {chatPath, overlay("<html><h1>It works!</h1></html>")},
	"http-1.0":         {chatPath, http10},
	"trailing-garbage": {chatPath, trailing("<html>\x00\xff", func(api.ChatResponse) any { return "and more" })},
	"done-twice":       {chatPath, trailing("", again)},
	"think-in-content": {chatPath, thinkInContent},
	"content-type":     {chatPath, contentType},

	// Log-probabilities.
	"no-logprobs":       {chatPath, spoilAll(func(_ *request, f *api.ChatResponse) { f.Logprobs = nil })},
	"logprobs-huge":     {chatPath, spoilAll(func(_ *request, f *api.ChatResponse) { setLogprobs(f, 1e300) })},
	"logprobs-positive": {chatPath, spoilAll(func(_ *request, f *api.ChatResponse) { setLogprobs(f, 3) })},
	"logprobs-nan":      {chatPath, logprobsNaN},
}

const elsewhere = "https://ollama.com:443"

// window is the context window that a chat asks for.
func window(r *request) int {
	n, _ := r.chat.Options["num_ctx"].(float64)
	return int(n)
}

// last counts the words of the last message.
func last(r *request) int {
	return len(strings.Fields(r.chat.Messages[len(r.chat.Messages)-1].Content))
}

// spoil changes the closing frame of a reply.
func spoil(change func(r *request, f *api.ChatResponse)) func(*Server, http.ResponseWriter, *request) {
	return spoilAll(func(r *request, f *api.ChatResponse) {
		if f.Done {
			change(r, f)
		}
	})
}

// spoilAll changes every frame of a reply.
func spoilAll(change func(r *request, f *api.ChatResponse)) func(*Server, http.ResponseWriter, *request) {
	return func(s *Server, w http.ResponseWriter, r *request) {
		frames := s.frames(w, r)
		for i := range frames {
			change(r, &frames[i])
		}
		send(w, frames...)
	}
}

// cutsPrompt is a server that takes no notice of truncate: what does not fit in half the
// window is left out, as servers with parallel slots do, and the count is what it read.
func cutsPrompt(s *Server, w http.ResponseWriter, r *request) {
	room := window(r) / 2
	rest := room
	for i, m := range r.chat.Messages {
		words := strings.Fields(m.Content)
		r.chat.Messages[i].Content = strings.Join(words[:min(len(words), rest)], " ")
		rest -= min(len(words), rest)
	}
	if rest > 0 {
		s.Good.ServeHTTP(w, r.Request)
		return
	}

	r.body, _ = json.Marshal(r.chat) // it came from JSON
	frames := s.frames(w, r)
	for i := range frames {
		if frames[i].Done {
			frames[i].PromptEvalCount = room + 2
		}
	}
	send(w, frames...)
}

// readsHalf answers to the second half of a prompt that is not short, and counts that.
func readsHalf(s *Server, w http.ResponseWriter, r *request) {
	const few = 150 // words of a short one
	if len(strings.Fields(string(r.body))) < few {
		s.Good.ServeHTTP(w, r.Request)
		return
	}
	read := 0
	for i, m := range r.chat.Messages {
		words := strings.Fields(m.Content)
		half := words[len(words)/2:]
		r.chat.Messages[i].Content = strings.Join(half, " ")
		read += len(half)
	}

	r.body, _ = json.Marshal(r.chat) // it came from JSON
	spoil(func(_ *request, f *api.ChatResponse) { f.PromptEvalCount = read })(s, w, r)
}

// uncountedCached leaves the count out when the prompt begins as an earlier one did, as
// servers before 2025 do for a prompt that is in their cache.
func uncountedCached(s *Server, w http.ResponseWriter, r *request) {
	start := r.chat.Messages[0].Content
	s.mu.Lock()
	if s.seen == nil {
		s.seen = map[string]bool{}
	}
	cached := s.seen[start]
	s.seen[start] = true
	s.mu.Unlock()

	spoil(func(_ *request, f *api.ChatResponse) {
		if cached {
			f.PromptEvalCount = 0 // left out in JSON
		}
	})(s, w, r)
}

// embedCut embeds the first half of each text, and counts that half or all.
func embedCut(honest bool) func(*Server, http.ResponseWriter, *request) {
	return func(s *Server, w http.ResponseWriter, r *request) {
		var req map[string]any
		if json.Unmarshal(r.body, &req) != nil {
			return
		}
		texts, _ := req["input"].([]any)
		all, read := 0, 0
		for i, t := range texts {
			words := strings.Fields(fmt.Sprint(t))
			half := words[:(len(words)+1)/2]
			all, read = all+len(words), read+len(half)
			texts[i] = strings.Join(half, " ")
		}
		r.body, _ = json.Marshal(req) // it came from JSON

		var reply map[string]any
		_ = json.Unmarshal(s.good(r).Body.Bytes(), &reply) // the good server writes JSON
		reply["prompt_eval_count"] = all
		if honest {
			reply["prompt_eval_count"] = read
		}
		send(w, reply)
	}
}

// overlay answers with a text in place of the good reply.
func overlay(text string) func(*Server, http.ResponseWriter, *request) {
	return func(_ *Server, w http.ResponseWriter, _ *request) { fmt.Fprintln(w, text) }
}

// digestChanges gives other weights the model's name after the first look at it.
func digestChanges(s *Server, w http.ResponseWriter, r *request) {
	text := s.good(r).Body.String()
	if r.n > 1 {
		text = strings.ReplaceAll(text, `"digest":"`, `"digest":"new-`)
	}
	fmt.Fprint(w, text)
}

func refuse(code int, after string) func(*Server, http.ResponseWriter, *request) {
	return func(_ *Server, w http.ResponseWriter, _ *request) {
		if after != "" {
			w.Header().Set("Retry-After", after)
		}
		w.WriteHeader(code)
		send(w, map[string]string{"error": "server busy, please try again"})
	}
}

func hugeError(s *Server, w http.ResponseWriter, _ *request) {
	w.WriteHeader(http.StatusInternalServerError)
	fmt.Fprint(w, `{"error":"`)
	s.flood(w, "boom ")
}

// gzipBomb compresses one frame without an end.
func gzipBomb(s *Server, w http.ResponseWriter, _ *request) {
	w.Header().Set("Content-Encoding", "gzip")
	z := gzip.NewWriter(w)
	fmt.Fprint(z, `{"model":"fake:latest","message":{"role":"assistant","content":"`)
	s.flood(z, "a")
	_ = z.Close() // the client is gone
}

func endlessHeaders(line string) func(*Server, http.ResponseWriter, *request) {
	return func(s *Server, w http.ResponseWriter, _ *request) {
		raw(w, func(c net.Conn) {
			fmt.Fprint(c, "HTTP/1.1 200 OK\r\n")
			s.flood(c, line)
		})
	}
}

func endless1xx(s *Server, w http.ResponseWriter, _ *request) {
	raw(w, func(c net.Conn) { s.flood(c, "HTTP/1.1 102 Processing\r\n\r\n") })
}

func endless(start, more string) func(*Server, http.ResponseWriter, *request) {
	return func(s *Server, w http.ResponseWriter, _ *request) {
		fmt.Fprint(w, start)
		s.flood(w, more)
	}
}

// ignoresLimit answers ten times as much as num_predict allows.
func ignoresLimit(s *Server, w http.ResponseWriter, r *request) {
	limit, _ := r.chat.Options["num_predict"].(float64)
	text := strings.Repeat("- A bullet of words without an end [1]\n", int(limit))
	frames := s.frames(w, r)
	for i := range frames {
		if i == 0 {
			frames[i].Message.Content = text
		}
		if frames[i].Done {
			frames[i].EvalCount = 10 * int(limit)
		}
	}
	send(w, frames...)
}

func hang(s *Server, _ http.ResponseWriter, r *request) { s.sleep(r, time.Hour) }

func headersOnly(_ *Server, w http.ResponseWriter, _ *request) {
	raw(w, func(c net.Conn) {
		fmt.Fprint(c, "HTTP/1.1 200 OK\r\nContent-Type: application/x-ndjson\r\nContent-Length: 500\r\n\r\n")
	})
}

func tlsGarbage(_ *Server, w http.ResponseWriter, _ *request) {
	raw(w, func(c net.Conn) { fmt.Fprint(c, "\x15\x03\x01\x00\x02\x02\x46\x16\x03\x03") })
}

// drip sends the good reply a few bytes at a time.
func drip(size int, pause time.Duration) func(*Server, http.ResponseWriter, *request) {
	return func(s *Server, w http.ResponseWriter, r *request) {
		for rest := s.good(r).Body.Bytes(); len(rest) > 0; rest = rest[min(size, len(rest)):] {
			_, err := w.Write(rest[:min(size, len(rest))])
			w.(http.Flusher).Flush()
			if err != nil || !s.sleep(r, pause) {
				return
			}
		}
	}
}

func http10(s *Server, w http.ResponseWriter, r *request) {
	text := s.good(r).Body.String()
	raw(w, func(c net.Conn) {
		fmt.Fprint(c, "HTTP/1.0 200 OK\r\nContent-Type: application/x-ndjson\r\n\r\n"+text)
	})
}

// trailing sends something after the closing frame.
func trailing(text string, frame func(done api.ChatResponse) any) func(*Server, http.ResponseWriter, *request) {
	return func(s *Server, w http.ResponseWriter, r *request) {
		frames := s.frames(w, r)
		if len(frames) == 0 {
			return
		}
		send(w, frames...)
		send(w, frame(frames[len(frames)-1]))
		_, _ = io.WriteString(w, text) // the client may be gone
	}
}

// again is a second closing frame with more text.
func again(done api.ChatResponse) any {
	done.Message.Content = "\n- MORE TEXT AFTER THE END [1]"
	return done
}

func thinkInContent(s *Server, w http.ResponseWriter, r *request) {
	frames := s.frames(w, r)
	if len(frames) == 0 {
		return
	}
	frames[0].Message.Content = "<think>\nHmm, what would they like to read?\n</think>\n" + frames[0].Message.Content
	send(w, frames...)
}

func contentType(s *Server, w http.ResponseWriter, r *request) {
	w.Header().Set("Content-Type", "text/html; charset=latin1")
	_, _ = w.Write(s.good(r).Body.Bytes()) // the client may be gone
}

func setLogprobs(f *api.ChatResponse, to float64) {
	for i := range f.Logprobs {
		f.Logprobs[i].Logprob = to
		for k := range f.Logprobs[i].TopLogprobs {
			f.Logprobs[i].TopLogprobs[k].Logprob = to
		}
	}
}

// logprobsNaN writes what some servers write and JSON does not know.
func logprobsNaN(s *Server, w http.ResponseWriter, r *request) {
	frames := s.frames(w, r)
	for i := range frames {
		setLogprobs(&frames[i], 12345)
	}
	var b strings.Builder
	send(&b, frames...)
	fmt.Fprint(w, strings.ReplaceAll(b.String(), "12345", "NaN"))
}
