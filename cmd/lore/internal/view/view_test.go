package view

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"lore/cmd/lore/internal/page"
	"lore/cmd/lore/internal/store"
	"lore/local"
	"lore/local/gate"
)

// given is a source of folders whose page is small.
type given struct {
	mu     sync.Mutex
	dirs   []string
	labels []string // labelling folders that are named by themselves
	made   int
}

func (g *given) Folders(run string) ([]string, error) {
	if run == "" {
		return g.labels, nil
	}
	return nil, nil
}

func (g *given) Choices(run string) (Choices, error) {
	return Choices{Tasks: []Choice{{Name: "coverage"}}, Judges: []string{"lexical"}}, nil
}

func (g *given) Plan(run string, w Wish) (Outline, error) {
	if w.Task != "coverage" {
		return Outline{}, errors.New("there is no such task")
	}
	return Outline{Labels: w.Labels, Folder: filepath.Join(run, "labels", w.Task)}, nil
}

func (g *given) List() ([]Run, error) {
	var out []Run
	for _, d := range g.dirs {
		out = append(out, Run{Folder: d})
	}
	return out, nil
}

func (g *given) Page(folders []string) (*page.Page, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.made++
	if strings.Contains(folders[0], "damaged") {
		return nil, errors.New("scores.json was changed after lore wrote it")
	}
	p := &page.Page{Questions: []page.Question{{Answers: []page.Answer{{System: 0, Text: "An answer."}, {System: 1, Text: "Twice."}}}}}
	p.Head.Title = strings.Join(folders, " ")
	p.Head.Systems = []page.System{{Full: "bm25 ollama:fake"}, {Full: "random ollama:fake"}}
	return p, nil
}

