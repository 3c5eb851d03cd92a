package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/ollama/ollama/api"

	reportpage "lore/cmd/lore/internal/page"
	"lore/cmd/lore/internal/report"
	"lore/local/gate"
	"lore/local/ollama/ollamatest"
	"lore/local/published"
)

// lore runs a command, which must end well, or with some items unscored.
func lore(t *testing.T, args ...string) {
	t.Helper()
	var log bytes.Buffer
	if code := Main(args, &log, &log); code != exitOK && code != exitPartial {
		t.Fatalf("lore %s: exit code %d: %s", strings.Join(args, " "), code, log.String())
	}
}

// runOf makes a run folder.
func runOf(t *testing.T, args ...string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "run")
	lore(t, append([]string{"run"}, append(args, "--cache", "none", "--index-dir", t.TempDir(), "--out", dir)...)...)
	return dir
}

// sampleRun is a run of the sample whose page the tests look at.
func sampleRun(t *testing.T) (dir, html string) {
	t.Helper()
	dir = runOf(t, "summhay", "--retriever", "bm25,oracle,random,keywords", "--budget-tokens", "3000")
	return dir, filepath.Join(dir, "report.html")
}

// first is the question that the tests open, with two systems.
const opened = "#q=skellan_bay/money&a=oracle&b=bm25"

// Somebody opens the file: the first screen answers, the table sorts and filters, and
// nothing is asked for or complained about.
func TestPageTable(t *testing.T) {
	b := newBrowser(t)
	dir, html := sampleRun(t)
	b.screen(1400, "light")
	b.open(html, "")
	b.shot("overview-1400-light", true)

	if lead := eval[string](b, `document.querySelector('.answer .lead').textContent`); !strings.Contains(lead, "Joint") {
		t.Errorf("the answer is %q", lead)
	}
	names := `[...document.querySelectorAll('table.systems tbody th')].map((th) => th.textContent).join()`
	byMetric := eval[string](b, names)
	eval[any](b, `[...document.querySelectorAll('button.sort')].find((s) => s.textContent === 'System').click()`)
	if got := eval[string](b, names); got != "bm25,keywords,oracle,random" || got == byMetric {
		t.Errorf("sorted by name: %s, by metric: %s", got, byMetric)
	}
	eval[any](b, `[...document.querySelectorAll('button.sort')].find((s) => s.textContent.startsWith('System')).click()`)
	if got := eval[string](b, names); got != "random,oracle,keywords,bm25" {
		t.Errorf("sorted the other way: %s", got)
	}
	eval[any](b, `[...document.querySelectorAll('button.sort')].find((s) => s.textContent.startsWith('Citation')).click()`)
	if got := eval[string](b, `location.hash`); !strings.Contains(got, "metric=citation") {
		t.Errorf("the metric is not in the address %s", got)
	}

	// A tick keeps its place, and is in the address.
	eval[any](b, `(() => { const box = document.querySelector('tr[data-system] input'); box.focus(); box.click(); })()`)
	if !eval[bool](b, `document.activeElement.type === 'checkbox' && document.activeElement.isConnected && !document.activeElement.checked`) {
		t.Error("a tick loses the focus")
	}
	if got := eval[string](b, `location.hash`); !strings.Contains(got, "a=") {
		t.Errorf("the systems are not in the address %s", got)
	}

	typed(b, "filter", "m25")
	if got := eval[string](b, names); got != "bm25" {
		t.Errorf("filtered: %s", got)
	}
	typed(b, "filter", "")
	figures := eval[int](b, `document.querySelectorAll('table.systems .bar .dot').length`)
	if figures != 4*4 || eval[int](b, `document.querySelectorAll('.mark-best').length`) < 4 {
		t.Errorf("%d figures are drawn", figures)
	}

	again := filepath.Join(t.TempDir(), "again.html")
	lore(t, "report", dir, "--html", again)
	if !bytes.Equal(mustRead(t, html), mustRead(t, again)) {
		t.Error("lore report draws another page than lore run")
	}
}

