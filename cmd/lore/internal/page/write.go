package page

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"io"
	"regexp"
	"strings"
	"sync"

	"lore/cmd/lore/internal/report"
	"lore/cmd/lore/internal/store"
	"lore/datasets"
)

//go:embed src
var source embed.FS

// modules are the files of the script, each after those it imports from.
var modules = []string{
	"dom.js", "source.js", "state.js", "words.js", "extend.js", "search.js", "cells.js", "first.js", "table.js", "marks.js",
	"list.js", "reader.js", "contexts.js", "statements.js", "answers.js", "question.js", "svg.js", "intervals.js", "heat.js", "charts.js",
	"radar.js", "pictures.js", "notes.js", "main.js",
}

// styles are the files of the style, in order.
var styles = []string{"base.css", "table.css", "question.css", "pictures.css", "print.css"}

// script is all modules as one script. They are modules as browsers know them; put together,
// each is a function that returns what it exports, so that their names stay apart.
var script = sync.OnceValue(func() string { return joined(modules, "main.js", "start") })

// joined is a script of modules that begins with a function of one.
func joined(modules []string, first, function string) string {
	var b strings.Builder
	b.WriteString("'use strict';\nconst modules = {};\n")
	for _, name := range modules {
		fmt.Fprintf(&b, "modules['%s'] = (() => {\n%s})();\n", name, wrapped(read("src/"+name)))
	}
	fmt.Fprintf(&b, "modules['%s'].%s();\n", first, function)
	return b.String()
}

var (
	importLine = regexp.MustCompile(`(?m)^import (\{[^}]*\}) from '\./([a-z]+\.js)';$`)
	exportWord = regexp.MustCompile(`(?m)^export ((?:async )?(?:function|const) ([A-Za-z]+))`)
)

// wrapped is the body of such a function.
func wrapped(module string) string {
	var names []string
	for _, m := range exportWord.FindAllStringSubmatch(module, -1) {
		names = append(names, m[2])
	}
	module = importLine.ReplaceAllString(module, "const $1 = modules['$2'];")
	module = exportWord.ReplaceAllString(module, "$1")
	return module + "return {" + strings.Join(names, ", ") + "};\n"
}

var style = sync.OnceValue(func() string {
	var b strings.Builder
	for _, name := range styles {
		b.WriteString(read("src/" + name))
	}
	return b.String()
})

func read(name string) string {
	data, err := source.ReadFile(name)
	if err != nil {
		panic(err) // it is compiled in
	}
	return string(data)
}

// hashOf is a text's hash as a content security policy has it.
func hashOf(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}

// shell is the page around its data. Without scripts it shows what stands in it: the answer
// and the table.
var shell = template.Must(template.New("shell").Parse(read("src/shell.html")))

// Write writes the page as one file. Equal pages give equal bytes.
func (p *Page) Write(w io.Writer, grid datasets.Grid) error {
	blocks := p.Blocks()
	texts, err := packAll(blocks)
	if err != nil {
		return err
	}

	var plainTable bytes.Buffer
	plainGrid(&plainTable, grid)
	parts := map[string]any{
		"Policy": "default-src 'none'; script-src " + hashOf(script()) + "; style-src " + hashOf(style()) +
			"; img-src data:; base-uri 'none'; form-action 'none'",
		"Style":     template.CSS(style()),
		"Script":    template.HTML("<script>" + script() + "</script>"),
		"Head":      template.HTML(island(blocks[0].Name, texts[0])),
		"Title":     p.Head.Title,
		"Page":      p.Head,
		"Served":    false,
		"Labelling": false,
		"Table":     template.HTML(plainTable.String()),
	}
	var front bytes.Buffer
	if err := shell.Execute(&front, parts); err != nil {
		return fmt.Errorf("write the page: %w", err)
	}

	if _, err := w.Write(front.Bytes()); err != nil {
		return fmt.Errorf("write the page: %w", err)
	}
	for i, b := range blocks[1:] {
		if _, err := io.WriteString(w, island(b.Name, texts[i+1])); err != nil {
			return fmt.Errorf("write the page: %w", err)
		}
	}
	_, err = io.WriteString(w, "</body>\n</html>\n")
	return err
}

// IsPage reports whether a file is a page that lore wrote: it has the block that each begins
// with.
func IsPage(data []byte) bool {
	begin, head := []byte("<!doctype html>"), []byte(`<script type="application/x-lore" id="block-head">`)
	return bytes.HasPrefix(data, begin) && bytes.Contains(data, head)
}

// island is a block in the page: a script of a type that no browser runs.
func island(name, text string) string {
	return `<script type="application/x-lore" id="block-` + name + `">` + text + "</script>\n"
}

// plainGrid is the table for who runs no scripts.
func plainGrid(w io.Writer, g datasets.Grid) {
	row := func(tag string, cells []string) {
		fmt.Fprint(w, "<tr>")
		for _, c := range cells {
			fmt.Fprintf(w, "<%s>%s</%s>", tag, template.HTMLEscapeString(plain(c)), tag)
		}
		fmt.Fprint(w, "</tr>\n")
	}
	fmt.Fprint(w, "<table>\n")
	row("th", g.Head)
	for _, r := range g.Rows {
		row("td", r)
	}
	fmt.Fprintf(w, "</table>\n<p>%s</p>\n", template.HTMLEscapeString(plain(g.Note)))
}

// Save stages report.html for the run folder.
func Save(f *store.Folder, s Source, bench datasets.Benchmark, words Words) error {
	var page bytes.Buffer
	if err := HTML(&page, []Source{s}, bench, words); err != nil {
		return err
	}
	return f.WriteFile("report.html", page.Bytes())
}

// HTML makes and writes a page.
func HTML(w io.Writer, sources []Source, bench datasets.Benchmark, words Words) error {
	p := New(sources, bench, words)
	return p.Write(w, plainRows(sources, bench))
}

// plainRows is the table for who runs no scripts: of several runs with their names.
func plainRows(sources []Source, bench datasets.Benchmark) datasets.Grid {
	all := sources[0].Run.Table
	all.Rows = nil
	var names []string
	for _, s := range sources {
		for _, r := range s.Run.Table.Rows {
			all.Rows, names = append(all.Rows, r), append(names, s.Name)
		}
	}

	g := report.Main(all, bench.Metrics())
	if len(sources) > 1 {
		g.Head = append([]string{"run"}, g.Head...)
		for i := range g.Rows {
			g.Rows[i] = append([]string{names[i]}, g.Rows[i]...)
		}
	}
	return g
}
