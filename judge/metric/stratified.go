package metric

import (
	"maps"
	"math"
	"slices"
)

// Sampled is one value of a judge beside that of people, drawn with a known probability:
// within a stratum every value of the system had the same chance.
type Sampled struct {
	ID           string  // of the label; several systems may share one, where their texts are the same
	Judge, Human float64 // in [0,1]
	Cluster      string  // what values hang together with, such as the item
	Stratum      string
	Probability  float64 // in (0,1]: labels of the stratum over its values
}

// Corrected is a mean as people would have it, estimated from a judge and a sample of labels.
type Corrected struct {
	Mean float64
	Run  Interval // of what people would say of all these very values
	Wide Interval // of what they would say of items like these: the spread over items comes on top

	Lambda  float64 // mean weight of the judge within strata, 0 to 1
	SE      float64 // standard error behind Run
	DF      float64 // degrees of freedom of SE
	Labels  int
	Strata  int
	Reached float64 // share of the values that the strata with labels stand for; 1 is right

	strata []component
	labels map[string]float64 // what each label adds to the error of Mean
	wide   map[string]float64 // what each cluster adds
	slack  float64            // half width that Wide has for what no label has shown
}

// component is a stratum's part of a variance, with its degrees of freedom.
type component struct{ variance, df float64 }

// prior is the weight, in labels, that the spread over all strata has in that of one. A few
// equal labels say little about a stratum.
const prior = 1

// doubt is the squared error of one label more than there are. Without it, labels that all
// agree with the judge would have an interval of no width. Values lie in [0,1].
const doubt = 0.25

// StratifiedMean estimates the mean that people would give to all values of a system, from a
// judge's values of all and a sample of labels that was drawn by strata:
//
//	θ = λ·mean(judge, all) + Σ_h W_h · mean_h(human − λ·judge, labelled)
//
// W_h is the share of the values that lie in stratum h, which probabilities and labels tell.
// This is the difference estimator with inverse probabilities (Horvitz and Thompson, 1952;
// Särndal, Swensson and Wretman, 1992, section 6.3), that is, stratified prediction-powered
// inference (Fisch et al., 2024). λ makes the variance smallest, as in PPI++ (Angelopoulos,
// Duchi and Zrnic, 2023, section 6); each label gets the λ of all the others, so that fitting
// it does not bend θ. A stratum's share is known and not drawn, so whatever labels are there,
// θ is right as long as their order within a stratum was random.
//
// Run is Student's t with the finite-population variance of strata, Wide with the variance
// over clusters, both with room for what labels that are all alike may have missed; both end at
// 0 and 1, where values do. All is NaN without two labels, Wide without two clusters.
func StratifiedMean(labelled []Sampled, all []Unlabelled, level float64) Corrected {
	out := Corrected{Mean: NaN, Run: Undefined, Wide: Undefined, Lambda: NaN, SE: NaN, DF: NaN, Labels: len(labelled)}
	if len(labelled) < 2 || len(all) == 0 {
		return out
	}
	strata := stratify(labelled, len(all))
	total := 0.0
	for _, h := range strata {
		total += h.share
	}
	out.Strata, out.Reached = len(strata), total

	judges := make([]float64, len(all))
	for i, u := range all {
		judges[i] = u.Judge
	}
	mean := Mean(judges)
	lambdas := leftOutLambdas(strata)
	out.Lambda, out.Mean = 0, 0
	for k, h := range strata {
		for i, s := range h.labels {
			w := h.share / total / float64(len(h.labels))
			out.Lambda += w * lambdas[k][i]
			out.Mean += w * (s.Human - lambdas[k][i]*(s.Judge-mean))
		}
	}

	out.spread(strata, lambdas, total)
	out.overClusters(labelled, all, mean)
	out.unseen(labelled, len(all), level)
	out.intervals(level)
	out.Run, out.Wide = out.Run.within(0, 1), out.Wide.within(0, 1)
	return out
}

// within cuts off what no value can be.
func (ci Interval) within(low, high float64) Interval {
	return Interval{min(max(ci.Low, low), high), min(max(ci.High, low), high)}
}

