package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// browser is a tab of a real Chromium, and what went wrong in it.
type browser struct {
	t   *testing.T
	ctx context.Context

	origin string // that may be asked; empty: pages are files, which ask nobody

	mu       sync.Mutex
	problems []string // console errors, exceptions, and what the policy refused
	requests []string // addresses that the page asked for
}

// chromium finds the browser. It may be missing on a machine of somebody, never in CI.
func chromium(t *testing.T) string {
	t.Helper()
	for _, name := range []string{os.Getenv("LORE_CHROMIUM"), "chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); name != "" && err == nil {
			return path
		}
	}
	if os.Getenv("CI") == "true" {
		t.Fatal("there is no chromium")
	}
	t.Skip("there is no chromium; LORE_CHROMIUM names one")
	return ""
}

// newBrowser starts a browser with one tab, which is closed with the test. At its end the
// test fails on any error in the console, and on any request but for the page itself.
func newBrowser(t *testing.T) *browser {
	t.Helper()
	if testing.Short() {
		t.Skip("a browser takes long")
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.NoSandbox, chromedp.ExecPath(chromium(t)))
	allocator, cancelAllocator := chromedp.NewExecAllocator(context.Background(), options...)
	t.Cleanup(cancelAllocator)
	ctx, cancelTab := chromedp.NewContext(allocator)
	t.Cleanup(cancelTab)
	ctx, cancelTime := context.WithTimeout(ctx, 3*time.Minute)
	t.Cleanup(cancelTime)

	b := &browser{t: t, ctx: ctx}
	_, err := chromedp.Call(ctx, network.Enable, network.EnableParams{})
	if err == nil {
		_, err = chromedp.Call(ctx, log.Enable, cdp.Empty{})
	}
	if err != nil {
		t.Fatalf("start chromium: %v", err)
	}
	b.listen()
	t.Cleanup(b.check)
	return b
}

// listen notes what goes wrong.
func (b *browser) listen() {
	calls := chromedp.Events(b.ctx, runtime.ConsoleAPICalled)
	thrown := chromedp.Events(b.ctx, runtime.ExceptionThrown)
	entries := chromedp.Events(b.ctx, log.EntryAdded)
	sent := chromedp.Events(b.ctx, network.RequestWillBeSent)

	go follow(calls, func(e runtime.EventConsoleAPICalled) {
		var words []string
		for _, a := range e.Args {
			words = append(words, string(a.Value)+a.Description)
		}
		b.note(&b.problems, fmt.Sprintf("console.%s: %s", e.Type, strings.Join(words, " ")))
	})
	go follow(thrown, func(e runtime.EventExceptionThrown) {
		text := e.ExceptionDetails.Text
		if x := e.ExceptionDetails.Exception; x != nil {
			text += " " + x.Description
		}
		b.note(&b.problems, "exception: "+text)
	})
	go follow(entries, func(e log.EventEntryAdded) { b.note(&b.problems, "log: "+e.Entry.Text) })
	go follow(sent, func(e network.EventRequestWillBeSent) { b.note(&b.requests, e.Request.URL) })
}

// follow hands events to a function until the tab is closed.
func follow[E any](events func(func(E, error) bool), do func(E)) {
	for e, err := range events {
		if err != nil {
			return
		}
		do(e)
	}
}

func (b *browser) note(list *[]string, what string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	*list = append(*list, what)
}

// forget leaves out what went wrong so far, which the test wants to.
func (b *browser) forget() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.problems = nil
}

func (b *browser) check() {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, p := range b.problems {
		b.t.Errorf("in the browser: %.400s", p)
	}
	for _, r := range b.requests {
		if b.origin != "" && (r == "about:blank" || strings.HasPrefix(r, b.origin+"/")) {
			continue
		}
		if !strings.HasPrefix(r, "file://") || strings.Contains(r, "/etc/") {
			b.t.Errorf("the page asked for %.200s", r)
		}
	}
}

// screen sets the size of the tab, and light or dark.
func (b *browser) screen(width int, scheme string) {
	b.t.Helper()
	size := emulation.SetDeviceMetricsOverrideParams{Width: int64(width), Height: 900, DeviceScaleFactor: 1, Mobile: width < 500}
	_, err := chromedp.Call(b.ctx, emulation.SetDeviceMetricsOverride, size)
	if err == nil {
		prefers := []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}
		_, err = chromedp.Call(b.ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: prefers})
	}
	if err != nil {
		b.t.Fatal(err)
	}
}

// open loads a page and waits until all of it is drawn.
func (b *browser) open(file, address string) {
	b.t.Helper()
	path, err := filepath.Abs(file)
	if err != nil {
		b.t.Fatal(err)
	}
	blank, load := chromedp.Navigate("about:blank"), chromedp.Navigate("file://"+path+address)
	if err := chromedp.Do(b.ctx, blank, load); err != nil {
		b.t.Fatalf("open %s: %v", file, err)
	}
	b.wait(`document.documentElement.dataset.ready === 'yes'`)
}

// wait waits until an expression is true.
func (b *browser) wait(expression string) {
	b.t.Helper()
	deadline := time.Now().Add(20 * time.Second)
	for {
		// While a page gives way to another, no expression has a value.
		is, err := chromedp.Run(b.ctx, chromedp.Evaluate[bool]("Boolean("+expression+")"))
		if err == nil && is {
			return
		}
		if b.ctx.Err() != nil || time.Now().After(deadline) {
			b.mu.Lock()
			defer b.mu.Unlock()
			b.t.Fatalf("never came true: %s; %q", expression, b.problems)
		}
		time.Sleep(20 * time.Millisecond)
	}
}

// keys presses keys.
func (b *browser) keys(keys string) {
	b.t.Helper()
	if err := chromedp.Do(b.ctx, chromedp.KeyEvent(keys)); err != nil {
		b.t.Fatal(err)
	}
}

// shot keeps a picture of the tab where LORE_SCREENSHOTS names a folder.
func (b *browser) shot(name string, whole bool) {
	b.t.Helper()
	dir := os.Getenv("LORE_SCREENSHOTS")
	if dir == "" {
		return
	}
	take := chromedp.CaptureScreenshot()
	if whole {
		take = chromedp.FullScreenshot(100)
	}
	data, err := chromedp.Run(b.ctx, take)
	if err == nil {
		err = os.MkdirAll(dir, 0o700)
	}
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, name+".png"), data, 0o600)
	}
	if err != nil {
		b.t.Errorf("picture %s: %v", name, err)
	}
}

// eval gives the value of an expression in the page; a promise is awaited.
func eval[T any](b *browser, expression string) T {
	b.t.Helper()
	v, err := chromedp.Run(b.ctx, chromedp.Evaluate[T](expression, chromedp.EvalAwaitPromise))
	if err != nil {
		b.t.Fatalf("%s: %v", expression, err)
	}
	return v
}
