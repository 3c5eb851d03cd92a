package files

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode"
)

// Bounds of looking for data below a folder: published data lies a few levels deep, and
// whoever names a home folder by mistake should not wait for all of it.
const (
	deepest  = 5
	mostSeen = 50_000
)

// Below lists the regular files below a folder by their paths below it, in order. It is made
// for folders as people get them, by cloning or unpacking: hidden files and folders such as
// .git and .DS_Store, links, and what archives of macOS add are left out, and so is what lies
// more than five levels deep. A folder of too many files is refused.
func Below(dir string) ([]string, error) { return below(dir, deepest, mostSeen) }

func below(dir string, depth, most int) ([]string, error) {
	var out []string
	seen := 0
	err := fs.WalkDir(DirFS(dir), ".", func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if seen++; seen > most {
			return fmt.Errorf("%w: %d", errTooMany, most)
		}

		name := d.Name()
		hidden := p != "." && (strings.HasPrefix(name, ".") || name == "__MACOSX")
		switch {
		case d.IsDir() && (hidden || strings.Count(p, "/") >= depth):
			return fs.SkipDir
		case d.Type().IsRegular() && !hidden:
			out = append(out, p)
		}
		return nil
	})

	if errors.Is(err, errTooMany) {
		msg := fmt.Sprintf("holds more than %d files and folders", most)
		return nil, &Error{File: dir, Msg: msg, Remedy: "give the folder of the data itself", Err: err}
	}
	if err != nil {
		return nil, Unreadable(placeOf(err, dir), err, "check its permissions")
	}
	slices.Sort(out)
	return out, nil
}

var errTooMany = errors.New("too many files")

// Near lists the two folders above a folder, nearest first, but for the root: where the data is that somebody looks for one level too low.
func Near(dir string) []string {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return nil
	}

	var out []string
	given := filepath.Clean(dir)
	for range 2 {
		up := filepath.Dir(abs)
		if up == abs || up == filepath.Dir(up) {
			break
		}
		abs = up

		// What was given relatively is named so.
		switch {
		case filepath.IsAbs(given):
			given = up
		case given == "." || filepath.Base(given) == "..":
			given = filepath.Join(given, "..")
		default:
			given = filepath.Dir(given)
		}
		out = append(out, given)
	}
	return out
}

// Head is the beginning of a file, at most n bytes.
func Head(path string, n int64) ([]byte, error) {
	f, err := Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, n))
}

// Exists reports whether there is a file or folder of that name.
func Exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// plainInShell are the signs, besides letters and digits, that a shell leaves alone.
const plainInShell = "/._-+:@%,=^"

// Quoted writes a path or another text as a word of a command that can be copied into a shell.
func Quoted(path string) string {
	isPlain := func(r rune) bool {
		return unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune(plainInShell, r)
	}
	if path != "" && strings.IndexFunc(path, func(r rune) bool { return !isPlain(r) }) < 0 {
		return path
	}
	return "'" + strings.ReplaceAll(path, "'", `'\''`) + "'"
}
