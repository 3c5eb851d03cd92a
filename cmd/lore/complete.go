package main

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"lore/cmd/lore/internal/store"
	"lore/cmd/lore/internal/usage"
	"lore/datasets/all"
	"lore/local/ollama"
)

// completed gives shells what they offer after the tab key, for a command and all below it:
// benchmarks and run folders as arguments, names and models in flags.
func completed(c *cobra.Command) {
	c.Flags().VisitAll(func(f *pflag.Flag) {
		if how := completionOf(f); how != nil {
			_ = c.RegisterFlagCompletionFunc(f.Name, how) // only twice is an error
		}
	})
	if c.Runnable() && c.ValidArgsFunction == nil && !c.HasSubCommands() {
		c.ValidArgsFunction = completeArgs
	}
	for _, below := range c.Commands() {
		completed(below)
	}
}

// completionOf is how the value of a flag is completed; nil where the shell does it.
func completionOf(f *pflag.Flag) cobra.CompletionFunc {
	if v, ok := f.Value.(*nameValue); ok {
		return v.complete
	}
	if known := settingValues()[f.Name]; len(known) > 0 { // a verb's own flag of the same name
		return (&nameValue{known: known}).complete
	}
	switch f.Name {
	case "columns", "metric":
		return completeMetrics
	case "think":
		return (&nameValue{known: []string{"false", "true", "low", "medium", "high"}}).complete
	}
	return nil
}

// completeMetrics offers the metrics of the benchmarks whose runs were named, or else of all.
func completeMetrics(c *cobra.Command, args []string, word string) ([]string, cobra.ShellCompDirective) {
	of := map[string]bool{}
	for _, dir := range args {
		if m, err := store.ReadManifest(dir); err == nil {
			of[m.Benchmark] = true
		}
	}

	var known []string
	for _, b := range all.Benchmarks() {
		if len(of) > 0 && !of[b.Name()] {
			continue
		}
		for _, m := range b.Metrics() {
			if !slices.Contains(known, m.Name) {
				known = append(known, m.Name)
			}
		}
	}
	return (&nameValue{known: known}).complete(c, args, word)
}

// completeArgs goes by the words that say what a command takes.
func completeArgs(c *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	_, takes, _ := strings.Cut(c.Use, " ")
	first, _, _ := strings.Cut(strings.Trim(takes, "[] "), " ")
	first = strings.Trim(first, "[].")
	several := strings.Contains(takes, "...") || strings.Count(takes, "RUN") > 1

	switch {
	case first == "BENCHMARK" && len(args) == 0 && strings.HasPrefix(takes, "[BENCHMARK] "):
		return all.Names(), cobra.ShellCompDirectiveDefault // it may be left out, and a file begin
	case first == "BENCHMARK" && len(args) == 0:
		return all.Names(), cobra.ShellCompDirectiveNoFileComp
	case takes == "[BENCHMARK]":
		return nil, cobra.ShellCompDirectiveNoFileComp
	case first == "RUN" && (len(args) == 0 || several):
		found, _ := runFolders(".") // none: there is nothing to offer
		return slices.DeleteFunc(found, func(dir string) bool { return slices.Contains(args, dir) }), cobra.ShellCompDirectiveDefault
	}
	return nil, cobra.ShellCompDirectiveDefault
}

// complete offers names behind those that are there already.
func (v *nameValue) complete(c *cobra.Command, _ []string, word string) ([]string, cobra.ShellCompDirective) {
	before := ""
	if i := strings.LastIndexAny(word, ",+>("); i >= 0 {
		before, word = word[:i+1], word[i+1:]
	}
	names := slices.Clone(v.known)
	if i := slices.Index(names, ollama.BackendName+":"); i >= 0 && strings.HasPrefix(word, ollama.BackendName[:1]) {
		names = slices.Concat(names[:i], served(c), names[i+1:])
	}

	var out []string
	open := false // something more must follow
	for _, n := range names {
		if strings.HasPrefix(n, strings.ToLower(word)) || strings.HasPrefix(n, word) {
			out = append(out, before+n)
			open = open || strings.HasSuffix(n, ":") || strings.HasSuffix(n, "(")
		}
	}
	how := cobra.ShellCompDirectiveNoFileComp
	if open {
		how |= cobra.ShellCompDirectiveNoSpace
	}
	return out, how
}

// patienceOfTab is how long somebody who has pressed the tab key waits for the server.
const patienceOfTab = time.Second

// served are the models of the server that runs, as flags name them; without one, what such
// names begin with. A server on another machine is not asked behind anybody's back.
func served(c *cobra.Command) []string {
	unknown := []string{ollama.BackendName + ":"}
	flag := c.Flags().Lookup("host")
	if flag == nil {
		return unknown
	}
	host, ok := flag.Value.(*hostValue)
	if !ok {
		return unknown
	}
	if other, err := ollama.OtherMachine(host.text); err != nil || other != "" && !host.given {
		return unknown
	}
	client, err := ollama.NewClient(ollama.Config{Host: host.text})
	if err != nil {
		return unknown
	}

	ctx, cancel := context.WithTimeout(context.Background(), patienceOfTab)
	defer cancel()
	models, err := client.Models(ctx)
	if err != nil || len(models) == 0 {
		return unknown
	}
	var out []string
	for _, m := range models {
		out = append(out, ollama.BackendName+":"+strings.TrimSuffix(usage.Line(m.Name), ":latest"))
	}
	return out
}

// completeFiles offers files of some kinds for a flag, and folders that may hold them.
func completeFiles(c *cobra.Command, flag string, endings ...string) {
	err := c.RegisterFlagCompletionFunc(flag, func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return endings, cobra.ShellCompDirectiveFilterFileExt
	})
	if err != nil {
		panic(err) // the flag is not there
	}
}
