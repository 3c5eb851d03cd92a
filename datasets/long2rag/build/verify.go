package build

import (
	"context"
	"flag"
	"fmt"
	"path/filepath"
	"slices"

	"lore/datasets"
	"lore/datasets/long2rag"
	"lore/local/files"
)

func newVerify(fl *flag.FlagSet) datasets.Job {
	out := fl.String("out", "", "`file` to write (default: verified.jsonl beside the data)")
	fit := fl.Bool("fit-threshold", false,
		"choose the threshold of significance with the largest F1, and print the command to build with it")

	return func(_ context.Context, _ datasets.Workshop, args []string) (datasets.Outcome, error) {
		return verify(args[0], args[1:], *out, *fit)
	}
}

// read are the sheets of raters.
type read struct {
	verdicts   [][]HumanVerdict // a sheet each
	open       int              // rows of these
	overlooked Overlooked
	unlooked   int // open rows on sheets of missing points
}

// readSheets reads sheets of both kinds.
func readSheets(names []string, questions []long2rag.Question) (read, error) {
	out := read{overlooked: Overlooked{}}
	for i, name := range names {
		if slices.Contains(names[:i], name) {
			return out, datasets.Usagef("the sheet %s is named twice", name)
		}
		content, err := files.Read(name, "give sheets that lore build long2rag sheets wrote")
		if err != nil {
			return out, err
		}

		if isMissingSheet(content) {
			n, err := out.overlooked.Read(name, content, questions)
			if err != nil {
				return out, err
			}
			out.unlooked += n
			continue
		}
		verdicts, n, err := ReadSheet(name, content, questions)
		if err != nil {
			return out, err
		}
		out.verdicts, out.open = append(out.verdicts, verdicts), out.open+n
	}
	return out, nil
}

// verify keeps what people confirmed on sheets.
func verify(data string, names []string, path string, fitThreshold bool) (datasets.Outcome, error) {
	var none datasets.Outcome
	questions, err := builtQuestions(data)
	if err != nil {
		return none, err
	}

	if path == "" {
		path = filepath.Join(folderOf(data), "verified.jsonl")
	}

	sheets, err := readSheets(names, questions)
	if err != nil {
		return none, err
	}
	if len(sheets.verdicts) == 0 {
		return none, datasets.Usagef("verify needs a sheet with verdicts, such as rater1.csv, beside those of missing points")
	}
	v := Verify(questions, sheets.verdicts)
	out := verified(v, path, sheets.open)

	var next []string
	judged := judgedOf(questions, v.Confirmed, sheets.verdicts)
	if len(judged.by) > 0 {
		var fitted *Fitted
		used := thresholdOf(data)
		if fitThreshold {
			if f, ok := Fit(judged.by, used); ok {
				fitted = &f
				next = append(next, fmt.Sprintf("to build with it: lore build long2rag --questions FILE --docs DIR "+
					"--model ollama:NAME --threshold %g --out DIR", f.Threshold))
			}
		}
		out.Tables = append(out.Tables, thresholdGrid(judged, used, fitted))
	}
	if fitThreshold && len(next) == 0 {
		return none, datasets.Usagef("--fit-threshold needs confirmed key points that have a significance, and there are none")
	}
	if r := sheets.overlooked.Of(questions, v.Confirmed); r.Questions+sheets.unlooked > 0 {
		out.Tables = append(out.Tables, r.grid(sheets.unlooked))
	}
	out.Next = append(out.Next, next...)
	return out, nil
}

// grid shows the recall of extraction.
func (r Recall) grid(open int) datasets.Grid {
	g := datasets.Grid{
		Title: "Was anything overlooked?",
		Head:  []string{"questions looked at", "confirmed points", "points added", "recall of extraction"},
		Rows: [][]string{{
			fmt.Sprint(r.Questions), fmt.Sprint(r.Confirmed), fmt.Sprint(r.Missing),
			part(r.Confirmed, r.Confirmed+r.Missing),
		}},
		Note: "recall: confirmed points of all that are confirmed or were added, over the questions looked at",
	}
	if open > 0 {
		g.Note += fmt.Sprintf("; %d rows of the sheets of missing points are open", open)
	}
	return g
}

// verified is the outcome of a verification.
func verified(v Verified, path string, open int) datasets.Outcome {
	out := datasets.Outcome{Tables: []datasets.Grid{{
		Head: []string{
			"key points", "judged", "found in the text", "kept",
			"κ of found", "κ of key point", "raters", "questions left",
		},
		Rows: [][]string{{
			fmt.Sprint(v.Points),
			fmt.Sprint(v.Judged),
			fmt.Sprint(v.Found),
			share(v.Agree, max(1, v.Points)),
			datasets.Coefficient(v.KappaFound, v.Shared),
			datasets.Coefficient(v.KappaKey, v.SharedKey),
			fmt.Sprint(v.Raters),
			fmt.Sprint(len(v.Questions)),
		}},
		Note: "κ: free-marginal multi-rater kappa over the points that all raters judged",
	}}}
	if v.Judged == 0 {
		out.Missing = "nobody has filled in the sheets: found_in_text takes yes or no, and key_point_verdict agree, neutral or disagree"
		return out
	}
	if len(v.Questions) == 0 {
		out.Missing = "no key point was confirmed, and nothing is written"
		return out
	}

	out.Write = func() error { return files.WriteLines(path, v.Questions) }
	out.Data = []string{path}
	out.Next = []string{"lore run long2rag " + path}
	if v.Judged < v.Points {
		out.Missing = fmt.Sprintf("%d of %d key points were judged by nobody and are left out; "+
			"%d rows of the sheets are open", v.Points-v.Judged, v.Points, open)
	}
	return out
}
