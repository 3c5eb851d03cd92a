package long2rag

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"strings"

	"lore/datasets"
	"lore/local/files"
)

// wanted says what is looked for in a folder, for errors.
const wanted = "file with lines of questions that have documents and key_points"

// locate puts the files of questions below folders in the place of these. Files that share questions,
// as a built file and its verified part do, are not run together: the choice is the user's.
func locate(paths []string, command string) ([]string, error) {
	var out []string
	for _, p := range paths {
		isFolder, err := files.IsFolder(p, "give a .jsonl file with a question per line, or its folder")
		if err != nil {
			return nil, err
		}
		if !isFolder {
			out = append(out, p)
			continue
		}

		found, foreign, err := below(p, nil)
		switch {
		case err != nil:
			return nil, err
		case len(found) == 0 && len(foreign) > 0:
			return nil, &datasets.InputError{
				File:   p,
				Msg:    "holds no questions in lore's own form, but perhaps in another: " + datasets.Some(foreign),
				Remedy: "convert them first: lore data import long2rag " + files.Quoted(foreign[0]),
			}
		case len(found) == 0:
			return nil, datasets.NoSet(Benchmark{}.Name(), p, wanted, near(p))
		case share(found):
			return nil, datasets.SeveralSets(command, p, found)
		}
		out = append(out, found...)
	}
	return out, nil
}

// below are the files of questions below a folder, and those with a list of other objects that may
// be questions under other names.
func below(dir string, m Mapping) (found, foreign []string, err error) {
	names, err := files.Below(dir)
	if err != nil {
		return nil, nil, err
	}
	for _, n := range names {
		path := filepath.Join(dir, filepath.FromSlash(n))
		base := filepath.Base(path)
		switch ending := strings.ToLower(filepath.Ext(base)); {
		case datasets.IsBesides(base) || ending != ".jsonl" && ending != ".json":
		case ending == ".jsonl" && isQuestions(path):
			found = append(found, path)
		case mayBeQuestions(path, m):
			foreign = append(foreign, path)
		}
	}
	return found, foreign, nil
}

// near are files of questions in the folders above one.
func near(dir string) []string {
	for _, up := range datasets.NearSmall(dir) {
		if found, _, err := below(up, nil); err == nil && len(found) > 0 {
			return found
		}
	}
	return nil
}

// mostHead is how much of a file is looked at to tell what it is; a question's documents may be long.
const mostHead = 4 << 20

// isQuestions tells a file of questions in lore's own form by its first line.
func isQuestions(path string) bool {
	first := firstObject(path)
	_, points := first["key_points"]
	_, documents := first["documents"]
	return points && documents
}

// mayBeQuestions tells a file whose first object has documents and key points under any of the
// usual names, or under those of a mapping.
func mayBeQuestions(path string, m Mapping) bool {
	first := record(firstObject(path))
	for _, field := range []string{"documents", "key_points"} {
		if v, _ := m.get(first, field); v == nil {
			return false
		}
	}
	return true
}

// firstObject is the first one of lines or of a list; nil where there is none.
func firstObject(path string) map[string]json.RawMessage {
	head, err := files.Head(path, mostHead)
	if err != nil {
		return nil
	}
	head = bytes.TrimPrefix(bytes.TrimSpace(head), []byte("["))
	var out map[string]json.RawMessage
	if json.NewDecoder(bytes.NewReader(head)).Decode(&out) != nil {
		return nil
	}
	return out
}

// share reports whether two files have a question in common.
func share(paths []string) bool {
	seen := map[string]bool{}
	for _, path := range paths {
		data, err := files.ReadFile(path)
		if err != nil {
			continue // reading it for the run tells of it
		}
		var ids []string
		_ = files.EachLine(data, func(_ string, line []byte) error {
			var r files.Record
			if json.Unmarshal(line, &r) != nil {
				return nil
			}
			id, err := r.QueryID()
			if err == nil {
				ids = append(ids, id)
			}
			return nil
		})
		for _, id := range ids {
			if seen[id] {
				return true
			}
		}
		for _, id := range ids {
			seen[id] = true
		}
	}
	return false
}
