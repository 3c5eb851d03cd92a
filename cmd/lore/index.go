package main

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"lore/cmd/lore/internal/pipeline"
	"lore/cmd/lore/internal/report"
	"lore/cmd/lore/internal/usage"
	"lore/datasets"
	"lore/index"
	"lore/local/files"
)

// indexFlags are those of the verbs about indexes.
type indexFlags struct {
	dir, older, analyzer string
	old, json            bool
}

func (f *indexFlags) add(c *cobra.Command, more func(fl *pflag.FlagSet)) {
	group(c, dataFlags, func(fl *pflag.FlagSet) {
		fl.StringVar(&f.dir, indexFlag, "", "`folder` of indexes (default: lore/index in the user's cache folder)")
		if more != nil {
			more(fl)
		}
	})
}

func (f *indexFlags) folder() string {
	if f.dir != "" {
		return f.dir
	}
	return indexDir(".")
}

// shelf is what lies in the folder. One that was named is there.
func (f *indexFlags) shelf() ([]index.Shelved, error) {
	if f.dir != "" {
		if _, err := os.Stat(f.dir); err != nil {
			return nil, files.Unreadable(f.dir, err, "--"+indexFlag+" names the folder of indexes that retrieval was given")
		}
	}
	return index.Shelf(f.folder())
}

func newIndex() *cobra.Command {
	c := &cobra.Command{
		Use:   "index",
		Short: "List, update, check and remove the indexes that are kept",
		Long: "index is about what retrieval keeps in the index folder: corpora with their texts and postings,\n" +
			"postings of benchmarks' documents, and vectors. All of it can be made again.",
		Example: "  lore index list\n  lore index remove --older 30d",
		RunE:    needCommand,
	}
	c.AddCommand(newIndexList(), newIndexUpdate(), newIndexVerify(), newIndexRemove())
	return c
}

func newIndexList() *cobra.Command {
	var f indexFlags
	c := &cobra.Command{
		Use:     "list",
		Short:   "Show each index, its corpus, size, and when it was last used",
		Long:    "list shows each index, the last used first: what it is of, its documents, its size, and when it was last used.",
		Example: "  lore index list\n  lore index list --json",
		Args:    usageArgs(cobra.NoArgs),
		RunE: func(c *cobra.Command, _ []string) error {
			shelf, err := f.shelf()
			if err != nil {
				return err
			}
			if f.json {
				return report.WriteJSON(c.OutOrStdout(), map[string]any{"folder": f.folder(), "indexes": shelf})
			}
			if len(shelf) == 0 {
				fmt.Fprintf(c.OutOrStdout(), "There are no indexes in %s.\n", f.folder())
				return nil
			}
			report.Text(c.OutOrStdout(), shelfTable(f.folder(), shelf))
			return nil
		},
	}
	f.add(c, nil)
	group(c, outputFlags, func(fl *pflag.FlagSet) { fl.BoolVar(&f.json, "json", false, "print JSON, sizes in bytes") })
	return c
}

func shelfTable(folder string, shelf []index.Shelved) datasets.Grid {
	t := datasets.Grid{
		Title: "Indexes in " + folder,
		Head:  []string{"name", "kind", "corpus or model", "documents", "vectors", "analysers", "MB", "last used"},
	}
	var bytes int64
	for _, s := range shelf {
		bytes += s.Bytes
		t.Rows = append(t.Rows, []string{s.Name, s.Kind, cmp.Or(s.Corpus, s.Model), known(s.Documents), known(s.Vectors),
			strings.Join(s.Analyzers, ", "),
			megabytes(s.Bytes), s.Used.Format(time.DateOnly)})
	}
	t.Note = megabytes(bytes) + " MB in all. corpus: files of yours; documents: a benchmark's; vectors: what models gave; " +
		"old: of an earlier lore, read by nothing."
	return t
}

// known is a count; what has none has no figure.
func known(n int) string {
	if n == 0 {
		return datasets.NoValue
	}
	return strconv.Itoa(n)
}

func megabytes(n int64) string { return strconv.FormatFloat(float64(n)/1e6, 'f', 1, 64) }

func newIndexUpdate() *cobra.Command {
	var f indexFlags
	c := &cobra.Command{
		Use:   "update CORPUS",
		Short: "Read a corpus and index what is new of it",
		Long: "update reads all of CORPUS, whatever its files' size and time say, keeps what is new or changed,\n" +
			"drops what is gone, and makes the postings of BM25. lore retrieve does the same where files changed.",
		Example: "  lore index update corpus.jsonl",
		Args:    usageArgs(cobra.ExactArgs(1)),
		RunE: func(c *cobra.Command, args []string) error {
			cfg := pipeline.Config{IndexDir: f.folder(), Console: usage.NewConsole(c.ErrOrStderr())}
			s, err := openCorpus(c.Context(), cfg, args[0], true)
			if err != nil {
				return err
			}
			defer s.Close()
			for _, w := range s.Warnings() {
				usage.NewConsole(c.ErrOrStderr()).Warn(w)
			}
			b, err := index.OpenBM25(c.Context(), f.folder(), s, index.CanonicalAnalyzer(f.analyzer), index.DefaultBM25)
			if err != nil {
				return err
			}
			fmt.Fprintf(c.OutOrStdout(), "%s: %s\n", args[0], usage.Counted(s.Len(), "document"))
			return b.Close()
		},
	}
	f.add(c, func(fl *pflag.FlagSet) {
		namesVar(fl, &f.analyzer, "bm25-analyzer", analyzerNames, "en", "text analyser of BM25: "+strings.Join(analyzerNames, ", "))
	})
	return c
}

