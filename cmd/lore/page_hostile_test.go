package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp/kb"

	reportpage "lore/cmd/lore/internal/page"
	"lore/cmd/lore/internal/report"
	"lore/cmd/lore/internal/store"
	"lore/datasets"
	"lore/judge"
	"lore/local/ollama/ollamatest"
)

// hostileWords try to be markup, script, an address, a control sequence, or to turn the line.
const hostileWords = hostileMarkup + " {{7*7}} ${7*7} <!-- ]]> &lt;b&gt; " + unseen

const (
	hostileMarkup = `</script></textarea><script>window.pwned=1</script><img src=x onerror="window.pwned=1"><svg onload="window.pwned=1">` +
		`" onmouseover="window.pwned=1" javascript:window.pwned=1`
	unseen = "\x1b[31m \u202egnp.exe \u2066 \u200f \x00 \x9b \xff \u200b "

	// hostileLabel may stand in a citation.
	hostileLabel = `<img src=x onerror="window.pwned=1" onmouseover="window.pwned=1">` + "\x1b\u202e "
)

// own are fields with lore's own words: those of a benchmark, and those that it compares, and
// refuses in a folder where it does not know them.
var own = []string{
	"Verdict.Label", "UnitScores.Metric", "Figure.Metric", "Manifest.Benchmark", "Table.Benchmark", "Question.Kind",
	"Answer.Outcome", "Points.Outcome", "Verdict.Outcome", "Manifest.DataHash", "Known.Kind", "Asked.Kind", "JudgePair.Kind",
	"JudgePair.Names", "Trust.Kind", "Trust.Worth", "Trust.Best", "Head.Benchmark", "Head.Kinds", "Contrasts.Standing",
	"Metric.Name", "Metric.Title", "Metric.Explain", "Head.AnswersFrom",
}

// eachText hands over every text that a value holds, with the type and field it is in, so
// that it may be set. The keys of maps are texts, too.
func eachText(v reflect.Value, field string, change func(field, text string) string) {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			eachText(v.Elem(), field, change)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if f := v.Type().Field(i); f.IsExported() {
				eachText(v.Field(i), v.Type().Name()+"."+f.Name, change)
			}
		}
	case reflect.Slice:
		for i := range v.Len() {
			eachText(v.Index(i), field, change)
		}
	case reflect.Array:
		for i := range v.Len() {
			eachText(v.Index(i), fmt.Sprint(field, i), change)
		}
	case reflect.Map:
		eachOfMap(v, field, change)
	case reflect.Interface:
		if !v.IsNil() {
			v.Set(copied(v.Elem(), field, change))
		}
	case reflect.String:
		v.SetString(change(field, v.String()))
	}
}

// eachOfMap gives a map changed keys and values.
func eachOfMap(v reflect.Value, field string, change func(field, text string) string) {
	for _, k := range v.MapKeys() {
		value := copied(v.MapIndex(k), field, change)
		v.SetMapIndex(k, reflect.Value{})
		v.SetMapIndex(copied(k, field, change), value)
	}
}

// copied is a changed copy of what cannot be set.
func copied(v reflect.Value, field string, change func(field, text string) string) reflect.Value {
	out := reflect.New(v.Type()).Elem()
	out.Set(v)
	eachText(out, field, change)
	return out
}

// poisoned puts hostile words before every text of a value.
func poisoned(v any) {
	eachText(reflect.ValueOf(v), "", func(field, text string) string {
		switch {
		case slices.Contains(own, field):
			return text
		case field == "ShownPassage.Label" || field == "Answer.Documents":
			return hostileLabel + text
		case field == "Answer.Text":
			return "- It cites [" + hostileLabel + "1].\n" + hostileWords + text
		}
		return hostileWords + text
	})
}

// hostileSource is the folder of a run with hostile words in all of its texts.
func hostileSource(t *testing.T, dir string) (reportpage.Source, datasets.Benchmark) {
	t.Helper()
	r, err := report.Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	bench, err := benchmarkOf(r, dir)
	if err != nil {
		t.Fatal(err)
	}
	shown, err := store.ReadShown(dir)
	if err != nil {
		t.Fatal(err)
	}
	contexts, err := store.ReadContexts(dir)
	if err != nil {
		t.Fatal(err)
	}

	r.Answers[0].Notes, r.Answers[0].Points = []string{"note"}, &datasets.Points{Outcome: "ok", List: []string{"a point"}}
	r.Verdicts[0].Notes = []string{"note"}
	r.Verdicts[0].Verdicts[0].Replies = []judge.Reply{{Judge: "a member", Text: "said"}}
	r.Verdicts[1].Verdicts[0] = judge.Unscored(r.Verdicts[1].Questions[0].ID, "bad_format", "no JSON")
	r.Verdicts[0].Verdicts[0].Flags = []string{"odd"}
	r.Manifest.Warnings = []string{"warning"}
	out := reportpage.Source{Name: "run", Run: r, Shown: shown, Contexts: contexts}
	poisoned(&out)
	for i := range out.Run.Answers {
		hostileCites(&out.Run.Answers[i], i)
	}
	return out, bench
}

