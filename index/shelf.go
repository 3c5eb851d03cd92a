package index

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"lore/embed"
	"lore/local/files"
)

// Shelved is an index, or what models gave, in an index folder.
type Shelved struct {
	Name      string    `json:"name"`
	Kind      string    `json:"kind"` // corpus, documents, vectors, or old
	Corpus    string    `json:"corpus,omitempty"`
	Model     string    `json:"model,omitempty"` // that gave vectors, as its user named it; empty where the file does not tell
	Documents int       `json:"documents,omitempty"`
	Vectors   int       `json:"vectors,omitempty"`
	Segments  int       `json:"segments,omitempty"`
	Analyzers []string  `json:"analyzers,omitempty"` // of which there are postings
	Bytes     int64     `json:"bytes"`
	Used      time.Time `json:"used"`

	path string
}

// Kinds of what lies in an index folder.
const (
	ShelvedCorpus    = "corpus"    // a corpus of files, with its texts
	ShelvedDocuments = "documents" // postings of a benchmark's documents
	ShelvedVectors   = "vectors"   // what models gave: vectors and scores
	ShelvedOld       = "old"       // of an earlier lore, or left by a process that died; nothing reads it
)

// Shelf lists what lies in an index folder, the last used first. Files of others are left out.
func Shelf(dir string) ([]Shelved, error) {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read the index folder: %w", err)
	}

	var out []Shelved
	for _, e := range entries {
		s := Shelved{Name: e.Name(), Kind: kindOfEntry(e), path: filepath.Join(dir, e.Name())}
		if s.Kind == "" {
			continue
		}
		if err := s.measure(); err != nil {
			return nil, err
		}
		out = append(out, s)
	}
	slices.SortStableFunc(out, func(a, b Shelved) int { return b.Used.Compare(a.Used) })
	return out, nil
}

// oldFolder is a folder of an index of any format.
var oldFolder = regexp.MustCompile(`^(bm25|corpus|documents)-v\d+-`)

// kindOfEntry tells what lore wrote by its name; empty is what it did not write.
func kindOfEntry(e fs.DirEntry) string {
	name := e.Name()
	current := fmt.Sprintf("-v%d-", formatVersion)
	switch {
	case strings.HasSuffix(name, ".lock"):
		return ""
	case e.IsDir() && strings.HasPrefix(name, "corpus"+current):
		return ShelvedCorpus
	case e.IsDir() && strings.HasPrefix(name, "documents"+current):
		return ShelvedDocuments
	case e.IsDir() && oldFolder.MatchString(name):
		return ShelvedOld
	}
	for _, prefix := range []string{"vectors-", "scores-", "sparse"} {
		if e.Type().IsRegular() && strings.HasPrefix(name, prefix) {
			return ShelvedVectors
		}
	}
	return ""
}

// measure reads size, time and, of an index, what it is of.
func (s *Shelved) measure() error {
	err := filepath.WalkDir(s.path, func(_ string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		s.Bytes += info.Size()
		if info.ModTime().After(s.Used) {
			s.Used = info.ModTime()
		}
		if base, ok := strings.CutSuffix(d.Name(), ".postings"); ok {
			_, analyzer, _ := strings.Cut(base, ".")
			if !slices.Contains(s.Analyzers, analyzer) {
				s.Analyzers = append(s.Analyzers, analyzer)
			}
		}
		return nil
	})
	if err != nil && !errors.Is(err, fs.ErrNotExist) { // another process may remove files meanwhile
		return fmt.Errorf("read the index %s: %w", s.Name, err)
	}
	if s.Kind == ShelvedVectors {
		s.count()
	} else if m, err := readManifest(s.path); err == nil {
		s.Corpus, s.Documents, s.Segments = m.Corpus, m.Documents, len(m.Segments)
	}
	return nil
}

// arraysEnding is that of files of sparse postings.
const arraysEnding = ".arrays"

// count reads how many vectors a file has; of one that cannot be read none are known, which Verify finds.
func (s *Shelved) count() {
	if filepath.Ext(s.path) != arraysEnding {
		if k, err := embed.ReadKept(s.path, false); err == nil {
			s.Model, s.Vectors = k.Model, k.Vectors
		}
		return
	}
	f, err := files.Open(s.path)
	if err != nil {
		return
	}
	defer f.Close()
	head := make([]byte, len(impactsMagic)+8)
	if _, err := f.ReadAt(head, 0); err == nil && string(head[:len(impactsMagic)]) == impactsMagic {
		s.Documents = int(binary.LittleEndian.Uint64(head[len(impactsMagic):]))
	}
}

// Remove removes an index. One that a process writes is left: the error is ErrIndexBusy.
func (s Shelved) Remove() error {
	if s.Kind == ShelvedCorpus || s.Kind == ShelvedDocuments {
		return locked(context.Background(), s.path, func() error { return os.RemoveAll(s.path) })
	}
	if err := os.RemoveAll(s.path); err != nil {
		return err
	}
	if err := os.Remove(s.path + ".lock"); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// Verify reads all bytes of an index against their checksums. What is damaged of a corpus or of documents is removed, so that
// the next run makes it again; of vectors it is passed over, and made again when it is asked for. What is old is not read.
func (s Shelved) Verify() error {
	switch {
	case s.Kind == ShelvedOld:
		return nil
	case s.Kind == ShelvedVectors && filepath.Ext(s.path) == arraysEnding:
		m, err := openImpacts(s.path)
		if err != nil {
			return fmt.Errorf("%w; the next run makes it again", err)
		}
		return m.Close()
	case s.Kind == ShelvedVectors:
		k, err := embed.ReadKept(s.path, true)
		return cmp.Or(err, k.Check())
	}
	m, err := readManifest(s.path)
	if err != nil {
		return &DamagedError{filepath.Join(s.path, manifestFile), "it cannot be read, or a build was broken off"}
	}
	files, err := os.ReadDir(s.path)
	if err != nil {
		return fmt.Errorf("read the index %s: %w", s.Name, err)
	}

	var errs []error
	for _, e := range m.Segments {
		path := documentsFile(s.path, e.Name)
		if s.Kind == ShelvedCorpus {
			errs = append(errs, verifyParts(path, segmentMagic, segmentParts))
		}
		for _, f := range files {
			if strings.HasPrefix(f.Name(), e.Name+".") && filepath.Ext(f.Name()) == ".postings" {
				errs = append(errs, verifyParts(filepath.Join(s.path, f.Name()), postingsMagic, postingsParts))
			}
		}
	}
	if m.Live != "" {
		errs = append(errs, verifyParts(filepath.Join(s.path, m.Live), liveMagic, 1+len(m.Segments)))
	}
	return errors.Join(errs...)
}

// verifyParts reads a file whole.
func verifyParts(path, magic string, count int) error {
	p, err := openParts(path, magic, count)
	if errors.Is(err, errDamaged) || errors.Is(err, fs.ErrNotExist) {
		return &DamagedError{path, "it is not what was written"}
	}
	if err != nil {
		return err
	}
	return errors.Join(p.check(0, p.body), p.Close())
}
