#!/usr/bin/env python3
"""Golden values of CRUX on the released files, worked out apart from lore.

    python3 figures.py FOLDER

FOLDER holds the clones of DylanJoo/crux-labeling and DylanJoo/LANCER. Written beside this file: figures.tsv,
the figures of every recorded run and topic; topics.tsv, what each topic asks for; people.tsv, how far the study's
annotators agree. tokens.txt, which is read, has the number of cl100k_base tokens of each passage, in the order of
documents.jsonl: it alone comes from lore. Only the standard library is used, and nothing of lore's code.

The rules are the paper's (arXiv 2506.20051, sections 3.2 and 3.3). Where the paper leaves something open:
- Of several rows of grades of one passage the first counts, by the names of the files.
- Relevant are passages that are there and have a grade above 0. A question that is null is answerable by nobody.
- Equal passages: the greedy choice of required ones takes the first in documents.jsonl, and the ideal order of
  α-nDCG, which is over all relevant passages, the highest id, as ndeval does.
- reading "left out": passages that are not there are taken out of a run before anything is counted. "in place":
  they keep their ranks and answer nothing; then there is no density, as nobody knows their tokens.
- Recall, average precision and nDCG are binary, over the relevant passages.
"""

import glob
import json
import math
import os
import sys

ALPHA = 0.5
ETAS = (3, 5)
CUTS = ("ideal", 10, 20)
HERE = os.path.dirname(os.path.abspath(__file__))


def usual(name):
    """The id of a topic or passage as all but the study's own files have it."""
    return name.replace("duc04-testb-", "duc04-test-")


def lines(path):
    with open(path, encoding="utf-8") as file:
        return [json.loads(line) for line in file if line.strip()]


def read_run(path):
    """The passages of each topic by rank."""
    ranked = {}
    with open(path, encoding="utf-8") as file:
        for line in file:
            topic, _, passage, rank, _, _ = line.split()
            ranked.setdefault(topic, []).append((int(rank), passage))
    return {topic: [passage for _, passage in sorted(found)] for topic, found in ranked.items()}


def read_grades(lancer, known):
    """grades[topic][passage] is a row of grades, one per question."""
    grades = {}
    for path in sorted(glob.glob(lancer + "/results/*-ratings/ratings.oracle.*.json")):
        retriever = path.split(".oracle.")[1].removesuffix(".json")
        ranked = read_run(f"{lancer}/data/crux-mds-duc04-runs/{retriever}-crux-mds-duc04.run")
        with open(path, encoding="utf-8") as file:
            for topic, rows in json.load(file).items():
                for passage, row in zip(ranked[topic], rows, strict=True):
                    if passage in known:
                        grades.setdefault(topic, {}).setdefault(passage, row)
    return {topic: {p: row for p, row in rows.items() if max(row) > 0} for topic, rows in grades.items()}


def answers(row, eta):
    """The questions that a passage answers."""
    return {q for q, grade in enumerate(row) if grade >= eta}


def required(order, rows, eta):
    """P**: the greedy choice."""
    chosen, done = [], set()
    while True:
        best = max(order, key=lambda p: len(answers(rows[p], eta) - done))  # the first of equal ones
        if not answers(rows[best], eta) - done:
            return chosen
        chosen.append(best)
        done |= answers(rows[best], eta)


def dcg(gains):
    return sum(gain / math.log2(rank + 2) for rank, gain in enumerate(gains))


def novelty(covered, seen):
    return sum((1 - ALPHA) ** seen.get(q, 0) for q in covered)


def novelty_gains(order, rows, eta):
    seen, gains = {}, []
    for passage in order:
        covered = answers(rows[passage], eta) if passage in rows else set()
        gains.append(novelty(covered, seen))
        for q in covered:
            seen[q] = seen.get(q, 0) + 1
    return gains


def ideal_order(rows, eta, k):
    left, order, seen = sorted((p for p in rows if answers(rows[p], eta)), reverse=True), [], {}
    while left and len(order) < k:
        best = max(left, key=lambda p: novelty(answers(rows[p], eta), seen))
        left.remove(best)
        order.append(best)
        for q in answers(rows[best], eta):
            seen[q] = seen.get(q, 0) + 1
    return order


