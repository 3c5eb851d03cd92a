package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"lore/cmd/lore/internal/label"
	reportpage "lore/cmd/lore/internal/page"
)

const (
	itemShown = `document.documentElement.dataset.item`
	progress  = `document.getElementById('progress').textContent`
	says      = `document.querySelector('.says').textContent`
)

// What is not answered is asked for; an item can be put off, left as not to be told, gone back to
// and answered anew; the browser remembers what was given when the page is opened again.
func TestLabelDesk(t *testing.T) {
	b := newBrowser(t)
	dir := t.TempDir()
	folder := labelledTasks[0].planned(t, dir)
	file := filepath.Join(folder, "label.html")
	b.screen(1400, "light")
	b.open(file, "")
	b.accessible(axeScript(t), "the instructions")
	eval[any](b, `document.querySelector('form.begin').requestSubmit()`)
	b.wait(`document.querySelector('.begin .warn').textContent.includes('who labels')`)
	b.begin("anna")
	b.accessible(axeScript(t), "an item")

	b.keys(kb.Enter)
	b.wait(says + `.includes('Not answered yet: The answer says it')`)
	b.keys("p")
	b.keys(kb.Enter)
	b.wait(says + `.includes('Which part says it')`)
	first := eval[string](b, itemShown)
	eval[any](b, `document.querySelectorAll('.unit')[1].click()`)
	b.wait(`document.querySelector('.unit.chosen .n').textContent === '2'`)
	b.keys(kb.Enter)
	b.wait(itemShown + ` !== '` + first + `' && ` + progress + `.startsWith('1 of 10')`)

	second := eval[string](b, itemShown)
	b.keys("s")
	b.wait(itemShown + ` !== '` + second + `' && ` + progress + `.startsWith('1 of 10')`)
	b.keys("?")
	b.wait(progress + `.startsWith('2 of 10')`)
	b.keys("i")
	b.wait(`document.querySelector('dialog[open]')`)
	b.keys("n") // means nothing while the instructions are open
	b.keys(kb.Escape)

	// Back to the first, which shows its answer, and gets another.
	for eval[string](b, itemShown) != first {
		b.keys(kb.ArrowLeft)
	}
	if eval[int](b, `document.querySelectorAll('.option.chosen').length`) != 2 || !eval[bool](b, `document.querySelector('.unit.chosen') !== null`) {
		t.Error("the answer that was given is not shown")
	}
	b.keys("n")
	eval[any](b, `document.getElementById('note').focus()`)
	b.keys("f is no answer here")
	eval[any](b, `document.getElementById('note').blur()`)
	b.keys(kb.Enter)
	b.wait(itemShown + ` !== '` + first + `'`)

	b.open(file, "")
	if got := eval[string](b, `document.getElementById('who').value`); got != "anna" {
		t.Errorf("the name is forgotten: %q", got)
	}
	b.begin("anna")
	b.wait(progress + `.startsWith('2 of 10')`)
	down := b.downloads()
	eval[any](b, `document.getElementById('file').click()`)
	saved := filepath.Join(down, "labels-coverage-anna.jsonl")
	waitForFile(t, saved)
	lines := strings.Split(strings.TrimSpace(string(mustRead(t, saved))), "\n")
	if len(lines) != 3 || !strings.Contains(lines[2], "f is no answer here") || !strings.Contains(lines[2], `"none"`) || strings.Contains(lines[2], "part") {
		t.Errorf("saved: %q", lines)
	}
	if said := output(t, "label", "add", folder, saved); !strings.Contains(said, "3 labels saved") {
		t.Errorf("label add says %s", said)
	}
}

