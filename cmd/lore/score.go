package main

import (
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"lore/cmd/lore/internal/report"
	"lore/cmd/lore/internal/run"
	"lore/datasets"
	"lore/datasets/all"
	"lore/datasets/crux"
	"lore/datasets/msrs"
	"lore/datasets/summhay"
	"lore/judge"
)

type scoreFlags struct {
	runFlags
	system, domain, queries, format, human string
	contexts                               int
}

func newScore() *cobra.Command {
	f := scoreFlags{runFlags: noGeneration} // generation is none of score's business
	c := &cobra.Command{
		Use:   "score BENCHMARK FILE...",
		Short: "Score recorded outputs without generating anything",
		Long: "score summhay FILE... scores the summaries that haystack files hold, by the verdicts\n" +
			"that came with them or by --judge. Several files are pooled.\n\n" +
			"score msrs --queries FILE OUTPUT.json... scores recorded answers against the\n" +
			"references: stemmed ROUGE with the best reference by F1, and lexical recall.\n\n" +
			"score crux [DATA] analyses the data's own grades: how the figures of a context\n" +
			"correlate over random contexts, how they grow with its size, and, with --human,\n" +
			"how far people agree with the grades.",
		Example: "  lore score summhay topic_news1.json topic_news2.json --system 'oracle_*'\n" +
			"  lore score summhay topic_news1.json --judge lexical --json\n" +
			"  lore score msrs --domain story --queries queries_test.json gpt-4o_summary.json",
		Args: usageArgs(cobra.MinimumNArgs(1)),
		RunE: func(c *cobra.Command, args []string) error {
			if args[0] == "crux" {
				return scoreCRUX(c, f, args[1:])
			}
			if len(args) < 2 {
				return &run.UsageError{Msg: "score " + args[0] + " needs files"}
			}
			if args[0] == "msrs" {
				return scoreMSRS(c, f, args[1:])
			}
			return scoreRecorded(c, f, args[0], args[1:])
		},
	}
	fl := c.Flags()
	fl.StringVar(&f.system, "system", "*", "only systems whose name fits this pattern (* and ?)")
	fl.StringVar(&f.judge, "judge", "", "comma list of judges to use instead of the recorded verdicts: lexical, ollama:NAME")
	fl.StringVar(&f.domain, "domain", "", "msrs: story or meeting")
	fl.StringVar(&f.queries, "queries", "", "msrs: the published queries file the outputs answer")
	fl.IntVar(&f.contexts, "contexts", crux.Contexts, "crux: random contexts per topic")
	fl.StringVar(&f.human, "human", "", "crux: grades by people, a line of JSON each: topic, passage, question (from 1), grades (one per rater)")
	fl.BoolVar(&f.json, "json", false, "print JSON, percentages with full precision")
	fl.StringVar(&f.format, "format", "text", "text, md, latex or csv")
	fl.StringVar(&f.out, "out", "", "folder for the journal of a model judge (default lore-runs/score-HASH)")
	fl.StringVar(&f.prompts, "prompts", "", "folder whose files replace built-in prompts of the same name")
	fl.Uint64Var(&f.seed, "seed", 1, "seed of the bootstrap")
	addJudgeFlags(c, &f.runFlags)
	return c
}

// scoreCRUX analyses a dataset by its own grades.
func scoreCRUX(c *cobra.Command, f scoreFlags, data []string) error {
	if f.contexts < 2 || !slices.Contains([]string{"text", "md", "latex", "csv"}, f.format) {
		return &run.UsageError{Msg: "--contexts is at least 2, and --format text, md, latex or csv"}
	}
	ds, err := crux.Benchmark{}.Load(data)
	if err != nil {
		return err
	}
	for _, w := range ds.Warnings {
		fmt.Fprintln(c.ErrOrStderr(), "warning: "+report.Plain(w))
	}
	grids := crux.Benchmark{}.Analysis(ds, f.contexts, f.seed)
	if f.human != "" {
		labels, err := os.ReadFile(f.human)
		if err != nil {
			return asInput(f.human, err)
		}
		g, err := crux.Benchmark{}.Human(ds, f.human, labels)
		if err != nil {
			return err
		}
		grids = append(grids, g)
	}
	return printGrids(c.OutOrStdout(), f.format, grids)
}

func scoreRecorded(c *cobra.Command, f scoreFlags, name string, files []string) error {
	bench, err := all.Find(name)
	if err != nil {
		return &run.UsageError{Msg: err.Error() + ", msrs"}
	}
	recorder, ok := bench.(datasets.Recorder)
	if !ok {
		return &run.UsageError{Msg: fmt.Sprintf("%s has no recorded outputs to score; answers of your own are judged by lore run %s DATA --answers FILE", name, name)}
	}
	if !slices.Contains([]string{"text", "md", "latex", "csv"}, f.format) {
		return &run.UsageError{Msg: "--format is text, md, latex or csv"}
	}
	ds, err := bench.Load(files)
	if err != nil {
		return err
	}
	for _, w := range ds.Warnings {
		fmt.Fprintln(c.ErrOrStderr(), "warning: "+report.Plain(w))
	}
	systems, err := chosen(recorder.Recorded(ds), f.system)
	if err != nil {
		return err
	}
	for _, s := range systems {
		for _, n := range s.Notes {
			fmt.Fprintln(c.ErrOrStderr(), "note: "+report.Plain(n))
		}
	}
	t, err := scoreTable(c, f, bench, ds, systems)
	if err != nil {
		return err
	}
	return printScores(c, f, bench, t)
}

