package main

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"lore/judge"
	"lore/judge/agreement"
	"lore/judge/calibrate"
	"lore/judge/ensemble"
	"lore/judge/lexical"
	"lore/local/published"
)

// onPage compares words of docs/judges.md with what they should be; with -update it writes them.
func onPage(t *testing.T, pattern, want string) {
	t.Helper()
	page, err := os.ReadFile(judgesPath)
	if err != nil {
		t.Fatal(err)
	}
	found := regexp.MustCompile(pattern).FindAllIndex(page, -1)
	if len(found) != 1 {
		t.Fatalf("%s has %d places like %s, want one", judgesPath, len(found), pattern)
	}
	same(t, judgesPath, string(page), string(page[:found[0][0]])+want+string(page[found[0][1]:]))
}

// asked are the lexical judge's verdicts on items.
func asked(t *testing.T, items []agreement.Item) [][]judge.Verdict {
	t.Helper()
	var tasks []judge.Task
	for _, it := range items {
		tasks = append(tasks, it.Task)
	}
	verdicts, err := lexical.Judge{}.Judge(context.Background(), tasks, nil)
	if err != nil {
		t.Fatal(err)
	}
	return verdicts
}

// The table of pairs on docs/judges.md is what recorded models and the lexical judge give on
// SummHay's published labels; TestPublishedFit measures it.
func TestKnownPairs(t *testing.T) {
	models := strings.NewReplacer("predictions_prompted_", "", "predictions_9fs_", "nine examples, ", "gemini", "Gemini", "gpt", "GPT",
		"claude3-", "Claude-3-", "GPT3.5", "GPT-3.5")
	var rows strings.Builder
	share := 0.0
	for _, p := range lexical.Current.Pairs {
		share = max(share, p.Asked)
		fmt.Fprintf(&rows, "| %s | %.3f | %.3f | %.3f | %.3f |\n", models.Replace(p.With), p.Alone, p.Default, p.Calibrated, p.Half)
	}
	head := fmt.Sprintf("| model | alone | default (%.0f %% asked) | calibrated | calibrated, half of the calls |\n|---|---|---|---|---|\n", 100*share)
	onPage(t, `\| model \| alone \| default \([0-9]+ % asked\) .*\n\|[-|]+\n(\| .*\n)+`, head+rows.String())
	cv := lexical.Current.CV
	onPage(t, `\([0-9.]+ alone, its score [0-9.]+\)`, fmt.Sprintf("(%.3f alone, its score %.3f)", cv.Pearson, cv.PearsonScore))
}

// The table of the fit on docs/judges.md is what fitted.json has.
func TestKnownFit(t *testing.T) {
	var rows strings.Builder
	bias, after := 0.0, 0.0
	n := float64(len(lexical.Current.Sets))
	for _, s := range lexical.Current.Sets {
		fmt.Fprintf(&rows, "| %s | %s | %d | %.2f | %.2f | %.2f | %.2f | %+.2f |\n",
			s.Set, s.Kind, s.N, s.Before, s.Nested, s.LeftOut, s.Labels, s.Bias)
		bias, after = bias+math.Abs(s.Bias)/n, after+s.After/n
	}

	head := "| set | question | n | before | nested | left out | labels, nested | bias |\n|---|---|---:|---:|---:|---:|---:|---:|\n"
	onPage(t, regexp.QuoteMeta(head)+`(\| .*\n)*`, head+rows.String())
	texts := lexical.Current.Sets[0].Texts
	onPage(t, `Mean size of the bias: [0-9.]+ uncalibrated, [0-9.]+ after a monotone map from 100 labels\. SummHay's news has [0-9.]+ and its conversations\nhave [0-9]\.?[0-9]*\.`,
		fmt.Sprintf("Mean size of the bias: %.3f uncalibrated, %.3f after a monotone map from 100 labels. SummHay's news has %.2f and its conversations\nhave %.2f.",
			bias, after, texts["news"], texts["conversations"]))
}

// leastRest is how many labels must be left to measure on.
const leastRest = 50

