package main

import (
	"maps"
	"slices"

	"github.com/spf13/pflag"

	"lore/cmd/lore/internal/usage"
	"lore/datasets"
	"lore/datasets/all"
)

// addSettings adds the flags of all benchmarks' own settings. Several benchmarks may have
// one name; lore help benchmarks says what it is to each.
func addSettings(fl *pflag.FlagSet) map[string]*string {
	values := settingValues()
	out := map[string]*string{}
	for _, b := range all.Benchmarks() {
		conf, ok := b.(datasets.Configurable)
		if !ok {
			continue
		}
		for _, s := range conf.Settings() {
			switch {
			case out[s.Name] == nil && len(values[s.Name]) > 0:
				out[s.Name] = new(string)
				namesVar(fl, out[s.Name], s.Name, values[s.Name], "", b.Name())
			case out[s.Name] == nil:
				out[s.Name] = fl.String(s.Name, "", b.Name())
			default:
				fl.Lookup(s.Name).Usage += ", " + b.Name()
			}
		}
	}
	return out
}

// settingValues are what the settings of benchmarks take, by name, where these are a few words.
func settingValues() map[string][]string {
	out := map[string][]string{}
	for _, b := range all.Benchmarks() {
		conf, ok := b.(datasets.Configurable)
		if !ok {
			continue
		}
		for _, s := range conf.Settings() {
			if len(s.Values) > 0 {
				out[s.Name] = append(out[s.Name], s.Values...)
			}
		}
	}
	return out
}

// configure gives a benchmark the settings that were set, and refuses those it does
// not have.
func configure(bench datasets.Benchmark, own map[string]*string) (datasets.Benchmark, map[string]string, error) {
	given := map[string]string{}
	for name, v := range own {
		if *v != "" {
			given[name] = *v
		}
	}

	conf, ok := bench.(datasets.Configurable)
	for _, name := range slices.Sorted(maps.Keys(given)) {
		has := func(s datasets.Setting) bool { return s.Name == name }
		if !ok || !slices.ContainsFunc(conf.Settings(), has) {
			return nil, nil, usage.Errorf("the benchmark %s has no --%s", bench.Name(), name)
		}
	}
	if !ok {
		return bench, nil, nil
	}

	out, err := conf.Configure(given)
	if err != nil {
		return nil, nil, usage.Errorf("%v", err)
	}
	return out, given, nil
}

// find is the benchmark of a name.
func find(name string) (datasets.Benchmark, error) {
	e, ok := all.Find(name)
	if !ok {
		return nil, usage.Unknown("benchmark", name, all.Names())
	}
	return e.Benchmark, nil
}
