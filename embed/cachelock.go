package embed

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/gofrs/flock"
)

// lockWait is how long a process waits for another one to end its writing.
const lockWait = 2 * time.Second

// writing is the right to add to a file of vectors. Whoever only reads does not need it, so that
// processes which find all their vectors there share the file. It is taken with the first text that
// is not there, and kept until the file is closed.
type writing struct {
	path string
	lock *flock.Flock
	held bool
}

func newWriting(path string) *writing { return &writing{path: path, lock: flock.New(path + ".lock")} }

// try takes the right if nobody has it.
func (w *writing) try() (bool, error) {
	ok, err := w.lock.TryLock()
	if err != nil {
		return false, fmt.Errorf("lock %s: %w", w.path, err)
	}
	w.held = ok
	return ok, nil
}

// take waits a little for the right.
func (w *writing) take(ctx context.Context) error {
	waiting, cancel := context.WithTimeout(ctx, lockWait)
	defer cancel()
	ok, err := w.lock.TryLockContext(waiting, 50*time.Millisecond)
	switch {
	case ok:
		w.held = true
		return nil
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case err != nil && !errors.Is(err, context.DeadlineExceeded):
		return fmt.Errorf("lock %s: %w", w.path, err)
	}
	return fmt.Errorf("%w: %s; wait for it to end", ErrCacheBusy, w.path)
}

// leave gives the right back.
func (w *writing) leave() error {
	w.held = false
	return w.lock.Unlock()
}
