// Package realtext gives sentences of real text to programs that write large datasets for
// measuring.
package realtext

import (
	"fmt"
	"os"
	"path/filepath"

	"lore/local/text"
)

// Sentences returns the sentences of all .txt files of a folder, in order of name.
func Sentences(dir string) ([]string, error) {
	files, err := filepath.Glob(filepath.Join(dir, "*.txt"))
	if err != nil || len(files) == 0 {
		return nil, fmt.Errorf("no .txt files in %q: %v", dir, err)
	}

	var out []string
	for _, f := range files {
		data, err := os.ReadFile(f)
		if err != nil {
			return nil, fmt.Errorf("read the text: %w", err)
		}
		out = append(out, text.Sentences(string(data))...)
	}
	return out, nil
}