func chosen(systems []datasets.Recorded, pattern string) ([]datasets.Recorded, error) {
	var out []datasets.Recorded
	for _, s := range systems {
		ok, err := path.Match(strings.ReplaceAll(pattern, "/", "\x00"), strings.ReplaceAll(s.Name, "/", "\x00")) // names hold slashes, and * may span them
		if err != nil {
			return nil, &run.UsageError{Msg: fmt.Sprintf("--system %q is no pattern: %v", pattern, err)}
		}
		if ok {
			out = append(out, s)
		}
	}
	if len(out) == 0 {
		return nil, &datasets.InputError{File: "--system " + pattern, Msg: fmt.Sprintf("fits none of %d recorded systems", len(systems)),
			Remedy: "leave it out to see all; a file without summaries can be run with `lore run`"}
	}
	return out, nil
}

// scoreTable scores by recorded verdicts, or by judges.
func scoreTable(c *cobra.Command, f scoreFlags, bench datasets.Benchmark, ds *datasets.Dataset, systems []datasets.Recorded) (run.Table, error) {
	progress := newProgress(c.ErrOrStderr())
	if f.judge == "" {
		return run.ScoreRecorded(c.Context(), bench, ds, systems, nil, f.seed, progress)
	}
	judges, err := openScoreJudges(c, f, ds.Hash[:8])
	if err != nil {
		return run.Table{}, err
	}
	defer judges.Close()
	return run.ScoreRecorded(c.Context(), bench, ds, systems, judges.List, f.seed, progress)
}

func printScores(c *cobra.Command, f scoreFlags, bench datasets.Benchmark, t run.Table) error {
	w := c.OutOrStdout()
	if f.json {
		if err := report.ScoreJSON(w, t, bench.Metrics()); err != nil {
			return err
		}
	} else {
		grids := []datasets.Grid{report.Recorded(t, bench.Metrics()), judgesOf(t)}
		if tab, ok := bench.(datasets.Tabulator); ok {
			grids = append(grids, tab.Tables(report.Systems(t))...)
		}
		if err := printGrids(w, f.format, grids); err != nil {
			return err
		}
	}
	missing := 0
	for _, r := range t.Rows {
		_, u := r.N(bench.Metrics())
		missing += u
	}
	if missing > 0 {
		return fmt.Errorf("%w: %d values are missing; the table counts them per system", errPartial, missing)
	}
	return nil
}

// judgesOf names the judges of a table with what is known of them.
func judgesOf(t run.Table) datasets.Grid {
	g := datasets.Grid{Title: "Can the judges be believed?", Head: []string{"judge", "agreement with people"}}
	for _, r := range t.Rows {
		if slices.ContainsFunc(g.Rows, func(row []string) bool { return row[0] == r.Judge }) {
			continue
		}
		g.Rows = append(g.Rows, []string{r.Judge, run.Validation(r.Judge)})
	}
	return g
}

func printGrids(w io.Writer, format string, grids []datasets.Grid) error {
	for i, g := range grids {
		switch format {
		case "md":
			report.Markdown(w, g)
		case "latex":
			report.LaTeX(w, g)
		case "csv":
			if i == 0 {
				if err := report.CSV(w, g); err != nil {
					return err
				}
			}
		default:
			report.Text(w, g)
			fmt.Fprintln(w)
		}
	}
	return nil
}

func scoreMSRS(c *cobra.Command, f scoreFlags, files []string) error {
	switch {
	case f.queries == "":
		return &run.UsageError{Msg: "score msrs needs --queries FILE, the published queries file the outputs answer"}
	case f.domain != "" && !slices.Contains(msrs.Domains, f.domain):
		return &run.UsageError{Msg: "--domain is story or meeting"}
	}
	queries, err := msrs.LoadQueries(f.queries)
	if err != nil {
		return err
	}
	scorer := msrs.NewScorer(queries)
	judges, err := openScoreJudges(c, f, filepath.Base(f.queries))
	if err != nil {
		return err
	}
	if judges != nil {
		defer judges.Close()
	}
	var scores []msrs.SystemScores
	missing := 0
	for _, file := range files {
		o, err := msrs.LoadOutputs(file)
		if err != nil {
			return err
		}
		if err := msrs.CheckOutputs(queries, o); err != nil {
			return err
		}
		if ok, err := path.Match(strings.ReplaceAll(f.system, "/", "\x00"), strings.ReplaceAll(o.System, "/", "\x00")); err != nil || !ok {
			continue
		}
		s := scorer.Score(o, f.seed)
		if s.NUnscored > 0 {
			fmt.Fprintf(c.ErrOrStderr(), "note: %s has %d outputs for %d queries; those from row %s on are unscored\n", file, s.N, len(queries), queries[s.MissingFirst].ID)
		}
		missing += s.NUnscored
		if judges != nil {
			n, err := gradeMSRS(c, f, judges.List, scorer.Relevance(o), &s)
			if err != nil {
				return err
			}
			missing += n
		}
		scores = append(scores, s)
	}
	if f.json {
		if err := report.WriteJSON(c.OutOrStdout(), map[string]any{"benchmark": "msrs", "domain": f.domain, "stemmer": "Porter (NLTK)", "interval": fmt.Sprintf("95 %% bootstrap percentiles, %d resamples, seed %d", msrs.Resamples, f.seed), "systems": scores}); err != nil {
			return err
		}
	} else if err := printGrids(c.OutOrStdout(), f.format, []datasets.Grid{msrsGrid(scores)}); err != nil {
		return err
	}
	if missing > 0 {
		return fmt.Errorf("%w: %d outputs are missing", errPartial, missing)
	}
	return nil
}

