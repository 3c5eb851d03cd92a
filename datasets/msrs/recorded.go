package msrs

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

	"lore/datasets"
	"lore/local/files"
)

// measured reads the authors' relevance grades that lie beside published answers:
// SETTING/evaluation/MODEL_rel_gpteval.json beside SETTING/summary. Grades are
// expected values from 1 to 5; here they are divided by 5.
func measured(answers string, ds *datasets.Dataset) (map[string]map[string]float64, error) {
	dir := filepath.Dir(answers)
	if filepath.Base(dir) != "summary" {
		return nil, nil
	}
	const remedy = "it should hold the authors' grades, one per answer; move the answers elsewhere to leave it out"
	path := filepath.Join(filepath.Dir(dir), "evaluation", modelName(answers)+"_rel_gpteval.json")
	data, err := files.Read(path, remedy)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}

	var file struct {
		Pass struct {
			Grades []float64 `json:"Summary_1"`
		} `json:"Pass #1"`
	}
	bad := func(err error, format string, args ...any) error {
		return &datasets.InputError{File: path, Msg: fmt.Sprintf(format, args...), Remedy: remedy, Err: err}
	}
	if err := json.Unmarshal(data, &file); err != nil {
		return nil, bad(err, "is not valid JSON: %v", err)
	}

	grades := file.Pass.Grades
	graded, err := gradedItems(answers, ds, len(grades))
	if err != nil {
		return nil, err
	}
	if len(graded) != len(grades) {
		return nil, bad(nil, "has %d grades for %d items", len(grades), len(ds.Items))
	}
	out := map[string]map[string]float64{}
	for i, g := range grades {
		if !(g >= 1 && g <= 5.0001) { // expected values may be a rounding error above 5
			return nil, bad(nil, "has the grade %g for answer %d; grades are from 1 to 5", g, i+1)
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
