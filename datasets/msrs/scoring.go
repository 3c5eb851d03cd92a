package msrs

import (
	"context"
	"flag"
	"fmt"
	"maps"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"

	"lore/datasets"
	"lore/judge"
	"lore/judge/lexical"
	"lore/local/files"
)

// scoreOptions are the flags of the scoring of recorded answers.
type scoreOptions struct{ domain, queries, system, bound string }

// Bounds of a mean that tables may show.
const (
	boundMean = "mean"
	boundHigh = "high"
)

func newScore(fl *flag.FlagSet) datasets.Job {
	var o scoreOptions
	fl.StringVar(&o.queries, "queries", "",
		"the published queries `file` that the outputs answer, or a folder (default: that of the domain beside outputs)")
	fl.StringVar(&o.domain, "domain", "", "story or meeting (default: what the folder of the outputs is named)")
	fl.StringVar(&o.system, "system", "*", "only systems whose name fits one of these patterns (* and ?), parted by commas")
	fl.StringVar(&o.bound, "bound", boundMean,
		"what ROUGE is shown as: mean, with its interval, or high, the upper end, which the paper's tables print")

	return func(ctx context.Context, w datasets.Workshop, args []string) (datasets.Outcome, error) {
		return o.run(ctx, w, args)
	}
}

func (o scoreOptions) run(ctx context.Context, w datasets.Workshop, args []string) (datasets.Outcome, error) {
	var none datasets.Outcome
	o.domain = strings.ToLower(o.domain)
	switch {
	case o.domain != "" && !slices.Contains(Domains, o.domain):
		return none, datasets.Usagef("--domain is story or meeting, not %q", o.domain)
	case o.bound != boundMean && o.bound != boundHigh:
		return none, datasets.Usagef("--bound is mean or high, not %q", o.bound)
	}

	sets, err := o.answerSets(args, w.Note)
	if err != nil {
		return none, err
	}
	judges, err := w.Judges(ctx, datasets.Grading{})
	if err != nil {
		return none, err
	}

	missing := 0
	for _, s := range sets {
		s.scorer.Language = w.Language()
		if err := s.score(w); err != nil {
			return none, err
		}
		n, err := s.grade(ctx, w, judges)
		if err != nil {
			return none, err
		}
		missing += n
	}
	return o.outcome(sets, missing, w.Seed()), nil
}

// answerSet is recorded answers to the same queries.
type answerSet struct {
	domain  string // empty where nothing tells
	queries []Query
	scorer  *Scorer
	outputs []Outputs
	scores  []SystemScores // of each
}

// answerSets reads outputs, with the queries that each answers. With --domain those of the other are left out, and
// their number is noted.
func (o scoreOptions) answerSets(args []string, note func(string)) ([]*answerSet, error) {
	paths, err := outputFiles(args)
	if err != nil {
		return nil, err
	}
	var sets []*answerSet
	other := 0
	var names []string
	for _, path := range paths {
		domain, _ := domainAbove(path)
		if o.domain != "" && domain != "" && domain != o.domain {
			other++
			continue
		}
		if o.domain != "" {
			domain = o.domain
		}

		out, err := LoadOutputs(path)
		if err != nil {
			return nil, err
		}
		if !slices.Contains(names, out.System) {
			names = append(names, out.System)
		}
		if !fits(o.system, out.System) {
			continue
		}
		at := slices.IndexFunc(sets, func(s *answerSet) bool { return s.domain == domain })
		if at < 0 {
			s, err := o.newSet(domain, path)
			if err != nil {
				return nil, err
			}
			at, sets = len(sets), append(sets, s)
		}
		if err := CheckOutputs(sets[at].queries, out); err != nil {
			return nil, err
		}
		sets[at].outputs = append(sets[at].outputs, out)
	}
	if other > 0 {
		note(fmt.Sprintf("%d files of outputs lie in a folder of the other domain and are left out: --domain is %s", other, o.domain))
	}
	switch {
	case len(names) == 0:
		return nil, datasets.Usagef("--domain is %s, and all outputs given lie in a folder of the other domain", o.domain)
	case len(sets) == 0:
		return nil, datasets.Usagef("no system fits --system %s; there are %s", o.system, strings.Join(names, ", "))
	}

	slices.SortStableFunc(sets, func(a, b *answerSet) int {
		return slices.Index(Domains, a.domain) - slices.Index(Domains, b.domain)
	})
	return sets, nil
}

