package metric

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Measure is a retrieval measure with its parameters filled in. Its name shows
// all of them, also those left at their default, because tools differ in theirs.
type Measure struct {
	Kind   string             // as ir_measures calls it, such as "nDCG"
	Cutoff float64            // k, or the recall of IPrec; 0 means no cut
	Params map[string]string  // every parameter the kind has
	num    map[string]float64 // those that are numbers
	def    *definition
}

// definition is a kind of measure: a record with its explanation.
type definition struct {
	kind    string
	explain string
	params  []param
	cutoff  need
	counts  bool // a count: summed over topics, not averaged
	divers  bool // needs judgements by subtopic
	geo     bool // averaged as a geometric mean
	calc    func(t *Topic, m *Measure) float64
}

type param struct {
	name, value string
	options     []string // allowed words; nil for a number
}

type need int

const (
	noCutoff need = iota
	mayCut
	mustCut
)

var (
	rel   = param{"rel", "1", nil}
	alpha = param{"alpha", "0.5", nil}
	gain  = param{"dcg", "log2", []string{"log2", "exp-log2"}}
)

// definitions are all kinds, in the order of the help text.
var definitions = []definition{
	// Counts.
	{kind: "NumQ", explain: "number of topics", counts: true,
		calc: func(*Topic, *Measure) float64 { return 1 }},
	{kind: "NumRet", explain: "documents retrieved", counts: true,
		calc: func(t *Topic, _ *Measure) float64 { return float64(len(t.Relevance)) }},
	{kind: "NumRel", explain: "relevant documents", params: []param{rel}, counts: true,
		calc: func(t *Topic, m *Measure) float64 { return float64(t.relevantJudged(m.rel())) }},
	{kind: "NumRelRet", explain: "relevant documents retrieved", params: []param{rel}, counts: true,
		calc: func(t *Topic, m *Measure) float64 { return float64(t.relevantRetrieved(m.rel(), len(t.Relevance))) }},

	// Of a ranking.
	{kind: "P", explain: "precision in the top k", params: []param{rel}, cutoff: mustCut,
		calc: func(t *Topic, m *Measure) float64 { return Precision(t, m.rel(), m.k()) }},
	{kind: "R", explain: "recall in the top k", params: []param{rel}, cutoff: mustCut,
		calc: func(t *Topic, m *Measure) float64 { return Recall(t, m.rel(), m.k()) }},
	{kind: "AP", explain: "average precision; its mean is MAP", params: []param{rel}, cutoff: mayCut,
		calc: func(t *Topic, m *Measure) float64 { return AveragePrecision(t, m.rel(), m.k()) }},
	{kind: "GMAP",
		explain: "geometric mean over topics of average precision, at least 0.00001 each (trec_eval gm_map)",
		params:  []param{rel}, geo: true,
		calc: func(t *Topic, m *Measure) float64 { return AveragePrecision(t, m.rel(), 0) }},
	{kind: "nDCG",
		explain: "normalised discounted cumulative gain; dcg=log2 has the grade as gain, exp-log2 has 2^grade-1",
		params:  []param{gain}, cutoff: mayCut,
		calc: func(t *Topic, m *Measure) float64 {
			if m.Params["dcg"] == "exp-log2" {
				return NDCG(t, m.k(), ExpGain)
			}
			return NDCG(t, m.k(), LinearGain)
		}},
	{kind: "RR", explain: "reciprocal rank of the first relevant document; its mean is MRR",
		params: []param{rel}, cutoff: mayCut,
		calc: func(t *Topic, m *Measure) float64 { return ReciprocalRank(t, m.rel(), m.k()) }},
	{kind: "Rprec", explain: "precision at the number of relevant documents", params: []param{rel},
		calc: func(t *Topic, m *Measure) float64 { return RPrecision(t, m.rel(), 1) }},
	{kind: "RprecMult", explain: "precision at a multiple of the number of relevant documents (trec_eval Rprec_mult)",
		params: []param{rel}, cutoff: mustCut,
		calc: func(t *Topic, m *Measure) float64 { return RPrecision(t, m.rel(), m.Cutoff) }},
	{kind: "Bpref", explain: "binary preference over judged documents", params: []param{rel},
		calc: func(t *Topic, m *Measure) float64 { return BPref(t, m.rel()) }},
	{kind: "IPrec", explain: "interpolated precision at a recall", params: []param{rel}, cutoff: mustCut,
		calc: func(t *Topic, m *Measure) float64 { return InterpolatedPrecision(t, m.rel(), m.Cutoff) }},
	{kind: "Success", explain: "1 if a relevant document is in the top k",
		params: []param{rel}, cutoff: mustCut,
		calc: func(t *Topic, m *Measure) float64 { return Success(t, m.rel(), m.k()) }},
	{kind: "RBP", explain: "rank-biased precision with persistence p", params: []param{rel, {"p", "0.8", nil}},
		calc: func(t *Topic, m *Measure) float64 { return RBP(t, m.rel(), m.num["p"]) }},
	{kind: "ERR", explain: "expected reciprocal rank; max is the largest grade of the scale",
		params: []param{{"max", "4", nil}}, cutoff: mayCut,
		calc: func(t *Topic, m *Measure) float64 { return ERR(t, m.k(), m.int("max")) }},
	{kind: "Judged", explain: "share of the top k that is judged", cutoff: mustCut,
		calc: func(t *Topic, m *Measure) float64 { return JudgedAt(t, m.k()) }},

	// Of the documents retrieved as a set, and relative to what was possible.
	{kind: "SetP", explain: "precision of all retrieved documents", params: []param{rel},
		calc: func(t *Topic, m *Measure) float64 { return Precision(t, m.rel(), 0) }},
	{kind: "SetR", explain: "recall of all retrieved documents", params: []param{rel},
		calc: func(t *Topic, m *Measure) float64 { return Recall(t, m.rel(), 0) }},
	{kind: "SetF", explain: "F measure of all retrieved documents", params: []param{rel, {"beta", "1.0", nil}},
		calc: func(t *Topic, m *Measure) float64 { return SetF(t, m.rel(), m.num["beta"]) }},
	{kind: "SetAP", explain: "precision times recall of all retrieved documents", params: []param{rel},
		calc: func(t *Topic, m *Measure) float64 { return SetAP(t, m.rel()) }},
	{kind: "SetRelP", explain: "relative precision of all retrieved documents", params: []param{rel},
		calc: func(t *Topic, m *Measure) float64 { return RelativePrecision(t, m.rel(), 0) }},
	{kind: "RelP", explain: "precision in the top k over the best possible",
		params: []param{rel}, cutoff: mustCut,
		calc: func(t *Topic, m *Measure) float64 { return RelativePrecision(t, m.rel(), m.k()) }},
	{kind: "Utility", explain: "relevant minus other retrieved documents", params: []param{rel},
		calc: func(t *Topic, m *Measure) float64 { return Utility(t, m.rel()) }},

	// Of novelty and diversity.
	{kind: "alpha_nDCG", explain: "novelty-aware nDCG over the greedy ideal order",
		params: []param{alpha}, cutoff: mayCut, divers: true,
		calc: func(t *Topic, m *Measure) float64 { return AlphaNDCG(t, m.k(), m.alpha()) }},
	{kind: "alpha_DCG", explain: "novelty-aware DCG over that of documents relevant to everything",
		params: []param{alpha}, cutoff: mayCut, divers: true,
		calc: func(t *Topic, m *Measure) float64 { return AlphaDCG(t, m.k(), m.alpha()) }},
	{kind: "ERR_IA", explain: "intent-aware expected reciprocal rank",
		params: []param{alpha}, cutoff: mayCut, divers: true,
		calc: func(t *Topic, m *Measure) float64 { return ERRIA(t, m.k(), m.alpha()) }},
	{kind: "nERR_IA", explain: "the same over the greedy ideal order",
		params: []param{alpha}, cutoff: mayCut, divers: true,
		calc: func(t *Topic, m *Measure) float64 { return NERRIA(t, m.k(), m.alpha()) }},
	{kind: "NRBP", explain: "novelty- and rank-biased precision",
		params: []param{alpha, {"beta", "0.5", nil}}, divers: true,
		calc: func(t *Topic, m *Measure) float64 { return NRBP(t, m.alpha(), m.num["beta"]) }},
	{kind: "nNRBP", explain: "the same over the greedy ideal order",
		params: []param{alpha, {"beta", "0.5", nil}}, divers: true,
		calc: func(t *Topic, m *Measure) float64 { return NNRBP(t, m.alpha(), m.num["beta"]) }},
	{kind: "StRecall", explain: "share of subtopics found in the top k", cutoff: mayCut, divers: true,
		calc: func(t *Topic, m *Measure) float64 { return SubtopicRecall(t, m.k()) }},
	{kind: "P_IA", explain: "precision in the top k, averaged over subtopics", cutoff: mustCut, divers: true,
		calc: func(t *Topic, m *Measure) float64 { return PrecisionIA(t, m.k()) }},
	{kind: "AP_IA", explain: "average precision, averaged over subtopics", divers: true,
		calc: func(t *Topic, _ *Measure) float64 { return AveragePrecisionIA(t) }},
}

