package main

import (
	"bytes"
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
	"lore/cmd/lore/internal/page"
	"lore/cmd/lore/internal/pipeline"
	"lore/cmd/lore/internal/report"
	"lore/cmd/lore/internal/run"
	"lore/cmd/lore/internal/store"
	"lore/cmd/lore/internal/study"
	"lore/cmd/lore/internal/usage"
	"lore/datasets"
	"lore/datasets/all"
	"lore/local/files"
	"lore/local/gate"
)

// allBenchmarks is what `lore run` takes for the samples of all benchmarks.
const allBenchmarks = "all"

// isStudy reports whether an argument of `lore run` names a study: a file, or all benchmarks.
func isStudy(arg string) bool {
	if strings.EqualFold(arg, allBenchmarks) {
		return true
	}
	ext := strings.ToLower(filepath.Ext(arg))
	return ext == ".yaml" || ext == ".yml" || ext == ".json"
}

// steering are the flags that say what a command does, and are no part of a study.
var steering = []string{
	"help", "json", "out", "title", "date", "progress", "estimate", "no-probe", "watch", "watch-items", "watch-for", "failed",
}

// notForStudies are those of them that only one benchmark can have.
var notForStudies = []string{"watch", "watch-items", "watch-for", "failed"}

// lists are the flags that take several values with commas between them.
var lists = []string{
	"retriever", "generator", "judge", "system", "answers", "retrieval", "order", "prompts", "allow-host", "item",
}

// studyReader is what a study may hold: the flags of `lore run`.
func studyReader() study.Reader {
	r := study.Reader{Benchmarks: all.Names(), Check: checkValue}
	c := newRun()
	c.Flags().VisitAll(func(f *pflag.Flag) {
		if slices.Contains(steering, f.Name) || f.Hidden {
			return
		}
		s := study.Setting{
			Name:    f.Name,
			Kind:    kindOf(f),
			List:    slices.Contains(lists, f.Name),
			Default: f.DefValue,
			Whole:   annotation(f, "heading") == modelsFlags && f.Name != "prompts",
		}
		_, s.Help = pflag.UnquoteUsage(f)
		s.Help = strings.TrimPrefix(s.Help, "comma-separated ")
		if annotation(f, "page") == benchmarksTopic {
			s.Of = usage.List(f.Usage)
			s.Help = settingHelp(f.Name)
		}
		r.Settings = append(r.Settings, s)
	})
	return r
}

// kindOf is what the values of a flag are.
func kindOf(f *pflag.Flag) study.Kind {
	switch f.Value.Type() {
	case "int", "uint64":
		return study.Whole
	case "float64":
		return study.Number
	case "bool":
		return study.Flag
	case "stringArray":
		return study.Lines
	}
	return study.Text
}

// settingHelp is what a benchmark says of a setting of its own.
func settingHelp(name string) string {
	var said []string
	for _, b := range all.Benchmarks() {
		conf, ok := b.(datasets.Configurable)
		if !ok {
			continue
		}
		for _, s := range conf.Settings() {
			if s.Name == name && !slices.Contains(said, s.Help) {
				said = append(said, s.Help)
			}
		}
	}
	return strings.Join(said, "; ")
}

// checkValue refuses what the flag would refuse.
func checkValue(v study.Value) error {
	c := newRun()
	return setFlag(c, v)
}

// setFlag gives a command what a study says.
func setFlag(c *cobra.Command, v study.Value) error {
	texts := []string{v.Joined()}
	if v.Setting.Kind == study.Lines {
		texts = v.Texts
	}
	for _, t := range texts {
		if err := c.Flags().Set(v.Setting.Name, t); err != nil {
			if kind := takes(c.Flags().Lookup(v.Setting.Name).Value.Type()); kind != "" {
				return fmt.Errorf("takes %s, not %q", kind, t)
			}
			return err
		}
	}
	return nil
}

// studied is a study on its way.
type studied struct {
	c     *cobra.Command
	name  string // of the file, without its ending
	file  string // empty: none
	text  []byte
	study study.Study
	out   string
	home  string // where the command was given
	runs  []*prepared
	wrong error // what is wrong in the file, as far as it was read
}

