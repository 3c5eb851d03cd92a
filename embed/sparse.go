package embed

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
)

// Trying reports whether vectors under this context may be stand-ins: see Trial.
func Trying(ctx context.Context) bool { return trialOf(ctx) != nil }

// SparseEncoder gives texts weights of terms: those of a masked language model that was trained for search, as SPLADE is.
// Its embeddings have Terms, and Vector holds their weights.
type SparseEncoder interface {
	Embedder
	// Term is the token of the model's vocabulary that a number of Terms stands for.
	Term(id uint32) string
}

// Activations turn a logit into a weight. The names are those of Sentence Transformers' SpladePooling.
const (
	LogReLU    = "relu"       // log(1 + max(0, x)): SPLADE v2 to v3 (arXiv 2109.10086, 2403.06789)
	LogLogReLU = "log1p_relu" // log(1 + log(1 + max(0, x))): OpenSearch's document encoders of version 3
)

// poolSum is SPLADE's first pooling (arXiv 2107.05720): the sum over the tokens in place of the greatest.
const poolSum = "sum"

// sparseTokens bounds a batch of a model that gives every token a logit for every term: some 125 MB of logits for the
// vocabulary of BERT.
const sparseTokens = 1024

// sparseModel is a masked language model, perhaps with another side for queries.
type sparseModel struct {
	settings Settings
	tok      *tokenizer
	rt       runtime
	most     int
	vocab    vocabulary
	plain    bool       // terms for special tokens are left out
	queries  *querySide // nil: the model itself
}

// OpenSparse opens the model in a folder. query names what encodes queries instead: a folder, a file of token weights,
// QueryTokens, or nothing, where the folder decides: see sparseParts.
func OpenSparse(ctx context.Context, dir, query string, w Windows, e Engine) (SparseEncoder, error) {
	parts, err := sparseParts(dir, query)
	if err != nil {
		return nil, err
	}
	m, err := openSparseModel(ctx, parts, w, e)
	if err != nil {
		return nil, err
	}
	m.settings.Name = dir
	if err := m.openQueries(ctx, parts, w, e); err != nil {
		return nil, errors.Join(err, m.Close())
	}
	return m, nil
}

// openSparseModel opens the model of a side, and tries it.
func openSparseModel(ctx context.Context, parts sparseSides, w Windows, e Engine) (*sparseModel, error) {
	f, tok, err := openFolder(parts.documents, false)
	if err != nil {
		return nil, err
	}
	m := &sparseModel{tok: tok, most: batchLimit(f), plain: parts.plain}
	if m.vocab, err = readVocabulary(f); err != nil {
		return nil, err
	}

	f.settings.Similarity = Dot
	f.settings.Pooling, f.settings.Activation = parts.pooling, parts.activation
	f.settings.Windows = w
	if w.Long != Cut {
		f.settings.Windows.Long = Max
	}
	if parts.plain {
		f.settings.Special = "left out"
	}
	f.settings.Notes = append(f.settings.Notes, parts.notes...)
	if m.rt, err = e.open(ctx, f); err != nil {
		return nil, err
	}
	f.settings.Output = m.rt.outputName()
	m.settings = f.settings

	if err := m.try(ctx); err != nil {
		return nil, errors.Join(err, m.rt.close())
	}
	return m, nil
}

// try encodes a few texts, which shows whether the graph can be computed and was trained for this.
func (m *sparseModel) try(ctx context.Context) error {
	got, err := m.Embed(ctx, Passage, trialTexts)
	if err != nil {
		return err
	}

	terms, same := 0, true
	for _, e := range got {
		terms += len(e.Terms)
		same = same && slices.Equal(e.Terms, got[0].Terms) && slices.Equal(e.Vector, got[0].Vector)
	}
	switch {
	case terms == 0:
		return m.refuse("gives no term a weight above zero")
	case same:
		return m.refuse("gives the same weights for different texts")
	case 2*terms > len(got)*len(m.vocab.terms):
		m.settings.Notes = append(m.settings.Notes, fmt.Sprintf("%d of %d terms have a weight in a short text: "+
			"the model does not seem to be trained for sparse retrieval", terms/len(got), len(m.vocab.terms)))
	}
	return nil
}

func (m *sparseModel) refuse(why string) error {
	return &ModelError{Dir: m.settings.Name, Msg: why, Err: ErrVectors,
		Remedy: "export a model of learned sparse retrieval, such as SPLADE, as a masked language model"}
}

