package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"go/token"
	"io"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// layers lists, for each part of the house, which other parts it may import.
// The first matching line counts; a part may always import what is below it.
var layers = []struct {
	part string
	may  []string
}{
	{"lore/local", []string{"lore/local"}},
	{"lore/embed", []string{"lore/local", "lore/embed"}},
	{"lore/index", []string{"lore/local", "lore/embed", "lore/index"}},
	{"lore/judge/metric", []string{}},
	// This judge is an encoder: it compares texts by the models that embed runs.
	{"lore/judge/nli", []string{"lore/local", "lore/judge", "lore/embed"}},
	{"lore/judge", []string{"lore/local", "lore/judge"}},
	{"lore/datasets/all", []string{"lore/datasets"}},
	{"lore/datasets", []string{"lore/local", "lore/judge", "lore/datasets"}},
	{at("meter"), []string{}},
	{"lore/cmd/lore/internal/usage", []string{"lore/local/text", "lore/datasets", at("meter")}},
	{"lore/cmd/lore/internal/store", []string{"lore/local", "lore/embed", "lore/index", "lore/judge", "lore/datasets", at("meter")}},
	{"lore/cmd/lore/internal/table", []string{"lore/local/parallel", "lore/judge/metric", "lore/datasets", at("store")}},
	{at("forecast"), []string{}},
	{at("rehearsal"), []string{"lore/local", "lore/embed", at("forecast"), at("meter")}},
	{"lore/cmd/lore/internal/models", []string{"lore/local", "lore/embed", "lore/judge", "lore/datasets", at("meter"), at("usage"), at("store"),
		at("rehearsal")}},
	{at("prompts"), []string{"lore/local/files", "lore/local/prompt", "lore/index/condense", "lore/index/rerank", "lore/judge/llm",
		"lore/datasets", at("usage")}},
	{"lore/cmd/lore/internal/pipeline", []string{"lore/local", "lore/embed", "lore/index", "lore/judge", "lore/datasets",
		at("meter"), at("usage"), at("store"), at("models"), at("yamlfile")}},
	{at("yamlfile"), []string{}},
	{at("service"), []string{"lore/local", at("usage"), at("models"), at("yamlfile")}},
	{"lore/cmd/lore/internal/run", []string{"lore/local", "lore/embed", "lore/index", "lore/judge", "lore/datasets",
		at("meter"), at("usage"), at("store"), at("table"), at("models"), at("pipeline"), at("prompts"), at("rehearsal")}},
	{"lore/cmd/lore/internal/workshop", []string{"lore/local", "lore/index", "lore/judge", "lore/datasets",
		at("usage"), at("models"), at("pipeline"), at("rehearsal")}},
	{"lore/cmd/lore/internal/report", []string{"lore/local", "lore/embed", "lore/judge", "lore/datasets",
		at("usage"), at("store"), at("table"), at("tex")}},
	{"lore/cmd/lore/internal/page", []string{"lore/local", "lore/judge", "lore/datasets",
		at("usage"), at("store"), at("table"), at("report")}},
	{at("accept"), []string{"lore/local/files", "lore/local/text", "lore/judge", "lore/datasets",
		at("usage"), at("store"), at("table"), at("report")}},
	{at("tex"), []string{at("usage")}},
	{at("paper"), []string{"lore/local", "lore/datasets", at("usage"), at("store"), at("table"), at("tex"), at("report")}},
	{at("tidy"), []string{"lore/local/files", "lore/datasets", at("table"), at("report")}},
	{at("study"), []string{"lore/local/files", "lore/local/text", at("store"), at("yamlfile")}},
	{at("view"), []string{"lore/local", at("usage"), at("store"), at("page"), at("label")}},
	{"lore/cmd/lore/internal/label", []string{"lore/local", "lore/judge", "lore/datasets", at("store"), at("report")}},
	{"lore/cmd", []string{"lore"}},
}

// at is a room of the command.
func at(room string) string { return "lore/cmd/lore/internal/" + room }

