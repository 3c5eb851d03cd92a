"""Names of measures as four tools document them, with lore's name: tool, name, lore's name or the word refused.

The names are put together from what the tools list: trec_eval's measures with their default cuts (also with a point, as on
its command line), the same for pytrec_eval, the measures and parameters of ir_measures, and ranx's table of aliases.

    python3 names.py > names.tsv
"""

rows = []


def row(tool, name, *ours):
    rows.append((tool, name, " ".join(ours)))


DEEP = "5 10 15 20 30 100 200 500 1000".split()
CUT = {"P": ("P(rel=1)", DEEP), "recall": ("R(rel=1)", DEEP), "map_cut": ("AP(rel=1)", DEEP),
       "ndcg_cut": ("nDCG(dcg='log2')", DEEP), "relative_P": ("RelP(rel=1)", DEEP), "success": ("Success(rel=1)", ["1", "5", "10"]),
       "unj": ("Unj", ["5", "10", "20"])}
RECALLS = [f"{i / 10:.2f}" for i in range(11)]
MULTS = [f"{i / 5:.2f}" for i in range(1, 11)]
PLAIN = {"num_q": "NumQ", "num_ret": "NumRet", "num_rel": "NumRel(rel=1)", "num_rel_ret": "NumRelRet(rel=1)", "map": "AP(rel=1)",
         "gm_map": "GMAP(rel=1)", "Rprec": "Rprec(rel=1)", "bpref": "Bpref(rel=1)", "recip_rank": "RR(rel=1)", "infAP": "infAP(rel=1)",
         "gm_bpref": "GMBpref(rel=1)", "utility": "Utility(rel=1)", "11pt_avg": "IPrec11(rel=1)", "binG": "binG(rel=1)", "G": "G",
         "ndcg": "nDCG(dcg='log2')", "ndcg_rel": "nDCGrel", "Rndcg": "RnDCG", "set_P": "SetP(rel=1)",
         "set_relative_P": "SetRelP(rel=1)", "set_recall": "SetR(rel=1)", "set_map": "SetAP(rel=1)", "set_F": "SetF(rel=1,beta=1)",
         "num_nonrel_judged_ret": "NumNonRelJudgedRet(rel=1)"}
OTHER = {"dcg": "DCG(dcg='log2')", "ideal_dcg": "IDCG(dcg='log2')", "yaap": "YAAP(rel=1)", "rbp": "gradedRBP(p=0.9)",
         "rbp_resid": "RBPresid(p=0.9)"}
REFUSED = ("runid relstring prefs all_prefs qrels_jg prefs_num_prefs_poss prefs_num_prefs_ful prefs_num_prefs_ful_ret prefs_simp "
           "prefs_pair prefs_avgjg prefs_avgjg_Rnonrel prefs_simp_ret prefs_pair_ret prefs_avgjg_ret prefs_avgjg_Rnonrel_ret "
           "prefs_simp_imp prefs_pair_imp prefs_avgjg_imp map_avgjg P_avgjg Rprec_mult_avgjg").split()


def number(text):
    return f"{float(text):g}"


def trec(tool, sign):
    for name, ours in PLAIN.items():
        row(tool, name, ours)
    for name, (ours, cuts) in CUT.items():
        for cut in cuts:
            row(tool, name + sign + cut, f"{ours}@{cut}")
    for recall in RECALLS:
        row(tool, "iprec_at_recall" + sign + recall, f"IPrec(rel=1)@{number(recall)}")
    for mult in MULTS:
        row(tool, "Rprec_mult" + sign + mult, f"RprecMult(rel=1)@{number(mult)}")


trec("pytrec_eval", "_")
trec("trec_eval", ".")
for name, ours in OTHER.items():
    row("trec_eval", name, ours)
for name in REFUSED:
    row("trec_eval", name, "refused")
for name, (ours, cuts) in CUT.items():
    row("trec_eval", name, *[f"{ours}@{c}" for c in cuts])
    row("trec_eval", f"{name}.3,7", f"{ours}@3", f"{ours}@7")
