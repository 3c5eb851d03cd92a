package build

import (
	"context"
	"fmt"
	"math"
	"strings"
	"testing"

	"lore/datasets/long2rag"
	"lore/datasets/stage"
	"lore/local"
	"lore/local/fake"
)

const wall = "The harbour wall held through the storm of 1953. Its stone came from the old “quarry” — nobody knew which.\nThe board paid\nfor the work."

// Every kind of malformed extraction has one outcome: read, repaired, or refused with
// a reason.
func TestReadExtraction(t *testing.T) {
	good := extracted{Text: "The wall held.", Spans: []string{"The harbour wall held through the storm"}}
	second := extracted{Text: "The board paid.", Spans: []string{"The board paid for the work"}}
	repaired := func(e extracted) extracted { e.Repaired = true; return e }
	for name, c := range map[string]struct {
		reply   string
		want    []extracted
		problem string
	}{
		"as asked": {"Point 1: <point>The wall held.</point><span>The harbour wall held through the storm</span>\nPoint 2: <point>The board paid.</point> <span>The board paid for the work</span>",
			[]extracted{good, second}, ""},
		"the paper's tags": {"Point 1: <point_start>The wall held.<point_end><span_start>The harbour wall held through the storm<span_end>",
			[]extracted{good}, ""},
		"numbering restarted": {"Point 1: <point>The wall held.</point><span>The harbour wall held through the storm</span>\nPoint 1: <point>The board paid.</point><span>The board paid for the work</span>",
			[]extracted{good, second}, ""},
		"no numbers": {"<point>The wall held.</point>\n<span>The harbour wall held through the storm</span>",
			[]extracted{good}, ""},
		"thoughts first": {"<think>The <point>wall</point>…</think>\n<point>The wall held.</point><span>The harbour wall held through the storm</span>",
			[]extracted{good}, ""},
		"thoughts for ever": {"<think>The wall, the wall", nil, "thoughts without an end"},
		"no tags": {"Point 1: The wall held. (\"The harbour wall held through the storm\")", nil,
			"no point stands between"},
		"a chat":        {"Sure! Here are the key points.", nil, "no point stands between"},
		"nothing found": {"NONE.", nil, ""},
		"point not closed": {"Point 1: <point>The wall held. <span>The harbour wall held through the storm</span>",
			[]extracted{repaired(good)}, ""},
		"point not opened": {"Point 1: The wall held.</point><span>The harbour wall held through the storm</span>",
			[]extracted{repaired(good)}, ""},
		"span not closed": {"<point>The wall held.</point><span>The harbour wall held through the storm\nPoint 2: <point>The board paid.</point><span>The board paid for the work</span>",
			[]extracted{repaired(good), second}, ""},
		"span not opened": {"<point>The wall held.</point> The harbour wall held through the storm</span>",
			[]extracted{repaired(good)}, ""},
		"two spans": {"<point>Both.</point><span>a b c</span><span>d e f</span>",
			[]extracted{{Text: "Both.", Spans: []string{"a b c", "d e f"}}}, ""},
		"point without a span": {"<point>The wall held.</point>", []extracted{{Text: "The wall held."}}, ""},
		"span before a point": {"<span>x y z</span><point>The wall held.</point><span>The harbour wall held through the storm</span>",
			[]extracted{good}, ""},
	} {
		got, problem := readExtraction(fake.Text(c.reply))
		if fmt.Sprintf("%+v", got) != fmt.Sprintf("%+v", c.want) || (c.problem == "") != (problem == "") ||
			!strings.Contains(problem, c.problem) {
			t.Errorf("%s: %+v, %q", name, got, problem)
		}
	}
}

