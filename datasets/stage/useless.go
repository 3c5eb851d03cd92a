package stage

import (
	"context"
	"errors"
	"fmt"

	"lore/local"
)

// Useless says that a model cannot do a part of a build, which is stopped before it has cost much.
// Its message names the stage, what is wrong with the replies, and the remedy.
type Useless struct{ Msg string }

// Error returns the message.
func (e *Useless) Error() string { return e.Msg }

// Uselessf words a Useless.
func Uselessf(format string, args ...any) error { return &Useless{fmt.Sprintf(format, args...)} }

// Another is the remedy where the model of a role is of no use.
func (r Role) Another() string {
	if r == Checks {
		return "name another model that checks, by --checker or --model"
	}
	return "name another model that writes, by --writer or --model"
}

const (
	firstReplies = 12               // of a stage; if none of them can be read, the model is of no use for it
	leastPlaces  = 2 * firstReplies // of a stage that can be stopped: a smaller one costs little
	secondLooks  = 3                // of these replies that are asked again with the reason
)

// readability stops a round whose first replies can all not be read.
type readability struct {
	stop context.CancelCauseFunc
	seen int
	done bool // a reply could be read, or nobody asks
}

// watch looks at the first try of a round that is large enough. Later tries are of what is hard, and a
// rehearsal has no model.
func (q Question[T]) watch(s *Session, stop context.CancelCauseFunc, places, try int) *readability {
	return &readability{stop: stop, done: s.Rehearsed || s.persist || try > 1 || places < leastPlaces}
}

// see takes a reply into account; problem says why it could not be read.
func (r *readability) see(stage string, role Role, reply local.Reply, problem string) {
	unreadable := problem != ""
	switch reply.Outcome {
	case local.OK, local.BadFormat, local.Empty, local.Cut:
	default:
		unreadable = false // the server's doing, or the prompt's
	}
	if r.done = r.done || !unreadable; r.done {
		return
	}
	if r.seen++; r.seen == firstReplies {
		r.done = true
		r.stop(Uselessf("stopped: the model is of no use for the stage %q: none of its first %d replies can be read (%s); %s",
			stage, firstReplies, problem, role.Another()))
	}
}

// lookAgain asks some of the first places again with the reason, as a model may need to be told once what
// form is wanted. It reports whether one of the replies could be read.
func lookAgain[T any](ctx context.Context, s *Session, q Question[T], open []int, problems map[int]string) (bool, error) {
	var few []int
	for _, i := range open {
		if problems[i] != "" && len(few) < secondLooks {
			few = append(few, i)
		}
	}
	for try := 2; try <= s.Tries; try++ {
		_, again, err := Round(ctx, s, q, few, problems, try)
		if err != nil {
			return false, err
		}
		if len(again) < len(few) {
			return true, nil
		}
		problems = again
	}
	return false, nil
}

// firstRound is the first round of Ask. One that is stopped is begun anew if the model can be told what
// was wrong: a reply that has a schema was told already.
func firstRound[T any](ctx context.Context, s *Session, q Question[T], open []int) (
	values map[int]T, problems map[int]string, err error) {
	before := len(s.log)
	values, problems, err = Round(ctx, s, q, open, nil, 1)
	var useless *Useless
	if !errors.As(err, &useless) || len(q.Schema) > 0 || q.Once {
		return values, problems, err
	}

	helped, failed := lookAgain(ctx, s, q, open, problems)
	if failed != nil || !helped {
		return nil, nil, errors.Join(failed, err)
	}
	s.log = s.log[:before] // all are asked again
	s.persist = true
	defer func() { s.persist = false }()
	return Round(ctx, s, q, open, nil, 1)
}
