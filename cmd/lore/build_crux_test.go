package main

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/ollama/ollama/api"

	"lore/local/ollama/ollamatest"
)

// A model that judges a build is asked all questions on a passage at once, or one by one, by either
// rubric; where it grades alike the data are the same.
func TestBuildCruxGradesTogether(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	dir := t.TempDir()
	built := map[string][]byte{}
	calls := map[string]int64{}
	for name, args := range map[string][]string{
		"together":   nil,
		"one by one": {"--one-by-one"},
		"paper":      {"--rubric", "paper"},
	} {
		var grades atomic.Int64
		server := &ollamatest.Server{Slots: 2, Answer: func(req api.ChatRequest) string {
			if strings.Contains(req.Messages[len(req.Messages)-1].Content, "\nQuestion") {
				grades.Add(1)
			}
			return goodParts(req)
		}}
		out := filepath.Join(dir, name)
		mustRun(t, slices.Concat([]string{"build", "crux", "--msrs", "../../datasets/msrs/sample/story", "--questions", "2", "--model", "ollama:fake",
			"--judge", "ollama:fake", "--cache", "none", "--host", server.Start(t).URL, "--out", out}, args)...)
		data, err := os.ReadFile(filepath.Join(out, "topics.jsonl"))
		if err != nil {
			t.Fatal(err)
		}
		built[name], calls[name] = data, grades.Load()
	}

	t.Logf("calls that grade: %v", calls)
	if calls["one by one"] != 2*calls["together"] || calls["together"] == 0 || calls["paper"] != calls["together"] {
		t.Errorf("%v, with two questions on each passage", calls)
	}
	if !bytes.Equal(built["together"], built["one by one"]) || !bytes.Equal(built["together"], built["paper"]) {
		t.Error("the data differ")
	}
}
