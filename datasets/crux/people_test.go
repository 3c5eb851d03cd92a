package crux

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"lore/datasets"
	"lore/judge"
	"lore/judge/lexical"
	"lore/local/published"
)

// cells finds the row of a table that begins with the given cells.
func cells(t *testing.T, g datasets.Grid, begin ...string) map[string]string {
	t.Helper()
	for _, row := range g.Rows {
		if slices.Equal(row[:len(begin)], begin) {
			out := map[string]string{}
			for i, c := range row {
				out[g.Head[i]] = c
			}
			return out
		}
	}
	t.Fatalf("no row %q in %s: %q", begin, g.Title, g.Rows)
	return nil
}

// What three annotators of the release say, as a program that shares no code with lore has it. The
// paper's κ of 0.52 counts questions that nobody was asked as agreement.
func TestGoldenPeople(t *testing.T) {
	ds := together(t)
	p, err := readPeople(published.Path(t, "data/crux_released/crux-labeling"))
	if err != nil {
		t.Fatal(err)
	}
	tables, _, err := Benchmark{}.peopleTables(context.Background(), ds, p, nil, quiet)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{}
	for _, row := range table(t, "people.tsv") {
		want[row["what"]] = row["value"]
	}
	number := func(name, format string, times float64) string {
		v, err := strconv.ParseFloat(want[name], 64)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		return fmt.Sprintf(format, times*v)
	}
	same := func(row map[string]string, column, want string) {
		t.Helper()
		if row[column] != want {
			t.Errorf("%s is %s, golden %s: %v", column, row[column], want, row)
		}
	}

	all, null := cells(t, tables[0], "all people"), cells(t, tables[0], `all people, and "not asked" as a label`)
	same(all, "questions", want["questions asked"])
	same(all, "reports", want["reports"])
	same(all, "κ", number("kappa", "%.2f", 1))
	same(null, "questions", want["questions"])
	same(null, "κ", number("kappa, not asked as a label", "%.2f", 1))

	for _, pair := range [][2]string{{"annotator2", "annotator1"}, {"annotator3", "annotator1"}, {"annotator3", "annotator2"}} {
		row, name := cells(t, tables[0], pair[0], pair[1]), pair[0]+" against "+pair[1]+": "
		same(row, "same", number(name+"same", "%.1f", 100))
		same(row, "κ", number(name+"kappa", "%.2f", 1))
		same(row, "precision", number(name+"precision of answered", "%.1f", 100))
		same(row, "recall", number(name+"recall of answered", "%.1f", 100))
		same(row, "Pearson of coverage", number(name+"pearson", "%.2f", 1)+" (n 12)")
	}
	for _, who := range []string{"annotator1", "annotator2"} {
		row, name := cells(t, tables[2], who), "passages, "+who+": "
		same(row, "labels", want[name+"labels"])
		same(row, "grades compared", want[name+"compared"])
		same(row, "same", number(name+"same", "%.1f", 100))
		same(row, "κ", number(name+"kappa", "%.2f", 1))
		same(row, "precision", number(name+"precision of answered", "%.1f", 100))
		same(row, "recall", number(name+"recall of answered", "%.1f", 100))
		same(row, "precision of unanswered", number(name+"precision of unanswered", "%.1f", 100))
		same(row, "recall of unanswered", number(name+"recall of unanswered", "%.1f", 100))
	}
	if len(tables[1].Rows) != 12 || len(p.bare) != 0 {
		t.Errorf("%d reports, without text: %v", len(tables[1].Rows), p.bare)
	}
}

// The lexical judge beside the people: as far from each of them as they are from each other, nearly.
func TestPublishedJudgeOnReports(t *testing.T) {
	p, err := readPeople(published.Path(t, "data/crux_released/crux-labeling"))
	if err != nil {
		t.Fatal(err)
	}
	tables, _, err := Benchmark{}.peopleTables(context.Background(), together(t), p, []judge.Judge{lexical.Judge{}}, quiet)
	if err != nil {
		t.Fatal(err)
	}
	for _, who := range []string{"annotator1", "annotator2", "annotator3"} {
		row := cells(t, tables[0], "lexical", who)
		cell, _, _ := strings.Cut(row["Pearson of coverage"], " ")
		v, err := strconv.ParseFloat(cell, 64)
		if err != nil || v < 0.5 {
			t.Errorf("%s: Pearson %s", who, cell)
		}
		t.Log(row)
	}
}

