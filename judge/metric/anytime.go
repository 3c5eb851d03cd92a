package metric

import "math"

// Anytime is what is known of a mean while values come in: its confidence interval holds at all
// looks together, however often and whenever somebody looks, and whatever makes them stop.
type Anytime struct {
	N         int
	Mean      float64 // NaN for no values
	Low, High float64 // of the true mean
	Wealth    float64 // of the bettor against a true mean of 0, who begins with 1
}

// Clear reports whether the true mean is not 0, at the level of the interval.
func (a Anytime) Clear() bool { return a.Low > 0 || a.High < 0 }

// Shapes of the sums below.
const (
	portfolios = 64  // among which the bettor spreads the money
	meanSteps  = 200 // in which an interval's ends are looked for
)

// BetMean is a confidence sequence for the true mean of values in [-1,1], such as paired
// differences of shares, and a test of whether it is 0.
//
// Somebody bets that the true mean is m at fair odds: a portfolio with a share w on values above m
// and 1-w on those below is multiplied, by each value x, by w(1+x)/(1+m) + (1-w)(1-x)/(1-m). If m
// is the true mean, nobody gets rich: by Ville's inequality the money ever reaches 1/(1-level) times
// what it was with a probability of at most 1-level. So the means against which the bettor has not
// got that rich are a confidence interval at any time, for values of any distribution, discrete and
// skewed ones included, provided that each is drawn like the others. The money is spread over
// portfolios as Cover's universal one does, with weights of Dirichlet(1/2,1/2): nothing is tuned,
// and the order of the values does not matter.
//
// Sources: Waudby-Smith and Ramdas (2024), "Estimating means of bounded random variables by
// betting", JRSS B 86, section 4; Orabona and Jun (2024), "Tight concentrations and confidence
// sequences from the regret of universal portfolio", IEEE Transactions on Information Theory 70.
//
// level is in (0,1), for example 0.95. Values outside [-1,1] are a mistake of the caller, and give NaN.
func BetMean(values []float64, level float64) Anytime {
	a := Anytime{N: len(values), Mean: Mean(values), Low: -1, High: 1, Wealth: wealth(values, 0)}
	for _, x := range values {
		if !(x >= -1 && x <= 1) {
			return Anytime{N: len(values), Mean: NaN, Low: NaN, High: NaN, Wealth: NaN}
		}
	}
	if len(values) == 0 {
		return a
	}

	// Against the values' own mean nobody gets rich; away from it on each side the interval ends
	// where somebody does.
	rich := -math.Log1p(-level)
	end := func(side float64) float64 {
		width := 1 - side*a.Mean
		for i := 1; i < meanSteps; i++ {
			m := a.Mean + side*width*float64(i)/meanSteps
			if math.Log(wealth(values, m)) >= rich {
				return m
			}
		}
		return side
	}
	a.Low, a.High = end(-1), end(1)

	// The ends lie on a grid; whether 0 is among the means that are left is told exactly.
	switch {
	case math.Log(a.Wealth) >= rich:
		if a.Mean > 0 {
			a.Low = math.Max(a.Low, math.SmallestNonzeroFloat64)
		} else {
			a.High = math.Min(a.High, -math.SmallestNonzeroFloat64)
		}
	default:
		a.Low, a.High = math.Min(a.Low, 0), math.Max(a.High, 0)
	}
	return a
}

// wealth is what a bettor against the true mean m in (-1,1), who begins with 1, has after values in
// [-1,1]. Each portfolio is a node of the Gauss-Chebyshev rule, whose equal weights are those of
// Dirichlet(1/2,1/2); a sum over them is a mixture of bets by itself, and so no approximation of one.
func wealth(values []float64, m float64) float64 {
	counts := map[float64]int{}
	for _, x := range values {
		counts[x]++ // judges' values are few different ones
	}
	distinct := make([]float64, 0, len(counts))
	times := make([]float64, 0, len(counts))
	for _, x := range values {
		if n := counts[x]; n > 0 {
			distinct, times, counts[x] = append(distinct, x), append(times, float64(n)), 0
		}
	}

	logs := make([]float64, portfolios)
	most := math.Inf(-1)
	for k := range logs {
		w := (1 + math.Cos((2*float64(k)+1)*math.Pi/(2*portfolios))) / 2
		above, below := w/(1+m), (1-w)/(1-m)
		for i, x := range distinct {
			logs[k] += times[i] * math.Log(above*(1+x)+below*(1-x))
		}
		most = math.Max(most, logs[k])
	}

	sum := 0.0
	for _, l := range logs {
		sum += math.Exp(l - most)
	}
	return sum / portfolios * math.Exp(most)
}
