package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"lore/cmd/lore/internal/models"
	"lore/cmd/lore/internal/page"
	"lore/cmd/lore/internal/pipeline"
	"lore/cmd/lore/internal/prompts"
	"lore/cmd/lore/internal/report"
	"lore/cmd/lore/internal/run"
	"lore/cmd/lore/internal/service"
	"lore/cmd/lore/internal/store"
	"lore/cmd/lore/internal/study"
	"lore/cmd/lore/internal/usage"
	"lore/datasets"
	"lore/datasets/all"
	"lore/local"
	"lore/local/system"
)

type runFlags struct {
	modelFlags
	judgeFlags
	searchFlags
	gridFlags
	systems systemsFlags
	bert    bertFlags
	items   itemFlags
	watch   watchFlags
	own     map[string]*string // settings of benchmarks, by name
	out     string
	words   pageWords
	json    bool

	estimate estimateFlags
}

// pageWords are what stands at the top of a page.
type pageWords struct{ title, date string }

func (f *pageWords) add(fl *pflag.FlagSet) {
	fl.StringVar(&f.title, "title", "", "`words` at the top of the page (default: the folder's, or benchmark and data)")
	fl.StringVar(&f.date, "date", "", "date to stand on the page, as `words` (default: the folder's, or none)")
}

// gridFlags say which systems are run, and how they answer.
type gridFlags struct {
	retriever, generator, retrieval, order string
	budget, numPredict                     int
	temperature, topP                      float64
	answers, cut                           string
}

// What --cut makes of answers that reached their length limit.
const (
	cutScored   = "scored"
	cutUnscored = "unscored"
)

// systemsFlags are those of systems that are asked over HTTP.
type systemsFlags struct {
	urls    string
	headers []string
	k       int
	timeout time.Duration
}

// bertFlags are those of BERTScore.
type bertFlags struct {
	dir, baseline string
	idf           bool
}

func newRun() *cobra.Command {
	c, _ := runCommand()
	return c
}

// runCommand is the command with what its flags are read into.
func runCommand() (*cobra.Command, *runFlags) {
	f := &runFlags{}
	c := &cobra.Command{
		Use:   "run BENCHMARK [DATA...] | STUDY.yaml | all",
		Short: "Retrieve, generate, judge and score",
		Long: "run takes every item of the data through retrieval, generation and judging, prints a\n" +
			"table with intervals, and writes a run folder. Several values give every combination. Without DATA it\n" +
			"uses the sample that comes with lore. An interrupted run resumes by the same command.\n\n" +
			"A study file names several benchmarks with their data, systems and judges, which are run together\n" +
			"into one folder with one report (lore help study); all runs the samples of all benchmarks so.\n\n" +
			"Benchmarks, with settings of their own: " + strings.Join(all.Names(), ", "),
		Example: "  lore run summhay --retriever bm25,random,oracle --limit 2\n" +
			"  lore run summhay topic_news1.json --generator ollama:qwen3:8b --judge lexical,ollama:qwen3:8b --slots 4\n" +
			"  lore run study.yaml",
		Args: usageArgs(cobra.MinimumNArgs(1)),
		RunE: func(c *cobra.Command, args []string) error {
			if err := f.estimate.check(); err != nil {
				return err
			}
			if isStudy(args[0]) {
				return runStudy(c, args, f.estimate)
			}
			return runBenchmark(c, *f, args[0], args[1:])
		},
	}

	f.items.add(c)
	topic(c, dataFlags, benchmarksTopic, func(fl *pflag.FlagSet) { f.own = addSettings(fl) })
	f.gridFlags.add(c)
	f.systems.add(c)
	f.searchFlags.add(c)
	f.judgeFlags.add(c, lexicalJudge, "comma-separated judges: "+judgeHelp)
	f.bert.add(c)
	f.modelFlags.add(c)
	f.watch.add(c)
	group(c, outputFlags, func(fl *pflag.FlagSet) {
		fl.StringVar(&f.out, "out", "", "run `folder`, made or extended (default lore-runs/BENCHMARK-HASH of all that bears on results)")
		f.words.add(fl)
		fl.BoolVar(&f.json, "json", false, "print the table as JSON")
	})
	f.estimate.add(c)
	return c, f
}

