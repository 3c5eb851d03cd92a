package msrs

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"lore/datasets"
	"lore/local/files"
)

// Authors are what the authors recorded of a system's outputs, in percent; nil where no file says it. They
// leave empty outputs out.
type Authors struct {
	Rouge     map[string]Figure `json:"rouge,omitempty"` // F1 by metric: mid is the mean, with the bounds of their bootstrap
	BERTScore *Figure           `json:"bertscore_f1,omitempty"`
	GEval     *Figure           `json:"geval_relevance,omitempty"`
	NGraded   int               `json:"n_graded,omitempty"` // outputs that have a grade
}

// loadAuthors reads the files that lie beside published outputs, SETTING/evaluation beside SETTING/summary; nil
// where there are none.
func loadAuthors(o Outputs, seed uint64) (*Authors, error) {
	if o.Setting == "" {
		return nil, nil
	}
	var out Authors
	found := false
	for suffix, read := range map[string]func(data []byte) error{
		"_squality_rouge": out.readRouge,
		"_bert_score":     func(data []byte) error { return out.readBERTScore(data, o, seed) },
		"_rel_gpteval":    func(data []byte) error { return out.readGEval(data, o, seed) },
	} {
		path, data, err := evaluationFile(o.File, suffix, authorsRemedy)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		if err := read(data); err != nil {
			return nil, &datasets.InputError{File: path, Msg: err.Error(), Remedy: authorsRemedy, Err: err}
		}
		found = true
	}
	if !found {
		return nil, nil
	}
	return &out, nil
}

// authorsRemedy is the remedy of a file of the authors that cannot be used.
const authorsRemedy = "put the authors' file on these answers in its place, or move it elsewhere to leave it out"

// graded lists the answers, from 0, that n of the authors' figures are of: all, or those that have text, as the
// authors' files leave empty ones out. Of any other number nobody can tell which answer a figure is of.
func (o Outputs) graded(n int) ([]int, error) {
	var all, answered []int
	for i := range o.Texts {
		all = append(all, i)
		if o.answered(i) {
			answered = append(answered, i)
		}
	}

	switch n {
	case len(all):
		return all, nil
	case len(answered):
		return answered, nil
	}
	return nil, fmt.Errorf("has %d figures for %d answers, of which %d have text", n, len(all), len(answered))
}

// evaluationFile reads a file of the authors on a file of answers: in the folder of evaluations, or in one of
// the model's own there.
func evaluationFile(answers, suffix, remedy string) (path string, data []byte, err error) {
	folder := filepath.Join(filepath.Dir(filepath.Dir(answers)), "evaluation")
	model := modelName(answers)
	for _, path = range []string{filepath.Join(folder, model, model+suffix+".json"), filepath.Join(folder, model+suffix+".json")} {
		data, err = files.Read(path, remedy)
		if !errors.Is(err, fs.ErrNotExist) {
			break
		}
	}
	return path, data, err
}

// readRouge reads the bounds of the authors' bootstrap: {"rouge1": {"low": {"f1-measure": 0.4}, "mid":, "high":}}.
func (a *Authors) readRouge(data []byte) error {
	var file map[string]map[string]map[string]float64
	if err := json.Unmarshal(data, &file); err != nil {
		return fmt.Errorf("is not an object of ROUGE figures: %w", err)
	}
	a.Rouge = map[string]Figure{}
	for _, name := range []string{"rouge1", "rouge2", "rougeL", "rougeLsum"} {
		bound := func(key string) float64 { return 100 * file[name][key]["f1-measure"] }
		f := Figure{Mean: bound("mid"), Low: bound("low"), High: bound("high")}
		if !(f.Low >= 0 && f.Low <= f.Mean && f.Mean <= f.High && f.High <= 100) || len(file[name]) < 3 {
			return fmt.Errorf("has no low, mid and high of %s with an f1-measure each, from 0 to 1", name)
		}
		a.Rouge[name+"_f1"] = f
	}
	return nil
}

// readBERTScore reads the F1 of each output. The precision and recall beside it are exchanged.
func (a *Authors) readBERTScore(data []byte, o Outputs, seed uint64) error {
	var file struct {
		F1 []float64 `json:"f1"`
	}
	if err := json.Unmarshal(data, &file); err != nil {
		return fmt.Errorf("is not an object with a list f1: %w", err)
	}
	if len(file.F1) == 0 {
		return errors.New("has no list f1")
	}
	if _, err := o.graded(len(file.F1)); err != nil {
		return err
	}
	for i, v := range file.F1 {
		if !(v >= -1 && v <= 1.0001) {
			return fmt.Errorf("has the F1 %g for answer %d; it is from -1 to 1", v, i+1)
		}
	}
	f := figure(file.F1, seed)
	a.BERTScore = &f
	return nil
}

// readGEval reads the grade of each output: its mean of 1 to 5, times 20.
func (a *Authors) readGEval(data []byte, o Outputs, seed uint64) error {
	grades, err := parseGrades(data)
	if err != nil {
		return err
	}
	if len(grades) == 0 {
		return errors.New("has no grades")
	}
	if _, err := o.graded(len(grades)); err != nil {
		return err
	}
	shares := make([]float64, len(grades))
	for i, g := range grades {
		if err := checkGrade(g, i); err != nil {
			return err
		}
		shares[i] = g / 5
	}
	f := figure(shares, seed)
	a.GEval, a.NGraded = &f, len(grades)
	return nil
}

// checkGrade refuses a grade of the i-th answer that is not from 1 to 5. Expected values may be a rounding
// error above.
func checkGrade(g float64, i int) error {
	if !(g >= 1 && g <= 5.0001) {
		return fmt.Errorf("has the grade %g for answer %d; grades are from 1 to 5", g, i+1)
	}
	return nil
}