// folderOf makes a run folder; finished ones have a manifest.
func folderOf(t *testing.T, name string, finished bool) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), name)
	err := os.MkdirAll(filepath.Join(dir, "calls"), 0o700)
	if err == nil && finished {
		err = os.WriteFile(filepath.Join(dir, store.ManifestFile), []byte("{}"), 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// started serves folders with limits until the test ends.
func started(t *testing.T, limits limits, dirs ...string) (*Server, *given) {
	t.Helper()
	source := &given{dirs: dirs}
	s, err := listen("127.0.0.1", 0, source, "of the test", limits)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- s.Serve(ctx) }()
	t.Cleanup(func() {
		cancel()
		select {
		case err := <-done:
			if err != nil {
				t.Errorf("the server ended with %v", err)
			}
		case <-time.After(5 * time.Second):
			t.Error("the server does not end")
		}
	})
	return s, source
}

func (s *Server) host() string { return s.listener.Addr().String() }

func (s *Server) cookieName() string {
	_, port, _ := net.SplitHostPort(s.host())
	return "lore-view-" + port
}

// answer is what a server said.
type answer struct {
	status int
	header http.Header
	body   string
}

// ask sends a request with the cookie, which change may spoil.
func ask(t *testing.T, s *Server, method, path string, body io.Reader, change func(*http.Request)) answer {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, "http://"+s.host()+path, body)
	if err != nil {
		t.Fatal(err)
	}
	r.AddCookie(&http.Cookie{Name: s.cookieName(), Value: s.token})
	if change != nil {
		change(r)
	}
	client := &http.Client{
		Transport:     &http.Transport{DisableKeepAlives: true},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	resp, err := client.Do(r)
	if err != nil {
		t.Fatalf("%s %s: %v", method, path, err)
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer{resp.StatusCode, resp.Header, string(data)}
}

// Whoever asks in another name, from another page or without the token is refused, on every
// address, and told nothing of the runs.
func TestStrangersAreRefused(t *testing.T) {
	dir := folderOf(t, "secretly-named", true)
	s, source := started(t, usual, dir)
	_, port, _ := net.SplitHostPort(s.host())
	header := func(name, value string) func(*http.Request) {
		return func(r *http.Request) { r.Header.Set(name, value) }
	}
	host := func(name string) func(*http.Request) { return func(r *http.Request) { r.Host = name } }
	cookie := func(name, value string) func(*http.Request) {
		return func(r *http.Request) { r.Header.Set("Cookie", name+"="+value) }
	}
	strangers := map[string]struct {
		change func(*http.Request)
		status int
	}{
		"a rebinding host":            {host("evil.example:" + port), 421},
		"a rebinding host, no port":   {host("evil.example"), 421},
		"a host that begins alike":    {host(s.host() + ".evil.example"), 421},
		"loopback by another name":    {host("localhost:" + port), 421},
		"another port":                {host("127.0.0.1:1"), 421},
		"no port":                     {host("127.0.0.1"), 421},
		"another loopback address":    {host("127.0.0.2:" + port), 421},
		"a second origin":             {header("Origin", "https://evil.example"), 403},
		"a second origin on loopback": {header("Origin", "http://127.0.0.1:1"), 403},
		"the origin by another name":  {header("Origin", "http://localhost:"+port), 403},
		"the origin over TLS":         {header("Origin", "https://"+s.host()), 403},
		"a sandboxed frame":           {header("Origin", "null"), 403},
		"an empty origin":             {header("Origin", ""), 403},
		"another site":                {header("Sec-Fetch-Site", "cross-site"), 403},
		"another port of this site":   {header("Sec-Fetch-Site", "same-site"), 403},
		"two origins": {func(r *http.Request) {
			r.Header["Origin"] = []string{"http://" + s.host(), "https://evil.example"}
		}, 403},
		"no cookie":               {func(r *http.Request) { r.Header.Del("Cookie") }, 401},
		"an empty cookie":         {cookie(s.cookieName(), ""), 401},
		"a wrong cookie":          {cookie(s.cookieName(), strings.Repeat("0", len(s.token))), 401},
		"half a token":            {cookie(s.cookieName(), s.token[:16]), 401},
		"a cookie of another one": {cookie("lore-view-1", s.token), 401},
		"a wrong token besides a right cookie": {func(r *http.Request) {
			r.URL.RawQuery = "token=" + strings.Repeat("0", len(s.token))
		}, 401},
	}

	id := idOf(dir)
	paths := []string{"/", "/runs", "/run/" + id, "/run/" + id + "/block/head", "/run/" + id + "/state", "/labels/" + id, "/run/" + id + "/labelling", "/nothing"}
	for name, stranger := range strangers {
		for _, path := range paths {
			for _, method := range []string{"GET", "POST"} {
				got := ask(t, s, method, path, nil, stranger.change)
				if got.status != stranger.status {
					t.Errorf("%s: %s %s: status %d: %s", name, method, path, got.status, got.body)
				}
				if strings.Contains(got.body, "secretly-named") || got.header.Get("Access-Control-Allow-Origin") != "" || got.header.Get("Set-Cookie") != "" {
					t.Errorf("%s: %s is told %v %s", name, path, got.header, got.body)
				}
			}
		}
	}
	if source.made != 0 {
		t.Error("a page was made for a stranger")
	}

	// The same requests without a stranger's change go well.
	for _, path := range paths[:7] {
		own := func(r *http.Request) {
			r.Header.Set("Origin", "http://"+s.host())
			r.Header.Set("Sec-Fetch-Site", "same-origin")
		}
		if got := ask(t, s, "GET", path, nil, own); got.status != 200 {
			t.Errorf("%s: status %d: %s", path, got.status, got.body)
		}
	}
}

// The token of the first address becomes a cookie that no script reads, and the address
// loses it.
func TestTokenBecomesCookie(t *testing.T) {
	dir := folderOf(t, "run", true)
	s, _ := started(t, usual, dir)
	path := strings.TrimPrefix(s.URL(dir), "http://"+s.host())
	bare := func(r *http.Request) { r.Header.Del("Cookie") }
	got := ask(t, s, "GET", path, nil, bare)
	want := fmt.Sprintf("%s=%s; Path=/; HttpOnly; SameSite=Strict", s.cookieName(), s.token)
	if got.status != 303 || got.header.Get("Location") != "/run/"+idOf(dir) || got.header.Get("Set-Cookie") != want {
		t.Errorf("status %d, %v", got.status, got.header)
	}
	if len(s.token) != 32 {
		t.Errorf("the token is %s", s.token)
	}

	// A path that looks like another host stays here.
	got = ask(t, s, "GET", "//evil.example/x?token="+s.token, nil, bare)
	if where := got.header.Get("Location"); got.status == 303 && (strings.HasPrefix(where, "//") || !strings.HasPrefix(where, "/")) {
		t.Errorf("leads to %s", where)
	}
	other, err := Listen("127.0.0.1", 0, &given{}, "")
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	if other.token == s.token {
		t.Error("two servers have one token")
	}
}

// Nothing but what the list names is served, however an address is written.
func TestPathsOutsideAreUnknown(t *testing.T) {
	dir := folderOf(t, "run", true)
	s, _ := started(t, usual, dir)
	id := idOf(dir)
	for _, path := range []string{
		"/etc/passwd", "/../../etc/passwd", "/%2e%2e/%2e%2e/etc/passwd", "/run/..%2f..%2fetc%2fpasswd", "/run/../../etc/passwd",
		"/run/" + id + "/block/..%2f..%2fmanifest.json", "/run/" + id + "/block/manifest.json", "/run/" + id + "/manifest.json",
		"/run/" + id + "/block/../../../etc/passwd", "/run/" + id + "/calls/-1", "/run/" + id + "/calls/1e9", "/run/" + id + "/calls/99",
		"/run/" + strings.ReplaceAll(dir, "/", "%2f"), "/run/" + strings.ReplaceAll(dir, "/", "%2f") + "/state", "/run/", "/run/-", "/run/" + id + "-",
		"/run/" + id + "-" + id, "/run/000000000000", "/run/" + id + "/block/q99", "/run/" + id + "/block/", "/run/" + id + "%00/state",
		"/src/main.js", "/run/" + id + "/labels",
	} {
		got := ask(t, s, "GET", path, nil, nil)
		if got.status != 404 && got.status != 307 && got.status != 405 && got.status != 301 {
			t.Errorf("%s: status %d: %.200s", path, got.status, got.body)
		}
		if strings.Contains(got.body, "root:") || got.body == "{}" {
			t.Errorf("%s serves a file", path)
		}
	}
}

// endless is a body that counts what is read of it.
type endless struct {
	mu   sync.Mutex
	left int64
	read int64
}

func (e *endless) Read(p []byte) (int, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.left == 0 {
		return 0, io.EOF
	}
	n := min(int64(len(p)), e.left)
	e.left, e.read = e.left-n, e.read+n
	return int(n), nil
}

// A body of a gigabyte is refused, said to be one or not, and neither read nor kept.
func TestLargeBodiesAreRefused(t *testing.T) {
	dir := folderOf(t, "run", true)
	s, _ := started(t, usual, dir)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for _, path := range []string{"/run/" + idOf(dir) + "/plan", "/label/" + idOf(dir) + "/labels", "/", "/runs"} {
		for _, length := range []int64{1 << 30, -1} {
			body := &endless{left: 1 << 30}
			status := post(t, s, path, body, length)
			// A server that closes while much is still coming may be seen as a broken pipe.
			if status != 413 && status != 405 && status != 404 && status != 0 {
				t.Errorf("%s of length %d: status %d", path, length, status)
			}
			body.mu.Lock()
			if body.read > 16<<20 {
				t.Errorf("%s of length %d: %d bytes were taken", path, length, body.read)
			}
			body.mu.Unlock()
		}
	}
	runtime.ReadMemStats(&after)
	if grown := after.TotalAlloc - before.TotalAlloc; grown > 64<<20 {
		t.Errorf("%d bytes were allocated", grown)
	}

	huge := io.MultiReader(strings.NewReader(strings.Repeat("x", 2<<20)))
	if got := ask(t, s, "POST", "/run/"+idOf(dir)+"/plan", huge, nil); got.status != 413 {
		t.Errorf("2 MB without a length: status %d", got.status)
	}
}

// post sends a body, and returns 0 where the server closed before it was sent.
func post(t *testing.T, s *Server, path string, body io.Reader, length int64) int {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), "POST", "http://"+s.host()+path, body)
	if err != nil {
		t.Fatal(err)
	}
	r.ContentLength = length
	r.AddCookie(&http.Cookie{Name: s.cookieName(), Value: s.token})
	resp, err := (&http.Client{Transport: &http.Transport{DisableKeepAlives: true}}).Do(r)
	if err != nil {
		return 0
	}
	defer resp.Body.Close()
	return resp.StatusCode
}

