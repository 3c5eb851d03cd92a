package embed

import (
	"context"
	"errors"
	"testing"
	"time"

	"lore/embed/testmodel"
)

// A model may be closed while it still computes what was cancelled: the computation ends by itself, and takes
// nothing down with it.
func TestCloseWhileComputing(t *testing.T) {
	dir := modelDir(t, testmodel.BERT)
	f, _, err := openFolder(dir, true)
	if err != nil {
		t.Fatal(err)
	}
	batch := make([]input, 64)
	for i := range batch {
		batch[i] = input{ids: make([]int, 60), types: make([]int, 60)}
	}

	for n := range 8 {
		m, err := openHugot(context.Background(), f)
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(context.Background())
		ended := make(chan error)
		go func() {
			_, err := m.run(ctx, batch)
			ended <- err
		}()

		time.Sleep(time.Duration(2*n) * time.Millisecond)
		cancel()
		if err := <-ended; err != nil && !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
		if err := m.close(); err != nil {
			t.Fatal(err)
		}
	}
}
