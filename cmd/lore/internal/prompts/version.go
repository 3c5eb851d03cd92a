package prompts

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"lore/cmd/lore/internal/usage"
	"lore/datasets/all"
	"lore/judge/llm"
	"lore/local/files"
	"lore/local/prompt"
)

// Builtin is the name of lore's own prompts among versions.
const Builtin = "builtin"

// Version is a folder of prompts that stand before lore's own, as it was when it was read.
type Version struct {
	Name  string            // that tells versions apart
	Dir   string            // where it lies; empty: nowhere
	Texts map[string]string // by the prompt's name, such as "summhay/answer.txt"

	bench string            // whose prompts its files are where they do not say
	asked string            // the benchmark of the command, by which wrong names are mended; empty: none
	paths map[string]string // of the files, by the prompt's name
}

// Folder is where versions are looked for by name.
const Folder = "prompts"

// Parse finds versions by what people write: a folder by its path, one by its name below prompts/
// or prompts/BENCHMARK/, or Builtin for lore's own. root is the folder that names are relative to,
// and where bench is empty all benchmarks are looked at. Versions with the same name are refused, and so is a folder with a file
// that replaces no prompt, or that is no template: the error names it, and what it could mean.
func Parse(names []string, root, bench string) ([]Version, error) {
	var out []Version
	for _, n := range names {
		v, err := find(n, root, bench)
		if err != nil {
			return nil, err
		}
		for _, o := range out {
			if o.Name == v.Name {
				return nil, usage.Errorf("--prompts: two versions are called %s: %s and %s; rename a folder",
					v.Name, o.place(), v.place())
			}
		}
		out = append(out, v)
	}
	return out, nil
}

// place says where a version lies.
func (v Version) place() string {
	if v.Dir == "" {
		return "lore's own"
	}
	return v.Dir
}

// List takes a comma list apart. A folder that has a comma in its name stands for itself.
func List(text string) []string {
	if info, err := os.Stat(text); err == nil && info.IsDir() {
		return []string{text}
	}
	return usage.List(text)
}

// One is the only version that a list names, as a folder for prompt.NewSet; nil for none.
func One(text, root, bench string) (fs.FS, error) {
	versions, err := Parse(List(text), root, bench)
	switch {
	case err != nil:
		return nil, err
	case len(versions) > 1:
		return nil, usage.Errorf("--prompts takes one folder here, not %d: only lore run compares versions", len(versions))
	case len(versions) == 0 || versions[0].Name == Builtin:
		return nil, nil
	}
	return versions[0].FS(), nil
}

// find looks for one version.
func find(name, root, bench string) (Version, error) {
	if name == Builtin {
		return Version{Name: Builtin}, nil
	}
	type place struct{ dir, of string } // of whose prompts the files are, where they do not say
	places := []place{{dir: name}}
	if !filepath.IsAbs(name) {
		places[0].dir = filepath.Join(root, name)
	}
	if filepath.IsLocal(name) {
		places = append(places, place{dir: filepath.Join(root, Folder, name)})
		benches := []string{bench}
		if bench == "" {
			benches = all.Names()
		}
		for _, b := range benches {
			places = append(places, place{filepath.Join(root, Folder, b, name), b})
		}
	}

	for _, p := range places {
		if info, err := os.Stat(p.dir); err == nil && info.IsDir() {
			return Load(p.dir, p.of, bench)
		}
	}
	return Version{}, missing(name, root, bench)
}

// missing is the error of a version that is nowhere, with the nearest one.
func missing(name, root, bench string) error {
	beside := folders(filepath.Dir(filepath.Join(root, name)))
	below := append(folders(filepath.Join(root, Folder)), folders(filepath.Join(root, Folder, bench))...)
	slices.Sort(below)
	below = slices.Compact(below)
	known := slices.Concat([]string{Builtin}, beside, below)

	remedy := "a version is a folder with files such as summhay/answer.txt, by its path or by its name below " +
		Folder + "/, or " + Builtin + " for lore's own"
	if len(below) > 0 {
		remedy += "; below " + Folder + "/ there are " + strings.Join(below, ", ")
	}
	if near := usage.Nearest(filepath.Base(name), known); near != "" {
		remedy = "did you mean " + near + "? " + remedy
	}
	return &files.Error{File: name, Msg: "is not a folder", Remedy: remedy}
}

// folders are those in a folder; none where it cannot be read.
func folders(dir string) []string {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil
	}
	var out []string
	for _, e := range entries {
		if e.IsDir() && !strings.HasPrefix(e.Name(), ".") {
			out = append(out, e.Name())
		}
	}
	return out
}

// Load reads the folder of a version, and checks that each file replaces a prompt and is a
// template. Files right in a folder below prompts/BENCHMARK/ are those of that benchmark: bench is
// its name then, and else empty. asked is the benchmark of the command, or empty: the right name of a
// file is looked for among its prompts first. Hidden files and an editor's copies are left alone.
func Load(dir, bench, asked string) (Version, error) {
	whole, err := filepath.Abs(dir)
	if err != nil {
		return Version{}, fmt.Errorf("find the folder %s: %w", dir, err)
	}
	v := Version{
		Name:  files.OneWord(filepath.Base(whole)),
		Dir:   dir,
		Texts: map[string]string{},
		bench: bench,
		asked: asked,
		paths: map[string]string{},
	}
	if v.Name == Builtin {
		return v, &files.Error{File: dir, Msg: "has the name of lore's own prompts", Remedy: "rename the folder"}
	}
	lib, err := All()
	if err != nil {
		return v, err
	}
	names, links, err := files.ListLinks(dir)
	if err != nil {
		return v, err
	}
	links = slices.DeleteFunc(links, ofEditor)
	if len(links) > 0 {
		return v, &files.Error{
			File:   filepath.Join(dir, filepath.FromSlash(links[0])),
			Msg:    "is a link, and links in a version of prompts are not followed",
			Remedy: "copy the file or folder there, or take the link away",
		}
	}

	for _, file := range names {
		if ofEditor(file) {
			continue
		}
		name := file
		if bench != "" && !strings.Contains(file, "/") {
			name = path.Join(bench, file)
		}
		if err := v.read(lib, name, filepath.Join(dir, filepath.FromSlash(file))); err != nil {
			return v, err
		}
	}
	return v, nil
}

