package gate

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/gofrs/flock"

	"lore/local"
	"lore/local/files"
)

// journalName is the file this process appends to. Every other *.jsonl file in
// the folder is read as well, so journals of several machines can be put side
// by side.
const journalName = "journal.jsonl"

// Journal is an append-only record of finished calls. A call is on disk, synced,
// before its reply is given to anyone.
type Journal struct {
	dir     string
	shared  bool // the folder is a cache: others write its other files, and nothing is synced
	lock    *flock.Flock
	file    *os.File
	readers map[string]*os.File

	warn     func(string)
	setAside []piece // damaged lines of our own file

	mu      sync.Mutex
	index   map[string]span
	pending []*write
	size    int64 // bytes known to be good
	failed  error // first write error; the journal takes no more after it
	wake    chan struct{}
	stopped chan struct{}
	closing bool
}

type write struct {
	entry Entry
	line  []byte
	err   error
	done  chan struct{}
}

// ErrJournalBusy says that another process writes the journal.
var ErrJournalBusy = errors.New("another lore process is writing this journal")

// OpenJournal opens the journal in dir and locks it against other processes,
// creating both if needed. A torn last line, left by a crash, is cut off; a damaged
// line elsewhere is skipped with a warning, so that its call is asked again. Lines of an
// earlier lore have no checksum: they are decoded whole instead.
func OpenJournal(dir string, warn func(string)) (*Journal, error) {
	if err := files.MkdirAll(dir); err != nil {
		return nil, fmt.Errorf("create the journal folder: %w", err)
	}

	return openFile(dir, journalName, false, warn)
}

// isBusy reports whether another process writes the file.
func isBusy(err error) bool { return errors.Is(err, ErrJournalBusy) }

// openFile opens a folder to append to the file of that name.
func openFile(dir, name string, shared bool, warn func(string)) (*Journal, error) {
	path := filepath.Join(dir, name)
	lock := flock.New(path + ".lock")
	got, err := lock.TryLock()
	if err != nil {
		return nil, fmt.Errorf("lock the journal: %w", err)
	}
	if !got {
		return nil, fmt.Errorf("%s: %w; wait for it or choose another folder with --out", path, ErrJournalBusy)
	}

	f, err := openOwn(path)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("open the journal: %w", err), lock.Unlock())
	}

	j := &Journal{
		dir:     dir,
		shared:  shared,
		lock:    lock,
		file:    f,
		readers: map[string]*os.File{path: f},
		warn:    warn,
		index:   map[string]span{},
		wake:    make(chan struct{}, 1),
		stopped: make(chan struct{}),
	}

	if err := j.load(path); err != nil {
		j.closeFiles()
		return nil, err
	}
	if err := files.SyncFolder(dir); err != nil {
		j.closeFiles()
		return nil, err
	}

	go j.writer()
	return j, nil
}

// Len returns the number of finished calls.
func (j *Journal) Len() int {
	j.mu.Lock()
	defer j.mu.Unlock()
	return len(j.index)
}

// past is what a journal knows of a call.
type past struct {
	reply local.Reply
	try   int  // tries so far
	fresh bool // the last one was made by this process
}

// Lookup returns what became of a call before. A line that cannot be read any more is
// told and forgotten, so that its call is asked again.
func (j *Journal) Lookup(key string) (past, bool, error) {
	j.mu.Lock()
	at, ok := j.index[key]
	f := j.readers[at.file]
	j.mu.Unlock()
	if !ok {
		return past{}, false, nil
	}

	buf := make([]byte, at.length)
	_, err := f.ReadAt(buf, at.offset)
	if err != nil && !errors.Is(err, io.EOF) {
		return past{}, false, fmt.Errorf("read a journalled reply from %s: %w", at.file, err)
	}

	e, err := readLine(buf)
	if err == nil && e.Key != key {
		err = errKey
	}
	if err != nil {
		j.forget(key)
		j.warn(fmt.Sprintf("%s: the line at byte %d is damaged: %v; its call will be asked again", at.file, at.offset, err))
		return past{}, false, nil
	}
	return past{e.Reply, max(1, at.try), at.fresh}, true, nil
}

func (j *Journal) forget(key string) {
	j.mu.Lock()
	defer j.mu.Unlock()
	delete(j.index, key)
}

// Append writes an entry and returns once it is synced to disk. Entries that
// arrive while a sync is under way share the next one.
func (j *Journal) Append(e Entry) error {
	line, err := encodeLine(e)
	if err != nil {
		return err
	}
	w := &write{entry: e, line: line, done: make(chan struct{})}

	j.mu.Lock()
	if j.failed != nil || j.closing {
		err := j.failed
		j.mu.Unlock()
		return cmp.Or(err, os.ErrClosed)
	}
	j.pending = append(j.pending, w)
	j.mu.Unlock()

	select {
	case j.wake <- struct{}{}:
	default:
	}
	<-w.done
	return w.err
}

