package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"lore/datasets"
	"lore/datasets/all"
	"lore/datasets/crux"
	"lore/datasets/summhay"
)

// put writes a file of a folder, as text or as JSON.
func put(t *testing.T, content any, path ...string) {
	t.Helper()
	name := filepath.Join(path...)
	data, isText := content.(string)
	if !isText {
		encoded, err := json.Marshal(content)
		if err != nil {
			t.Fatal(err)
		}
		data = string(encoded)
	}
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(data), 0o666); err != nil {
		t.Fatal(err)
	}
}

// publishers write the bundled sample of each benchmark as its data was published, into a clone
// that lies in a folder. They return what is given to an import besides the folder, and whether
// lore run reads the folder, too.
var publishers = map[string]func(t *testing.T, clone string) (flags []string, readable bool){
	"summhay":  publishHaystacks,
	"msrs":     publishStories,
	"crux":     publishReleased,
	"long2rag": publishQuestions,
}

func publishHaystacks(t *testing.T, clone string) ([]string, bool) {
	put(t, string(summhay.Sample()), clone, "data", "topic_news1.json")
	put(t, []any{map[string]any{"summary": []string{"One."}}}, clone, "data", "eval_benchmark_data.json")
	return nil, true
}

func publishStories(t *testing.T, clone string) ([]string, bool) {
	if err := os.CopyFS(filepath.Join(clone, "story"), os.DirFS("../../datasets/msrs/sample/story")); err != nil {
		t.Fatal(err)
	}
	put(t, []string{"An answer."}, clone, "outputs", "story", "bm25", "summary", "m_summary.json")
	return nil, true
}

// publishReleased spreads topics and passages over two clones: passages a file each, grades in the
// order of a run.
func publishReleased(t *testing.T, clone string) ([]string, bool) {
	study, followUp := filepath.Join(clone, "crux-labeling"), filepath.Join(clone, "LANCER")
	questions, ratings := map[string][]string{}, map[string][][]int{}
	var requests, run strings.Builder
	for _, topic := range readLines[crux.Topic](t, "../../datasets/crux/sample/topics.jsonl") {
		fmt.Fprintf(&requests, "{%q: %q, %q: %q}\n", "id", topic.ID, "request", topic.Query)
		questions[topic.ID] = topic.Questions
		for rank, p := range readLines[crux.Passage](t, "../../datasets/crux/sample/passages.jsonl") {
			row := topic.Grades[p.ID]
			if row == nil {
				row = make([]int, len(topic.Questions))
			}
			ratings[topic.ID] = append(ratings[topic.ID], row)
			fmt.Fprintf(&run, "%s Q0 %s %d %d bm25\n", topic.ID, p.ID, rank+1, 100-rank)
			put(t, map[string]string{"id": p.ID, "contents": p.Text}, study, "annotator_1", "documents", p.ID)
			put(t, map[string]string{"id": p.ID, "contents": p.Text}, study, "annotator_2", "documents", p.ID)
		}
	}

	put(t, requests.String(), followUp, "data", "town.request.jsonl")
	put(t, run.String(), followUp, "data", "town-runs", "bm25-town.run")
	put(t, run.String(), followUp, "results", "town-runs", "bm25-town:reranked.run")
	put(t, questions, followUp, "results", "town-subquestions", "subquestions.oracle.json")
	put(t, map[string][]string{"lighthouse": {"Another?"}}, followUp, "results", "town-subquestions", "a-model.json")
	put(t, ratings, followUp, "results", "town-ratings", "ratings.oracle.bm25.json")
	return nil, true
}

func publishQuestions(t *testing.T, clone string) ([]string, bool) {
	var list []map[string]any
	for _, q := range readLines[map[string]any](t, "../../datasets/long2rag/sample/questions.jsonl") {
		q["ask"] = q["question"]
		delete(q, "question")
		list = append(list, q)
	}
	put(t, list, clone, "published.json")
	return []string{"--map", "question=ask"}, false
}

func readLines[T any](t *testing.T, path string) []T {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var out []T
	for dec := json.NewDecoder(bytes.NewReader(data)); ; {
		var v T
		err := dec.Decode(&v)
		if err == io.EOF {
			return out
		}
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, v)
	}
}

