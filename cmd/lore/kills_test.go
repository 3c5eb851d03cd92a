package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"lore/local"
	"lore/local/gate"
	"lore/local/ollama/ollamatest"
)

// work is a command that is worth killing.
type work struct {
	name   string
	line   string // {in} are inputs and {dir} is the folder it writes in
	out    string // what it makes: a file or folder below {dir}; empty: what it prints
	whole  string // the file that ends a command which is refused a second time; empty if none is
	calls  string // the folder of its journal
	server *ollamatest.Server
}

// works are the commands, each with a server of its own.
func works() []*work {
	const folders = " --cache {dir}/cache --slots 4"
	return []*work{
		{name: "run", out: "run", calls: "run/calls", server: &ollamatest.Server{Answer: ollamatest.Plausible},
			line: "run summhay --limit 3 --retriever oracle,bm25 --budget-tokens 500 --generator ollama:fake " +
				"--judge lexical,ollama:fake --out {dir}/run" + folders},
		{name: "build", out: "built", whole: "topics.jsonl", calls: "built/calls",
			server: &ollamatest.Server{Answer: goodParts, Logprobs: true},
			line: "build crux --msrs ../../datasets/msrs/sample/story --questions 2 --model ollama:fake " +
				"--judge lexical --out {dir}/built" + folders},
		{name: "retrieve", out: "out.trec", calls: "calls", server: &ollamatest.Server{Answer: ollamatest.Plausible},
			line: "retrieve {in}/corpus.jsonl {in}/queries.tsv " +
				"--retriever rrf(bm25,dense:ollama:fake)>rerank:llm:fake " +
				"--calls {dir}/calls --index-dir {dir}/index --out {dir}/out.trec" + folders},
		{name: "score", calls: "scored/calls", server: &ollamatest.Server{Answer: ollamatest.Plausible},
			line: "score summhay {in}/recorded.json --judge ollama:fake --json --out {dir}/scored" + folders},
	}
}

// ending is a way to end a command.
type ending struct {
	name   string
	do     func(t *testing.T, k *kills, w *work, dir string) ended
	gentle bool // the command may end as if nothing had been
}

// endings are the ways, in the order of the table.
func endings(strace bool) []ending {
	var out []ending
	for _, s := range []syscall.Signal{syscall.SIGKILL, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGINT} {
		out = append(out, ending{s.String(), func(t *testing.T, k *kills, w *work, dir string) ended {
			return k.until(t, w, dir, func(p *os.Process) { _ = p.Signal(s) }) // it may have ended
		}, false})
	}
	out = append(out, ending{"stopped and continued", pause, true},
		ending{"server away for a moment", outage(false), true})
	if inFull() { // a command gives a server most of a minute to come back
		out = append(out, ending{"server gone", outage(true), false})
	}
	if !strace {
		return out
	}

	// How many calls a thread makes at least, mostly.
	for call, n := range map[string]int{"fsync": 4, "renameat": 3, "fchmod": 3, "openat": 12, "write": 8, "close": 8} {
		out = append(out, ending{"killed in " + call, inject(call, "signal=KILL", n), false})
	}
	for _, call := range []string{"fsync", "renameat", "fchmod"} {
		for _, code := range []string{"EIO", "ENOSPC"} {
			out = append(out, ending{call + " fails with " + code, inject(call, "error="+code, 3), true})
		}
	}
	slices.SortFunc(out, func(a, b ending) int { return strings.Compare(a.name, b.name) })
	return out
}

// kills is the campaign: what each command makes when it is left alone.
type kills struct {
	in    string
	rng   *rand.Rand
	posts map[*work]*post
	calm  map[*work]map[string]string
	code  map[*work]int
	asked map[*work]int // requests of the whole
}

// Commands that are killed at any moment, by a signal, inside a system call, or with their
// server, end after a rerun with the files of an undisturbed one, have asked no finished
// call twice, and leave nothing behind.
func TestKills(t *testing.T) {
	if testing.Short() {
		t.Skip("-short leaves out what only takes long; TestKillAtAnyMoment kills a few runs")
	}
	all := works()
	k := newKills(t, all)
	trace := exec.Command("strace", "-f", "-o", "/dev/null", "true").Run()
	if trace != nil {
		t.Logf("no command is killed inside a system call: strace: %v", trace)
	}
	ways := endings(trace == nil)

	n, hard, total := sized(24, 500), 0, 0
	order := k.rng.Perm(len(all) * len(ways))
	rows := map[string][2]int{}
	for i := range n {
		at := order[i%len(order)]
		w, way := all[at%len(all)], ways[at/len(all)]
		early := k.once(t, w, way)
		row := rows[way.name]
		rows[way.name] = [2]int{row[0] + 1, row[1] + early}
		if !way.gentle {
			hard, total = hard+1, total+early
		}
	}

	for _, name := range slices.Sorted(maps.Keys(rows)) {
		t.Logf("%s: %d of %d before their end", name, rows[name][1], rows[name][0])
	}
	if total < hard/3 {
		t.Errorf("only %d of %d kills came in time: the test proves little", total, hard)
	}
}

