package store

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"

	"lore/datasets"
	"lore/local/files"
	"lore/local/parallel"
)

// Anew is the remedy for a folder that is not as lore wrote it.
const Anew = "run the same command again to write it anew from the journal"

// WriteFile stages data for a file of the folder: Commit puts it in place.
func (f *Folder) WriteFile(name string, data []byte) error {
	if f.lock == nil {
		return nil // see Look
	}
	s, err := files.Stage(filepath.Join(f.dir, filepath.FromSlash(name)), data)
	if err != nil {
		return unwritten(err)
	}
	f.staged = append(f.staged, staged{name, hashOf(data), s})
	return nil
}

// unwritten words that a file could not be written, and that nothing is lost.
func unwritten(err error) error {
	remedy := "see to what is in the way"
	if errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EFBIG) || errors.Is(err, syscall.EDQUOT) {
		remedy = "make room"
	}
	return fmt.Errorf("%w; finished model calls are kept in the journal: %s and run the same command again", err, remedy)
}

// WriteJSON stages a value for a file of the folder, as indented JSON.
func (f *Folder) WriteJSON(name string, v any) error {
	data, err := Encode(v)
	if err != nil {
		return fmt.Errorf("encode %s: %w", name, err)
	}
	return f.WriteFile(name, data)
}

// Encode is a value as it stands in a run folder's files of JSON.
func Encode(v any) ([]byte, error) {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", " ")
	err := enc.Encode(v)
	return buf.Bytes(), err
}

// WriteLines stages records for a file of the folder, a line of JSON each.
func WriteLines[T any](f *Folder, name string, records []T) error {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	for _, r := range records {
		if err := enc.Encode(r); err != nil {
			return fmt.Errorf("encode %s: %w", name, err)
		}
	}
	return f.WriteFile(name, buf.Bytes())
}

// Commit puts all that was staged in place, one file after the other, and the manifest
// with their hashes last. Whoever is killed in between leaves files that the manifest
// does not describe, which everybody who reads the folder is told.
func (f *Folder) Commit(m Manifest) error {
	m.Files = map[string]string{}
	for _, s := range f.staged {
		m.Files[s.name] = s.hash
	}
	data, err := m.sealed()
	if err != nil {
		return fmt.Errorf("encode %s: %w", ManifestFile, err)
	}
	if err := f.WriteFile(ManifestFile, data); err != nil {
		return err
	}

	for len(f.staged) > 0 {
		s := f.staged[0]
		f.staged = f.staged[1:]
		if s.name == ManifestFile {
			if err := f.sync(); err != nil {
				return err
			}
		}
		if err := s.file.Commit(); err != nil {
			return unwritten(err)
		}
	}
	return f.sync()
}

// sync puts the names of all files on disk.
func (f *Folder) sync() error {
	for _, dir := range []string{f.dir, filepath.Join(f.dir, rankings)} {
		if err := files.SyncFolder(dir); err != nil {
			return err
		}
	}
	return nil
}

// read reads a file of a run folder whole. What is no file, such as a pipe that would never
// end, is refused.
func read(path string) ([]byte, error) {
	info, err := os.Stat(path)
	if err == nil && !info.Mode().IsRegular() {
		return nil, damaged(path, "", "is not a file")
	}
	return files.Bytes(path, Anew)
}

// ReadChecked reads a file of JSON lines from the run folder dir, with a check that may refuse
// a record. Blank lines are skipped.
func ReadChecked[T any](dir, name string, check func(*T) error) ([]T, error) {
	path := filepath.Join(dir, name)
	data, err := read(path)
	if err != nil {
		return nil, err
	}

	var places []string
	var lines [][]byte
	_ = files.EachLine(data, func(place string, line []byte) error {
		places, lines = append(places, place), append(lines, line)
		return nil // it is nobody else's error either
	})
	if len(lines) == 0 {
		return nil, nil
	}

	// Most of the time of opening a large run is spent here.
	out, errs := make([]T, len(lines)), make([]error, len(lines))
	parallel.Each(len(lines), func(i int) { errs[i] = decode(lines[i], &out[i]) })
	for i, place := range places {
		if errs[i] != nil {
			return nil, damaged(path, place, "is damaged: "+errs[i].Error())
		}
		if err := check(&out[i]); err != nil {
			return nil, damaged(path, place, err.Error())
		}
	}
	return out, nil
}

// decode reads a value. One that reads itself is asked at once: package json would go through
// its text twice before it did so.
func decode(line []byte, v any) error {
	if own, ok := v.(json.Unmarshaler); ok {
		return own.UnmarshalJSON(line)
	}
	return json.Unmarshal(line, v)
}

// ReadJSON reads a JSON file from the run folder dir into v, a pointer.
func ReadJSON(dir, name string, v any) error {
	path := filepath.Join(dir, name)
	data, err := read(path)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(data, v); err != nil {
		return damaged(path, lineOf(data, err), "is damaged: "+err.Error())
	}
	return nil
}

// lineOf is the line of an error of package json.
func lineOf(data []byte, err error) string {
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	switch {
	case errors.As(err, &syntax):
		return datasets.LineAt(data, int(syntax.Offset))
	case errors.As(err, &kind):
		return datasets.LineAt(data, int(kind.Offset))
	}
	return ""
}
