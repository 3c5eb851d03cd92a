package summhay

import (
	"strings"
	"testing"

	"lore/datasets"
	"lore/judge"
	"lore/local"
)

// The answer as asked, by hand: three insights are asked for, so the first three marked
// bullets count, and of these 300 words; lines without a mark do not, and a bullet that is
// cut keeps its citations.
func TestAnswerAsAsked(t *testing.T) {
	it := figure2(t)
	long := strings.Repeat("word ", 200)
	for name, c := range map[string]struct {
		answer  string
		want    []string
		differs bool
	}{
		"within":   {"- a [1]\n- b [2]", []string{"- a [1]", "- b [2]"}, false},
		"unmarked": {"a [1]\nb [2]\nc", []string{"a [1]", "b [2]", "c"}, false},
		"heading":  {"Findings:\n- a (1)\n- b", []string{"- a [1]", "- b"}, true},
		"more":     {"1. a\n2. b\n3. c\n4. d", []string{"1. a", "2. b", "3. c"}, true},
		"long":     {"- a\n- " + long + long + "[1][2]", []string{"- a", "- " + strings.TrimSpace((long + long)[:5*299]) + " [1, 2]"}, true},
		"full":     {"- " + long + "\n- " + long[:5*100] + "[1]\n- b [2]", []string{"- " + strings.TrimSpace(long), "- " + strings.TrimSpace(long[:5*100]) + " [1]"}, true},
	} {
		e := datasets.Evidence{Output: datasets.Output{Text: c.answer, Outcome: local.OK}}
		cut, differs := it.asAsked(it.read(e.Output))
		if got := strings.Join(units(cut), "\n"); got != strings.Join(c.want, "\n") || differs != c.differs {
			t.Errorf("%s: %v\n%s", name, differs, got)
		}
		plan := it.Plan(e)
		if (len(plan) == 2) != c.differs {
			t.Errorf("%s: %d tasks", name, len(plan))
		}
		if c.differs && (plan[1].Subject != judge.AsAsked || len(plan[1].Questions) != len(plan[0].Questions)) {
			t.Errorf("%s: the second task is %+v", name, plan[1])
		}
	}
}

// Joint@N is of the verdicts on the answer as asked; where only the whole answer was judged
// and it is longer, there is none.
func TestJointAsAsked(t *testing.T) {
	it := figure2(t)
	e := datasets.Evidence{Output: datasets.Output{Text: "- a\n- b\n- c\n- d [8, 32, 79, 83, 95]", Outcome: local.OK}}
	whole := []judge.Verdict{{Value: 1, Unit: 4}, {}, {}}
	joint := func(v datasets.Verdicts) (asked, all []float64) {
		for _, s := range it.Score(e, v) {
			switch s.Metric {
			case JointAsked:
				asked = append(asked, s.Value)
			case Joint:
				all = append(all, s.Value)
			}
		}
		return asked, all
	}

	asked, all := joint(datasets.Verdicts{judge.Answer: whole, judge.AsAsked: make([]judge.Verdict, 3)})
	if len(asked) != 3 || asked[0] != 0 || all[0] != 1 {
		t.Errorf("as asked %v, whole %v", asked, all)
	}
	if asked, _ := joint(datasets.Verdicts{judge.Answer: whole}); asked != nil {
		t.Errorf("not judged, and yet %v", asked)
	}
	if asked, _ := joint(datasets.Verdicts{judge.Answer: whole, judge.AsAsked: {}}); asked != nil {
		t.Errorf("recorded, and yet %v", asked)
	}
}

// Who may cite how: recorded summaries are read by the published rule, others in the usual
// forms, and --citations overrides both.
func TestWhichRule(t *testing.T) {
	for _, c := range []struct {
		setting  string
		recorded bool
		want     int
	}{{"", false, 1}, {"", true, 0}, {usual, true, 1}, {strict, false, 0}} {
		it := figure2(t)
		it.haystack.citations = c.setting
		out := datasets.Output{Text: "- a [Document 3]", Outcome: local.OK, Recorded: c.recorded}
		if got := len(it.read(out)[0].cited); got != c.want {
			t.Errorf("%q, recorded %v: %d documents", c.setting, c.recorded, got)
		}
	}
	if _, err := (Benchmark{}).Configure(map[string]string{"citations": "loose"}); err == nil {
		t.Error("--citations loose is accepted")
	}
}

