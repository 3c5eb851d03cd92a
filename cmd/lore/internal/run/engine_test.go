package run

import (
	"context"
	"net"
	"sync"
	"testing"

	"lore/cmd/lore/internal/models"
	"lore/cmd/lore/internal/pipeline"
	"lore/cmd/lore/internal/store"
	"lore/datasets"
	"lore/datasets/summhay"
	"lore/embed"
	"lore/index"
	"lore/local/ollama/ollamatest"
)

// A whole run with models, and one without, open no connection but to the
// configured server: the dialer refuses and records everything else.
func TestNoOtherHostIsDialled(t *testing.T) {
	server := (&ollamatest.Server{Answer: ollamatest.Plausible}).Start(t)
	allowed := server.Listener.Addr().String()
	for name, c := range map[string]struct {
		generator, judge, more string
		dials                  bool
	}{"built in": {"extractive", "lexical", "", false}, "models": {"ollama:fake", "ollama:fake", ",dense:ollama:fake>rerank:llm:fake@3", true}} {
		t.Run(name, func(t *testing.T) {
			var mu sync.Mutex
			dialled := map[string]int{}
			retrievers, err := pipeline.ParseList("bm25,random"+c.more, "")
			if err != nil {
				t.Fatal(err)
			}
			dial := func(ctx context.Context, network, addr string) (net.Conn, error) {
				mu.Lock()
				dialled[addr]++
				mu.Unlock()
				if addr != allowed {
					return nil, net.ErrClosed
				}
				return (&net.Dialer{}).DialContext(ctx, network, addr)
			}
			opt := Options{
				Retrievers: retrievers,
				Generators: []string{c.generator},
				Judges:     []string{c.judge},
				Limit:      1,
				Budget:     datasets.Budget{Tokens: 500},
				NumPredict: 100,
				TopP:       1,
				Seed:       1,
				Models:     models.Config{Server: models.Server{URL: server.URL}, Dial: dial, Slots: 2, Seed: 1},
				Pipelines: pipeline.Config{
					Analyzer:  "en",
					BM25:      index.DefaultBM25,
					IndexDir:  t.TempDir(),
					Embedding: pipeline.Embedding{Windows: embed.Windows{Long: embed.Mean}},
					Seed:      1,
				},
			}
			folder, err := store.Open(t.TempDir())
			if err != nil {
				t.Fatal(err)
			}
			defer folder.Close()
			bench := summhay.Benchmark{}
			ds, err := bench.Load(nil)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := Run(context.Background(), bench, ds, opt, folder); err != nil {
				t.Fatal(err)
			}
			if (len(dialled) > 0) != c.dials {
				t.Errorf("dialled %v", dialled)
			}
			for addr := range dialled {
				if addr != allowed {
					t.Errorf("dialled %s", addr)
				}
			}
		})
	}
}
