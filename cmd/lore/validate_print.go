package main

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strings"

	"lore/cmd/lore/internal/models"
	"lore/cmd/lore/internal/report"
	"lore/cmd/lore/internal/store"
	"lore/cmd/lore/internal/usage"
	"lore/datasets"
	"lore/judge"
	"lore/judge/agreement"
	"lore/judge/lexical"
	"lore/judge/metric"
	"lore/local/gate"
	"lore/local/text"
)

func decimal(v float64) string {
	if v != v {
		return "–"
	}
	return fmt.Sprintf("%.3f", v)
}

func printValidation(w io.Writer, results []shownResult, items []agreement.Item, seed uint64) {
	report.Text(w, agreementGrid(results, items))
	for _, v := range results {
		fmt.Fprintln(w)
		report.Text(w, confusionGrid(v.report))
	}
	for _, g := range moreGrids(results, items, seed) {
		fmt.Fprintln(w)
		report.Text(w, g)
	}

	var languages store.Languages
	for _, v := range results {
		languages.Add(v.languages)
	}
	if len(languages.Texts) > 0 {
		fmt.Fprintln(w)
		report.LanguageLines(w, languages)
	}

	for _, v := range results {
		asked := func(u gate.ModelUsage) bool { return u.Calls() > 0 }
		if slices.ContainsFunc(v.usage, asked) {
			fmt.Fprintln(w)
			report.Text(w, report.Cost(v.usage))
		}
	}
	if slices.ContainsFunc(results, func(v shownResult) bool { return hasLexical(v.report.Judge) }) {
		usage.Wrap(w, "\n"+lexicalTail(languages, agreement.KindsOf(items)))
	}
}

// hasLexical reports whether the lexical judge is a part of a judge.
func hasLexical(name string) bool {
	base, _ := agreement.Base(name)
	return slices.Contains(models.SplitJudge(base), lexical.Judge{}.Name())
}

// lexicalTail says what the lexical judge was fitted on, and what that means for these labels. l is
// empty where all texts are English.
func lexicalTail(l store.Languages, kinds []judge.Kind) string {
	fit := lexical.Current
	foreign := slices.DeleteFunc(slices.Sorted(maps.Keys(l.Texts)), func(name string) bool {
		return name == text.English.Name || name == text.Unknown.Name
	})
	if len(foreign) > 0 {
		return "The lexical judge was fitted on English labels. In other languages its authors measured it on " +
			"answerability alone (NoMIRACL); for other questions in " + strings.Join(foreign, ", ") + " nothing is known but what " +
			"labels such as these say. Its checks for denials and opposites are English, and may miss those of other languages."
	}

	said := fmt.Sprintf("The lexical judge was fitted on %s (%d labels).", fit.Data, fit.N)
	if slices.Contains(kinds, judge.Coverage) {
		said += fmt.Sprintf("\nOn SummHay's subtopics left out of the fit its Pearson was %.3f and its linking %.3f.",
			fit.CV.Pearson, fit.CV.LinkingAccuracy)
	}
	return said + " Figures on these sets themselves are a little better than on new data."
}

// fewGroups is how many groups make an interval over them too narrow.
const fewGroups = 10

// overGroups says what the intervals were drawn over.
func overGroups(items []agreement.Item) string {
	groups := map[string]bool{}
	for _, it := range items {
		if slices.ContainsFunc(it.Human, judge.Verdict.Scored) {
			groups[it.Group] = true
		}
	}
	if n := len(groups); n < fewGroups {
		return fmt.Sprintf("Interval: bootstrap over %s; so few make it too narrow. ", usage.Counted(n, "group"))
	}
	return fmt.Sprintf("Interval: bootstrap over %d groups. ", len(groups))
}

// agreementNote explains the columns of agreementGrid.
const agreementNote = "of score: Pearson of the judge's continuous score. " +
	"AUC and balanced accuracy: people at a half or more against less. kappa: Cohen's with quadratic weights. " +
	"linking: share naming the same bullet where both name one. bias: mean value minus people's. " +
	"error~: Pearson of the error with words per bullet, " +
	"and with the share of the answer's trigrams found in its source."

