package build

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"lore/datasets"
	"lore/datasets/stage/stagetest"
	"lore/datasets/summhay"
	"lore/datasets/summhay/build/noisy"
	buildscripted "lore/datasets/summhay/build/scripted"
	"lore/judge/lexical"
	"lore/local"
	"lore/local/fake"
)

var whole = Sizes{Subtopics: 10, Insights: 6, Documents: 100, Words: 750, Repeat: 6}

// newBuilder builds with a scripted model.
func newBuilder(t testing.TB, sizes Sizes, backend *fake.Backend, slots int) *Builder {
	t.Helper()
	session := stagetest.Session(t, backend, slots, 3, Prompts())
	session.Writing.Temperature = 0.7
	return &Builder{
		Session: session, Sizes: sizes, Edits: 5, Chapters: 10, Fresh: 2,
		Workers: 2 * slots, Seed: 1, Judge: lexical.Judge{},
	}
}

func carefulBackend() *fake.Backend {
	return &fake.Backend{Script: func(_ int, c local.Call) local.Reply { return fake.Text(buildscripted.Careful(c.Messages)) }}
}

func seedDocuments() []datasets.Document {
	var out []datasets.Document
	for i := range 12 {
		text := fmt.Sprintf("In the year %d the town of Ostwick rebuilt %d metres of its harbour wall. "+
			"The work cost %d crowns, and Mayor Arlen paid for the stone. "+
			"It rained on some days and on others it did not.", 1900+i, 10*i+7, 1000*i)
		out = append(out, datasets.Document{ID: fmt.Sprint("seed", i), Text: text})
	}
	return out
}

// truth lists the insights whose words stand in a document.
func truth(f *summhay.File, d summhay.Document) []string {
	out := []string{}
	for _, s := range f.Subtopics {
		for _, in := range s.Insights {
			if strings.Contains(d.DocumentText, in.Insight) {
				out = append(out, in.InsightID)
			}
		}
	}
	slices.Sort(out)
	return out
}

func included(d summhay.Document) []string {
	out := slices.Clone(d.InsightsIncluded)
	slices.Sort(out)
	return out
}

// A good model gives a haystack of the paper's size in both domains, which passes its
// audit, is balanced, loads, and does not hang on the order in which calls end.
func TestBuildWhole(t *testing.T) {
	if testing.Short() {
		t.Skip("-short leaves out what only takes long")
	}
	for _, conversation := range []bool{false, true} {
		var files []*summhay.File
		for _, slots := range []int{1, 4} {
			b := newBuilder(t, whole, carefulBackend(), slots)
			var seeds []datasets.Document
			if b.Conversation = conversation; conversation {
				b.Topic = "Life in a town"
			} else {
				seeds = seedDocuments()
			}
			f, err := b.Build(context.Background(), seeds)
			if err != nil || f == nil {
				t.Fatalf("%v\n%+v", err, b.Log())
			}
			q := b.Quality()
			if len(f.Subtopics) != 10 || q.InsightsKept != 60 || len(f.Documents) != 100 || q.AtOnce != 100 ||
				q.Missing+q.Leaked+q.Lost != 0 {
				t.Errorf("conversation %v: %+v", conversation, q)
			}
			files = append(files, f)
		}
		if diff := cmp.Diff(files[0], files[1]); diff != "" {
			t.Errorf("the slots change the result: %s", diff)
		}
		f := files[0]
		count := map[string]int{}
		for _, d := range f.Documents {
			if diff := cmp.Diff(truth(f, d), included(d)); diff != "" {
				t.Errorf("%s: %s", d.DocumentID, diff)
			}
			if n := len(d.InsightsIncluded); n < 3 || n > 4 {
				t.Errorf("%s holds %d insights", d.DocumentID, n)
			}
			if n := len(strings.Fields(d.DocumentText)); n < 500 || n > 1000 {
				t.Errorf("%s has %d words", d.DocumentID, n)
			}
			subtopics := map[string]bool{}
			for _, id := range d.InsightsIncluded {
				count[id]++
				subtopics[strings.Split(id, "_")[0]] = true
			}
			if len(subtopics) < 2 {
				t.Errorf("%s is about %v alone", d.DocumentID, subtopics)
			}
		}
		for id, n := range count {
			if n != whole.Repeat {
				t.Errorf("%s is in %d documents", id, n)
			}
		}
		data, err := json.Marshal(f)
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(t.TempDir(), "topic_town.json")
		if err := os.WriteFile(path, data, 0o666); err != nil {
			t.Fatal(err)
		}
		if ds, err := (summhay.Benchmark{}).Load([]string{path}); err != nil || len(ds.Items) != 10 ||
			len(ds.Warnings) > 0 {
			t.Errorf("%v %v", err, ds)
		}
	}
}

