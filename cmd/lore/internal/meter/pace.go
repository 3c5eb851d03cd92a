package meter

import (
	"math"
	"time"
)

// pace is how long steps took, in blocks of equally many. There are never more blocks than
// mostBlocks: when there would be, each two of them become one.
//
// A block has at least as many steps as are worked on at once. Replies of several slots come in waves: a step
// that ends right behind another one has taken no time of its own, and alone would tell of a pace that nobody has.
type pace struct {
	size   float64 // steps of a whole block
	blocks []block // all but the last are whole
}

type block struct {
	steps   float64
	seconds float64
}

const mostBlocks = 32

// add notes steps that took so long together, where so many are worked on at once.
func (p *pace) add(steps float64, took time.Duration, atOnce int) {
	if least := float64(max(1, atOnce)); p.size < least {
		p.widen(least)
	}
	if n := len(p.blocks); n == 0 || p.blocks[n-1].steps >= p.size {
		p.blocks = append(p.blocks, block{})
	}
	b := &p.blocks[len(p.blocks)-1]
	b.steps += steps
	b.seconds += took.Seconds()

	for len(p.blocks) > mostBlocks {
		p.halve()
	}
}

// widen makes blocks of at least so many steps from those that are there.
func (p *pace) widen(size float64) {
	var out []block
	for _, b := range p.blocks {
		if n := len(out); n > 0 && out[n-1].steps < size {
			out[n-1].steps += b.steps
			out[n-1].seconds += b.seconds
			continue
		}
		out = append(out, b)
	}
	p.blocks, p.size = out, size
}

func (p *pace) halve() {
	var out []block
	for i := 0; i < len(p.blocks); i += 2 {
		b := p.blocks[i]
		if i+1 < len(p.blocks) {
			b.steps += p.blocks[i+1].steps
			b.seconds += p.blocks[i+1].seconds
		}
		out = append(out, b)
	}
	p.blocks = out
	p.size *= 2
}

// sum is what was seen in all.
func (p *pace) sum() (steps, seconds float64) {
	for _, b := range p.blocks {
		steps, seconds = steps+b.steps, seconds+b.seconds
	}
	return steps, seconds
}

const (
	// leastBlocks is how many blocks tell how much paces differ. The first of them is left out of
	// it where there are more: in it a model was loaded, or the first of several replies came at once.
	leastBlocks = 4
	// fewBlocks is how uncertain a pace is, as a share of it, that fewer blocks tell.
	fewBlocks = 0.7
	// surest is how uncertain every pace is: later items are not as earlier ones.
	surest = 0.06
	// most times the median is what one block counts: a server that was away for an hour comes back.
	outlier = 5
	// deviations is the width of a range to each side; it holds about nine of ten.
	deviations = 1.6
)

// next is how long a step will take of so many that are left, in seconds, and how uncertain that is,
// as a share of it. ok is false where nothing was seen.
func (p *pace) next(left float64) (seconds, uncertain float64, ok bool) {
	steps, total := p.sum()
	if steps <= 0 {
		return 0, 0, false
	}
	if len(p.blocks) < leastBlocks {
		return total / steps, fewBlocks, true
	}

	paces, whole := p.paces()
	mean, variance, few := weighted(paces, whole)
	if mean <= 0 {
		return 0, surest, true
	}

	// The mean is uncertain as it is of few blocks, and what is left differs as its blocks do.
	error := math.Sqrt(variance * (few + p.size/max(left, p.size)))
	trend := trendOf(paces)
	return mean + trend/4, deviations*error/mean + 0.6*math.Abs(trend)/mean + surest, true
}

// paces are those of the blocks but the first, in seconds a step, and how whole each block is.
func (p *pace) paces() (paces, whole []float64) {
	most := outlier * median(p.blocks[1:])
	for _, b := range p.blocks[1:] {
		paces = append(paces, min(most, b.seconds/b.steps))
		whole = append(whole, min(1, b.steps/p.size))
	}
	return paces, whole
}

// weighted is the mean of paces, of which later ones count more: twice as much as those of half of
// all before. few is the part of the variance that the mean has.
func weighted(paces, whole []float64) (mean, variance, few float64) {
	weight := func(i int) float64 {
		return whole[i] * math.Exp2(2*float64(i+1-len(paces))/float64(len(paces)))
	}
	var sum, squares float64
	for i, pace := range paces {
		w := weight(i)
		sum, squares, mean = sum+w, squares+w*w, mean+w*pace
	}
	mean /= sum
	for i, pace := range paces {
		variance += weight(i) * (pace - mean) * (pace - mean) / sum
	}
	return mean, variance, squares / (sum * sum)
}

// trendOf is how much slower the later half of paces is than the earlier one, 0 where that may be chance.
func trendOf(paces []float64) float64 {
	n := len(paces) / 2
	if n < 3 {
		return 0
	}
	early, e := moments(paces[:n])
	late, l := moments(paces[n:])
	if d := late - early; math.Abs(d) > 3*math.Sqrt((e+l)/float64(n)) {
		return d
	}
	return 0
}

func moments(list []float64) (mean, variance float64) {
	for _, x := range list {
		mean += x / float64(len(list))
	}
	for _, x := range list {
		variance += (x - mean) * (x - mean) / float64(len(list)-1)
	}
	return mean, variance
}

// median is that of the blocks' seconds a step.
func median(blocks []block) float64 {
	paces := make([]float64, len(blocks))
	for i, b := range blocks {
		paces[i] = b.seconds / b.steps
	}
	return middle(paces)
}