// agreementGrid has a line per judge.
func agreementGrid(results []shownResult, items []agreement.Item) datasets.Grid {
	g := datasets.Grid{
		Head: []string{
			"judge", "Pearson", "95 % interval", "of score", "Spearman", "AUC", "kappa", "accuracy", "balanced",
			"linking", "(n)", "bias", "Kendall of systems", "error~length", "error~copying", "n", "unscored", "seconds",
		},
		Note: overGroups(items) + agreementNote,
	}

	for _, v := range results {
		r := v.report
		g.Rows = append(g.Rows, []string{
			r.Judge,
			decimal(r.Pearson),
			decimal(r.PearsonCI.Low) + " to " + decimal(r.PearsonCI.High),
			decimal(r.PearsonScore),
			decimal(r.Spearman),
			decimal(r.AUC),
			decimal(r.Kappa),
			decimal(r.Accuracy),
			decimal(r.Balanced),
			decimal(r.LinkingAccuracy),
			fmt.Sprintf("(%d)", r.LinkingN),
			decimal(r.Bias),
			fmt.Sprintf("%s (%d)", decimal(r.KendallSystems), r.Systems),
			decimal(r.LengthCorr),
			decimal(r.CopyCorr),
			fmt.Sprint(r.N),
			fmt.Sprint(r.NUnscored),
			fmt.Sprintf("%.2f", v.seconds),
		})
	}
	return g
}

// confusionGrid counts the judge's labels for each label of people.
func confusionGrid(r agreement.Report) datasets.Grid {
	labels := labelsOf(r)
	g := datasets.Grid{
		Title: "Labels of " + r.Judge + " (columns) against people's (rows)",
		Head:  slices.Concat([]string{"people say"}, labels, []string{"accuracy"}),
	}
	for _, h := range labels {
		row := []string{h}
		for _, l := range labels {
			row = append(row, fmt.Sprint(r.Confusion[h][l]))
		}
		if acc, ok := r.ByLabel[h]; ok {
			row = append(row, decimal(acc))
		} else {
			row = append(row, "–")
		}
		g.Rows = append(g.Rows, row)
	}
	return g
}

// labelsOf lists the labels in use, in the order of their scale.
func labelsOf(r agreement.Report) []string {
	used := map[string]bool{}
	for h, row := range r.Confusion {
		used[h] = true
		for l := range row {
			used[l] = true
		}
	}

	var out []string
	for _, kind := range judge.Kinds {
		for _, l := range judge.Labels[kind] {
			if used[l] && !slices.Contains(out, l) {
				out = append(out, l)
			}
		}
	}
	return out
}

// pairedGrid compares every two judges.
func pairedGrid(results []shownResult, items []agreement.Item, seed uint64) datasets.Grid {
	g := datasets.Grid{
		Title: "Difference in Pearson on the questions both answered",
		Head:  []string{"A", "B", "A − B", "95 % interval", "n"},
	}
	for i, a := range results {
		for _, b := range results[i+1:] {
			p := agreement.Compare(a.report.Judge, b.report.Judge, items, a.verdicts, b.verdicts, seed)
			interval := decimal(p.CI.Low) + " to " + decimal(p.CI.High)
			g.Rows = append(g.Rows, []string{p.A, p.B, decimal(p.Diff), interval, fmt.Sprint(p.N)})
		}
	}
	return g
}

func validateJSON(w io.Writer, results []shownResult) error {
	out := make([]map[string]any, len(results))
	for i, v := range results {
		out[i] = v.json()
	}
	value := map[string]any{}
	if len(out) == 1 { // one judge's figures also stand at the top, where a script finds them first
		maps.Copy(value, out[0])
	}
	value["judges"] = out
	return report.WriteJSON(w, value)
}

// json holds a judge's figures by key, as correlations and shares in [0,1], null for
// undefined.
func (v shownResult) json() map[string]any {
	calls, tokens := 0, 0
	for _, u := range v.usage {
		calls += u.Calls()
		tokens += u.Usage.PromptTokens + u.Usage.OutputTokens
	}

	r := v.report
	out := map[string]any{
		"judge":              r.Judge,
		"n":                  r.N,
		"n_unscored":         r.NUnscored,
		"pearson":            agreement.Finite(r.Pearson),
		"pearson_ci":         interval(r.PearsonCI),
		"pearson_score":      agreement.Finite(r.PearsonScore),
		"auc":                agreement.Finite(r.AUC),
		"balanced_accuracy":  agreement.Finite(r.Balanced),
		"spearman":           agreement.Finite(r.Spearman),
		"kappa":              agreement.Finite(r.Kappa),
		"accuracy":           agreement.Finite(r.Accuracy),
		"accuracy_by_label":  r.ByLabel,
		"confusion":          r.Confusion,
		"linking_accuracy":   agreement.Finite(r.LinkingAccuracy),
		"linking_n":          r.LinkingN,
		"bias":               agreement.Finite(r.Bias),
		"bias_by_system":     r.BiasBySystem,
		"error_length_corr":  agreement.Finite(r.LengthCorr),
		"error_copy_corr":    agreement.Finite(r.CopyCorr),
		"kendall_systems":    agreement.Finite(r.KendallSystems),
		"kendall_ci":         interval(r.KendallCI),
		"pearson_systems":    agreement.Finite(r.PearsonSystems),
		"pearson_systems_ci": interval(r.PearsonSysCI),
		"systems":            r.Systems,
		"seconds":            v.seconds,
		"calls":              calls,
		"tokens":             tokens,
	}
	out["whole_texts"] = textsJSON(v.texts)
	v.addJSON(out)
	return out
}

