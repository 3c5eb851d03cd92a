package run

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"lore/cmd/lore/internal/store"
	"lore/cmd/lore/internal/usage"
	"lore/local/files"
)

// earlier is the configuration of the run that a folder holds; nil where it holds none. What
// is damaged is told of. Manifest and configuration vouch for each other: one of them is
// enough to tell that the folder is for the same configuration.
func earlier(dir string, mine Configuration, console usage.Console) (*Configuration, error) {
	manifest, noManifest := store.ReadManifest(dir)
	config, noConfig := ReadConfiguration(dir)
	none := errors.Is(noManifest, fs.ErrNotExist)
	switch {
	case none && errors.Is(noConfig, fs.ErrNotExist):
		return nil, orphaned(dir)
	case noManifest != nil && !none && !errors.Is(noManifest, store.ErrDamaged):
		return nil, usage.Errorf("%v; choose another folder with --out", noManifest)
	}

	same, err := isSame(manifest, mine)
	if err != nil {
		return nil, err
	}
	same = same && noManifest == nil
	if noConfig != nil && !same {
		return nil, refuse(dir, manifest, noManifest, noConfig)
	}

	tell(dir, manifest, noManifest, console)
	if same {
		return &mine, nil // whatever became of the file
	}
	return &config, nil
}

// orphaned refuses a folder with results that nothing says the making of.
func orphaned(dir string) error {
	for _, name := range []string{"scores.json", store.AnswersFile, store.VerdictsFile} {
		if _, err := os.Lstat(filepath.Join(dir, name)); err == nil {
			return usage.Errorf("%s holds %s, but neither %s nor %s, which say what it is of: choose another folder "+
				"with --out", dir, name, store.ManifestFile, ConfigurationFile)
		}
	}
	return nil
}

// isSame reports whether a manifest says that the folder was made with this very
// configuration.
func isSame(m store.Manifest, mine Configuration) (bool, error) {
	data, err := store.Encode(mine)
	return err == nil && m.Files[ConfigurationFile] == hashOf(data), err
}

// tell warns of everything in a folder that is not as lore wrote it, and will be written
// anew.
func tell(dir string, m store.Manifest, noManifest error, console usage.Console) {
	const anew = "; this run writes all but the journal anew"
	if noManifest != nil {
		if errors.Is(noManifest, store.ErrDamaged) {
			console.Warn(words(noManifest) + anew)
		}
		return
	}
	for _, p := range m.Problems(dir) {
		console.Warn(words(p) + anew)
	}
}

// words are those of an error without its remedy, which is what happens now.
func words(err error) string {
	var e *files.Error
	if !errors.As(err, &e) {
		return err.Error()
	}
	bare := *e
	bare.Remedy = ""
	return bare.Error()
}

// refuse words why nobody can tell what a folder is for.
func refuse(dir string, m store.Manifest, noManifest, noConfig error) error {
	switch {
	case noManifest == nil && m.Hashed():
		return usage.Errorf("%s cannot be read, and this command is not the one that made the folder as it is: "+
			"name all of its retrievers (%s), generators and judges, or choose another folder with --out",
			filepath.Join(dir, ConfigurationFile), strings.Join(m.Retrievers, ","))
	case noManifest == nil && errors.Is(noConfig, fs.ErrNotExist):
		return usage.Errorf("%s holds a run without %s, of which nobody can tell how it was made; "+
			"choose another folder with --out, or remove its manifest.json to write it anew", dir, ConfigurationFile)
	}
	return usage.Errorf("%s holds a run of which nobody can tell how it was made: %s; choose another folder with --out",
		dir, words(noConfig))
}