// unseen makes room for values that no label has shown, where all labels are alike, or all agree
// with the judge: their spread then says nothing. So many others as could have been missed by
// chance are added: of these very values by the hypergeometric distribution, of ones like
// these by the binomial, with clusters for labels ("the rule of three", Hanley and
// Lippman-Hand, 1983).
func (c *Corrected) unseen(labelled []Sampled, n int, level float64) {
	alike, agree := true, true
	clusters := map[string]bool{}
	for _, s := range labelled {
		alike = alike && s.Human == labelled[0].Human
		agree = agree && math.Abs(s.Human-s.Judge) < 1e-9
		clusters[s.Cluster] = true
	}
	if !alike && !agree {
		return
	}
	step := 1.0 // how far a missed value may be away
	if alike {
		step = max(labelled[0].Human, 1-labelled[0].Human)
	}

	tail := (1 - level) / 2
	missed, chance := 0, 1.0
	for k := 1; k <= n-len(labelled); k++ {
		if chance *= float64(n-len(labelled)-k+1) / float64(n-k+1); chance < tail {
			break
		}
		missed = k
	}
	const sure = 1e6 // degrees of freedom: the bound is not estimated
	se := step * float64(missed) / float64(n) / TInterval(1, sure, level)
	c.strata = append(c.strata, component{se * se, sure})
	c.slack = step * (1 - math.Pow(tail, 1/float64(len(clusters))))
}

// stratum is a stratum with the labels in it.
type stratum struct {
	name   string
	labels []Sampled
	share  float64 // of all values
	p      float64 // share of the stratum's values that have a label
}

// stratify sorts labels by stratum. n is how many values there are.
func stratify(labelled []Sampled, n int) []stratum {
	by := map[string][]Sampled{}
	for _, s := range labelled {
		by[s.Stratum] = append(by[s.Stratum], s)
	}
	var out []stratum
	for _, name := range slices.Sorted(maps.Keys(by)) {
		h := stratum{name: name, labels: by[name]}
		inverse := 0.0
		for _, s := range h.labels {
			inverse += 1 / s.Probability
		}
		h.share, h.p = inverse/float64(n), float64(len(h.labels))/inverse
		out = append(out, h)
	}
	return out
}

// moments are a stratum's sums, from which one label can be taken away.
type moments struct{ n, x, y, xx, xy float64 }

func (m *moments) add(s Sampled, sign float64) {
	m.n += sign
	m.x += sign * s.Judge
	m.y += sign * s.Human
	m.xx += sign * s.Judge * s.Judge
	m.xy += sign * s.Judge * s.Human
}

// spreads are variance of the judge and covariance with people, as far as they count for the
// variance of the mean. A label that is taken away does not change how much the stratum counts:
// its own stratum would else have more say in its λ than in that of others.
func (m moments) spreads(h stratum) (xx, xy float64) {
	if m.n < 2 {
		return 0, 0
	}
	c := h.share * h.share * (1 - h.p) / float64(len(h.labels)) / (m.n - 1)
	return c * (m.xx - m.x*m.x/m.n), c * (m.xy - m.x*m.y/m.n)
}

// leftOutLambdas are, for each label, the λ of all others. It lies in [0,1]: what is outside is
// an accident of few labels, or a judge that says the opposite of people.
func leftOutLambdas(strata []stratum) [][]float64 {
	sums := make([]moments, len(strata))
	xx, xy := 0.0, 0.0
	for k, h := range strata {
		for _, s := range h.labels {
			sums[k].add(s, 1)
		}
		a, b := sums[k].spreads(h)
		xx, xy = xx+a, xy+b
	}

	out := make([][]float64, len(strata))
	for k, h := range strata {
		ownXX, ownXY := sums[k].spreads(h)
		for _, s := range h.labels {
			rest := sums[k]
			rest.add(s, -1)
			a, b := rest.spreads(h)
			a, b = xx-ownXX+a, xy-ownXY+b
			lambda := 0.0
			if a > 1e-12 {
				lambda = min(max(b/a, 0), 1)
			}
			out[k] = append(out[k], lambda)
		}
	}
	return out
}

