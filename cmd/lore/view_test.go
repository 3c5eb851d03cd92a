package main

import (
	"bufio"
	"context"
	"io"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"lore/cmd/lore/internal/store"
	"lore/local/ollama/ollamatest"
)

// viewing starts lore view in a folder until the test ends, and returns what it prints.
func viewing(t *testing.T, dir string, args ...string) string {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	cmd := exec.CommandContext(ctx, os.Args[0], append([]string{"view"}, args...)...)
	cmd.Env, cmd.Dir = append(os.Environ(), asCommand+"=1"), dir
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		cancel()
		t.Fatal(err)
	}
	t.Cleanup(func() {
		defer cancel()
		if err := cmd.Process.Signal(syscall.SIGINT); err != nil {
			t.Error(err)
		}
		began := time.Now()
		if err := cmd.Wait(); err != nil || time.Since(began) > 3*time.Second {
			t.Errorf("lore view ends with %v after %v", err, time.Since(began))
		}
	})
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatalf("lore view prints no address: %v", err)
	}
	return strings.TrimSpace(line)
}

// visit opens the address that lore view prints.
func (b *browser) visit(address string) {
	b.t.Helper()
	u, err := url.Parse(address)
	if err != nil {
		b.t.Fatal(err)
	}
	if b.origin = u.Scheme + "://" + u.Host; u.RawQuery != "" {
		// The page is left before the server ends: it would ask once more, and complain.
		b.t.Cleanup(func() { _ = chromedp.Do(b.ctx, chromedp.Navigate("about:blank")) })
	}
	if err := chromedp.Do(b.ctx, chromedp.Navigate(address)); err != nil {
		b.t.Fatalf("open %s: %v", address, err)
	}
}

const whole = `document.documentElement?.dataset.ready === 'yes'`

// Somebody opens the list, a run, and a question in it; the token is not in the address, and
// nobody else is asked.
func TestViewInBrowser(t *testing.T) {
	b := newBrowser(t)
	dir := t.TempDir()
	server := &ollamatest.Server{Answer: ollamatest.Plausible}
	t.Setenv("OLLAMA_HOST", server.Start(t).URL)
	lore(t, "run", "summhay", "--retriever", "bm25,oracle", "--generator", "ollama:fake", "--limit", "2", "--budget-tokens", "2000",
		"--cache", "none", "--out", filepath.Join(dir, "june"))
	lore(t, "run", "summhay", "--retriever", "random", "--limit", "2", "--budget-tokens", "2000", "--out", filepath.Join(dir, "may"))
	address := viewing(t, dir)
	b.screen(1400, "light")
	b.visit(address)
	b.wait(whole)
	if at := eval[string](b, `location.href`); at != b.origin+"/" {
		t.Errorf("the address is %s", at)
	}
	if got := eval[string](b, `document.cookie`); got != "" {
		t.Errorf("scripts read the cookie %s", got)
	}
	b.shot("view-list-1400-light", true)
	b.screen(390, "dark")
	if got := eval[int](b, `document.documentElement.scrollWidth`); got > 390 {
		t.Errorf("the list is %d wide on a telephone", got)
	}
	b.shot("view-list-390-dark", true)
	b.screen(1400, "light")
	b.accessible(axeScript(t), "the list of runs")

	eval[any](b, `[...document.querySelectorAll('table.runs a')].find((a) => a.textContent === 'june').click()`)
	b.wait(whole + ` && document.querySelector('table.systems')`)
	eval[any](b, `document.querySelector('a .title').click()`)
	b.wait(`document.querySelectorAll('.answer-card').length === 2`)
	b.wait(`document.querySelectorAll('.took').length > 0 && document.querySelector('.models')`)
	if took := eval[string](b, `document.querySelector('.took').textContent`); !strings.Contains(took, "answered in") {
		t.Errorf("the time is %q", took)
	}
	if models := eval[string](b, `document.querySelector('.models').textContent`); !strings.Contains(models, "ollama:fake") {
		t.Errorf("the models' times are %q", models)
	}
	b.shot("view-question-1400-light", true)

	// Two runs are ticked and compared.
	b.visit(b.origin + "/")
	b.wait(whole)
	eval[any](b, `document.querySelectorAll('table.runs input').forEach((box) => box.click())`)
	eval[any](b, `document.getElementById('compare').click()`)
	b.wait(whole + ` && document.querySelectorAll('table.systems tbody tr').length === 3`)
	if at := eval[string](b, `location.pathname`); !strings.HasPrefix(at, "/run/") || !strings.Contains(at, "-") {
		t.Errorf("the comparison is at %s", at)
	}
	b.shot("view-compare-1400-light", true)
}