// typed types into a field.
func typed(b *browser, id, text string) {
	b.t.Helper()
	eval[any](b, fmt.Sprintf(`(() => { const f = document.getElementById(%q); f.value = %q; f.dispatchEvent(new Event('input')); })()`, id, text))
}

func mustRead(t *testing.T, path string) []byte {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// A link opens one question with the systems it names; verdicts, citations and keys work.
func TestPageQuestion(t *testing.T) {
	b := newBrowser(t)
	_, html := sampleRun(t)
	b.screen(1400, "light")
	b.open(html, opened)
	b.wait(`document.querySelectorAll('.answer-card').length === 2`)
	if got := eval[string](b, `[...document.querySelectorAll('.answer-card h3')].map((h) => h.textContent).join()`); got != "oracle,bm25" {
		t.Errorf("side by side: %s", got)
	}

	// Statements in which the systems differ come first, and a verdict tells what carried it.
	rows := `[...document.querySelectorAll('.statements tbody tr:not(.detail)')]`
	if !eval[bool](b, rows+`.findLastIndex((r) => r.classList.contains('differs')) < `+rows+`.findIndex((r) => !r.classList.contains('differs')) + 1`) {
		t.Error("differences do not come first")
	}
	eval[any](b, `[...document.querySelectorAll('button.cell')].find((c) => c.textContent.includes('full')).click()`)
	if n := eval[int](b, `document.querySelectorAll('.detail:not([hidden]) blockquote mark').length`); n < 4 {
		t.Errorf("%d words are marked", n)
	}
	if eval[int](b, `document.querySelectorAll('.units li.lit').length`) != 1 {
		t.Error("the part that carries the verdict is not marked")
	}
	b.shot("question-1400-light", true)

	// A citation opens the document that the system was shown.
	eval[any](b, `document.querySelector('.units button.cite').click()`)
	b.wait(`document.querySelector('dialog.reader[open] .text')`)
	if text := eval[string](b, `document.querySelector('dialog.reader .text').textContent`); len(text) < 200 {
		t.Errorf("the document is %q", text)
	}
	if !eval[bool](b, `document.querySelectorAll('dialog.reader .text mark').length > 0`) {
		t.Error("nothing is marked in the document")
	}
	b.shot("document-1400-light", false)
	b.keys(kb.Escape)
	b.wait(`!document.querySelector('dialog.reader[open]')`)

	pageKeys(b)
}

// pageKeys goes from question to question by keys, and back by the browser.
func pageKeys(b *browser) {
	b.t.Helper()
	title := `document.querySelector('.question-head h1').textContent`
	first := eval[string](b, title)
	b.keys(kb.ArrowRight)
	b.wait(title + ` !== ` + fmt.Sprintf("%q", first))
	b.keys(kb.ArrowLeft)
	b.wait(title + ` === ` + fmt.Sprintf("%q", first))
	b.keys(kb.Escape)
	b.wait(`!document.getElementById('overview').hidden`)
	if err := chromedp.Do(b.ctx, chromedp.NavigateBack()); err != nil {
		b.t.Fatal(err)
	}
	b.wait(`document.getElementById('overview').hidden`)
	b.keys("/")
	b.wait(`document.activeElement.id === 'search'`)
}

// The search finds words of documents, which are unpacked for it, and opens them.
func TestPageSearch(t *testing.T) {
	b := newBrowser(t)
	_, html := sampleRun(t)
	b.screen(1400, "light")
	b.open(html, "")
	typed(b, "search", "wildlife report")
	b.wait(`document.querySelector('.results .note')?.textContent.includes('in statements')`)
	eval[any](b, `[...document.querySelectorAll('.hit')].find((h) => h.textContent.startsWith('document')).click()`)
	b.wait(`document.querySelector('dialog.reader[open] .text')`)
	if text := eval[string](b, `document.querySelector('dialog.reader .text').textContent.toLowerCase()`); !strings.Contains(text, "wildlife") {
		t.Errorf("another document was opened: %.200s", text)
	}
	if !eval[bool](b, `[...document.querySelectorAll('dialog.reader .text mark')].some((m) => m.textContent.toLowerCase() === 'wildlife')`) {
		t.Error("what was searched for is not marked in the document")
	}
}

// On a telephone and on a wide screen, light and dark, nothing has to be scrolled sideways,
// and axe has nothing serious to say; printed, all of it is there.
func TestPageFitsEveryScreen(t *testing.T) {
	b := newBrowser(t)
	_, html := sampleRun(t)
	axe := axeScript(t)
	for _, width := range []int{390, 1400} {
		for _, scheme := range []string{"light", "dark"} {
			for name, address := range map[string]string{"overview": "", "question": opened} {
				b.screen(width, scheme)
				b.open(html, address)
				if name == "question" {
					b.wait(`document.querySelector('.answer-card')`)
					eval[any](b, `document.querySelector('button.cell').click()`)
				}
				scrolled(b)
				where := fmt.Sprintf("%s-%d-%s", name, width, scheme)
				b.shot(where, true)
				fits(b, where, width)
				b.accessible(axe, where)
			}
		}
	}
	pagePrint(b, html)
}

// scrolled draws all pictures.
func scrolled(b *browser) {
	b.t.Helper()
	eval[any](b, `(async () => { for (let y = 0; y < document.body.scrollHeight; y += 500) { window.scrollTo(0, y); `+
		`await new Promise((r) => setTimeout(r, 40)); } window.scrollTo(0, 0); })()`)
}

// fits fails where the page is wider than the screen, and where a score cannot be seen.
func fits(b *browser, where string, width int) {
	b.t.Helper()
	if got := eval[int](b, `document.documentElement.scrollWidth`); got > width {
		b.t.Errorf("%s is %d wide", where, got)
	}
	seen := eval[bool](b, `(() => { const f = [...document.querySelectorAll('td.chosen .figure b, .figures b')].filter((x) => x.offsetParent)[0]; `+
		`const r = f.getBoundingClientRect(); return r.width > 0 && r.right <= innerWidth; })()`)
	if !seen {
		b.t.Errorf("%s: no score can be seen", where)
	}
}

// axeScript is axe-core, which CI fetches and LORE_AXE names.
func axeScript(t *testing.T) string {
	t.Helper()
	path := os.Getenv("LORE_AXE")
	if path == "" {
		if os.Getenv("CI") == "true" {
			t.Fatal("LORE_AXE names no axe-core")
		}
		t.Log("not looked at by axe: LORE_AXE names no axe.min.js; make axe fetches it")
		return ""
	}
	return string(mustRead(t, path))
}

// accessible fails on what axe finds serious or critical.
func (b *browser) accessible(axe, where string) {
	b.t.Helper()
	if axe == "" {
		return
	}
	eval[any](b, axe+"\n;true")
	found := eval[[]string](b, `axe.run(document, {resultTypes: ['violations']}).then((r) => r.violations.filter((v) => v.impact === 'serious' || v.impact === 'critical')`+
		`.map((v) => v.id + ': ' + v.help + ': ' + v.nodes.slice(0, 3).map((n) => n.html.slice(0, 160)).join(' | ')))`)
	for _, f := range found {
		b.t.Errorf("%s: axe: %s", where, f)
	}
}

// pagePrint prints the page: it has the table, and no controls.
func pagePrint(b *browser, html string) {
	b.t.Helper()
	b.screen(1400, "light")
	b.open(html, "")
	if _, err := chromedp.Call(b.ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Media: "print"}); err != nil {
		b.t.Fatal(err)
	}
	if eval[bool](b, `[...document.querySelectorAll('.controls, .menu')].some((c) => c.offsetParent)`) {
		b.t.Error("controls are printed")
	}
	b.wait(`document.querySelectorAll('.drawing').length >= 6`) // who looks at the print on a screen sees the pictures

	// Printed at once, without having been scrolled, the paper has the pictures, too.
	if _, err := chromedp.Call(b.ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{}); err != nil {
		b.t.Fatal(err)
	}
	b.open(html, "")
	if n := eval[int](b, `document.querySelectorAll('.drawing').length`); n > 2 {
		b.t.Fatalf("%d pictures are drawn before anybody scrolls or prints: this tests nothing", n)
	}
	whole := printed(b)
	if n := eval[int](b, `document.querySelectorAll('.drawing').length`); n < 6 {
		b.t.Errorf("%d pictures are printed", n)
	}
	eval[any](b, `document.querySelectorAll('.picture').forEach((p) => p.remove())`)
	if without := printed(b); whole < without+10_000 {
		b.t.Errorf("the print has %d bytes, and %d without pictures", whole, without)
	}
}

