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

// ErrorKinds are what a reader of an answer can find wrong with it (MSRS, appendix B.4).
var ErrorKinds = []string{
	"missing_minor", "missing_major", "misunderstanding_minor", "misunderstanding_major", "hallucination", "vague",
}

// oldKinds are those of sheets of an earlier lore.
var oldKinds = []string{"missing_minor", "missing_major", "misunderstanding", "hallucination", "vague"}

// kindHelp says what each is.
var kindHelp = map[string]string{
	"missing_minor":          "many fine details are missing",
	"missing_major":          "many important things are missing",
	"misunderstanding_minor": "the query is misunderstood a little",
	"misunderstanding_major": "the query is misunderstood",
	"hallucination":          "it says things that no document says",
	"vague":                  "too general or vague",
}

// rowColumn names rows, so that nobody can tell from the name whose answer it is.
const rowColumn = "row"

// answerRow names an answer by what it says: the same of several systems is marked once.
func answerRow(item, text string) string { return files.RowID("answer", item, text) }

// sheetHead is the heading of a sheet.
func sheetHead() []files.Column {
	head := []files.Column{
		{Name: rowColumn, Help: "leave as it is"}, {Name: "query"}, {Name: "answer"}, {Name: "compare_with"},
		{Name: "documents", Help: "what the system was shown, in full"},
	}
	for _, k := range ErrorKinds {
		head = append(head, files.Column{Name: k, Help: kindHelp[k] + "? 1 or 0"})
	}
	return append(head, files.Column{Name: "note"})
}

// ErrorSheet writes a sample of n answers of a run as CSV for people to mark: a 1 under
// each kind of error an answer has, a 0 or nothing else. Every system has its share; the
// same answer of two stands there once. documents are what each answer's system was shown,
// by the name in the answer; nil where that was not kept. It returns how many rows there are.
func ErrorSheet(w io.Writer, r Run, documents map[string]string, n int, seed uint64, semicolons bool) (rows int, err error) {
	references := referencesOf(r.Verdicts)
	var cells [][]string
	seen := map[string]bool{}
	for _, a := range sampleAnswers(r.Answers, n, seed) {
		id := answerRow(a.Item, a.Text)
		if seen[id] {
			continue
		}
		seen[id] = true
		row := []string{id, a.Title, a.Text, references[answerKey{a.System, a.Item}], documents[a.Shown]}
		cells = append(cells, append(row, make([]string, len(ErrorKinds)+1)...))
	}

	data, err := files.Form(sheetHead(), cells, semicolons)
	if err != nil {
		return 0, err
	}
	if _, err := w.Write(data); err != nil {
		return 0, fmt.Errorf("write the sheet: %w", err)
	}
	return len(cells), nil
}

// ShownTexts are the documents of each context, in one text.
func ShownTexts(shown *store.Shown) map[string]string {
	if shown == nil {
		return nil
	}
	texts := map[string]string{}
	for _, t := range shown.Texts {
		texts[t.Name] = t.Text
	}
	out := map[string]string{}
	for _, c := range shown.Contexts {
		var parts []string
		for _, p := range c.Passages {
			text := texts[p.Text]
			if p.Bytes > 0 {
				text = text[:p.Bytes]
			}
			parts = append(parts, fmt.Sprintf("[%s] %s", p.Label, text))
		}
		out[c.Name] = strings.Join(parts, "\n\n")
	}
	return out
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
	const remedy = "give the sheet that --error-sheet wrote for this run, marked with 1 and 0"
	kinds, keys := ErrorKinds, []string{rowColumn}
	old := files.HasColumn(data, "retriever")
	if old { // of an earlier lore
		kinds, keys = oldKinds, []string{"retriever", "generator", "item"}
	}
	known := systemsByAnswer(run.Answers)

	marks := map[datasets.System][][]float64{}
	var systems []datasets.System
	skipped := 0
	err := files.EachRow(file, data, slices.Concat(keys, kinds), remedy, func(get func(string) string) error {
		id := files.RowName(get(rowColumn))
		if old {
			id = strings.Join([]string{get("retriever"), get("generator"), get("item")}, "\x00")
		}
		of := known[id]
		switch {
		case of == nil && old:
			return fmt.Errorf("the run has no answer of %s, %s to %s", get("retriever"), get("generator"), get("item"))
		case of == nil:
			return fmt.Errorf("the run has no answer of the row %q", id)
		}

		values, some, err := readMarks(get, kinds)
		switch {
		case err != nil:
			return err
		case !some:
			skipped++
			return nil
		}
		for _, system := range of {
			if marks[system] == nil {
				systems = append(systems, system)
			}
			marks[system] = append(marks[system], values)
		}
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
		Head:  slices.Concat([]string{"system"}, kinds, []string{"without any", "n"}),
		Note: fmt.Sprintf("share of marked answers in percent [95 %% Wilson interval]; "+
			"%d rows of the sheet are not marked and not counted", skipped),
	}
	for _, s := range systems {
		g.Rows = append(g.Rows, errorRow(s, marks[s], len(kinds)))
	}
	return g, nil
}

// systemsByAnswer are the systems that gave an answer, by the name of its row, and by system
// and item as sheets of an earlier lore have them.
func systemsByAnswer(answers []store.Answer) map[string][]datasets.System {
	out := map[string][]datasets.System{}
	for _, a := range answers {
		id := answerRow(a.Item, a.Text)
		out[id] = append(out[id], a.System)
		out[strings.Join([]string{a.Retriever, a.Generator, a.Item}, "\x00")] = []datasets.System{a.System}
	}
	return out
}

// errorRow is a system's line: the share of answers with each kind of error, and of those
// without any.
func errorRow(system datasets.System, marks [][]float64, kinds int) []string {
	row := []string{system.String()}
	for k := range kinds + 1 {
		hits := 0
		for _, m := range marks {
			if k < kinds && m[k] > 0 || k == kinds && slices.Max(m) == 0 {
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
func readMarks(get func(column string) string, kinds []string) (values []float64, some bool, err error) {
	values = make([]float64, len(kinds))
	for k, kind := range kinds {
		mark := get(kind)
		if mark == "" {
			continue
		}
		yes, ok := files.YesNo(mark)
		if !ok {
			return nil, false, fmt.Errorf("%s is marked %q; write 1 or 0", kind, mark)
		}
		some = true
		if yes {
			values[k] = 1
		}
	}
	return values, some, nil
}
