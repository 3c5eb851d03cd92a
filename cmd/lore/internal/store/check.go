package store

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"lore/local/files"
)

// ErrDamaged says that a file of a run folder is not as lore wrote it.
var ErrDamaged = errors.New("the run folder is not as lore wrote it")

// damaged words what is wrong with a file of a run folder.
func damaged(path, place, msg string) error {
	return &files.Error{File: path, Place: place, Msg: msg, Remedy: Anew, Err: ErrDamaged}
}

// Damaged words what is wrong at a place in a file of the run folder dir.
func Damaged(dir, name, place, format string, args ...any) error {
	return damaged(filepath.Join(dir, name), place, fmt.Sprintf(format, args...))
}

func hashOf(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// sealed is the manifest's file: with the hash of all the rest of it.
func (m Manifest) sealed() ([]byte, error) {
	m.SHA256 = ""
	open, err := Encode(m)
	if err != nil {
		return nil, err
	}
	if m.SHA256, err = seal(open); err != nil {
		return nil, err
	}
	return Encode(m)
}

// seal is the hash of a manifest's file without its own: of its fields in order of name,
// without white space between them.
func seal(data []byte) (string, error) {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(data, &fields); err != nil {
		return "", err
	}
	delete(fields, "sha256")
	canonical, err := json.Marshal(fields)
	return hashOf(canonical), err
}

// checkSeal compares a manifest with its own hash. What came before the hashes has none.
func (m Manifest) checkSeal(data []byte) error {
	if !m.Hashed() && m.SHA256 == "" && len(m.Files) == 0 {
		return nil
	}
	sum, err := seal(data)
	if err != nil {
		return err
	}
	if sum != m.SHA256 {
		return errors.New("was changed after lore wrote it: it does not have its own hash")
	}
	return nil
}

// Hashed reports whether the folder can be checked. One of an earlier lore cannot.
func (m Manifest) Hashed() bool { return m.Format >= hashed }

// pages are derived files that nothing is read from: people may write them again.
var pages = []string{"report.md", "report.html"}

// Check compares the files that figures are read from with the manifest, and returns the
// first that is missing or was changed.
func (m Manifest) Check(dir string) error {
	for _, name := range slices.Sorted(maps.Keys(m.Files)) {
		if slices.Contains(pages, name) {
			continue
		}
		if err := m.checkFile(dir, name); err != nil {
			return err
		}
	}
	return nil
}

// Problems compares all files of the folder with the manifest: those that are missing or
// were changed, and derived ones that the manifest does not name.
func (m Manifest) Problems(dir string) []error {
	var out []error
	for _, name := range slices.Sorted(maps.Keys(m.Files)) {
		if err := m.checkFile(dir, name); err != nil {
			out = append(out, err)
		}
	}
	if !m.Hashed() {
		return out
	}
	for _, name := range derived(dir) {
		if m.Files[name] == "" {
			out = append(out, Damaged(dir, name, "", "is not in %s: it does not belong to this run", ManifestFile))
		}
	}
	return out
}

// Rankings are the names of a folder's run files, and of its judgements.
func Rankings(dir string) []string { return named(dir, rankings+"/*") }

// derived are the files in a folder that lore would have made.
func derived(dir string) []string {
	return slices.Concat(named(dir, "*.json"), named(dir, "*.jsonl"), named(dir, "*.jsonl.gz"), named(dir, "report.*"), Rankings(dir))
}

// named are the files of a folder that match a pattern, but for the manifest, and what is
// just being written.
func named(dir, pattern string) []string {
	found, _ := fs.Glob(files.DirFS(dir), pattern) // the pattern is fine
	return slices.DeleteFunc(found, func(name string) bool {
		return name == ManifestFile || strings.HasPrefix(path.Base(name), ".")
	})
}

func (m Manifest) checkFile(dir, name string) error {
	if !filepath.IsLocal(name) {
		return Damaged(dir, ManifestFile, "", "names the file %q, which is not in the folder", name)
	}
	data, err := read(filepath.Join(dir, filepath.FromSlash(name)))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return Damaged(dir, name, "", "is missing, and %s names it", ManifestFile)
	case err != nil:
		return err
	case hashOf(data) != m.Files[name]:
		return Damaged(dir, name, "", "was changed after lore wrote it: its hash is %.8s, in %s it is %.8s",
			hashOf(data), ManifestFile, m.Files[name])
	}
	return nil
}
