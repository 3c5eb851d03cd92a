package main

import (
	"strings"
	"testing"

	"lore/cmd/lore/internal/meter"
)

// What is said of calls when a command is interrupted is true of it.
func TestInterruptedText(t *testing.T) {
	for _, c := range []struct {
		state meter.State
		known bool
		want  string
		calls bool
	}{
		{meter.State{}, false, "what it had written whole is kept; run the same command again:", false},
		{meter.State{Phase: "scoring", Done: 3, Total: 9}, true, `of "scoring" 3 of 9 are done` + "\n      no model had answered, so that only", false},
		{meter.State{Asked: 2, Kept: 1}, true, "nothing is lost: 3 finished calls to models and whole files are kept", true},
	} {
		got := interruptedText(c.state, c.known)
		if !strings.HasPrefix(got, c.want) || strings.Contains(got, "finished call") != c.calls {
			t.Errorf("%+v: %s", c, got)
		}
	}
}
