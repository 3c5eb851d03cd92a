// Package stage runs the steps in which a model makes a dataset: prompts whose
// replies have a schema, are checked, and are asked for again with the reason. All
// that is done, refused and dropped goes into a log.
package stage

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"lore/local"
	"lore/local/guard"
	"lore/local/prompt"
)

// Caller runs calls through the door; gate.Gate is one.
type Caller interface {
	All(ctx context.Context, calls []local.Call, done func(i int, reply local.Reply)) error
}

// Role is what a model does when it answers a question: papers use models of different
// strength for the two, and draw what is written, and not what is checked.
type Role int

// The roles.
const (
	Writes Role = iota
	Checks
)

// Decoding is how a model's words are drawn.
type Decoding struct {
	Temperature float64 // 0 is greedy
	TopP        float64 // in (0,1]; 0 leaves it as it is
}

// Session is a build: a model, its prompts and the log.
type Session struct {
	Calls    Caller
	Call     local.Call  // backend, model, digest and options of every call
	Checker  *local.Call // the same of what is checked, where another model does that; may be nil
	Writing  Decoding    // how what is written is drawn
	Checking Decoding    // the same of what is checked
	Prompts  *prompt.Set
	Tries    int                                      // maximum number of tries of a reply that is refused, at least 1
	Fit      func(calls []local.Call)                 // sets the context window of calls; may be nil
	Step     func(stage string, n int) func(done int) // progress; may be nil

	// Rehearsed says that replies are stand-ins for those of a model, which nothing can be told of.
	Rehearsed bool

	log     []Event
	persist bool        // go on where no reply can be read
	seen    *guard.Seen // texts with forged marks; shared with branches
}

// Event is a line of the log.
type Event struct {
	Stage   string `json:"stage"`
	Subject string `json:"subject,omitempty"` // what it is about: a query, a document, a topic
	Try     int    `json:"try,omitempty"`
	Refused bool   `json:"refused,omitempty"` // a reply that was asked for again, or given up
	Detail  string `json:"detail"`
}

// Log lists all that was noted, in order.
func (s *Session) Log() []Event { return s.log }

// Note adds to the log.
func (s *Session) Note(stage, subject string, try int, format string, args ...any) {
	s.log = append(s.log, Event{Stage: stage, Subject: subject, Try: try, Detail: fmt.Sprintf(format, args...)})
}

// Forged counts the texts in which marks that pose as something else were made neutral before
// the model saw them.
func (s *Session) Forged() int { return s.seen.Count() }

// Branch is a session for work that runs beside others: the same model and prompts, a
// log of its own, and no progress.
func (s *Session) Branch() *Session {
	s.count()
	b := *s
	b.Step, b.Fit, b.log = nil, nil, nil
	return &b
}

// count begins to count texts with forged marks.
func (s *Session) count() {
	if s.seen == nil {
		s.seen = &guard.Seen{}
	}
}

// Join adds the log of a branch.
func (s *Session) Join(b *Session) { s.log = append(s.log, b.log...) }

// Refuse notes a reply that cannot be used.
func (s *Session) Refuse(stage, subject string, try int, format string, args ...any) {
	s.Note(stage, subject, try, format, args...)
	s.log[len(s.log)-1].Refused = true
}

// Refused counts the replies that were refused.
func (s *Session) Refused() int {
	n := 0
	for _, e := range s.log {
		if e.Refused {
			n++
		}
	}
	return n
}

// dropStage is the stage of events about what was left out for good.
const dropStage = "drop"

// Drop notes what is left out for good.
func (s *Session) Drop(subject, format string, args ...any) {
	s.Note(dropStage, subject, 0, format, args...)
}

// Dropped counts what was left out for good.
func (s *Session) Dropped() int {
	n := 0
	for _, e := range s.log {
		if e.Stage == dropStage {
			n++
		}
	}
	return n
}

// Question is a prompt that is asked for many places.
type Question[T any] struct {
	Stage      string // in log and progress
	Role       Role   // says which model is asked, and how its words are drawn
	Prompt     string // its file
	Schema     json.RawMessage
	NumPredict int
	Options    func(place, try int, o *local.Options) // changes the session's options; may be nil
	Once       bool                                   // a refused reply is not asked for again: it would be the same
	// Data fills the prompt in; problem says why the last try was refused, "" at first.
	Data func(place int, problem string) any
	// Read turns a reply that is not JSON into a value; problem says why it cannot be used,
	// "" if it can. nil reads JSON.
	Read func(place int, r local.Reply) (value T, problem string)
	// Closed is the part of a text that was cut which is whole, and the number of elements in
	// it, so that a reply which reached its limit is not thrown away. nil takes the closed
	// elements of the first list of a reply that is JSON, and nothing of other replies.
	Closed func(text string) (whole string, elements int)
	// Complete refuses a cut reply: half of such a list would be a wrong answer.
	Complete    bool
	TopLogprobs int // above 0 asks for token log-probabilities
	// Check says what is wrong with a reply, "" if nothing. nil takes all.
	Check func(place int, value T) string
	// Subject names a place in the log.
	Subject func(place int) string
}