// hostileCites makes an answer one whose citations are known, or one of an earlier lore.
func hostileCites(a *store.Answer, i int) {
	if a.Parts, a.Cites = nil, nil; i%2 == 0 || len(a.Documents) == 0 {
		return
	}
	from := strings.Index(a.Text, hostileLabel)
	cited := []datasets.Cited{{Label: a.Documents[0]}, {Label: hostileLabel + "2", Document: hostileWords}}
	a.Cites = []datasets.Citation{{From: from, To: from + len(hostileLabel) + 1, Cited: cited}, {From: -1, To: 5}}
}

// shownFields are those that texts from outside must reach, or the test tests nothing.
var shownFields = []string{
	"Head.Title", "Head.Date", "Head.Judges", "Head.Warnings", "Head.Lore", "Head.Settings1", "Head.Documents", "System.Name", "Trust.Judge", "Trust.Said", "Head.Lost",
	"Item.ID", "Item.Title", "Item.Group", "Asked.ID", "Asked.Text", "Answer.Text", "Answer.Points", "Answer.Notes", "Table.Rows",
	"Passage.Label", "Message.Parts", "Message.Role", "Document.ID", "Document.Text",
	"Verdict.Reply", "Verdict.Reason", "Verdict.Flags", "Verdicts.Notes", "Reply.Judge", "Reply.Text",
}

// Texts that want to be more than texts stay texts, in every field, and long ones stay in
// their place. First all that a run folder holds is hostile: no field of the page's data may
// hold what cannot be seen. Then all that the page's data holds is hostile and, once in
// each field, a megabyte without a space: no field may be shown as more than a text.
func TestPageHostile(t *testing.T) {
	url := (&ollamatest.Server{Answer: ollamatest.Plausible}).Start(t).URL
	models := []string{"--host", url, "--generator", "ollama:fake,extractive", "--judge", "lexical,ollama:fake"}
	for name, args := range map[string][]string{
		"summhay": {"--retriever", "bm25,oracle", "--budget-tokens", "3000", "--limit", "3"},
		"crux":    {"--retriever", "random,oracle", "--ungraded", "judge"},
	} {
		t.Run(name, func(t *testing.T) {
			s, bench := hostileSource(t, runOf(t, slices.Concat([]string{name}, args, models)...))
			p := reportpage.New([]reportpage.Source{s}, bench, reportpage.Words{Title: hostileWords, Date: hostileWords})
			reached := map[string]bool{}
			eachText(reflect.ValueOf(p), "", func(field, text string) string {
				if strings.ContainsAny(text, "\x1b\u202e\u2066\u200f\x00\u009b") || !strings.EqualFold(text, strings.ToValidUTF8(text, "")) {
					t.Errorf("%s holds what cannot be seen: %.300q", field, text)
				}
				reached[field] = reached[field] || strings.Contains(text, "pwned")
				return text
			})
			for _, field := range shownFields {
				if !reached[field] {
					t.Errorf("no hostile words reach %s", field)
				}
			}

			lengthened(t, p)
			var out bytes.Buffer
			grid := datasets.Grid{Head: []string{hostileWords}, Rows: [][]string{{hostileWords}}, Note: hostileWords}
			if err := p.Write(&out, grid); err != nil {
				t.Fatal(err)
			}
			html := filepath.Join(t.TempDir(), "hostile.html")
			if err := os.WriteFile(html, out.Bytes(), 0o600); err != nil {
				t.Fatal(err)
			}
			b := newBrowser(t)
			for _, width := range []int{390, 1400} {
				hostileLook(t, b, html, width)
			}
		})
	}
}

