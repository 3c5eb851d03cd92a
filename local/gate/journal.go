package gate

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/gofrs/flock"

	"lore/local"
)

// journalName is the file this process appends to. Every other *.jsonl file in
// the folder is read as well, so journals of several machines can be put side
// by side.
const journalName = "journal.jsonl"

// Entry is one line of a journal.
type Entry struct {
	Key   string      `json:"key"`
	At    time.Time   `json:"at"`
	Call  local.Call  `json:"call"` // for people; the key alone identifies the call
	Reply local.Reply `json:"reply"`
}

// Journal is an append-only record of finished calls. A call is on disk, synced,
// before its reply is given to anyone.
type Journal struct {
	dir     string
	shared  bool // the folder is a cache: others write its other files, and nothing is synced
	lock    *flock.Flock
	file    *os.File
	readers map[string]*os.File

	mu      sync.Mutex
	index   map[string]span
	pending []*write
	size    int64 // bytes known to be good
	failed  error // first write error; the journal takes no more after it
	wake    chan struct{}
	stopped chan struct{}
	closing bool
}

type span struct {
	file   string
	offset int64
	length int
}

type write struct {
	key  string
	line []byte
	err  error
	done chan struct{}
}

// ErrJournalBusy says that another process writes the journal.
var ErrJournalBusy = errors.New("another lore process is writing this journal")

// OpenJournal opens the journal in dir and locks it against other processes,
// creating both if needed. A torn last line, left by a crash, is cut off; a damaged
// line elsewhere is skipped with a warning, so that its call is asked again.
func OpenJournal(dir string, warn func(string)) (*Journal, error) {
	if err := os.MkdirAll(dir, 0o777); err != nil {
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

	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o666)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("open the journal: %w", err), lock.Unlock())
	}

	j := &Journal{
		dir:     dir,
		shared:  shared,
		lock:    lock,
		file:    f,
		readers: map[string]*os.File{path: f},
		index:   map[string]span{},
		wake:    make(chan struct{}, 1),
		stopped: make(chan struct{}),
	}

	if err := j.load(path, warn); err != nil {
		j.closeFiles()
		return nil, err
	}
	if err := syncDir(dir); err != nil {
		j.closeFiles()
		return nil, err
	}

	go j.writer()
	return j, nil
}

func (j *Journal) load(own string, warn func(string)) error {
	files, err := filepath.Glob(filepath.Join(j.dir, "*.jsonl"))
	if err != nil {
		return fmt.Errorf("list the journal folder: %w", err)
	}

	slices.Sort(files)
	for _, path := range files {
		f := j.readers[path]
		if f == nil {
			if f, err = os.Open(path); err != nil {
				return fmt.Errorf("open the journal: %w", err)
			}
			j.readers[path] = f
		}

		good, err := j.scan(path, f, warn)
		if err != nil {
			return err
		}

		// The other files are only read: a torn end there is for their writer to cut.
		if path != own {
			continue
		}
		j.size = good
		if err := f.Truncate(good); err != nil {
			return fmt.Errorf("cut the torn end of %s: %w", path, err)
		}
		if _, err := f.Seek(good, io.SeekStart); err != nil {
			return fmt.Errorf("seek in %s: %w", path, err)
		}
	}
	return nil
}

// scan indexes the lines of one file and returns the offset after its last
// complete line.
func (j *Journal) scan(path string, f *os.File, warn func(string)) (int64, error) {
	r := bufio.NewReaderSize(f, 1<<20)
	var offset int64
	for line := 1; ; line++ {
		data, err := r.ReadBytes('\n')
		if errors.Is(err, io.EOF) {
			// In a folder that is shared it may be just being written.
			if len(data) > 0 && (!j.shared || f == j.file) {
				warn(fmt.Sprintf("%s:%d: the last line is incomplete, as after a crash; "+
					"its call will be asked again", path, line))
			}
			return offset, nil
		}
		if err != nil {
			return 0, fmt.Errorf("read %s: %w", path, err)
		}

		var head struct {
			Key   string `json:"key"`
			Reply struct {
				Outcome local.Outcome `json:"outcome"`
			} `json:"reply"`
		}
		if err := json.Unmarshal(data, &head); err != nil || head.Key == "" || !head.Reply.Outcome.Final() {
			warn(fmt.Sprintf("%s:%d: damaged line skipped; its call will be asked again", path, line))
		} else {
			j.index[head.Key] = span{path, offset, len(data)}
		}
		offset += int64(len(data))
	}
}

// Len returns the number of finished calls.
func (j *Journal) Len() int {
	j.mu.Lock()
	defer j.mu.Unlock()
	return len(j.index)
}

// Lookup returns the reply of a finished call.
func (j *Journal) Lookup(key string) (local.Reply, bool, error) {
	j.mu.Lock()
	at, ok := j.index[key]
	f := j.readers[at.file]
	j.mu.Unlock()
	if !ok {
		return local.Reply{}, false, nil
	}

	buf := make([]byte, at.length)
	if _, err := f.ReadAt(buf, at.offset); err != nil {
		return local.Reply{}, false, fmt.Errorf("read a journalled reply from %s: %w", at.file, err)
	}

	var e struct {
		Reply local.Reply `json:"reply"`
	}
	if err := json.Unmarshal(buf, &e); err != nil {
		return local.Reply{}, false, fmt.Errorf("read a journalled reply from %s at byte %d: %w",
			at.file, at.offset, err)
	}
	return e.Reply, true, nil
}

// Append writes an entry and returns once it is synced to disk. Entries that
// arrive while a sync is under way share the next one.
func (j *Journal) Append(e Entry) error {
	line, err := json.Marshal(e)
	if err != nil {
		return fmt.Errorf("encode a journal entry: %w", err)
	}
	w := &write{key: e.Key, line: append(line, '\n'), done: make(chan struct{})}

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
		j.index[w.key] = span{j.file.Name(), j.size, len(w.line)}
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

func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return fmt.Errorf("sync %s: %w", dir, err)
	}
	defer d.Close()
	if err := d.Sync(); err != nil {
		return fmt.Errorf("sync %s: %w", dir, err)
	}
	return nil
}

// withJournal answers finished calls from the journal and records new ones.
// Only final outcomes are recorded; the rest is asked again on the next run.
func withJournal(inner local.Backend, j *Journal, m *meter) local.Backend {
	return local.BackendFunc(func(ctx context.Context, call local.Call) (local.Reply, error) {
		key := call.Key()
		reply, found, err := j.Lookup(key)
		if err != nil {
			return local.Reply{}, err
		}
		if found {
			m.add(call, reply, fromJournal)
			return reply, nil
		}

		reply, err = inner.Do(ctx, call)
		if err != nil || !reply.Outcome.Final() {
			return reply, err
		}

		entry := Entry{
			Key:   key,
			At:    time.Now().UTC().Truncate(time.Millisecond),
			Call:  slim(call),
			Reply: reply,
		}
		if err := j.Append(entry); err != nil {
			return local.Reply{}, err
		}
		return reply, nil
	})
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