// openScoreJudges opens the judges of --judge, nil if there are none.
func openScoreJudges(c *cobra.Command, f scoreFlags, name string) (*run.Judges, error) {
	if f.judge == "" {
		return nil, nil
	}
	opt, err := f.options(summhay.Benchmark{}) // for its judge flags only
	if err != nil {
		return nil, err
	}
	opt.Warn = func(s string) { fmt.Fprintln(c.ErrOrStderr(), "warning: "+report.Plain(s)) }
	out := f.out
	if out == "" {
		out = filepath.Join("lore-runs", "score-"+strings.TrimSuffix(name, filepath.Ext(name)))
	}
	return run.OpenJudges(c.Context(), opt, filepath.Join(out, "calls"))
}

// gradeMSRS adds the judges' relevance grades and returns how many are missing.
func gradeMSRS(c *cobra.Command, f scoreFlags, judges []judge.Judge, tasks []judge.Task, s *msrs.SystemScores) (int, error) {
	missing := 0
	for _, j := range judges {
		verdicts, err := j.Judge(c.Context(), tasks, newProgress(c.ErrOrStderr()).Start(s.Name+" by "+j.Name(), len(tasks)))
		if err != nil {
			return 0, err
		}
		s.Graded(j.Name(), verdicts, f.seed)
		missing += s.Grades[len(s.Grades)-1].NUnscored - s.NUnscored
	}
	return missing, nil
}

func msrsGrid(scores []msrs.SystemScores) datasets.Grid {
	g := datasets.Grid{Head: []string{"system", "ROUGE-1", "ROUGE-2", "ROUGE-L", "ROUGE-Lsum", "lexical recall", "words", "n", "empty", "unscored"},
		Note: fmt.Sprintf("F1 in percent: mean [95 %% bootstrap percentiles, %d resamples]; the paper's tables print the upper end. Porter stemming as in NLTK, best reference by F1.", msrs.Resamples)}
	if len(scores) > 0 {
		for _, grade := range scores[0].Grades {
			g.Head = append(g.Head, "relevance by "+grade.Judge)
		}
	}
	for _, s := range scores {
		row := append([]string{s.Name}, msrsCells(s.Figures)...)
		g.Rows = append(g.Rows, append(row, fmt.Sprintf("%.0f", s.WordsPerItem), fmt.Sprint(s.N), fmt.Sprint(s.NEmpty), fmt.Sprint(s.NUnscored)))
		for _, grade := range s.Grades {
			g.Rows[len(g.Rows)-1] = append(g.Rows[len(g.Rows)-1], gradeCell(grade))
		}
	}
	for _, s := range scores {
		if s.NEmpty > 0 {
			row := append([]string{s.Name + ", empty outputs left out"}, msrsCells(s.Answered)...)
			g.Rows = append(g.Rows, append(row, "–", fmt.Sprint(s.N-s.NEmpty), "0", fmt.Sprint(s.NUnscored)))
			for range s.Grades {
				g.Rows[len(g.Rows)-1] = append(g.Rows[len(g.Rows)-1], "–")
			}
		}
	}
	return g
}

func gradeCell(g msrs.Grade) string {
	if g.Figure == nil {
		return fmt.Sprintf("– (%d unscored)", g.NUnscored)
	}
	s := fmt.Sprintf("%.1f [%.1f, %.1f]", g.Figure.Mean, g.Figure.Low, g.Figure.High)
	if g.NUnscored > 0 {
		s += fmt.Sprintf(" (%d unscored)", g.NUnscored)
	}
	return s
}

func msrsCells(figures map[string]msrs.Figure) []string {
	var out []string
	for _, m := range []string{"rouge1_f1", "rouge2_f1", "rougeL_f1", "rougeLsum_f1", "lexical_recall"} {
		v := figures[m]
		out = append(out, fmt.Sprintf("%.2f [%.2f, %.2f]", v.Mean, v.Low, v.High))
	}
	return out
}
