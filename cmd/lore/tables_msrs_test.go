package main

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"

	"lore/local/published"
)

// All recorded outputs of MSRS are scored, shown as the paper's tables and written as a page in one command, in
// less than a minute and a gigabyte. LORE_CAMPAIGN measures three times.
func TestMSRSTables(t *testing.T) {
	if testing.Short() {
		t.Skip("-short leaves out what only takes long; scripts run the same command on little data")
	}
	outputs := published.Path(t, "data/msrs/outputs")
	dir := filepath.Join(t.TempDir(), "tables")
	times := 1
	if os.Getenv("LORE_CAMPAIGN") != "" {
		times = 3
	}
	for range times {
		measureTables(t, outputs, dir)
	}

	data, err := os.ReadFile(filepath.Join(dir, "tables.json"))
	if err != nil {
		t.Fatal(err)
	}
	var got struct {
		Systems []struct {
			Unscored int `json:"n_unscored"`
			Empty    int `json:"n_empty"`
		} `json:"systems"`
	}
	if err := json.Unmarshal(data, &got); err != nil {
		t.Fatal(err)
	}
	empty, unscored := 0, 0
	for _, s := range got.Systems {
		empty, unscored = empty+s.Empty, unscored+s.Unscored
	}
	if len(got.Systems) != 45 || empty != 10 || unscored != 10 {
		t.Errorf("%d systems, %d empty answers, %d unscored; want 45, 10, 10", len(got.Systems), empty, unscored)
	}
	lookAtTables(t, filepath.Join(dir, "tables.html"))
}

// measureTables runs the command and holds it against its limits.
func measureTables(t *testing.T, outputs, dir string) {
	t.Helper()
	var out bytes.Buffer
	cmd := exec.Command(os.Args[0], "score", "msrs", outputs, "--bound", "high", "--out", dir)
	cmd.Env = append(os.Environ(), asCommand+"=1")
	cmd.Stdout, cmd.Stderr = &out, &out
	start := time.Now()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	stop, most := make(chan struct{}), make(chan int64)
	go func() { most <- watchMemory(cmd.Process.Pid, stop) }()
	err := cmd.Wait()
	took := time.Since(start)
	close(stop)
	memory := <-most >> 20
	if code := cmd.ProcessState.ExitCode(); code != exitPartial {
		t.Fatalf("%v: exit code %d, want %d since ten answers are empty\n%s", err, code, exitPartial, out.String())
	}
	t.Logf("45 systems: %.1f s, %d MiB", took.Seconds(), memory)
	if memory > 1024 {
		t.Errorf("it took %d MiB; at most 1024", memory)
	}
	if os.Getenv("LORE_CAMPAIGN") != "" && took > time.Minute { // elsewhere the machine may have other work
		t.Errorf("it took %s; at most a minute", took)
	}
	for _, want := range []string{"as the paper's Tables 6 and 13", "as the paper's Tables 7 and 14", "37.06 (5 unscored)"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in what it prints", want)
		}
	}
}

// lookAtTables sees in a browser without scripts that the page fits a telephone: tables scroll in their own place,
// beside the names of their rows.
func lookAtTables(t *testing.T, html string) {
	t.Helper()
	b := newBrowser(t)
	off := emulation.SetScriptExecutionDisabledParams{Value: true}
	if _, err := chromedp.Call(b.ctx, emulation.SetScriptExecutionDisabled, off); err != nil {
		t.Fatal(err)
	}
	for _, width := range []int{390, 1400} {
		b.screen(width, "light")
		if err := chromedp.Do(b.ctx, chromedp.Navigate("file://"+html)); err != nil {
			t.Fatal(err)
		}
		if wide := eval[int](b, `document.documentElement.scrollWidth`); wide > width {
			t.Errorf("the page is %d wide on a screen of %d", wide, width)
		}
		tall := eval[int](b, `Math.round(Math.max(...[...document.querySelectorAll('td')].map((c) => c.getClientRects()[0].height)))`)
		if tall > 60 {
			t.Errorf("a cell is %d high at %d: its words or numbers are broken", tall, width)
		}
		name := map[int]string{390: "tables-390-light", 1400: "tables-1400-light"}[width]
		b.shot(name, true)
	}
}
