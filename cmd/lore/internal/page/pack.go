package page

import (
	"bytes"
	"cmp"
	"compress/flate"
	"encoding/base64"
	"fmt"
	"sync"

	"lore/local/parallel"
)

// Block is a piece of a page's data with its name.
type Block struct {
	Name string
	Data any
}

// Names of blocks. A question's has its number behind it, and a block of documents, too.
const (
	headBlock     = "head"
	valuesBlock   = "values"
	questionBlock = "q"
	documentBlock = "d"
)

// documentsPerBlock is how many bytes of text a block of documents has at most, if it has
// more than one: a citation that is opened unpacks no more.
const documentsPerBlock = 96 << 10

// Blocks are a page's data in pieces, the head first. It sets Head.PerBlock.
func (p *Page) Blocks() []Block {
	documents := p.documentBlocks()
	out := []Block{{headBlock, &p.Head}, {valuesBlock, p.Values}}
	for i := range p.Questions {
		out = append(out, Block{fmt.Sprint(questionBlock, i), &p.Questions[i]})
	}
	return append(out, documents...)
}

func (p *Page) documentBlocks() []Block {
	var out []Block
	p.Head.PerBlock = []int{}
	start, size := 0, 0
	flush := func(end int) {
		if end > start {
			p.Head.PerBlock = append(p.Head.PerBlock, start)
			out = append(out, Block{fmt.Sprint(documentBlock, len(out)), p.Documents[start:end]})
		}
		start, size = end, 0
	}
	for i, d := range p.Documents {
		if size > 0 && size+len(d.Text) > documentsPerBlock {
			flush(i)
		}
		size += len(d.Text)
	}
	flush(len(p.Documents))
	return out
}

// compressors are used again: a new one takes a megabyte of memory, which a page of short blocks asks
// for hundreds of times.
var compressors = sync.Pool{New: func() any {
	z, err := flate.NewWriter(nil, flate.BestCompression)
	if err != nil {
		panic(err) // only of a level that does not exist
	}
	return z
}}

// packed is a block as it stands in the page: JSON, deflated, in base64.
func packed(b Block) (string, error) {
	if q, ok := b.Data.(*Question); ok {
		sorted := *q
		sorted.Answers = alikeBesides(q.Answers)
		b.Data = &sorted
	}
	data, err := b.JSON()
	if err != nil {
		return "", err
	}

	var zipped bytes.Buffer
	z := compressors.Get().(*flate.Writer)
	defer compressors.Put(z)
	z.Reset(&zipped)
	if _, err = z.Write(data); err == nil {
		err = z.Close()
	}
	if err != nil {
		return "", fmt.Errorf("compress the page: %w", err)
	}
	return base64.StdEncoding.EncodeToString(zipped.Bytes()), nil
}

// packAll packs blocks side by side; the result does not depend on how many at a time.
func packAll(blocks []Block) ([]string, error) {
	out := make([]string, len(blocks))
	errs := make([]error, len(blocks))
	parallel.Each(len(blocks), func(i int) { out[i], errs[i] = packed(blocks[i]) })
	if err := cmp.Or(errs...); err != nil {
		return nil, err
	}
	return out, nil
}