// A span is found word for word, or its point is rejected.
func TestGround(t *testing.T) {
	for name, c := range map[string]struct {
		p      extracted
		want   string // the span as it stands there
		reason string
	}{
		"word for word": {extracted{Text: "x", Spans: []string{"through the storm of 1953"}},
			"through the storm of 1953", ""},
		"quotes and dashes": {extracted{Text: "x", Spans: []string{`the old "quarry" - nobody knew`}},
			"the old “quarry” — nobody knew", ""},
		"white space, case": {extracted{Text: "x", Spans: []string{"the BOARD paid for the work"}},
			"The board paid\nfor the work", ""},
		"quoted": {extracted{Text: "x", Spans: []string{`"The harbour wall held..."`}},
			"The harbour wall held", ""},
		"a word altered": {extracted{Text: "x", Spans: []string{"through the storms of 1953"}}, "",
			"does not stand in the document"},
		"one of two altered": {extracted{Text: "x",
			Spans: []string{"through the storm of 1953", "the council paid for it"}}, "",
			`"the council paid for it" does not stand`},
		"too short": {extracted{Text: "x", Spans: []string{"The wall"}}, "", "does not stand"},
		"two words": {extracted{Text: "x", Spans: []string{"harbour wall"}}, "", "fewer than 3 words"},
		"no span":   {extracted{Text: "x"}, "", "no span"},
		"no text":   {extracted{Spans: []string{"through the storm of 1953"}}, "", "no text"},
	} {
		got, reason := c.p.ground(wall)
		if !strings.Contains(reason, c.reason) || (reason == "") != (c.reason == "") || reason == "" &&
			got.Spans[0] != c.want {
			t.Errorf("%s: %q, %q", name, got.Spans, reason)
		}
	}
}

// A model copies from what it was shown, in which forged marks are neutral.
func TestGroundInWhatWasShown(t *testing.T) {
	got, reason := extracted{Text: "x", Spans: []string{"wall held (im_end) through the storm"}}.ground("The wall held <|im_end|> through the storm.")
	if reason != "" || got.Spans[0] != "wall held (im_end) through the storm" {
		t.Errorf("%q, %q", got.Spans, reason)
	}
}

// A mapping that is no partition is named, and repaired so that each original is there
// once.
func TestGroups(t *testing.T) {
	texts := []string{"one", "two", "three", "four"}
	for name, c := range map[string]struct {
		reply, problem, want string
	}{
		"a partition": {"Point 1: first [1, 3]\nPoint 2: second [2]\nPoint 3: third [4]", "",
			"[{first [1 3]} {second [2]} {third [4]}]"},
		"a hole": {"Point 1: first [1, 3]\nPoint 2: second [4]", "2 in no point",
			"[{first [1 3]} {second [4]} {two [2]}]"},
		"an overlap": {"Point 1: first [1, 2]\nPoint 2: second [2, 3, 4]", "2 in more than one point",
			"[{first [1 2]} {second [3 4]}]"},
		"both, and unknown": {"Point 1: first [1, 1, 9]\nPoint 2: second [3]\nPoint 3: third [9]",
			"2, 4 in no point; 1 in more than one point; 9, 9 not among",
			"[{first [1]} {second [3]} {two [2]} {four [4]}]"},
		"restarted": {"1. first [1]\n1. second [2]\n1. third [3, 4]", "",
			"[{first [1]} {second [2]} {third [3 4]}]"},
		"two lines": {"Point 1: first\ngoes on [1, 2]\nPoint 2: second [3, 4]", "",
			"[{first goes on [1 2]} {second [3 4]}]"},
		"brackets in text": {"Point 1: as in [2], first [1, 2, 3, 4]", "", "[{as in [2], first [1 2 3 4]}]"},
		"no text":          {"Point 1: [1, 2, 3, 4]", "", "[{one [1 2 3 4]}]"},
		"no brackets": {"Point 1: first\nPoint 2: second", "no point names",
			"[{one [1]} {two [2]} {three [3]} {four [4]}]"},
		"a chat": {"There are no duplicates.", "no point names",
			"[{one [1]} {two [2]} {three [3]} {four [4]}]"},
		"thoughts first": {"<think>1. x [1]</think>Point 1: first [1, 2, 3, 4]", "", "[{first [1 2 3 4]}]"},
	} {
		groups, problem := readGroups(fake.Text(c.reply))
		if problem == "" {
			problem = partition(groups, len(texts))
		}
		if (problem == "") != (c.problem == "") || !strings.Contains(problem, c.problem) {
			t.Errorf("%s: %q", name, problem)
		}
		fixed := repaired(groups, texts)
		if got := fmt.Sprint(fixed); got != c.want || partition(fixed, len(texts)) != "" {
			t.Errorf("%s: %s", name, got)
		}
	}
}

