package store

import (
	"bytes"
	"compress/gzip"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"lore/local"
)

// twoContexts are a document shown whole and cut, beside another one.
func twoContexts() (ShownBuilder, [2]int) {
	var b ShownBuilder
	whole := []local.Passage{{Label: "1", Document: "a", Text: "the tide turns at noon"}, {Label: "2", Document: "b", Text: "boats"}}
	cut := []local.Passage{{Label: "1", Document: "a", Text: "the tide"}}
	ask := []PromptMessage{{Role: local.User, Parts: []PromptPart{{Words: "Read: "}, {Passage: 1}}}}
	return b, [2]int{b.Add(cut, ask), b.Add(whole, nil)}
}

func saveShown(t *testing.T, s Shown) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "run")
	f, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(f.WriteShown(s), f.Commit(Manifest{Format: Format, Benchmark: "b"}), f.Close()); err != nil {
		t.Fatal(err)
	}
	return dir
}

// A document that was cut at one place and shown whole at another is kept once, and comes
// back as it was shown.
func TestShownIsKeptOnce(t *testing.T) {
	b, numbers := twoContexts()
	b.Keep("a", "the tide turns at noon") // it was shown
	b.Keep("c", "nobody saw it")
	b.Keep("c", "nobody saw it")
	s := b.Build()
	if len(s.Documents) != 2 || s.Documents[0].Text != s.Contexts[1].Passages[0].Text {
		t.Errorf("documents that are kept besides: %+v", s.Documents)
	}
	s.Items = []ShownItem{{Item: "q", Gold: map[string]float64{"a": 1}, Holders: map[string][]string{"1": {"a"}}}}
	if numbers != [2]int{0, 1} || len(s.Texts) != 3 {
		t.Fatalf("contexts %v, %d texts: %+v", numbers, len(s.Texts), s.Texts)
	}
	if p := s.Contexts[0].Passages[0]; p.Bytes != len("the tide") || p.Text != s.Contexts[1].Passages[0].Text {
		t.Errorf("the cut document is %+v", p)
	}

	got, err := ReadShown(saveShown(t, s))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(&s, got); diff != "" {
		t.Error(diff)
	}
	again, _ := twoContexts()
	if first, second := again.Add(nil, nil), again.Add(nil, nil); first != 2 || second != 2 {
		t.Error("equal contexts have two numbers")
	}
}

func TestShownOfAnEarlierLore(t *testing.T) {
	if got, err := ReadShown(t.TempDir()); got != nil || err != nil {
		t.Errorf("%v, %v", got, err)
	}
}

func TestDamagedShownIsRefused(t *testing.T) {
	b, _ := twoContexts()
	var all bytes.Buffer
	for _, line := range func() []shownLine { s := b.Build(); return s.lines() }() {
		data, err := Encode(line)
		if err != nil {
			t.Fatal(err)
		}
		all.Write(bytes.ReplaceAll(data, []byte("\n"), nil))
		all.WriteByte('\n')
	}
	whole := all.String()

	for name, c := range map[string]struct{ from, to, want string }{
		"another text":     {"at noon", "at dawn", "does not have its hash"},
		"no such text":     {`"text": "`, `"text": "0`, "is damaged"},
		"too long":         {`"bytes": 8`, `"bytes": 80`, "shows 80 bytes of a text of 22"},
		"no such passage":  {`"passage": 1`, `"passage": 7`, "names passage 7 of 1"},
		"of no kind":       {`{ "context"`, `{ "else"`, "no text, no context, no item, no document and no prompt"},
		"not JSON":         {`{ "context"`, `"context"`, "is damaged"},
		"no document left": {"the tide turns", "", "does not have its hash"},
	} {
		t.Run(name, func(t *testing.T) {
			changed := strings.Replace(whole, c.from, c.to, 1)
			if changed == whole {
				t.Fatalf("%q is not in\n%s", c.from, whole)
			}
			dir := t.TempDir()
			var packed bytes.Buffer
			z := gzip.NewWriter(&packed)
			_, err := z.Write([]byte(changed))
			if err := errors.Join(err, z.Close(), os.WriteFile(filepath.Join(dir, ShownFile), packed.Bytes(), 0o600)); err != nil {
				t.Fatal(err)
			}
			if _, err := ReadShown(dir); !errors.Is(err, ErrDamaged) || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v", err)
			}
		})
	}
}

// Whatever the lines say, reading them ends in an error or in what can be written again.
func FuzzReadShown(f *testing.F) {
	f.Add([]byte(`{"text":{"name":"4e07408562bedb8b","text":"3"}}` + "\n" + `{"context":{"name":"c","passages":[{"label":"1","text":"4e07408562bedb8b","bytes":1}]}}`))
	f.Add([]byte(`{"context":{"name":"c","passages":[],"prompt":[{"role":"user","parts":[{"words":"a"},{"passage":1}]}]}}`))
	f.Add([]byte(`{"item":{"item":"i","gold":{"a":1},"holders":{"q":["a"]}}}`))
	f.Fuzz(func(t *testing.T, lines []byte) {
		var packed bytes.Buffer
		z := gzip.NewWriter(&packed)
		_, err := z.Write(lines)
		if err := errors.Join(err, z.Close()); err != nil {
			t.Fatal(err)
		}
		got, err := unpackShown(ShownFile, packed.Bytes())
		if err != nil {
			return
		}
		data, err := got.pack()
		if err != nil {
			t.Fatal(err)
		}
		again, err := unpackShown(ShownFile, data)
		if err != nil {
			t.Fatalf("what was written cannot be read: %v", err)
		}
		if same, err := again.pack(); err != nil || !bytes.Equal(data, same) {
			t.Errorf("it is written otherwise the second time: %v", err)
		}
	})
}
