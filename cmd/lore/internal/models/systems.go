package models

import (
	"context"
	"fmt"
	"slices"
	"time"

	"lore/cmd/lore/internal/usage"
	"lore/local"
	remote "lore/local/system"
)

// Systems are systems of people's own that are asked over HTTP.
type Systems struct {
	URLs    []string
	Hosts   []string // that may be asked besides this machine
	K       int      // documents that a system is asked to use
	Timeout time.Duration
}

func (s Systems) backend() *remote.Backend {
	return remote.New(remote.Config{Hosts: s.Hosts, Timeout: s.Timeout})
}

// Check refuses what is not a URL, and hosts that must not be asked.
func (s Systems) Check() error {
	if len(s.URLs) > 0 && s.K < 1 {
		return usage.Errorf("--system-k is at least 1")
	}
	if len(s.URLs) > 0 && s.Timeout <= 0 {
		return usage.Errorf("--system-timeout is above 0")
	}

	b := s.backend()
	for i, u := range s.URLs {
		if err := b.Check(u); err != nil {
			return usage.Errorf("--system: %v", err)
		}
		if slices.Contains(s.URLs[:i], u) {
			return usage.Errorf("--system %s is named twice", u)
		}
	}
	return nil
}

// Alive says which system cannot be reached, if any.
func (s Systems) Alive(ctx context.Context) error {
	b := s.backend()
	for _, u := range s.URLs {
		if err := b.Reachable(ctx, u); err != nil {
			return fmt.Errorf("%w; finished answers are kept: start it and run the same command again", err)
		}
	}
	return nil
}

// Asked is a system as a model, by its URL.
func Asked(url string) *Model {
	return &Model{Spec: url, Backend: remote.BackendName, Name: url}
}

// IsAsked reports whether the model is a system of people's own.
func (m *Model) IsAsked() bool { return m.Backend == remote.BackendName }

// Question is the call that asks a system.
func (s Systems) Question(m *Model, query string) local.Call {
	content := remote.Body(query, s.K)
	return local.Call{
		Backend:  m.Backend,
		Model:    m.Name,
		Messages: []local.Message{{Role: local.User, Content: content}},
	}
}
