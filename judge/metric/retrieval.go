package metric

import (
	"math"
)

// The functions below give one topic's value. rel is the smallest grade that
// counts as relevant, k a cut of the ranking; a k of 0 or less means no cut. All
// are in [0,1] unless a comment says otherwise, and 0 where there is no relevant
// document, as trec_eval defines them (usnistgov/trec_eval, commit f425365).

func depth(t *Topic, k int) int {
	if k <= 0 {
		return len(t.Relevance)
	}
	return k
}

func share(a, b int) float64 {
	if b == 0 {
		return 0
	}
	return float64(a) / float64(b)
}

// Precision is the share of the top k that is relevant; a ranking shorter than k
// is filled up with documents that are not.
func Precision(t *Topic, rel, k int) float64 {
	return share(t.relevantRetrieved(rel, depth(t, k)), depth(t, k))
}

// Recall is the share of the relevant documents that is in the top k.
func Recall(t *Topic, rel, k int) float64 {
	return share(t.relevantRetrieved(rel, depth(t, k)), t.relevantJudged(rel))
}

// AveragePrecision is the sum of the precisions at the relevant documents of the
// top k over the number of all relevant documents.
func AveragePrecision(t *Topic, rel, k int) float64 {
	hits, sum := 0, 0.0
	for i, r := range t.Relevance {
		if i >= depth(t, k) {
			break
		}
		if r >= rel {
			hits++
			sum += float64(hits) / float64(i+1)
		}
	}

	if n := t.relevantJudged(rel); n > 0 {
		return sum / float64(n)
	}
	return 0
}

// F1At is the harmonic mean of precision and recall in the top k, as ranx has it.
func F1At(t *Topic, rel, k int) float64 {
	return F1(Precision(t, rel, k), Recall(t, rel, k))
}

// inferredEpsilon smooths InferredAP where nothing was judged above a document, as in trec_eval.
const inferredEpsilon = 0.00001

// InferredAP estimates average precision from a pool of which a random part was judged (Yilmaz and Aslam, 2006):
// documents of the pool without a judgement are relevant as often as those above that have one, and documents outside
// the pool are not relevant.
func InferredAP(t *Topic, rel int) float64 {
	found, others, pooled, sum := 0.0, 0.0, 0.0, 0.0
	for i, r := range t.Relevance {
		switch {
		case r == Unjudged:
		case r < 0:
			pooled++
		case r < rel:
			others++
		case i == 0:
			sum, found = 1, 1
		default:
			above := float64(i)
			inPool := (found + others + pooled) / above
			likely := (found + inferredEpsilon) / (found + others + 2*inferredEpsilon)
			sum += 1/(above+1) + above/(above+1)*inPool*likely
			found++
		}
	}

	if n := t.relevantJudged(rel); n > 0 {
		return sum / float64(n)
	}
	return sum
}

// YAAP is the logarithm of the odds of average precision, with 1 added to both sides (Robertson, 2012); a number of
// any sign.
func YAAP(t *Topic, rel int) float64 {
	sum := AveragePrecision(t, rel, 0) * float64(t.relevantJudged(rel))
	return math.Log((1 + sum) / (1 + float64(t.relevantJudged(rel)) - sum))
}

// Gain turns a grade into a gain for DCG.
type Gain func(grade int) float64

// LinearGain is the grade itself, trec_eval's default; ExpGain is 2^grade − 1
// (Burges et al., 2005). Both are 0 for grades of 0 and below.
func LinearGain(grade int) float64 { return float64(max(grade, 0)) }

// ExpGain is 2^grade − 1.
func ExpGain(grade int) float64 { return math.Exp2(float64(max(grade, 0))) - 1 }

// NDCG is discounted cumulative gain at k with the discount log2(rank+1), over
// that of the ideal order of all judged documents (Järvelin and Kekäläinen, 2002).
func NDCG(t *Topic, k int, gain Gain) float64 {
	return over(DCG(t, k, gain), IdealDCG(t, k, gain))
}

// DCG is discounted cumulative gain at k, 0 and above where gains are. Documents without a judgement have no gain.
func DCG(t *Topic, k int, gain Gain) float64 {
	sum := 0.0
	for i, g := range t.Relevance {
		if i >= depth(t, k) {
			break
		}
		if g >= 0 {
			sum += gain(g) / math.Log2(float64(i+2))
		}
	}
	return sum
}

// IdealDCG is DCG at k of the best order of all judged documents.
func IdealDCG(t *Topic, k int, gain Gain) float64 {
	sum := 0.0
	for i, g := range idealOf(t, gain) {
		if k > 0 && i >= k {
			break
		}
		sum += g / math.Log2(float64(i+2))
	}
	return sum
}

// ReciprocalRank is 1 over the rank of the first relevant document of the top k.
func ReciprocalRank(t *Topic, rel, k int) float64 {
	for i, r := range t.Relevance {
		if i >= depth(t, k) {
			break
		}
		if r >= rel {
			return 1 / float64(i+1)
		}
	}
	return 0
}

// RPrecision is precision at R, the number of relevant documents, or at a
// multiple of it, rounded as trec_eval does.
func RPrecision(t *Topic, rel int, multiple float64) float64 {
	r := t.relevantJudged(rel)
	cut := r
	if multiple != 1 {
		cut = int(multiple*float64(r) + 0.9)
	}
	if cut == 0 {
		return 0
	}
	return Precision(t, rel, cut)
}

// BPref compares relevant with judged non-relevant documents only (Buckley and
// Voorhees, 2004), in trec_eval's form.
func BPref(t *Topic, rel int) float64 {
	n := t.relevantJudged(rel)
	bad := len(t.Judged) - n
	above, sum := 0, 0.0
	for _, r := range t.Relevance {
		switch {
		case r < 0:
		case r < rel:
			above++
		case above == 0:
			sum++
		default:
			sum += 1 - float64(min(above, n))/float64(min(bad, n))
		}
	}

	if n == 0 {
		return 0
	}
	return sum / float64(n)
}