// outside lists which parts may import a package from outside. A module that is
// not here is not allowed: add it, and say in CONTRIBUTING.md why it is needed.
var outside = []struct {
	prefix string
	may    []string
}{
	// view serves the page on loopback and asks nobody for anything; the others reach models.
	{"net/http", []string{"lore/local/wire", "lore/local/ollama", "lore/local/openai", "lore/local/system", at("view")}},
	{"net", []string{"lore/local/wire", "lore/local/ollama", "lore/local/system", at("view")}},
	{"github.com/ollama/ollama", []string{"lore/local/ollama"}},
	{"github.com/blevesearch/bleve", []string{"lore/index"}},
	{"github.com/blevesearch/go-porterstemmer", []string{"lore/local/text", "lore/judge/metric", "lore/index/lucene"}},
	{"github.com/blevesearch/snowballstem", []string{"lore/local/text"}},
	{"github.com/knights-analytics/hugot", []string{"lore/embed"}},
	{"github.com/gomlx/go-huggingface", []string{"lore/embed"}},
	{"github.com/gomlx/gomlx", []string{"lore/embed"}},
	{"github.com/yalue/onnxruntime_go", []string{"lore/embed"}},
	{"github.com/dlclark/regexp2", []string{"lore/embed"}},
	{"golang.org/x/text", []string{"lore/embed"}},
	{"golang.org/x/net/html", []string{"lore/datasets/sources"}},
	{"google.golang.org/protobuf", []string{"lore/embed/testmodel"}},
	{"github.com/viterin/vek", []string{"lore/index"}},
	// One benchmark was published in it, collections are read and written in it, and one room writes it for notebooks.
	{"github.com/parquet-go/parquet-go", []string{"lore/datasets/rows", "lore/index/collection", at("tidy")}},
	// Collections of passages and the texts of indexes are packed by it, and Parquet brings it along.
	{"github.com/klauspost/compress", []string{"lore/local/files", "lore/index"}},
	// People write studies in it, and the headers of prompts.
	{"go.yaml.in/yaml", []string{"lore/cmd", "lore/local/prompt"}},
	{"github.com/tiktoken-go/tokenizer", []string{"lore/local/tokens"}},
	{"github.com/google/jsonschema-go", []string{"lore/local/gate"}},
	{"github.com/gofrs/flock", []string{"lore/cmd/lore/internal/store", at("label"), "lore/embed", "lore/index", "lore/local/gate"}},
	{"github.com/blevesearch/mmap-go", []string{"lore/index"}},
	{"gonum.org/v1/gonum", []string{"lore/judge", "lore/datasets/summhay/internal/fitlexical"}},
	{"github.com/spf13/cobra", []string{"lore/cmd"}},
	{"github.com/spf13/pflag", []string{"lore/cmd"}},
	{"github.com/rivo/uniseg", []string{"lore/cmd", "lore/embed"}},
	{"github.com/rogpeppe/go-internal/diff", []string{"lore/cmd"}},
	{"golang.org/x/term", []string{"lore/cmd"}},
	{"golang.org/x/sys", []string{"lore/cmd"}},
}

type pkg struct {
	ImportPath string
	Imports    []string
}

func listPackages(t *testing.T) []pkg {
	t.Helper()
	cmd := exec.Command("go", "list", "-json=ImportPath,Imports", "lore/...")
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list: %v\n%s", err, errs.String())
	}
	var pkgs []pkg
	dec := json.NewDecoder(bytes.NewReader(out))
	for {
		var p pkg
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		pkgs = append(pkgs, p)
	}
	if len(pkgs) < 15 {
		t.Fatalf("go list found %d packages: the test proves nothing", len(pkgs))
	}
	return pkgs
}

func TestImportDirections(t *testing.T) {
	for _, p := range listPackages(t) {
		for _, imp := range p.Imports {
			if isOurs(imp) {
				if !mayImport(p.ImportPath, imp) {
					t.Errorf("%s must not import %s", p.ImportPath, imp)
				}
				continue
			}
			if problem := foreign(p.ImportPath, imp); problem != "" {
				t.Errorf("%s: %s", p.ImportPath, problem)
			}
		}
	}
}

func isOurs(path string) bool { return path == "lore" || strings.HasPrefix(path, "lore/") }

func within(path, part string) bool { return path == part || strings.HasPrefix(path, part+"/") }

func mayImport(from, imp string) bool {
	for _, l := range layers {
		if !within(from, l.part) {
			continue
		}
		if within(from, "lore/datasets") && !within(from, "lore/datasets/all") && crossBenchmark(from, imp) {
			return false
		}
		if within(from, "lore/cmd") && concrete(imp) {
			return false
		}
		// The core of local stands alone.
		if from == "lore/local" {
			return false
		}
		return slices.ContainsFunc(l.may, func(part string) bool { return within(imp, part) })
	}
	return false
}

// shared lists the parts of datasets that are not a benchmark: anybody in datasets may
// import them.
var shared = []string{"lore/datasets/stage", "lore/datasets/sources", "lore/datasets/rows"}

// concrete reports whether a package is of one benchmark: the command knows none.
func concrete(imp string) bool {
	rest, ok := strings.CutPrefix(imp, "lore/datasets/")
	part := "lore/datasets/" + strings.SplitN(rest, "/", 2)[0]
	return ok && part != "lore/datasets/all" && !slices.Contains(shared, part)
}

// crossBenchmark reports whether one benchmark, or a room of it, imports another, or
// package datasets or a shared part imports any.
func crossBenchmark(from, imp string) bool {
	if !strings.HasPrefix(imp, "lore/datasets/") {
		return false
	}
	if slices.ContainsFunc(shared, func(part string) bool { return within(imp, part) }) {
		return false
	}
	name := func(path string) string { return strings.SplitN(strings.TrimPrefix(path, "lore/datasets/"), "/", 2)[0] }
	return from == "lore/datasets" || name(from) != name(imp)
}

