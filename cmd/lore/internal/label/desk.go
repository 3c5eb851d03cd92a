package label

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"github.com/gofrs/flock"

	"lore/local/files"
)

// Desk is a labelling folder that labels are saved in: one at a time, by one process. Its
// methods may be called by several goroutines.
type Desk struct {
	mu     sync.Mutex
	folder *Folder
	lock   *flock.Flock
	file   *os.File
	size   int64 // bytes known to be good
	failed error // first error of writing; nothing is taken after it
}

// ErrBusy says that another process saves labels in the folder.
var ErrBusy = errors.New("another lore process saves labels in this folder")

// Open opens a folder to save labels in it, and locks it against other processes. A torn last
// line is cut off, with a warning.
func Open(dir string) (*Desk, []string, error) {
	path := filepath.Join(dir, LabelsFile)
	if _, _, err := Read(dir); err != nil { // before anything is made in a folder that is none
		return nil, nil, err
	}
	lock := flock.New(path + ".lock")
	got, err := lock.TryLock()
	if err != nil {
		return nil, nil, &files.Error{File: path, Msg: "cannot be locked: " + reason(err), Err: err,
			Remedy: "make the folder writable, or copy it to where you may write"}
	}
	if !got {
		return nil, nil, fmt.Errorf("%s: %w; wait for it, or end it", dir, ErrBusy)
	}

	d := &Desk{lock: lock}
	warnings, err := d.open(dir, path)
	if err != nil {
		return nil, nil, errors.Join(err, d.Close())
	}
	return d, warnings, nil
}

// reason is what the system says, without the file's name once more.
func reason(err error) string {
	var at *fs.PathError
	for errors.As(err, &at) {
		err = at.Err
	}
	return err.Error()
}

// open reads the folder under its lock: another process may have saved labels until then.
func (d *Desk) open(dir, path string) ([]string, error) {
	f, _, err := Read(dir)
	if err != nil {
		return nil, err
	}
	data, err := labelBytes(dir)
	if err != nil {
		return nil, err
	}
	labels, good, warnings, err := f.parse(path, data)
	if err != nil {
		return nil, err
	}
	f.Labels, d.folder, d.size = labels, f, int64(good)

	if d.file, err = files.Update(path); err != nil {
		return nil, &files.Error{File: path, Msg: "cannot be written: " + reason(err), Err: err,
			Remedy: "make the folder writable, or copy it to where you may write"}
	}
	if err := d.file.Truncate(d.size); err != nil {
		return nil, fmt.Errorf("cut the torn end off %s: %w", path, err)
	}
	if n := len(data[:good]); n > 0 && data[n-1] != '\n' {
		if err := d.append([]byte("\n")); err != nil { // a file that ends without a line end
			return nil, err
		}
	}
	return warnings, files.SyncFolder(dir)
}

// Close ends saving. It may be called twice.
func (d *Desk) Close() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	var err error
	if d.file != nil {
		err = d.file.Close()
		d.file = nil
	}
	return errors.Join(err, d.lock.Unlock())
}

// Save puts labels on disk, in their order, and returns how many are new: those that are there
// already are left out. When it returns, they stay, whatever happens to the process. One that
// is wrong keeps all of them out.
func (d *Desk) Save(labels ...Label) (added int, err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.save(labels)
}

func (d *Desk) save(labels []Label) (added int, err error) {
	if d.failed != nil {
		return 0, d.failed
	}
	if d.file == nil {
		return 0, os.ErrClosed
	}

	var fresh []Label
	for _, l := range labels {
		if err := d.folder.Check(l); err != nil {
			return 0, fmt.Errorf("the label of %s: %w", l.Item, err)
		}
		if slices.ContainsFunc(d.folder.Labels, l.same) || slices.ContainsFunc(fresh, l.same) {
			continue
		}
		l.Stratum, l.Probability = d.folder.Plan.drawn(l.Item)
		fresh = append(fresh, l)
	}

	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	for _, l := range fresh {
		if err := enc.Encode(l); err != nil {
			return 0, fmt.Errorf("encode a label: %w", err)
		}
	}
	if err := d.append(buf.Bytes()); err != nil {
		return 0, err
	}
	d.folder.Labels = append(d.folder.Labels, fresh...)
	return len(fresh), nil
}

// append writes and syncs. After an error the file is cut back, so that it holds no torn line.
func (d *Desk) append(data []byte) error {
	if len(data) == 0 {
		return nil
	}
	_, err := d.file.WriteAt(data, d.size)
	if err == nil {
		err = d.file.Sync()
	}
	if err != nil {
		_ = d.file.Truncate(d.size) // at best: the next start cuts a torn end anyway
		d.failed = fmt.Errorf("save labels in %s: %w; those shown as saved are kept: make room or mend the folder, "+
			"then begin again", d.file.Name(), err)
		return d.failed
	}
	d.size += int64(len(data))
	return nil
}

// Undo takes back the last standing answer of an annotator, whatever item it was about, and
// returns it. by says who undoes it, and when; ok is false where there is none.
func (d *Desk) Undo(by Label) (taken Label, ok bool, err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	last := -1
	standing := d.folder.standing()
	for i, l := range d.folder.Labels {
		if stands, there := standing[who{l.Annotator, l.Item}]; l.Annotator == by.Annotator && there && stands == i {
			last = i
		}
	}
	if last < 0 {
		return Label{}, false, nil
	}
	taken = d.folder.Labels[last]
	undo := Label{
		Plan: taken.Plan, Task: taken.Task, Item: taken.Item, Annotator: taken.Annotator, Undo: true,
		At: by.At, Adjudicated: taken.Adjudicated,
	}
	_, err = d.save([]Label{undo})
	return taken, err == nil, err
}

// Folder is the folder as it is now. It is a copy: later labels are not in it.
func (d *Desk) Folder() *Folder {
	d.mu.Lock()
	defer d.mu.Unlock()
	f := *d.folder
	f.Labels = slices.Clone(f.Labels)
	return &f
}

// drawn is how an item was drawn.
func (p *Plan) drawn(item string) (stratum string, probability float64) {
	for _, d := range p.Draws {
		if d.Item == item {
			return p.Strata[d.Stratum].Name, p.Strata[d.Stratum].Probability
		}
	}
	return "", 0
}
