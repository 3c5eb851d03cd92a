package crux

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"lore/datasets"
	"lore/judge/metric"
	"lore/local/parallel"
)

// Size is how many passages of a ranking are the context: 0 is as many as each topic requires.
type Size int

// String is the size as --k has it.
func (s Size) String() string {
	if s == 0 {
		return "ideal"
	}
	return strconv.Itoa(int(s))
}

// readSizes reads a list of different sizes.
func readSizes(list string) ([]Size, error) {
	var out []Size
	for v := range strings.SplitSeq(list, ",") {
		v = strings.TrimSpace(v)
		k, err := strconv.Atoi(v)
		switch {
		case v == Size(0).String():
			k = 0
		case err != nil || k < 1:
			return nil, datasets.Usagef("--k is a list of numbers from 1 and ideal, "+
				"which is as many passages as a topic requires, not %q", list)
		}
		if slices.Contains(out, Size(k)) {
			return nil, datasets.Usagef("--k has %s twice", Size(k))
		}
		out = append(out, Size(k))
	}
	return out, nil
}

// of is the number of passages for a topic.
func (s Size) of(it *item) int {
	if s == 0 {
		return len(it.required)
	}
	return int(s)
}

// reading is what a passage that a run ranks, and the data does not have, does to the ranks behind it.
type reading string

// The readings.
const (
	leftOut reading = "left out" // they close up
	inPlace reading = "in place" // it keeps its rank and answers nothing; its tokens are not known
)

// at are the figures of a run at a size, by a reading.
func (r recordedRun) at(ds *datasets.Dataset, k Size, how reading) RunFigures {
	out := RunFigures{
		Run: r.name, K: k.String(), Absent: string(how), Passages: r.passages, There: r.there,
		figures: make([]map[string]float64, len(ds.Items)),
		shown:   make([][]string, len(ds.Items)),
	}
	parallel.Each(len(ds.Items), func(i int) {
		it := ds.Items[i].(*item)
		ranked, ok := r.topics[it.ID()]
		if !ok {
			return
		}

		if how == leftOut {
			out.figures[i], out.shown[i] = it.figures(ranked.there, k.of(it)), firstOf(ranked.there, k.of(it))
			return
		}
		out.figures[i] = it.figures(ranked.all, k.of(it))
		for _, l := range it.levels {
			delete(out.figures[i], at(DenContext, l.eta))
		}
	})
	return out
}

// RunFigures are the figures of a recorded run for programs: shares, by topic and metric. Metrics
// that a topic has no figure of are absent.
type RunFigures struct {
	Run      string                        `json:"run"`
	K        string                        `json:"k"`
	Absent   string                        `json:"absent"` // what was done with passages that the data does not have
	Passages int                           `json:"passages"`
	There    int                           `json:"there"`
	Unscored int                           `json:"unscored"` // figures of reports without a report, or with a grade that could not be read
	Topics   map[string]map[string]float64 `json:"topics"`

	figures []map[string]float64 // by topic of the data; nil: the run ranks nothing for it
	shown   [][]string           // the context, likewise
	gold    bool                 // reports that people wrote, from no context
}

// measureRuns measures every run at every size, by both readings.
func measureRuns(ds *datasets.Dataset, runs []recordedRun, sizes []Size) []RunFigures {
	var out []RunFigures
	for _, how := range []reading{leftOut, inPlace} {
		for _, k := range sizes {
			for _, r := range runs {
				out = append(out, r.at(ds, k, how))
			}
		}
	}
	return byTopic(ds, out)
}

// byTopic gives figures the names of their topics, for programs.
func byTopic(ds *datasets.Dataset, all []RunFigures) []RunFigures {
	for i := range all {
		all[i].Topics = map[string]map[string]float64{}
		for t, values := range all[i].figures {
			if values != nil {
				all[i].Topics[ds.Items[t].ID()] = values
			}
		}
	}
	return all
}

