package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
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
)

// Campaigns are tests that come in two sizes: a seeded sample of what they do belongs to
// every `go test`, and all of it is a target of the Makefile, which sets LORE_CAMPAIGN.
// LORE_SEED draws another sample.

// inFull reports whether a campaign is run in its long form.
func inFull() bool { return os.Getenv("LORE_CAMPAIGN") != "" }

// sized is the size of a campaign's form.
func sized(short, full int) int {
	if inFull() {
		return full
	}
	return short
}

// dice are those of a campaign; the seed is printed, so that a failure can be had again.
func dice(t *testing.T) *rand.Rand {
	t.Helper()
	seed := uint64(20)
	if s := os.Getenv("LORE_SEED"); s != "" {
		var err error
		if seed, err = strconv.ParseUint(s, 10, 64); err != nil {
			t.Fatalf("LORE_SEED: %v", err)
		}
	}
	t.Logf("seed %d", seed)
	return rand.New(rand.NewPCG(seed, 1))
}

// absent skips a test that lacks something, and fails it on CI.
func absent(t *testing.T, what string) {
	t.Helper()
	if os.Getenv("CI") == "true" {
		t.Fatal(what)
	}
	t.Skip(what)
}

// process is a lore command of its own process, with all that can be seen from outside.
type process struct {
	args  []string
	dir   string        // working folder; empty: that of the test
	cache string        // the user's cache folder
	most  time.Duration // it is killed after this
}

// ended is how a process went.
type ended struct {
	code   int // -1: killed
	stdout string
	stderr string
	peak   int64 // most memory it had, in bytes
	took   time.Duration
}

// said is all that it said.
func (e ended) said() string { return e.stdout + e.stderr }

// mb is the peak in megabytes.
func (e ended) mb() int { return int(e.peak >> 20) }

// command is the process before its start.
func (p process) command(ctx context.Context) *exec.Cmd {
	cmd := exec.CommandContext(ctx, os.Args[0], p.args...)
	cmd.Dir = p.dir
	cmd.Env = append(os.Environ(), asCommand+"=1", "XDG_CACHE_HOME="+p.cache)
	cmd.WaitDelay = time.Second
	cmd.SysProcAttr = mortal()
	return cmd
}

// mortal makes a process end with the test that started it.
func mortal() *syscall.SysProcAttr { return &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL} }

// cleanups are what is done when a part of a test is over; t.Cleanup waits for all of it.
type cleanups []func()

// Cleanup adds a step, which is done before those that were there.
func (c *cleanups) Cleanup(step func()) { *c = append(*c, step) }

func (c *cleanups) do() {
	for _, step := range slices.Backward(*c) {
		step()
	}
}

// run runs it to its end.
func (p process) run(t *testing.T) ended {
	t.Helper()
	if p.most == 0 {
		p.most = 2 * time.Minute
	}
	ctx, cancel := context.WithTimeout(context.Background(), p.most)
	defer cancel()
	cmd := p.command(ctx)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr

	start := time.Now()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	stop := make(chan struct{})
	peak := make(chan int64)
	go func() { peak <- watchMemory(cmd.Process.Pid, stop) }()
	_ = cmd.Wait() // the exit code says it all
	close(stop)
	return ended{
		code:   cmd.ProcessState.ExitCode(),
		stdout: stdout.String(),
		stderr: stderr.String(),
		peak:   <-peak,
		took:   time.Since(start),
	}
}

// counted answers calls that only count their prompt with a word, and all others as a
// model does.
func counted(model func(api.ChatRequest) string) func(api.ChatRequest) string {
	return func(req api.ChatRequest) string {
		if n, _ := req.Options["num_predict"].(float64); n == 1 {
			return "yes"
		}
		return model(req)
	}
}

// watchMemory is the most memory that a process had. What wait4 tells is of no use: it
// counts the memory of the test, which the process shared before it became lore.
func watchMemory(pid int, stop chan struct{}) int64 {
	var most int64
	for {
		status, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid)) // the process may be gone
		if _, rest, ok := strings.Cut(string(status), "VmHWM:"); ok {
			if kb, err := strconv.ParseInt(strings.Fields(rest)[0], 10, 64); err == nil {
				most = max(most, kb<<10)
			}
		}
		select {
		case <-stop:
			return most
		case <-time.After(10 * time.Millisecond):
		}
	}
}

// panics reports whether a command ended as a programme with a mistake does.
func panics(said string) bool {
	return strings.Contains(said, "panic:") || strings.Contains(said, "goroutine ") ||
		strings.Contains(said, "fatal error:")
}

// knows reports whether this tree has a verb, with a flag unless that is empty.
func knows(verb, flag string) bool {
	c, _, err := newRoot(nil, nil).Find(strings.Fields(verb))
	return err == nil && strings.HasSuffix(c.CommandPath(), verb) && (flag == "" || c.Flags().Lookup(flag) != nil)
}

// records reads a file of JSON lines; none where there is no such file.
func records[T any](t *testing.T, path string) []T {
	t.Helper()
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		t.Fatal(err)
	}
	var out []T
	for line := range bytes.Lines(data) {
		var v T
		if err := json.Unmarshal(line, &v); err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		out = append(out, v)
	}
	return out
}

// tree reads all files below a folder, by their path from there.
func tree(t *testing.T, dir string) map[string]string {
	t.Helper()
	out := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		name, err := filepath.Rel(dir, path)
		out[filepath.ToSlash(name)] = string(data)
		return err
	})
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	return out
}

// derived are the files of a run folder that must be the same after every run of the same
// command: all but the journal, whose lines hold times, and locks.
func derived(files map[string]string) map[string]string {
	out := map[string]string{}
	for name, text := range files {
		if !strings.HasPrefix(name, "calls/") && !isLock(name) {
			out[name] = text
		}
	}
	return out
}

// isLock reports whether a file is one of those that keep a second process out, which
// stay when a command has ended.
func isLock(name string) bool {
	return filepath.Base(name) == ".lock" || strings.HasSuffix(name, ".lock")
}

// unlike lists the files that two folders do not share, byte for byte.
func unlike(a, b map[string]string) []string {
	var out []string
	for name, text := range a {
		if other, ok := b[name]; !ok || other != text {
			out = append(out, name)
		}
	}
	for name := range b {
		if _, ok := a[name]; !ok {
			out = append(out, name)
		}
	}
	slices.Sort(out)
	return out
}

// leftovers are files of a folder that only a write under way may have.
func leftovers(files map[string]string) []string {
	var out []string
	for name := range files {
		base := filepath.Base(name)
		if strings.HasPrefix(base, ".writing-") || strings.HasSuffix(base, ".tmp") ||
			strings.HasSuffix(base, ".building") || strings.HasPrefix(base, "tmp") {
			out = append(out, name)
		}
	}
	slices.Sort(out)
	return out
}

// tail is the end of a long text, for messages.
func tail(s string) string { return s[max(0, len(s)-300):] }
