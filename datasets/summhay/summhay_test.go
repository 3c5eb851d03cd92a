package summhay

import (
	"encoding/json"
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"lore/datasets"
	"lore/judge"
	"lore/local"
	"lore/local/prompt"
	"lore/local/published"
)

// figure2 is the worked example of the paper's Figure 2 as data.
func figure2(t *testing.T) *item {
	t.Helper()
	gold := [][]int{{8, 32, 79, 83, 95}, {11, 30, 46, 53, 79, 80}, {8, 32, 46, 53, 69, 91, 95}}
	f := File{Topic: "exams"}
	for i := range 100 {
		f.Documents = append(f.Documents, Document{DocumentID: "d" + string(rune('a'+i/26)) + string(rune('a'+i%26)), DocumentText: "text"})
	}
	s := Subtopic{SubtopicID: "stress", Subtopic: "managing stress", Query: "How do students manage stress?"}
	for i, docs := range gold {
		id := string(rune('x' + i))
		s.Insights = append(s.Insights, Insight{InsightID: id, Insight: "insight " + id})
		for _, d := range docs {
			f.Documents[d-1].InsightsIncluded = append(f.Documents[d-1].InsightsIncluded, id)
		}
	}
	f.Subtopics = []Subtopic{s}
	data, err := json.Marshal(f)
	if err != nil {
		t.Fatal(err)
	}
	ds, err := load([]string{"figure2.json"}, [][]byte{data})
	if err != nil {
		t.Fatal(err)
	}
	return ds.Items[0].(*item)
}

// By hand: coverage (1 + 1/2 + 0)/3; citation (2/7 + 8/11)/2; joint (2/7 + 4/11)/3.
func TestFigure2(t *testing.T) {
	it := figure2(t)
	out := datasets.Output{Outcome: local.OK, Text: "Here are insights:\n- apps [79,11,46,53,54].\n- Pomodoro [79,80].\n- schedule [80,23].\n"}
	scores := it.scoreInsights(it.read(out), []judge.Verdict{{Value: 1, Unit: 3}, {Value: 0.5, Unit: 2}, {Value: 0}})
	want := map[string]float64{Coverage: 0.5, Citation: (2./7 + 8./11) / 2, Joint: (2./7 + 4./11) / 3, CitationPrecision: (0.5 + 0.8) / 2, CitationRecall: (0.2 + 2./3) / 2}
	sum, n := map[string]float64{}, map[string]float64{}
	for _, s := range scores {
		sum[s.Metric] += s.Value
		n[s.Metric]++
	}
	for m, w := range want {
		if got := sum[m] / n[m]; math.Abs(got-w) > 1e-15 {
			t.Errorf("%s = %v, want %v", m, got, w)
		}
	}
	if n[Coverage] != 3 || n[Citation] != 2 || n[Joint] != 3 {
		t.Errorf("numbers of values: %v", n)
	}
}

func TestCitations(t *testing.T) {
	for line, want := range map[string]map[int]bool{
		"none":                       {},
		"[1,2] and [ 3 4]":           {1: true, 2: true, 3: true, 4: true},
		"[48][49] twice [48]":        {48: true, 49: true},
		"[Document 3] [a] [1-3] []":  {},
		"[7] in the middle, [x, 8]":  {7: true},
		"[99999999999999999999, 12]": {0: true, 12: true},
		"[ , ] [[5]]":                {5: true},
	} {
		if diff := cmp.Diff(want, Citations(line)); diff != "" {
			t.Errorf("%q: %s", line, diff)
		}
	}
}

func TestContextFillsTheBudget(t *testing.T) {
	ds, err := Benchmark{}.Load(nil)
	if err != nil {
		t.Fatal(err)
	}
	it := ds.Items[0]
	ids := []string{it.Corpus().Documents[4].ID, it.Corpus().Documents[0].ID, it.Corpus().Documents[9].ID}
	c := it.Context(datasets.Retrieved{IDs: ids}, datasets.Budget{Tokens: 500})
	if c.Tokens != 500 || len(c.Passages) != 2 || c.Cut != 1 || c.Dropped != 1 {
		t.Errorf("%d tokens, %d passages, %d cut, %d dropped", c.Tokens, len(c.Passages), c.Cut, c.Dropped)
	}
	if c.Passages[0].Label != "5" || c.Passages[1].Label != "1" {
		t.Errorf("labels %s and %s: documents are numbered by place in the haystack", c.Passages[0].Label, c.Passages[1].Label)
	}
	if !strings.HasPrefix(it.Corpus().Documents[0].Text, c.Passages[1].Text) {
		t.Error("the cut document is no beginning of the whole one")
	}
}

