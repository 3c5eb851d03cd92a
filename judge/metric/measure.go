package metric

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Measure is a retrieval measure with its parameters filled in. Its name shows all that
// tools differ in, also what was left at its default.
type Measure struct {
	Kind   string             // as ir_measures calls it, such as "nDCG"
	Cutoff float64            // k, or the recall of IPrec; 0 means no cut
	Params map[string]string  // every parameter the kind has
	num    map[string]float64 // those that are numbers
	gains  map[int]float64    // gains by grade that replace the grade itself
	def    *definition
}

// String is the full name: kind, parameters, cut.
func (m *Measure) String() string {
	var fields []string
	for _, p := range m.def.params {
		value := m.Params[p.name]
		if p.quiet && value == p.value {
			continue
		}
		if p.kind == word {
			value = "'" + value + "'"
		}
		fields = append(fields, p.name+"="+value)
	}

	name := m.Kind
	if len(fields) > 0 {
		name += "(" + strings.Join(fields, ",") + ")"
	}
	if m.Cutoff > 0 || m.Kind == "IPrec" {
		name += "@" + strconv.FormatFloat(m.Cutoff, 'f', -1, 64)
	}
	return name
}

// Diversity reports whether the measure needs judgements by subtopic.
func (m *Measure) Diversity() bool { return m.def.divers }

// Count reports whether topic values are summed.
func (m *Measure) Count() bool { return m.def.counts }

// Averaged reports whether the value over all topics is their plain mean.
func (m *Measure) Averaged() bool { return !m.def.counts && !m.def.geo }

// Share reports whether values lie in [0,1].
func (m *Measure) Share() bool { return !m.def.counts && !m.def.open && len(m.gains) == 0 }

// Calc is the value of one topic; NaN where the measure is not defined for it.
func (m *Measure) Calc(t *Topic) float64 {
	if m.Params["judged_only"] == "true" {
		t = t.judgedOnly()
	}
	return m.def.calc(t, m)
}

// Aggregate combines topic values: the mean, the sum of a count, or the geometric mean. Topics
// without a value are left out. It is NaN of nothing, but the sum of no counts is 0.
func (m *Measure) Aggregate(values []float64) float64 {
	defined := slices.DeleteFunc(slices.Clone(values), math.IsNaN)
	switch {
	case m.def.counts:
		sum := 0.0
		for _, v := range defined {
			sum += v
		}
		return sum
	case m.def.geo:
		for i, v := range defined {
			defined[i] = math.Log(max(v, 0.00001))
		}
		return math.Exp(Mean(defined))
	}
	return Mean(defined)
}

// gain is what a grade is worth: what the parameter gains says, else the grade; 0 without a judgement.
func (m *Measure) gain(grade int) float64 {
	if grade < 0 {
		return 0
	}
	if g, ok := m.gains[grade]; ok {
		return g
	}
	return float64(grade)
}

func (m *Measure) int(name string) int { return int(m.num[name]) }
func (m *Measure) rel() int            { return m.int("rel") }
func (m *Measure) alpha() float64      { return m.num["alpha"] }
func (m *Measure) k() int              { return int(m.Cutoff) }

// ParseMeasure reads the name of one measure; see [ParseMeasures].
func ParseMeasure(name string) (*Measure, error) {
	all, err := ParseMeasures(name)
	switch {
	case err != nil:
		return nil, err
	case len(all) != 1:
		return nil, fmt.Errorf("%q stands for %d measures; name one of them, such as %s", name, len(all), all[0])
	}
	return all[0], nil
}

// ParseMeasures reads a measure by the name that a tool has for it, and returns what the tool would
// compute:
//
//   - ir_measures: "nDCG@10", "alpha_nDCG(alpha=0.5)@20"; the parameters may also stand last;
//   - trec_eval and pytrec_eval: "ndcg_cut_10", "P.5,10", "set_F.0.5", "ndcg.1=3,2=9", and names that
//     stand for several: "P", "official", "all_trec", "set";
//   - ranx: "precision@10", "hit_rate@10", "rbp.95", "map@100-l2".
//
// A name that is known and not computed is refused with the reason, any other with the nearest that is there.
func ParseMeasures(name string) ([]*Measure, error) {
	if strings.TrimSpace(name) == "" {
		return nil, fmt.Errorf("the name of a measure is empty; write one such as nDCG@10")
	}

	spelt, refused := canonical(name)
	if refused != "" {
		return nil, fmt.Errorf("%q is not computed: %s", name, refused)
	}
	out := make([]*Measure, len(spelt))
	for i, s := range spelt {
		m, err := parseCanonical(s)
		if err != nil {
			return nil, fmt.Errorf("%q: %w", name, err)
		}
		out[i] = m
	}
	return out, nil
}

