package files

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"lore/local/text"
)

// kindError says that something else stands where a file, or a folder, is wanted.
type kindError struct{ msg, remedy string }

func (e *kindError) Error() string { return e.msg }

// saved is the remedy where a file is no regular one.
const saved = "save its content in a file and give that"

// Open opens a regular file. Pipes, sockets and devices are refused: they may never end, or
// never begin. The error is one of the file system, for errors.Is; Unreadable words it.
func Open(path string) (*os.File, error) {
	f, err := open(path)
	if err != nil {
		return nil, err
	}
	if info, err := f.Stat(); err != nil || info.IsDir() {
		f.Close()
		if err == nil {
			err = refused(path, &kindError{msg: "is a folder, not a file"})
		}
		return nil, err
	}
	return f, nil
}

// open opens a regular file or a folder. It looks before, since a device may act when it is
// opened, and after, since the name may mean something else by then.
func open(path string) (*os.File, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if err := checkMode(path, info.Mode()); err != nil {
		return nil, err
	}

	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0) // a pipe would wait for a writer
	if err != nil {
		return nil, err
	}
	if info, err = f.Stat(); err == nil {
		err = checkMode(path, info.Mode())
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// checkMode refuses what is neither a regular file nor a folder.
func checkMode(path string, mode fs.FileMode) error {
	what := ""
	switch {
	case mode.IsRegular(), mode.IsDir():
		return nil
	case mode&fs.ModeNamedPipe != 0:
		what = "a pipe"
	case mode&fs.ModeSocket != 0:
		what = "a socket"
	case mode&fs.ModeDevice != 0:
		what = "a device"
	default:
		what = "something else"
	}
	return refused(path, &kindError{"is " + what + ", not a file", saved})
}

func refused(path string, why *kindError) error {
	return &fs.PathError{Op: "open", Path: path, Err: why}
}

// ReadFile reads a regular file whole. The error is one of the file system, as of Open.
func ReadFile(path string) ([]byte, error) {
	f, err := Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return readAll(f)
}

// readAll reads a file that says its size into memory of that size.
func readAll(f *os.File) ([]byte, error) {
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	data := make([]byte, info.Size())
	n, err := io.ReadFull(f, data)
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		return data[:n], nil // it has shrunk
	case err != nil:
		return nil, err
	}
	rest, err := io.ReadAll(f) // it has grown
	return append(data, rest...), err
}

// DirFS is the folder dir as a file system that opens regular files and folders alone.
func DirFS(dir string) fs.FS { return folderFS(dir) }

type folderFS string

// Open opens a file below the folder.
func (f folderFS) Open(name string) (fs.File, error) {
	if !fs.ValidPath(name) {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrInvalid}
	}
	file, err := open(filepath.Join(string(f), filepath.FromSlash(name)))
	if err != nil {
		return nil, err
	}
	return file, nil
}

// IsFolder tells a folder from a file. What is neither is refused.
func IsFolder(path, remedy string) (bool, error) {
	info, err := os.Stat(path)
	if err == nil {
		err = checkMode(path, info.Mode())
	}
	if err != nil {
		return false, Unreadable(path, err, remedy)
	}
	return info.IsDir(), nil
}

// Same reports whether two paths lead to one file or folder, which is there.
func Same(a, b string) bool {
	one, err := os.Stat(a)
	if err != nil {
		return false
	}
	other, err := os.Stat(b)
	return err == nil && os.SameFile(one, other)
}

// fileInPath is the part of a path that is a file though more comes after it; empty where
// there is none.
func fileInPath(path string) string {
	for up := filepath.Dir(path); up != path; path, up = up, filepath.Dir(up) {
		if info, err := os.Stat(up); err == nil && !info.IsDir() {
			return up
		}
	}
	return ""
}

// nearest is what is there and has nearly the name of a path that is not: its first part that is
// not there is held against the names beside it. Empty where nothing is near.
func nearest(path string) string {
	if slashed := strings.ReplaceAll(path, `\`, "/"); slashed != path && Exists(slashed) {
		return slashed
	}
	path = filepath.Clean(path)
	below := "" // of the first part that is not there
	for {
		up, name := filepath.Dir(path), filepath.Base(path)
		if up == path {
			return ""
		}
		if !Exists(up) {
			path, below = up, filepath.Join(name, below)
			continue
		}

		entries, err := os.ReadDir(up)
		if err != nil || len(entries) > mostSeen {
			return ""
		}
		var names []string
		for _, e := range entries {
			names = append(names, e.Name())
		}
		near := text.Nearest(name, names)
		if near == "" || near == name {
			return ""
		}
		if whole := filepath.Join(up, near, below); Exists(whole) {
			return whole
		}
		return filepath.Join(up, near)
	}
}

// wordUnreadable words an error of the file system: what is wrong, of which file, and what
// helps.
func wordUnreadable(file string, err error, remedy string) (string, string, string) {
	var kind *kindError
	switch {
	case errors.As(err, &kind) && kind.remedy != "":
		return file, kind.msg, kind.remedy
	case errors.As(err, &kind):
		return file, kind.msg, remedy
	case errors.Is(err, syscall.ENOTDIR) && fileInPath(file) != "":
		return fileInPath(file), "is a file, not a folder", remedy
	case errors.Is(err, fs.ErrNotExist):
		if near := nearest(file); near != "" && !strings.HasPrefix(remedy, "did you mean") {
			remedy = strings.TrimSuffix("did you mean "+Quoted(near)+"? "+remedy, " ")
		}
		return file, "cannot be read: no such file or folder", remedy
	}
	return file, fmt.Sprintf("cannot be read: %s", Cause(err)), remedy
}
