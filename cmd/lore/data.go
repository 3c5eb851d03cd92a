package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"lore/cmd/lore/internal/report"
	"lore/cmd/lore/internal/run"
	"lore/datasets"
	"lore/datasets/all"
	"lore/datasets/long2rag"
	"lore/datasets/msrs"
)

func newData() *cobra.Command {
	c := &cobra.Command{
		Use:     "data",
		Short:   "List, import and verify benchmark data",
		Example: "  lore data list\n  lore data import msrs MSRS/story --out story\n  lore data verify story",
		Args:    usageArgs(cobra.NoArgs),
		RunE:    func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(newDataList(), newDataImport(), newDataVerify())
	return c
}

func newDataList() *cobra.Command {
	return &cobra.Command{
		Use: "list", Short: "Show the benchmarks and what their bundled samples hold", Example: "  lore data list", Args: usageArgs(cobra.NoArgs),
		RunE: func(c *cobra.Command, _ []string) error {
			g := datasets.Grid{Head: []string{"benchmark", "sample items", "documents", "what it is"}}
			for _, b := range all.Benchmarks() {
				ds, err := b.Load(nil)
				if err != nil {
					return err
				}
				g.Rows = append(g.Rows, []string{b.Name(), fmt.Sprint(len(ds.Items)), fmt.Sprint(documents(ds)), b.About()})
			}
			report.Text(c.OutOrStdout(), g)
			return nil
		},
	}
}

func documents(ds *datasets.Dataset) int {
	n := 0
	for _, c := range ds.Corpora {
		n += len(c.Documents)
	}
	return n
}

type importFlags struct {
	out, domain, corpus, mapping string
	queries                      []string
}

func newDataImport() *cobra.Command {
	var f importFlags
	c := &cobra.Command{
		Use:   "import msrs DIR | import msrs --corpus FILE --queries SPLIT=FILE... | import long2rag FILE",
		Short: "Turn published data into lore's own layout, checked",
		Long: "import reads a published folder (documents/*.txt beside queries_test.json and the\n" +
			"other splits), or the tables of the Hugging Face layout as Parquet or JSON, checks\n" +
			"ids, counts and gold documents, and writes documents.jsonl, queries.jsonl and\n" +
			"msrs.json with their hash.\n\n" +
			"For long2rag it reads a list or lines of JSON whose fields may have other names,\n" +
			"checks them, and writes lines of lore's own form. --map says which name a field has:\n" +
			"id, question, category, domain, documents, documents.id, documents.title,\n" +
			"documents.text, key_points, key_points.id, key_points.text, key_points.spans,\n" +
			"key_points.documents.",
		Example: "  lore data import msrs MSRS/story --out story\n  lore data import msrs --domain story --corpus corpus.parquet --queries test=test.parquet --queries train=train.parquet --out story\n  lore data import long2rag published.json --map question=query,documents.text=content --out long2rag.jsonl",
		Args:    usageArgs(cobra.RangeArgs(1, 2)),
		RunE:    func(c *cobra.Command, args []string) error { return importData(c, f, args) },
	}
	fl := c.Flags()
	fl.StringVar(&f.out, "out", "", "folder to write (default: the domain's name)")
	fl.StringVar(&f.domain, "domain", "", "story or meeting (default: the folder's name)")
	fl.StringVar(&f.corpus, "corpus", "", "table of documents")
	fl.StringVar(&f.mapping, "map", "", "long2rag: comma list of FIELD=NAME where the file's names are not found by themselves")
	fl.StringArrayVar(&f.queries, "queries", nil, "table of queries as SPLIT=FILE; may be repeated")
	return c
}

func importData(c *cobra.Command, f importFlags, args []string) error {
	if args[0] == (long2rag.Benchmark{}).Name() {
		return importLong2RAG(c, f, args[1:])
	}
	switch {
	case f.mapping != "":
		return &run.UsageError{Msg: "--map is for long2rag"}
	case args[0] != (msrs.Benchmark{}).Name():
		return &run.UsageError{Msg: fmt.Sprintf("there is nothing to import for %q; published SummHay files are read as they are", args[0])}
	case (len(args) == 2) == (f.corpus != ""):
		return &run.UsageError{Msg: "give either the published folder, or --corpus and --queries"}
	case f.domain != "" && !slices.Contains(msrs.Domains, f.domain):
		return &run.UsageError{Msg: "--domain is story or meeting"}
	}
	raw, source, err := readPublished(f, args)
	if err != nil {
		return err
	}
	if raw.Domain == "" {
		return &run.UsageError{Msg: "give --domain story or --domain meeting: the folder's name does not tell"}
	}
	out := f.out
	if out == "" {
		out = raw.Domain
	}
	if _, err := os.Stat(filepath.Join(out, msrs.OwnFile)); err == nil {
		return &run.UsageError{Msg: out + " holds imported data already; choose another --out or remove it"}
	}
	if err := msrs.Write(out, raw, source); err != nil {
		return err
	}
	return verifyMSRS(c, out)
}

func importLong2RAG(c *cobra.Command, f importFlags, files []string) error {
	if len(files) != 1 || f.domain != "" || f.corpus != "" || len(f.queries) > 0 {
		return &run.UsageError{Msg: "import long2rag takes one file, --map and --out"}
	}
	if f.out == "" {
		f.out = "long2rag.jsonl"
	}
	mapping, err := long2rag.ReadMapping(f.mapping)
	if err != nil {
		return &run.UsageError{Msg: "--map: " + err.Error()}
	}
	data, err := os.ReadFile(files[0])
	if err != nil {
		return asInput(files[0], err)
	}
	questions, err := long2rag.ReadMapped(files[0], data, mapping)
	if err != nil {
		return err
	}
	if _, err := os.Stat(f.out); err == nil {
		return &run.UsageError{Msg: f.out + " is there already; choose another --out or remove it"}
	}
	if err := datasets.WriteLines(f.out, questions); err != nil {
		return err
	}
	return verifyQuestions(c, f.out)
}

// verifyQuestions loads a file of questions and prints what is there. Counts that differ
// from the published ones are said.
func verifyQuestions(c *cobra.Command, file string) error {
	ds, err := long2rag.Benchmark{}.Load([]string{file})
	if err != nil {
		return err
	}
	questions, err := builtQuestions(file)
	if err != nil {
		return err
	}
	for _, w := range append(ds.Warnings, long2rag.CheckCounts(questions)...) {
		fmt.Fprintln(c.ErrOrStderr(), "warning: "+report.Plain(w))
	}
	points, spans := 0, 0
	for _, q := range questions {
		points += len(q.KeyPoints)
		for _, p := range q.KeyPoints {
			spans += len(p.Spans)
		}
	}
	report.Text(c.OutOrStdout(), datasets.Grid{Head: []string{"questions", "documents", "key points", "spans"},
		Rows: [][]string{{fmt.Sprint(len(questions)), fmt.Sprint(documents(ds)), fmt.Sprint(points), fmt.Sprint(spans)}}})
	fmt.Fprintf(c.ErrOrStderr(), "Next: lore run long2rag %s\n", file)
	return nil
}

func readPublished(f importFlags, args []string) (msrs.Raw, string, error) {
	if len(args) == 2 {
		raw, err := msrs.ReadPublished(os.DirFS(args[1]), args[1])
		if f.domain != "" {
			raw.Domain = f.domain
		}
		return raw, "published folder", err
	}
	queries := map[string]string{}
	for _, q := range f.queries {
		split, file, ok := strings.Cut(q, "=")
		if split == "validation" {
			split = "dev"
		}
		if !ok || file == "" || !slices.Contains([]string{"test", "dev", "train"}, split) {
			return msrs.Raw{}, "", &run.UsageError{Msg: fmt.Sprintf("--queries %q is not SPLIT=FILE with one of test, dev (or validation) and train", q)}
		}
		queries[split] = file
	}
	if len(queries) == 0 {
		return msrs.Raw{}, "", &run.UsageError{Msg: "--corpus needs --queries SPLIT=FILE"}
	}
	raw, err := msrs.ReadHub(f.domain, f.corpus, queries)
	return raw, "Hugging Face tables", err
}

func newDataVerify() *cobra.Command {
	return &cobra.Command{
		Use: "verify DIR|FILE", Short: "Check imported data against its counts and hash", Example: "  lore data verify story\n  lore data verify long2rag.jsonl", Args: usageArgs(cobra.ExactArgs(1)),
		RunE: func(c *cobra.Command, args []string) error {
			if info, err := os.Stat(args[0]); err == nil && !info.IsDir() {
				return verifyQuestions(c, args[0])
			}
			return verifyMSRS(c, args[0])
		},
	}
}

// verifyMSRS loads every split and prints what is there. Counts that differ from the
// published ones are said.
func verifyMSRS(c *cobra.Command, dir string) error {
	g := datasets.Grid{Head: []string{"split", "queries", "documents", "gold documents, mean", "references, mean"}}
	for _, split := range []string{"train", "dev", "test"} {
		ds, err := msrs.Benchmark{Split: split}.Load([]string{dir})
		if errors.Is(err, msrs.ErrNoSplit) {
			continue
		}
		if err != nil {
			return err
		}
		for _, w := range append(ds.Warnings, msrs.CheckCounts(ds, split)...) {
			fmt.Fprintln(c.ErrOrStderr(), "warning: "+report.Plain(w))
		}
		gold, references := 0, 0
		for _, it := range ds.Items {
			gold += len(it.Query().Gold)
			references += len(it.(datasets.Referenced).References())
		}
		n := float64(len(ds.Items))
		g.Rows = append(g.Rows, []string{split, fmt.Sprint(len(ds.Items)), fmt.Sprint(documents(ds)), fmt.Sprintf("%.2f", float64(gold)/n), fmt.Sprintf("%.2f", float64(references)/n)})
	}
	report.Text(c.OutOrStdout(), g)
	fmt.Fprintf(c.ErrOrStderr(), "%s is whole. Next: lore run msrs %s\n", dir, dir)
	return nil
}
