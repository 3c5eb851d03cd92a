package pipeline

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"lore/cmd/lore/internal/usage"
	"lore/embed"
	"lore/index"
	"lore/index/collection"
	"lore/local/files"
)

// sparse is learned sparse retrieval: a model's weights of terms, or weights from files.
const sparse = "sparse"

// queryKey comes before what encodes the queries of sparse: sparse:DIR,query=DIR2.
const queryKey = ",query="

// queryTerms says that the texts of queries are terms, separated by white space.
const queryTerms = "terms"

// sparseChunk is how many documents are encoded at a time.
const sparseChunk = 1024

// parseQuery takes ",query=…" behind sparse:DIR.
func (s *Source) parseQuery(rest string) (string, error) {
	after, ok := strings.CutPrefix(rest, queryKey)
	if s.Kind != sparse || !ok {
		return rest, nil
	}
	s.Query, rest = untilAny(after, ",>)")
	if s.Query = strings.TrimSpace(s.Query); s.Query == "" {
		return "", usage.Errorf("query= of %s:%s names nothing; the form is sparse:DIR,query=DIR2", sparse, s.Arg)
	}
	return rest, nil
}

// sparseModel is a model of sparse vectors, with the counts of the documents' texts that came from indexes.
type sparseModel struct {
	*embed.SparseCache
	documents []index.SparseReport
	asked     embed.Report // queries
}

// report counts the texts of documents and queries. Documents count once for each index, which may be of an earlier run.
func (m *sparseModel) report() embed.Report {
	out := m.asked
	if len(m.documents) == 0 { // the model of MMR alone
		return m.Report(embed.Passage)
	}
	for _, d := range m.documents {
		out.Texts += d.Documents
		out.Windowed += d.Windowed
		out.Cut += d.Cut
	}
	return out
}

// encodes tells whether a source's documents are encoded by a model.
func (s Source) encodes() bool {
	return s.Kind == "dense" || s.Kind == sparse && embed.SparseFolder(s.Arg)
}

// openSparse opens a source of sparse vectors over documents.
func (s *Set) openSparse(ctx context.Context, from Source, docs index.Corpus) (index.Retriever, error) {
	vectors, err := s.SparseVectors(ctx, from, docs)
	if err != nil {
		return nil, err
	}
	r, err := index.OpenSparse(index.OnBusy(ctx, s.cfg.Console.Note), s.cfg.IndexDir, docs, vectors)
	if err != nil {
		return nil, err
	}
	s.closers = append(s.closers, r.Close)
	if m := s.sparse[sparseKey(from)]; m != nil {
		m.documents = append(m.documents, r.Report())
	}
	return r, nil
}

// SparseVectors are those of a source's documents and queries.
func (s *Set) SparseVectors(ctx context.Context, from Source, docs index.Corpus) (index.SparseVectors, error) {
	out := index.SparseVectors{Discard: embed.Trying(ctx)}
	if !embed.SparseFolder(from.Arg) {
		return s.fileVectors(ctx, from, out)
	}

	m, err := s.sparseModel(ctx, from)
	if err != nil {
		return out, err
	}
	settings := m.Settings()
	settings.QuerySide = "" // documents do not depend on it
	out.Key = "model " + settings.Hash()
	out.Each = func(ctx context.Context, docs index.Corpus, order []int, add func([]index.TermWeight, bool, bool) error) error {
		step := s.cfg.Console.Start(embedding, docs.Len())
		return encodeEach(ctx, m, docs, order, step, add)
	}
	out.Queries = encodeQueries(m)
	if queriesFromFile(from) {
		out.Queries, err = fromFile(from.Query)
	}
	return out, err
}

// encodeEach encodes documents a chunk at a time.
func encodeEach(ctx context.Context, m *sparseModel, docs index.Corpus, order []int, step func(int),
	add func(v []index.TermWeight, windowed, cut bool) error) error {
	for start := 0; start < len(order); start += sparseChunk {
		part := order[start:min(start+sparseChunk, len(order))]
		texts := make([]string, len(part))
		for i, doc := range part {
			var err error
			if texts[i], err = docs.Text(doc); err != nil {
				return err
			}
		}

		m.OnProgress(func(done, _ int) { step(start + done) })
		got, err := m.Embed(ctx, embed.Passage, texts)
		m.OnProgress(nil)
		if err != nil {
			return err
		}
		for _, e := range got {
			if err := add(termWeights(m, e), e.Windows > 1, e.Cut); err != nil {
				return err
			}
		}
	}
	return nil
}

