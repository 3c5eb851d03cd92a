# Writes rm3_documents.txt and rm3_queries.txt, and prints what RM3 as Anserini computes it finds in them, from its formulas alone:
# query, parameters, document and score. BM25 is Lucene's with k1=0.9, b=0.4; words are parted by white space.
#
#   python3 rm3.py > rm3_scores.txt
import math
import random
from collections import Counter

random.seed(3)
letters = "abcdefghijklmnopqrstuvwxyz"
words = ["".join(random.choice(letters) for _ in range(random.randint(1, 9))) for _ in range(400)] + ["x" * 21, "naïve", "a-b", "2026"] * 5
weights = [1 / (i + 3) for i in range(len(words))]
documents = [random.choices(words, weights, k=random.randint(0, 60)) for _ in range(120)]
queries = [random.choices(words[:150], k=random.randint(1, 5)) for _ in range(12)] + [["nosuchword"], [words[0], words[0], words[9]]]

N = len(documents)
mean = sum(map(len, documents)) / N
counts = [Counter(d) for d in documents]
df = Counter(t for c in counts for t in c)


def search(query, k):
    """query: weights by term."""
    found = []
    for i, c in enumerate(counts):
        hit = [t for t in query if t in c]
        if hit:
            norm = 0.9 * (0.6 + 0.4 * len(documents[i]) / mean)
            score = math.fsum(query[t] * math.log(1 + (N - df[t] + 0.5) / (df[t] + 0.5)) * c[t] / (c[t] + norm) for t in hit)
            found.append((-score, i))
    return [(i, -s) for s, i in sorted(found)[:k]]


def cut(weights, n):
    return dict(sorted(weights.items(), key=lambda p: (-p[1], p[0]))[:n])


def share(weights):
    total = sum(weights.values())
    return {t: w / total for t, w in weights.items()} if total else {}


def allowed(term):
    return 2 <= len(term) <= 20 and all(c in letters + "0123456789" for c in term) and df[term] / N <= 0.1


def rm3(query, terms, docs, weight):
    model = Counter()
    for i, score in search(Counter(query), docs):
        for t, p in share(cut({t: n for t, n in counts[i].items() if allowed(t)}, terms)).items():
            model[t] += p * score
    model = share(cut(model, terms))
    asked = share(Counter(query))
    mixed = {t: weight * asked.get(t, 0) + (1 - weight) * model.get(t, 0) for t in {*asked, *model}}
    return search({t: w for t, w in mixed.items() if w > 0}, 10)


if __name__ == "__main__":
    with open("rm3_documents.txt", "w") as f:
        f.writelines(" ".join(d) + "\n" for d in documents)
    with open("rm3_queries.txt", "w") as f:
        f.writelines(" ".join(q) + "\n" for q in queries)
    for terms, docs, weight in ((10, 10, 0.5), (3, 5, 0.2), (20, 2, 0), (5, 200, 1)):
        for n, q in enumerate(queries):
            for i, score in rm3(q, terms, docs, weight):
                print(n, terms, docs, weight, i, "%.12g" % score)
