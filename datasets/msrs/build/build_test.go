package build

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"lore/datasets"
	"lore/datasets/msrs"
	"lore/datasets/stage"
	"lore/datasets/stage/scripted"
	"lore/local"
	"lore/local/fake"
)

// Clusters by hand: 0, 1 and 2 are near, 3 and 4 are near, 5 is nearer to 3 and 4
// than to the others.
func TestClusterByHand(t *testing.T) {
	near := map[[2]int]float64{{0, 1}: 0.9, {0, 2}: 0.8, {1, 2}: 0.7, {3, 4}: 0.6, {3, 5}: 0.2, {4, 5}: 0.2, {0, 5}: 0.1}
	similarity := func(i, j int) float64 { return near[[2]int{min(i, j), max(i, j)}] }
	for threshold, want := range map[float64]string{
		0.5:  "[[0 1 2] [3 4 5]] merged 1 dropped []",
		0.65: "[[0 1 2 3 4 5]] merged 3 dropped []", // 3 and 4 are alone, too
		0.95: "[] merged 0 dropped [0 1 2 3 4 5]",
		0.15: "[[0 1 2] [3 4 5]] merged 0 dropped []",
	} {
		c := Cluster(6, similarity, threshold)
		if got := fmt.Sprintf("%v merged %d dropped %v", c.Clusters, c.Merged, c.Dropped); got != want {
			t.Errorf("threshold %g: %s, want %s", threshold, got, want)
		}
	}
}

// A cluster that is too large is split at a higher similarity; equal queries by
// their order. Every query is in one cluster or dropped, sizes are in range.
func TestClusterSizes(t *testing.T) {
	two := Cluster(8, func(i, j int) float64 {
		if i/4 == j/4 {
			return 0.9
		}
		return 0.5
	}, 0.4)
	if fmt.Sprint(two.Clusters) != "[[0 1 2 3] [4 5 6 7]]" || two.Splits == 0 {
		t.Errorf("%+v", two)
	}
	for _, n := range []int{0, 1, 2, 7, 13, 40} {
		for _, threshold := range []float64{-1, 0.2, 0.5, 1} {
			c := Cluster(n, func(i, j int) float64 { return math.Abs(math.Sin(float64(i*j + i + j))) }, threshold)
			seen := map[int]int{}
			for _, members := range c.Clusters {
				if len(members) < leastCluster || len(members) > mostCluster {
					t.Errorf("%d at %g: a cluster of %d", n, threshold, len(members))
				}
				for _, m := range members {
					seen[m]++
				}
			}
			for _, m := range c.Dropped {
				seen[m]++
			}
			for i := range n {
				if seen[i] != 1 {
					t.Errorf("%d at %g: query %d is in %d places", n, threshold, i, seen[i])
				}
			}
		}
	}
}

func builder(t *testing.T, script func(n int, c local.Call) local.Reply) *Builder {
	t.Helper()
	return &Builder{scripted.Session(t, &fake.Backend{Script: script}, 2, 2, Prompts())}
}

var books = []datasets.Document{{ID: "lamp", Text: "# One\nInes came to the rock.\n# Two\nThe lamp lit itself."}, {ID: "seed", Text: "Chapter 1\nThe garden died.\n"}}