// newSet is a set without outputs: its queries are those of --queries, or lie beside the outputs.
func (o scoreOptions) newSet(domain, output string) (*answerSet, error) {
	given := o.queries
	if given == "" {
		var err error
		if given, err = queriesBeside(output, o.domain); err != nil {
			return nil, err
		}
	}
	if of := domainOfQueries(given); domain != "" && of != "" && of != domain {
		return nil, &datasets.InputError{
			File:   output,
			Msg:    fmt.Sprintf("lies in a folder named %s, and %s holds the queries of %s", domain, given, of),
			Remedy: "give the outputs of one domain, or the folder of both as --queries, or leave --queries out",
		}
	}
	queries, err := testQueries(given, domain)
	if err != nil {
		return nil, err
	}
	return &answerSet{domain: domain, queries: queries, scorer: NewScorer(queries)}, nil
}

// domainOfQueries is the domain that a folder of queries, or that of a file of queries, is named for; else empty.
func domainOfQueries(given string) string {
	if folder, err := files.IsFolder(given, "check the path"); err == nil && !folder {
		given = filepath.Dir(given)
	}
	return domainOf(given)
}

// domainAbove is the domain that a folder above a file is named for, and the folder that this lies in; both are
// empty where none is.
func domainAbove(file string) (domain, in string) {
	abs, err := filepath.Abs(file)
	if err != nil {
		return "", ""
	}
	for dir := filepath.Dir(abs); dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		if name := strings.ToLower(filepath.Base(dir)); slices.Contains(Domains, name) {
			return name, filepath.Dir(dir)
		}
	}
	return "", ""
}

// queriesBeside finds the folder of a domain beside published outputs: of MSRS/outputs/story it is MSRS/story, or
// MSRS/data/story.
func queriesBeside(output, domain string) (string, error) {
	told, in := domainAbove(output)
	if told == "" {
		return "", datasets.Usagef("score msrs needs --queries FILE, the published queries that the outputs answer: "+
			"%s does not lie in a folder named story or meeting", output)
	}
	if domain == "" {
		domain = told
	}
	up := filepath.Dir(in)
	for _, folder := range []string{filepath.Join(up, domain), filepath.Join(up, "data", domain)} {
		if isDomain(func(name string) bool { return files.Exists(filepath.Join(folder, name)) }) {
			return folder, nil
		}
	}
	return "", &datasets.InputError{
		File:   output,
		Msg:    fmt.Sprintf("has no queries beside it: neither %s nor data/%[1]s in %s holds them", domain, up),
		Remedy: "name them with --queries, a file or the folder of the domain",
	}
}

