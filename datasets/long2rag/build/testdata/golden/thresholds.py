#!/usr/bin/env python3
"""Golden figures of thresholds of significance. Shares no code with lore.

Made-up key points of some questions with a significance, judged by three raters who leave some open, and what
each threshold does to them. points.tsv has the points, thresholds.tsv the figures. Run it in its own folder:

    python3 thresholds.py
"""
import random
from fractions import Fraction

random.seed(13)
points = []  # question, point, significance, verdict of each rater: agree, neutral, disagree, no (not found), open
for q in range(12):
    for p in range(random.randint(3, 9)):
        s = round(random.random(), 3)
        row = []
        for _ in range(3):
            if random.random() < 0.1:
                row.append("open")
            elif random.random() < 0.08:
                row.append("no")
            elif random.random() < 0.15 + 0.7 * s:
                row.append("agree")
            else:
                row.append(random.choice(["neutral", "disagree"]))
        points.append((f"q{q}", f"p{p + 1}", s, row))

with open("points.tsv", "w") as out:
    for q, p, s, row in points:
        print(q, p, s, *row, sep="\t", file=out)


def confirmed(row):
    """The majority of those who judged agree; None where nobody judged."""
    judged = [v for v in row if v != "open"]
    if not judged:
        return None
    return 2 * sum(v == "agree" for v in judged) > len(judged) and 2 * sum(v != "no" for v in judged) > len(judged)


def ratio(n, of):
    return "-" if of == 0 else f"{float(Fraction(n, of)):.12f}"


with open("thresholds.tsv", "w") as out:
    print("threshold", "kept", "kept_wrong", "dropped", "dropped_confirmed", "by_raters", sep="\t", file=out)
    for tenth in range(0, 11):
        t = tenth / 10
        by_all = [(s, confirmed(row)) for _, _, s, row in points if confirmed(row) is not None]
        kept = [c for s, c in by_all if s >= t]
        dropped = [c for s, c in by_all if s < t]
        rates = []
        for r in range(3):
            own = [row[r] == "agree" for _, _, s, row in points if s < t and row[r] != "open"]
            if own:
                rates.append(Fraction(sum(own), len(own)))
        mean = "-" if not rates else f"{float(sum(rates) / len(rates)):.12f}"
        print(t, len(kept), ratio(sum(not c for c in kept), len(kept)), len(dropped), ratio(sum(dropped), len(dropped)), mean,
              sep="\t", file=out)