// parseCanonical reads KIND, KIND@k, KIND(p=0.8)@k or KIND@k(p=0.8).
func parseCanonical(name string) (*Measure, error) {
	f, ok := splitName(name)
	if !ok {
		return nil, fmt.Errorf("that is not a measure; write NAME, NAME@10 or NAME(p=0.8)@10")
	}
	at := slices.IndexFunc(definitions, func(d definition) bool { return d.kind == f.kind })
	if at < 0 {
		bare, known := strings.TrimRight(f.kind, "-_.,0123456789"), knownNames()
		if slices.Contains(known, bare) {
			return nil, fmt.Errorf("that is no way to write %s; lore's own form is NAME(rel=2)@10, such as nDCG(dcg='exp-log2')@10", bare)
		}
		return nil, &UnknownError{Name: bare, Known: known}
	}

	m := &Measure{Kind: f.kind, def: &definitions[at], Params: map[string]string{}, num: map[string]float64{}}
	for _, p := range m.def.params {
		m.Params[p.name] = p.value
	}
	seen := map[string]bool{}
	for _, given := range f.params {
		name, _, _ := strings.Cut(given, "=")
		if name = strings.TrimSpace(name); seen[name] {
			return nil, fmt.Errorf("%s is given twice", name)
		}
		seen[name] = true
		if err := m.take(given, &f.cut); err != nil {
			return nil, err
		}
	}
	if err := m.readParams(); err != nil {
		return nil, err
	}
	return m, m.setCutoff(f.cut)
}

// take stores one parameter as it was written. The cut may be written as a parameter, too.
func (m *Measure) take(given string, cut *string) error {
	name, value, ok := strings.Cut(given, "=")
	name, value = strings.TrimSpace(name), strings.Trim(strings.TrimSpace(value), `'"`)
	if (name == "cutoff" || name == "recall") && ok && *cut == "" && m.def.cutoff != noCutoff {
		*cut = value
		return nil
	}

	if _, known := m.Params[name]; !ok || !known {
		names := slices.Sorted(maps.Keys(m.Params))
		switch {
		case len(names) == 0:
			return fmt.Errorf("%s has no parameters", m.Kind)
		case !ok:
			return fmt.Errorf("%s: %q is not NAME=VALUE; the parameters are %s", m.Kind, given, strings.Join(names, ", "))
		}
		return &UnknownError{Of: m.Kind, Name: name, Known: names}
	}
	m.Params[name] = value
	return nil
}

// readParams checks all parameters.
func (m *Measure) readParams() error {
	for _, p := range m.def.params {
		value := m.Params[p.name]
		switch p.kind {
		case word:
			if !slices.Contains(p.options, value) {
				return fmt.Errorf("%s is one of %s, not %q", p.name, strings.Join(p.options, ", "), value)
			}
		case truth:
			value = strings.ToLower(value)
			if value != "true" && value != "false" {
				return fmt.Errorf("%s is true or false, not %q", p.name, m.Params[p.name])
			}
			m.Params[p.name] = value
		case gainMap:
			if err := m.readGains(p.name, value); err != nil {
				return err
			}
		default:
			if err := m.readNumber(p, value); err != nil {
				return err
			}
		}
	}
	if m.num["max_rel"] <= m.num["min_rel"] && m.Params["max_rel"] != "" {
		return fmt.Errorf("max_rel=%s must be above min_rel=%s", m.Params["max_rel"], m.Params["min_rel"])
	}
	return nil
}

func (m *Measure) readNumber(p param, value string) error {
	if value == "" {
		return fmt.Errorf("%s needs %s, %s: write %s", m.Kind, p.name, p.explain, m.def.example(p))
	}
	v, err := strconv.ParseFloat(value, 64)
	if err != nil || math.IsNaN(v) || math.IsInf(v, 0) {
		return fmt.Errorf("%s=%s is not a number", p.name, value)
	}
	if low, high, whole := p.bounds(); v < low || v > high || whole && v != math.Trunc(v) {
		return fmt.Errorf("%s=%s is not valid: it %s", p.name, value, p.allowed())
	}
	m.num[p.name] = v
	return nil
}