func (f *gridFlags) add(c *cobra.Command) {
	group(c, systemFlags, func(fl *pflag.FlagSet) {
		namesVar(fl, &f.retriever, "retriever", retrieverNames, "", "comma-separated retrievers (default: the benchmark's)")
		namesVar(fl, &f.generator, "generator", generatorNames, "extractive", "comma-separated generators: extractive, ollama:NAME, gold")
		fl.IntVar(&f.budget, "budget-tokens", 0, "maximum number of document tokens to show (default: the benchmark's)")
		commaVar(fl, &f.retrieval, "retrieval", "TREC run `files` of systems of your own; topics are item ids; repeatable")
		commaVar(fl, &f.answers, "answers",
			"comma-separated `files` with answers of your own systems; NAME=FILE goes with --retrieval NAME=RUN,\n"+
				"and files of one NAME that answer different items are one system; repeatable")
		namesVar(fl, &f.order, "order", places, "", "position study: gold documents at top, middle, bottom or random")
	})
	topic(c, systemFlags, generatorsTopic, func(fl *pflag.FlagSet) {
		fl.IntVar(&f.numPredict, "num-predict", 0, "maximum number of tokens of an answer (default: the benchmark's, or the item's)")
		namesVar(fl, &f.cut, "cut", cutNames, cutScored, "answers that reached their length limit: scored, or unscored")
		fl.Float64Var(&f.temperature, "temperature", 0, "sampling temperature of the generator (default: the benchmark's)")
		fl.Float64Var(&f.topP, "top-p", 0, "top-p of the generator (default: the benchmark's)")
	})
}

func (f *systemsFlags) add(c *cobra.Command) {
	group(c, systemFlags, func(fl *pflag.FlagSet) {
		fl.StringVar(&f.urls, "system", "",
			"comma-separated `URLs` of systems of your own, or files that describe one; see lore help generators")
	})
	completeFiles(c, "system", "yaml", "yml", "json")
	topic(c, systemFlags, generatorsTopic, func(fl *pflag.FlagSet) {
		fl.StringArrayVar(&f.headers, "system-header", nil,
			"'`NAME: $VARIABLE`', quoted, for every --system; read from the environment, never stored; may be repeated")
		fl.IntVar(&f.k, "system-k", 10, "k that a --system is asked with")
		fl.DurationVar(&f.timeout, "system-timeout", 2*time.Minute, "most time a --system may take for one answer")
	})
}

func (f *bertFlags) add(c *cobra.Command) {
	topic(c, judgingFlags, judgesTopic, func(fl *pflag.FlagSet) {
		fl.StringVar(&f.dir, "bertscore", "", "`folder` of an ONNX encoder: also compute BERTScore against the reference answers")
		fl.BoolVar(&f.idf, "bertscore-idf", false, "weigh tokens by their idf over the references")
		fl.StringVar(&f.baseline, "bertscore-baseline", "", "`file` of baselines to rescale BERTScore with: lines of LAYER,P,R,F")
	})
}

func runBenchmark(c *cobra.Command, f runFlags, name string, data []string) error {
	p := &prepared{c: c, f: f}
	defer p.close()
	if err := p.load(name, data); err != nil || p.nothing {
		return err
	}
	if f.watch.watch {
		return runWatch(p)
	}
	out := f.out
	if out == "" {
		out = defaultFolder(p.asked)
	}
	if f.estimate.on {
		if err := p.look(out); err != nil {
			return err
		}
		return estimateRuns(c, f.estimate, f.json, p)
	}
	if err := p.open(out); err != nil {
		return p.failed(err)
	}

	err := run.Together(c.Context(), p.job)
	if err == nil {
		err = p.save()
	}
	if err != nil {
		return p.failed(err)
	}
	return p.show()
}