// Nothing is changed: other methods are refused on every address.
func TestOnlyReads(t *testing.T) {
	dir := folderOf(t, "run", true)
	s, _ := started(t, usual, dir)
	for _, method := range []string{"POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "PROPFIND"} {
		for _, path := range []string{"/", "/runs", "/run/" + idOf(dir), "/run/" + idOf(dir) + "/state", "/run/" + idOf(dir) + "/block/head"} {
			if got := ask(t, s, method, path, nil, nil); got.status != 405 {
				t.Errorf("%s %s: status %d", method, path, got.status)
			}
		}
	}
	if got := ask(t, s, "HEAD", "/", nil, nil); got.status != 200 || got.body != "" {
		t.Errorf("HEAD: %d %q", got.status, got.body)
	}
	if got := ask(t, s, "GET", "/", nil, func(r *http.Request) { r.Header.Set("X-Much", strings.Repeat("x", 100<<10)) }); got.status != 431 {
		t.Errorf("large headers: status %d", got.status)
	}
}

// Whoever sends a header slowly, or none, is cut off.
func TestSlowHeadersAreCutOff(t *testing.T) {
	limits := usual
	limits.header = 200 * time.Millisecond
	s, _ := started(t, limits)
	conn, err := net.Dial("tcp", s.host())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if _, err := fmt.Fprintf(conn, "GET / HTTP/1.1\r\nHost: %s\r\n", s.host()); err != nil {
		t.Fatal(err)
	}
	if err := conn.SetReadDeadline(time.Now().Add(10 * time.Second)); err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	_, err = io.ReadAll(conn)
	if took := time.Since(began); err != nil || took > 5*time.Second {
		t.Errorf("cut off after %v: %v", took, err)
	}
	if usual.header == 0 || usual.read == 0 || usual.write == 0 || usual.idle == 0 {
		t.Errorf("limits are missing: %+v", usual)
	}
}

