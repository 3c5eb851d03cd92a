package prompts

import (
	"context"
	"crypto/sha256"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"time"

	"lore/local/files"
)

// Watcher tells when the files of some folders change. It looks again and again: the folders of
// prompts hold few and small files, and whatever an editor does, such as to write aside and rename,
// or a file system on another machine that tells nobody, the content is what counts.
type Watcher struct {
	dirs  []string
	known string
}

// Times of a Watcher. What is half written is not read: nothing must have changed for quiet.
const (
	glance = 50 * time.Millisecond
	quiet  = 3 // glances
)

// Watch begins to watch the folders of versions, as they are now.
func Watch(versions []Version) *Watcher {
	w := &Watcher{}
	for _, v := range versions {
		if v.Dir != "" {
			w.dirs = append(w.dirs, v.Dir)
		}
	}
	w.known = w.look()
	return w
}

// Wait returns nil when files have changed since the last change, and have been the same for a
// moment, or the context's error.
func (w *Watcher) Wait(ctx context.Context) error {
	tick := time.NewTicker(glance)
	defer tick.Stop()
	last, same := w.known, 0
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-tick.C:
		}

		now := w.look()
		if now != last {
			last, same = now, 0
			continue
		}
		if same++; now != w.known && same >= quiet {
			w.known = now
			return nil
		}
	}
}

// look is what the folders hold, or what keeps them from being read, as a hash.
func (w *Watcher) look() string {
	h := sha256.New()
	for _, dir := range w.dirs {
		names, links, err := files.ListLinks(dir)
		fmt.Fprintln(h, dir, links, err)
		for _, name := range names {
			if !ofEditor(name) {
				data, err := files.ReadFile(filepath.Join(dir, filepath.FromSlash(name)))
				fmt.Fprintln(h, name, sha256.Sum256(data), err)
			}
		}
	}
	return string(h.Sum(nil))
}

// Changed names the prompts whose texts differ between two readings of a version, sorted.
func Changed(was, is Version) []string {
	all := maps.Clone(is.Texts)
	if all == nil {
		all = map[string]string{}
	}
	maps.Copy(all, was.Texts)
	var out []string
	for _, name := range slices.Sorted(maps.Keys(all)) {
		a, hadA := was.Texts[name]
		b, hasB := is.Texts[name]
		if a != b || hadA != hasB {
			out = append(out, name)
		}
	}
	return out
}