func termWeights(m embed.SparseEncoder, e embed.Embedding) []index.TermWeight {
	out := make([]index.TermWeight, len(e.Terms))
	for i, id := range e.Terms {
		out[i] = index.TermWeight{Term: m.Term(id), Weight: e.Vector[i]}
	}
	return out
}

func encodeQueries(m *sparseModel) func(context.Context, []index.Query) ([][]index.TermWeight, error) {
	return func(ctx context.Context, queries []index.Query) ([][]index.TermWeight, error) {
		texts := make([]string, len(queries))
		for i, q := range queries {
			texts[i] = q.Text
		}
		got, err := m.Embed(ctx, embed.Query, texts)
		if err != nil {
			return nil, err
		}
		m.asked.Add(got)
		out := make([][]index.TermWeight, len(got))
		for i, e := range got {
			out[i] = termWeights(m, e)
		}
		return out, nil
	}
}

// fileVectors are those of a file or folder, by the ids of documents.
func (s *Set) fileVectors(ctx context.Context, from Source, out index.SparseVectors) (index.SparseVectors, error) {
	hash, err := collection.HashVectors(from.Arg)
	if err != nil {
		return out, err
	}
	out.Key = "vectors " + hash
	out.Each = func(_ context.Context, docs index.Corpus, order []int, add func([]index.TermWeight, bool, bool) error) error {
		v, err := s.readVectors(from.Arg)
		if err != nil {
			return err
		}
		if others := len(v.IDs) - len(order); others > 0 && len(s.corpora) < 2 {
			s.cfg.Console.Note(fmt.Sprintf("%s: %d of %d vectors are of no document of the corpus", from.Arg, others, len(v.IDs)))
		}
		return eachGiven(v, docs, order, add)
	}
	out.Queries, err = s.fileQueries(ctx, from)
	return out, err
}

// readVectors reads a file once for all corpora.
func (s *Set) readVectors(path string) (*collection.Vectors, error) {
	if v := s.vectorFiles[path]; v != nil {
		return v, nil
	}
	v, err := collection.ReadVectors(path)
	if err != nil {
		return nil, err
	}
	if v.Empty > 0 {
		s.cfg.Console.Warn(fmt.Sprintf("%s: %d of %d vectors have no weight above zero and are never found", path, v.Empty, len(v.IDs)))
	}
	s.vectorFiles[path] = v
	return v, nil
}

// eachGiven hands over the vectors of documents, each of which must have one.
func eachGiven(v *collection.Vectors, docs index.Corpus, order []int, add func([]index.TermWeight, bool, bool) error) error {
	missing, first := 0, ""
	for _, doc := range order {
		vector, ok := v.Of(docs.ID(doc))
		if !ok {
			if missing++; missing == 1 {
				first = docs.ID(doc)
			}
		}
		if missing > 0 {
			continue // all that are missing are counted
		}
		if err := add(vector, false, false); err != nil {
			return err
		}
	}
	if missing > 0 {
		return &files.Error{
			File:   v.Path,
			Msg:    fmt.Sprintf("has no vector for %d of %d documents; the first is %s", missing, len(order), first),
			Remedy: "ids of vectors must be those of the corpus; encode the documents that are missing, too",
		}
	}
	return nil
}

// fileQueries are the vectors of queries beside documents whose vectors come from files.
func (s *Set) fileQueries(ctx context.Context, from Source) (func(context.Context, []index.Query) ([][]index.TermWeight, error), error) {
	switch {
	case from.Query == "":
		return nil, usage.Errorf("%s:%s is vectors of documents: say where those of queries come from, %s:%s,query=FILE of vectors, "+
			"query=DIR of a model, or query=%s where the texts of queries are terms separated by spaces",
			sparse, from.Arg, sparse, from.Arg, queryTerms)
	case from.Query == queryTerms:
		return func(_ context.Context, queries []index.Query) ([][]index.TermWeight, error) {
			out := make([][]index.TermWeight, len(queries))
			for i, q := range queries {
				out[i] = collection.CountTerms(q.Text)
			}
			return out, nil
		}, nil
	case embed.SparseFolder(from.Query):
		m, err := s.sparseModel(ctx, Source{Kind: sparse, Arg: from.Query})
		if err != nil {
			return nil, err
		}
		return encodeQueries(m), nil
	}
	return fromFile(from.Query)
}

