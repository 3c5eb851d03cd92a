package report

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"lore/cmd/lore/internal/store"
	"lore/cmd/lore/internal/usage"
	"lore/datasets"
	"lore/embed"
	"lore/judge/lexical"
	"lore/local/extractive"
)

// JudgeNotes names each judge once, with what is known of its agreement with people.
func JudgeNotes(m store.Manifest) datasets.Grid {
	g := datasets.Grid{
		Title: "Can the judges be believed?",
		Head:  []string{"judge", "agreement with people"},
	}
	copies := slices.ContainsFunc(m.Generators, func(g store.Model) bool {
		return g.Name == extractive.BackendName
	})

	seen := map[string]bool{}
	for _, j := range m.Judges {
		if seen[j.Name] {
			continue
		}
		seen[j.Name] = true
		g.Rows = append(g.Rows, []string{j.Name, j.Agreement})
		if j.Name == (lexical.Judge{}).Name() && copies {
			g.Note = lexical.CopyingNote
		}
	}
	return g
}

// JudgeLines says the same on a screen: a short line per judge, and where the rest stands.
func JudgeLines(w io.Writer, m store.Manifest) {
	notes := JudgeNotes(m)
	for _, row := range notes.Rows {
		said := row[1]
		if first, _, more := strings.Cut(said, "; "); more && len(said) > shortLine {
			said = first + "; the rest: docs/judges.md"
		}
		fmt.Fprintf(w, "Judge %s: %s\n", usage.Plain(row[0]), usage.Plain(said))
	}
	if notes.Note != "" {
		fmt.Fprintln(w, "Extractive answers are copies, which this judge favours: compare them with each other alone.")
	}
}

// shortLine is the longest text that JudgeLines prints whole.
const shortLine = 100

// Diagnosis counts the kinds of a benchmark's notes per system and judge, means over
// items; the page has the notes themselves.
func Diagnosis(verdicts []store.TaskVerdicts) datasets.Grid {
	g := datasets.Grid{
		Title: "Diagnosis",
		Head:  []string{"retriever", "generator", "judge"},
		Note:  "mean number per item; report.html names each; systems without any are left out",
	}

	var order []datasets.Judged
	var kinds []string
	items, counts := map[datasets.Judged]int{}, map[datasets.Judged]map[string]int{}
	for _, v := range verdicts {
		k := v.Judged
		if counts[k] == nil {
			order, counts[k] = append(order, k), map[string]int{}
		}
		items[k]++
		for _, n := range v.Notes {
			kind, _, _ := strings.Cut(n, ":")
			if !slices.Contains(kinds, kind) {
				kinds = append(kinds, kind)
			}
			counts[k][kind]++
		}
	}
	if len(kinds) == 0 {
		return g
	}

	slices.Sort(kinds)
	g.Head = append(g.Head, kinds...)
	for _, k := range order {
		if len(counts[k]) == 0 {
			continue
		}
		row := []string{k.Retriever, k.Generator, k.Judge}
		for _, kind := range kinds {
			row = append(row, fmt.Sprintf("%.2f", float64(counts[k][kind])/float64(items[k])))
		}
		g.Rows = append(g.Rows, row)
	}
	return g
}

// RetrievalNotes say what the models of retrievers and encoders were given and did:
// texts cut, replies that could not be read. There is a table per kind of model in use.
func RetrievalNotes(m store.Manifest) []datasets.Grid {
	grids := []datasets.Grid{
		embedderGrid(m.Retrieval.Embedders),
		rerankerGrid(m.Retrieval.Rerankers),
		condenserGrid(m.Retrieval.Condensers),
		bertGrid(m.Settings["bertscore"]),
	}
	return slices.DeleteFunc(grids, func(g datasets.Grid) bool { return len(g.Rows) == 0 })
}

func embedderGrid(embedders []store.Embedder) datasets.Grid {
	g := datasets.Grid{
		Title: "Embedders",
		Head:  []string{"model", "texts", "longer than a window", "cut", "settings"},
	}
	for _, e := range embedders {
		g.Rows = append(g.Rows, []string{
			e.Settings.Name,
			fmt.Sprint(e.Texts),
			share(e.Windowed+e.Cut, e.Texts),
			share(e.Cut, e.Texts),
			embedderText(e.Settings),
		})
	}
	return g
}

func rerankerGrid(rerankers []store.Reranker) datasets.Grid {
	g := datasets.Grid{
		Title: "Rerankers",
		Head:  []string{"retriever", "by", "replies", "repaired", "unreadable", "passages cut", "what was done"},
	}
	for _, r := range rerankers {
		g.Rows = append(g.Rows, []string{
			r.Pipeline,
			r.Name,
			fmt.Sprint(r.Calls),
			share(r.Repaired, r.Calls),
			share(r.Unparsable, r.Calls),
			fmt.Sprint(r.Cut),
			r.Remedy,
		})
	}
	return g
}

func condenserGrid(condensers []store.Condenser) datasets.Grid {
	g := datasets.Grid{
		Title: "Documents shortened before they were shown",
		Head:  []string{"retriever", "by", "documents", "tokens before", "tokens shown", "done without the model"},
	}

	for _, c := range condensers {
		failed := share(c.Failed, c.Documents)
		if c.Failed > 0 {
			failed += ": " + c.Example
		}
		g.Rows = append(g.Rows, []string{
			c.Pipeline,
			c.By,
			fmt.Sprint(c.Documents),
			fmt.Sprint(c.Before),
			fmt.Sprint(c.After),
			failed,
		})
	}
	return g
}

// bertGrid reads the settings that a run with BERTScore has.
func bertGrid(settings any) datasets.Grid {
	b, ok := settings.(map[string]any)
	if !ok {
		return datasets.Grid{}
	}
	answers, cut := countOf(b["answers"]), countOf(b["answers_cut"])
	return datasets.Grid{
		Title: "BERTScore",
		Head:  []string{"encoder", "window", "idf", "baseline", "answers", "cut, or compared with a cut reference"},
		Rows: [][]string{{
			fmt.Sprint(b["model"]),
			fmt.Sprint(b["window"]),
			fmt.Sprint(b["idf"]),
			fmt.Sprint(b["baseline"]),
			fmt.Sprint(answers),
			share(cut, answers),
		}},
	}
}

// countOf reads a count, as it was set or as it comes back from JSON.
func countOf(v any) int {
	switch n := v.(type) {
	case int:
		return n
	case float64:
		return int(n)
	}
	return 0
}

func share(n, of int) string {
	if n == 0 || of == 0 {
		return fmt.Sprint(n)
	}
	return fmt.Sprintf("%d (%.1f %%)", n, 100*float64(n)/float64(of))
}

func embedderText(s embed.Settings) string {
	parts := []string{s.Backend, s.Pooling + " pooling", s.Similarity}
	if s.MaxTokens > 0 {
		parts = append(parts, fmt.Sprintf("%d tokens", s.MaxTokens))
	}
	parts = append(parts, "long texts: "+string(s.Windows.Long))
	if s.QueryPrefix != "" || s.PassagePrefix != "" {
		parts = append(parts, fmt.Sprintf("prefix of queries %q, of documents %q", s.QueryPrefix, s.PassagePrefix))
	}
	return strings.Join(append(parts, s.Notes...), "; ")
}
