package crux

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"lore/datasets"
	"lore/judge"
	"lore/judge/metric"
)

// peopleTables are those of a human study: people and judges on reports, people and the data's grades on
// passages, and the coverage of every report by everyone (the paper's section 4.3 and Figure 4). open is
// how many questions judges have left open.
func (b Benchmark) peopleTables(ctx context.Context, ds *datasets.Dataset, p *people, judges []judge.Judge, warn func(string)) (
	tables []datasets.Grid, open int, err error) {
	s := agreement{people: p, all: slices.Clone(p.raters), persons: len(p.raters), items: itemsOf(ds), eta: b.etas()[0]}
	for _, doubt := range s.doubts() {
		warn(doubt)
	}
	for _, j := range judges {
		r, n, err := b.grade(ctx, p, j)
		if err != nil {
			return nil, 0, err
		}
		s.all = append(s.all, r)
		s.open += n
	}
	return datasets.Filled(s.onReports(), s.everyReport(), s.onPassages()), s.open, nil
}

// agreement is what the tables are of.
type agreement struct {
	*people
	all     []rater // people, then judges
	persons int     // of all, the first
	open    int     // questions that judges left open
	items   map[string]*item
	eta     int
}

func itemsOf(ds *datasets.Dataset) map[string]*item {
	out := map[string]*item{}
	for _, x := range ds.Items {
		out[x.ID()] = x.(*item)
	}
	return out
}

// grade has a judge answer what people were asked of reports. What it leaves open is counted, and compared
// with nothing.
func (b Benchmark) grade(ctx context.Context, p *people, j judge.Judge) (out rater, open int, err error) {
	var tasks []judge.Task
	for _, r := range p.reports {
		text, _ := repeats(r.text, r.questions)
		task := judge.Task{ID: r.id, Units: []string{text}}
		for q, question := range r.questions {
			if strings.TrimSpace(question) != "" {
				task.Questions = append(task.Questions, judge.Question{ID: fmt.Sprint(q), Kind: judge.Answerability, Text: question})
			}
		}
		tasks = append(tasks, task)
	}
	verdicts, err := j.Judge(ctx, tasks, nil)
	if err != nil {
		return rater{}, 0, err
	}

	out = rater{name: j.Name(), reports: map[string][]int{}}
	for i, r := range p.reports {
		row, n := make([]int, len(r.questions)), 0
		for q, question := range r.questions {
			row[q] = asNobody
			if strings.TrimSpace(question) == "" {
				continue
			}
			if v := verdicts[i][n]; v.Scored() {
				row[q] = boolToInt(grade(v) >= b.etas()[0])
			} else {
				open++
			}
			n++
		}
		out.reports[r.id] = row
	}
	return out, open, nil
}

func boolToInt(v bool) int {
	if v {
		return 1
	}
	return 0
}

// coverageBy is the share of a report's questions that a rater finds answered; NaN without labels.
func (s agreement) coverageBy(r rater, report labelledReport) float64 {
	yes, n := 0, 0
	for q := range report.questions {
		if answered, ok := r.answered(report.id, q); ok {
			yes, n = yes+boolToInt(answered), n+1
		}
	}
	if n == 0 {
		return math.NaN()
	}
	return float64(yes) / float64(n)
}

// pairs are the questions of reports that two raters answered, and the reports' coverage by both.
func (s agreement) pairs(a, b rater) (x, y []int, cov [2][]float64) {
	for _, report := range s.reports {
		n := len(x)
		for q := range report.questions {
			v, ok := a.answered(report.id, q)
			w, ok2 := b.answered(report.id, q)
			if ok && ok2 {
				x, y = append(x, boolToInt(v)), append(y, boolToInt(w))
			}
		}
		if len(x) > n {
			cov[0], cov[1] = append(cov[0], s.coverageBy(a, report)), append(cov[1], s.coverageBy(b, report))
		}
	}
	return x, y, cov
}

