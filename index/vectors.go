package index

import (
	"cmp"
	"context"
	"math"
	"runtime"
	"slices"
	"sync"

	"github.com/viterin/vek/vek32"
)

const (
	// rowBlock is how many rows meet all queries of a batch before the next rows are
	// read from memory.
	rowBlock = 64
	// queryBatch is how many queries share one pass over the rows.
	queryBatch = 64
	// margin is how many more candidates than asked are scored exactly: float32 sums
	// of SIMD lanes differ in their last bits from machine to machine.
	margin = 32
	// leastRescored is the least number of int8 candidates that are scored exactly.
	leastRescored = 400
)

// Vectors are rows of equal length that are searched by dot product, whole and
// exactly: every row is compared. With int8 codes the rows are compared by these
// first, and the best are scored from the full rows.
type Vectors struct {
	dims  int
	n     int
	data  []float32                      // n × dims; nil with codes
	codes []int8                         // n × dims
	scale []float32                      // of a row's codes
	row   func(i int) ([]float32, error) // full row; nil without codes
}

// NewVectors holds n rows of dims values in one array.
func NewVectors(data []float32, dims int) *Vectors {
	v := &Vectors{dims: dims, data: data}
	if dims > 0 {
		v.n = len(data) / dims
	}
	return v
}

// newCodes prepares vectors of int8 codes; row gives full rows back.
func newCodes(n, dims int, row func(i int) ([]float32, error)) *Vectors {
	return &Vectors{dims: dims, n: n, codes: make([]int8, n*dims), scale: make([]float32, n), row: row}
}

// setCodes quantises row i: 127 stands for its largest value.
func (v *Vectors) setCodes(i int, row []float32) {
	v.scale[i] = quantise(row, v.codes[i*v.dims:(i+1)*v.dims])
}

func quantise(row []float32, codes []int8) float32 {
	var most float32
	for _, x := range row {
		most = max(most, max(x, -x))
	}

	if most == 0 {
		clear(codes)
		return 0
	}

	scale := most / 127
	for k, x := range row {
		codes[k] = int8(math.Round(float64(x / scale)))
	}
	return scale
}

// Scored is a row with its score.
type Scored struct {
	Row   int
	Score float64
}

// Search returns per query the k best rows (all for k below 1), best first, equal
// scores by ascending row. Scores are dot products in float64, the same on every
// machine.
func (v *Vectors) Search(ctx context.Context, queries [][]float32, k int) ([][]Scored, error) {
	if k < 1 || k > v.n {
		k = v.n
	}

	out := make([][]Scored, 0, len(queries))
	for start := 0; start < len(queries); start += queryBatch {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		batch := queries[start:min(start+queryBatch, len(queries))]
		found := v.candidates(batch, k)
		for i, q := range batch {
			rows, err := v.exact(q, found[i], k)
			if err != nil {
				return nil, err
			}
			out = append(out, rows)
		}
	}
	return out, nil
}

// candidates finds more rows than needed, by fast sums.
func (v *Vectors) candidates(queries [][]float32, k int) [][]int32 {
	keep := min(v.n, k+margin)
	if v.codes != nil {
		keep = min(v.n, max(4*k, leastRescored))
	}

	workers := min(runtime.GOMAXPROCS(0), max(1, v.n/rowBlock))
	best := make([][]*topRows, workers)
	var wg sync.WaitGroup
	for w := range workers {
		best[w] = make([]*topRows, len(queries))
		for i := range best[w] {
			best[w][i] = &topRows{keep: keep}
		}
		from, to := v.n*w/workers, v.n*(w+1)/workers
		wg.Go(func() {
			if v.codes != nil {
				v.scanCodes(queries, from, to, best[w])
			} else {
				v.scan(queries, from, to, best[w])
			}
		})
	}
	wg.Wait()

	// Every worker has its own best rows; the best of these are the candidates.
	out := make([][]int32, len(queries))
	for i := range queries {
		merged := best[0][i]
		for _, b := range best[1:] {
			for _, r := range b[i].rows {
				merged.add(r.score, r.row)
			}
		}
		for _, r := range merged.rows {
			out[i] = append(out[i], r.row)
		}
	}
	return out
}