// fromFile takes queries' vectors from a file, by their ids.
func fromFile(path string) (func(context.Context, []index.Query) ([][]index.TermWeight, error), error) {
	v, err := collection.ReadVectors(path)
	if err != nil {
		return nil, err
	}
	return func(_ context.Context, queries []index.Query) ([][]index.TermWeight, error) {
		out := make([][]index.TermWeight, len(queries))
		for i, q := range queries {
			var ok bool
			if out[i], ok = v.Of(q.ID); !ok {
				return nil, &files.Error{File: path, Msg: "has no vector for the query " + q.ID,
					Remedy: "ids of vectors must be those of the queries"}
			}
		}
		return out, nil
	}, nil
}

// queriesFromFile tells whether queries beside a model come as vectors, and not as a model or weights of its tokens.
func queriesFromFile(from Source) bool {
	bare := strings.TrimSuffix(strings.TrimSuffix(from.Query, ".gz"), ".zst")
	return slices.Contains([]string{".jsonl", ".tsv"}, filepath.Ext(bare))
}

// sparseKey names a model with its side of queries.
func sparseKey(from Source) string {
	if queriesFromFile(from) {
		return from.Arg
	}
	return from.Arg + queryKey + from.Query
}

// sparseModel opens a model once for all corpora and pipelines, behind its vectors on disk.
func (s *Set) sparseModel(ctx context.Context, from Source) (*sparseModel, error) {
	key := sparseKey(from)
	if m := s.sparse[key]; m != nil {
		return m, nil
	}
	query := from.Query
	if queriesFromFile(from) {
		query = ""
	}
	inner, err := embed.OpenSparse(ctx, from.Arg, query, s.cfg.Embedding.Windows, s.cfg.Embedding.Engine)
	if err != nil {
		return nil, err
	}
	c, err := embed.OpenSparseCache(s.cfg.IndexDir, inner, s.cfg.Console.Warn)
	if err != nil {
		return nil, errors.Join(err, inner.Close())
	}
	m := &sparseModel{SparseCache: c}
	s.sparse[key] = m
	s.closers = append(s.closers, c.Close)
	return m, nil
}

// Files that sparse vectors are written to.
const (
	documentVectors = "documents.jsonl"
	queryVectors    = "queries.jsonl"
)

// VectorFiles are the files in dir that sparse vectors are written to.
func VectorFiles(dir string) []string {
	return []string{filepath.Join(dir, documentVectors), filepath.Join(dir, queryVectors)}
}

// checkVectors refuses pipelines that have no sparse vectors to be written.
func (a Alone) checkVectors(p Pipeline) error {
	if a.Vectors != "" && p.Source.Kind != sparse {
		return usage.Errorf("--write-vectors writes the vectors of %s:DIR; the retriever is %s", sparse, p.Name)
	}
	return nil
}

// writeVectors writes the vectors of all documents and queries into a folder, as Anserini reads them.
func (s *Set) writeVectors(ctx context.Context, dir string, from Source, docs index.Corpus, queries []index.Query) error {
	vectors, err := s.SparseVectors(ctx, from, docs)
	if err != nil {
		return err
	}
	var counted embed.Report
	if m := s.sparse[sparseKey(from)]; m != nil {
		counted = m.asked
	}
	if err := files.MkdirAll(dir); err != nil {
		return fmt.Errorf("make the folder for vectors: %w", err)
	}
	order := make([]int, docs.Len())
	for i := range order {
		order[i] = i
	}

	err = files.Write(filepath.Join(dir, documentVectors), func(w io.Writer) error {
		n := 0
		return vectors.Each(ctx, docs, order, func(v []index.TermWeight, _, _ bool) error {
			text, err := docs.Text(n)
			if err != nil {
				return err
			}
			n++
			return collection.WriteVector(w, docs.ID(n-1), text, v)
		})
	})
	if err != nil {
		return err
	}

	asked, err := vectors.Queries(ctx, queries)
	if err != nil {
		return err
	}
	if m := s.sparse[sparseKey(from)]; m != nil {
		m.asked = counted // once, not twice
	}
	return files.Write(filepath.Join(dir, queryVectors), func(w io.Writer) error {
		for i, q := range queries {
			if err := collection.WriteVector(w, q.ID, q.Text, asked[i]); err != nil {
				return err
			}
		}
		return nil
	})
}
