package build

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"lore/datasets"
	"lore/local"
	"lore/local/fake"
	"lore/local/tokens"
)

// chapters are two of a story of some hundred words each, and one of another.
func longChapters() []datasets.Document {
	var out []datasets.Document
	for _, id := range []string{"lamp-1", "lamp-2", "seed-1"} {
		out = append(out, datasets.Document{ID: id, Text: strings.Repeat("In "+id+" Ines climbed the stairs of the lighthouse. ", 100)})
	}
	return out
}

// As much of the story is shown as there is room for: all of it, the gold chapters, or how they begin.
func TestHowMuchOfTheStoryIsShown(t *testing.T) {
	chapters := longChapters()
	one := tokens.Count(chapters[1].Text)
	for _, c := range []struct {
		room int
		want string
	}{
		{2*one + 50, "The story, The chapters of the story that the question is about, How the story begins"},
		{one + 10, "The chapters of the story that the question is about, How the story begins"},
		{openingTokens, "How the story begins"},
	} {
		gold, shown := goldOf(chapters, Source{Documents: []string{"lamp-2"}}, c.room)
		var got []string
		for _, e := range shown {
			got = append(got, e.What)
			if tokens.Count(e.Text) > c.room || strings.Contains(e.Text, "seed") {
				t.Errorf("%d: %s has %d tokens, or another story", c.room, e.What, tokens.Count(e.Text))
			}
		}
		if strings.Join(got, ", ") != c.want || fmt.Sprint(gold) != "[lamp-2]" {
			t.Errorf("%d: %q, %q", c.room, got, gold)
		}
	}
}

// What does not fit the model's window is asked again with less of the story, at the same try.
func TestStoryThatIsTooLong(t *testing.T) {
	var asked []string
	b := builder(t, func(_ int, c local.Call) local.Reply {
		p := c.Messages[len(c.Messages)-1].Content
		if strings.Contains(p, "stands_alone") {
			return fake.Text(`{"stands_alone":true,"same_question":true,"reveals_answer":false}`)
		}
		what, _, _ := strings.Cut(p, ":")
		asked = append(asked, what)
		if tokens.Count(p) > 900 {
			return local.Fail(local.TooLong, "window")
		}
		return fake.Text(`{"query":"Who lit the lamp at Hollow Point?"}`)
	})
	got, err := b.Story(context.Background(), longChapters(), []Source{
		{ID: "1", Query: "Who lit it?", Summary: "Nobody.", Documents: []string{"lamp-2"}},
	})
	if err != nil || len(got) != 1 || b.Refused() != 0 {
		t.Fatalf("%+v, %v, %+v", got, err, b.Log())
	}
	want := "The story, The chapters of the story that the question is about, How the story begins"
	if strings.Join(asked, ", ") != want {
		t.Errorf("%q", asked)
	}
	if log := fmt.Sprint(b.Log()); !strings.Contains(log, `"The story" is too long for the model and is not shown`) {
		t.Error(log)
	}
}
