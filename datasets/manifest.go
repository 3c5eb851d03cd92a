package datasets

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"lore/local/files"
)

// ManifestFile says, in a folder of data that lore wrote, whose data it is.
const ManifestFile = "dataset.json"

// BuildLog is the log of a build in the folder of its data. It is told apart from the data.
const BuildLog = "build-log.jsonl"

// BuildFile says, in the folder of built data, how it was made.
const BuildFile = "build.json"

// IsBesides reports whether a file of a folder of data, by its name there, is about the data, and no part of it.
func IsBesides(name string) bool {
	return name == ManifestFile || name == BuildLog || name == BuildFile
}

// Manifest describes a folder of data.
type Manifest struct {
	Format    int               `json:"format"`
	Benchmark string            `json:"benchmark"`
	Items     int               `json:"items"`
	Documents int               `json:"documents"`
	Files     map[string]string `json:"files_sha256"` // by name below the folder
}

// manifestFormat is the version of Manifest.
const manifestFormat = 1

// WriteManifest describes the folder that ds was loaded from, with the hash of each of its
// files.
func WriteManifest(folder, benchmark string, ds *Dataset) error {
	m := Manifest{
		Format:    manifestFormat,
		Benchmark: benchmark,
		Items:     len(ds.Items),
		Documents: ds.Documents(),
		Files:     map[string]string{},
	}
	entries, err := os.ReadDir(folder)
	if err != nil {
		return fmt.Errorf("describe %s: %w", folder, err)
	}
	for _, e := range entries {
		if !e.Type().IsRegular() || IsBesides(e.Name()) {
			continue
		}
		data, err := files.Bytes(filepath.Join(folder, e.Name()), "make the data again")
		if err != nil {
			return err
		}
		m.Files[e.Name()] = HashFiles(data)
	}

	data, err := json.MarshalIndent(m, "", " ")
	if err != nil {
		return fmt.Errorf("encode %s: %w", ManifestFile, err)
	}
	path := filepath.Join(folder, ManifestFile)
	if err := files.WriteFile(path, append(data, '\n')); err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	return nil
}

// ReadManifest reads the manifest of a folder. A folder without one has a nil manifest.
func ReadManifest(folder string) (*Manifest, error) {
	path := filepath.Join(folder, ManifestFile)
	const remedy = "make or import the data again"
	data, err := files.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, files.Unreadable(path, err, remedy)
	}

	var m Manifest
	if err := json.Unmarshal(data, &m); err != nil {
		return nil, &InputError{File: path, Msg: "is not valid JSON: " + err.Error(), Remedy: remedy, Err: err}
	}
	if m.Format != manifestFormat || m.Benchmark == "" {
		msg := fmt.Sprintf("has format %d; this lore reads format %d", m.Format, manifestFormat)
		return nil, &InputError{File: path, Msg: msg, Remedy: remedy}
	}
	return &m, nil
}

// Verify compares the files of a folder with its manifest.
func (m *Manifest) Verify(folder string) error {
	for name, want := range m.Files {
		if !filepath.IsLocal(name) {
			msg := fmt.Sprintf("names the file %q outside its folder", name)
			return &InputError{File: filepath.Join(folder, ManifestFile), Msg: msg}
		}
		path := filepath.Join(folder, filepath.FromSlash(name))
		data, err := files.Bytes(path, "make or import the data again")
		if err != nil {
			return err
		}
		if HashFiles(data) != want {
			return &InputError{
				File:   path,
				Msg:    "has changed since it was written: its hash is not that of " + ManifestFile,
				Remedy: "make or import the data again; if you changed it on purpose, remove " + ManifestFile,
			}
		}
	}
	return nil
}
