package metric

import (
	"errors"
	"math"
	"os"
	"strconv"
	"strings"
	"testing"

	"lore/local/published"
)

// fields reads a table of tabs.
func tabbed(t *testing.T, path string, want int) [][]string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var out [][]string
	for line := range strings.Lines(string(data)) {
		f := strings.Split(strings.TrimRight(line, "\n"), "\t")
		if len(f) != want {
			t.Fatalf("%s: %q has %d fields, not %d", path, line, len(f), want)
		}
		out = append(out, f)
	}
	return out
}

// Every name of the four tools is computed under lore's name, or refused. The table is made by names.py.
func TestNamesOfTools(t *testing.T) {
	rows := tabbed(t, "testdata/golden/names.tsv", 3)
	if len(rows) < 500 {
		t.Errorf("only %d names", len(rows))
	}
	for _, row := range rows {
		all, err := ParseMeasures(row[1])
		if row[2] == "refused" {
			if err == nil {
				t.Errorf("%s: %s is taken as %v, and lore does not compute it", row[0], row[1], all)
			}
			continue
		}
		var got []string
		for _, m := range all {
			got = append(got, m.String())
		}
		if err != nil || strings.Join(got, " ") != row[2] {
			t.Errorf("%s: %s is %v (%v), want %s", row[0], row[1], got, err, row[2])
		}
		for _, name := range got {
			if m, err := ParseMeasure(name); err != nil || m.String() != name {
				t.Errorf("the printed name %s is read as %v, %v", name, m, err)
			}
		}
	}
}

// Groups have what trec_eval prints for them, less the texts.
func TestGroupsOfTrecEval(t *testing.T) {
	printed := map[string]bool{}
	eachField(t, published.Path(t, "golden", "ir", "trec_eval_all.txt"), 3, func(f []string) {
		if name := ourName(f[0]); name != "" {
			m, err := ParseMeasure(name)
			if err != nil {
				t.Fatal(err)
			}
			printed[m.String()] = true
		}
	})
	all, err := ParseMeasures("all_trec")
	if err != nil {
		t.Fatal(err)
	}
	have := map[string]bool{}
	for _, m := range all {
		have[m.String()] = true
	}
	for name := range printed {
		if !have[name] {
			t.Errorf("all_trec has no %s", name)
		}
	}
}

// Values of ir_measures' and ranx's measures are those of a program that shares no code with lore (measures.py).
func TestGoldenMeasures(t *testing.T) {
	adhoc, _, _ := goldenTopics(t)
	kinds := map[string]bool{}
	rows := tabbed(t, "testdata/golden/measures.tsv", 3)
	for _, row := range rows {
		m, err := ParseMeasure(row[0])
		if err != nil {
			t.Fatal(err)
		}
		got := m.Calc(adhoc[row[1]])
		want, err := strconv.ParseFloat(row[2], 64)
		if row[2] == "none" {
			want, err = math.NaN(), nil
		}
		if err != nil || math.Abs(got-want) > 1e-9 || math.IsNaN(got) != math.IsNaN(want) {
			t.Errorf("%s (%s) of topic %s is %v, golden %s", row[0], m, row[1], got, row[2])
		}
		if got != 0 {
			kinds[m.Kind] = true
		}
	}
	if len(rows) < 1500 || len(kinds) < 24 {
		t.Errorf("%d values of %d kinds: the test proves too little", len(rows), len(kinds))
	}
}

// What is wrong with a name is said: the part, what would be right, or why it is not computed.
func TestWrongNames(t *testing.T) {
	for name, want := range map[string]string{
		"":                           "empty",
		"prefs_simp":                 "preference",
		"relstring":                  "a text",
		"map_avgjg":                  "groups of judges",
		"BPM@10":                     "needs max_rel, the largest grade of the scale: write BPM(max_rel=3)@10",
		"nDCG(gains={1})@10":         "is not GRADE:GAIN",
		"nDCG(gains={1:2,1:3})@10":   "two gains",
		"nDCG(dcg='ln')@10":          "one of log2, exp-log2",
		"P(judged_only=maybe)@3":     "true or false",
		"BPM(min_rel=3,max_rel=3)@5": "above min_rel",
		"RBP(p=2)":                   "between 0 and 1",
		"P(rel=1.5)@3":               "whole number",
		"NumQ(rel=2)":                "no parameters",
		"P(2)@3":                     "NAME=VALUE",
		"rbp.0.95":                   "no way to write rbp",
		"P(rel=2,rel=3)@5":           "rel is given twice",
	} {
		if m, err := ParseMeasures(name); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, %v; want %q", name, m, err, want)
		}
	}

	var unknown *UnknownError
	if _, err := ParseMeasures("ncdg@10"); !errors.As(err, &unknown) || unknown.Name != "ncdg" || len(unknown.Known) < 80 {
		t.Errorf("%+v", unknown)
	}
}
