package run

import (
	"bytes"
	"context"
	"testing"

	"lore/cmd/lore/internal/pipeline"
	"lore/cmd/lore/internal/store"
	"lore/cmd/lore/internal/usage"
	"lore/datasets/all"
	"lore/index"
)

// What judges will be asked is known nearly before anything is retrieved, and exactly before they are
// asked. All that was planned is done in the end.
func TestForesee(t *testing.T) {
	for _, name := range all.Names() {
		t.Run(name, func(t *testing.T) {
			bench, _ := all.Find(name)
			ds, err := bench.Load(nil)
			if err != nil {
				t.Fatal(err)
			}
			retrievers, err := pipeline.ParseList("bm25,oracle", "")
			if err != nil {
				t.Fatal(err)
			}
			var out bytes.Buffer
			_, stderr, board := usage.Printers(&out, &out)
			opt := Options{
				Retrievers: retrievers,
				Generators: []string{"extractive"},
				Judges:     []string{"lexical"},
				Limit:      2,
				Budget:     bench.Protocol().Budget,
				TopP:       1,
				Seed:       1,
				Pipelines:  pipeline.Config{Analyzer: "en", BM25: index.DefaultBM25, IndexDir: t.TempDir(), Seed: 1},
				Console:    usage.NewConsole(stderr),
			}
			folder, err := store.Open(t.TempDir())
			if err != nil {
				t.Fatal(err)
			}
			defer folder.Close()
			j, err := Prepare(context.Background(), bench, ds, opt, folder)
			if err != nil {
				t.Fatal(err)
			}
			defer j.Close()

			first := j.countQuestions(j.blank())
			if err := Together(context.Background(), j); err != nil {
				t.Fatal(err)
			}
			last, asked := j.expected, j.questions.count
			t.Logf("%d questions foreseen, %d once there were answers, %d asked", first, last, asked)
			if 10*first < 5*asked || 10*first > 15*asked || last != asked {
				t.Errorf("%d questions foreseen, then %d, and %d asked", first, last, asked)
			}
			if s, _ := board.State(); s.Done != s.Total || s.Total != asked {
				t.Errorf("%+v", s)
			}
		})
	}
}
