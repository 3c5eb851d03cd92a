package summhay

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"lore/datasets"
	"lore/datasets/rows"
	"lore/local/files"
)

// wanted says what is looked for in a folder, for errors.
const wanted = `haystack, a .json file with "documents" and "subtopics" such as topic_news1.json,`

// locate puts the haystacks of folders in the place of these. A clone holds other JSON, too, such as
// the human labels: what is left out is named.
func locate(paths []string) (found []string, warnings []string, err error) {
	for _, p := range paths {
		isFolder, err := files.IsFolder(p, "give a SummHay haystack file (topic_*.json), or a folder of them")
		if err != nil {
			return nil, nil, err
		}
		if !isFolder {
			found = append(found, p)
			continue
		}

		inside, others, err := haystacksBelow(p)
		if err != nil {
			return nil, nil, err
		}
		if len(inside) == 0 {
			return nil, nil, noHaystack(p, others)
		}
		found = append(found, inside...)
		if len(others) > 0 {
			warnings = append(warnings, leftOut(p, len(inside), others))
		}
	}
	return found, warnings, nil
}

func leftOut(dir string, read int, others []string) string {
	return fmt.Sprintf("%s: %d haystacks are read; no haystacks, and left out: %s", dir, read, datasets.Some(others))
}

// haystacksBelow are the haystacks below a folder, and by their paths in it the other files beside
// them that data may be in; all of these where there is no haystack.
func haystacksBelow(dir string) (found, others []string, err error) {
	names, err := files.Below(dir)
	if err != nil {
		return nil, nil, err
	}
	var labels []string
	for _, n := range names {
		whole := filepath.Join(dir, filepath.FromSlash(n))
		base := path.Base(n)
		ending := strings.ToLower(filepath.Ext(base))
		switch {
		case datasets.IsBesides(base) || !slices.Contains(dataEndings, ending):
		case ending == ".json" && (isTopic(base) || isHaystack(whole)):
			found = append(found, whole)
		case ending == ".json" && isLabels(whole): // people's labels belong beside haystacks, and to other commands
			labels = append(labels, n)
		default:
			others = append(others, n)
		}
	}
	if len(found) == 0 {
		return nil, append(others, labels...), nil
	}
	others = slices.DeleteFunc(others, func(n string) bool { // what lies elsewhere is somebody else's
		beside := filepath.Join(dir, filepath.FromSlash(path.Dir(n)))
		return !slices.ContainsFunc(found, func(f string) bool { return filepath.Dir(f) == beside })
	})
	return found, others, nil
}

// dataEndings are those of files that may hold haystacks, in the published form or in that of a hub.
var dataEndings = []string{".json", ".jsonl", ".parquet"}

// isTopic tells a published haystack by its name, whatever is in it: a damaged one must be told of.
func isTopic(base string) bool { return strings.HasPrefix(base, "topic_") }

// isHaystack tells a haystack under another name by what is in it.
func isHaystack(file string) bool {
	data, err := files.ReadFile(file)
	if err != nil {
		return false
	}
	var f struct{ Documents, Subtopics json.RawMessage }
	return json.Unmarshal(data, &f) == nil && f.Documents != nil && f.Subtopics != nil
}

// isLabels tells the published file of people's labels, which lies beside the haystacks, by its first summary.
func isLabels(file string) bool {
	data, err := files.ReadFile(file)
	if err != nil {
		return false
	}
	dec := json.NewDecoder(bytes.NewReader(data))
	if start, err := dec.Token(); err != nil || start != json.Delim('[') {
		return false
	}
	var first struct {
		Annotation json.RawMessage
		Insights   json.RawMessage `json:"reference_insights"`
	}
	return dec.Decode(&first) == nil && first.Annotation != nil && first.Insights != nil
}

// errLooked ends the reading of a table whose first row has been looked at.
var errLooked = errors.New("the first row was looked at")

// holdsHaystacks tells a table with a haystack per row by its first one.
func holdsHaystacks(path string) (is bool, err error) {
	if !isTable(path) {
		return false, nil
	}
	err = rows.Each(path, func(_ int, row map[string]any) error {
		is = row["documents"] != nil && row["subtopics"] != nil
		return errLooked
	})
	if errors.Is(err, errLooked) {
		err = nil
	}
	return is, err
}

// noHaystack is the error of a folder without haystacks. One level too low they are near, and a
// hub's tables can be imported.
func noHaystack(dir string, others []string) error {
	tables := slices.DeleteFunc(slices.Clone(others), func(n string) bool {
		holds, err := holdsHaystacks(filepath.Join(dir, filepath.FromSlash(n)))
		return err != nil || !holds
	})
	if len(tables) > 0 {
		return &datasets.InputError{
			File:   dir,
			Msg:    "holds no haystack in the published form, but tables of them: " + datasets.Some(tables),
			Remedy: "convert them first: lore data import summhay " + files.Quoted(dir) + " --out haystacks",
		}
	}

	for _, up := range files.Near(dir) {
		names, err := files.Below(up)
		named := func(n string) bool { return isTopic(path.Base(n)) && path.Ext(n) == ".json" }
		if i := slices.IndexFunc(names, named); err == nil && i >= 0 {
			near := filepath.Join(up, filepath.FromSlash(path.Dir(names[i])))
			return datasets.NoSet(Benchmark{}.Name(), dir, wanted, []string{near})
		}
	}
	return datasets.NoSet(Benchmark{}.Name(), dir, wanted, nil)
}
