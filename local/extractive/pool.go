package extractive

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"sync"

	"lore/local"
)

// sentence is one sentence of a passage as a sparse vector.
type sentence struct {
	text    string
	passage int
	terms   []int     // term numbers, ascending, without repeats
	weights []float64 // of terms; the vector has length 1
}

// pool is all sentences of a request.
type pool struct {
	sentences []sentence
	number    map[string]int
	df        []float64 // sentences that hold a term
	postings  [][]int   // sentences by term
}

// parsed is a passage cut into sentences with their terms.
type parsed struct {
	texts []string
	terms [][]string
}

// cache keeps parsed passages: the same documents come back for every query.
type cache struct {
	mu   sync.Mutex
	of   map[place]parsed
	size int
}

// place is a passage, and how its language is found.
type place struct{ language, passage string }

// cacheBytes bounds the text the cache stands for.
const cacheBytes = 64 << 20

func (c *cache) get(at place) parsed {
	c.mu.Lock()
	p, ok := c.of[at]
	c.mu.Unlock()
	if ok {
		return p
	}

	l := languageOf(at.language, at.passage)
	for _, s := range l.Sentences(at.passage) {
		p.texts = append(p.texts, s)
		p.terms = append(p.terms, l.Terms(s))
	}

	c.mu.Lock()
	defer c.mu.Unlock()
	if c.of == nil || c.size > cacheBytes {
		c.of, c.size = map[place]parsed{}, 0
	}
	c.of[at] = p
	c.size += len(at.passage)
	return p
}

func (b *Backend) pool(src local.Source) *pool {
	p := &pool{number: map[string]int{}}
	for i, passage := range src.Passages {
		doc := b.parsed.get(place{src.Language, passage.Text})
		for k, s := range doc.texts {
			p.add(s, i, doc.terms[k])
		}
	}
	return p
}

func (p *pool) add(s string, passage int, terms []string) {
	if len(terms) == 0 {
		return
	}

	nums := make([]int, 0, len(terms))
	for _, t := range terms {
		n, ok := p.number[t]
		if !ok {
			n = len(p.df)
			p.number[t] = n
			p.df = append(p.df, 0)
			p.postings = append(p.postings, nil)
		}
		nums = append(nums, n)
	}

	slices.Sort(nums)
	nums = slices.Compact(nums)
	for _, n := range nums {
		p.df[n]++
		p.postings[n] = append(p.postings[n], len(p.sentences))
	}

	p.sentences = append(p.sentences, sentence{text: s, passage: passage, terms: nums})
}

func (p *pool) idf(term int) float64 {
	return math.Log((float64(len(p.sentences)) + 1) / (p.df[term] + 0.5))
}

// weigh sets idf weights and scales each vector to length 1.
func (p *pool) weigh() {
	for i := range p.sentences {
		s := &p.sentences[i]
		s.weights = make([]float64, len(s.terms))
		sum := 0.0
		for k, t := range s.terms {
			w := p.idf(t)
			s.weights[k] = w
			sum += w * w
		}

		if norm := math.Sqrt(sum); norm > 0 {
			for k := range s.weights {
				s.weights[k] /= norm
			}
		}
	}
}

// cosine of two sentences, in [0,1].
func (p *pool) cosine(a, b int) float64 {
	x, y := &p.sentences[a], &p.sentences[b]
	sum := 0.0
	for i, j := 0, 0; i < len(x.terms) && j < len(y.terms); {
		switch {
		case x.terms[i] < y.terms[j]:
			i++
		case x.terms[i] > y.terms[j]:
			j++
		default:
			sum += x.weights[i] * y.weights[j]
			i++
			j++
		}
	}
	return sum
}

