package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"lore/cmd/lore/internal/store"
	"lore/datasets/stage"
	"lore/index/rerank"
	"lore/local/ollama/ollamatest"
)

// A model with random weights judges a whole run on a real server. In logprob mode
// many verdicts cannot be read: they are unscored with reasons, the table prints
// with bounds, and the exit code says that the run is partial. In schema mode most
// verdicts are valid, if worthless.
func TestRealGarbageModelAsJudge(t *testing.T) {
	s := ollamatest.StartReal(t, 2, "tiny")
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	for _, mode := range []string{"logprob", "schema"} {
		var out, errs bytes.Buffer
		code := Main([]string{"run", "summhay", "--host", s.URL, "--retriever", "oracle", "--limit", "2", "--budget-tokens", "1000", "--judge", "ollama:tiny",
			"--judge-mode", mode, "--num-ctx", "4096", "--slots", "2", "--out", t.TempDir()}, &out, &errs)
		if code != exitPartial && (mode == "logprob" || code != exitOK) { // white space up to the limit is allowed by a grammar, and cut
			t.Errorf("%s: exit code %d\n%s%s", mode, code, out.String(), errs.String())
		}
		if !strings.Contains(out.String(), "oracle") || !strings.Contains(out.String(), "not measured here") {
			t.Errorf("%s: no table, or the judge's agreement is not named:\n%s", mode, out.String())
		}
		if mode == "logprob" && (!strings.Contains(out.String(), "bad_format") || !strings.Contains(errs.String(), "values missing")) {
			t.Errorf("no reasons:\n%s%s", out.String(), errs.String())
		}
	}
}

// doctor finds a real server and model fit, and its probes agree with how the
// server was started.
func TestRealDoctor(t *testing.T) {
	s := ollamatest.StartReal(t, 2, "tiny")
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	var out, errs bytes.Buffer
	code := Main([]string{"doctor", "--host", s.URL, "--model", "tiny"}, &out, &errs)

	// A disk that is nearly full is named rightly, and says nothing of the server.
	problems := strings.Count(out.String(), "PROBLEM")
	full := len(regexp.MustCompile(`PROBLEM .* only [0-9.]+ GiB free`).FindAllString(out.String(), -1))
	if problems != full || (code == exitOK) != (problems == 0) {
		t.Errorf("exit code %d\n%s%s", code, out.String(), errs.String())
	}
	for _, want := range []string{"ok       schema", "ok       logprobs", "ok       long prompts", "ok       slots", "tiny:latest"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%q is not in\n%s", want, out.String())
		}
	}
}

// G-Eval by a model with random weights on a real server: every grade that is read
// lies on the scale and has its mass, and nothing is unscored without a reason.
func TestRealGEval(t *testing.T) {
	// The weights of the fourth model happen to put digits among the most probable
	// tokens.
	s := ollamatest.StartReal(t, 2, "a", "b", "c", "tiny")
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	dir := t.TempDir()
	var out, errs bytes.Buffer
	code := Main([]string{"run", "msrs", "--host", s.URL, "--retriever", "oracle", "--judge", "ollama:tiny", "--judge-mode", "logprob", "--limit", "2",
		"--num-ctx", "4096", "--slots", "2", "--out", dir}, &out, &errs)
	if code != exitOK && code != exitPartial {
		t.Fatalf("exit code %d\n%s%s", code, out.String(), errs.String())
	}
	lines, err := linesOf[store.TaskVerdicts](dir, "verdicts.jsonl")
	if err != nil || len(lines) != 2 {
		t.Fatalf("%d lines, %v", len(lines), err)
	}
	scored := 0
	for _, l := range lines {
		if len(l.Verdicts) != 2 {
			t.Errorf("%s has %d verdicts", l.Item, len(l.Verdicts))
		}
		for _, v := range l.Verdicts {
			grade := 1 + 4*v.Value
			switch {
			case v.Scored() && (grade < 1 || grade > 5 || v.Mass <= 0 || v.Mass > 1.000001):
				t.Errorf("%s: grade %g of mass %g", l.Item, grade, v.Mass)
			case !v.Scored() && (v.Outcome == "" || v.Reason == ""):
				t.Errorf("%s: unscored without a reason: %+v", l.Item, v)
			case v.Scored():
				scored++
			}
		}
	}
	if scored == 0 {
		t.Error("no grade was read: the test proves nothing")
	}
	t.Logf("%d of 4 grades scored", scored)
}