func TestLoadErrors(t *testing.T) {
	insight := `"insights":[{"insight_id":"i","insight":"x"}]`
	doc := `{"document_id":"d","document_text":"x","insights_included":["i"]}`
	for name, c := range map[string]struct{ data, want string }{
		"empty":              {``, "is not valid JSON"},
		"half":               {`{"topic": "x", "documents": [`, "is not valid JSON"},
		"utf8":               {"{\"topic\":\n\"\xff\"}", "line 2: byte 0xff is not UTF-8; convert"},
		"wrong type":         {`{"documents":[{"document_id":5}]}`, "holds a number where a string belongs"},
		"no subtopics":       {`{"documents":[` + doc + `]}`, "it has no subtopics"},
		"no id":              {`{"documents":[{"document_text":"x"}],"subtopics":[{"subtopic_id":"s","query":"q",` + insight + `}]}`, "document 1: has no document_id"},
		"space in id":        {`{"documents":[{"document_id":"a b"}],"subtopics":[{"subtopic_id":"s","query":"q",` + insight + `}]}`, "white space"},
		"no insights":        {`{"documents":[` + doc + `],"subtopics":[{"subtopic_id":"s","query":"q"}]}`, "subtopic 1 (s): has no insights"},
		"duplicate insight":  {`{"documents":[` + doc + `],"subtopics":[{"subtopic_id":"s","query":"q",` + insight + `},{"subtopic_id":"t","query":"q",` + insight + `}]}`, `insight id "i" occurs twice`},
		"twice":              {`{"documents":[` + doc + `],"subtopics":[{"subtopic_id":"s","query":"q",` + insight + `},{"subtopic_id":"s","query":"q","insights":[{"insight_id":"j","insight":"x"}]}]}`, "subtopic 2 (s): the id is already that of subtopic 1"},
		"vertical tab in id": {`{"documents":[{"document_id":"a\u000bb"}],"subtopics":[{"subtopic_id":"s","query":"q",` + insight + `}]}`, "white space (U+000B)"},
		"hidden insight id":  {`{"documents":[` + doc + `],"subtopics":[{"subtopic_id":"s","query":"q","insights":[{"insight_id":"i\u202e","insight":"x"}]}]}`, "cannot be seen (U+202E)"},
		"no query":           {`{"documents":[` + doc + `],"subtopics":[{"subtopic_id":"s",` + insight + `}]}`, "neither query nor subtopic"},
		"insight nowhere":    {`{"documents":[{"document_id":"d","document_text":"x"}],"subtopics":[{"subtopic_id":"s","query":"q",` + insight + `}]}`, "none of its insights occurs"},
		"no subtopic id":     {`{"documents":[` + doc + `],"subtopics":[{"query":"q",` + insight + `}]}`, "has no subtopic_id"},
	} {
		_, err := load([]string{"f.json"}, [][]byte{[]byte(c.data)})
		var input *datasets.InputError
		if !errors.As(err, &input) || !strings.Contains(err.Error(), c.want) || !strings.HasPrefix(err.Error(), "f.json") {
			t.Errorf("%s: got %v, want %q", name, err, c.want)
		}
	}
	if _, err := load([]string{"a/f.json", "b/f.json"}, [][]byte{Sample(), Sample()}); err == nil {
		t.Error("two haystacks of one name are accepted")
	}
}

func TestInsightWithoutDocumentIsLeftOutWithAWarning(t *testing.T) {
	ds, err := load([]string{"f.json"}, [][]byte{[]byte("\xef\xbb\xbf" + `{"documents":[{"document_id":"d","document_text":"x","insights_included":["i"]}],
		"subtopics":[{"subtopic_id":"s","query":"q","insights":[{"insight_id":"i","insight":"x"},{"insight_id":"j","insight":"y"}]}]}`)})
	if err != nil {
		t.Fatal(err)
	}
	if len(ds.Warnings) != 1 || !strings.Contains(ds.Warnings[0], "insight j occurs in no document") || len(ds.Items[0].Plan(datasets.Evidence{})[0].Questions) != 1 {
		t.Errorf("warnings %v", ds.Warnings)
	}
}

func TestSampleIsWhatTheProgramWrites(t *testing.T) {
	var f File
	if err := json.Unmarshal(Sample(), &f); err != nil {
		t.Fatal(err)
	}
	held := map[string]int{}
	for _, d := range f.Documents {
		if n := len(strings.Fields(d.DocumentText)); n < 150 {
			t.Errorf("%s has %d words", d.DocumentID, n)
		}
		for _, i := range d.InsightsIncluded {
			held[i]++
		}
	}
	if len(f.Documents) < 40 || len(f.Subtopics) < 6 {
		t.Errorf("%d documents, %d subtopics", len(f.Documents), len(f.Subtopics))
	}
	for _, s := range f.Subtopics {
		if len(s.Insights) < 5 {
			t.Errorf("%s has %d insights", s.SubtopicID, len(s.Insights))
		}
		for _, i := range s.Insights {
			if held[i.InsightID] < 5 {
				t.Errorf("%s is in %d documents", i.InsightID, held[i.InsightID])
			}
		}
	}
}

