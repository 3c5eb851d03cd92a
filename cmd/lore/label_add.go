package main

import (
	"bufio"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"lore/cmd/lore/internal/label"
	"lore/cmd/lore/internal/usage"
	"lore/local/files"
)

func newLabelAdd() *cobra.Command {
	return &cobra.Command{
		Use:   "add FOLDER FILE...",
		Short: "Save labels that were given elsewhere",
		Long: "add takes labels into a labelling folder: lines of JSON, such as the single file saves. Those\n" +
			"that are there already are left out, so a file may be added again as it grows. From - it reads\n" +
			"labels one by one as they come, and answers each with `saved ITEM` once it is on disk.",
		Example: "  lore label add first/labels/coverage anna.jsonl ben.jsonl",
		Args:    usageArgs(cobra.MinimumNArgs(2)),
		RunE:    func(c *cobra.Command, args []string) error { return addLabels(c, args[0], args[1:]) },
	}
}

func addLabels(c *cobra.Command, dir string, names []string) (err error) {
	desk, warnings, err := label.Open(dir)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, desk.Close()) }()
	console := usage.NewConsole(c.ErrOrStderr())
	for _, w := range warnings {
		console.Warn(w)
	}

	var strange error // the first file that is another plan's; the others are added
	for _, name := range names {
		if name == "-" {
			if err := addAsTheyCome(c, desk); err != nil {
				return err
			}
			continue
		}
		foreign, err := addFile(c, desk, name)
		if err != nil {
			return err
		}
		if foreign && strange == nil {
			strange = &files.Error{
				File:   name,
				Msg:    "holds no label of this plan: all are of items that are not in it",
				Remedy: "name the labelling folder whose page or sheet they were given on, in place of " + files.Quoted(dir),
			}
		}
	}
	return strange
}

// addFile adds the labels of a file, and reports whether all of them are of another plan.
func addFile(c *cobra.Command, desk *label.Desk, name string) (foreign bool, err error) {
	data, err := files.Read(name, "give labels, lines of JSON")
	if err != nil {
		return false, err
	}
	labels, others, warnings, err := desk.Folder().ParseLabels(name, data)
	if err != nil {
		return false, err
	}
	console := usage.NewConsole(c.ErrOrStderr())
	for _, w := range warnings {
		console.Warn(w)
	}
	if others > 0 && len(labels) == 0 {
		return true, nil
	}
	if others > 0 {
		console.Note(fmt.Sprintf("%s: %s of items that are not in this plan are left out", name, usage.Counted(others, "label")))
	}
	added, err := desk.Save(labels...)
	if err != nil {
		return false, files.Wrap(name, err)
	}
	fmt.Fprintf(c.OutOrStdout(), "%s: %s saved, %d were there\n", name, usage.Counted(added, "label"), len(labels)-added)
	return false, nil
}

// longestLabel is the longest line that is read as a label, in bytes.
const longestLabel = 1 << 20

// addAsTheyCome saves labels line by line. What was answered with `saved` is on disk.
func addAsTheyCome(c *cobra.Command, desk *label.Desk) error {
	scan := bufio.NewScanner(c.InOrStdin())
	scan.Buffer(nil, longestLabel)
	folder := desk.Folder()
	for line := 1; scan.Scan(); line++ {
		labels, others, _, err := folder.ParseLabels("-", append(scan.Bytes(), '\n'))
		switch {
		case err != nil:
			return fmt.Errorf("label %d: %w", line, err)
		case others > 0:
			fmt.Fprintln(c.OutOrStdout(), "left out")
			continue
		case len(labels) == 0:
			continue
		}
		if _, err := desk.Save(labels...); err != nil {
			return err
		}
		fmt.Fprintln(c.OutOrStdout(), "saved "+labels[0].Item)
	}
	if err := scan.Err(); err != nil {
		return fmt.Errorf("read labels: %w", err)
	}
	return nil
}

