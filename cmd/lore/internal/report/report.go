package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"lore/cmd/lore/internal/run"
	"lore/cmd/lore/internal/store"
	"lore/datasets"
	"lore/embed"
	"lore/judge/lexical"
	"lore/local/extractive"
)

// Load reads a run folder.
func Load(dir string) (Run, error) {
	var r Run
	var err error
	if r.Manifest, err = store.ReadManifest(dir); err != nil {
		return r, err
	}
	if err = store.ReadJSON(dir, "scores.json", &r.Table); err != nil {
		return r, err
	}
	if r.Answers, err = store.ReadLines[store.Answer](dir, "answers.jsonl"); err != nil {
		return r, err
	}
	r.Verdicts, err = store.ReadLines[store.TaskVerdicts](dir, "verdicts.jsonl")
	return r, err
}

// Grids are the tables below the main one.
func Grids(r Run, bench datasets.Benchmark) []datasets.Grid {
	var out []datasets.Grid
	if t, ok := bench.(datasets.Tabulator); ok {
		out = append(out, t.Tables(Systems(r.Table))...)
	}
	out = append(out, JudgeNotes(r.Manifest))
	out = append(out, RetrievalNotes(r.Manifest)...)
	out = append(out, Diagnosis(r.Verdicts))
	return append(out, Contexts(r.Answers), Failures(r.Answers, r.Verdicts), Oddities(r.Answers))
}