func (j *Journal) writer() {
	defer close(j.stopped)
	for range j.wake {
		// One wake can stand for many entries: batches are taken until none is left.
		for {
			j.mu.Lock()
			batch := j.pending
			j.pending = nil
			closing := j.closing
			failed := j.failed
			j.mu.Unlock()

			if len(batch) == 0 {
				if closing {
					return
				}
				break
			}

			if failed == nil {
				failed = j.commit(batch)
			}
			for _, w := range batch {
				w.err = failed
				close(w.done)
			}
		}
	}
}

// commit writes and syncs a batch. After an error the file is cut back to its
// last good size, so that a full disk leaves no torn line.
func (j *Journal) commit(batch []*write) error {
	var buf bytes.Buffer
	for _, w := range batch {
		buf.Write(w.line)
	}

	_, err := j.file.WriteAt(buf.Bytes(), j.size)
	if err == nil && !j.shared {
		err = j.file.Sync()
	}

	j.mu.Lock()
	defer j.mu.Unlock()
	if err != nil {
		_ = j.file.Truncate(j.size) // best effort: the next start cuts a torn end anyway
		if j.shared {
			j.failed = fmt.Errorf("write %s: %w", j.file.Name(), err)
			return j.failed
		}
		j.failed = fmt.Errorf("write the journal %s: %w; the %d calls finished so far are kept: "+
			"make room or fix the folder, then run the same command again",
			j.file.Name(), err, len(j.index))
		return j.failed
	}

	for _, w := range batch {
		if w.entry.Void != "" {
			delete(j.index, w.entry.Key)
		} else {
			at := spanOf(w.entry)
			at.file, at.offset, at.length, at.fresh = j.file.Name(), j.size, len(w.line), true
			j.index[w.entry.Key] = at
		}
		j.size += int64(len(w.line))
	}
	return nil
}

// Close waits for pending entries and closes the files.
func (j *Journal) Close() error {
	j.mu.Lock()
	if j.closing {
		j.mu.Unlock()
		return nil
	}
	j.closing = true
	j.mu.Unlock()

	select {
	case j.wake <- struct{}{}:
	default:
	}
	<-j.stopped
	return j.closeFiles()
}

func (j *Journal) closeFiles() error {
	first := j.lock.Unlock()
	for _, f := range j.readers {
		if err := f.Close(); err != nil && first == nil {
			first = fmt.Errorf("close the journal: %w", err)
		}
	}
	return first
}

// withJournal answers finished calls from the journal and records new ones, the tries
// that failed included: those are asked again, see usable.
func withJournal(inner local.Backend, j *Journal, m *meter, again Again, check *schemaCache) local.Backend {
	return local.BackendFunc(func(ctx context.Context, call local.Call) (local.Reply, error) {
		key := call.Key()
		was, found, err := j.Lookup(key)
		if err != nil {
			return local.Reply{}, err
		}
		if found {
			if reply, ok := again.usable(ctx, call, was, check); ok {
				m.add(call, reply, fromJournal)
				return reply, nil
			}
		}

		reply, err := inner.Do(ctx, call)
		if err != nil || !recorded(reply.Outcome) {
			return reply, err
		}
		if err := j.Append(newEntry(key, call, reply, was.try+1)); err != nil {
			return local.Reply{}, err
		}
		return reply, nil
	})
}

func newEntry(key string, call local.Call, reply local.Reply, try int) Entry {
	return Entry{Key: key, At: now(), Try: try, Call: slim(call), Reply: reply}
}

// now is a journal's time: milliseconds are enough.
func now() time.Time { return time.Now().UTC().Truncate(time.Millisecond) }

// Void takes back the replies to some calls: they are asked again.
func (j *Journal) Void(keys []string, why string) error {
	for _, key := range keys {
		if err := j.Append(Entry{Key: key, At: now(), Void: why}); err != nil {
			return err
		}
	}
	return nil
}

// slim drops the passage texts of a structured request: they are the corpus,
// which the run folder names by hash, and would be written once per call.
func slim(call local.Call) local.Call {
	if call.Source == nil {
		return call
	}

	s := *call.Source
	s.Passages = make([]local.Passage, len(call.Source.Passages))
	for i, p := range call.Source.Passages {
		s.Passages[i].Label = p.Label
	}
	call.Source = &s
	return call
}
