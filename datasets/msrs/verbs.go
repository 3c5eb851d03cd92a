package msrs

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"lore/datasets"
	"lore/judge"
	"lore/judge/lexical"
	"lore/local/files"
)

// Verbs are what can be done with data that is there.
func Verbs() []datasets.Verb {
	return []datasets.Verb{
		{
			Kind:  datasets.Import,
			Args:  "DIR|QUERIES.json | --corpus FILE --queries SPLIT=FILE...",
			Short: "Check published data and convert it to lore's layout",
			Long: "import msrs reads a published folder (documents/*.txt beside queries_test.json and the\n" +
				"other splits), one split of it by its file of queries, or the tables of the Hugging Face\n" +
				"layout as Parquet or JSON, checks ids, counts and gold documents, and writes\n" +
				"documents.jsonl, queries.jsonl and msrs.json with their hash.",
			Example: "  lore data import msrs MSRS/story --out story\n" +
				"  lore data import msrs MSRS/story/queries_dev.json --out dev\n" +
				"  lore data import msrs --domain story --corpus corpus.parquet" +
				" --queries test=test.parquet --out story",
			Most: 1,
			New:  newImport,
		},

		{
			Kind:  datasets.Verify,
			Args:  "DIR",
			Short: "Check a folder against its counts and hash, and the published counts",
			Least: 1,
			Most:  1,
			New:   func(*flag.FlagSet) datasets.Job { return verify },
		},

		{
			Kind:  datasets.Analyse,
			Args:  "--queries FILE|DIR OUTPUT.json|DIR...",
			Short: "Score recorded answers against the references",
			Long: "score msrs scores recorded answers against the references: stemmed ROUGE with the best\n" +
				"reference by F1, lexical recall, and the relevance that judges find. Of a folder the files\n" +
				"MODEL_summary.json are scored.",
			Example: "  lore score msrs --domain story --queries queries_test.json gpt-4o_summary.json\n" +
				"  lore score msrs --domain story --queries MSRS/story MSRS/outputs/story/bm25",
			Least: 1,
			Most:  -1,
			Needs: datasets.NeedsOut | datasets.NeedsJudge,
			New:   newScore,
		},
	}
}

// importOptions are the flags of an import.
type importOptions struct {
	out, domain, corpus string
	queries             splitFiles
}

// splitFiles are tables of queries by split, as SPLIT=FILE.
type splitFiles map[string]string

func (s splitFiles) String() string { return "" }

// Set reads one of them.
func (s splitFiles) Set(text string) error {
	split, file, ok := strings.Cut(text, "=")
	if split == "validation" {
		split = "dev"
	}
	if !ok || file == "" || !slices.Contains(splits, split) {
		return errors.New("it is SPLIT=FILE with one of test, dev (or validation) and train")
	}
	s[split] = file
	return nil
}

func newImport(fl *flag.FlagSet) datasets.Job {
	o := importOptions{queries: splitFiles{}}
	fl.StringVar(&o.out, "out", "", "output `folder` (default: the domain's name)")
	fl.StringVar(&o.domain, "domain", "", "story or meeting (default: the folder's name)")
	fl.StringVar(&o.corpus, "corpus", "", "`table` of documents")
	fl.Var(o.queries, "queries", "table of queries as `SPLIT=FILE`; may be repeated")

	return func(ctx context.Context, w datasets.Workshop, args []string) (datasets.Outcome, error) {
		return o.run(ctx, w, args)
	}
}

func (o importOptions) run(ctx context.Context, w datasets.Workshop, args []string) (datasets.Outcome, error) {
	var none datasets.Outcome
	o.domain = strings.ToLower(o.domain)
	switch {
	case (len(args) == 1) == (o.corpus != ""):
		return none, datasets.Usagef("give either the published folder, or --corpus and --queries")
	case o.corpus != "" && len(o.queries) == 0:
		return none, datasets.Usagef("--corpus needs --queries SPLIT=FILE")
	case o.domain != "" && !slices.Contains(Domains, o.domain):
		return none, datasets.Usagef("--domain is story or meeting, not %q", o.domain)
	}

	raw, source, err := o.read(args)
	if err != nil {
		return none, err
	}
	if raw.Domain == "" {
		return none, datasets.Usagef("give --domain story or --domain meeting: the folder's name does not tell")
	}

	out := o.out
	if out == "" {
		out = raw.Domain
	}
	if err := w.Fresh(filepath.Join(out, OwnFile)); err != nil {
		return none, err
	}
	if err := Write(out, raw, source); err != nil {
		return none, err
	}
	done, err := verify(ctx, w, []string{out})
	done.Folder = out
	return done, err
}

