package report

import (
	"encoding/csv"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"

	"lore/cmd/lore/internal/store"
	"lore/datasets"
	"lore/judge/metric"
	"lore/local"
)

// ErrorKinds are what a reader of an answer can find wrong with it (MSRS, section
// 5.3).
var ErrorKinds = []string{"missing_minor", "missing_major", "misunderstanding", "hallucination", "vague"}

var sheetHead = append([]string{"retriever", "generator", "item", "query", "answer", "compare_with"}, append(slices.Clone(ErrorKinds), "note")...)

// ErrorSheet writes a sample of n answers of a run for people to mark: a 1 under each
// kind of error an answer has, a 0 or nothing else. Every system has its share.
func ErrorSheet(w io.Writer, r Run, n int, seed uint64) (rows int, err error) {
	references := map[string]string{}
	for _, v := range r.Verdicts {
		if key := v.Retriever + "\x00" + v.Generator + "\x00" + v.Item; references[key] == "" && len(v.Questions) > 0 {
			var texts []string
			for _, q := range v.Questions {
				if !slices.Contains(texts, q.Text) {
					texts = append(texts, q.Text)
				}
			}
			references[key] = strings.Join(texts, "\n\n")
		}
	}
	chosen := sampleAnswers(r.Answers, n, seed)
	out := csv.NewWriter(w)
	if err := out.Write(sheetHead); err != nil {
		return 0, fmt.Errorf("write the sheet: %w", err)
	}
	for _, a := range chosen {
		row := []string{a.Retriever, a.Generator, a.Item, a.Title, a.Text, references[a.Retriever+"\x00"+a.Generator+"\x00"+a.Item]}
		if err := out.Write(append(row, make([]string, len(ErrorKinds)+1)...)); err != nil {
			return 0, fmt.Errorf("write the sheet: %w", err)
		}
	}
	out.Flush()
	return len(chosen), out.Error()
}

// sampleAnswers takes answers from each system in turn, the same for the same seed.
func sampleAnswers(answers []store.Answer, n int, seed uint64) []store.Answer {
	by := map[string][]store.Answer{}
	var systems []string
	for _, a := range answers {
		if a.Outcome != local.OK {
			continue
		}
		key := a.Retriever + "\x00" + a.Generator
		if by[key] == nil {
			systems = append(systems, key)
		}
		by[key] = append(by[key], a)
	}
	rng := rand.New(rand.NewPCG(seed, 1))
	for _, s := range systems {
		rng.Shuffle(len(by[s]), func(i, j int) { by[s][i], by[s][j] = by[s][j], by[s][i] })
	}
	var out []store.Answer
	for round := 0; len(out) < n; round++ {
		before := len(out)
		for _, s := range systems {
			if round < len(by[s]) && len(out) < n {
				out = append(out, by[s][round])
			}
		}
		if len(out) == before {
			break
		}
	}
	return out
}

// ErrorTable reads a marked sheet back: per system the share of answers with each
// kind of error, with an interval. A row without any mark is not counted.
func ErrorTable(r io.Reader, run Run, seed uint64) (datasets.Grid, error) {
	rows, err := csv.NewReader(r).ReadAll()
	if err != nil {
		return datasets.Grid{}, fmt.Errorf("is no sheet: %w", err)
	}
	if len(rows) == 0 || !slices.Equal(rows[0], sheetHead) {
		return datasets.Grid{}, fmt.Errorf("does not begin with the columns %s", strings.Join(sheetHead, ", "))
	}
	known := map[string]bool{}
	for _, a := range run.Answers {
		known[a.Retriever+"\x00"+a.Generator+"\x00"+a.Item] = true
	}
	marks := map[string][][]float64{}
	var systems []string
	skipped := 0
	for i, row := range rows[1:] {
		if !known[row[0]+"\x00"+row[1]+"\x00"+row[2]] {
			return datasets.Grid{}, fmt.Errorf("line %d: the run has no answer of %s, %s to %s", i+2, row[0], row[1], row[2])
		}
		values, some, err := readMarks(row[6 : 6+len(ErrorKinds)])
		if err != nil {
			return datasets.Grid{}, fmt.Errorf("row %d: %w", i+2, err)
		}
		if !some {
			skipped++
			continue
		}
		key := row[0] + ", " + row[1]
		if marks[key] == nil {
			systems = append(systems, key)
		}
		marks[key] = append(marks[key], values)
	}
	g := datasets.Grid{Title: "Errors found by people", Head: append([]string{"system"}, append(slices.Clone(ErrorKinds), "without any", "n")...),
		Note: fmt.Sprintf("share of marked answers in percent [95 %% bootstrap percentiles]; %d rows of the sheet are not marked and not counted", skipped)}
	for _, s := range systems {
		row := []string{s}
		for k := range len(ErrorKinds) + 1 {
			values := make([]float64, len(marks[s]))
			for i, m := range marks[s] {
				if k < len(ErrorKinds) {
					values[i] = m[k]
				} else if slices.Max(m) == 0 {
					values[i] = 1
				}
			}
			ci := metric.PercentileBootstrap(values, 1000, 0.95, seed)
			row = append(row, fmt.Sprintf("%.0f [%.0f, %.0f]", 100*metric.Mean(values), 100*ci.Low, 100*ci.High))
		}
		g.Rows = append(g.Rows, append(row, fmt.Sprint(len(marks[s]))))
	}
	return g, nil
}

func readMarks(cells []string) (values []float64, some bool, err error) {
	values = make([]float64, len(cells))
	for k, c := range cells {
		switch strings.ToLower(strings.TrimSpace(c)) {
		case "":
		case "0", "no", "n":
			some = true
		case "1", "yes", "y", "x":
			some, values[k] = true, 1
		default:
			return nil, false, fmt.Errorf("%s is marked %q; write 1 or 0", ErrorKinds[k], c)
		}
	}
	return values, some, nil
}
