package gate

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"lore/local/files"
)

// piece is a stretch of a file.
type piece struct{ offset, length int64 }

// damagedSuffix names the file beside a journal to which damaged lines are put aside.
const damagedSuffix = ".damaged"

// openOwn opens the file of a journal that is written. What is no regular file is refused:
// a pipe would hang.
func openOwn(path string) (*os.File, error) {
	f, err := files.Open(path)
	if err == nil {
		err = f.Close()
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	return files.Update(path)
}

// repair takes the damaged lines out of our own file, keeps them beside it for whoever
// wants to look, and loads the journal again.
func (j *Journal) repair(own string) error {
	pieces := j.setAside
	if err := j.keepDamaged(own, pieces); err != nil {
		return err
	}

	whole := io.NewSectionReader(j.file, 0, j.size)
	err := files.Write(own, func(w io.Writer) error {
		at := int64(0)
		for _, p := range append(pieces, piece{offset: j.size}) {
			if _, err := io.Copy(w, io.NewSectionReader(whole, at, p.offset-at)); err != nil {
				return err
			}
			at = p.offset + p.length
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("take damaged lines out of %s: %w", own, err)
	}

	if err := j.file.Close(); err != nil {
		return fmt.Errorf("close the journal: %w", err)
	}
	if j.file, err = openOwn(own); err != nil {
		return fmt.Errorf("open the journal: %w", err)
	}
	j.readers[own] = j.file
	return j.load(own)
}

// keepDamaged appends damaged lines to the file beside the journal.
func (j *Journal) keepDamaged(own string, pieces []piece) error {
	aside, err := files.Update(own + damagedSuffix)
	if err != nil {
		return fmt.Errorf("put damaged lines aside: %w", err)
	}
	_, err = aside.Seek(0, io.SeekEnd)
	for _, p := range pieces {
		if err == nil {
			_, err = io.Copy(aside, io.NewSectionReader(j.file, p.offset, p.length))
		}
	}
	if err = errors.Join(err, aside.Close()); err != nil {
		return fmt.Errorf("put damaged lines aside in %s: %w", own+damagedSuffix, err)
	}
	return nil
}
