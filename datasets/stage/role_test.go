package stage

import (
	"testing"

	"lore/local"
)

// Who writes and who checks have models, temperatures and top-p of their own.
func TestRoles(t *testing.T) {
	s := &Session{
		Call:     local.Call{Model: "w", Options: local.Options{TopP: 1}},
		Writing:  Decoding{Temperature: 0.7, TopP: 0.95},
		Checking: Decoding{Temperature: 0.1},
	}
	if c := s.call(Writes); c.Model != "w" || c.Options.Temperature != 0.7 || c.Options.TopP != 0.95 {
		t.Errorf("%+v", c)
	}
	if c := s.call(Checks); c.Model != "w" || c.Options.Temperature != 0.1 || c.Options.TopP != 1 {
		t.Errorf("%+v", c)
	}
	s.Checker = &local.Call{Model: "c"}
	if c := s.call(Checks); c.Model != "c" {
		t.Errorf("%+v", c)
	}
}
