#!/usr/bin/env python3
"""Golden values of MSRS on the released files, worked out apart from lore.

    python3 figures.py FOLDER

FOLDER holds story, meeting and outputs of yale-nlp/MSRS. Written beside this file: systems.tsv, ROUGE of every
recorded system and what its authors recorded; rankings.tsv, the paper's BM25 by the queries as they are and as they
were before they were rewritten. printed.tsv, which is only read by lore's tests, has the same figures as the paper
prints them in its Tables 13 and 14. Only the standard library is used, and nothing of lore's code.

- ROUGE: lower case, letters a to z and digits, words of more than three letters stemmed by Porter's algorithm with
  the extensions of NLTK; of several references the best by F1, for each metric; the mean over answers that have text.
- BM25: rank_bm25's BM25Okapi with k1 1.5, b 0.75, epsilon 0.25, words parted by single spaces; equal scores go by
  document id, downwards. P, R, NDCG and MAP as the paper cuts them, gold documents that are not there left out.
"""

import collections
import glob
import json
import math
import os
import re
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
K = {"story": 8, "meeting": 3}


def read(*path):
    with open(os.path.join(*path), encoding="utf-8") as file:
        return json.load(file)


# Porter's stemmer.

IRREGULAR = {"skies": "sky", "sky": "sky", "dying": "die", "lying": "lie", "tying": "tie", "news": "news",
             "innings": "inning", "inning": "inning", "outings": "outing", "outing": "outing",
             "cannings": "canning", "canning": "canning", "howe": "howe", "proceed": "proceed",
             "exceed": "exceed", "succeed": "succeed"}

STEP2 = [("ational", "ate"), ("tional", "tion"), ("enci", "ence"), ("anci", "ance"), ("izer", "ize"), ("bli", "ble"),
         ("alli", "al"), ("entli", "ent"), ("eli", "e"), ("ousli", "ous"), ("ization", "ize"), ("ation", "ate"),
         ("ator", "ate"), ("alism", "al"), ("iveness", "ive"), ("fulness", "ful"), ("ousness", "ous"),
         ("aliti", "al"), ("iviti", "ive"), ("biliti", "ble"), ("fulli", "ful")]
STEP3 = [("icate", "ic"), ("ative", ""), ("alize", "al"), ("iciti", "ic"), ("ical", "ic"), ("ful", ""), ("ness", "")]
STEP4 = ["al", "ance", "ence", "er", "ic", "able", "ible", "ant", "ement", "ment", "ent", "ion", "ou", "ism", "ate",
         "iti", "ous", "ive", "ize"]


def kinds(word):
    """c or v for every letter."""
    out = ""
    for i, letter in enumerate(word):
        vowel = letter in "aeiou" or (letter == "y" and i > 0 and out[i - 1] == "c")
        out += "v" if vowel else "c"
    return out


def measure(stem):
    return len(re.findall("v+c+", kinds(stem)))


def closed(word):
    """Ends in consonant, vowel, consonant, the last none of w, x, y; or is a vowel and a consonant."""
    k = kinds(word)
    if k.endswith("cvc"):
        return word[-1] not in "wxy"
    return k == "vc"


def doubled(word):
    return len(word) > 1 and word[-1] == word[-2] and kinds(word)[-1] == "c"


def first_step(word):
    if word.endswith("ies"):
        word = word[:-3] + ("ie" if len(word) == 4 else "i")
    elif word.endswith("sses"):
        word = word[:-2]
    elif word.endswith("s") and not word.endswith("ss"):
        word = word[:-1]

    if word.endswith("ied"):
        return word[:-3] + ("ie" if len(word) == 4 else "i")
    if word.endswith("eed"):
        return word[:-1] if measure(word[:-3]) > 0 else word
    for suffix in ("ed", "ing"):
        if word.endswith(suffix) and "v" in kinds(word[:-len(suffix)]):
            return mended(word[:-len(suffix)])
    return word


def mended(stem):
    for suffix in ("at", "bl", "iz"):
        if stem.endswith(suffix):
            return stem + "e"
    if doubled(stem):
        return stem if stem[-1] in "lsz" else stem[:-1]
    if measure(stem) == 1 and closed(stem):
        return stem + "e"
    return stem


def second_step(word):
    if word.endswith("alli") and measure(word[:-4]) > 0:
        return second_step(word[:-2])
    for suffix, other in STEP2:
        if word.endswith(suffix):
            stem = word[:-len(suffix)]
            return stem + other if measure(stem) > 0 else word
    if word.endswith("logi"):
        return word[:-1] if measure(word[:-3]) > 0 else word
    return word


def third_step(word):
    for suffix, other in STEP3:
        if word.endswith(suffix):
            stem = word[:-len(suffix)]
            return stem + other if measure(stem) > 0 else word
    return word


def fourth_step(word):
    for suffix in STEP4:
        if word.endswith(suffix):
            stem = word[:-len(suffix)]
            fits = measure(stem) > 1 and (suffix != "ion" or (stem and stem[-1] in "st"))
            return stem if fits else word
    return word


def last_step(word):
    if word.endswith("e"):
        stem = word[:-1]
        if measure(stem) > 1 or (measure(stem) == 1 and not closed(stem)):
            word = stem
    if word.endswith("ll") and measure(word[:-1]) > 1:
        word = word[:-1]
    return word


STEMS = {}