// aliases are other tools' names.
var aliases = map[string]string{
	"map": "AP", "MAP": "AP", "map_cut": "AP", "gm_map": "GMAP",
	"ndcg": "nDCG", "NDCG": "nDCG", "ndcg_cut": "nDCG",
	"recall": "R", "Recall": "R", "Precision": "P", "Rprec_mult": "RprecMult",
	"recip_rank": "RR", "MRR": "RR", "rbp": "RBP",
	"bpref": "Bpref", "iprec_at_recall": "IPrec", "success": "Success",

	"set_P": "SetP", "set_recall": "SetR", "set_F": "SetF", "set_map": "SetAP",
	"set_relative_P": "SetRelP", "relative_P": "RelP", "utility": "Utility",

	"num_q": "NumQ", "num_ret": "NumRet", "num_rel": "NumRel", "num_rel_ret": "NumRelRet",

	"alpha-nDCG": "alpha_nDCG", "alpha-DCG": "alpha_DCG",
	"ERR-IA": "ERR_IA", "nERR-IA": "nERR_IA", "strec": "StRecall",
	"P-IA": "P_IA", "MAP-IA": "AP_IA", "MAP_IA": "AP_IA",
}

var measureForm = regexp.MustCompile(`^([A-Za-z_-]+?)(?:\(([^()]*)\))?(?:[@.]([0-9.]+))?(?:\(([^()]*)\))?$`)