def open_alpha(order, rows, eta):
    """α-nDCG against an ideal order that goes on behind the last rank of the order."""
    return dcg(novelty_gains(order, rows, eta)) / dcg(novelty_gains(ideal_order(rows, eta, len(rows)), rows, eta))


def coverage(order, rows, eta, answerable):
    found = set()
    for passage in order:
        if passage in rows:
            found |= answers(rows[passage], eta)
    return len(found & answerable) / len(answerable)


def density(cov, shown, oracle, required_ones, tokens):
    if not shown:
        return 0.0
    mine, best = cov / sum(tokens[p] for p in shown), oracle / sum(tokens[p] for p in required_ones)
    return math.sqrt(mine / best)


def average_precision(order, relevant):
    hits, total = 0, 0.0
    for rank, passage in enumerate(order, 1):
        if passage in relevant:
            hits += 1
            total += hits / rank
    return total / len(relevant)


def figures(order, topic, tokens, whole):
    """The figures of one ranking of one topic: a list of numbers, in the order of the head."""
    rows, out = topic["rows"], []
    for cut in CUTS:
        k = len(topic["required"]) if cut == "ideal" else cut
        shown = order[:k]
        for eta in ETAS:
            answerable = topic["answerable"][eta]
            if not answerable:
                out += [None, None, None]
                continue
            cov = coverage(shown, rows, eta, answerable)
            best = dcg(novelty_gains(ideal_order(rows, eta, k), rows, eta))
            out += [cov, dcg(novelty_gains(shown, rows, eta)) / best]
            oracle = coverage(topic["required"], rows, eta, answerable)
            out.append(density(cov, shown, oracle, topic["required"], tokens) if whole and oracle else None)
        hits = [1 if p in rows else 0 for p in shown]
        out += [sum(hits) / len(rows), dcg(hits) / dcg([1] * min(k, len(rows)))]
    return out + [average_precision(order, rows)]


def fleiss(items):
    """Fleiss' κ of lists of labels, one list per item, as long as there are raters."""
    raters, kinds = len(items[0]), sorted({label for labels in items for label in labels})
    share = {k: sum(labels.count(k) for labels in items) / (raters * len(items)) for k in kinds}
    same = sum(sum(labels.count(k) * (labels.count(k) - 1) for k in kinds) for labels in items)
    observed, chance = same / (len(items) * raters * (raters - 1)), sum(v * v for v in share.values())
    return (observed - chance) / (1 - chance)


def pearson(x, y):
    mx, my = sum(x) / len(x), sum(y) / len(y)
    sxy = sum((a - mx) * (b - my) for a, b in zip(x, y, strict=True))
    return sxy / math.sqrt(sum((a - mx) ** 2 for a in x) * sum((b - my) ** 2 for b in y))


def cohen(x, y):
    """Cohen's κ of two raters who say yes (1) or no (0)."""
    n, same = len(x), sum(a == b for a, b in zip(x, y, strict=True))
    chance = (sum(x) * sum(y) + (n - sum(x)) * (n - sum(y))) / (n * n)
    return (same / n - chance) / (1 - chance)


def against(x, y):
    """How labels x stand against labels y."""
    both = lambda v: sum(a == b == v for a, b in zip(x, y, strict=True))
    yield "same", sum(a == b for a, b in zip(x, y, strict=True)) / len(x)
    yield "kappa", cohen(x, y)
    for v, what in ((1, "answered"), (0, "unanswered")):
        yield "precision of " + what, both(v) / x.count(v)
        yield "recall of " + what, both(v) / y.count(v)


