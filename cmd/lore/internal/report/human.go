package report

import (
	"cmp"
	"errors"
	"fmt"

	"lore/datasets"
	"lore/judge"
	"lore/judge/agreement"
	"lore/judge/metric"
)

// HumanItems joins human verdicts with the answers and questions of a run: one
// item per answer that has a verdict, in the order of the verdicts.
func HumanItems(r Run, verdicts []agreement.HumanVerdict) ([]agreement.Item, error) {
	at := map[answerKey]int{}
	var out []agreement.Item
	for _, h := range verdicts {
		k := keyOf(h)
		i, ok := at[k]
		if !ok {
			it, err := itemOf(r, h)
			if err != nil {
				return nil, err
			}
			i = len(out)
			at[k] = i
			out = append(out, it)
		}

		if err := enter(&out[i], h); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// enter writes a verdict into its place in an item.
func enter(it *agreement.Item, h agreement.HumanVerdict) error {
	found := false
	for n, q := range it.Task.Questions {
		if q.ID != h.Question {
			continue
		}
		value, err := valueOf(q.Kind, h.Item, h.Question, h.Label)
		if err != nil {
			return err
		}
		it.Human[n] = judge.Verdict{Question: q.ID, Label: h.Label, Value: value, Unit: h.Unit}
		found = true
	}

	if !found {
		return fmt.Errorf("%s has no question %q", h.Item, h.Question)
	}
	return nil
}

// valueOf is the value in [0,1] of a person's label.
func valueOf(kind judge.Kind, item, question, label string) (float64, error) {
	value, ok := judge.Values[kind][label]
	if !ok {
		return 0, fmt.Errorf("%s, %s: the label %q is not one of %v", item, question, label, judge.Labels[kind])
	}
	return value, nil
}

// keyOf is the answer that a person judged.
func keyOf(h agreement.HumanVerdict) answerKey {
	return answerKey{datasets.System{Retriever: h.Retriever, Generator: h.Generator}, h.Item}
}

// itemOf is the answer that a person judged with its questions, all without a verdict yet.
func itemOf(r Run, h agreement.HumanVerdict) (agreement.Item, error) {
	k := keyOf(h)
	it := agreement.Item{System: k.System.String(), Group: k.item}
	for _, v := range r.Verdicts {
		if (answerKey{v.System, v.Item}) == k {
			it.Task.Questions = v.Questions
		}
	}
	if it.Task.Questions == nil {
		return it, fmt.Errorf("the run has no answer of %s to %s", k.System, k.item)
	}

	for _, a := range r.Answers {
		if (answerKey{a.System, a.Item}) == k {
			it.Task.ID = a.Retriever + " " + a.Generator + " " + a.Item
			it.Task.About, it.Task.Units = a.Title, lines(a.Text)
		}
	}
	for _, q := range it.Task.Questions {
		it.Human = append(it.Human, agreement.Unlabelled(q.ID))
	}
	return it, nil
}

// Notes on the columns of Corrected.
const (
	correctedNote = "Mean verdict value times 100. " +
		"corrected: prediction-powered estimate (Angelopoulos et al., 2023, with the tuned lambda of PPI++): " +
		"lambda times the judge's mean on what nobody checked, " +
		"plus the mean of people minus lambda times the judge on what they did. Variances over items. " +
		"lambda near 0: the judge helps little and people's mean stands alone."

	sampledNote = "Mean verdict value times 100. corrected: what people would say, estimated from labels that were drawn " +
		"by strata with known probabilities, and from the judge on all verdicts (stratified prediction-powered estimate; " +
		"Fisch et al., 2024). 95 % interval: for these very answers; the wide one: for items like these. " +
		"labels' mean: of the labels as they are, which were not drawn evenly. lambda: weight of the judge within strata."
)

// Corrected gives, per system and judge, the mean verdict value corrected by human verdicts on a
// part of the answers, with its interval; and where these were drawn by a plan, the corrected
// differences from the first system. Values are times 100.
func Corrected(r Run, verdicts []agreement.HumanVerdict) ([]datasets.Grid, error) {
	drawn := 0
	for _, h := range verdicts {
		if h.Probability > 0 {
			drawn++
		}
	}
	switch drawn {
	case 0:
		g, err := correctedEvenly(r, verdicts)
		return []datasets.Grid{g}, err
	case len(verdicts):
		return correctedByStrata(r, verdicts)
	}
	return nil, fmt.Errorf("%d of %d verdicts have a probability; either all have one, or none", drawn, len(verdicts))
}

// correctedEvenly corrects by verdicts that were drawn evenly.
func correctedEvenly(r Run, verdicts []agreement.HumanVerdict) (datasets.Grid, error) {
	g := datasets.Grid{
		Title: correctedTitle,
		Head: []string{
			"retriever", "generator", "judge", "judge's mean", "people's mean",
			"corrected", "95 % interval", "labelled", "of", "lambda",
		},
		Note: correctedNote,
	}
	for _, row := range r.Table.Rows {
		labelled, rest, all, err := splitLabelled(r, row.Judged, verdicts)
		if err != nil {
			return g, err
		}
		if len(labelled) == 0 {
			continue
		}

		people := make([]float64, len(labelled))
		for i, l := range labelled {
			people[i] = l.Human
		}
		theta, ci, lambda := metric.PPIMean(labelled, rest, 0.95)
		g.Rows = append(g.Rows, []string{
			row.Retriever,
			row.Generator,
			row.Judge,
			percent(metric.Mean(all)),
			percent(metric.Mean(people)),
			percent(theta),
			interval(ci),
			fmt.Sprint(len(labelled)),
			fmt.Sprint(len(all)),
			plainNumber(lambda),
		})
	}
	if len(g.Rows) == 0 {
		return g, errNoSystem
	}
	return g, nil
}

const correctedTitle = "Corrected by people"

var errNoSystem = errors.New("no human verdict belongs to a system of this run")

// correctedByStrata corrects by verdicts that were drawn by a plan.
func correctedByStrata(r Run, verdicts []agreement.HumanVerdict) ([]datasets.Grid, error) {
	g := datasets.Grid{
		Title: correctedTitle,
		Head: []string{
			"retriever", "generator", "judge", "judge's mean", "labels' mean",
			"corrected", "95 % interval", "for items like these", "labelled", "of", "lambda",
		},
		Note: sampledNote,
	}
	var of []datasets.Judged
	var means []metric.Corrected
	for _, row := range r.Table.Rows {
		s, err := sampleOf(r, row.Judged, verdicts)
		if err != nil {
			return nil, err
		}
		if len(s.labelled) == 0 {
			continue
		}

		c := metric.StratifiedMean(s.labelled, s.all, 0.95)
		stand := fmt.Sprintf("the labels of %s, judge %s, stand for %.0f of %d verdicts by their probabilities",
			row.System, row.Judge, c.Reached*float64(len(s.all)), len(s.all))
		switch {
		case c.Reached > 1+offBy:
			return nil, errors.New(stand)
		case c.Reached < 1-offBy:
			g.Note += " Note: " + stand + "; the rest is taken to be like them."
		}
		of, means = append(of, row.Judged), append(means, c)
		g.Rows = append(g.Rows, []string{
			row.Retriever,
			row.Generator,
			row.Judge,
			percent(s.judged),
			percent(s.people),
			percent(c.Mean),
			interval(c.Run),
			interval(c.Wide),
			fmt.Sprint(c.Labels),
			fmt.Sprint(len(s.all)),
			plainNumber(c.Lambda),
		})
	}
	if len(g.Rows) == 0 {
		return nil, errNoSystem
	}
	return []datasets.Grid{g, correctedDifferences(of, means)}, nil
}

// offBy is how far the verdicts that labels stand for may be from all there are: probabilities
// have few digits, and a judge may have left some verdicts unscored.
const offBy = 0.05

// correctedDifferences compares systems of one judge with the best of them.
func correctedDifferences(of []datasets.Judged, means []metric.Corrected) datasets.Grid {
	g := datasets.Grid{
		Title: "Corrected differences from the best",
		Head:  []string{"judge", "best", "other", "difference", "95 % interval", "for items like these"},
		Note:  "Of corrected means times 100. Texts that both systems gave do not widen the interval.",
	}
	best := map[string]int{}
	for i, c := range means {
		if k, ok := best[of[i].Judge]; !ok || c.Mean > means[k].Mean {
			best[of[i].Judge] = i
		}
	}
	for i := range means {
		k := best[of[i].Judge]
		if i == k {
			continue
		}
		d := means[k].Minus(means[i], 0.95)
		g.Rows = append(g.Rows, []string{
			of[i].Judge, of[k].System.String(), of[i].System.String(), percent(d.Mean), interval(d.Run), interval(d.Wide),
		})
	}
	return g
}

func interval(ci metric.Interval) string {
	if ci.Low != ci.Low {
		return "–"
	}
	return fmt.Sprintf("%.1f to %.1f", 100*ci.Low, 100*ci.High)
}

func percent(v float64) string {
	if v != v {
		return "–"
	}
	return fmt.Sprintf("%.1f", 100*v)
}

func plainNumber(v float64) string {
	if v != v {
		return "–"
	}
	return fmt.Sprintf("%.2f", v)
}

// place is a question about an item.
type place struct{ item, question string }

// humanOf are the human verdicts on a system, by what they are about.
func humanOf(of datasets.System, verdicts []agreement.HumanVerdict) map[place]agreement.HumanVerdict {
	out := map[place]agreement.HumanVerdict{}
	for _, h := range verdicts {
		if keyOf(h).System == of {
			out[place{h.Item, h.Question}] = h
		}
	}
	return out
}

// sample is what people and a judge say of a system.
type sample struct {
	labelled       []metric.Sampled
	all            []metric.Unlabelled
	judged, people float64 // means of the judge over all, and of the labels
}

// sampleOf gathers a system's scored verdicts, and the labels that were drawn among them. Where the
// judge has scores of its own these stand for its verdicts: they are finer.
func sampleOf(r Run, of datasets.Judged, verdicts []agreement.HumanVerdict) (sample, error) {
	human := humanOf(of.System, verdicts)
	var s sample
	var values, labels []float64
	finer := Finer(r, of)
	for _, t := range r.Verdicts {
		if t.Judged != of {
			continue
		}
		for i, v := range t.Verdicts {
			if !v.Scored() {
				continue
			}
			proxy := v.Value
			if finer {
				proxy = v.Score
			}
			values = append(values, v.Value)
			s.all = append(s.all, metric.Unlabelled{Judge: proxy, Cluster: t.Item})

			h, ok := human[place{t.Item, v.Question}]
			if !ok {
				continue
			}
			value, err := valueOf(t.Questions[i].Kind, t.Item, v.Question, h.Label)
			if err != nil {
				return s, err
			}
			labels = append(labels, value)
			s.labelled = append(s.labelled, metric.Sampled{
				ID:          cmp.Or(h.ID, t.Item+"\x00"+v.Question+"\x00"+of.System.String()),
				Judge:       proxy,
				Human:       value,
				Cluster:     t.Item,
				Stratum:     h.Stratum,
				Probability: h.Probability,
			})
		}
	}
	s.judged, s.people = metric.Mean(values), metric.Mean(labels)
	return s, nil
}

// Finer reports whether a judge has scores of its own in [0,1] for all it scored of a system.
func Finer(r Run, of datasets.Judged) bool {
	some := false
	for _, t := range r.Verdicts {
		if t.Judged != of {
			continue
		}
		for _, v := range t.Verdicts {
			if v.Scored() && (v.Score < 0 || v.Score > 1 || v.Score == 0 && v.Value > 0) {
				return false
			}
			some = some || v.Score > 0
		}
	}
	return some
}

// splitLabelled parts a system's scored verdicts into those that people checked
// and the rest. all has the judge's values of both, in [0,1].
func splitLabelled(r Run, of datasets.Judged, verdicts []agreement.HumanVerdict) (
	labelled []metric.Labelled, rest []metric.Unlabelled, all []float64, err error,
) {
	human := humanOf(of.System, verdicts)
	for _, t := range r.Verdicts {
		if t.Judged != of {
			continue
		}
		for i, v := range t.Verdicts {
			if !v.Scored() {
				continue
			}
			all = append(all, v.Value)
			h, ok := human[place{t.Item, v.Question}]
			if !ok {
				rest = append(rest, metric.Unlabelled{Judge: v.Value, Cluster: t.Item})
				continue
			}

			value, err := valueOf(t.Questions[i].Kind, t.Item, v.Question, h.Label)
			if err != nil {
				return nil, nil, nil, err
			}
			labelled = append(labelled, metric.Labelled{Judge: v.Value, Human: value, Cluster: t.Item})
		}
	}
	return labelled, rest, all, nil
}