// openStudy reads a study, with what the command line says instead.
func openStudy(c *cobra.Command, args []string) (*studied, error) {
	s := &studied{c: c}
	var err error
	if s.home, err = os.Getwd(); err != nil {
		return nil, fmt.Errorf("find the current folder: %w", err)
	}
	if len(args) > 1 {
		return nil, usage.Errorf("%s says itself which data is used; leave out %s", args[0], strings.Join(args[1:], " "))
	}
	if strings.EqualFold(args[0], allBenchmarks) {
		s.all()
	} else if err := s.read(args[0]); err != nil {
		return nil, err
	}
	return s, s.override()
}

func runStudy(c *cobra.Command, args []string, estimate estimateFlags) error {
	s, err := openStudy(c, args)
	if err != nil {
		return err
	}
	defer s.close()
	if estimate.on {
		return s.estimate(estimate)
	}
	if err := s.prepare(); err != nil {
		return s.failed(err)
	}

	jobs := make([]*run.Job, len(s.runs))
	for i, p := range s.runs {
		jobs[i] = p.job
	}
	if err := run.Together(c.Context(), jobs...); err != nil {
		return s.failed(err)
	}
	for _, p := range s.runs {
		if err := p.save(); err != nil {
			return s.failed(err)
		}
	}
	return s.finish()
}

// all is the study of all samples.
func (s *studied) all() {
	s.name = allBenchmarks
	for _, name := range all.Names() {
		s.study.Runs = append(s.study.Runs, study.Run{Name: name, Benchmark: name})
	}
}

// read reads the file. Paths in it are relative to its folder, to which the command moves.
func (s *studied) read(path string) error {
	const remedy = "give a study file, or the name of a benchmark; `lore study init` writes a study"
	data, err := files.Read(path, remedy)
	if err != nil {
		return err
	}
	s.file, s.text = path, data
	s.name = strings.TrimSuffix(filepath.Base(path), filepath.Ext(path))
	s.study, s.wrong = studyReader().Read(path, data)
	if err := os.Chdir(filepath.Dir(path)); err != nil {
		return fmt.Errorf("go to the folder of %s: %w", path, err)
	}
	return nil
}

// files of a command line that are folders, and stay where the command was given.
var folders = []string{"cache", "index-dir"}

// override puts the flags of the command line into all runs. With a file only those make sense that
// do not say what is studied.
func (s *studied) override() error {
	words := map[string]*string{"title": &s.study.Title, "date": &s.study.Date, "out": &s.study.Out}
	settings := studyReader().Settings
	var failed error
	s.c.Flags().Visit(func(f *pflag.Flag) {
		if into := words[f.Name]; into != nil {
			*into = f.Value.String()
			if f.Name == "out" {
				*into = s.absolute(*into)
			}
			return
		}
		if slices.Contains(notForStudies, f.Name) {
			failed = usage.Errorf("--%s is for one benchmark, and not for a study", f.Name)
		}
		at := slices.IndexFunc(settings, func(o study.Setting) bool { return o.Name == f.Name })
		if at < 0 || failed != nil {
			return
		}
		if s.file != "" && !settings[at].Whole && f.Name != "limit" && f.Name != "subset" {
			failed = usage.Errorf("--%s is for one run; write %s: into %s", f.Name, settings[at].Plural(), s.file)
			return
		}
		v := study.Value{Setting: settings[at], Texts: []string{f.Value.String()}}
		if slices.Contains(folders, f.Name) && f.Value.String() != noCache {
			v.Texts[0] = s.absolute(v.Texts[0])
		}
		if lines, ok := f.Value.(pflag.SliceValue); ok {
			v.Texts = lines.GetSlice()
		}
		for i := range s.study.Runs {
			s.study.Runs[i].Give(v)
		}
	})
	return failed
}

func (s *studied) absolute(path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(s.home, path)
}

// load reads the data of all runs, and tells all that is wrong with the study at once.
func (s *studied) load() error {
	windows := models.NewWindows()
	var wrong []error
	for _, r := range s.study.Runs {
		p, err := s.loadRun(r)
		if err != nil {
			if s.c.Context().Err() != nil {
				return err
			}
			wrong = append(wrong, s.mistakes(r, err)...)
			continue
		}
		p.opt.Models.Windows = windows
		s.runs = append(s.runs, p)
	}
	if s.wrong != nil || len(wrong) > 0 {
		return study.Mistakes(append(study.Each(s.wrong), wrong...))
	}
	return nil
}

