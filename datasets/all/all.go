// Package all lists every benchmark. A new one is a folder under datasets and a line
// here.
package all

import (
	"slices"
	"strings"

	"lore/datasets"
	"lore/datasets/crux"
	cruxbuild "lore/datasets/crux/build"
	"lore/datasets/long2rag"
	long2ragbuild "lore/datasets/long2rag/build"
	"lore/datasets/msrs"
	msrsbuild "lore/datasets/msrs/build"
	"lore/datasets/summhay"
	summhaybuild "lore/datasets/summhay/build"
)

// Entry is a benchmark with what can be done besides running it.
type Entry struct {
	datasets.Benchmark
	Verbs []datasets.Verb
}

// Entries lists all benchmarks in the order of help texts. Tests put further ones in for a
// while.
var Entries = []Entry{
	{summhay.Benchmark{}, slices.Concat(summhaybuild.Verbs(), summhay.Verbs())},
	{msrs.Benchmark{}, slices.Concat(msrsbuild.Verbs(), msrs.Verbs())},
	{crux.Benchmark{}, slices.Concat(cruxbuild.Verbs(), crux.Verbs())},
	{long2rag.Benchmark{}, slices.Concat(long2ragbuild.Verbs(), long2rag.Verbs())},
}

// Benchmarks returns all benchmarks in the same order.
func Benchmarks() []datasets.Benchmark {
	out := make([]datasets.Benchmark, len(Entries))
	for i, e := range Entries {
		out[i] = e.Benchmark
	}
	return out
}

// Names returns the names of all benchmarks.
func Names() []string {
	out := make([]string, len(Entries))
	for i, e := range Entries {
		out[i] = e.Name()
	}
	return out
}

// Find returns the benchmark of a name, in large letters or small.
func Find(name string) (Entry, bool) {
	i := slices.IndexFunc(Entries, func(e Entry) bool { return strings.EqualFold(e.Name(), name) })
	if i < 0 {
		return Entry{}, false
	}
	return Entries[i], true
}
