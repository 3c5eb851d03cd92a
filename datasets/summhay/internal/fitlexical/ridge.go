package main

import (
	"math"

	"gonum.org/v1/gonum/mat"

	"lore/judge"
)

// moments sum up rows: enough for a linear fit of them.
type moments struct {
	n, y, yy float64
	x, xy    []float64
	xx       []float64 // square, by rows
}

func newMoments(d int) *moments {
	return &moments{x: make([]float64, d), xy: make([]float64, d), xx: make([]float64, d*d)}
}

func (m *moments) add(x []float64, y float64) {
	d := len(x)
	m.n++
	m.y += y
	m.yy += y * y
	for i, a := range x {
		m.x[i] += a
		m.xy[i] += a * y
		for j := 0; j <= i; j++ {
			m.xx[i*d+j] += a * x[j]
		}
	}
}

func (m *moments) plus(o *moments) {
	m.n, m.y, m.yy = m.n+o.n, m.y+o.y, m.yy+o.yy
	for i := range m.x {
		m.x[i] += o.x[i]
		m.xy[i] += o.xy[i]
	}
	for i := range m.xx {
		m.xx[i] += o.xx[i]
	}
}

// part is the rows of one set, without some folds.
type part struct {
	kind   judge.Kind
	m      *moments
	weight float64
}

// penalties of the ridge, per unit of weight: on the weights that all kinds share, and on
// what a kind's differ from them.
type penalties struct {
	shared float64
	own    map[judge.Kind]float64
}

// solve fits the weights of every kind. The rows of a set count by their differences from
// the set's means, so that sets of different strictness agree, and together as the root of
// their number.
func solve(parts []part, kinds []judge.Kind, d int, p penalties) map[judge.Kind][]float64 {
	size := d * (len(kinds) + 1)
	a, b := mat.NewSymDense(size, nil), mat.NewVecDense(size, nil)
	for _, t := range parts {
		m := t.m
		spread := m.yy - m.y*m.y/m.n
		if m.n < 10 || spread <= 0 {
			continue
		}
		weight := t.weight * math.Sqrt(m.n) / spread
		k := 0
		for kinds[k] != t.kind {
			k++
		}
		for i := range d {
			vy := weight * (m.xy[i] - m.x[i]*m.y/m.n)
			b.SetVec(i, b.AtVec(i)+vy)
			own := d*(k+1) + i
			b.SetVec(own, b.AtVec(own)+vy)
			for j := 0; j <= i; j++ {
				v := weight * (m.xx[i*d+j] - m.x[i]*m.x[j]/m.n)
				a.SetSym(i, j, a.At(i, j)+v)
				ownJ := d*(k+1) + j
				a.SetSym(own, ownJ, a.At(own, ownJ)+v)
				a.SetSym(own, j, a.At(own, j)+v)
				if i != j {
					a.SetSym(ownJ, i, a.At(ownJ, i)+v)
				}
			}
		}
	}
	for i := range size {
		add := p.shared
		if i >= d {
			add = p.own[kinds[i/d-1]]
		}
		a.SetSym(i, i, a.At(i, i)+add)
	}

	var chol mat.Cholesky
	w := mat.NewVecDense(size, nil)
	if !chol.Factorize(a) {
		panic("the ridge has no solution")
	}
	_ = chol.SolveVecTo(w, b)
	out := map[judge.Kind][]float64{}
	for k, kind := range kinds {
		list := make([]float64, d)
		for i := range d {
			list[i] = w.AtVec(i) + w.AtVec(d*(k+1)+i)
		}
		out[kind] = list
	}
	return out
}
