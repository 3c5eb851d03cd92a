package build

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"lore/datasets/long2rag"
	"lore/datasets/stage"
	"lore/local/files"
)

// missingColumn is where raters add key points that a question lacks.
const missingColumn = "missing_points"

// noneMissing is what a rater writes where no point is missing; an open cell says nothing.
const noneMissing = "none"

// samePoint is the share of common words from which an added point says what another says.
const samePoint = 0.8

var missingHead = []files.Column{
	{Name: rowColumn, Help: "leave as it is"},
	{Name: "question"},
	{Name: "key_points", Help: "those that were extracted"},
	{Name: "documents", Help: "in full"},
	{Name: missingColumn,
		Help: "key points that the documents hold and the list lacks: one a line, or parted by |; none if it lacks none"},
}

// MissingSheets are sheets on which raters add what extraction overlooked: a row per question, for
// the rater who has its points by Sheets with the same seed.
func MissingSheets(questions []long2rag.Question, raters int, seed uint64, semicolons bool) ([][]byte, error) {
	rows := make([][][]string, raters)
	for i, r := range owners(len(questions), raters, rand.New(rand.NewPCG(seed, dealSeed))) {
		q := questions[i]
		var points, documents []string
		for _, p := range q.KeyPoints {
			points = append(points, "- "+p.Text)
		}
		for _, d := range q.Documents {
			documents = append(documents, d.ID+":\n"+d.Text)
		}
		rows[r] = append(rows[r], []string{
			questionRow(q.ID), q.Text, strings.Join(points, "\n"), strings.Join(documents, "\n\n"), "",
		})
	}

	return forms(missingHead, rows, semicolons)
}

func questionRow(question string) string { return files.RowID("question", question) }

// Overlooked are the points that raters added, by question. A question without an entry was looked
// at by nobody; one with an empty list lacks nothing.
type Overlooked map[string][]string

// isMissingSheet reports whether a sheet is one of MissingSheets.
func isMissingSheet(data []byte) bool { return files.HasColumn(data, missingColumn) }

// Read adds what stands on a sheet. Of points that say the same one counts, and none that a key point
// of the question says. Rows left open are counted.
func (o Overlooked) Read(name string, data []byte, questions []long2rag.Question) (open int, err error) {
	known := map[string]long2rag.Question{}
	for _, q := range questions {
		known[questionRow(q.ID)] = q
	}

	remedy := missingColumn + " holds points, one a line, or " + noneMissing + "; make sheets with " +
		"lore build long2rag sheets --missing"
	err = files.EachRow(name, data, []string{rowColumn, missingColumn}, remedy, func(get func(string) string) error {
		q, there := known[files.RowName(get(rowColumn))]
		cell := get(missingColumn)
		if !there {
			return fmt.Errorf("has the row %q, which is none of this data", get(rowColumn))
		}
		if cell == "" {
			open++
			return nil
		}

		list := o[q.ID]
		for _, added := range strings.FieldsFunc(cell, func(r rune) bool { return r == '\n' || r == '|' }) {
			added = strings.TrimLeft(clean(added), "-*• ")
			if added != "" && !strings.EqualFold(strings.TrimRight(added, "."), noneMissing) &&
				stage.Alike(append(texts(q.KeyPoints), list...), added, samePoint) < 0 {
				list = append(list, added)
			}
		}
		o[q.ID] = list
		return nil
	})
	return open, err
}

func texts(points []long2rag.KeyPoint) []string {
	var out []string
	for _, p := range points {
		out = append(out, p.Text)
	}
	return out
}

// Recall is how many of the key points that the documents hold were extracted.
type Recall struct {
	Questions int // that somebody looked at
	Confirmed int // their extracted points that people confirmed
	Missing   int // points that people added
}

// Of counts over the questions that somebody looked at.
func (o Overlooked) Of(questions []long2rag.Question, confirmed map[[2]string]bool) Recall {
	var r Recall
	for _, q := range questions {
		added, looked := o[q.ID]
		if !looked {
			continue
		}
		r.Questions++
		r.Missing += len(added)
		for _, p := range q.KeyPoints {
			if confirmed[[2]string{q.ID, p.ID}] {
				r.Confirmed++
			}
		}
	}
	return r
}
