// Package hostile is a model server for tests that lies, stalls, floods and breaks off. It
// stands before a server that answers well, and spoils what that says.
package hostile

import (
	"bytes"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/ollama/ollama/api"
)

// Mode names one way to misbehave.
type Mode string

// None leaves every reply as it is.
const None Mode = "none"

// Paths of the server's API.
const (
	chatPath    = "/api/chat"
	embedPath   = "/api/embed"
	tagsPath    = "/api/tags"
	showPath    = "/api/show"
	versionPath = "/api/version"
	psPath      = "/api/ps"
	anyPath     = "/api/"
)

// Server misbehaves in one mode. Set the fields before the first request.
type Server struct {
	Good  http.Handler // answers well
	Mode  Mode
	Every int   // spoil every n-th request of the mode's kind only; below 2: all
	Size  int64 // bytes of what is meant to have no end

	n    atomic.Int64
	mu   sync.Mutex
	seen map[string]bool // beginnings of prompts, as a server's prefix cache knows them
	stop chan struct{}   // closed when the server stops, which ends what hangs
}

// request is what a misdeed is told: the body is read already.
type request struct {
	*http.Request
	body []byte
	chat api.ChatRequest // of a chat
	n    int             // which of its kind, from 1
}

// misdeed is how a mode spoils the requests to a path.
type misdeed struct {
	path string // or the beginning of it
	do   func(s *Server, w http.ResponseWriter, r *request)
}

// Modes lists all modes but None, in order of their names.
func Modes() []Mode {
	var out []Mode
	for m := range misdeeds {
		out = append(out, m)
	}
	slices.Sort(out)
	return out
}

// Concerns reports whether a mode spoils requests to a path.
func Concerns(m Mode, path string) bool {
	return m != None && strings.HasPrefix(path, misdeeds[m].path)
}

// Start serves on a loopback port until the test ends.
func (s *Server) Start(t interface{ Cleanup(func()) }) string {
	s.stop = make(chan struct{})
	if s.Mode == neverAccepts {
		return silentPort(t)
	}

	h := httptest.NewServer(s)
	t.Cleanup(func() {
		close(s.stop)
		h.CloseClientConnections()
		h.Close()
	})
	return h.URL
}

// silentPort is the URL of a port that nobody accepts connections from.
func silentPort(t interface{ Cleanup(func()) }) string {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err) // there is always a free port
	}
	t.Cleanup(func() { l.Close() })
	return "http://" + l.Addr().String()
}

// ServeHTTP answers well, or spoils the reply.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	bad, known := misdeeds[s.Mode]
	if !known || !strings.HasPrefix(r.URL.Path, bad.path) {
		s.Good.ServeHTTP(w, r)
		return
	}

	n := int(s.n.Add(1))
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // the client is gone
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	if s.Every > 1 && n%s.Every != 0 {
		s.Good.ServeHTTP(w, r)
		return
	}

	req := &request{Request: r, body: body, n: n}
	_ = json.Unmarshal(body, &req.chat) // other requests have no messages
	bad.do(s, w, req)
}

// good is what the server behind says.
func (s *Server) good(r *request) *httptest.ResponseRecorder {
	rec := httptest.NewRecorder()
	r.Request.Body = io.NopCloser(bytes.NewReader(r.body))
	s.Good.ServeHTTP(rec, r.Request)
	return rec
}

// frames are those of the good reply. A refusal is passed on, and has none.
func (s *Server) frames(w http.ResponseWriter, r *request) []api.ChatResponse {
	rec := s.good(r)
	if rec.Code != http.StatusOK {
		w.WriteHeader(rec.Code)
		_, _ = w.Write(rec.Body.Bytes()) // the client may be gone
		return nil
	}

	var out []api.ChatResponse
	dec := json.NewDecoder(rec.Body)
	for {
		var f api.ChatResponse
		if dec.Decode(&f) != nil {
			return out
		}
		out = append(out, f)
	}
}

// sleep waits until the time is over, or the client or the server is gone.
func (s *Server) sleep(r *request, d time.Duration) bool {
	select {
	case <-time.After(d):
		return true
	case <-r.Context().Done():
	case <-s.stop:
	}
	return false
}

// send writes values, a line each.
func send[T any](w io.Writer, values ...T) {
	enc := json.NewEncoder(w)
	for _, v := range values {
		_ = enc.Encode(v) // the client may be gone
	}
}

// flood repeats a text until it has the server's size or the client is gone.
func (s *Server) flood(w io.Writer, text string) {
	block := []byte(strings.Repeat(text, 1+(1<<16)/len(text)))
	for sent := int64(0); sent < s.Size; sent += int64(len(block)) {
		if _, err := w.Write(block); err != nil {
			return
		}
	}
}

// raw takes the connection over and closes it in the end.
func raw(w http.ResponseWriter, talk func(c net.Conn)) {
	conn, _, err := w.(http.Hijacker).Hijack()
	if err != nil {
		return // it is gone
	}
	defer conn.Close()
	talk(conn)
}
