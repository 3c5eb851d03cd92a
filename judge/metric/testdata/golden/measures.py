"""Values of measures of ir_measures and ranx, written apart from lore and sharing no code with it.

It reads the run and the judgements of the reference folder and writes measures.tsv: measure, topic, value. The
definitions are those of cwl_eval (matrix form: continuation vectors, products, weights), of the compatibility
script (sets at every depth), of ir_measures' pair accuracy (pairs counted one by one) and of ranx (hit lists).

    python3 measures.py ../../../../../shared/golden/ir > measures.tsv
"""

import itertools
import math
import struct
import sys

DEPTH = 1000


def single(x):
    return struct.unpack("f", struct.pack("f", x))[0]


def read(folder):
    run, qrels = {}, {}
    for line in open(folder + "/run.trec"):
        topic, _, doc, _, score, _ = line.split()
        run.setdefault(topic, {})[doc] = float(score)
    for line in open(folder + "/qrels.txt"):
        topic, _, doc, grade = line.split()
        qrels.setdefault(topic, {})[doc] = int(grade)
    return run, qrels


def ranking(scores):
    """Documents as trec_eval orders them: single precision, ties by id descending."""
    docs = sorted(scores, reverse=True)
    docs.sort(key=lambda d: single(scores[d]), reverse=True)
    return docs


def gain_vector(docs, grades, low, high):
    clipped = [min(max(max(grades.get(d, 0), 0), low), high) for d in docs]
    gains = [(g - low) / (high - low) for g in clipped][:DEPTH]
    return gains + [0.0] * (DEPTH - len(gains))


def weighted(gains, c):
    reach = [1.0] + list(itertools.accumulate(c[:-1], lambda a, b: a * b))
    total = math.fsum(reach)
    return math.fsum(r / total * g for r, g in zip(reach, gains))


def bpm(gains, T, K):
    sums = list(itertools.accumulate(gains))
    gain_ok = list(itertools.takewhile(lambda s: s < T, sums))
    return [1.0 if i < len(gain_ok) and i + 1 < K else 0.0 for i in range(DEPTH)]


def inst(gains, T):
    sums = list(itertools.accumulate(gains))
    return [((i + T + (T - s) - 1) / (i + T + (T - s))) ** 2 for i, s in zip(range(1, DEPTH + 1), sums)]


def insq(T):
    return [((i + 2 * T - 1) / (i + 2 * T)) ** 2 for i in range(1, DEPTH + 1)]


def sdcg(k):
    return [math.log(i + 1, 2) / math.log(i + 2, 2) if i < k else 0.0 for i in range(1, DEPTH + 1)]


def overlap(a, b, p, depth):
    score = normal = 0.0
    for d in range(1, depth + 1):
        score += p ** (d - 1) * len(set(a[:d]) & set(b[:d])) / d
        normal += p ** (d - 1)
    return score / normal if normal else 0.0


def compat(scores, grades, p, normalize):
    docs = sorted(scores)
    docs.sort(key=lambda d: -scores[d])
    ideal = sorted(d for d in grades if grades[d] > 0)
    ideal.sort(key=lambda d: scores.get(d, 0.0), reverse=True)
    ideal.sort(key=lambda d: grades[d], reverse=True)
    depth = max(len(docs), len(ideal))
    score = overlap(docs, ideal, p, depth)
    best = overlap(ideal, ideal, p, depth)
    return score / best if normalize and best > 0 else score


def accuracy(docs, grades, rel, k):
    top = docs[:k] if k else docs
    good = [i for i, d in enumerate(top) if grades.get(d, 0) >= rel]
    bad = [i for i, d in enumerate(top) if grades.get(d, 0) < rel]
    if not good or not bad:
        return None
    return sum(g < b for g in good for b in bad) / (len(good) * len(bad))


def dcg(grades, k, burges):
    value = lambda g: 2**g - 1 if burges else g
    return sum(value(g) / math.log2(i + 2) for i, g in enumerate(grades[:k] if k else grades))


def ndcg(docs, grades, k, rel, burges):
    clean = {d: g for d, g in grades.items() if g >= rel}
    have = dcg([clean.get(d, 0) for d in docs], k, burges)
    best = dcg(sorted(clean.values(), reverse=True), k, burges)
    return have / best if best else 0.0