// printed is how many bytes the page has on paper.
func printed(b *browser) int {
	b.t.Helper()
	pdf, err := chromedp.Call(b.ctx, page.PrintToPDF, page.PrintToPDFParams{})
	if err != nil {
		b.t.Fatal(err)
	}
	return len(pdf.Data)
}

// With models the page has the prompt as it was sent, the judge's reply as it came, what the
// call cost, and how two judges agree; questions on which they do not can be listed alone.
func TestPageOfModels(t *testing.T) {
	b := newBrowser(t)
	url := (&ollamatest.Server{Answer: ollamatest.Plausible}).Start(t).URL
	dir := runOf(t, "summhay", "--host", url, "--retriever", "bm25,oracle", "--generator", "ollama:fake", "--judge", "lexical,ollama:fake",
		"--limit", "3", "--budget-tokens", "2000")
	b.screen(1400, "light")
	b.open(filepath.Join(dir, "report.html"), opened+"&judge=ollama%3Afake")
	b.wait(`document.querySelectorAll('.answer-card').length === 2`)

	eval[any](b, `[...document.querySelectorAll('.answer-card summary')].find((s) => s.textContent === 'The prompt').click()`)
	b.wait(`document.querySelector('.prompt pre')`)
	sent := promptsOf(t, dir)
	if got := eval[string](b, `[...document.querySelectorAll('.prompt pre')].at(-1).textContent`); !slices.Contains(sent, got) {
		t.Errorf("the prompt is none of the %d that were sent: %.300q", len(sent), got)
	}
	eval[any](b, `document.querySelector('button.cell').click()`)
	if got := eval[string](b, `document.querySelector('.detail:not([hidden]) pre').textContent`); !strings.Contains(got, `"coverage"`) {
		t.Errorf("the judge's reply is %q", got)
	}
	if got := eval[string](b, `document.querySelector('.answer-card').textContent`); !regexp.MustCompile(`tokens asked, [\d,]+ tokens? answered`).MatchString(got) {
		t.Errorf("the tokens are not told: %.300q", got)
	}
	b.shot("models-1400-light", true)

	b.keys(kb.Escape)
	scrolled(b)
	if n := eval[int](b, `document.querySelectorAll('.confusion td.number').length`); n != 9 {
		t.Errorf("the judges are compared in %d cells", n)
	}
	all := eval[int](b, `document.querySelectorAll('.questions a').length`)
	eval[any](b, `[...document.querySelectorAll('#questions .tick')].find((c) => c.textContent.includes('judges')).querySelector('input').click()`)
	left := eval[int](b, `document.querySelectorAll('.questions a').length`)
	if split := eval[int](b, `document.querySelectorAll('.questions .split').length`); left != split || left == 0 || all != 3 {
		t.Errorf("%d of %d questions are left, with %d disagreements", left, all, split)
	}
}

