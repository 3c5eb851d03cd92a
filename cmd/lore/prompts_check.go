package main

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"lore/cmd/lore/internal/prompts"
	"lore/cmd/lore/internal/report"
	"lore/cmd/lore/internal/usage"
	"lore/datasets"
	"lore/datasets/all"
	"lore/judge"
	"lore/judge/llm"
	"lore/local"
	"lore/local/files"
	"lore/local/prompt"
)

func newPromptsCheck() *cobra.Command {
	var reply string
	c := &cobra.Command{
		Use:   "check DIR|FILE",
		Short: "Say what prompts of yours lack, and how replies to them are read",
		Long: "check reads a version of prompts, or one file of it, as a run would: it fills each prompt in for an\n" +
			"item of the sample, says which fields it leaves out, and in what form a judge's reply is read. With\n" +
			"--reply it reads a reply that you have, so that you see what becomes of it.",
		Example: "  lore prompts check prompts/v2\n  lore prompts check prompts/v2/judge/coverage.txt --reply reply.txt",
		Args:    usageArgs(cobra.ExactArgs(1)),
		RunE:    func(c *cobra.Command, args []string) error { return checkVersion(c, args[0], reply) },
	}
	group(c, dataFlags, func(fl *pflag.FlagSet) {
		fl.StringVar(&reply, "reply", "", "read the reply in this `file` as one to the judge's prompt")
	})
	return c
}

// checkVersion checks a folder of prompts, or one file of it.
func checkVersion(c *cobra.Command, arg, reply string) error {
	dir, only, err := versionOf(arg)
	if err != nil {
		return err
	}
	versions, err := prompts.Parse([]string{dir}, ".", "")
	if err != nil {
		return err
	}
	v := versions[0]
	names := slices.Sorted(maps.Keys(v.Texts))
	if only != "" {
		names = []string{only}
	}
	if len(names) == 0 {
		return usage.Errorf("%s holds no prompts", arg)
	}

	g := datasets.Grid{
		Head: []string{"prompt", "filled in for", "uses", "a reply is read as"},
		Note: "lore prompts show NAME --prompts DIR --item ID prints what a model is given.",
	}
	for _, name := range names {
		row, err := checkedPrompt(c, v, name)
		if err != nil {
			return v.Locate(err)
		}
		g.Rows = append(g.Rows, row)
	}
	report.Text(c.OutOrStdout(), g)

	lib, err := prompts.All()
	if err != nil {
		return err
	}
	console := usage.NewConsole(c.ErrOrStderr())
	for _, lack := range v.Only(names).Lacks(lib) {
		console.Warn(lack)
	}
	if reply != "" {
		return readReply(c, v, names, reply)
	}
	return nil
}

// versionOf is the folder of a version, and the name of its prompt where one file is named.
func versionOf(arg string) (dir, only string, err error) {
	info, err := os.Stat(arg)
	if err != nil || info.IsDir() {
		return arg, "", nil // whoever reads it says what is wrong
	}
	lib, err := prompts.All()
	if err != nil {
		return "", "", err
	}

	whole := filepath.ToSlash(filepath.Clean(arg))
	for _, name := range lib.Names {
		if rest, ok := strings.CutSuffix(whole, name); ok && (rest == "" || strings.HasSuffix(rest, "/")) {
			return filepath.Clean("./" + rest), name, nil
		}
	}
	remedy := "a version is a folder with files such as judge/coverage.txt; lore prompts list names all prompts"
	parts := strings.Split(whole, "/")
	if near := lib.Nearest(strings.Join(parts[max(0, len(parts)-2):], "/")); near != "" {
		remedy = "did you mean .../" + near + "? " + remedy
	}
	return "", "", &files.Error{File: arg, Msg: "replaces no prompt by its path", Remedy: remedy}
}

// checkedPrompt is the row of a prompt.
func checkedPrompt(c *cobra.Command, v prompts.Version, name string) ([]string, error) {
	p, err := prompt.Parse(name, v.Texts[name])
	if err != nil {
		return nil, err
	}
	item := datasets.NoValue
	for _, bench := range all.Benchmarks() {
		lib, err := prompts.Of(bench)
		if err != nil {
			return nil, err
		}
		if !slices.Contains(lib.Names, name) {
			continue
		}
		ds, err := bench.Load(nil)
		if err != nil {
			return nil, err
		}
		words, err := filledFor(c, bench, ds.Items[0], v, name)
		if err != nil {
			return nil, err
		}
		if words {
			item = ds.Items[0].ID() + " of " + bench.Name()
			break
		}
	}

	form := datasets.NoValue
	if kind, ok := llm.KindOf(name); ok {
		form = llm.FormOf(kind, p)
	}
	return []string{name, item, strings.Join(p.Placeholders(), " "), form}, nil
}

// filledFor fills a prompt in for an item; false: it is none that items fill in.
func filledFor(c *cobra.Command, bench datasets.Benchmark, it datasets.Item, v prompts.Version, name string) (bool, error) {
	_, err := shownItem{bench, it}.fill(c.Context(), v, name)
	if isOther(err) {
		return false, nil
	}
	return err == nil, err
}

// manyBullets is how many bullets the answer is taken to have to which a reply is read: more than any has.
const manyBullets = 100_000

// readReply shows what a judge makes of a reply.
func readReply(c *cobra.Command, v prompts.Version, names []string, file string) error {
	kind, ok := llm.KindOf(names[0])
	if !ok || len(names) > 1 {
		example := filepath.Join(v.Dir, llm.PromptOf(judge.Coverage))
		return usage.Errorf("--reply is for one prompt of a judge: name its file, such as %s", example)
	}
	data, err := files.Read(file, "it must be a text")
	if err != nil {
		return err
	}
	lib, err := prompts.All()
	if err != nil {
		return err
	}
	j, err := llm.New(llm.Config{Backend: "shown"}, nil, prompt.NewSet(v.FS(), lib.FS()))
	if err != nil {
		return v.Locate(err)
	}

	t := judge.Task{Units: make([]string, manyBullets), Questions: []judge.Question{{Kind: kind}}}
	got := j.Read(t, 0, local.Reply{Outcome: local.OK, Text: string(data)})
	if !got.Scored() {
		return &files.Error{
			File:   file,
			Msg:    "cannot be read as a verdict: " + got.Reason,
			Remedy: "in a run the question would be unscored, and counted",
		}
	}
	said := fmt.Sprintf("%s: %s, worth %g", file, got.Label, got.Value)
	if got.Unit > 0 {
		said += fmt.Sprintf(", by bullet %d, counted from 1 (that the answer has so many is checked in a run)", got.Unit)
	}
	if len(got.Flags) > 0 {
		said += " (" + strings.Join(got.Flags, "; ") + ")"
	}
	fmt.Fprintln(c.OutOrStdout(), usage.Line(said))
	return nil
}
