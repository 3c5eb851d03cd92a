package lexical

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"lore/judge"
	"lore/local"
)

func ask(units []string, statements ...string) []judge.Verdict {
	t := judge.Task{ID: "t", Units: units}
	for i, s := range statements {
		t.Questions = append(t.Questions, judge.Question{ID: string(rune('a' + i)), Kind: judge.Coverage, Text: s})
	}
	out, err := Judge{}.Judge(context.Background(), []judge.Task{t}, nil)
	if err != nil {
		panic(err)
	}
	return out[0]
}

func TestCoverage(t *testing.T) {
	units := []string{"Students praise the Pomodoro technique with breaks after 25 minutes [3, 7].", "A meditation app called Calm helps to sleep."}
	got := ask(units, "One student suggests the Pomodoro technique: breaks after 25 minutes.", "The canteen closes at noon on Friday.", "A student uses the meditation app Calm for 15 minutes each morning.")
	if got[0].Label != judge.Full || got[0].Unit != 1 || got[0].Value != 1 {
		t.Errorf("said in full: %+v", got[0])
	}
	if got[1].Label != judge.None || got[1].Unit != 0 || got[1].Value != 0 || !got[1].Scored() {
		t.Errorf("not said: %+v", got[1])
	}
	if got[2].Label == judge.None || got[2].Unit != 2 {
		t.Errorf("said in part: %+v", got[2])
	}
	want := []string{"Students", "Pomodoro", "technique", "breaks", "25", "minutes"} // no stems
	words := slices.Clone(got[0].Evidence)
	slices.Sort(words)
	slices.Sort(want)
	if !slices.Equal(words, want) {
		t.Errorf("the evidence is %q, want %q", words, want)
	}
}

func TestCitationsAreNoContent(t *testing.T) {
	with := ask([]string{"Prices fell by half [25, 30]."}, "Sales rose 25 to 30 units.")
	without := ask([]string{"Prices fell by half."}, "Sales rose 25 to 30 units.")
	if diff := cmp.Diff(without, with); diff != "" {
		t.Error(diff)
	}
}