// addJSON adds what not every validation has.
func (v shownResult) addJSON(out map[string]any) {
	if v.pair != nil {
		n := v.pair.Count()
		out["asked"], out["lacking"], out["curve"] = n.Asked, n.Lacking, v.curve
	}
	if len(v.parts) > 0 {
		by := make([]map[string]any, len(v.parts))
		for i, p := range v.parts {
			by[i] = partJSON(p)
		}
		out["by"] = by
	}
	if v.people != nil {
		out["people"] = peopleJSON(*v.people)
	}
}

func partJSON(p agreement.Part) map[string]any {
	r := p.Report
	return map[string]any{
		"column":            p.Column,
		"value":             p.Value,
		"n":                 r.N,
		"n_unscored":        r.NUnscored,
		"pearson":           agreement.Finite(r.Pearson),
		"pearson_ci":        interval(r.PearsonCI),
		"pearson_score":     agreement.Finite(r.PearsonScore),
		"spearman":          agreement.Finite(r.Spearman),
		"auc":               agreement.Finite(r.AUC),
		"accuracy":          agreement.Finite(r.Accuracy),
		"balanced_accuracy": agreement.Finite(r.Balanced),
		"kappa":             agreement.Finite(r.Kappa),
		"bias":              agreement.Finite(r.Bias),
		"kendall_systems":   agreement.Finite(r.KendallSystems),
		"systems":           r.Systems,
	}
}

func peopleJSON(p agreement.People) map[string]any {
	each := make([]map[string]any, len(p.Annotators))
	for i, a := range p.Annotators {
		alt := p.Alt.Annotators[i]
		each[i] = map[string]any{
			"annotator":      a.Name,
			"n":              a.N,
			"pearson_others": agreement.Finite(a.Others),
			"pearson_judge":  agreement.Finite(a.Judge),
			"judge_nearer":   alt.Judge,
			"p":              agreement.Finite(alt.P),
			"won":            alt.Won,
		}
	}
	return map[string]any{
		"questions":             p.Questions,
		"krippendorff_alpha":    agreement.Finite(p.Alpha),
		"krippendorff_ordinal":  agreement.Finite(p.Ordinal),
		"fleiss_kappa":          agreement.Finite(p.Fleiss),
		"fleiss_n":              p.FleissN,
		"cohen_kappa":           agreement.Finite(p.Cohen),
		"pearson_pairs":         agreement.Finite(p.Pairs),
		"annotators":            each,
		"alt_test_winning_rate": agreement.Finite(p.Alt.WinningRate),
		"alt_test_advantage":    agreement.Finite(p.Alt.Advantage),
		"alt_test_epsilon":      agreement.AltEpsilon,
	}
}

func interval(i metric.Interval) []*float64 {
	return []*float64{agreement.Finite(i.Low), agreement.Finite(i.High)}
}

// moreGrids are the tables that not every validation has.
func moreGrids(results []shownResult, items []agreement.Item, seed uint64) []datasets.Grid {
	texts := textScoresOf(results, items)
	var said []report.JudgedVerdicts
	for _, v := range results {
		said = append(said, report.JudgedVerdicts{Judge: v.report.Judge, Verdicts: slices.Concat(v.verdicts...)})
	}
	grids := []datasets.Grid{
		report.Bullets(said), report.FailedVerdicts(said),
		systemsGrid(results), writersGrid(texts), lengthGrid(texts), partsGrid(results),
	}
	if p := results[0].people; p != nil {
		grids = append(grids, peopleGrid(*p))
	}
	for _, v := range results {
		if v.people != nil {
			grids = append(grids, annotatorsGrid(v))
		}
	}
	for _, v := range results {
		grids = append(grids, curveGrid(v))
	}
	if len(results) > 1 {
		grids = append(grids, pairedGrid(results, items, seed))
	}
	return datasets.Filled(grids...)
}

