package prompt

import (
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"lore/local"
)

func TestRenderAndOverride(t *testing.T) {
	builtin := fstest.MapFS{"b/a.txt": {Data: []byte("--- system\nBe brief.\n--- user\n{{range $i, $u := .Units}}{{inc $i}}. {{$u}}\n{{end}}")}, "b/c.txt": {Data: []byte("plain")}}
	s := NewSet(fstest.MapFS{"b/c.txt": {Data: []byte("mine")}}, builtin)
	p, err := s.Load("b/a.txt")
	if err != nil {
		t.Fatal(err)
	}
	got, err := p.Render(map[string]any{"Units": []string{"x", "y"}})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]local.Message{{Role: "system", Content: "Be brief."}, {Role: "user", Content: "1. x\n2. y\n"}}, got); diff != "" {
		t.Error(diff)
	}
	c, err := s.Load("b/c.txt")
	if err != nil {
		t.Fatal(err)
	}
	if m, _ := c.Render(nil); m[0].Content != "mine" {
		t.Errorf("override is not used: %v", m)
	}
	if len(s.Hashes()) != 2 {
		t.Errorf("hashes %v", s.Hashes())
	}
}

func TestErrors(t *testing.T) {
	s := NewSet(nil, fstest.MapFS{"bad.txt": {Data: []byte("{{.X")}, "empty.txt": {Data: []byte(" \n")}, "miss.txt": {Data: []byte("{{.Nope}}")}})
	for _, name := range []string{"bad.txt", "empty.txt", "gone.txt"} {
		if _, err := s.Load(name); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
	p, err := s.Load("miss.txt")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.Render(map[string]any{}); err == nil {
		t.Error("a missing value is filled in silently")
	}
}
