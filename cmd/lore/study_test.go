package main

import (
	"bytes"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/jsonschema-go/jsonschema"
	"go.yaml.in/yaml/v3"

	"lore/datasets/all"
	"lore/local/ollama/ollamatest"
)

// studyOfModels is a study of all benchmarks by two models, which also rerank and judge.
const studyOfModels = `title: A night
benchmarks:
  summhay: {budget-tokens: 700}
  msrs: {budget-tokens: 400}
  crux:
  long2rag: {num-predict: 200}
retrievers: [bm25, "bm25>rerank:llm:one@3", oracle]
generators: ["ollama:two", "ollama:one"]
judges: ["ollama:one", "lexical+ollama:two", "ollama:two+ollama:one"]
limit: 1
slots: 4
`

func writeStudy(t *testing.T, text string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "night.yaml")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

func twoModels() *ollamatest.Server {
	return &ollamatest.Server{Slots: 4, Answer: ollamatest.Plausible, Names: []string{"one:latest", "two:latest"}}
}

// loads are the models in the order in which a server that holds one of them had to load them:
// another model is another load, and so is another context window.
func loads(s *ollamatest.Server) []string {
	var out []string
	for _, c := range s.Chats() {
		out = append(out, fmt.Sprintf("%s with %v", c.Model, c.Options["num_ctx"]))
	}
	return slices.Compact(out)
}

// A server loads each model once a phase, over all benchmarks; run one by one they load it as often
// as there are benchmarks, with other windows.
func TestStudyLoadsEachModelOnceAPhase(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	server := twoModels()
	url := server.Start(t).URL
	var out, errs bytes.Buffer
	code := Main([]string{"run", writeStudy(t, studyOfModels), "--host", url, "--slots", "1", "--cache", "none",
		"--out", filepath.Join(t.TempDir(), "out")}, &out, &errs)
	if code != exitOK {
		t.Fatalf("exit code %d\n%s", code, errs.String())
	}
	got := loads(server)
	var names []string
	for _, l := range got {
		name, _, _ := strings.Cut(l, " ")
		names = append(names, name)
	}
	// one reranks; two and one answer; one judges, and then two. What the second of a pair says,
	// one has said by itself.
	if want := []string{"one:latest", "two:latest", "one:latest", "two:latest"}; !slices.Equal(names, want) {
		t.Errorf("loaded %v", got)
	}
	if windows := slices.Compact(slices.Sorted(slices.Values(got))); len(windows) != 2 {
		t.Errorf("a model has several windows: %v", windows)
	}
	for _, name := range all.Names() {
		if !strings.Contains(out.String(), "\n"+name+"\n") && !strings.HasPrefix(out.String(), name+"\n") {
			t.Errorf("no table of %s", name)
		}
	}
}

// A study that is killed goes on where it was, and ends with the same bytes.
func TestKillStudy(t *testing.T) {
	kills := sized(8, 20)
	if testing.Short() {
		kills = 1
	}
	server := twoModels()
	server.Delay = 5 * time.Millisecond
	files := []string{"report.html", "report.md", "study.json", "study.yaml"}
	for _, name := range all.Names() {
		for _, file := range []string{"scores.json", "answers.jsonl", "verdicts.jsonl", "manifest.json", "report.html"} {
			files = append(files, filepath.Join(name, file))
		}
	}
	killing{server: server, kills: kills, files: files, seed: 19, args: []string{"run", writeStudy(t, studyOfModels)}}.test(t)
}

// killsVariable asks for the whole study on a real server, with so many kills.
const killsVariable = "LORE_STUDY_KILLS"

