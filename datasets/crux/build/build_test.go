package build

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"lore/datasets"
	"lore/datasets/crux"
	"lore/datasets/sources"
	"lore/datasets/stage/scripted"
	"lore/datasets/stage/stagetest"
	"lore/judge/lexical"
	"lore/local"
	"lore/local/fake"
	"lore/local/files"
	"lore/local/text"
)

var update = flag.Bool("update", false, "write the golden dataset anew")

func newBuilder(t *testing.T, script func(n int, c local.Call) local.Reply) *Builder {
	t.Helper()
	s := stagetest.Session(t, &fake.Backend{Script: script}, 3, 2, Prompts())
	return &Builder{Session: s, Judge: lexical.Judge{}, Questions: 3, Eta: 3}
}

// goodModel answers as a careful model would: passages repeat the document, questions
// are the summary's sentences.
func goodModel(_ int, c local.Call) local.Reply {
	p := c.Messages[len(c.Messages)-1].Content
	var reply any
	switch {
	case strings.Contains(p, "standalone") || strings.HasPrefix(p, "Document:"):
		reply = passagesReply{[]string{scripted.Between(p, "Document:", "Rewrite this document")}}
	case strings.Contains(p, "Write the request"):
		reply = requestReply{"Write a report for the paper on what happened in the story, who took part in it, what they did about it and how it ended for them."}
	default:
		reply = questionsReply{text.Sentences(scripted.Between(p, "Report:", "Write exactly"))[:3]}
	}
	data, err := json.Marshal(reply)
	if err != nil {
		panic(err)
	}
	return fake.Text(string(data))
}