// Of judges together the page has what each model said, with its name.
func TestPageOfJudgesTogether(t *testing.T) {
	b := newBrowser(t)
	url := (&ollamatest.Server{Answer: ollamatest.Plausible}).Start(t).URL
	dir := runOf(t, "summhay", "--host", url, "--retriever", "bm25,oracle", "--judge", "lexical+ollama:fake", "--limit", "2", "--budget-tokens", "2000")
	b.screen(1400, "light")
	b.open(filepath.Join(dir, "report.html"), "")
	eval[any](b, `document.querySelector('.questions a').click()`)
	b.wait(`document.querySelectorAll('.answer-card').length === 2`)

	// The model is not asked everywhere; the lexical judge says nothing in words.
	all := eval[[]string](b, `[...document.querySelectorAll('button.cell')].map((c) => { c.click(); `+
		`return [...c.closest('tr').nextSibling.querySelectorAll('.reply')].map((r) => r.textContent).join('|'); }).filter(Boolean)`)
	if len(all) == 0 {
		t.Fatal("there are no replies")
	}
	for _, said := range all {
		if !strings.HasPrefix(said, "ollama:fake") || !strings.Contains(said, `"coverage"`) || strings.Contains(said, "|") {
			t.Errorf("the model's reply is %q", said)
		}
	}
}

