package msrs

import (
	"strings"
	"testing"

	"lore/datasets"
	"lore/local/prompt"
)

func TestFairShare(t *testing.T) {
	for _, c := range []struct {
		lengths     []int
		total, want int
	}{
		{[]int{5, 3, 9}, 17, 9}, // all fit
		{[]int{5, 3, 9}, 16, 8}, // 3 and 5 are whole, and leave 8
		{[]int{5, 3, 9}, 12, 4}, // 3 is whole, and leaves 9 for two
		{[]int{9, 9, 9}, 10, 3}, // an equal share
		{[]int{9, 9, 9}, 2, 0},  // nothing for anybody
		{nil, 10, 0},
	} {
		got := fairShare(c.lengths, c.total)
		sum := 0
		for _, n := range c.lengths {
			sum += min(n, got)
		}
		if got != c.want || sum > c.total {
			t.Errorf("%v in %d: %d each, %d together; want %d", c.lengths, c.total, got, sum, c.want)
		}
	}
}

// The whole corpus of meetings is cut as the authors cut it, and that of stories is not.
func TestFullIsCapped(t *testing.T) {
	for domain, want := range map[string]int{"story": 6_000, "meeting": FullTokens} {
		corpus := &datasets.Corpus{ID: domain, Documents: []datasets.Document{
			{ID: "a", Text: strings.Repeat(" word", 6_000)}, {ID: "b", Text: " word word"},
		}}
		s := &set{domain: domain, k: 1, corpus: corpus, fullTokens: map[string]int{"meeting": FullTokens}[domain]}
		it := &item{set: s}
		found := datasets.Retrieved{Whole: true}
		found.IDs = []string{"a", "b"}
		ctx := it.Context(found, datasets.Budget{Tokens: 1_000_000})
		if len(ctx.Passages) != 2 || ctx.Tokens != want+2 || ctx.CutTokens != 6_000-want {
			t.Errorf("%s: %d documents with %d tokens, %d cut; want %d", domain, len(ctx.Passages), ctx.Tokens, ctx.CutTokens, want+2)
		}
		if ctx = it.Context(found, datasets.Budget{Tokens: 100}); ctx.Tokens != 100 || ctx.Cut != 1 {
			t.Errorf("%s: %d tokens of 100, %d documents cut", domain, ctx.Tokens, ctx.Cut)
		}
	}
}

// Without documents a model is told that it may know the story, and which one it is where that is known.
func TestNoDocuments(t *testing.T) {
	p, err := prompt.NewSet(nil, Benchmark{}.Prompts()).Load("msrs/answer.txt")
	if err != nil {
		t.Fatal(err)
	}
	for domain, want := range map[string]string{
		"story": "a story that you may have read before, The Mill by N. N.. Answer", "meeting": "meetings whose transcripts you may have read",
	} {
		it := &item{set: &set{domain: domain}, query: Query{Text: "Who?", Title: map[string]string{"story": "The Mill by N. N."}[domain]}}
		messages, _, err := it.Request(datasets.Ask{Prompt: p})
		if err != nil || !strings.Contains(messages[1].Content, want) || strings.Contains(messages[0].Content, "documents") {
			t.Errorf("%s: %v %q", domain, err, messages)
		}
	}
}