// ParseMeasure reads a measure as ir_measures writes it, "nDCG@10" or
// "alpha_nDCG(alpha=0.5)@20"; the parameters may also stand last, and trec_eval's
// names such as "ndcg_cut.10" are known.
func ParseMeasure(text string) (*Measure, error) {
	parts := measureForm.FindStringSubmatch(text)
	if parts == nil || (parts[2] != "" && parts[4] != "") {
		return nil, fmt.Errorf("%q is not a measure; write NAME, NAME@10 or NAME(p=0.8)@10", text)
	}

	name := parts[1]
	if a, ok := aliases[name]; ok {
		name = a
	}
	at := slices.IndexFunc(definitions, func(d definition) bool { return d.kind == name })
	if at < 0 {
		return nil, fmt.Errorf("unknown measure %q; there are: %s",
			parts[1], strings.Join(MeasureKinds(), ", "))
	}

	m := &Measure{Kind: name, def: &definitions[at], Params: map[string]string{}, num: map[string]float64{}}
	if err := m.setCutoff(text, parts[3]); err != nil {
		return nil, err
	}
	return m, m.setParams(text, parts[2]+parts[4])
}

func (m *Measure) setCutoff(text, cut string) error {
	switch {
	case cut == "" && m.def.cutoff == mustCut:
		return fmt.Errorf("%q needs a cut, such as %s@10", text, m.Kind)
	case cut == "":
		return nil
	case m.def.cutoff == noCutoff:
		return fmt.Errorf("%q: %s takes no cut", text, m.Kind)
	}

	v, err := strconv.ParseFloat(cut, 64)
	whole := m.Kind != "IPrec" && m.Kind != "RprecMult"
	switch {
	case err != nil, v < 0, v > 1e9,
		whole && (v != math.Trunc(v) || v < 1),
		m.Kind == "IPrec" && v > 1: // a recall
		return fmt.Errorf("%q: %q is not a valid cut", text, cut)
	}

	m.Cutoff = v
	return nil
}

