package run

import (
	"cmp"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"slices"
	"strings"

	"lore/datasets"
)

// Items are those of the data that are run, in its order.
func (o Options) Items(ds *datasets.Dataset) []datasets.Item {
	switch {
	case len(o.OnlyItems) > 0:
		return slices.DeleteFunc(slices.Clone(ds.Items), func(it datasets.Item) bool {
			return !slices.Contains(o.OnlyItems, it.ID())
		})
	case o.Subset > 0 && o.Subset < len(ds.Items):
		places := stratified(ds.Items, o.Seed)[:o.Subset]
		slices.Sort(places)
		out := make([]datasets.Item, len(places))
		for i, p := range places {
			out[i] = ds.Items[p]
		}
		return out
	case o.Limit > 0 && o.Limit < len(ds.Items):
		return ds.Items[:o.Limit]
	}
	return ds.Items
}

// Chosen says how the items were chosen; empty where all are run, or the first ones.
func (o Options) Chosen(ds *datasets.Dataset) string {
	switch n := len(o.Items(ds)); {
	case n == len(ds.Items):
		return ""
	case len(o.OnlyItems) > 0:
		return "chosen by name"
	case o.Subset > 0:
		return fmt.Sprintf("subset, seed %d", o.Seed)
	}
	return ""
}

// stratified orders items so that the first N of them, for any N, have about the same share of
// each group: places among items. Within a group the order is drawn at random, and so is where in
// its step a group begins. What is drawn depends on the seed and the groups' names alone, so that a
// smaller subset lies within a larger one, and is the same for all systems.
func stratified(items []datasets.Item, seed uint64) []int {
	groups := map[string][]int{}
	for i, it := range items {
		groups[it.Group()] = append(groups[it.Group()], i)
	}

	at := make([]float64, len(items)) // from 0 to 1: where an item stands in the order
	for name, of := range groups {
		rng := rand.New(rand.NewPCG(seed, hashed(name)))
		begin := rng.Float64()
		for k, i := range rng.Perm(len(of)) {
			at[of[i]] = (float64(k) + begin) / float64(len(of))
		}
	}

	out := make([]int, len(items))
	for i := range out {
		out[i] = i
	}
	slices.SortStableFunc(out, func(a, b int) int {
		return cmp.Or(cmp.Compare(at[a], at[b]), strings.Compare(items[a].ID(), items[b].ID()))
	})
	return out
}

// Shuffled are the items in an order that is drawn at random. The first N of it are a simple random
// sample, which is what a test asks for that looks on after every few of them.
func Shuffled(items []datasets.Item, seed uint64) []datasets.Item {
	out := slices.Clone(items)
	rng := rand.New(rand.NewPCG(seed, uint64(len(items))))
	rng.Shuffle(len(out), func(i, k int) { out[i], out[k] = out[k], out[i] })
	return out
}

func hashed(s string) uint64 {
	h := fnv.New64a()
	_, _ = h.Write([]byte(s)) // a hash takes all
	return h.Sum64()
}