// Reload reads the version's folder again.
func (v Version) Reload() (Version, error) { return Load(v.Dir, v.bench, v.asked) }

// ofEditor reports whether a file is hidden, or a copy that an editor keeps beside the file itself.
func ofEditor(file string) bool {
	for _, part := range strings.Split(file, "/") {
		if strings.HasPrefix(part, ".") || strings.HasPrefix(part, "#") || strings.HasSuffix(part, "~") ||
			slices.Contains([]string{".swp", ".tmp", ".bak"}, path.Ext(part)) {
			return true
		}
	}
	return false
}

// read takes one file over.
func (v Version) read(lib Library, name, file string) error {
	if !slices.Contains(lib.Names, name) {
		return &files.Error{File: file, Msg: "replaces no prompt", Remedy: v.rightName(lib, name) + "lore prompts list names all prompts"}
	}
	data, err := files.Read(file, "it must be a text")
	if err != nil {
		return err
	}

	text := plainText(string(data))
	v.Texts[name], v.paths[name] = text, file
	p, err := prompt.Parse(name, text)
	if err != nil {
		return v.Locate(err)
	}
	return v.Locate(checkHeader(name, p))
}

// checkHeader reports what is wrong with the header of a prompt: only judges' prompts have one.
func checkHeader(name string, p *prompt.Prompt) error {
	if p.Reply() == nil {
		return nil
	}
	if kind, ok := llm.KindOf(name); ok {
		return llm.CheckReply(name, kind, p.Reply())
	}
	return &prompt.Error{
		Name: name,
		Line: 1,
		Msg: "has a header, and only prompts of judges have one: replies to others have a form that lore reads; " +
			"take the lines from --- to --- away",
	}
}

// rightName asks for the path that a wrong name of a file may stand for; empty: none is near.
func (v Version) rightName(lib Library, name string) string {
	// A folder above those of versions: what lies in them has a right name there.
	if first, rest, below := strings.Cut(name, "/"); below && slices.Contains(lib.Names, rest) {
		return "did you mean --prompts " + filepath.Join(v.Dir, first) + "? "
	}
	near := lib.NearestOf(v.asked, name)
	if near == "" {
		return ""
	}
	if rest, own := strings.CutPrefix(near, v.bench+"/"); v.bench != "" && own {
		near = rest
	}
	return "did you mean " + filepath.Join(v.Dir, filepath.FromSlash(near)) + "? "
}

// plainText is a text as lore's own prompts are written: without the mark that some editors put first,
// with line ends of one kind, and one at its end. Nobody sees the difference, and models do.
func plainText(text string) string {
	text = strings.ReplaceAll(strings.TrimPrefix(text, "\ufeff"), "\r\n", "\n")
	return strings.TrimRight(text, " \t\r\n") + "\n"
}

// Locate gives an error of one of the version's prompts the place of its file. Others, and nil, stay.
func (v Version) Locate(err error) error {
	var bad *prompt.Error
	var placed *files.Error
	if !errors.As(err, &bad) || errors.As(err, &placed) || v.paths[bad.Name] == "" {
		return err
	}
	e := &files.Error{File: v.paths[bad.Name], Msg: bad.Msg, Remedy: bad.Remedy(), Err: err}
	if bad.Line > 0 {
		e.Place = fmt.Sprintf("line %d", bad.Line)
	}
	return e
}

// Text is the version's prompt of a name, or lore's own; false: there is neither.
func (v Version) Text(lib Library, name string) (string, bool) {
	if text, ok := v.Texts[name]; ok {
		return text, true
	}
	text, ok := lib.Texts[name]
	return text, ok
}

// Without is the version without one prompt.
func (v Version) Without(name string) Version {
	v.Texts = maps.Clone(v.Texts)
	delete(v.Texts, name)
	return v
}

// Only is the version with some of its prompts.
func (v Version) Only(names []string) Version {
	v.Texts = maps.Clone(v.Texts)
	maps.DeleteFunc(v.Texts, func(name, _ string) bool { return !slices.Contains(names, name) })
	return v
}

// Place is the file of a prompt, or its name where it has none.
func (v Version) Place(name string) string {
	if v.paths[name] != "" {
		return v.paths[name]
	}
	return name + " of " + v.Name
}

// FS is the version as a folder.
func (v Version) FS() fs.FS { return texts(v.Texts) }

// texts are files in memory, by path.
type texts map[string]string

// Open opens a file; there is nothing else.
func (t texts) Open(name string) (fs.File, error) {
	text, ok := t[name]
	if !ok {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	return &open{strings.NewReader(text), path.Base(name)}, nil
}

// open is an open text, and what is known of it.
type open struct {
	*strings.Reader
	name string
}

func (o *open) Close() error               { return nil }
func (o *open) Stat() (fs.FileInfo, error) { return o, nil }
func (o *open) Name() string               { return o.name }
func (o *open) Mode() fs.FileMode          { return 0o444 }
func (o *open) ModTime() time.Time         { return time.Time{} }
func (o *open) IsDir() bool                { return false }
func (o *open) Sys() any                   { return nil }