func newKills(t *testing.T, all []*work) *kills {
	t.Helper()
	k := &kills{in: t.TempDir(), rng: dice(t), posts: map[*work]*post{}, calm: map[*work]map[string]string{},
		code: map[*work]int{}, asked: map[*work]int{}}
	for name, text := range map[string]string{
		"corpus.jsonl":  corpusLines(),
		"queries.tsv":   "1\tWho pays for the sea wall?\n2\tWhat did the storm do to the boats?\n",
		"recorded.json": recordedLines(),
	} {
		if err := os.WriteFile(filepath.Join(k.in, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}

	for _, w := range all {
		w.server.Delay, w.server.Slots = 12*time.Millisecond, 4
		k.posts[w] = openPost(t, w.server)
		dir := t.TempDir()
		e := k.process(w, dir).run(t)
		if e.code != exitOK && e.code != exitPartial {
			t.Fatalf("%s: exit code %d: %s", w.name, e.code, e.said())
		}
		k.calm[w], k.code[w], k.asked[w] = w.made(t, dir, e), e.code, w.requests()
		if len(k.calm[w]) == 0 || k.asked[w] < 4 {
			t.Fatalf("%s makes %d files of %d requests: the test proves nothing", w.name, len(k.calm[w]), k.asked[w])
		}
	}
	return k
}

// recordedLines is a topic with the outputs of three systems.
func recordedLines() string {
	return `{"topic":"t","documents":[{"document_id":"d1","document_text":"x","insights_included":["i1","i2"]}],
"subtopics":[{"subtopic_id":"s1","subtopic":"b","query":"q","retriever":{"oracle":{"d1":1}},
"insights":[{"insight_id":"i1","insight":"The red bridge opened in 1901."},{"insight_id":"i2","insight":"It is long."}],
"summaries":{"summary_subtopic_oracle_a":["- The red bridge opened in 1901 [1]","- Long [2]"],
"summary_subtopic_oracle_b":["- a [1]","- b"],"summary_subtopic_oracle_c":["- The bridge is red [1]"]},
"eval_summaries":{"summary_subtopic_oracle_a":[],"summary_subtopic_oracle_b":[],"summary_subtopic_oracle_c":[]}}]}`
}

// process is the command in a folder.
func (k *kills) process(w *work, dir string) process {
	fill := strings.NewReplacer("{in}", k.in, "{dir}", dir)
	args := strings.Fields(fill.Replace(w.line))
	args = append(args, "--host", k.posts[w].url(), "--max-failures", "3")
	return process{args: args, cache: filepath.Join(dir, "home")}
}

// made is what a command has made, by file.
func (w *work) made(t *testing.T, dir string, e ended) map[string]string {
	t.Helper()
	if w.out == "" {
		return map[string]string{"stdout": e.stdout}
	}
	path := filepath.Join(dir, w.out)
	if info, err := os.Stat(path); err == nil && !info.IsDir() {
		return map[string]string{w.out: string(read(t, dir, w.out))}
	}
	return derived(tree(t, path))
}

// requests counts what the server was asked.
func (w *work) requests() int { return w.server.Count() + len(w.server.Embeds()) }

// once ends a command early, runs it again, and checks what it makes. It returns 1 if the
// command had not ended by itself.
func (k *kills) once(t *testing.T, w *work, way ending) int {
	t.Helper()
	dir := t.TempDir()
	first := way.do(t, k, w, dir)
	early := 0
	if first.code != k.code[w] {
		early = 1
	}
	if first.code != -1 && panics(first.said()) {
		t.Errorf("%s, %s: it panics: %s", w.name, way.name, tail(first.said()))
	}
	if _, err := os.Stat(filepath.Join(dir, w.out, w.whole)); w.whole != "" && err == nil {
		return early // ended after its last write, or not at all
	}

	finished := finishedCalls(t, filepath.Join(dir, w.calls))
	before := w.server.Count()
	again := k.process(w, dir).run(t)
	if again.code != k.code[w] {
		t.Errorf("%s, %s: the rerun ends with %d: %s", w.name, way.name, again.code, tail(again.said()))
		return early
	}
	for _, req := range w.server.Chats()[before:] {
		if finished[requestKey(req)] {
			last := req.Messages[len(req.Messages)-1].Content
			t.Errorf("%s, %s: a finished call was asked again: %.80s", w.name, way.name, last)
		}
	}
	k.check(t, w, way, dir, again)
	return early
}

// check looks at what is left after the rerun.
func (k *kills) check(t *testing.T, w *work, way ending, dir string, e ended) {
	t.Helper()
	if other := unlike(k.calm[w], w.made(t, dir, e)); len(other) > 0 {
		t.Errorf("%s, %s: other than undisturbed: %v", w.name, way.name, other)
	}
	if left := leftovers(tree(t, dir)); len(left) > 0 {
		t.Errorf("%s, %s: left behind: %v", w.name, way.name, left)
	}
	if w.name == "run" && knows("runs verify", "") {
		if code, out, errs := mainly([]string{"runs", "verify", filepath.Join(dir, w.out)}); code != exitOK {
			t.Errorf("%s, %s: runs verify ends with %d: %s%s", w.name, way.name, code, out, errs)
		}
	}
}

// finishedCalls lists the calls of a journal whose answer counts.
func finishedCalls(t *testing.T, dir string) map[string]bool {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(dir, "journal.jsonl"))
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	words := map[string]string{} // by key
	for line := range bytes.Lines(data) {
		var e gate.Entry
		if json.Unmarshal(line, &e) != nil || !bytes.HasSuffix(line, []byte("\n")) {
			continue // torn
		}
		delete(words, e.Key)
		if e.Void == "" && e.Reply.Outcome == local.OK {
			var b strings.Builder
			for _, m := range e.Call.Messages {
				b.WriteString(m.Role + m.Content)
			}
			words[e.Key] = b.String()
		}
	}

	out := map[string]bool{}
	for _, w := range words {
		out[w] = true
	}
	return out
}

// until runs a command to a moment, does something to it, and waits for its end. A moment
// is a number of requests and a little more, as in killing.
func (k *kills) until(t *testing.T, w *work, dir string, do func(p *os.Process)) ended {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	cmd := k.process(w, dir).command(ctx)
	var said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &said, &said
	moment := w.requests() + k.rng.IntN(k.asked[w])
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	over := make(chan struct{})
	go func() {
		_ = cmd.Wait() // the exit code says it all
		close(over)
	}()

	for gone := false; w.requests() < moment && !gone; {
		select {
		case <-over:
			gone = true
		case <-time.After(time.Millisecond):
		}
	}
	time.Sleep(time.Duration(k.rng.IntN(12)) * time.Millisecond)
	do(cmd.Process)
	<-over
	return ended{code: cmd.ProcessState.ExitCode(), stdout: said.String()}
}

// pause stops a command for a while, as a laptop does that is closed.
func pause(t *testing.T, k *kills, w *work, dir string) ended {
	t.Helper()
	e := k.until(t, w, dir, func(p *os.Process) {
		_ = p.Signal(syscall.SIGSTOP) // it may have ended
		time.Sleep(time.Duration(k.rng.IntN(400)) * time.Millisecond)
		_ = p.Signal(syscall.SIGCONT)
	})
	if e.code != k.code[w] {
		t.Errorf("%s, stopped and continued: it ends with %d: %s", w.name, e.code, tail(e.said()))
	}
	return e
}

// outage takes the server away, until the command has ended or for a moment.
func outage(long bool) func(t *testing.T, k *kills, w *work, dir string) ended {
	return func(t *testing.T, k *kills, w *work, dir string) ended {
		t.Helper()
		post := k.posts[w]
		e := k.until(t, w, dir, func(*os.Process) {
			post.close()
			if !long {
				time.Sleep(time.Duration(k.rng.IntN(300)) * time.Millisecond)
				post.open(t)
			}
		})
		if long {
			post.open(t)
		}
		if e.code != k.code[w] && e.code != exitServer && e.code != exitPartial {
			t.Errorf("%s, server gone: it ends with %d: %s", w.name, e.code, tail(e.said()))
		}
		return e
	}
}

// inject has strace do something to a command in one of its first system calls of a name.
// strace counts them by thread.
func inject(call, what string, first int) func(t *testing.T, k *kills, w *work, dir string) ended {
	return func(t *testing.T, k *kills, w *work, dir string) ended {
		t.Helper()
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		cmd := k.process(w, dir).command(ctx)
		when := fmt.Sprintf("inject=%s:%s:when=%d", call, what, 1+k.rng.IntN(first))
		path, err := exec.LookPath("strace")
		if err != nil {
			t.Fatal(err)
		}
		cmd.Args = append([]string{"strace", "-f", "-qq", "-o", "/dev/null",
			"-e", "trace=" + call, "-e", when, cmd.Path}, cmd.Args[1:]...)
		cmd.Path = path
		var said bytes.Buffer
		cmd.Stdout, cmd.Stderr = &said, &said
		_ = cmd.Run() // the exit code says it all
		return ended{code: cmd.ProcessState.ExitCode(), stdout: said.String()}
	}
}

// post is a server whose port can be closed and opened again.
type post struct {
	handler http.Handler
	addr    string
	server  *http.Server
}

func openPost(t *testing.T, h http.Handler) *post {
	t.Helper()
	p := &post{handler: h, addr: "127.0.0.1:0"}
	p.open(t)
	t.Cleanup(p.close)
	return p
}

func (p *post) url() string { return "http://" + p.addr }

// open listens, at the port that it had before.
func (p *post) open(t *testing.T) {
	t.Helper()
	l, err := net.Listen("tcp", p.addr)
	for try := 0; err != nil && try < 50; try++ {
		time.Sleep(20 * time.Millisecond)
		l, err = net.Listen("tcp", p.addr)
	}
	if err != nil {
		t.Error(err) // perhaps from a goroutine of its own
		return
	}
	p.addr = l.Addr().String()
	p.server = &http.Server{Handler: p.handler}
	go func(s *http.Server) { _ = s.Serve(l) }(p.server) // it ends with close
}

// close cuts all connections.
func (p *post) close() { _ = p.server.Close() } // nothing is left to be lost
