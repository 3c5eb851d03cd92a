package msrs

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"lore/datasets"
)

// Measures reads the authors' relevance grades that lie beside published answers:
// SETTING/evaluation/MODEL_rel_gpteval.json beside SETTING/summary. Grades are
// expected values from 1 to 5; here they are divided by 5.
func (Benchmark) Measures(answers string, ds *datasets.Dataset) (map[string]map[string]float64, error) {
	dir := filepath.Dir(answers)
	if filepath.Base(dir) != "summary" {
		return nil, nil
	}
	model := strings.TrimSuffix(strings.TrimSuffix(filepath.Base(answers), ".json"), "_summary")
	path := filepath.Join(filepath.Dir(dir), "evaluation", model+"_rel_gpteval.json")
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var file struct {
		Pass struct {
			Grades []float64 `json:"Summary_1"`
		} `json:"Pass #1"`
	}
	if err == nil {
		err = json.Unmarshal(data, &file)
	}
	bad := func(msg string) error {
		return &datasets.InputError{File: path, Msg: msg, Remedy: "it should hold the authors' grades, one per answer; move the answers elsewhere to leave it out", Err: err}
	}
	if err != nil {
		return nil, bad("cannot be read: " + err.Error())
	}
	graded, err := gradedItems(answers, ds, len(file.Pass.Grades))
	if err != nil {
		return nil, err
	}
	if len(graded) != len(file.Pass.Grades) {
		return nil, bad(fmt.Sprintf("has %d grades for %d items", len(file.Pass.Grades), len(ds.Items)))
	}
	out := map[string]map[string]float64{}
	for i, g := range file.Pass.Grades {
		if !(g >= 1 && g <= 5.0001) {
			return nil, bad(fmt.Sprintf("has the grade %g for answer %d; grades are from 1 to 5", g, i+1))
		}
		out[graded[i]] = map[string]float64{GEvalRecorded: g / 5}
	}
	return out, nil
}

// gradedItems lists the items that n grades are of: all, or those whose answer is
// not empty, which the authors' files leave out.
func gradedItems(answers string, ds *datasets.Dataset, n int) ([]string, error) {
	o, err := LoadOutputs(answers)
	if err != nil {
		return nil, err
	}
	var out []string
	for i, it := range ds.Items {
		if n == len(ds.Items) || (i < len(o.Texts) && strings.TrimSpace(o.Texts[i]) != "") {
			out = append(out, it.ID())
		}
	}
	return out, nil
}