// read reads either layout.
func (o importOptions) read(args []string) (Raw, string, error) {
	if len(args) == 0 {
		raw, err := ReadHub(o.domain, o.corpus, o.queries)
		return raw, "Hugging Face tables", err
	}
	folder, split, err := locate(args[0], o.domain, "lore data import msrs")
	if err != nil {
		return Raw{}, "", err
	}
	if files.Exists(filepath.Join(folder, OwnFile)) {
		return Raw{}, "", datasets.AlreadyOwn(Benchmark{}.Name(), folder)
	}

	var wanted []string // all that are there, unless a file of queries was given
	if split != "" {
		wanted = []string{split}
	}
	raw, err := ReadPublished(files.DirFS(folder), folder, wanted...)
	if o.domain != "" {
		raw.Domain = o.domain
	}
	return raw, "published folder", err
}

// verify loads every split and counts what is there. Counts that differ from the
// published ones are said.
func verify(_ context.Context, w datasets.Workshop, args []string) (datasets.Outcome, error) {
	dir, _, err := locate(args[0], "", "lore data verify msrs")
	if err != nil {
		return datasets.Outcome{}, err
	}
	own := files.Exists(filepath.Join(dir, OwnFile))
	b := Benchmark{}
	if !own && domainOf(dir) == "" {
		b.Domain = Domains[0] // it only chooses how many documents are shown, which nothing here asks
		w.Warn(dir + " does not say which domain it is: its counts are not compared with the published ones")
	}

	var last *datasets.Dataset
	g := datasets.Grid{Head: []string{"split", "queries", "documents", "gold documents, mean", "references, mean"}}
	for _, split := range []string{"train", "dev", "test"} {
		if !own && !files.Exists(filepath.Join(dir, queriesOf(split))) {
			continue
		}
		b.Split = split
		ds, err := b.Load([]string{dir})
		if errors.Is(err, ErrNoSplit) {
			continue
		}
		if err != nil {
			return datasets.Outcome{}, err
		}
		warnings := ds.Warnings
		if b.Domain == "" {
			warnings = append(warnings, CheckCounts(ds, split)...)
		}
		for _, warning := range warnings {
			w.Warn(warning)
		}

		last = ds
		gold, references := 0, 0
		for _, it := range ds.Items {
			gold += len(it.Query().Gold)
			references += len(it.(*item).References())
		}
		n := float64(len(ds.Items))
		g.Rows = append(g.Rows, []string{
			split, fmt.Sprint(len(ds.Items)), fmt.Sprint(ds.Documents()),
			fmt.Sprintf("%.2f", float64(gold)/n), fmt.Sprintf("%.2f", float64(references)/n),
		})
	}
	return datasets.Outcome{Loaded: last, Tables: []datasets.Grid{g}, Next: []string{"lore run msrs " + files.Quoted(dir)}}, nil
}

// scoreOptions are the flags of the scoring of recorded answers.
type scoreOptions struct{ domain, queries, system string }

func newScore(fl *flag.FlagSet) datasets.Job {
	var o scoreOptions
	fl.StringVar(&o.queries, "queries", "", "the published queries `file` that the outputs answer, or its folder for those of the test")
	fl.StringVar(&o.domain, "domain", "", "story or meeting")
	fl.StringVar(&o.system, "system", "*", "only systems whose name fits this pattern (* and ?)")

	return func(ctx context.Context, w datasets.Workshop, args []string) (datasets.Outcome, error) {
		return o.run(ctx, w, args)
	}
}

func (o scoreOptions) run(ctx context.Context, w datasets.Workshop, args []string) (datasets.Outcome, error) {
	var none datasets.Outcome
	o.domain = strings.ToLower(o.domain)
	switch {
	case o.queries == "":
		return none, datasets.Usagef("score msrs needs --queries FILE, the published queries file the outputs answer")
	case o.domain != "" && !slices.Contains(Domains, o.domain):
		return none, datasets.Usagef("--domain is story or meeting, not %q", o.domain)
	}

	queries, err := testQueries(o.queries, o.domain)
	if err != nil {
		return none, err
	}
	outputs, err := outputFiles(args)
	if err != nil {
		return none, err
	}
	judges, err := w.Judges(ctx, datasets.Grading{})
	if err != nil {
		return none, err
	}

	scorer := NewScorer(queries)
	scorer.Language = w.Language()
	var scores []SystemScores
	missing := 0
	for _, file := range outputs {
		out, err := LoadOutputs(file)
		if err != nil {
			return none, err
		}
		if err := CheckOutputs(queries, out); err != nil {
			return none, err
		}
		if !fits(o.system, out.System) {
			continue
		}

		s := scorer.Score(out, w.Seed())
		if s.NUnscored > 0 {
			w.Note(fmt.Sprintf("%s has %d outputs for %d queries; those from row %s on are unscored",
				file, s.N, len(queries), queries[s.MissingFirst].ID))
		}
		missing += s.NUnscored
		tasks := scorer.Relevance(out)
		for _, j := range judges {
			verdicts, err := j.Judge(ctx, tasks, w.Start(s.Name+" by "+j.Name(), len(tasks)))
			if err != nil {
				return none, err
			}
			s.Graded(j.Name(), verdicts, w.Seed())
			warnOfLanguages(w, s.Name, verdicts)
			missing += s.Grades[len(s.Grades)-1].NUnscored - s.NUnscored
		}
		scores = append(scores, s)
	}
	return o.outcome(scores, missing, w.Seed()), nil
}

