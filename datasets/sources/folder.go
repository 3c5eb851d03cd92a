package sources

import (
	"context"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"lore/datasets"
	"lore/local/files"
)

// folder reads all files below the folder, in the order of their paths.
func (r *reading) folder(ctx context.Context, below fs.FS) error {
	if err := fs.WalkDir(below, ".", r.visit(below)); err != nil {
		return files.Unreadable(r.dir, err, "check its permissions")
	}

	slices.Sort(r.names)
	for _, name := range r.names {
		if err := r.file(ctx, name); err != nil {
			return err
		}
	}
	return nil
}

// visit lists the files, and notes what is none, and which folders are not entered.
func (r *reading) visit(below fs.FS) fs.WalkDirFunc {
	return func(p string, d fs.DirEntry, err error) error {
		switch {
		case p == ".":
			return err
		case err != nil: // a folder that cannot be listed
			r.pass(p, "cannot be read: "+files.Cause(err)+": check its permissions")
			return fs.SkipDir
		case strings.HasPrefix(d.Name(), "."):
			r.Hidden = append(r.Hidden, p)
			return skip(d)
		case d.IsDir():
			return r.enter(below, p)
		case d.Type()&fs.ModeSymlink != 0:
			r.Files++
			r.leaveOut(p, "is a link: copy what it leads to")
		case d.Type().IsRegular():
			r.names = append(r.names, p)
		default:
			r.Files++
			r.leaveOut(p, "is no file")
		}
		return nil
	}
}

func skip(d fs.DirEntry) error {
	if d.IsDir() {
		return fs.SkipDir
	}
	return nil
}

// enter looks whether a folder holds documents of people, or what lore has made of them.
func (r *reading) enter(below fs.FS, p string) error {
	switch {
	case r.options.Out != "" && files.Same(filepath.Join(r.dir, filepath.FromSlash(p)), r.options.Out):
		r.Ours = append(r.Ours, p+", the folder of --out")
	case written(below, p):
		r.pass(p, "holds what lore has written")
	default:
		return nil
	}
	return fs.SkipDir
}

// journal is the file in which model calls are kept.
const journal = "journal.jsonl"

// written reports whether a folder is one of lore's: of a build, which has a log, or of anything that has
// asked a model, which has a journal of the calls.
func written(below fs.FS, p string) bool {
	marks := []string{datasets.BuildLog, "calls/" + journal, "calls-judge/" + journal}
	if strings.HasPrefix(path.Base(p), "calls") {
		marks = append(marks, journal)
	}
	return slices.ContainsFunc(marks, func(mark string) bool {
		_, err := fs.Stat(below, path.Join(p, mark))
		return err == nil
	})
}

// pass leaves a whole folder out.
func (r *reading) pass(p, why string) {
	r.LeftOut = append(r.LeftOut, LeftOut{Place: p, Reason: why, Folder: true})
}
