package msrs

import (
	"path/filepath"
	"slices"
	"strings"

	"lore/datasets"
	"lore/local/files"
)

// wanted says what a folder of a domain is known by, for errors.
const wanted = "documents/ with queries_test.json beside it, and no " + OwnFile

// isDomain recognises the folder of a domain, as published or in lore's own layout.
func isDomain(has datasets.Has) bool {
	queries := func(split string) bool { return has(queriesOf(split)) }
	return has(OwnFile) || has("documents") && slices.ContainsFunc(splits, queries)
}

// queriesOf is the published file of a split.
func queriesOf(split string) string { return "queries_" + split + ".json" }

// locate finds the folder of a domain: the one that was given, one below it, or that of a file
// that was given. Where several domains are below it --domain chooses by their names; command is
// what chooses one otherwise. split is that of a queries file that was given, else empty.
func locate(given, domain, command string) (folder, split string, err error) {
	isFolder, err := files.IsFolder(given, publishedForm)
	if err != nil {
		return "", "", err
	}
	if !isFolder {
		name := filepath.Base(given)
		i := slices.IndexFunc(splits, func(s string) bool { return queriesOf(s) == name })
		switch {
		case i >= 0:
			return filepath.Dir(given), splits[i], nil
		case name == OwnFile:
			return filepath.Dir(given), "", nil
		}
		return "", "", &datasets.InputError{File: given, Msg: "is a file, not the folder of a domain", Remedy: publishedForm}
	}

	found, err := datasets.FoldersBelow(given, isDomain)
	if err != nil {
		return "", "", err
	}
	if len(found) > 1 && domain != "" {
		named := func(f string) bool { return strings.EqualFold(filepath.Base(f), domain) }
		if i := slices.IndexFunc(found, named); i >= 0 {
			found = found[i : i+1]
		}
	}

	switch {
	case len(found) == 1:
		return found[0], "", nil
	case len(found) > 1:
		return "", "", datasets.SeveralSets(command, given, found)
	case files.Exists(filepath.Join(given, "documents")):
		return given, "", nil // the file of queries is missing, which is said
	}
	return "", "", datasets.NoSet(Benchmark{}.Name(), given, wanted, datasets.FoldersNear(given, isDomain))
}

// testQueries are the queries of a file, or those of the test in the folder of a domain, as published
// or imported.
func testQueries(given, domain string) ([]Query, error) {
	isFolder, err := files.IsFolder(given, "give the published queries file, or its folder")
	if err != nil {
		return nil, err
	}
	if !isFolder {
		return LoadQueries(given)
	}

	folder, _, err := locate(given, domain, "lore score msrs --queries")
	if err != nil {
		return nil, err
	}
	if !files.Exists(filepath.Join(folder, OwnFile)) {
		return LoadQueries(filepath.Join(folder, queriesOf("test")))
	}
	raw, err := readOwn(files.DirFS(folder), folder)
	if err == nil && len(raw.Queries["test"]) == 0 {
		err = &datasets.InputError{File: folder, Msg: "has no queries of the test", Remedy: "give a file of queries", Err: ErrNoSplit}
	}
	return raw.Queries["test"], err
}

// outputFiles puts the published outputs below folders in the place of these.
func outputFiles(given []string) ([]string, error) {
	var out []string
	for _, p := range given {
		isFolder, err := files.IsFolder(p, "give files of outputs, or folders of them")
		if err != nil {
			return nil, err
		}
		if !isFolder {
			out = append(out, p)
			continue
		}

		names, err := files.Below(p)
		if err != nil {
			return nil, err
		}
		n := len(out)
		for _, name := range names {
			if strings.HasSuffix(name, "_summary.json") {
				out = append(out, filepath.Join(p, filepath.FromSlash(name)))
			}
		}
		if len(out) == n {
			return nil, &datasets.InputError{
				File:   p,
				Msg:    "holds no outputs: no file in it or below ends in _summary.json",
				Remedy: "give files of outputs, or a folder of them such as MSRS/outputs/story/bm25",
			}
		}
	}
	return out, nil
}
