package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/ollama/ollama/api"

	"lore/cmd/lore/internal/store"
	"lore/cmd/lore/internal/table"
	"lore/datasets"
	"lore/datasets/all"
	"lore/local/files"
	"lore/local/ollama/ollamatest"
	"lore/local/published"
	"lore/local/system"
)

// citationStyles write the citations of documents, by place and by id.
var citationStyles = []struct {
	name  string
	write func(n []int, ids []string) string
}{
	{"square", func(n []int, _ []string) string { return "[" + joinMarks(n, "%d", ", ") + "]" }},
	{"semicolons", func(n []int, _ []string) string { return "[" + joinMarks(n, "%d", "; ") + "]" }},
	{"documents", func(n []int, _ []string) string { return "[" + joinMarks(n, "Document %d", ", ") + "]" }},
	{"ranges", func(n []int, _ []string) string { return "[" + ranges(n) + "]" }},
	{"round", func(n []int, _ []string) string { return "(" + joinMarks(n, "%d", ", ") + ")" }},
	{"ids", func(_ []int, ids []string) string { return "[" + strings.Join(ids, "][") + "]" }},
	{"links", func(_ []int, ids []string) string { return "[title](" + strings.Join(ids, "), [title](") + ")" }},
	{"sources", func(_ []int, ids []string) string { return "(sources: " + strings.Join(ids, ", ") + ")" }},
	{"superscripts", func(n []int, _ []string) string {
		return strings.NewReplacer("0", "⁰", "1", "¹", "2", "²", "3", "³", "4", "⁴", "5", "⁵", "6", "⁶", "7", "⁷",
			"8", "⁸", "9", "⁹").Replace(joinMarks(n, "%d", ","))
	}},
	{"footnotes", func(n []int, _ []string) string { return "[^" + joinMarks(n, "%d", "][^") + "]" }},
}

func joinMarks(n []int, form, separator string) string {
	var out []string
	for _, x := range n {
		out = append(out, fmt.Sprintf(form, x))
	}
	return strings.Join(out, separator)
}

// ranges writes runs of numbers as ranges.
func ranges(n []int) string {
	var out []string
	for i := 0; i < len(n); {
		last := i
		for last+1 < len(n) && n[last+1] == n[last]+1 {
			last++
		}
		if last > i {
			out = append(out, fmt.Sprintf("%d-%d", n[i], n[last]))
		} else {
			out = append(out, strconv.Itoa(n[i]))
		}
		i = last + 1
	}
	return strings.Join(out, ", ")
}

var publishedMark = regexp.MustCompile(`\[([\d, ]+)\]`)

// inStyle writes an answer's citations in another style.
func inStyle(answer string, docs []files.Document, write func([]int, []string) string) string {
	return publishedMark.ReplaceAllStringFunc(answer, func(m string) string {
		var n []int
		var ids []string
		for _, field := range strings.FieldsFunc(m, func(r rune) bool { return r < '0' || r > '9' }) {
			k, err := strconv.Atoi(field)
			if err != nil {
				panic(err)
			}
			n, ids = append(n, k), append(ids, docs[k-1].ID)
		}
		return write(n, ids)
	})
}

// lore runs the command and returns the table it wrote.
func loreRun(t *testing.T, args ...string) (rows table.Table, screen string) {
	t.Helper()
	dir := t.TempDir()
	var out, errs bytes.Buffer
	if code := Main(append(append([]string{"run"}, args...), "--out", dir), &out, &errs); code != exitOK {
		t.Fatalf("lore run %v: exit code %d\n%s%s", args, code, out.String(), errs.String())
	}
	if err := readScores(dir, &rows); err != nil {
		t.Fatal(err)
	}
	return rows, out.String() + errs.String()
}

// sameFigures checks that all rows have the figures of the first.
func sameFigures(t *testing.T, what string, want table.Row, rows []table.Row) {
	t.Helper()
	for _, r := range rows {
		for _, w := range want.Figures {
			if strings.HasPrefix(w.Metric, "bound_") {
				continue // of the context, which answers from outside have none of
			}
			got, _ := r.Figure(w.Metric)
			if diff := cmp.Diff(w, got); diff != "" {
				t.Errorf("%s: %s %s: %s differs: %s", what, r.Retriever, r.Generator, w.Metric, diff)
			}
		}
	}
}

// The same answer scores the same in every style of citation, from a file, from a system
// over HTTP, and from a model; by the published rule only the published styles do, and the
// others are named on the screen.
func TestCitationStyles(t *testing.T) {
	if testing.Short() {
		t.Skip("-short leaves out what only takes long; make test runs it")
	}
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	t.Run("sample", func(t *testing.T) { citationStylesOn(t) })
	for _, name := range []string{"news1", "news2"} {
		t.Run(name, func(t *testing.T) {
			citationStylesOn(t, published.Path(t, "data/summhay/topic_"+name+".json"))
		})
	}
}