// Of four bullets two are linked, one of them by two insights: 2 / 4.
func TestLinkedBulletsByHand(t *testing.T) {
	lines := make([]bullet, 4)
	verdicts := []judge.Verdict{{Value: 1, Unit: 1}, {Value: 0.5, Unit: 1}, {Value: 1, Unit: 3}, {Value: 0}}
	got := linked(lines, verdicts)
	if len(got) != 1 || got[0].Value != 0.5 || got[0].Unscored != "" {
		t.Errorf("%+v", got)
	}

	verdicts[1].Outcome = local.BadFormat
	if got := linked(lines, verdicts); len(got) != 1 || got[0].Unscored == "" {
		t.Errorf("a missing verdict: %+v", got)
	}
	if got := linked(nil, verdicts); got != nil {
		t.Errorf("no bullets: %+v", got)
	}
}

// Wrapped bullets are one again, whether indented or not; an introduction, a heading, sources
// and answers without marks stay lines.
func TestWrappedBullets(t *testing.T) {
	for in, want := range map[string]string{
		"Here it is:\n- The permit for\n  Cormorant Bank lasts\n  25 years [1].\n- Two [2].": "Here it is:\n" +
			"- The permit for Cormorant Bank lasts 25 years [1].\n- Two [2].",
		"- The permit for\nCormorant Bank lasts [1].\nThat is all.":     "- The permit for Cormorant Bank lasts [1].\nThat is all.",
		"1. One.\n   It goes on. [1]\n\n   A new paragraph.":            "1. One. It goes on. [1]\n\n   A new paragraph.",
		"- One\n## Two\n- Three\nSources: doc003\n- Four\n[^1]: doc001": "- One\n## Two\n- Three\nSources: doc003\n- Four\n[^1]: doc001",
		"One fact\nAnother fact\n  and more":                            "One fact\nAnother fact\n  and more",
		"- One\n  - Two\n- Three":                                       "- One\n  - Two\n- Three",
	} {
		if got := unwrapped(in).text; got != want {
			t.Errorf("%q:\n got %q\nwant %q", in, got, want)
		}
	}
}

// Each line and each citation stands in the answer as it came, by both rules, also where bullets
// were wrapped.
func TestReadingStandsInTheAnswer(t *testing.T) {
	answer := "\n- One fact (doc 3)\n  that goes on [1, 9999].\r\n\n  - Two [2]\n"
	for rule, want := range map[string]string{
		usual:  "- One fact (doc 3)\n  that goes on [1, 9999].|(doc 3)|[1, 9999]|- Two [2]|[2]",
		strict: "- One fact (doc 3)|that goes on [1, 9999].|[1, 9999]|- Two [2]|[2]",
	} {
		it := figure2(t)
		it.haystack.citations = rule
		read := it.reading(datasets.Evidence{Output: datasets.Output{Text: answer, Outcome: local.OK}})

		var got []string
		marks := read.Marks
		for _, p := range read.Parts {
			got = append(got, answer[p[0]:p[1]])
			for len(marks) > 0 && marks[0].To <= p[1] {
				got = append(got, answer[marks[0].From:marks[0].To])
				marks = marks[1:]
			}
		}
		if text := strings.Join(got, "|"); text != want {
			t.Errorf("%s:\n got %q\nwant %q", rule, text, want)
		}
		if last := read.Marks[len(read.Marks)-2].Cited; last[len(last)-1].Label != "9999" || last[len(last)-1].Document != "" {
			t.Errorf("%s: a document that there is not is %+v", rule, last)
		}
	}
}