// onReports shows how far raters agree on which questions reports answer (T1).
func (s agreement) onReports() datasets.Grid {
	g := datasets.Grid{
		Title: "Do people agree on reports?",
		Head:  []string{"labels by", "against", "reports", "questions", "same", "κ", "precision", "recall", "Pearson of coverage"},
		Note: "same: in percent; κ: Fleiss' between all, Cohen's between two; precision and recall, in percent, " +
			"of \"answered\" by the first, as the second has it; coverage: share of the questions that were asked",
	}
	if s.open > 0 {
		g.Note += fmt.Sprintf("; judges left %d questions open, which are compared with nothing", s.open)
	}
	for _, withNull := range []bool{false, true} {
		counts, reports := s.counts(withNull)
		if len(counts) == 0 {
			continue
		}
		who := "all people"
		if withNull {
			who = "all people, and \"not asked\" as a label"
		}
		g.Rows = append(g.Rows, []string{who, datasets.NoValue, fmt.Sprint(reports), fmt.Sprint(len(counts)), percentOf(allSame(counts)),
			twoDecimals(metric.FleissKappa(counts)), datasets.NoValue, datasets.NoValue, datasets.NoValue})
	}

	for i, b := range s.all[:s.persons] {
		for k, a := range s.all {
			if k <= i && k < s.persons {
				continue // people among themselves once
			}
			x, y, cov := s.pairs(a, b)
			if len(x) == 0 {
				continue
			}
			precision, recall := precisionRecall(x, y, 1)
			g.Rows = append(g.Rows, []string{a.name, b.name, fmt.Sprint(len(cov[0])), fmt.Sprint(len(x)), percentOf(metric.Accuracy(x, y)),
				twoDecimals(metric.CohenKappa(x, y, 2, metric.Nominal)), percentOf(precision), percentOf(recall),
				datasets.Coefficient(metric.Pearson(cov[0], cov[1]), len(cov[0]))})
		}
	}
	return g
}

// counts are, for questions that all people labelled, how many found them unanswered and answered. With
// null, questions that nobody was asked stand among them as a third kind, of which all are certain.
func (s agreement) counts(null bool) (counts [][]int, reports int) {
	if s.persons < 2 {
		return nil, 0
	}
	for _, report := range s.reports {
		n := len(counts)
		for q := range report.questions {
			row, labelled := []int{0, 0, 0}, 0
			for _, r := range s.all[:s.persons] {
				labels := r.reports[report.id]
				if q >= len(labels) {
					continue
				}
				labelled++
				if labels[q] == asNobody {
					row[2]++
				} else {
					row[labels[q]]++
				}
			}
			if labelled == s.persons && (null || row[2] == 0) {
				counts = append(counts, row)
			}
		}
		if len(counts) > n {
			reports++
		}
	}
	return counts, reports
}

// allSame is the share of items that all raters gave one label.
func allSame(counts [][]int) float64 {
	same := 0
	for _, row := range counts {
		if slices.Max(row) == row[0]+row[1]+row[2] {
			same++
		}
	}
	return float64(same) / float64(len(counts))
}

// precisionRecall are those of a label as x gives it and y has it; NaN where it is never given, or there.
func precisionRecall(x, y []int, label int) (precision, recall float64) {
	both, given, there := 0, 0, 0
	for i := range x {
		given += boolToInt(x[i] == label)
		there += boolToInt(y[i] == label)
		both += boolToInt(x[i] == label && y[i] == label)
	}
	return float64(both) / float64(given), float64(both) / float64(there)
}

// everyReport is the coverage of every report by every rater (Figure 4).
func (s agreement) everyReport() datasets.Grid {
	g := datasets.Grid{
		Title: "Coverage of every report",
		Head:  []string{"context", "topic", "questions"},
		Note:  "share of the questions that were asked, in percent",
	}
	for _, r := range s.all[:s.persons] {
		g.Head = append(g.Head, r.name)
	}
	g.Head = append(g.Head, "people's mean")
	for _, r := range s.all[s.persons:] {
		g.Head = append(g.Head, r.name)
	}
	if len(s.bare) > 0 {
		g.Note += fmt.Sprintf("; labelled, but their texts are not there: %s", datasets.Some(s.bare))
	}

	for _, report := range s.reports {
		var people []float64
		asked := 0
		for q := range report.questions {
			if _, ok := s.raterOf(report).answered(report.id, q); ok {
				asked++
			}
		}
		row := []string{report.system, report.topic, fmt.Sprint(asked)}
		for _, r := range s.all[:s.persons] {
			people = append(people, s.coverageBy(r, report))
			row = append(row, percentOf(people[len(people)-1]))
		}
		row = append(row, percentOf(metric.Mean(defined(people))))
		for _, r := range s.all[s.persons:] {
			row = append(row, percentOf(s.coverageBy(r, report)))
		}
		g.Rows = append(g.Rows, row)
	}
	return g
}

// raterOf is the first who labelled a report.
func (s agreement) raterOf(report labelledReport) rater {
	for _, r := range s.raters {
		if r.reports[report.id] != nil {
			return r
		}
	}
	return rater{}
}

