package gate

import (
	"context"

	"lore/local"
)

// Again says which calls that failed in an earlier run are asked again.
//
// What the model cannot help stays: a prompt that is too long, an answer that reached its
// limit. What the server did wrong is always asked again. In between are replies that are
// empty or do not obey their schema: a sick server gives those, and so does a weak model.
// They are asked again, up to Tries in all.
type Again struct {
	Tries  int  // 0 means DefaultTries
	Always bool // without bound
}

// DefaultTries of a call whose reply is empty or malformed, over all runs.
const DefaultTries = 3

func (a Again) more(try int) bool {
	most := a.Tries
	if most == 0 {
		most = DefaultTries
	}
	return a.Always || try < most
}

// anewKey marks a context whose call is asked again if it may.
type anewKey struct{}

func anew(ctx context.Context) context.Context { return context.WithValue(ctx, anewKey{}, true) }

func isAnew(ctx context.Context) bool { return ctx.Value(anewKey{}) != nil }

// usable reports whether what became of a call before is its reply now. A malformed reply
// is, because its repair may have been made; withRepair asks anew if not.
func (a Again) usable(ctx context.Context, call local.Call, was past, check *schemaCache) (local.Reply, bool) {
	reply := check.reread(call, was.reply)
	switch {
	case reply.Outcome.Final() || was.fresh:
		return reply, reply.Outcome.Final() || bounded(reply.Outcome)
	case !bounded(reply.Outcome):
		return reply, false
	case !a.more(was.try):
		reply.Spent = true
		return reply, true
	}
	reply.Stale = true
	return reply, repairable(call, reply) && !isAnew(ctx)
}

// repairable reports whether a reply is one that withRepair has seen to.
func repairable(call local.Call, reply local.Reply) bool {
	return len(call.Schema) > 0 && reply.Outcome == local.BadFormat
}

// bounded reports whether an outcome may be the model's own, so that asking again has an end.
func bounded(o local.Outcome) bool { return o == local.BadFormat || o == local.Empty }

// recorded reports whether a reply with this outcome goes into the journal: an answer, or
// a try that failed and of which there is something to see.
func recorded(o local.Outcome) bool {
	switch o {
	case local.NoDone, local.ModelError, local.Truncated, local.WrongModel, local.Oversized:
		return true
	}
	return o.Final() || bounded(o)
}
