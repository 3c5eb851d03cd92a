package agreement

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"

	"lore/judge"
	"lore/local"
	"lore/local/files"
)

// HumanVerdict is one line of human verdicts on a run. Where labels were drawn by a plan, such as
// that of lore label, each line has the stratum it was drawn from, and the probability with which
// it was: labels of the stratum over the verdicts in it, of this system.
type HumanVerdict struct {
	Retriever string `json:"retriever"`
	Generator string `json:"generator"`
	Item      string `json:"item"`
	Question  string `json:"question"`
	Label     string `json:"label"`
	Unit      int    `json:"unit"`

	ID          string  `json:"id,omitempty"` // of the label; a text that several systems gave has one
	Stratum     string  `json:"stratum,omitempty"`
	Probability float64 `json:"probability,omitempty"` // in (0,1]; 0: not drawn by a plan
}

// valid refuses a line that names nothing, or has a probability that is none.
func (h HumanVerdict) valid() error {
	switch {
	case h.Item == "" || h.Question == "" || h.Label == "":
		return errors.New("item, question and label are needed")
	case !(h.Probability >= 0 && h.Probability <= 1):
		return fmt.Errorf("the probability %g does not lie between 0 and 1", h.Probability)
	case h.Stratum != "" && h.Probability == 0:
		return fmt.Errorf("the stratum %q has no probability beside it", h.Stratum)
	}
	return nil
}

// humanColumns are those of human verdicts on a run in a sheet that must be there.
var humanColumns = []string{"retriever", "generator", "item", "question", "label"}

// ReadHumanSheet reads human verdicts on a run from CSV with their names as its heading.
func ReadHumanSheet(name string, data []byte) ([]HumanVerdict, error) {
	const remedy = "unit is a whole number, probability a number from 0 to 1"
	var out []HumanVerdict
	err := files.EachRow(name, data, humanColumns, remedy, func(get func(string) string) error {
		h := HumanVerdict{
			Retriever: get("retriever"), Generator: get("generator"), Item: get("item"), Question: get("question"),
			Label: get("label"), ID: get("id"), Stratum: get("stratum"),
		}
		if h.Label == "" {
			return nil // not labelled yet
		}
		if s := get("unit"); s != "" {
			v, ok := number(s)
			if !ok || v != math.Trunc(v) || v < 0 || v > 1e9 {
				return fmt.Errorf("the unit %q is no whole number", s)
			}
			h.Unit = int(v)
		}
		if s := get("probability"); s != "" {
			v, ok := number(s)
			if !ok {
				return fmt.Errorf("the probability %q is no number", s)
			}
			h.Probability = v
		}
		out = append(out, h)
		return h.valid()
	})
	if err == nil && len(out) == 0 {
		err = fmt.Errorf("%s: no verdicts", name)
	}
	return out, err
}

// ReadHuman reads human verdicts on a run, one JSON object a line.
func ReadHuman(r io.Reader, name string) ([]HumanVerdict, error) {
	var out []HumanVerdict
	scan := bufio.NewScanner(r)
	scan.Buffer(nil, 1<<24)
	for line := 1; scan.Scan(); line++ {
		data := bytes.TrimSpace(scan.Bytes())
		if len(data) == 0 {
			continue
		}

		dec := json.NewDecoder(bytes.NewReader(data))
		dec.DisallowUnknownFields()
		var h HumanVerdict
		if err := dec.Decode(&h); err != nil {
			place := fmt.Sprintf("line %d", line)
			return nil, &files.Error{File: name, Place: place, Msg: humanWords(data, err), Remedy: humanLines, Err: err}
		}
		if err := h.valid(); err != nil {
			return nil, fmt.Errorf("%s:%d: %w", name, line, err)
		}
		out = append(out, h)
	}

	if err := scan.Err(); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("%s: no verdicts", name)
	}
	return out, nil
}

// humanLines is the form of human verdicts on a run, for errors.
const humanLines = "give a line of JSON per verdict with retriever, generator, item, question, label and unit, or CSV; " +
	"labels of texts that are no run's are measured without --human"

// humanWords says what is wrong with a line.
func humanWords(data []byte, err error) string {
	if data[0] == '[' {
		return "is a list, or the beginning of one, where the JSON object of a verdict belongs"
	}
	if field, ok := strings.CutPrefix(err.Error(), "json: unknown field "); ok {
		return "has the field " + field + ", which no verdict has"
	}
	return files.JSONWords(err)
}

// Unlabelled marks a question that nobody labelled.
func Unlabelled(question string) judge.Verdict {
	return judge.Unscored(question, local.Empty, "not labelled")
}
