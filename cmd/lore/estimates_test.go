package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ollama/ollama/api"

	"lore/cmd/lore/internal/forecast"
	"lore/cmd/lore/internal/rehearsal"
	"lore/local/ollama/ollamatest"
)

// foreseen is a run whose time is foretold, by a server whose speeds are known.
type foreseen struct {
	name   string
	bench  string
	flags  []string
	before []string // flags of a run that has gone before; nil: none has
	slots  int
	speeds ollamatest.Speeds
}

// Speeds of servers: one that reads fast, one that writes fast, one that does not say how long it
// took, and one that keeps what prompts begin with. In the long form they are a quarter of this, so
// that what other work the machine does matters less.
var (
	fastReader = ollamatest.Speeds{Load: 300 * time.Millisecond, Prompt: 40_000, Output: 600, Call: 3 * time.Millisecond}
	fastWriter = ollamatest.Speeds{Load: 200 * time.Millisecond, Prompt: 10_000, Output: 3_000, Call: 3 * time.Millisecond}
	reticent   = ollamatest.Speeds{Load: 250 * time.Millisecond, Prompt: 20_000, Output: 800, Call: 5 * time.Millisecond, Silent: true}
	caching    = ollamatest.Speeds{Load: 250 * time.Millisecond, Prompt: 8_000, Output: 800, Call: 5 * time.Millisecond, Cached: true}
)

// foreseenRuns differ in benchmark, models, retrievers, judges, slots, lengths, and in what is done
// already.
var foreseenRuns = []foreseen{
	{"one model writes and judges", "summhay",
		[]string{"--retriever", "bm25", "--generator", "ollama:a", "--judge", "ollama:a", "--budget-tokens", "2000"}, nil, 2, fastReader},
	{"questions on contexts", "crux",
		[]string{"--retriever", "bm25,full,oracle,random", "--generator", "ollama:a,ollama:b,extractive", "--judge", "ollama:a"},
		nil, 2, fastWriter},
	{"two models, long prompts", "summhay",
		[]string{"--retriever", "full", "--generator", "ollama:a", "--judge", "ollama:b"}, nil, 4, fastReader},
	{"a pair of judges", "summhay",
		[]string{"--retriever", "bm25,oracle", "--generator", "ollama:a", "--judge", "lexical+ollama:b", "--budget-tokens", "1000"},
		nil, 1, fastWriter},
	{"verdicts in batches", "summhay",
		[]string{"--retriever", "bm25,oracle", "--generator", "ollama:a", "--judge", "ollama:b", "--batch", "--budget-tokens", "3000"},
		nil, 2, reticent},
	{"extractive answers", "summhay",
		[]string{"--retriever", "bm25,oracle", "--generator", "extractive", "--judge", "ollama:b"}, nil, 4, caching},
	{"half of it is done", "summhay",
		[]string{"--retriever", "bm25,oracle", "--generator", "ollama:a", "--judge", "ollama:b", "--budget-tokens", "2000"},
		[]string{"--retriever", "bm25", "--generator", "ollama:a", "--judge", "ollama:b", "--budget-tokens", "2000"}, 2, fastReader},
	{"points of answers", "long2rag",
		[]string{"--generator", "ollama:a,ollama:c", "--judge", "ollama:b", "--points", "ollama:b"}, nil, 2, fastReader},
	{"stories and a reranker", "msrs",
		[]string{"--retriever", "bm25>rerank:llm:c@10,full,oracle", "--generator", "ollama:a,ollama:b", "--judge", "ollama:a",
			"--judge-mode", "logprob"}, nil, 1, reticent},
	{"lists and shortened documents", "long2rag",
		[]string{"--retriever", "bm25>rerank:listwise:c>summary:c,given", "--generator", "ollama:a", "--judge", "ollama:b+ollama:c"},
		nil, 4, caching},
}

// volumes writes the sample of a benchmark several times over, with words that differ, and returns
// the files; none for benchmarks whose sample is run as it is.
func volumes(t *testing.T, bench string, n int) []string {
	t.Helper()
	source := map[string]string{
		"summhay":  "../../datasets/summhay/sample/skellan_bay.json",
		"long2rag": "../../datasets/long2rag/sample/questions.jsonl",
	}[bench]
	if source == "" {
		return nil
	}
	data, err := os.ReadFile(source)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for i := range n {
		id := regexp.MustCompile(`(?m)("topic_id"|^\{"id"): "`)
		text := id.ReplaceAllString(string(data), fmt.Sprintf(`$1: "v%d-`, i))
		text = regexp.MustCompile(`"(query|question|document_text|text|insight)": "`).ReplaceAllString(text,
			fmt.Sprintf(`"$1": "In volume %d: `, i))
		file := filepath.Join(t.TempDir(), fmt.Sprintf("volume%d%s", i, filepath.Ext(source)))
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		out = append(out, file)
	}
	return out
}

