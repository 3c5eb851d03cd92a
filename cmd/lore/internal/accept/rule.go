package accept

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"lore/cmd/lore/internal/usage"
	"lore/datasets"
)

// Kind says how a rule is tested.
type Kind string

// Kinds of rules.
const (
	Drop     Kind = "drop"     // joint: drop<=2, against a baseline
	Bound    Kind = "bound"    // coverage>=60
	Count    Kind = "count"    // failed==0, exact
	Critical Kind = "critical" // the guard of critical items
)

// Rule is a parsed rule.
type Rule struct {
	Text  string // as it was given, without white space around
	Kind  Kind
	Name  string // of a metric or a count, as it was given
	Op    string // <=, >=, <, > or ==
	Limit float64

	Points bool // the limit is given in so many words as points: no fraction is meant
}

// operators, the longer ones first: one may begin another.
var operators = []string{"<=", ">=", "==", "<", ">"}

// forms are what rules look like, for messages.
const forms = "a rule reads 'joint: drop<=2', 'coverage>=60' or 'failed==0'"

// Counts are the names that count items or values; rules on them are exact.
var Counts = []string{"failed", "unscored", "cut"}

// Parse reads a rule:
//
//	METRIC: drop<=POINTS   the metric is at most so much lower than the baseline's
//	METRIC>=VALUE          also <=, > and <
//	METRIC>=0.5 points     so that nobody takes it for a fraction
//	failed==0              also unscored and cut, and every operator
//
// Numbers are decimal; ≤ and ≥ are read as <= and >=. Names are looked up by Resolve.
func Parse(text string) (Rule, error) {
	r := Rule{Text: strings.TrimSpace(text)}
	s := strings.NewReplacer("≤", "<=", "≥", ">=").Replace(r.Text)
	at := strings.IndexAny(s, "<>=")
	if at < 0 {
		return r, usage.Errorf("the rule %q has no <=, >=, <, > or ==; %s", text, forms)
	}

	i := slices.IndexFunc(operators, func(op string) bool { return strings.HasPrefix(s[at:], op) })
	if i < 0 {
		return r, usage.Errorf("the rule %q has an operator that is none of %s; %s",
			text, strings.Join(operators, " "), forms)
	}
	r.Op = operators[i]
	if err := r.readLimit(strings.TrimSpace(s[at+len(r.Op):])); err != nil {
		return r, err
	}

	r.Name, r.Kind = strings.TrimSpace(s[:at]), Bound
	if colon := strings.LastIndex(r.Name, ":"); colon >= 0 {
		what := strings.TrimSpace(r.Name[colon+1:])
		if !strings.EqualFold(what, string(Drop)) {
			return r, usage.Errorf("the rule %q asks for the %q of a metric; only drop can be asked for; %s", text, what, forms)
		}
		r.Name, r.Kind = strings.TrimSpace(r.Name[:colon]), Drop
	} else if name, ok := dropOf(r.Name); ok {
		return r, usage.Errorf("the rule %q lacks the colon of a drop; did you mean '%s: drop<=%s'?",
			text, name, strings.TrimSpace(s[at+len(r.Op):]))
	}
	return r, r.check()
}

// dropOf is the name of a metric before the word drop, where no colon is between the two.
func dropOf(name string) (string, bool) {
	words := strings.Fields(name)
	last := len(words) - 1
	if last < 1 || !strings.EqualFold(words[last], string(Drop)) {
		return "", false
	}
	return strings.Join(words[:last], " "), true
}

// readLimit reads the number of a rule, with or without its unit.
func (r *Rule) readLimit(limit string) error {
	if number, ok := strings.CutSuffix(limit, "%"); ok {
		number = strings.TrimSpace(number)
		return usage.Errorf("the rule %q ends in %q, and of a drop nobody can tell percent of what that is; "+
			"percent metrics are in points, 0 to 100: write %s or %s points", r.Text, limit, number, number)
	}

	number := strings.TrimSuffix(limit, "s")
	number, r.Points = strings.CutSuffix(number, "point")
	if !r.Points {
		number = limit
	}
	var err error
	r.Limit, err = strconv.ParseFloat(strings.TrimSpace(number), 64)
	if err != nil || math.IsNaN(r.Limit) || math.Abs(r.Limit) > farthest {
		return usage.Errorf("the rule %q ends in %q, which is no number such as 2 or 60.5; %s", r.Text, limit, forms)
	}
	return nil
}