func foreign(from, imp string) string {
	for _, o := range outside {
		if within(imp, o.prefix) {
			if imp != o.prefix && !strings.Contains(o.prefix, ".") {
				continue // net/url is not net
			}
			if slices.ContainsFunc(o.may, func(part string) bool { return within(from, part) }) {
				return ""
			}
			return "only " + strings.Join(o.may, ", ") + " may import " + imp
		}
	}
	if strings.Contains(strings.SplitN(imp, "/", 2)[0], ".") {
		return imp + " is not on the list of modules"
	}
	return ""
}

// The rules must catch what they are for.
func TestImportRulesBite(t *testing.T) {
	for _, c := range [][2]string{
		{"lore/judge/metric", "lore/local"}, {"lore/local", "lore/local/text"}, {"lore/local/gate", "lore/judge"}, {"lore/datasets/summhay", "lore/datasets/crux"},
		{"lore/datasets", "lore/datasets/summhay"}, {"lore/index", "lore/judge"}, {"lore/judge/llm", "lore/datasets"}, {"lore/embed", "lore/index"},
		{"lore/datasets/summhay/build", "lore/datasets/crux"}, {"lore/datasets/stage", "lore/datasets/summhay/build"}, {"lore/local/fake", "lore/datasets/summhay/build/scripted"},
		{"lore/cmd/lore", "lore/datasets/msrs"}, {"lore/cmd/lore/internal/run", "lore/datasets/crux/build"}, {at("table"), at("run")}, {at("models"), at("pipeline")},
		{at("report"), at("run")}, {at("usage"), at("store")}, {at("view"), at("run")}, {at("page"), at("view")},
		{at("accept"), at("run")}, {at("accept"), "lore/local/gate"}, {at("report"), at("accept")},
	} {
		if mayImport(c[0], c[1]) {
			t.Errorf("%s may import %s", c[0], c[1])
		}
	}
	for _, c := range [][2]string{
		{"lore/datasets", "lore/datasets/stage"}, {"lore/datasets/summhay/build", "lore/datasets/stage"}, {"lore/datasets/summhay/build", "lore/datasets/sources"},
		{"lore/datasets/summhay/build", "lore/datasets/summhay"}, {"lore/cmd/lore", "lore/datasets/all"}, {at("workshop"), "lore/datasets/stage"},
	} {
		if !mayImport(c[0], c[1]) {
			t.Errorf("%s must not import %s", c[0], c[1])
		}
	}
	for _, c := range [][2]string{{"lore/cmd/lore", "net/http"}, {"lore/judge/llm", "github.com/blevesearch/bleve/v2"}, {"lore/cmd/lore", "example.com/x"}, {"lore/local/gate", "net"},
		{at("report"), "github.com/parquet-go/parquet-go"}} {
		if foreign(c[0], c[1]) == "" {
			t.Errorf("%s may import %s", c[0], c[1])
		}
	}
}

// The top level of the repository is fixed, and no benchmark is left unregistered.
func TestTopLevelIsFixed(t *testing.T) {
	allowed := strings.Fields("cmd local index embed judge datasets docs go.mod go.sum Makefile README.md LICENSE CHANGELOG.md CONTRIBUTING.md")
	out, err := exec.Command("git", "ls-files", "--full-name", "../..").Output()
	if err != nil {
		t.Skip("not a git checkout")
	}
	for _, name := range strings.Fields(string(out)) {
		top := strings.SplitN(name, "/", 2)[0]
		if !strings.HasPrefix(top, ".") && !slices.Contains(allowed, top) {
			t.Errorf("%s: the top level holds only %v", name, allowed)
		}
	}
}

func TestEveryBenchmarkIsRegistered(t *testing.T) {
	list, err := os.ReadFile("../../datasets/all/all.go")
	if err != nil {
		t.Fatal(err)
	}
	dirs, err := os.ReadDir("../../datasets")
	if err != nil || len(dirs) < 2 {
		t.Fatalf("%v %v", dirs, err)
	}
	for _, d := range dirs {
		name := d.Name()
		source, _ := os.ReadFile("../../datasets/" + name + "/" + name + ".go") // no such file, no benchmark
		if strings.Contains(string(source), "type Benchmark struct") && !strings.Contains(string(list), `"lore/datasets/`+name+`"`) {
			t.Errorf("datasets/%s is not registered in datasets/all", name)
		}
	}
}

// openers are the files that may open files by themselves: the one door, and files that lore
// keeps for itself.
var openers = []string{
	"local/files/open.go", "local/files/write.go", "local/gate/journal.go", "index/parts.go",
	"local/published/published.go", "local/realtext/realtext.go", "local/ollama/ollamatest/real.go",
}

// A file of the user may be a pipe that never ends. local/files refuses those; nothing else
// opens a file to read it.
func TestUserFilesAreOpenedInOnePlace(t *testing.T) {
	doors := 0
	for _, s := range sources(t, token.NewFileSet()) {
		opens := regexp.MustCompile(`\bos\.(Open|ReadFile|DirFS)\(`).FindString(s.text)
		switch {
		case opens == "":
		case slices.Contains(openers, s.name):
			doors++
		default:
			t.Errorf("%s calls %s): use package local/files, which refuses pipes and devices", s.name, opens)
		}
	}
	if doors == 0 {
		t.Error("no door was found: the test proves nothing")
	}
}
