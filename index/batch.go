package index

import (
	"cmp"
	"context"
	"runtime"
	"sync"
	"sync/atomic"
)

// Batcher is a Retriever that ranks many queries at once for less than one by one.
type Batcher interface {
	Retriever
	// RetrieveBatch returns one ranking per query, equal to what Retrieve returns.
	// step, if not nil, is told how many queries are done.
	RetrieveBatch(ctx context.Context, queries []Query, k int, step func(done int)) ([]Ranking, error)
}

// RetrieveAll ranks all queries, at once where the retriever can.
func RetrieveAll(ctx context.Context, r Retriever, queries []Query, k int, step func(done int)) ([]Ranking, error) {
	if b, ok := r.(Batcher); ok {
		return b.RetrieveBatch(ctx, queries, k, step)
	}

	out := make([]Ranking, len(queries))
	for i, q := range queries {
		var err error
		if out[i], err = r.Retrieve(ctx, q, k); err != nil {
			return nil, err
		}
		if step != nil {
			step(i + 1)
		}
	}
	return out, nil
}

// RetrieveOne ranks for one query by a batch of one.
func RetrieveOne(ctx context.Context, b Batcher, q Query, k int) (Ranking, error) {
	out, err := b.RetrieveBatch(ctx, []Query{q}, k, nil)
	if err != nil {
		return Ranking{}, err
	}
	return out[0], nil
}

// eachQuery ranks queries on all processors. The first error in their order is returned.
func eachQuery(queries []Query, step func(done int), rank func(Query) (Ranking, error)) ([]Ranking, error) {
	out := make([]Ranking, len(queries))
	errs := make([]error, len(queries))
	var next, done atomic.Int64
	var failed atomic.Bool
	var telling sync.Mutex
	var wg sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), len(queries)) {
		wg.Go(func() {
			for !failed.Load() {
				i := int(next.Add(1)) - 1
				if i >= len(queries) {
					return
				}
				if out[i], errs[i] = rank(queries[i]); errs[i] != nil {
					failed.Store(true)
				}
				if step != nil {
					telling.Lock()
					step(int(done.Add(1)))
					telling.Unlock()
				}
			}
		})
	}
	wg.Wait()
	if err := cmp.Or(errs...); err != nil {
		return nil, err
	}
	return out, nil
}