// score scores every output, on all processors, and reads what the authors recorded.
func (s *answerSet) score(w datasets.Workshop) error {
	var wg sync.WaitGroup
	var mu sync.Mutex
	s.scores = make([]SystemScores, len(s.outputs))
	failed := make([]error, len(s.outputs))
	next, done := 0, 0
	step := w.Start("scoring "+s.domain, len(s.outputs))
	for range min(runtime.GOMAXPROCS(0), len(s.outputs)) {
		wg.Go(func() {
			for {
				mu.Lock()
				i := next
				next++
				mu.Unlock()
				if i >= len(s.outputs) {
					return
				}

				s.scores[i] = s.scorer.Score(s.outputs[i], w.Seed())
				s.scores[i].Domain, s.scores[i].Setting, s.scores[i].Model = s.domain, s.outputs[i].Setting, s.outputs[i].Model
				s.scores[i].Authors, failed[i] = loadAuthors(s.outputs[i], w.Seed())

				mu.Lock()
				done++
				step(done)
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	return firstOf(failed)
}

func firstOf(failed []error) error {
	for _, err := range failed {
		if err != nil {
			return err
		}
	}
	return nil
}

// grade has judges grade the outputs, says what has no text, and counts the values that are missing.
func (s *answerSet) grade(ctx context.Context, w datasets.Workshop, judges []judge.Judge) (missing int, err error) {
	for i := range s.scores {
		score, out := &s.scores[i], s.outputs[i]
		s.say(w, *score, out)
		missing += score.NUnscored

		tasks := s.scorer.Relevance(out)
		for _, j := range judges {
			verdicts, err := j.Judge(ctx, tasks, w.Start(score.Name+" by "+j.Name(), len(tasks)))
			if err != nil {
				return missing, err
			}
			score.Graded(j.Name(), verdicts, w.Seed())
			warnOfLanguages(w, score.Name, verdicts)
			missing += score.Grades[len(score.Grades)-1].NUnscored - score.NUnscored
		}
	}
	return missing, nil
}

// say says which outputs are unscored.
func (s *answerSet) say(w datasets.Workshop, score SystemScores, out Outputs) {
	if score.MissingFirst >= 0 {
		w.Note(fmt.Sprintf("%s has %d outputs for %d queries; those from row %s on are unscored",
			out.File, len(out.Texts), len(s.queries), s.queries[score.MissingFirst].ID))
	}
	if score.NEmpty > 0 {
		w.Note(fmt.Sprintf("%s has %d outputs without text; they are unscored, as in the authors' files",
			out.File, score.NEmpty))
	}
}

// warnOfLanguages says what the lexical judge said of the language of answers.
func warnOfLanguages(w datasets.Workshop, system string, verdicts [][]judge.Verdict) {
	problems := lexical.Problems(verdicts)
	for _, p := range slices.Sorted(maps.Keys(problems)) {
		w.Warn(fmt.Sprintf("%s: the lexical judge on %d of %d answers: %s", system, problems[p], len(verdicts), p))
	}
}

// fits matches one of some patterns, parted by commas; names hold slashes, and * may span them.
func fits(patterns, name string) bool {
	return slices.ContainsFunc(datasets.List(patterns, ","), func(p string) bool {
		ok, err := path.Match(strings.ReplaceAll(p, "/", "\x00"), strings.ReplaceAll(name, "/", "\x00"))
		return ok && err == nil
	})
}

// outcome is the tables of all sets: models against settings first, then every system.
func (o scoreOptions) outcome(sets []*answerSet, missing int, seed uint64) datasets.Outcome {
	var grids []datasets.Grid
	var all []SystemScores
	for _, s := range sets {
		grids = append(grids, settingGrids(s.domain, s.scores, o.bound)...)
		all = append(all, s.scores...)
	}
	grids = append(grids, datasets.Filled(besideAuthors(all, o.bound))...)
	for _, s := range sets {
		g := scoreGrid(s.scores)
		if len(grids) > 0 {
			g.Title = "Every system, " + domainTitle(s.domain)
		}
		grids = append(grids, g)
	}

	out := datasets.Outcome{
		Tables: grids,
		JSON: map[string]any{
			"benchmark": Benchmark{}.Name(),
			"domain":    o.domain,
			"stemmer":   "Porter (NLTK)",
			"interval":  fmt.Sprintf("95 %% bootstrap percentiles, %d resamples, seed %d", Resamples, seed),
			"systems":   all,
		},
	}
	if missing > 0 {
		out.Missing = fmt.Sprintf("%d values are missing, of outputs that are missing, empty or not graded", missing)
	}
	return out
}

// scoreGrid is a line per system.
func scoreGrid(scores []SystemScores) datasets.Grid {
	g := datasets.Grid{
		Head: []string{
			"system", "ROUGE-1", "ROUGE-2", "ROUGE-L", "ROUGE-Lsum", "lexical recall",
			"words", "n", "unscored", "of these empty",
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
		row := append([]string{s.Name}, s.cells()...)
		row = append(row,
			fmt.Sprintf("%.0f", s.WordsPerItem), fmt.Sprint(s.N), fmt.Sprint(s.NUnscored), fmt.Sprint(s.NEmpty))
		for _, grade := range s.Grades {
			row = append(row, grade.cell())
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

func (s SystemScores) cells() []string {
	var out []string
	for _, m := range []string{"rouge1_f1", "rouge2_f1", "rougeL_f1", "rougeLsum_f1", "lexical_recall"} {
		v, ok := s.Figures[m]
		if !ok {
			out = append(out, datasets.NoValue)
			continue
		}
		out = append(out, fmt.Sprintf("%.2f [%.2f, %.2f]", v.Mean, v.Low, v.High))
	}
	return out
}