// rank orders candidate sentences by the random walk times the number of passages
// that support them, best first.
func (p *pool) rank(query []string) []int {
	prior := p.prior(query)

	pick := make([]int, 0, len(p.sentences))
	for i, s := range p.sentences {
		if len(s.terms) >= shortest {
			pick = append(pick, i)
		}
	}

	// Where all sentences are short, the short ones must do.
	if len(pick) == 0 {
		for i := range p.sentences {
			pick = append(pick, i)
		}
	}

	slices.SortStableFunc(pick, func(a, b int) int { return cmp.Compare(prior[b], prior[a]) })
	pick = pick[:min(len(pick), candidates)]

	score := p.walk(pick, prior)
	for i, k := range pick {
		score[i] *= float64(len(p.supporters(k))) // what many passages say counts more
	}

	order := make([]int, len(pick))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(score[b], score[a]) })

	out := make([]int, len(pick))
	for i, k := range order {
		out[i] = pick[k]
	}
	return out
}

// prior is each sentence's idf-weighted share of the query's terms.
func (p *pool) prior(query []string) []float64 {
	total := 0.0
	wanted := map[int]float64{}
	for _, q := range query {
		if n, ok := p.number[q]; ok {
			wanted[n] = p.idf(n)
		}
	}

	// In a fixed order, because the sum of floats depends on it.
	for _, n := range slices.Sorted(maps.Keys(wanted)) {
		total += wanted[n]
	}

	out := make([]float64, len(p.sentences))
	if total == 0 {
		for i := range out {
			out[i] = 1
		}
		return out
	}

	for i, s := range p.sentences {
		for _, t := range s.terms {
			out[i] += wanted[t]
		}
		out[i] /= total
	}
	return out
}

// walk runs the biased random walk over the picked sentences.
func (p *pool) walk(pick []int, prior []float64) []float64 {
	n := len(pick)
	links := make([][]float64, n)
	out := make([]float64, n)
	for i := range links {
		links[i] = make([]float64, n)
	}

	for i := range n {
		for j := i + 1; j < n; j++ {
			if c := p.cosine(pick[i], pick[j]); c >= edgeFrom {
				links[i][j], links[j][i] = c, c
				out[i] += c
				out[j] += c
			}
		}
	}

	bias := make([]float64, n)
	sum := 0.0
	for i, s := range pick {
		bias[i] = prior[s]
		sum += prior[s]
	}
	for i := range bias {
		if sum > 0 {
			bias[i] /= sum
		} else {
			bias[i] = 1 / float64(n)
		}
	}

	score := slices.Clone(bias)
	for range walkSteps {
		next := make([]float64, n)
		for i := range n {
			next[i] = queryBias * bias[i]
		}

		for j := range n {
			if out[j] == 0 {
				continue
			}
			flow := (1 - queryBias) * score[j] / out[j]
			for i, c := range links[j] {
				if c > 0 {
					next[i] += flow * c
				}
			}
		}
		score = next
	}
	return score
}

// choose takes up to n sentences by maximal marginal relevance from ranked ones.
// When only sentences are left that repeat chosen ones, fewer are returned.
func (p *pool) choose(order []int, n int) []int {
	worst := make([]float64, len(order)) // largest similarity to a chosen sentence
	used := make([]bool, len(order))
	var chosen []int

	for len(chosen) < n {
		best, bestScore := -1, math.Inf(-1)
		for i := range order {
			if used[i] || worst[i] >= sameFrom {
				continue
			}
			rank := 1 - float64(i)/float64(len(order))
			if s := relevance*rank - (1-relevance)*worst[i]; s > bestScore {
				best, bestScore = i, s
			}
		}

		if best < 0 {
			break
		}

		used[best] = true
		chosen = append(chosen, order[best])
		for i := range order {
			worst[i] = max(worst[i], p.cosine(order[i], order[best]))
		}
	}
	return chosen
}

// supporters returns the passages that hold a sentence like s, its own first.
func (p *pool) supporters(s int) []int {
	like := map[int]bool{p.sentences[s].passage: true}
	seen := map[int]bool{}
	for _, t := range p.sentences[s].terms {
		for _, other := range p.postings[t] {
			if seen[other] || like[p.sentences[other].passage] {
				continue
			}
			seen[other] = true
			if p.cosine(s, other) >= citeFrom {
				like[p.sentences[other].passage] = true
			}
		}
	}

	out := make([]int, 0, len(like))
	for passage := range like {
		out = append(out, passage)
	}
	slices.Sort(out)
	return out
}
