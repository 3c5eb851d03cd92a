package ollama

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"
	"time"

	"lore/local"
	"lore/local/wire"
)

// serve answers every request with what is written.
func serve(t *testing.T, write func(w http.ResponseWriter)) *Client {
	t.Helper()
	h := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		write(w)
	}))
	t.Cleanup(h.Close)
	limits := wire.Limits{First: 2 * time.Second, Idle: time.Second, Total: 4 * time.Second}
	c, err := NewClient(Config{Host: h.URL, Limits: limits})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

const (
	said = `{"model":"fake:latest","message":{"role":"assistant","content":"yes"},"done":false}` + "\n"
	done = `{"model":"fake:latest","message":{"role":"assistant","content":""},"done":true,"done_reason":"stop",` +
		`"prompt_eval_count":9,"eval_count":1}` + "\n"
)

// Every way in which frames can be wrong is a failure of its own kind, and what is only
// unusual is read.
func TestFrames(t *testing.T) {
	other := strings.ReplaceAll(said+done, "fake:latest", "other:13b")
	remote := strings.ReplaceAll(said+done, `"done":`, `"remote_host":"https://example.com","done":`)
	for body, want := range map[string]local.Outcome{
		said + done: local.OK,
		strings.ReplaceAll(said+done, "\n", "\r\n\r\n"):       local.OK,
		said + strings.TrimSpace(done):                        local.OK,
		strings.ReplaceAll(said+done, "fake:latest", "fake"):  local.OK,
		strings.ReplaceAll(said+done, `"stop"`, `""`):         local.OK,
		strings.ReplaceAll(said+done, `"stop"`, `"length"`):   local.Cut,
		strings.ReplaceAll(said+done, `"stop"`, `"load"`):     local.ModelError,
		strings.ReplaceAll(said+done, `"stop"`, `"censored"`): local.ModelError,
		strings.ReplaceAll(said+done, "yes", `\u200b\u00a0 `): local.Empty,
		said + done + said:        local.NoDone,
		said + done + "garbage\n": local.NoDone,
		said + strings.ReplaceAll(done, `count":9`, `count":-9`): local.ModelError,
		said:                                local.NoDone,
		"":                                  local.NoDone,
		"null\n":                            local.NoDone,
		said + `{"error":""}` + "\n" + done: local.ModelError,
		`{"error":{"message":"x"}}` + "\n":  local.ModelError,
		"[1]\n":                             local.Transport,
		strings.ReplaceAll(said, "yes", "y\xffs") + done: local.Transport,
		other:  local.WrongModel,
		remote: local.WrongModel,
		said + strings.ReplaceAll(done, `count":1`, `count":9000`):          local.Oversized,
		strings.Repeat(said, 500) + done:                                    local.Oversized,
		strings.ReplaceAll(said, "yes", strings.Repeat("y", 20_000)) + done: local.Oversized,
	} {
		c := serve(t, func(w http.ResponseWriter) { fmt.Fprint(w, body) })
		r, err := c.Do(context.Background(), ask("x"))
		if err != nil || r.Outcome != want || want != local.OK && r.Detail == "" {
			t.Errorf("%.120q: %s (%s), want %s; %v", body, r.Outcome, r.Detail, want, err)
		}
	}
}

// endless writes until nobody reads any more, at most a gigabyte.
func endless(w io.Writer, piece string) {
	block := bytes.Repeat([]byte(piece), 1+(1<<20)/len(piece))
	for range 1 << 10 {
		if _, err := w.Write(block); err != nil {
			return
		}
	}
}

