package main

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"lore/judge"
	"lore/judge/agreement"
	"lore/judge/lexical"
	"lore/judge/metric"
	"lore/local/published"
)

const (
	knownPath  = "../../judge/agreement/known.csv"
	judgesPath = "../../docs/judges.md"
)

// Columns of known.csv.
const (
	knownTexts = 2 + iota
	_
	_
	knownValue
	knownN
	knownWorth
	_
	knownSource
)

// Every figure of known.csv that is not entered by hand is what its source gives. With -update the
// file is written anew, values and words for them; `make known` does that.
func TestKnownIsMeasured(t *testing.T) {
	skipShort(t)
	data, err := os.ReadFile(knownPath)
	if err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(bytes.NewReader(data)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	measured := 0
	for _, row := range rows[1:] {
		if strings.HasPrefix(row[knownSource], agreement.ByHand) {
			continue
		}
		value, n := measure(t, row[knownSource])
		row[knownValue], row[knownWorth] = fmt.Sprintf("%.2f", value), string(agreement.WorthOf(round2(value)))
		if n > 0 {
			row[knownN] = fmt.Sprintf("%d systems", n)
		}
		measured++
	}
	if measured == 0 {
		t.Fatal("nothing is measured")
	}

	var out bytes.Buffer
	w := csv.NewWriter(&out)
	if err := w.WriteAll(rows); err != nil {
		t.Fatal(err)
	}
	same(t, knownPath, string(data), out.String())
}

// skipShort skips what asks the lexical judge thousands of questions.
func skipShort(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("-short leaves out what only takes long; make test runs it")
	}
}

func round2(v float64) float64 {
	var out float64
	_, _ = fmt.Sscanf(fmt.Sprintf("%.2f", v), "%g", &out) // the figure as it is printed
	return out
}

// same compares a file with what it should be, and writes that with -update.
func same(t *testing.T, path, is, want string) {
	t.Helper()
	switch {
	case is == want:
	case *update:
		if err := os.WriteFile(path, []byte(want), 0o666); err != nil {
			t.Fatal(err)
		}
	default:
		t.Errorf("%s is not what is measured; make known writes it. It should be:\n%s", path, want)
	}
}

// measure makes a figure of its source; n is the number of systems of a rank correlation.
func measure(t *testing.T, source string) (value float64, n int) {
	t.Helper()
	words := strings.Fields(source)
	switch {
	case source == "fit relevance": // TestPublishedRelevance measures it
		return lexical.RelevanceTau, lexical.RelevanceSystems
	case words[0] == "fit" && len(words) == 2:
		return fromFit(t, words[1], ""), 0
	case words[0] == "fit" && len(words) == 3:
		return fromFit(t, words[1], words[2]), 0
	case words[0] == "labels" && len(words) == 2:
		return ofLabels(t, words[1]), 0
	case words[0] == "recorded" && len(words) == 3:
		return ofRecorded(t, words[1], words[2]), 0
	case words[0] == "msrs" && len(words) == 3:
		return ofSystems(t, words[1], words[2])
	}
	t.Fatalf("known.csv: no source is called %q; one by hand begins with %q", source, agreement.ByHand)
	return 0, 0
}

// fromFit is what the fit of the lexical judge says of a set, or of one kind of its texts:
// groups that took no part.
func fromFit(t *testing.T, set, texts string) float64 {
	t.Helper()
	for _, s := range lexical.Current.Sets {
		r, known := s.TextsSay[texts]
		switch {
		case s.Set == set && texts == "":
			return s.Labels
		case s.Set == set && known:
			return r
		}
	}
	t.Fatalf("the fit has no set %q with texts %q", set, texts)
	return 0
}

// ofLabels measures the lexical judge on a published part that is not in its fit.
func ofLabels(t *testing.T, file string) float64 {
	t.Helper()
	for _, s := range lexical.Current.Sets {
		if s.Set == file {
			t.Fatalf("%s is in the fit: its figure is that of the fit", file)
		}
	}
	path := published.Path(t, "data", "labels", file+".jsonl")
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	labels, err := agreement.Read(path, data)
	if err != nil {
		t.Fatal(err)
	}
	var tasks []judge.Task
	for _, it := range labels.Items {
		tasks = append(tasks, it.Task)
	}
	verdicts, err := lexical.Judge{}.Judge(context.Background(), tasks, nil)
	if err != nil {
		t.Fatal(err)
	}
	return agreement.Pearson(labels.Items, verdicts)
}