func TestEdges(t *testing.T) {
	if v := ask(nil, "anything"); v[0].Label != judge.None || !v[0].Scored() {
		t.Errorf("no units: %+v", v)
	}
	if v := ask([]string{"x"}, "the of and"); v[0].Label != judge.None {
		t.Errorf("a statement without content words: %+v", v)
	}
	v, err := Judge{}.Judge(context.Background(), []judge.Task{{Questions: []judge.Question{{ID: "a", Kind: "smell"}}}}, nil)
	if err != nil || v[0][0].Scored() || v[0][0].Outcome != local.RefusedOption {
		t.Errorf("an unknown kind: %+v %v", v, err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := (Judge{}).Judge(ctx, []judge.Task{{}}, nil); err == nil {
		t.Error("a cancelled context is ignored")
	}
}

func BenchmarkCoverage(b *testing.B) {
	t := judge.Task{Units: []string{"Students praise the Pomodoro technique with breaks after 25 minutes [3, 7].", "A meditation app called Calm helps to sleep well at night before exams.",
		"Some plan each day of study in a calendar with colours for subjects.", "Deep breathing for ten minutes lowers stress.", "Groups meet in the library on Tuesdays."}}
	for range 7 {
		t.Questions = append(t.Questions, judge.Question{ID: "a", Kind: judge.Coverage, Text: "A student recommends using a specific meditation app called Calm for 15 minutes each morning to manage stress."})
	}
	n := 0
	for b.Loop() {
		if _, err := (Judge{}).Judge(context.Background(), []judge.Task{t}, nil); err != nil {
			b.Fatal(err)
		}
		n += len(t.Questions)
	}
	b.ReportMetric(float64(n)/b.Elapsed().Seconds(), "verdicts/s")
}

// Similarity is never above 1: a word's trigrams count once, however often they recur.
func TestSimilarityIsAShare(t *testing.T) {
	s := scratchPool.Get().(*scratch)
	defer scratchPool.Put(s)
	task := judge.Task{Units: []string{"Mississippi banana bananas"}, Questions: []judge.Question{{Text: "Mississippian ananas"}}}
	s.load(task, count(s.stems, []judge.Task{task}))
	for _, list := range s.similar {
		for _, n := range list {
			if n.dice <= 0 || n.dice > 1 {
				t.Errorf("%s: %.3f", s.terms[n.term], n.dice)
			}
		}
	}
}

// Scores are in [0,1]; texts in other languages are told, and those in scripts without spaces
// are compared.
func TestLanguages(t *testing.T) {
	chinese := ask([]string{"长江是中国最长的河流。", "今天天气很好。"}, "中国最长的河流是长江")
	if v := chinese[0]; v.Unit != 1 || v.Score <= 0.3 || v.Score > 1 || len(v.Flags) > 0 {
		t.Errorf("Chinese: %+v", v)
	}
	german := ask([]string{"Der Regen fiel auf das Dach des Hauses, und es wurde kalt in der Nacht."}, "Es regnete auf die Dächer.")
	if v := german[0]; v.Score < 0.4 || len(v.Flags) > 0 || !slices.Contains(v.Evidence, "Dach") {
		t.Errorf("German: %+v", v)
	}
}

// What is said of a language, and that the user's word goes first.
func TestLanguageFlags(t *testing.T) {
	bengali := []string{"নদীর উপর পুরনো সেতুটি মার্চ মাসে বন্ধ করা হয়েছে।"}
	polish := []string{"Stary most został zamknięty w marcu, ponieważ inżynierowie znaleźli w nim głębokie pęknięcia."}
	chinese := []string{"这座旧桥在三月关闭了,因为工程师发现了很深的裂缝。"}
	english := "The bridge was closed because of the cracks that were found in it."
	for _, c := range []struct {
		language, asked string
		units           []string
		want            string
	}{
		{"", bengali[0], bengali, LanguageFlag + ": Bengali"},
		{"", polish[0], polish, StemsFlag + "Polish"},
		{"", english, chinese, OtherFlag + "Chinese and English"},
		{"", chinese[0], chinese, ""},
		{"en", english, chinese, ""},
		{"de", bengali[0], bengali, ""},
	} {
		task := judge.Task{ID: "t", Units: c.units, Questions: []judge.Question{{ID: "a", Kind: judge.Coverage, Text: c.asked}}}
		verdicts, err := Judge{Language: c.language}.Judge(context.Background(), []judge.Task{task}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(verdicts[0][0].Flags, "; "); got != c.want {
			t.Errorf("%q: flags %q, want %q", c.units, got, c.want)
		}
	}
}

// A system's scores in a mixed benchmark do not depend on which other texts are judged.
func TestMixedLanguagesWeighAlone(t *testing.T) {
	task := func(id, unit, asked string) judge.Task {
		return judge.Task{ID: id, Units: []string{unit}, Questions: []judge.Question{{ID: "a", Kind: judge.Coverage, Text: asked}}}
	}
	german := task("g", "Die alte Brücke wurde wegen tiefer Risse im März gesperrt.", "Man hat die Brücke wegen der Risse gesperrt.")
	english := task("e", "The old bridge was closed in March because of deep cracks.", "The bridge has been closed because of the cracks.")
	both, err := Judge{}.Judge(context.Background(), []judge.Task{english, german}, nil)
	if err != nil {
		t.Fatal(err)
	}
	turned, err := Judge{}.Judge(context.Background(), []judge.Task{german, english}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if both[0][0].Score != turned[1][0].Score || both[1][0].Score != turned[0][0].Score || both[1][0].Score < 0.5 {
		t.Errorf("%v and %v", both, turned)
	}
}

// Near copies that deny what is asked, in languages other than English, and what is worded anew in
// English: each is below the plain copy.
func TestDenials(t *testing.T) {
	for _, c := range []struct {
		language, statement string
		lies                []string
	}{
		{"en", "Sales of the new turbine rose by 12 percent in the third quarter.", []string{
			"Nobody believes the claim that sales of the new turbine rose by 12 percent in the third quarter.",
			"Experts had wrongly predicted that sales of the new turbine rose by 12 percent in the third quarter.",
			"Sales of the new turbine rose by seventeen percent in the third quarter.",
		}},
		{"de", "Die Werkstatt ersetzt die defekte Pumpe innerhalb von zwei Wochen kostenlos.", []string{
			"Es ist falsch, dass die Werkstatt die defekte Pumpe innerhalb von zwei Wochen kostenlos ersetzt.",
			"Die Werkstatt ersetzt die defekte Pumpe innerhalb von zwei Wochen nicht kostenlos.",
			"Niemand sagt, dass die Werkstatt die defekte Pumpe innerhalb von zwei Wochen kostenlos ersetzt.",
		}},
		{"fr", "L'atelier remplace gratuitement la pompe défectueuse dans les deux semaines.", []string{
			"Il est faux que l'atelier remplace gratuitement la pompe défectueuse dans les deux semaines.",
			"L'atelier ne remplace pas gratuitement la pompe défectueuse dans les deux semaines.",
		}},
		{"es", "El taller sustituye gratis la bomba averiada en un plazo de dos semanas.", []string{
			"No es cierto que el taller sustituye gratis la bomba averiada en un plazo de dos semanas.",
			"El taller no sustituye gratis la bomba averiada en un plazo de dos semanas.",
		}},
		{"nl", "De werkplaats vervangt de kapotte pomp binnen twee weken gratis.", []string{
			"Het is niet waar dat de werkplaats de kapotte pomp binnen twee weken gratis vervangt.",
			"De werkplaats vervangt de kapotte pomp binnen twee weken niet gratis.",
		}},
	} {
		for _, unit := range append([]string{c.statement}, c.lies...) {
			task := judge.Task{Units: []string{unit}, Questions: []judge.Question{{ID: "q", Kind: judge.Coverage, Text: c.statement}}}
			got, err := Judge{Language: c.language}.Judge(t.Context(), []judge.Task{task}, nil)
			if err != nil {
				t.Fatal(err)
			}
			v := got[0][0]
			if copied := unit == c.statement; copied != (v.Label == judge.Full) {
				t.Errorf("%s: %s: %s, score %.2f", c.language, unit, v.Label, v.Score)
			}
		}
	}
}
