package long2rag

import (
	"os"
	"strings"
	"testing"

	"lore/datasets"
)

// A program that shares no code with lore computed the distributions of the sample: testdata/golden/figures.py.
func TestStatisticsGolden(t *testing.T) {
	questions, err := ReadQuestions("sample", sample)
	if err != nil {
		t.Fatal(err)
	}
	by := map[string]datasets.Grid{}
	for _, g := range statistics(questions) {
		by[g.Head[0]] = g
	}
	rows := func(what string) map[string]string {
		out := map[string]string{}
		for _, r := range by[what].Rows {
			out[r[0]] = strings.Join(r[1:], "\t")
		}
		return out
	}

	data, err := os.ReadFile("testdata/golden/figures.tsv")
	if err != nil {
		t.Fatal(err)
	}
	bands, seen := 0, 0
	for line := range strings.Lines(string(data)) {
		f := strings.Split(strings.TrimSpace(line), "\t")
		got, want := "", strings.Join(f[1:], "\t")
		switch f[0] {
		case "domain", "category":
			got, want = rows(f[0])[f[1]], f[2]+"\t"+f[3]
		case "words":
			got, want = rows("words")[wordBands[bands].name], f[2]+"\t"+f[3]
			bands++
		case "length":
			got, want = by["words"].Note, "Mean "+f[1]+" words, median "+f[2]+", from "+f[3]+" to "+f[4]+", over "+f[5]+" documents"
		default:
			got = rows("")[f[0]]
		}
		seen++
		if !strings.HasPrefix(got, want) {
			t.Errorf("%s: %q, want %q", line, got, want)
		}
	}
	if seen < 20 || bands != len(wordBands) {
		t.Errorf("%d figures, %d bands", seen, bands)
	}
}

// Names that the paper does not have stand behind its own, and what has none is counted. Nothing known is no table. Two
// documents of three and nine words have a mean and a median of six.
func TestStatisticsByHand(t *testing.T) {
	questions := []Question{
		{Category: "causal", Documents: []Document{{ID: "1", Text: "One two three."}}, KeyPoints: make([]KeyPoint, 3)},
		{Category: "odd", Documents: []Document{{ID: "2", Text: "a b c d e f g h i"}}, KeyPoints: make([]KeyPoint, 1)},
		{},
	}
	grids := statistics(questions)
	if len(grids) != 3 || grids[0].Head[0] != "category" {
		t.Fatalf("%+v", grids)
	}
	rows := grids[0].Rows
	last := rows[len(rows)-2:]
	if got := strings.Join(append(last[0], last[1]...), " "); got != "odd 1 33.3 % – (none given) 1 33.3 % –" {
		t.Errorf("%q", got)
	}
	for _, r := range rows {
		if r[0] == "causal" && strings.Join(r, " ") != "causal 1 33.3 % 39 (13.9 %)" {
			t.Errorf("%q", r)
		}
	}
	if !strings.HasPrefix(grids[1].Note, "Mean 6.0 words, median 6.0, from 3 to 9, over 2 documents") {
		t.Errorf("%q", grids[1].Note)
	}
	if got := strings.Join(grids[2].Rows[2], " "); got != "key points 1.3 1.0 0 3 7.3" {
		t.Errorf("%q", got)
	}
	sum := 0
	for _, n := range publishedCategories {
		sum += n
	}
	if sum != publishedQuestions || len(publishedCategories) != len(Categories) {
		t.Errorf("the paper's Figure 11 adds up to %d", sum)
	}
}
