package main

import (
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"lore/cmd/lore/internal/paper"
	"lore/cmd/lore/internal/usage"
)

// paperLook are the flags of a table that a paper can take.
type paperLook struct {
	label, caption, intervals string
	noNote                    bool
}

// paperFlags are their names: one of them asks for such a table.
var paperFlags = []string{"label", "caption", "intervals", "no-note"}

func (l *paperLook) add(fl *pflag.FlagSet) {
	fl.StringVar(&l.label, "label", "", "of a paper's table: its label, for \\ref")
	fl.StringVar(&l.caption, "caption", "", "of a paper's table: its caption, as plain `text`")
	namesVar(fl, &l.intervals, "intervals", paper.Intervals, paper.Subscript, "of a paper's table: "+strings.Join(paper.Intervals, ", "))
	fl.BoolVar(&l.noNote, "no-note", false, "of a paper's table: leave the note out; it stands in comments then")
}

// given reports whether one of the flags is.
func (l paperLook) given(c *cobra.Command) bool {
	return slices.ContainsFunc(paperFlags, c.Flags().Changed)
}

// labelForm is what a label may be made of: what nobody has to escape.
var labelForm = regexp.MustCompile(`^[A-Za-z0-9:._/+-]*$`)

// check refuses what LaTeX does not take, and another format. names are those of all flags that ask
// for the table.
func (l paperLook) check(format string, names []string) error {
	switch {
	case format != "latex":
		return usage.Errorf("--%s are for a paper's table: give --format latex, too", strings.Join(names, ", --"))
	case !slices.Contains(paper.Intervals, l.intervals):
		return usage.Unknown("way to show intervals", l.intervals, paper.Intervals)
	case !labelForm.MatchString(l.label):
		return usage.Errorf("the label %q cannot stand in \\label: it has letters, digits and : . _ / + - alone", l.label)
	}
	return nil
}

func (l paperLook) options() paper.Options {
	return paper.Options{
		Lore:      versionText(),
		Label:     l.label,
		Caption:   l.caption,
		Intervals: l.intervals,
		NoNote:    l.noNote,
	}
}