// A story build with scripted replies: one query passes at once, one at the second
// try, one never, one has no story.
func TestBuildStory(t *testing.T) {
	b := builder(t, func(_ int, c local.Call) local.Reply {
		text := c.Messages[len(c.Messages)-1].Content
		switch {
		case strings.Contains(text, "stands_alone"):
			return fake.Text(fmt.Sprintf(`{"stands_alone":%t,"same_question":true,"reveals_answer":false}`, !strings.Contains(text, "vague")))
		case strings.Contains(text, "What is the plot?"):
			return fake.Text(`{"query":"What happens to Ines at the lighthouse?"}`)
		case strings.Contains(text, "Who lit it?") && strings.Contains(text, "does not stand alone"):
			return fake.Text(`{"query":"Who lit the lamp at Hollow Point?"}`)
		case strings.Contains(text, "Who lit it?"):
			return fake.Text(`{"query":"Who lit it, the vague thing?"}`)
		}
		return fake.Text(`{"query":"Why did mould from potatoes kill the garden of the ship?"}`)
	})
	chapters := b.Split(books, Headings)
	if len(chapters) != 3 || chapters[1].ID != "lamp-2" || !strings.HasPrefix(chapters[1].Text, "# Two") {
		t.Fatalf("%+v", chapters)
	}
	got, err := b.Story(context.Background(), chapters, []Source{
		{ID: "1", Story: "lamp", Query: "What is the plot?", Summary: "She looks for her father."},
		{ID: "2", Story: "lamp", Query: "Who lit it?", Summary: "Nobody.", Documents: []string{"lamp-2"}},
		{ID: "3", Story: "seed", Query: "Why?", Summary: "Mould from potatoes."},
		{ID: "4", Story: "gone", Query: "What now?", Summary: "Nothing."},
	})
	if err != nil {
		t.Fatal(err)
	}
	want := []msrs.Query{
		{ID: "1", Text: "What happens to Ines at the lighthouse?", Gold: []string{"lamp-1", "lamp-2"}, References: []string{"She looks for her father."}},
		{ID: "2", Text: "Who lit the lamp at Hollow Point?", Gold: []string{"lamp-2"}, References: []string{"Nobody."}},
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	log, err := json.Marshal(b.Log())
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{`no chapter of the story \"gone\"`, "does not stand alone", "the question repeats the answer", `"stage":"drop","subject":"3","detail":"after 2 tries`, "lamp: 2 parts"} {
		if !strings.Contains(string(log), part) {
			t.Errorf("the log lacks %s:\n%s", part, log)
		}
	}
}

// Every kind of bad reply drops a cluster with its reason, and no other.
func TestBuildMeeting(t *testing.T) {
	sources := []Source{
		{ID: "a", Query: "budget?", Summary: "It grew.", Documents: []string{"m1"}}, {ID: "b", Query: "money?", Summary: "It is spent.", Documents: []string{"m2", "m1"}},
		{ID: "c", Query: "remote?", Summary: "It is yellow.", Documents: []string{"m3"}}, {ID: "d", Query: "button?", Summary: "It is red.", Documents: []string{"m4"}},
	}
	similarity := func(i, j int) float64 {
		if i/2 == j/2 {
			return 1
		}
		return 0
	}
	good := `{"query":"What of the budget and the money?","summary":"It grew and is spent."}`
	for name, c := range map[string]struct {
		reply local.Reply
		built int
		log   string
	}{
		"good": {fake.Text(good), 2, "over 1 documents"}, "empty": {fake.Text(`{"query":" ","summary":"x"}`), 1, "empty: no query"},
		"no JSON": {fake.Text("sure!"), 1, "bad_format"}, "cut": {local.Fail(local.Cut, "limit"), 1, "cut: limit"}, "too long": {local.Fail(local.TooLong, "window"), 1, "too_long"},
	} {
		b := builder(t, func(_ int, call local.Call) local.Reply {
			if strings.Contains(call.Messages[1].Content, "budget") {
				return fake.Text(good)
			}
			return c.reply
		})
		got, err := b.Meeting(context.Background(), sources, similarity, 0.5)
		if err != nil {
			t.Fatal(err)
		}
		log, _ := json.Marshal(b.Log())
		if len(got) != c.built || fmt.Sprint(got[0].Gold) != "[m1 m2]" {
			t.Errorf("%s: %+v", name, got)
		}
		if name != "good" && !strings.Contains(string(log), c.log) {
			t.Errorf("%s: %s", name, log)
		}
	}
	plain := &Builder{&stage.Session{}}
	got, err := plain.Meeting(context.Background(), sources, similarity, 0.5)
	if err != nil || len(got) != 2 || got[0].Text != "budget? money?" || got[0].References[0] != "It grew.\nIt is spent." {
		t.Errorf("without a model: %+v, %v", got, err)
	}
}

func TestReadSources(t *testing.T) {
	for text, word := range map[string]string{"": "holds no queries", "{": "line 1", `{"query":"q"}`: "no summary", `{"summary":"s"}`: "no query", `{"id":"a","query":"q","summary":"s"}` + "\n" + `{"id":"a","query":"q","summary":"s"}`: "line 2"} {
		if _, err := ReadSources("q.jsonl", []byte(text)); err == nil || !strings.Contains(err.Error(), word) {
			t.Errorf("%q: %v", text, err)
		}
	}
	if _, err := ReadTexts(os.DirFS(t.TempDir()), "empty"); err == nil {
		t.Error("an empty folder was read")
	}
}

func FuzzReadSources(f *testing.F) {
	f.Add([]byte(`{"id":"a","query":"q","summary":"s"}`))
	f.Fuzz(func(_ *testing.T, data []byte) { _, _ = ReadSources("x", data) })
}