def people(study, topics, questions):
    """Rows of people.tsv: what three annotators say of reports and passages."""
    said = []
    for number in (1, 2, 3):
        labels = lines(f"{study}/annotations/annotator{number}/qlabels.jsonl")
        said.append({entry["id"]: entry["answerability"] for entry in labels})

    reports = sorted(set.intersection(*(set(one) for one in said)))
    items = [list(labels) for r in reports for labels in zip(*(one[r] for one in said), strict=True)]
    asked = [labels for labels in items if -2 not in labels]
    yield "reports", len(reports)
    yield "questions", len(items)
    yield "kappa, not asked as a label", fleiss(items)
    yield "questions asked", len(asked)
    yield "kappa", fleiss(asked)

    share = [[sum(v == 1 for v in one[r]) / sum(v != -2 for v in one[r]) for r in reports] for one in said]
    for against_, by in ((0, 1), (0, 2), (1, 2)):
        name = f"annotator{by + 1} against annotator{against_ + 1}: "
        yield name + "pearson", pearson(share[by], share[against_])
        for what, value in against([labels[by] for labels in asked], [labels[against_] for labels in asked]):
            yield name + what, value

    # Passages: a label names a question by its place in the study's own list.
    lists = {entry["qid"]: entry["questions"] for entry in lines(study + "/crux_testb/oracle.jsonl")}
    for number in (1, 2):
        ours, theirs, total = [], [], 0
        for entry in lines(f"{study}/annotations/annotator{number}/qrels.jsonl"):
            rows = topics[usual(entry["id"])]["rows"]
            for place, grade in entry["relevances"].items():
                text = lists[entry["id"]][int(place)]
                total += grade >= 0
                if grade >= 0 and text in questions[usual(entry["id"])] and usual(entry["document"]) in rows:
                    row = rows[usual(entry["document"])]
                    ours.append(int(row[questions[usual(entry["id"])].index(text)] >= 3))
                    theirs.append(int(grade >= 3))
        name = f"passages, annotator{number}: "
        yield name + "labels", total
        yield name + "compared", len(ours)
        for what, value in against(ours, theirs):
            yield name + what, value


def read_topics(lancer, place, questions):
    topics = {}
    for name, rows in read_grades(lancer, place).items():
        blank = {q for q, text in enumerate(questions[name]) if not (text or "").strip()}
        rows = {p: [0 if q in blank else grade for q, grade in enumerate(row)] for p, row in rows.items()}
        order = sorted(rows, key=place.get)
        topics[name] = {
            "rows": rows,
            "required": required(order, rows, ETAS[0]),
            "answerable": {eta: set().union(*(answers(row, eta) for row in rows.values())) for eta in ETAS},
        }
    return topics


def write(name, head, rows):
    def cell(v):
        return "" if v is None else format(v, ".11g") if isinstance(v, float) else str(v)

    with open(os.path.join(HERE, name), "w", encoding="utf-8") as file:
        for row in [head] + rows:
            file.write("\t".join(cell(v) for v in row) + "\n")


def main(folder):
    study, lancer = folder + "/crux-labeling", folder + "/lancer"
    passages = [usual(entry["id"]) for entry in lines(study + "/documents.jsonl")]
    with open(os.path.join(HERE, "tokens.txt"), encoding="utf-8") as file:
        tokens = dict(zip(passages, map(int, file.read().split()), strict=True))
    place = {passage: i for i, passage in enumerate(passages)}
    with open(glob.glob(lancer + "/results/*-subquestions/subquestions.oracle.json")[0], encoding="utf-8") as file:
        questions = json.load(file)
    topics = read_topics(lancer, place, questions)

    number = lambda name: int(name.rsplit("-", 1)[1])
    names = sorted(topics, key=number)
    listed = lambda questions: " ".join(str(q + 1) for q in sorted(questions))
    write("topics.tsv", ["topic", "relevant"] + [f"answerable η{eta}" for eta in ETAS] + ["required", "open alpha_ndcg"], [
        [n, len(topics[n]["rows"])] + [listed(topics[n]["answerable"][eta]) for eta in ETAS]
        + [" ".join(topics[n]["required"]), open_alpha(topics[n]["required"], topics[n]["rows"], ETAS[0])] for n in names
    ])

    head = ["run", "topic", "reading"]
    for cut in CUTS:
        head += [f"{m}@{eta} k{cut}" for eta in ETAS for m in ("cov_context", "alpha_ndcg", "den_context")]
        head += [f"recall_at_k k{cut}", f"ndcg_at_k k{cut}"]
    rows = []
    for path in sorted(glob.glob(lancer + "/*/crux-mds-duc04-runs/*.run"), key=os.path.basename):
        ranked = read_run(path)
        for n in names:
            there = [p for p in ranked[n] if p in place]
            for reading, order in (("left out", there), ("in place", ranked[n])):
                rows.append([os.path.basename(path).removesuffix(".run"), n, reading] + figures(order, topics[n], tokens, order is there))
    write("figures.tsv", head + ["map"], rows)
    write("people.tsv", ["what", "value"], list(people(study, topics, questions)))


if __name__ == "__main__":
    main(sys.argv[1])
