package page

import (
	"fmt"
	"slices"
	"strings"

	"lore/cmd/lore/internal/usage"
)

// answered says which system is better on a metric by a judge's verdicts.
func (b *builder) answered(c Contrasts, pools []pool) Answered {
	m := b.metrics[c.Metric]
	out := Answered{Metric: c.Metric, Judge: c.Judge, Notes: []string{m.Title + ": " + m.Explain + "."}}
	if base, _, ok := strings.Cut(m.Title, "@"); ok { // Joint@N is explained by Joint
		for _, of := range b.metrics {
			if of.Title == base {
				out.Notes = append(out.Notes, of.Title+": "+of.Explain+".")
			}
		}
	}
	if len(pools) > 1 {
		out.Sentences = append(out.Sentences,
			"The runs are over different data: a figure of one cannot be compared with that of another.")
	}

	tested := false
	for _, p := range pools {
		said := &saying{b: b, c: c, p: p, title: m.Title}
		if m.Percent {
			said.unit = " points"
		}
		out.Sentences = append(out.Sentences, said.all()...)
		tested = tested || said.tested
	}
	if tested {
		out.Notes = append(out.Notes, fmt.Sprintf("[low, high] is the 95 %% interval of that difference by itself; "+
			"p is corrected over %s (Holm), level %g.", usage.Counted(c.Tests, "test"), level))
	}
	return out
}

// runNames names some runs.
func (b *builder) runNames(runs []int) string {
	var names []string
	for _, n := range runs {
		names = append(names, plain(b.sources[n].Name))
	}
	return listed(names, "and")
}

// saying words the tests of one metric between the systems of a pool.
type saying struct {
	b           *builder
	c           Contrasts
	p           pool
	title, unit string

	named  []Pair // tests that a sentence is about
	tested bool   // an interval and a p are told
	chance bool   // a sentence is about systems that know nothing
}

func (s *saying) all() []string {
	switch {
	case len(s.p.shared) == 0 && len(s.p.runs) > 1:
		return []string{fmt.Sprintf("The runs %s share no question: nothing can be compared.", s.b.runNames(s.p.runs))}
	case len(s.p.ranked)+len(s.p.ends) == 0:
		return []string{fmt.Sprintf("No system has a value of %s.", s.title)}
	}

	var out []string
	if len(s.p.ranked) == 1 {
		out = append(out, s.alone(s.p.ranked[0]))
	} else {
		out = append(out, s.compared()...)
	}
	if s.p.none {
		best := s.b.head.Systems[s.p.ranked[0]]
		out = append(out, fmt.Sprintf("All systems are ends of the scale: %s, %s, is one itself.", best.Name, best.end))
	}
	if s.p.partial() {
		out = append(out, fmt.Sprintf("This is about the %s that all runs have, of %d.",
			usage.Counted(len(s.p.shared), "question"), s.p.all))
	}
	if said := s.bounds(); said != "" {
		out = append(out, said)
	}
	if said := s.againstChance(); said != "" {
		out = append(out, said)
	}
	if said := s.power(); said != "" {
		out = append(out, said)
	}
	return out
}

func (s *saying) name(system int) string { return s.b.head.Systems[system].Name }

// alone words the figure of the only system that competes.
func (s *saying) alone(system int) string {
	text := fmt.Sprintf("%s reaches %s %.1f", s.name(system), s.title, s.p.value[system])
	for _, r := range s.b.head.Rows {
		f := r.Figures[s.c.Metric]
		if r.System == system && (s.c.Judge < 0 || r.Judge == s.c.Judge) && f != nil && f.Low != nil && !s.p.partial() {
			text += fmt.Sprintf(" [%.1f, %.1f]", *f.Low, num(f.High))
			break
		}
	}
	if len(s.p.ends) > 0 {
		return text + "; there is no other system to compare it with, besides ends of the scale."
	}
	return text + "; there is no other system to compare it with."
}

// compared words how the best system stands to the others.
func (s *saying) compared() []string {
	best := s.p.ranked[0]
	var worse, open []string
	var nearest Pair
	for _, other := range s.p.ranked[1:] {
		p, ok := s.c.between(best, other)
		if !ok {
			continue
		}
		s.named = append(s.named, p)
		if !p.Shown || num(p.Diff) <= 0 {
			open = append(open, s.name(other))
			continue
		}
		if len(worse) == 0 {
			nearest = p
		}
		worse = append(worse, s.name(other))
	}

	name := s.name(best)
	switch {
	case len(worse)+len(open) == 0:
		return []string{"The systems share too few questions to be compared."}
	case len(open) == 0:
		out := []string{s.better(name, worse, nearest)}
		if said := s.second(); said != "" {
			out = append(out, said)
		}
		return out
	case len(worse) == 0 && len(open) == 1:
		return []string{fmt.Sprintf("No difference on %s can be shown between %s and %s.", s.title, name, open[0])}
	case len(worse) == 0:
		return []string{fmt.Sprintf("No difference on %s can be shown between %s, which has the highest value, and %s.",
			s.title, name, listed(open, "or"))}
	}
	first := fmt.Sprintf("%s has the highest %s, but no difference can be shown between it and %s.", name, s.title, listed(open, "or"))
	return []string{first, s.better("It", worse, nearest)}
}

