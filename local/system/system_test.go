package system

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"lore/local"
)

// Every way in which a service may answer has one outcome.
func TestOutcomes(t *testing.T) {
	var body string
	mux := http.NewServeMux()
	answer := func(path string, status int, text string) {
		mux.HandleFunc(path, func(w http.ResponseWriter, r *http.Request) {
			data, err := io.ReadAll(r.Body)
			if err != nil {
				t.Error(err)
			}
			body = string(data)
			w.WriteHeader(status)
			fmt.Fprint(w, text)
		})
	}
	answer("/ok", 200, `{"answer":"It held.","documents":["d1"],"more":1}`)
	answer("/bare", 200, `{"answer":"It held."}`)
	answer("/empty", 200, `{"answer":" "}`)
	answer("/text", 200, "It held.")
	answer("/other", 200, `{"text":"It held."}`)
	answer("/busy", 503, "later")
	answer("/big", 413, "too big")
	answer("/broken", 500, "oops")
	mux.HandleFunc("/away", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "http://192.0.2.1/", http.StatusFound)
	})
	mux.HandleFunc("/slow", func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body) // only then the server sees that the client is gone
		<-r.Context().Done()
	})
	mux.HandleFunc("/breaks", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "100")
		fmt.Fprint(w, "{")
	})
	s := httptest.NewServer(mux)
	defer s.Close()
	b := New(Config{Timeout: 200 * time.Millisecond})
	for path, want := range map[string]local.Outcome{"/ok#v2": local.OK, "/bare": local.OK, "/empty": local.Empty, "/text": local.BadFormat, "/other": local.BadFormat, "/busy": local.Transport, "/big": local.TooLong,
		"/broken": local.ModelError, "/away": local.ModelError, "/slow": local.Timeout, "/breaks": local.Transport, "/nowhere": local.ModelError} {
		r, err := b.Do(context.Background(), local.Call{Model: s.URL + path, Messages: []local.Message{{Content: Body("Did it hold?", 3)}}})
		if err != nil || r.Outcome != want || want != local.OK && r.Detail == "" {
			t.Errorf("%s: %v %+v", path, err, r)
		}
		if path == "/ok#v2" && (r.Text != `{"answer":"It held.","documents":["d1"]}` || body != `{"query":"Did it hold?","k":3}`) {
			t.Errorf("%s for %s", r.Text, body)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := b.Do(ctx, local.Call{Model: s.URL + "/ok", Messages: []local.Message{{}}}); err == nil {
		t.Error("a cancelled call goes through")
	}
}

// Hosts that are not named are not asked, whatever the URL says.
func TestHosts(t *testing.T) {
	b := New(Config{Hosts: []string{"rag.example"}})
	for url, word := range map[string]string{"http://127.0.0.1:9/x": "", "http://localhost/x": "", "http://[::1]:9": "", "https://rag.example/x": "", "http://other.example/x": "--allow-host other.example", "ftp://localhost/": "not a URL", "nonsense": "not a URL", "http://192.0.2.1": "neither this machine"} {
		if err := b.Check(url); (err == nil) != (word == "") || err != nil && !strings.Contains(err.Error(), word) {
			t.Errorf("%s: %v", url, err)
		}
	}
	if err := b.Reachable(context.Background(), "http://127.0.0.1:1/x"); !errors.Is(err, ErrUnreachable) {
		t.Errorf("a closed port: %v", err)
	}
	ended, end := context.WithCancel(context.Background())
	end()
	if err := b.Reachable(ended, "http://127.0.0.1:1/x"); errors.Is(err, ErrUnreachable) || !errors.Is(err, context.Canceled) {
		t.Errorf("interrupted: %v", err)
	}
	s := httptest.NewServer(http.NotFoundHandler())
	defer s.Close()
	if err := b.Reachable(context.Background(), s.URL+"/x#v"); err != nil {
		t.Errorf("an open port: %v", err)
	}
	r, err := b.Do(context.Background(), local.Call{Model: "http://192.0.2.1/x", Messages: []local.Message{{}}})
	if err != nil || r.Outcome != local.Transport || !strings.Contains(r.Detail, "refused to connect") {
		t.Errorf("%v %+v", err, r)
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(`{"answer":"It held.","documents":["d1"]}`))
	b := New(Config{})
	f.Fuzz(func(_ *testing.T, data []byte) { b.read(&http.Response{StatusCode: 200}, data) })
}
