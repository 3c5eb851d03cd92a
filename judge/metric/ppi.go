package metric

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"
)

// Labelled is one value of a judge beside that of a person.
type Labelled struct {
	Judge, Human float64
	Cluster      string // what values hang together with, such as the item
}

// Unlabelled is one value of a judge that nobody checked.
type Unlabelled struct {
	Judge   float64
	Cluster string
}

// PPIMean is the prediction-powered estimate of a mean: the judge's mean over the
// values nobody checked, corrected by how far it was off where people did,
//
//	θ = λ·mean(judge, unlabelled) + mean(human − λ·judge, labelled),
//
// with λ in [0,1] chosen to make the variance smallest (Angelopoulos et al.,
// "Prediction-powered inference", 2023, and PPI++, 2023, section 6; used for RAG
// judges by ARES, Saad-Falcon et al., 2024). Variances are taken over clusters. λ = 0
// is the people's mean alone. It is NaN for fewer than two labelled clusters.
func PPIMean(
	labelled []Labelled, unlabelled []Unlabelled, level float64,
) (estimate float64, ci Interval, lambda float64) {
	var human, judge, rest []float64
	var labelledCluster, restCluster []string
	for _, l := range labelled {
		human, judge = append(human, l.Human), append(judge, l.Judge)
		labelledCluster = append(labelledCluster, l.Cluster)
	}
	for _, u := range unlabelled {
		rest, restCluster = append(rest, u.Judge), append(restCluster, u.Cluster)
	}

	humans := clusterDeviations(human, labelledCluster)
	if len(humans) < 2 {
		return NaN, Undefined, NaN
	}

	judges, others := clusterDeviations(judge, labelledCluster), clusterDeviations(rest, restCluster)
	if len(others) >= 2 {
		denominator := covariance(judges, judges) + covariance(others, others)
		if denominator > 0 {
			lambda = min(max(covariance(humans, judges)/denominator, 0), 1)
		}
	}

	estimate = Mean(human)
	variance := covariance(humans, humans)
	if lambda > 0 {
		estimate += lambda * (Mean(rest) - Mean(judge))
		variance += lambda*lambda*(covariance(judges, judges)+covariance(others, others)) -
			2*lambda*covariance(humans, judges)
	}

	half := distuv.UnitNormal.Quantile((1+level)/2) * math.Sqrt(max(variance, 0))
	return estimate, Interval{estimate - half, estimate + half}, lambda
}

// clusterDeviations are the clusters' sums of deviations from the mean, over the
// number of values: their products add up to (co)variances of means.
func clusterDeviations(values []float64, cluster []string) []float64 {
	if len(values) == 0 {
		return nil
	}
	mean := Mean(values)
	out := make([]float64, 0, len(values))
	for _, c := range clusterUp(values, cluster) {
		out = append(out, (c.Sum-mean*float64(c.N))/float64(len(values)))
	}
	return out
}

// covariance of two means from the deviations of the same clusters.
func covariance(a, b []float64) float64 {
	sum := 0.0
	for i := range a {
		sum += a[i] * b[i]
	}
	k := float64(len(a))
	return sum * k / (k - 1)
}