// writeStudy writes a study of two annotators about the paper's example, with gaps: one report has one
// label, one question was not asked, one report has no text.
func writeStudy(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"annotations/one/qlabels.jsonl": `{"id":"t","answerability":[1,0,-2,1]}` + "\n" + `{"id":"bm25_t","answerability":[0,0,-2,1]}` + "\n" +
			`{"id":"gone_t","answerability":[1]}`,
		"annotations/two/qlabels.jsonl": `{"id":"t","answerability":[1,1,-2,1]}`,
		"annotations/one/qrels.jsonl":   `{"id":"t","document":"a","relevances":{"0":5,"1":-1,"2":-2,"3":1}}`,
		"annotations/two/qrels.jsonl":   `{"id":"t","document":"a","relevances":{"0":2}}` + "\n" + `{"id":"t","document":"d","relevances":{"0":4,"7":1}}`,
		"reports/all.jsonl": `{"qid":"t","questions":["3","1",null,"9"],"response":"word"}` + "\n" +
			`{"qid":"bm25_t","questions":["3","1",null,"9"],"response":"word word"}`,
		"reports/other.jsonl": `{"qid":"t","questions":["3","1",null,"9"],"response":"another report of that name"}`,
	} {
		writeRun(t, text, dir, name)
	}
	return dir
}

func TestPeopleWithGaps(t *testing.T) {
	p, err := readPeople(writeStudy(t))
	if err != nil {
		t.Fatal(err)
	}
	if len(p.reports) != 2 || p.reports[0].system != "bm25" || p.reports[1].text != "word" || fmt.Sprint(p.bare) != "[gone_t]" {
		t.Errorf("%+v", p)
	}
	var warned []string
	tables, _, err := Benchmark{}.peopleTables(context.Background(), table5Data(t), p, nil, func(s string) { warned = append(warned, s) })
	if err != nil {
		t.Fatal(err)
	}

	// What is not there is told with file and line.
	for i, want := range []string{
		"one/qlabels.jsonl: line 3: labels the report gone_t, whose text is not there",
		"two/qrels.jsonl: line 2: labels question 7 of the topic t, whose list ends with question 3",
	} {
		if len(warned) != 2 || !strings.Contains(filepath.ToSlash(warned[i]), want) {
			t.Errorf("no %q in %q", want, warned)
		}
	}

	// Of t three questions were asked, of which both agree on two; two's coverage is 1, one's 2 of 3.
	both := cells(t, tables[0], "two", "one")
	if both["reports"] != "1" || both["questions"] != "3" || both["same"] != "66.7" || both["precision"] != "66.7" || both["recall"] != "100.0" {
		t.Errorf("%v", both)
	}
	if row := cells(t, tables[1], "bm25", "t"); row["one"] != "33.3" || row["two"] != datasets.NoValue || row["people's mean"] != "33.3" {
		t.Errorf("%v", row)
	}
	if row := cells(t, tables[1], "oracle", "t"); row["questions"] != "3" || row["one"] != "66.7" || row["two"] != "100.0" {
		t.Errorf("%v", row)
	}

	// a answers questions 3 and 9 with 5: one says 5 and 1, two says 2; d has no grades, and the list no eighth question.
	if row := cells(t, tables[2], "one"); row["labels"] != "2" || row["grades compared"] != "2" || row["same"] != "50.0" || row["precision"] != "50.0" {
		t.Errorf("%v", row)
	}
	if row := cells(t, tables[2], "two"); row["labels"] != "3" || row["grades compared"] != "1" || row["same"] != "0.0" || row["recall"] != datasets.NoValue {
		t.Errorf("%v", row)
	}
	for _, want := range []string{"1 labels of questions", "1 of passages", "0 of 1 cases"} {
		if !strings.Contains(tables[2].Note, want) {
			t.Errorf("no %q in %s", want, tables[2].Note)
		}
	}
}

// quiet hears no warnings.
func quiet(string) {}

// halfJudge answers the first question and leaves the others open.
type halfJudge struct{}

func (halfJudge) Name() string { return "half" }
func (halfJudge) Judge(_ context.Context, tasks []judge.Task, _ func(int)) ([][]judge.Verdict, error) {
	var out [][]judge.Verdict
	for _, task := range tasks {
		verdicts := make([]judge.Verdict, len(task.Questions))
		for i := range verdicts {
			verdicts[i] = judge.Unscored(task.Questions[i].ID, "bad_format", "no grade")
		}
		verdicts[0] = judge.Verdict{Label: "5", Value: 1}
		out = append(out, verdicts)
	}
	return out, nil
}

// What a judge leaves open is not compared, and questions that are null are not asked.
func TestJudgeOnReportsWithGaps(t *testing.T) {
	p, err := readPeople(writeStudy(t))
	if err != nil {
		t.Fatal(err)
	}
	tables, open, err := Benchmark{}.peopleTables(context.Background(), table5Data(t), p, []judge.Judge{halfJudge{}}, quiet)
	if err != nil {
		t.Fatal(err)
	}
	if open != 4 || !strings.Contains(tables[0].Note, "left 4 questions open") {
		t.Errorf("%d open: %s", open, tables[0].Note)
	}
	if row := cells(t, tables[0], "half", "one"); row["questions"] != "2" || row["reports"] != "2" || row["precision"] != "50.0" {
		t.Errorf("%v", row)
	}
	if row := cells(t, tables[1], "bm25", "t"); row["half"] != "100.0" {
		t.Errorf("%v", row)
	}
}

