package stage

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/fstest"

	"lore/local"
	"lore/local/prompt"
	"lore/local/schema"
)

// told is a model whose replies can be read from some call on, or where it is told what was wrong.
type told struct {
	readable int // replies before that cannot be read
	outcome  local.Outcome
	listens  bool
	calls    int
}

func (m *told) All(ctx context.Context, calls []local.Call, done func(int, local.Reply)) error {
	for i, c := range calls {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		m.calls++
		r := local.Reply{Outcome: local.OK, Text: `{"a":"b"}`}
		if m.calls <= m.readable && !(m.listens && strings.Contains(c.Messages[0].Content, "no JSON")) {
			r = local.Reply{Outcome: m.outcome, Text: "Sure!"}
		}
		done(i, r)
	}
	return nil
}

// A stage is stopped if none of its first replies can be read; where a model can be told of it, that is tried.
func TestUselessReplies(t *testing.T) {
	type reply struct{ A string }
	plain := func(_ int, r local.Reply) (reply, string) {
		if r.Outcome != local.OK || !strings.HasPrefix(r.Text, "{") {
			return reply{}, "no JSON"
		}
		return reply{"b"}, ""
	}
	withSchema := schema.Object(schema.Field("a", schema.String())).JSON()
	for name, c := range map[string]struct {
		model     told
		places    int
		read      bool // by Read, which has no schema
		rehearsed bool
		calls     int
		stopped   bool
		failed    int
	}{
		"garbage":                {told{1000, local.BadFormat, false, 0}, 200, false, false, firstReplies, true, 0},
		"garbage without schema": {told{1000, local.OK, false, 0}, 200, true, false, firstReplies + 2*secondLooks, true, 0},
		"one can be read":        {told{firstReplies - 1, local.BadFormat, false, 0}, 200, false, false, 211, false, 0},
		"few places":             {told{1000, local.BadFormat, false, 0}, leastPlaces - 1, false, false, 3 * (leastPlaces - 1), false, leastPlaces - 1},
		"listens":                {told{1000, local.OK, true, 0}, 200, true, false, firstReplies + secondLooks + 400, false, 0},
		"a rehearsal":            {told{1000, local.BadFormat, false, 0}, 200, false, true, 600, false, 200},
		"too long":               {told{1000, local.TooLong, false, 0}, 200, false, false, 600, false, 200},
	} {
		q := Question[reply]{
			Stage: "points", Prompt: "p.txt", Schema: withSchema, Role: Checks,
			Data:    func(_ int, problem string) any { return map[string]string{"Problem": problem} },
			Subject: func(int) string { return "d" },
		}
		if c.read {
			q.Schema, q.Read = nil, plain
		}
		s := &Session{Calls: &c.model, Tries: 3, Rehearsed: c.rehearsed,
			Prompts: prompt.NewSet(nil, fstest.MapFS{"p.txt": {Data: []byte("Points? {{.Problem}}")}})}

		values, failed, err := Ask(t.Context(), s, q, Places(c.places))
		var useless *Useless
		if errors.As(err, &useless) != c.stopped || err == nil && len(values)+len(failed) != c.places || len(failed) != c.failed ||
			c.model.calls != c.calls {
			t.Errorf("%s: %d calls, %d values, %d failed: %v", name, c.model.calls, len(values), len(failed), err)
		}
		if c.stopped && (!strings.Contains(err.Error(), `"points"`) || !strings.Contains(err.Error(), "--checker") || s.Refused() < firstReplies) {
			t.Errorf("%s: %v, %d refused", name, err, s.Refused())
		}
	}
}