// lengthened puts markup before every text of a page that has none, and makes the first of
// each field a megabyte long.
func lengthened(t *testing.T, p *reportpage.Page) {
	t.Helper()
	long := strings.Repeat("x", 1<<20)
	names := []string{"System.Name", "System.Base", "System.Full", "Item.ID", "Item.Group", "Head.Judges", "Head.Documents", "Document.ID",
		"Passage.Label", "Asked.ID", "Trust.Judge", "Reply.Judge"} // store.Names refuses longer ones than this
	seen := map[string]bool{}
	p.Head.Failed, p.Head.Lacking = append(p.Head.Failed, "failed"), "no documents"
	p.Head.Trust[0].Least = "least"
	eachText(reflect.ValueOf(p), "", func(field, text string) string {
		if slices.Contains(own, field) || text == "" && field != "Head.Date" {
			return text
		}
		if !strings.Contains(text, "pwned") {
			text = hostileMarkup + text
		}
		if !seen[field] {
			most := len(long)
			if slices.Contains(names, field) {
				most = 1 << 16
			}
			text += long[:most]
		}
		seen[field] = true
		return text
	})
}

// hostileLook opens everything that can be opened, and looks for what should not be there.
func hostileLook(t *testing.T, b *browser, html string, width int) {
	t.Helper()
	b.screen(width, "light")
	b.open(html, "")
	scrolled(b)
	eval[any](b, `document.querySelectorAll('details').forEach((d) => { d.open = true; })`)
	hostileFind(t, b, "overview", width)
	b.shot(fmt.Sprintf("hostile-overview-%d", width), false)

	cited := 0
	for i := range 2 {
		eval[any](b, fmt.Sprintf(`(async () => { document.querySelectorAll('.questions a')[%d].click(); await new Promise((r) => setTimeout(r, 300)); })()`, i))
		b.wait(`document.querySelector('.answer-card')`)
		eval[any](b, `document.querySelectorAll('button.cell').forEach((c) => c.click())`)
		eval[any](b, `document.querySelectorAll('#question details').forEach((d) => { d.open = true; })`)
		time.Sleep(200 * time.Millisecond)
		hostileFind(t, b, "question", width)
		b.shot(fmt.Sprintf("hostile-question-%d-%d", i, width), false)
		cited += eval[int](b, `[...document.querySelectorAll('.units button.cite')].filter((c) => c.textContent.includes('onerror')).length`)
		for _, opens := range []string{".passages button", "button.cite", ".judged button"} {
			if !eval[bool](b, fmt.Sprintf(`Boolean(document.querySelector('#question %s'))`, opens)) {
				continue
			}
			eval[any](b, fmt.Sprintf(`document.querySelector('#question %s').click()`, opens))
			b.wait(`document.querySelector('dialog.reader[open] .text, dialog.reader[open] p')`)
			hostileFind(t, b, "document by "+opens, width)
			b.keys(kb.Escape)
		}
		b.keys(kb.Escape)
	}

	if cited == 0 {
		t.Error("no citation has a hostile label")
	}

	typed(b, "search", "pwned")
	b.wait(`document.querySelector('.results .note')?.textContent.includes('in statements')`)
	hostileFind(t, b, "search", width)
}

// hostileFind fails where a text became more than a text, steers, is too wide, or is shown
// whole where it should be clipped.
func hostileFind(t *testing.T, b *browser, where string, width int) {
	t.Helper()
	if eval[bool](b, `Boolean(window.pwned)`) {
		t.Fatalf("%s: a text was run", where)
	}
	if n := eval[int](b, `document.querySelectorAll('img, iframe, object, embed, link, base, form, script[src], a[href^="java"], svg [onload], [onerror], [onmouseover]').length`); n > 0 {
		t.Errorf("%s: %d elements came from texts", where, n)
	}
	if got := eval[int](b, `document.documentElement.scrollWidth`); got > width {
		t.Errorf("%s at %d is %d wide", where, width, got)
	}
	if text := eval[string](b, `document.body.innerText`); strings.ContainsAny(text, "\x1b\u202e\u2066\x00") {
		t.Errorf("%s holds what cannot be seen", where)
	}

	const most = 41_000 // a document is clipped at 40,000 characters, all else sooner
	for _, found := range eval[[]string](b, fmt.Sprintf(`[...document.querySelectorAll('body *')].filter((e) => e.tagName !== 'SCRIPT').flatMap((e) => [
		...[...e.childNodes].filter((c) => c.nodeType === 3 && c.data.length > %d).map((c) => e.outerHTML.slice(0, 80) + ' has ' + c.data.length + ' characters'),
		...[...e.attributes].filter((a) => a.value.length > 5000).map((a) => e.tagName + '.' + e.className + ' ' + a.name + ' has ' + a.value.length + ' characters')]).slice(0, 10)`, most)) {
		t.Errorf("%s: %s", where, found)
	}
}