func (v *Vectors) scan(queries [][]float32, from, to int, best []*topRows) {
	for start := from; start < to; start += rowBlock {
		end := min(start+rowBlock, to)
		block := v.data[start*v.dims : end*v.dims]
		for i, q := range queries {
			b := best[i]
			least := b.least()
			for row, rest := start, block; len(rest) >= len(q); row, rest = row+1, rest[len(q):] {
				// Most rows are worse than all kept ones and end here. NaN does not.
				if s := vek32.Dot(q, rest[:len(q)]); !(s < least) {
					b.add(s, int32(row))
					least = b.least()
				}
			}
		}
	}
}

func (v *Vectors) scanCodes(queries [][]float32, from, to int, best []*topRows) {
	codes := make([][]int8, len(queries))
	for i, q := range queries {
		codes[i] = make([]int8, v.dims)
		quantise(q, codes[i]) // the query's scale does not change its order of rows
	}

	for start := from; start < to; start += rowBlock {
		end := min(start+rowBlock, to)
		for i, q := range codes {
			b := best[i]
			for row := start; row < end; row++ {
				b.add(float32(dotCodes(q, v.codes[row*v.dims:(row+1)*v.dims]))*v.scale[row], int32(row))
			}
		}
	}
}

func dotCodes(a, b []int8) int32 {
	var s0, s1, s2, s3 int32
	b = b[:len(a)]
	i := 0
	for ; i+4 <= len(a); i += 4 {
		s0 += int32(a[i]) * int32(b[i])
		s1 += int32(a[i+1]) * int32(b[i+1])
		s2 += int32(a[i+2]) * int32(b[i+2])
		s3 += int32(a[i+3]) * int32(b[i+3])
	}
	for ; i < len(a); i++ {
		s0 += int32(a[i]) * int32(b[i])
	}
	return s0 + s1 + s2 + s3
}

// exact scores candidates and keeps the k best.
func (v *Vectors) exact(q []float32, rows []int32, k int) ([]Scored, error) {
	out := make([]Scored, len(rows))
	for i, r := range rows {
		var row []float32
		if v.row == nil {
			row = v.data[int(r)*v.dims : (int(r)+1)*v.dims]
		} else {
			var err error
			if row, err = v.row(int(r)); err != nil {
				return nil, err
			}
		}
		out[i] = Scored{int(r), dot(q, row)}
	}

	slices.SortFunc(out, func(a, b Scored) int {
		return cmp.Or(compareScores(a.Score, b.Score), cmp.Compare(a.Row, b.Row))
	})
	return out[:min(k, len(out))], nil
}

// dot sums in float64 from the first value to the last. A product of two float32 is
// exact in float64, so a machine that fuses multiplication and addition gives the
// same bits.
func dot(a, b []float32) float64 {
	s := 0.0
	for i, x := range a {
		s += float64(x) * float64(b[i])
	}
	return s
}

// topRows keeps the best rows in a heap whose root is the worst of them. Of equal
// scores the smaller row is better.
type topRows struct {
	keep int
	rows []scoredRow
}

type scoredRow struct {
	score float32
	row   int32
}

func (s scoredRow) worse(t scoredRow) bool {
	return s.score < t.score || (s.score == t.score && s.row > t.row)
}

// least is the score below which a row is not kept.
func (t *topRows) least() float32 {
	if len(t.rows) < t.keep {
		return float32(math.Inf(-1))
	}
	return t.rows[0].score
}

func (t *topRows) add(score float32, row int32) {
	if score != score {
		score = float32(math.Inf(-1)) // NaN sorts last
	}

	n := scoredRow{score, row}
	if len(t.rows) == t.keep {
		if !t.rows[0].worse(n) {
			return
		}
		t.rows[0] = n
		t.sink()
		return
	}

	t.rows = append(t.rows, n)
	for i := len(t.rows) - 1; i > 0; {
		parent := (i - 1) / 2
		if !t.rows[i].worse(t.rows[parent]) {
			return
		}
		t.rows[i], t.rows[parent] = t.rows[parent], t.rows[i]
		i = parent
	}
}

func (t *topRows) sink() {
	for i := 0; ; {
		child := 2*i + 1
		if child >= len(t.rows) {
			return
		}

		if child+1 < len(t.rows) && t.rows[child+1].worse(t.rows[child]) {
			child++
		}
		if !t.rows[child].worse(t.rows[i]) {
			return
		}
		t.rows[i], t.rows[child] = t.rows[child], t.rows[i]
		i = child
	}
}
