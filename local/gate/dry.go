package gate

import (
	"context"
	"maps"
	"os"
	"time"

	"github.com/gofrs/flock"

	"lore/local"
)

// openDry builds the door of a gate that asks nobody: what is finished comes from the journal and
// the cache, as it would, and the rest from cfg.Dry. Repairs of malformed replies are followed up.
func (g *Gate) openDry(cfg Config, inner local.Backend) error {
	g.dry = cfg.Dry
	if cfg.Dir != "" {
		j, err := lookInto(cfg.Dir, cfg.Warn)
		if err != nil {
			return err
		}
		g.journal = j
		if cfg.Cache != "" {
			g.cache = newCache(cfg.Cache, cfg.Warn)
			g.cache.dry = true
		}
	}

	g.door = withRepair(local.BackendFunc(func(ctx context.Context, call local.Call) (local.Reply, error) {
		if reply, ok := g.finished(ctx, call); ok {
			return cfg.Dry.Finished(call, reply), nil
		}
		if name, ok := laneOf(g.lanes, call); ok && g.lanes[name].Here {
			return inner.Do(ctx, call)
		}
		return cfg.Dry.Do(ctx, call)
	}))
	return nil
}

// dryPhase goes through calls one by one, in the order in which they would be begun.
func (g *Gate) dryPhase(ctx context.Context, calls []local.Call, phase []int, done func(int, local.Reply)) error {
	g.dry.Round()
	defer g.dry.Round()
	for _, i := range phase {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		reply, err := g.Do(ctx, calls[i])
		if err != nil {
			return err
		}
		done(i, reply)
	}
	return nil
}

// lookInto opens a journal to be read alone. It locks nothing, so that another process may write
// it meanwhile, and changes nothing: a folder that is not there has no calls.
func lookInto(dir string, warn func(string)) (*Journal, error) {
	names, err := journalFiles(dir)
	if err != nil {
		return nil, err
	}
	j := &Journal{
		dir:     dir,
		lock:    flock.New(dir), // never taken
		readers: map[string]*os.File{},
		warn:    warn,
		wake:    make(chan struct{}, 1),
		stopped: make(chan struct{}),
	}
	close(j.stopped) // nothing is written
	for _, path := range names {
		if j.readers[path], err = openToRead(path); err != nil {
			return nil, err
		}
	}

	s := &scanner{index: map[string]span{}, bad: func(string, error) {}}
	for range 2 { // a word that takes replies back may stand in a later file than they do
		voids := s.voids
		s = &scanner{index: map[string]span{}, voids: map[string]time.Time{}, bad: s.bad}
		maps.Copy(s.voids, voids)
		if _, err = j.scanAll(s, names, ""); err != nil {
			return nil, err
		}
		if len(s.voids) == 0 {
			break
		}
	}
	j.index = s.index
	return j, nil
}
