package datasets

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"

	"lore/local/files"
)

// InputError is data that is missing or malformed. Its message names file, place and
// remedy.
type InputError = files.Error

// LineAt names the line of a byte, for errors about data that is not read line by line.
func LineAt(data []byte, offset int) string {
	offset = min(max(offset, 0), len(data))
	return fmt.Sprintf("line %d", 1+bytes.Count(data[:offset], []byte("\n")))
}

// Sheet is a file for people to fill in.
type Sheet struct {
	Name string
	Data []byte
}

// WriteSheets writes sheets into a folder and returns their paths. One that is there
// already may be filled in: then none is written. instead says what the user can do.
func WriteSheets(dir string, sheets []Sheet, instead string) ([]string, error) {
	if err := files.MkdirAll(dir); err != nil {
		return nil, fmt.Errorf("make the folder for sheets: %w", err)
	}

	paths := make([]string, len(sheets))
	for i, s := range sheets {
		paths[i] = filepath.Join(dir, s.Name)
		if _, err := os.Stat(paths[i]); err == nil {
			return nil, Usagef("%s is there already, perhaps filled in; %s", paths[i], instead)
		}
	}

	for i, s := range sheets {
		if err := files.WriteFile(paths[i], s.Data); err != nil {
			return nil, fmt.Errorf("write a sheet: %w", err)
		}
	}
	return paths, nil
}
