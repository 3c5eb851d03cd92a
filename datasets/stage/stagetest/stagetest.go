// Package stagetest opens builds by scripted models, for tests.
package stagetest

import (
	"io/fs"
	"testing"

	"lore/datasets/stage"
	"lore/local"
	"lore/local/gate"
	"lore/local/prompt"
)

// Session is a build by a scripted backend, for tests: through a gate without a journal,
// with the built-in prompts.
func Session(t testing.TB, backend local.Backend, slots, tries int, prompts fs.FS) *stage.Session {
	t.Helper()
	g, err := gate.Open(gate.Config{Lanes: map[string]gate.Lane{"fake": {Backend: backend, Slots: slots}}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { g.Close() })

	call := local.Call{Backend: "fake", Options: local.Options{NumCtx: 4096}}
	return &stage.Session{Calls: g, Call: call, Prompts: prompt.NewSet(nil, prompts), Tries: tries}
}
