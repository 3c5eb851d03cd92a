package crux

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"lore/datasets"
	"lore/index"
	"lore/index/trec"
	"lore/judge"
	"lore/local/published"
)

// readJSON decodes a file of the published data.
func readJSON(t *testing.T, out any, parts ...string) {
	t.Helper()
	data, err := os.ReadFile(published.Path(t, parts...))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, out); err != nil {
		t.Fatal(err)
	}
}

// lines decodes a file of JSON lines.
func lines[T any](t *testing.T, parts ...string) []T {
	t.Helper()
	data, err := os.ReadFile(published.Path(t, parts...))
	if err != nil {
		t.Fatal(err)
	}
	var out []T
	dec := json.NewDecoder(bytes.NewReader(data))
	for dec.More() {
		var v T
		if err := dec.Decode(&v); err != nil {
			t.Fatal(err)
		}
		out = append(out, v)
	}
	return out
}

// released makes topics and passages of CRUX as released: requests, questions, and the
// recorded grades of what three retrievers found.
func released(t *testing.T, b Benchmark) *datasets.Dataset {
	t.Helper()
	const lancer = "data/crux_released/lancer/"
	var questions map[string][]string
	readJSON(t, &questions, lancer+"results/crux-mds-duc04-subquestions/subquestions.oracle.json")

	var passages bytes.Buffer
	known := map[string]bool{}
	for _, p := range lines[struct{ ID, Contents string }](t, "data/crux_released/crux-labeling/documents.jsonl") {
		id := strings.Replace(p.ID, "testb", "test", 1)
		known[id] = true
		encode(t, &passages, Passage{ID: id, Text: p.Contents})
	}

	grades := map[string]map[string][]int{}
	for _, name := range []string{"bm25", "lsr", "qwen3-embed-8b"} {
		run, err := trec.ReadRunFile(published.Path(t, lancer+"data/crux-mds-duc04-runs/"+name+"-crux-mds-duc04.run"))
		if err != nil {
			t.Fatal(err)
		}
		var ratings map[string][][]int
		readJSON(t, &ratings, lancer+"results/crux-mds-duc04-ratings/ratings.oracle."+name+".json")
		for topic, rows := range ratings {
			for i, r := range run.Topics[topic] {
				if !known[r.Document] || slices.Max(rows[i]) == 0 {
					continue
				}
				if grades[topic] == nil {
					grades[topic] = map[string][]int{}
				}
				grades[topic][r.Document] = rows[i]
			}
		}
	}

	var topics bytes.Buffer
	for _, r := range lines[struct{ ID, Request string }](t, lancer+"data/crux-mds-duc04.request.jsonl") {
		encode(t, &topics, Topic{ID: r.ID, Query: r.Request, Questions: questions[r.ID], Grades: grades[r.ID]})
	}
	ds, err := b.load(folder(topics.String(), passages.String()), "released")
	if err != nil {
		t.Fatal(err)
	}
	return ds
}

func encode(t *testing.T, to *bytes.Buffer, v any) {
	t.Helper()
	if err := json.NewEncoder(to).Encode(v); err != nil {
		t.Fatal(err)
	}
}

// covered is the mean coverage of contexts that a retriever finds, with a judge that
// grades at random what it is asked.
func covered(t *testing.T, ds *datasets.Dataset, r index.Retriever) float64 {
	t.Helper()
	rng := rand.New(rand.NewPCG(1, 2))
	sum := 0.0
	for _, it := range ds.Items {
		q := it.Query()
		got, err := r.Retrieve(context.Background(), index.Query{ID: it.ID(), Text: q.Text, Gold: q.Gold}, Depth)
		if err != nil {
			t.Fatal(err)
		}
		found := datasets.Retrieved{}
		for _, h := range got.Hits {
			found.IDs = append(found.IDs, h.ID)
		}

		e, v := datasets.Evidence{Retrieved: &found}, datasets.Verdicts{}
		for _, task := range it.Plan(e) {
			for range task.Questions {
				g := rng.IntN(MaxGrade + 1)
				v[task.Subject] = append(v[task.Subject], judge.Verdict{Label: fmt.Sprint(g), Value: float64(g) / MaxGrade})
			}
		}
		sum += value(t, it.Score(e, v), at(CovContext, 3))
	}
	return 100 * sum / float64(len(ds.Items))
}

