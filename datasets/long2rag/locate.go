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
const wanted = "file of questions that have documents and key_points"

// locate puts the files of questions below folders in the place of these. Files that share questions,
// as a built file and its verified part do, are not run together: the choice is the user's.
func locate(paths []string, command string) ([]string, error) {
	var out []string
	for _, p := range paths {
		isFolder, err := files.IsFolder(p, "give a file of questions, .jsonl or .json, or its folder")
		if err != nil {
			return nil, err
		}
		if !isFolder {
			out = append(out, p)
			continue
		}

		if isRun(p) {
			return nil, &datasets.InputError{
				File:   p,
				Msg:    "is the folder of a run, not data",
				Remedy: "lore report " + files.Quoted(p) + " shows it; give the data that it was made from",
			}
		}
		found, foreign, err := below(p, nil)
		related := ""
		if len(found) == 0 && err == nil {
			related = extractedOf(p)
		}
		switch {
		case err != nil:
			return nil, err
		case related != "":
			return nil, refuseRelatedFolder(p, related)
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

// isRun tells the folder of a run by its files.
func isRun(dir string) bool {
	return files.Exists(filepath.Join(dir, "manifest.json")) && files.Exists(filepath.Join(dir, "answers.jsonl"))
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
		case isQuestions(path):
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

// isOwn tells a question in lore's own form.
func isOwn(members map[string]json.RawMessage) bool {
	_, points := members["key_points"]
	_, documents := members["documents"]
	return points && documents
}

// isQuestions tells a file of questions in lore's own form by its first one.
func isQuestions(path string) bool {
	return firstObject(path, isOwn) != nil
}

// mayBeQuestions tells a file whose first object has documents and key points under any of the
// usual names, or under those of a mapping.
func mayBeQuestions(path string, m Mapping) bool {
	return firstObject(path, func(members map[string]json.RawMessage) bool {
		for _, field := range []string{"documents", "key_points"} {
			if v, _ := m.get(members, field); v == nil {
				return false
			}
		}
		return true
	}) != nil
}

// firstObject is the first one of lines, of a list, or of objects by their ids; nil where there is none.
func firstObject(path string, is shape) map[string]json.RawMessage {
	head, err := files.Head(path, mostHead)
	if err != nil {
		return nil
	}
	head = bytes.TrimSpace(bytes.TrimPrefix(head, []byte("\ufeff")))
	var out map[string]json.RawMessage
	if json.NewDecoder(bytes.NewReader(head)).Decode(&out) == nil && is(out) {
		return out
	}

	// The whole may be longer than its head: its first object is looked for from the outside in.
	dec := json.NewDecoder(bytes.NewReader(head))
	for range 3 {
		t, err := dec.Token()
		if err == nil && t == json.Delim('{') {
			_, err = dec.Token() // a name
		}
		if _, deeper := t.(json.Delim); err != nil || !deeper {
			return nil
		}
		var inside map[string]json.RawMessage
		try := json.NewDecoder(bytes.NewReader(bytes.TrimLeft(head[dec.InputOffset():], " \t\r\n:")))
		if try.Decode(&inside) == nil && is(inside) {
			return inside
		}
	}
	return nil
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
		_ = eachEntry(data, isQuestion, func(e entry) error {
			var r files.Record
			if json.Unmarshal(e.raw, &r) != nil {
				return nil
			}
			id, err := r.QueryID()
			if err == nil {
				ids = append(ids, id)
			} else if e.key != "" {
				ids = append(ids, e.key)
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
