package index

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"lore/local/files"

	"github.com/gofrs/flock"
)

// formatVersion is part of every index folder's name. Raise it when the layout changes. 1: first version. 2: postings as
// arrays beside Bleve's index. 3: segments of documents, and postings by analyser, without Bleve's index.
const formatVersion = 3

// Names in the folder of a corpus.
const (
	manifestFile = "corpus.json" // a manifest.json is that of a run folder
	lockFile     = "lock"
	usedFile     = "used" // its time is when the index was last opened
	livePrefix   = "live-"
	liveMagic    = "LORELIV\x01"
)

// ErrIndexBusy says that another process is building the same index.
var ErrIndexBusy = errors.New("another process is building this index")

// manifest says which files are the index of a corpus. It is replaced whole, so a process that dies leaves the old set
// or the new one.
type manifest struct {
	Format    int            `json:"format"`
	Corpus    string         `json:"corpus,omitempty"` // absolute path; empty for documents in memory
	Files     []fileRecord   `json:"files,omitempty"`
	Warnings  []string       `json:"warnings,omitempty"`
	Documents int            `json:"documents"`
	Segments  []segmentEntry `json:"segments"`
	Live      string         `json:"live,omitempty"` // file of the order, and of what is there of each segment
	Next      int            `json:"next"`           // number of the next file
}

// segmentEntry is a segment in the manifest.
type segmentEntry struct {
	Name      string `json:"name"`
	Documents int    `json:"documents"` // those that were deleted since included
	Live      int    `json:"live"`
}

// Store is a corpus on disk: segments of documents that never change, which of these are there, and in which order. It
// is a Corpus, and its postings lie beside it.
type Store struct {
	folder   string
	manifest manifest
	segments []*segment
	bases    []uint32   // number of each segment's first document among all
	order    []uint32   // of the documents that are there, by their numbers among all
	live     [][]uint64 // a bit for each document of a segment; nil: all are there
	places   func() []uint32
	closers  []func() error
}

// Warnings are what reading the corpus said.
func (s *Store) Warnings() []string { return s.manifest.Warnings }

// folderOf is the folder of a corpus of files.
func folderOf(dir, path string) string {
	sum := sha256.Sum256([]byte(path))
	name := magicFree(filepath.Base(path))
	return filepath.Join(dir, fmt.Sprintf("corpus-v%d-%s-%s", formatVersion, name[:min(len(name), 40)], hex.EncodeToString(sum[:6])))
}

// StoreOptions say how a corpus is opened.
type StoreOptions struct {
	Reread bool // read all files, even if size, time and samples are as they were
	budget int  // bytes of text in a segment at most; 0 is segmentBytes
}

// OpenStore opens a corpus of files under dir. Files that are as they were when an earlier run read them are not read
// again, but for samples. Otherwise all are read, and only documents that are new or changed are kept anew, in segments
// of their own. A second process that wants to write the same index gets ErrIndexBusy, or waits: see OnBusy.
func OpenStore(ctx context.Context, dir string, from Origin, opt StoreOptions) (*Store, error) {
	path, err := filepath.Abs(from.Path)
	if err != nil {
		return nil, files.Unreadable(from.Path, err, "")
	}
	paths := make([]string, len(from.Files))
	for i, f := range from.Files {
		if paths[i], err = filepath.Abs(f); err != nil {
			return nil, files.Unreadable(f, err, "")
		}
	}
	now, err := records(paths)
	if err != nil {
		return nil, err
	}

	folder := folderOf(dir, path)
	if !opt.Reread {
		if s, err := openFolder(folder); err == nil {
			if sameFiles(s.manifest.Files, now) {
				s.touch()
				return s, nil
			}
			s.Close()
		}
	}

	err = locked(ctx, folder, func() error {
		if s, err := openFolder(folder); err == nil && !opt.Reread { // another process was faster
			defer s.Close()
			if sameFiles(s.manifest.Files, now) {
				return nil
			}
		}
		return (&ingest{ctx: ctx, folder: folder, path: path, from: from, files: now, opt: opt}).run()
	})
	if err != nil {
		return nil, err
	}
	s, err := openFolder(folder)
	if err == nil {
		s.touch()
	}
	return s, err
}

