#!/usr/bin/env python3
"""Golden figures of the bundled sample: the distributions of the paper's Figures 10 to 12. Shares no code with lore.

A word is what stands between white space. Run it in its own folder:

    python3 figures.py > figures.tsv
"""
import json

from collections import Counter

questions = [json.loads(line) for line in open("../../sample/questions.jsonl")]


def words(text):
    return len(text.split())


def median(values):
    v = sorted(values)
    return (v[(len(v) - 1) // 2] + v[len(v) // 2]) / 2


for what in ("domain", "category"):
    for name, n in sorted(Counter(q[what] for q in questions).items()):
        print(what, name, n, f"{100 * n / len(questions):.1f} %", sep="\t")
lengths = [words(d["text"]) for q in questions for d in q["documents"]]
for low, high in ((0, 500), (500, 1000), (1000, 2000), (2000, 3000), (3000, 5000), (5000, 10000), (10000, 10**9)):
    n = sum(low <= x < high for x in lengths)
    print("words", low, n, f"{100 * n / len(lengths):.1f} %", sep="\t")
print("length", f"{sum(lengths) / len(lengths):.1f}", f"{median(lengths):.1f}", min(lengths), max(lengths), len(lengths), sep="\t")
for what, values in (
    ("documents", [len(q["documents"]) for q in questions]),
    ("words of these", [sum(words(d["text"]) for d in q["documents"]) for q in questions]),
    ("key points", [len(q["key_points"]) for q in questions]),
):
    print(what, f"{sum(values) / len(values):.1f}", f"{median(values):.1f}", min(values), max(values), sep="\t")
