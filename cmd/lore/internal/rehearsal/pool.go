package rehearsal

import (
	"cmp"
	"hash/fnv"
	"slices"

	"lore/cmd/lore/internal/forecast"
	"lore/local"
)

// pool keeps calls to choose some from, spread over all that there are. Calls that stand in a row
// are kept together: their prompts may begin alike.
type pool struct {
	slots  int
	runs   []row
	calls  int
	every  uint32 // one of so many rows is kept; 0 is all
	rows   int
	within int
	prefix string
	skip   bool
}

// row is calls in a row.
type row struct {
	key    string // identity of the first
	hash   uint32
	calls  []local.Call
	taken  []forecast.Call
	madeUp bool
}

// mostKept is about how many calls a pool keeps.
const mostKept = 512

// longest is how many calls a row has at most: each slot reads what they share once, and only the
// calls after that show what it takes to go on from there.
func (p *pool) longest() int { return max(8, 2*p.slots) }

func (p *pool) add(call local.Call, takes forecast.Call, madeUp bool) {
	if p.rows == 0 || p.prefix != call.Prefix || call.Prefix == "" || p.within == p.longest() {
		p.rows, p.within, p.prefix = p.rows+1, 0, call.Prefix
		key := identity(call)
		h := fnv.New32a()
		_, _ = h.Write([]byte(key))
		hash := h.Sum32()
		if p.skip = p.every > 0 && hash%p.every != 0; !p.skip {
			p.runs = append(p.runs, row{key: key, hash: hash, madeUp: madeUp})
		}
	}
	p.within++
	if p.skip {
		return
	}
	last := &p.runs[len(p.runs)-1]
	last.calls, last.taken = append(last.calls, call), append(last.taken, takes)
	if p.calls++; p.calls > mostKept && len(p.runs) > 16 {
		p.thin()
	}
}

// thin keeps about every second row, but the one that still grows.
func (p *pool) thin() {
	p.every = max(1, p.every) * 2
	last := p.runs[len(p.runs)-1]
	kept := slices.DeleteFunc(p.runs[:len(p.runs)-1], func(r row) bool { return r.hash%p.every != 0 })
	p.runs = append(kept, last)
	p.calls = 0
	for _, r := range p.runs {
		p.calls += len(r.calls)
	}
}

// has reports whether there are calls that the work will really make, or any.
func (p *pool) has(madeUp bool) bool {
	return slices.ContainsFunc(p.runs, func(r row) bool { return r.madeUp == madeUp })
}

// choose takes at most n calls: rows of the short, the middling and the long ones. Where prompts
// share nothing with the call before, single calls say more than rows.
func (p *pool) choose(n int, madeUp bool) ([]local.Call, []forecast.Call) {
	rows := slices.DeleteFunc(slices.Clone(p.runs), func(r row) bool { return r.madeUp != madeUp })
	shared, all := 0, 0
	for _, r := range rows {
		for _, c := range r.taken {
			shared, all = shared+c.Shared, all+c.Prompt
		}
	}
	if 4*shared < all {
		var single []row
		for _, r := range rows {
			for i := range r.calls {
				single = append(single, row{key: identity(r.calls[i]), calls: r.calls[i : i+1], taken: r.taken[i : i+1]})
			}
		}
		rows = single
	}

	slices.SortStableFunc(rows, func(a, b row) int { // those of one length have no order: they run beside each other
		return cmp.Or(cmp.Compare(a.taken[0].Prompt, b.taken[0].Prompt), cmp.Compare(a.key, b.key))
	})
	length := 0
	for _, r := range rows {
		length = max(length, len(r.calls))
	}
	var chosen []row
	for most := min(len(rows), max(1, (n+length-1)/max(1, length))); most > 0 && most <= len(rows); most++ { // short rows need to be more
		chosen = chosen[:0]
		found := 0
		for i := range most {
			r := rows[(2*i+1)*len(rows)/(2*most)] // the middles of equal parts
			chosen, found = append(chosen, r), found+len(r.calls)
		}
		if found >= n {
			break
		}
	}

	var calls []local.Call
	var taken []forecast.Call
	for _, r := range shortened(chosen, n) {
		for k, c := range r.calls {
			takes := r.taken[k]
			if k < max(1, p.slots) {
				takes.Shared = 0 // the call before it in the work is not made
			}
			calls, taken = append(calls, c), append(taken, takes)
		}
	}
	return calls, taken
}

// shortened are rows that have n calls together at most: the longest ones lose their last calls.
func shortened(rows []row, n int) []row {
	rows = slices.Clone(rows)
	over := -n
	for _, r := range rows {
		over += len(r.calls)
	}
	for ; over > 0; over-- {
		longest := 0
		for i, r := range rows {
			if len(r.calls) >= len(rows[longest].calls) {
				longest = i
			}
		}
		r := &rows[longest]
		r.calls = r.calls[:len(r.calls)-1]
	}
	return rows
}
