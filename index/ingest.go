package index

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"syscall"
)

// How segments come about. A segment holds segmentBytes of text at most, which is what building one needs in memory, a
// few times over. More than mostSmall segments below an eighth of that, or segments of which a fourth or more is
// deleted, are put together.
const (
	segmentBytes = 256 << 20
	mostSmall    = 8
	smallShare   = 8
	deletedShare = 4
)

// ingest reads a corpus and keeps what is new of it.
type ingest struct {
	ctx    context.Context
	folder string
	path   string
	from   Origin
	files  []fileRecord
	opt    StoreOptions

	old     *Store // nil: there is none
	next    int
	entries []segmentEntry
	live    [][]uint64 // of the segments, by bits
	total   uint32     // documents of all segments
	order   []uint32
	pending []pendingDocument
	bytes   int // of text that is pending
}

// pendingDocument waits for its segment. place is where the order names it.
type pendingDocument struct {
	Document
	hash  [hashSize]byte
	place int
}

func (g *ingest) run() error {
	if g.opt.budget == 0 {
		g.opt.budget = segmentBytes
	}
	if old, err := openFolder(g.folder); err == nil {
		g.old = old
		defer old.Close()
		if !g.opt.Reread && sameFiles(old.manifest.Files, g.files) {
			return nil // another process was faster
		}
		if err := old.manifest.sweep(g.folder); err != nil {
			return err
		}
		g.keepOld()
	} else if err := (manifest{}).sweep(g.folder); err != nil {
		return err
	}

	warnings, err := g.from.Each(g.add)
	if err == nil {
		err = g.flush()
	}
	if err == nil {
		err = g.compact()
	}
	if err == nil {
		err = g.finish(warnings)
	}
	if err != nil {
		return g.full(err)
	}
	return nil
}

// keepOld begins with the old segments, of which nothing is there yet.
func (g *ingest) keepOld() {
	g.next = g.old.manifest.Next
	for i, e := range g.old.manifest.Segments {
		e.Live = 0
		g.entries = append(g.entries, e)
		g.live = append(g.live, make([]uint64, (g.old.segments[i].len()+63)/64))
		g.total += uint32(g.old.segments[i].len())
	}
}

// add takes the next document of the corpus. One that is there already, as it is, is kept where it is.
func (g *ingest) add(d Document) error {
	if g.ctx.Err() != nil {
		return context.Cause(g.ctx)
	}
	hash := documentHash(d)
	if g.old != nil {
		for i, seg := range g.old.segments {
			doc, ok := seg.find(d.ID)
			if !ok || has(g.live[i], doc) {
				continue
			}
			if same, err := seg.sameHash(doc, hash); err != nil {
				return g.old.forget(err)
			} else if same {
				g.live[i][doc>>6] |= 1 << (doc & 63)
				g.entries[i].Live++
				g.order = append(g.order, g.old.bases[i]+uint32(doc))
				return nil
			}
		}
	}

	g.pending = append(g.pending, pendingDocument{d, hash, len(g.order)})
	g.order = append(g.order, 0)
	if g.bytes += len(d.Text); g.bytes < g.opt.budget {
		return nil
	}
	return g.flush()
}

// flush writes a segment of the documents that are pending.
func (g *ingest) flush() error {
	if len(g.pending) == 0 {
		return nil
	}
	slices.SortFunc(g.pending, func(a, b pendingDocument) int { return cmp.Compare(a.ID, b.ID) })
	docs, hashes := make([]Document, len(g.pending)), make([][hashSize]byte, len(g.pending))
	for i, p := range g.pending {
		docs[i], hashes[i] = p.Document, p.hash
		if i > 0 && p.ID == docs[i-1].ID {
			return fmt.Errorf("document id %q occurs twice", p.ID)
		}
		g.order[p.place] = g.total + uint32(i)
	}

	g.next++
	name := fmt.Sprintf("s%06d", g.next)
	if err := writeSegment(documentsFile(g.folder, name), docs, hashes); err != nil {
		return fmt.Errorf("write the texts of an index: %w", err)
	}
	g.entries = append(g.entries, segmentEntry{name, len(docs), len(docs)})
	g.live = append(g.live, nil)
	g.total += uint32(len(docs))
	g.pending, g.bytes = nil, 0
	return nil
}

