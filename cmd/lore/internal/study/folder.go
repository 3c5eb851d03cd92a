package study

import (
	"cmp"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"lore/cmd/lore/internal/store"
)

// Files of a study's folder. Beside them lie the run folders.
const (
	ManifestFile = "study.json"
	CopyFile     = "study.yaml" // the study as it was given
	MarkdownFile = "report.md"
	PageFile     = "report.html"
)

// Format is the version of Manifest.
const Format = 1

// Manifest says which runs a study's folder holds.
type Manifest struct {
	Format int     `json:"format"`
	Lore   string  `json:"lore"`
	Name   string  `json:"name"`
	Title  string  `json:"title,omitempty"`
	Date   string  `json:"date,omitempty"`
	Runs   []Place `json:"runs"`
}

// Place is a run of a study.
type Place struct {
	Folder     string   `json:"folder"` // below the study's
	Benchmark  string   `json:"benchmark"`
	Retrievers []string `json:"retrievers,omitempty"` // those that the folder had before, too
	Generators []string `json:"generators,omitempty"`
	Judges     []string `json:"judges,omitempty"`
	SHA256     string   `json:"configuration_sha256"` // of all that the results of the last study depend on
}

// ReadManifest reads that of a study's folder. The error is fs.ErrNotExist where there is none.
func ReadManifest(dir string) (Manifest, error) {
	var m Manifest
	err := store.ReadJSON(dir, ManifestFile, &m)
	return m, err
}

// TitleOf is what a study of that title, which may be empty, and name is called at the top of its page.
func TitleOf(title, name string) string { return cmp.Or(title, "Study "+name) }

// TitleAbove is the title of the study that a run folder is part of; empty for one that is part of none.
func TitleAbove(dir string) string {
	m, err := ReadManifest(filepath.Dir(dir))
	if err != nil || !slices.ContainsFunc(m.Runs, func(p Place) bool { return p.Folder == filepath.Base(dir) }) {
		return ""
	}
	return TitleOf(m.Title, m.Name)
}

// Folders are the run folders of a study's folder. A folder that is none is given back as it is, and
// so is one that is not there: whoever reads it says so.
func Folders(dir string) ([]string, error) {
	m, err := read(dir)
	if m == nil {
		return []string{dir}, err
	}
	var out []string
	for _, r := range m.Runs {
		out = append(out, filepath.Join(dir, r.Folder))
	}
	return out, nil
}

// Benchmarks are those of the runs of a study's folder, each once; none where it is no study.
func Benchmarks(dir string) ([]string, error) {
	m, err := read(dir)
	if m == nil {
		return nil, err
	}
	var out []string
	for _, r := range m.Runs {
		if !slices.Contains(out, r.Benchmark) {
			out = append(out, r.Benchmark)
		}
	}
	return out, nil
}

// read is the manifest of a study whose runs lie in it; nil where the folder is none.
func read(dir string) (*Manifest, error) {
	m, err := ReadManifest(dir)
	if errors.Is(err, fs.ErrNotExist) || IsRun(dir) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}

	for _, r := range m.Runs {
		if !filepath.IsLocal(r.Folder) {
			return nil, store.Damaged(dir, ManifestFile, "", "names a run outside of its folder")
		}
	}
	if len(m.Runs) == 0 {
		return nil, store.Damaged(dir, ManifestFile, "", "names no runs")
	}
	return &m, nil
}

// IsRun reports whether a folder is that of one run.
func IsRun(dir string) bool {
	_, err := os.Stat(filepath.Join(dir, "manifest.json"))
	return err == nil
}
