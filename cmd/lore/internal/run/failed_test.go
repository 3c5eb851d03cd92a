package run

import (
	"context"
	"path/filepath"
	"testing"

	"lore/cmd/lore/internal/models"
	"lore/cmd/lore/internal/pipeline"
	"lore/cmd/lore/internal/store"
	"lore/datasets"
	"lore/datasets/summhay"
	"lore/index"
	"lore/local"
)

// Answers that failed are told as they come, though no call failed.
func TestFailedAnswersAreTold(t *testing.T) {
	ds, err := summhay.Benchmark{}.Load(nil)
	if err != nil {
		t.Fatal(err)
	}
	theirs := Answers{System: datasets.System{Retriever: outside, Generator: "theirs"}, File: "theirs.jsonl", Outputs: map[string]datasets.Output{}}
	for i, it := range ds.Items[:2] {
		theirs.Outputs[it.ID()] = datasets.Output{Outcome: local.OK, Text: "- The tide turns [1]."}
		if i == 1 {
			theirs.Outputs[it.ID()] = datasets.Output{Outcome: local.BadFormat, Reason: "names a document that the data does not have"}
		}
	}
	folder, err := store.Open(filepath.Join(t.TempDir(), "run"))
	if err != nil {
		t.Fatal(err)
	}
	defer folder.Close()

	var told []store.FailedAnswer
	opt := Options{
		Answers:   []Answers{theirs},
		Judges:    []string{"lexical"},
		Limit:     2,
		Models:    models.Config{Slots: 1, Seed: 1},
		Pipelines: pipeline.Config{Analyzer: "en", BM25: index.DefaultBM25, IndexDir: t.TempDir(), Seed: 1},
		Seed:      1,
		Failed:    func(a store.FailedAnswer) { told = append(told, a) },
	}
	if opt.Systems() != 1 || len(opt.Items(ds)) != 2 {
		t.Errorf("%d systems, %d items", opt.Systems(), len(opt.Items(ds)))
	}
	if _, err := Run(context.Background(), summhay.Benchmark{}, ds, opt, folder); err != nil {
		t.Fatal(err)
	}
	want := store.FailedAnswer{System: "outside, theirs", Item: ds.Items[1].ID(), Reason: "names a document that the data does not have"}
	if len(told) != 1 || told[0] != want {
		t.Errorf("told: %+v, want %+v", told, want)
	}
}

// Prompts that begin alike are kept once, and letters are never parted.
func TestPromptsAreParted(t *testing.T) {
	ask := func(words string) []local.Message { return []local.Message{{Role: local.User, Content: words}} }
	got := parted([][]local.Message{ask("Read: é one"), ask("Read: è two"), ask("Read: é")})
	if len(got) != 1 || got[0].Begin != "Read: " || got[0].Ends[0] != "é one" || got[0].Ends[1] != "è two" || got[0].Ends[2] != "é" {
		t.Errorf("%+v", got)
	}
}