// Every way to rerank by a model, on a real server: the run has each document once,
// and replies that mean nothing are counted.
func TestRealRerankers(t *testing.T) {
	s := ollamatest.StartReal(t, 2, "tiny")
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	dir := t.TempDir()
	corpus, queries := filepath.Join(dir, "corpus.jsonl"), filepath.Join(dir, "queries.tsv")
	var docs strings.Builder
	for i := range 6 {
		fmt.Fprintf(&docs, `{"id":"d%d","text":"the sea wall and the tide number %d"}`+"\n", i, i)
	}
	for name, text := range map[string]string{corpus: docs.String(), queries: "1\tsea wall\n2\ttide\n"} {
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for _, kind := range append(slices.Clone(rerank.Kinds), "") {
		pipeline := "bm25>rerank:" + string(kind) + ":tiny"
		if kind == "" {
			pipeline = "decompose(bm25,ollama:tiny)"
		}
		var out, errs bytes.Buffer
		code := Main([]string{"retrieve", corpus, queries, "--host", s.URL, "--slots", "2", "--num-ctx", "2048", "--retriever", pipeline, "--calls", filepath.Join(dir, "calls")}, &out, &errs)
		if code != exitOK {
			t.Fatalf("%s: exit code %d\n%s", pipeline, code, errs.String())
		}
		if n := strings.Count(out.String(), " Q0 "); n != 12 {
			t.Errorf("%s: %d lines\n%s", pipeline, n, out.String())
		}
		if !strings.Contains(errs.String(), "Rerankers") {
			t.Errorf("%s: no counts:\n%s", pipeline, errs.String())
		}
		t.Logf("%s", strings.Split(errs.String(), "\n")[2])
	}
}

// A build by a model with random weights on a real server: every failure is typed and
// in the log, and the build ends with a dataset that loads, or says that it made none.
func TestRealBuildCRUX(t *testing.T) {
	realBuild(t, "topics.jsonl", "Next: lore run crux", "crux", "--msrs", "../../datasets/msrs/sample/story", "--limit", "2", "--questions", "2", "--judge", "lexical", "--num-ctx", "2048")
}

func TestRealBuildLong2RAG(t *testing.T) {
	seeds := filepath.Join(t.TempDir(), "seeds.txt")
	if err := os.WriteFile(seeds, []byte("Why was the tramway closed?\nWho paid for the buses?\nHow was the hall repaired?\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	realBuild(t, "questions.jsonl", "Next: lore build long2rag", "long2rag", "--questions", seeds, "--docs", "../../docs/examples/town", "--criteria", "0", "--rounds", "1")
}

// A model of random weights cannot check: the build says so before anything is written.
func TestRealBuildSummHay(t *testing.T) {
	s := ollamatest.StartReal(t, 2, "tiny")
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	dir := filepath.Join(t.TempDir(), "built")
	var out, errs bytes.Buffer
	code := Main([]string{"build", "summhay", "--docs", "../../docs/examples/town", "--subtopics", "2", "--insights", "3", "--documents", "8",
		"--words", "60", "--repeat", "2", "--tries", "1", "--model", "ollama:tiny", "--host", s.URL, "--slots", "2", "--out", dir}, &out, &errs)
	if code != exitUsage || !strings.Contains(errs.String(), "the model is of no use for the ") {
		t.Errorf("exit code %d\n%s%s", code, out.String(), errs.String())
	}
	if _, err := os.Stat(filepath.Join(dir, "built.json")); err == nil {
		t.Error("there is a haystack all the same")
	}
}

// realBuild builds with a model of random weights: the build ends, and all that failed
// has a reason.
func realBuild(t *testing.T, whole, next string, args ...string) {
	t.Helper()
	s := ollamatest.StartReal(t, 2, "tiny")
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	dir := filepath.Join(t.TempDir(), "built")
	var out, errs bytes.Buffer
	code := Main(append(append([]string{"build"}, args...), "--tries", "1", "--model", "ollama:tiny", "--host", s.URL, "--slots", "2", "--out", dir), &out, &errs)
	if code != exitOK && code != exitPartial {
		t.Fatalf("exit code %d\n%s%s", code, out.String(), errs.String())
	}
	log, err := linesOf[stage.Event](dir, "build-log.jsonl")
	if err != nil || len(log) == 0 {
		t.Fatalf("%d lines of log, %v", len(log), err)
	}
	for _, e := range log {
		if e.Stage == "" || e.Detail == "" {
			t.Errorf("an event without a stage or a reason: %+v", e)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, whole)); (err == nil) != strings.Contains(errs.String(), next) {
		t.Errorf("%v\n%s", err, errs.String())
	}
	t.Logf("exit code %d, %d events, first %+v\n%s", code, len(log), log[0], out.String())
}

// A real server's chat endpoint in the style of OpenAI, whole and as a stream, and its own form
// with a line of JSON for each piece: all give the same answers, cut where the limit is.
func TestRealServices(t *testing.T) {
	s := ollamatest.StartReal(t, 2, "tiny")
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	dir := t.TempDir()
	openAI := "preset: openai\nurl: " + s.URL + "/v1/chat/completions\nmodel: tiny\nbody: {temperature: 0, seed: 1, max_tokens: 20}\n"
	var list []string
	for name, text := range map[string]string{
		"whole":  openAI,
		"stream": openAI + "stream: true\nslots: 2\n",
		"own": "url: " + s.URL + "/api/chat\nbody: {model: tiny, messages: [{role: user, content: '{{query}}'}], options: {temperature: 0, seed: 1, num_predict: 20}}\n" +
			"answer: message.content\nend: {at: done}\ncut: {at: done_reason, is: length}\nerror: error\ntokens: {prompt: prompt_eval_count, answer: eval_count}\n",
	} {
		path := filepath.Join(dir, name+".yaml")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		list = append(list, path)
	}

	var out, errs bytes.Buffer
	if code := Main([]string{"run", "summhay", "--limit", "3", "--system", strings.Join(list, ","), "--out", filepath.Join(dir, "out")}, &out, &errs); code != exitOK {
		t.Fatalf("exit code %d\n%s%s", code, out.String(), errs.String())
	}
	answers, err := linesOf[store.Answer](filepath.Join(dir, "out"), "answers.jsonl")
	if err != nil || len(answers) != 9 {
		t.Fatalf("%d answers, %v", len(answers), err)
	}
	texts := map[string]string{}
	for _, a := range answers {
		if first, ok := texts[a.Item]; ok && a.Text != first {
			t.Errorf("%s of %s: %q, and of another %q", a.Item, a.Generator, a.Text, first)
		}
		texts[a.Item] = a.Text
		if a.Text == "" || !a.CutScored || a.OutputTokens != 20 || a.PromptTokens == 0 {
			t.Errorf("%+v", a)
		}
	}

	bad := strings.Replace(openAI, "model: tiny", "model: nobody", 1)
	if err := os.WriteFile(list[0], []byte(bad), 0o600); err != nil {
		t.Fatal(err)
	}
	out.Reset()
	if code := Main([]string{"doctor", "--system", list[0]}, &out, &errs); code != exitError || !strings.Contains(out.String(), "model_error: status 404") {
		t.Errorf("exit code %d\n%s", code, out.String())
	}
}