// The published haystacks load without a warning.
func TestPublishedHaystacksLoad(t *testing.T) {
	ds, err := Benchmark{}.Load([]string{published.Path(t, "data/summhay/topic_news1.json"), published.Path(t, "data/summhay/topic_news2.json")})
	if err != nil {
		t.Fatal(err)
	}
	insights := 0
	for _, it := range ds.Items {
		insights += len(it.Plan(datasets.Evidence{})[0].Questions)
	}
	if len(ds.Items) != 18 || insights != 137 || len(ds.Warnings) != 0 {
		t.Errorf("%d items, %d insights, warnings %v", len(ds.Items), insights, ds.Warnings)
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(`{"documents":[{"document_id":"d","document_text":"x","insights_included":["i"]}],"subtopics":[{"subtopic_id":"s","query":"q","insights":[{"insight_id":"i","insight":"x"}],"eval_summaries":{"k":[{"bullet_id":"NA"},{"bullet_id":3}]}}]}`))
	f.Add([]byte("\xef\xbb\xbf{}"))
	f.Add(Sample()[:4000])
	f.Fuzz(func(t *testing.T, data []byte) {
		ds, err := load([]string{"f.json"}, [][]byte{data})
		if err != nil {
			var input *datasets.InputError
			if !errors.As(err, &input) {
				t.Errorf("error without a place: %v", err)
			}
			return
		}
		for _, it := range ds.Items {
			var e datasets.Evidence
			it.Score(e, datasets.Verdicts{judge.Answer: make([]judge.Verdict, len(it.Plan(e)[0].Questions))})
		}
	})
}

// Conversations are told from news by who takes part, or by the name of a published file, and asked about by their query;
// others by their subtopic, where there is one. Without documents there are citations, too.
func TestRequestFollowsTheProtocol(t *testing.T) {
	f := File{
		Topic:     "a ferry",
		Metadata:  Metadata{Participants: []string{"Ana", "Ben"}},
		Subtopics: []Subtopic{{SubtopicID: "s", Name: "repair", Subtopic: "repair", Query: "What of it?", Insights: []Insight{{InsightID: "i", Insight: "It was repaired."}}}},
		Documents: []Document{{DocumentID: "d", DocumentText: "Ana: It was repaired.", InsightsIncluded: []string{"i"}}},
	}
	asked := func(f File, source string) string {
		t.Helper()
		data, err := json.Marshal(f)
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(t.TempDir(), "h.json")
		if err := os.WriteFile(path, data, 0o666); err != nil {
			t.Fatal(err)
		}
		ds, err := Benchmark{}.Load([]string{path})
		if err != nil {
			t.Fatal(err)
		}
		own := fstest.MapFS{}
		if source != "" {
			own["summhay/answer.txt"] = &fstest.MapFile{Data: []byte(source)}
		}
		p, err := prompt.NewSet(own, Benchmark{}.Prompts()).Load("summhay/answer.txt")
		if err != nil {
			t.Fatal(err)
		}
		messages, _, err := ds.Items[0].Request(datasets.Ask{Prompt: p})
		if err != nil {
			t.Fatal(err)
		}
		return messages[len(messages)-1].Content
	}

	has := func(f File, want ...string) {
		t.Helper()
		got := asked(f, "")
		for _, w := range append(want, "no more than 300 words", "a ferry", "in square brackets") {
			if !strings.Contains(got, w) {
				t.Errorf("%q is missing in:\n%s", w, got)
			}
		}
	}
	has(f, "numbered conversations about this: a ferry. None of them is shown", "take part: Ana, Ben.", "\n\nQuestion: What of it?\n")
	if got := asked(f, "{{.Topic}}: {{.Words}} words, {{len .Participants}} people, {{.Bullets}} bullets"); got != "a ferry: 300 words, 2 people, 1 bullets" {
		t.Errorf("%s", got)
	}

	f.Metadata = Metadata{}
	has(f, "numbered documents about this: a ferry. None of them is shown", "\n\nSubject: repair\n")
	if got := asked(f, ""); strings.Contains(got, "What of it?") || strings.Contains(got, "take part") {
		t.Errorf("%s", got)
	}
	f.Subtopics[0].Subtopic = ""
	has(f, "\n\nQuestion: What of it?\n")
}
