package files

import (
	"errors"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// odd makes a pipe, a socket, and names for a device and a folder.
func odd(t *testing.T) map[string]string {
	t.Helper()
	dir := t.TempDir()
	pipe, socket := filepath.Join(dir, "pipe.txt"), filepath.Join(dir, "s.txt")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	return map[string]string{
		pipe:        "is a pipe, not a file",
		socket:      "is a socket, not a file",
		"/dev/zero": "is a device, not a file",
		dir:         "is a folder, not a file",
	}
}

// quickly fails where a function waits for what never comes.
func quickly(t *testing.T, name string, do func() error) error {
	t.Helper()
	done := make(chan error, 1)
	go func() { done <- do() }()
	select {
	case err := <-done:
		return err
	case <-time.After(10 * time.Second):
		t.Fatalf("%s: waits", name)
		return nil
	}
}

func TestOnlyRegularFilesAreRead(t *testing.T) {
	for path, want := range odd(t) {
		for name, read := range map[string]func() error{
			"Read":  func() error { _, err := Read(path, "give a text"); return err },
			"Bytes": func() error { _, err := Bytes(path, "give a text"); return err },
			"DirFS": func() error {
				_, err := ReadFS(DirFS(filepath.Dir(path)), filepath.Base(path), path, "give a text")
				return err
			},
		} {
			err := quickly(t, name+" "+path, read)
			var ours *Error
			if !errors.As(err, &ours) || !strings.Contains(err.Error(), path+": "+want) &&
				!strings.Contains(err.Error(), "is a directory") || ours.Remedy == "" {
				t.Errorf("%s: %v, want %s", name, err, want)
			}
		}
	}
}

func TestNoPipesInFolders(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "a.txt"), []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(filepath.Join(dir, "b.txt"), 0o600); err != nil {
		t.Fatal(err)
	}
	err := quickly(t, "Folder", func() error { _, err := Folder(dir); return err })
	if err == nil || !strings.Contains(err.Error(), filepath.Join(dir, "b.txt")+": is a pipe") {
		t.Errorf("%v", err)
	}
}

// A file where a folder belongs is named, and what is missing stays missing.
func TestFileForFolder(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.txt")
	if err := os.WriteFile(path, []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := ReadFS(DirFS(path), "topics.jsonl", path+"/topics.jsonl", "give a folder")
	if err == nil || err.Error() != path+": is a file, not a folder; give a folder" {
		t.Errorf("%v", err)
	}
	if _, err := ReadFile(path + "x"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%v", err)
	}
	if data, err := ReadFile(path); err != nil || string(data) != "x" {
		t.Errorf("%q %v", data, err)
	}
	if data, err := ReadFile("/proc/self/status"); err != nil || len(data) == 0 { // says that it has no bytes
		t.Errorf("%q %v", data, err)
	}
}

// What the index reads of a folder follows the rules of package fs.
func TestDirFS(t *testing.T) {
	dir := write(t, map[string]string{"a.txt": "x", "b/c.txt": "y"})
	names, err := fs.Glob(DirFS(dir), "*/*.txt")
	if err != nil || len(names) != 1 {
		t.Errorf("%v %v", names, err)
	}
	if _, err := fs.ReadFile(DirFS(dir), "../x"); !errors.Is(err, fs.ErrInvalid) {
		t.Errorf("%v", err)
	}
}

func TestSame(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	err := errors.Join(os.WriteFile(at("a"), nil, 0o600), os.WriteFile(at("b"), nil, 0o600), os.Symlink("a", at("link")))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		one, other string
		want       bool
	}{
		{"a", "a", true}, {"a", "link", true}, {"link", "a", true}, {"a", "b", false},
		{"a", "gone", false}, {"gone", "a", false}, {"gone", "gone", false},
	} {
		if got := Same(at(c.one), at(c.other)); got != c.want {
			t.Errorf("%s and %s: %v", c.one, c.other, got)
		}
	}
	if !Same(dir, filepath.Join(dir, "..", filepath.Base(dir))) {
		t.Error("a folder by another path")
	}
}
