package run

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"lore/cmd/lore/internal/usage"
	"lore/datasets"
	"lore/local"
	"lore/local/files"
)

// Answers are the answers of a system from outside.
type Answers struct {
	datasets.System // as far as the file's name tells
	File            string
	More            []string                   // files besides, that hold answers of the same system to other items
	Outputs         map[string]datasets.Output // by the item's id; every item has one

	// Ranking is the file of what the system retrieved, and Found that by the item's id. Only
	// items that the system has not answered may lack it. Empty and nil: not known.
	Ranking string
	Found   map[string]datasets.Retrieved
}

// Gold is the generator that gives the reference answer: the upper bound of a report.
const Gold = "gold"

// goldFile stands for a file where the answers are Gold.
const goldFile = "the data"

// GoldAnswers are the items' first references.
func GoldAnswers(ds *datasets.Dataset) (Answers, error) {
	a := Answers{
		System:  datasets.System{Retriever: outside, Generator: Gold},
		File:    goldFile,
		Outputs: map[string]datasets.Output{},
	}

	some := false
	for _, it := range ds.Items {
		out := datasets.Output{Outcome: local.Empty, Reason: "the item has no reference answer"}
		if r, ok := it.(datasets.Referenced); ok && len(r.References()) > 0 {
			out, some = datasets.Output{Text: r.References()[0], Outcome: local.OK}, true
		}
		a.Outputs[it.ID()] = out
	}
	if !some {
		return a, usage.Errorf("the generator %s needs data with reference answers", Gold)
	}
	return a, nil
}

// answersFormat words what is read, for errors.
const answersFormat = `answers are lines of {"item": "...", "answer": "..."} in a .jsonl file, ` +
	`or a .json list of texts in the order of the items`

// ReadAnswers reads the answers of a system, from one file or from several that answer different items, and checks them
// against the items. An item without an answer, or with an empty one, has a failed output: it is counted, not
// scored.
func ReadAnswers(paths []string, bench datasets.Benchmark, ds *datasets.Dataset) (Answers, error) {
	a, err := readAnswers(paths[0], bench, ds)
	names := filepath.Base(paths[0])
	for _, path := range paths[1:] {
		if err != nil {
			return a, err
		}
		var more Answers
		if more, err = readAnswers(path, bench, ds); err != nil {
			return a, err
		}
		names += ", " + filepath.Base(path)
		a.More, err = append(a.More, path), a.pool(more)
	}
	if len(a.More) > 0 {
		for id, out := range a.Outputs {
			if out.Reason == a.lacking() {
				out.Reason = noAnswer + names
				a.Outputs[id] = out
			}
		}
	}
	return a, err
}

// noAnswer begins the reason of an item that a file does not answer; its name follows.
const noAnswer = "there is no answer in "

// lacking is the reason of an item that the file does not answer.
func (a *Answers) lacking() string { return noAnswer + filepath.Base(a.File) }

// pool takes the answers of another file to items that have none yet.
func (a *Answers) pool(more Answers) error {
	for _, id := range slices.Sorted(maps.Keys(more.Outputs)) {
		out := more.Outputs[id]
		if out.Reason == more.lacking() {
			continue
		}
		if a.Outputs[id].Reason != a.lacking() {
			return &datasets.InputError{
				File:   more.File,
				Msg:    fmt.Sprintf("answers the item %q, which another file of the same name answers, too", id),
				Remedy: "two answers of one item are of two systems: give the files two names, --answers A=FILE,B=FILE",
			}
		}
		a.Outputs[id] = out
	}
	return nil
}

// readAnswers reads one file.
func readAnswers(path string, bench datasets.Benchmark, ds *datasets.Dataset) (Answers, error) {
	data, err := files.Read(path, answersFormat)
	if err != nil {
		return Answers{}, err
	}

	var texts map[string]string
	if bytes.HasPrefix(bytes.TrimSpace(data), []byte("[")) {
		texts, err = answerList(data, ds)
	} else {
		texts, err = answerLines(data, ds)
	}
	if err != nil {
		return Answers{}, files.Wrap(path, err)
	}

	a := Answers{System: answersName(path), File: path, Outputs: map[string]datasets.Output{}}
	var measures map[string]map[string]float64
	if measured := bench.Protocol().Measured; measured != nil {
		if measures, err = measured(path, ds); err != nil {
			return a, err
		}
	}

	for _, it := range ds.Items {
		text, ok := texts[it.ID()]
		out := datasets.Output{Text: text, Outcome: local.OK, Measures: measures[it.ID()]}
		switch {
		case !ok:
			out = datasets.Output{Outcome: local.Empty, Reason: a.lacking()}
		case strings.TrimSpace(text) == "":
			out = datasets.Output{Outcome: local.Empty, Reason: "the answer in " + filepath.Base(path) + " is empty"}
		}
		a.Outputs[it.ID()] = out
	}
	return a, nil
}

