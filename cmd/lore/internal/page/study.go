package page

import (
	"bytes"
	"fmt"
	"html/template"
	"io"
	"net/url"

	"lore/cmd/lore/internal/report"
	"lore/datasets"
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
	Of    []Answered // the answers by the main figure
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
	for _, a := range p.Head.Answers {
		if a.Metric == p.Head.Headline {
			c.Of = append(c.Of, a)
		}
	}
	s.chapters = append(s.chapters, c)
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
