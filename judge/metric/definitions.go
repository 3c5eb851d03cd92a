package metric

import (
	"fmt"
	"math"
	"strconv"
)

// definition is a kind of measure: a record with its explanation.
type definition struct {
	kind    string
	explain string
	params  []param
	cutoff  need
	counts  bool // a count: summed over topics, not averaged
	divers  bool // needs judgements by subtopic
	geo     bool // averaged as a geometric mean
	open    bool // values may lie outside [0,1]
	calc    func(t *Topic, m *Measure) float64
}

// example is the kind with a parameter as it might be written.
func (d definition) example(p param) string {
	s := fmt.Sprintf("%s(%s=3)", d.kind, p.name)
	if d.cutoff == mustCut {
		s += "@10"
	}
	return s
}

// param is a parameter of a kind.
type param struct {
	name, value string // value: the default; empty for a number that must be given
	kind        paramKind
	options     []string // of a word
	quiet       bool     // not printed while it has its default
	explain     string
}

type paramKind int

const (
	numeric paramKind = iota
	word
	truth
	gainMap
)

// bounds are the smallest and largest value of a number, and whether it is a whole one.
func (p param) bounds() (low, high float64, whole bool) {
	const below1 = 1 - 1e-12
	switch p.name {
	case "rel", "max":
		return 1, 999, true
	case "min_rel", "max_rel":
		return 0, 999, true
	case "beta", "T":
		return 1e-9, 1e6, false
	case "a", "b", "c":
		return -1e9, 1e9, false
	}
	return 1e-12, below1, false // p and alpha
}

// allowed words the bounds.
func (p param) allowed() string {
	low, high, whole := p.bounds()
	switch {
	case whole:
		return fmt.Sprintf("is a whole number from %g to %g", low, high)
	case high < 1:
		return "lies between 0 and 1"
	case low > 0:
		return "is above 0"
	}
	return "is a number"
}

type need int

const (
	noCutoff need = iota
	mayCut
	mustCut
)

var (
	rel        = param{name: "rel", value: "1"}
	quietRel   = param{name: "rel", value: "1", quiet: true}
	alpha      = param{name: "alpha", value: "0.5"}
	dcgForm    = param{name: "dcg", value: "log2", kind: word, options: []string{"log2", "exp-log2"}}
	onlyJudged = param{name: "judged_only", value: "false", kind: truth, quiet: true}
	regraded   = param{name: "gains", kind: gainMap, quiet: true}
	lowest     = param{name: "min_rel", value: "0"}
	highest    = param{name: "max_rel", explain: "the largest grade of the scale"}
	desired    = param{name: "T", value: "1"}
)

