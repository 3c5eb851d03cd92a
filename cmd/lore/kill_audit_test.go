package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"lore/local/ollama/ollamatest"
)

// An interrupted audit has kept the card of the files that were finished.
func TestInterruptedAudit(t *testing.T) {
	server := &ollamatest.Server{Slots: 1, Delay: 20 * time.Millisecond, Answer: ollamatest.Plausible}
	url := server.Start(t).URL
	dir := t.TempDir()
	for name, n := range map[string]int{"first": 3, "second": 400} {
		var rows strings.Builder
		rows.WriteString("text,statement,label\n")
		for i := range n {
			fmt.Fprintf(&rows, "%s text number %d on a red bridge,The bridge of %s %d is red.,full\n", name, i, name, i)
		}
		if err := os.WriteFile(filepath.Join(dir, name+".csv"), []byte(rows.String()), 0o666); err != nil {
			t.Fatal(err)
		}
	}

	cmd := exec.Command(os.Args[0], "judge", "audit", "first.csv", "second.csv", "--host", url, "--judge", "ollama:fake")
	cmd.Env = append(os.Environ(), asCommand+"=1", "XDG_CACHE_HOME="+filepath.Join(dir, "cache"))
	cmd.Dir = dir
	var log bytes.Buffer
	cmd.Stderr = &log
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	for server.Count() < 10 {
		time.Sleep(5 * time.Millisecond)
	}
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if _ = cmd.Wait(); cmd.ProcessState.ExitCode() != exitInterrupted {
		t.Fatalf("exit code %d, want %d\n%s", cmd.ProcessState.ExitCode(), exitInterrupted, log.String())
	}

	cards, _ := filepath.Glob(filepath.Join(dir, "cache", "lore", "*", "cards", "*.json"))
	more, _ := filepath.Glob(filepath.Join(dir, "cache", "lore", "cards", "*.json"))
	cards = append(cards, more...)
	if len(cards) != 1 {
		t.Fatalf("%d cards are kept, want that of the first file\n%s", len(cards), log.String())
	}
	data, err := os.ReadFile(cards[0])
	if err != nil || !strings.Contains(string(data), `"first"`) || strings.Contains(string(data), `"second"`) {
		t.Errorf("%v\n%s", err, data)
	}
}
