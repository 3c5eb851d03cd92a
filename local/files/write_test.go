package files

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// Whatever was there before, what is written is for the user alone.
func TestNobodyElseMayRead(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a", "b")
	if err := MkdirAll(dir); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(dir, "library"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"created", "updated", "written", "lines", "library/open"} {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte("older and longer"), 0o644); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(path, 0o664); err != nil { // the umask may have taken it away
			t.Fatal(err)
		}
	}

	f, err := Create(filepath.Join(dir, "created"))
	g, err2 := Update(filepath.Join(dir, "updated"))
	h, err3 := CreateNew(filepath.Join(dir, "new"))
	err4 := WriteFile(filepath.Join(dir, "written"), []byte("x"))
	err5 := WriteLines(filepath.Join(dir, "lines"), []int{1, 2})
	if err := errors.Join(err, err2, err3, err4, err5, f.Close(), g.Close(), h.Close(), Restrict(filepath.Join(dir, "library"))); err != nil {
		t.Fatal(err)
	}
	if _, err := CreateNew(filepath.Join(dir, "new")); !errors.Is(err, fs.ErrExist) {
		t.Errorf("a file that is there: %v", err)
	}

	seen := 0
	err = filepath.WalkDir(filepath.Dir(dir), func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		seen++
		if info, err := d.Info(); err != nil || info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s: %v, %v", path, info.Mode(), err)
		}
		return nil
	})
	if err != nil || seen != 9 {
		t.Errorf("%d seen, %v", seen, err)
	}
	for name, want := range map[string]string{"created": "", "updated": "older and longer", "written": "x", "lines": "1\n2\n"} {
		if data, err := os.ReadFile(filepath.Join(dir, name)); err != nil || string(data) != want {
			t.Errorf("%s holds %q, %v", name, data, err)
		}
	}
}

// A stricter umask takes away more.
func TestStricterUmask(t *testing.T) {
	dir := t.TempDir()
	old := syscall.Umask(0o277)
	defer syscall.Umask(old)
	f, err := Create(filepath.Join(dir, "created"))
	err2 := WriteFile(filepath.Join(dir, "written"), nil)
	if err := errors.Join(err, err2, f.Close(), MkdirAll(filepath.Join(dir, "folder"))); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]fs.FileMode{"created": 0o400, "written": 0o400, "folder": 0o500} {
		if info, err := os.Stat(filepath.Join(dir, name)); err != nil || info.Mode().Perm() != want {
			t.Errorf("%s: %v, %v", name, info.Mode(), err)
		}
	}
}

// A write that fails leaves the old file, and nothing beside it; a link stays a link, and
// a device is written to.
func TestWriteIsWholeOrNot(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "f")
	if err := WriteFile(path, []byte("old")); err != nil {
		t.Fatal(err)
	}
	broken := errors.New("broken")
	err := Write(path, func(w io.Writer) error { _, _ = io.WriteString(w, "half"); return broken })
	if data, _ := os.ReadFile(path); !errors.Is(err, broken) || string(data) != "old" {
		t.Errorf("%v: %q", err, data)
	}

	link := filepath.Join(dir, "link")
	if err := os.Symlink("f", link); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(WriteFile(link, []byte("new")), WriteFile("/dev/null", []byte("gone"))); err != nil {
		t.Fatal(err)
	}
	info, err := os.Lstat(link)
	if data, _ := os.ReadFile(path); err != nil || info.Mode()&fs.ModeSymlink == 0 || string(data) != "new" {
		t.Errorf("%v %v: %q", info, err, data)
	}
	if null, err := os.Stat("/dev/null"); err != nil || null.Mode().IsRegular() {
		t.Errorf("%v %v", null, err)
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 2 {
		t.Errorf("%v %v", entries, err)
	}
}

// What a killed process left is removed once it is old enough, and nothing else.
func TestSweep(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{staging + "old", staging + "new", "answers.jsonl"} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	past := time.Now().Add(-2 * Stale)
	if err := os.Chtimes(filepath.Join(dir, staging+"old"), past, past); err != nil {
		t.Fatal(err)
	}
	if err, want := Sweep(dir, Stale), staging+"new answers.jsonl"; err != nil || names(t, dir) != want {
		t.Errorf("%v, %s", err, names(t, dir))
	}
	if err := Sweep(dir, 0); err != nil || names(t, dir) != "answers.jsonl" {
		t.Errorf("%v, %s", err, names(t, dir))
	}

	// A process that is gone has left a young file; one that is there is still writing.
	done := exec.Command("true")
	if err := done.Run(); err != nil {
		t.Skip(err)
	}
	gone := fmt.Sprintf("%s%s-%d-1", staging, machine(), done.Process.Pid)
	there := fmt.Sprintf("%s%s-%d-1", staging, machine(), os.Getppid())
	for _, name := range []string{gone, there} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := Sweep(dir, Stale); err != nil || names(t, dir) != there+" answers.jsonl" {
		t.Errorf("%v, %s", err, names(t, dir))
	}
	if err := Sweep(filepath.Join(dir, "nowhere"), 0); err != nil {
		t.Error(err)
	}
}

func names(t *testing.T, dir string) string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, e := range entries {
		out = append(out, e.Name())
	}
	return strings.Join(out, " ")
}

// Messages name the file that was asked for, not one that lore writes beside it, and what is in the way.
func TestUnwritable(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "file"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(dir, "closed"), 0o500); err != nil {
		t.Fatal(err)
	}
	nothing := func(io.Writer) error { return nil }

	for _, c := range []struct {
		path, want string
		is         error
	}{
		{"gone/x.json", "no such folder DIR/gone", fs.ErrNotExist},
		{"file/x.json", "DIR/file is a file, not a folder", syscall.ENOTDIR},
		{"closed", "it is a folder, not a file", syscall.EISDIR},
		{"closed/x.json", "nothing may be written in the folder DIR/closed", fs.ErrPermission},
	} {
		path := filepath.Join(dir, c.path)
		if c.is == fs.ErrPermission && os.Getuid() == 0 {
			continue // nothing is closed to this user
		}
		err := WriteFile(path, []byte("x"))
		want := path + ": cannot be written: " + strings.ReplaceAll(c.want, "DIR", dir)
		if err == nil || err.Error() != want || !errors.Is(err, c.is) {
			t.Errorf("%v, want %s", err, want)
		}
		if err := Write(path, nothing); err == nil || err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
	}

	// What goes wrong in writing is not the file's fault.
	own := errors.New("no such thing")
	if err := Write(filepath.Join(dir, "x"), func(io.Writer) error { return own }); err != own && err.Error() != own.Error() {
		t.Error(err)
	}
}