// prepared is a run of one benchmark on its way: what was asked, its folder, and at last its
// result.
type prepared struct {
	c        *cobra.Command
	f        runFlags
	name     string // of several; empty for one alone
	bench    datasets.Benchmark
	data     *datasets.Dataset
	opt      run.Options
	asked    run.Configuration
	nothing  bool // none of the items is to be run
	folder   *store.Folder
	progress store.Progress
	job      *run.Job
	result   *run.Result
	report   report.Run
}

// load checks the flags and reads the data. Nothing is written.
func (p *prepared) load(name string, data []string) error {
	console := usage.NewConsole(p.c.ErrOrStderr()).Named(p.name).Watched(p.progress.Tell)
	bench, err := find(name)
	if err != nil {
		return err
	}
	for name, value := range p.f.own {
		if *value == "" && p.c.Flags().Changed(name) {
			return usage.Errorf("--%s is empty; leave it out, or see which variable of the shell is not set", name)
		}
	}
	bench, given, err := configure(bench, p.f.own)
	if err != nil {
		return err
	}
	p.bench = bench
	if p.opt, err = p.f.options(p.c, bench, console); err != nil {
		return err
	}
	p.opt.Bench = given

	if p.data, err = bench.Load(p.f.items.takeRun(data)); err != nil {
		return err
	}
	if len(p.opt.Retrievers) > 0 && p.data.Unsearchable != nil {
		return p.data.Unsearchable
	}
	for _, w := range p.data.Warnings {
		console.Warn(w)
	}
	if err := models.CheckBatch(p.opt.Judges, p.opt.Judging, p.data.Items); err != nil {
		return err
	}
	if err := checkExamples(console, p.opt.Judges, p.opt.Judging, models.Planned(p.data.Items)); err != nil {
		return err
	}
	if p.opt.Answers, err = p.f.readAnswers(bench, p.data); err != nil {
		return err
	}
	if p.nothing, err = p.f.items.choose(&p.opt, bench, p.data, p.f.out); p.nothing || err != nil {
		return err
	}
	unused, err := checkPrompts(p.c.Context(), bench, p.opt.Items(p.data), p.opt.Prompts, p.opt.Judges)
	if err != nil {
		return err
	}
	for _, note := range unused {
		console.Note(note)
	}
	p.asked, err = run.Configure(bench, p.data, p.opt)
	return err
}

// open opens the run folder, extends what it holds, and looks the models up.
func (p *prepared) open(out string) error {
	if _, err := study.ReadManifest(out); err == nil {
		return usage.Errorf("%s holds a study, whose report this run would overwrite; choose another folder with --out", out)
	}
	var err error
	if p.folder, err = store.Open(out); err != nil {
		return err
	}
	p.f.words.keep(p.c, out)
	if err := p.settle(indexDir(out)); err != nil {
		return err
	}

	p.progress.Plan(store.Plan{
		Benchmark: p.bench.Name(),
		Items:     len(p.opt.Items(p.data)),
		Systems:   p.opt.Systems(),
		Judges:    p.opt.Judges,
	})
	p.opt.Failed = p.progress.Failed
	console := p.opt.Console
	p.progress.Look(func() store.Mark { return markOf(console) })
	console.Beat(p.progress.Beat)
	p.progress.Begin(p.folder)
	p.job, err = run.Prepare(p.c.Context(), p.bench, p.data, p.opt, p.folder)
	return err
}

// settle says where indexes lie, and extends what the folder holds.
func (p *prepared) settle(index string) (err error) {
	if p.f.indexDir == "" {
		p.opt.Pipelines.IndexDir = index
		p.opt.Models.Encoders.Dir = index
	}
	p.opt, err = run.Extend(p.folder, p.asked, p.bench, p.data, p.opt)
	return err
}