// Every answer has the headers that keep it here.
func TestHeaders(t *testing.T) {
	dir := folderOf(t, "run", true)
	s, _ := started(t, usual, dir)
	for path, change := range map[string]func(*http.Request){
		"/": nil, "/runs": nil, "/run/" + idOf(dir) + "/block/head": nil, "/nothing": nil,
		"/favicon.ico": func(r *http.Request) { r.Header.Del("Cookie") },
	} {
		h := ask(t, s, "GET", path, nil, change).header
		policy := h.Get("Content-Security-Policy")
		for _, want := range []string{"default-src 'none'", "script-src 'sha256-", "connect-src 'self'", "frame-ancestors 'none'", "base-uri 'none'", "form-action 'none'"} {
			if !strings.Contains(policy, want) {
				t.Errorf("%s: the policy lacks %s: %s", path, want, policy)
			}
		}
		if strings.Contains(policy, "unsafe") || strings.Contains(policy, "*") {
			t.Errorf("%s: %s", path, policy)
		}
		for name, want := range map[string]string{"X-Content-Type-Options": "nosniff", "Cache-Control": "no-store", "Referrer-Policy": "no-referrer",
			"X-Frame-Options": "DENY", "Cross-Origin-Resource-Policy": "same-origin", "Cross-Origin-Opener-Policy": "same-origin"} {
			if h.Get(name) != want {
				t.Errorf("%s: %s is %q", path, name, h.Get(name))
			}
		}
	}
}

