package msrs

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"lore/datasets"
)

// measured reads the authors' relevance grades that lie beside published answers: beside
// SETTING/summary, SETTING/evaluation/MODEL/MODEL_rel_gpteval.json as they were released,
// or the same file without its folder. Grades are expected values from 1 to 5; here they
// are divided by 5. Answers that lie in the folder of another domain are refused.
func measured(answers string, ds *datasets.Dataset) (map[string]map[string]float64, error) {
	if filepath.Base(filepath.Dir(answers)) != "summary" {
		return nil, nil
	}
	if err := checkDomain(answers, ds.Items[0].Corpus().ID); err != nil {
		return nil, err
	}
	path, data, err := evaluationFile(answers, "_rel_gpteval", authorsRemedy)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}

	bad := func(err error, format string, args ...any) error {
		return &datasets.InputError{File: path, Msg: fmt.Sprintf(format, args...), Remedy: authorsRemedy, Err: err}
	}
	grades, err := parseGrades(data)
	if err != nil {
		return nil, bad(err, "%v", err)
	}

	o, err := LoadOutputs(answers)
	if err != nil {
		return nil, err
	}
	graded, err := o.graded(len(grades))
	if err != nil {
		return nil, bad(err, "%v", err)
	}
	out := map[string]map[string]float64{}
	for i, g := range grades {
		if err := checkGrade(g, i); err != nil {
			return nil, bad(err, "%v", err)
		}
		out[ds.Items[graded[i]].ID()] = map[string]float64{GEvalRecorded: g / 5}
	}
	return out, nil
}

// parseGrades reads the list of grades: under "Pass #1" or not, where there are several
// references by the name "Summary_1" of the first, and "Summary" where there is one.
func parseGrades(data []byte) ([]float64, error) {
	var file map[string]json.RawMessage
	if err := json.Unmarshal(data, &file); err != nil {
		return nil, fmt.Errorf("is not valid JSON: %w", err)
	}
	if pass, ok := file["Pass #1"]; ok {
		file = nil
		if err := json.Unmarshal(pass, &file); err != nil {
			return nil, fmt.Errorf(`"Pass #1" is not an object: %w`, err)
		}
	}

	for _, key := range []string{"Summary_1", "Summary"} {
		list, ok := file[key]
		if !ok {
			continue
		}
		var grades []float64
		if err := json.Unmarshal(list, &grades); err != nil {
			return nil, fmt.Errorf("%q is not a list of grades: %w", key, err)
		}
		return grades, nil
	}
	return nil, errors.New(`has no grades under "Summary_1" or "Summary", in "Pass #1" or outside`)
}
