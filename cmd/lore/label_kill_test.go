package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/cookiejar"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"lore/cmd/lore/internal/label"
)

// Labels that were shown as saved are there after kill -9 at any moment, and the next process
// goes on behind them.
func TestLabelKills(t *testing.T) {
	rng := dice(t)
	dir := filepath.Join(t.TempDir(), "run")
	out := filepath.Join(dir, "labels", "coverage")
	for _, args := range [][]string{
		{"run", "summhay", "--limit", "2", "--retriever", "bm25", "--budget-tokens", "2000", "--out", dir},
		{"label", "plan", dir, "--task", "coverage", "--labels", "10"},
	} {
		if code, _, errs := mainly(args); code != exitOK {
			t.Fatalf("%v: %s", args, errs)
		}
	}
	f, _, err := label.Read(out)
	if err != nil {
		t.Fatal(err)
	}

	saved, sent, unfinished := []label.Label{}, 0, 0
	for round := range sized(6, 50) {
		kill := killSaving
		if round%2 == 1 {
			kill = killViewing
		}
		acknowledged := kill(t, out, f, &sent, 1+rng.IntN(40), time.Duration(rng.IntN(3000))*time.Microsecond)
		saved = append(saved, acknowledged...)
		now, warnings, err := label.Read(out)
		if err != nil {
			t.Fatal(err)
		}
		unfinished += len(warnings)
		at := map[string]bool{}
		for _, l := range now.Labels {
			at[l.At.String()] = true
		}
		for _, l := range saved {
			if !at[l.At.String()] {
				t.Fatalf("the label of %s was shown as saved, and is lost", l.At)
			}
		}
	}
	t.Logf("%d labels were shown as saved, %d last lines were torn", len(saved), unfinished)
	if len(saved) < sized(6, 50) {
		t.Errorf("only %d labels: the test proves little", len(saved))
	}
}

// labelsToSend are labels that were not sent before.
func labelsToSend(f *label.Folder, sent *int) []label.Label {
	var lines []label.Label
	for n := range 400 {
		a := label.Answer{Fields: map[string][]string{"coverage": {"none"}}, Note: strings.Repeat("x", n*7%900)}
		lines = append(lines, label.Label{
			Task: label.Coverage, Item: f.Sheet.Items[n%len(f.Sheet.Items)].ID, Annotator: "anna", Answer: &a,
			At: time.UnixMilli(int64(1e12) + int64(*sent+n)).UTC(),
		})
	}
	*sent += len(lines)
	return lines
}

// killViewing does the same to lore view, which is sent labels as its page sends them.
func killViewing(t *testing.T, dir string, f *label.Folder, sent *int, after int, moment time.Duration) []label.Label {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	cmd := process{args: []string{"view", dir}, cache: t.TempDir()}.command(ctx)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	address, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatalf("lore view prints no address: %v", err)
	}

	jar, _ := cookiejar.New(nil) // never fails
	client := &http.Client{Jar: jar}
	page := strings.TrimSpace(address)
	if resp, err := client.Get(page); err != nil || resp.StatusCode != 200 {
		t.Fatalf("open %s: %v", page, err)
	}
	to, _, _ := strings.Cut(page, "?")

	lines := labelsToSend(f, sent)
	n := 0
	for _, l := range lines {
		data, err := json.Marshal(l)
		if err != nil {
			t.Fatal(err)
		}
		resp, err := client.Post(to+"/labels", "application/json", bytes.NewReader(data))
		if err != nil {
			break // killed
		}
		said, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		if err != nil || resp.StatusCode != 200 || !strings.Contains(string(said), l.Item) {
			break
		}
		if n++; n == after {
			time.AfterFunc(moment, func() { _ = cmd.Process.Kill() })
		}
	}
	_, _ = io.Copy(io.Discard, out)
	_ = cmd.Wait() // it was killed
	if n == 0 {
		t.Fatal(fmt.Sprint("nothing was saved: ", cmd.ProcessState))
	}
	return lines[:n]
}

// killSaving sends labels to a process and kills it a moment after so many were acknowledged. It
// returns those.
func killSaving(t *testing.T, dir string, f *label.Folder, sent *int, after int, moment time.Duration) []label.Label {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	cmd := process{args: []string{"label", "add", dir, "-"}, cache: t.TempDir()}.command(ctx)
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}

	lines := labelsToSend(f, sent)
	go func() {
		for _, l := range lines {
			data, err := json.Marshal(l)
			if err != nil {
				panic(err)
			}
			if _, err := in.Write(append(data, '\n')); err != nil {
				return // killed
			}
		}
	}()

	n := 0
	killed := false
	scan := bufio.NewScanner(out)
	for scan.Scan() {
		if want := "saved " + lines[n].Item; scan.Text() != want {
			t.Fatalf("it says %q instead of %q", scan.Text(), want)
		}
		if n++; n >= after && !killed {
			killed = true
			time.AfterFunc(moment, func() { _ = cmd.Process.Kill() })
		}
		if n == len(lines) {
			break
		}
	}
	_, _ = io.Copy(io.Discard, out)
	_ = cmd.Wait() // it was killed
	if n == 0 {
		t.Fatal(fmt.Sprint("nothing was saved: ", cmd.ProcessState))
	}
	return lines[:n]
}
