package index

import (
	"cmp"
	"context"
	"errors"
	"math"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
)

// invertRound is how many documents a worker analyses at a time.
const invertRound = 1024

// inverted is what one worker found in the documents of one round: the terms of each, by the worker's own numbers.
type inverted struct {
	worker int
	ends   []uint32 // by document: end of its terms
	terms  []uint32
	tfs    []uint32
}

// inverter analyses documents, with a list of terms of its own.
type inverter struct {
	analyze func(string) []string
	numbers map[string]uint32
	terms   []string
	counts  []uint32 // of the document at hand, by term
}

func (v *inverter) add(text string, into *inverted) (length uint32) {
	from := len(into.terms)
	words := v.analyze(text)
	for _, w := range words {
		n, known := v.numbers[w]
		if !known {
			n = uint32(len(v.terms))
			v.numbers[w] = n
			v.terms = append(v.terms, w)
			v.counts = append(v.counts, 0)
		}
		if v.counts[n]++; v.counts[n] == 1 {
			into.terms = append(into.terms, n)
		}
	}

	for _, n := range into.terms[from:] {
		into.tfs = append(into.tfs, v.counts[n])
		v.counts[n] = 0
	}
	into.ends = append(into.ends, uint32(len(into.terms)))
	return uint32(len(words))
}

// invert analyses n documents on all processors and writes their postings. Each processor opens the texts for itself.
func invert(ctx context.Context, path string, n int, analyzer string, texts func() func(i int) (string, error)) error {
	analyze, err := Analyzer(analyzer)
	if err != nil {
		return err
	}
	if n > math.MaxInt32 {
		return errors.New("a segment of an index cannot hold so many documents")
	}

	workers := make([]*inverter, max(1, min(runtime.GOMAXPROCS(0), n/invertRound+1)))
	rounds := make([]inverted, (n+invertRound-1)/invertRound)
	lengths := make([]uint32, n)
	errs := make([]error, len(workers))
	var next atomic.Int64
	var wg sync.WaitGroup
	for w := range workers {
		v := &inverter{analyze: analyze, numbers: map[string]uint32{}}
		workers[w] = v
		wg.Go(func() {
			text := texts()
			for errs[w] == nil {
				r := int(next.Add(1)) - 1
				if r >= len(rounds) {
					return
				}
				rounds[r].worker = w
				errs[w] = v.round(ctx, &rounds[r], r*invertRound, lengths[r*invertRound:min((r+1)*invertRound, n)], text)
			}
		})
	}
	wg.Wait()
	if err := errors.Join(errs...); err != nil {
		return err
	}
	return writePostings(path, workers, rounds, lengths)
}

// round analyses the documents from base, as many as there are lengths.
func (v *inverter) round(
	ctx context.Context, into *inverted, base int, lengths []uint32, text func(i int) (string, error),
) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	for i := range lengths {
		body, err := text(base + i)
		if err != nil {
			return err
		}
		lengths[i] = v.add(body, into)
	}
	return nil
}

// allTerms lists the terms of all workers in byte order, and each worker's numbers in that order.
func allTerms(workers []*inverter) (terms []string, numbers [][]uint32) {
	type place struct {
		term   string
		worker int
		number uint32
	}
	var all []place
	for w, v := range workers {
		numbers = append(numbers, make([]uint32, len(v.terms)))
		for n, t := range v.terms {
			all = append(all, place{t, w, uint32(n)})
		}
	}
	slices.SortFunc(all, func(a, b place) int { return cmp.Compare(a.term, b.term) })

	for _, p := range all {
		if len(terms) == 0 || terms[len(terms)-1] != p.term {
			terms = append(terms, p.term)
		}
		numbers[p.worker][p.number] = uint32(len(terms) - 1)
	}
	return terms, numbers
}

// writePostings puts the rounds together, in the order of documents, and writes them.
func writePostings(path string, workers []*inverter, rounds []inverted, lengths []uint32) error {
	terms, numbers := allTerms(workers)
	ends := make([]uint64, len(terms))
	for _, r := range rounds {
		for _, t := range r.terms {
			ends[numbers[r.worker][t]]++
		}
	}

	// First where each term's postings begin, which the filling moves to where they end.
	total := uint64(0)
	for t, n := range ends {
		ends[t] = total
		total += n
	}
	docs, tfs := make([]uint32, total), make([]uint32, total)
	for i, r := range rounds {
		from := uint32(0)
		for k, end := range r.ends {
			for j := from; j < end; j++ {
				at := &ends[numbers[r.worker][r.terms[j]]]
				docs[*at], tfs[*at] = uint32(i*invertRound+k), r.tfs[j]
				*at++
			}
			from = end
		}
		rounds[i] = inverted{} // it can be freed
	}

	counts := make([]uint64, 2)
	for _, n := range lengths {
		counts[0] += uint64(n)
		counts[1] = max(counts[1], uint64(n))
	}
	w, err := createParts(path, postingsMagic)
	if err != nil {
		return err
	}
	w.part(raw(counts))
	w.part(raw(lengths))
	termEnds := make([]uint64, len(terms))
	at := uint64(0)
	for i, t := range terms {
		at += uint64(len(t))
		termEnds[i] = at
	}
	w.part(raw(termEnds))
	w.begin()
	for _, t := range terms {
		w.add([]byte(t))
	}
	w.part(raw(ends))
	w.part(raw(docs))
	w.part(raw(tfs))
	return w.finish()
}
