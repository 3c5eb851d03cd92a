package metric

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// aliases are other names of kinds, with the parameters they stand for; ir_measures has most of them.
var aliases = map[string]string{
	"MAP": "AP", "NDCG": "nDCG", "Recall": "R", "Precision": "P", "MRR": "RR",
	"BPref": "Bpref", "RPrec": "Rprec", "INFAP": "infAP",
	"alpha-nDCG": "alpha_nDCG", "alpha-DCG": "alpha_DCG", "α_nDCG": "alpha_nDCG", "α_DCG": "alpha_DCG",
	"ERR-IA": "ERR_IA", "nERR-IA": "nERR_IA", "strec": "StRecall", "STREC": "StRecall",
	"P-IA": "P_IA", "MAP-IA": "AP_IA", "MAP_IA": "AP_IA",
}

// trecMeasure is a measure of trec_eval, and what its numbers mean.
type trecMeasure struct {
	name     string
	kind     string   // ours
	cut      bool     // numbers are cuts
	defaults []string // the cuts where none is given; nil: there is a value without one
	number   string   // the parameter that a single number is
	pairs    bool     // takes grade=gain
}

// Cuts that trec_eval has by default (usnistgov/trec_eval, m_P.c and others).
var (
	deepCuts    = strings.Fields("5 10 15 20 30 100 200 500 1000")
	recallCuts  = strings.Fields("0.00 0.10 0.20 0.30 0.40 0.50 0.60 0.70 0.80 0.90 1.00")
	multCuts    = strings.Fields("0.20 0.40 0.60 0.80 1.00 1.20 1.40 1.60 1.80 2.00")
	successCuts = strings.Fields("1 5 10")
	unjCuts     = strings.Fields("5 10 20")
)

// trecMeasures are in the order in which trec_eval prints them.
var trecMeasures = []trecMeasure{
	{name: "num_q", kind: "NumQ"}, {name: "num_ret", kind: "NumRet"}, {name: "num_rel", kind: "NumRel"},
	{name: "num_rel_ret", kind: "NumRelRet"}, {name: "map", kind: "AP"}, {name: "gm_map", kind: "GMAP"},
	{name: "Rprec", kind: "Rprec"}, {name: "bpref", kind: "Bpref"}, {name: "recip_rank", kind: "RR"},
	{name: "iprec_at_recall", kind: "IPrec", cut: true, defaults: recallCuts},
	{name: "P", kind: "P", cut: true, defaults: deepCuts}, {name: "recall", kind: "R", cut: true, defaults: deepCuts},
	{name: "infAP", kind: "infAP"}, {name: "gm_bpref", kind: "GMBpref"},
	{name: "Rprec_mult", kind: "RprecMult", cut: true, defaults: multCuts}, {name: "utility", kind: "Utility"},
	{name: "11pt_avg", kind: "IPrec11"}, {name: "binG", kind: "binG"}, {name: "G", kind: "G", pairs: true},
	{name: "dcg", kind: "DCG", pairs: true}, {name: "ideal_dcg", kind: "IDCG", pairs: true},
	{name: "ndcg", kind: "nDCG", pairs: true}, {name: "ndcg_rel", kind: "nDCGrel", pairs: true},
	{name: "Rndcg", kind: "RnDCG", pairs: true}, {name: "ndcg_cut", kind: "nDCG", cut: true, defaults: deepCuts},
	{name: "map_cut", kind: "AP", cut: true, defaults: deepCuts},
	{name: "relative_P", kind: "RelP", cut: true, defaults: deepCuts},
	{name: "success", kind: "Success", cut: true, defaults: successCuts},
	{name: "set_P", kind: "SetP"}, {name: "set_relative_P", kind: "SetRelP"}, {name: "set_recall", kind: "SetR"},
	{name: "set_map", kind: "SetAP"}, {name: "set_F", kind: "SetF", number: "beta"},
	{name: "num_nonrel_judged_ret", kind: "NumNonRelJudgedRet"},
	{name: "unj", kind: "Unj", cut: true, defaults: unjCuts}, {name: "yaap", kind: "YAAP"},
	{name: "rbp", kind: "gradedRBP"}, {name: "rbp_resid", kind: "RBPresid"},
}

// trecGroups are names that stand for several (usnistgov/trec_eval, measures.c), less what is no number; all_trec has
// what one or another version of it has.
var trecGroups = map[string]string{
	"official": "num_q num_ret num_rel num_rel_ret map gm_map Rprec bpref recip_rank iprec_at_recall P",
	"set":      "num_q num_ret num_rel num_rel_ret utility set_P set_recall set_relative_P set_map set_F",
	"all_trec": "num_q num_ret num_rel num_rel_ret map gm_map Rprec bpref recip_rank iprec_at_recall P recall infAP gm_bpref " +
		"utility 11pt_avg ideal_dcg dcg ndcg relative_P Rprec_mult success map_cut ndcg_cut ndcg_rel Rndcg binG G " +
		"set_P set_recall set_relative_P set_map set_F num_nonrel_judged_ret unj rbp rbp_resid",
}