// JudgeNotes names each judge with what is known of its agreement with people.
func JudgeNotes(m store.Manifest) datasets.Grid {
	g := datasets.Grid{Title: "Can the judges be believed?", Head: []string{"judge", "agreement with people"}}
	seen := map[string]bool{}
	copies := slices.ContainsFunc(m.Generators, func(g store.Model) bool { return g.Name == extractive.BackendName })
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

// Diagnosis counts the kinds of a benchmark's notes per system, means over items; the
// page has the notes themselves.
func Diagnosis(verdicts []store.TaskVerdicts) datasets.Grid {
	g := datasets.Grid{Title: "Diagnosis", Head: []string{"retriever", "generator", "judge"}, Note: "mean number per item; report.html names each; systems without any are left out"}
	type key [3]string
	var keys []key
	var kinds []string
	items, counts := map[key]int{}, map[key]map[string]int{}
	for _, v := range verdicts {
		k := key{v.Retriever, v.Generator, v.Judge}
		if counts[k] == nil {
			keys, counts[k] = append(keys, k), map[string]int{}
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
	for _, k := range keys {
		if len(counts[k]) == 0 {
			continue
		}
		row := k[:]
		for _, kind := range kinds {
			row = append(row, fmt.Sprintf("%.2f", float64(counts[k][kind])/float64(items[k])))
		}
		g.Rows = append(g.Rows, row)
	}
	return g
}

// RetrievalNotes say what the models of retrievers and encoders were given and did:
// texts cut, replies that could not be read.
func RetrievalNotes(m store.Manifest) []datasets.Grid {
	var out []datasets.Grid
	if len(m.Retrieval.Embedders) > 0 {
		g := datasets.Grid{Title: "Embedders", Head: []string{"model", "texts", "longer than a window", "cut", "settings"}}
		for _, e := range m.Retrieval.Embedders {
			g.Rows = append(g.Rows, []string{e.Settings.Name, fmt.Sprint(e.Texts), share(e.Windowed+e.Cut, e.Texts), share(e.Cut, e.Texts), embedderText(e.Settings)})
		}
		out = append(out, g)
	}
	if len(m.Retrieval.Rerankers) > 0 {
		g := datasets.Grid{Title: "Rerankers", Head: []string{"retriever", "by", "replies", "repaired", "unreadable", "passages cut", "what was done"}}
		for _, r := range m.Retrieval.Rerankers {
			g.Rows = append(g.Rows, []string{r.Pipeline, r.Name, fmt.Sprint(r.Calls), share(r.Repaired, r.Calls), share(r.Unparsable, r.Calls), fmt.Sprint(r.Cut), r.Remedy})
		}
		out = append(out, g)
	}
	if len(m.Retrieval.Condensers) > 0 {
		g := datasets.Grid{Title: "Documents shortened before they were shown", Head: []string{"retriever", "by", "documents", "tokens before", "tokens shown", "done without the model"}}
		for _, c := range m.Retrieval.Condensers {
			failed := share(c.Failed, c.Documents)
			if c.Failed > 0 {
				failed += ": " + c.Example
			}
			g.Rows = append(g.Rows, []string{c.Pipeline, c.By, fmt.Sprint(c.Documents), fmt.Sprint(c.Before), fmt.Sprint(c.After), failed})
		}
		out = append(out, g)
	}
	if b, ok := m.Settings["bertscore"].(map[string]any); ok {
		g := datasets.Grid{Title: "BERTScore", Head: []string{"encoder", "window", "idf", "baseline", "answers", "cut, or compared with a cut reference"}}
		answers, cut := countOf(b["answers"]), countOf(b["answers_cut"])
		g.Rows = append(g.Rows, []string{fmt.Sprint(b["model"]), fmt.Sprint(b["window"]), fmt.Sprint(b["idf"]), fmt.Sprint(b["baseline"]), fmt.Sprint(answers), share(cut, answers)})
		out = append(out, g)
	}
	return out
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
		parts = append(parts, fmt.Sprintf("prefixes %q and %q", s.QueryPrefix, s.PassagePrefix))
	}
	return strings.Join(append(parts, s.Notes...), "; ")
}

// WriteMarkdown writes the report without the answers.
func WriteMarkdown(w io.Writer, r Run, bench datasets.Benchmark) {
	fmt.Fprintf(w, "# %s\n\n%s\n\n", bench.Name(), mdCell(bench.About()))
	Markdown(w, Main(r.Table, bench.Metrics()))
	for _, g := range Grids(r, bench) {
		if len(g.Rows) > 0 {
			Markdown(w, g)
		}
	}
	if len(r.Manifest.Warnings) > 0 {
		fmt.Fprint(w, "### Warnings\n\n")
		for _, s := range r.Manifest.Warnings {
			fmt.Fprintf(w, "- %s\n", mdCell(s))
		}
		fmt.Fprintln(w)
	}
	g := datasets.Grid{Title: "How it was run", Head: []string{"setting", "value"}}
	for _, s := range settings(r.Manifest) {
		g.Rows = append(g.Rows, []string{s.Name, s.Value})
	}
	Markdown(w, g)
}

// Save writes report.md and report.html into the run folder.
func Save(f *store.Folder, r Run, bench datasets.Benchmark) error {
	var md, page bytes.Buffer
	WriteMarkdown(&md, r, bench)
	if err := f.WriteFile("report.md", md.Bytes()); err != nil {
		return err
	}
	if err := HTML(&page, r, bench); err != nil {
		return err
	}
	return f.WriteFile("report.html", page.Bytes())
}

// JSON writes rows for programs: shares as percentages, full precision, null for
// undefined.
func JSON(w io.Writer, t run.Table, metrics []datasets.Metric) error {
	rows := make([]map[string]any, len(t.Rows))
	for i, r := range t.Rows {
		n, unscored := r.N(metrics)
		row := figuresJSON(r, metrics)
		row["retriever"], row["generator"], row["judge"] = r.Retriever, r.Generator, r.Judge
		row["n"], row["n_unscored"], row["items"], row["items_failed"] = n, unscored, r.Items, r.ItemsFailed
		rows[i] = row
	}
	return WriteJSON(w, map[string]any{"benchmark": t.Benchmark, "pooling": t.Pooling, "interval": t.Interval, "rows": rows})
}

// WriteJSON writes a value as all verbs write JSON: indented, with a line end.
func WriteJSON(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", " ")
	if err := enc.Encode(v); err != nil {
		return fmt.Errorf("write JSON: %w", err)
	}
	return nil
}

// figuresJSON are a row's figures by key.
func figuresJSON(r run.Row, metrics []datasets.Metric) map[string]any {
	row := map[string]any{}
	for _, m := range metrics {
		f, ok := r.Figure(m.Name)
		if !ok {
			continue
		}
		scale := 1.0
		if m.Percent {
			scale = 100
		}
		row[m.Name] = times(f.Value, scale)
		row[m.Name+"_ci"] = []*float64{times(f.Low, scale), times(f.High, scale)}
		row[m.Name+"_by_item"] = times(f.ByItem, scale)
		row[m.Name+"_n"] = f.N
		if f.Worst != nil {
			row[m.Name+"_bounds"] = []*float64{times(f.Worst, scale), times(f.Best, scale)}
		}
	}
	return row
}

func times(v *float64, scale float64) *float64 {
	if v == nil {
		return nil
	}
	x := *v * scale
	return &x
}
