package gate

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"lore/local"
)

// ErrChanged marks a model whose weights are not those that a call names any more.
var ErrChanged = errors.New("the weights are others")

// watchEvery is how often the weights behind a name are looked up while calls are made.
const watchEvery = time.Minute

// watch looks up whether a model's name still stands for the weights that calls name. What
// was answered since it was last sure is taken back where it does not.
type watch struct {
	lanes map[string]Lane
	void  func(calls map[string]local.Call, why string) error
	warn  func(string)

	mu     sync.Mutex
	models map[modelID]*watched
}

type modelID struct{ backend, name, digest string }

func idOf(call local.Call) modelID { return modelID{call.Backend, call.Model, call.Digest} }

type watched struct {
	looking sync.Mutex
	sure    time.Time
	since   map[string]local.Call // answered since then, by key, without their words
}

// withWatch looks the model up after a call that it has answered. It stands outside the
// journal, so that a reply that is taken back has been written by then.
func withWatch(inner local.Backend, w *watch) local.Backend {
	return local.BackendFunc(func(ctx context.Context, call local.Call) (local.Reply, error) {
		var asked bool
		reply, err := inner.Do(context.WithValue(ctx, askedKey{}, &asked), call)
		if err != nil || !asked {
			return reply, err
		}
		return reply, w.answered(ctx, call.Key(), call)
	})
}

// askedKey marks a context in which a lane notes that it was asked.
type askedKey struct{}

func noteAsked(ctx context.Context) {
	if asked, ok := ctx.Value(askedKey{}).(*bool); ok {
		*asked = true
	}
}

func (w *watch) note(key string, call local.Call) *watched {
	w.mu.Lock()
	defer w.mu.Unlock()
	m := w.models[idOf(call)]
	if m == nil {
		m = &watched{sure: time.Now(), since: map[string]local.Call{}}
		w.models[idOf(call)] = m
	}
	m.since[key] = local.Call{Backend: call.Backend, Model: call.Model, Digest: call.Digest}
	return m
}

// answered takes in that a model has answered, and looks its weights up when it is time.
func (w *watch) answered(ctx context.Context, key string, call local.Call) error {
	if w.lanes[call.Backend].Identity == nil {
		return nil
	}
	m := w.note(key, call)
	w.mu.Lock()
	due := time.Since(m.sure) > watchEvery
	w.mu.Unlock()
	if !due || !m.looking.TryLock() {
		return nil
	}
	defer m.looking.Unlock()
	return w.look(ctx, m)
}

// settle looks up every model that has answered since it was last looked up.
func (w *watch) settle(ctx context.Context) error {
	w.mu.Lock()
	var open []*watched
	for _, m := range w.models {
		if len(m.since) > 0 {
			open = append(open, m)
		}
	}
	w.mu.Unlock()

	var err error
	for _, m := range open {
		m.looking.Lock()
		err = errors.Join(err, w.look(ctx, m))
		m.looking.Unlock()
	}
	return err
}

// look looks one model up. A server that is away leaves the question open.
func (w *watch) look(ctx context.Context, m *watched) error {
	w.mu.Lock()
	since := m.since
	m.since, m.sure = map[string]local.Call{}, time.Now()
	w.mu.Unlock()

	var call local.Call
	for _, call = range since {
		break
	}
	if len(since) == 0 {
		return nil
	}

	err := w.lanes[call.Backend].Identity(ctx, call)
	switch {
	case err == nil:
		return nil
	case !errors.Is(err, ErrChanged):
		if ctx.Err() == nil {
			w.warn(fmt.Sprintf("the digest of %s could not be looked up again after %d calls: %v", call.Model, len(since), err))
		}
		return nil
	}

	if lost := w.void(since, err.Error()); lost != nil {
		return errors.Join(err, lost)
	}
	return fmt.Errorf("%w; the %d replies since it was last looked up are not used, all others are kept: "+
		"run the same command again", err, len(since))
}