// Only loopback is listened on, and a port in use is named.
func TestListensOnLoopbackAlone(t *testing.T) {
	for _, host := range []string{"0.0.0.0", "::", "", "192.168.1.1", "localhost", "example.com", "127.0.0.1:80", "::1%lo", "::ffff:127.0.0.1"} {
		if s, err := Listen(host, 0, &given{}, ""); err == nil {
			s.Close()
			t.Errorf("listens on %q", host)
		}
	}
	s, err := Listen("127.0.0.1", 0, &given{}, "")
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	port := s.listener.Addr().(*net.TCPAddr).Port
	if _, err := Listen("127.0.0.1", port, &given{}, ""); err == nil || !strings.Contains(err.Error(), fmt.Sprintf("port %d of 127.0.0.1 is in use; choose another with --port", port)) {
		t.Errorf("a port in use: %v", err)
	}
	if _, err := Listen("127.0.0.1", 65536, &given{}, ""); err == nil {
		t.Error("there is no port 65536")
	}
}

// A page is made once, its blocks are its own, and it is made anew when the run changes.
func TestBlocks(t *testing.T) {
	a, b, bad := folderOf(t, "a", true), folderOf(t, "b", true), folderOf(t, "damaged", true)
	s, source := started(t, usual, a, b, bad)
	pair := "/run/" + idOf(a) + "-" + idOf(b)
	var head page.Head
	for range 3 {
		got := ask(t, s, "GET", pair+"/block/head", nil, nil)
		if err := json.Unmarshal([]byte(got.body), &head); err != nil || head.Title != a+" "+b {
			t.Errorf("%v: %s", err, got.body)
		}
	}
	if got := ask(t, s, "GET", pair+"/block/q0", nil, nil); !strings.Contains(got.body, "An answer.") {
		t.Errorf("the question is %s", got.body)
	}
	if source.made != 1 {
		t.Errorf("the page was made %d times", source.made)
	}
	if err := os.WriteFile(filepath.Join(b, store.ManifestFile), []byte(`{"more": 1}`), 0o600); err != nil {
		t.Fatal(err)
	}
	ask(t, s, "GET", pair+"/block/head", nil, nil)
	if source.made != 2 {
		t.Error("a run that was extended shows the old page")
	}
	if got := ask(t, s, "GET", "/run/"+idOf(bad)+"/block/head", nil, nil); got.status != 422 || !strings.Contains(got.body, "was changed") {
		t.Errorf("a damaged run: %d %s", got.status, got.body)
	}
}

// entry is a line of a journal.
func entry(t *testing.T, j *gate.Journal, prompt, reply string, outcome local.Outcome, took time.Duration) {
	t.Helper()
	call := local.Call{Backend: "ollama", Model: "fake", Messages: []local.Message{{Role: local.User, Content: prompt}}}
	e := gate.Entry{Key: call.Key(), At: time.Now(), Try: 1, Call: call}
	e.Reply = local.Reply{Outcome: outcome, Text: reply, Usage: local.Usage{Duration: took}}
	if outcome != local.OK {
		e.Reply.Detail = "why \x1b[31mit failed"
	}
	if err := j.Append(e); err != nil {
		t.Fatal(err)
	}
}

func stateOf(t *testing.T, s *Server, dir string) RunState {
	t.Helper()
	got := ask(t, s, "GET", "/run/"+idOf(dir)+"/state", nil, nil)
	var state State
	if err := json.Unmarshal([]byte(got.body), &state); err != nil || len(state.Runs) != 1 {
		t.Fatalf("%v: %s", err, got.body)
	}
	return state.Runs[0]
}

