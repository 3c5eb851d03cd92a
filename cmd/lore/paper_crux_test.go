package main

import (
	"bytes"
	"encoding/json"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"lore/embed/testmodel"
	"lore/local/ollama/ollamatest"
	"lore/local/published"
)

// TestPaperCRUX carries out the table of docs/crux.md on four topics of the released study and its follow-up,
// those that people labelled; runs and builds take two.
func TestPaperCRUX(t *testing.T) {
	if testing.Short() {
		t.Skip("-short leaves out what only takes long; scripts run the same commands")
	}
	carryOutPaper(t, "crux", cruxPlaces, func(args []string) []string {
		if args[0] == "run" || args[0] == "build" {
			return []string{"--limit", "2"}
		}
		return nil
	})
}

// cruxPlaces are what the table's placeholders stand for.
func cruxPlaces(t *testing.T) map[string][]string {
	t.Helper()
	study, lancer := filepath.Join(t.TempDir(), "crux-labeling"), filepath.Join(t.TempDir(), "LANCER")
	cutRelease(t, published.Path(t, "data/crux_released/crux-labeling"), study)
	cutRelease(t, published.Path(t, "data/crux_released/lancer"), lancer)
	stories := published.Path(t, "data/msrs/story")

	t.Chdir(t.TempDir())
	models := map[string]testmodel.Kind{"encoder": testmodel.BERT, "splade": testmodel.SPLADE, "cross": testmodel.CrossBERT}
	for name, kind := range models {
		if err := testmodel.Write("models/"+name, kind); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	server := &ollamatest.Server{Slots: 4, Answer: careful, Names: []string{"careful"}, Logprobs: true}
	t.Setenv("OLLAMA_HOST", server.Start(t).URL)

	return map[string][]string{
		"R":            {study, lancer},
		"STUDY":        {study},
		"FILES":        {lancer},
		"MSRS":         {stories},
		"J":            {"lexical"},
		"ollama:MODEL": {"ollama:careful"},
		"dense:DIR":    {"dense:models/encoder"},
		"sparse:DIR":   {"sparse:models/splade"},
		"cross:DIR":    {"cross:models/cross"},
	}
}

// ofLabelled finds the topics that the released annotators saw.
var ofLabelled = regexp.MustCompile(`^[^ ,]*"?duc04-testb?-(7|8|20|28)["_:# ]`)

// cutRelease copies a released folder with what is of labelled topics.
func cutRelease(t *testing.T, from, to string) {
	t.Helper()
	err := filepath.WalkDir(from, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if filepath.Ext(path) == ".json" {
			data, err = cutObject(data)
		} else {
			data = cutLines(data)
		}
		if err != nil || len(data) == 0 {
			return err
		}
		name := to + strings.TrimPrefix(path, from)
		if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			return err
		}
		return os.WriteFile(name, data, 0o600)
	})
	if err != nil {
		t.Fatal(err)
	}
}

// cutLines keeps the lines that begin with a labelled topic, as a run does, or name it first, as an object does.
func cutLines(data []byte) []byte {
	var out []byte
	for line := range bytes.Lines(data) {
		_, value, _ := bytes.Cut(line, []byte(": "))
		if ofLabelled.Match(line) || ofLabelled.Match(value) {
			out = append(out, line...)
		}
	}
	return out
}

// cutObject keeps the members of labelled topics.
func cutObject(data []byte) ([]byte, error) {
	var all map[string]json.RawMessage
	if err := json.Unmarshal(data, &all); err != nil {
		return nil, err
	}
	maps.DeleteFunc(all, func(topic string, _ json.RawMessage) bool { return !ofLabelled.MatchString(topic + " ") })
	return json.Marshal(all)
}