// Success is 1 if a relevant document is in the top k, else 0.
func Success(t *Topic, rel, k int) float64 {
	return min(1, float64(t.relevantRetrieved(rel, depth(t, k))))
}

// RBP is rank-biased precision with persistence p (Moffat and Zobel, 2008), for
// relevance of at least rel in the top k.
func RBP(t *Topic, rel, k int, p float64) float64 {
	sum, weight := 0.0, 1-p
	for _, r := range t.Relevance[:min(depth(t, k), len(t.Relevance))] {
		if r >= rel {
			sum += weight
		}
		weight *= p
	}
	return sum
}

// GradedRBP is rank-biased precision with the grade over the topic's largest as gain, trec_eval's rbp.
func GradedRBP(t *Topic, p float64) float64 {
	largest := 1
	for _, g := range t.Judged {
		largest = max(largest, g)
	}
	sum, weight := 0.0, 1-p
	for _, r := range t.Relevance {
		sum += weight * float64(max(r, 0)) / float64(largest)
		weight *= p
	}
	return sum
}

// RBPResidual is what RBP would gain if every document without a judgement, and all below the ranking, were relevant;
// 0 where every retrieved document is judged, as in trec_eval.
func RBPResidual(t *Topic, p float64) float64 {
	sum, weight, some := 0.0, 1.0, false
	for _, r := range t.Relevance {
		if r < 0 {
			sum += (1 - p) * weight
			some = true
		}
		weight *= p
	}
	if !some {
		return 0
	}
	return weight + sum
}

// PairAccuracy is the chance that, of a relevant and another document of the top k drawn at random, the relevant one
// stands first (ir_measures). It is NaN without a document of each kind.
func PairAccuracy(t *Topic, rel, k int) float64 {
	others, above, found := 0, 0, 0
	for _, r := range t.Relevance[:min(depth(t, k), len(t.Relevance))] {
		if r >= rel {
			found++
			above += others
		} else {
			others++
		}
	}
	if found == 0 || others == 0 {
		return math.NaN()
	}
	return 1 - float64(above)/float64(found*others)
}

// UnjudgedAt is the number of documents in the top k without a judgement, over k: a ranking shorter than k is filled
// with judged ones.
func UnjudgedAt(t *Topic, k int) float64 {
	n := 0
	for _, r := range t.Relevance[:min(k, len(t.Relevance))] {
		if r < 0 {
			n++
		}
	}
	return share(n, k)
}

// JudgedAt is the share of the top k that is judged, of the documents there are.
func JudgedAt(t *Topic, k int) float64 {
	n, judged := min(depth(t, k), len(t.Relevance)), 0
	for _, r := range t.Relevance[:n] {
		if r >= 0 {
			judged++
		}
	}
	return share(judged, n)
}

// InterpolatedPrecision is the largest precision at any rank with a recall of at
// least the given one, the recall being rounded to whole documents as in
// trec_eval 10 (version 9 rounded up).
func InterpolatedPrecision(t *Topic, rel int, recall float64) float64 {
	need := int(math.Round(recall * float64(t.relevantJudged(rel))))
	best, hits := 0.0, 0
	for i, r := range t.Relevance {
		if r >= rel {
			hits++
		}
		if hits >= need && hits > 0 {
			best = max(best, float64(hits)/float64(i+1))
		}
	}
	return best
}

// ElevenPointPrecision is the mean of the interpolated precision at recalls 0, 0.1 to 1.
func ElevenPointPrecision(t *Topic, rel int) float64 {
	sum := 0.0
	for i := range 11 {
		sum += InterpolatedPrecision(t, rel, float64(i)/10)
	}
	return sum / 11
}

// SetF is the F measure of the whole retrieved set, (1 + beta)·P·R / (beta·P + R), as trec_eval and ir_measures
// have it: beta above 1 favours recall. Textbooks have the square of beta there.
func SetF(t *Topic, rel int, beta float64) float64 {
	p, r := Precision(t, rel, 0), Recall(t, rel, 0)
	return over((1+beta)*p*r, beta*p+r)
}

// SetAP is precision times recall of the whole retrieved set.
func SetAP(t *Topic, rel int) float64 { return Precision(t, rel, 0) * Recall(t, rel, 0) }

// RelativePrecision is precision over the best possible at k: relevant documents
// found over the smaller of k and the number there are.
func RelativePrecision(t *Topic, rel, k int) float64 {
	return share(t.relevantRetrieved(rel, depth(t, k)), min(depth(t, k), t.relevantJudged(rel)))
}

// Utility counts hit for every relevant document retrieved, other for every other one, and missed for every relevant
// one that was not; any number.
func Utility(t *Topic, rel int, hit, other, missed float64) float64 {
	n := t.relevantRetrieved(rel, len(t.Relevance))
	return hit*float64(n) + other*float64(len(t.Relevance)-n) + missed*float64(t.relevantJudged(rel)-n)
}

// ERR is expected reciprocal rank (Chapelle et al., 2009) with gdeval's grades:
// the chance that a document of grade g satisfies is (2^g − 1)/2^max. max is the
// largest grade of the scale.
func ERR(t *Topic, k, highest int) float64 {
	left, sum := 1.0, 0.0
	for i, r := range t.Relevance {
		if i >= depth(t, k) {
			break
		}
		stop := ExpGain(r) / math.Exp2(float64(highest))
		sum += left * stop / float64(i+1)
		left *= 1 - stop
	}
	return sum
}
