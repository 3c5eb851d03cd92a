package report

import (
	"strings"
	"testing"

	"lore/cmd/lore/internal/store"
	"lore/cmd/lore/internal/table"
	"lore/datasets"
	"lore/judge"
	"lore/judge/agreement"
	"lore/judge/llm"
)

// What is said of a judge fits the kind of question and of text: a figure on news, another on conversations, a
// warning where it was measured of no use or never measured.
func TestJudgeLinesFitTheCase(t *testing.T) {
	for _, c := range []struct {
		judge, texts string
		kind         judge.Kind
		want         string
	}{
		{"lexical", "news", judge.Coverage, "Judge lexical, coverage of news: Pearson 0.48 to 0.76 with people, by 3 sets (weak to good)"},
		{"lexical", "conversations", judge.Coverage, "Judge lexical, coverage of conversations: Pearson 0.72 with people"},
		{"lexical", "medicine", judge.Entailment, "Warning: judge lexical is no use for entailment of medicine: Pearson 0.06"},
		{"lexical", "", judge.Coverage, "Judge lexical, coverage: on news Pearson 0.48 to 0.76 with people, by 3 sets, on conversations Pearson 0.72 with people, on student"},
		{"lexical", "web", judge.Coverage, "Warning: judge lexical, coverage of web: not measured here; on news Pearson 0.48 to 0.76"},
		{"ollama:m", "news", judge.Coverage, "Warning: judge ollama:m, coverage of news: not measured here; measure it"},
	} {
		// A folder of an earlier lore says the same: its text of agreement is not used.
		r := Run{Manifest: store.Manifest{Texts: c.texts, Judges: []store.Model{{Name: c.judge, Agreement: "old words"}}}}
		r.Verdicts = []store.TaskVerdicts{{Questions: []judge.Question{{Kind: c.kind}}}}
		var b strings.Builder
		JudgeLines(&b, r)
		if !strings.HasPrefix(b.String(), c.want) || strings.Count(b.String(), "\n") != 1 || !strings.Contains(b.String(), judgesPage) {
			t.Errorf("%+v:\n%s", c, b.String())
		}
		if g := JudgeNotes(r); len(g.Rows) == 0 || g.Rows[0][1] != string(c.kind) {
			t.Errorf("%+v: %v", c, g.Rows)
		}
	}
}

// A judge that is shown examples has the name that tables give it, and what was measured of the model without
// examples is not said of it.
func TestJudgeLinesNameExamples(t *testing.T) {
	name := "ollama:m" + llm.ExamplesMark
	plain := agreement.Known{Judge: "ollama:m", Kind: judge.Coverage, Texts: "news", Against: "people", Measure: "Pearson",
		Value: "0.44", N: "271 labels", Worth: agreement.Weak, Set: "s"}
	r := Run{Measured: []agreement.Known{plain}}
	r.Manifest = store.Manifest{Texts: "news", Judges: []store.Model{{Name: "ollama:m", Mode: "schema"}}}
	r.Manifest.Prompts = map[string]string{llm.PromptOf(judge.Coverage): "0123456789"}
	r.Table.Rows = []table.Row{{Judged: datasets.Judged{Judge: name}}}
	r.Verdicts = []store.TaskVerdicts{{Questions: []judge.Question{{Kind: judge.Coverage}}}}

	want := "Warning: judge " + name + ", coverage of news: not measured here; measure it"
	got := JudgesSay(r)
	if len(got) != 1 || !strings.HasPrefix(got[0].Line, want) || !strings.Contains(got[0].Line, "; asked by judge/coverage.txt 01234567") {
		t.Errorf("%+v", got)
	}
}

// Texts in another language: what was measured there, or that nothing was.
func TestJudgeLinesFitTheLanguage(t *testing.T) {
	german := agreement.Known{Judge: "lexical", Kind: judge.Coverage, Texts: "tickets", Against: "people", Measure: "Pearson",
		Value: "0.44", N: "271 labels", Worth: agreement.Weak, Set: "de", Language: "German", Verdict: string(agreement.DoNotUse)}
	for want, measured := range map[string][]agreement.Known{
		"Warning: judge lexical, coverage in German: not measured here; on news in English Pearson 0.48 to 0.76": nil,
		"Warning: judge lexical, coverage in German: Pearson 0.44 with people over 271 labels: do not use":       {german},
	} {
		r := Run{Manifest: store.Manifest{Judges: []store.Model{{Name: "lexical"}}}, Measured: measured}
		r.Manifest.Languages.Texts = map[string]int{"German": 9, "English": 1}
		r.Verdicts = []store.TaskVerdicts{{Questions: []judge.Question{{Kind: judge.Coverage}}}}
		var b strings.Builder
		JudgeLines(&b, r)
		if !strings.HasPrefix(b.String(), want) {
			t.Errorf("%s, want %s", b.String(), want)
		}
	}
}
