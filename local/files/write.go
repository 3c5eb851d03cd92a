package files

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"lore/local/text"
)

// What lore writes holds people's documents and answers: nobody else may read it. The
// umask of the user takes away more where it is stricter.
const (
	folderMode = 0o700
	fileMode   = 0o600
)

// MkdirAll makes a folder and those above it that are missing, for the user alone. One that
// is there stays as it is.
func MkdirAll(dir string) error { return os.MkdirAll(dir, folderMode) }

// Create opens a file for writing, new or emptied, that the user alone may read.
func Create(path string) (*os.File, error) { return openAs(path, os.O_TRUNC) }

// CreateNew is Create for a file that must not be there: the error is fs.ErrExist.
func CreateNew(path string) (*os.File, error) { return openAs(path, os.O_EXCL) }

// Update opens a file for reading and writing where it is, and makes it where it is not.
func Update(path string) (*os.File, error) { return openAs(path, 0) }

// openAs opens a file, and takes it from others that could read an older one.
func openAs(path string, how int) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|how, fileMode)
	if err != nil {
		return nil, err
	}
	if err := restrict(f); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// restrict takes a file from everybody but its owner. Devices and pipes stay as they are.
func restrict(f *os.File) error {
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() || info.Mode().Perm()&^fileMode == 0 {
		return err
	}
	return f.Chmod(info.Mode().Perm() & fileMode)
}

// Restrict takes a folder and all below from everybody but its owner: for what a library
// wrote.
func Restrict(dir string) error {
	return filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.IsDir() && !d.Type().IsRegular() {
			return err
		}
		info, err := d.Info()
		if err != nil || info.Mode().Perm()&^folderMode == 0 {
			return err
		}
		return os.Chmod(path, info.Mode().Perm()&folderMode)
	})
}

// WriteFile puts data in place of a file, whole or not at all: a crash leaves the old
// content or the new. A device or pipe is written to as it is.
func WriteFile(path string, data []byte) error {
	info, err := os.Stat(path)
	if err == nil && !info.Mode().IsRegular() {
		return unwritten(path, os.WriteFile(path, data, fileMode))
	}
	s, err := Stage(target(path), data)
	if err != nil {
		return err
	}
	return s.Commit()
}

// Write puts what is written to w in place of a file, like WriteFile.
func Write(path string, write func(w io.Writer) error) error {
	s, err := stage(target(path), write)
	if err != nil {
		return err
	}
	return s.Commit()
}

// Staged is a file that lies complete beside the one it will replace.
type Staged struct {
	path, aside string
}

// Stage writes data beside the file that it will replace, and on disk. Commit puts it in
// place. A link is replaced, not followed: in a folder that was received it may lead anywhere.
func Stage(path string, data []byte) (*Staged, error) {
	return stage(path, func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	})
}

// target is the file that a link leads to, or the path itself. Where the user names a link
// to write to, it stays one.
func target(path string) string {
	if at, err := filepath.EvalSymlinks(path); err == nil {
		return at
	}
	return path
}

func stage(path string, write func(w io.Writer) error) (*Staged, error) {
	sweepOnce(filepath.Dir(path))
	f, err := os.CreateTemp(filepath.Dir(path), mine()+"*")
	if err != nil {
		return nil, unwritten(path, err)
	}

	w := bufio.NewWriter(f)
	err = write(w)
	if err == nil {
		err = w.Flush()
	}
	if err == nil {
		err = f.Sync()
	}
	if closeErr := f.Close(); err == nil {
		err = closeErr
	}
	if err != nil {
		var ours *fs.PathError
		if errors.As(err, &ours) && ours.Path == f.Name() {
			err = unwritten(path, err)
		}
		return nil, errors.Join(err, os.Remove(f.Name()))
	}
	return &Staged{path, f.Name()}, nil
}

// Commit gives the file its name.
func (s *Staged) Commit() error {
	if err := os.Rename(s.aside, s.path); err != nil {
		s.Discard()
		return unwritten(s.path, err)
	}
	return nil
}

// writeError is why a file cannot be written, by the name that the user gave.
type writeError struct {
	msg string
	err error
}

func (e *writeError) Error() string { return e.msg }
func (e *writeError) Unwrap() error { return e.err }

// unwritten words an error of writing a file, in whose place the system may have named one that
// nobody knows. nil stays nil.
func unwritten(path string, err error) error {
	if err == nil {
		return nil
	}
	dir := filepath.Dir(path)
	why := Cause(err)
	var link *os.LinkError
	switch {
	case errors.Is(err, fs.ErrNotExist) && !Exists(dir):
		why = "no such folder " + dir
	case errors.Is(err, syscall.ENOTDIR) && fileInPath(path) != "":
		why = fileInPath(path) + " is a file, not a folder"
	case isFolder(path):
		why = "it is a folder, not a file"
	case errors.Is(err, fs.ErrPermission):
		why = "nothing may be written in the folder " + dir
	case errors.As(err, &link):
		why = link.Err.Error()
	}
	return &writeError{text.Line(fmt.Sprintf("%s: cannot be written: %s", path, why)), err}
}

func isFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// Discard removes the file that was not put in place.
func (s *Staged) Discard() { _ = os.Remove(s.aside) }

// SyncFolder puts the names of a folder's files on disk.
func SyncFolder(dir string) error {
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
