package main

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"lore/cmd/lore/internal/models"
	"lore/cmd/lore/internal/report"
	"lore/cmd/lore/internal/run"
	"lore/cmd/lore/internal/store"
	"lore/cmd/lore/internal/usage"
	"lore/datasets"
	"lore/index/trec"
	"lore/local"
	"lore/local/files"
	"lore/local/gate"
)

func newRunsVerify() *cobra.Command {
	var f runsFlags
	c := &cobra.Command{
		Use:   "verify [FOLDER...]",
		Short: "Check that run folders are whole and unchanged",
		Long: "verify checks the runs below the folders, or below " + runsFolder + ": the manifest and each file\n" +
			"that it names against their hashes, every line, the journal of model calls, figures against\n" +
			"the values they were made of, and answers of models against the journal's replies. It\n" +
			"changes nothing.\n\n" +
			"It ends with 0 if all are whole, with 4 if one is damaged, and with 3 if one cannot be\n" +
			"checked: an earlier lore kept no hashes, the run is not finished, or its journal is gone.",
		Example: "  lore runs verify\n  lore runs verify received --json",
		RunE:    func(c *cobra.Command, args []string) error { return verifyRuns(c, f, args) },
	}
	group(c, outputFlags, func(fl *pflag.FlagSet) {
		fl.BoolVar(&f.json, "json", false, "print JSON")
	})
	return c
}

// Verdicts on a run folder.
const (
	isWhole      = "whole"
	isDamaged    = "damaged"
	isUnfinished = "not finished"
	isUnhashed   = "cannot be checked (made by an earlier lore)"
	isAlone      = "cannot be checked (its journal is gone)"
)

// verified is what was found out about a run folder.
type verified struct {
	Folder   string   `json:"folder"`
	Files    int      `json:"files"`    // that the manifest names
	Calls    int      `json:"calls"`    // in the journal
	Unsummed int      `json:"unsummed"` // calls without a checksum, of an earlier lore
	Verdict  string   `json:"verdict"`
	Problems []string `json:"problems"`
}

func verifyRuns(c *cobra.Command, f runsFlags, args []string) error {
	dirs, err := findRuns(args)
	if err != nil {
		return err
	}
	if len(dirs) == 0 && len(args) > 0 {
		return &files.Error{File: strings.Join(args, ", "), Msg: "holds no run folder", Remedy: "give folders that hold runs"}
	}
	list := []verified{}
	for _, dir := range dirs {
		list = append(list, verifyRun(dir))
	}

	if f.json {
		err = report.WriteJSON(c.OutOrStdout(), map[string]any{"runs": list})
	} else {
		err = printVerified(c, list)
	}
	if err != nil {
		return err
	}
	return conclude(list)
}

// conclude is the error of folders that are not whole.
func conclude(list []verified) error {
	var bad, open []string
	for _, v := range list {
		switch v.Verdict {
		case isDamaged:
			bad = append(bad, v.Folder)
		case isUnhashed, isUnfinished, isAlone:
			open = append(open, v.Folder)
		}
	}

	switch {
	case len(bad) > 0:
		msg := fmt.Sprintf("%d of %d run folders are damaged", len(bad), len(list))
		return &files.Error{File: strings.Join(bad, ", "), Msg: msg, Remedy: store.Anew}
	case len(open) > 0:
		return partialf("%d of %d run folders cannot be checked: %s", len(open), len(list), strings.Join(open, ", "))
	}
	return nil
}

func printVerified(c *cobra.Command, list []verified) error {
	if len(list) == 0 {
		fmt.Fprintln(c.ErrOrStderr(), noRuns(nil))
		return nil
	}

	found := datasets.Grid{Head: []string{"run", "files", "calls", "verdict"}}
	problems := datasets.Grid{Title: "What is wrong", Head: []string{"run", "problem"}}
	unsummed := 0
	for _, v := range list {
		found.Rows = append(found.Rows, []string{v.Folder, fmt.Sprint(v.Files), fmt.Sprint(v.Calls), v.Verdict})
		switch v.Verdict {
		case isWhole:
		case isDamaged:
			found.Mark(3, datasets.Failed)
		default:
			found.Mark(3, datasets.Doubted)
		}
		for _, p := range v.Problems {
			problems.Rows = append(problems.Rows, []string{v.Folder, p})
		}
		unsummed += v.Unsummed
	}
	if unsummed > 0 {
		found.Note = fmt.Sprintf("%d calls have no checksum: an earlier lore wrote them.", unsummed)
	}
	return printGrids(c.OutOrStdout(), "text", datasets.Filled(found, problems))
}

