package main

import (
	"cmp"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"lore/cmd/lore/internal/report"
	"lore/cmd/lore/internal/usage"
	"lore/datasets"
	"lore/datasets/all"
)

// dataListed is a benchmark with its data, for programs.
type dataListed struct {
	Name      string             `json:"benchmark"`
	About     string             `json:"about"`
	Items     int                `json:"sample_items"`
	Documents int                `json:"sample_documents"`
	Published datasets.Published `json:"published"`
}

func newDataList() *cobra.Command {
	asJSON := false
	c := &cobra.Command{
		Use:   "list [BENCHMARK]",
		Short: "Show the benchmarks, and where their data is",
		Long: "list shows every benchmark: what its bundled sample holds, where its data was published, under\n" +
			"which licence, and what lore reads of it. With BENCHMARK it shows each published file: its\n" +
			"layout, the command that reads it, the one that converts it, and what lore does not read.",
		Example: "  lore data list\n  lore data list summhay\n  lore data list --json",
		Args:    usageArgs(cobra.MaximumNArgs(1)),
		RunE: func(c *cobra.Command, args []string) error {
			of := all.Benchmarks()
			if len(args) > 0 {
				b, err := find(args[0])
				if err != nil {
					return err
				}
				of = []datasets.Benchmark{b}
			}

			var list []dataListed
			for _, b := range of {
				l, err := dataListedOf(b)
				if err != nil {
					return err
				}
				list = append(list, l)
			}
			switch {
			case asJSON:
				return report.WriteJSON(c.OutOrStdout(), map[string]any{"benchmarks": list})
			case len(args) > 0:
				printListed(c.OutOrStdout(), list[0])
			default:
				report.Text(c.OutOrStdout(), listGrid(list))
			}
			return nil
		},
	}

	group(c, outputFlags, func(fl *pflag.FlagSet) {
		fl.BoolVar(&asJSON, "json", false, "print JSON, with every published file")
	})
	return c
}

// dataListedOf is a benchmark with what its sample holds.
func dataListedOf(b datasets.Benchmark) (dataListed, error) {
	ds, err := b.Load(nil)
	if err != nil {
		return dataListed{}, err
	}
	return dataListed{b.Name(), b.About(), len(ds.Items), ds.Documents(), b.Protocol().Published}, nil
}

// notPublic is said of data that cannot be had.
const notPublic = "not public"

// listGrid is a line per benchmark.
func listGrid(list []dataListed) datasets.Grid {
	g := datasets.Grid{
		Head: []string{"benchmark", "sample items", "documents", "what it is", "published as", "licence", "lore reads"},
		Note: "not stated: by nobody whom lore has read; look before you pass data on. " +
			"lore data list BENCHMARK shows each file, its layout and sources.",
	}
	for _, l := range list {
		g.Rows = append(g.Rows, []string{
			l.Name, fmt.Sprint(l.Items), fmt.Sprint(l.Documents), l.About,
			cmp.Or(placesText(l.Published.Places), notPublic),
			cmp.Or(l.Published.Licence.Text, datasets.NotStated),
			cmp.Or(l.Published.Reads, datasets.NoValue),
		})
	}
	return g
}

// placesText names places that differ in more than the case of their letters.
func placesText(places []datasets.Place) string {
	var out []string
	seen := map[string]int{}
	for _, p := range places {
		if i, ok := seen[strings.ToLower(p.Name)]; ok {
			out[i] = strings.TrimSuffix(out[i], ")") + ", " + p.Kind + ")"
			continue
		}
		seen[strings.ToLower(p.Name)] = len(out)
		out = append(out, fmt.Sprintf("%s (%s)", p.Name, p.Kind))
	}
	return strings.Join(out, ", ")
}

// printListed shows a benchmark's published data whole.
func printListed(w io.Writer, l dataListed) {
	usage.WrapIn(w, usage.Heading, fmt.Sprintf("%s: %s", l.Name, l.About))
	said := func(label, text string) { usage.Beside(w, text, usage.Piece{Text: fmt.Sprintf("%-11s", label)}) }
	said("sample", fmt.Sprintf("%s, %s: lore run %s", usage.Counted(l.Items, "item"), usage.Counted(l.Documents, "document"), l.Name))
	if len(l.Published.Places) == 0 {
		said("published", notPublic)
	}
	for i, p := range l.Published.Places {
		label := "published"
		if i > 0 {
			label = ""
		}
		said(label, fmt.Sprintf("%s on %s (%s)", p.Name, p.Kind, p.Source))
	}
	said("licence", factText(datasets.Fact{
		Text: cmp.Or(l.Published.Licence.Text, datasets.NotStated), Source: l.Published.Licence.Source,
	}))
	for _, n := range l.Published.Notes {
		said("", factText(n))
	}

	for _, p := range l.Published.Parts {
		fmt.Fprintln(w)
		usage.WrapIn(w, usage.Heading, p.Path)
		for _, line := range [][2]string{
			{"layout", p.Layout}, {"read by", p.Read}, {"convert by", p.Import}, {"not read", p.Unread},
		} {
			if line[1] != "" {
				usage.Beside(w, line[1], usage.Piece{Text: fmt.Sprintf("  %-12s", line[0])})
			}
		}
	}
}

// factText is a fact with its source.
func factText(f datasets.Fact) string {
	if f.Source == "" {
		return f.Text
	}
	return fmt.Sprintf("%s (%s)", f.Text, f.Source)
}