// With a judge that grades at random, a context of passages that the data has no grades
// for must not beat what BM25 finds: such passages count zero. With the judge asked, it
// does, which is why the judge must be asked for.
func TestRandomGradesDoNotWin(t *testing.T) {
	figures := map[string][2]float64{}
	for _, mode := range []string{"", askJudge} {
		ds := released(t, Benchmark{Ungraded: mode})
		docs := ds.Corpora[0].Documents
		bm25, err := index.OpenBM25(context.Background(), t.TempDir(), index.InMemory(docs), "en", index.DefaultBM25)
		if err != nil {
			t.Fatal(err)
		}
		figures[mode] = [2]float64{covered(t, ds, bm25), covered(t, ds, index.Random(index.InMemory(docs), 1))}
		if err := bm25.Close(); err != nil {
			t.Fatal(err)
		}
	}
	t.Logf("coverage of BM25 and random: %.1f; with the random judge: %.1f", figures[""], figures[askJudge])
	if f := figures[""]; f[0] < f[1]+20 {
		t.Errorf("BM25 covers %.1f, random %.1f", f[0], f[1])
	}
	if f := figures[askJudge]; f[0] > f[1] {
		t.Errorf("with the random judge BM25 covers %.1f, random %.1f: the case is not what it was", f[0], f[1])
	}
}

// Passages without grades count zero and are not asked about; with --ungraded judge they
// are, and what is counted from the data stays the same.
func TestUngradedPassages(t *testing.T) {
	it := table5Item(t)
	evidence := datasets.Evidence{Retrieved: &datasets.Retrieved{IDs: []string{"d", "a", "c"}}}
	best := datasets.Verdicts{judge.Document("d"): make8("5")}
	for mode, want := range map[string]struct {
		tasks    int
		coverage float64
		note     string
	}{
		"":       {1, 6.0 / 8, "redundant: the passage d has no grades in the data, and so counts as answering nothing"},
		askJudge: {2, 1, "redundant: the passage a answers no question that those before it do not"},
	} {
		b, err := Benchmark{}.Configure(map[string]string{"ungraded": mode})
		if err != nil {
			t.Fatal(err)
		}
		it.set.bench = b.(Benchmark)
		if tasks := it.Plan(evidence); len(tasks) != want.tasks {
			t.Errorf("%q: %d tasks, want %d", mode, len(tasks), want.tasks)
		}

		best[judge.Answer] = make8("0")
		scores := it.scoreContext(evidence.Retrieved.IDs, it.k(), best)
		if got := value(t, scores, at(CovContext, 3)); got != want.coverage {
			t.Errorf("%q: coverage %v, want %v", mode, got, want.coverage)
		}
		if notes := it.Notes(evidence, best); len(notes) == 0 || notes[0] != want.note {
			t.Errorf("%q: %q", mode, notes)
		}

		values := map[string]map[string]float64{Graded: {}}
		for _, s := range scores {
			if s.Metric == Graded {
				values[Graded][s.Unit] = s.Value
			}
		}
		if got := fromData(datasets.Scored{Items: []datasets.ItemFigures{{Values: values}}}); got != "2 of 3" {
			t.Errorf("%q: %s passages with grades", mode, got)
		}
	}
	if _, err := (Benchmark{}).Configure(map[string]string{"ungraded": "guess"}); err == nil {
		t.Error("--ungraded guess was taken")
	}
}

// Of passages that answer as many new questions the first of the corpus is required, not
// the first by id; a topic without grades is named with the reason.
func TestTiesGoByTheOrderOfPassages(t *testing.T) {
	passages := `{"id":"p2","text":"x"}` + "\n" + `{"id":"p10","text":"x"}` + "\n" + `{"id":"p1","text":"x"}`
	topics := `{"id":"t","query":"q","questions":["1","2"],"grades":{"p1":[5,5],"p10":[5,5],"p2":[5,5]}}` + "\n" +
		`{"id":"bare","query":"q","questions":["1"]}`
	ds, err := Benchmark{}.load(folder(topics, passages), "x")
	if err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprint(ds.Items[0].(*item).required); got != "[p2]" {
		t.Errorf("required %s", got)
	}
	if len(ds.Warnings) != 1 || !strings.Contains(ds.Warnings[0], "topic bare has no grades") {
		t.Errorf("%q", ds.Warnings)
	}
}