// failed ends a run that did not come to its end. Where nothing goes on from here, its folder
// goes.
func (p *prepared) failed(err error) error {
	if code := exitCode(p.c.Context(), err); p.folder != nil && (code == exitUsage || code == exitInput) {
		p.progress.End()
		return errors.Join(err, p.folder.Discard())
	}
	return err
}

func (p *prepared) close() {
	if p.job != nil {
		_ = p.job.Close() // what was asked is kept already
	}
	if p.folder != nil {
		p.folder.Close()
	}
}

// keep takes over what the folder says where the command says nothing: a folder that is extended
// keeps its title. --title ” takes it away.
func (f *pageWords) keep(c *cobra.Command, dir string) {
	m, err := store.ReadManifest(dir)
	if err != nil {
		return // not there yet, or damaged: others tell of that
	}
	if !c.Flags().Changed("title") {
		f.title = m.Title
	}
	if !c.Flags().Changed("date") {
		f.date = m.Date
	}
}

// indexDir is the user's cache folder, or the run folder where there is none.
func indexDir(out string) string {
	cache, err := os.UserCacheDir()
	if err != nil {
		return filepath.Join(out, "index")
	}
	return filepath.Join(cache, "lore", "index")
}

// options checks all flags before anything is read or written.
func (f runFlags) options(c *cobra.Command, bench datasets.Benchmark, console usage.Console) (run.Options, error) {
	protocol := bench.Protocol()
	opt := run.Options{
		Seed:    f.seed,
		Version: versionText(),
		Console: console,
	}
	if err := errors.Join(f.items.check(), f.watch.check(f.json, f.estimate.on)); err != nil {
		return opt, err
	}
	for _, name := range []string{"item", "prompts", "failed"} {
		if given := c.Flags().Lookup(name); given.Changed && strings.TrimSpace(given.Value.String()) == "" {
			return opt, usage.Errorf("--%s is empty; leave it out, or see which variable of the shell is not set", name)
		}
	}
	var err error
	if opt.Models, err = f.modelFlags.config(console); err != nil {
		return opt, err
	}
	if opt.Models.Systems, err = f.systems.config(f.allow); err != nil {
		return opt, err
	}
	if err := f.grid(c, &opt, protocol); err != nil {
		return opt, err
	}
	if err := f.generation(c, &opt, protocol); err != nil {
		return opt, err
	}

	if opt.Judges, err = f.names(); err != nil {
		return opt, err
	}
	if len(opt.Judges) == 0 {
		return opt, usage.Errorf("--judge needs at least one name")
	}
	if opt.Judging, err = f.judging(); err != nil {
		return opt, err
	}
	opt.Language = opt.Judging.Language
	if opt.BERTScore, err = f.bert.config(); err != nil {
		return opt, err
	}
	if opt.Prompts, err = prompts.Parse(prompts.List(f.prompts), ".", bench.Name()); err != nil {
		return opt, err
	}
	search := f.modelFlags
	search.prompts = "" // the engine has its own
	if opt.Pipelines, err = f.searchFlags.config(search, ".", console); err != nil {
		return opt, err
	}
	opt.Models.Encoders, err = encoders(c, ".")
	return opt, err
}

