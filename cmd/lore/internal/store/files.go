package store

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// WriteFile puts data in place of a file of the folder, whole or not at all.
func (f *Folder) WriteFile(name string, data []byte) error {
	return writeFile(filepath.Join(f.dir, name), data)
}

func writeFile(path string, data []byte) error {
	tmp, err := os.CreateTemp(filepath.Dir(path), ".writing-*")
	if err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}

	err = fill(tmp, data)
	if err == nil {
		err = os.Rename(tmp.Name(), path)
	}
	if err != nil {
		os.Remove(tmp.Name())
		return fmt.Errorf("write %s: %w; "+
			"finished model calls are kept in the journal: make room and run the same command again", path, err)
	}
	return nil
}

// fill writes a file and closes it. The data is on disk before the file gets its name: a
// crash leaves the old content or the new.
func fill(f *os.File, data []byte) error {
	_, err := f.Write(data)
	if err == nil {
		err = f.Chmod(0o644)
	}
	if err == nil {
		err = f.Sync()
	}
	if closeErr := f.Close(); err == nil {
		err = closeErr
	}
	return err
}

// WriteJSON puts a value in place of a file of the folder, as indented JSON.
func (f *Folder) WriteJSON(name string, v any) error {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", " ")
	if err := enc.Encode(v); err != nil {
		return fmt.Errorf("encode %s: %w", name, err)
	}
	return f.WriteFile(name, buf.Bytes())
}

// WriteLines puts records in place of a file of the folder, a line of JSON each.
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

// ReadLines reads a file of JSON lines from the run folder dir. Blank lines are skipped.
func ReadLines[T any](dir, name string) ([]T, error) {
	path := filepath.Join(dir, name)
	file, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("read the run folder: %w", err)
	}
	defer file.Close()

	var out []T
	r := bufio.NewReader(file)
	for line := 1; ; line++ {
		data, err := r.ReadBytes('\n')
		if len(bytes.TrimSpace(data)) > 0 {
			var v T
			if err := json.Unmarshal(data, &v); err != nil {
				return nil, fmt.Errorf("%s:%d: %w; run the command again to write it anew", path, line, err)
			}
			out = append(out, v)
		}

		if errors.Is(err, io.EOF) {
			return out, nil
		}
		if err != nil {
			return nil, fmt.Errorf("read %s: %w", path, err)
		}
	}
}

// ReadJSON reads a JSON file from the run folder dir into v, a pointer.
func ReadJSON(dir, name string, v any) error {
	path := filepath.Join(dir, name)
	data, err := os.ReadFile(path)
	if err != nil {
		return fmt.Errorf("read the run folder: %w", err)
	}
	if err := json.Unmarshal(data, v); err != nil {
		return fmt.Errorf("%s: %w; run the command again to write it anew", path, err)
	}
	return nil
}