// Settings of both sides.
func (m *sparseModel) Settings() Settings { return m.settings }

// Close frees the models of both sides.
func (m *sparseModel) Close() error {
	if m.queries != nil && m.queries.model != nil {
		return errors.Join(m.rt.close(), m.queries.model.Close())
	}
	return m.rt.close()
}

// Term is a token of the vocabulary.
func (m *sparseModel) Term(id uint32) string { return m.vocab.terms[id] }

// Embed gives texts their terms in ascending order of their numbers. A text that is longer than the model's window is
// encoded in windows, of which each term gets its greatest weight.
func (m *sparseModel) Embed(ctx context.Context, role Role, texts []string) ([]Embedding, error) {
	if role == Query && m.queries != nil {
		return m.queries.embed(ctx, m, texts)
	}

	split := encoder{settings: m.settings, tok: m.tok}
	out := make([]Embedding, len(texts))
	rows := make([][]float32, len(texts)) // of a text that is not finished: the weight of every term
	left := make([]int, len(texts))       // its windows that are to come
	var inputs []input
	var owner []int
	for i, text := range texts {
		ids := m.tok.encode(text)
		windows, cut := split.split(ids, 0)
		out[i] = Embedding{Tokens: len(ids), Windows: len(windows), Cut: cut}
		left[i] = len(windows)
		for _, w := range windows {
			var in input
			in.ids, in.types = m.tok.single.fill(w, nil)
			inputs, owner = append(inputs, in), append(owner, i)
		}
	}

	err := runBatches(ctx, m.rt, m.most, sparseTokens, inputs, func(k int, o output) error {
		i := owner[k]
		weights, err := m.weights(o)
		if err != nil {
			return err
		}
		if rows[i] == nil {
			rows[i] = weights
		} else {
			rows[i] = elementMax([][]float32{rows[i], weights})
		}
		if left[i]--; left[i] == 0 {
			out[i].Terms, out[i].Vector = m.terms(rows[i])
			rows[i] = nil
		}
		return nil
	})
	return out, err
}

// weights pools the logits of a window. The greatest weight is that of the greatest logit, as activations never fall.
func (m *sparseModel) weights(o output) ([]float32, error) {
	if o.vector != nil {
		if err := m.checkWidth(len(o.vector)); err != nil {
			return nil, err
		}
		return o.vector, m.finite(o.vector, true)
	}
	if err := m.checkWidth(len(o.tokens[0])); err != nil {
		return nil, err
	}

	if m.settings.Pooling == poolSum {
		sums := make([]float64, len(o.tokens[0]))
		for _, row := range o.tokens {
			if err := m.finite(row, false); err != nil {
				return nil, err
			}
			for k, x := range row {
				sums[k] += m.activate(x)
			}
		}
		return narrow(sums), nil
	}

	greatest := make([]float64, len(o.tokens[0]))
	for k, x := range elementMax(o.tokens) {
		greatest[k] = m.activate(x)
	}
	for _, row := range o.tokens {
		if err := m.finite(row, false); err != nil {
			return nil, err
		}
	}
	return narrow(greatest), nil
}

func narrow(a []float64) []float32 {
	out := make([]float32, len(a))
	for i, x := range a {
		out[i] = float32(x)
	}
	return out
}

// activate turns a logit into a weight.
func (m *sparseModel) activate(logit float32) float64 {
	if !(logit > 0) {
		return 0
	}
	w := math.Log1p(float64(logit))
	if m.settings.Activation == LogLogReLU {
		w = math.Log1p(w)
	}
	return w
}

// checkWidth refuses outputs that are not about the vocabulary.
func (m *sparseModel) checkWidth(n int) error {
	if n >= m.vocab.least {
		return nil
	}
	return &ModelError{
		Dir: m.settings.Name,
		Msg: fmt.Sprintf("gives %d values where its vocabulary has %d terms", n, m.vocab.least),
		Remedy: "export it with its masked-language-model head (Optimum's task fill-mask), whose output is logits; " +
			"an encoder of vectors is dense:DIR",
		Err: ErrVectors,
	}
}

