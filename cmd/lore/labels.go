package main

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"lore/cmd/lore/internal/report"
	"lore/cmd/lore/internal/usage"
	"lore/datasets/all"
	"lore/judge/agreement"
	"lore/local/files"
)

// loadLabels reads labels of any of the known forms.
func loadLabels(c *cobra.Command, path, human string) ([]agreement.Item, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, files.Unreadable(path, err, "give a labels file or a run folder")
	}
	if info.IsDir() {
		if human == "" {
			return nil, usage.Errorf("%s is a folder; "+
				"with a run folder, --human FILE names the human verdicts on it", path)
		}
		return runLabels(c, path, human)
	}

	items, notes, err := readLabels(path)
	console := usage.NewConsole(c.ErrOrStderr())
	for _, note := range notes {
		console.Note(path + ": " + note)
	}
	return items, err
}

// readLabels reads a file of labels, with what is to be said of it.
func readLabels(path string) (items []agreement.Item, notes []string, err error) {
	if !slices.Contains(labelEndings, strings.ToLower(filepath.Ext(path))) {
		labels, err := publishedLabels(path)
		return labels.Items, labels.Notes, err
	}
	data, err := files.Read(path, "give a labels file")
	if err != nil {
		return nil, nil, err
	}
	labels, err := agreement.Read(path, data)
	return labels.Items, labels.Notes, err
}

// labelEndings are those of files of labels.
var labelEndings = []string{".jsonl", ".csv", ".tsv"}

// publishedLabels reads labels in the form of the first benchmark that can.
func publishedLabels(path string) (agreement.Labels, error) {
	var err error = &files.Error{
		File:   path,
		Msg:    "is no file of labels by its name",
		Remedy: "give .csv, .tsv or .jsonl, or published labels in .json; save a spreadsheet as CSV in UTF-8",
	}
	if !strings.EqualFold(filepath.Ext(path), ".json") {
		return agreement.Labels{}, err
	}
	for _, b := range all.Benchmarks() {
		read := b.Protocol().Labels
		if read == nil {
			continue
		}
		var labels agreement.Labels
		if labels, err = read(path); err == nil {
			return labels, nil
		}
	}
	return agreement.Labels{}, err
}

// runLabels joins human verdicts with the answers and questions of a run.
func runLabels(c *cobra.Command, dir, human string) ([]agreement.Item, error) {
	verdicts, err := readHuman(human)
	if err != nil {
		return nil, err
	}
	r, err := loadRun(c, dir)
	if err != nil {
		return nil, err
	}
	warnUnchecked(c, r, dir)
	items, err := report.HumanItems(r, verdicts)
	if err != nil {
		return nil, &files.Error{File: human, Msg: err.Error(), Remedy: humanForm, Err: err}
	}
	return items, nil
}

// humanForm is what a file of human verdicts on a run must hold, for errors.
const humanForm = "retriever, generator, item and question are those of verdicts.jsonl"

// readHuman reads human verdicts on a run.
func readHuman(path string) ([]agreement.HumanVerdict, error) {
	data, err := files.Read(path, "give human verdicts on a run, lines of JSON or CSV")
	if err != nil {
		return nil, err
	}
	if ending := strings.ToLower(filepath.Ext(path)); ending == ".csv" || ending == ".tsv" {
		return agreement.ReadHumanSheet(path, data)
	}
	verdicts, err := agreement.ReadHuman(bytes.NewReader(data), path)
	return verdicts, files.Wrap(path, err)
}