// mean is that of a figure over the topics that have it, and how many these are.
func (f RunFigures) mean(name string) (float64, int) {
	values := defined(column(f.figures, name))
	return metric.Mean(values), len(values)
}

// chosen are the figures at a size by a reading.
func chosen(all []RunFigures, k Size, how reading) []RunFigures {
	return slices.DeleteFunc(slices.Clone(all), func(f RunFigures) bool { return f.K != k.String() || f.Absent != string(how) })
}

// runTables are the paper's Tables 1 to 3 as far as they need no report: every run's figures at every
// size and threshold, what passages that are not there do to them, how the figures agree over runs,
// and their spread.
func (b Benchmark) runTables(all []RunFigures, sizes []Size) []datasets.Grid {
	out := []datasets.Grid{b.runRows(all, sizes)}
	if g := b.absentRows(all, sizes[0]); len(g.Rows) > 0 {
		out = append(out, g)
	}
	for _, k := range sizes {
		out = append(out, b.runSpread(competing(chosen(all, k, leftOut)), k))
	}
	for _, k := range sizes {
		out = append(out, b.runTau(fmt.Sprintf("Do the figures order runs alike? k %s", k), chosen(all, k, leftOut)))
	}
	return datasets.Filled(out...)
}

// runRows are every run's figures, those of a size and a threshold below each other.
func (b Benchmark) runRows(all []RunFigures, sizes []Size) datasets.Grid {
	reports := hasReports(all, b.etas()[0])
	g := datasets.Grid{
		Title: "Recorded runs, by the data's grades",
		Head:  []string{"k", "η", "run", "Cov(Z)", "α-nDCG", "Den(Z)", "R@k", "MAP", "nDCG@k", "topics"},
		Note: "in percent; k: passages of the context, ideal: as many as each topic requires; topics: with a figure of Cov(Z); " +
			"R@k, MAP and nDCG@k are of the relevant passages, binary",
	}
	if reports {
		g.Head = append(g.Head[:9:9], "Cov(y)", "Den(y)", "topics")
		g.Note += "; Cov(y) and Den(y) are of reports that the built-in generator copies from the context, graded by the judge"
	}
	unscored := 0
	for _, k := range sizes {
		for _, eta := range b.etas() {
			for _, f := range chosen(all, k, leftOut) {
				row, names := []string{f.K, fmt.Sprint(eta), f.Run}, contextMetrics(eta)
				if reports {
					names = append(names, at(CovAnswer, eta), at(DenAnswer, eta))
				}
				for _, name := range names {
					v, _ := f.mean(name)
					row = append(row, percentOf(v))
				}
				_, n := f.mean(at(CovContext, eta))
				_, answers := f.mean(at(CovAnswer, eta))
				g.Rows = append(g.Rows, append(row, fmt.Sprint(max(n, answers))))
			}
		}
		for _, f := range chosen(all, k, leftOut) {
			unscored += f.Unscored
		}
	}
	if n := len(competing(chosen(all, sizes[0], leftOut))); n < leastPipelines {
		g.Note += fmt.Sprintf("; how runs are ordered (Kendall's τ) is told of %d or more, not of %d", leastPipelines, n)
	}
	if unscored > 0 {
		g.Note += fmt.Sprintf("; %d figures of reports are unscored, and left out: no passage was shown, "+
			"or a grade could not be read", unscored)
	}
	return g
}

// hasReports says whether reports were written from contexts.
func hasReports(all []RunFigures, eta int) bool {
	return slices.ContainsFunc(all, func(f RunFigures) bool { _, n := f.mean(at(CovAnswer, eta)); return n > 0 })
}

