#!/usr/bin/env python3
"""Golden values of SummHay on the released files, worked out apart from lore.

    python3 figures.py FOLDER

FOLDER holds human_coverage_labels_dev.json and the haystacks topic_news1.json and topic_news2.json. Written beside
this file: bias.tsv, every recorded judge against people text by text (the paper's appendix A.3 and Table 6);
orders.tsv, Joint by the order of the documents (Table 3). Only the standard library is used, and nothing of lore's code.

- A summary's score is the mean over its annotated insights of 1, 1/2 or 0. Its length is its words per line.
- A summariser is the model behind the only "_" of a summary's key, or the whole key.
- Bias: the judge's score minus people's; mean over the summaries of a summariser; "average": mean of these.
- Joint: mean over the insights of all haystacks of coverage times the F1 of the linked line's citations. A line without
  a number is the one before the last. Sensitivity: the larger of |Top - as given| and |Bottom - as given|.
- Sums are exact (fractions), so that equal values are equal and share a mean rank in Spearman's correlation.
"""

import json
import math
import os
import re
import sys
from fractions import Fraction

HERE = os.path.dirname(os.path.abspath(__file__))
VALUES = {
    "FULL_COVERAGE": Fraction(1), "PARTIAL_COVERAGE": Fraction(1, 2), "NO_COVERAGE": Fraction(0),
    "fully_covered": Fraction(1), "partially_covered": Fraction(1, 2), "not_covered": Fraction(0),
}


def summariser(key):
    name = key.removeprefix("summary_subtopic_")
    return name.split("_")[1] if name.count("_") == 1 else name


def mean(values):
    return sum(values) / len(values)


def pearson(x, y):
    mx, my = mean(x), mean(y)
    xy = sum((a - mx) * (b - my) for a, b in zip(x, y, strict=True))
    xx, yy = sum((a - mx) ** 2 for a in x), sum((b - my) ** 2 for b in y)
    return float(xy) / math.sqrt(float(xx) * float(yy))


def ranks(values):
    return [Fraction(2 * sum(w < v for w in values) + sum(w == v for w in values) + 1, 2) for v in values]


def spearman(x, y):
    return pearson(ranks(x), ranks(y))


def labelled(summaries, key):
    """For each summary: who wrote it, its words per line, the judge's score and people's."""
    out = []
    for s in summaries:
        said = {p["insight_id"]: VALUES[p["coverage"]] for p in s[key]}
        people = {a["insight_id"]: VALUES[a["coverage"]] for a in s["annotation"]}
        length = Fraction(sum(len(line.split()) for line in s["summary"]), len(s["summary"]))
        out.append((summariser(s["summkey"]), length, mean([said[i] for i in people]), mean(list(people.values()))))
    return out


def bias(summaries, write):
    for key in sorted(k for k in summaries[0] if k.startswith("predictions_")):
        rows = labelled(summaries, key)
        by = {}
        for who, _, judge, people in rows:
            by.setdefault(who, []).append(judge - people)
        for who in sorted(by):
            write(key, "bias of " + who, float(mean(by[who])))
        write(key, "average", float(mean([mean(v) for v in by.values()])))

        length = [r[1] for r in rows]
        for name, column in (("score", [r[2] for r in rows]), ("label", [r[3] for r in rows]),
                             ("error", [r[2] - r[3] for r in rows])):
            write(key, "length to " + name + ", Pearson", pearson(column, length))
            write(key, "length to " + name + ", Spearman", spearman(column, length))


ORDERS = (("Top", "fl-ctxt-sort_"), ("Bottom", "fl-ctxt-rev-sort_"), ("Middle", "fl-ctxt-middle_"), ("As given", ""))


def cited(line):
    return {int(n) for found in re.findall(r"\[([\d, ]+)\]", line) for n in found.split(",") if n.strip()}


def joint(verdict, lines, holders):
    value = VALUES[verdict["coverage"]]
    if value == 0:
        return value
    try:
        place = int(verdict["bullet_id"]) - 1
    except (TypeError, ValueError):
        place = -2
    mine, gold = cited(lines[place]), holders[verdict["insight_id"]]
    return value * Fraction(2 * len(mine & gold), len(mine) + len(gold))  # F1


def pooled(haystacks, key):
    values = []
    for hay in haystacks:
        holders = {}
        for number, doc in enumerate(hay["documents"], 1):
            for insight in doc["insights_included"]:
                holders.setdefault(insight, set()).add(number)
        for s in hay["subtopics"]:
            values += [joint(v, s["summaries"][key], holders) for v in s["eval_summaries"][key]]
    return mean(values)


def orders(haystacks, write):
    models = [k.removeprefix("summary_subtopic_fl-ctxt-sort_") for k in haystacks[0]["subtopics"][0]["summaries"]
              if k.startswith("summary_subtopic_fl-ctxt-sort_")]
    for model in sorted(models):
        found = {name: pooled(haystacks, "summary_subtopic_" + prefix + model) for name, prefix in ORDERS}
        for name, value in found.items():
            write(model, name, float(100 * value))
        moved = max(abs(found[name] - found["As given"]) for name in ("Top", "Bottom"))
        write(model, "Sensitivity", float(100 * moved))


def main(folder):
    with open(folder + "/human_coverage_labels_dev.json", encoding="utf-8") as file:
        summaries = json.load(file)
    with open(HERE + "/bias.tsv", "w", encoding="utf-8") as file:
        bias(summaries, lambda *row: print(*row[:-1], repr(row[-1]), sep="\t", file=file))

    haystacks = []
    for name in ("topic_news1.json", "topic_news2.json"):
        with open(folder + "/" + name, encoding="utf-8") as file:
            haystacks.append(json.load(file))
    with open(HERE + "/orders.tsv", "w", encoding="utf-8") as file:
        orders(haystacks, lambda *row: print(*row[:-1], repr(row[-1]), sep="\t", file=file))


if __name__ == "__main__":
    main(sys.argv[1])
