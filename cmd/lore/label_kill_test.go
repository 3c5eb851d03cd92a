package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
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
	for range sized(6, 50) {
		acknowledged := killSaving(t, out, f, &sent, 1+rng.IntN(40), time.Duration(rng.IntN(3000))*time.Microsecond)
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

	first := *sent
	var lines []label.Label
	for n := range 400 {
		a := label.Answer{Fields: map[string][]string{"coverage": {"none"}}, Note: strings.Repeat("x", n*7%900)}
		lines = append(lines, label.Label{
			Task: label.Coverage, Item: f.Sheet.Items[n%len(f.Sheet.Items)].ID, Annotator: "anna", Answer: &a,
			At: time.UnixMilli(int64(1e12) + int64(first+n)).UTC(),
		})
	}
	*sent += len(lines)
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
