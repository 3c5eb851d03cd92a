package page

import (
	"fmt"
	"slices"
	"strings"

	"lore/judge"
	"lore/judge/metric"
)

// figures are the pictures' data that is not in rows.
func (b *builder) figures(questions []Question) Figures {
	f := Figures{Scatter: b.scatter(), Bounds: b.bounds()}
	held, places := newBins(len(b.head.Rows)), newBins(len(b.head.Rows))
	for _, q := range questions {
		b.bin(q, held, places)
	}
	f.Held = held.series(func(bin int) string { return fmt.Sprint(bin) })
	f.Positions = places.series(func(bin int) string { return fmt.Sprintf("%d–%d %%", 10*bin, 10*bin+10) })
	f.Agreement = b.agreement(questions)
	f.Facets = b.facets()
	return f
}

// scatter are the two metrics of the picture of citation against coverage, where a
// benchmark has them.
func (b *builder) scatter() []int {
	x, y := b.metric("coverage"), b.metric("citation")
	if x < 0 || y < 0 {
		return nil
	}
	return []int{x, y}
}

// bounds are figures with the most that the context allows.
func (b *builder) bounds() [][2]int {
	var out [][2]int
	for i, m := range b.metrics {
		if of, ok := strings.CutPrefix(m.Name, "bound_"); ok && b.metric(of) >= 0 {
			out = append(out, [2]int{b.metric(of), i})
		}
	}
	return out
}

// bins gather verdict values by row and bin.
type bins struct {
	sum []map[int]float64
	n   []map[int]int
}

func newBins(rows int) *bins {
	b := &bins{sum: make([]map[int]float64, rows), n: make([]map[int]int, rows)}
	for i := range rows {
		b.sum[i], b.n[i] = map[int]float64{}, map[int]int{}
	}
	return b
}

func (b *bins) add(row, bin int, value float64) {
	b.sum[row][bin] += value
	b.n[row][bin]++
}

// series are the means of all rows that have any, over the bins that any has.
func (b *bins) series(name func(bin int) string) []Series {
	var all []int
	for _, n := range b.n {
		for bin := range n {
			if !slices.Contains(all, bin) {
				all = append(all, bin)
			}
		}
	}
	slices.Sort(all)

	var out []Series
	for row := range b.n {
		if len(b.n[row]) == 0 {
			continue
		}
		s := Series{Row: row}
		for _, bin := range all {
			s.Bins = append(s.Bins, name(bin))
			s.N = append(s.N, b.n[row][bin])
			if b.n[row][bin] == 0 {
				s.Means = append(s.Means, nil)
			} else {
				s.Means = append(s.Means, rounded(100*b.sum[row][bin]/float64(b.n[row][bin])))
			}
		}
		out = append(out, s)
	}
	return out
}

// bin sorts the verdicts of a question by how many documents hold each statement, and by
// where the first of them stood in the context.
func (b *builder) bin(q Question, held, places *bins) {
	answers := map[int]Answer{}
	for _, a := range q.Answers {
		answers[a.System] = a
	}
	for _, v := range q.Verdicts {
		a := answers[b.head.Rows[v.Row].System]
		for k, one := range v.List {
			holders := q.Asked[k].Holders
			if one.Label == "" || len(holders) == 0 {
				continue
			}
			held.add(v.Row, len(holders), one.Value)
			if at := firstPlace(q, a, holders); at >= 0 {
				places.add(v.Row, at, one.Value)
			}
		}
	}
}

// fewest is the least number of documents of a context that has tenths.
const fewest = 5

// firstPlace is the tenth of an answer's context in which the first of some documents
// stood; -1 where none did, or where the context is too short.
func firstPlace(q Question, a Answer, documents []int) int {
	if a.Context < 0 {
		return -1
	}
	passages := q.Contexts[a.Context].Passages
	at := slices.IndexFunc(passages, func(p Passage) bool { return slices.Contains(documents, p.Document) })
	if at < 0 || len(passages) < fewest {
		return -1
	}
	return 10 * at / len(passages)
}

// agreement compares every two judges on the verdicts that both gave, by kind of question.
func (b *builder) agreement(questions []Question) []JudgePair {
	var out []JudgePair
	for x := range b.head.Judges {
		for y := x + 1; y < len(b.head.Judges); y++ {
			for _, kind := range judge.Kinds {
				if p, ok := b.judgePair(questions, x, y, kind); ok {
					out = append(out, p)
				}
			}
		}
	}
	return out
}

func (b *builder) judgePair(questions []Question, x, y int, kind judge.Kind) (JudgePair, bool) {
	p := JudgePair{A: x, B: y, Kind: string(kind), Names: judge.Labels[kind]}
	for range p.Names {
		p.Table = append(p.Table, make([]int, len(p.Names)))
	}

	var left, right []float64
	same := 0
	for _, q := range questions {
		by := map[[2]int][]Verdict{} // by system and judge
		for _, v := range q.Verdicts {
			r := b.head.Rows[v.Row]
			by[[2]int{r.System, r.Judge}] = v.List
		}
		for system := range b.head.Systems {
			l, r := by[[2]int{system, x}], by[[2]int{system, y}]
			for k := range min(len(l), len(r)) {
				i, j := slices.Index(p.Names, l[k].Label), slices.Index(p.Names, r[k].Label)
				if q.Asked[k].Kind != string(kind) || i < 0 || j < 0 {
					continue
				}
				p.Table[i][j]++
				p.N++
				left, right = append(left, l[k].Value), append(right, r[k].Value)
				if i == j {
					same++
				}
			}
		}
	}

	if p.N == 0 {
		return p, false
	}
	p.Same = *rounded(100 * float64(same) / float64(p.N))
	if r := metric.Pearson(left, right); r == r {
		p.R = rounded(r)
	}
	return p, true
}
