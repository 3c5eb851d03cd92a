package main

import (
	"encoding/json"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"lore/cmd/lore/internal/store"
	"lore/local/gate"
	"lore/local/ollama/ollamatest"
)

// asWritten is an answer with citations in many forms, code, a wrapped bullet and signs without
// width.
const asWritten = "# Findings (2024)\n- The harbour opens \u200bat 7 hours [1, 3].\n* Boats go out (doc 3).\n" +
	"1. Wrapped bullet that goes on\n   to the next line [2; 99]\n\n```\n  print(x, 1)\n  y = a[17]\n```\n" +
	"👨\u200d👩\u200d👧 families come.[^1]\n[^1]: skellan-04\n"

// outsideRun is a run of that answer to the first questions of the sample.
func outsideRun(t *testing.T, bench, text string, items ...string) (dir string) {
	t.Helper()
	var lines []byte
	for _, item := range items {
		line, err := json.Marshal(map[string]string{"item": item, "answer": text})
		if err != nil {
			t.Fatal(err)
		}
		lines = append(append(lines, line...), '\n')
	}
	file := filepath.Join(t.TempDir(), "theirs.jsonl")
	if err := os.WriteFile(file, lines, 0o600); err != nil {
		t.Fatal(err)
	}
	return runOf(t, bench, "--answers", file, "--limit", "2")
}

// An answer from outside is shown letter for letter. What the scoring read as citations opens the
// documents, which the folder keeps: those that are cited, and those that hold what is asked.
func TestPageShowsAnswersAsTheyAre(t *testing.T) {
	b := newBrowser(t)
	dir := outsideRun(t, "summhay", asWritten, "skellan_bay/turbines", "skellan_bay/money")
	b.screen(1400, "light")
	b.open(filepath.Join(dir, "report.html"), "#q=skellan_bay/turbines")
	b.wait(`document.querySelector('.answer-card .units li')`)
	b.shot("question-outside-1400-light", true)

	shown := eval[string](b, `[...document.querySelectorAll('.units .says')].map((s) => s.textContent).join('\n')`)
	want := strings.ReplaceAll(strings.TrimSpace(asWritten), "\u200b", "�")
	if want = strings.ReplaceAll(want, "\n\n", "\n"); shown != want {
		t.Errorf("the answer is shown as\n%s\nwant\n%s", shown, want)
	}
	cites := eval[string](b, `[...document.querySelectorAll('.units .says .cite')].map((c) => c.tagName[0] + c.textContent).join(' ')`)
	if cites != "B1 B3 B3 B2 S99 B17 B[^1]" {
		t.Errorf("citations are %s", cites)
	}
	eval[any](b, `document.querySelector('.units button.cite').click()`)
	b.wait(`document.querySelector('dialog.reader[open] .text')`)
	if text := eval[string](b, `document.querySelector('dialog.reader').textContent`); !strings.Contains(text, "skellan-01") || len(text) < 300 {
		t.Errorf("the document is %q", text)
	}
	eval[any](b, `document.querySelector('dialog.reader').close()`)

	// What holds a statement can be opened, too, and goes by one kind of name, in order.
	eval[any](b, `document.querySelector('button.cell').click()`)
	held := `[...document.querySelectorAll('.detail:not([hidden]) p:last-child button.cite')]`
	if got := eval[string](b, held+`.map((c) => c.textContent).join(' ')`); got != "2 10 15 23 25 32 35 38 46 47" {
		t.Errorf("held by %s", got)
	}
	eval[any](b, held+`[0].click()`)
	b.wait(`document.querySelector('dialog.reader[open] .text')`)
}

// Where citations are not scored, the folder keeps what is cited, and nothing besides.
func TestFolderKeepsWhatIsCited(t *testing.T) {
	cited := func(bench, text string, items ...string) (ids []string) {
		shown, err := store.ReadShown(outsideRun(t, bench, text, items...))
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range shown.Documents {
			ids = append(ids, d.Document)
		}
		return ids
	}
	if got := cited("summhay", asWritten, "skellan_bay/turbines"); len(got) < 10 || !slices.Contains(got, "skellan-17") || slices.Contains(got, "skellan-08") {
		t.Errorf("%d documents are kept: %v", len(got), got)
	}
}

// On the page of several runs a document is one, whatever each run cut.
func TestPageHasDocumentsOnce(t *testing.T) {
	b := newBrowser(t)
	var dirs []string
	for _, budget := range []string{"2000", "4000", "8000"} {
		dirs = append(dirs, runOf(t, "summhay", "--retriever", "bm25,oracle", "--budget-tokens", budget, "--limit", "2"))
	}
	html := filepath.Join(t.TempDir(), "trend.html")
	lore(t, append([]string{"report", "--html", html}, dirs...)...)
	b.screen(1400, "light")
	b.open(html, "#q=skellan_bay/turbines&a="+url.PathEscape(dirs[2]+": oracle")+"&b="+url.PathEscape(dirs[0]+": bm25"))
	b.wait(`document.querySelector('button.cell')`)

	if got := eval[string](b, `document.querySelector('.statements tbody th .note').textContent`); !strings.Contains(got, "10 documents hold it") {
		t.Errorf("a statement says %q", got)
	}
	eval[any](b, `document.querySelector('button.cell').click()`)
	held := `[...document.querySelectorAll('.detail:not([hidden]) p:last-child button.cite')]`
	if got := eval[string](b, held+`.map((c) => c.textContent).join(' ')`); got != "2 10 15 23 25 32 35 38 46 47" {
		t.Errorf("held by %s", got)
	}
	eval[any](b, held+`[0].click()`)
	b.wait(`document.querySelector('dialog.reader[open] .shown-to')`)
	b.shot("document-of-runs-1400-light", false)
	if got := eval[string](b, `document.querySelector('.shown-to').textContent`); !strings.Contains(got, "oracle was shown all of it") {
		t.Errorf("who was shown the document: %q", got)
	}
}