// refused are names that other tools compute and lore does not, with the reason.
var refused = map[string]string{
	"runid":     "it is the tag of the run, a text",
	"relstring": "it is a text, the grades of the first documents; --per-topic shows every topic's values",
	"prefs":     preferences, "all_prefs": preferences, "qrels_jg": judgeGroups,
	"Runj":     "it looks at the share of unjudged documents above rank R; Judged@k and Unj@k are there",
	"AWRF":     fairness,
	"FairRank": fairness,
}

const (
	preferences = "it needs judgements of preference between documents; lore reads graded judgements"
	judgeGroups = "it needs judgements by several groups of judges; average the values of one qrels file after the other"
	fairness    = "it needs groups of documents, which run and qrels files do not hold"
)

// refusal is the reason why a name of another tool is not computed; empty if there is none.
func refusal(name string) string {
	base := name
	if at := strings.IndexAny(name, "@.("); at > 0 {
		base = name[:at]
	}
	switch why, known := refused[base]; {
	case known:
		return why
	case strings.HasPrefix(base, "prefs_"):
		return preferences
	case strings.HasSuffix(base, "_avgjg"):
		return judgeGroups
	}
	return ""
}

// canonical translates a name of any tool into ours, or says why it is not computed.
func canonical(name string) (ours []string, refused string) {
	if why := refusal(name); why != "" {
		return nil, why
	}
	if group, ok := trecGroups[name]; ok {
		for _, n := range strings.Fields(group) {
			names, _ := trecName(n)
			ours = append(ours, names...)
		}
		return ours, ""
	}
	if one, ok := ranxName(name); ok {
		return []string{one}, ""
	}
	if names, ok := trecName(name); ok {
		return names, ""
	}

	f, ok := splitName(name)
	if a, known := aliases[f.kind]; ok && known {
		return []string{a + name[len(f.kind):]}, ""
	}
	if ok && f.kind == "NumRet" && len(f.params) > 0 { // ir_measures: retrieved and of that grade at least
		return []string{"NumRelRet" + name[len(f.kind):]}, ""
	}
	if spelt, ok := trecAt(f, name); ok {
		return []string{spelt}, ""
	}
	if kind, ok := anyCase(f.kind); ok {
		return []string{kind + name[len(f.kind):]}, ""
	}
	return []string{name}, ""
}

// anyCase finds the one kind that a name differs from by nothing but the case of its letters.
func anyCase(name string) (string, bool) {
	var found []string
	for _, d := range definitions {
		if strings.EqualFold(d.kind, name) {
			found = append(found, d.kind)
		}
	}
	if len(found) != 1 || name == "" {
		return "", false
	}
	return found[0], true
}

// trecName reads a name of trec_eval: NAME, NAME_10, NAME.5,10 or NAME.1=3,2=9.
func trecName(name string) ([]string, bool) {
	for _, t := range byLength(trecMeasures) {
		rest, ok := strings.CutPrefix(name, t.name)
		switch {
		case !ok:
			continue
		case rest == "" && t.defaults == nil:
			return []string{t.kind}, true
		case rest == "":
			return t.at(t.defaults), true
		case rest[0] != '.' && rest[0] != '_':
			continue
		}
		if names, ok := t.with(rest[1:]); ok {
			return names, true
		}
	}
	return nil, false
}

// at is the measure at each cut.
func (t trecMeasure) at(cuts []string) []string {
	out := make([]string, len(cuts))
	for i, c := range cuts {
		out[i] = t.kind + "@" + c
	}
	return out
}

// trecNumber is a number as trec_eval takes it.
var trecNumber = regexp.MustCompile(`^-?([0-9]+\.?[0-9]*|\.[0-9]+)$`)

