package main

import (
	"fmt"
	"strings"
	"testing"
)

// The pictures of Long²RAG fit a telephone and a screen; the ring of a system with a gap stays open there, and the
// table says the same as the picture to whoever does not see it.
func TestPageOfKeyPoints(t *testing.T) {
	b := newBrowser(t)
	html := runOf(t, "long2rag", "--retriever", "given,random,given>first:20c") + "/report.html"
	axe := axeScript(t)
	of := func(title, words string) string {
		return fmt.Sprintf(`(() => { const f = [...document.querySelectorAll('figure.plot')].find((x) => x.querySelector('h3').textContent === %q); %s })()`,
			title, words)
	}
	for _, width := range []int{390, 1400} {
		b.screen(width, "light")
		b.open(html, "")
		scrolled(b)
		where := fmt.Sprintf("keypoints-%d", width)
		for title, rings := range map[string]int{"KPR by domain": 3, "KPR by category": 3} {
			closed := eval[int](b, of(title, `return [...f.querySelectorAll('path.line')].filter((p) => p.getAttribute('d').endsWith('Z')).length;`))
			if closed != rings {
				t.Errorf("%s: %s has %d closed rings, not %d", where, title, closed, rings)
			}
			wide := eval[bool](b, of(title, `return [...f.querySelectorAll('text')].every((x) => { const r = x.getBoundingClientRect(); `+
				`return r.left >= 0 && r.right <= innerWidth; });`))
			if !wide {
				t.Errorf("%s: a name of %s is cut off", where, title)
			}
		}
		eval[any](b, of("KPR by domain", `f.querySelector('summary').click();`))
		said := eval[string](b, of("KPR by domain", `return f.querySelector('table').textContent;`))
		for _, words := range []string{"domain", "film", "57.1 (n 1)", "technology"} {
			if !strings.Contains(said, words) {
				t.Errorf("%s: the table lacks %q: %s", where, words, said)
			}
		}
		if label := eval[string](b, of("KPR by category", `return f.querySelector('svg.drawing').getAttribute('aria-label');`)); label != "KPR by category of 3 systems" {
			t.Errorf("%s: %q", where, label)
		}
		b.shot(where, true)
		fits(b, where, width)
		b.accessible(axe, where)
	}
}
