package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"lore/cmd/lore/internal/report"
	"lore/cmd/lore/internal/usage"
	"lore/datasets"
	"lore/datasets/all"
	"lore/local/files"
)

func newData() *cobra.Command {
	imports := parent("import", "Check published data and convert it to lore's layout",
		"import reads data as it was published, checks ids, counts and references, and writes it\n"+
			"in lore's own layout with its hash. Data that lore reads as it is needs no import;\n"+
			"lore data list BENCHMARK says which that is.",
		"  lore data import msrs MSRS/story --out story\n"+
			"  lore data import summhay summary-of-a-haystack --out haystacks", commands(datasets.Import)...)
	return parent("data", "List, import, verify and convert data", "",
		"  lore data list\n  lore data list msrs\n  lore data import msrs MSRS/story --out story\n  lore data verify story\n"+
			"  lore data convert collection.tsv corpus.parquet",
		newDataList(), imports, newDataVerify(), newDataConvert())
}

func newDataVerify() *cobra.Command {
	return &cobra.Command{
		Use:   "verify [BENCHMARK] PATH",
		Short: "Check data against its counts and hashes",
		Long: "verify loads data, compares the files with the hashes in their folder, and prints what\n" +
			"is there. A folder that lore has written says which benchmark it belongs to; of other data\n" +
			"the only benchmark that reads it is taken, or name one.",
		Example: "  lore data verify story\n  lore data verify summhay topic_news1.json\n  lore data verify msrs MSRS/story",
		Args:    usageArgs(cobra.RangeArgs(1, 2)),
		RunE: func(c *cobra.Command, args []string) error {
			path := args[len(args)-1]
			entry, manifest, err := whose(path, args[:len(args)-1])
			if err != nil {
				return err
			}
			if manifest == nil && len(args) == 1 {
				usage.NewConsole(c.ErrOrStderr()).Note(path + " is read as data of " + entry.Name())
			}
			return verify(c, entry, manifest, path)
		},
	}
}

// whose finds out which benchmark data is of: the one that was named, or the one that the
// folder's manifest names.
func whose(path string, named []string) (all.Entry, *datasets.Manifest, error) {
	var none all.Entry
	folder := path
	if info, err := os.Stat(path); err != nil {
		return none, nil, files.Unreadable(path, err, "give a folder or file of data")
	} else if !info.IsDir() {
		folder = filepath.Dir(path)
	}
	manifest, err := datasets.ReadManifest(folder)
	if err != nil {
		return none, nil, err
	}

	name := ""
	switch {
	case len(named) > 0:
		name = named[0]
	case manifest != nil:
		name = manifest.Benchmark
	default:
		name = oldManifest(folder)
	}
	if name == "" {
		name = readBy(path)
	}
	if name == "" {
		return none, nil, usage.Errorf("%s does not say which benchmark it belongs to; name the benchmark (%s): "+
			"lore data verify BENCHMARK %s", path, strings.Join(all.Names(), ", "), files.Quoted(path))
	}

	e, ok := all.Find(name)
	if !ok {
		return none, nil, usage.Unknown("benchmark", name, all.Names())
	}
	if manifest != nil && manifest.Benchmark != name {
		return none, nil, &files.Error{
			File:   filepath.Join(folder, datasets.ManifestFile),
			Msg:    fmt.Sprintf("says that this is data of %s, not of %s", manifest.Benchmark, name),
			Remedy: "leave the name out, or give other data",
		}
	}
	return e, manifest, nil
}

// readBy is the only benchmark that reads data; empty where none does, or several do.
func readBy(path string) string {
	found := ""
	for _, b := range all.Benchmarks() {
		switch _, err := b.Load([]string{path}); {
		case err == nil && found != "":
			return ""
		case err == nil:
			found = b.Name()
		}
	}
	return found
}

// oldManifest is the benchmark of a folder from before there was one form of manifest:
// it holds NAME.json with a format.
func oldManifest(folder string) string {
	for _, name := range all.Names() {
		data, err := files.ReadFile(filepath.Join(folder, name+".json"))
		var head struct{ Format int }
		if err == nil && json.Unmarshal(data, &head) == nil && head.Format > 0 {
			return name
		}
	}
	return ""
}

// verify checks hashes, then lets the benchmark look, or counts what there is.
func verify(c *cobra.Command, e all.Entry, manifest *datasets.Manifest, path string) error {
	if manifest != nil {
		folder := path
		if !isFolder(path) {
			folder = filepath.Dir(path)
		}
		if err := manifest.Verify(folder); err != nil {
			return err
		}
	}

	for _, v := range e.Verbs {
		if v.Kind == datasets.Verify {
			return carryOut(c, e, v, verbFlags{}, v.New(newFlags(v.Name)), []string{path})
		}
	}
	ds, err := e.Load([]string{path})
	if err != nil {
		return err
	}
	for _, warning := range ds.Warnings {
		usage.NewConsole(c.ErrOrStderr()).Warn(warning)
	}
	report.Text(c.OutOrStdout(), datasets.Grid{
		Head: []string{"items", "documents"},
		Rows: [][]string{{fmt.Sprint(len(ds.Items)), fmt.Sprint(ds.Documents())}},
	})
	fmt.Fprintf(c.ErrOrStderr(), "Next: lore run %s %s\n", e.Name(), files.Quoted(path))
	return nil
}
