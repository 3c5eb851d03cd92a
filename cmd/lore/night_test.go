package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/ollama/ollama/api"

	"lore/local/ollama/hostile"
	"lore/local/ollama/ollamatest"
)

// illnesses are what a server suffers from in the night, for some replies in a row.
var illnesses = []hostile.Mode{"busy", "hang-chat", "hangup", "reads-half", "empty", "garbage"}

// TestNight is a study that runs through a bad night: of the server's replies one in twenty
// is bad, in bursts; it is started again; for a while another model has its name; and the
// disk is full once. Whoever is there does what lore says and gives the same command again.
// In the end the study is that of a quiet night.
func TestNight(t *testing.T) {
	if testing.Short() {
		t.Skip("-short leaves out what only takes long")
	}
	rng := dice(t)
	s := newNight(t, sized(3, 12))
	quiet := s.quiet(t)

	w := newWard(rng, sized(2, 10), time.Duration(sized(500, 5000))*time.Millisecond)
	post := openPost(t, w)
	disk := newDisk(t, s.runs)
	restart := func() {
		post.close()
		time.Sleep(time.Duration(sized(500, 5000)) * time.Millisecond)
		post.open(t)
	}
	for i := range s.n {
		s.during(i, []func(){restart, w.replace, disk.fill}[i%3])
	}
	s.night(t, post.url(), w, disk)

	t.Logf("%d requests, %d of them in %d bursts\n%s", w.asked, w.spoilt, w.bursts, strings.Join(s.events, "\n"))
	if w.bursts < 2 || w.replaced == 0 {
		t.Errorf("%d bursts, replaced %d times: the test proves little", w.bursts, w.replaced)
	}
	for i, dir := range s.folders() {
		files := tree(t, dir)
		if other := unlike(quiet[i], derived(files)); len(other) > 0 {
			t.Errorf("run %d is not that of a quiet night: %v", i, other)
		}
		if left := leftovers(files); len(left) > 0 {
			t.Errorf("run %d: left behind: %v", i, left)
		}
	}
}

// night is a number of runs, one after the other.
type night struct {
	dir    string
	runs   string // the folder of the run folders
	n      int
	blows  map[int]func() // what befalls a run, once
	events []string
}

func newNight(t *testing.T, n int) *night {
	t.Helper()
	dir := t.TempDir()
	runs := filepath.Join(dir, "runs")
	if err := os.Mkdir(runs, 0o777); err != nil {
		t.Fatal(err)
	}
	return &night{dir: dir, runs: runs, n: n, blows: map[int]func(){}}
}

// process is one of the runs.
func (s *night) process(i int, url, out string, more ...string) process {
	args := strings.Fields(fmt.Sprintf("run summhay --retriever oracle,bm25 --budget-tokens 800 --limit 5 --slots 4 "+
		"--generator ollama:fake --judge ollama:fake --keep-trying --timeout first=2s,idle=2s,total=10s "+
		"--seed %d --host %s --cache %s --out %s", i+1, url, out+"-cache", filepath.Join(out, fmt.Sprint(i))))
	return process{args: append(args, more...), cache: out + "-home", most: 10 * time.Minute}
}

// during has something done in the middle of a run.
func (s *night) during(i int, do func()) { s.blows[i] = do }

func (s *night) folders() []string {
	var out []string
	for i := range s.n {
		out = append(out, filepath.Join(s.runs, fmt.Sprint(i)))
	}
	return out
}

// quiet is what the runs are with a server that is well.
func (s *night) quiet(t *testing.T) []map[string]string {
	t.Helper()
	url := (&ollamatest.Server{Answer: counted(ollamatest.Plausible)}).Start(t).URL
	out := filepath.Join(s.dir, "quiet")
	var files []map[string]string
	for i := range s.n {
		if e := s.process(i, url, out).run(t); e.code != exitOK {
			t.Fatalf("run %d: exit code %d: %s", i, e.code, e.said())
		}
		files = append(files, derived(tree(t, filepath.Join(out, fmt.Sprint(i)))))
	}
	return files
}

// night does the study as a person does who reads what lore says.
func (s *night) night(t *testing.T, url string, w *ward, d *disk) {
	t.Helper()
	for i, dir := range s.folders() {
		var more []string
		w.inAWhile(s.blows[i])
		for try := 1; ; try++ {
			before, from := finishedCalls(t, filepath.Join(dir, "calls")), w.served()
			e := s.process(i, url, s.runs, more...).run(t)
			for key := range w.since(from) {
				if before[key] {
					t.Errorf("run %d: a finished call was asked again: %.80s", i, key)
				}
			}
			s.events = append(s.events, fmt.Sprintf("run %d ends with %d after %d requests", i, e.code, w.served()))
			if e.code == exitOK {
				break
			}
			if try == 20 {
				t.Fatalf("run %d does not end; it says: %s", i, tail(e.said()))
			}
			what := s.react(t, e, w, d)
			s.events = append(s.events, lastLine(e.stderr), what)
			if e.code == exitPartial && try > 3 {
				more = []string{"--retry-failed"}
			}
		}
	}
}

// lastLine is what a command said last.
func lastLine(said string) string {
	lines := strings.Split(strings.TrimSpace(said), "\n")
	return lines[len(lines)-1]
}

