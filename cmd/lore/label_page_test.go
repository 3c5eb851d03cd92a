package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	cdpbrowser "github.com/chromedp/cdproto/browser"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// labelledTask is a task with the data it is tried on, and the keys that answer its items in turn.
type labelledTask struct {
	name string
	run  []string   // a run to make, or nothing where data is labelled
	data string     // the benchmark whose data is labelled
	keys [][]string // of one item each, before Enter
}

// labelledTasks are all tasks.
var labelledTasks = []labelledTask{
	{"coverage", summhayRun, "", [][]string{{"f", "1"}, {"n"}, {"p", "1"}}},
	{"preference", summhayRun, "", [][]string{{"a"}, {"e"}, {"b"}}},
	{"entailment", []string{"long2rag", "--retriever", "bm25,random"}, "", [][]string{{"y"}, {"o"}, {"n"}}},
	{"answerable", []string{"crux", "--retriever", "bm25,random"}, "", [][]string{{"n"}, {"place"}}},
	{"grade", []string{"crux", "--retriever", "bm25,random"}, "", [][]string{{"0"}, {"3"}, {"5"}}},
	{"relevance", msrsRun, "", [][]string{{"2"}, {"4"}, {"5"}}},
	{"consistency", msrsRun, "", [][]string{{"5"}, {"3"}, {"1"}}},
	{"errors", msrsRun, "", [][]string{{"1", "6"}, {}, {"5", "2", "2"}}},
	{"criteria", msrsRun, "", [][]string{{"5", "4", "3", "2", "1", "5"}, {"1", "1", "1", "1", "1", "1"}}},
	{"keypoint", nil, "long2rag", [][]string{{"y", "c", "k"}, {"n"}, {"y", "t", "b"}}},
	{"insight", nil, "summhay", [][]string{{"n"}, {"place"}, {"y"}}},
	{"subtopic", nil, "summhay", [][]string{{"1"}, {"2"}, {"1", "2"}}},
}

var (
	summhayRun = []string{"summhay", "--retriever", "bm25,random,oracle", "--budget-tokens", "3000"}
	msrsRun    = []string{"msrs", "--retriever", "bm25,random,oracle"}
)

// planned makes a labelling folder of a task, for whoever comes.
func (task labelledTask) planned(t *testing.T, dir string, more ...string) string {
	t.Helper()
	folder := filepath.Join(dir, task.name)
	args := []string{"label", "plan", task.data}
	if task.run != nil {
		run := filepath.Join(dir, "run-"+task.name)
		lore(t, append(append([]string{"run"}, task.run...), "--index-dir", t.TempDir(), "--out", run)...)
		args[2] = run
	}
	lore(t, append(append(args, "--task", task.name, "--labels", "10", "--out", folder), more...)...)
	return folder
}

// answers answers an item by keyboard, as it is asked.
func (b *browser) answers(keys []string) {
	b.t.Helper()
	for _, k := range keys {
		if k != "place" {
			b.keys(k)
			continue
		}
		// The first sentence is reached by the tab key, and pressed by the space bar.
		eval[any](b, `document.querySelector('.sentence[tabindex="0"]').focus()`)
		b.keys(" ")
		b.wait(`document.querySelector('.sentence[aria-pressed="true"]')`)
		eval[any](b, `document.activeElement.blur()`)
	}
}

// begin starts labelling by a name that is typed, or chosen.
func (b *browser) begin(name string) {
	b.t.Helper()
	eval[any](b, fmt.Sprintf(`document.getElementById('who').value = %q`, name))
	eval[any](b, `document.querySelector('form.begin').requestSubmit()`)
	b.wait(`document.documentElement.dataset.item`)
}

// labelTen labels all items by keyboard, of which there are ten, and one of them twice: the
// first is taken back. It returns how many lines that makes.
func (b *browser) labelTen(task labelledTask) int {
	b.t.Helper()
	const item = `document.documentElement.dataset.item`
	saved := 0
	next := func(before string) {
		b.t.Helper()
		saved++
		b.wait(fmt.Sprintf(`document.documentElement.dataset.saved === '%d'`, saved))
		b.wait(item + ` !== ` + fmt.Sprintf("%q", before))
	}

	for n := range 10 {
		id := eval[string](b, item)
		if id == "end" {
			b.t.Fatalf("%s: there are %d items", task.name, n)
		}
		b.answers(task.keys[n%len(task.keys)])
		b.keys(kb.Enter)
		next(id)
		if n == 0 {
			second := eval[string](b, item)
			b.keys("u")
			next(second)
			if back := eval[string](b, item); back != id {
				b.t.Fatalf("%s: undo leads from %s to %s", task.name, id, back)
			}
			b.answers(task.keys[0])
			b.keys(kb.Enter)
			next(id)
		}
	}
	b.wait(item + ` === 'end'`)
	return saved
}

