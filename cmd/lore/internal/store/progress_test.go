package store

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"strconv"
	"sync"
	"testing"
	"time"
)

// Phases are told in order, those of one name together, and the file is gone at the end.
func TestProgress(t *testing.T) {
	f, err := Open(filepath.Join(t.TempDir(), "run"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	p := &Progress{}
	p.Tell("retrieve", 0, 2)
	p.Tell("retrieve", 2, 2)
	p.Begin(f)
	if got, err := ReadProgress(f.Dir()); err != nil || !reflect.DeepEqual(got.Phases, []Phase{{"retrieve", 2, 2}}) {
		t.Errorf("begun: %v %v", got, err)
	}

	p.Tell("judge", 0, 3)
	p.Tell("judge", 3, 3)
	p.Tell("judge", 0, 4)
	p.Tell("judge", 1, 4)
	p.Tell("judge", 0, 0) // nothing to do
	p.Tell("save", 0, 1)
	p.Plan(Plan{Benchmark: "tide", Items: 3})
	for i := range mostFailures + 2 {
		p.Failed(FailedAnswer{"bm25", strconv.Itoa(i), "names a document that the data does not have"})
	}
	p.Tell("late", 0, 2)
	if got, err := ReadProgress(f.Dir()); err != nil || got.Benchmark != "tide" || got.Failed != mostFailures+2 ||
		len(got.Failures) != mostFailures || got.Failures[0].Item != "2" {
		t.Errorf("failed answers: %+v %v", got, err)
	}
	want := []Phase{{"retrieve", 2, 2}, {"judge", 4, 7}, {"save", 0, 1}, {"late", 0, 2}}
	if got, err := ReadProgress(f.Dir()); err != nil || !reflect.DeepEqual(got.Phases, want) {
		t.Errorf("going on: %v %v", got, err)
	}
	if info, err := os.Stat(filepath.Join(f.Dir(), progressFile)); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v %v", info, err)
	}

	p.End()
	p.Tell("late", 0, 1)
	if _, err := ReadProgress(f.Dir()); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("finished: %v", err)
	}
}

// A folder is busy while somebody works in it; looking makes no file, and keeps nobody from
// beginning to work.
func TestBusy(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if Busy(dir) || Busy(filepath.Join(dir, "none")) {
		t.Error("a folder where nobody ever worked is busy")
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) > 0 {
		t.Errorf("looking made %v, %v", entries, err)
	}

	done := make(chan struct{})
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() {
			for {
				select {
				case <-done:
					return
				case <-time.After(time.Millisecond):
					Busy(dir)
				}
			}
		})
	}
	for i := range 50 {
		f, err := Open(dir)
		if err != nil {
			t.Fatalf("somebody looks, and a run cannot begin: %v", err)
		}
		if !Busy(dir) {
			t.Error("a folder that is worked in is not busy")
		}
		if i == 0 {
			if _, err := Open(dir); !errors.Is(err, ErrBusy) {
				t.Errorf("two work in it: %v", err)
			}
		}
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
	}
	close(done)
	wg.Wait()
	if Busy(dir) {
		t.Error("a folder that nobody works in any more is busy")
	}
}

// A run that is killed was stopped, whatever its file says; one on another machine, whose lock is not
// seen here, goes on as long as it says so.
func TestStateOf(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	if state, _ := StateOf(dir); state != Stopped {
		t.Errorf("nothing is there: %s", state)
	}
	f, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	p := &Progress{}
	low := 60.0
	share := 37.5
	p.Look(func() Mark { return Mark{Share: &share, Calls: 12, LeftLow: &low} })
	p.Begin(f)
	p.Tell("generate", 0, 8)
	state, work := StateOf(dir)
	if state != Running || *work.Share != 37.5 || work.Left().String() != "at least 1 min left" || work.Process != os.Getpid() ||
		time.Since(work.Updated) > time.Minute || work.Started.IsZero() {
		t.Errorf("going on: %s %+v", state, work)
	}

	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	if state, work := StateOf(dir); state != Stopped || *work.Share != 37.5 {
		t.Errorf("stopped: %s %+v", state, work)
	}
	for updated, want := range map[time.Duration]State{0: Running, 2 * quietFor: Stopped} {
		work.Machine, work.Updated = "another", time.Now().Add(-updated)
		data, err := Encode(work)
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, progressFile), data, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
		if state, _ := StateOf(dir); state != want {
			t.Errorf("on another machine, quiet for %s: %s, want %s", updated, state, want)
		}
	}

	p.End()
	if err := os.WriteFile(filepath.Join(dir, ManifestFile), []byte("{}"), 0o600); err != nil {
		t.Fatal(err)
	}
	if state, work := StateOf(dir); state != Finished || work.Share != nil {
		t.Errorf("finished: %s %+v", state, work)
	}
}