// warnOfLanguages says what the lexical judge said of the language of answers.
func warnOfLanguages(w datasets.Workshop, system string, verdicts [][]judge.Verdict) {
	problems := lexical.Problems(verdicts)
	for _, p := range slices.Sorted(maps.Keys(problems)) {
		w.Warn(fmt.Sprintf("%s: the lexical judge on %d of %d answers: %s", system, problems[p], len(verdicts), p))
	}
}

// fits matches a pattern; names hold slashes, and * may span them.
func fits(pattern, name string) bool {
	ok, err := path.Match(strings.ReplaceAll(pattern, "/", "\x00"), strings.ReplaceAll(name, "/", "\x00"))
	return ok && err == nil
}

func (o scoreOptions) outcome(scores []SystemScores, missing int, seed uint64) datasets.Outcome {
	out := datasets.Outcome{
		Tables: []datasets.Grid{scoreGrid(scores)},
		JSON: map[string]any{
			"benchmark": Benchmark{}.Name(),
			"domain":    o.domain,
			"stemmer":   "Porter (NLTK)",
			"interval":  fmt.Sprintf("95 %% bootstrap percentiles, %d resamples, seed %d", Resamples, seed),
			"systems":   scores,
		},
	}
	if missing > 0 {
		out.Missing = fmt.Sprintf("%d outputs are missing", missing)
	}
	return out
}

// scoreGrid is a line per system, and one more without the empty outputs where there are
// some.
func scoreGrid(scores []SystemScores) datasets.Grid {
	g := datasets.Grid{
		Head: []string{
			"system", "ROUGE-1", "ROUGE-2", "ROUGE-L", "ROUGE-Lsum", "lexical recall",
			"words", "n", "empty", "unscored",
		},
		Note: fmt.Sprintf("F1 in percent: mean [95 %% bootstrap percentiles, %d resamples]; "+
			"the paper's tables print the upper end. Porter stemming as in NLTK, best reference by F1.", Resamples),
	}
	if len(scores) > 0 {
		if said := variantsText(scores[0].Variants, scores[0].N); said != "" {
			g.Note += " " + said + "."
		}
		for _, grade := range scores[0].Grades {
			g.Head = append(g.Head, "relevance by "+grade.Judge)
		}
	}

	for _, s := range scores {
		row := append([]string{s.Name}, cells(s.Figures)...)
		row = append(row,
			fmt.Sprintf("%.0f", s.WordsPerItem), fmt.Sprint(s.N), fmt.Sprint(s.NEmpty), fmt.Sprint(s.NUnscored))
		for _, grade := range s.Grades {
			row = append(row, grade.cell())
		}
		g.Rows = append(g.Rows, row)
	}

	for _, s := range scores {
		if s.NEmpty == 0 {
			continue
		}

		row := append([]string{s.Name + ", empty outputs left out"}, cells(s.Answered)...)
		row = append(row, "–", fmt.Sprint(s.N-s.NEmpty), "0", fmt.Sprint(s.NUnscored))
		for range s.Grades {
			row = append(row, "–")
		}
		g.Rows = append(g.Rows, row)
	}
	return g
}

// cell shows a mean with its interval, and what is missing.
func (g Grade) cell() string {
	if g.Figure == nil {
		return fmt.Sprintf("– (%d unscored)", g.NUnscored)
	}
	s := fmt.Sprintf("%.1f [%.1f, %.1f]", g.Figure.Mean, g.Figure.Low, g.Figure.High)
	if g.NUnscored > 0 {
		s += fmt.Sprintf(" (%d unscored)", g.NUnscored)
	}
	return s
}

func cells(figures map[string]Figure) []string {
	var out []string
	for _, m := range []string{"rouge1_f1", "rouge2_f1", "rougeL_f1", "rougeLsum_f1", "lexical_recall"} {
		v := figures[m]
		out = append(out, fmt.Sprintf("%.2f [%.2f, %.2f]", v.Mean, v.Low, v.High))
	}
	return out
}
