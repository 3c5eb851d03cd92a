package gate

import (
	"context"

	"lore/local"
)

// withSlots lets at most n calls run at once.
func withSlots(inner local.Backend, n int) local.Backend {
	slots := make(chan struct{}, n)
	return local.BackendFunc(func(ctx context.Context, call local.Call) (local.Reply, error) {
		select {
		case slots <- struct{}{}:
		case <-ctx.Done():
			return local.Reply{}, context.Cause(ctx)
		}
		defer func() { <-slots }()
		return inner.Do(ctx, call)
	})
}