// grid sets the retrievers and generators. Where only systems of people's own are named,
// there is no grid.
func (f runFlags) grid(c *cobra.Command, opt *run.Options, protocol datasets.Protocol) error {
	changed := c.Flags().Changed
	runs := unnamed(f.retrieval)
	asked := changed("retriever") || changed("generator") || f.pipelines != "" || len(runs) > 0 || f.order != ""
	if (f.answers != "" || len(opt.Models.Systems.URLs) > 0) && !asked {
		return nil
	}

	var retrievers []string
	if f.retriever != "" {
		retrievers = pipeline.SplitList(f.retriever)
	}
	for _, file := range runs {
		retrievers = append(retrievers, "trec:"+file)
	}
	if len(retrievers) == 0 && f.pipelines == "" && f.order == "" {
		retrievers = pipeline.SplitList(protocol.Retrievers)
	}
	for _, place := range usage.List(f.order) {
		if !slices.Contains(places, place) {
			return usage.Unknown("place in --order", place, places)
		}
		if !slices.Contains(retrievers, "full") {
			retrievers = append(retrievers, "full")
		}
		retrievers = append(retrievers, "full-"+place)
	}

	var err error
	if opt.Retrievers, err = pipeline.ParseList(strings.Join(retrievers, ","), f.pipelines); err != nil {
		return err
	}
	if err := pipeline.Check(opt.Retrievers); err != nil {
		return err
	}

	names := usage.List(f.generator)
	opt.Generators = slices.DeleteFunc(slices.Clone(names), func(g string) bool { return g == run.Gold })
	if len(names) == 0 {
		return usage.Errorf("--generator needs at least one name")
	}
	if err := models.CheckGenerators(opt.Generators); err != nil {
		return err
	}
	return unique("generator", names)
}

// generation sets how answers are made: as the benchmark does, or as the flags say.
func (f gridFlags) generation(c *cobra.Command, opt *run.Options, protocol datasets.Protocol) error {
	opt.Budget, opt.NumPredict, opt.StrictCut = protocol.Budget, f.numPredict, f.cut == cutUnscored
	opt.Temperature, opt.TopP = protocol.Temperature, protocol.TopP

	switch {
	case f.budget < 1 && c.Flags().Changed("budget-tokens"):
		return usage.Errorf("--budget-tokens is at least 1, not %d", f.budget)
	case f.numPredict < 0:
		return usage.Errorf("--num-predict cannot be negative")
	case f.cut != cutScored && f.cut != cutUnscored:
		return usage.Unknown("value of --cut", f.cut, cutNames)
	case f.temperature < 0:
		return usage.Errorf("--temperature cannot be negative")
	case f.topP < 0 || f.topP > 1:
		return usage.Errorf("--top-p is from 0 to 1")
	}
	if f.budget > 0 {
		opt.Budget.Tokens = f.budget
	}
	if c.Flags().Changed("temperature") {
		opt.Temperature = f.temperature
	}
	if c.Flags().Changed("top-p") {
		opt.TopP = f.topP
	}
	return nil
}

// config checks the flags. allowed are hosts besides this machine.
func (f systemsFlags) config(allowed string) (models.Systems, error) {
	header, secrets, err := models.ReadHeaders(f.headers)
	if err != nil {
		return models.Systems{}, err
	}
	s := models.Systems{
		URLs:    usage.List(f.urls),
		Files:   map[string]*system.Service{},
		Header:  header,
		Secrets: secrets,
		Hosts:   usage.List(allowed),
		K:       f.k,
		Timeout: f.timeout,
	}
	for _, entry := range s.URLs {
		if !service.IsFile(entry) {
			continue
		}
		described, err := service.ReadFile(entry)
		if err != nil {
			return s, err
		}
		described.K = cmp.Or(described.K, f.k)
		described.Timeout = cmp.Or(described.Timeout, f.timeout)
		s.Files[entry] = described
	}
	return s, s.Check()
}

func (f bertFlags) config() (*run.BERTScore, error) {
	if f.dir != "" {
		return &run.BERTScore{Dir: f.dir, IDF: f.idf, Baseline: f.baseline}, nil
	}
	if f.idf || f.baseline != "" {
		return nil, usage.Errorf("--bertscore-idf and --bertscore-baseline need --bertscore")
	}
	return nil, nil
}

