package rerank

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"sync"

	"lore/local"
)

const (
	setwiseChildren = 3  // passages compared with their parent in one call
	setwiseTop      = 10 // ranks that the sort settles; those below keep their order
)

// setwise sorts by a heap whose nodes have several children: one call finds the
// best of a node and its children.
type setwise struct{ *llm }

func (s *setwise) Rerank(ctx context.Context, jobs []Job, step func(int)) ([][]float64, error) {
	var worst []local.Call // no other call is longer: they set the context window
	for _, j := range jobs {
		if len(j.Candidates) < 2 {
			continue
		}
		call, err := s.askLetters(j.Query, longest(j, setwiseChildren+1))
		if err != nil {
			return nil, err
		}
		worst = append(worst, call)
	}
	s.fit(worst)

	out := make([][]float64, len(jobs))
	errs := make([]error, len(jobs))
	var wg sync.WaitGroup
	var mu sync.Mutex
	done := 0

	for i, j := range jobs {
		wg.Go(func() { // the door bounds how many calls run at once
			var order []int
			order, errs[i] = s.sort(ctx, j)
			out[i] = places(order)

			mu.Lock()
			defer mu.Unlock()
			if done++; step != nil {
				step(done)
			}
		})
	}
	wg.Wait()
	return out, errors.Join(errs...)
}

// sort settles the first ranks by a heap and appends the rest in the old order.
func (s *setwise) sort(ctx context.Context, j Job) ([]int, error) {
	heap := make([]int, len(j.Candidates))
	for i := range heap {
		heap[i] = i
	}
	for at := (len(heap) - 2) / setwiseChildren; at >= 0 && len(heap) > 1; at-- {
		if err := s.sink(ctx, j, heap, at); err != nil {
			return nil, err
		}
	}

	// Take the best, put the last in its place, let it sink.
	var order []int
	taken := make([]bool, len(j.Candidates))
	for len(order) < setwiseTop && len(heap) > 0 {
		order, taken[heap[0]] = append(order, heap[0]), true
		last := len(heap) - 1
		heap[0] = heap[last]
		heap = heap[:last]
		if len(order) < setwiseTop {
			if err := s.sink(ctx, j, heap, 0); err != nil {
				return nil, err
			}
		}
	}
	return appendMissing(order, taken), nil
}

// sink lets a node down until it is the best of its children.
func (s *setwise) sink(ctx context.Context, j Job, heap []int, at int) error {
	for {
		first := at*setwiseChildren + 1
		if first >= len(heap) {
			return nil
		}

		nodes := []int{at}
		for c := first; c < min(first+setwiseChildren, len(heap)); c++ {
			nodes = append(nodes, c)
		}

		best, err := s.best(ctx, j, heap, nodes)
		if err != nil || best == at {
			return err
		}

		heap[at], heap[best] = heap[best], heap[at]
		at = best
	}
}

// best asks which of some nodes is the best. If the reply cannot be read it is the
// one that the first stage ranked highest.
func (s *setwise) best(ctx context.Context, j Job, heap, nodes []int) (int, error) {
	var shown []Candidate
	for _, n := range nodes {
		shown = append(shown, j.Candidates[heap[n]])
	}

	call, err := s.askLetters(j.Query, shown)
	if err != nil {
		return 0, err
	}
	reply, err := s.model.Calls.Do(ctx, call)
	if err != nil {
		return 0, err
	}

	if order, _, ok := readLetters(reply, len(nodes)); ok && !bad(reply) {
		s.count(false, false)
		return nodes[order[0]], nil
	}

	// A letter in the text says which one, but not how probable it was.
	for _, word := range strings.Fields(reply.Text) {
		if i, ok := letterIndex(word, len(nodes)); ok && !bad(reply) {
			s.count(true, false)
			return nodes[i], nil
		}
	}

	s.count(false, true)
	return slices.MinFunc(nodes, func(a, b int) int { return cmp.Compare(heap[a], heap[b]) }), nil
}
