// Package published finds the published data and golden values that tests compare
// with. They lie beside the checkout, in ../shared, or where LORE_SHARED says, and
// are not part of the repository.
package published

import (
	"os"
	"path/filepath"
	"testing"
)

// Path returns the path of a file or folder of the shared data. A test that needs
// it is skipped where it is absent, and fails where CI is set.
func Path(t testing.TB, parts ...string) string {
	t.Helper()
	path := filepath.Join(append([]string{root()}, parts...)...)
	if _, err := os.Stat(path); err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatalf("no published data: %v", err)
		}
		t.Skipf("no published data: %v", err)
	}
	return path
}

// Seed returns the first n bytes of a file of the shared data for a fuzz target, and
// nothing where there is none.
func Seed(n int, parts ...string) []byte {
	data, err := os.ReadFile(filepath.Join(append([]string{root()}, parts...)...))
	if err != nil {
		return nil
	}
	return data[:min(n, len(data))]
}

// root is the shared folder: beside the folder that holds go.mod.
func root() string {
	if dir := os.Getenv("LORE_SHARED"); dir != "" {
		return dir
	}

	dir, err := os.Getwd()
	if err != nil {
		return ""
	}

	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return filepath.Join(filepath.Dir(dir), "shared")
		}

		up := filepath.Dir(dir)
		if up == dir {
			return ""
		}
		dir = up
	}
}
