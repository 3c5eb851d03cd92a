package summhay

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"strconv"
	"strings"

	"lore/datasets"
	"lore/judge"
	"lore/judge/agreement"
	"lore/local"
)

// recordedPrefix begins the keys of recorded judges in a file of human labels.
const recordedPrefix = "predictions_"

// LoadLabels reads human coverage labels of the published format, with the
// verdicts of the recorded judges that stand beside them.
func LoadLabels(path string) ([]agreement.Item, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, &datasets.InputError{File: path, Msg: "cannot be read", Remedy: "give the path of a labels file", Err: err}
	}
	return ParseLabels(path, data)
}

// ParseLabels decodes a labels file; name stands in errors.
func ParseLabels(name string, data []byte) ([]agreement.Item, error) {
	data = bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))
	var rows []map[string]json.RawMessage
	if err := json.Unmarshal(data, &rows); err != nil {
		return nil, decodeError(name, data, err)
	}
	if len(rows) == 0 {
		return nil, &datasets.InputError{File: name, Msg: "has no labels", Remedy: "a labels file is a list of summaries with annotation"}
	}
	var out []agreement.Item
	for i, row := range rows {
		it, err := parseLabelled(row)
		if err != nil {
			return nil, &datasets.InputError{File: name, Place: fmt.Sprintf("summary %d", i+1), Msg: err.Error(),
				Remedy: "a summary has summary, reference_insights and annotation with insight_id, coverage and candidate_id", Err: err}
		}
		it.Task.ID = fmt.Sprintf("%s#%d", it.System, i+1)
		out = append(out, it)
	}
	return out, nil
}

func parseLabelled(row map[string]json.RawMessage) (agreement.Item, error) {
	var head struct {
		SubtopicID string    `json:"subtopic_id"`
		Subtopic   string    `json:"subtopic"`
		SummKey    string    `json:"summkey"`
		Summary    []string  `json:"summary"`
		Insights   []Insight `json:"reference_insights"`
		Annotation []struct {
			InsightID   string          `json:"insight_id"`
			Coverage    string          `json:"coverage"`
			CandidateID json.RawMessage `json:"candidate_id"`
		} `json:"annotation"`
	}
	whole, err := json.Marshal(row)
	if err != nil {
		return agreement.Item{}, err
	}
	if err := json.Unmarshal(whole, &head); err != nil {
		return agreement.Item{}, err
	}
	it := agreement.Item{System: strings.TrimPrefix(head.SummKey, summaryPrefix), Group: head.SubtopicID, Recorded: map[string][]judge.Verdict{},
		Task: judge.Task{About: head.Subtopic, Units: head.Summary}}
	at := map[string]int{}
	for _, in := range head.Insights {
		if _, dup := at[in.InsightID]; dup {
			return it, fmt.Errorf("insight %s is there twice", in.InsightID)
		}
		at[in.InsightID] = len(it.Task.Questions)
		it.Task.Questions = append(it.Task.Questions, judge.Question{ID: in.InsightID, Kind: judge.Coverage, Text: in.Insight})
		it.Human = append(it.Human, judge.Unscored(in.InsightID, local.Empty, "not labelled"))
	}
	for _, a := range head.Annotation {
		k, ok := at[a.InsightID]
		label := recordedLabels[a.Coverage]
		if !ok || label == "" {
			return it, fmt.Errorf("annotation of insight %q with coverage %q: one of them is unknown", a.InsightID, a.Coverage)
		}
		it.Human[k] = judge.Verdict{Question: a.InsightID, Label: label, Value: judge.Values[judge.Coverage][label]}
		if n, err := strconv.Atoi(strings.Trim(string(a.CandidateID), `" `)); err == nil { // "no_selection" is no number
			if n < 0 || n >= len(head.Summary) {
				return it, fmt.Errorf("annotation of insight %s selects line %d of %d", a.InsightID, n, len(head.Summary))
			}
			it.Human[k].Unit = n + 1
		}
	}
	for key, raw := range row {
		if !strings.HasPrefix(key, recordedPrefix) {
			continue
		}
		var recorded []RecordedVerdict
		if err := json.Unmarshal(raw, &recorded); err != nil {
			return it, fmt.Errorf("%s: %w", key, err)
		}
		it.Recorded[key] = recordedByQuestion(it.Task.Questions, recorded)
	}
	return it, nil
}

// recordedByQuestion puts recorded verdicts into the order of the questions. The
// bullet is the number as recorded; what is no number names no bullet.
func recordedByQuestion(questions []judge.Question, recorded []RecordedVerdict) []judge.Verdict {
	by := map[string]RecordedVerdict{}
	for _, v := range recorded {
		by[v.InsightID] = v
	}
	out := make([]judge.Verdict, len(questions))
	for i, q := range questions {
		v, ok := by[q.ID]
		label := recordedLabels[v.Coverage]
		switch {
		case !ok:
			out[i] = judge.Unscored(q.ID, local.Empty, "the file has no verdict")
		case label == "":
			out[i] = judge.Unscored(q.ID, local.BadFormat, fmt.Sprintf("the recorded label %q is not on the menu", v.Coverage))
		default:
			out[i] = judge.Verdict{Question: q.ID, Label: label, Value: judge.Values[judge.Coverage][label]}
			if v.BulletID.Valid {
				out[i].Unit = v.BulletID.Number
			}
		}
	}
	return out
}
