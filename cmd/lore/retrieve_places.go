package main

import (
	"errors"
	"os"
	"path/filepath"
	"slices"

	"lore/cmd/lore/internal/pipeline"
	"lore/cmd/lore/internal/usage"
	"lore/index/collection"
	"lore/local/files"
)

// checkPlaces refuses to write over what is read, to write two things to one place, and names that could not be read again.
func (f retrieveFlags) checkPlaces(by pipeline.Pipeline, args []string) error {
	read := append(f.inputs(args), by.Paths()...)
	written := map[string]string{} // flag by place
	for _, place := range f.places() {
		for _, in := range read {
			if samePlace(in, place.path) {
				return usage.Errorf("%s %s is what is read: write to another place", place.flag, place.path)
			}
		}

		for other, flag := range written {
			if samePlace(other, place.path) {
				return usage.Errorf("%s and %s would both be written to %s: give two places", flag, place.flag, place.path)
			}
		}
		written[place.path] = place.flag
		if place.folder {
			continue
		}

		var choice *collection.ChoiceError
		if err := collection.CheckTREC(place.path); errors.As(err, &choice) {
			return usage.Errorf("%s: %v", place.flag, choice)
		}
	}
	return nil
}

// place is somewhere to write.
type place struct {
	flag, path string
	folder     bool // or in one, where lore chooses the name
}

func (f retrieveFlags) places() []place {
	var out []place
	if f.out != "" {
		out = append(out, place{"--out", f.out, false})
	}
	if f.qrels != "" {
		out = append(out, place{"--qrels", f.qrels, false})
	}
	if f.vectors == "" {
		return out
	}
	out = append(out, place{"--write-vectors", f.vectors, true})
	for _, file := range pipeline.VectorFiles(f.vectors) {
		out = append(out, place{"--write-vectors", file, true})
	}
	return out
}

// inputs are the files and folders that are read, with the files of folders as far as they can be told.
func (f retrieveFlags) inputs(args []string) []string {
	out := slices.Clone(args)
	if f.pipelines != "" {
		out = append(out, f.pipelines)
	}
	if f.bench != "" {
		return out
	}

	for _, in := range args {
		if info, err := os.Stat(in); err != nil || !info.IsDir() {
			continue
		}
		if source, err := collection.Open(in); err == nil { // an error is told when the corpus is read
			out = append(out, source.Files...)
		}
		for _, pattern := range []string{"queries.jsonl*", filepath.Join("qrels", "*")} {
			if more, err := filepath.Glob(filepath.Join(in, pattern)); err == nil {
				out = append(out, more...)
			}
		}
	}
	return out
}

// samePlace reports whether two paths lead to one file or folder, there or not. Devices and pipes are no places: what is written
// to one changes nothing that is read.
func samePlace(a, b string) bool {
	if info, err := os.Stat(b); err == nil && !info.Mode().IsRegular() && !info.IsDir() {
		return false
	}
	one, err := filepath.Abs(a)
	other, err2 := filepath.Abs(b)
	return files.Same(a, b) || err == nil && err2 == nil && one == other
}
