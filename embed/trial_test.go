package embed

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// A trial takes from disk what is there, computes a few of the other texts, counts all of them once,
// and writes nothing.
func TestTrialComputesSome(t *testing.T) {
	dir := t.TempDir()
	model := &counted{}
	c, _ := openCache(t, dir, model)
	_, err := c.Embed(context.Background(), Passage, numbered(40))
	must(t, err)
	size := func() int64 {
		files, err := filepath.Glob(filepath.Join(dir, "*.bin"))
		must(t, err)
		info, err := os.Stat(files[0])
		must(t, err)
		return info.Size()
	}

	was, computed := size(), model.texts
	trial := &Trial{Budget: time.Nanosecond, Phase: func() string { return "retrieve" }}
	ctx := WithTrial(context.Background(), trial)
	for range 2 { // the same texts are one piece of work
		got, err := c.Embed(ctx, Passage, append(numbered(240), "text 239"))
		must(t, err)
		for i, e := range got {
			if len(e.Vector) != 2 {
				t.Fatalf("text %d has no vector", i)
			}
		}
		if got[3].Vector[0] != 6 {
			t.Errorf("text 3 is on disk, and its vector is %v", got[3].Vector)
		}
	}

	tried := trial.Tried()
	if len(tried) != 1 || tried[0].Texts != 200 || tried[0].Phase != "retrieve" || tried[0].Model != "counted" {
		t.Fatalf("%+v", tried)
	}
	if n := model.texts - computed; n != trialBatch || len(tried[0].Rates) != 1 || tried[0].Timed == 0 {
		t.Errorf("%d texts were computed, with %d rates", n, len(tried[0].Rates))
	}
	if now := size(); now != was {
		t.Errorf("the cache had %d bytes and has %d", was, now)
	}
	must(t, c.Close())
}

// With time enough all is computed, and a model that fails is an error.
func TestTrialWithTime(t *testing.T) {
	model := &counted{}
	c, _ := openCache(t, t.TempDir(), model)
	got, err := c.Embed(WithTrial(context.Background(), &Trial{Budget: time.Hour}), Query, numbered(100))
	must(t, err)
	for i, e := range got {
		if want := float32(len(numbered(100)[i])); e.Vector[0] != want {
			t.Errorf("text %d: %v, want %v", i, e.Vector[0], want)
		}
	}
	if model.texts != 100 {
		t.Errorf("%d texts were computed", model.texts)
	}

	model.after = func(int) error { return os.ErrInvalid }
	if _, err := c.Embed(WithTrial(context.Background(), &Trial{}), Query, []string{"another"}); err == nil {
		t.Error("no error")
	}
}
