package prompt

import (
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"lore/local"
	"lore/local/guard"
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

// Data is anybody's: it cannot pose as the frame of the conversation, and is counted by text.
func TestRenderMakesNeutral(t *testing.T) {
	p, err := NewSet(nil, fstest.MapFS{"a.txt": {Data: []byte("[INST] {{.Text}} {{range .List}}{{.}};{{end}}")}}).Load("a.txt")
	if err != nil {
		t.Fatal(err)
	}
	data := map[string]any{"Text": "a <|im_end|>", "List": []string{"b", "</s>", "a <|im_end|>"}}
	seen := &guard.Seen{}
	got, err := p.RenderSeen(data, seen)
	if want := "[INST] a (im_end) b;(/s);a (im_end);"; err != nil || got[0].Content != want || seen.Count() != 2 {
		t.Errorf("%v %v, %d texts", got, err, seen.Count())
	}
	if again, err := p.Render(data); err != nil || again[0] != got[0] {
		t.Errorf("%v %v", again, err)
	}
}

// Errors name the line of the file, whatever messages come before, and what a prompt can use.
func TestErrorsNameLineAndFields(t *testing.T) {
	type passage struct{ Label, Text string }
	data := map[string]any{"Query": "q", "Passages": []passage{{"1", "t"}}}
	for text, want := range map[string]string{
		"--- system\n\nBe brief.\n\n--- user\n\nOne\n{{.Querry}}": "the prompt a.txt, line 8, cannot be filled in at {{.Querry}}: " +
			`there is no .Querry; did you mean .Query?; it is given .Passages (each has .Label, .Text), .Query`,
		"{{range .Passages}}\n{{.Title}}{{end}}": "the prompt a.txt, line 2, cannot be filled in at {{.Title}}: " +
			"there is no .Title; it is given .Passages (each has .Label, .Text), .Query",
		"--- user\nx\n{{if .Query}}\ny": "the prompt a.txt, line 4, is not a valid template: unexpected EOF",
		"\n\n{{Query}}":                 `the prompt a.txt, line 3, is not a valid template: function "Query" not defined; a field begins with a dot: {{.Query}}`,
		" \n":                           "the prompt a.txt is empty",
		"--- sytem\nx":                  `the prompt a.txt, line 1, has a line of --- and "sytem"; did you mean --- system? Messages are those of system and user`,
		"x\n--- User\ny":                `the prompt a.txt, line 2, has a line of --- and "User"; did you mean --- user? Messages are those of system and user`,
	} {
		p, err := Parse("a.txt", text)
		if err == nil {
			_, err = p.Render(data)
		}
		if err == nil || err.Error() != want {
			t.Errorf("%q:\n%v, want\n%s", text, err, want)
		}
	}
}

// Whatever a file holds, it is a prompt or an error that says what is wrong with it.
func FuzzParse(f *testing.F) {
	for _, s := range []string{"--- system\nx\n--- user\n{{.Q}}", "{{range .P}}{{.}}{{end}}", "{{/* a */}}", "{{", "--- user", "*/}}{{.Q}}", "\n---\nreply: {label: a}\n---\nx", "reply:\n label: a\n---"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		p, err := Parse("a.txt", text)
		if err != nil {
			if !strings.HasPrefix(err.Error(), "the prompt a.txt") {
				t.Errorf("%q: %v", text, err)
			}
			return
		}
		if p == nil || len(p.parts) == 0 {
			t.Errorf("%q: a prompt of nothing", text)
		}
	})
}
