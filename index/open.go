package index

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"path/filepath"
)

// OpenBM25 opens the postings of a corpus by an analyser, or makes them. Those of a Store lie beside its documents; those
// of documents in memory in a folder under dir whose name holds the documents' hash, so they are never used for others.
//
// Bleve analyses the texts; its own scoring is not used because it is not BM25, and its store is not because postings as
// plain arrays are built four times as fast. Files are written aside and renamed when they are whole. A second process
// that wants to write the same ones gets ErrIndexBusy, or waits: see OnBusy.
func OpenBM25(ctx context.Context, dir string, corpus Corpus, analyzer string, params BM25Params) (*BM25, error) {
	if err := params.Check(); err != nil {
		return nil, err
	}
	analyze, err := Analyzer(analyzer)
	if err != nil {
		return nil, err
	}

	var shards []shard
	if s, ok := corpus.(*Store); ok {
		shards, err = s.shards(ctx, analyzer)
	} else {
		shards, err = memoryShards(ctx, dir, corpus, analyzer)
	}
	if err != nil {
		return nil, err
	}
	b, err := newBM25(analyze, shards, params)
	if err != nil {
		return nil, errors.Join(err, (&BM25{shards: shards}).Close())
	}
	return b, nil
}

// shards are the segments with their postings.
func (s *Store) shards(ctx context.Context, analyzer string) ([]shard, error) {
	var out []shard
	for i, seg := range s.segments {
		texts := func() func(int) (string, error) {
			r := textReader{segment: seg}
			return func(doc int) (string, error) {
				text, err := r.text(doc)
				return text, s.forget(err)
			}
		}
		path := postingsName(s.folder, s.manifest.Segments[i].Name, analyzer)
		p, err := postingsAt(ctx, s.folder, path, seg.len(), analyzer, texts)
		if err != nil {
			return nil, errors.Join(err, (&BM25{shards: out}).Close())
		}
		out = append(out, shard{p, func(doc uint32) string { return seg.id(int(doc)) }, s.live[i]})
	}
	return out, nil
}

// memoryShards is documents in memory as one segment.
func memoryShards(ctx context.Context, dir string, corpus Corpus, analyzer string) ([]shard, error) {
	hash, err := corpusHash(corpus, "")
	if err != nil {
		return nil, err
	}
	order := byID(corpus)
	for i := 1; i < len(order); i++ {
		if id := corpus.ID(order[i]); id == corpus.ID(order[i-1]) {
			return nil, fmt.Errorf("document id %q occurs twice", id)
		}
	}

	const segment = "s000001"
	folder := filepath.Join(dir, fmt.Sprintf("documents-v%d-%s", formatVersion, hash[:32]))
	text := func(doc int) (string, error) { return corpus.Text(order[doc]) }
	texts := func() func(int) (string, error) { return text }
	p, err := postingsAt(ctx, folder, postingsName(folder, segment, analyzer), len(order), analyzer, texts)
	if err != nil {
		return nil, err
	}
	touch(folder)
	return []shard{{p, func(doc uint32) string { return corpus.ID(order[doc]) }, nil}}, nil
}

// postingsAt opens postings, and makes them where they are missing or damaged.
func postingsAt(
	ctx context.Context, folder, path string, docs int, analyzer string, texts func() func(int) (string, error),
) (*postings, error) {
	if p, err := openPostings(path, docs); err == nil {
		return p, nil
	}
	err := locked(ctx, folder, func() error {
		if p, err := openPostings(path, docs); err == nil {
			return p.Close() // another process was faster
		}
		m, err := readManifest(folder)
		if err != nil { // documents in memory: there are none but the postings
			m = manifest{Documents: docs, Segments: []segmentEntry{{"s000001", docs, docs}}}
			if err := m.write(folder); err != nil {
				return fullDisk(err, folder, 0)
			}
		} else if err := m.sweep(folder); err != nil {
			return err
		}
		return invert(ctx, path, docs, analyzer, texts)
	})
	if err != nil {
		return nil, fullDisk(err, folder, postingsEstimate*int64(docs))
	}
	return openPostings(path, docs)
}

// postingsEstimate is how many bytes of postings a document has at most, of some hundred words.
const postingsEstimate = 1000

// corpusHash identifies documents, whatever their order, together with a key.
func corpusHash(c Corpus, key string) (string, error) {
	sum, err := xorHashes(c)
	if err != nil {
		return "", err
	}
	h := sha256.New()
	fmt.Fprintf(h, "%s %d %x", key, c.Len(), sum)
	return hex.EncodeToString(h.Sum(nil)), nil
}

// xorHashes is the exclusive or of the documents' hashes, which does not depend on their order. A store has them.
func xorHashes(c Corpus) ([]byte, error) {
	sum := make([]byte, hashSize)
	s, stored := c.(*Store)
	for i := range c.Len() {
		var one []byte
		if stored {
			var err error
			seg, doc := s.locate(s.order[i])
			if one, err = s.segments[seg].hash(doc); err != nil {
				return nil, s.forget(err)
			}
		} else {
			text, err := c.Text(i)
			if err != nil {
				return nil, err
			}
			hash := documentHash(Document{ID: c.ID(i), Text: text})
			one = hash[:]
		}
		for k, b := range one {
			sum[k] ^= b
		}
	}
	return sum, nil
}