// Somebody else's browser goes on from a saved file; lines that are no labels, and labels of
// something else, are named.
func TestLabelFileIsLoaded(t *testing.T) {
	b := newBrowser(t)
	dir := t.TempDir()
	folder := labelledTasks[0].planned(t, dir)
	f, _, err := label.Read(folder)
	if err != nil {
		t.Fatal(err)
	}
	own := label.Label{Task: "coverage", Item: f.Sheet.Items[0].ID, Annotator: "anna", At: time.UnixMilli(1e12).UTC(),
		Answer: &label.Answer{Fields: map[string][]string{"coverage": {"none"}}}}
	other := own
	other.Item = "0123456789abcdef"
	var text bytes.Buffer
	text.WriteString("\ufeff")
	for _, l := range []label.Label{own, own, other} {
		if err := json.NewEncoder(&text).Encode(l); err != nil {
			t.Fatal(err)
		}
	}
	text.WriteString("no label\n\n")
	file := filepath.Join(dir, "before.jsonl")
	if err := os.WriteFile(file, text.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}

	b.screen(390, "dark")
	b.open(filepath.Join(folder, "label.html"), "")
	if err := chromedp.Do(b.ctx, chromedp.SetUploadFiles("#load", []string{file})); err != nil {
		t.Fatal(err)
	}
	b.wait(`document.querySelector('.begin').textContent.includes('before.jsonl: 1 label read')`)
	told := eval[string](b, `document.querySelector('.begin').textContent`)
	for _, want := range []string{"1 were there", "1 label of something else left out", "no label: line 4"} {
		if !strings.Contains(told, want) {
			t.Errorf("the page does not say %q: %s", want, told)
		}
	}
	b.begin("anna")
	b.wait(progress + `.startsWith('1 of 10')`)
}

// From the page of a run somebody plans what to label, labels it, and sees the interval narrow;
// two annotators differ, and a third decides. A server that has gone is told of, and loses
// nothing that was saved.
func TestLabelFromThePlanOn(t *testing.T) {
	b := newBrowser(t)
	dir := t.TempDir()
	run := filepath.Join(dir, "first")
	lore(t, append(append([]string{"run"}, summhayRun...), "--index-dir", t.TempDir(), "--out", run)...)
	address := viewing(t, dir, "first")
	b.screen(1400, "light")
	b.visit(address)
	b.wait(whole + ` && document.querySelector('.home a[href^="/labels/"]')`)
	eval[any](b, `document.querySelector('.home a[href^="/labels/"]').click()`)
	b.wait(`document.querySelector('.gives figure')`)
	b.accessible(axeScript(t), "the plan")
	b.shot("label-plan-1400-light", true)
	eval[any](b, `(() => {
		const set = (id, value) => { const x = document.getElementById(id); x.value = value; x.dispatchEvent(new Event('input', {bubbles: true})); x.dispatchEvent(new Event('change', {bubbles: true})); };
		set('unit', 'labels'); set('amount', '18'); set('annotators', 'anna, ben'); set('adjudicator', 'ben');
	})()`)
	b.wait(`document.querySelector('.gives .warn')?.textContent.includes('ben')`)
	b.refused() // that plan
	eval[any](b, `(() => { const x = document.getElementById('adjudicator'); x.value = 'carl'; x.dispatchEvent(new Event('input', {bubbles: true})); })()`)
	b.wait(`document.querySelector('.gives p')?.textContent.startsWith('18 items')`)
	eval[any](b, `document.getElementById('make').click()`)
	b.wait(`document.getElementById('who')`)
	folder := filepath.Join(run, "labels", "coverage")
	if _, err := os.Stat(filepath.Join(folder, "label.html")); err != nil {
		t.Error(err)
	}

	shared := b.labelAs("anna", "n")
	b.labelAs("ben", "f1")
	b.shot("label-end-1400-light", true)
	if shared == 0 || !eval[bool](b, `document.querySelector('.outlook .now, .outlook .expected') !== null`) {
		t.Error("nothing is said of the interval")
	}
	eval[any](b, `document.getElementById('stop').click()`)
	b.wait(`document.getElementById('who')`)
	b.begin("carl")
	b.wait(`document.querySelector('.others')`)
	told := eval[string](b, `document.querySelector('.others').innerText`)
	if !strings.Contains(told, "Fully · part 1") || !strings.Contains(told, "Not at all") || strings.Contains(told, "anna") {
		t.Errorf("who decides is told %q", told)
	}
	b.shot("label-decide-1400-light", true)
	b.keys("n")
	b.keys(kb.Enter)
	b.wait(`document.documentElement.dataset.saved === '1'`)
	status := output(t, "label", "status", folder, "--json")
	if !strings.Contains(status, `"adjudicates": true`) || !strings.Contains(status, `"decided": 18`) {
		t.Errorf("the status is %s", status)
	}
	eval[any](b, `location.hash = '#results'`)
	b.wait(`document.querySelector('.bars .narrow')`)
	b.accessible(axeScript(t), "the results")
	b.shot("label-results-1400-light", true)
}

