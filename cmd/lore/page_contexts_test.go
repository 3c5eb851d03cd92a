package main

import (
	"fmt"
	"math"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/ollama/ollama/api"
	"github.com/spf13/cobra"

	reportpage "lore/cmd/lore/internal/page"
	"lore/local/ollama/ollamatest"
)

// pageOf is the data of the page of a run.
func pageOf(t *testing.T, dir string) *reportpage.Page {
	t.Helper()
	runs, bench, err := loadRuns(&cobra.Command{}, []string{dir})
	if err != nil {
		t.Fatal(err)
	}
	sources, err := pageSources([]string{dir}, runs)
	if err != nil {
		t.Fatal(err)
	}
	return reportpage.New(sources, bench, reportpage.Words{})
}

// What the page says of contexts and answers, question by question, gives the very figures
// of the table: Cov(Z) and Cov(y). Where a verdict that decides is missing, both say so.
func TestPageOfContextsHasTheFiguresOfTheTable(t *testing.T) {
	mangled := func(n int, _ api.ChatRequest) ollamatest.Misbehavior {
		if n%5 == 0 {
			return ollamatest.NoDoneFrame
		}
		return ollamatest.Behave
	}
	url := (&ollamatest.Server{Answer: ollamatest.Plausible, Misdeed: mangled}).Start(t).URL
	retrievers := []string{"--retriever", "random,bm25,keywords,oracle"}
	for name, args := range map[string][]string{
		"lexical": {"--ungraded", "judge"},
		"models":  {"--ungraded", "judge", "--judge", "lexical,ollama:fake", "--host", url},
		"data":    {},
		"strict":  {"--ungraded", "judge", "--eta", "5,3"},
	} {
		t.Run(name, func(t *testing.T) {
			p := pageOf(t, runOf(t, append(append([]string{"crux"}, retrievers...), args...)...))
			found := map[string]int{}
			for _, q := range p.Questions {
				for _, v := range q.Verdicts {
					compareCoverage(t, p, q, v, found)
				}
				found["judged"] += len(q.Documents)
			}
			if found["shares"] < 8 || (found["judged"] > 0) != (name != "data") || (found["open"] > 0) != (name == "models") {
				t.Errorf("found %v", found)
			}
		})
	}
}

// compareCoverage recounts the figures of one answer.
func compareCoverage(t *testing.T, p *reportpage.Page, q reportpage.Question, v reportpage.Verdicts, found map[string]int) {
	t.Helper()
	all, held, open, answered, missing := 0.0, 0.0, 0, 0.0, 0
	for k, said := range v.Context {
		if said == nil {
			continue
		}
		all++
		switch {
		case len(said.By) > 0:
			held++
		case said.Open > 0:
			open++
		}
		if v.List[k].Answers {
			answered++
		}
		if v.List[k].Label == "" {
			missing++
		}
	}

	for i, m := range p.Values.Metrics {
		share, lacking := held/all, open
		switch {
		case strings.HasPrefix(p.Head.Metrics[m].Name, "cov_answer@"):
			share, lacking = answered/all, missing
		case !strings.HasPrefix(p.Head.Metrics[m].Name, "cov_context@"):
			continue
		}
		value := p.Values.Rows[v.Row][i][q.Item]
		found["shares"]++
		if lacking > 0 {
			found["open"]++
		}
		if (value == nil) != (lacking > 0) || value != nil && math.Abs(*value-100*share) > 0.001 {
			t.Errorf("%s of row %d on question %d: the page says %.3f with %d open, the table %v", p.Head.Metrics[m].Name, v.Row, q.Item, share, lacking, value)
		}
	}
}

// A reader sees below each verdict which documents answer the question, what was lost on the
// way, and how the judge came to its verdict on a document.
func TestPageOfContexts(t *testing.T) {
	b := newBrowser(t)
	url := (&ollamatest.Server{Answer: ollamatest.Plausible}).Start(t).URL
	dir := runOf(t, "crux", "--retriever", "random,oracle", "--ungraded", "judge", "--judge", "lexical,ollama:fake", "--host", url)
	html := filepath.Join(dir, "report.html")
	for _, width := range []int{390, 1400} {
		b.screen(width, "light")
		b.open(html, "#judge=ollama%3Afake")
		eval[any](b, `[...document.querySelectorAll('.questions a')].find((a) => a.textContent.includes('lighthouse')).click()`)
		b.wait(`document.querySelectorAll('.answer-card').length === 2`)
		fits(b, "contexts", width)
		b.shot(fmt.Sprintf("contexts-%d-light", width), true)
	}

	notes := eval[[]string](b, `[...document.querySelectorAll('td > .context')].map((n) => n.textContent)`)
	form := regexp.MustCompile(`^((lost: )?in document \d+(, \d+)*( and \d+ more)?|in no document shown)$`)
	for _, n := range notes {
		if !form.MatchString(n) {
			t.Errorf("below a verdict stands %q", n)
		}
	}
	if n := eval[int](b, `document.querySelectorAll('button.cell').length`); n != len(notes) || n < 10 {
		t.Errorf("%d of %d verdicts have a note", len(notes), n)
	}
	summaries := eval[[]string](b, `[...document.querySelectorAll('.context-summary')].map((n) => n.textContent)`)
	if len(summaries) != 2 || !regexp.MustCompile(`^The documents shown answer \d+ of 9 questions, the answer \d+\.`).MatchString(summaries[0]) {
		t.Errorf("the answers say %q", summaries)
	}

	// The judge's verdict on a document opens with its reply, and the document itself.
	judged := `document.querySelector('.detail:not([hidden]) .judged')`
	eval[any](b, `[...document.querySelectorAll('button.cell')].find((c) => { c.click(); return `+judged+`; })`)
	eval[any](b, judged+`.querySelector('summary').click()`)
	b.wait(judged + `.querySelector('.reply pre')`)
	if said := eval[string](b, judged+`.textContent`); !regexp.MustCompile(`of 5.*The judge replied`).MatchString(said) {
		t.Errorf("of the document is said %q", said)
	}
	eval[any](b, judged+`.querySelector('button.cite').click()`)
	b.wait(`document.querySelector('dialog.reader[open] .text')`)
}
