package main

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// chats is a chat endpoint that streams slowly, and remembers what it was asked.
type chats struct {
	mu    sync.Mutex
	asked []string
}

func (c *chats) count() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.asked)
}

// since are the questions from the n-th on.
func (c *chats) since(n int) []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.asked[n:]
}

func (c *chats) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	c.mu.Lock()
	c.asked = append(c.asked, string(body))
	c.mu.Unlock()

	w.Header().Set("Content-Type", "text/event-stream")
	for _, word := range []string{"- The permit ", "lasts 25 years ", fmt.Sprintf("of %d turbines [1].", len(body))} {
		fmt.Fprintf(w, "data: {\"choices\":[{\"delta\":{\"content\":%q}}]}\n\n", word)
		w.(http.Flusher).Flush()
		time.Sleep(3 * time.Millisecond)
	}
	fmt.Fprint(w, "data: [DONE]\n\n")
}

// A run that asks a described service is killed with SIGKILL at random moments. Each rerun
// finishes, asks no question again that was answered, and ends with the files of a run that was
// left alone. No byte of them holds the secret.
func TestKillAskingAService(t *testing.T) {
	kills := sized(8, 20)
	if testing.Short() {
		kills = 3
	}
	service := &chats{}
	server := httptest.NewServer(service)
	defer server.Close()
	dir := t.TempDir()
	file := filepath.Join(dir, "rag.yaml")
	description := "preset: openai\nurl: " + server.URL + "/v1/chat\nmodel: m\nstream: true\nslots: 3\nheaders: {Authorization: Bearer $RAG_TOKEN}\n"
	if err := os.WriteFile(file, []byte(description), 0o600); err != nil {
		t.Fatal(err)
	}
	command := func(out string) *exec.Cmd {
		cmd := exec.Command(os.Args[0], "run", "summhay", "--system", file, "--out", out)
		cmd.Env = append(os.Environ(), asCommand+"=1", "XDG_CACHE_HOME="+filepath.Join(dir, "cache"), "RAG_TOKEN=SeKret-of-the-service")
		return cmd
	}
	calm := filepath.Join(dir, "calm")
	if out, err := command(calm).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	total := service.count()

	rng := rand.New(rand.NewPCG(19, 9))
	interrupted := 0
	for i := range kills {
		out := filepath.Join(dir, fmt.Sprint("killed", i))
		cmd := command(out)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		ended := make(chan error, 1)
		go func() { ended <- cmd.Wait() }()
		for moment, until := service.count()+rng.IntN(total), time.Now().Add(time.Minute); service.count() < moment && time.Now().Before(until); {
			time.Sleep(time.Millisecond)
		}
		time.Sleep(time.Duration(rng.IntN(12)) * time.Millisecond)
		_ = cmd.Process.Kill()
		if <-ended != nil {
			interrupted++
		}

		finished := journalled(t, out)
		before := service.count()
		if log, err := command(out).CombinedOutput(); err != nil {
			t.Fatalf("the rerun failed: %v\n%s", err, log)
		}
		for _, body := range service.since(before) {
			if finished["user"+body] {
				t.Errorf("a question that was answered is asked again: %.100s", body)
			}
		}
		if n := len(service.since(before)); n+len(finished) != total {
			t.Errorf("%d were answered and %d asked again, of %d", len(finished), n, total)
		}
		for _, name := range []string{"scores.json", "answers.jsonl", "verdicts.jsonl", "manifest.json", "configuration.json", "report.html"} {
			if !bytes.Equal(read(t, out, name), read(t, calm, name)) {
				t.Fatalf("%s differs from that of an undisturbed run", name)
			}
		}
	}
	if interrupted < kills/2 {
		t.Errorf("only %d of %d kills came in time: the test proves little", interrupted, kills)
	}
	noSecret(t, dir, "SeKret")
}

// noSecret looks for a secret in every file below a folder.
func noSecret(t *testing.T, dir, secret string) {
	t.Helper()
	n := 0
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		n++
		data, err := os.ReadFile(path)
		if err == nil && (strings.Contains(path, secret) || bytes.Contains(data, []byte(secret))) {
			t.Errorf("%s holds the secret", path)
		}
		return err
	})
	if err != nil || n < 5 {
		t.Errorf("%d files, %v", n, err)
	}
}