// waiting is the key of what is told of an index that another process builds.
type waiting struct{}

// OnBusy has opening an index wait for another process that builds it, until the context ends; say is told so, once for each
// index that is waited for. Without it the error is ErrIndexBusy.
func OnBusy(ctx context.Context, say func(string)) context.Context {
	return context.WithValue(ctx, waiting{}, say)
}

// busyPoll is how often a process that waits looks.
const busyPoll = 100 * time.Millisecond

// acquire takes a lock of an index, or waits for it.
func acquire(ctx context.Context, lock *flock.Flock, index string) error {
	got, err := lock.TryLock()
	say, patient := ctx.Value(waiting{}).(func(string))
	if err == nil && !got && patient {
		say(fmt.Sprintf("%s: %v; waiting for it", index, ErrIndexBusy))
		got, err = lock.TryLockContext(ctx, busyPoll)
	}
	switch {
	case ctx.Err() != nil && !got:
		return context.Cause(ctx)
	case err != nil:
		return fmt.Errorf("lock the index %s: %w; --index-dir names another folder", index, err)
	case !got:
		return fmt.Errorf("%s: %w; wait for it and try again", index, ErrIndexBusy)
	}
	return nil
}

// locked does something with a folder that it alone may write.
func locked(ctx context.Context, folder string, do func() error) error {
	if err := files.MkdirAll(folder); err != nil {
		return fmt.Errorf("create the index folder: %w; --index-dir names another", err)
	}
	lock := flock.New(filepath.Join(folder, lockFile))
	if err := acquire(ctx, lock, folder); err != nil {
		return err
	}
	defer lock.Unlock()
	return do()
}

// readManifest reads a manifest of this format.
func readManifest(folder string) (manifest, error) {
	var m manifest
	data, err := files.ReadFile(filepath.Join(folder, manifestFile))
	if err != nil {
		return m, err
	}
	if err := json.Unmarshal(data, &m); err != nil || m.Format != formatVersion {
		return m, errDamaged
	}
	return m, nil
}

// write puts the manifest in place, and then removes what it does not name.
func (m manifest) write(folder string) error {
	m.Format = formatVersion
	data, err := json.MarshalIndent(m, "", " ")
	if err != nil {
		return fmt.Errorf("encode the manifest of an index: %w", err)
	}
	if err := files.WriteFile(filepath.Join(folder, manifestFile), append(data, '\n')); err != nil {
		return err
	}
	return m.sweep(folder)
}

// sweep removes files that belong to no segment: those of a process that died, and those that were replaced.
func (m manifest) sweep(folder string) error {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return fmt.Errorf("read the index folder: %w", err)
	}
	for _, e := range entries {
		if !m.names(e.Name()) {
			if err := os.Remove(filepath.Join(folder, e.Name())); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return fmt.Errorf("remove what an index no longer needs: %w", err)
			}
		}
	}
	return nil
}

// names reports whether a file belongs to the index.
func (m manifest) names(file string) bool {
	if slices.Contains([]string{manifestFile, lockFile, usedFile, m.Live}, file) {
		return true
	}
	return filepath.Ext(file) != asideEnding && slices.ContainsFunc(m.Segments, func(s segmentEntry) bool {
		return len(file) > len(s.Name) && file[:len(s.Name)] == s.Name && file[len(s.Name)] == '.'
	})
}

// documentsFile and postingsName are the files of a segment.
func documentsFile(folder, segment string) string { return filepath.Join(folder, segment+".docs") }

func postingsName(folder, segment, analyzer string) string {
	return filepath.Join(folder, segment+"."+magicFree(analyzer)+".postings")
}

// openFolder opens the index in a folder. Another process may replace it meanwhile: then it is tried again.
func openFolder(folder string) (*Store, error) {
	for try := 0; ; try++ {
		m, err := readManifest(folder)
		if err != nil {
			return nil, err
		}
		s := &Store{folder: folder, manifest: m}
		if err = s.open(); err == nil {
			return s, nil
		}
		s.Close()
		if try == 3 || !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
	}
}