// with reads what stands behind the name and a point or an underscore.
func (t trecMeasure) with(list string) ([]string, bool) {
	fields := strings.Split(list, ",")
	if t.pairs && strings.Contains(list, "=") {
		for i, f := range fields {
			fields[i] = strings.Replace(f, "=", ":", 1)
		}
		return []string{fmt.Sprintf("%s(gains={%s})", t.kind, strings.Join(fields, ","))}, true
	}
	if p, ok := strings.CutPrefix(list, "p="); ok && t.name == "rbp" {
		return []string{fmt.Sprintf("%s(p=%s)", t.kind, p)}, true
	}
	if slices.ContainsFunc(fields, func(f string) bool { return !trecNumber.MatchString(f) }) {
		return nil, false
	}

	switch {
	case t.cut:
		return t.at(fields), true
	case t.number != "" && len(fields) == 1:
		return []string{fmt.Sprintf("%s(%s=%s)", t.kind, t.number, fields[0])}, true
	case t.name == "utility" && len(fields) == 4 && isZero(fields[3]):
		return []string{fmt.Sprintf("%s(a=%s,b=%s,c=%s)", t.kind, fields[0], fields[1], fields[2])}, true
	}
	return nil, false
}

func isZero(s string) bool {
	v, err := strconv.ParseFloat(s, 64)
	return err == nil && v == 0
}

// trecAt reads the name of trec_eval with a cut or parameters as ir_measures writes them: map_cut@10, set_F(beta=2).
func trecAt(f nameFields, name string) (string, bool) {
	for _, t := range trecMeasures {
		if t.name == f.kind && (f.cut != "" || len(f.params) > 0) {
			return t.kind + name[len(f.kind):], true
		}
	}
	return "", false
}

// byLength has longer names first: ndcg_cut_10 is not ndcg.
func byLength(all []trecMeasure) []trecMeasure {
	out := slices.Clone(all)
	slices.SortStableFunc(out, func(a, b trecMeasure) int { return len(b.name) - len(a.name) })
	return out
}

// ranxKinds are ranx's names: ours at k, and ours over all that was retrieved (AmenRa/ranx, docs/metrics.md).
var ranxKinds = map[string]struct{ at, all, params string }{
	"hits":        {at: "Hits", all: "Hits"},
	"hit_rate":    {at: "Success", all: "Success"},
	"precision":   {at: "P", all: "SetP"},
	"recall":      {at: "R"}, // recall alone is trec_eval's
	"f1":          {at: "F1", all: "SetF"},
	"r_precision": {all: "Rprec"},
	"mrr":         {at: "RR", all: "RR"},
	"map":         {at: "AP", all: "AP"},
	"dcg":         {at: "DCG", all: "DCG"},
	"dcg_burges":  {at: "DCG", all: "DCG", params: "dcg='exp-log2'"},
	"ndcg":        {at: "nDCG", all: "nDCG"},
	"ndcg_burges": {at: "nDCG", all: "nDCG", params: "dcg='exp-log2'"},
	"bpref":       {all: "Bpref"},
}

var (
	ranxForm = regexp.MustCompile(`^([a-z0-9_]+?)(?:@([0-9]+))?(?:-l([0-9]+))?$`)
	ranxRBP  = regexp.MustCompile(`^rbp[.@]([0-9]+)(?:-l([0-9]+))?$`)
)

// ranxName reads ranx's names: "ndcg@10", "rbp.95" with a persistence of 0.95, "map@100-l2" with grades of 2
// and above as relevant.
func ranxName(name string) (string, bool) {
	if m := ranxRBP.FindStringSubmatch(name); m != nil {
		return "RBP(p=0." + m[1] + orEmpty(",rel=", m[2]) + ")", true
	}
	m := ranxForm.FindStringSubmatch(name)
	if m == nil {
		return "", false
	}
	kind, known := ranxKinds[m[1]]
	if !known || m[2] == "" && kind.all == "" && m[3] == "" || m[2] != "" && kind.at == "" {
		return "", false
	}

	ours, cut := kind.at, orEmpty("@", m[2])
	switch {
	case m[2] == "" && kind.all == "":
		ours = "SetR"
	case m[2] == "":
		ours = kind.all
	}
	params := strings.Trim(kind.params+orEmpty(",rel=", m[3]), ",")
	if params != "" {
		params = "(" + params + ")"
	}
	return ours + params + cut, true
}

// orEmpty puts a sign before a value, where there is one.
func orEmpty(sign, value string) string {
	if value == "" {
		return ""
	}
	return sign + value
}

// knownNames are all names of all tools, also those that are refused with a reason.
func knownNames() []string {
	out := MeasureKinds()
	for a := range aliases {
		out = append(out, a)
	}
	for _, t := range trecMeasures {
		out = append(out, t.name)
	}
	for r := range ranxKinds {
		out = append(out, r)
	}
	for g := range trecGroups {
		out = append(out, g)
	}
	for r := range refused {
		out = append(out, r)
	}
	out = append(out, strings.Fields("prefs_simp prefs_pair prefs_avgjg map_avgjg P_avgjg")...)
	slices.Sort(out)
	return slices.Compact(out)
}