// farthest bounds limits: farther away no value of a run can be.
const farthest = 1 << 40

// check refuses rules that make no sense whatever the metric.
func (r *Rule) check() error {
	counts := slices.Contains(Counts, strings.ToLower(r.Name))
	switch {
	case r.Name == "":
		return usage.Errorf("the rule %q names no metric; %s", r.Text, forms)
	case r.Kind == Drop && counts:
		return usage.Errorf("the rule %q: %s is a count, which has no drop; write %s<=NUMBER", r.Text, r.Name, r.Name)
	case counts && r.Points:
		return usage.Errorf("the rule %q: %s is a count, and has no points; write the number alone", r.Text, r.Name)
	case r.Kind == Drop && r.Op != "<=":
		return usage.Errorf("the rule %q: a drop is bounded by <= alone, as in %s: drop<=2", r.Text, r.Name)
	case r.Kind == Drop && r.Limit < 0:
		return usage.Errorf("the rule %q allows a drop below 0; a drop is at least 0: drop<=0 asks for no drop at all", r.Text)
	case !counts && r.Op == "==":
		return usage.Errorf("the rule %q: == is for the counts %s; a measured value is bounded by >= or <=",
			r.Text, strings.Join(Counts, ", "))
	case counts:
		r.Kind, r.Name = Count, strings.ToLower(r.Name)
	}
	return nil
}

// aim is what a rule is about: a metric, or a count.
type aim struct {
	metric datasets.Metric
	count  string
}

func (a aim) name() string {
	if a.count != "" {
		return a.count
	}
	return a.metric.Name
}

// Resolve finds the metric that a rule names, by its name or its title in tables, in any
// case. A limit that makes no sense for it is refused.
func (r Rule) Resolve(metrics []datasets.Metric) (aim, error) {
	if r.Kind == Count {
		return aim{count: r.Name}, nil
	}

	// Names come first: a title may be another metric's name.
	for _, of := range []func(datasets.Metric) string{
		func(m datasets.Metric) string { return m.Name },
		func(m datasets.Metric) string { return m.Title },
	} {
		for _, m := range metrics {
			if strings.EqualFold(of(m), r.Name) {
				return aim{metric: m}, r.fits(m)
			}
		}
	}

	var known []string
	for _, m := range metrics {
		known = append(known, m.Name)
	}
	err := usage.Unknown("metric", r.Name, slices.Concat(known, Counts))
	return aim{}, usage.Errorf("the rule %q: %v", r.Text, err)
}

// fits refuses a limit that lies outside of what a metric can be, and one that looks like a
// fraction where the metric is in points: a floor of 0.6 points would pass for ever.
func (r Rule) fits(m datasets.Metric) error {
	low, high := scale(m)*m.Low, scale(m)*m.High
	what, unit := m.Name, ""
	if m.Percent {
		unit = " points"
	}
	if r.Kind == Drop {
		what, low, high = "a drop of "+m.Name, 0, high-low
	}
	fraction := r.Limit > 0 && (r.Limit < 1 || r.Limit == 1 && r.isFloor())

	switch {
	case r.Points && !m.Percent:
		return usage.Errorf("the rule %q: %s is not in percent, and has no points; write the number alone", r.Text, m.Name)
	case m.Bounded && (r.Limit < low || r.Limit > high):
		return usage.Errorf("the rule %q: %s is from %g to %g%s, and %g is outside", r.Text, what, low, high, unit, r.Limit)
	case r.Limit < low:
		return usage.Errorf("the rule %q: %s is never below %g, and %g is", r.Text, what, low, r.Limit)
	case m.Percent && fraction && !r.Points:
		return usage.Errorf("the rule %q: %s is in points, 0 to 100, and %g looks like a fraction: did you mean %.10g? "+
			"If you do mean %g of 100, write '%s points'", r.Text, m.Name, r.Limit, 100*r.Limit, r.Limit, r.Text)
	}
	return nil
}

// holds reports whether a number meets the rule's bound.
func (r Rule) holds(v float64) bool {
	switch r.Op {
	case "<=":
		return v <= r.Limit
	case ">=":
		return v >= r.Limit
	case "<":
		return v < r.Limit
	case ">":
		return v > r.Limit
	}
	return v == r.Limit
}

// isFloor reports whether the rule asks for at least so much.
func (r Rule) isFloor() bool { return strings.HasPrefix(r.Op, ">") }
