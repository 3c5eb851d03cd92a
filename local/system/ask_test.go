package system

import (
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"lore/local"
	"lore/local/gate"
)

// asked is a service at a URL, in a form of its own.
func asked(t *testing.T, url string) *Service {
	t.Helper()
	return &Service{
		Method: "POST", URL: url, Address: url, Body: map[string]any{"q": "{{query}}"}, Timeout: 10 * time.Second, Retries: -1, Stream: Auto,
		Rules: Rules{Answer: Answering{At: []Path{mustPath(t, "a")}}, Errors: []Path{mustPath(t, "error")}, Ends: []End{{Data: "[DONE]"}}},
	}
}

// door opens the door to a service, with pauses that a test can wait for.
func door(t *testing.T, dir string, s *Service, slots, attempts int) *gate.Gate {
	t.Helper()
	g, err := gate.Open(gate.Config{Dir: dir, Lanes: map[string]gate.Lane{gate.OwnLane(BackendName, s.Identity()): {
		Backend: New(Config{Services: []*Service{s}}),
		Slots:   slots,
		Reread:  s.Judge,
		Retry:   gate.Retry{Attempts: attempts, First: time.Millisecond, Most: time.Millisecond, Unended: true},
	}}})
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func ask(t *testing.T, g *gate.Gate, s *Service, query string) (Reading, local.Reply) {
	t.Helper()
	reply, err := g.Do(context.Background(), s.Call(query, "i"))
	if err != nil {
		t.Fatal(err)
	}
	kept, ok := Unpack(reply.Text)
	if !ok {
		return Reading{}, reply
	}
	r, _, _, err := s.Read(kept)
	if err != nil {
		t.Fatal(err)
	}
	return r, reply
}

// What a service is sent is what its file says, and what comes may be packed, begin with a
// mark, or fail in every way: each has one outcome, and as many tries as it deserves.
func TestServices(t *testing.T) {
	var tries atomic.Int64
	mux := http.NewServeMux()
	on := func(path string, f http.HandlerFunc) {
		mux.HandleFunc(path, func(w http.ResponseWriter, r *http.Request) { tries.Add(1); f(w, r) })
	}
	say := func(s string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, s) }
	}
	status := func(code int) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(code); fmt.Fprint(w, "why") }
	}
	on("/ok", say(`{"a":"It held."}`))
	on("/created", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(201); fmt.Fprint(w, `{"a":"It held."}`) })
	on("/bom", say("\ufeff{\"a\":\"It held.\"}"))
	on("/gzip", func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Accept-Encoding") != "gzip" {
			t.Error("packed replies are not taken")
		}
		w.Header().Set("Content-Encoding", "gzip")
		z := gzip.NewWriter(w)
		fmt.Fprint(z, `{"a":"It held."}`)
		z.Close()
	})
	on("/latin", say("{\"a\":\"Gr\xf6\xdfe\"}"))
	on("/large", func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, `{"a":"`+strings.Repeat("x", mostBytes)+`"}`)
	})
	on("/error", say(`{"error":{"message":"no index"}}`))
	on("/nothing", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) })
	on("/page", say("<html>"))
	on("/away", func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/ok", http.StatusFound) })
	on("/unknown", status(404))
	on("/forbidden", status(401))
	on("/broken", status(500))
	on("/toobig", status(413))
	on("/slow", func(_ http.ResponseWriter, r *http.Request) { _, _ = io.Copy(io.Discard, r.Body); <-r.Context().Done() })
	on("/trickle", func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		w.WriteHeader(200)
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	})
	on("/cut", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "100")
		fmt.Fprint(w, `{"a":`)
	})
	on("/endless", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		fmt.Fprint(w, "data: {\"a\":\"It \"}\n\n")
	})
	first := func(good string, bad http.HandlerFunc) http.HandlerFunc {
		var n atomic.Int64
		return func(w http.ResponseWriter, r *http.Request) {
			if n.Add(1) > 1 {
				fmt.Fprint(w, good)
				return
			}
			bad(w, r)
		}
	}
	on("/busy", first(`{"a":"It held."}`, func(w http.ResponseWriter, _ *http.Request) { w.Header().Set("Retry-After", "1"); w.WriteHeader(429) }))
	on("/away-once", first(`{"a":"It held."}`, status(503)))
	on("/cut-once", first("data: {\"a\":\"It held.\"}\n\ndata: [DONE]\n\n", func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, "data: {\"a\":\"It\"}\n\ndata: {\"a\":")
	}))
	server := httptest.NewServer(mux)
	defer server.Close()

	for path, want := range map[string]struct {
		outcome local.Outcome
		tries   int64
		detail  string
	}{
		"/ok": {local.OK, 1, ""}, "/created": {local.OK, 1, ""}, "/bom": {local.OK, 1, ""}, "/gzip": {local.OK, 1, ""},
		"/busy": {local.OK, 2, ""}, "/away-once": {local.OK, 2, ""}, "/cut-once": {local.OK, 2, ""},
		"/latin": {local.BadFormat, 1, "not UTF-8"}, "/large": {local.Oversized, 1, "more than 16 MB"},
		"/error": {local.ModelError, 1, "no index"}, "/nothing": {local.Empty, 1, "empty"}, "/page": {local.BadFormat, 1, "not JSON"},
		"/away": {local.ModelError, 1, "status 302: it sends to http://127.0.0.1:"}, "/unknown": {local.ModelError, 1, "status 404: why"}, "/forbidden": {local.ModelError, 1, "status 401"},
		"/broken": {local.ModelError, 1, "status 500"}, "/toobig": {local.TooLong, 1, "status 413"},
		"/slow": {local.Timeout, 2, "no answer within 300ms"}, "/trickle": {local.Timeout, 2, "no answer within 300ms"},
		"/cut": {local.Transport, 3, "broke off"}, "/endless": {local.NoDone, 2, "without its end mark"},
	} {
		t.Run(path, func(t *testing.T) {
			s := asked(t, server.URL+path)
			if want.outcome == local.Timeout {
				s.Timeout = 300 * time.Millisecond
			}
			g := door(t, t.TempDir(), s, 1, 3)
			defer g.Close()
			tries.Store(0)
			start := time.Now()
			r, reply := ask(t, g, s, "Did it hold?")
			if reply.Outcome != want.outcome || tries.Load() != want.tries || !strings.Contains(reply.Detail, want.detail) || want.outcome == local.OK && r.Answer != "It held." {
				t.Errorf("%s after %d tries: %s, %q", reply.Outcome, tries.Load(), reply.Detail, r.Answer)
			}
			if path == "/busy" && time.Since(start) < time.Second {
				t.Error("the pause that the server asked for was not kept")
			}
		})
	}
}