// readAnswers reads the answers of systems that are not asked.
func (f gridFlags) readAnswers(bench datasets.Benchmark, ds *datasets.Dataset) ([]run.Answers, error) {
	var out []run.Answers
	if slices.Contains(usage.List(f.generator), run.Gold) {
		a, err := run.GoldAnswers(ds)
		if err != nil {
			return nil, err
		}
		out = append(out, a)
	}

	runs, err := namedFiles("--retrieval", f.retrieval)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, given := range f.answerFiles() {
		name := given.name
		a, err := run.ReadAnswers(given.files, bench, ds)
		if err != nil {
			return nil, err
		}
		if name != "" {
			names = append(names, name)
			a.Name(name)
		}
		if path := runs[name]; path != "" {
			if err := a.Pair(name, path, bench, ds); err != nil {
				return nil, err
			}
		}

		if slices.ContainsFunc(out, func(b run.Answers) bool { return a.System == b.System }) {
			return nil, usage.Errorf("--answers: two systems are called %s; name them: --answers NAME=FILE. "+
				"answers of one system in several files have one name: --answers NAME=FILE,NAME=FILE", a.System)
		}
		out = append(out, a)
	}

	for name := range runs {
		switch {
		case slices.Contains(names, name):
		case len(names) == 0:
			return nil, usage.Errorf("--retrieval %s=… needs answers of the same name, --answers %s=FILE; "+
				"without answers write --retrieval %s", name, name, runs[name])
		default:
			return nil, usage.Unknown("name in --retrieval", name, names)
		}
	}
	return out, nil
}

// namedAnswers are the files of a system's answers; the name is empty where none is given.
type namedAnswers struct {
	name  string
	files []string
}

// answerFiles are the files of answers, those of one name together.
func (f gridFlags) answerFiles() []namedAnswers {
	var out []namedAnswers
	for _, text := range usage.List(f.answers) {
		name, file := splitName(text)
		at := slices.IndexFunc(out, func(a namedAnswers) bool { return name != "" && a.name == name })
		if at < 0 {
			at = len(out)
			out = append(out, namedAnswers{name: name})
		}
		out[at].files = append(out[at].files, file)
	}
	return out
}

