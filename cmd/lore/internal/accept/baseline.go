package accept

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"math"

	"lore/datasets"
	"lore/local/files"
)

// A baseline file is lines of JSON: a head, a line for each item, and a seal with the hash of
// all lines before it. So that changes of it are readable in a version control system,
// an item that did not change is a line that did not change.

// baselineFormat is the version of the file. 1: first version.
const baselineFormat = 1

// kindOfFile is in the head of every baseline file, and of no other.
const kindOfFile = "lore gate baseline"

// head is the first line.
type head struct {
	Kind      string            `json:"kind"`
	Format    int               `json:"format"`
	Lore      string            `json:"lore"`
	Benchmark string            `json:"benchmark"`
	DataHash  string            `json:"data_sha256"`
	Retriever string            `json:"retriever"`
	Generator string            `json:"generator"`
	Judge     string            `json:"judge"`
	Measured  map[string]string `json:"measured_by"`
	Items     int               `json:"items"`
}

// seal is the last line.
type seal struct {
	SHA256 string `json:"sha256"`
}

// Encode is a subject as a baseline file: no texts, and the same bytes for the same run.
func Encode(s Subject) ([]byte, error) {
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	first := head{
		Kind:      kindOfFile,
		Format:    baselineFormat,
		Lore:      s.Lore,
		Benchmark: s.Benchmark,
		DataHash:  s.DataHash,
		Retriever: s.Retriever,
		Generator: s.Generator,
		Judge:     s.Judge,
		Measured:  s.Measured,
		Items:     len(s.Items),
	}
	err := enc.Encode(first)
	for _, it := range s.Items {
		err = errors.Join(err, enc.Encode(it))
	}
	if err != nil {
		return nil, fmt.Errorf("encode the baseline: %w", err)
	}

	sum := sha256.Sum256(out.Bytes())
	err = enc.Encode(seal{hex.EncodeToString(sum[:])})
	return out.Bytes(), err
}

// baselineRemedy says where baseline files come from.
const baselineRemedy = "write it anew with `lore gate RUN --save-baseline FILE`, or give a run folder"

// ErrDamaged says that a baseline file is not as lore wrote it.
var ErrDamaged = errors.New("the baseline is not as lore wrote it")

// Decode reads a baseline file, and compares it with its seal. Ends of lines may be those of
// any system: version control may have changed them.
func Decode(name string, data []byte) (Subject, error) {
	var places []string
	var lines [][]byte
	_ = files.EachLine(data, func(place string, line []byte) error {
		places, lines = append(places, place), append(lines, line)
		return nil
	})
	refuse := func(i int, format string, args ...any) error {
		e := &files.Error{File: name, Msg: fmt.Sprintf(format, args...), Remedy: baselineRemedy, Err: ErrDamaged}
		if i < len(places) {
			e.Place = places[i]
		}
		return e
	}

	var h head
	if len(lines) == 0 || json.Unmarshal(lines[0], &h) != nil || h.Kind != kindOfFile {
		return Subject{}, refuse(0, "is no baseline of lore gate")
	}
	if h.Format < 1 || h.Format > baselineFormat {
		return Subject{}, refuse(0, "has format %d; this lore reads format %d", h.Format, baselineFormat)
	}
	last := len(lines) - 1
	if err := checkSeal(lines); err != nil {
		return Subject{}, refuse(last, "%v", err)
	}
	if h.Items != last-1 || h.Items < 1 || h.Benchmark == "" {
		return Subject{}, refuse(0, "has %d items, and the head says %d", last-1, h.Items)
	}

	out := Subject{
		From:      name,
		Lore:      h.Lore,
		Benchmark: h.Benchmark,
		DataHash:  h.DataHash,
		Judged:    datasets.Judged{System: datasets.System{Retriever: h.Retriever, Generator: h.Generator}, Judge: h.Judge},
		Measured:  h.Measured,
		Items:     make([]Item, h.Items),
	}
	seen := map[string]bool{}
	for i := range out.Items {
		it := &out.Items[i]
		if err := json.Unmarshal(lines[i+1], it); err != nil {
			return Subject{}, refuse(i+1, "is damaged: %v", err)
		}
		if err := it.valid(seen); err != nil {
			return Subject{}, refuse(i+1, "%v", err)
		}
	}
	return out, nil
}

// checkSeal compares the last line with the others.
func checkSeal(lines [][]byte) error {
	var s seal
	last := len(lines) - 1
	if json.Unmarshal(lines[last], &s) != nil || s.SHA256 == "" {
		return errors.New("has no hash at its end: a part of it is missing")
	}
	hash := sha256.New()
	for _, l := range lines[:last] {
		hash.Write(l)
		hash.Write([]byte("\n"))
	}
	if got := hex.EncodeToString(hash.Sum(nil)); got != s.SHA256 {
		return fmt.Errorf("was changed after lore wrote it: its hash is %.8s, its last line says %.8s", got, s.SHA256)
	}
	return nil
}

// valid refuses what no run can have.
func (it Item) valid(seen map[string]bool) error {
	if it.ID == "" || seen[it.ID] {
		return fmt.Errorf("the item %.60q is there twice, or has no name", it.ID)
	}
	seen[it.ID] = true

	all := it.Values
	if it.Grades != nil {
		all = append(all[:len(all):len(all)], *it.Grades)
	}
	for _, v := range all {
		if len(v.Units) != len(v.Values) {
			return fmt.Errorf("%.60q has %d values for %d units", v.Metric, len(v.Values), len(v.Units))
		}
		for _, x := range v.Values {
			if math.Abs(x) > farthest {
				return fmt.Errorf("%.60q has the value %g", v.Metric, x)
			}
		}
	}
	return nil
}