func TestRequest(t *testing.T) {
	var got []string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		user, password, _ := r.BasicAuth()
		got = append(got, fmt.Sprint(r.Method, " ", r.URL, " ", user, password, " ", r.Header.Get("X"), r.Header.Get("Y"), " ", r.Header.Get("Content-Type"), " ", r.Header.Get("Accept"), " ", string(body)))
		fmt.Fprintf(w, `{"a":"I was sent %s."}`, r.Header.Get("X"))
	}))
	defer server.Close()

	s := asked(t, strings.Replace(server.URL, "//", "//ann:hunter22@", 1)+"/x?fixed=1#v2")
	s.Address = server.URL + "/x?fixed=1#v2"
	s.Header, s.Secrets = map[string]string{"X": "secret-of-x"}, []string{"secret-of-x", "hunter22"}
	b := New(Config{Services: []*Service{s}, Header: map[string]string{"X": "common", "Y": "y"}})
	reply, err := b.Do(context.Background(), s.Call("Did it hold?", "i"))
	if err != nil || strings.Contains(reply.Text, "secret-of-x") || !strings.Contains(reply.Text, "sent ***.") {
		t.Errorf("%+v %v", reply, err)
	}
	s.Method, s.Body, s.Query, s.Stream = "GET", nil, []Param{{"q", "{{query}}"}}, SSE
	b = New(Config{Services: []*Service{s}})
	if _, err := b.Do(context.Background(), s.Call("Did it?", "i")); err != nil {
		t.Error(err)
	}
	want := []string{
		`POST /x?fixed=1 annhunter22 secret-of-xy application/json application/json, */*;q=0.5 {"q":"Did it hold?"}`,
		`GET /x?fixed=1&q=Did+it%3F annhunter22 secret-of-x  text/event-stream, */*;q=0.5 `,
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("%s", strings.Join(got, "\n"))
	}

	req, err := b.Request(s, s.Call("Did it?", "i"))
	if err != nil {
		t.Fatal(err)
	}
	shown := strings.Join(b.Shown(req), "\n")
	if strings.Contains(shown, "hunter22") || strings.Contains(shown, "secret-of-x") || !strings.Contains(shown, "X: ***") {
		t.Error(shown)
	}
	if _, err := b.Do(context.Background(), (&Service{URL: "http://127.0.0.1"}).Call("q", "i")); err == nil {
		t.Error("a service that nobody described is asked")
	}
	ctx, cancel := context.WithCancelCause(context.Background())
	stop := errors.New("enough")
	cancel(stop)
	if _, err := b.Do(ctx, s.Call("q", "i")); !errors.Is(err, stop) {
		t.Errorf("a cancelled call: %v", err)
	}
}

