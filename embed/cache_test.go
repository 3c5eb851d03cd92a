package embed

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// counted is an embedder that counts texts and can be made to fail.
type counted struct {
	texts int
	after func(texts int) error
}

func (c *counted) Settings() Settings { return Settings{Name: "counted", Model: "m"} }
func (c *counted) Close() error       { return nil }

func (c *counted) Embed(_ context.Context, _ Role, texts []string) ([]Embedding, error) {
	if c.after != nil {
		if err := c.after(c.texts); err != nil {
			return nil, err
		}
	}
	c.texts += len(texts)
	out := make([]Embedding, len(texts))
	for i, t := range texts {
		out[i] = Embedding{Vector: []float32{float32(len(t)), 0.25}, Tokens: len(t), Windows: 1 + len(t)/4, Cut: len(t) > 5}
	}
	return out, nil
}

func openCache(t *testing.T, dir string, inner Embedder) (*Cache, *[]string) {
	t.Helper()
	var warnings []string
	c, err := OpenCache(dir, inner, func(s string) { warnings = append(warnings, s) })
	if err != nil {
		t.Fatal(err)
	}
	return c, &warnings
}

func numbered(n int) []string {
	out := make([]string, n)
	for i := range out {
		out[i] = fmt.Sprint("text ", i)
	}
	return out
}

func TestCacheKeepsVectors(t *testing.T) {
	dir := t.TempDir()
	texts := append(numbered(150), "text 3", "")
	first := &counted{}
	c, _ := openCache(t, dir, first)
	want, err := c.Embed(context.Background(), Passage, texts)
	must(t, err)
	if first.texts != 151 {
		t.Errorf("embedded %d texts of 151 different ones", first.texts)
	}
	must(t, c.Close())

	second := &counted{}
	c, warnings := openCache(t, dir, second)
	defer c.Close()
	got, err := c.Embed(context.Background(), Passage, texts)
	must(t, err)
	if second.texts != 0 || len(*warnings) != 0 {
		t.Errorf("embedded %d texts again; warnings %v", second.texts, *warnings)
	}
	for i := range want {
		if distance(got[i].Vector, want[i].Vector) != 0 || got[i].Tokens != want[i].Tokens || got[i].Windows != want[i].Windows || got[i].Cut != want[i].Cut {
			t.Fatalf("text %d: %+v, want %+v", i, got[i], want[i])
		}
	}
	if r := c.Report(); r.Texts != 152 || r.Cached != 152 || r.Cut != 151 {
		t.Errorf("report %+v", r)
	}
	if _, err := c.Embed(context.Background(), Query, texts[:1]); err != nil || second.texts != 1 {
		t.Errorf("a query takes the passage's vector: %d, %v", second.texts, err)
	}
}

// An interrupted corpus loses at most one batch.
func TestCacheInterrupted(t *testing.T) {
	dir := t.TempDir()
	texts := numbered(10 * cacheBatch)
	stop := errors.New("stopped")
	first := &counted{after: func(n int) error {
		if n >= 4*cacheBatch {
			return stop
		}
		return nil
	}}
	c, _ := openCache(t, dir, first)
	if _, err := c.Embed(context.Background(), Passage, texts); !errors.Is(err, stop) {
		t.Fatal(err)
	}
	must(t, c.Close())
	second := &counted{}
	c, _ = openCache(t, dir, second)
	defer c.Close()
	_, err := c.Embed(context.Background(), Passage, texts)
	must(t, err)
	if second.texts != 6*cacheBatch {
		t.Errorf("%d texts were embedded after the interrupt, want %d", second.texts, 6*cacheBatch)
	}
}

