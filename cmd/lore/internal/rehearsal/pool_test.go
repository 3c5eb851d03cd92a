package rehearsal

import (
	"fmt"
	"testing"

	"lore/cmd/lore/internal/forecast"
	"lore/local"
)

// As many calls are chosen as were asked for, if there are so many: of single ones, of rows that share what
// they begin with, and of one long row among short ones.
func TestChooseAtMost(t *testing.T) {
	for _, shared := range []int{0, 90} {
		for left := 1; left < 60; left++ {
			p := &pool{slots: 2}
			for i := range left {
				call := asking(fmt.Sprintf("question %d", i), 50, nil)
				call.Prefix = fmt.Sprintf("document %d", max(i/7, i-20))
				p.add(call, forecast.Call{Prompt: 100, Shared: shared}, false)
			}
			for n := range left + 3 {
				calls, takes := p.choose(n, false)
				if len(calls) != min(n, left) || len(calls) != len(takes) {
					t.Fatalf("%d of %d calls, %d tokens shared: %d were chosen", n, left, shared, len(calls))
				}
				seen := map[string]bool{}
				for _, c := range calls {
					seen[identity(c)] = true
				}
				if len(seen) != len(calls) {
					t.Fatalf("%d of %d calls: some are chosen twice", n, left)
				}
			}
		}
	}
	if calls, _ := (&pool{}).choose(3, false); len(calls) != 0 {
		t.Errorf("%v of no calls", []local.Call(calls))
	}
}