// What failed stands on the first screen, and its questions can be listed alone.
func TestPageOfFailures(t *testing.T) {
	b := newBrowser(t)
	breaks := func(n int, _ api.ChatRequest) ollamatest.Misbehavior {
		if n%3 == 0 {
			return ollamatest.NoDoneFrame
		}
		return ollamatest.Behave
	}
	url := (&ollamatest.Server{Answer: ollamatest.Plausible, Misdeed: breaks}).Start(t).URL
	dir := runOf(t, "summhay", "--host", url, "--retriever", "bm25,oracle", "--generator", "ollama:fake", "--limit", "4", "--budget-tokens", "600")
	b.screen(390, "light")
	b.open(filepath.Join(dir, "report.html"), "")
	if said := eval[string](b, `document.querySelector('.cards').textContent`); !strings.Contains(said, "Something failed") || !strings.Contains(said, "never counted as 0") {
		t.Errorf("the first screen says %q", said)
	}

	eval[any](b, `[...document.querySelectorAll('#questions .tick')].find((c) => c.textContent.includes('failures')).querySelector('input').click()`)
	left := eval[int](b, `document.querySelectorAll('.questions a').length`)
	if failed := eval[int](b, `document.querySelectorAll('.questions .warn').length`); left != failed || left == 0 {
		t.Errorf("%d questions are left, with %d failures", left, failed)
	}
	eval[any](b, `document.querySelector('.questions a').click()`)
	b.wait(`document.querySelector('.answer-card .warn')`)
	if said := eval[string](b, `document.querySelector('.answer-card .warn').textContent`); !strings.Contains(said, "no_done") {
		t.Errorf("the question says %q", said)
	}
	b.shot("failures-390-light", true)
}

// promptsOf are the last messages of the calls that made a run's answers.
func promptsOf(t *testing.T, dir string) []string {
	t.Helper()
	var out []string
	for line := range bytes.Lines(mustRead(t, filepath.Join(dir, "calls", "journal.jsonl"))) {
		var e gate.Entry
		if err := json.Unmarshal(line, &e); err != nil {
			t.Fatal(err)
		}
		if n := len(e.Call.Messages); n > 0 && len(e.Call.Schema) == 0 {
			out = append(out, e.Call.Messages[n-1].Content)
		}
	}
	return out
}

// A page of several runs draws their trend.
func TestPageOfSeveralRuns(t *testing.T) {
	b := newBrowser(t)
	dir := t.TempDir()
	for name, budget := range map[string]string{"may": "600", "june": "3000"} {
		lore(t, "run", "summhay", "--retriever", "bm25,oracle", "--budget-tokens", budget, "--cache", "none", "--index-dir", t.TempDir(),
			"--out", filepath.Join(dir, name))
	}
	html := filepath.Join(dir, "trend.html")
	lore(t, "report", filepath.Join(dir, "may"), filepath.Join(dir, "june"), "--html", html, "--title", "Two budgets", "--date", "22 June")
	b.screen(1400, "light")
	b.open(html, "")
	scrolled(b)
	if got := eval[string](b, `document.querySelector('h1').textContent + document.querySelector('.when').textContent`); !regexp.MustCompile(`^Two budgets.*22 June`).MatchString(got) {
		t.Errorf("the page says %q", got)
	}
	if n := eval[int](b, `[...document.querySelectorAll('figure')].find((f) => f.textContent.startsWith('Over the runs')).querySelectorAll('path.line').length`); n != 2 {
		t.Errorf("%d lines over the runs", n)
	}
	b.shot("trend-1400-light", true)
}