// Bad replies of every stage end in a reason, never in a haystack that is wrong.
func TestBuildBadReplies(t *testing.T) {
	sizes := Sizes{Subtopics: 2, Insights: 3, Documents: 8, Words: 120, Repeat: 3}
	for name, c := range map[string]struct {
		mark   string
		reply  local.Reply
		check  func(q Quality, f *summhay.File) bool
		reason string
	}{
		"no facts": {`{"facts": `, fake.Text(`{"facts":[]}`),
			func(_ Quality, f *summhay.File) bool { return f != nil }, "no notes: there is no fact"},
		"no topic": {`{"topic": `, fake.Text(`{"topic":"x"}`),
			func(_ Quality, f *summhay.File) bool { return f.Topic == "what the documents report" }, "worded by rule"},
		"no subtopics": {`{"subtopics": `, fake.Text("none"),
			func(_ Quality, f *summhay.File) bool { return f == nil }, "bad_format"},
		"the same subtopic": {`{"subtopics": `,
			fake.Text(`{"subtopics":[{"name":"harbour","about":"work at the harbour"},{"name":"harbour work","about":"work at the harbour"}]}`),
			func(q Quality, f *summhay.File) bool { return f == nil && q.OverlapWords > 0 },
			"shares its words with harbour"},
		"pairs overlap": {`{"pairs": `, fake.Text(`{"pairs":[[1,2],[1,3],[1,4],[2,1]]}`),
			func(q Quality, f *summhay.File) bool { return q.OverlapModel > 0 }, "overlaps with"},
		"unspecific insights": {`{"insights": `,
			fake.Text(`{"insights":["people talked about things for a while","others did not say much about it","it was all rather quiet in the end"]}`),
			func(q Quality, f *summhay.File) bool { return f == nil }, "have a number, a date or a name"},
		"some unspecific": {`{"insights": `,
			fake.Text(`{"insights":["people talked about things for a while","In 1901 the first of the walls fell","In 1902 a second building was lost there","In 1903 nothing fell but some rain"]}`),
			func(q Quality, f *summhay.File) bool { return f == nil && q.Unspecific > 0 && q.RepeatedWords > 0 },
			"shares its words with another"},
		"repeated": {`{"repeated": `, fake.Text(`{"repeated":[2,2,5]}`),
			func(q Quality, f *summhay.File) bool { return f != nil && q.RepeatedModel > 0 }, "repeats another"},
		"sorted elsewhere": {`Reply with JSON: {"subtopic": number}`, fake.Text(`{"subtopic":1}`),
			func(q Quality, f *summhay.File) bool { return q.Misassigned > 0 }, "was sorted into"},
		"no question": {`{"query": `, fake.Text(`{"query":"Tell me."}`), func(_ Quality, f *summhay.File) bool {
			return strings.HasPrefix(f.Subtopics[0].Query, "What is said about")
		}, "no question of 4 to 40 words"},
		"no article": {"Give the article", local.Fail(local.Cut, "output limit"),
			func(q Quality, f *summhay.File) bool { return f == nil && q.Lost == 8 },
			"no draft: cut: output limit"},
		"an article without a point": {"Give the article", fake.Text(strings.Repeat("Nothing happened here. ", 30)),
			func(q Quality, f *summhay.File) bool { return len(f.Documents) == 8 && q.AtOnce == 0 && q.Missing > 0 },
			"missing"},
		"edits that do not help": {"Give the whole new text",
			fake.Text(strings.Repeat("Nothing happened here. ", 30)),
			func(q Quality, f *summhay.File) bool { return len(f.Documents) == 8 && q.AtOnce == 8 }, ""},
		"lists that cannot be read": {`{"present": `, fake.Text("none"),
			func(q Quality, f *summhay.File) bool { return len(f.Documents) == 8 && q.ListsOpen == q.Lists-1 },
			"bad_format"},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBuilder(t, sizes, &fake.Backend{Script: func(_ int, call local.Call) local.Reply {
				prompt := call.Messages[len(call.Messages)-1].Content + call.Messages[1].Content
				if strings.Contains(prompt, c.mark) && !strings.Contains(prompt, control.text) {
					return c.reply
				}
				return fake.Text(buildscripted.Careful(call.Messages))
			}}, 2)
			b.Tries, b.Edits, b.Fresh = 2, 2, 1
			f, err := b.Build(context.Background(), seedDocuments())
			if err != nil {
				t.Fatal(err)
			}
			log := ""
			for _, e := range b.Log() {
				log += e.Detail + "\n"
			}
			if !c.check(b.Quality(), f) || !strings.Contains(log, c.reason) {
				t.Errorf("%+v\n%s", b.Quality(), log)
			}
		})
	}
}

// BenchmarkBuildSlots reports the share of time that the slots of a model were busy
// while a haystack was built, from its first to its last call: by a careful model, and by
// one that forgets, leaks and errs, which needs edits.
func BenchmarkBuildSlots(b *testing.B) {
	const slots, delay = 4, 100 * time.Millisecond
	faulty := &noisy.Model{Noise: noise(b, "wrong on 5 % of statements", 1)}
	for name, script := range map[string]func(int, local.Call) local.Reply{
		"careful": carefulBackend().Script, "noisy": faulty.Script,
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				backend := &fake.Backend{Script: script, Delay: delay}
				builder := newBuilder(b, Published, backend, slots)
				builder.Topic = "Life in a town"
				start := time.Now()
				if f, err := builder.Build(context.Background(), nil); err != nil || f == nil {
					b.Fatal(err)
				}
				b.ReportMetric(100*float64(backend.Busy())/float64(slots*time.Since(start)), "%busy")
				b.ReportMetric(float64(len(backend.Calls())), "calls")
			}
		})
	}
}