func newIndexVerify() *cobra.Command {
	var f indexFlags
	c := &cobra.Command{
		Use:   "verify [NAME...]",
		Short: "Read indexes whole against their checksums",
		Long: "verify reads every byte of the named indexes, or of all, against their checksums. What is damaged is\n" +
			"removed, or passed over of vectors, so the next run makes it again. Whether a corpus is still the one\n" +
			"that was indexed is asked by lore retrieve --reread or lore index update.",
		Example: "  lore index verify",
		RunE: func(c *cobra.Command, args []string) error {
			shelf, err := f.chosen(args)
			if err != nil {
				return err
			}
			if len(shelf) == 0 {
				fmt.Fprintf(c.OutOrStdout(), "There are no indexes in %s.\n", f.folder())
			}
			bad := 0
			for _, s := range shelf {
				if s.Kind == index.ShelvedOld {
					fmt.Fprintf(c.OutOrStdout(), "%s: not checked: nothing reads what is of an earlier lore\n", s.Name)
					continue
				}
				if err := s.Verify(); err != nil {
					bad++
					fmt.Fprintf(c.OutOrStdout(), "%s: %v\n", s.Name, err)
					continue
				}
				fmt.Fprintf(c.OutOrStdout(), "%s: as it was written, %s MB\n", s.Name, megabytes(s.Bytes))
			}
			if bad > 0 {
				return fmt.Errorf("%s damaged; the next run makes what is missing again", usage.Counted(bad, "index"))
			}
			return nil
		},
	}
	f.add(c, nil)
	return c
}

func newIndexRemove() *cobra.Command {
	var f indexFlags
	c := &cobra.Command{
		Use:   "remove NAME... | remove --older AGE | remove --old",
		Short: "Remove indexes by name or by when they were last used",
		Long: "remove removes the named indexes, those that were not used for an age (--older 30d), or those of an\n" +
			"earlier lore (--old). One that a process is writing is left. All can be made again; vectors take long.",
		Example: "  lore index remove --older 30d\n  lore index remove --old",
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) == 0 && f.older == "" && !f.old {
				return usage.Errorf("name the indexes to remove (lore index list has them), or give --older 30d or --old")
			}
			shelf, err := f.chosen(args)
			if err != nil {
				return err
			}
			freed := int64(0)
			for _, s := range shelf {
				if err := s.Remove(); err != nil {
					return err
				}
				freed += s.Bytes
				fmt.Fprintf(c.OutOrStdout(), "removed %s\n", s.Name)
			}
			fmt.Fprintf(c.OutOrStdout(), "%s MB are free again\n", megabytes(freed))
			return nil
		},
	}
	f.add(c, func(fl *pflag.FlagSet) {
		fl.StringVar(&f.older, "older", "", "those last used longer ago than this `age`: 30d, 12h")
		fl.BoolVar(&f.old, "old", false, "those of an earlier lore, which nothing reads")
	})
	return c
}

// chosen are the indexes that were named, or all, as far as the other flags take them.
func (f *indexFlags) chosen(names []string) ([]index.Shelved, error) {
	age, err := parseAge(f.older)
	if err != nil {
		return nil, err
	}
	shelf, err := f.shelf()
	if err != nil {
		return nil, err
	}
	if len(shelf) == 0 && len(names) > 0 {
		return nil, usage.Errorf("there are no indexes in %s", f.folder())
	}
	known, wanted := map[string]bool{}, map[string]bool{}
	var all []string
	for _, s := range shelf {
		known[s.Name] = true
		all = append(all, s.Name)
	}
	for _, n := range names {
		name := filepath.Base(n)
		if !known[name] {
			return nil, usage.Unknown("index", name, all)
		}
		wanted[name] = true
	}

	var out []index.Shelved
	for _, s := range shelf {
		switch {
		case len(names) > 0 && !wanted[s.Name], f.old && s.Kind != index.ShelvedOld, age > 0 && time.Since(s.Used) < age:
			continue
		}
		out = append(out, s)
	}
	return out, nil
}

// parseAge reads days, "30d", or what Go takes for a duration, "12h".
func parseAge(text string) (time.Duration, error) {
	if text == "" {
		return 0, nil
	}
	if days, ok := strings.CutSuffix(text, "d"); ok {
		if n, err := strconv.Atoi(days); err == nil && n > 0 && n < 100_000 {
			return time.Duration(n) * 24 * time.Hour, nil
		}
	} else if age, err := time.ParseDuration(text); err == nil && age > 0 {
		return age, nil
	}
	return 0, usage.Errorf("--older is an age, such as 30d or 12h, not %q", text)
}
