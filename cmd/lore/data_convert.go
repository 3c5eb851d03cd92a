package main

import (
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"lore/cmd/lore/internal/usage"
	"lore/index/collection"
	"lore/local/files"
)

func newDataConvert() *cobra.Command {
	var kind, form string
	var conversion collection.Conversion
	c := &cobra.Command{
		Use:   "convert IN OUT",
		Short: "Write a corpus, queries, judgements or a run in another form",
		Long: "convert reads a corpus, queries, judgements or a run in any form that lore reads, and writes it\n" +
			"in the form that the ending of OUT tells, or --to; .gz and .zst pack it. A name without ending\n" +
			"is a BEIR folder, to which one part is written. What IN holds is told from its beginning or its\n" +
			"name, or say it by --as. What the form cannot hold is refused, or counted in a note.",
		Example: "  lore data convert collection.tsv corpus.jsonl.gz\n" +
			"  lore data convert topics.txt scifact\n" +
			"  lore data convert scifact qrels.txt --as judgements\n" +
			"  lore data convert bm25.trec bm25.json",
		Args: usageArgs(cobra.ExactArgs(2)),
		RunE: func(c *cobra.Command, args []string) error {
			if err := knownName("--as", kind, collection.Kinds); err != nil {
				return err
			}
			if err := knownName("--to", form, collection.Forms); err != nil {
				return err
			}
			conversion.In, conversion.Out = args[0], args[1]
			conversion.Kind, conversion.Form = collection.Kind(kind), collection.Form(form)
			return convert(c, conversion)
		},
	}

	group(c, dataFlags, func(fl *pflag.FlagSet) {
		namesVar(fl, &kind, "as", namesOf(collection.Kinds), "", "what IN is: corpus, queries, judgements, run")
	})
	group(c, outputFlags, func(fl *pflag.FlagSet) {
		namesVar(fl, &form, "to", namesOf(collection.Forms), "",
			"form to write: beir, jsonl, json, pyserini, msmarco, tsv, csv, parquet, trec")
		fl.BoolVar(&conversion.Flatten, "flatten", false, "write tabs and line ends that the form cannot hold as spaces, and count them")
		fl.BoolVar(&conversion.Force, "force", false, "write over a file that is there")
	})
	return c
}

func namesOf[T ~string](all []T) []string {
	out := make([]string, len(all))
	for i, one := range all {
		out[i] = string(one)
	}
	return out
}

// knownName refuses a name that a flag does not have; none is fine.
func knownName[T ~string](flag, name string, all []T) error {
	if name == "" || slices.Contains(all, T(name)) {
		return nil
	}
	return usage.Unknown(flag, name, namesOf(all))
}

// countedAs is what a row of each kind is called.
var countedAs = map[collection.Kind]string{
	collection.CorpusKind: "document", collection.JudgementsKind: "judgement", collection.RunKind: "result",
}

func convert(c *cobra.Command, conversion collection.Conversion) error {
	got, err := collection.Convert(c.Context(), conversion)
	var choice *collection.ChoiceError
	switch {
	case errors.As(err, &choice):
		return usage.Errorf("%s", choice)
	case err != nil:
		return err
	}

	console := usage.NewConsole(c.ErrOrStderr())
	for _, n := range got.Notes {
		console.Note(n)
	}
	rows := fmt.Sprintf("%d queries", got.Rows)
	if noun := countedAs[got.Kind]; noun != "" {
		rows = usage.Counted(got.Rows, noun)
	} else if got.Rows == 1 {
		rows = "1 query"
	}
	fmt.Fprintf(c.OutOrStdout(), "%s: %s, read as %s\n", usage.Line(files.Quoted(got.Path)), rows, got.Kind)
	return nil
}
