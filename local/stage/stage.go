// Package stage runs the steps in which a model makes a dataset: prompts whose
// replies have a schema, are checked, and are asked for again with the reason. All
// that is done, refused and dropped goes into a log.
package stage

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"lore/local"
	"lore/local/prompt"
)

// Caller runs calls through the door; gate.Gate is one.
type Caller interface {
	All(ctx context.Context, calls []local.Call, done func(i int, reply local.Reply)) error
}

// Session is a build: a model, its prompts and the log.
type Session struct {
	Calls   Caller
	Call    local.Call // backend, model, digest and options of every call
	Prompts *prompt.Set
	Tries   int                                      // most tries of a reply that is refused, at least 1
	Fit     func(calls []local.Call)                 // sets the context window of calls; may be nil
	Step    func(stage string, n int) func(done int) // progress; may be nil

	log []Event
}

// Event is a line of the log.
type Event struct {
	Stage   string `json:"stage"`
	Subject string `json:"subject,omitempty"` // what it is about: a query, a document, a topic
	Try     int    `json:"try,omitempty"`
	Detail  string `json:"detail"`
}

// Log lists all that was noted, in order.
func (s *Session) Log() []Event { return s.log }

// Note adds to the log.
func (s *Session) Note(stage, subject string, try int, format string, args ...any) {
	s.log = append(s.log, Event{stage, subject, try, fmt.Sprintf(format, args...)})
}

// Question is a prompt that is asked for many places.
type Question[T any] struct {
	Stage      string // in log and progress
	Prompt     string // its file
	Schema     json.RawMessage
	NumPredict int
	// Data fills the prompt in; problem says why the last try was refused, "" at first.
	Data func(place int, problem string) any
	// Check says what is wrong with a reply, "" if nothing. nil takes all.
	Check func(place int, value T) string
	// Subject names a place in the log.
	Subject func(place int) string
}

// Ask asks for every place until its reply passes, up to Tries times. What never
// passes is in failed, with the last reason.
func Ask[T any](ctx context.Context, s *Session, q Question[T], places []int) (values map[int]T, failed map[int]string, err error) {
	values, failed = map[int]T{}, map[int]string{}
	open := slices.Clone(places)
	for try := 1; try <= max(1, s.Tries) && len(open) > 0; try++ {
		got, problems, err := Round(ctx, s, q, open, failed, try)
		if err != nil {
			return nil, nil, err
		}
		var again []int
		for _, i := range open {
			problem := problems[i]
			if problem == "" && q.Check != nil {
				problem = q.Check(i, got[i])
			}
			if problem == "" {
				values[i] = got[i]
				delete(failed, i)
				continue
			}
			failed[i] = problem
			again = append(again, i)
			s.Note(q.Stage, q.Subject(i), try, "refused: %s", problem)
		}
		open = again
	}
	return values, failed, nil
}

// Round asks once for every open place, with the reasons why earlier tries were
// refused. problems are those of calls that failed; nothing is checked or logged.
func Round[T any](ctx context.Context, s *Session, q Question[T], open []int, refused map[int]string, try int) (values map[int]T, problems map[int]string, err error) {
	p, err := s.Prompts.Load(q.Prompt)
	if err != nil {
		return nil, nil, err
	}
	calls := make([]local.Call, len(open))
	for k, i := range open {
		calls[k] = s.Call
		calls[k].Schema, calls[k].Options.NumPredict, calls[k].Sample = q.Schema, q.NumPredict, try-1
		if calls[k].Messages, err = p.Render(q.Data(i, refused[i])); err != nil {
			return nil, nil, err
		}
	}
	if s.Fit != nil && len(calls) > 0 {
		s.Fit(calls)
	}
	step := func(int) {}
	if s.Step != nil {
		step = s.Step(fmt.Sprintf("%s, try %d", q.Stage, try), len(calls))
	}
	values, problems = map[int]T{}, map[int]string{}
	done := 0
	err = s.Calls.All(ctx, calls, func(k int, r local.Reply) {
		var v T
		if r.Outcome != local.OK {
			problems[open[k]] = fmt.Sprintf("%s: %s", r.Outcome, r.Detail)
		} else if err := json.Unmarshal([]byte(r.Text), &v); err != nil {
			problems[open[k]] = fmt.Sprintf("%s: %v", local.BadFormat, err)
		}
		values[open[k]] = v
		done++
		step(done)
	})
	return values, problems, err
}