// splitName takes NAME=FILE apart. A file that is there under the whole text, or whose
// folder has the sign in its name, has no name.
func splitName(text string) (name, file string) {
	name, file, ok := strings.Cut(text, "=")
	if _, err := os.Stat(text); !ok || err == nil || name == "" || strings.ContainsAny(name, `/\`) {
		return "", text
	}
	return strings.TrimSpace(name), strings.TrimSpace(file)
}

// unnamed are the files of a comma list that have no name.
func unnamed(list string) []string {
	var out []string
	for _, text := range usage.List(list) {
		if name, file := splitName(text); name == "" {
			out = append(out, file)
		}
	}
	return out
}

// namedFiles are the files of a comma list that have a name, by that.
func namedFiles(flag, list string) (map[string]string, error) {
	out := map[string]string{}
	for _, text := range usage.List(list) {
		name, file := splitName(text)
		if name == "" {
			continue
		}
		if out[name] != "" {
			return nil, usage.Errorf("%s names %s twice", flag, name)
		}
		out[name] = file
	}
	return out, nil
}

// save scores what was asked, and keeps it.
func (p *prepared) save() error {
	result, err := p.job.Finish()
	if err != nil {
		return err
	}
	return p.write(result)
}

// write writes the report of a result, and puts all files in place.
func (p *prepared) write(result *run.Result) error {
	p.result = result
	result.Manifest.Title, result.Manifest.Date = p.f.words.title, p.f.words.date
	p.report = withCards(p.c, report.Run{
		Manifest: result.Manifest,
		Table:    result.Table,
		Answers:  result.Answers,
		Verdicts: result.Verdicts,
	}, cacheDir(p.f.cache))

	if err := report.Save(p.folder, p.report, p.bench); err != nil {
		return err
	}
	source := page.Source{Run: p.report, Shown: &result.Shown, Contexts: result.Contexts}
	if err := page.Save(p.folder, source, p.bench, page.Words{Study: study.TitleAbove(p.folder.Dir())}); err != nil {
		return err
	}
	if err := p.folder.Commit(result.Manifest); err != nil {
		return err
	}
	p.progress.End()
	return nil
}

// show prints the table, and says where the rest is.
func (p *prepared) show() error {
	stdout, stderr := p.c.OutOrStdout(), p.c.ErrOrStderr()
	if p.f.json {
		if err := report.JSON(stdout, p.result.Table, p.bench.Metrics()); err != nil {
			return err
		}
	} else {
		printTable(stdout, p.report, p.bench)
	}
	for _, w := range slices.Concat(report.Warnings(p.result.Table, p.bench.Metrics()), report.CutWarnings(p.report)) {
		usage.NewConsole(stderr).Warn(w)
	}
	printCost(stderr, p.result.Usage)

	dir := p.folder.Dir()
	fmt.Fprintf(stderr, "Run folder: %s\nRead it:    %s\n", dir, filepath.Join(dir, "report.html"))
	fmt.Fprintf(stderr, "Next:       lore report %s --format latex\n", dir)
	fmt.Fprintf(stderr, "            lore run %s YOUR_DATA --generator ollama:MODEL --judge lexical,ollama:MODEL\n",
		p.bench.Name())

	if lacking := p.lacking(); lacking != "" {
		return partialf("some items are unscored: %s; report.html lists each with its reason%s", lacking, askedAgain(p.result))
	}
	return nil
}

// lacking counts what is missing, in words; empty where nothing is.
func (p *prepared) lacking() string {
	_, values := p.result.Table.Missing(p.bench.Metrics())
	answers := failedAnswers(p.result)
	if values == 0 && answers == 0 {
		return ""
	}
	return fmt.Sprintf("%s failed, %s missing", usage.Counted(answers, "answer"), usage.Counted(values, "value"))
}

func failedAnswers(r *run.Result) int {
	n := 0
	for _, a := range r.Answers {
		if a.Failed() {
			n++
		}
	}
	return n
}

// askedAgain says what becomes of failures: some may pass and are asked anew by the same
// command, others have had their tries.
func askedAgain(r *run.Result) string {
	spent, open := 0, 0
	for _, u := range r.Usage {
		spent += u.Spent
	}
	for _, a := range r.Answers {
		if a.Failed() && mayPass(a.Outcome) && !slices.Contains(r.FromFiles, a.System) {
			open++
		}
	}
	for _, line := range r.Verdicts {
		for _, v := range line.Verdicts {
			answerFailed := strings.HasPrefix(v.Reason, "the answer failed: ") // counted above
			if !v.Scored() && mayPass(v.Outcome) && !answerFailed {
				open++
			}
		}
	}

	said := ""
	if spent > 0 {
		said = fmt.Sprintf("; of the replies %s have had their three tries: --retry-failed asks anew", fmt.Sprint(spent))
	} else if open > 0 {
		said = "; the same command again asks anew what may pass"
	}
	return said
}

// mayPass reports whether the same call may go well another time.
func mayPass(o local.Outcome) bool {
	return o.Sick() || o == local.Empty || o == local.BadFormat
}

func printTable(w io.Writer, r report.Run, bench datasets.Benchmark) {
	report.Text(w, report.Headed(r, bench))
	report.JudgeLines(w, r)
	fmt.Fprintln(w)

	grids := append(report.Versions(r.Table, bench), report.Own(r.Table, bench)...)
	grids = append(grids, report.RetrievalNotes(r.Manifest)...)
	grids = append(grids, report.Failures(r.Answers, r.Verdicts))
	for _, g := range grids {
		if len(g.Rows) > 0 {
			report.Text(w, g)
			fmt.Fprintln(w)
		}
	}
}