// mistakes are the errors of a run: the one that was found, and those that are found when what it is
// about is left out.
func (s *studied) mistakes(r study.Run, err error) []error {
	out := []error{s.placed(r, err)}
	for {
		rest, dropped := r.Without(study.LineOf(out[len(out)-1]))
		if len(dropped) == 0 || s.file == "" {
			return out
		}
		if _, err = s.loadRun(rest); err == nil {
			return out
		}
		for _, name := range dropped { // that it is missing is no mistake of the file
			if strings.Contains(err.Error(), "--"+name) {
				return out
			}
		}
		r, out = rest, append(out, s.placed(rest, err))
	}
}

// place says where the runs lie, and refuses a folder that holds something else.
func (s *studied) place() error {
	if s.out = s.study.Out; s.out != "" {
		var err error
		if s.out, err = filepath.Abs(s.out); err != nil {
			return fmt.Errorf("find the folder of the study: %w", err)
		}
	} else {
		var hash bytes.Buffer
		for _, p := range s.runs {
			fmt.Fprintln(&hash, p.name, p.asked.Hash())
		}
		s.out = s.absolute(filepath.Join(runsFolder, fmt.Sprintf("%s-%.4x", s.name, sha256.Sum256(hash.Bytes()))))
	}
	return s.checkFolder()
}

// estimate says what the study would take.
func (s *studied) estimate(f estimateFlags) error {
	if err := s.load(); err != nil {
		return err
	}
	if err := s.place(); err != nil {
		return err
	}
	for i, p := range s.runs {
		if err := p.look(filepath.Join(s.out, p.name)); err != nil {
			return s.named(s.study.Runs[i], err)
		}
	}
	asJSON, err := s.c.Flags().GetBool("json")
	if err != nil {
		return err
	}
	return estimateRuns(s.c, f, asJSON, s.runs...)
}

// prepare reads all data, opens the folders and looks all models up. Nothing is asked.
func (s *studied) prepare() error {
	if err := s.load(); err != nil {
		return err
	}
	if err := s.place(); err != nil {
		return err
	}
	for i, p := range s.runs {
		if err := p.open(filepath.Join(s.out, p.name)); err != nil {
			return s.named(s.study.Runs[i], err)
		}
	}
	return s.keep()
}

// checkFolder refuses a folder whose report would be lost: that of one run, and that of a study which
// has other runs besides.
func (s *studied) checkFolder() error {
	if study.IsRun(s.out) {
		return usage.Errorf("%s holds a run of one benchmark, whose report this study would overwrite; choose another folder with --out",
			s.shown(s.out))
	}
	old, err := study.ReadManifest(s.out)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	for _, o := range old.Runs {
		if !slices.ContainsFunc(s.runs, func(p *prepared) bool { return p.name == o.Folder }) {
			return usage.Errorf("%s holds a study that also has %s, which its report would lose; name it again, or choose another "+
				"folder with --out", s.shown(s.out), o.Folder)
		}
	}
	return nil
}

// loadRun makes the command of one run, and reads its data.
func (s *studied) loadRun(r study.Run) (*prepared, error) {
	c, f := runCommand()
	c.SetContext(s.c.Context())
	c.SetOut(s.c.OutOrStdout())
	c.SetErr(s.c.ErrOrStderr())
	for _, v := range r.Values {
		if err := setFlag(c, v); err != nil {
			return nil, usage.Errorf("%s: %v", v.Setting.Name, err)
		}
	}
	if s.study.Title != "" {
		if err := c.Flags().Set("title", s.study.Title+": "+r.Name); err != nil {
			return nil, err
		}
	}
	if s.study.Date != "" {
		if err := c.Flags().Set("date", s.study.Date); err != nil {
			return nil, err
		}
	}

	p := &prepared{c: c, f: *f, name: r.Name}
	if err := p.load(r.Benchmark, r.Data); err != nil {
		return p, err
	}
	return p, nil
}