// spread finds out what each stratum, and each label, adds to the error of the mean.
func (c *Corrected) spread(strata []stratum, lambdas [][]float64, total float64) {
	residuals := make([][]float64, len(strata))
	squares, free := doubt, 1.0
	for k, h := range strata {
		r := make([]float64, len(h.labels))
		for i, s := range h.labels {
			r[i] = s.Human - lambdas[k][i]*s.Judge
		}
		m := Mean(r)
		for i := range r {
			r[i] -= m
			squares += r[i] * r[i]
		}
		residuals[k] = r
		free += float64(len(r) - 1)
	}

	c.labels = map[string]float64{}
	for k, h := range strata {
		n := float64(len(h.labels))
		own := prior * squares / free
		for _, r := range residuals[k] {
			own += r * r
		}
		df := n - 1 + prior
		scale := h.share / total * math.Sqrt(max(0, 1-h.p))
		c.strata = append(c.strata, component{scale * scale * own / df / n, df})
		for i, s := range h.labels {
			c.labels[s.ID] += scale * residuals[k][i] / math.Sqrt(n*max(1, n-1))
		}
	}
}

// standardError adds up parts of a variance; the degrees of freedom are Satterthwaite's.
func standardError(parts []component) (se, df float64) {
	variance, below := 0.0, 0.0
	for _, p := range parts {
		variance += p.variance
		below += p.variance * p.variance / p.df
	}
	if below == 0 {
		return math.Sqrt(variance), 1
	}
	return math.Sqrt(variance), max(1, variance*variance/below)
}

// overClusters finds out what each cluster adds to the error, if items were drawn again: the
// judge's values of all of it, with the λ that serves all strata together, and the residuals
// of its labels.
func (c *Corrected) overClusters(labelled []Sampled, all []Unlabelled, mean float64) {
	var weight, human, judge, xx, xy float64
	for _, s := range labelled {
		weight += 1 / s.Probability
		human += s.Human / s.Probability
		judge += s.Judge / s.Probability
	}
	human, judge = human/weight, judge/weight
	for _, s := range labelled {
		xx += (s.Judge - judge) * (s.Judge - judge) / s.Probability
		xy += (s.Judge - judge) * (s.Human - human) / s.Probability
	}
	slope := 0.0
	if xx > 0 {
		slope = min(max(xy/xx, 0), 1)
	}

	c.wide = map[string]float64{}
	n := float64(len(all))
	for _, u := range all {
		c.wide[u.Cluster] += slope * (u.Judge - mean) / n
	}
	for _, s := range labelled {
		c.wide[s.Cluster] += (s.Human - human - slope*(s.Judge-judge)) / s.Probability / n
	}
}

// clusterError is the standard error that parts of clusters come to.
func clusterError(parts map[string]float64) float64 {
	sum := 0.0
	for _, name := range slices.Sorted(maps.Keys(parts)) {
		sum += parts[name] * parts[name]
	}
	k := float64(len(parts))
	return math.Sqrt(sum * k / (k - 1))
}

// intervals puts intervals around the mean. The wide one is never narrower than the other.
func (c *Corrected) intervals(level float64) {
	c.SE, c.DF = standardError(c.strata)
	half := TInterval(c.SE, c.DF, level)
	c.Run = Interval{c.Mean - half, c.Mean + half}
	if k := len(c.wide); k > 1 {
		half = max(half, math.Hypot(TInterval(clusterError(c.wide), float64(k-1), level), c.slack))
		c.Wide = Interval{c.Mean - half, c.Mean + half}
	}
}

// Minus is the difference of two systems' corrected means. A label of a text that both gave
// bears on both, and an item that is hard for one may be hard for the other: what they share
// does not widen the intervals.
func (c Corrected) Minus(other Corrected, level float64) Corrected {
	out := Corrected{Mean: c.Mean - other.Mean, Run: Undefined, Wide: Undefined, Lambda: NaN, SE: NaN, DF: NaN,
		Labels: c.Labels + other.Labels, Strata: c.Strata + other.Strata, Reached: min(c.Reached, other.Reached)}
	if math.IsNaN(out.Mean) {
		return out
	}

	out.strata = slices.Concat(c.strata, other.strata)
	shared := 0.0
	for _, id := range slices.Sorted(maps.Keys(c.labels)) {
		if e, ok := other.labels[id]; ok {
			shared += c.labels[id] * e
			out.Labels--
		}
	}
	variance, _ := standardError(out.strata)
	if v := variance * variance; v > 0 {
		keep := max(0, 1-2*shared/v)
		for i := range out.strata {
			out.strata[i].variance *= keep
		}
	}

	out.slack = math.Hypot(c.slack, other.slack)
	out.wide = maps.Clone(c.wide)
	for name, v := range other.wide {
		out.wide[name] -= v
	}
	out.intervals(level)
	out.Run, out.Wide = out.Run.within(-1, 1), out.Wide.within(-1, 1)
	return out
}
