package study

import (
	"fmt"
	"io"
	"strings"
	"text/template"
)

// Found is what a new study file can start from.
type Found struct {
	Models     []Model // of the server, those that can answer
	Server     string  // in words: the server with its version, or why there is none
	Benchmarks []About
	Retrievers []string // that need no model
	Schema     string   // file of the schema, for editors; empty: none
}

// Model is a model of the server.
type Model struct {
	Name  string // as lore run takes it
	About string // size, and what it was trained for
}

// About is a benchmark in words.
type About struct{ Name, About, Retrievers string }

var initial = template.Must(template.New("study").Funcs(template.FuncMap{
	"list": func(names []string) string { return "[" + strings.Join(names, ", ") + "]" },
}).Parse(`{{if .Schema}}# yaml-language-server: $schema={{.Schema}}
{{end}}# A study: these benchmarks with these systems and judges, run together by
#
#   lore run THIS_FILE
#
# Every setting is a flag of lore run, and lore help study lists them. What stands here holds for all
# benchmarks; below a benchmark it holds for that one. Paths are relative to this file.

title: My study

# The samples that come with lore take seconds. Give data: for the real thing; lore data list says where
# the published data is.
benchmarks:
{{range .Benchmarks}}  {{.Name}}: # {{.About}}
    # data: PATH
    # retrievers: [{{.Retrievers}}] # the benchmark's own
{{end}}
# limit: 10 # only the first items, to try things out

retrievers: {{list .Retrievers}}

# {{.Server}}
{{if .Models}}{{range .Models}}#   {{.Name}} # {{.About}}
{{end}}generators: [extractive, "{{(index .Models 0).Name}}"]
judges: [lexical, "lexical+{{(index .Models 0).Name}}"]
slots: 1 # calls at once: the server's OLLAMA_NUM_PARALLEL
{{else}}generators: [extractive] # with a server: "ollama:NAME"
judges: [lexical] # with a server: "lexical+ollama:NAME"
# slots: 4 # calls at once: the server's OLLAMA_NUM_PARALLEL
{{end}}
# prompts: [builtin, prompts/v2] # versions to compare; lore prompts export writes those of lore
# seeds: [1, 2, 3] # each benchmark once with each seed, to see what chance does
# temperature: 0.7 # without it every benchmark has its own
`))

// Write writes a commented study file.
func (f Found) Write(w io.Writer) error {
	if err := initial.Execute(w, f); err != nil {
		return fmt.Errorf("write the study: %w", err)
	}
	return nil
}