// tokensOf is a reply of tokens, each with its alternatives.
func tokensOf(outcome local.Outcome, tokens ...local.Position) local.Reply {
	return local.Reply{Outcome: outcome, Logprobs: tokens}
}

func token(text string, alternatives ...any) local.Position {
	t := local.Position{TokenProb: local.TokenProb{Token: text}}
	for i := 0; i < len(alternatives); i += 2 {
		t.Top = append(t.Top,
			local.TokenProb{Token: alternatives[i].(string), Logprob: math.Log(alternatives[i+1].(float64))})
	}
	return t
}

func TestReadSignificance(t *testing.T) {
	for name, c := range map[string]struct {
		reply   local.Reply
		score   float64
		problem string
	}{
		"YES": {tokensOf(local.OK, token("YES", "YES", .6, "NO", .2, "x", .2)), .75, ""},
		"spellings": {tokensOf(local.OK, token("Yes", "Yes", .3, " yes", .3, "**YES", .1, "No", .1)), .875,
			""},
		"in a sentence": {tokensOf(local.Cut, token("The", "The", 1.), token(" answer", " answer", 1.),
			token(" is", " is", 1.), token(" YES", " YES", .9, " NO", .1)), .9, ""},
		"part of the word": {tokensOf(local.OK, token("Y", "Y", .5, "N", .5), token("ES", "ES", 1.)), .5, ""},
		"NO alone":         {tokensOf(local.OK, token("NO", "NO", .9)), 0, ""},
		"thoughts first": {tokensOf(local.OK, token("<think>"), token("No", "No", .9), token("</think>"),
			token("YES", "YES", .8, "NO", .2)), .8, ""},
		"thoughts for ever":   {tokensOf(local.Cut, token("<think>"), token("No", "No", .9)), 0, "neither YES nor NO"},
		"no answer":           {tokensOf(local.OK, token("Maybe", "Maybe", .9)), 0, "neither YES nor NO"},
		"no probabilities":    {local.Reply{Outcome: local.OK, Text: "YES"}, 0, "refused_option"},
		"the call has failed": {local.Fail(local.TooLong, "window"), 0, "too_long: window"},
	} {
		score, problem := readSignificance(c.reply)
		if math.Abs(score-c.score) > 1e-12 || (problem == "") != (c.problem == "") ||
			!strings.Contains(problem, c.problem) {
			t.Errorf("%s: %v, %q", name, score, problem)
		}
	}
}

func FuzzReplies(f *testing.F) {
	f.Add("Point 1: <point>The wall held.</point><span>The harbour wall held through the storm</span>")
	f.Add("Point 1: first [1, 3]\nPoint 2: <point_start>second<span_start> [2]")
	f.Fuzz(func(t *testing.T, reply string) {
		points, _ := readExtraction(fake.Text(reply))
		for _, p := range points {
			grounded, reason := p.ground(wall)
			for _, s := range grounded.Spans {
				if reason == "" && !strings.Contains(wall, s) {
					t.Errorf("the span %q does not stand in the document", s)
				}
			}
		}
		groups, _ := readGroups(fake.Text(reply))
		if fixed := repaired(groups, []string{"a", "b", "c"}); partition(fixed, 3) != "" {
			t.Errorf("%v is no partition", fixed)
		}
	})
}

// Twenty-five complete points of a reply that was cut are not thrown away, and the log
// says what was taken.
func TestCutExtraction(t *testing.T) {
	var b strings.Builder
	for i := range 25 {
		fmt.Fprintf(&b, "Point %d: <point>Point number %d.</point>\n<span>span %d</span>\n", i+1, i+1, i+1)
	}
	for _, rest := range []string{"", "Poi", "Point 26: <point>The wall", "Point 26: <point>The wall.</point>\n<span>The har"} {
		whole, n := closedPoints(b.String() + rest)
		got, problem := readExtraction(local.Reply{Outcome: local.OK, Text: whole})
		if n != 25 || len(got) != 25 || problem != "" || got[24].Repaired {
			t.Errorf("%q: %d points, %d read, %s", rest, n, len(got), problem)
		}
	}
	for _, text := range []string{"", "Sure! Here", "<think>The <point>wall.</point><span>x</span>", "Point 1: <point>The wall"} {
		if _, n := closedPoints(text); n != 0 {
			t.Errorf("%q: %d points", text, n)
		}
	}

	whole, n := closedGroups("Point 1: The wall held. [1, 2]\nPoint 2: The board paid. [3]\nPoint 3: It stood. [4")
	if n != 2 || strings.Contains(whole, "stood") {
		t.Errorf("%d groups of %q", n, whole)
	}
}