// On a real server: each model is loaded once a phase, as the server counts it, and the study ends with
// the same bytes however often it was killed. make study-kills runs it on all benchmarks.
func TestRealStudy(t *testing.T) {
	text := "benchmarks: [summhay, msrs]\nretrievers: [oracle]\njudges: [\"ollama:one\"]\n"
	kills, loads := 1, 3 // one and two answer, one judges
	if v := os.Getenv(killsVariable); v != "" {
		text = "benchmarks: [summhay, msrs, crux, long2rag]\nretrievers: [bm25, keywords, oracle]\n" +
			"judges: [\"ollama:one\", \"ollama:two\"]\n"
		loads = 4
		var err error
		if kills, err = strconv.Atoi(v); err != nil {
			t.Fatal(err)
		}
	}
	text += "generators: [\"ollama:one\", \"ollama:two\"]\nlimit: 1\nbudget-tokens: 300\nnum-predict: 24\nnum-ctx: 4096\n"

	t.Setenv("OLLAMA_MAX_LOADED_MODELS", "1")
	s := ollamatest.StartReal(t, 1, "one", "two")
	file, cache := writeStudy(t, text), t.TempDir()
	command := func(out string) *exec.Cmd {
		cmd := exec.Command(os.Args[0], "run", file, "--host", s.URL, "--out", out, "--cache", "none")
		cmd.Env = append(os.Environ(), asCommand+"=1", "XDG_CACHE_HOME="+cache)
		return cmd
	}
	finish := func(out string) {
		cmd := command(out)
		if said, _ := cmd.CombinedOutput(); cmd.ProcessState.ExitCode() != exitOK && cmd.ProcessState.ExitCode() != exitPartial {
			t.Fatalf("exit code %d\n%s", cmd.ProcessState.ExitCode(), said)
		}
	}

	calm, killed := filepath.Join(t.TempDir(), "calm"), filepath.Join(t.TempDir(), "killed")
	before, start := s.Loads(), time.Now()
	finish(calm)
	took := time.Since(start)
	if n := s.Loads() - before; n != loads {
		t.Errorf("the server loaded a model %d times, not %d", n, loads)
	}

	rng, early := rand.New(rand.NewPCG(19, 19)), 0
	for range kills {
		cmd := command(killed)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Duration(rng.Float64() * 1.6 / float64(kills+1) * float64(took)))
		_ = cmd.Process.Kill() // it may have finished
		if cmd.Wait() != nil && len(journalled(t, killed)) > 0 {
			early++
		}
	}
	finish(killed)
	t.Logf("%d of %d kills came in the middle; undisturbed it took %s, with %d calls", early, kills, took.Round(time.Second),
		len(journalled(t, calm)))

	outsideCalls := func(files map[string]string) map[string]string {
		out := derived(files)
		maps.DeleteFunc(out, func(name, _ string) bool { return strings.Contains(name, "/calls/") })
		return out
	}
	want, got := outsideCalls(tree(t, calm)), outsideCalls(tree(t, killed))
	if other := unlike(want, got); len(other) > 0 {
		t.Errorf("files are not those of an undisturbed study: %v", other)
	}
}

// What `lore study init` writes can be read, and keeps its own schema; so do all settings.
func TestStudySchema(t *testing.T) {
	t.Setenv("OLLAMA_HOST", (&ollamatest.Server{}).Start(t).URL)
	file := filepath.Join(t.TempDir(), "first.yaml")
	var out, errs bytes.Buffer
	if code := Main([]string{"study", "init", file}, &out, &errs); code != exitOK {
		t.Fatalf("exit code %d\n%s", code, errs.String())
	}
	if code := Main([]string{"study", "check", file}, &out, &errs); code != exitOK {
		t.Fatalf("exit code %d\n%s", code, errs.String())
	}

	data, err := studyReader().Schema()
	if err != nil {
		t.Fatal(err)
	}
	var schema jsonschema.Schema
	if err := schema.UnmarshalJSON(data); err != nil {
		t.Fatal(err)
	}
	resolved, err := schema.Resolve(nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		text []byte
		ok   bool
	}{
		{read(t, filepath.Dir(file), "first.yaml"), true},
		{[]byte(studyOfModels), true},
		{[]byte("benchmarks: crux\nnum_predict: 3\nsystem-header: [a, b]\nseeds: [1]"), true},
		{[]byte("benchmarks: {mine: {benchmark: crux, data: x}}"), true},
		{[]byte("benchmarks: {mine: {data: x}}"), false},
		{[]byte("benchmarks: {crux: {bullets: free}}"), false},
		{[]byte("benchmarks: crux\nlimit: many"), false},
		{[]byte("benchmarks: crux\nretreivers: [bm25]"), false},
		{[]byte("limit: 3"), false},
	} {
		var value any
		if err := yaml.Unmarshal(c.text, &value); err != nil {
			t.Fatal(err)
		}
		if err := resolved.Validate(value); (err == nil) != c.ok {
			t.Errorf("%s\n%v", c.text, err)
		}
	}
}

// The schema and the example that the documents show are those that there are.
func TestStudyDocuments(t *testing.T) {
	schema, err := studyReader().Schema()
	if err != nil {
		t.Fatal(err)
	}
	if published := read(t, "../../docs", "study.schema.json"); !bytes.Equal(published, append(schema, '\n')) {
		t.Error("docs/study.schema.json is not the schema: lore study schema > docs/study.schema.json")
	}
	example := read(t, "../../docs/examples", "study.yaml")
	if doc := read(t, "../../docs", "study.md"); !bytes.Contains(doc, append([]byte("```yaml\n"), example...)) {
		t.Error("docs/study.md does not show docs/examples/study.yaml")
	}
}
