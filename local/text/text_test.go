package text

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestWords(t *testing.T) {
	for in, want := range map[string]string{
		"":                                "",
		"It's the CEO’s 1,025 hp, v2.5!":  "its the ceos 1025 hp v2.5",
		"state-of-the-art (2023).":        "state of the art 2023",
		"'quoted' words, e.g. U.S. banks": "quoted words e g u s banks",
		"Grüße, 東京 café":                  "grüße 東京 café",
	} {
		if got := strings.Join(Words(in), " "); got != want {
			t.Errorf("Words(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestTerms(t *testing.T) {
	got := Terms("The banks were lending to 40 startups; it was discussed by students.")
	if diff := cmp.Diff(strings.Fields("bank lend 40 startup discuss student"), got); diff != "" {
		t.Error(diff)
	}
}

func TestSentences(t *testing.T) {
	in := "Dr. Smith paid $2.5 million. \"Really?\" she asked. J. Doe agreed!  Then (as the U.S. did) it fell... and rose.\nA heading\n\n- A bullet. Last"
	want := []string{
		"Dr. Smith paid $2.5 million.", "\"Really?\" she asked.", "J. Doe agreed!", "Then (as the U.S. did) it fell... and rose.",
		"A heading", "- A bullet.", "Last",
	}
	if diff := cmp.Diff(want, Sentences(in)); diff != "" {
		t.Error(diff)
	}
}

// No text may get lost: the sentences hold every non-space byte in order.
func FuzzSentences(f *testing.F) {
	f.Add("Dr. Who? Yes... \"ok.\" x\ny")
	f.Add("\xff\xfe. A")
	f.Fuzz(func(t *testing.T, s string) {
		squash := func(s string) string { return strings.Join(strings.Fields(s), "") }
		if got := squash(strings.Join(Sentences(s), " ")); got != squash(s) {
			t.Errorf("text changed: %q became %q", s, got)
		}
	})
}

// Scripts without spaces are cut into letters that overlap; sentences end without a space.
func TestOtherScripts(t *testing.T) {
	for in, want := range map[string]string{
		"東京都に行く":  "東京 京都 都に に行 行く",
		"サーバー":    "サー ーバ バー",
		"한국어 말":   "한국 국어 말",
		"ภาษาไทย": "ภาษ าษา ษาไ าไท ไทย",
		"東 x京":    "東 x 京",
	} {
		if got := strings.Join(Words(in), " "); got != want {
			t.Errorf("Words(%q) = %q, want %q", in, got, want)
		}
	}
	want := []string{"今天很冷。", "明天呢？", "「好。」", "好"}
	if diff := cmp.Diff(want, Sentences("今天很冷。明天呢？「好。」好")); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"यह घर है।", "वह जाता है।"}, Sentences("यह घर है। वह जाता है।")); diff != "" {
		t.Error(diff)
	}
}