// A reply is kept as it came: mended rules read it without asking, and one that they show to
// be a failure is asked for again.
func TestMendedRulesAskNothing(t *testing.T) {
	var n atomic.Int64
	reply := `{"a":{"text":"It held."},"b":"","note":"x"}`
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { n.Add(1); fmt.Fprint(w, reply) }))
	defer server.Close()
	dir := t.TempDir()
	for i, c := range []struct {
		change  func(*Service)
		outcome local.Outcome
		asked   int64
		wrong   bool
	}{
		{func(s *Service) { s.Rules.Answer.At = []Path{mustPath(t, "a.txt")} }, local.OK, 1, true},
		{func(s *Service) { s.Rules.Answer.At = []Path{mustPath(t, "a.text")} }, local.OK, 1, false},
		{func(s *Service) { s.Rules.Answer.At = []Path{mustPath(t, "b")} }, local.Empty, 2, false}, // a service may be empty now and then
		{func(s *Service) { s.Rules.Answer.At = []Path{mustPath(t, "a.text")} }, local.OK, 2, false},
		{func(s *Service) { s.Rules.Errors = []Path{mustPath(t, "note")} }, local.ModelError, 3, false},
		{func(s *Service) { s.Stream = SSE; s.Rules.Answer.At = []Path{mustPath(t, "a.text")} }, local.OK, 3, true},
		{func(s *Service) { s.Rules.Answer.At = []Path{mustPath(t, "a.text")} }, local.OK, 3, false},
	} {
		s := asked(t, server.URL)
		c.change(s)
		g := door(t, dir, s, 1, 3)
		reply, err := g.Do(context.Background(), s.Call("q", "i"))
		if err != nil {
			t.Fatal(err)
		}
		kept, ok := Unpack(reply.Text)
		_, _, _, wrong := s.Read(kept)
		if !ok || reply.Outcome != c.outcome || n.Load() != c.asked || (wrong != nil) != c.wrong {
			t.Errorf("%d: %s after %d: %s, %v", i, reply.Outcome, n.Load(), reply.Detail, wrong)
		}
		if err := g.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// A service is asked no more questions at once than it has slots.
func TestSlots(t *testing.T) {
	var now, most atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		n := now.Add(1)
		for m := most.Load(); n > m && !most.CompareAndSwap(m, n); m = most.Load() {
		}
		time.Sleep(5 * time.Millisecond)
		now.Add(-1)
		fmt.Fprint(w, `{"a":"It held."}`)
	}))
	defer server.Close()
	s := asked(t, server.URL)
	g := door(t, "", s, 3, 1)
	var calls []local.Call
	for i := range 40 {
		calls = append(calls, s.Call(fmt.Sprint(i), "i"))
	}
	answered := 0
	if err := g.All(context.Background(), calls, func(int, local.Reply) { answered++ }); err != nil || answered != 40 || most.Load() != 3 {
		t.Errorf("%d answers, %d at once, %v", answered, most.Load(), err)
	}
}

func TestUnpack(t *testing.T) {
	for text, want := range map[string]bool{`{"body":"x"}`: true, `{"type":"t","body":""}`: true, `{"answer":"x"}`: false, "": false, "x": false, `{"body":1}`: false} {
		if _, ok := Unpack(text); ok != want {
			t.Errorf("%s: %v", text, ok)
		}
	}
	k := Kept{"text/plain", "a\"b\n"}
	if got, ok := Unpack(k.pack()); !ok || got != k {
		t.Errorf("%+v", got)
	}
	if !json.Valid([]byte(k.pack())) {
		t.Error(k.pack())
	}
}

// A secret that a service repeats is kept nowhere: hidden where it stands in one piece, however it is
// escaped, and where it comes in several, the reply is not kept.
func TestRepeatedSecrets(t *testing.T) {
	for name, c := range map[string]struct {
		body string
		want local.Outcome
	}{
		"escaped":   {`{"a": "key k3y\/SECRETvalue \u006b3y/SECRETvalue"}`, local.OK},
		"in pieces": {"{\"a\": \"key k3y/SEC\"}\n{\"a\": \"RETvalue\"}\n[DONE]\n", local.ModelError},
	} {
		t.Run(name, func(t *testing.T) {
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, c.body) }))
			defer server.Close()
			s := asked(t, server.URL)
			s.Header, s.Secrets = map[string]string{"X": "k3y/SECRETvalue"}, []string{"k3y/SECRETvalue"}
			if c.want != local.OK {
				s.Stream = NDJSON
			}
			dir := t.TempDir()
			g := door(t, dir, s, 1, 1)
			reply, err := g.Do(context.Background(), s.Call("q", "i"))
			if err := errors.Join(err, g.Close()); err != nil {
				t.Fatal(err)
			}
			if reply.Outcome != c.want || strings.Contains(reply.Text+reply.Detail, "SEC") {
				t.Errorf("%s: %s %q", reply.Outcome, reply.Detail, reply.Text)
			}
			journal, err := os.ReadFile(filepath.Join(dir, "journal.jsonl"))
			if err != nil || strings.Contains(string(journal), "SECRETvalue") || strings.Contains(string(journal), "RETvalue") {
				t.Errorf("%v %s", err, journal)
			}
		})
	}
}