row("trec_eval", "iprec_at_recall", *[f"IPrec(rel=1)@{number(r)}" for r in RECALLS])
row("trec_eval", "Rprec_mult", *[f"RprecMult(rel=1)@{number(m)}" for m in MULTS])
row("trec_eval", "set_F.0.5", "SetF(rel=1,beta=0.5)")
row("trec_eval", "utility.1,-1,0,0", "Utility(rel=1)")
row("trec_eval", "utility.2,-1,-0.5,0", "Utility(rel=1,a=2,c=-0.5)")
row("trec_eval", "ndcg.1=3.5,2=9.0,4=7.0", "nDCG(dcg='log2',gains={1:3.5,2:9,4:7})")
row("trec_eval", "G.1=3.5,2=9.0", "G(gains={1:3.5,2:9})")
row("trec_eval", "Rndcg.1=3.5", "RnDCG(gains={1:3.5})")
row("trec_eval", "ndcg_rel.1=3.5", "nDCGrel(gains={1:3.5})")
row("trec_eval", "rbp.p=0.8", "gradedRBP(p=0.8)")

CUTS = ("5", "10", "100")
for name, ours in {"P": "P", "Precision": "P", "R": "R", "Recall": "R", "Success": "Success"}.items():
    for cut in CUTS:
        row("ir_measures", f"{name}@{cut}", f"{ours}(rel=1)@{cut}")
        row("ir_measures", f"{name}(rel=2)@{cut}", f"{ours}(rel=2)@{cut}")
        row("ir_measures", f"{name}(judged_only=True)@{cut}", f"{ours}(rel=1,judged_only=true)@{cut}")
for name, ours in {"AP": "AP", "MAP": "AP", "RR": "RR", "MRR": "RR"}.items():
    row("ir_measures", name, f"{ours}(rel=1)")
    row("ir_measures", f"{name}(rel=2)", f"{ours}(rel=2)")
    row("ir_measures", f"{name}(rel=2,judged_only=True)", f"{ours}(rel=2,judged_only=true)")
    for cut in CUTS:
        row("ir_measures", f"{name}@{cut}", f"{ours}(rel=1)@{cut}")
        row("ir_measures", f"{name}(rel=2)@{cut}", f"{ours}(rel=2)@{cut}")
for name in ("nDCG", "NDCG"):
    row("ir_measures", name, "nDCG(dcg='log2')")
    for cut in CUTS:
        row("ir_measures", f"{name}@{cut}", f"nDCG(dcg='log2')@{cut}")
        row("ir_measures", f"{name}(dcg='exp-log2')@{cut}", f"nDCG(dcg='exp-log2')@{cut}")
        row("ir_measures", f"{name}(judged_only=True)@{cut}", f"nDCG(dcg='log2',judged_only=true)@{cut}")
        row("ir_measures", f"{name}(cutoff={cut})", f"nDCG(dcg='log2')@{cut}")
row("ir_measures", "nDCG(gains={0:0,1:0,2:1})@10", "nDCG(dcg='log2',gains={0:0,1:0,2:1})@10")
for name, ours in {"Rprec": "Rprec", "RPrec": "Rprec", "Bpref": "Bpref", "BPref": "Bpref", "infAP": "infAP", "SetP": "SetP", "SetR": "SetR",
                   "SetAP": "SetAP", "SetRelP": "SetRelP", "NumRel": "NumRel", "NumRelRet": "NumRelRet", "Accuracy": "Accuracy"}.items():
    row("ir_measures", name, f"{ours}(rel=1)")
    row("ir_measures", f"{name}(rel=2)", f"{ours}(rel=2)")
row("ir_measures", "SetP(relative=True)", "SetP(rel=1,relative=true)")
row("ir_measures", "SetF", "SetF(rel=1,beta=1)")
row("ir_measures", "SetF(beta=0.5)", "SetF(rel=1,beta=0.5)")
row("ir_measures", "NumQ", "NumQ")
row("ir_measures", "NumRet", "NumRet")
row("ir_measures", "NumRet(rel=1)", "NumRelRet(rel=1)")
row("ir_measures", "RBP(rel=1)", "RBP(rel=1,p=0.8)")
row("ir_measures", "RBP(rel=2,p=0.95)", "RBP(rel=2,p=0.95)")
row("ir_measures", "RBP(p=0.5,rel=1)@20", "RBP(rel=1,p=0.5)@20")
row("ir_measures", "Accuracy@10", "Accuracy(rel=1)@10")
for recall in RECALLS:
    row("ir_measures", f"IPrec@{number(recall)}", f"IPrec(rel=1)@{number(recall)}")