// placed tells where in the file stands what is wrong: at the setting that the error names, at the
// data, or at the benchmark.
func (s *studied) placed(r study.Run, err error) error {
	if s.file == "" {
		return err
	}
	if request, ok := errors.AsType[*usage.Error](err); ok {
		return &files.Error{
			File:  s.file,
			Place: fmt.Sprintf("line %d", r.Blame(request.Error())),
			Msg:   r.Name + ": " + request.Error(),
			Err:   err,
		}
	}
	input, ok := errors.AsType[*files.Error](err)
	if !ok {
		return s.named(r, err)
	}
	at := r.LineOf(input.File)
	if files.Exists(input.File) { // it was found, and is wrong itself
		return &files.Error{File: s.file, Place: fmt.Sprintf("line %d", at), Msg: r.Name + ": " + input.Error(), Err: err}
	}
	help := "paths are relative to the study file"
	if here, err := os.Getwd(); err == nil {
		help += ", here to " + here
	}
	if strings.HasPrefix(input.File, "~") || strings.Contains(input.File, "$") {
		help += "; ~ and $ stand for nothing in a study"
	}
	return &files.Error{
		File: s.file, Place: fmt.Sprintf("line %d", at), Msg: r.Name + ": " + input.Error(), Remedy: help, Err: err,
	}
}

// named tells which run an error is about.
func (s *studied) named(r study.Run, err error) error {
	if request, ok := errors.AsType[*usage.Error](err); ok {
		return usage.Errorf("%s: %v", r.Name, request)
	}
	return fmt.Errorf("%s: %w", r.Name, err)
}

// failed ends all runs where nothing goes on from here.
func (s *studied) failed(err error) error {
	for _, p := range s.runs {
		err = p.failed(err)
	}
	_ = os.Remove(s.out) // only where nothing is left in it
	return err
}

// close ends all runs, and goes back to where the command was given.
func (s *studied) close() {
	for _, p := range s.runs {
		p.close()
	}
	_ = os.Chdir(s.home) // it was there when the command began
}

// keep writes what was asked beside the runs.
func (s *studied) keep() error {
	m := study.Manifest{Format: study.Format, Lore: versionText(), Name: s.name, Title: s.study.Title, Date: s.study.Date}
	for i, r := range s.study.Runs {
		opt := s.runs[i].opt
		m.Runs = append(m.Runs, study.Place{
			Folder:     r.Name,
			Benchmark:  r.Benchmark,
			Retrievers: pipeline.Names(opt.Retrievers),
			Generators: opt.Generators,
			Judges:     opt.Judges,
			SHA256:     s.runs[i].asked.Hash(),
		})
	}
	data, err := store.Encode(m)
	if err != nil {
		return fmt.Errorf("write down the study: %w", err)
	}
	if err := files.WriteFile(filepath.Join(s.out, study.ManifestFile), data); err != nil {
		return fmt.Errorf("write down the study: %w", err)
	}
	if s.file == "" {
		return nil
	}
	if err := files.WriteFile(filepath.Join(s.out, study.CopyFile), s.text); err != nil {
		return fmt.Errorf("keep the study file: %w", err)
	}
	return nil
}

// finish writes the report over all runs, and prints it.
func (s *studied) finish() error {
	parts := s.parts()
	if err := s.write(parts); err != nil {
		return err
	}
	if err := s.print(parts); err != nil {
		return err
	}

	stderr, lacking := s.c.ErrOrStderr(), ""
	var spent []gate.ModelUsage
	for _, p := range s.runs {
		for _, w := range slices.Concat(report.Warnings(p.result.Table, p.bench.Metrics()), report.CutWarnings(p.report)) {
			usage.NewConsole(stderr).Named(p.name).Warn(w)
		}
		if l := p.lacking(); l != "" {
			lacking += fmt.Sprintf("; %s: %s", p.name, l)
		}
		spent = gate.Sum(spent, p.result.Usage)
	}
	printCost(stderr, spent)

	shown := s.shown(s.out)
	fmt.Fprintf(stderr, "Study folder: %s\nRead it:      %s\n", shown, filepath.Join(shown, study.PageFile))
	fmt.Fprintf(stderr, "Next:         lore report %s --format latex --label tab:main\n", files.Quoted(shown))
	if lacking != "" {
		return partialf("some items are unscored%s; the page of each run lists them with their reasons", lacking)
	}
	return nil
}