// labelAs labels everything as somebody, always by the same keys.
func (b *browser) labelAs(name, keys string) int {
	b.t.Helper()
	if eval[bool](b, `document.getElementById('stop') !== null`) {
		eval[any](b, `document.getElementById('stop').click()`)
		b.wait(`document.getElementById('who')`)
	}
	b.begin(name)
	n := 0
	for eval[string](b, itemShown) != "end" {
		before := eval[string](b, itemShown)
		for _, k := range keys {
			b.keys(string(k))
		}
		b.keys(kb.Enter)
		b.wait(itemShown + ` !== '` + before + `'`)
		n++
	}
	return n
}

// refused forgets that the console told of a request that the server refused, as it should.
func (b *browser) refused() {
	b.t.Helper()
	time.Sleep(100 * time.Millisecond)
	b.mu.Lock()
	defer b.mu.Unlock()
	kept := b.problems[:0]
	for _, p := range b.problems {
		if !strings.Contains(p, "status of 422") {
			kept = append(kept, p)
		}
	}
	b.problems = kept
}

// Texts that want to be more than texts stay texts in all that is labelled, and long ones stay in
// their place; what is marked in them is what stands there.
func TestLabelHostile(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"answerable", "coverage", "subtopic"} {
		for _, task := range labelledTasks {
			if task.name != name {
				continue
			}
			t.Run(name, func(t *testing.T) {
				hostileSheet(t, task.planned(t, dir))
			})
		}
	}
}

func hostileSheet(t *testing.T, folder string) {
	t.Helper()
	f, _, err := label.Read(folder)
	if err != nil {
		t.Fatal(err)
	}
	long := strings.Repeat("x", 1<<20)
	for i := range f.Sheet.Items {
		it := &f.Sheet.Items[i]
		it.Query, it.Statement = hostileWords+it.Query, hostileWords+it.Statement
		for k := range it.Texts {
			it.Texts[k].Title, it.Texts[k].Marks = hostileWords, []string{hostileWords}
		}
		for k := range it.Options {
			it.Options[k].Title = hostileWords
		}
	}
	f.Sheet.Items[1].Query, f.Sheet.Items[1].Statement = long, long
	for name, text := range f.Sheet.Texts {
		poisoned(&text)
		text.Units = append(text.Units, long)
		f.Sheet.Texts[name] = text
	}
	poisoned(&f.Sheet.Task.Examples)
	var page bytes.Buffer
	if err := reportpage.Labelling(&page, hostileWords, f.Sheet); err != nil {
		t.Fatal(err)
	}
	html := filepath.Join(t.TempDir(), "hostile.html")
	if err := os.WriteFile(html, page.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}

	b := newBrowser(t)
	for _, width := range []int{390, 1400} {
		b.screen(width, "light")
		b.open(html, "")
		b.staysText(width, "instructions")
		b.begin(hostileWords[:20])
		for range 3 {
			b.staysText(width, "item")
			if eval[bool](b, `document.querySelector('.sentence') !== null`) {
				eval[any](b, `document.querySelectorAll('.sentence')[1].click()`)
				b.wait(`document.querySelector('mark.picked')`)
			}
			b.keys(kb.ArrowRight)
		}
		b.shot("label-hostile", false)
	}
}

// staysText fails where a text became more than a text, or left its place.
func (b *browser) staysText(width int, where string) {
	b.t.Helper()
	if eval[bool](b, `Boolean(window.pwned)`) {
		b.t.Fatalf("%s: a text was run", where)
	}
	if n := eval[int](b, `document.querySelectorAll('img, iframe, object, embed, link, base, script[src], [onerror], [onload], [onmouseover]').length`); n > 0 {
		b.t.Errorf("%s: %d elements came from texts", where, n)
	}
	if got := eval[int](b, `document.documentElement.scrollWidth`); got > width {
		b.t.Errorf("%s at %d is %d wide", where, width, got)
	}
	if text := eval[string](b, `document.body.innerText`); strings.ContainsAny(text, "\x1b\u202e\u2066\x00") {
		b.t.Errorf("%s holds what cannot be seen", where)
	}
}
