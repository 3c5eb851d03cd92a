package run

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"lore/datasets"
)

// grouped is an item of which the group matters alone.
type grouped struct {
	datasets.Item
	id, group string
}

func (g grouped) ID() string    { return g.id }
func (g grouped) Group() string { return g.group }

func groupedItems(sizes ...int) *datasets.Dataset {
	ds := &datasets.Dataset{}
	for g, n := range sizes {
		for i := range n {
			ds.Items = append(ds.Items, grouped{id: fmt.Sprintf("g%d-%d", g, i), group: fmt.Sprint("g", g)})
		}
	}
	return ds
}

// A subset has each group's share within one item, lies within every larger one, and keeps the order.
func TestSubsetsAreStratifiedAndNested(t *testing.T) {
	sizes := []int{40, 25, 20, 7}
	ds := groupedItems(sizes...)
	for seed := range uint64(20) {
		var last []string
		for n := 1; n <= len(ds.Items); n++ {
			var ids []string
			count := map[string]int{}
			for _, it := range (Options{Subset: n, Seed: seed}).Items(ds) {
				ids = append(ids, it.ID())
				count[it.Group()]++
			}
			if len(ids) != n {
				t.Fatalf("%d items, not %d", len(ids), n)
			}
			for g, size := range sizes {
				want := float64(n*size) / float64(len(ds.Items))
				if got := float64(count[fmt.Sprint("g", g)]); math.Abs(got-want) >= 2 {
					t.Errorf("seed %d, subset %d: %g of group %d, want about %.1f", seed, n, got, g, want)
				}
			}
			if slices.ContainsFunc(last, func(id string) bool { return !slices.Contains(ids, id) }) {
				t.Fatalf("seed %d: the subset of %d is not in that of %d", seed, n-1, n)
			}
			last = ids
		}
	}

	// Nobody is always in, or never.
	often := map[string]int{}
	for seed := range uint64(400) {
		for _, it := range (Options{Subset: 23, Seed: seed}).Items(ds) {
			often[it.ID()]++
		}
	}
	for _, it := range ds.Items {
		if n := often[it.ID()]; n < 60 || n > 140 {
			t.Errorf("%s is in %d of 400 subsets of a quarter", it.ID(), n)
		}
	}
}

func TestChosenItems(t *testing.T) {
	ds := groupedItems(3, 3)
	for _, c := range []struct {
		opt    Options
		want   int
		chosen string
	}{
		{Options{}, 6, ""},
		{Options{Limit: 2}, 2, ""},
		{Options{Subset: 4, Seed: 7}, 4, "subset, seed 7"},
		{Options{Subset: 6}, 6, ""},
		{Options{OnlyItems: []string{"g1-2", "g0-1"}}, 2, "chosen by name"},
	} {
		if n, how := len(c.opt.Items(ds)), c.opt.Chosen(ds); n != c.want || how != c.chosen {
			t.Errorf("%+v: %d items, %q", c.opt, n, how)
		}
	}
	if got := (Options{OnlyItems: []string{"g1-2", "g0-1"}}).Items(ds); got[0].ID() != "g0-1" {
		t.Error("items are not in the order of the data")
	}
}
