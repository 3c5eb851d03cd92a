package report

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"lore/cmd/lore/internal/store"
	"lore/cmd/lore/internal/table"
	"lore/datasets"
	"lore/datasets/summhay"
	"lore/judge"
	"lore/local"
)

func p(v float64) *float64 { return &v }

// hostile is text that tries to be markup, to steer a terminal or to break a table.
const hostile = "<img src=x onerror=alert(1)> \x1b]0;x\a\u202e | `x` & \xff"

func example() Run {
	judged := datasets.Judged{System: datasets.System{Retriever: hostile, Generator: "g"}, Judge: "j"}
	return Run{
		Manifest: store.Manifest{Benchmark: "summhay", Warnings: []string{hostile}},
		Table: table.Table{Benchmark: "summhay", Interval: "test", Rows: []table.Row{{Judged: judged, Items: 2, ItemsFailed: 1,
			Figures: []table.Figure{{Metric: summhay.Coverage, Value: p(0.25), Low: p(0.1), High: p(0.4), ByItem: p(0.3), N: 4, NUnscored: 4, Worst: p(0.125), Best: p(0.625)},
				{Metric: summhay.Citation, N: 0, NUnscored: 4}}}}},
		Answers: []store.Answer{{System: judged.System, Item: "i", Title: hostile, Outcome: local.OK, Text: hostile, Notes: []string{hostile}},
			{System: judged.System, Item: "k", Outcome: local.Cut, Reason: hostile}},
		Verdicts: []store.TaskVerdicts{{Judged: judged, Item: "i", Questions: []judge.Question{{ID: "q", Text: hostile}},
			Verdicts: []judge.Verdict{judge.Unscored("q", local.BadFormat, hostile)}}},
	}
}

func TestHostileTextStaysText(t *testing.T) {
	r, bench := example(), summhay.Benchmark{}
	var md, text bytes.Buffer
	WriteMarkdown(&md, bench.Name(), r, bench)
	for _, g := range append(Grids(r, bench), Main(r.Table, bench.Metrics())) {
		Text(&text, g)
	}
	for name, out := range map[string]string{"markdown": md.String(), "text": text.String()} {
		if strings.ContainsAny(out, "\x1b\a\u202e") || !strings.Contains(out, "onerror") {
			t.Errorf("%s holds control characters, or lost the text", name)
		}
		if name != "text" && strings.Contains(out, "<img") {
			t.Errorf("%s holds markup from outside", name)
		}
	}
	if !strings.Contains(md.String(), `\|`) {
		t.Error("a bar in a cell breaks the Markdown table")
	}
}

func TestMissingValuesAreShownBesideTheFigure(t *testing.T) {
	var b bytes.Buffer
	Text(&b, Main(example().Table, summhay.Benchmark{}.Metrics()))
	for _, want := range []string{"25.0 [10.0, 40.0] {12.5..62.5}", "4 (1 of 2 answers failed)", "worst..best", "–"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("%q is not in\n%s", want, b.String())
		}
	}
}

func TestJSONIsPercentAndNull(t *testing.T) {
	var b bytes.Buffer
	if err := JSON(&b, example().Table, summhay.Benchmark{}.Metrics()); err != nil {
		t.Fatal(err)
	}
	var got struct {
		Rows []struct {
			Coverage       float64    `json:"coverage"`
			CoverageCI     [2]float64 `json:"coverage_ci"`
			CoverageBounds [2]float64 `json:"coverage_bounds"`
			Citation       *float64   `json:"citation"`
			N              int        `json:"n"`
			NUnscored      int        `json:"n_unscored"`
		}
	}
	if err := json.Unmarshal(b.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	r := got.Rows[0]
	if r.Coverage != 25 || r.CoverageCI != [2]float64{10, 40} || r.CoverageBounds != [2]float64{12.5, 62.5} || r.Citation != nil || r.N != 4 || r.NUnscored != 4 {
		t.Errorf("%s", b.String())
	}
}

func TestLaTeXAndCSVEscape(t *testing.T) {
	g := datasets.Grid{Title: "50% & more", Head: []string{"a_b", "n"}, Rows: [][]string{{`x\y{z}, "q"`, "1.5"}}}
	var tex, csv bytes.Buffer
	LaTeX(&tex, g)
	if err := CSV(&csv, g); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`a\_b & n`, `x\textbackslash{}y\{z\}`, `50\% \& more`, `{lr}`} {
		if !strings.Contains(tex.String(), want) {
			t.Errorf("%q is not in\n%s", want, tex.String())
		}
	}
	if want := "a_b,n\n\"x\\y{z}, \"\"q\"\"\",1.5\n"; csv.String() != want {
		t.Errorf("CSV %q, want %q", csv.String(), want)
	}
}
