package msrs

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"lore/datasets"
)

// The authors' grades are read as they were released, a folder per model, and as a flat
// file; with the key of one reference or of the first of several; and inside "Pass #1" or
// not. Where an answer is empty, its grade is left out by the authors.
func TestRecordedGrades(t *testing.T) {
	ds, err := Benchmark{}.Load(nil)
	if err != nil {
		t.Fatal(err)
	}
	answers := []string{"one", "", "three", "four"}
	for _, place := range []string{"m_rel_gpteval.json", "m/m_rel_gpteval.json"} {
		for _, form := range []string{
			`{"Pass #1": {"Summary_1": [5, 2.5, 1]}}`, `{"Pass #1": {"Summary": [5, 2.5, 1]}}`,
			`{"Summary_1": [5, 2.5, 1]}`, `{"Summary": [5, 2.5, 1], "Mean": 3}`,
		} {
			got, err := recordedIn(t, ds, answers, place, form)
			if err != nil {
				t.Errorf("%s, %s: %v", place, form, err)
				continue
			}
			if len(got) != 3 || got[ds.Items[1].ID()] != nil || math.Abs(got[ds.Items[2].ID()][GEvalRecorded]-0.5) > 1e-9 {
				t.Errorf("%s, %s: %v", place, form, got)
			}
		}
	}

	for form, want := range map[string]string{
		`{"Pass #1": {"Summary_2": [1]}}`: "has no grades", `[1]`: "not valid JSON", `{"Pass #1": 3}`: "not an object",
		`{"Summary": {"a": 1}}`: "not a list", `{"Summary": [1, 2]}`: "2 figures for 4 answers, of which 3 have text", `{"Summary": [1, 2, 7]}`: "from 1 to 5",
	} {
		if _, err := recordedIn(t, ds, answers, "m_rel_gpteval.json", form); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", form, err, want)
		}
	}
}

// recordedIn reads grades that lie beside answers in a published folder.
func recordedIn(t *testing.T, ds *datasets.Dataset, answers []string, place, form string) (map[string]map[string]float64, error) {
	t.Helper()
	dir := t.TempDir()
	list, err := json.Marshal(answers)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "summary", "m_summary.json")
	for path, data := range map[string][]byte{file: list, filepath.Join(dir, "evaluation", place): []byte(form)} {
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return measured(file, ds)
}