// compact puts small and thinned segments together and drops empty ones.
func (g *ingest) compact() error {
	var segments []*segment
	var bases []uint32
	base := uint32(0)
	for _, e := range g.entries {
		seg, err := openSegment(documentsFile(g.folder, e.Name))
		if err != nil {
			return fmt.Errorf("read an index again: %w", err)
		}
		defer seg.Close()
		segments, bases = append(segments, seg), append(bases, base)
		base += uint32(seg.len())
	}
	chosen := g.choose(segments)
	if !slices.Contains(chosen, true) {
		return nil
	}
	return g.rewrite(segments, bases, chosen)
}

// choose says which segments are written anew.
func (g *ingest) choose(segments []*segment) []bool {
	chosen := make([]bool, len(segments))
	var small []int
	for i, s := range segments {
		e := g.entries[i]
		chosen[i] = e.Documents-e.Live > 0 && (e.Documents-e.Live)*deletedShare >= e.Documents
		if s.textBytes() < uint64(g.opt.budget/smallShare) {
			small = append(small, i)
		}
	}
	if len(small) > mostSmall {
		for _, i := range small {
			chosen[i] = true
		}
	}
	return chosen
}

// rewrite has the chosen segments' documents wait again, and names those of the others by their new numbers.
func (g *ingest) rewrite(segments []*segment, bases []uint32, chosen []bool) error {
	var entries []segmentEntry
	var live [][]uint64
	moved := make([]uint32, len(segments)) // how far numbers fall
	gone := uint32(0)
	for i := range segments {
		moved[i] = gone
		if chosen[i] {
			gone += uint32(segments[i].len())
			continue
		}
		entries, live = append(entries, g.entries[i]), append(live, g.live[i])
	}
	g.entries, g.live, g.total = entries, live, g.total-gone

	readers := make([]textReader, len(segments))
	where := Store{bases: bases}
	for place, global := range g.order {
		i, doc := where.locate(global)
		if !chosen[i] {
			g.order[place] -= moved[i]
			continue
		}
		readers[i].segment = segments[i]
		text, err := readers[i].text(doc)
		if err != nil {
			return err
		}
		d := Document{ID: segments[i].id(doc), Text: text}
		g.pending = append(g.pending, pendingDocument{d, documentHash(d), place})
		if g.bytes += len(text); g.bytes >= g.opt.budget {
			if err := g.flush(); err != nil {
				return err
			}
		}
	}
	return g.flush()
}

// finish writes the order and the manifest.
func (g *ingest) finish(warnings []string) error {
	g.next++
	name := fmt.Sprintf("%s%06d", livePrefix, g.next)
	w, err := createParts(filepath.Join(g.folder, name), liveMagic)
	if err != nil {
		return fmt.Errorf("write an index: %w", err)
	}
	w.part(raw(g.order))
	for _, bits := range g.live {
		w.part(raw(bits))
	}
	if err := w.finish(); err != nil {
		return fmt.Errorf("write an index: %w", err)
	}
	return manifest{
		Corpus:    g.path,
		Files:     g.files,
		Warnings:  warnings,
		Documents: len(g.order),
		Segments:  g.entries,
		Live:      name,
		Next:      g.next,
	}.write(g.folder)
}

// full has what was begun removed, which takes room that others need, and says what is missing. The old index is as it was.
func (g *ingest) full(err error) error {
	m, need := manifest{}, int64(0)
	if g.old != nil {
		m = g.old.manifest
	}
	_ = m.sweep(g.folder) // the next run removes what is left
	for _, f := range g.files {
		need += f.Size
	}
	return fullDisk(err, g.folder, need)
}

// fullDisk words the error of a full disk: need is how many bytes the index takes at most. Other errors stay as they are.
func fullDisk(err error, folder string, need int64) error {
	if !errors.Is(err, syscall.ENOSPC) {
		return err
	}
	return fmt.Errorf("the disk of %s is full; the index needs up to %d MB: free them, remove other indexes (lore index list), "+
		"or name another folder with --index-dir; what was there is kept: %w", folder, need>>20+1, err)
}