// A folder of an earlier lore gets the page without documents, which says so.
func TestPageOfAnOldFolder(t *testing.T) {
	b := newBrowser(t)
	dir, _ := sampleRun(t)
	r, err := report.Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	bench, err := benchmarkOf(r, dir)
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := reportpage.HTML(&out, []reportpage.Source{{Run: r}}, bench, reportpage.Words{}); err != nil {
		t.Fatal(err)
	}
	html := filepath.Join(t.TempDir(), "old.html")
	if err := os.WriteFile(html, out.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}

	b.screen(1400, "light")
	b.open(html, opened)
	b.wait(`document.querySelector('.answer-card')`)
	if said := eval[string](b, `document.getElementById('question').textContent`); !strings.Contains(said, "an earlier lore") {
		t.Error("the page does not say why there are no documents")
	}
	if eval[int](b, `document.querySelectorAll('button.cite').length`) != 0 {
		t.Error("citations of documents that are not there can be opened")
	}
}

// A page of a whole haystack and five systems is small enough for a mail.
func TestPageOfAHaystackIsSmall(t *testing.T) {
	if testing.Short() {
		t.Skip("-short leaves out what only takes long; other pages are drawn in scripts")
	}
	dir := runOf(t, "summhay", published.Path(t, "data", "summhay", "topic_news1.json"), "--retriever", "bm25,keywords,random,oracle,full")
	info, err := os.Stat(filepath.Join(dir, "report.html"))
	if err != nil || info.Size() > 1_500_000 {
		t.Errorf("the page has %d bytes, %v", info.Size(), err)
	}
	t.Logf("%d bytes", info.Size())
}

// The page of a hundred systems: those recorded for MSRS, and copies with words moved. Its
// size is bounded with some questions in every run of the tests; all of them, and the times,
// are a campaign (make hundred).
func TestPageOfAHundredSystems(t *testing.T) {
	if testing.Short() {
		t.Skip("a browser takes long")
	}
	questions := sized(12, 260)
	answers := manySystems(t, 107)
	dir := runOf(t, "msrs", published.Path(t, "data", "msrs", "story"), "--answers", strings.Join(answers, ","), "--limit", fmt.Sprint(questions))
	html := filepath.Join(dir, "report.html")
	info, err := os.Stat(html)
	if err != nil {
		t.Fatal(err)
	}
	if most := int64(25_000_000 * questions / 260); info.Size() > most {
		t.Errorf("the page has %d bytes, more than %d", info.Size(), most)
	}

	b := newBrowser(t) // now: the run takes longer than a browser waits
	b.screen(1400, "light")
	b.open(html, "")
	table := eval[float64](b, `performance.getEntriesByName('table')[0].startTime`)
	question := eval[float64](b, `(async () => { const from = performance.now(); document.querySelectorAll('.questions a')[3].click(); `+
		`while (!document.querySelector('.answer-card')) await new Promise(requestAnimationFrame); return performance.now() - from; })()`)
	t.Logf("%d bytes; first table after %.0f ms, question view after %.0f ms", info.Size(), table, question)
	if inFull() && (table > 1000 || question > 200) {
		t.Errorf("too slow: %.0f and %.0f ms", table, question)
	}
}

