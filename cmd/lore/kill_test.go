package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/ollama/ollama/api"

	"lore/local"
	"lore/local/ollama/ollamatest"
)

// TestKillAtAnyMoment kills a run with SIGKILL at random moments. Each rerun must
// finish, ask nothing again that was finished, and end with the same scores as a
// run that was left alone.
func TestKillAtAnyMoment(t *testing.T) {
	kills := sized(15, 50)
	if testing.Short() {
		kills = 4
	}
	server := &ollamatest.Server{Slots: 4, Delay: 10 * time.Millisecond, Answer: ollamatest.Plausible}
	killing{server: server, kills: kills, files: []string{"scores.json", "answers.jsonl", "verdicts.jsonl", "manifest.json", "report.html"}, seed: 7, args: []string{"run", "summhay", "--slots", "4", "--retriever", "oracle,bm25",
		"--budget-tokens", "2000", "--generator", "ollama:fake", "--judge", "lexical,ollama:fake"}}.test(t)
}

// killing is a command that is killed with SIGKILL at random moments and run again.
type killing struct {
	server *ollamatest.Server
	args   []string // all but --host and --out
	files  []string // that must be those of an undisturbed run
	whole  string   // the file that ends a command which does not run a second time; empty if it does
	kills  int
	seed   uint64
}

// test fails if a rerun fails, asks for anything again that was finished, or ends with
// other files.
func (k killing) test(t *testing.T) {
	t.Helper()
	url := k.server.Start(t).URL
	cache := t.TempDir()
	command := func(out string) *exec.Cmd {
		cmd := exec.Command(os.Args[0], append(slices.Clone(k.args), "--host", url, "--out", out, "--cache", out+"-cache")...)
		cmd.Env = append(os.Environ(), asCommand+"=1", "XDG_CACHE_HOME="+cache)
		return cmd
	}
	calm := filepath.Join(t.TempDir(), "out")
	if out, err := command(calm).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	total := k.server.Count()
	rng := rand.New(rand.NewPCG(k.seed, 11))
	interrupted := 0
	for range k.kills {
		dir := filepath.Join(t.TempDir(), "out")
		if k.interrupt(t, command(dir), total, rng) {
			interrupted++
		}
		if _, err := os.Stat(filepath.Join(dir, k.whole)); k.whole != "" && err == nil {
			continue // killed after its last write, or not at all
		}
		finished := journalled(t, dir)
		before := k.server.Count()
		if out, err := command(dir).CombinedOutput(); err != nil {
			t.Fatalf("the rerun failed: %v\n%s", err, out)
		}
		for _, req := range k.server.Chats()[before:] {
			if finished[requestKey(req)] {
				t.Errorf("a finished call was asked again: %.80s", req.Messages[len(req.Messages)-1].Content)
			}
		}
		for _, name := range k.files {
			if !bytes.Equal(read(t, dir, name), read(t, calm, name)) {
				t.Fatalf("%s differs from that of an undisturbed run", name)
			}
		}
	}
	t.Logf("%d of %d were killed before their end", interrupted, k.kills)
	if interrupted < k.kills/2 {
		t.Errorf("only %d of %d kills came in time: the test proves little", interrupted, k.kills)
	}
}

// interrupt starts a command and kills it. A moment is a number of requests and a
// little more, so that a slow machine is killed as often in the middle as a fast one.
func (k killing) interrupt(t *testing.T, cmd *exec.Cmd, total int, rng *rand.Rand) bool {
	t.Helper()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	moment, over := k.server.Count()+rng.IntN(total), false
	for k.server.Count() < moment && !over {
		select {
		case err := <-ended:
			ended <- err
			over = true
		case <-time.After(time.Millisecond):
		}
	}
	time.Sleep(time.Duration(rng.IntN(12)) * time.Millisecond)
	_ = cmd.Process.Kill() // it may have finished
	return <-ended != nil
}

