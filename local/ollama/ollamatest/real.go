package ollamatest

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// RealVariable names the environment variable that holds the path of an Ollama
// binary; `make ollama` builds one and prints the path.
const RealVariable = "LORE_OLLAMA"

// loadLine is what the server logs when it starts the process of a model.
const loadLine = "starting runner"

// template puts each message on a line of its own.
const template = "{{ range .Messages }}{{ .Role }}: {{ .Content }}\n{{ end }}assistant: "

// Real is an Ollama server of the test's own on a loopback port, with models made
// by tinymodel.
type Real struct {
	URL  string
	t    *testing.T
	bin  string
	addr string
	dir  string
	cmd  *exec.Cmd
	done chan error
	log  *journal
}

// journal is what the server says, which may be read while it runs.
type journal struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (j *journal) Write(data []byte) (int, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.text.Write(data)
}

func (j *journal) String() string {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.text.String()
}

// Loads is how often the server has started the process of a model, as its log has it.
func (r *Real) Loads() int { return strings.Count(r.log.String(), loadLine) }

// StartReal starts a server with the given models and slots. Without a binary the
// test is skipped, or fails where CI is set.
func StartReal(t *testing.T, slots int, models ...string) *Real {
	t.Helper()
	if testing.Short() {
		t.Skip("real servers are left out by -short; make test runs these tests")
	}

	bin := os.Getenv(RealVariable)
	if bin == "" {
		if os.Getenv("CI") == "true" {
			t.Fatalf("%s is not set: CI must run the tests against a real server", RealVariable)
		}
		t.Skipf("%s is not set; `make ollama` builds a server and `make test-ollama` runs these tests",
			RealVariable)
	}

	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	addr := l.Addr().String()
	l.Close()

	r := &Real{URL: "http://" + addr, t: t, bin: bin, addr: addr, dir: t.TempDir()}
	r.Start(slots)
	t.Cleanup(r.Kill)
	for i, name := range models {
		r.create(name, uint64(i+1))
	}
	return r
}

// Start starts the server process; it must not be running.
func (r *Real) Start(slots int) {
	r.t.Helper()
	r.cmd = exec.Command(r.bin, "serve")
	r.cmd.Env = append(os.Environ(),
		"HOME="+r.dir,
		"OLLAMA_HOST="+r.addr,
		"OLLAMA_MODELS="+filepath.Join(r.dir, "models"),
		"OLLAMA_NO_CLOUD=1",
		fmt.Sprintf("OLLAMA_NUM_PARALLEL=%d", slots))
	r.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}

	log := &journal{}
	r.log = log
	r.cmd.Stdout, r.cmd.Stderr = log, log
	if err := r.cmd.Start(); err != nil {
		r.t.Fatal(err)
	}

	done, cmd := make(chan error, 1), r.cmd // Kill and the next Start set the fields anew
	go func() { done <- cmd.Wait() }()
	r.done = done

	deadline := time.Now().Add(30 * time.Second)
	for time.Now().Before(deadline) {
		if resp, err := http.Get(r.URL + "/api/version"); err == nil {
			resp.Body.Close()
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
	r.Kill()
	r.t.Fatalf("the server did not start:\n%s", log.String())
}

// Kill ends the server and the model processes it started, at once.
func (r *Real) Kill() {
	if r.cmd == nil {
		return
	}
	_ = syscall.Kill(-r.cmd.Process.Pid, syscall.SIGKILL) // its own process group; gone is as good
	<-r.done
	r.cmd = nil
}

// tinyModel runs the generator.
func (r *Real) tinyModel(seed uint64) []byte {
	r.t.Helper()
	path := filepath.Join(r.dir, fmt.Sprintf("tiny-%d.gguf", seed))
	generator := exec.Command("go", "run", "lore/local/ollama/testserver/tinymodel",
		"-seed", fmt.Sprint(seed), "-out", path)
	out, err := generator.CombinedOutput()
	if err != nil {
		r.t.Fatalf("make a model: %v\n%s", err, out)
	}

	data, err := os.ReadFile(path)
	if err != nil {
		r.t.Fatal(err)
	}
	return data
}

func (r *Real) create(name string, seed uint64) {
	r.t.Helper()
	data := r.tinyModel(seed)
	digest := fmt.Sprintf("sha256:%x", sha256.Sum256(data))
	r.post("/api/blobs/"+digest, data)

	// One thread: several would wait for each other in busy loops, and where tests of
	// several packages share two processors, they then crawl.
	body, err := json.Marshal(map[string]any{
		"model":      name,
		"files":      map[string]string{"tiny.gguf": digest},
		"template":   template,
		"parameters": map[string]any{"num_thread": 1},
	})
	if err != nil {
		r.t.Fatal(err)
	}

	if out := r.post("/api/create", body); !strings.Contains(out, `"success"`) {
		r.t.Fatalf("create %s: %s", name, out)
	}
}

func (r *Real) post(path string, body []byte) string {
	r.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, r.URL+path, bytes.NewReader(body))
	if err != nil {
		r.t.Fatal(err)
	}

	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		r.t.Fatal(err)
	}
	defer resp.Body.Close()

	var out bytes.Buffer
	if _, err := out.ReadFrom(resp.Body); err != nil {
		r.t.Fatal(err)
	}
	if resp.StatusCode >= 300 {
		r.t.Fatalf("%s: %s: %s", path, resp.Status, out.String())
	}
	return out.String()
}
