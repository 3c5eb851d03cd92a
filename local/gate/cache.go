package gate

import (
	"context"
	"crypto/sha256"
	"fmt"
	"path/filepath"
	"strings"
	"sync"

	"lore/local"
	"lore/local/files"
)

// cache is a folder of finished calls that all runs of a person share. Each model has a
// folder in it, opened when the model is first asked, so that a run reads no more than it
// may use. Each process appends to a file of its own there, see openShared.
//
// The cache is a help, and no run depends on it: what cannot be read or written is warned
// of once, and the model is asked instead. It is not synced, because the journal is.
type cache struct {
	dir  string
	warn func(string)
	dry  bool // it is only read

	mu     sync.Mutex
	models map[string]*Journal // by folder; nil where it cannot be used
}

func newCache(dir string, warn func(string)) *cache {
	return &cache{dir: dir, warn: warn, models: map[string]*Journal{}}
}

// withCache answers a call that another run has finished, and keeps each finished call
// for others. It stands inside the journal, which therefore writes a hit before anyone
// sees it. Only calls of a lane that is shared take part, and only where a digest says
// which weights answer.
func withCache(inner local.Backend, c *cache, lanes map[string]Lane, m *meter, again Again, check *schemaCache,
) local.Backend {
	return local.BackendFunc(func(ctx context.Context, call local.Call) (local.Reply, error) {
		if !lanes[call.Backend].Shared || call.Digest == "" {
			return inner.Do(ctx, call)
		}
		j := c.of(call)
		if j == nil {
			return inner.Do(ctx, call)
		}

		key := call.Key()
		was, found, err := j.Lookup(key)
		if err != nil {
			c.drop(call, err)
			return inner.Do(ctx, call)
		}
		if found {
			if reply, ok := again.usable(ctx, call, was, check); ok {
				m.add(call, reply, fromCache)
				return reply, nil
			}
		}

		reply, err := inner.Do(ctx, call)
		// A malformed reply is kept, because the call that repairs it names it.
		if err != nil || !reply.Outcome.Final() && !repairable(call, reply) {
			return reply, err
		}
		if err := j.Append(newEntry(key, call, reply, was.try+1)); err != nil {
			c.drop(call, err)
		}
		return reply, nil
	})
}

// of opens the file for a model; nil if it cannot be used.
func (c *cache) of(call local.Call) *Journal {
	dir := filepath.Join(c.dir, folderOf(call))
	c.mu.Lock()
	defer c.mu.Unlock()
	j, known := c.models[dir]
	if known {
		return j
	}

	open := openShared
	if c.dry {
		open = lookInto
	}
	j, err := open(dir, c.warn)
	if err != nil {
		c.warn(fmt.Sprintf("the cache of model calls is not used: %v; --cache names another folder", err))
	}
	c.models[dir] = j
	return j
}

// drop stops using a model's file after an error.
func (c *cache) drop(call local.Call, err error) {
	dir := filepath.Join(c.dir, folderOf(call))
	c.mu.Lock()
	j := c.models[dir]
	c.models[dir] = nil
	c.mu.Unlock()
	if j == nil {
		return // another call has said so
	}
	c.warn(fmt.Sprintf("the cache of model calls is not used any more: %v; the run goes on, with its own journal", err))
	_ = j.Close() // others may still be reading from it; they ask the model then
}

// void takes replies of a model back.
func (c *cache) void(call local.Call, keys []string, why string) {
	j := c.of(call)
	if j == nil {
		return
	}
	if err := j.Void(keys, why); err != nil {
		c.drop(call, err)
	}
}

// close waits for what is still to be written.
func (c *cache) close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, j := range c.models {
		if j == nil {
			continue
		}
		if err := j.Close(); err != nil {
			c.warn(fmt.Sprintf("close the cache of model calls: %v", err))
		}
	}
}

// folderOf names the folder of a model: its name for people, and a hash that tells models
// of one name apart.
func folderOf(call local.Call) string {
	name := strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', strings.ContainsRune("-_.", r):
			return r
		}
		return '_'
	}, call.Model)
	sum := sha256.Sum256([]byte(call.Backend + "\x00" + call.Model + "\x00" + call.Digest))
	return fmt.Sprintf("%.60s-%x", name, sum[:6])
}

// mostWriters is how many processes may write to a model's folder at once.
const mostWriters = 1000

// openShared opens a folder that several processes write at once: each takes the first
// file that no other has locked, and reads them all. There are no more files than there
// ever were writers at the same time.
func openShared(dir string, warn func(string)) (*Journal, error) {
	if err := files.MkdirAll(dir); err != nil {
		return nil, fmt.Errorf("create the folder: %w", err)
	}
	for n := 1; n <= mostWriters; n++ {
		j, err := openFile(dir, fmt.Sprintf("calls-%d.jsonl", n), true, warn)
		if err == nil || !isBusy(err) {
			return j, err
		}
	}
	return nil, fmt.Errorf("%s: %d processes write it already", dir, mostWriters)
}