// voluble answers like a model that writes answers of very different lengths.
func voluble(req api.ChatRequest) string {
	text := ollamatest.Plausible(req)
	if len(req.Format) > 0 || len(text) < 20 {
		return text
	}
	h := fnv.New32a()
	last := req.Messages[len(req.Messages)-1].Content
	_, _ = h.Write([]byte(last + req.Model))
	words := strings.Fields(last)
	var b strings.Builder
	for i := range 2 + int(h.Sum32()%9) {
		at := int(h.Sum32()>>(i%16)) % max(1, len(words)-20)
		fmt.Fprintf(&b, "- %s [%d]\n", strings.Join(words[at:min(len(words), at+20)], " "), 1+i)
	}
	return b.String()
}

// A run takes about as long as was foretold: within 15 % in 9 of 10 runs on a server whose speeds
// are known. The short form asks less of a machine that others use, too.
func TestEstimatesOfTime(t *testing.T) {
	if testing.Short() {
		t.Skip("-short leaves out what only takes long; scripts estimate, too")
	}
	runs, within, misses := foreseenRuns, 0.15, 1
	if !inFull() {
		runs, within, misses = []foreseen{foreseenRuns[0], foreseenRuns[1]}, 0.5, 0
	}
	missed := 0
	for _, r := range runs {
		t.Run(r.name, func(t *testing.T) {
			said, took := r.measure(t)
			off := said.Total.Expected/took.Seconds() - 1
			t.Logf("foretold %.1f s (%.1f to %.1f), took %.1f s: %+.0f %%", said.Total.Expected, said.Total.Low, said.Total.High,
				took.Seconds(), 100*off)
			if math.Abs(off) > within {
				missed++
			}
			if *said.Longest < took.Seconds()*0.85 {
				t.Errorf("it took %.1f s, and was to take %.1f s at most", took.Seconds(), *said.Longest)
			}
		})
	}
	if missed > misses {
		t.Errorf("%d of %d runs took more than %.0f %% less or more than was foretold", missed, len(runs), 100*within)
	}
}

// There is no total as long as something is untimed: what is known is the least that it takes, or nothing.
func TestTotalIsAtLeast(t *testing.T) {
	line := func(model string, took *forecast.Range) forecast.Line {
		return forecast.Line{Model: model, Calls: 5, Time: took}
	}
	second := forecast.Range{Low: time.Second, Expected: 2 * time.Second, High: 3 * time.Second}
	here := 541 * time.Millisecond
	with := func(total forecast.Range, unknown []string, lines ...forecast.Line) rehearsal.Outcome {
		return rehearsal.Outcome{Estimate: forecast.Estimate{Lines: lines, Total: total, Here: here, Unknown: unknown}}
	}
	some := forecast.Range{Low: here + second.Low, Expected: here + second.Expected, High: here + second.High}
	none := forecast.Range{Low: here, Expected: here, High: here}
	for _, c := range []struct {
		outcome rehearsal.Outcome
		probe   bool
		want    string
		total   bool
	}{
		{with(some, nil, line("a", &second)), true, "Total: 1.541s to 3.541s, most likely 2.541s", true},
		{with(some, []string{"b"}, line("a", &second), line("b", nil)), true, "Total: at least 1.541s, and what was not timed besides", false},
		{with(none, []string{"b"}, line("b", nil)), true, "There is no total: none of these calls could be timed.", false},
		{with(none, []string{"b"}, line("b", nil)), false, "Nothing was timed, because of --no-probe.", false},
	} {
		s := foresight{probe: c.probe}
		if got := s.words(c.outcome); !strings.HasPrefix(got[0], c.want) {
			t.Errorf("%q, want %q", got[0], c.want)
		}
		if told := s.asJSON(c.outcome, nil); (told.Total != nil) != c.total || (told.Longest != nil) != c.total ||
			(told.Least != nil) != strings.Contains(c.want, "at least") {
			t.Errorf("%s: %+v", c.want, told)
		}
	}
}