// readBack exports the labels of a folder and has judge validate read them.
func readBack(t *testing.T, task labelledTask, folder string) {
	t.Helper()
	status := output(t, "label", "status", folder, "--json")
	for _, want := range []string{`"done": 10`, `"undone": 1`} {
		if !strings.Contains(status, want) {
			t.Errorf("%s: the status lacks %s: %s", task.name, want, status)
		}
	}
	rows := folder + ".jsonl"
	lore(t, "label", "export", folder, "-o", rows)
	said := output(t, "judge", "validate", rows)
	if !strings.Contains(said, "lexical") {
		t.Errorf("%s: judge validate says %s", task.name, said)
	}
}

// Ten items of each task are labelled by keyboard in the file that annotators get, saved as
// labels, and read back.
func TestLabelEachTaskInAFile(t *testing.T) {
	dir := t.TempDir()
	for _, task := range labelledTasks {
		t.Run(task.name, func(t *testing.T) {
			folder := task.planned(t, dir)
			b := newBrowser(t)
			down := b.downloads()
			b.screen(1400, "light")
			b.open(filepath.Join(folder, "label.html"), "")
			b.begin("Anna B.")
			b.shot("label-"+task.name+"-1400-light", true)
			b.noneSideways(task.name)
			b.labelTen(task)

			eval[any](b, `document.getElementById('file-end').click()`)
			file := filepath.Join(down, "labels-"+task.name+"-Anna-B.jsonl")
			waitForFile(t, file)
			lore(t, "label", "add", folder, file)
			readBack(t, task, folder)
		})
	}
}

// The same from lore view, where each label is on disk as it is given.
func TestLabelEachTaskInView(t *testing.T) {
	dir := t.TempDir()
	var folders []string
	for _, task := range labelledTasks {
		folders = append(folders, task.planned(t, dir))
	}
	address := viewing(t, dir, folders...)
	for i, task := range labelledTasks {
		t.Run(task.name, func(t *testing.T) {
			b := newBrowser(t)
			b.screen(390, "dark")
			b.visit(address)
			b.wait(whole + ` && document.querySelectorAll('.folders li').length === 12`)
			eval[any](b, fmt.Sprintf(`document.querySelectorAll('.folders a')[%d].click()`, 2*i))
			b.wait(`document.getElementById('who')`)
			b.begin("ben")
			b.noneSideways(task.name)
			b.shot("label-view-"+task.name+"-390-dark", true)
			lines := b.labelTen(task)
			data, err := os.ReadFile(filepath.Join(folders[i], "labels.jsonl"))
			if got := strings.Count(string(data), "\n"); err != nil || got != lines {
				t.Errorf("%d of %d labels are on disk (%v)", got, lines, err)
			}
			eval[any](b, `location.hash = '#results'`)
			b.wait(`document.querySelector('table.calls') && document.title.startsWith('Results')`)
			b.noneSideways(task.name + ", results")
			b.shot("label-results-"+task.name+"-390-dark", true)
			_ = chromedp.Do(b.ctx, chromedp.Navigate("about:blank"))
			readBack(t, task, folders[i])
		})
	}
}

// downloads has the browser save files in a folder.
func (b *browser) downloads() string {
	b.t.Helper()
	dir := b.t.TempDir()
	allow := cdpbrowser.SetDownloadBehaviorParams{Behavior: "allow", DownloadPath: dir}
	if _, err := chromedp.Call(b.ctx, cdpbrowser.SetDownloadBehavior, allow); err != nil {
		b.t.Fatal(err)
	}
	return dir
}

// noneSideways fails where the page is wider than its window.
func (b *browser) noneSideways(what string) {
	b.t.Helper()
	if over := eval[int](b, `document.documentElement.scrollWidth - innerWidth`); over > 0 {
		b.t.Errorf("%s: the page scrolls sideways by %d", what, over)
	}
}

// output is what a command prints.
func output(t *testing.T, args ...string) string {
	t.Helper()
	var out, log bytes.Buffer
	if code := Main(args, &out, &log); code != exitOK && code != exitPartial {
		t.Fatalf("lore %s: exit code %d: %s", strings.Join(args, " "), code, log.String())
	}
	return out.String()
}