// ofRecorded measures verdicts that came with SummHay's labels, on one kind of text.
func ofRecorded(t *testing.T, key, texts string) float64 {
	t.Helper()
	items := summhayLabels(t)
	verdicts, err := recordedVerdicts(items, key)
	if err != nil {
		t.Fatal(err)
	}
	some, theirs := agreement.Only(items, verdicts, func(it agreement.Item, k int) bool {
		return it.Column(k, agreement.TextsColumn) == texts
	})
	return agreement.Pearson(some, theirs)
}

// ofSystems is Kendall's τ of the lexical judge's relevance and the authors' grades over the recorded
// systems that have both.
func ofSystems(t *testing.T, domain, setting string) (float64, int) {
	t.Helper()
	dir := published.Path(t, "data", "msrs", "outputs", domain, setting)
	files, err := filepath.Glob(filepath.Join(dir, "summary", "*.json"))
	if err != nil {
		t.Fatal(err)
	}
	args := []string{"score", "msrs", "--domain", domain, "--judge", "lexical", "--json",
		"--queries", published.Path(t, "data", "msrs", domain, "queries_test.json")}
	var out, errs bytes.Buffer
	if code := Main(append(args, files...), &out, &errs); code != exitOK {
		t.Fatalf("exit code %d\n%s", code, errs.String())
	}
	var scored struct {
		Systems []struct {
			Name   string
			Grades []struct{ Relevance struct{ Mean float64 } }
		}
	}
	if err := json.Unmarshal(out.Bytes(), &scored); err != nil {
		t.Fatal(err)
	}

	var ours, theirs []float64
	for _, s := range scored.Systems {
		if mean, ok := authorsGrade(t, dir, strings.TrimPrefix(s.Name, setting+"/")); ok {
			ours, theirs = append(ours, s.Grades[0].Relevance.Mean), append(theirs, mean)
		}
	}
	return metric.KendallTauB(ours, theirs), len(ours)
}

// authorsGrade is the mean G-Eval grade of a system.
func authorsGrade(t *testing.T, dir, system string) (float64, bool) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(dir, "evaluation", system+"_rel_gpteval.json"))
	if err != nil {
		return 0, false
	}
	var file struct {
		Pass struct{ Summary []float64 } `json:"Pass #1"`
	}
	if err := json.Unmarshal(data, &file); err != nil {
		t.Fatal(err)
	}
	return metric.Mean(file.Pass.Summary), true
}

// The table of docs/judges.md is what is known: with -update it is written anew.
func TestKnownIsOnTheJudgesPage(t *testing.T) {
	data, err := os.ReadFile(knownPath) // not what is compiled in: it may have been written just now
	if err != nil {
		t.Fatal(err)
	}
	known, err := agreement.ParseKnown(string(data))
	if err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile(judgesPath)
	if err != nil {
		t.Fatal(err)
	}

	const head = "| judge | question | texts | agreement | worth | measured on |\n|---|---|---|---|---|---|\n"
	before, rest, ok := strings.Cut(string(page), head)
	_, after, found := strings.Cut(rest, "\n\n")
	if !ok || !found {
		t.Fatalf("%s has no table of what is known", judgesPath)
	}
	var rows strings.Builder
	for _, k := range known {
		hand := ""
		if strings.HasPrefix(k.Source, agreement.ByHand) {
			hand = " †"
		}
		fmt.Fprintf(&rows, "| %s | %s | %s | %s%s | %s | %s |\n", k.Judge, k.Kind, k.Texts, k, hand, k.Worth, k.Set)
	}
	same(t, judgesPath, string(page), before+head+strings.TrimSuffix(rows.String(), "\n")+"\n\n"+after)
}
