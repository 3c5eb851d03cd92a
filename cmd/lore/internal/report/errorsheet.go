package report

import (
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"

	"lore/cmd/lore/internal/store"
	"lore/datasets"
	"lore/judge/metric"
	"lore/local/files"
)

// ErrorKinds are what a reader of an answer can find wrong with it (MSRS, section
// 5.3).
var ErrorKinds = []string{"missing_minor", "missing_major", "misunderstanding", "hallucination", "vague"}

// sheetKeys are the columns that name an answer.
var sheetKeys = []string{"retriever", "generator", "item"}

// sheetHead is the heading of a sheet.
func sheetHead() []string {
	return slices.Concat(sheetKeys, []string{"query", "answer", "compare_with"}, ErrorKinds, []string{"note"})
}

// ErrorSheet writes a sample of n answers of a run as CSV for people to mark: a 1 under
// each kind of error an answer has, a 0 or nothing else. Every system has its share. It
// returns how many there are in the sheet.
func ErrorSheet(w io.Writer, r Run, n int, seed uint64) (rows int, err error) {
	references := referencesOf(r.Verdicts)
	var cells [][]string
	for _, a := range sampleAnswers(r.Answers, n, seed) {
		row := []string{a.Retriever, a.Generator, a.Item, a.Title, a.Text, references[answerKey{a.System, a.Item}]}
		cells = append(cells, append(row, make([]string, len(ErrorKinds)+1)...))
	}

	data, err := files.Sheet(sheetHead(), cells)
	if err != nil {
		return 0, err
	}
	if _, err := w.Write(data); err != nil {
		return 0, fmt.Errorf("write the sheet: %w", err)
	}
	return len(cells), nil
}

// referencesOf is what each answer was compared with: the texts of its questions, each
// once. The first judge's questions are everybody's.
func referencesOf(verdicts []store.TaskVerdicts) map[answerKey]string {
	out := map[answerKey]string{}
	for _, v := range verdicts {
		key := answerKey{v.System, v.Item}
		if out[key] != "" || len(v.Questions) == 0 {
			continue
		}

		var texts []string
		for _, q := range v.Questions {
			if !slices.Contains(texts, q.Text) {
				texts = append(texts, q.Text)
			}
		}
		out[key] = strings.Join(texts, "\n\n")
	}
	return out
}

// sampleAnswers takes answers from each system in turn, the same for the same seed.
func sampleAnswers(answers []store.Answer, n int, seed uint64) []store.Answer {
	by := map[datasets.System][]store.Answer{}
	var systems []datasets.System
	for _, a := range answers {
		if a.Failed() {
			continue
		}
		if by[a.System] == nil {
			systems = append(systems, a.System)
		}
		by[a.System] = append(by[a.System], a)
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

// ErrorTable reads a marked sheet back: per system the share of answers in percent with
// each kind of error, with an interval. A row without any mark is not counted.
func ErrorTable(file string, data []byte, run Run) (datasets.Grid, error) {
	known := map[answerKey]bool{}
	for _, a := range run.Answers {
		known[answerKey{a.System, a.Item}] = true
	}

	const remedy = "give the sheet that --error-sheet wrote for this run, marked with 1 and 0"
	marks := map[datasets.System][][]float64{}
	var systems []datasets.System
	skipped := 0
	err := files.EachRow(file, data, slices.Concat(sheetKeys, ErrorKinds), remedy, func(get func(string) string) error {
		system := datasets.System{Retriever: get("retriever"), Generator: get("generator")}
		item := get("item")
		if !known[answerKey{system, item}] {
			return fmt.Errorf("the run has no answer of %s to %s", system, item)
		}

		values, some, err := readMarks(get)
		switch {
		case err != nil:
			return err
		case !some:
			skipped++
			return nil
		}
		if marks[system] == nil {
			systems = append(systems, system)
		}
		marks[system] = append(marks[system], values)
		return nil
	})
	if err != nil {
		return datasets.Grid{}, err
	}
	if len(systems) == 0 {
		return datasets.Grid{}, &files.Error{File: file, Msg: "no row of the sheet is marked", Remedy: remedy}
	}

	g := datasets.Grid{
		Title: "Errors found by people",
		Head:  slices.Concat([]string{"system"}, ErrorKinds, []string{"without any", "n"}),
		Note: fmt.Sprintf("share of marked answers in percent [95 %% Wilson interval]; "+
			"%d rows of the sheet are not marked and not counted", skipped),
	}
	for _, s := range systems {
		g.Rows = append(g.Rows, errorRow(s, marks[s]))
	}
	return g, nil
}

// errorRow is a system's line: the share of answers with each kind of error, and of those
// without any.
func errorRow(system datasets.System, marks [][]float64) []string {
	row := []string{system.String()}
	for k := range len(ErrorKinds) + 1 {
		hits := 0
		for _, m := range marks {
			if k < len(ErrorKinds) && m[k] > 0 || k == len(ErrorKinds) && slices.Max(m) == 0 {
				hits++
			}
		}
		ci := metric.Wilson(hits, len(marks), 0.95)
		share := 100 * float64(hits) / float64(len(marks))
		row = append(row, fmt.Sprintf("%.0f [%.0f, %.0f]", share, 100*ci.Low, 100*ci.High))
	}
	return append(row, fmt.Sprint(len(marks)))
}

// readMarks reads the marks of a row, 1 or 0 per kind of error; some tells whether there
// is any. Beside a mark, an empty cell means 0.
func readMarks(get func(column string) string) (values []float64, some bool, err error) {
	values = make([]float64, len(ErrorKinds))
	for k, kind := range ErrorKinds {
		switch mark := get(kind); strings.ToLower(mark) {
		case "":
		case "0", "no", "n":
			some = true
		case "1", "yes", "y", "x":
			some, values[k] = true, 1
		default:
			return nil, false, fmt.Errorf("%s is marked %q; write 1 or 0", kind, mark)
		}
	}
	return values, some, nil
}
