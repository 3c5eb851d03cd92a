// Package prompts finds the prompts that models are given: lore's own, and versions of
// people's own that stand before them.
package prompts

import (
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"lore/cmd/lore/internal/usage"
	"lore/datasets"
	"lore/datasets/all"
	"lore/index/condense"
	"lore/index/rerank"
	"lore/judge/llm"
)

// OfRun are the folders of lore's own prompts that a run of a benchmark may use.
func OfRun(bench datasets.Benchmark) []fs.FS {
	return []fs.FS{bench.Prompts(), llm.Prompts(), rerank.Prompts(), condense.Prompts()}
}

// Library are lore's own prompts by name, such as "summhay/answer.txt".
type Library struct {
	Names []string // in the order of their folders
	Texts map[string]string
}

// FS are lore's own prompts as a folder.
func (l Library) FS() fs.FS { return texts(l.Texts) }

// All reads the prompts that come with lore.
func All() (Library, error) {
	folders := []fs.FS{llm.Prompts(), rerank.Prompts(), condense.Prompts()}
	for _, e := range all.Entries {
		folders = append(folders, e.Prompts())
		for _, v := range e.Verbs {
			if v.Prompts != nil {
				folders = append(folders, v.Prompts)
			}
		}
	}

	return library(folders)
}

// Of reads those of lore's own prompts that a run of a benchmark may use.
func Of(bench datasets.Benchmark) (Library, error) { return library(OfRun(bench)) }

func library(folders []fs.FS) (Library, error) {
	lib := Library{Texts: map[string]string{}}
	for _, dir := range folders {
		if err := lib.add(dir); err != nil {
			return lib, fmt.Errorf("list the prompts: %w", err)
		}
	}
	return lib, nil
}

// Names are the prompts of a folder, in order.
func Names(dir fs.FS) ([]string, error) {
	var out []string
	err := fs.WalkDir(dir, ".", func(p string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			out = append(out, p)
		}
		return err
	})
	return out, err
}

// add takes over the prompts of a folder that are not there yet.
func (l *Library) add(dir fs.FS) error {
	names, err := Names(dir)
	if err != nil {
		return err
	}
	for _, p := range names {
		if _, known := l.Texts[p]; known {
			continue
		}
		data, err := fs.ReadFile(dir, p)
		if err != nil {
			return err
		}
		l.Names, l.Texts[p] = append(l.Names, p), string(data)
	}
	return nil
}

// Below are the names that a word means: a prompt, or the folder of a benchmark.
func (l Library) Below(word string) []string {
	var out []string
	for _, n := range l.Names {
		if n == word || strings.HasPrefix(n, strings.TrimSuffix(word, "/")+"/") {
			out = append(out, n)
		}
	}
	return out
}

// NearestOf is the prompt that a wrong name may stand for, of a benchmark's own rather than others;
// empty: none. A benchmark without a name has none of its own.
func (l Library) NearestOf(bench, name string) string {
	base := path.Base(name)
	if bench == "" {
		return l.Nearest(name)
	}
	if right := path.Join(bench, base); slices.Contains(l.Names, right) {
		return right
	}
	elsewhere := slices.ContainsFunc(l.Names, func(k string) bool { return path.Base(k) == base })
	if !elsewhere && !strings.Contains(name, "/") {
		if near := usage.Nearest(path.Join(bench, base), l.Below(bench)); near != "" {
			return near
		}
	}
	return l.Nearest(name)
}

// Nearest is the prompt of the same name in another folder, or the most similar one; empty: none.
func (l Library) Nearest(name string) string {
	if near := usage.Nearest(name, l.Names); near != "" {
		return near
	}
	for _, k := range l.Names {
		if path.Base(k) == path.Base(name) {
			return k
		}
	}
	return ""
}