// A run that goes on is followed: its phases, calls and failures; then it is finished, and
// its calls have times.
func TestLive(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	folder, err := store.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	s, _ := started(t, usual, dir)
	progress := &store.Progress{}
	progress.Tell("retrieve", 0, 4)
	progress.Begin(folder)
	j, err := gate.OpenJournal(folder.Calls(), func(string) {})
	if err != nil {
		t.Fatal(err)
	}

	// Others look while the run writes.
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for range 10 {
				stateOf(t, s, dir)
				ask(t, s, "GET", "/runs", nil, nil)
			}
		})
	}
	for i := range 20 {
		entry(t, j, fmt.Sprint("question ", i), fmt.Sprint("reply ", i), local.OK, time.Duration(i)*time.Millisecond)
		progress.Tell("generate", i+1, 40)
	}
	entry(t, j, "hard", "…", local.BadFormat, time.Millisecond)
	wg.Wait()

	got := stateOf(t, s, dir)
	if got.Finished || !got.Running || len(got.Phases) != 2 || got.Phases[0] != (store.Phase{Name: "retrieve", Total: 4}) || got.Phases[1].Total != 40 {
		t.Errorf("going on: %+v", got)
	}
	if len(got.Calls) != 1 || got.Calls[0].Model != "ollama:fake" || got.Calls[0].Done != 21 || got.Calls[0].Failed != 1 || got.Calls[0].Median < 8 {
		t.Errorf("calls: %+v", got.Calls)
	}
	if len(got.Failures) != 1 || got.Failures[0].Outcome != "bad_format" || strings.Contains(got.Failures[0].Detail, "\x1b") {
		t.Errorf("failures: %+v", got.Failures)
	}

	// The same again is not sent again.
	path := "/run/" + idOf(dir) + "/state"
	tag := ask(t, s, "GET", path, nil, nil).header.Get("ETag")
	same := func(r *http.Request) { r.Header.Set("If-None-Match", tag) }
	if again := ask(t, s, "GET", path, nil, same); tag == "" || again.status != 304 || again.body != "" {
		t.Errorf("again: %d %s", again.status, again.body)
	}

	// What is tried again and goes well has not failed.
	call := local.Call{Backend: "ollama", Model: "fake", Messages: []local.Message{{Role: local.User, Content: "hard"}}}
	e := gate.Entry{Key: call.Key(), At: time.Now(), Try: 2, Call: call, Reply: local.Reply{Outcome: local.OK, Text: "An answer.", Usage: local.Usage{Duration: 1500 * time.Millisecond}}}
	if err := j.Append(e); err != nil {
		t.Fatal(err)
	}
	for _, n := range []string{"1", "2"} {
		entry(t, j, "twice "+n, "Twice.", local.OK, time.Second)
	}
	if got := stateOf(t, s, dir); len(got.Failures) != 0 || got.Calls[0].Failed != 0 || got.Calls[0].Done != 23 {
		t.Errorf("made good: %+v", got)
	}

	// Interrupted, then finished.
	if err := errors.Join(j.Close(), folder.Close()); err != nil {
		t.Fatal(err)
	}
	if got := stateOf(t, s, dir); got.Finished || got.Running || len(got.Phases) != 2 {
		t.Errorf("interrupted: %+v", got)
	}
	progress.End()
	if err := os.WriteFile(filepath.Join(dir, store.ManifestFile), []byte("{}"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := stateOf(t, s, dir); !got.Finished || got.Running || got.Stamp == "" || len(got.Phases) != 0 {
		t.Errorf("finished: %+v", got)
	}

	// A time is told where one call gave the answer, and not where two did.
	times := ask(t, s, "GET", "/run/"+idOf(dir)+"/calls/0", nil, nil)
	if !strings.Contains(times.body, `"answers":[{"system":0,"ms":1500}]`) {
		t.Errorf("times: %s", times.body)
	}
}

// Large blocks are sent compressed, and are the same.
func TestCompresses(t *testing.T) {
	w := &writer{header: http.Header{}}
	data := bytes.Repeat([]byte(`{"a": 1}`), 10_000)
	r, _ := http.NewRequest("GET", "/", nil)
	r.Header.Set("Accept-Encoding", "gzip, br")
	serveData(w, r, data, nil)
	if w.header.Get("Content-Encoding") != "gzip" || w.Len() > len(data)/10 {
		t.Errorf("%d bytes, %v", w.Len(), w.header)
	}
}

type writer struct {
	bytes.Buffer
	header http.Header
}

func (w *writer) Header() http.Header { return w.header }
func (w *writer) WriteHeader(int)     {}
