package prompts

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// A watcher waits until files rest, sees those that are renamed into place, those that are new and those that
// go, and neither an editor's copies nor the same content written again.
func TestWatcher(t *testing.T) {
	root := t.TempDir()
	write(t, root, "v/summhay/answer.txt", "one")
	v, err := Load(filepath.Join(root, "v"), "", "")
	if err != nil {
		t.Fatal(err)
	}
	w := Watch([]Version{{Name: Builtin}, v})
	file := filepath.Join(root, "v", "summhay", "answer.txt")
	wait := func(patience time.Duration) error {
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		return w.Wait(ctx)
	}

	write(t, root, "v/summhay/answer.txt", "one")
	write(t, root, "v/summhay/answer.txt~", "copy")
	write(t, root, "v/summhay/.answer.txt.swp", "swap")
	if err := wait(500 * time.Millisecond); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("nothing has changed: %v", err)
	}

	for name, change := range map[string]func() error{
		"written in pieces": func() error {
			for _, text := range []string{"", "tw", "two"} {
				if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
					return err
				}
			}
			return nil
		},
		"renamed": func() error {
			write(t, root, "v/summhay/answer.txt.tmp", "three")
			return os.Rename(file+".tmp", file)
		},
		"a new file": func() error { write(t, root, "v/judge/coverage.txt", "x"); return nil },
		"gone":       func() error { return os.Remove(file) },
	} {
		if err := change(); err != nil {
			t.Fatal(err)
		}
		if err := wait(30 * time.Second); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		write(t, root, "v/summhay/answer.txt", "back "+name)
		if err := wait(30 * time.Second); err != nil {
			t.Errorf("after %s: %v", name, err)
		}
	}
	now, err := v.Reload()
	if err != nil || len(Changed(v, now)) != 2 {
		t.Errorf("%v, %v", Changed(v, now), err)
	}
}
