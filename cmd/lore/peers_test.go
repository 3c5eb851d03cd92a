package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"lore/local/ollama/ollamatest"
)

// peerVariable holds the path of promptfoo; `make bench-peers` installs it where npm is, and runs this.
const peerVariable = "LORE_PROMPTFOO"

// TestBesidePeers times whole processes: 200 short calls of 50 ms on a server with 4 slots, by lore,
// by promptfoo where it is there, and by a bare loop. Nothing is asserted but that all calls were made:
// the figures are printed as ratios, the median of several rounds, one after the other in each.
func TestBesidePeers(t *testing.T) {
	rounds, err := strconv.Atoi(os.Getenv("LORE_PEER_ROUNDS"))
	if err != nil {
		t.Skip("this only measures: make bench-peers")
	}
	const calls, slots, each = 200, 4, 50 * time.Millisecond
	server := &ollamatest.Server{Slots: slots, Delay: each, Answer: ollamatest.Plausible}
	url := server.Start(t).URL
	dir := t.TempDir()
	round := 0
	lore := func() *exec.Cmd {
		round++
		file := writeShortItems(t, calls, round) // others each time: what was asked is never asked again
		cmd := exec.Command(os.Args[0], "run", "long2rag", file, "--retriever", "given", "--generator", "ollama:fake",
			"--host", url, "--slots", fmt.Sprint(slots), "--num-predict", "32", "--out", filepath.Join(dir, fmt.Sprint("out", round)))
		cmd.Env = append(os.Environ(), asCommand+"=1", "XDG_CACHE_HOME="+filepath.Join(dir, "cache"))
		return cmd
	}
	if out, err := lore().CombinedOutput(); err != nil { // the first time it also finds out how the server counts
		t.Fatalf("%v\n%s", err, out)
	}
	contenders := map[string]func() *exec.Cmd{"lore": lore}
	if peer := os.Getenv(peerVariable); peer != "" {
		config := writePeerConfig(t, dir, calls)
		contenders["promptfoo"] = func() *exec.Cmd {
			cmd := exec.Command(peer, "eval", "--no-cache", "--no-write", "--no-table", "--no-progress-bar", "-j", fmt.Sprint(slots), "-c", config,
				"-o", filepath.Join(t.TempDir(), "out.json"))
			cmd.Env = append(os.Environ(), "OLLAMA_BASE_URL="+url, "PROMPTFOO_DISABLE_TELEMETRY=1", "PROMPTFOO_DISABLE_UPDATE=1",
				"PROMPTFOO_CONFIG_DIR="+filepath.Join(dir, "promptfoo"))
			return cmd
		}
	}

	times := map[string][]float64{}
	for range rounds {
		bare := timed(func() { bareLoop(t, url, calls, slots) })
		times["bare loop, s"] = append(times["bare loop, s"], bare)
		for name, command := range contenders {
			before := server.Count()
			var said bytes.Buffer
			took := timed(func() {
				cmd := command()
				cmd.Stdout, cmd.Stderr = &said, &said
				_ = cmd.Run() // promptfoo ends with its share of failed tests; the calls tell
			})
			if made := server.Count() - before; made < calls {
				t.Fatalf("%s made %d of %d calls\n%s", name, made, calls, tail(said.String()))
			}
			times[name+", times the bare loop"] = append(times[name+", times the bare loop"], took/bare)
			times[name+", s"] = append(times[name+", s"], took)
		}
	}
	for name, list := range times {
		slices.Sort(list)
		t.Logf("%-32s median %.2f of %d rounds, %.2f to %.2f", name, list[len(list)/2], len(list), list[0], list[len(list)-1])
	}
}

func timed(do func()) float64 {
	start := time.Now()
	do()
	return time.Since(start).Seconds()
}

// bareLoop makes the calls and does nothing else.
func bareLoop(t *testing.T, url string, calls, slots int) {
	t.Helper()
	work := make(chan int)
	var wg sync.WaitGroup
	for range slots {
		wg.Go(func() {
			for i := range work {
				body := fmt.Sprintf(`{"model": "fake", "stream": false, "messages": [{"role": "user", "content": "question %d"}]}`, i)
				resp, err := http.Post(url+"/api/chat", "application/json", strings.NewReader(body))
				if err != nil {
					t.Error(err)
					return
				}
				_, _ = io.Copy(io.Discard, resp.Body)
				resp.Body.Close()
			}
		})
	}
	for i := range calls {
		work <- i
	}
	close(work)
	wg.Wait()
}

// writeShortItems writes questions of Long²RAG with one short document each, and returns the file.
func writeShortItems(t *testing.T, n, round int) string {
	t.Helper()
	var lines bytes.Buffer
	for i := range n {
		id, year := fmt.Sprintf("q%03d", i), 1000*round+i
		line := map[string]any{
			"id": id, "question": fmt.Sprintf("What happened in the year %d?", year), "category": "factual", "domain": "history",
			"documents":  []any{map[string]any{"id": id + "-d", "title": "A year", "text": fmt.Sprintf("In %d a bridge was built.", year)}},
			"key_points": []any{map[string]any{"id": "p1", "text": "A bridge was built.", "documents": []string{id + "-d"}}},
		}
		if err := json.NewEncoder(&lines).Encode(line); err != nil {
			t.Fatal(err)
		}
	}
	file := filepath.Join(t.TempDir(), "questions.jsonl")
	if err := os.WriteFile(file, lines.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// writePeerConfig writes the same as a suite of promptfoo.
func writePeerConfig(t *testing.T, dir string, n int) string {
	t.Helper()
	var tests []any
	for i := range n {
		tests = append(tests, map[string]any{"vars": map[string]any{"year": 1700 + i}, "assert": []any{map[string]any{"type": "icontains", "value": "bridge"}}})
	}
	data, err := json.Marshal(map[string]any{
		"prompts":   []string{"In {{year}} a bridge was built. What happened in the year {{year}}?"},
		"providers": []any{map[string]any{"id": "ollama:chat:fake", "config": map[string]any{"num_predict": 32}}},
		"tests":     tests,
	})
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "promptfooconfig.json")
	if err := os.WriteFile(file, data, 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}