// sampleSources are the bundled chapters with the bundled reports.
func sampleSources(t *testing.T) ([]Pair, map[string]string) {
	t.Helper()
	ds, err := crux.Benchmark{}.Load(nil)
	if err != nil {
		t.Fatal(err)
	}
	texts := map[string]string{}
	for _, d := range ds.Corpora[0].Documents {
		texts[d.ID] = d.Text
	}
	data, err := os.ReadFile("../sample/" + crux.TopicsFile)
	if err != nil {
		t.Fatal(err)
	}
	var pairs []Pair
	err = files.EachLine(data, func(_ string, line []byte) error {
		var topic crux.Topic
		err := json.Unmarshal(line, &topic)
		pairs = append(pairs, Pair{topic.ID, topic.Summary, slices.Sorted(maps.Keys(topic.Grades))})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return pairs, texts
}

// With good replies the build gives the golden dataset.
func TestBuildGolden(t *testing.T) {
	pairs, texts := sampleSources(t)
	b := newBuilder(t, goodModel)
	topics, passages, err := b.Build(context.Background(), pairs, texts)
	if err != nil {
		t.Fatal(err)
	}
	if len(topics) != 2 || len(passages) != 12 {
		t.Fatalf("%d topics, %d passages, %+v", len(topics), len(passages), b.Log())
	}
	dir := t.TempDir()
	if err := crux.Write(dir, topics, passages); err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := crux.Write("testdata/golden", topics, passages); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{crux.TopicsFile, crux.PassagesFile} {
		got, err1 := os.ReadFile(filepath.Join(dir, name))
		want, err2 := os.ReadFile(filepath.Join("testdata/golden", name))
		if err1 != nil || err2 != nil || string(got) != string(want) {
			t.Errorf("%s differs from the golden one (%v, %v); go test ./datasets/crux/build -run Golden -update writes it anew",
				name, err1, err2)
		}
	}
	ds, err := crux.Benchmark{}.Load([]string{dir})
	if err != nil || len(ds.Items) != 2 {
		t.Errorf("the dataset does not load: %v", err)
	}
}

// Each kind of bad reply is refused with its reason, asked for again, and costs only
// what hangs on it.
func TestBuildBadReplies(t *testing.T) {
	pairs, texts := sampleSources(t)
	for name, c := range map[string]struct {
		when   string // part of the prompt whose reply is spoilt
		reply  local.Reply
		always bool // also at the second try
		topics int
		log    string
	}{
		"short passages, once": {"Document:", fake.Text(`{"passages":["too short"]}`), false, 2,
			"passage 1 has 2 words"},
		"no JSON, once": {"Write the request", fake.Text(`Sure! Here it is.`), false, 2, "bad_format"},
		"short request": {"Write the request", fake.Text(`{"request":"a report"}`), true, 0,
			"no request: the request has 2 words"},
		"too few questions": {"Write exactly", fake.Text(`{"questions":["What is one?"]}`), true, 0, "bad_format"},
		"the same questions": {"Write exactly",
			fake.Text(`{"questions":["What did the harbour cost?","What did the harbour cost?","Who came by the road?"]}`),
			true, 0, "questions 1 and 2 are the same"},
		"a model that times out": {"Document:", local.Fail(local.TooLong, "window"), true, 0,
			"no passages: too_long: window"},
	} {
		t.Run(name, func(t *testing.T) {
			tries := map[string]int{}
			b := newBuilder(t, nil)
			var spoilt int
			b.Calls = callerFunc(func(ctx context.Context, calls []local.Call, done func(int, local.Reply)) error {
				for i, call := range calls {
					p := call.Messages[len(call.Messages)-1].Content
					tries[c.when]++
					reply := goodModel(0, call)
					if strings.Contains(p, c.when) && (c.always || call.Sample == 0) {
						reply = c.reply
						spoilt++
					}
					done(i, reply)
				}
				return nil
			})
			topics, _, err := b.Build(context.Background(), pairs, texts)
			if err != nil || spoilt == 0 {
				t.Fatalf("%v, %d spoilt", err, spoilt)
			}
			log := fmt.Sprintf("%+v", b.Log())
			if len(topics) != c.topics || !strings.Contains(log, c.log) && c.log != "bad_format" {
				t.Errorf("%d topics, log %s", len(topics), log)
			}
		})
	}
}

type callerFunc func(ctx context.Context, calls []local.Call, done func(i int, reply local.Reply)) error

func (f callerFunc) All(ctx context.Context, calls []local.Call, done func(i int, reply local.Reply)) error {
	return f(ctx, calls, done)
}

func TestReadPairs(t *testing.T) {
	docs := reading("a", "mill_report")
	for text, word := range map[string]string{"": "holds no pairs", "{": "line 1",
		`{"id":"p","summary":"s","documents":["z"]}`: `"z"`, `{"id":"p","summary":"s","documents":["mil report"]}`: `did you mean "mill_report"?`, `{"id":"p","documents":["a"]}`: "no summary",
		`{"id":"p q","summary":"s","documents":["a"]}`: "white space (U+0020)"} {
		if _, err := ReadPairs("pairs.jsonl", []byte(text), docs); err == nil || !strings.Contains(err.Error(), word) {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// reading has documents of these ids.
func reading(ids ...string) *sources.Reading {
	var r sources.Reading
	for _, id := range ids {
		r.Documents = append(r.Documents, datasets.Document{ID: id, Text: "x"})
	}
	return &r
}

func FuzzReadPairs(f *testing.F) {
	f.Add([]byte(`{"id":"p","summary":"s","documents":["a"]}`))
	f.Fuzz(func(_ *testing.T, data []byte) { _, _ = ReadPairs("x", data, reading("a")) })
}

// A document of two pairs is rewritten once, and its passages are graded for both: a retriever that finds one of two
// equal passages must not be wrong for either.
func TestDocumentsOfSeveralPairs(t *testing.T) {
	pairs, texts := sampleSources(t)
	shared := pairs[0].Documents[0]
	pairs[1].Documents = append([]string{shared, shared}, pairs[1].Documents...)
	b := newBuilder(t, goodModel)
	topics, passages, err := b.Build(context.Background(), pairs, texts)
	if err != nil || len(topics) < 2 {
		t.Fatalf("%d topics, %v", len(topics), err)
	}

	seen := map[string]string{}
	for _, p := range passages {
		if other, twice := seen[p.Text]; twice {
			t.Errorf("%s and %s say the same", other, p.ID)
		}
		seen[p.Text] = p.ID
	}
	id, there := seen[strings.TrimSpace(texts[shared])]
	if !there {
		t.Fatal("the shared document made no passage")
	}
	var graded []string
	for _, e := range b.Log() {
		if e.Stage == "split" && strings.Contains(e.Detail, "is a document of 2 pairs") {
			graded = append(graded, e.Subject)
		}
	}
	if len(graded) != 1 || graded[0] != shared {
		t.Errorf("the log names %q", graded)
	}
	if _, ok := topics[0].Grades[id]; !ok {
		t.Errorf("the first topic has no grades of %s", id)
	}
}
