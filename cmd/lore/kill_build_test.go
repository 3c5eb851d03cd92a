package main

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/ollama/ollama/api"

	"lore/local/ollama/ollamatest"
)

// goodParts answers every prompt of a CRUX build: passages that depend on the prompt,
// a request and a question.
func goodParts(req api.ChatRequest) string {
	last := req.Messages[len(req.Messages)-1].Content
	n := strings.Count(last, "a")
	return fmt.Sprintf(`{"passages":["Passage %d. %s"],"request":"Write a report for the council on how the harbour wall came through the winter, who repaired it, who paid, and how it ended.","questions":["Why did the harbour wall hold through the storm?","Who paid for the stone of the wall %d?"]}`,
		n, strings.Repeat("The harbour wall held through the storm because of its new stone. ", 8), n)
}

// TestKillBuild kills a build with SIGKILL at random moments. Each rerun must ask
// nothing again that was finished, and end with the dataset of an undisturbed build.
func TestKillBuild(t *testing.T) {
	kills := 20
	if testing.Short() {
		kills = 4
	}
	server := &ollamatest.Server{Slots: 3, Delay: 15 * time.Millisecond, Answer: goodParts}
	url := server.Start(t).URL
	cache := t.TempDir()
	command := func(out string) *exec.Cmd {
		cmd := exec.Command(os.Args[0], "build", "crux", "--msrs", "../../datasets/msrs/sample/story", "--questions", "2", "--model", "ollama:fake", "--judge", "lexical", "--host", url, "--slots", "3", "--out", out)
		cmd.Env = append(os.Environ(), asCommand+"=1", "XDG_CACHE_HOME="+cache)
		return cmd
	}
	calm := filepath.Join(t.TempDir(), "calm")
	if out, err := command(calm).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	total := server.Count()
	rng := rand.New(rand.NewPCG(19, 23))
	interrupted := 0
	for range kills {
		dir := filepath.Join(t.TempDir(), "built")
		cmd := command(dir)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		ended := make(chan error, 1)
		go func() { ended <- cmd.Wait() }()
		moment, over := server.Count()+rng.IntN(total), false
		for server.Count() < moment && !over {
			select {
			case err := <-ended:
				ended <- err
				over = true
			case <-time.After(time.Millisecond):
			}
		}
		time.Sleep(time.Duration(rng.IntN(12)) * time.Millisecond)
		_ = cmd.Process.Kill() // it may have finished
		if <-ended == nil {
			continue
		}
		interrupted++
		finished := journalled(t, dir)
		before := server.Count()
		if _, err := os.Stat(filepath.Join(dir, "topics.jsonl")); err == nil {
			continue // killed after its last write
		}
		if out, err := command(dir).CombinedOutput(); err != nil {
			t.Fatalf("the rerun failed: %v\n%s", err, out)
		}
		for _, req := range server.Chats()[before:] {
			if finished[requestKey(req)] {
				t.Errorf("a finished call was asked again: %.80s", req.Messages[len(req.Messages)-1].Content)
			}
		}
		for _, name := range []string{"topics.jsonl", "passages.jsonl", "build-log.jsonl"} {
			if !bytes.Equal(read(t, dir, name), read(t, calm, name)) {
				t.Fatalf("%s differs from that of an undisturbed build", name)
			}
		}
	}
	t.Logf("%d of %d builds were killed before their end", interrupted, kills)
	if interrupted < kills/2 {
		t.Errorf("only %d of %d kills came in time: the test proves little", interrupted, kills)
	}
}
