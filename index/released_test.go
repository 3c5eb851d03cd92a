package index

import (
	"context"
	"encoding/json"
	"os"
	"strings"
	"testing"
	"unicode"

	"github.com/google/go-cmp/cmp"

	"lore/local/published"
)

// The scores that came with two haystacks, to the digit.
func TestKeywordsReleasedAreTheRecorded(t *testing.T) {
	compared := 0
	for _, name := range []string{"topic_news1.json", "topic_news2.json"} {
		data, err := os.ReadFile(published.Path(t, "data/summhay", name))
		if err != nil {
			t.Fatal(err)
		}
		var hay struct {
			Documents []struct {
				ID   string `json:"document_id"`
				Text string `json:"document_text"`
			}
			Subtopics []struct {
				Query, Subtopic string
				Retriever       map[string]map[string]float64
			}
		}
		if err := json.Unmarshal(data, &hay); err != nil {
			t.Fatal(err)
		}

		var docs []Document
		for _, d := range hay.Documents {
			docs = append(docs, Document{ID: d.ID, Text: d.Text})
		}
		keywords := KeywordsReleased(InMemory(docs))
		for _, s := range hay.Subtopics {
			got, err := keywords.Retrieve(context.Background(), Query{Text: s.Query + " " + s.Subtopic}, 0)
			if err != nil {
				t.Fatal(err)
			}
			for _, h := range got.Hits {
				if want := s.Retriever["keywords"][h.ID]; h.Score != want {
					t.Errorf("%s: document %s of a subtopic scores %v, recorded is %v", name, h.ID, h.Score, want)
				}
				compared++
			}
		}
	}
	if compared != 1800 {
		t.Errorf("%d scores compared", compared)
	}
}

func TestTreebankWords(t *testing.T) {
	for in, want := range map[string]string{
		"It isn't the V8's, is it?":           "it is n't the v8 's , is it ?",
		`He said: "at 10:30, for $1,000.50."`: `he said : " at 10:30 , for $ 1,000.50 . "`,
		"Well... (the U.S. price) -- cannot!": "well ... ( the u.s . price ) -- can not !",
		"state-of-the-art, the dogs' end’s":   "state-of-the-art , the dogs ' end ’ s",
		"":                                    "",
		"'s n't":                              "'s n't",
	} {
		if got := strings.Join(treebankWords(in), " "); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}

// A word that is asked for twice counts twice, and so does the question mark.
func TestKeywordsReleasedCounts(t *testing.T) {
	docs := []Document{{ID: "a", Text: "Tide power."}, {ID: "b", Text: "Is it the wind?"}}
	for query, want := range map[string][]Hit{
		"the tide and the tide of wind?": {{"a", 0.5}, {"b", 0.5}}, // tide, tide, wind, ?
		"who is it":                      {{"a", 0}, {"b", 0}},
	} {
		if diff := cmp.Diff(want, ranking(t, KeywordsReleased(InMemory(docs)), Query{Text: query}, 0)); diff != "" {
			t.Errorf("%s: %s", query, diff)
		}
	}
}

// Nothing of a text is lost but its spaces.
func FuzzTreebankWords(f *testing.F) {
	f.Add("It isn't 'so' -- ... 3,4")
	f.Fuzz(func(t *testing.T, in string) {
		bare := func(r rune) rune {
			if unicode.IsSpace(r) {
				return -1
			}
			return r
		}
		low := strings.ToLower(strings.ToValidUTF8(in, "\uFFFD"))
		if got, want := strings.Join(treebankWords(low), ""), strings.Map(bare, low); got != want {
			t.Errorf("%q became %q", want, got)
		}
	})
}
