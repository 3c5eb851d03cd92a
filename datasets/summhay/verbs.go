package summhay

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"path/filepath"
	"strings"

	"lore/datasets"
	"lore/datasets/rows"
	"lore/local/files"
)

// Verbs are what can be done with data that is there.
func Verbs() []datasets.Verb {
	return []datasets.Verb{{
		Kind:  datasets.Import,
		Args:  "FILE|DIR...",
		Short: "Check haystacks, or a hub's table of them, and write them with their hash",
		Long: "import summhay reads published haystacks, files or folders of them, or a table with a\n" +
			"haystack per row as hubs serve it (Parquet or JSON lines), checks ids and\n" +
			"references, and writes a file per haystack with what lore reads of it, and their hash.\n" +
			"lore run summhay reads published haystacks without that, too.",
		Example: "  lore data import summhay summary-of-a-haystack/data --out haystacks",
		Least:   1,
		Most:    -1,
		New:     newImport,
	}}
}

func newImport(fl *flag.FlagSet) datasets.Job {
	out := fl.String("out", "haystacks", "output `folder`")
	return func(_ context.Context, w datasets.Workshop, args []string) (datasets.Outcome, error) {
		var none datasets.Outcome
		names, contents, err := toImport(w, args)
		if err != nil {
			return none, err
		}
		ds, err := load(names, contents)
		if err != nil {
			return none, err
		}
		for _, warning := range ds.Warnings {
			w.Warn(warning)
		}

		var paths []string
		for _, name := range names {
			path := filepath.Join(*out, haystackKey(name)+".json")
			if err := w.Fresh(path); err != nil {
				return none, err
			}
			paths = append(paths, path)
		}
		return datasets.Outcome{
			Write:  func() error { return writeAll(paths, names, contents) },
			Data:   paths,
			Folder: *out,
			Tables: []datasets.Grid{counted(ds)},
			Next:   []string{"lore run summhay " + files.Quoted(*out)},
		}, nil
	}
}

// counted is a row per haystack.
func counted(ds *datasets.Dataset) datasets.Grid {
	g := datasets.Grid{Head: []string{"haystack", "subtopics", "insights", "documents", "recorded systems"}}
	for _, topics := range byHaystack(ds) {
		insights, systems := 0, map[string]bool{}
		for _, it := range topics {
			insights += len(it.insights)
			for name := range it.subtopic.Summaries {
				systems[name] = true
			}
		}
		g.Rows = append(g.Rows, []string{
			topics[0].Corpus().ID, fmt.Sprint(len(topics)), fmt.Sprint(insights),
			fmt.Sprint(len(topics[0].Corpus().Documents)), fmt.Sprint(len(systems)),
		})
	}
	return g
}

// writeAll writes haystacks with the fields that lore reads.
func writeAll(paths, names []string, contents [][]byte) error {
	for i, path := range paths {
		f, err := Parse(names[i], contents[i])
		if err != nil {
			return err
		}
		if err := WriteFile(path, f); err != nil {
			return err
		}
	}
	return nil
}

// toImport reads haystacks, and makes one of each row of a table.
func toImport(w datasets.Workshop, args []string) (names []string, contents [][]byte, err error) {
	paths, warnings, err := importable(args)
	if err != nil {
		return nil, nil, err
	}
	for _, warning := range warnings {
		w.Warn(warning)
	}

	for _, p := range paths {
		if !isTable(p) {
			data, err := files.Bytes(p, "check its permissions")
			if err != nil {
				return nil, nil, err
			}
			names, contents = append(names, p), append(contents, data)
			continue
		}
		err := rows.Each(p, func(_ int, row map[string]any) error {
			data, err := json.Marshal(rows.Plain(row))
			names = append(names, fmt.Sprintf("haystack%02d.json", len(names)+1))
			contents = append(contents, data)
			return err
		})
		if err != nil {
			return nil, nil, err
		}
	}
	return names, contents, nil
}

// importable are the files of haystacks below folders, or where these have none their tables.
func importable(args []string) (paths, warnings []string, err error) {
	for _, a := range args {
		isFolder, err := files.IsFolder(a, "give haystacks, a folder of them, or a table of them")
		if err != nil {
			return nil, nil, err
		}
		if !isFolder {
			paths = append(paths, a)
			continue
		}

		if err := datasets.RefuseOwn(Benchmark{}.Name(), a); err != nil {
			return nil, nil, err
		}
		found, others, err := haystacksBelow(a)
		if err != nil {
			return nil, nil, err
		}
		if len(found) == 0 {
			found, others = tablesIn(a, others)
		}
		if len(found) == 0 {
			return nil, nil, noHaystack(a, nil)
		}
		paths = append(paths, found...)
		if len(others) > 0 {
			warnings = append(warnings, leftOut(a, len(found), others))
		}
	}
	return paths, warnings, nil
}

// tablesIn are those of the files of a folder that hold haystacks, and the others. A table that cannot be
// read is one of the first: whoever reads it says why.
func tablesIn(dir string, names []string) (found, others []string) {
	for _, n := range names {
		path := filepath.Join(dir, filepath.FromSlash(n))
		if is, err := holdsHaystacks(path); is || err != nil {
			found = append(found, path)
		} else {
			others = append(others, n)
		}
	}
	return found, others
}

// isTable tells a file with a haystack per row from one with a single haystack, by its name.
func isTable(path string) bool {
	ending := strings.ToLower(filepath.Ext(path))
	return ending == ".parquet" || ending == ".jsonl"
}
