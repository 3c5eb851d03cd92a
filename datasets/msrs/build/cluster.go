package build

import (
	"cmp"
	"math"
	"slices"

	"lore/datasets/stage"
)

// Sizes of clusters of queries (MSRS, section 3.2), and how a threshold is tightened
// to split a cluster that is too large.
const (
	leastCluster = 2
	mostCluster  = 6
	tighten      = 0.05
)

// Clustering is the outcome of Cluster.
type Clustering struct {
	Clusters [][]int // members in ascending order; clusters by their first member
	Dropped  []int   // queries that no cluster has room for
	Splits   int     // clusters that were too large and split at a higher similarity
	Merged   int     // queries alone that were put into the nearest cluster
	Kept     int     // queries alone that are a cluster of their own
}

// What becomes of a query that is left alone.
const (
	Nearest = "nearest" // goes into the nearest cluster with room, however far; dropped if there is none (the paper)
	Near    = "near"    // goes into it at the threshold at least, or is dropped
	Keep    = "keep"    // goes into it at the threshold at least, or stays as it is
)

var fates = []string{Nearest, Near, Keep}

// Cluster groups queries whose mean similarity is at least the threshold. A cluster
// of more than six is split by raising its threshold step by step; fate says what becomes of a
// query left alone.
func Cluster(n int, similarity func(i, j int) float64, threshold float64, fate string) Clustering {
	var out Clustering
	var alone []int
	for _, c := range out.split(stage.Places(n), similarity, threshold) {
		if len(c) < leastCluster {
			alone = append(alone, c...)
		} else {
			out.Clusters = append(out.Clusters, c)
		}
	}

	least := threshold
	if fate == Nearest {
		least = math.Inf(-1)
	}
	var kept [][]int
	for _, i := range alone {
		switch at := nearestCluster(out.Clusters, i, similarity, least); {
		case at >= 0:
			out.Clusters[at] = append(out.Clusters[at], i)
			out.Merged++
		case fate == Keep:
			kept = append(kept, []int{i})
			out.Kept++
		default:
			out.Dropped = append(out.Dropped, i)
		}
	}
	out.Clusters = append(out.Clusters, kept...) // where none of the others could join them

	for _, c := range out.Clusters {
		slices.Sort(c)
	}
	slices.SortFunc(out.Clusters, func(a, b []int) int { return cmp.Compare(a[0], b[0]) })
	return out
}

// split clusters members and splits what is too large.
func (out *Clustering) split(members []int, similarity func(i, j int) float64, threshold float64) [][]int {
	var small [][]int
	for _, c := range agglomerate(members, similarity, threshold) {
		switch {
		case len(c) <= mostCluster:
			small = append(small, c)
		case threshold+tighten > 1: // equal queries: cut by order
			out.Splits++
			small = append(small, slices.Collect(slices.Chunk(c, mostCluster))...)
		default:
			out.Splits++
			small = append(small, out.split(c, similarity, threshold+tighten)...)
		}
	}
	return small
}

// agglomerate joins the two clusters with the greatest mean similarity until none
// reaches the threshold (average linkage). Of equal pairs the first is joined.
func agglomerate(members []int, similarity func(i, j int) float64, threshold float64) [][]int {
	clusters := make([][]int, len(members))
	for i, m := range members {
		clusters[i] = []int{m}
	}

	// sums[a][b] is the sum of similarities between the members of two clusters.
	sums := make([][]float64, len(members))
	for a := range sums {
		sums[a] = make([]float64, len(members))
		for b := range sums[a] {
			if a != b {
				sums[a][b] = similarity(members[a], members[b])
			}
		}
	}

	for {
		bestA, bestB, best := -1, -1, math.Inf(-1)
		for a := range clusters {
			for b := a + 1; b < len(clusters); b++ {
				if clusters[a] == nil || clusters[b] == nil {
					continue
				}
				if mean := sums[a][b] / float64(len(clusters[a])*len(clusters[b])); mean > best {
					bestA, bestB, best = a, b, mean
				}
			}
		}

		if bestA < 0 || best < threshold {
			return slices.DeleteFunc(clusters, func(c []int) bool { return c == nil })
		}

		// Sums of a joined cluster are those of its two halves.
		clusters[bestA] = append(clusters[bestA], clusters[bestB]...)
		clusters[bestB] = nil
		for c := range clusters {
			sums[bestA][c] += sums[bestB][c]
			sums[c][bestA] = sums[bestA][c]
		}
	}
}

// nearestCluster is the cluster with room whose members are most similar on average, and at least
// so similar; -1 if there is none.
func nearestCluster(clusters [][]int, i int, similarity func(i, j int) float64, least float64) int {
	at, best := -1, math.Inf(-1)
	for c, members := range clusters {
		if len(members) >= mostCluster {
			continue
		}
		sum := 0.0
		for _, m := range members {
			sum += similarity(i, m)
		}
		if mean := sum / float64(len(members)); mean > best && mean >= least {
			at, best = c, mean
		}
	}
	return at
}