def stem(word):
    if word not in STEMS:
        out = IRREGULAR.get(word)
        if out is None:
            out = first_step(word)
            if out.endswith("y") and len(out) > 2 and kinds(out)[-2] == "c":
                out = out[:-1] + "i"
            out = last_step(fourth_step(third_step(second_step(out))))
        STEMS[word] = out
    return STEMS[word]


# ROUGE.

def words(text):
    return [stem(w) if len(w) > 3 else w for w in re.sub("[^a-z0-9]+", " ", text.lower()).split()]


def grams(tokens, n):
    return collections.Counter(tuple(tokens[i:i + n]) for i in range(len(tokens) - n + 1))


def f1(answer, reference):
    both = sum((answer & reference).values())
    p, r = both / max(1, sum(answer.values())), both / max(1, sum(reference.values()))
    return 2 * p * r / (p + r) if p + r > 0 else 0.0


def mean(values):
    return sum(values) / len(values)


def row_of(folder, domain, path, references):
    """A line of systems.tsv."""
    setting = path.split(os.sep)[-3]
    model = os.path.basename(path).removesuffix("_summary.json")
    answers = read(path)
    scores = {1: [], 2: []}
    for answer, refs in zip(answers, references):
        if not answer.strip():
            continue
        tokens = words(answer)
        for n in scores:
            own = grams(tokens, n)
            scores[n].append(max(f1(own, ref[n]) for ref in refs))
    out = [domain, setting, model, len(scores[1]), sum(not a.strip() for a in answers),
           repr(100 * mean(scores[1])), repr(100 * mean(scores[2]))]

    base = os.path.join(folder, "outputs", domain, setting, "evaluation", model)
    if not os.path.exists(base + "_bert_score.json"):
        return out + ["", "", "", ""]
    rouge = read(base + "_squality_rouge.json")
    grades = read(base + "_rel_gpteval.json")["Pass #1"]
    grades = grades.get("Summary_1") or grades["Summary"]
    out += [repr(100 * rouge[name]["high"]["f1-measure"]) for name in ("rouge1", "rouge2")]
    return out + [repr(100 * mean(read(base + "_bert_score.json")["f1"])), repr(20 * mean(grades))]


def systems(folder):
    rows = []
    for domain in K:
        references = []
        for row in read(folder, domain, "queries_test.json").values():
            answers = row["answer"] if isinstance(row["answer"], list) else [row["answer"]]
            references.append([{n: grams(words(a), n) for n in (1, 2)} for a in answers])
        for path in sorted(glob.glob(os.path.join(folder, "outputs", domain, "*", "summary", "*_summary.json"))):
            rows.append(row_of(folder, domain, path, references))
    return rows


# BM25.

def rankings(folder):
    rows = []
    for domain in K:
        texts = {}
        for path in glob.glob(os.path.join(folder, domain, "documents", "*.txt")):
            with open(path, encoding="utf-8", newline="") as file:
                texts[os.path.basename(path).split(".")[0]] = file.read()
        search = okapi(texts)
        for wording in ("query", "squality_query"):
            found = []
            for row in read(folder, domain, "queries_test.json").values():
                gold = {g for g in row["gold_documents"] if g in texts}
                if wording in row and gold:
                    found.append(figures(search(row[wording]), gold, K[domain]))
            if found:
                rows.append([domain, wording, len(found)] + [repr(100 * mean(column)) for column in zip(*found)])
    return rows


def okapi(texts):
    k1, b, epsilon = 1.5, 0.75, 0.25
    counts = {name: collections.Counter(text.split(" ")) for name, text in texts.items()}
    length = {name: sum(c.values()) for name, c in counts.items()}
    average = mean(list(length.values()))
    df = collections.Counter(word for c in counts.values() for word in c)
    idf = {word: math.log(len(texts) - n + 0.5) - math.log(n + 0.5) for word, n in df.items()}
    floor = epsilon * mean(list(idf.values()))
    idf = {word: value if value >= 0 else floor for word, value in idf.items()}

    def search(query):
        scores = {}
        for name, c in counts.items():
            norm = k1 * (1 - b + b * length[name] / average)
            scores[name] = sum(idf.get(w, 0) * c[w] * (k1 + 1) / (c[w] + norm) for w in query.split(" "))
        return sorted(scores, key=lambda name: (-scores[name], name))

    return search


def figures(ranked, gold, k):
    hits = [name in gold for name in ranked[:k]]
    n = sum(hits)
    dcg = sum(1 / math.log2(i + 2) for i, hit in enumerate(hits) if hit)
    ideal = sum(1 / math.log2(i + 2) for i in range(min(k, len(gold))))
    precision = sum(sum(hits[:i + 1]) / (i + 1) for i, hit in enumerate(hits) if hit)
    return n / k, n / len(gold), dcg / ideal, precision / len(gold)


# What the data holds, as far as it does not hang on a tokenizer.

def write(name, head, rows):
    with open(os.path.join(HERE, name), "w", encoding="utf-8") as file:
        for row in [head] + rows:
            file.write("\t".join(map(str, row)) + "\n")


def main():
    folder = sys.argv[1]
    write("rankings.tsv", ["domain", "wording", "n", "p", "r", "ndcg", "map"], rankings(folder))
    write("systems.tsv", ["domain", "setting", "model", "n", "empty", "rouge1", "rouge2", "authors_rouge1_high",
                          "authors_rouge2_high", "authors_bertscore", "authors_geval"], systems(folder))


main()