// However much a server sends, little of it is kept.
func TestAnswersAreBounded(t *testing.T) {
	floods := map[string]func(w http.ResponseWriter){
		"line":   func(w http.ResponseWriter) { endless(w, "a") },
		"blanks": func(w http.ResponseWriter) { endless(w, "\n") },
		"frames": func(w http.ResponseWriter) { endless(w, said) },
		"header": func(w http.ResponseWriter) { w.Header().Set("X-Big", strings.Repeat("h", 12<<20)) },
		"status": func(w http.ResponseWriter) { w.WriteHeader(http.StatusTeapot); endless(w, "t") },
		"packed": func(w http.ResponseWriter) {
			w.Header().Set("Content-Encoding", "gzip")
			z := gzip.NewWriter(w)
			endless(z, "a")
			z.Close()
		},
	}
	for name, flood := range floods {
		c := serve(t, flood)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		r, err := c.Do(context.Background(), ask("x"))
		runtime.ReadMemStats(&after)
		if err != nil || r.Outcome == local.OK {
			t.Errorf("%s: %s (%.100s), %v", name, r.Outcome, r.Detail, err)
		}
		// The header's flood is allocated by the server, which is in this process.
		if n := (after.TotalAlloc - before.TotalAlloc) >> 20; n > 64 {
			t.Errorf("%s: %d MB were allocated", name, n)
		}
		if _, err := c.Version(context.Background()); name != "header" && err == nil {
			t.Errorf("%s: a version was read", name)
		}
		if _, err := c.Embed(context.Background(), "fake", []string{"x"}, 0); err == nil {
			t.Errorf("%s: vectors were read", name)
		}
	}
}

// A server that is slow in any way is left within its limits.
func TestSlowServersAreLeft(t *testing.T) {
	drip := func(piece string) func(w http.ResponseWriter) {
		return func(w http.ResponseWriter) {
			for range 100 {
				if _, err := io.WriteString(w, piece); err != nil {
					return
				}
				w.(http.Flusher).Flush()
				time.Sleep(100 * time.Millisecond)
			}
		}
	}
	for name, write := range map[string]func(w http.ResponseWriter){
		"blanks":  drip(" "),
		"headers": func(http.ResponseWriter) { time.Sleep(5 * time.Second) },
		"frames":  drip(said),
		"stops": func(w http.ResponseWriter) {
			fmt.Fprint(w, said)
			w.(http.Flusher).Flush()
			time.Sleep(5 * time.Second)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := serve(t, write)
			start := time.Now()
			r, err := c.Do(context.Background(), ask("x"))
			if took := time.Since(start); err != nil || r.Outcome != local.Timeout || took > 8*time.Second {
				t.Errorf("%s (%s) after %s, %v", r.Outcome, r.Detail, took, err)
			}
		})
	}
}

// Vectors of texts that were cut are refused, by the tokens that the server counts.
func TestEmbeddingsThatWereCut(t *testing.T) {
	text := strings.Repeat("word ", 1000)
	for count, bad := range map[int]bool{0: false, 1000: false, 1400: false, 514: true, 1: true} {
		c := serve(t, func(w http.ResponseWriter) {
			fmt.Fprintf(w, `{"model":"fake","embeddings":[[1,0]],"prompt_eval_count":%d}`, count)
		})
		_, err := c.Embed(context.Background(), "fake", []string{text}, 0)
		if got := errors.Is(err, ErrFault); got != bad {
			t.Errorf("%d tokens: %v", count, err)
		}
	}
	c := serve(t, func(w http.ResponseWriter) { fmt.Fprint(w, `{"model":"other","embeddings":[[1,0]]}`) })
	if _, err := c.Embed(context.Background(), "fake", []string{"x"}, 0); !errors.Is(err, ErrFault) {
		t.Errorf("another model: %v", err)
	}
}

// Still tells the digest, the machine and the model apart.
func TestStill(t *testing.T) {
	c := serve(t, func(w http.ResponseWriter) {
		fmt.Fprint(w, `{"models":[{"name":"a:latest","digest":"sha256:1"},{"name":"b:latest","digest":"2","remote_host":"https://x"}]}`)
	})
	for name, digest := range map[string]string{"a:latest": "sha256:2", "b:latest": "2", "c:latest": "3"} {
		if err := c.Still(context.Background(), name, digest); !errors.Is(err, ErrChanged) {
			t.Errorf("%s %s: %v", name, digest, err)
		}
	}
	if err := c.Still(context.Background(), "a:latest", "sha256:1"); err != nil {
		t.Error(err)
	}
}