func newLabelUndo() *cobra.Command {
	return &cobra.Command{
		Use:   "undo FOLDER ANNOTATOR",
		Short: "Take back an annotator's last answer",
		Long: "undo takes back the last answer that stands of an annotator; the one before it to the same item\n" +
			"stands again. Both lines stay in the file.",
		Example: "  lore label undo first/labels/coverage anna",
		Args:    usageArgs(cobra.ExactArgs(2)),
		RunE:    func(c *cobra.Command, args []string) error { return undoLabel(c, args[0], args[1]) },
	}
}

func undoLabel(c *cobra.Command, dir, annotator string) (err error) {
	desk, warnings, err := label.Open(dir)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, desk.Close()) }()
	for _, w := range warnings {
		usage.NewConsole(c.ErrOrStderr()).Warn(w)
	}

	taken, ok, err := desk.Undo(label.Label{Annotator: annotator, At: time.Now().UTC().Truncate(time.Millisecond)})
	if err != nil {
		return err
	}
	if !ok {
		return usage.Errorf("no answer of %s stands in %s", annotator, dir)
	}
	fmt.Fprintf(c.OutOrStdout(), "taken back: the answer of %s to %s\n", annotator, taken.Item)
	return nil
}

type exportFlags struct{ out, as string }

// exportForms are what labels are written as.
var exportForms = []string{"rows", "human"}

func newLabelExport() *cobra.Command {
	var f exportFlags
	c := &cobra.Command{
		Use:   "export FOLDER",
		Short: "Write labels as judge validate, calibrate and report --human read them",
		Long: "export writes what people decided, an item a line. As rows it is for lore judge validate, calibrate\n" +
			"and audit, with what each annotator said. As human it is for lore report RUN --human and lore judge\n" +
			"validate RUN --human: verdicts with the stratum and the probability with which each was drawn.",
		Example: "  lore label export first/labels/coverage -o labels.jsonl\n" +
			"  lore label export first/labels/coverage -o human.jsonl --as human",
		Args: usageArgs(cobra.ExactArgs(1)),
		RunE: func(c *cobra.Command, args []string) error { return exportLabels(c, f, args[0]) },
	}
	group(c, outputFlags, func(fl *pflag.FlagSet) {
		fl.StringVarP(&f.out, "output", "o", "", "`file` to write")
		namesVar(fl, &f.as, "as", exportForms, exportForms[0], "rows, for judges; or human, for the scores of the run")
	})
	return c
}

func exportLabels(c *cobra.Command, f exportFlags, dir string) error {
	if f.out == "" {
		return usage.Errorf("%s needs -o, the file to write", c.CommandPath())
	}
	if f.as != exportForms[0] && f.as != exportForms[1] {
		return usage.Errorf("--as is rows or human, not %q", f.as)
	}
	folder, warnings, err := label.Read(dir)
	if err != nil {
		return files.Wrap(dir, err)
	}
	console := usage.NewConsole(c.ErrOrStderr())
	for _, w := range warnings {
		console.Warn(w)
	}

	n := 0
	if f.as == exportForms[1] {
		verdicts, err := folder.Verdicts()
		if err != nil {
			return usage.Errorf("%v; write them with --as rows", err)
		}
		if n = len(verdicts); n > 0 {
			err = files.WriteLines(f.out, verdicts)
		}
		if err != nil {
			return err
		}
	} else {
		rows := folder.Rows()
		if n = len(rows); n > 0 {
			err = files.WriteLines(f.out, rows)
		}
		if err != nil {
			return err
		}
	}
	if n == 0 {
		return &files.Error{File: filepath.Join(dir, label.LabelsFile), Msg: "holds no labels yet", Remedy: "label first"}
	}

	if split := len(folder.Split()); split > 0 {
		console.Note(fmt.Sprintf("annotators differ on %s; what most say stands, or one by lot", usage.Counted(split, "item")))
	}
	fmt.Fprintf(c.OutOrStdout(), "%s: %s of %s\n", f.out, usage.Counted(n, "line"), usage.Counted(len(folder.Decide()), "item"))
	return nil
}
