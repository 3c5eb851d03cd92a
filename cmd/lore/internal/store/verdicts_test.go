package store

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"lore/datasets"
	"lore/judge"
)

func TestVerdictsKeepRepeatedTextsOnce(t *testing.T) {
	in := TaskVerdicts{Judged: datasets.Judged{System: datasets.System{Retriever: "r"}}, Item: "1", Questions: []judge.Question{{ID: "a", Text: "long"}, {ID: "b", Text: "long"}, {ID: "c", Text: "other"}, {ID: "d", Text: "other"}}}
	data, err := json.Marshal(in)
	if err != nil || strings.Count(string(data), "long") != 1 || strings.Count(string(data), "other") != 1 {
		t.Fatalf("%s, %v", data, err)
	}
	var out TaskVerdicts
	if err := json.Unmarshal(data, &out); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(in, out); d != "" {
		t.Error(d)
	}
}
