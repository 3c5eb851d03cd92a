package agreement

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"

	"lore/judge"
	"lore/local"
)

// HumanVerdict is one line of human verdicts on a run.
type HumanVerdict struct {
	Retriever string `json:"retriever"`
	Generator string `json:"generator"`
	Item      string `json:"item"`
	Question  string `json:"question"`
	Label     string `json:"label"`
	Unit      int    `json:"unit"`
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
			return nil, fmt.Errorf("%s:%d: %w", name, line, err)
		}
		if h.Item == "" || h.Question == "" || h.Label == "" {
			return nil, fmt.Errorf("%s:%d: item, question and label are needed", name, line)
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

// Unlabelled marks a question that nobody labelled.
func Unlabelled(question string) judge.Verdict {
	return judge.Unscored(question, local.Empty, "not labelled")
}