// answerList reads a list of texts, in the order of the items, into texts by item.
func answerList(data []byte, ds *datasets.Dataset) (map[string]string, error) {
	out := map[string]string{}
	n := 0
	err := files.EachValue(data, func(place string, raw json.RawMessage) error {
		var text string
		if err := json.Unmarshal(raw, &text); err != nil {
			return fmt.Errorf("%s is %s, not a text", place, kindOf(raw))
		}
		if n++; n <= len(ds.Items) {
			out[ds.Items[n-1].ID()] = text
		}
		return nil
	})
	switch {
	case err != nil:
		return nil, fmt.Errorf("is not a list of texts: %w; %s", err, answersFormat)
	case n > len(ds.Items):
		return nil, fmt.Errorf("has %d answers for %d items; give the data that the answers were made from",
			n, len(ds.Items))
	case n < len(ds.Items):
		return nil, fmt.Errorf("has %d answers for %d items; give the data that the answers were made from, "+
			`or, of some items alone, lines of {"item": "...", "answer": "..."} in a .jsonl file`, n, len(ds.Items))
	}
	return out, nil
}

// kindOf names what a JSON value is.
func kindOf(raw json.RawMessage) string {
	switch raw[0] {
	case '{':
		return "an object"
	case '[':
		return "a list"
	case 't', 'f':
		return "true or false"
	}
	return "a number"
}

// badField words an error about a value that is no text; empty for others.
func badField(err error) string {
	bad, ok := errors.AsType[*json.UnmarshalTypeError](err)
	switch {
	case !ok:
		return ""
	case bad.Field == "":
		return fmt.Sprintf("is a JSON %s, not an object", bad.Value)
	}
	return fmt.Sprintf("its %s is a JSON %s, not a text", bad.Field, bad.Value)
}

// itemID is the id of an item, a text or an integer.
type itemID string

// UnmarshalJSON reads either.
func (id *itemID) UnmarshalJSON(data []byte) error {
	var ids files.IDs
	if err := ids.UnmarshalJSON(slices.Concat([]byte("["), data, []byte("]"))); err != nil || len(ids) != 1 {
		value := strings.TrimPrefix(strings.TrimPrefix(kindOf(data), "an "), "a ")
		return &json.UnmarshalTypeError{Value: value, Type: reflect.TypeFor[string]()}
	}
	*id = itemID(ids[0])
	return nil
}

// answerLine is one line of a file of answers. Both fields must be there; an answer may
// be empty.
type answerLine struct {
	Item   *itemID `json:"item"`
	Answer *string `json:"answer"`
}

// answerLines reads lines of JSON into texts by item.
func answerLines(data []byte, ds *datasets.Dataset) (map[string]string, error) {
	known := idsOf(ds)
	out := map[string]string{}
	err := files.EachLine(data, func(place string, raw []byte) error {
		var line answerLine
		err := json.Unmarshal(raw, &line)
		switch {
		case badField(err) != "":
			return fmt.Errorf("%s: %s; %s", place, badField(err), answersFormat)
		case err != nil:
			return fmt.Errorf("%s: is not valid JSON: %w; %s", place, err, answersFormat)
		case line.Item == nil || line.Answer == nil:
			return fmt.Errorf("%s: lacks item or answer; %s", place, answersFormat)
		case !slices.Contains(known, string(*line.Item)):
			return fmt.Errorf("%s: the data has no item %q%s; item ids are in answers.jsonl of any run of that data",
				place, *line.Item, orNearest(string(*line.Item), known))
		}

		item := string(*line.Item)
		if _, twice := out[item]; twice {
			return fmt.Errorf("%s: the item %q is answered twice", place, item)
		}
		out[item] = *line.Answer
		return nil
	})
	if err != nil {
		return nil, err
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("holds no answers; %s", answersFormat)
	}
	return out, nil
}

// answersName reads a system's name off its file: SETTING/summary/MODEL_summary.json
// as MSRS publishes them, else the file's name.
func answersName(path string) datasets.System {
	base := filepath.Base(path)
	model := strings.TrimSuffix(strings.TrimSuffix(base, filepath.Ext(base)), "_summary")

	dir := filepath.Dir(path)
	if filepath.Base(dir) == "summary" {
		if setting := filepath.Base(filepath.Dir(dir)); setting != "." && setting != string(filepath.Separator) {
			return datasets.System{Retriever: setting, Generator: model}
		}
	}
	return datasets.System{Retriever: outside, Generator: model}
}
