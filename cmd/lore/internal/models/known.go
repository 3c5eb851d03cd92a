package models

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"

	"lore/local/files"
	"lore/local/ollama"
	"lore/local/wire"
)

// known is what the cache keeps of a model of a server, so that finished calls can be
// used while the server is away: the digest names the calls.
type known struct {
	Server string       `json:"server_version"`
	Model  ollama.Model `json:"model"`
}

// lookup asks the server for a model, or the cache where the server cannot be reached.
func (s *Set) lookup(ctx context.Context, name string) (ollama.Model, error) {
	client, err := s.Client(ctx)
	var info ollama.Model
	if err == nil {
		info, err = client.Model(ctx, name)
	}
	if err == nil {
		err = s.sameWeights(ctx, info)
	}
	if err == nil {
		s.remember(name, info)
		return info, nil
	}
	if !errors.Is(err, wire.ErrUnreachable) {
		return info, err
	}

	k, found := s.recall(name)
	if !found {
		return info, err
	}
	if s.client == nil {
		if s.client, err = ollama.NewClient(s.ollama(s.cfg.Server.Of(ollama.BackendName)[0])); err != nil {
			return info, err
		}
	}
	s.server = k.Server
	if !s.recalled {
		s.cfg.Console.Warn(fmt.Sprintf("the model server cannot be reached: only finished calls, in the journal or "+
			"the cache %s, can be used; the first other one ends the run", s.cfg.Cache))
	}
	s.recalled = true
	return k.Model, nil
}

// knownFile is the place of a model in the cache. The server's address is only hashed: it
// may hold a password.
func (s *Set) knownFile(name string) string {
	sum := sha256.Sum256([]byte(s.cfg.Server.Of(ollama.BackendName)[0] + "\x00" + name))
	return filepath.Join(s.cfg.Cache, "models", fmt.Sprintf("%x.json", sum[:8]))
}

// remember keeps what the server said. The cache is a help: where it cannot be written the
// run goes on, and the door says so when it writes calls there.
func (s *Set) remember(name string, info ollama.Model) {
	if s.cfg.Cache == "" {
		return
	}
	path := s.knownFile(name)
	data, err := json.Marshal(known{s.server, info})
	if err != nil || files.MkdirAll(filepath.Dir(path)) != nil {
		return
	}
	_ = files.Sweep(filepath.Dir(path), files.Stale) // nothing else of the cache is locked
	_ = files.WriteFile(path, data)
}

func (s *Set) recall(name string) (known, bool) {
	var k known
	if s.cfg.Cache == "" {
		return k, false
	}
	data, err := files.ReadFile(s.knownFile(name))
	return k, err == nil && json.Unmarshal(data, &k) == nil && k.Model.Digest != ""
}
