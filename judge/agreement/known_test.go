package agreement

import (
	"slices"
	"strconv"
	"testing"

	"lore/judge"
)

// Every measurement is complete: a known kind of question, a number in [-1,1], a word for its worth.
func TestKnownIsComplete(t *testing.T) {
	if len(AllKnown()) == 0 {
		t.Fatal("nothing is known")
	}
	for _, k := range AllKnown() {
		v, err := strconv.ParseFloat(k.Value, 64)
		if err != nil || v < -1 || v > 1 || !slices.Contains(judge.Kinds, k.Kind) || !slices.Contains(worths, k.Worth) ||
			k.Judge == "" || k.Texts == "" || k.Against == "" || k.Measure == "" || k.Set == "" || k.Source == "" {
			t.Errorf("%+v", k)
		}

		want := WorthOf(v)
		if k.Worth != want {
			t.Errorf("%s of %s on %s, %s: worth %s, want %s", k.Judge, k.Kind, k.Texts, k.Value, k.Worth, want)
		}
	}
}

// The case decides, not the judge: entailment is weak on the web, of no use on medicine, and
// not known of stories.
func TestLookFitsTheCase(t *testing.T) {
	for texts, want := range map[string]Worth{"web": Weak, "medicine": Useless, "stories": "", "": ""} {
		c := Look("lexical", judge.Entailment, texts, "")
		if got, ok := c.Least(); got.Worth != want || ok != (want != "") {
			t.Errorf("entailment on %q: %+v", texts, got)
		}
		if want == "" && len(c.Elsewhere) == 0 {
			t.Errorf("entailment on %q: nothing is known of other texts", texts)
		}
	}
	if c := Look("ollama:nobody", judge.Coverage, "news", ""); len(c.Here)+len(c.Elsewhere) > 0 {
		t.Errorf("a model that nobody measured: %+v", c)
	}
}