func read(t *testing.T, dir, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// journalled lists the calls that are on disk in whole lines, in the journals below a folder.
func journalled(t *testing.T, dir string) map[string]bool {
	t.Helper()
	out := map[string]bool{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.Name() != "journal.jsonl" {
			return nil //nolint:nilerr // a folder that is not there has no journal
		}
		f, err := os.Open(path)
		if err != nil {
			return err
		}
		defer f.Close()
		scan := bufio.NewScanner(f)
		scan.Buffer(nil, 1<<24)
		for scan.Scan() {
			var e struct{ Call local.Call }
			if json.Unmarshal(scan.Bytes(), &e) == nil {
				out[e.Call.Model+callWords(e.Call)] = true
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func callWords(call local.Call) string {
	var b strings.Builder
	for _, m := range call.Messages {
		b.WriteString(m.Role + m.Content)
	}
	return b.String()
}

func requestKey(req api.ChatRequest) string {
	var b strings.Builder
	b.WriteString(req.Model)
	for _, m := range req.Messages {
		b.WriteString(m.Role + m.Content)
	}
	return b.String()
}

// A disk that is full stops the run with one message, and what was finished
// counts when there is room again. A limit on the size of files stands in for
// the disk.
func TestFullDisk(t *testing.T) {
	url := (&ollamatest.Server{Slots: 4, Answer: ollamatest.Plausible}).Start(t).URL
	dir := filepath.Join(t.TempDir(), "run")
	args := " run summhay --host " + url + " --slots 4 --retriever oracle --budget-tokens 2000 --generator ollama:fake --judge ollama:fake --out " + dir
	env := append(os.Environ(), asCommand+"=1", "XDG_CACHE_HOME="+t.TempDir())
	full := exec.Command("bash", "-c", "ulimit -f 100; exec "+os.Args[0]+args)
	full.Env = env
	out, err := full.CombinedOutput()
	if err == nil || full.ProcessState.ExitCode() != exitError {
		t.Fatalf("exit %v\n%s", err, out)
	}
	if n := strings.Count(string(out), "lore: "); n != 1 || !strings.Contains(string(out), "are kept: make room") {
		t.Errorf("%d messages: %s", n, out)
	}
	kept := len(journalled(t, dir))
	if kept == 0 {
		t.Error("nothing was kept")
	}
	again := exec.Command("bash", "-c", "exec "+os.Args[0]+args)
	again.Env = env
	out, err = again.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if len(journalled(t, dir)) <= kept {
		t.Error("the rerun added nothing")
	}
}

// An interrupt ends a run with code 130 and loses nothing.
func TestInterrupt(t *testing.T) {
	server := &ollamatest.Server{Slots: 1, Delay: 20 * time.Millisecond, Answer: ollamatest.Plausible}
	url := server.Start(t).URL
	dir := filepath.Join(t.TempDir(), "run")
	cmd := exec.Command(os.Args[0], "run", "summhay", "--host", url, "--retriever", "oracle", "--budget-tokens", "1000", "--generator", "ollama:fake", "--judge", "ollama:fake", "--out", dir)
	cmd.Env = append(os.Environ(), asCommand+"=1", "XDG_CACHE_HOME="+t.TempDir())
	var log bytes.Buffer
	cmd.Stderr = &log
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	for server.Count() < 5 {
		time.Sleep(5 * time.Millisecond)
	}
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if _ = cmd.Wait(); cmd.ProcessState.ExitCode() != exitInterrupted {
		t.Errorf("exit code %d, want %d\n%s", cmd.ProcessState.ExitCode(), exitInterrupted, log.String())
	}
	if !strings.Contains(log.String(), "finished calls to models and whole files are kept; run the same command again to resume from them") || len(journalled(t, dir)) == 0 {
		t.Errorf("log %q, %d calls kept", log.String(), len(journalled(t, dir)))
	}
}

// A command that is deep in a calculation is ended soon after the signal.
func TestInterruptInACalculation(t *testing.T) {
	cmd := exec.Command(os.Args[0], "score", "crux", "--contexts", "100000000")
	cmd.Env = append(os.Environ(), asCommand+"=1", "XDG_CACHE_HOME="+t.TempDir())
	var log bytes.Buffer
	cmd.Stderr = &log
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	waitForWork(t, cmd.Process.Pid)
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}

	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	select {
	case <-ended:
	case <-time.After(time.Minute):
		_ = cmd.Process.Kill()
		t.Fatal("the command went on after the signal")
	}
	if cmd.ProcessState.ExitCode() != exitInterrupted || !strings.Contains(log.String(), "interrupted") {
		t.Errorf("exit code %d: %s", cmd.ProcessState.ExitCode(), log.String())
	}
}

// waitForWork waits until a process has worked for a second, however long a busy machine takes
// to give it that: by then it has begun what it is to do.
func waitForWork(t *testing.T, pid int) {
	t.Helper()
	const ticks = 100 // of the clock, a second
	for range 3000 {
		data, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		if err != nil {
			time.Sleep(2 * time.Second) // another system
			return
		}
		fields := strings.Fields(string(data[bytes.LastIndexByte(data, ')'):]))
		if used, err := strconv.Atoi(fields[12]); err == nil && used >= ticks {
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
	t.Fatal("the process never works")
}

// Two processes never work in one run folder.
func TestSecondProcessIsRefused(t *testing.T) {
	server := &ollamatest.Server{Delay: 300 * time.Millisecond}
	url := server.Start(t).URL
	dir := filepath.Join(t.TempDir(), "run")
	cache := "XDG_CACHE_HOME=" + t.TempDir()
	start := func() *exec.Cmd {
		cmd := exec.Command(os.Args[0], "run", "summhay", "--host", url, "--retriever", "oracle", "--limit", "1", "--budget-tokens", "500", "--generator", "ollama:fake", "--out", dir)
		cmd.Env = append(os.Environ(), asCommand+"=1", cache)
		return cmd
	}
	first := start()
	if err := first.Start(); err != nil {
		t.Fatal(err)
	}
	for server.Count() == 0 {
		time.Sleep(time.Millisecond)
	}
	out, err := start().CombinedOutput()
	if err == nil || !strings.Contains(string(out), "another lore process") {
		t.Errorf("%v: %s", err, out)
	}
	if err := first.Wait(); err != nil {
		t.Error(err)
	}
}
