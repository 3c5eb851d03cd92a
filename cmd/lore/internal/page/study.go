package page

import (
	"bytes"
	"fmt"
	"html/template"
	"io"
	"net/url"
	"slices"
	"strings"

	"lore/cmd/lore/internal/report"
	"lore/datasets"
	"lore/judge/agreement"
)

// Study is the page of several runs of different benchmarks: the answer of each in short, one table
// over all, and the way to the page of each.
type Study struct {
	Title, Date     string
	Overview, Seeds datasets.Grid // Seeds may be empty

	chapters []chapter
}

// chapter is one run of a study.
type chapter struct {
	Name  string
	Link  template.URL // of the run's own page, beside the study's
	Head  Head
	Table template.HTML
	Of    []byJudges // the answers by the main figure
	Notes []string   // what the words and figures in them mean, each once

	Judges []judgeLine // what is known of each judge, as a screen has it
	Doubts []string    // of judges that agree weakly with people here, or were not measured: short
}

// byJudges is an answer, with the judges by whom it holds where there are several.
type byJudges struct {
	Judges    string
	Sentences []string
}

// judgeLine is a sentence of what is known of a judge.
type judgeLine struct {
	Text string
	Warn bool
}

// Add adds a run whose folder of that name lies beside the page.
func (s *Study) Add(name string, source Source, bench datasets.Benchmark) {
	p := New([]Source{source}, bench, Words{})
	c := chapter{
		Name:  name,
		Link:  template.URL(url.PathEscape(name) + "/report.html"),
		Head:  p.Head,
		Table: asHTML(report.Main(source.Run.Table, bench.Metrics())),
	}
	c.answer(p.Head)
	c.Judges, c.Doubts = judgeLines(source.Run, p.Head.Heed), doubts(p.Head.Trust)
	s.chapters = append(s.chapters, c)
}

// answer takes over the answers by the main figure: what several judges agree on is said once, and so
// is what words mean.
func (c *chapter) answer(h Head) {
	var judges [][]string
	for _, a := range h.Answers {
		if a.Metric != h.Headline {
			continue
		}
		at := slices.IndexFunc(c.Of, func(o byJudges) bool { return slices.Equal(o.Sentences, a.Sentences) })
		if at < 0 {
			at = len(c.Of)
			c.Of, judges = append(c.Of, byJudges{Sentences: a.Sentences}), append(judges, nil)
		}
		if a.Judge >= 0 {
			judges[at] = append(judges[at], h.Judges[a.Judge])
		}
		for _, n := range a.Notes {
			if !slices.Contains(c.Notes, n) {
				c.Notes = append(c.Notes, n)
			}
		}
	}

	if len(h.Judges) > 1 {
		for i := range c.Of {
			c.Of[i].Judges = listed(judges[i], "and")
		}
	}
}

// judgeLines are the lines of a screen, but for those that stand elsewhere on the page. The place of
// documentation is not known to who has the page alone.
func judgeLines(r report.Run, heed []string) []judgeLine {
	var out []judgeLine
	for _, said := range report.JudgeTexts(r) {
		said = plain(said)
		if at := strings.LastIndex(said, " see docs/"); at > 0 {
			said = strings.TrimRight(said[:at], ",;")
		}
		said = strings.TrimSuffix(said, ".") + "."
		if slices.ContainsFunc(heed, func(h string) bool { return strings.TrimSuffix(h, ".")+"." == said }) {
			continue
		}
		out = append(out, judgeLine{said, strings.HasPrefix(said, "Warning: ")})
	}
	return out
}

// doubts say in short which judges agree weakly with people or were not measured, and for which kinds
// of question.
func doubts(trust []Trust) []string {
	words := map[string]string{
		"":                        "was not measured on such texts",
		string(agreement.Useless): "is of no use",
		string(agreement.Weak):    "agrees weakly with people",
	}
	var said []string
	kinds := map[string][]string{}
	for _, t := range trust {
		text, doubted := words[t.Worth]
		if !doubted {
			continue
		}
		if _, all := words[t.Best]; !all {
			text += " on some texts"
		}
		text = "Judge " + t.Judge + " " + text
		if kinds[text] == nil {
			said = append(said, text)
		}
		kinds[text] = append(kinds[text], t.Kind)
	}
	for i, text := range said {
		said[i] = text + " (" + strings.Join(kinds[text], ", ") + ")."
	}
	return said
}

func asHTML(g datasets.Grid) template.HTML {
	if len(g.Rows) == 0 {
		return ""
	}
	var out bytes.Buffer
	plainGrid(&out, g)
	return template.HTML(out.String())
}

var studyPage = template.Must(template.New("study").Parse(read("src/study.html")))

// Write writes the page, which runs no script and asks nobody. Equal studies give equal bytes.
func (s *Study) Write(w io.Writer) error {
	styles := style() + read("src/study.css")
	err := studyPage.Execute(w, map[string]any{
		"Policy":   "default-src 'none'; style-src " + hashOf(styles) + "; base-uri 'none'; form-action 'none'",
		"Style":    template.CSS(styles),
		"Title":    plain(s.Title),
		"Date":     plain(s.Date),
		"Overview": asHTML(s.Overview),
		"Seeds":    asHTML(s.Seeds),
		"Chapters": s.chapters,
	})
	if err != nil {
		return fmt.Errorf("write the page of the study: %w", err)
	}
	return nil
}
