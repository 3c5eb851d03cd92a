package local

import "context"

// heardKey marks a context in which somebody wants to know that a server has begun to reply.
type heardKey struct{}

// WithHeard has a function called whenever the first bytes of a reply come. It may be called by
// several goroutines.
func WithHeard(ctx context.Context, heard func()) context.Context {
	return context.WithValue(ctx, heardKey{}, heard)
}

// Heard says that the first bytes of a reply have come, whatever they are. Backends that wait for
// a server call it.
func Heard(ctx context.Context) {
	if heard, ok := ctx.Value(heardKey{}).(func()); ok {
		heard()
	}
}