// better words how the best system beats others.
func (s *saying) better(best string, worse []string, nearest Pair) string {
	s.tested = true
	than := worse[0]
	if len(worse) > 1 && best != "It" {
		than = "the next best, " + worse[0] + ","
	}
	text := fmt.Sprintf("%s is better than %s on %s by %.1f%s [%.1f, %.1f], %s",
		best, than, s.title, num(nearest.Diff), s.unit, num(nearest.Low), num(nearest.High), pText(nearest.P))
	if len(worse) > 1 {
		text += fmt.Sprintf(", and better than %s", listed(worse[1:], "and"))
	}
	return text + "."
}

// second compares the second with the third, where the first is ahead of all.
func (s *saying) second() string {
	if len(s.p.ranked) < 3 {
		return ""
	}
	x, y := s.p.ranked[1], s.p.ranked[2]
	p, ok := s.c.between(x, y)
	if !ok {
		return ""
	}
	s.named = append(s.named, p)
	if p.Shown && num(p.Diff) > 0 {
		return fmt.Sprintf("%s is better than %s by %.1f%s, %s.", s.name(x), s.name(y), num(p.Diff), s.unit, pText(p.P))
	}
	return fmt.Sprintf("No difference can be shown between %s and %s.", s.name(x), s.name(y))
}

// bounds says what the ends of the scale reach: of each kind the highest.
func (s *saying) bounds() string {
	var kinds []string
	of := map[string][]int{}
	for _, e := range s.p.ends {
		kind := s.b.head.Systems[e].end
		if of[kind] == nil {
			kinds = append(kinds, kind)
		}
		of[kind] = append(of[kind], e)
	}

	var parts []string
	for i, kind := range kinds {
		reaches, first := "", of[kind][0]
		if i == 0 {
			reaches = "reaches "
		}
		part := fmt.Sprintf("%s, %s, %s%.1f", s.name(first), kind, reaches, s.p.value[first])
		if n := len(of[kind]); n > 1 {
			part += fmt.Sprintf(", the highest of %d such", n)
		}
		parts = append(parts, part)
	}
	if len(parts) == 0 {
		return ""
	}
	return "For the scale: " + strings.Join(parts, "; ") + "."
}

// againstChance says where the best system is no higher than one that knows nothing, or is not told
// apart from it.
func (s *saying) againstChance() string {
	best, ok := s.p.best()
	if !ok {
		return ""
	}
	var below, level, open []string
	for _, e := range s.p.ends {
		if !s.b.head.Systems[e].chance {
			continue
		}
		p, tested := s.c.between(best, e)
		if tested = tested && s.couldAny(); tested {
			s.named = append(s.named, p)
		}
		switch {
		case s.p.value[best] < s.p.value[e]:
			below = append(below, s.name(e))
		case s.p.value[best] == s.p.value[e]:
			level = append(level, s.name(e))
		case tested && (!p.Shown || num(p.Diff) <= 0):
			open = append(open, s.name(e))
		}
	}

	var out []string
	for _, said := range []struct {
		words string
		ends  []string
	}{
		{"%s is below %s.", below},
		{"%s is no higher than %s.", level},
		{"%s is not shown to be better than %s.", open},
	} {
		if len(said.ends) > 0 {
			out = append(out, fmt.Sprintf(said.words, s.name(best), listed(said.ends, "or")))
		}
	}
	s.chance = len(out) > 0
	return strings.Join(out, " ")
}

// couldAny reports whether any test of the pool could show a difference.
func (s *saying) couldAny() bool { return s.c.couldShow(slices.Concat(s.p.ranked, s.p.ends)) }

// power says which differences the tests that were named find: the column "least" of lore
// compare. Of a system that competes with none these are tests against chance, if any.
func (s *saying) power() string {
	alone := len(s.p.ranked) < 2
	switch {
	case alone && (len(s.named) == 0 || !s.chance):
		return ""
	case !s.couldAny():
		return fmt.Sprintf("With %s no test could show any difference.", usage.Counted(len(s.p.shared), "question"))
	}
	var all []float64
	for _, p := range s.named {
		if p.least != nil {
			all = append(all, *p.least)
		}
	}
	if len(all) == 0 {
		return ""
	}
	low, high := fmt.Sprintf("%.1f", slices.Min(all)), fmt.Sprintf("%.1f", slices.Max(all))
	switch {
	case alone && low == high:
		return fmt.Sprintf("A test against chance finds a true difference of %s%s in four of five cases.", low, s.unit)
	case alone:
		return fmt.Sprintf("Tests against chance find true differences of %s to %s%s, by the pair, in four of five cases.",
			low, high, s.unit)
	case low == high:
		return fmt.Sprintf("Such a test finds a true difference of %s%s in four of five cases.", low, s.unit)
	}
	return fmt.Sprintf("These tests find true differences of %s to %s%s, by the pair, in four of five cases.", low, high, s.unit)
}

// pText words a p-value.
func pText(p *float64) string {
	switch {
	case p == nil:
		return "corrected p unknown"
	case *p < 0.001:
		return "corrected p < 0.001"
	}
	return fmt.Sprintf("corrected p %.3f", *p)
}

// listed names a few systems, and counts the rest.
func listed(names []string, last string) string {
	const most = 3
	if len(names) > most+1 {
		return fmt.Sprintf("%s %s %d more", strings.Join(names[:most], ", "), last, len(names)-most)
	}
	if len(names) < 2 {
		return strings.Join(names, "")
	}
	return strings.Join(names[:len(names)-1], ", ") + " " + last + " " + names[len(names)-1]
}