// parts are the runs by benchmark, in the order of the study.
func (s *studied) parts() []part {
	var out []part
	for _, p := range s.runs {
		at := slices.IndexFunc(out, func(o part) bool { return o.Bench.Name() == p.bench.Name() })
		if at < 0 {
			at = len(out)
			out = append(out, part{Part: report.Part{Bench: p.bench, Study: true}})
		}
		of := &out[at]
		of.Runs, of.Names, of.dirs = append(of.Runs, p.report), append(of.Names, p.name), append(of.dirs, p.name)
	}
	return out
}

// print prints the tables.
func (s *studied) print(parts []part) error {
	w := s.c.OutOrStdout()
	if asJSON, err := s.c.Flags().GetBool("json"); err != nil || asJSON {
		return errors.Join(err, s.json())
	}

	// The rest is in the report: four benchmarks at length are a wall of text.
	said := map[string]bool{}
	for _, p := range s.runs {
		usage.Paint(w, usage.Piece{Text: p.name, Style: usage.Heading}, usage.Piece{Text: "\n"})
		main := report.Main(p.report.Table, p.bench.Metrics())
		main.Note = once(said, main.Note)
		report.Text(w, main)
		var lines bytes.Buffer
		report.JudgeLines(&lines, p.report)
		for line := range strings.Lines(lines.String()) {
			if line = once(said, strings.TrimSpace(line)); line != "" {
				usage.Wrap(w, line)
			}
		}
		fmt.Fprintln(w)
		if g := report.Failures(p.report.Answers, p.report.Verdicts); len(g.Rows) > 0 {
			report.Text(w, g)
			fmt.Fprintln(w)
		}
	}
	of := reported(parts)
	return printGrids(w, "text", []datasets.Grid{report.Across(of).Grid(), report.OverSeeds(of)})
}

// once is a text that was not said before; empty else.
func once(said map[string]bool, text string) string {
	if said[text] {
		return ""
	}
	said[text] = true
	return text
}

// json prints the table of each run, by its name.
func (s *studied) json() error {
	runs := make([]map[string]any, len(s.runs))
	for i, p := range s.runs {
		runs[i] = report.TableJSON(p.result.Table, p.bench.Metrics())
		runs[i]["run"] = p.name
	}
	return report.WriteJSON(s.c.OutOrStdout(), map[string]any{"study": s.name, "runs": runs})
}

// write writes the report over all runs, as a page and as Markdown.
func (s *studied) write(parts []part) error {
	of := reported(parts)
	overview, seeds := report.Across(of).Grid(), report.OverSeeds(of)
	title := study.TitleOf(s.study.Title, s.name)

	var md bytes.Buffer
	report.StudyMarkdown(&md, title, s.study.Date, of, overview, seeds)
	if err := files.WriteFile(filepath.Join(s.out, study.MarkdownFile), md.Bytes()); err != nil {
		return fmt.Errorf("write the report: %w", err)
	}

	var html bytes.Buffer
	whole := page.Study{Title: title, Date: s.study.Date, Overview: overview, Seeds: seeds}
	for _, p := range s.runs {
		source := page.Source{Run: p.report, Shown: &p.result.Shown, Contexts: p.result.Contexts}
		whole.Add(p.name, source, p.bench)
	}
	if err := whole.Write(&html); err != nil {
		return err
	}
	if err := files.WriteFile(filepath.Join(s.out, study.PageFile), html.Bytes()); err != nil {
		return fmt.Errorf("write the page: %w", err)
	}
	return nil
}

// shown is a path as whoever gave the command sees it.
func (s *studied) shown(path string) string {
	if !filepath.IsAbs(path) { // out, as the file says it
		if here, err := os.Getwd(); err == nil {
			path = filepath.Join(here, path)
		}
	}
	if rel, err := filepath.Rel(s.home, path); err == nil && !strings.HasPrefix(rel, "..") {
		return rel
	}
	return path
}