// finite refuses what is no number, and negative weights of a graph that pools by itself.
func (m *sparseModel) finite(row []float32, weights bool) error {
	for _, x := range row {
		switch {
		case math.IsNaN(float64(x)) || math.IsInf(float64(x), 0):
			return &ModelError{Dir: m.settings.Name, Msg: "gives a value that is no number (NaN or infinite)",
				Remedy: "choose another model, or export and copy it again", Err: ErrVectors}
		case weights && x < 0:
			return &ModelError{Dir: m.settings.Name, Msg: "pools by itself and gives negative weights",
				Remedy: "export it as a masked language model, whose output is logits of every token", Err: ErrVectors}
		}
	}
	return nil
}

// terms are those with a weight, by number. The vector is never nil.
func (m *sparseModel) terms(row []float32) ([]uint32, []float32) {
	n := 0
	for _, x := range row {
		if x > 0 {
			n++
		}
	}
	terms, weights := make([]uint32, 0, n), make([]float32, 0, n)
	for id, x := range row {
		if x > 0 && id < len(m.vocab.terms) && m.vocab.terms[id] != "" && !(m.plain && m.vocab.special[id]) {
			terms, weights = append(terms, uint32(id)), append(weights, x)
		}
	}
	return terms, weights
}

// runBatches runs inputs in batches of similar length, which have at most so many tokens with their padding where they
// are of several texts, and hands over each output by the place of its input.
func runBatches(ctx context.Context, rt runtime, most, tokens int, inputs []input, do func(i int, o output) error) error {
	order := make([]int, len(inputs))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(len(inputs[a].ids), len(inputs[b].ids)) })

	for len(order) > 0 {
		size := 1
		for size*2 <= min(most, len(order)) && size*2*len(inputs[order[size*2-1]].ids) <= tokens {
			size *= 2
		}
		batch := make([]input, size)
		for k, i := range order[:size] {
			batch[k] = inputs[i]
		}
		results, err := rt.run(ctx, batch)
		if err != nil {
			return err
		}
		for k, o := range results {
			if err := do(order[k], o); err != nil {
				return err
			}
		}
		order = order[size:]
	}
	return nil
}

// querySide is what encodes queries in place of the documents' model: another model, or weights of tokens.
type querySide struct {
	model   *sparseModel
	weights []float32 // by token; nil: each token of the query weighs 1
}

// openQueries opens the side of queries.
func (m *sparseModel) openQueries(ctx context.Context, parts sparseSides, w Windows, e Engine) error {
	switch {
	case parts.queries == "":
		return nil
	case parts.queries == QueryTokens:
		m.queries = &querySide{}
		m.settings.QuerySide = "tokens, each with weight 1"
		return nil
	case parts.table:
		weights, note, hash, err := readTokenWeights(parts.queries, m.vocab)
		if err != nil {
			return err
		}
		m.queries = &querySide{weights: weights}
		m.settings.QuerySide = "token weights " + hash
		m.settings.Notes = append(m.settings.Notes, note...)
		return nil
	}

	own, err := sparseParts(parts.queries, "")
	if err != nil {
		return err
	}
	if !own.stated {
		own.pooling, own.activation = parts.pooling, parts.activation
	}
	q, err := openSparseModel(ctx, own, w, e)
	if err != nil {
		return err
	}
	m.queries = &querySide{model: q}
	m.settings.QuerySide = "encoder " + q.settings.Hash()
	if !slices.Equal(q.vocab.terms, m.vocab.terms) {
		return &ModelError{
			Dir:    parts.queries,
			Msg:    "has another vocabulary than the encoder of documents, " + parts.documents,
			Remedy: "give two encoders that were trained together",
		}
	}
	return nil
}

// embed gives queries their terms.
func (q *querySide) embed(ctx context.Context, m *sparseModel, texts []string) ([]Embedding, error) {
	if q.model != nil {
		return q.model.Embed(ctx, Query, texts)
	}
	out := make([]Embedding, len(texts))
	for i, text := range texts {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		ids := m.tok.encode(text)
		row := make([]float32, len(m.vocab.terms))
		for _, id := range ids {
			switch {
			case id >= len(row) || m.vocab.special[id]:
			case q.weights == nil:
				row[id] = 1
			default:
				row[id] = q.weights[id]
			}
		}
		out[i] = Embedding{Tokens: len(ids), Windows: 1}
		out[i].Terms, out[i].Vector = m.terms(row)
	}
	return out, nil
}
