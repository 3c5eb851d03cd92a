// Package parallel does independent pieces of work on all processors.
package parallel

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// Each calls do for every number from 0 to n-1, several at a time, and returns when all are
// done. What do writes must belong to its number alone; then the result does not depend on
// how many processors there are.
func Each(n int, do func(i int)) {
	workers := min(n, runtime.GOMAXPROCS(0))
	if workers < 2 {
		for i := range n {
			do(i)
		}
		return
	}

	var next atomic.Int64
	var wg sync.WaitGroup
	for range workers {
		wg.Go(func() {
			for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
				do(i)
			}
		})
	}
	wg.Wait()
}