// manySystems are files of recorded answers, and of copies with words moved.
func manySystems(t *testing.T, n int) []string {
	t.Helper()
	recorded, err := filepath.Glob(filepath.Join(published.Path(t, "data", "msrs", "outputs"), "story", "*", "summary", "*_summary.json"))
	if err != nil || len(recorded) < 30 {
		t.Fatalf("%d recorded systems, %v", len(recorded), err)
	}

	random := rand.New(rand.NewPCG(1, 1))
	var out []string
	for i := range n {
		from := recorded[i%len(recorded)]
		var texts []string
		if err := json.Unmarshal(mustRead(t, from), &texts); err != nil {
			t.Fatal(err)
		}
		for k, text := range texts {
			words := strings.Split(text, " ")
			for range i / len(recorded) * (1 + len(words)/20) {
				x, y := random.IntN(len(words)), random.IntN(len(words))
				words[x], words[y] = words[y], words[x]
			}
			texts[k] = strings.Join(words, " ")
		}

		data, err := json.Marshal(texts)
		path := filepath.Join(t.TempDir(), fmt.Sprintf("system%03d.json", i))
		if err == nil {
			err = os.WriteFile(path, data, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, path)
	}
	return out
}

// The first screen follows the metric; grades are called so; n sorts; and a metric without a
// judge is not said to need one.
func TestPageSaysWhatItIsAbout(t *testing.T) {
	b := newBrowser(t)
	dir := runOf(t, "msrs", "--retriever", "bm25,full,oracle,random")
	b.screen(1400, "light")
	b.open(filepath.Join(dir, "report.html"), "")
	cards := `document.querySelector('.cards').textContent`
	if said := eval[string](b, cards); !strings.Contains(said, "Lex. recall needs no judge") {
		t.Errorf("of a metric without a judge the cards say %q", said)
	}
	answer := `document.querySelector('.answer').textContent`
	if said := eval[string](b, answer); !strings.Contains(said, "on Lex. recall") || !strings.Contains(said, "Lex. recall: ") || !strings.Contains(said, "For the scale: oracle") {
		t.Errorf("the first screen says %q", said)
	}

	eval[any](b, `[...document.querySelectorAll('button.sort')].find((s) => s.textContent.startsWith('Consistency')).click()`)
	if said := eval[string](b, answer); !strings.Contains(said, "on Consistency") || strings.Contains(said, "Lex. recall") {
		t.Errorf("with another metric the first screen says %q", said)
	}
	if said := eval[string](b, cards); !strings.Contains(said, "not measured on such texts") || !strings.Contains(said, "consistency of stories: not measured here") {
		t.Errorf("of the judge the cards say %q", said)
	}
	if n := eval[int](b, `document.querySelectorAll('tr.reference :is(.mark-best, .mark-open)').length`); n > 0 {
		t.Errorf("%d ends of the scale are marked", n)
	}
	eval[any](b, `[...document.querySelectorAll('button.sort')].find((s) => s.textContent === 'n').click()`)
	if got := eval[string](b, `document.querySelector('th[aria-sort]').textContent`); got != "n ↓" {
		t.Errorf("sorted by %q", got)
	}

	scrolled(b)
	if said := eval[string](b, `document.getElementById('pictures').textContent`); !strings.Contains(said, "Grades and systems") ||
		!strings.Contains(said, "highest grade") || strings.Contains(said, "not covered") {
		t.Errorf("the picture of grades says %q", said)
	}
	if said := eval[string](b, `document.querySelector('#notes > .note').textContent`); !strings.HasPrefix(said, "Made by lore ") {
		t.Errorf("the page ends with %q", said)
	}
}

// Without scripts the table of several runs names each, and no number is broken.
func TestPageWithoutScripts(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"may", "june"} {
		lore(t, "run", "summhay", "--retriever", "bm25,oracle", "--limit", "3", "--budget-tokens", "2000", "--cache", "none",
			"--index-dir", t.TempDir(), "--out", filepath.Join(dir, name))
	}
	html := filepath.Join(dir, "both.html")
	lore(t, "report", filepath.Join(dir, "may"), filepath.Join(dir, "june"), "--html", html)

	b := newBrowser(t)
	b.screen(390, "light")
	if _, err := chromedp.Call(b.ctx, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true}); err != nil {
		t.Fatal(err)
	}
	if err := chromedp.Do(b.ctx, chromedp.Navigate("file://"+html)); err != nil {
		t.Fatal(err)
	}
	if got := eval[string](b, `[...document.querySelectorAll('tbody tr')].slice(1).map((r) => r.cells[0].textContent + ' ' + r.cells[1].textContent).join()`); got != "may bm25,may oracle,june bm25,june oracle" {
		t.Errorf("the rows are %s", got)
	}
	tall := eval[int](b, `Math.round(Math.max(...[...document.querySelectorAll('td, th')].map((c) => c.getClientRects()[0].height)))`)
	if tall > 45 || eval[int](b, `document.documentElement.scrollWidth`) > 390 {
		t.Errorf("a cell is %d high: its words or numbers are broken", tall)
	}
	b.shot("no-scripts-390-light", true)
}
