package main

import (
	"bytes"
	"flag"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"

	"lore/datasets/summhay"
	"lore/embed/testmodel"
	"lore/local/ollama/ollamatest"
)

var update = flag.Bool("update", false, "rewrite the output of documented examples")

// makeTest is the one documented command that is not run: it is what runs this.
const makeTest = "make test"

// TestDocumentedExamples runs every command of the ```console blocks in the
// README and in docs, in order, in one folder per file, and compares what they
// print with what the document shows. With -update it writes what they print.
func TestDocumentedExamples(t *testing.T) {
	if testing.Short() {
		t.Skip("-short leaves out what only takes long; scripts run the same commands")
	}
	files := []string{"../../README.md"}
	more, err := filepath.Glob("../../docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	ran := 0
	for _, name := range append(files, more...) {
		path, err := filepath.Abs(name)
		if err != nil {
			t.Fatal(err)
		}
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		t.Run(filepath.Base(name), func(t *testing.T) {
			demo := demoCommand(t)
			examples, err := filepath.Abs("../../docs/examples")
			if err != nil {
				t.Fatal(err)
			}
			t.Chdir(t.TempDir())
			if err := os.CopyFS("examples", os.DirFS(examples)); err != nil {
				t.Fatal(err)
			}
			for name, kind := range map[string]testmodel.Kind{
				"encoder": testmodel.BERT, "cross": testmodel.CrossBERT, "colbert": testmodel.ColBERT, "monot5": testmodel.MonoT5,
				"splade": testmodel.SPLADE,
			} {
				if err := testmodel.Write("models/"+name, kind); err != nil {
					t.Fatal(err)
				}
			}
			t.Setenv("XDG_CACHE_HOME", t.TempDir())
			server := &ollamatest.Server{Slots: 4, Answer: careful, Names: []string{"careful"}, Logprobs: true} // the scripted model of the documents
			t.Setenv("OLLAMA_HOST", server.Start(t).URL)
			hide := serveExamples(t)
			out, n := runExamples(t, string(data), demo)
			out = hide.Replace(out)
			ran += n
			if out == string(data) {
				return
			}
			if *update {
				if err := os.WriteFile(path, []byte(out), 0o666); err != nil {
					t.Fatal(err)
				}
				return
			}
			t.Errorf("the document shows other output; go test ./cmd/lore -run Documented -update rewrites it. It should be:\n%s", out)
		})
	}
	if ran < 3 {
		t.Errorf("found %d examples: the test proves nothing", ran)
	}
}

// serveExamples starts the service that the described systems of the examples name. What it
// returns gives it one address in what is printed.
func serveExamples(t *testing.T) *strings.Replacer {
	t.Helper()
	const file = "examples/systems/harbour.json"
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	hay, err := summhay.Parse(file, data)
	if err != nil {
		t.Fatal(err)
	}
	mux := http.NewServeMux()
	var n atomic.Int64
	mux.Handle("/ask", formed{form: "texts", hay: hay, n: &n})
	mux.Handle("/v1/chat/completions", formed{form: "chat", hay: hay, n: &n})
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)

	host := strings.TrimPrefix(server.URL, "http://")
	t.Setenv("RAG_HOST", host)
	t.Setenv("RAG_TOKEN", "a token of the examples")
	return strings.NewReplacer(host, "127.0.0.1:48000")
}

// demoCommand is what `make demo` runs.
func demoCommand(t *testing.T) string {
	t.Helper()
	data, err := os.ReadFile("../../Makefile")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, ok := strings.Cut(string(data), "\ndemo: build no-demo\n\t./")
	if !ok {
		t.Fatal("the Makefile has no demo")
	}
	line, _, _ := strings.Cut(rest, "\n")
	return line
}

// runExamples returns the document with the blocks' output made anew.
func runExamples(t *testing.T, doc, demo string) (string, int) {
	t.Helper()
	var out strings.Builder
	n := 0
	inBlock, skip := false, false
	for line := range strings.Lines(doc) {
		switch {
		case strings.HasPrefix(line, "```console"):
			inBlock, skip = true, false
		case inBlock && strings.HasPrefix(line, "```"):
			inBlock = false
		case inBlock && strings.HasPrefix(line, "$ "):
			out.WriteString(line)
			command := strings.TrimSpace(line[2:])
			if skip = command != makeTest; skip {
				out.WriteString(run1(t, command, demo))
				n++
			}
			continue
		case inBlock && skip:
			continue // old output
		}
		out.WriteString(line)
	}
	return out.String(), n
}

func run1(t *testing.T, command, demo string) string {
	t.Helper()
	if command == "make demo" {
		command = demo
	}
	command, told := strings.CutSuffix(command, "; echo $?")
	args := shellFields(command)
	if args[0] != "lore" {
		t.Fatalf("only lore commands can be examples, this is %q", command)
	}
	var b bytes.Buffer
	code := Main(args[1:], &b, &b)
	if code != exitOK && !told {
		t.Fatalf("%s: exit code %d\n%s", command, code, b.String())
	}
	if told {
		fmt.Fprintln(&b, code)
	}
	out := here.ReplaceAllString(b.String(), "$1 …") // which phases take time at all differs, too
	out = callTime.ReplaceAllString(out, "$1 …")
	out = phaseTime.ReplaceAllString(out, "$1  …")
	out = total.ReplaceAllString(out, "$1 …")
	out = inAll.ReplaceAllString(out, ", … in all")
	out = replyTime.ReplaceAllString(out, "$1 …,")
	out = seconds.ReplaceAllString(out, "$1 …")
	return judgedIn.ReplaceAllString(out, "Judged in …")
}

// Times are never the same: the last column of the line about a server's model in the
// table of model calls, and what an estimate measures.
var (
	here      = regexp.MustCompile(`(?m)^(Without models:) .*$`)
	callTime  = regexp.MustCompile(`(?m)^((?:ollama|system):.*\d) +[0-9.]+m?s$`)
	phaseTime = regexp.MustCompile(`(?m)^(phase +model +to ask +finished|[a-z ,0-9]+ (?:ollama:\S+|system:\S+) +\d+ +\d+) .*(?:time|\S+ to \S+|–)$`)
	inAll     = regexp.MustCompile(`, [0-9hmsµ.]+ in all`)
	total     = regexp.MustCompile(`(?m)^(Total:) .*$`)
	seconds   = regexp.MustCompile(`(?m)^((?:lexical|recorded:|nli:|embed:).* \d+ +\d+) +\d+\.\d\d$`)
	replyTime = regexp.MustCompile(`(reply +in) [0-9.]+[mµ]?s,`)
	judgedIn  = regexp.MustCompile(`Judged in \d+\.\d s`)
)

// shellFields splits a command line at spaces outside single quotes.
func shellFields(s string) []string {
	var out []string
	quoted, open := false, false
	var b strings.Builder
	for _, r := range s + " " {
		switch {
		case r == '\'':
			quoted, open = !quoted, true
		case r == ' ' && !quoted:
			if open {
				out = append(out, b.String())
			}
			b.Reset()
			open = false
		default:
			b.WriteRune(r)
			open = true
		}
	}
	return out
}
