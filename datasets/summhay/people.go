package summhay

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"

	"lore/datasets"
	"lore/local/files"
)

// Ask puts an item to a person, as the built-in prompt puts it to a model: topic, subtopic or query, and how many
// bullets and words the summary is to have. ok is false for an item of another benchmark.
func Ask(of datasets.Item) (request string, bullets, words int, ok bool) {
	it, ok := of.(*item)
	if !ok {
		return "", 0, 0, false
	}
	h := it.haystack
	kind := "Documents"
	if h.conversations() {
		kind = "Conversations"
	}
	request = kind + " about this: " + h.topic + "."
	if h.conversations() && it.subtopic.Query != "" || it.subtopic.Subtopic == "" {
		return request + " Question: " + it.subtopic.Query, len(it.insights), answerWords, true
	}
	return request + " Subject: " + it.subtopic.Subtopic + ".", len(it.insights), answerWords, true
}

// mostMinutes bounds what can be a time that somebody took: a year.
const mostMinutes = 366 * 24 * 60

// measured are the minutes that people took, of a file of answers whose lines say it. Lists of texts say nothing.
func measured(path string, _ *datasets.Dataset) (map[string]map[string]float64, error) {
	data, err := files.Read(path, "give a file of answers")
	if err != nil {
		return nil, err
	}
	if data = bytes.TrimSpace(data); len(data) > 0 && data[0] == '[' {
		return nil, nil
	}
	return minutesOf(path, data)
}

func minutesOf(path string, data []byte) (map[string]map[string]float64, error) {
	out := map[string]map[string]float64{}
	err := files.EachLine(data, func(place string, raw []byte) error {
		var line struct {
			Item    string
			Minutes json.RawMessage
		}
		if json.Unmarshal(raw, &line) != nil || line.Minutes == nil || string(line.Minutes) == "null" {
			return nil // the answers are read, and refused, elsewhere
		}
		var minutes float64
		if err := json.Unmarshal(line.Minutes, &minutes); err != nil || minutes < 0 || minutes > mostMinutes || math.IsNaN(minutes) {
			return fmt.Errorf("%s: its minutes are %.60s; write the time that the summary took as a number of minutes", place, line.Minutes)
		}
		out[line.Item] = map[string]float64{Minutes: minutes}
		return nil
	})
	return out, files.Wrap(path, err)
}