// react does what lore says, and returns what that was.
func (s *night) react(t *testing.T, e ended, w *ward, d *disk) string {
	t.Helper()
	if e.code == -1 || panics(e.said()) {
		t.Fatalf("it panics or does not end: %s", tail(e.said()))
	}
	said := strings.ToLower(lastLine(e.stderr))
	var done []string
	if d.full.Load() && strings.Contains(said, "make room") {
		d.empty(t)
		done = append(done, "room was made")
	}
	if strings.Contains(said, "digest") || strings.Contains(said, "changed") {
		w.restore()
		done = append(done, "the weights were put back")
	}
	if len(done) == 0 && e.code != exitPartial && !strings.Contains(said, "run the same command again") {
		t.Fatalf("exit code %d, and nobody knows what to do: %s", e.code, tail(e.said()))
	}
	return strings.Join(done, ", ")
}

// ward is a server that falls ill.
type ward struct {
	well  http.Handler
	other http.Handler // has other weights behind the name
	ill   map[hostile.Mode]*hostile.Server
	hang  time.Duration
	burst int // longest, in replies

	mu       sync.Mutex
	rng      *rand.Rand
	left     int // bad replies that are left of the burst
	mode     hostile.Mode
	swapped  bool
	events   map[int]func() // by the number of the request
	keys     []string       // of the requests, in order
	asked    int
	spoilt   int
	bursts   int
	replaced int
}

func newWard(rng *rand.Rand, burst int, hang time.Duration) *ward {
	delay := time.Duration(sized(25, 250)) * time.Millisecond
	good := &ollamatest.Server{Answer: counted(ollamatest.Plausible), Delay: delay}
	w := &ward{well: good, rng: rng, burst: burst, hang: hang, events: map[int]func(){},
		other: &ollamatest.Server{Answer: counted(otherwise), Weights: "-new", Delay: delay},
		ill:   map[hostile.Mode]*hostile.Server{}}
	for _, m := range illnesses {
		w.ill[m] = &hostile.Server{Good: good, Mode: m}
	}
	return w
}

// otherwise answers as other weights would.
func otherwise(req api.ChatRequest) string {
	req.Messages = append(slices.Clone(req.Messages), req.Messages[0], req.Messages[len(req.Messages)-1])
	return ollamatest.Plausible(req)
}

// inAWhile has something done some requests from now.
func (w *ward) inAWhile(do func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.events[w.asked+25] = do
}

// replace gives other weights the model's name, and restore takes them away.
func (w *ward) replace() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.swapped = true
	w.replaced++
}

func (w *ward) restore() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.swapped = false
}

// served is how many requests came so far, and since are the keys of those after some.
func (w *ward) served() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return len(w.keys)
}

func (w *ward) since(n int) map[string]bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	out := map[string]bool{}
	for _, key := range w.keys[n:] {
		out[key] = true
	}
	return out
}

// ServeHTTP answers as the server is at the moment.
func (w *ward) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	if r.URL.Path != "/api/chat" {
		w.mu.Lock()
		h := w.behind()
		w.mu.Unlock()
		h.ServeHTTP(rw, r)
		return
	}

	body, err := io.ReadAll(r.Body)
	var req api.ChatRequest
	if err != nil || json.Unmarshal(body, &req) != nil {
		return // the client is gone
	}
	h, event := w.next(requestKey(req))
	if event != nil {
		go event()
	}
	ctx, cancel := context.WithTimeout(r.Context(), w.hang)
	defer cancel()
	r = r.WithContext(ctx)
	r.Body = io.NopCloser(bytes.NewReader(body))
	h.ServeHTTP(rw, r)
	if ctx.Err() != nil {
		panic(http.ErrAbortHandler) // what hangs is cut in the end
	}
}

// behind is who answers what is not a chat.
func (w *ward) behind() http.Handler {
	if w.swapped {
		return w.other
	}
	return w.well
}

// next chooses who answers a chat: of twenty replies one is bad.
func (w *ward) next(key string) (http.Handler, func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.keys = append(w.keys, key)
	w.asked++
	event := w.events[w.asked]
	if w.left == 0 && w.rng.IntN(20*w.burst) < 2 {
		w.left = 1 + w.rng.IntN(w.burst)
		w.mode = illnesses[w.bursts%len(illnesses)]
		w.bursts++
	}
	if w.left == 0 {
		return w.behind(), event
	}
	w.left--
	w.spoilt++
	return w.ill[w.mode], event
}

// disk is a small file system that holds the run folders.
type disk struct {
	dir  string
	full atomic.Bool
	no   error // why there is none
}

// diskSize is enough for the study.
const diskSize = 64 << 20

// newDisk mounts it, which only root can.
func newDisk(t *testing.T, dir string) *disk {
	t.Helper()
	d := &disk{dir: dir}
	d.no = syscall.Mount("tmpfs", dir, "tmpfs", 0, fmt.Sprintf("size=%d", diskSize))
	if d.no != nil {
		t.Logf("the disk does not fill in this night: mount: %v", d.no)
		return d
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(dir, 0); err != nil {
			t.Errorf("unmount %s: %v", dir, err)
		}
	})
	return d
}

// fill leaves no byte.
func (d *disk) fill() {
	if d.no != nil {
		return
	}
	d.full.Store(true)
	block := make([]byte, 4096)
	f, err := os.Create(filepath.Join(d.dir, "filler"))
	for err == nil {
		_, err = f.Write(block)
	}
	if f != nil {
		_ = f.Close() // it is full
	}
}

// empty makes room again.
func (d *disk) empty(t *testing.T) {
	t.Helper()
	d.full.Store(false)
	if err := os.Remove(filepath.Join(d.dir, "filler")); err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
}
