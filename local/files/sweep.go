package files

import (
	"errors"
	"fmt"
	"hash/fnv"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
)

// staging begins the names of files that are being written. The machine and the process
// that writes follow.
const staging = ".writing-"

// machine tells machines that share a folder apart.
var machine = sync.OnceValue(func() string {
	name, err := os.Hostname()
	if err != nil {
		return "unknown"
	}
	h := fnv.New32a()
	_, _ = h.Write([]byte(name)) // a hash takes all
	return fmt.Sprintf("%08x", h.Sum32())
})

// mine begins the names of files that this process is writing.
func mine() string { return fmt.Sprintf("%s%s-%d-", staging, machine(), os.Getpid()) }

// abandoned reports whether the process of this machine that was writing a file is gone.
func abandoned(name string) bool {
	rest, ours := strings.CutPrefix(name, staging+machine()+"-")
	number, _, ok := strings.Cut(rest, "-")
	pid, err := strconv.Atoi(number)
	if !ours || !ok || err != nil || pid == os.Getpid() || runtime.GOOS == "windows" {
		return false
	}
	p, err := os.FindProcess(pid)
	return err != nil || errors.Is(p.Signal(syscall.Signal(0)), os.ErrProcessDone)
}

// Stale is the age at which a file that is being written was left by a killed process,
// whoever that was.
const Stale = time.Hour

// Sweep removes files that a killed process was writing into a folder: those of processes
// of this machine that are gone, and all of that age. Under a lock of the folder the age is 0.
func Sweep(dir string, age time.Duration) error {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("clean up %s: %w", dir, err)
	}

	for _, e := range entries {
		info, err := e.Info()
		switch {
		case !strings.HasPrefix(e.Name(), staging) || err != nil || !info.Mode().IsRegular():
		case time.Since(info.ModTime()) < age && !abandoned(e.Name()):
		default:
			if err := os.Remove(filepath.Join(dir, e.Name())); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return fmt.Errorf("clean up %s: %w", dir, err)
			}
		}
	}
	return nil
}

// swept are the folders that this process has swept before it wrote there.
var swept sync.Map

// sweepOnce sweeps a folder before the first file is written there. What cannot be swept
// is no reason not to write.
func sweepOnce(dir string) {
	if _, done := swept.LoadOrStore(dir, true); !done {
		_ = Sweep(dir, Stale)
	}
}