func persistence(p float64) param {
	return param{name: "p", value: strconv.FormatFloat(p, 'f', -1, 64)}
}

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
	{kind: "NumNonRelJudgedRet", explain: "documents retrieved that are judged and not relevant", params: []param{rel}, counts: true,
		calc: func(t *Topic, m *Measure) float64 { return float64(t.otherRetrieved(m.rel())) }},

	// Of a ranking.
	{kind: "P", explain: "precision in the top k", params: []param{rel, onlyJudged}, cutoff: mustCut,
		calc: func(t *Topic, m *Measure) float64 { return Precision(t, m.rel(), m.k()) }},
	{kind: "R", explain: "recall in the top k", params: []param{rel, onlyJudged}, cutoff: mustCut,
		calc: func(t *Topic, m *Measure) float64 { return Recall(t, m.rel(), m.k()) }},
	{kind: "F1", explain: "harmonic mean of P and R in the top k (ranx)", params: []param{rel}, cutoff: mustCut,
		calc: func(t *Topic, m *Measure) float64 { return F1At(t, m.rel(), m.k()) }},
	{kind: "Hits", open: true,
		explain: "relevant documents in the top k, a mean over topics (ranx)",
		params:  []param{rel}, cutoff: mayCut,
		calc: func(t *Topic, m *Measure) float64 { return float64(t.relevantRetrieved(m.rel(), depth(t, m.k()))) }},
	{kind: "AP", explain: "average precision; its mean is MAP", params: []param{rel, onlyJudged}, cutoff: mayCut,
		calc: func(t *Topic, m *Measure) float64 { return AveragePrecision(t, m.rel(), m.k()) }},
	{kind: "GMAP",
		explain: "geometric mean over topics of average precision, at least 0.00001 each (trec_eval gm_map)",
		params:  []param{rel}, geo: true,
		calc: func(t *Topic, m *Measure) float64 { return AveragePrecision(t, m.rel(), 0) }},
	{kind: "infAP", explain: "average precision inferred from a pool judged in part; a judgement of -1 is pooled and not judged",
		params: []param{rel},
		calc:   func(t *Topic, m *Measure) float64 { return InferredAP(t, m.rel()) }},
	{kind: "YAAP", open: true,
		explain: "log of the odds of average precision, a number of any sign (trec_eval yaap)",
		params:  []param{rel},
		calc:    func(t *Topic, m *Measure) float64 { return YAAP(t, m.rel()) }},
	{kind: "nDCG",
		explain: "normalised discounted cumulative gain; dcg=log2 has the grade as gain, exp-log2 has 2^grade-1",
		params:  []param{dcgForm, quietRel, regraded, onlyJudged}, cutoff: mayCut,
		calc: func(t *Topic, m *Measure) float64 { return NDCG(t, m.k(), m.dcgGain()) }},
	{kind: "DCG", open: true,
		explain: "discounted cumulative gain, not normalised",
		params:  []param{dcgForm, quietRel, regraded}, cutoff: mayCut,
		calc: func(t *Topic, m *Measure) float64 { return DCG(t, m.k(), m.dcgGain()) }},
	{kind: "IDCG", open: true,
		explain: "the largest DCG that the judgements allow",
		params:  []param{dcgForm, quietRel, regraded}, cutoff: mayCut,
		calc: func(t *Topic, m *Measure) float64 { return IdealDCG(t, m.k(), m.dcgGain()) }},
	{kind: "nDCGrel", explain: "nDCG averaged over the ranks of relevant documents (trec_eval ndcg_rel)", params: []param{regraded},
		calc: func(t *Topic, m *Measure) float64 { return NDCGAtRelevant(t, m.gain) }},
	{kind: "RnDCG", explain: "nDCG averaged over the ranks where the ideal grade changes (trec_eval Rndcg)", params: []param{regraded},
		calc: func(t *Topic, m *Measure) float64 { return NDCGAtLevels(t, m.gain) }},
	{kind: "G", explain: "gain discounted by what was missed before it (trec_eval G)", params: []param{regraded},
		calc: func(t *Topic, m *Measure) float64 { return NormalisedGain(t, m.gain) }},
	{kind: "binG", explain: "the same with gains of 0 and 1", params: []param{rel},
		calc: func(t *Topic, m *Measure) float64 { return BinaryGain(t, m.rel()) }},
	{kind: "RR", explain: "reciprocal rank of the first relevant document; its mean is MRR",
		params: []param{rel, onlyJudged}, cutoff: mayCut,
		calc: func(t *Topic, m *Measure) float64 { return ReciprocalRank(t, m.rel(), m.k()) }},
	{kind: "Rprec", explain: "precision at the number of relevant documents", params: []param{rel, onlyJudged},
		calc: func(t *Topic, m *Measure) float64 { return RPrecision(t, m.rel(), 1) }},
	{kind: "RprecMult", explain: "precision at a multiple of the number of relevant documents (trec_eval Rprec_mult)",
		params: []param{rel}, cutoff: mustCut,
		calc: func(t *Topic, m *Measure) float64 { return RPrecision(t, m.rel(), m.Cutoff) }},
	{kind: "Bpref", explain: "binary preference over judged documents", params: []param{rel},
		calc: func(t *Topic, m *Measure) float64 { return BPref(t, m.rel()) }},
	{kind: "GMBpref", explain: "geometric mean over topics of Bpref, at least 0.00001 each (trec_eval gm_bpref)",
		params: []param{rel}, geo: true,
		calc: func(t *Topic, m *Measure) float64 { return BPref(t, m.rel()) }},
	{kind: "IPrec", explain: "interpolated precision at a recall", params: []param{rel, onlyJudged}, cutoff: mustCut,
		calc: func(t *Topic, m *Measure) float64 { return InterpolatedPrecision(t, m.rel(), m.Cutoff) }},
	{kind: "IPrec11", explain: "mean of IPrec at recalls 0, 0.1 to 1 (trec_eval 11pt_avg)", params: []param{rel},
		calc: func(t *Topic, m *Measure) float64 { return ElevenPointPrecision(t, m.rel()) }},
	{kind: "Success", explain: "1 if a relevant document is in the top k",
		params: []param{rel, onlyJudged}, cutoff: mayCut,
		calc: func(t *Topic, m *Measure) float64 { return Success(t, m.rel(), m.k()) }},
	{kind: "Accuracy", explain: "chance that a relevant document stands before another; topics without both have no value",
		params: []param{rel}, cutoff: mayCut,
		calc: func(t *Topic, m *Measure) float64 { return PairAccuracy(t, m.rel(), m.k()) }},
	{kind: "RBP", explain: "rank-biased precision with persistence p", params: []param{rel, persistence(0.8)}, cutoff: mayCut,
		calc: func(t *Topic, m *Measure) float64 { return RBP(t, m.rel(), m.k(), m.num["p"]) }},
	{kind: "gradedRBP", explain: "the same with the grade over the topic's largest as gain (trec_eval rbp)",
		params: []param{persistence(0.9)},
		calc:   func(t *Topic, m *Measure) float64 { return GradedRBP(t, m.num["p"]) }},
	{kind: "RBPresid", explain: "what unjudged documents might add to RBP (trec_eval rbp_resid)",
		params: []param{persistence(0.9)},
		calc:   func(t *Topic, m *Measure) float64 { return RBPResidual(t, m.num["p"]) }},
	{kind: "ERR", explain: "expected reciprocal rank; max is the largest grade of the scale",
		params: []param{{name: "max", value: "4"}}, cutoff: mayCut,
		calc: func(t *Topic, m *Measure) float64 { return ERR(t, m.k(), m.int("max")) }},
	{kind: "Judged", explain: "share of the top k that is judged", cutoff: mustCut,
		calc: func(t *Topic, m *Measure) float64 { return JudgedAt(t, m.k()) }},
	{kind: "Unj", explain: "unjudged documents in the top k over k (trec_eval unj)", cutoff: mustCut,
		calc: func(t *Topic, m *Measure) float64 { return UnjudgedAt(t, m.k()) }},
	{kind: "Compat", explain: "overlap with the ideal order, weighted by rank; normalize divides by what is possible",
		params: []param{persistence(0.95), {name: "normalize", value: "true", kind: truth}},
		calc: func(t *Topic, m *Measure) float64 {
			return Compatibility(t, m.num["p"], m.Params["normalize"] == "true")
		}},

	// Of a user who stops (the C/W/L framework), over grades from min_rel to max_rel as gains from 0 to 1.
	{kind: "SDCG", explain: "DCG scaled to [0,1] as if every document could be fully relevant",
		params: []param{{name: "dcg", value: "log2", kind: word, options: []string{"log2"}, quiet: true}, lowest, highest}, cutoff: mustCut,
		calc: func(t *Topic, m *Measure) float64 { return expectedGain(t, m, scaledDCG(m.k())) }},
	{kind: "BPM",
		explain: "a user who wants a gain of T and looks at k documents at most",
		params:  []param{desired, lowest, highest}, cutoff: mustCut,
		calc: func(t *Topic, m *Measure) float64 { return expectedGain(t, m, bejeweled(m.num["T"], m.k())) }},
	{kind: "INST",
		explain: "a user who wants a gain of T and goes on the longer the less was found",
		params:  []param{desired, lowest, highest},
		calc:    func(t *Topic, m *Measure) float64 { return expectedGain(t, m, adaptive(m.num["T"])) }},
	{kind: "INSQ", explain: "the same whatever was found", params: []param{desired, lowest, highest},
		calc: func(t *Topic, m *Measure) float64 { return expectedGain(t, m, squared(m.num["T"])) }},
	{kind: "NERR8", explain: "nearly ERR: stops by gain, at k at the latest", params: []param{lowest, highest}, cutoff: mustCut,
		calc: func(t *Topic, m *Measure) float64 { return expectedGain(t, m, nearlyERR8(m.k())) }},
	{kind: "NERR9", explain: "the same with a discount by rank", params: []param{lowest, highest}, cutoff: mustCut,
		calc: func(t *Topic, m *Measure) float64 { return expectedGain(t, m, nearlyERR9(m.k())) }},
	{kind: "NERR10", explain: "the same with the patience of RBP", params: []param{persistence(0.9), lowest, highest},
		calc: func(t *Topic, m *Measure) float64 { return expectedGain(t, m, nearlyERR10(m.num["p"])) }},
	{kind: "NERR11", explain: "the same with the patience of INSQ", params: []param{desired, lowest, highest},
		calc: func(t *Topic, m *Measure) float64 { return expectedGain(t, m, nearlyERR11(m.num["T"])) }},

	// Of the documents retrieved as a set, and relative to what was possible.
	{kind: "SetP", explain: "precision of all retrieved documents; relative: over the best possible", params: []param{rel,
		{name: "relative", value: "false", kind: truth, quiet: true}, onlyJudged},
		calc: func(t *Topic, m *Measure) float64 {
			if m.Params["relative"] == "true" {
				return RelativePrecision(t, m.rel(), 0)
			}
			return Precision(t, m.rel(), 0)
		}},
	{kind: "SetR", explain: "recall of all retrieved documents", params: []param{rel},
		calc: func(t *Topic, m *Measure) float64 { return Recall(t, m.rel(), 0) }},
	{kind: "SetF", explain: "F measure of all retrieved documents, (1+beta)PR/(beta P+R): the F2 of textbooks has beta=4",
		params: []param{rel, {name: "beta", value: "1"}, onlyJudged},
		calc:   func(t *Topic, m *Measure) float64 { return SetF(t, m.rel(), m.num["beta"]) }},
	{kind: "SetAP", explain: "precision times recall of all retrieved documents", params: []param{rel, onlyJudged},
		calc: func(t *Topic, m *Measure) float64 { return SetAP(t, m.rel()) }},
	{kind: "SetRelP", explain: "relative precision of all retrieved documents", params: []param{rel},
		calc: func(t *Topic, m *Measure) float64 { return RelativePrecision(t, m.rel(), 0) }},
	{kind: "RelP", explain: "precision in the top k over the best possible",
		params: []param{rel}, cutoff: mustCut,
		calc: func(t *Topic, m *Measure) float64 { return RelativePrecision(t, m.rel(), m.k()) }},
	{kind: "Utility", open: true, explain: "a for each relevant document retrieved, b for each other, c for each relevant one missed",
		params: []param{rel, {name: "a", value: "1", quiet: true}, {name: "b", value: "-1", quiet: true},
			{name: "c", value: "0", quiet: true}},
		calc: func(t *Topic, m *Measure) float64 { return Utility(t, m.rel(), m.num["a"], m.num["b"], m.num["c"]) }},

	// Of novelty and diversity.
	{kind: "alpha_nDCG", explain: "novelty-aware nDCG over the greedy ideal order",
		params: []param{alpha, onlyJudged}, cutoff: mayCut, divers: true,
		calc: func(t *Topic, m *Measure) float64 { return AlphaNDCG(t, m.k(), m.alpha()) }},
	{kind: "alpha_DCG", explain: "novelty-aware DCG over that of documents relevant to everything",
		params: []param{alpha, onlyJudged}, cutoff: mayCut, divers: true,
		calc: func(t *Topic, m *Measure) float64 { return AlphaDCG(t, m.k(), m.alpha()) }},
	{kind: "ERR_IA", explain: "intent-aware expected reciprocal rank",
		params: []param{alpha, onlyJudged}, cutoff: mayCut, divers: true,
		calc: func(t *Topic, m *Measure) float64 { return ERRIA(t, m.k(), m.alpha()) }},
	{kind: "nERR_IA", explain: "the same over the greedy ideal order",
		params: []param{alpha, onlyJudged}, cutoff: mayCut, divers: true,
		calc: func(t *Topic, m *Measure) float64 { return NERRIA(t, m.k(), m.alpha()) }},
	{kind: "NRBP", explain: "novelty- and rank-biased precision",
		params: []param{alpha, {name: "beta", value: "0.5"}}, divers: true,
		calc: func(t *Topic, m *Measure) float64 { return NRBP(t, m.alpha(), m.num["beta"]) }},
	{kind: "nNRBP", explain: "the same over the greedy ideal order",
		params: []param{alpha, {name: "beta", value: "0.5"}}, divers: true,
		calc: func(t *Topic, m *Measure) float64 { return NNRBP(t, m.alpha(), m.num["beta"]) }},
	{kind: "StRecall", explain: "share of subtopics found in the top k", cutoff: mayCut, divers: true,
		calc: func(t *Topic, m *Measure) float64 { return SubtopicRecall(t, m.k()) }},
	{kind: "P_IA", explain: "precision in the top k, averaged over subtopics", params: []param{onlyJudged}, cutoff: mustCut, divers: true,
		calc: func(t *Topic, m *Measure) float64 { return PrecisionIA(t, m.k()) }},
	{kind: "AP_IA", explain: "average precision, averaged over subtopics", params: []param{onlyJudged}, divers: true,
		calc: func(t *Topic, _ *Measure) float64 { return AveragePrecisionIA(t) }},
}

// dcgGain is the gain of a grade in DCG: nothing below rel, else what gains say, or the form of dcg.
func (m *Measure) dcgGain() Gain {
	return func(grade int) float64 {
		switch {
		case grade < m.rel() && m.rel() > 1:
			return 0
		case m.Params["dcg"] == "exp-log2":
			return math.Exp2(m.gain(grade)) - 1
		}
		return m.gain(grade)
	}
}