// A grade is worded as one: what was asked, the reference that it was compared with, and how the
// scales belong together.
func TestPageWordsGrades(t *testing.T) {
	b := newBrowser(t)
	dir := runOf(t, "msrs", "--retriever", "oracle", "--limit", "2")
	b.screen(1400, "light")
	b.open(filepath.Join(dir, "report.html"), "")
	eval[any](b, `document.querySelector('.questions a').click()`)
	b.wait(`document.querySelector('button.cell')`)
	if got := eval[string](b, `document.querySelector('.statements tbody th').textContent`); !strings.Contains(got, "from 1 to 5") ||
		!strings.Contains(got, "The reference answers, from the data") {
		t.Errorf("a grade is introduced as %.200q", got)
	}

	eval[any](b, `document.querySelector('button.cell').click()`)
	detail := eval[string](b, `document.querySelector('.detail:not([hidden])').textContent`)
	figure := eval[string](b, `[...document.querySelectorAll('.figures span')].find((s) => s.textContent.startsWith('Relevance')).querySelector('b').textContent`)
	if !strings.Contains(detail, "Relevance is shown as "+figure+", which is 20 times") || !strings.Contains(detail, "5 says that all important content") {
		t.Errorf("the figure %s is explained as %q", figure, detail)
	}
	b.shot("question-grades-1400-light", true)
	b.screen(390, "light")
	if got := eval[int](b, `document.documentElement.scrollWidth`); got > 390 {
		t.Errorf("it is %d wide on a telephone", got)
	}
	b.shot("question-grades-390-light", true)
}

// Links of questions can be copied, and say so where they name what the page does not have.
func TestPageLinks(t *testing.T) {
	b := newBrowser(t)
	dir := runOf(t, "summhay", "--retriever", "bm25,oracle", "--limit", "2", "--budget-tokens", "2000")
	html := filepath.Join(dir, "report.html")
	b.screen(1400, "light")
	b.open(html, "")
	link := eval[string](b, `document.querySelector('.questions a').getAttribute('href')`)
	title := eval[string](b, `document.querySelector('.questions a .title').textContent`)
	b.open(html, link)
	b.wait(`document.querySelector('.question-head h1')`)
	if got := eval[string](b, `document.querySelector('.question-head h1').textContent`); got != title {
		t.Errorf("%s opens %q, not %q", link, got, title)
	}
	if eval[bool](b, `Boolean(document.querySelector('#lost .warn'))`) {
		t.Error("a good link is complained about")
	}

	b.open(html, "#q=nowhere&a=bm52&b=oracle")
	if got := eval[string](b, `document.getElementById('lost').textContent`); !strings.Contains(got, "no question nowhere, no system bm52") {
		t.Errorf("the page says %q", got)
	}
}

// Words are marked whole: an abbreviation with its dots, a number with its commas.
func TestPageMarksWholeWords(t *testing.T) {
	b := newBrowser(t)
	dir := outsideRun(t, "summhay", "- Some 300 boats of the U.S. came, and 9,200 homes.", "skellan_bay/turbines")
	b.screen(1400, "light")
	b.open(filepath.Join(dir, "report.html"), "")
	typed(b, "search", "9,200 homes")
	b.wait(`document.querySelector('.hit mark')`)
	if got := eval[string](b, `document.querySelector('.hit mark').textContent`); got != "9,200" {
		t.Errorf("%q is marked", got)
	}
	typed(b, "search", "200 homes")
	b.wait(`[...document.querySelectorAll('.hit mark')].some((m) => m.textContent === 'homes')`)
	if eval[bool](b, `[...document.querySelectorAll('.hit mark')].some((m) => /200/.test(m.textContent))`) {
		t.Error("200 is marked in 9,200")
	}
	typed(b, "search", "the U.S.")
	b.wait(`[...document.querySelectorAll('.hit mark')].some((m) => m.textContent === 'U.S')`)
}

// The prompt of a judge's call is shown as the journal has it, asked one by one or in a batch.
func TestPageShowsWhatTheJudgeWasAsked(t *testing.T) {
	t.Setenv("OLLAMA_HOST", (&ollamatest.Server{Answer: ollamatest.Plausible}).Start(t).URL)
	for _, more := range [][]string{nil, {"--batch"}} {
		b := newBrowser(t)
		dir := runOf(t, append([]string{"summhay", "--retriever", "bm25", "--limit", "1", "--budget-tokens", "2000", "--judge", "ollama:fake"}, more...)...)
		b.screen(1400, "light")
		b.open(filepath.Join(dir, "report.html"), "#q=skellan_bay/turbines")
		b.wait(`document.querySelector('button.cell')`)
		eval[any](b, `document.querySelectorAll('button.cell')[1].click()`)
		eval[any](b, `[...document.querySelectorAll('.detail:not([hidden]) summary')].find((s) => s.textContent.startsWith('The prompt of ollama:fake')).click()`)
		b.wait(`document.querySelectorAll('.detail .prompt pre').length === 2`)
		prompt := eval[string](b, `document.querySelectorAll('.detail .prompt pre')[1].textContent`)

		sent := false
		err := gate.NewFollower(filepath.Join(dir, "calls")).Next(func(e gate.Entry) {
			sent = sent || len(e.Call.Messages) == 2 && e.Call.Messages[1].Content == prompt
		})
		if err != nil || !sent {
			t.Errorf("%v: no call of the journal has the prompt %.600q (%v)", more, prompt, err)
		}
	}
}