// Whatever byte of the file is spoilt or wherever it ends, vectors are right.
func TestCacheDamaged(t *testing.T) {
	texts := numbered(20)
	dir := t.TempDir()
	c, _ := openCache(t, dir, &counted{})
	want, err := c.Embed(context.Background(), Passage, texts)
	must(t, err)
	must(t, c.Close())
	files, err := filepath.Glob(filepath.Join(dir, "*.bin"))
	must(t, err)
	data, err := os.ReadFile(files[0])
	must(t, err)
	for _, cut := range []bool{false, true} {
		for at := 0; at < len(data); at += 7 {
			bad := append([]byte(nil), data...)
			if bad[at] ^= 0xff; cut {
				bad = bad[:at]
			}
			must(t, os.WriteFile(files[0], bad, 0o666))
			inner := &counted{}
			c, _ := openCache(t, dir, inner)
			got, err := c.Embed(context.Background(), Passage, texts)
			must(t, err)
			for i := range want {
				if distance(got[i].Vector, want[i].Vector) != 0 || got[i].Tokens != want[i].Tokens {
					t.Fatalf("byte %d, cut %t: text %d is %+v", at, cut, i, got[i])
				}
			}
			must(t, c.Close())
			again := &counted{}
			c, warnings := openCache(t, dir, again)
			if _, err := c.Embed(context.Background(), Passage, texts); err != nil || (again.texts > 0 && len(*warnings) == 0) {
				t.Fatalf("byte %d, cut %t: after the repair %d texts, %v", at, cut, again.texts, err)
			}
			must(t, c.Close())
		}
	}
}

// Processes that find all their vectors on disk share the file; a second one that has to add some waits
// for the first, and then finds what that one has added.
func TestCacheIsShared(t *testing.T) {
	ctx := context.Background()
	dir := t.TempDir()
	first := &counted{}
	writer, _ := openCache(t, dir, first)
	_, err := writer.Embed(ctx, Passage, numbered(5))
	must(t, err)

	second := &counted{}
	reader, _ := openCache(t, dir, second) // while the other may still write
	defer reader.Close()
	if got, err := reader.Embed(ctx, Passage, numbered(5)); err != nil || second.texts != 0 || len(got) != 5 {
		t.Errorf("%v; a reader had %d texts embedded", err, second.texts)
	}
	_, err = writer.Embed(ctx, Passage, numbered(8))
	must(t, err)
	if _, err := reader.Embed(ctx, Passage, numbered(9)); !errors.Is(err, ErrCacheBusy) || !strings.Contains(err.Error(), "wait") {
		t.Errorf("two add at once: %v", err)
	}

	must(t, writer.Close())
	if _, err := reader.Embed(ctx, Passage, numbered(9)); err != nil || second.texts != 1 {
		t.Errorf("%v; %d texts are embedded, where another process has added all but one", err, second.texts)
	}
	if r := reader.Report(); r.Texts != 14 || r.Cached != 13 {
		t.Errorf("%+v", r)
	}
}

// A file that another process is making is no reason to empty it.
func TestCacheOfOthersIsLeftAlone(t *testing.T) {
	dir := t.TempDir()
	c, warnings := openCache(t, dir, &counted{})
	must(t, c.begin(context.Background()))
	must(t, os.WriteFile(c.path, []byte("lorevec1 and what is not yet all"), 0o600))

	other, said := openCache(t, dir, &counted{})
	data, err := os.ReadFile(c.path)
	if err != nil || len(data) != 32 || len(*warnings)+len(*said) != 0 {
		t.Errorf("%q %v %q", data, err, *said)
	}
	must(t, other.Close())
	must(t, c.Close())
}

// A text that is asked for again on purpose is not counted again.
func TestCacheCountsTextsOnce(t *testing.T) {
	c, err := OpenCache(t.TempDir(), &counted{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	for _, ctx := range []context.Context{context.Background(), Again(context.Background()), Again(context.Background())} {
		if _, err := c.Embed(ctx, Passage, []string{"one", "two"}); err != nil {
			t.Fatal(err)
		}
	}
	if r := c.Report(); r.Texts != 2 || r.Cached != 0 {
		t.Errorf("%+v: two texts were asked for, and then again", r)
	}
}