// readGains reads {1:3,2:9}, gains by grade.
func (m *Measure) readGains(name, value string) error {
	if value == "" {
		return nil
	}
	inner, ok := strings.CutPrefix(value, "{")
	inner, closed := strings.CutSuffix(inner, "}")
	if !ok || !closed {
		return fmt.Errorf("%s=%s: write gains by grade, such as %s={1:3,2:9}", name, value, name)
	}
	m.gains = map[int]float64{}
	for pair := range strings.SplitSeq(inner, ",") {
		grade, gain, _ := strings.Cut(pair, ":")
		g, err := strconv.Atoi(strings.TrimSpace(grade))
		v, err2 := strconv.ParseFloat(strings.TrimSpace(gain), 64)
		if err != nil || err2 != nil || g < 0 || math.IsNaN(v) || math.IsInf(v, 0) {
			return fmt.Errorf("%s: %q is not GRADE:GAIN, such as 2:9", name, strings.TrimSpace(pair))
		}
		if _, twice := m.gains[g]; twice {
			return fmt.Errorf("%s gives grade %d two gains", name, g)
		}
		m.gains[g] = v
	}

	fields := []string{} // in the order of grades, so that one measure has one name
	for _, g := range slices.Sorted(maps.Keys(m.gains)) {
		fields = append(fields, fmt.Sprintf("%d:%s", g, strconv.FormatFloat(m.gains[g], 'f', -1, 64)))
	}
	m.Params[name] = "{" + strings.Join(fields, ",") + "}"
	return nil
}

func (m *Measure) setCutoff(cut string) error {
	switch {
	case cut == "" && m.def.cutoff == mustCut:
		return fmt.Errorf("%s needs a cut, such as %s@10", m.Kind, m.Kind)
	case cut == "":
		return nil
	case m.def.cutoff == noCutoff:
		return fmt.Errorf("%s takes no cut", m.Kind)
	}

	v, err := strconv.ParseFloat(cut, 64)
	whole := m.Kind != "IPrec" && m.Kind != "RprecMult"
	switch {
	case err != nil, v < 0, v > 1e9,
		whole && (v != math.Trunc(v) || v < 1),
		m.Kind == "RprecMult" && v == 0,
		m.Kind == "IPrec" && v > 1: // a recall
		return fmt.Errorf("%q is not a valid cut", cut)
	}

	m.Cutoff = v
	return nil
}

// UnknownError is a name that nobody knows, of a measure or of a parameter.
type UnknownError struct {
	Of    string // the measure whose parameter it is; empty for a measure
	Name  string
	Known []string // names that would be known, for who wants to show the nearest
}

// Error names what is unknown.
func (e *UnknownError) Error() string {
	if e.Of != "" {
		return fmt.Sprintf("%s has no parameter %q", e.Of, e.Name)
	}
	return fmt.Sprintf("unknown measure %q", e.Name)
}

// nameFields are the parts of a name.
type nameFields struct {
	kind   string
	params []string // NAME=VALUE
	cut    string
}

// splitName takes a name apart; the parameters stand before or behind the cut.
func splitName(name string) (nameFields, bool) {
	name = strings.TrimSpace(name)
	end := strings.IndexAny(name, "(@")
	if end < 0 {
		return nameFields{kind: name}, name != ""
	}

	f := nameFields{kind: name[:end]}
	rest, params := name[end:], false
	for rest != "" {
		switch {
		case rest[0] == '(' && !params:
			inner, after, ok := cutParentheses(rest)
			if !ok {
				return f, false
			}
			f.params, rest, params = splitParams(inner), after, true
		case rest[0] == '@' && f.cut == "":
			next := strings.IndexByte(rest, '(')
			if next < 0 {
				next = len(rest)
			}
			f.cut, rest = rest[1:next], rest[next:]
			if f.cut == "" {
				return f, false
			}
		default:
			return f, false
		}
	}
	return f, f.kind != ""
}

// cutParentheses returns what is inside the parentheses that s begins with, and what follows.
func cutParentheses(s string) (inner, after string, ok bool) {
	end := strings.IndexByte(s, ')')
	if end < 0 {
		return "", "", false
	}
	return s[1:end], s[end+1:], !strings.Contains(s[1:end], "(")
}

// splitParams splits at commas outside braces.
func splitParams(s string) []string {
	var out []string
	depth, start := 0, 0
	for i := 0; i <= len(s); i++ {
		if i < len(s) {
			switch s[i] {
			case '{':
				depth++
			case '}':
				depth--
			}
			if s[i] != ',' || depth > 0 {
				continue
			}
		}
		if field := strings.TrimSpace(s[start:i]); field != "" {
			out = append(out, field)
		}
		start = i + 1
	}
	return out
}

// MeasureKinds lists all kinds.
func MeasureKinds() []string {
	out := make([]string, len(definitions))
	for i, d := range definitions {
		out[i] = d.kind
	}
	return out
}

// ExplainMeasures describes every kind, one line each, for help texts.
func ExplainMeasures() string {
	var b strings.Builder
	for _, d := range definitions {
		name := d.kind
		var fields []string
		for _, p := range d.params {
			if !p.quiet {
				fields = append(fields, p.name+"="+p.value)
			}
		}
		if len(fields) > 0 {
			name += "(" + strings.Join(fields, ",") + ")"
		}

		switch d.cutoff {
		case mayCut:
			name += "[@k]"
		case mustCut:
			name += "@k"
		}
		fmt.Fprintf(&b, "  %-28s %s\n", name, d.explain)
	}
	return b.String()
}