def main(folder):
    run, qrels = read(folder)
    # ir_measures' and ranx's names; judged_only removes what nobody judged before anything else.
    for topic, grades in sorted(qrels.items(), key=lambda kv: int(kv[0]))[:12]:
        scores = run.get(topic, {})
        docs = ranking(scores)
        judged = [d for d in docs if grades.get(d, -1) >= 0]
        rows = {}
        for low, high in ((0, 3), (0, 4), (1, 3)):
            g = gain_vector(docs, grades, low, high)
            scale = f"min_rel={low},max_rel={high}"
            for k in (5, 20):
                rows[f"SDCG({scale})@{k}"] = weighted(g, sdcg(k))
                rows[f"NERR8({scale})@{k}"] = weighted(g, [1 - x if i < k - 1 else 0.0 for i, x in enumerate(g)])
                rows[f"NERR9({scale})@{k}"] = weighted(
                    g, [(i + 1) / (i + 2) * (1 - x) if i < k - 1 else 0.0 for i, x in enumerate(g)])
                for T in (1, 2.5):
                    rows[f"BPM(T={T},{scale})@{k}"] = weighted(g, bpm(g, T, k))
            for T in (1, 2.5):
                rows[f"INST(T={T},{scale})"] = weighted(g, inst(g, T))
                rows[f"INSQ(T={T},{scale})"] = weighted(g, insq(T))
                rows[f"NERR11(T={T},{scale})"] = weighted(g, [c * (1 - x) for c, x in zip(insq(T), g)])
            for p in (0.8, 0.9):
                rows[f"NERR10(p={p},{scale})"] = weighted(g, [p * (1 - x) for x in g])
        for p in (0.8, 0.95):
            for normalize in (True, False):
                rows[f"Compat(p={p},normalize={normalize})"] = compat(scores, grades, p, normalize)
        for rel in (1, 2):
            for k in (0, 10):
                rows[f"Accuracy(rel={rel})" + (f"@{k}" if k else "")] = accuracy(docs, grades, rel, k)

        for rel in (1, 2):
            good = [d for d in grades if grades[d] >= rel]
            for k in (0, 3, 10, 100):
                cut = docs[:k] if k else docs
                hits = sum(grades.get(d, 0) >= rel for d in cut)
                size = k or len(docs)
                p, r = hits / size if size else 0.0, hits / len(good) if good else 0.0
                name = (f"@{k}" if k else "") + (f"-l{rel}" if rel > 1 else "")
                rows["hits" + name], rows["hit_rate" + name] = hits, float(hits > 0)
                rows["precision" + name] = p
                rows["f1" + name] = 2 * p * r / (p + r) if p + r else 0.0
                if k or rel > 1:
                    rows["recall" + name] = r
                ranks = [i + 1 for i, d in enumerate(cut) if grades.get(d, 0) >= rel]
                rows["mrr" + name] = 1 / ranks[0] if ranks else 0.0
                rows["map" + name] = sum((n + 1) / i for n, i in enumerate(ranks)) / len(good) if good else 0.0
                for burges, form in ((False, ""), (True, "_burges")):
                    clean = {d: g for d, g in grades.items() if g >= rel}
                    rows["dcg" + form + name] = dcg([clean.get(d, 0) for d in docs], k, burges)
                    rows["ndcg" + form + name] = ndcg(docs, grades, k, rel, burges)
            tail = f"-l{rel}" if rel > 1 else ""
            hits = [grades.get(d, 0) >= rel for d in docs]
            rows["r_precision" + tail] = sum(hits[: len(good)]) / len(good) if good else 0.0
            for p in ("8", "95"):
                x = float("0." + p)
                rows[f"rbp.{p}" + tail] = (1 - x) * sum(h * x**i for i, h in enumerate(hits))

        only = [grades[d] for d in judged]
        for k in (3, 10):
            rows[f"P(judged_only=True)@{k}"] = sum(g >= 1 for g in only[:k]) / k
            rows[f"nDCG(judged_only=True)@{k}"] = ndcg(judged, {d: max(g, 0) for d, g in grades.items()}, k, 1, False)
        gains = {0: 0, 1: 3.5, 2: 9, 3: 2}
        regraded = {d: gains[g] for d, g in grades.items() if g >= 0}
        rows["nDCG(gains={1:3.5,2:9,3:2})@10"] = ndcg(docs, regraded, 10, 0.5, False)
        rows["ndcg.1=3.5,2=9.0,3=2"] = ndcg(docs, regraded, 0, 0.5, False)

        for name, value in rows.items():
            print(name, topic, "none" if value is None else repr(float(value)), sep="\t")


main(sys.argv[1])