func (s *Store) open() error {
	total := 0
	for _, e := range s.manifest.Segments {
		seg, err := openSegment(documentsFile(s.folder, e.Name))
		if err != nil {
			return err
		}
		s.segments = append(s.segments, seg)
		s.closers = append(s.closers, seg.Close)
		if seg.len() != e.Documents {
			return errDamaged
		}
		s.bases = append(s.bases, uint32(total))
		total += seg.len()
	}

	file, err := openParts(filepath.Join(s.folder, s.manifest.Live), liveMagic, 1+len(s.segments))
	if err != nil {
		return err
	}
	s.closers = append(s.closers, file.Close)
	if err := s.readLive(file, total); err != nil {
		return err
	}
	s.places = sync.OnceValue(func() []uint32 {
		out := make([]uint32, total)
		for place, global := range s.order {
			out[global] = uint32(place)
		}
		return out
	})
	return nil
}

// readLive reads the order, and which documents are there.
func (s *Store) readLive(file *parts, total int) error {
	order, err := arrayOf[uint32](file, 0, s.manifest.Documents)
	if err != nil {
		return err
	}
	if s.order, err = order.whole(); err != nil {
		return err
	}
	for _, g := range s.order {
		if int(g) >= total {
			return errDamaged
		}
	}

	for i, seg := range s.segments {
		if s.manifest.Segments[i].Live == seg.len() {
			s.live = append(s.live, nil)
			continue
		}
		words, err := arrayOf[uint64](file, 1+i, (seg.len()+63)/64)
		if err != nil {
			return err
		}
		live, err := words.whole()
		if err != nil {
			return err
		}
		s.live = append(s.live, live)
	}
	return nil
}

// touch marks the index as used now, as well as it can.
func (s *Store) touch() { touch(s.folder) }

func touch(folder string) {
	path, now := filepath.Join(folder, usedFile), time.Now()
	if os.Chtimes(path, now, now) != nil {
		_ = files.WriteFile(path, nil) // a folder that cannot be written is read all the same
	}
}

// Close unmaps the files. Texts must not be asked for afterwards.
func (s *Store) Close() error {
	var errs []error
	for _, c := range s.closers {
		errs = append(errs, c())
	}
	return errors.Join(errs...)
}

// Len implements Corpus.
func (s *Store) Len() int { return len(s.order) }

// ID implements Corpus.
func (s *Store) ID(i int) string {
	seg, doc := s.locate(s.order[i])
	return s.segments[seg].id(doc)
}

// Text implements Corpus.
func (s *Store) Text(i int) (string, error) {
	seg, doc := s.locate(s.order[i])
	text, err := s.segments[seg].text(doc)
	return text, s.forget(err)
}

// Find implements Corpus.
func (s *Store) Find(id string) (int, bool) {
	for i, seg := range s.segments {
		if doc, ok := seg.find(id); ok && has(s.live[i], doc) {
			return int(s.places()[s.bases[i]+uint32(doc)]), true
		}
	}
	return 0, false
}

// forget has a damaged index made again by the next run.
func (s *Store) forget(err error) error {
	var damaged *DamagedError
	if errors.As(err, &damaged) && filepath.Ext(damaged.File) != ".postings" {
		_ = os.Remove(filepath.Join(s.folder, manifestFile)) // if it cannot be removed, the damage is found again
	}
	return err
}

// locate is the segment of a document, and its number there.
func (s *Store) locate(global uint32) (segment, doc int) {
	at, found := slices.BinarySearch(s.bases, global)
	if !found {
		at--
	}
	for at+1 < len(s.bases) && s.bases[at+1] == global {
		at++ // empty segments share a base
	}
	return at, int(global - s.bases[at])
}

func has(live []uint64, doc int) bool { return live == nil || live[doc>>6]&(1<<(doc&63)) != 0 }