// inOrder are a rater's labels of passages, always in the same order.
func (r rater) inOrder() []passageLabel {
	return slices.SortedFunc(maps.Keys(r.passages), func(a, b passageLabel) int {
		return cmp.Or(naturally(a.topic, b.topic), naturally(a.passage, b.passage), a.question-b.question)
	})
}

// gradedPassages are people's and the data's grades of the same passages for the same questions. Questions are
// matched by their words, as the study's lists differ from later ones. The others are counted.
type gradedPassages struct {
	theirs, ours     []int
	unknown, missing int
}

func (s agreement) gradesOf(r rater) gradedPassages {
	var out gradedPassages
	for _, label := range r.inOrder() {
		grade := r.passages[label]
		it, list := s.items[usualID(label.topic)], s.listOf(usualID(label.topic))
		if it == nil || label.question >= len(list) {
			out.unknown++
			continue
		}
		q := slices.Index(it.topic.Questions, list[label.question])
		row, graded := it.topic.Grades[usualID(label.passage)]
		switch {
		case q < 0:
			out.unknown++
		case !graded:
			out.missing++
		default:
			out.theirs, out.ours = append(out.theirs, grade), append(out.ours, row[q])
		}
	}
	return out
}

// onPassages holds the data's grades against people's (T2). The data's grades are those of whoever graded
// it, which for the release is the paper's judge.
func (s agreement) onPassages() datasets.Grid {
	g := datasets.Grid{
		Title: "Do people agree with the grades of passages?",
		Head: []string{"by", "labels", "grades compared", "same", "κ", "precision", "recall", "precision of unanswered",
			"recall of unanswered", "Spearman's ρ"},
	}
	var pooled gradedPassages
	for _, r := range s.raters {
		if len(r.passages) == 0 {
			continue
		}
		one := s.gradesOf(r)
		g.Rows = append(g.Rows, one.row(r.name, s.eta))
		pooled.theirs, pooled.ours = append(pooled.theirs, one.theirs...), append(pooled.ours, one.ours...)
		pooled.unknown, pooled.missing = pooled.unknown+one.unknown, pooled.missing+one.missing
	}
	if len(g.Rows) > 1 {
		g.Rows = append(g.Rows, pooled.row("all", s.eta))
	}
	g.Note = fmt.Sprintf("in percent, of \"answered\" (a grade of at least %d) by the data, as people have it; left out: "+
		"%d labels of questions that the data does not ask, and %d of passages that it has no grades for; %s",
		s.eta, pooled.unknown, pooled.missing, s.overlap())
	if few := fewNote(len(pooled.ours)); few != "" && len(g.Rows) > 0 {
		g.Note += "; " + few
	}
	return g
}

// row compares the grades of a rater with the data's.
func (c gradedPassages) row(name string, eta int) []string {
	ours, theirs := answeredAt(c.ours, eta), answeredAt(c.theirs, eta)
	p1, r1 := precisionRecall(ours, theirs, 1)
	p0, r0 := precisionRecall(ours, theirs, 0)
	same, kappa := datasets.NoValue, datasets.NoValue
	if len(ours) > 0 {
		same, kappa = percentOf(metric.Accuracy(ours, theirs)), twoDecimals(metric.CohenKappa(ours, theirs, 2, metric.Nominal))
	}
	return []string{name, fmt.Sprint(len(ours) + c.unknown + c.missing), fmt.Sprint(len(ours)), same, kappa,
		percentOf(p1), percentOf(r1), percentOf(p0), percentOf(r0), twoDecimals(metric.Spearman(floats(c.ours), floats(c.theirs)))}
}

// overlap says how often two people graded the same passage for the same question, and agreed.
func (s agreement) overlap() string {
	n, same := 0, 0
	for i, a := range s.raters {
		for _, b := range s.raters[i+1:] {
			for label, grade := range a.passages {
				if other, ok := b.passages[label]; ok {
					n++
					same += boolToInt((grade >= s.eta) == (other >= s.eta))
				}
			}
		}
	}
	return fmt.Sprintf("two people agree in %d of %d cases that both graded", same, n)
}

func answeredAt(grades []int, eta int) []int {
	out := make([]int, len(grades))
	for i, g := range grades {
		out[i] = boolToInt(g >= eta)
	}
	return out
}

func floats(grades []int) []float64 {
	out := make([]float64, len(grades))
	for i, g := range grades {
		out[i] = float64(g)
	}
	return out
}