// Ask asks for every place until its reply passes, up to Tries times. What never
// passes is in failed, with the last reason. Where none of the first replies can be read, err is
// Useless.
func Ask[T any](ctx context.Context, s *Session, q Question[T], places []int) (
	values map[int]T, failed map[int]string, err error) {
	values, failed = map[int]T{}, map[int]string{}
	open := slices.Clone(places)
	tries := max(1, s.Tries)
	if q.Once {
		tries = 1
	}

	for try := 1; try <= tries && len(open) > 0; try++ {
		var got map[int]T
		var problems map[int]string
		if try == 1 {
			got, problems, err = firstRound(ctx, s, q, open)
		} else {
			got, problems, err = Round(ctx, s, q, open, failed, try)
		}
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
			s.Refuse(q.Stage, q.Subject(i), try, "refused: %s", problem)
		}
		open = again
	}
	return values, failed, nil
}

// One asks a question that has a single place; failed is "" if it went well.
func One[T any](ctx context.Context, s *Session, q Question[T]) (value T, failed string, err error) {
	got, problems, err := Ask(ctx, s, q, []int{0})
	return got[0], problems[0], err
}

// Round asks once for every open place, with the reasons why earlier tries were
// refused. problems are those of calls that failed; nothing is checked, and nothing
// logged but what was taken of replies that were cut, and what repeated itself in a list.
func Round[T any](ctx context.Context, s *Session, q Question[T], open []int, refused map[int]string, try int) (
	values map[int]T, problems map[int]string, err error) {
	calls, err := q.calls(s, open, refused, try)
	if err != nil {
		return nil, nil, err
	}
	if s.Fit != nil && len(calls) > 0 {
		s.Fit(calls)
	}

	step := func(int) {}
	if s.Step != nil {
		step = s.Step(fmt.Sprintf("%s, try %d", q.Stage, try), len(calls))
	}
	read := q.Read
	if read == nil {
		read = readJSON[T]
	}

	values, problems = map[int]T{}, map[int]string{}
	taken := map[int][]string{}
	done := 0
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	watch := q.watch(s, stop, len(open), try)
	err = s.Calls.All(ctx, calls, func(k int, r local.Reply) {
		r, closed := q.salvage(r)
		r, repeats := q.withoutRepeats(r)
		taken[open[k]] = []string{closed, repeats}
		v, problem := read(open[k], r)
		if problem != "" {
			problems[open[k]] = problem
		}
		watch.see(q.Stage, q.Role, r, problem)
		values[open[k]] = v
		done++
		step(done)
	})

	if useless := new(Useless); errors.As(context.Cause(ctx), &useless) {
		for _, i := range open {
			if problems[i] != "" {
				s.Refuse(q.Stage, q.Subject(i), try, "refused: %s", problems[i])
			}
		}
		return values, problems, useless
	}
	for _, i := range open { // replies come in any order; the log has one
		for _, what := range taken[i] {
			if what != "" {
				s.Note(q.Stage, q.Subject(i), try, "%s", what)
			}
		}
	}
	return values, problems, err
}

// call is a call without words by the model of a role.
func (s *Session) call(r Role) local.Call {
	c, d := s.Call, s.Writing
	if r == Checks {
		d = s.Checking
		if s.Checker != nil {
			c = *s.Checker
		}
	}

	c.Options.Temperature = d.Temperature
	if d.TopP > 0 {
		c.Options.TopP = d.TopP
	}
	return c
}

// calls words a round: a call for each open place. The number of the try is the sample,
// so that a reply that was refused is not found in the journal again.
func (q Question[T]) calls(s *Session, open []int, refused map[int]string, try int) ([]local.Call, error) {
	p, err := s.Prompts.Load(q.Prompt)
	if err != nil {
		return nil, err
	}
	s.count()

	calls := make([]local.Call, len(open))
	for k, i := range open {
		c := s.call(q.Role)
		c.Schema, c.TopLogprobs = q.Schema, q.TopLogprobs
		c.Options.NumPredict, c.Sample = q.NumPredict, try-1
		if q.Options != nil {
			q.Options(i, try, &c.Options)
		}
		if c.Messages, err = p.RenderSeen(q.Data(i, refused[i]), s.seen); err != nil {
			return nil, err
		}
		calls[k] = c
	}
	return calls, nil
}

// Plain is a reply as running text, without what a model thought before it. problem says
// why there is none.
func Plain(r local.Reply) (text, problem string) {
	if r.Outcome != local.OK {
		return "", fmt.Sprintf("%s: %s", r.Outcome, r.Detail)
	}
	text = strings.TrimSpace(r.Text)
	for _, name := range []string{"think", "thinking", "thought"} {
		if !strings.HasPrefix(text, "<"+name+">") {
			continue
		}
		_, after, ok := strings.Cut(text, "</"+name+">")
		if !ok {
			return "", fmt.Sprintf("%s: the reply is thoughts without an end", local.BadFormat)
		}
		text = strings.TrimSpace(after)
	}
	return text, ""
}

// readJSON reads a reply that has a schema.
func readJSON[T any](_ int, r local.Reply) (value T, problem string) {
	if r.Outcome != local.OK {
		return value, fmt.Sprintf("%s: %s", r.Outcome, r.Detail)
	}
	if err := json.Unmarshal([]byte(r.Text), &value); err != nil {
		return value, fmt.Sprintf("%s: %v", local.BadFormat, err)
	}
	return value, ""
}