func TestLabelsThatCannotBeRead(t *testing.T) {
	for line, says := range map[string]string{
		`{"id":"t","answerability":[2]}`:                                           "line 1: labels question 0 with 2",
		`{"id":"t","answerability":[1]}` + "\n" + `{"id":"t","answerability":[1]}`: "line 2: labels the report t again",
		`{"id":"t","document":"a","relevances":{"x":1}}`:                           `has the question "x"`,
		`{"id":"t","document":"a","relevances":{"0":6}}`:                           "has the grade 6 for question 0",
		`{"id":"t","document":"a","relevances":{"0":1,"00":1}}`:                    "for question 0 again",
		`{"answerability":[1]}`:                                                    "has no id",
		`{"id":"t"}`:                                                               "has no id, or not one of",
		`[1]`:                                                                      "line 1: is a list where an object belongs",
		`{"id":"t","answerability":[1,null]}`:                                      "line 1: null is number 2 of the grades",
		`{"id":"t","answerability":["1"]}`:                                         "one of the grades is a text where a whole number belongs",
		`{"id":"t","document":"a","relevances":{"0":null}}`:                        "has null for question 0",
		`{"id":"t","document":"a","relevances":{"0":1,"0":2}}`:                     `relevances: "0" is there twice`,
	} {
		r := newRater("one")
		if err := r.parse("f", []byte(line)); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v", line, err)
		}
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "x.jsonl"), []byte("{}"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := readPeople(dir); err == nil || !strings.Contains(err.Error(), "holds no people's labels") {
		t.Error(err)
	}
}

// A list that is too short is not that of the report, and a folder of labels alone names the one above.
func TestStudyThatDoesNotFit(t *testing.T) {
	dir := writeStudy(t)
	_, err := readPeople(filepath.Join(dir, "annotations"))
	if want := "--human " + dir; err == nil || !strings.HasSuffix(err.Error(), want) {
		t.Errorf("%v, want %s", err, want)
	}
	if _, err = readPeople(filepath.Join(dir, "annotations", "one")); err == nil || !strings.HasSuffix(err.Error(), "--human "+dir) {
		t.Error(err)
	}

	writeRun(t, `{"id":"t","answerability":[1,0,-2]}`, dir, "annotations", "two", "qlabels.jsonl")
	_, err = readPeople(dir)
	if want := "line 1: has 3 labels for the report t of 4 questions"; err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("%v, want %s", err, want)
	}
}

// Grades of people beside the data's: what is wrong is told by its side.
func TestHumanGradesThatCannotBe(t *testing.T) {
	ds := table5Data(t)
	good := `{"topic":"t","passage":"a","question":3,"grades":[5,4]}`
	for lines, says := range map[string]string{
		`{"topic":"tt","passage":"a","question":3,"grades":[5]}`: `line 1: names the topic "tt", which the data has not`,
		`{"topic":"t","passage":"aa","question":3,"grades":[5]}`: `line 1: names the passage "aa", for which the data has no grades of the topic t`,
		`{"topic":"t","passage":"a","question":11,"grades":[5]}`: "line 1: names question 11 of the topic t, which has questions 1 to 10",
		good + "\n" + good: "line 2: labels what line 1 has labelled: topic t, passage a, question 3",
		good + "\n" + `{"topic":"t","passage":"a","question":4,"grades":[5]}`: "line 2: has 1 grades where the lines before have 2",
		`{"topic":"t","passage":"a","question":3,"grades":[5,null]}`:          "line 1: null is number 2 of the grades",
		`{"topic":"t","passage":"a","question":"3","grades":[5]}`:             `line 1: has a text at "question" where a whole number belongs`,
	} {
		if _, err := (Benchmark{}).Human(ds, "f", []byte(lines)); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s:\n   got %v\n  want %s", lines, err, says)
		}
	}
}

// null in the grades of the data is refused, not read as 0.
func TestNullInGrades(t *testing.T) {
	topic := `{"id":"t","query":"q","questions":["1","2"],"grades":{"a":[5,null]}}`
	_, err := Benchmark{}.load(folder(topic, `{"id":"a","text":"one"}`), "x")
	if want := "line 1: grades: null is number 2 of the grades"; err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("%v, want %s", err, want)
	}
}

// Whatever a file of labels holds, it is refused, or all that is taken is a label.
func FuzzPeople(f *testing.F) {
	f.Add([]byte(`{"id":"t","answerability":[1,0,-2]}` + "\n" + `{"id":"t","document":"a","relevances":{"0":5,"1":-1}}`))
	f.Add([]byte(`{"id":"t","relevances":{}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		r := newRater("one")
		if r.parse("f", data) != nil {
			return
		}
		for _, row := range r.reports {
			for _, v := range row {
				if v != 0 && v != 1 && v != asNobody {
					t.Errorf("label %d", v)
				}
			}
		}
		for label, grade := range r.passages {
			if grade < 0 || grade > MaxGrade || label.question < 0 {
				t.Errorf("%+v: %d", label, grade)
			}
		}
	})
}