// systemsGrid compares mean values of systems, where there are three or more.
func systemsGrid(results []shownResult) datasets.Grid {
	g := datasets.Grid{
		Title: "Systems: means of the judge and of people",
		Head:  []string{"judge", "systems", "Kendall", "95 % interval", "Pearson", "95 % interval"},
	}
	for _, v := range results {
		r := v.report
		if r.Systems < 3 {
			continue
		}
		g.Rows = append(g.Rows, []string{
			r.Judge,
			fmt.Sprint(r.Systems),
			decimal(r.KendallSystems),
			span(r.KendallCI),
			decimal(r.PearsonSystems),
			span(r.PearsonSysCI),
		})
	}
	return g
}

func span(i metric.Interval) string { return decimal(i.Low) + " to " + decimal(i.High) }

// partsGrid is the agreement by column.
func partsGrid(results []shownResult) datasets.Grid {
	g := datasets.Grid{
		Title: "Agreement by column",
		Head: []string{
			"judge", "column", "value", "Pearson", "95 % interval", "of score", "AUC", "balanced", "bias",
			"n", "unscored",
		},
	}
	for _, v := range results {
		for _, p := range v.parts {
			r := p.Report
			g.Rows = append(g.Rows, []string{
				r.Judge,
				p.Column,
				cmp.Or(p.Value, datasets.NoValue),
				decimal(r.Pearson),
				span(r.PearsonCI),
				decimal(r.PearsonScore),
				decimal(r.AUC),
				decimal(r.Balanced),
				decimal(r.Bias),
				fmt.Sprint(r.N),
				fmt.Sprint(r.NUnscored),
			})
		}
	}
	return g
}

// peopleGrid is how several annotators agree with each other.
func peopleGrid(p agreement.People) datasets.Grid {
	return datasets.Grid{
		Title: "People among themselves",
		Head: []string{
			"questions", "Krippendorff's alpha", "by order", "Fleiss' kappa", "(n)", "Cohen's kappa",
			"Pearson of pairs",
		},
		Rows: [][]string{{
			fmt.Sprint(p.Questions),
			decimal(p.Alpha),
			decimal(p.Ordinal),
			decimal(p.Fleiss),
			fmt.Sprintf("(%d)", p.FleissN),
			decimal(p.Cohen),
			decimal(p.Pairs),
		}},
		Note: "questions: rated by two or more. alpha: of values, and by their order alone. Fleiss: of the " +
			"questions with as many ratings as most have. Cohen and Pearson: means over pairs of annotators.",
	}
}

// annotatorsGrid sets the judge beside each annotator.
func annotatorsGrid(v shownResult) datasets.Grid {
	p := v.people
	g := datasets.Grid{
		Title: v.report.Judge + " beside each annotator",
		Head: []string{
			"annotator", "ratings", "Pearson with the others", "with the judge", "annotator as near",
			"judge as near", "p", "judge does as well",
		},
		Note: fmt.Sprintf("Alternative-annotator test (Calderon et al., 2025) with epsilon %g and a false discovery "+
			"rate of %g: winning rate %s of %d annotators with %d ratings or more, average advantage probability %s. "+
			"From a rate of 0.5 on a judge may stand in for people.",
			agreement.AltEpsilon, agreement.AltRate, decimal(p.Alt.WinningRate), p.Alt.Tested, metric.AltTestLeast,
			decimal(p.Alt.Advantage)),
	}
	for i, a := range p.Annotators {
		alt := p.Alt.Annotators[i]
		won := "no"
		switch {
		case math.IsNaN(alt.P):
			won = "too few ratings"
		case alt.Won:
			won = "yes"
		}
		g.Rows = append(g.Rows, []string{
			a.Name,
			fmt.Sprint(a.N),
			decimal(a.Others),
			decimal(a.Judge),
			decimal(alt.Annotator),
			decimal(alt.Judge),
			decimal(alt.P),
			won,
		})
	}
	return g
}

// curveGrid is what more calls bring.
func curveGrid(v shownResult) datasets.Grid {
	g := datasets.Grid{
		Title: "Calls against agreement: " + v.report.Judge,
		Head:  []string{"--ask-share", "questions asked", "Pearson"},
		Note:  "The judges after the first are asked where it pays most.",
	}
	for _, s := range v.curve {
		pearson := datasets.NoValue
		if s.Pearson != nil {
			pearson = decimal(*s.Pearson)
		}
		g.Rows = append(g.Rows, []string{fmt.Sprintf("%.1f", s.Share), fmt.Sprint(s.Asked), pearson})
	}
	return g
}