func (m *Measure) setParams(text, given string) error {
	for _, p := range m.def.params {
		m.Params[p.name] = p.value
	}

	for field := range strings.SplitSeq(given, ",") {
		if field = strings.TrimSpace(field); field == "" {
			continue
		}
		name, value, ok := strings.Cut(field, "=")
		name, value = strings.TrimSpace(name), strings.Trim(strings.TrimSpace(value), `'"`)
		if _, known := m.Params[name]; !ok || !known {
			return fmt.Errorf("%q: %s has no parameter %q", text, m.Kind, name)
		}
		m.Params[name] = value
	}

	for _, p := range m.def.params {
		value := m.Params[p.name]
		if p.options != nil {
			if !slices.Contains(p.options, value) {
				return fmt.Errorf("%q: %s is one of %v", text, p.name, p.options)
			}
			continue
		}

		v, err := strconv.ParseFloat(value, 64)
		if err != nil || math.IsNaN(v) || !inRange(p.name, v) {
			return fmt.Errorf("%q: %s=%s is not valid", text, p.name, value)
		}
		m.num[p.name] = v
	}
	return nil
}

func inRange(name string, v float64) bool {
	switch name {
	case "rel", "max":
		return v == math.Trunc(v) && v >= 1 && v < 1000
	case "beta":
		return v > 0 && v < 1e6
	}
	return v > 0 && v < 1 // p and alpha
}

func (m *Measure) int(name string) int { return int(m.num[name]) }
func (m *Measure) rel() int            { return m.int("rel") }
func (m *Measure) alpha() float64      { return m.num["alpha"] }
func (m *Measure) k() int              { return int(m.Cutoff) }

// String is the full name: kind, every parameter, cut.
func (m *Measure) String() string {
	var b strings.Builder
	b.WriteString(m.Kind)
	if len(m.def.params) > 0 {
		fields := make([]string, len(m.def.params))
		for i, p := range m.def.params {
			value := m.Params[p.name]
			if p.options != nil {
				value = "'" + value + "'"
			}
			fields[i] = p.name + "=" + value
		}
		b.WriteString("(" + strings.Join(fields, ",") + ")")
	}

	if m.Cutoff > 0 || m.Kind == "IPrec" {
		b.WriteString("@" + strconv.FormatFloat(m.Cutoff, 'f', -1, 64))
	}
	return b.String()
}

// Diversity reports whether the measure needs judgements by subtopic.
func (m *Measure) Diversity() bool { return m.def.divers }

// Count reports whether topic values are summed.
func (m *Measure) Count() bool { return m.def.counts }

// Averaged reports whether the value over all topics is their plain mean.
func (m *Measure) Averaged() bool { return !m.def.counts && !m.def.geo }

// Calc is the value of one topic.
func (m *Measure) Calc(t *Topic) float64 { return m.def.calc(t, m) }

// Aggregate combines topic values: the mean, the sum of a count, or the geometric
// mean. It is NaN of nothing, but the sum of no counts is 0.
func (m *Measure) Aggregate(values []float64) float64 {
	switch {
	case m.def.counts:
		sum := 0.0
		for _, v := range values {
			sum += v
		}
		return sum
	case m.def.geo:
		logs := make([]float64, len(values))
		for i, v := range values {
			logs[i] = math.Log(max(v, 0.00001))
		}
		return math.Exp(Mean(logs))
	}
	return Mean(values)
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
		if len(d.params) > 0 {
			fields := make([]string, len(d.params))
			for i, p := range d.params {
				fields[i] = p.name + "=" + p.value
			}
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
