// Package store keeps a run folder:
//
//	manifest.json          what was run: data, prompts and models by hash, options, seeds;
//	                       and the hash of each file below, and of itself
//	configuration.json     what the command asked for, which names the folder and guards it
//	retrieval/<name>.trec  one ranking per retriever, and qrels.txt with the gold relevance
//	answers.jsonl          one answer per retriever, generator and item
//	verdicts.jsonl         one task's verdicts per retriever, generator, judge and item
//	context_verdicts.jsonl one judge's verdicts per document shown, where a benchmark judges these
//	shown.jsonl.gz         what the systems were shown: every document once, and the prompts;
//	                       of answers from outside the documents that they cite
//	scores.json            the table, with every value it was made of
//	report.md, report.html the same to read
//	calls/*.jsonl          the journal of model calls
//	.progress.json         how far a run is that goes on, or was interrupted
//
// Only the journal is grown; everything else is derived from it and the data, and
// written whole, aside, and renamed: all files of a run together, the manifest last. So
// a folder whose files have the hashes of its manifest is one run, unchanged. No derived
// file holds a time, so that the same run gives the same bytes.
package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/gofrs/flock"

	"lore/local/files"
)

// Format is the version of the run folder. 1: first version. 2: the manifest has the hashes
// of the other files, and its own.
const (
	Format = 2
	hashed = 2 // first format that can be checked
)

// rankings is the folder of run files.
const rankings = "retrieval"

// Folder is an open run folder, locked against other processes.
type Folder struct {
	dir   string
	lock  *flock.Flock
	fresh bool // there was no such folder before

	staged []staged // written, and not in place yet
}

// staged is a derived file before it is in place.
type staged struct {
	name, hash string
	file       *files.Staged
}

// ErrBusy says that another process works in the folder.
var ErrBusy = errors.New("another lore process is working in this run folder")

// Look is a run folder that is only read: what is written to it goes nowhere. It need not be there.
func Look(dir string) *Folder { return &Folder{dir: dir} }

// Open creates or opens a run folder and locks it.
func Open(dir string) (*Folder, error) {
	_, missing := os.Stat(dir)
	fresh := errors.Is(missing, fs.ErrNotExist)
	if err := files.MkdirAll(filepath.Join(dir, rankings)); err != nil {
		return nil, fmt.Errorf("create the run folder: %w; choose another with --out", err)
	}

	lock := flock.New(filepath.Join(dir, lockFile))
	got, err := take(lock)
	if err != nil {
		return nil, fmt.Errorf("lock the run folder %s: %w; choose another with --out", dir, err)
	}
	if !got {
		return nil, fmt.Errorf("%s: %w; wait for it or choose another with --out", dir, ErrBusy)
	}

	// Nobody else writes here now: what a killed process left is worth nothing.
	for _, in := range []string{dir, filepath.Join(dir, rankings)} {
		if err := files.Sweep(in, 0); err != nil {
			return nil, errors.Join(err, lock.Unlock())
		}
	}
	return &Folder{dir: dir, lock: lock, fresh: fresh}, nil
}

// lockFile is locked by whoever writes in the folder.
const lockFile = ".lock"

// patience is how long a lock is tried for: Busy holds it for a moment.
const patience = 200 * time.Millisecond

// take locks, unless another process keeps the lock.
func take(lock *flock.Flock) (bool, error) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	got, err := lock.TryLockContext(ctx, patience/10)
	if errors.Is(err, context.DeadlineExceeded) {
		return false, nil
	}
	return got, err
}

// Busy reports whether a process works in the folder. It changes nothing there.
func Busy(dir string) bool {
	path := filepath.Join(dir, lockFile)
	if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() {
		return false // nobody has ever worked here, and a lock would make the file
	}
	lock := flock.New(path, flock.SetFlag(os.O_RDONLY))
	got, err := lock.TryRLock()
	if got {
		_ = lock.Unlock() // closing the file unlocks it, too
	}
	return err == nil && !got
}

// Drop forgets what was staged and not committed, so that a folder can be used for the next run.
func (f *Folder) Drop() {
	for _, s := range f.staged {
		s.file.Discard()
	}
	f.staged = nil
}

// Close unlocks the folder. What was not committed is dropped.
func (f *Folder) Close() error {
	f.Drop()
	if f.lock == nil {
		return nil
	}
	if err := f.lock.Unlock(); err != nil {
		return fmt.Errorf("unlock the run folder: %w", err)
	}
	return nil
}

// Discard removes a folder that was made for a run that was refused. One that was there
// before, or holds finished calls, stays.
func (f *Folder) Discard() error {
	if !f.fresh {
		return nil
	}
	entries, err := os.ReadDir(f.Calls())
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("look for calls in %s: %w", f.dir, err)
	}
	for _, e := range entries {
		info, err := e.Info()
		if strings.HasSuffix(e.Name(), ".jsonl") && (err != nil || info.Size() > 0) {
			return nil
		}
	}
	return os.RemoveAll(f.dir)
}

// Dir is the folder's path.
func (f *Folder) Dir() string { return f.dir }

// Calls is the path of the folder of the journal.
func (f *Folder) Calls() string { return filepath.Join(f.dir, "calls") }

// Check refuses a folder that holds a run of other data, or by other models of the same
// names, whose files would be overwritten. A manifest that is damaged says nothing.
func (f *Folder) Check(m Manifest) error {
	old, err := ReadManifest(f.dir)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, ErrDamaged) {
		return nil
	}
	if err != nil {
		return err
	}

	switch {
	case old.Benchmark != m.Benchmark:
		return fmt.Errorf("%s holds a run of the benchmark %s; choose another folder with --out", f.dir, old.Benchmark)
	case old.DataHash != m.DataHash:
		return fmt.Errorf("%s holds a run over other data (%v); choose another folder with --out", f.dir, old.Data)
	}

	for _, was := range slices.Concat(old.Generators, old.Judges) {
		for _, is := range slices.Concat(m.Generators, m.Judges) {
			// The built-in ones have no colon: they change with lore, and are done again.
			if was.Name == is.Name && was.Digest != is.Digest && strings.Contains(is.Name, ":") {
				return fmt.Errorf("%s holds a run by an earlier %s (digest %.12s, now %.12s); "+
					"choose another folder with --out", f.dir, is.Name, was.Digest, is.Digest)
			}
		}
	}
	return nil
}
