package index

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"runtime"
	"sort"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/viterin/vek/vek32"

	"lore/embed"
)

func randomRows(n, dims int, seed uint64) []float32 {
	rng := rand.New(rand.NewPCG(seed, 1))
	data := make([]float32, n*dims)
	for i := range data {
		data[i] = float32(rng.NormFloat64())
	}
	return data
}

// plainLoop is the search written the simple way.
func plainLoop(data []float32, dims int, q []float32, k int) []Scored {
	var out []Scored
	for r := 0; r*dims < len(data); r++ {
		s := 0.0
		for i := range dims {
			s += float64(q[i]) * float64(data[r*dims+i])
		}
		out = append(out, Scored{r, s})
	}
	sort.SliceStable(out, func(a, b int) bool { return out[a].Score > out[b].Score })
	return out[:min(k, len(out))]
}

func TestVectorsEqualPlainLoop(t *testing.T) {
	for _, c := range []struct{ n, dims, queries, k int }{{1, 3, 1, 5}, {700, 17, 3, 10}, {3000, 64, 130, 100}, {500, 8, 2, 0}} {
		data := randomRows(c.n, c.dims, 7)
		copy(data[:c.dims], data[(c.n-1)*c.dims:]) // a tie
		v := NewVectors(data, c.dims)
		var queries [][]float32
		q := randomRows(c.queries, c.dims, 8)
		for i := range c.queries {
			queries = append(queries, q[i*c.dims:(i+1)*c.dims])
		}
		got, err := v.Search(context.Background(), queries, c.k)
		if err != nil {
			t.Fatal(err)
		}
		k := c.k
		if k == 0 {
			k = c.n
		}
		for i := range queries {
			if want := plainLoop(data, c.dims, queries[i], k); fmt.Sprint(got[i]) != fmt.Sprint(want) {
				t.Fatalf("%+v, query %d:\n got %v\nwant %v", c, i, got[i][:min(5, k)], want[:min(5, k)])
			}
			alone, err := v.Search(context.Background(), queries[i:i+1], c.k)
			if err != nil || fmt.Sprint(alone[0]) != fmt.Sprint(got[i]) {
				t.Fatalf("%+v: query %d alone has another ranking: %v", c, i, err)
			}
		}
	}
}

// With codes of one byte the best rows are found and have exact scores.
func TestInt8FindsTheSame(t *testing.T) {
	const n, dims, k = 4000, 96, 20
	data := randomRows(n, dims, 3)
	v := newCodes(n, dims, func(i int) ([]float32, error) { return data[i*dims : (i+1)*dims], nil })
	for i := range n {
		v.setCodes(i, data[i*dims:(i+1)*dims])
	}
	q := randomRows(10, dims, 4)
	same := 0
	for i := range 10 {
		query := q[i*dims : (i+1)*dims]
		got, err := v.Search(context.Background(), [][]float32{query}, k)
		if err != nil {
			t.Fatal(err)
		}
		want := map[int]float64{}
		for _, s := range plainLoop(data, dims, query, k) {
			want[s.Row] = s.Score
		}
		for _, s := range got[0] {
			if w, ok := want[s.Row]; ok {
				same++
				if w != s.Score {
					t.Errorf("row %d has the score %v, want %v", s.Row, s.Score, w)
				}
			}
		}
	}
	if same < 199 {
		t.Errorf("%d of 200 best rows found", same)
	}
}

// wordVectors embeds by the letters of a text.
type wordVectors struct{}

func (wordVectors) Settings() embed.Settings { return embed.Settings{Similarity: embed.Cosine} }
func (wordVectors) Close() error             { return nil }
func (wordVectors) Embed(_ context.Context, _ embed.Role, texts []string) ([]embed.Embedding, error) {
	out := make([]embed.Embedding, len(texts))
	for i, t := range texts {
		v := make([]float32, 26)
		for _, c := range t {
			if c >= 'a' && c <= 'z' {
				v[c-'a']++
			}
		}
		out[i] = embed.Embedding{Vector: v, Windows: 1}
	}
	return out, nil
}

func TestDense(t *testing.T) {
	docs := []Document{{ID: "b", Text: "sea wall"}, {ID: "a", Text: "sea wall"}, {ID: "c", Text: "zzz"}, {ID: "d", Text: ""}, {ID: "e", Text: "sea"}}
	for name, opt := range map[string]DenseOptions{"float32": {}, "int8": {Int8Above: 1}} {
		d, err := NewDense(context.Background(), InMemory(docs), wordVectors{}, opt)
		if err != nil {
			t.Fatal(err)
		}
		r, err := d.Retrieve(context.Background(), Query{Text: "wall sea"}, 3)
		if err != nil {
			t.Fatal(err)
		}
		if got := fmt.Sprintf("%s %s %s %.3f", r.Hits[0].ID, r.Hits[1].ID, r.Hits[2].ID, r.Hits[0].Score); got != "a b e 1.000" {
			t.Errorf("%s: %s", name, got)
		}
	}
	empty, err := NewDense(context.Background(), InMemory(nil), wordVectors{}, DenseOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if r, err := empty.Retrieve(context.Background(), Query{Text: "x"}, 3); err != nil || len(r.Hits) != 0 {
		t.Errorf("an empty corpus: %v, %v", r, err)
	}
}

// BenchmarkDense500k compares, in one run, a pass over the memory with a search for
// one query and for 64 at once. Set LORE_BENCH_INDEX=1.
func BenchmarkDense500k(b *testing.B) {
	if os.Getenv("LORE_BENCH_INDEX") == "" {
		b.Skip("set LORE_BENCH_INDEX=1, or use make bench-index")
	}
	const n, dims, k = 500_000, 384, 100
	data := randomRows(n, dims, 5)
	v := NewVectors(data, dims)
	q := randomRows(64, dims, 6)
	var queries [][]float32
	for i := range 64 {
		queries = append(queries, q[i*dims:(i+1)*dims])
	}
	ctx := context.Background()
	for b.Loop() {
		floor := medianOf(7, func() { readAll(data) })
		i := 0
		one := medianOf(15, func() {
			if _, err := v.Search(ctx, queries[i%64:i%64+1], k); err != nil {
				b.Fatal(err)
			}
			i++
		})
		many := medianOf(5, func() {
			if _, err := v.Search(ctx, queries, k); err != nil {
				b.Fatal(err)
			}
		})
		b.ReportMetric(floor.Seconds()*1000, "ms/memory-pass")
		b.ReportMetric(one.Seconds()*1000, "ms/query")
		b.ReportMetric(many.Seconds()*1000/64, "ms/query-of-64")
		b.ReportMetric(one.Seconds()/floor.Seconds(), "x-floor")
		b.ReportMetric(one.Seconds()*64/many.Seconds(), "x-batch")
	}
}

// readAll reads the whole array on all processors: the floor of a search in memory.
func readAll(data []float32) {
	workers := runtime.GOMAXPROCS(0)
	var wg sync.WaitGroup
	var total atomic.Uint64 // keeps the sums from being left out
	for w := range workers {
		part := data[len(data)*w/workers : len(data)*(w+1)/workers]
		wg.Go(func() {
			var sum float32
			for start := 0; start < len(part); start += 4096 {
				sum += vek32.Sum(part[start:min(start+4096, len(part))])
			}
			total.Add(uint64(sum))
		})
	}
	wg.Wait()
}

func medianOf(n int, f func()) time.Duration {
	f()
	var all []time.Duration
	for range n {
		start := time.Now()
		f()
		all = append(all, time.Since(start))
	}
	sort.Slice(all, func(i, j int) bool { return all[i] < all[j] })
	return all[n/2]
}
