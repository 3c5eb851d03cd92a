package index

import (
	"errors"
	"sort"
)

// postingsMagic begins a file of postings; its last byte is the version. 1: first version. 2: a file of parts.
const postingsMagic = "LOREBM2\x02"

// postings is an inverted index of a segment's documents, by one analyser: a file of parts, mapped and read-only, so that
// memory is the operating system's to manage.
//
// Its parts are: the number of tokens and the most of one document; tokens by document; ends of the terms, the terms in
// byte order; ends of the terms' postings; document numbers, ascending for each term; frequencies. Documents are numbered
// in the order of their ids. Frequencies are 32 bits wide: whole books count right.
type postings struct {
	file     *parts
	tokens   uint64
	longest  uint64
	lengths  array[uint32]
	termEnds array[uint64]
	terms    array[byte]
	ends     array[uint64]
	docs     array[uint32]
	tfs      array[uint32]
}

// The parts of a file of postings.
const (
	partCounts = iota
	partLengths
	partTermEnds
	partTerms
	partEnds
	partDocs
	partTFs
	postingsParts
)

// openPostings maps the postings of so many documents.
func openPostings(path string, docs int) (*postings, error) {
	f, err := openParts(path, postingsMagic, postingsParts)
	if err != nil {
		return nil, err
	}
	p := &postings{file: f}
	if err := p.parse(docs); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return p, nil
}

func (p *postings) parse(docs int) error {
	counts, err := arrayOf[uint64](p.file, partCounts, 2)
	if err != nil {
		return err
	}
	both, err := counts.whole()
	if err != nil {
		return err
	}
	p.tokens, p.longest = both[0], both[1]

	var errs [6]error
	p.lengths, errs[0] = arrayOf[uint32](p.file, partLengths, docs)
	p.termEnds, errs[1] = arrayOf[uint64](p.file, partTermEnds, -1)
	p.terms, errs[2] = arrayOf[byte](p.file, partTerms, -1)
	p.ends, errs[3] = arrayOf[uint64](p.file, partEnds, p.termEnds.len())
	p.docs, errs[4] = arrayOf[uint32](p.file, partDocs, -1)
	p.tfs, errs[5] = arrayOf[uint32](p.file, partTFs, p.docs.len())
	return errors.Join(errs[:]...)
}

// size is the number of documents, those that were deleted since included.
func (p *postings) size() int { return p.lengths.len() }

func (p *postings) term(i int) ([]byte, error) { return piece(p.terms, p.termEnds, i) }

// find returns a term's postings: document numbers ascending, and frequencies.
func (p *postings) find(term string) (docs, tfs []uint32, err error) {
	n := p.termEnds.len()
	i := sort.Search(n, func(i int) bool {
		t, one := p.term(i)
		err = errors.Join(err, one)
		return string(t) >= term
	})
	if err != nil || i == n {
		return nil, nil, err
	}
	if t, err := p.term(i); err != nil || string(t) != term {
		return nil, nil, err
	}
	return p.list(i)
}

// list is the postings of term i.
func (p *postings) list(i int) (docs, tfs []uint32, err error) {
	from, to, err := bounds(p.ends, i)
	if err != nil {
		return nil, nil, err
	}
	if docs, err = p.docs.cut(from, to); err != nil {
		return nil, nil, err
	}
	tfs, err = p.tfs.cut(from, to)
	return docs, tfs, err
}

// Close unmaps the file.
func (p *postings) Close() error { return p.file.Close() }