// A run that goes on is followed until its page opens by itself.
func TestViewOfALiveRunInBrowser(t *testing.T) {
	b := newBrowser(t)
	dir := t.TempDir()
	ended := make(chan struct{})
	server := &ollamatest.Server{Answer: ollamatest.Plausible, Delay: 150 * time.Millisecond}
	t.Setenv("OLLAMA_HOST", server.Start(t).URL)
	run := filepath.Join(dir, "now")
	go func() {
		defer close(ended)
		args := []string{"run", "summhay", "--retriever", "bm25,oracle,random", "--generator", "ollama:fake", "--budget-tokens", "2000",
			"--slots", "1", "--cache", "none", "--index-dir", filepath.Join(dir, "index"), "--out", run}
		if code := Main(args, io.Discard, io.Discard); code != exitOK && code != exitPartial {
			t.Errorf("the run ends with %d", code)
		}
	}()
	defer func() { <-ended }()
	waitForFile(t, filepath.Join(run, ".progress.json"))

	address := viewing(t, dir, "now")
	if !strings.Contains(address, "/run/") {
		t.Errorf("one run opens at %s", address)
	}
	b.screen(1400, "light")
	b.visit(address)
	b.wait(`document.querySelector('.phases progress')`)
	b.wait(`[...document.querySelectorAll('.phases li')].some((p) => p.textContent.startsWith('generate') && p.querySelector('progress').value > 0)`)
	if status := eval[string](b, `document.querySelector('[role=status]').textContent`); !strings.Contains(status, "goes on") {
		t.Errorf("the page says %q", status)
	}
	b.wait(`document.querySelector('table.calls tbody')?.textContent.includes('ollama:fake')`)
	b.shot("view-live-1400-light", true)
	b.screen(390, "dark")
	if got := eval[int](b, `document.documentElement.scrollWidth`); got > 390 {
		t.Errorf("a live run is %d wide on a telephone", got)
	}
	b.shot("view-live-390-dark", true)
	b.wait(whole + ` && document.querySelectorAll('table.systems tbody tr').length === 3`)
	<-ended
	if _, err := os.Stat(filepath.Join(run, ".progress.json")); err == nil {
		t.Error("a finished run says that it is not")
	}
}

// A finished run that is extended is shown anew by itself.
func TestViewReloadsAnExtendedRun(t *testing.T) {
	b := newBrowser(t)
	dir := t.TempDir()
	extend := func(retrievers string) {
		lore(t, "run", "summhay", "--retriever", retrievers, "--limit", "2", "--budget-tokens", "2000", "--cache", "none",
			"--index-dir", filepath.Join(dir, "index"), "--out", filepath.Join(dir, "june"))
	}
	extend("bm25")
	address := viewing(t, dir, "june")
	b.screen(1400, "light")
	b.visit(address)
	b.wait(whole + ` && document.querySelectorAll('table.systems tbody tr').length === 1`)
	extend("bm25,oracle")
	b.wait(whole + ` && document.querySelectorAll('table.systems tbody tr').length === 2`)
}

// The page of a run that is not there any more leads back to the list.
func TestViewLeadsBack(t *testing.T) {
	b := newBrowser(t)
	dir := t.TempDir()
	lore(t, "run", "summhay", "--retriever", "bm25", "--limit", "1", "--budget-tokens", "2000", "--cache", "none",
		"--index-dir", filepath.Join(dir, "index"), "--out", filepath.Join(dir, "june"))
	address := viewing(t, dir, "june")
	b.screen(1400, "light")
	b.visit(address)
	b.wait(whole)
	run := eval[string](b, `location.pathname`)

	// It is damaged while the page is open, and asked for again.
	if err := os.WriteFile(filepath.Join(dir, "june", "answers.jsonl"), []byte("{}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	manifest := filepath.Join(dir, "june", "manifest.json")
	if err := os.Chtimes(manifest, time.Time{}, time.Now().Add(time.Minute)); err != nil {
		t.Fatal(err)
	}
	b.visit(b.origin + run)
	b.wait(`document.querySelector('[role=alert]')?.textContent.includes('answers.jsonl')`)
	eval[any](b, `document.querySelector('a[href="/"]').click()`)
	b.wait(`document.querySelector('table.runs')`)
	b.forget() // the browser notes that what was asked for is refused
}

// Answers that fail without a failing call are counted while the run goes on; the list says what
// is known of a run that was interrupted.
func TestViewCountsFailedAnswers(t *testing.T) {
	b := newBrowser(t)
	dir := t.TempDir()
	run := filepath.Join(dir, "now")
	folder, err := store.Open(run)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join(run, "retrieval"), 0o700); err != nil {
		t.Fatal(err)
	}
	progress := &store.Progress{}
	progress.Plan(store.Plan{Benchmark: "summhay", Items: 7, Systems: 2, Judges: []string{"lexical"}})
	progress.Tell("generate", 0, 14)
	progress.Tell("generate", 3, 14)
	progress.Failed(store.FailedAnswer{System: "outside theirs", Item: "a/b", Reason: `names the document "x", which the data does not have`})
	progress.Begin(folder)

	address := viewing(t, dir)
	b.screen(1400, "light")
	b.visit(address)
	b.wait(whole)
	list := `document.querySelector('table.runs tbody')?.textContent`
	if got := eval[string](b, list); !strings.Contains(got, "running: generate 3 of 14") || !strings.Contains(got, "summhay72lexical") {
		t.Errorf("the list says %q of a run that goes on", got)
	}
	eval[any](b, `document.querySelector('table.runs a').click()`)
	b.wait(`document.querySelector('.failed-answers')?.textContent.includes('which the data does not have')`)

	if err := folder.Close(); err != nil {
		t.Fatal(err)
	}
	b.visit(b.origin + "/")
	b.wait(list + `?.includes('interrupted at generate 3 of 14: the same lore run command again goes on')`)
}

func waitForFile(t *testing.T, path string) {
	t.Helper()
	for range 600 {
		if _, err := os.Stat(path); err == nil {
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
	t.Fatalf("%s is never written", path)
}
