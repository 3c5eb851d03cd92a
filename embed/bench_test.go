package embed

import (
	"context"
	"strings"
	"testing"
	"time"

	"lore/embed/testmodel"
)

// BenchmarkRuntimes prints tokens per second of every runtime of this build on a
// model of MiniLM's size, for texts of 128 and 256 tokens.
func BenchmarkRuntimes(b *testing.B) {
	for name, e := range engines(b) {
		enc := openEncoder(b, testmodel.MiniLM, Windows{Long: Cut}, e)
		for _, length := range []struct {
			name  string
			words int
		}{{"128", 126}, {"256", 254}} {
			texts := make([]string, 16)
			for i := range texts {
				texts[i] = strings.Repeat("wall ", length.words)
			}
			b.Run(name+"/tokens="+length.name, func(b *testing.B) {
				var tokens int
				var spent time.Duration
				for b.Loop() {
					start := time.Now()
					out, err := enc.Embed(context.Background(), Passage, texts)
					if err != nil {
						b.Fatal(err)
					}
					spent += time.Since(start)
					for _, x := range out {
						tokens += x.Tokens + 2
					}
				}
				b.ReportMetric(float64(tokens)/spent.Seconds(), "tokens/s")
			})
		}
	}
}