// Every benchmark imports what was published of it, from the root of the clone and from a folder
// above it, past what clones and archives hold besides; what it writes has its hash, and is what
// lore run reads of the published files, and what the sample is.
func TestEveryBenchmarkImports(t *testing.T) {
	for _, e := range all.Entries {
		t.Run(e.Name(), func(t *testing.T) {
			publish := publishers[e.Name()]
			if publish == nil {
				t.Fatal("nobody says how its data was published: add it to publishers")
			}
			home := filepath.Join(t.TempDir(), `My Data (1)\C`)
			clone := filepath.Join(home, "the clone")
			flags, readable := publish(t, clone)
			put(t, "# Read me\n", clone, "README.md")
			put(t, "{broken", clone, ".git", "objects", "topic_news9.json")
			put(t, "\x00\x01", clone, ".DS_Store")
			put(t, "\x00\x01", clone, "__MACOSX", "._topic_news1.json")

			for i, from := range []string{clone, home} {
				out := filepath.Join(t.TempDir(), "im ported")
				lore(t, slices.Concat([]string{"data", "import", e.Name(), from, "--out", out}, flags)...)
				manifest, err := datasets.ReadManifest(out)
				if err != nil || manifest == nil || manifest.Benchmark != e.Name() || len(manifest.Files) == 0 {
					t.Fatalf("manifest %+v, %v", manifest, err)
				}
				lore(t, "data", "verify", out)
				sameData(t, e.Benchmark, out, "")
				if readable && i == 0 {
					sameData(t, e.Benchmark, out, clone)
					lore(t, "data", "verify", e.Name(), from)
				}

				var log bytes.Buffer
				args := []string{"data", "import", e.Name(), out, "--out", filepath.Join(t.TempDir(), "again")}
				if code := Main(args, &log, &log); code != exitInput || !strings.Contains(log.String(), "nothing to import") {
					t.Errorf("imported again: %d, %s", code, log.String())
				}
				for name := range manifest.Files {
					put(t, "changed", out, name)
				}
				if code := Main([]string{"data", "verify", out}, &log, &log); code != exitInput {
					t.Errorf("changed data is verified: %d, %s", code, log.String())
				}
			}
		})
	}
}

// sameData compares two folders of data, or one with the sample.
func sameData(t *testing.T, b datasets.Benchmark, imported, other string) {
	t.Helper()
	a, err := b.Load([]string{imported})
	if err != nil {
		t.Fatal(err)
	}
	var paths []string
	if other != "" {
		paths = []string{other}
	}
	c, err := b.Load(paths)
	if err != nil {
		t.Fatal(err)
	}

	shape := func(ds *datasets.Dataset) (out []string) {
		for _, it := range ds.Items {
			q := it.Query()
			out = append(out, fmt.Sprint(it.Title(), q.Text, len(q.Gold), len(it.Plan(datasets.Evidence{})[0].Questions)))
		}
		var texts []string
		for _, corpus := range ds.Corpora {
			for _, d := range corpus.Documents {
				texts = append(texts, d.Text)
			}
		}
		slices.Sort(texts) // the release of CRUX has passages in the order of their files
		return append(out, texts...)
	}
	if diff := cmp.Diff(shape(c), shape(a)); diff != "" {
		t.Errorf("imported data differs from %q:\n%s", other, diff)
	}
}

// What lore data list says can be done can be done: every command is one, with its flags and
// arguments.
func TestListedCommandsAreCommands(t *testing.T) {
	n := 0
	for _, b := range all.Benchmarks() {
		for _, p := range b.Protocol().Published.Parts {
			for _, line := range []string{p.Read, p.Import} {
				if line == "" {
					continue
				}
				n++
				words := strings.Fields(line)
				c, args, err := newRoot(io.Discard, io.Discard).Find(words[1:])
				if err == nil {
					err = c.ParseFlags(args)
				}
				if err == nil {
					err = c.Args(c, c.Flags().Args())
				}
				if words[0] != "lore" || err != nil || !c.Runnable() {
					t.Errorf("%s: %q: %v", b.Name(), line, err)
				}
			}
		}
	}
	if n < 10 {
		t.Errorf("%d commands: the test proves nothing", n)
	}
}