func TestCutExtractionInABuild(t *testing.T) {
	long := "<point>The wall held.</point><span>The harbour wall held through the storm</span>\n<point>Half a"
	b, _ := newBuilder(t, func(local.Call) local.Reply {
		return local.Reply{Outcome: local.Cut, Detail: "the reply reached its limit after 2000 tokens", Text: long}
	})
	q := &long2rag.Question{ID: "q", Text: "What of the wall?", Documents: []long2rag.Document{{ID: "d", Text: wall}}}
	got, err := b.extract(context.Background(), []*long2rag.Question{q})
	if err != nil || len(got) != 1 || len(got[0]) == 0 || got[0][0].text != "The wall held." {
		t.Fatalf("%v %v", got, err)
	}
	if log := fmt.Sprint(b.Log()); !strings.Contains(log, "the first 1 of the list are closed, and are taken") {
		t.Error(log)
	}
}

// A point that is written again and again counts once, and is not new in the next round.
func TestRepeatedPoints(t *testing.T) {
	b := &Builder{Session: &stage.Session{}}
	p := &reading{document: "d", text: "The wall held. The board paid.", label: "q d"}
	one := extracted{Text: "The wall held.", Spans: []string{"The wall held"}}
	list := []extracted{one, {Text: "The board paid.", Spans: []string{"The board paid"}}, one, {Text: "the wall  held", Spans: one.Spans}}
	if got := b.grounded(p, list); len(got) != 2 || b.report.Points != 2 {
		t.Errorf("%+v, %d points", got, b.report.Points)
	}
	if got := b.grounded(p, list[:1]); len(got) != 0 {
		t.Errorf("again: %+v", got)
	}
	if log := b.Log(); len(log) != 2 || log[0].Detail != `left out: 2 of 4 points repeat an earlier one: "the wall  held"` {
		t.Errorf("%+v", log)
	}
}

// A point whose numbers were lost in the merging is not lost: it goes where they are, or stands by itself.
func TestFaithfulGroups(t *testing.T) {
	texts := []string{"In 1931 the wall cost 40,000 crowns.", "The wall cost 40,000 crowns in 1931.", "The wall is 9 m high.", "It stands."}
	for name, c := range map[string]struct {
		groups []group
		want   string
		moved  string
	}{
		"all is there": {[]group{{"The wall of 1931 cost 40000 crowns.", []int{1, 2, 4}}, {texts[2], []int{3}}},
			"[{The wall of 1931 cost 40000 crowns. [1 2 4]} {The wall is 9 m high. [3]}]", "[]"},
		"one is lost": {[]group{{texts[0], []int{1, 2, 3, 4}}}, "[{In 1931 the wall cost 40,000 crowns. [1 2 4]} {The wall is 9 m high. [3]}]", "[3]"},
		"one elsewhere": {[]group{{texts[0], []int{1}}, {texts[2], []int{2, 3, 4}}},
			"[{In 1931 the wall cost 40,000 crowns. [1 2]} {The wall is 9 m high. [3 4]}]", "[2]"},
		"nothing is left": {[]group{{"The wall is old.", []int{2, 3}}}, "[{The wall cost 40,000 crowns in 1931. [2]} {The wall is 9 m high. [3]}]", "[2 3]"},
		"alone":           {[]group{{"The wall is old.", []int{1}}}, "[{The wall is old. [1]}]", "[]"},
	} {
		got, moved := faithful(c.groups, texts)
		if fmt.Sprint(got) != c.want || fmt.Sprint(moved) != c.moved {
			t.Errorf("%s: %v, moved %v", name, got, moved)
		}
	}
}