// absentRows show, for runs that rank passages which the data does not have, the figures by both
// readings. No rows: all passages are there.
func (b Benchmark) absentRows(all []RunFigures, k Size) datasets.Grid {
	eta := b.etas()[0]
	g := datasets.Grid{
		Title: "What passages that are not there do",
		Head:  []string{"run", "passages there", "Cov(Z)", "in place", "α-nDCG", "in place", "R@k", "in place", "MAP", "in place"},
		Note: fmt.Sprintf("in percent, k %s, η %d; all other tables leave out what is not there, and what is behind it moves up; "+
			"in place: it keeps its rank and answers nothing (no density: its tokens are not known)", k, eta),
	}
	closed, kept := competing(chosen(all, k, leftOut)), chosen(all, k, inPlace)
	for i, f := range closed {
		if f.There == f.Passages {
			continue
		}
		row := []string{f.Run, fmt.Sprintf("%d of %d", f.There, f.Passages)}
		for _, name := range []string{at(CovContext, eta), at(AlphaNDCG, eta), RecallAtK, MAP} {
			v, _ := f.mean(name)
			w, _ := kept[i].mean(name)
			row = append(row, percentOf(v), percentOf(w))
		}
		g.Rows = append(g.Rows, row)
	}
	return g
}

// runSpread is the spread of the figures over runs.
func (b Benchmark) runSpread(runs []RunFigures, k Size) datasets.Grid {
	if len(runs) < 2 {
		return datasets.Grid{}
	}
	by := make([][]map[string]float64, len(runs[0].figures))
	for _, f := range runs {
		for i, values := range f.figures {
			by[i] = append(by[i], values)
		}
	}
	return b.spread(fmt.Sprintf("Spread over runs, k %s", k), "runs", by, "mean over topics, and its standard deviation over runs")
}

// competing leaves out the bounds.
func competing(runs []RunFigures) []RunFigures {
	return slices.DeleteFunc(slices.Clone(runs), RunFigures.bound)
}

// runTau is Kendall's τ-b between figures, over the means of runs: without the bounds and, where there
// are reports, with the oracle.
func (b Benchmark) runTau(title string, all []RunFigures) datasets.Grid {
	eta, runs := b.etas()[0], competing(all)
	g := datasets.Grid{
		Title: title,
		Head:  append([]string{"Kendall's τ-b"}, figuresOfContext...),
		Note:  fmt.Sprintf("over the means of %d runs, η %d", len(runs), eta),
	}
	if len(runs) < leastPipelines {
		return g
	}
	names := contextMetrics(eta)
	columns := columnsOf(runs, names)
	answers, bounded := [][]float64{}, [][]float64{}
	reports := []string{at(CovAnswer, eta), at(DenAnswer, eta)}
	if hasReports(runs, eta) {
		g.Head = append(g.Head, "Cov(y)", "Den(y)")
		answers = columnsOf(runs, reports)
	}
	withOracle := len(answers) > 0 && len(all) > len(runs)
	if withOracle {
		g.Head = append(g.Head, "oracle too: Cov(y)", "Den(y)")
		g.Note += "; oracle too: the oracle's context among them"
		bounded = columnsOf(all, reports)
	}

	inAll := columnsOf(all, names)
	for a, heading := range figuresOfContext {
		row := []string{heading}
		for _, other := range append(slices.Clone(columns), answers...) {
			row = append(row, twoDecimals(tauOf(columns[a], other)))
		}
		for _, other := range bounded {
			row = append(row, twoDecimals(tauOf(inAll[a], other)))
		}
		g.Rows = append(g.Rows, row)
	}
	return g
}

// columnsOf are the means of figures, each over runs.
func columnsOf(runs []RunFigures, names []string) [][]float64 {
	out := make([][]float64, len(names))
	for i, name := range names {
		for _, f := range runs {
			v, _ := f.mean(name)
			out[i] = append(out[i], v)
		}
	}
	return out
}

// tauOf is Kendall's τ-b over the pairs that have both figures; NaN for too few.
func tauOf(x, y []float64) float64 {
	var a, b []float64
	for i := range x {
		if !math.IsNaN(x[i]) && !math.IsNaN(y[i]) {
			a, b = append(a, x[i]), append(b, y[i])
		}
	}
	if len(a) < leastPipelines {
		return math.NaN()
	}
	return metric.KendallTauB(a, b)
}
