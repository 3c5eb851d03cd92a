// Package all lists every benchmark. A new one is a folder under datasets and a
// line here.
package all

import (
	"fmt"
	"strings"

	"lore/datasets"
	"lore/datasets/crux"
	"lore/datasets/long2rag"
	"lore/datasets/msrs"
	"lore/datasets/summhay"
)

var benchmarks = []datasets.Benchmark{
	summhay.Benchmark{},
	msrs.Benchmark{},
	crux.Benchmark{},
	long2rag.Benchmark{},
}

// Benchmarks returns all benchmarks in a fixed order.
func Benchmarks() []datasets.Benchmark { return benchmarks }

// Names returns the names of all benchmarks.
func Names() []string {
	names := make([]string, len(benchmarks))
	for i, b := range benchmarks {
		names[i] = b.Name()
	}
	return names
}

// Find returns the benchmark of a name.
func Find(name string) (datasets.Benchmark, error) {
	for _, b := range benchmarks {
		if b.Name() == name {
			return b, nil
		}
	}
	return nil, fmt.Errorf("unknown benchmark %q; there are: %s", name, strings.Join(Names(), ", "))
}