func citationStylesOn(t *testing.T, data ...string) {
	dir := t.TempDir()
	base := append([]string{"summhay"}, data...)
	var out, errs bytes.Buffer
	run := append(append([]string{"run"}, base...), "--retriever", "oracle", "--out", dir)
	if code := Main(run, &out, &errs); code != exitOK {
		t.Fatal(errs.String())
	}
	var first table.Table
	if err := readScores(dir, &first); err != nil {
		t.Fatal(err)
	}
	answers, err := linesOf[store.Answer](dir, "answers.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	bench, _ := all.Find("summhay")
	ds, err := bench.Load(data)
	if err != nil {
		t.Fatal(err)
	}
	items := map[string]datasets.Item{}
	for _, it := range ds.Items {
		items[it.ID()] = it
	}

	var paths []string
	styled := map[string]map[string]string{} // style, item
	for _, style := range citationStyles {
		styled[style.name] = map[string]string{}
		var lines []any
		for _, a := range answers {
			text := inStyle(a.Text, items[a.Item].Corpus().Documents, style.write)
			styled[style.name][a.Item] = text
			lines = append(lines, map[string]string{"item": a.Item, "answer": text})
		}
		paths = append(paths, writeAnswers(t, dir, style.name, lines))
	}

	files, _ := loreRun(t, append(slices.Clone(base), "--answers", strings.Join(paths, ","))...)
	sameFigures(t, "--answers", first.Rows[0], files.Rows)

	strict, screen := loreRun(t, append(slices.Clone(base), "--answers", strings.Join(paths, ","), "--citations", "strict")...)
	sameFigures(t, "strict", first.Rows[0], strict.Rows[:1])
	for _, r := range strict.Rows[1:] {
		// A range may stand beside a number alone, which the published rule reads.
		if f, _ := r.Figure("citation"); *f.Value != 0 && r.Generator != "ranges" {
			t.Errorf("strict: %s has a citation score of %v", r.Generator, *f.Value)
		}
	}
	want := fmt.Sprintf("outside links: %d of %d answers without a citation that can be read", len(ds.Items), len(ds.Items))
	if !strings.Contains(screen, want) || !strings.Contains(screen, "No cit.") {
		t.Errorf("%q or its column is not on the screen:\n%s", want, screen)
	}

	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var q struct{ Query string }
		if err := json.NewDecoder(r.Body).Decode(&q); err != nil {
			t.Error(err)
		}
		for _, it := range ds.Items {
			if q.Query == it.Query().Text || q.Query == it.Title() {
				text := styled[strings.TrimPrefix(r.URL.Path, "/")][it.ID()]
				if err := json.NewEncoder(w).Encode(system.Answer{Answer: text}); err != nil {
					t.Error(err)
				}
			}
		}
	}))
	defer server.Close()
	var urls, models []string
	fake := &ollamatest.Server{Context: 1 << 20, Answer: func(req api.ChatRequest) string {
		last := req.Messages[len(req.Messages)-1].Content
		style, _, _ := strings.Cut(req.Model, ":")
		for _, it := range ds.Items {
			if subtopic, ok := strings.CutPrefix(it.Query().Text, it.Title()+" "); ok && strings.Contains(last, "Subject: "+subtopic+"\n") {
				return styled[style][it.ID()]
			}
		}
		return "no item"
	}}
	for _, style := range citationStyles {
		urls = append(urls, server.URL+"/"+style.name)
		fake.Names = append(fake.Names, style.name+":latest")
		models = append(models, "ollama:"+style.name)
	}

	systems, _ := loreRun(t, append(slices.Clone(base), "--system", strings.Join(urls, ","))...)
	sameFigures(t, "--system", first.Rows[0], systems.Rows)
	generated, _ := loreRun(t, append(slices.Clone(base), "--retriever", "oracle", "--budget-tokens", "2000",
		"--generator", strings.Join(models, ","), "--host", fake.Start(t).URL)...)
	sameFigures(t, "model", first.Rows[0], generated.Rows)
}

func writeAnswers(t *testing.T, dir, name string, lines []any) string {
	t.Helper()
	var buf bytes.Buffer
	for _, l := range lines {
		data, err := json.Marshal(l)
		if err != nil {
			t.Fatal(err)
		}
		buf.Write(append(data, '\n'))
	}
	path := filepath.Join(dir, name+".jsonl")
	if err := os.WriteFile(path, buf.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

// In benchmarks that do not score citations, marks of any style change no figure.
func TestCitationMarksChangeNoScore(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	for _, name := range []string{"crux", "msrs", "long2rag"} {
		bench, _ := all.Find(name)
		ds, err := bench.Load(nil)
		if err != nil {
			t.Fatal(err)
		}

		sentences := []string{
			"The lamp has not been lit since the spring of 1901", "Ines Varga came to Hollow Point with a letter",
			"About 40 % of the keepers left in 2 years",
		}
		var paths []string
		write := func(style string, mark func(k int, it datasets.Item) string) {
			var lines []any
			for _, it := range ds.Items {
				text := ""
				for k, s := range sentences {
					text += s + mark(k, it) + ". "
				}
				lines = append(lines, map[string]string{"item": it.ID(), "answer": strings.TrimSpace(text)})
			}
			paths = append(paths, writeAnswers(t, t.TempDir(), style, lines))
		}
		write("none", func(int, datasets.Item) string { return "" })
		for _, style := range citationStyles {
			write(style.name, func(k int, it datasets.Item) string {
				docs := it.Corpus().Documents
				return " " + style.write([]int{1, 2 + k}, []string{docs[0].ID, docs[k%len(docs)].ID})
			})
		}

		rows, _ := loreRun(t, name, "--answers", strings.Join(paths, ","))
		sameFigures(t, name, rows.Rows[0], rows.Rows[1:])
	}
}

func readScores(dir string, t *table.Table) error {
	data, err := os.ReadFile(filepath.Join(dir, "scores.json"))
	if err != nil {
		return err
	}
	return json.Unmarshal(data, t)
}