// measure estimates a run, and then runs it.
func (r foreseen) measure(t *testing.T) (estimateJSON, time.Duration) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	speeds := r.speeds
	speeds.Prompt, speeds.Output = speeds.Prompt/float64(sized(1, 4)), speeds.Output/float64(sized(1, 4))
	server := &ollamatest.Server{
		Slots: r.slots, Answer: voluble, Logprobs: true, Names: []string{"a:latest", "b:latest", "c:latest"},
		Speeds: &speeds,
	}
	dir := t.TempDir()
	data := volumes(t, r.bench, map[string]int{"summhay": sized(2, 4), "long2rag": 2}[r.bench])
	url := server.Start(t).URL
	command := func(flags ...string) []byte {
		args := slices.Concat([]string{"run", r.bench}, data, []string{"--host", url, "--slots", fmt.Sprint(r.slots),
			"--out", filepath.Join(dir, "run")}, flags)
		var out, errs bytes.Buffer
		if code := Main(args, &out, &errs); code != exitOK && code != exitPartial {
			t.Fatalf("%v: exit code %d\n%s%s", args, code, out.String(), errs.String())
		}
		return out.Bytes()
	}
	if r.before != nil {
		command(r.before...)
	}

	was := filesUnder(t, dir)
	start := time.Now()
	var said estimateJSON
	if err := json.Unmarshal(command(append(slices.Clone(r.flags), "--estimate", "--json")...), &said); err != nil {
		t.Fatal(err)
	}
	asked, probing := server.Count(), time.Since(start)
	if now := filesUnder(t, dir); !slices.Equal(was, now) {
		t.Errorf("the estimate has written: %v, before %v", now, was)
	}

	start = time.Now()
	command(r.flags...)
	took := time.Since(start)
	calls, finished := 0, 0
	for _, l := range said.Lines {
		calls, finished = calls+l.Calls, finished+l.Finished
		t.Logf("%s %s: %d calls, %d finished, %d prompt tokens, %d output tokens", l.Phase, l.Model, l.Calls, l.Finished, l.Prompt, l.Output)
	}
	t.Logf("%d calls foretold, %d made; the estimate took %.1f s and %d calls", calls, server.Count()-asked, probing.Seconds(), asked)
	return said, took
}

// filesUnder lists the files of a folder with their sizes.
func filesUnder(t *testing.T, dir string) []string {
	t.Helper()
	var out []string
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := os.Stat(path)
		if err == nil && !d.IsDir() {
			out = append(out, fmt.Sprintf("%s %d", path, info.Size()))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// On a real server with a model of random weights a run takes about as long as was foretold: within
// 30 % where nothing else is done meanwhile, as in `make estimates`.
func TestRealEstimate(t *testing.T) {
	s := ollamatest.StartReal(t, 1, "tiny")
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	flags := []string{"--host", s.URL, "--slots", "1", "--retriever", "none,keywords", "--generator", "ollama:tiny",
		"--judge", "lexical", "--budget-tokens", "100", "--num-ctx", "4096", "--num-predict", "24", "--out", filepath.Join(t.TempDir(), "run")}
	args := slices.Concat([]string{"run", "summhay"}, volumes(t, "summhay", 3), flags)

	var out, errs bytes.Buffer
	var said estimateJSON
	if code := Main(append(slices.Clone(args), "--estimate", "--json"), &out, &errs); code != exitOK {
		t.Fatalf("exit code %d\n%s%s", code, out.String(), errs.String())
	}
	if err := json.Unmarshal(out.Bytes(), &said); err != nil {
		t.Fatal(err)
	}
	if len(said.Lines) != 1 || !said.Lines[0].Counted || said.Lines[0].Tried == 0 || said.Lines[0].Calls == 0 {
		t.Fatalf("%+v", said)
	}

	start := time.Now()
	if code := Main(args, &out, &errs); code != exitOK && code != exitPartial {
		t.Fatalf("exit code %d\n%s%s", code, out.String(), errs.String())
	}
	took := time.Since(start).Seconds()
	off := said.Total.Expected/took - 1
	t.Logf("foretold %.1f s (%.1f to %.1f), took %.1f s: %+.0f %%", said.Total.Expected, said.Total.Low, said.Total.High, took, 100*off)
	most := 0.6 // on a machine that does other work
	if inFull() {
		most = 0.3
	}
	if math.Abs(off) > most {
		t.Errorf("more than %.0f %% off", 100*most)
	}
}