for cut in CUTS:
    row("ir_measures", f"ERR@{cut}", f"ERR(max=4)@{cut}")
    row("ir_measures", f"Judged@{cut}", f"Judged@{cut}")
    row("ir_measures", f"BPM(max_rel=3)@{cut}", f"BPM(T=1,min_rel=0,max_rel=3)@{cut}")
    row("ir_measures", f"BPM(T=2.5,min_rel=1,max_rel=3)@{cut}", f"BPM(T=2.5,min_rel=1,max_rel=3)@{cut}")
    for name in ("SDCG", "NERR8", "NERR9"):
        row("ir_measures", f"{name}(max_rel=3)@{cut}", f"{name}(min_rel=0,max_rel=3)@{cut}")
    for name, ours in {"alpha_nDCG": "alpha_nDCG", "α_nDCG": "alpha_nDCG", "alpha_DCG": "alpha_DCG", "α_DCG": "alpha_DCG", "ERR_IA": "ERR_IA",
                       "nERR_IA": "nERR_IA"}.items():
        row("ir_measures", f"{name}@{cut}", f"{ours}(alpha=0.5)@{cut}")
        row("ir_measures", f"{name}(judged_only=True)@{cut}", f"{ours}(alpha=0.5,judged_only=true)@{cut}")
    row("ir_measures", f"StRecall@{cut}", f"StRecall@{cut}")
    row("ir_measures", f"STREC@{cut}", f"StRecall@{cut}")
    row("ir_measures", f"P_IA@{cut}", f"P_IA@{cut}")
for name in ("INST", "INSQ", "NERR11"):
    row("ir_measures", f"{name}(max_rel=4)", f"{name}(T=1,min_rel=0,max_rel=4)")
    row("ir_measures", f"{name}(T=2,max_rel=4)", f"{name}(T=2,min_rel=0,max_rel=4)")
row("ir_measures", "NERR10(max_rel=4)", "NERR10(p=0.9,min_rel=0,max_rel=4)")
row("ir_measures", "Compat", "Compat(p=0.95,normalize=true)")
row("ir_measures", "Compat(p=0.8,normalize=False)", "Compat(p=0.8,normalize=false)")
row("ir_measures", "alpha_nDCG(alpha=0.3)@20", "alpha_nDCG(alpha=0.3)@20")
row("ir_measures", "NRBP", "NRBP(alpha=0.5,beta=0.5)")
row("ir_measures", "nNRBP(alpha=0.3,beta=0.8)", "nNRBP(alpha=0.3,beta=0.8)")
row("ir_measures", "AP_IA", "AP_IA")
row("ir_measures", "MAP_IA", "AP_IA")
for name in ("BPM@10", "SDCG@10", "INST", "P", "ERR(rel=2)@10", "alpha_nDCG(rel=2)@10", "AWRF@10"):
    row("ir_measures", name, "refused" if name != "P" else " ".join(f"P(rel=1)@{c}" for c in DEEP))

AT = {"hits": "Hits", "hit_rate": "Success", "precision": "P", "recall": "R", "f1": "F1", "mrr": "RR", "map": "AP"}
ALL = dict(AT, precision="SetP", recall="SetR", f1="SetF")
for name, ours in AT.items():
    for cut in ("1", "10", "100"):
        row("ranx", f"{name}@{cut}", f"{ours}(rel=1)@{cut}")
        row("ranx", f"{name}@{cut}-l2", f"{ours}(rel=2)@{cut}")
    beta = ",beta=1" if name == "f1" else ""
    if name != "recall":
        row("ranx", name, f"{ALL[name]}(rel=1{beta})")
    row("ranx", f"{name}-l2", f"{ALL[name]}(rel=2{beta})")
for name, ours in {"r_precision": "Rprec", "bpref": "Bpref"}.items():
    row("ranx", name, f"{ours}(rel=1)")
    row("ranx", f"{name}-l2", f"{ours}(rel=2)")
for name, ours in {"dcg": "DCG", "ndcg": "nDCG"}.items():
    for form, dcg in {"": "log2", "_burges": "exp-log2"}.items():
        for cut in ("", "@1", "@10", "@100"):
            row("ranx", name + form + cut, f"{ours}(dcg='{dcg}'){cut}")
            row("ranx", name + form + cut + "-l2", f"{ours}(dcg='{dcg}',rel=2){cut}")
for p in ("5", "8", "95", "99"):
    row("ranx", f"rbp.{p}", f"RBP(rel=1,p=0.{p})")
    row("ranx", f"rbp.{p}-l2", f"RBP(rel=2,p=0.{p})")

for r in rows:
    print(*r, sep="\t")
