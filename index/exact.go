package index

// norms are k1·(1 − b + b·|d|/avgdl) by a document's length, of which there are few. They are computed by the same
// expression for every length, so that a table and what is computed at once agree to the bit.
//
// With k1 = 0 a term's part of a score is its weight, and with b = 1 it depends on |d|/tf alone:
//
//	k1 = 0:  idf                   b = 1:  idf / (1 + k1/avgdl · |d|/tf)
//
// So many documents have equal scores there, and sums of floating-point numbers would part them by noise, one way or
// another with the order of terms. Such parts are therefore computed from the quotient |d|/tf itself, which is the same
// number for equal quotients, and rounded to multiples of 2⁻⁴⁰: sums of these below 2¹¹ are exact in every order. A
// score is at most 2⁻⁴¹ per term, 5e-13, from the unrounded one.
type norms struct {
	params BM25Params
	mean   float64
	table  []norm // by length, as far as it goes
	exact  bool   // k1 = 0 or b = 1
}

// norm is that of a length, and 1/(1 + norm): the share of its weight that a term occurring once gets.
type norm struct{ norm, once float64 }

// longestTable is the length up to which norms are kept: whole books are few.
const longestTable = 1 << 16

func newNorms(params BM25Params, mean float64, longest uint64) norms {
	n := norms{params: params, mean: mean, exact: params.K1 == 0 || params.B == 1}
	n.table = make([]norm, min(longest, longestTable)+1)
	for length := range n.table {
		n.table[length] = n.compute(uint32(length))
	}
	return n
}

func (n *norms) compute(length uint32) norm {
	v := n.params.K1 * (1 - n.params.B + n.params.B*float64(length)/n.mean)
	return norm{v, 1 / (1 + v)}
}

// of is the norm of a length; table is that of n.
func (n *norms) of(table []norm, length uint32) norm {
	if int(length) < len(table) {
		return table[length]
	}
	return n.compute(length)
}

// weight is what a query's term counts.
type weight struct {
	idf, count float64
	whole      float64 // count · idf
}

func (n *norms) weigh(idf, count float64) weight { return weight{idf, count, count * idf} }

// toGrid rounds to multiples of 2⁻⁴⁰, which is what is left of a number below 2¹¹ beside 1.5·2¹².
func toGrid(x float64) float64 {
	const big = 3 << 11
	return float64(x+big) - big
}

// addExact is add where equal scores must come out equal.
func (b *BM25) addExact(blk *block, w weight, docs, tfs []uint32, base int, lengths []uint32) {
	slope := b.params.K1 / b.norms.mean
	always := w.count * toGrid(w.idf)
	for i, d := range docs {
		at := (int(d) - base) & (blockDocs - 1) // always so; spares a bounds check
		part := always
		if slope != 0 {
			part = w.count * toGrid(w.idf/(1+slope*(float64(lengths[at])/float64(tfs[i]))))
		}
		blk.sums[at] += part
		blk.marks[at>>6] |= 1 << (at & 63)
	}
}
