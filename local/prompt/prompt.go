// Package prompt reads prompts from files, so that people can read, hash and
// replace what is said to a model.
//
// A prompt file is a Go text/template. Lines that hold only "--- system" or
// "--- user" begin a message; text before the first such line is the user's. A header
// may stand above all, which says in what form a model replies.
package prompt

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"sync"
	"text/template"
	"text/template/parse"

	"lore/local"
	"lore/local/guard"
	"lore/local/text"
)

// Set is a folder of prompts with an optional second folder whose files come
// first. Names are paths like "summhay/answer.txt".
type Set struct {
	layers []fs.FS

	mu   sync.Mutex
	used map[string]string // hash by name
}

// Embedded is the folder "prompts" of files that are compiled in.
func Embedded(files embed.FS) fs.FS {
	sub, err := fs.Sub(files, "prompts")
	if err != nil {
		panic(err) // only a bad name fails
	}
	return sub
}

// NewSet returns a set that looks in override first (nil for none) and then in
// the built-in folders.
func NewSet(override fs.FS, builtin ...fs.FS) *Set {
	s := &Set{used: map[string]string{}}
	if override != nil {
		s.layers = append(s.layers, override)
	}
	s.layers = append(s.layers, builtin...)
	return s
}

// Prompt is a parsed prompt file.
type Prompt struct {
	name  string
	parts []part
	reply *Reply
}

type part struct {
	role string
	body *template.Template
}

// Load reads and parses a prompt. The set remembers its hash. Sets and prompts are safe
// for concurrent use.
func (s *Set) Load(name string) (*Prompt, error) {
	var data []byte
	err := fs.ErrNotExist
	for _, layer := range s.layers {
		if data, err = fs.ReadFile(layer, name); !errors.Is(err, fs.ErrNotExist) {
			break
		}
	}
	if err != nil {
		return nil, fmt.Errorf("read the prompt %s: %w", name, err)
	}

	p, err := Parse(name, string(data))
	if err != nil {
		return nil, err
	}

	sum := sha256.Sum256(data)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.used[name] = hex.EncodeToString(sum[:])
	return p, nil
}

// Hashes returns the SHA-256 of every prompt loaded so far, by name.
func (s *Set) Hashes() map[string]string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return maps.Clone(s.used)
}

// functions are what prompts may call: inc numbers lists from 1.
var functions = template.FuncMap{"inc": func(i int) int { return i + 1 }}

// roles are those of messages. What is nearly one of them is a slip of the finger.
var roles = []string{local.System, local.User}

// Parse reads the text of a prompt of that name. What is wrong with it is an Error.
func Parse(name, source string) (*Prompt, error) {
	p := &Prompt{name: name}
	header, source, headed, err := headerOf(name, source)
	if err != nil {
		return nil, err
	}
	if headed {
		p.reply, err = readHeader(name, header)
	} else {
		err = misplaced(name, source)
	}
	if err != nil {
		return nil, err
	}

	role, start := local.User, 0

	add := func(end int) error {
		body := strings.TrimSpace(source[start:end])
		if body == "" {
			return nil
		}

		// The comment moves the message to its line of the file, which errors name.
		above := strings.Count(source[:start+strings.Index(source[start:end], body)], "\n")
		body = "{{/*" + strings.Repeat("\n", above) + "*/}}" + body
		t, err := template.New(name).Option("missingkey=error").Funcs(functions).Parse(body)
		if err != nil {
			return wrong(name, err, nil)
		}
		p.parts = append(p.parts, part{role, t})
		return nil
	}

	offset, number := 0, 0
	for line := range strings.Lines(source) {
		number++
		next, found := strings.CutPrefix(strings.TrimSpace(line), "--- ")
		switch next = strings.TrimSpace(next); {
		case !found:
		case next != local.System && next != local.User:
			if near := text.Nearest(next, roles); near != "" {
				return nil, &Error{Name: name, Line: number, Msg: fmt.Sprintf("has a line of --- and %q; did you mean --- %s? "+
					"Messages are those of %s and %s", next, near, local.System, local.User)}
			}
		default:
			if err := add(offset); err != nil {
				return nil, err
			}
			role, start = next, offset+len(line)
		}
		offset += len(line)
	}

	if err := add(offset); err != nil {
		return nil, err
	}
	if len(p.parts) == 0 {
		return nil, &Error{Name: name, Msg: "is empty"}
	}
	return p, nil
}

// Reply is the form of replies that the prompt's header says; nil for a prompt without one.
func (p *Prompt) Reply() *Reply { return p.reply }

// Placeholders are the fields that the prompt asks for, sorted, such as ".Passages" and ".Text".
func (p *Prompt) Placeholders() []string {
	asked := map[string]bool{}
	var walk func(n parse.Node)
	list := func(l *parse.ListNode) {
		if l != nil {
			for _, n := range l.Nodes {
				walk(n)
			}
		}
	}
	branch := func(b *parse.BranchNode) {
		walk(b.Pipe)
		list(b.List)
		list(b.ElseList)
	}

	walk = func(n parse.Node) {
		switch n := n.(type) {
		case *parse.ListNode:
			list(n)
		case *parse.ActionNode:
			walk(n.Pipe)
		case *parse.IfNode:
			branch(&n.BranchNode)
		case *parse.RangeNode:
			branch(&n.BranchNode)
		case *parse.WithNode:
			branch(&n.BranchNode)
		case *parse.TemplateNode:
			if n.Pipe != nil {
				walk(n.Pipe)
			}
		case *parse.PipeNode:
			for _, c := range n.Cmds {
				for _, a := range c.Args {
					walk(a)
				}
			}
		case *parse.VariableNode: // $, or $p.Text
			if len(n.Ident) > 1 {
				asked["."+n.Ident[1]] = true
			}
		case *parse.FieldNode:
			asked["."+n.Ident[0]] = true
		}
	}
	for _, part := range p.parts {
		list(part.body.Root)
		for _, t := range part.body.Templates() { // what is defined in it
			if t != part.body {
				list(t.Root)
			}
		}
	}
	return slices.Sorted(maps.Keys(asked))
}

// Render fills the prompt in. Texts in data are made neutral: they may be anybody's, and cannot
// pose as the frame of the conversation or as another document.
func (p *Prompt) Render(data any) ([]local.Message, error) { return p.RenderSeen(data, nil) }

// RenderSeen is Render, and counts the texts in which something was made neutral.
func (p *Prompt) RenderSeen(data any, seen *guard.Seen) ([]local.Message, error) {
	data = seen.Values(data)
	out := make([]local.Message, len(p.parts))
	for i, part := range p.parts {
		var b strings.Builder
		if err := part.body.Execute(&b, data); err != nil {
			return nil, wrong(p.name, err, data)
		}
		out[i] = local.Message{Role: part.role, Content: b.String()}
	}
	return out, nil
}