// verifyRun checks one run folder in every way.
func verifyRun(dir string) verified {
	out := verified{Folder: dir, Problems: []string{}}
	add := func(err error) {
		if err != nil && !slices.Contains(out.Problems, plainly(err)) {
			out.Problems = append(out.Problems, plainly(err))
		}
	}
	audit, err := gate.AuditJournal(filepath.Join(dir, "calls"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		add(err)
	}
	out.Calls, out.Unsummed = audit.Calls, audit.Unsummed
	for _, p := range audit.Problems {
		add(errors.New(p))
	}

	m, err := store.ReadManifest(dir)
	if errors.Is(err, fs.ErrNotExist) {
		out.Verdict = isUnfinished
	} else {
		add(err)
		out.Files = len(m.Files)
		verifyFiles(dir, m, audit, add)
		switch {
		case err != nil:
		case !m.Hashed():
			out.Verdict = isUnhashed
		case audit.Calls == 0 && needsJournal(m):
			out.Verdict = isAlone
		}
	}

	switch {
	case len(out.Problems) > 0:
		out.Verdict = isDamaged
	case out.Verdict == "":
		out.Verdict = isWhole
	}
	return out
}

// needsJournal reports whether a model answered or judged: then there were calls.
func needsJournal(m store.Manifest) bool {
	return slices.ContainsFunc(slices.Concat(m.Generators, m.Judges), func(of store.Model) bool {
		return models.IsServed(of.Name)
	})
}

// verifyFiles checks the derived files of a folder with the manifest m.
func verifyFiles(dir string, m store.Manifest, audit gate.Audit, add func(error)) {
	for _, p := range m.Problems(dir) {
		add(p)
	}
	if _, err := run.ReadConfiguration(dir); err != nil && (m.Hashed() || !errors.Is(err, fs.ErrNotExist)) {
		add(err)
	}
	if _, err := store.ReadContexts(dir); err != nil {
		add(err)
	}
	_, err := store.ReadShown(dir)
	add(err)
	verifyRankings(dir, add)

	r, err := report.Read(dir)
	if err != nil {
		add(err)
		return
	}
	if bench, err := benchmarkOf(r, dir); err != nil {
		add(err)
	} else {
		add(r.Recount(dir, bench.Metrics()))
	}
	verifyAnswers(dir, r, audit, add)
}

// verifyRankings reads the run files of a folder, and its judgements. A retriever that finds
// nothing has an empty one.
func verifyRankings(dir string, add func(error)) {
	for _, name := range store.Rankings(dir) {
		path := filepath.Join(dir, filepath.FromSlash(name))
		info, err := os.Stat(path)
		if err == nil && (info.Size() == 0 || !info.Mode().IsRegular()) {
			continue // what is no file has no hash, and is told
		}
		if strings.HasSuffix(name, ".trec") {
			_, err = trec.ReadRunFile(path)
		} else {
			_, err = trec.ReadQrelsFile(path)
		}
		add(err)
	}
}

// verifyAnswers looks for each answer of a model in the journal's replies, where there are
// any.
func verifyAnswers(dir string, r report.Run, audit gate.Audit, add func(error)) {
	if len(audit.Texts) == 0 {
		return // see needsJournal
	}
	asked := map[string]bool{}
	for _, g := range r.Manifest.Generators {
		asked[g.Name] = models.IsServed(g.Name)
	}

	for i, a := range r.Answers {
		// Behind the generator's name stand the version of its prompt and the way of asking.
		base, _ := a.Prompts()
		name, _, _ := strings.Cut(base.Generator, " (")
		ours := a.Outcome == local.OK && a.Retriever != datasets.Outside && asked[name]
		if ours && !audit.Texts[sha256.Sum256([]byte(a.Text))] {
			add(store.Damaged(dir, store.AnswersFile, fmt.Sprintf("line %d", i+1),
				"the answer of %.60q to %.60q is no reply in the journal", a.Generator, a.Item))
		}
	}
}

// plainly words a problem without its remedy, which is the same for all.
func plainly(err error) string {
	var e *files.Error
	if !errors.As(err, &e) {
		return usage.Plain(err.Error())
	}
	bare := *e
	bare.Remedy = ""
	return usage.Plain(bare.Error())
}