// What 100 labels do to the lexical judge's bias on published sets, as docs/judges.md says.
func TestKnownCalibration(t *testing.T) {
	skipShort(t)
	paths, err := filepath.Glob(filepath.Join(published.Path(t, "data", "labels"), "*.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	var before, after float64
	sets := 0
	for _, path := range paths {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		labels, err := agreement.Read(path, data)
		if err != nil {
			t.Fatal(err)
		}
		b, a, ok := biases(labels.Items, asked(t, labels.Items))
		if !ok {
			continue
		}
		t.Logf("%s: %+.3f, calibrated %+.3f", filepath.Base(path), b, a)
		before, after, sets = before+math.Abs(b), after+math.Abs(a), sets+1
	}
	before, after = before/float64(sets), after/float64(sets)
	if after > before/2 {
		t.Errorf("100 labels take the bias from %.3f to %.3f", before, after)
	}
	onPage(t, `on\s+\w+\s+public\s+sets\s+100\s+labels\s+took\s+the\s+lexical\s+judge's\s+mean\s+bias,\s+without\s+its\s+sign,\s+on\s+`+
		`the\s+other\s+labels\s+from\s+[0-9.]+\s+to\s+[0-9]\.[0-9]+`,
		fmt.Sprintf("on %d public sets 100 labels took the lexical judge's mean bias, without its sign, on\n"+
			"the other labels from %.3f to %.3f", sets, before, after))
}

// biases are those on the labels that are left when 100 have been drawn to calibrate with.
func biases(items []agreement.Item, verdicts [][]judge.Verdict) (before, after float64, ok bool) {
	order := rand.New(rand.NewPCG(1, 2)).Perm(len(items))
	pick := func(places []int) (some []agreement.Item, theirs [][]judge.Verdict) {
		for _, i := range places {
			some, theirs = append(some, items[i]), append(theirs, verdicts[i])
		}
		return some, theirs
	}
	n, drawn := 0, 0
	for ; n < len(order) && drawn < 100; n++ {
		drawn += len(items[order[n]].Human)
	}
	train, learnt := pick(order[:n])
	test, theirs := pick(order[n:])
	r := agreement.Measure("", test, theirs, 1)
	if r.N < leastRest {
		return 0, 0, false
	}

	c := calibrate.Calibrate([]ensemble.Part{{Name: "lexical"}}, train, [][][]judge.Verdict{learnt})
	got, _ := calibrate.TraceOf(test, theirs).Rejoin([]string{"lexical"}, ensemble.Rule{Calibration: c})
	return r.Bias, agreement.Measure("", test, slices.Clone(got), 1).Bias, true
}

// The first block of docs/judges.md is the beginning of what it says lore prints: the table up to the accuracy.
func TestKnownFirstBlock(t *testing.T) {
	page, err := os.ReadFile(judgesPath)
	if err != nil {
		t.Fatal(err)
	}
	const file = "human_coverage_labels_dev.json"
	block := regexp.MustCompile(`    \$ lore (judge validate ` + regexp.QuoteMeta(file) + `.*)\n(?:    .+\n)+`)
	found := block.FindSubmatch(page)
	if found == nil {
		t.Fatalf("%s has no block of %s", judgesPath, file)
	}

	args := strings.Fields(string(found[1]))
	args[slices.Index(args, file)] = published.Path(t, "data", "summhay", file)
	var out, errs bytes.Buffer
	if code := Main(args, &out, &errs); code != exitOK {
		t.Fatalf("exit code %d\n%s", code, errs.String())
	}
	lines := strings.Split(out.String(), "\n")
	const last = "accuracy"
	at := strings.Index(lines[0], last)
	if at < 0 {
		t.Fatalf("no column %q in %s", last, lines[0])
	}
	width := utf8.RuneCountInString(lines[0][:at]) + len(last)

	var want strings.Builder
	fmt.Fprintf(&want, "    $ lore %s\n", found[1])
	judges := 1 + strings.Count(string(found[1]), ",")
	for _, line := range lines[:1+judges] {
		fmt.Fprintf(&want, "    %s\n", strings.TrimRight(string([]rune(line)[:width]), " "))
	}
	onPage(t, block.String(), want.String())
}
