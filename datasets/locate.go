package datasets

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"lore/local/files"
)

// Has reports whether a folder has a file or folder of a name right in it.
type Has func(name string) bool

// FoldersBelow are the folders at or below dir that a benchmark recognises by the names in them,
// in the order of their paths. Of two folders of which one lies in the other the outer is taken.
func FoldersBelow(dir string, is func(has Has) bool) ([]string, error) {
	if is(func(name string) bool { return files.Exists(filepath.Join(dir, name)) }) {
		return []string{dir}, nil
	}
	names, err := files.Below(dir)
	if err != nil {
		return nil, err
	}

	var folders []string
	inside := map[string]bool{} // files and folders by their paths
	for _, n := range names {
		for p := n; p != "." && !inside[p]; p = path.Dir(p) {
			inside[p] = true
			if p != n {
				folders = append(folders, p)
			}
		}
	}
	slices.Sort(folders)

	var out []string
	for _, f := range folders {
		within := func(outer string) bool { return strings.HasPrefix(f, outer+"/") }
		if !slices.ContainsFunc(out, within) && is(func(name string) bool { return inside[path.Join(f, name)] }) {
			out = append(out, f)
		}
	}
	for i, f := range out {
		out[i] = filepath.Join(dir, filepath.FromSlash(f))
	}
	return out, nil
}

// FoldersNear are those of the two folders above dir that a benchmark recognises, or that have
// one or more below them: where the data is that somebody looks for one level too low.
func FoldersNear(dir string, is func(has Has) bool) []string {
	for _, up := range files.Near(dir) {
		if found, err := FoldersBelow(up, is); err == nil && len(found) > 0 {
			return found
		}
	}
	return nil
}

// SeveralSets is the error of a folder with several data sets that are not run together. The
// commands that choose one are its remedy; command is what stands before the folder in them.
func SeveralSets(command, given string, found []string) error {
	return &InputError{
		File:   given,
		Msg:    fmt.Sprintf("holds %d data sets", len(found)),
		Remedy: "choose one: " + commandsFor(command, found),
	}
}

// NoSet is the error of a folder without data of a benchmark: what was looked for, what is there
// instead, and where near it the data is, if it is.
func NoSet(benchmark, given, wanted string, near []string) error {
	remedy := "lore data list " + benchmark + " says what its published files are"
	if len(near) > 0 {
		remedy = "the data is beside it: " + commandsFor("lore run "+benchmark, near)
	}
	return &InputError{
		File:   given,
		Msg:    fmt.Sprintf("holds no data of %s: no %s in it or below; there is %s", benchmark, wanted, holds(given)),
		Remedy: remedy,
	}
}

// AlreadyOwn is the error of an import of what is in lore's own layout.
func AlreadyOwn(benchmark, folder string) error {
	return &InputError{
		File:   folder,
		Msg:    "is in lore's own layout already: there is nothing to import",
		Remedy: commandsFor("lore run "+benchmark, []string{folder}),
	}
}

// RefuseOwn refuses to import a folder of a benchmark that lore has written.
func RefuseOwn(benchmark, folder string) error {
	m, err := ReadManifest(folder)
	if err != nil || m == nil || m.Benchmark != benchmark {
		return err
	}
	return AlreadyOwn(benchmark, folder)
}

// NearSmall are the folders above one that are small enough for their files to be looked into by
// somebody who only wants to help.
func NearSmall(dir string) []string {
	return slices.DeleteFunc(files.Near(dir), func(up string) bool {
		names, err := files.Below(up)
		return err != nil || len(names) > mostLookedInto
	})
}

// mostLookedInto is the most files that are looked into where an error only says where data may be.
const mostLookedInto = 5000

// mostNamed is how many things an error names at most.
const mostNamed = 6

func commandsFor(command string, found []string) string {
	var out []string
	for _, f := range found[:min(len(found), mostNamed)] {
		out = append(out, command+" "+files.Quoted(f))
	}
	if n := len(found) - mostNamed; n > 0 {
		out = append(out, fmt.Sprintf("and %d others", n))
	}
	return strings.Join(out, "; ")
}

// holds names what is in a folder.
func holds(dir string) string {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return "nothing that can be read"
	}

	var names []string
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), ".") {
			continue
		}
		name := e.Name()
		if e.IsDir() {
			name += "/"
		}
		names = append(names, name)
	}

	if len(names) == 0 {
		return "nothing"
	}
	return Some(names)
}

// Some names the first few of a list, and counts the others.
func Some(names []string) string {
	if n := len(names) - mostNamed; n > 0 {
		return fmt.Sprintf("%s and %d others", strings.Join(names[:mostNamed], ", "), n)
	}
	return strings.Join(names, ", ")
}
