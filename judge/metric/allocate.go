package metric

import "container/heap"

// Layer is what a plan of labels knows of a stratum before anybody labels.
type Layer struct {
	Size   int     // labels that can be had
	Spread float64 // expected standard deviation of human − λ·judge, such as 0.3
	Weight float64 // sum over its values, and over the means asked for, of a value's squared share in the mean
}

// gain is by how much one label more than n narrows the summed variance of the means asked for.
func (l Layer) gain(n int) float64 {
	v := float64(l.Size) * l.Weight * l.Spread * l.Spread
	return v/float64(n) - v/float64(n+1)
}

// DrawOrder says from which stratum each label comes, the first label first, until there are no
// more: each gets floor labels, then the next always goes where it narrows the variances most.
// However early one stops, labels lie as Neyman (1934) would have allocated so many, in whole
// numbers and with that floor (Wright, "Exact optimal sample allocation", 2017).
func DrawOrder(layers []Layer, floor int) []int {
	var out []int
	taken := make([]int, len(layers))
	take := func(h int) {
		taken[h]++
		out = append(out, h)
	}
	for round := range max(1, floor) {
		for h, l := range layers {
			if round < l.Size {
				take(h)
			}
		}
	}

	q := &drawQueue{}
	for h, l := range layers {
		if taken[h] < l.Size {
			heap.Push(q, draw{h, l.gain(taken[h])})
		}
	}
	for q.Len() > 0 {
		d := heap.Pop(q).(draw) // only draws are pushed
		take(d.stratum)
		if l := layers[d.stratum]; taken[d.stratum] < l.Size {
			heap.Push(q, draw{d.stratum, l.gain(taken[d.stratum])})
		}
	}
	return out
}

// draw is the next label of a stratum.
type draw struct {
	stratum int
	gain    float64
}

// drawQueue is a heap of draws, the most useful first; of equal ones the first stratum's.
type drawQueue []draw

func (q drawQueue) Len() int { return len(q) }
func (q drawQueue) Less(a, b int) bool {
	return q[a].gain > q[b].gain || q[a].gain == q[b].gain && q[a].stratum < q[b].stratum
}
func (q drawQueue) Swap(a, b int) { q[a], q[b] = q[b], q[a] }
func (q *drawQueue) Push(x any)   { *q = append(*q, x.(draw)) }
func (q *drawQueue) Pop() any {
	old := *q
	last := old[len(old)-1]
	*q = old[:len(old)-1]
	return last
}

// PlannedVariance is the variance of a corrected mean that labels would give: squares[h] is the
// sum, over the values of stratum h, of each one's squared share in the mean, and labels[h] how
// many labels the stratum gets. A stratum with values and without labels makes it NaN.
func PlannedVariance(layers []Layer, squares []float64, labels []int) float64 {
	sum := 0.0
	for h, l := range layers {
		switch {
		case squares[h] == 0:
			continue
		case labels[h] == 0:
			return NaN
		}
		size := float64(l.Size)
		sum += size * squares[h] * l.Spread * l.Spread * max(0, 1/float64(labels[h])-1/size)
	}
	return sum
}
